"""Keeps a session in a folder: what the camera saw, the profile, and what was made of it.

    video.mkv     the frames as they came, as fast as they came
    profile.json  the calibration that was used, if any, and the picture that it names
    game.json     game, rules and players, as in a game file
    events.jsonl  every JSON object that was written, one a line, the final state last

So a fault becomes a test: copy the folder, and put the game as it really was (`croupier games export` after a
repair) beside it as truth.json; `python -m benchmarks.session_score FOLDER` compares the two from then on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

import cv2

from device.errors import BadInput, DeviceFailed
from vision.frame import Frame

VIDEO = "video.mkv"
"""A Matroska file can be read up to where it stops when the power goes."""
MOST_FPS = 30.0
"""Frames a second of the video; a faster camera is thinned out."""


class Recording:
    """Writes one session; what has been written stays readable when the program is killed."""

    def __init__(
        self, folder: Path, game: Mapping[str, object], *, profile: Path | None = None, fps: float = MOST_FPS
    ) -> None:
        """Make the folder and the files that are known already.

        `game` is what game.json holds; `fps` the frame rate of the source, where it has one.

        Raises:
            BadInput: when the folder holds something already, or cannot be made.
        """
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise BadInput(f"{folder} exists and is not an empty folder; give --record a new one")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if profile is not None:
                _copy_profile(profile, folder / "profile.json")
            text = json.dumps(dict(game), indent=1, ensure_ascii=False)
            (folder / "game.json").write_text(text + "\n", encoding="utf-8")
            self._events: TextIO = (folder / "events.jsonl").open("w", encoding="utf-8")
        except OSError as error:
            why = os.strerror(error.errno or 0)
            raise BadInput(f"the folder {folder} cannot be written ({why}); choose another place") from error
        self._path = folder / VIDEO
        self._fps = min(fps, MOST_FPS)
        self._writer: cv2.VideoWriter | None = None
        self._first_ns = 0
        self._written = 0
        self._size_px = (0, 0)

    def frame(self, frame: Frame) -> None:
        """Add one frame; frames are repeated or left out so that the video runs as fast as the table did.

        A frame of another size is left out: a video has one size.

        Raises:
            DeviceFailed: when the video cannot be encoded.
        """
        size = (frame.width_px, frame.height_px)
        if self._writer is None:
            codec = cv2.VideoWriter.fourcc(*"mp4v")
            self._writer = cv2.VideoWriter(str(self._path), codec, self._fps, size)
            if not self._writer.isOpened():
                raise DeviceFailed(
                    f"the video {self._path} cannot be encoded on this machine; leave out --record"
                )
            self._first_ns, self._size_px = frame.t_ns, size
        if size != self._size_px:
            return
        due = round((frame.t_ns - self._first_ns) / 1e9 * self._fps) + 1
        # A camera that stalled for long is a jump, not minutes of one picture.
        for _ in range(min(due - self._written, round(2 * self._fps))):
            self._writer.write(frame.image)
        self._written = max(due, self._written)

    def event(self, data: Mapping[str, object]) -> None:
        """Add one JSON object; it is on its way to the disk when this returns."""
        self._events.write(json.dumps(dict(data), allow_nan=False, ensure_ascii=False) + "\n")
        self._events.flush()

    def close(self) -> None:
        """Complete the files; again does nothing."""
        if self._writer is not None:
            self._writer.release()
        self._events.close()


def _copy_profile(profile: Path, to: Path) -> None:
    """Copy a profile, which has been checked before, with the picture in which it was made."""
    text = profile.read_bytes()
    reference = json.loads(text).get("reference")
    if reference is not None:
        (to.parent / reference).write_bytes((profile.parent / reference).read_bytes())
    to.write_bytes(text)
