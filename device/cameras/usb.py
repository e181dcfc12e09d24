"""A USB camera, through Video4Linux."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")

import cv2
import numpy as np

from device.cameras.source import Source
from device.errors import DeviceFailed
from vision.frame import Frame

SIZE_PX = (1280, 720)
"""The mode asked for: dice need pixels; more is slow over USB."""
FPS = 30
_CLOCK_APART_NS = 2_000_000_000
"""A driver's timestamp that is farther than this from our clock uses another one and is not taken."""


class UsbCamera(Source):
    """Camera `/dev/videoN`."""

    live = True

    def __init__(self, number: int) -> None:
        """Open the camera.

        Raises:
            DeviceFailed: when it is missing, in use or gives no picture.
        """
        self.name = f"usb:{number}"
        self.faults: tuple[str, ...] = ()
        device = f"/dev/video{number}"
        if not os.path.exists(device):
            raise DeviceFailed(
                f"there is no camera {self.name} ({device}); plug it in, or try the number of another one"
            )
        self._capture = cv2.VideoCapture(number, cv2.CAP_V4L2)
        if not self._capture.isOpened():
            self._capture.release()
            raise DeviceFailed(
                f"the camera {self.name} cannot be opened; is another program using it, "
                "and is the user in the group video?"
            )
        # MJPG first: most cameras reach full frame rate at this size only when they compress.
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, SIZE_PX[0])
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, SIZE_PX[1])
        self._capture.set(cv2.CAP_PROP_FPS, FPS)
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 2)

    def __iter__(self) -> Iterator[Frame]:
        """Yield frames until the camera fails."""
        index = 0
        last_ns = 0
        while self._capture.isOpened():
            good, image = self._capture.read()
            if not good:
                raise DeviceFailed(f"the camera {self.name} stopped delivering pictures; check its cable")
            now_ns = time.monotonic_ns()
            # The driver stamps the frame on the monotonic clock when the sensor has read it out.
            stamp_ns = round(float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) * 1e6)
            t_ns = stamp_ns if 0 <= now_ns - stamp_ns < _CLOCK_APART_NS else now_ns
            last_ns = max(t_ns, last_ns + 1)
            yield Frame(image.astype(np.uint8, copy=False), last_ns, index)
            index += 1

    def close(self) -> None:
        """Close the camera."""
        self._capture.release()
