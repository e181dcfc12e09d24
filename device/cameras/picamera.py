"""The Raspberry Pi's own camera, through Picamera2.

The camera finds exposure, gain, white balance and focus by itself for a moment; then all of it is locked, and
read back from the metadata of the frames: a die must not change its colour because somebody leans over the
table. libcamera 0.5 and later split `AeEnable` in two; which of both ways a camera follows is seen from the
metadata, not from version numbers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
FLICKER_US = 10_000
"""Period of lamps on 50 Hz mains: exposures of whole periods show no stripes."""
_WARM_UP_FRAMES = 90
"""Auto exposure that has not settled after so many frames (3 s) never does: what it has then is locked."""
_STEADY_FRAMES = 8
_STEADY = 0.03
"""Exposure and colour that change by less than this share for `_STEADY_FRAMES` have settled."""
_HELD_WITHIN = 0.15
"""A locked value may differ by this share: sensors have steps."""
_FRAMES_TO_HOLD = 12
"""Frames until a control that was set is seen in the metadata."""
_REQUEST_S = 4.0
"""A camera that gives no frame for so long has stalled."""
_INSTALL = "on a Raspberry Pi: sudo apt install python3-picamera2, in a venv made with --system-site-packages"
_log = logging.getLogger("croupier.camera")


@dataclass(frozen=True, slots=True)
class Locked:
    """What the camera was locked at, as read back from the metadata."""

    exposure_us: int
    """Exposure of a frame."""
    gain: float
    """Analogue gain."""
    colour_gains: tuple[float, float]
    """White balance: gains of red and blue."""
    lens: float | None
    """Lens position in dioptres, or None: no lens that moves."""
    held: bool
    """Whether the camera keeps to it."""


class PiCamera(Source):
    """The first camera that libcamera knows."""

    name = "picamera"
    live = True

    def __init__(
        self,
        *,
        size_px: tuple[int, int] = SIZE_PX,
        crop: tuple[float, float, float, float] | None = None,
        lock: bool = True,
        make_camera: Callable[[], Any] | None = None,
    ) -> None:
        """Open and start the camera; `lock` exposure, gain, white balance and focus once they have settled.

        `crop` is the part of the sensor to use as x, y, width, height in shares of it (0..1): the table.
        `make_camera` takes the place of `picamera2.Picamera2`.

        Raises:
            DeviceFailed: when Picamera2 or the camera is missing or does not start.
        """
        self.faults: tuple[str, ...] = ()
        self.locked: Locked | None = None
        """What exposure, colour and focus were locked at; None where nothing was locked."""
        self._camera: Any = None
        try:
            # Never a dependency of ours: a copy from pip does not match the system's libcamera.
            make = make_camera or import_module("picamera2").Picamera2
        except ImportError as error:
            raise DeviceFailed(
                f"picamera needs Picamera2, which cannot be loaded ({error}); {_INSTALL}"
            ) from error
        try:
            self._camera = make()
            self._configure(size_px, crop)
            self._camera.start()
            if lock:
                self._lock_all()
        except DeviceFailed:
            self.close()
            raise
        except Exception as error:  # Picamera2 raises RuntimeError, IndexError and errors of libcamera
            self.close()
            raise DeviceFailed(
                f"the Pi camera does not start ({error}); check its cable with: rpicam-hello --list-cameras"
            ) from error

    def __iter__(self) -> Iterator[Frame]:
        """Yield frames with the sensor's own timestamps.

        Raises:
            DeviceFailed: no frame came for four seconds, or the camera failed.
        """
        index = 0
        while self._camera is not None:
            taken = self._take()
            if taken is None:
                return
            image, metadata = taken
            yield Frame(image[:, :, :3], int(metadata["SensorTimestamp"]), index)
            index += 1

    def close(self) -> None:
        """Stop and close the camera."""
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()

    def _configure(self, size_px: tuple[int, int], crop: tuple[float, float, float, float] | None) -> None:
        camera = self._camera
        controls = {"FrameDurationLimits": (FRAME_US, FRAME_US)}
        camera.configure(
            camera.create_video_configuration(
                # Named RGB888, it lies as blue, green, red in memory.
                main={"size": size_px, "format": "RGB888"},
                controls=controls,
                buffer_count=4,
                queue=False,
            )
        )
        known = camera.camera_controls
        # Of `AeFlickerMode`, 1 is "manual": the period is given and not looked for.
        wanted: dict[str, Any] = {"AeFlickerMode": 1, "AeFlickerPeriod": FLICKER_US}
        if "AfMode" in known:
            wanted |= {"AfMode": 1, "AfTrigger": 0}  # 1: auto, once; 0: start
        if crop is not None and "ScalerCrop" in known:
            wanted["ScalerCrop"] = _crop_px(crop, known["ScalerCrop"][1])
        camera.set_controls({name: value for name, value in wanted.items() if name in known})

    def _take(self, *, image: bool = True) -> tuple[Any, Mapping[str, Any]] | None:
        """Return picture and metadata of the next frame; None when the camera was closed meanwhile."""
        camera = self._camera
        if camera is None:
            return None
        try:
            request = camera.wait(camera.capture_request(wait=False), timeout=_REQUEST_S)
            try:
                metadata = dict(request.get_metadata())
                # Copied: the buffer goes back to the camera, which has only four.
                made = np.array(request.make_array("main"), dtype=np.uint8, copy=True) if image else None
            finally:
                request.release()
        except Exception as error:
            if self._camera is None:
                return None
            if isinstance(error, TimeoutError):
                raise DeviceFailed(
                    f"the Pi camera has delivered no picture for {_REQUEST_S:g} s; check the ribbon cable"
                ) from error
            raise DeviceFailed(f"the Pi camera stopped ({error}); check the ribbon cable") from error
        return made, metadata

    def _lock_all(self) -> None:
        """Wait until exposure and colour have settled, lock them, and see that they hold."""
        settled = self._settled()
        if settled is None or self._camera is None:
            return
        values = {
            "ExposureTime": int(settled.get("ExposureTime", FLICKER_US)),
            "AnalogueGain": float(settled.get("AnalogueGain", 1.0)),
            "ColourGains": tuple(map(float, settled.get("ColourGains", (1.0, 1.0)))),
        }
        if "LensPosition" in settled and "LensPosition" in self._camera.camera_controls:
            values |= {"AfMode": 0, "LensPosition": float(settled["LensPosition"])}  # 0: manual
        known = self._camera.camera_controls
        ways = ({"AeEnable": False, "AwbEnable": False}, {"ExposureTimeMode": 1, "AnalogueGainMode": 1})
        held = False
        last: Mapping[str, Any] = settled
        for way in ways:  # of both modes, 1 is "manual"
            controls = {name: value for name, value in (way | values).items() if name in known}
            try:
                self._camera.set_controls(controls)
            except Exception as error:  # a libcamera that has left the older name out
                _log.info("the camera refuses %s: %s", ", ".join(way), error)
                continue
            held, last = self._holds(values)
            if held:
                break
        gains = last.get("ColourGains", (1.0, 1.0))
        self.locked = Locked(
            int(last.get("ExposureTime", 0)),
            float(last.get("AnalogueGain", 0.0)),
            (float(gains[0]), float(gains[1])),
            float(last["LensPosition"]) if "LensPosition" in last else None,
            held,
        )
        if held:
            _log.info("locked at %s", self.locked)
        else:
            _log.warning("the camera does not keep its exposure: colours may drift (%s)", self.locked)

    def _settled(self) -> Mapping[str, Any] | None:
        """Return the metadata of the frame at which exposure and colour had settled."""
        steady, before, metadata = 0, None, None
        for _ in range(_WARM_UP_FRAMES):
            taken = self._take(image=False)
            if taken is None:
                return None
            metadata = taken[1]
            if before is not None and _near(metadata, before, _STEADY):
                steady += 1
                if steady >= _STEADY_FRAMES:
                    return metadata
            else:
                steady = 0
            before = metadata
        _log.warning("the exposure has not settled within %d frames; it is locked as it is", _WARM_UP_FRAMES)
        return metadata

    def _holds(self, values: Mapping[str, Any]) -> tuple[bool, Mapping[str, Any]]:
        """Whether the metadata come to show the values that were set; and the last metadata."""
        metadata: Mapping[str, Any] = {}
        for _ in range(_FRAMES_TO_HOLD):
            taken = self._take(image=False)
            if taken is None:
                return False, metadata
            metadata = taken[1]
            if _near(metadata, values, _HELD_WITHIN):
                return True, metadata
        return False, metadata


def _near(metadata: Mapping[str, Any], wanted: Mapping[str, Any], share: float) -> bool:
    """Whether exposure, gain and colour of a frame are within `share` of those wanted."""
    pairs = []
    for name in ("ExposureTime", "AnalogueGain"):
        if name in metadata and name in wanted:
            pairs.append((float(metadata[name]), float(wanted[name])))
    if "ColourGains" in metadata and "ColourGains" in wanted:
        pairs += zip(map(float, metadata["ColourGains"]), map(float, wanted["ColourGains"]), strict=True)
    return bool(pairs) and all(abs(one - other) <= share * max(abs(other), 1e-6) for one, other in pairs)


def _crop_px(
    crop: tuple[float, float, float, float], whole: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    """Return a part of the sensor in its own pixels."""
    left, top, width, height = whole
    x, y, w, h = crop
    return left + round(x * width), top + round(y * height), round(w * width), round(h * height)
