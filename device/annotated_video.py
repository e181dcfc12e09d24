"""A video of the game: the frames with the dice marked, and the scoreboard beside them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from device.annotate import annotate
from device.displays.scoreboard import render
from device.displays.view import ScoreView
from device.errors import BadInput, DeviceFailed
from vision.detection import Reading
from vision.frame import Frame, Image
from vision.tracking import Track

_SUFFIXES = (".mp4", ".avi", ".mkv")
_MOST_FPS = 30.0
_HEIGHT_PX = 480
"""Height of the video; a frame is shrunk to it, never enlarged."""
_BOARD_RATIO = 1.1
"""Width of the scoreboard by its height."""


class AnnotatedVideo:
    """Writes the video; it has its name only once it is complete, also when the game is broken off."""

    def __init__(self, path: Path, fps: float = _MOST_FPS) -> None:
        """Check that `path` can be written.

        Raises:
            BadInput: for a folder that does not exist, cannot be written, or a file type without a writer.
        """
        if path.suffix.lower() not in _SUFFIXES:
            raise BadInput(f"the video {path} must end in {', '.join(_SUFFIXES)}; choose one of these")
        if not path.parent.is_dir():
            raise BadInput(f"the folder {path.parent} for the video does not exist; create it first")
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise BadInput(f"the video {path} cannot be written there; choose another place")
        self._path = path
        self._part = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
        self._fps = min(fps, _MOST_FPS)
        self._writer: cv2.VideoWriter | None = None
        self._first_ns = 0
        self._written = 0
        self._canvas: Image | None = None
        self._shown: ScoreView | None = None
        self._closed = False

    def add(self, frame: Frame, dice: Sequence[Track], view: ScoreView) -> None:
        """Add one frame with the dice that are known to lie on the table, and the score as it stands.

        Frames are repeated or left out so that the video runs as fast as the table did.
        """
        if self._written == 0:
            self._first_ns = frame.t_ns
        due = round((frame.t_ns - self._first_ns) / 1e9 * self._fps) + 1
        if due <= self._written:
            return
        picture = self._composed(frame, dice, view)
        if self._writer is None:
            self._writer = self._opened(picture)
        # A camera that stalled for long is shown as a jump, not as minutes of one picture.
        for _ in range(min(due - self._written, round(2 * self._fps))):
            self._writer.write(picture)
        self._written = due

    def close(self) -> None:
        """Complete the file and give it its name; again does nothing."""
        if self._closed:
            return
        self._closed = True
        if self._writer is not None:
            self._writer.release()
            os.replace(self._part, self._path)

    def _opened(self, picture: Image) -> cv2.VideoWriter:
        height, width = picture.shape[:2]
        codec = cv2.VideoWriter.fourcc(*("MJPG" if self._path.suffix.lower() == ".avi" else "mp4v"))
        writer = cv2.VideoWriter(str(self._part), codec, self._fps, (width, height))
        if not writer.isOpened():
            self._part.unlink(missing_ok=True)
            raise DeviceFailed(f"the video {self._path} cannot be encoded on this machine; leave it out")
        return writer

    def _composed(self, frame: Frame, dice: Sequence[Track], view: ScoreView) -> Image:
        """Return the marked frame on the left and the scoreboard on the right."""
        marked = annotate(frame.image, Reading(tuple(track.detection for track in dice)))
        height = min(_HEIGHT_PX, frame.height_px) // 2 * 2
        width = max(2, round(frame.width_px * height / frame.height_px) // 2 * 2)
        small = cv2.resize(marked, (width, height), interpolation=cv2.INTER_AREA)
        board_width = max(64, round(height * _BOARD_RATIO) // 2 * 2)
        if self._canvas is None:
            self._canvas = np.zeros((height, width + board_width, 3), np.uint8)
        self._canvas[:, :width] = small
        if self._shown != view:
            board = render(view, (board_width, max(64, height)))
            self._canvas[:, width:] = np.asarray(board, np.uint8)[:height, :, ::-1]
            self._shown = view
        return self._canvas
