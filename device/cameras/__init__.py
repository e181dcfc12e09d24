"""Where pictures come from: one `Source` of frames for every camera, file, folder and pipe."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from device.cameras.source import Source
from device.errors import BadInput

__all__ = ["Source", "open_source"]

DEFAULT_FPS = 30.0
"""Frames a second of pictures that carry no time: a folder, or MJPEG read from an ordinary file."""

_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_USB = re.compile(r"(?:usb:|/dev/video)(\d{1,3})")


def open_source(text: str, *, fps: float | None = None, patient: bool = False) -> Source:
    """Open what the user named: `picamera`, `usb:N`, an address, a video file, a folder of frames, or `-`.

    A camera that stalls or is unplugged later is opened again; with `patient` also one that is missing now.

    `fps` is the number of frames a second of a source without times of its own (a folder, `-`); a camera and
    a video file keep their own. `-` without `fps` takes the time at which each picture arrives.

    Raises:
        BadInput: when there is no such source, or it holds no pictures; one sentence.
        DeviceFailed: when a camera is missing or does not answer; one sentence.
    """
    if fps is not None and not 0.1 <= fps <= 1000.0:
        raise BadInput(f"{fps:g} frames a second make no sense; give a number from 0.1 to 1000")
    if is_live(text):
        from device.cameras.reopening import Reopening

        return Reopening(partial(_open_live, text), patient=patient)
    if text.startswith("usb"):
        raise BadInput(f"{text!r} is no camera; wanted usb: and its number, such as usb:0")
    if text == "-":
        return _standard_input(fps)
    if not text:
        raise BadInput(
            "the source is empty; give picamera, usb:0, http://..., rtsp://..., a video file, a folder, or -"
        )
    path = Path(text)
    if path.is_dir():
        from device.cameras.folder import FrameFolder

        return FrameFolder(path, fps=fps or DEFAULT_FPS)
    from device.cameras.video import VideoFile

    return VideoFile(path)


def is_live(text: str) -> bool:
    """Whether `text` names a camera, which can be unplugged and come back."""
    return text == "picamera" or _USB.fullmatch(text) is not None or is_url(text)


def _open_live(text: str) -> Source:
    """Open a camera behind its mailbox."""
    from device.cameras.newest import Newest

    if text == "picamera":
        from device.cameras.picamera import PiCamera

        return Newest(PiCamera())
    if is_url(text):
        from device.cameras.network import open_url

        return Newest(open_url(text))
    from device.cameras.usb import UsbCamera

    usb = _USB.fullmatch(text)
    return Newest(UsbCamera(int(usb.group(1)) if usb else 0))


def is_url(text: str) -> bool:
    """Whether `text` is an address of the network, such as `http://...` or `rtsp://...`."""
    return _URL.match(text) is not None


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
