"""Cameras and profiles for the tests: a pinhole above a table, with or without a bent lens."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.geometry import distorted
from calibration.profile import CameraId, Lane, Lens, Matrix, Profile, Zone

Array = NDArray[np.float64]
SHEET = ((0.0, 0.0), (420.0, 0.0), (420.0, 297.0), (0.0, 297.0))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera that looks at the middle of a table of 420 x 297 mm; x right, y down, mm."""

    width_px: int = 1280
    height_px: int = 720
    focal_px: float = 1000.0
    distance_mm: float = 600.0
    tilt_deg: float = 0.0
    azimuth_deg: float = 0.0
    roll_deg: float = 0.0
    middle_mm: tuple[float, float] = (210.0, 148.5)
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)

    @property
    def lens(self) -> Lens:
        cx, cy = (self.width_px - 1) / 2, (self.height_px - 1) / 2
        return Lens(((self.focal_px, 0, cx), (0, self.focal_px, cy), (0, 0, 1)), self.distortion)

    @property
    def image_from_table(self) -> Array:
        """(3, 3): mm -> undistorted pixels. The camera is moved back along its axis after it was turned."""
        roll, tilt, azimuth = (math.radians(v) for v in (self.roll_deg, self.tilt_deg, self.azimuth_deg))
        turn = _about(2, roll) @ _about(2, -azimuth) @ _about(0, tilt) @ _about(2, azimuth)
        shift = np.array([[1, 0, -self.middle_mm[0]], [0, 1, -self.middle_mm[1]], [0, 0, 1.0]])
        plane = np.column_stack([turn[:, 0], turn[:, 1], [0, 0, self.distance_mm]])
        return np.asarray(np.array(self.lens.matrix) @ plane @ shift, dtype=np.float64)

    @property
    def table_from_image(self) -> Matrix:
        return as_matrix(np.asarray(np.linalg.inv(self.image_from_table), dtype=np.float64))

    def pixels(self, points_mm: Array) -> Array:
        """(N, 2) mm -> (N, 2) pixels of the picture, through the bent lens."""
        high = np.column_stack([points_mm, np.ones(len(points_mm))]) @ self.image_from_table.T
        return distorted(high[:, :2] / high[:, 2:], self.lens)


def _about(axis: int, angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    a, b = [(1, 2), (2, 0), (0, 1)][axis]
    out = np.eye(3)
    out[a, a] = out[b, b] = c
    out[a, b], out[b, a] = -s, s
    return out


def as_matrix(array: Array) -> Matrix:
    rows = [(float(a), float(b), float(c)) for a, b, c in array / array[2, 2]]
    return rows[0], rows[1], rows[2]


def profile_seen(view: View, *, lens: bool = True, zones: tuple[Zone, ...] = ()) -> Profile:
    return Profile(
        name="kitchen",
        camera=CameraId("usb:0", view.width_px, view.height_px),
        table_from_image=view.table_from_image,
        zones=zones or (Zone("roll", None, SHEET),),
        lanes=tuple(Lane(name) for name in sorted({zone.lane for zone in zones if zone.lane is not None})),
        lens=view.lens if lens else None,
    )
