"""A video file, with its own timestamps and upright as its rotation says."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

# FFmpeg writes to standard error by itself what is wrong with a file; what users get is one sentence of ours.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")

import cv2
import numpy as np

from device.cameras.source import Source
from device.errors import BadInput
from device.pictures import PICTURE_SUFFIXES
from vision.frame import Frame

FALLBACK_FPS = 30.0
"""For files that state no usable frame rate."""
MISSING_SHARE = 0.02
"""A file that ends this much earlier than it says has broken off; some formats only estimate their length."""


class VideoFile(Source):
    """Frames of a video file, as fast as they can be decoded; nothing is skipped."""

    def __init__(self, path: Path) -> None:
        """Open the file.

        Raises:
            BadInput: when it is missing, empty, unreadable or no video.
        """
        self.name = str(path)
        self.faults: tuple[str, ...] = ()
        _check_is_file(path)
        self._capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        if not self._capture.isOpened():
            self._capture.release()
            raise BadInput(
                f"{path} is no video that can be decoded, or is damaged; wanted MP4, MOV, AVI, MKV or WebM"
            )
        self._capture.set(cv2.CAP_PROP_ORIENTATION_AUTO, 1)
        fps = float(self._capture.get(cv2.CAP_PROP_FPS))
        self.fps = fps if 0.1 <= fps <= 1000.0 else FALLBACK_FPS
        """Frames a second as the file states them."""
        count = float(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self.frames = int(count) if 0 < count < 1e9 else None
        """How many frames the file says to have, where it says so."""

    def __iter__(self) -> Iterator[Frame]:
        """Yield every frame that can be decoded."""
        index = 0
        last_ns = -1
        step_ns = round(1e9 / self.fps)
        while True:
            good, image = self._capture.read()
            if not good:
                break
            t_ns = round(float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) * 1e6)
            if t_ns <= last_ns or t_ns < 0:
                # Some files have no times or broken ones (raw streams, repeats): then the frame rate counts.
                t_ns = 0 if last_ns < 0 else last_ns + step_ns
            last_ns = t_ns
            yield Frame(image.astype(np.uint8, copy=False), t_ns, index)
            index += 1
        self._check_end(index)

    def close(self) -> None:
        """Close the file."""
        self._capture.release()

    def _check_end(self, frames: int) -> None:
        if frames == 0:
            raise BadInput(f"{self.name} holds no frame that can be decoded; is it damaged?")
        if self.frames is not None and self.frames - frames > max(2.0, MISSING_SHARE * self.frames):
            self.faults += (
                f"{self.name} breaks off after frame {frames} of {self.frames}; "
                "what came before was used, copy the file again for the rest",
            )


def _check_is_file(path: Path) -> None:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadInput(
            f"there is no source {path}; give picamera, usb:0, http://..., a video file, a folder, or -"
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"cannot open {str(path)[:80]!r}: {reason}; check the name") from error
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(f"{path} is not an ordinary file; wanted a video file, or - for a pipe")
    if status.st_size == 0:
        raise BadInput(f"{path} is empty (0 bytes); copy it again from the camera")
    if not os.access(path, os.R_OK):
        raise BadInput(f"no permission to read {path}; change it with: chmod a+r {path}")
    if path.suffix.lower() in PICTURE_SUFFIXES:
        raise BadInput(f"{path} is a single picture; read it with: croupier read {path}")
