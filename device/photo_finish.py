"""The photo finish: the frames in which lanes came to show the goal, with boxes, times and the rule."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.frame import Frame, Image
from vision.race_watch import LaneLook

_PANEL_PX = 640
"""Width of the picture of one lane."""
_LINE_PX = 26
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_SURE = (80, 200, 80)
_DOUBT = (60, 60, 230)
_PAPER = (32, 28, 26)
_INK = (240, 240, 240)


@dataclass(frozen=True, slots=True, eq=False)
class Finish:
    """A lane at the frame in which it came to show the goal."""

    player: str
    """Whose lane."""
    look: LaneLook
    """What lay there, and since when."""
    image: Image
    """The whole picture of that frame, (H, W, 3) uint8 BGR."""
    clip: tuple[Frame, ...] = ()
    """The frames around it."""


def photo_finish(finishes: Sequence[Finish], claims_ns: dict[str, int], go_ns: int, rule: str) -> Image:
    """Return the finishing pictures side by side, each with its times, over the rule that was applied."""
    panels = [_panel(each, claims_ns.get(each.player), go_ns) for each in finishes]
    height = max(panel.shape[0] for panel in panels)
    padded = [
        cv2.copyMakeBorder(panel, 0, height - panel.shape[0], 2, 2, cv2.BORDER_CONSTANT, value=_PAPER)
        for panel in panels
    ]
    whole = np.hstack(padded).astype(np.uint8, copy=False)
    lines = _wrapped(rule, whole.shape[1] // 11)
    foot = np.full((_LINE_PX * len(lines) + 12, whole.shape[1], 3), _PAPER, np.uint8)
    for number, line in enumerate(lines):
        _write(foot, line, 8, _LINE_PX * (number + 1) - 4)
    return np.vstack([whole, foot])


def jpeg(picture: Image, quality: int = 85) -> bytes:
    """Return a picture as a JPEG file."""
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def proof_clip(frames: Sequence[Frame], *, slower: float = 4.0, width_px: int = 960) -> bytes:
    """Return the frames as an MP4 file, so many times slower; empty where it cannot be made."""
    if len(frames) < 2:
        return b""
    seconds = (frames[-1].t_ns - frames[0].t_ns) / 1e9
    fps = min(60.0, max(1.0, (len(frames) - 1) / max(seconds, 1e-3) / slower))
    first = frames[0]
    share = min(1.0, width_px / first.width_px)
    size = (int(first.width_px * share) // 2 * 2, int(first.height_px * share) // 2 * 2)
    handle, name = tempfile.mkstemp(suffix=".mp4")
    os.close(handle)
    try:
        writer = cv2.VideoWriter(name, cv2.VideoWriter.fourcc(*"mp4v"), fps, size)
        if not writer.isOpened():
            return b""
        for frame in frames:
            small = cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA)
            cv2.putText(
                small, f"{frame.t_ns / 1e9:.4f} s", (8, size[1] - 10), _FONT, 0.6, _INK, 1, cv2.LINE_AA
            )
            writer.write(small)
        writer.release()
        return Path(name).read_bytes()
    finally:
        Path(name).unlink(missing_ok=True)


def _panel(finish: Finish, claim_ns: int | None, go_ns: int) -> Image:
    """Draw one lane with its boxes under its times."""
    look = finish.look
    boxes = np.array([die.detection.box_px for die in look.dice], np.float64)
    side = float(np.median(boxes[:, 2]))
    left, top = boxes[:, :2].min(axis=0) - 0.8 * side
    right, bottom = (boxes[:, :2] + boxes[:, 2:]).max(axis=0) + 0.8 * side
    height, width = finish.image.shape[:2]
    x0, y0 = max(0, int(left)), max(0, int(top))
    x1, y1 = min(width, int(right)), min(height, int(bottom))
    scale = min(_PANEL_PX / (x1 - x0), _PANEL_PX / (y1 - y0))
    crop = cv2.resize(finish.image[y0:y1, x0:x1], None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    for die in look.dice:
        x, y, w, h = die.detection.box_px
        a = (round((x - x0) * scale), round((y - y0) * scale))
        b = (round((x + w - x0) * scale), round((y + h - y0) * scale))
        ink = _DOUBT if die.face is None else _SURE
        cv2.rectangle(crop, a, b, ink, 2)
        cv2.putText(crop, str(die.face or "?"), (a[0], max(14, a[1] - 4)), _FONT, 0.6, ink, 2, cv2.LINE_AA)
    lines = [
        finish.player,
        f"finish {(look.t_ns - go_ns) / 1e9:.3f} s after Go (frame {look.frame})",
        f"at most {look.uncertainty_ns / 1e6:.0f} ms earlier",
        "no claim" if claim_ns is None else f"claim {(claim_ns - go_ns) / 1e9:.3f} s",
    ]
    width = max(crop.shape[1], 400)
    head = np.full((_LINE_PX * len(lines) + 10, width, 3), _PAPER, np.uint8)
    for number, line in enumerate(lines):
        _write(head, line, 8, _LINE_PX * (number + 1) - 4)
    crop = cv2.copyMakeBorder(crop, 0, 0, 0, width - crop.shape[1], cv2.BORDER_CONSTANT, value=_PAPER).astype(
        np.uint8, copy=False
    )
    return np.vstack([head, crop])


def _write(picture: Image, text: str, x: int, y: int) -> None:
    plain = text.encode("ascii", "replace").decode()  # the built-in font has no other letters
    cv2.putText(picture, plain, (x, y), _FONT, 0.58, _INK, 1, cv2.LINE_AA)


def _wrapped(text: str, letters: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, max(20, letters)) or [""]
