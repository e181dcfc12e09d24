"""The Raspberry Pi's own camera, through Picamera2."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from device.cameras.source import Source
from device.errors import DeviceFailed
from vision.frame import Frame

SIZE_PX = (1280, 960)
"""The mode asked for: the whole field of a 4:3 sensor with enough pixels for dice 60 cm away."""
FRAME_US = 33_333
"""Microseconds a frame: 30 a second."""
_INSTALL = "on a Raspberry Pi: sudo apt install python3-picamera2, in a venv made with --system-site-packages"


class PiCamera(Source):
    """The first camera that libcamera knows."""

    name = "picamera"
    live = True

    def __init__(self) -> None:
        """Open and start the camera.

        Raises:
            DeviceFailed: when Picamera2 or the camera is missing or does not start.
        """
        self.faults: tuple[str, ...] = ()
        self._camera: Any = None
        try:
            # Never a dependency of ours: a copy from pip does not match the system's libcamera.
            driver: Any = import_module("picamera2")
        except ImportError as error:
            raise DeviceFailed(
                f"picamera needs Picamera2, which cannot be loaded ({error}); {_INSTALL}"
            ) from error
        try:
            self._camera = driver.Picamera2()
            self._camera.configure(
                self._camera.create_video_configuration(
                    # Named RGB888, it lies as blue, green, red in memory.
                    main={"size": SIZE_PX, "format": "RGB888"},
                    controls={"FrameDurationLimits": (FRAME_US, FRAME_US)},
                    buffer_count=4,
                    queue=False,
                )
            )
            self._camera.start()
        except Exception as error:  # Picamera2 raises RuntimeError, IndexError and errors of libcamera
            self.close()
            raise DeviceFailed(
                f"the Pi camera does not start ({error}); check its cable with: rpicam-hello --list-cameras"
            ) from error

    def __iter__(self) -> Iterator[Frame]:
        """Yield frames with the sensor's own timestamps."""
        index = 0
        while self._camera is not None:
            try:
                with self._camera.captured_request() as request:
                    image = np.array(request.make_array("main"), dtype=np.uint8, copy=True)
                    t_ns = int(request.get_metadata()["SensorTimestamp"])
            except Exception as error:
                if self._camera is None:
                    return
                raise DeviceFailed(f"the Pi camera stopped ({error}); check the ribbon cable") from error
            yield Frame(image[:, :, :3], t_ns, index)
            index += 1

    def close(self) -> None:
        """Stop and close the camera."""
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()
