"""From pixels to millimetres and back, for one profile.

Pixels are those of the camera's picture as it comes, (0, 0) the middle of the upper left pixel. With a lens
in the profile, points are freed of its distortion here, once; pictures are never warped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.polygon import PointMm, area_mm2, centre, holds
from calibration.profile import Lens, Matrix, Profile, Zone, realigned

Points = NDArray[np.float64]
"""(N, 2) or (N, 3) float64."""

USUAL_FOCAL = 0.8
"""Focal length over picture width of a usual camera (64° wide), where nothing better is known."""

_UNDISTORT_STEPS = 30
_YAWS = np.arange(0.0, 90.0, 7.5)


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Where the camera is. Frame: the table's x and y in mm, z up from the table."""

    focal_px: float
    """Focal length in pixels; one of a lens or estimated from the perspective, else the usual one."""
    position_mm: Points
    """(3,) place of the camera."""
    camera_from_table: NDArray[np.float64]
    """(3, 3): turns a direction of the table frame into camera axes (x right, y down, z ahead)."""
    centre_px: tuple[float, float]
    """Principal point."""

    @property
    def tilt_rad(self) -> float:
        """Angle between the optical axis and the table's normal; 0: straight down."""
        return math.acos(min(1.0, max(-1.0, -float(self.camera_from_table[2, 2]))))

    @property
    def height_mm(self) -> float:
        """Height of the camera above the table."""
        return float(self.position_mm[2])

    def project(self, points_mm: ArrayLike) -> Points:
        """Return the undistorted pixels (N, 2) of points (N, 3) of the table frame."""
        seen = (np.asarray(points_mm, dtype=np.float64) - self.position_mm) @ self.camera_from_table.T
        return np.asarray(seen[:, :2] / seen[:, 2:3] * self.focal_px + np.asarray(self.centre_px))


