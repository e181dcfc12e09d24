"""The short simulated sessions of this folder, for tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from calibration.profile import Profile, load_profile
from vision.frame import Image

FOLDER = Path(__file__).parent
CLIPS = tuple(sorted(path.parent.name for path in FOLDER.glob("*/truth.json")))
"""Names of the clips."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One session with its truth."""

    folder: Path
    """Where it lies."""
    truth: dict[str, Any]
    """What `truth.json` says."""
    profile: Profile
    """The calibration of its camera."""

    @property
    def video(self) -> Path:
        """Its video file."""
        return self.folder / "video.mp4"

    def frames(self) -> Iterator[Image]:
        """All frames, (H, W, 3) uint8 BGR."""
        capture = cv2.VideoCapture(str(self.video))
        try:
            while True:
                done, frame = capture.read()
                if not done:
                    return
                yield frame.astype("uint8", copy=False)
        finally:
            capture.release()

    def happenings(self, kind: str) -> list[dict[str, Any]]:
        """What happened of one kind."""
        return [each for each in self.truth["conditions"]["happenings"] if each["kind"] == kind]


def clip(name: str) -> Clip:
    """Load a clip by its name."""
    folder = FOLDER / name
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    return Clip(folder, truth, load_profile(folder / "profile.json"))
