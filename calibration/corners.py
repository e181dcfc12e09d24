"""A table without a mat: four corners of a rectangle that somebody pointed at, and one known length.

A picture alone has no scale, but it has shape: with the focal length known (or the usual one), the
perspective of a rectangle tells the ratio of its sides (Zhang and He, Whiteboard scanning, 2006).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.errors import NotFound
from calibration.geometry import USUAL_FOCAL, Points, TableGeometry, undistorted
from calibration.markers import as_matrix
from calibration.profile import CameraId, Lens, Matrix, Profile, Zone
from vision.detection import Detection


def rectangle(corners_px: Points, camera: CameraId, lens: Lens | None) -> tuple[Matrix, float]:
    """Return the homography pixel (undistorted) -> unit of the rectangle's width, and height over width.

    `corners_px`: (4, 2), upper left, upper right, lower right, lower left as the picture shows them.

    Raises:
        NotFound: when they are no convex quadrangle in that order, or too small.
    """
    sides = np.roll(corners_px, -1, axis=0) - corners_px
    turns = sides[:, 0] * np.roll(sides[:, 1], -1) - sides[:, 1] * np.roll(sides[:, 0], -1)
    if (turns < 0).all():
        raise NotFound(
            "--corners goes round the wrong way; give upper left, upper right, lower right, lower left"
        )
    if not (turns > 0).all():
        raise NotFound(
            "--corners crosses itself or bends inwards; give upper left, upper right, lower right, "
            "lower left of a rectangle on the table"
        )
    if float(np.linalg.norm(sides, axis=1).min()) < 40:
        raise NotFound("--corners has a side of less than 40 px; give the corners of the whole playing area")
    pixels = undistorted(np.asarray(corners_px, dtype=np.float64), lens)
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
    forward = np.asarray(cv2.getPerspectiveTransform(unit, pixels.astype(np.float32)), dtype=np.float64)
    if lens is not None:
        inner = np.array(lens.matrix, dtype=np.float64)
    else:
        focal = USUAL_FOCAL * max(camera.width_px, camera.height_px)
        inner = np.array(
            [[focal, 0, (camera.width_px - 1) / 2], [0, focal, (camera.height_px - 1) / 2], [0, 0, 1.0]]
        )
    axes = np.linalg.solve(inner, forward)
    ratio = float(np.linalg.norm(axes[:, 1]) / np.linalg.norm(axes[:, 0]))
    back = np.diag([1.0, ratio, 1.0]) @ np.linalg.inv(forward)
    return as_matrix(np.asarray(back / back[2, 2], dtype=np.float64)), ratio


def scaled(matrix: Matrix, mm: float) -> Matrix:
    """The homography with its unit made `mm` long."""
    rows = [tuple(value * mm for value in row) for row in matrix[:2]]
    return (rows[0], rows[1], matrix[2])  # type: ignore[return-value]


def width_from_dice(
    unit: Matrix, ratio: float, dice: Sequence[Detection], profile: Profile
) -> tuple[float, float]:
    """Return the rectangle's width in mm, from dice of known size that lie in it, and its standard error.

    `profile` gives camera, lens and the size of a die.

    Raises:
        NotFound: when no die lies there.
    """
    if not dice:
        raise NotFound(
            "no dice are seen from which the scale could be taken; lay some down, or give --width-mm"
        )
    estimates = []
    for die in dice:
        width = 40 * profile.die_mm
        for _ in range(8):
            corners = ((0.0, 0.0), (width, 0.0), (width, width * ratio), (0.0, width * ratio))
            geometry = TableGeometry(
                replace(
                    profile,
                    table_from_image=scaled(unit, width),
                    zones=(Zone("roll", None, corners),),
                    lanes=(),
                )
            )
            x, y = geometry.to_mm([die.centre_px], height_mm=profile.die_mm / 2)[0]
            # Seen larger than thought: the rectangle is smaller than thought.
            width *= geometry.die_px_at((float(x), float(y))) / die.size_px
        estimates.append(width)
    spread = float(np.std(estimates)) if len(estimates) > 1 else 0.08 * estimates[0]
    return float(np.median(estimates)), spread / math.sqrt(len(estimates))