class TableGeometry:
    """The geometry of one profile. Immutable; a moved camera gets a new one (`moved_to`)."""

    def __init__(self, profile: Profile) -> None:
        """Take a profile, which has checked itself."""
        self.profile = profile
        self._table_from_image = np.array(profile.table_from_image, dtype=np.float64)
        self._image_from_table = np.asarray(np.linalg.inv(self._table_from_image), dtype=np.float64)
        # The smallest first: a tray or a bank zone may lie inside the roll zone.
        self._zones = sorted(profile.zones, key=lambda zone: area_mm2(zone.polygon_mm))

    def moved_to(self, table_from_image: Matrix) -> TableGeometry:
        """The same table seen with another homography (`calibration.drift` finds it)."""
        return TableGeometry(realigned(self.profile, table_from_image))

    def to_mm(self, points_px: ArrayLike, *, height_mm: float = 0.0) -> Points:
        """Return where on the table (N, 2) mm the things lie that are seen at pixels (N, 2).

        `height_mm`: their height above the table; half the side of a die for the middle of its box. Without
        it a tilted camera sees dice too far away from itself.
        """
        points = undistorted(_rows(points_px), self.profile.lens)
        table = _mapped(self._table_from_image, points)
        if height_mm == 0.0:
            return table
        eye = self.pose.position_mm
        return np.asarray(table + (eye[:2] - table) * (height_mm / eye[2]))

    def to_px(self, points_mm: ArrayLike) -> Points:
        """Return the pixels (N, 2) of points (N, 2) mm on the table."""
        return distorted(_mapped(self._image_from_table, _rows(points_mm)), self.profile.lens)

    def px_per_mm_at(self, point_px: tuple[float, float]) -> float:
        """The scale at a pixel: the root of the area in pixels of a square millimetre there."""
        x, y = self.to_mm([point_px])[0]
        around = self.to_px([(x - 0.5, y), (x + 0.5, y), (x, y - 0.5), (x, y + 0.5)])
        (ax, ay), (bx, by) = around[1] - around[0], around[3] - around[2]
        return math.sqrt(abs(ax * by - ay * bx))

    @cached_property
    def pose(self) -> Pose:
        """Where the camera is."""
        return pose_of(self._image_from_table, self.profile)

    @cached_property
    def die_px(self) -> float:
        """The side of a die's box in pixels at the middle of the roll zone, averaged over how dice may lie.

        The box is the upright one around the whole die, sides included, as the reader gives it.
        """
        return self.die_px_at(self.middle_mm)

    def die_px_at(self, point_mm: PointMm) -> float:
        """The same for dice at any point of the table."""
        side, sizes = self.profile.die_mm, []
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (0, 2)]) * side / 2
        for yaw in np.radians(_YAWS):
            c, s = math.cos(yaw), math.sin(yaw)
            turned = corners @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
            seen = self.pose.project(turned + np.array([*point_mm, 0.0]))
            width, height = np.ptp(distorted(seen, self.profile.lens), axis=0)
            sizes.append(math.sqrt(width * height))
        return float(np.mean(sizes))

    @cached_property
    def middle_mm(self) -> PointMm:
        """The middle of the roll zones: the centre of gravity of the first, or the mean of several."""
        centres = [centre(zone.polygon_mm) for zone in self.profile.zones if zone.kind == "roll"]
        return (sum(x for x, _ in centres) / len(centres), sum(y for _, y in centres) / len(centres))

    def zone_at(self, point_mm: PointMm) -> Zone | None:
        """The zone that holds a point of the table, the smallest one where several do; None: outside all."""
        point = (float(point_mm[0]), float(point_mm[1]))
        return next((zone for zone in self._zones if holds(zone.polygon_mm, point)), None)

    def outline_px(self, zone: Zone, *, step_mm: float = 20.0) -> Points:
        """Return the outline (N, 2) of a zone in pixels, with points so close that a bent lens shows."""
        corners = np.array(zone.polygon_mm)
        parts = []
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            count = max(1, math.ceil(float(np.linalg.norm(b - a)) / step_mm))
            parts.append(a + (b - a) * (np.arange(count) / count)[:, None])
        return self.to_px(np.concatenate(parts))

    @cached_property
    def region_px(self) -> tuple[int, int, int, int]:
        """(x, y, width, height) of the box around all zones and the dice in them, cut at the picture's edge.

        A zone outside the picture adds nothing; with all of them outside it is the whole picture.
        """
        camera = self.profile.camera
        points = np.concatenate([self.outline_px(zone) for zone in self.profile.zones])
        margin = self.die_px  # a die on the border lies half outside and stands up above the table
        low = np.clip(np.floor(points.min(axis=0) - margin), 0, (camera.width_px, camera.height_px))
        high = np.clip(np.ceil(points.max(axis=0) + margin), 0, (camera.width_px, camera.height_px))
        width, height = (int(v) for v in high - low)
        if width < 1 or height < 1:
            return (0, 0, camera.width_px, camera.height_px)
        return (int(low[0]), int(low[1]), width, height)


def _rows(points: ArrayLike) -> Points:
    """Points as (N, 2) float64; an empty list becomes (0, 2)."""
    return np.asarray(points, dtype=np.float64).reshape(-1, 2)


def _mapped(matrix: NDArray[np.float64], points: Points) -> Points:
    """Apply a homography to (N, 2) points."""
    high = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(high[:, :2] / high[:, 2:3])


def lens_arrays(lens: Lens) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The camera matrix (3, 3) and the distortion (5,) as OpenCV takes them."""
    return np.array(lens.matrix, dtype=np.float64), np.array(lens.distortion, dtype=np.float64)


def undistorted(points_px: Points, lens: Lens | None) -> Points:
    """Pixels (N, 2) of the camera's picture -> pixels of a picture without distortion."""
    if lens is None or not len(points_px):
        return points_px
    matrix, distortion = lens_arrays(lens)
    points = cv2.undistortPoints(points_px.reshape(-1, 1, 2), matrix, distortion, R=np.eye(3), P=matrix)
    found = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    # OpenCV stops after a few steps, 0.01 px off on a wide lens; a few more bring it to the end.
    for _ in range(_UNDISTORT_STEPS):
        error = points_px - distorted(found, lens)
        found = found + error
        if float(np.abs(error).max()) < 1e-9:
            break
    return found


