"""Where pictures come from: one `Source` of frames for every camera, file, folder and pipe."""

from __future__ import annotations

import re
from pathlib import Path

from device.cameras.source import Source
from device.errors import BadInput

__all__ = ["Source", "open_source"]

DEFAULT_FPS = 30.0
"""Frames a second of pictures that carry no time: a folder, or MJPEG read from an ordinary file."""

_USB = re.compile(r"(?:usb:|/dev/video)(\d{1,3})")


def open_source(text: str, *, fps: float | None = None) -> Source:
    """Open what the user named: `picamera`, `usb:N`, a video file, a folder of frames, or `-`.

    `fps` is the number of frames a second of a source without times of its own (a folder, `-`); a camera and
    a video file keep their own. `-` without `fps` takes the time at which each picture arrives.

    Raises:
        BadInput: when there is no such source, or it holds no pictures; one sentence.
        DeviceFailed: when a camera is missing or does not answer; one sentence.
    """
    if fps is not None and not 0.1 <= fps <= 1000.0:
        raise BadInput(f"{fps:g} frames a second make no sense; give a number from 0.1 to 1000")
    if text == "picamera":
        from device.cameras.newest import Newest
        from device.cameras.picamera import PiCamera

        return Newest(PiCamera())
    usb = _USB.fullmatch(text)
    if usb is not None:
        from device.cameras.newest import Newest
        from device.cameras.usb import UsbCamera

        return Newest(UsbCamera(int(usb.group(1))))
    if text.startswith("usb"):
        raise BadInput(f"{text!r} is no camera; wanted usb: and its number, such as usb:0")
    if text == "-":
        return _standard_input(fps)
    if not text:
        raise BadInput("the source is empty; give picamera, usb:0, a video file, a folder of frames, or -")
    path = Path(text)
    if path.is_dir():
        from device.cameras.folder import FrameFolder

        return FrameFolder(path, fps=fps or DEFAULT_FPS)
    from device.cameras.video import VideoFile

    return VideoFile(path)


def _standard_input(fps: float | None) -> Source:
    import os
    import stat
    import sys
    import time

    from device.cameras.mjpeg import MjpegStream
    from device.cameras.newest import Newest

    if sys.stdin is None or sys.stdin.isatty():
        raise BadInput("- reads MJPEG from a pipe, but standard input is a terminal; pipe a camera into it")
    stream = sys.stdin.buffer
    if fps is None and stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        fps = DEFAULT_FPS
    if fps is not None:
        return MjpegStream(stream, fps=fps)
    return Newest(MjpegStream(stream, clock_ns=time.monotonic_ns))
