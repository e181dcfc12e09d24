"""Cameras in the network: MJPEG over HTTP (old phones as cameras, ESP32, OctoPrint), and RTSP."""

from __future__ import annotations

import http.client
import os
import time
from collections.abc import Iterator
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import HTTPBasicAuthHandler as Basic
from urllib.request import HTTPDigestAuthHandler as Digest
from urllib.request import HTTPPasswordMgrWithDefaultRealm, build_opener

import numpy as np

from device.cameras.mjpeg import MjpegStream
from device.cameras.source import Source
from device.errors import BadInput, DeviceFailed
from vision.frame import Frame

TIMEOUT_S = 4.0
"""A camera in the network that sends nothing for so long has stalled."""
_SCHEMES = ("http", "https", "rtsp", "rtsps")


def without_password(url: str) -> str:
    """Return an address as it may be shown and stored.

    >>> without_password("rtsp://me:secret@camera.local/1")
    'rtsp://camera.local/1'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def open_url(url: str) -> Source:
    """Open a camera by its address.

    Raises:
        BadInput: an address of another kind.
        DeviceFailed: nobody answers there, or not with pictures.
    """
    try:
        scheme = urlsplit(url).scheme.lower()
    except ValueError as error:
        raise BadInput(
            f"{url[:40]!r} is no address ({error}); wanted something like http://phone/video"
        ) from error
    if scheme not in _SCHEMES:
        raise BadInput(f"{without_password(url)} is no camera; wanted {', '.join(_SCHEMES[:3])}://...")
    return HttpCamera(url) if scheme.startswith("http") else RtspCamera(url)


class HttpCamera(Source):
    """JPEG pictures one after the other in the answer to one request (`multipart/x-mixed-replace`)."""

    live = True

    def __init__(self, url: str) -> None:
        """Ask for the stream.

        Raises:
            DeviceFailed: nobody answers, or not with pictures.
        """
        self.name = without_password(url)
        parts = urlsplit(url)
        passwords = HTTPPasswordMgrWithDefaultRealm()
        if parts.username:
            passwords.add_password(None, self.name, parts.username, parts.password or "")
        try:
            self._answer = build_opener(Basic(passwords), Digest(passwords)).open(
                self.name, timeout=TIMEOUT_S
            )
        except HTTPError as error:
            advice = (
                "put name and password into the address: http://NAME:PASSWORD@..."
                if error.code in (401, 403)
                else "open the address in a browser: does it show moving pictures?"
            )
            error.close()
            raise DeviceFailed(
                f"the camera {self.name} answers {error.code} ({error.reason}); {advice}"
            ) from error
        except (URLError, OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise DeviceFailed(
                f"the camera {self.name} does not answer ({reason}); is it switched on, the address right?"
            ) from error
        kind = self._answer.headers.get_content_type()
        if not kind.startswith(
            ("multipart/", "image/jpeg", "application/octet-stream", "video/x-motion-jpeg")
        ):
            self._answer.close()
            raise DeviceFailed(
                f"{self.name} sends {kind} and no pictures; give the address of the video stream itself"
            )
        self._stream = MjpegStream(self._answer, clock_ns=time.monotonic_ns)

    @property
    def faults(self) -> tuple[str, ...]:  # type: ignore[override]  # read-only here
        """What was wrong with the stream."""
        return self._stream.faults

    def __iter__(self) -> Iterator[Frame]:
        """Yield frames as they arrive.

        Raises:
            DeviceFailed: the camera has stopped sending.
        """
        try:
            yield from self._stream
        except (OSError, http.client.HTTPException, BadInput, ValueError) as error:
            raise DeviceFailed(f"the camera {self.name} has stopped sending ({error})") from error
        raise DeviceFailed(f"the camera {self.name} has ended its stream")

    def close(self) -> None:
        """End the request."""
        self._stream.close()
        self._answer.close()


class RtspCamera(Source):
    """A surveillance camera, through FFmpeg."""

    live = True

    def __init__(self, url: str) -> None:
        """Open the stream.

        Raises:
            DeviceFailed: nobody answers there.
        """
        # Over TCP: with UDP a lost packet becomes a smear of half a picture, and a smear has pips.
        os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", "rtsp_transport;tcp")
        os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
        os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
        import cv2

        self.name = without_password(url)
        self.faults: tuple[str, ...] = ()
        timeout_ms = round(TIMEOUT_S * 1000)
        self._capture = cv2.VideoCapture(
            url,
            cv2.CAP_FFMPEG,
            [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, timeout_ms, cv2.CAP_PROP_READ_TIMEOUT_MSEC, timeout_ms],
        )
        if not self._capture.isOpened():
            self._capture.release()
            raise DeviceFailed(
                f"the camera {self.name} does not answer; is it switched on, are address, name and "
                "password right?"
            )

    def __iter__(self) -> Iterator[Frame]:
        """Yield frames as they arrive.

        Raises:
            DeviceFailed: the camera has stopped sending.
        """
        index = 0
        last_ns = 0
        while self._capture.isOpened():
            good, image = self._capture.read()
            if not good:
                raise DeviceFailed(f"the camera {self.name} has stopped sending")
            last_ns = max(time.monotonic_ns(), last_ns + 1)
            yield Frame(image.astype(np.uint8, copy=False), last_ns, index)
            index += 1

    def close(self) -> None:
        """End the stream."""
        self._capture.release()