def distorted(points_px: Points, lens: Lens | None) -> Points:
    """Pixels (N, 2) of a picture without distortion -> pixels of the camera's picture."""
    if lens is None or not len(points_px):
        return points_px
    matrix, distortion = lens_arrays(lens)
    rays = np.linalg.solve(matrix, np.column_stack([points_px, np.ones(len(points_px))]).T).T
    out, _ = cv2.projectPoints(rays.reshape(-1, 1, 3), np.zeros(3), np.zeros(3), matrix, distortion)
    return np.asarray(out, dtype=np.float64).reshape(-1, 2)


def pose_of(image_from_table: NDArray[np.float64], profile: Profile) -> Pose:
    """Split the homography table -> picture into lens and pose (Zhang 2000, section 3.1).

    Columns 1 and 2 of inv(K) H are the table's axes as the camera sees them, up to one scale: two equations,
    from which a missing focal length can be found as well when the view is tilted enough to tell.
    """
    camera = profile.camera
    if profile.lens is not None:
        (fx, _, cx), (_, fy, cy), _ = profile.lens.matrix
        focal, middle = (fx, fy), (cx, cy)
    else:
        middle = ((camera.width_px - 1) / 2, (camera.height_px - 1) / 2)
        usual = USUAL_FOCAL * max(camera.width_px, camera.height_px)
        focal = (_focal_from(image_from_table, middle, usual),) * 2
    inner = np.array([[focal[0], 0, middle[0]], [0, focal[1], middle[1]], [0, 0, 1.0]])
    axes = np.linalg.solve(inner, image_from_table)
    axes /= math.sqrt(float(np.linalg.norm(axes[:, 0]) * np.linalg.norm(axes[:, 1])))
    if axes[2, 2] < 0:  # a homography has no sign; the table lies before the camera
        axes = -axes
    x, y = axes[:, 0], axes[:, 1]
    # The nearest rotation; z of the table frame points up, against x × y (y points down the picture).
    u, _, v = np.linalg.svd(np.stack([x, y, np.cross(x, y)], axis=1))
    turned = u @ v
    position = -turned.T @ axes[:, 2]
    flip = np.diag([1.0, 1.0, -1.0])
    return Pose(float(np.mean(focal)), flip @ position, turned @ flip, middle)


def _focal_from(image_from_table: NDArray[np.float64], middle: tuple[float, float], usual: float) -> float:
    """The focal length in pixels that makes the table's axes perpendicular and equally long, or `usual`.

    Seen straight from above every focal length does; then, and when the answer is absurd, it is `usual`.
    """
    h = np.array([[1, 0, -middle[0]], [0, 1, -middle[1]], [0, 0, 1.0]]) @ image_from_table
    h = h / np.linalg.norm(h[:, :2])
    a, b = h[:, 0], h[:, 1]
    # (a0 b0 + a1 b1) / f² + a2 b2 = 0 and (a0² + a1² - b0² - b1²) / f² + a2² - b2² = 0:
    # least squares in 1/f².
    left = np.array([a[0] * b[0] + a[1] * b[1], (a[0] ** 2 + a[1] ** 2 - b[0] ** 2 - b[1] ** 2) / 2])
    right = -np.array([a[2] * b[2], (a[2] ** 2 - b[2] ** 2) / 2])
    if float(np.linalg.norm(right)) * usual**2 < 0.02 * float(a[:2] @ a[:2] + b[:2] @ b[:2]) / 2:
        return usual  # the view is too straight to tell
    inverse = float(left @ right) / float(left @ left)
    if inverse <= 0:
        return usual
    focal = 1 / math.sqrt(inverse)
    return focal if 0.4 * usual <= focal <= 4 * usual else usual
