"""Draws what a calibration knows into the picture: zones, lanes, markers, dice."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.geometry import TableGeometry
from vision.frame import Image

_COLOURS = {"roll": (40, 180, 40), "tray": (220, 140, 30), "bank": (200, 60, 200)}
_MARKER = (30, 30, 230)


def draw_table(image: Image, geometry: TableGeometry) -> Image:
    """Return a copy of the (H, W, 3) uint8 BGR picture with zones, their names and markers drawn in."""
    out = image.copy()
    thick = max(1, round(image.shape[1] / 640))
    for zone in geometry.profile.zones:
        outline = np.rint(geometry.outline_px(zone) * 16).astype(np.int32)
        colour = _COLOURS[zone.kind]
        cv2.polylines(out, [outline], True, colour, thick, cv2.LINE_AA, shift=4)
        words = zone.kind if zone.lane is None else f"{zone.lane}: {zone.kind}"
        x, y = geometry.to_px([np.mean(zone.polygon_mm, axis=0)])[0]
        size = image.shape[1] / 1600
        (width, height), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
        at = (round(x - width / 2), round(y + height / 2))
        cv2.putText(out, words, at, cv2.FONT_HERSHEY_SIMPLEX, size, (255, 255, 255), 3 * thick, cv2.LINE_AA)
        cv2.putText(out, words, at, cv2.FONT_HERSHEY_SIMPLEX, size, colour, thick, cv2.LINE_AA)
    markers = geometry.profile.markers
    for _, corners in () if markers is None else markers.corners_mm:
        outline = np.rint(geometry.to_px(np.array(corners)) * 16).astype(np.int32)
        cv2.polylines(out, [outline], True, _MARKER, thick, cv2.LINE_AA, shift=4)
    return out
