"""Plots of what was measured, drawn without a plotting library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from vision.frame import Image

WIDTH_PX, HEIGHT_PX, EDGE_PX = 900, 600, 70
MOST_RISK = 0.05
"""Share of wrong dice at the top of the plot."""
COLOURS = (
    (200, 90, 0),
    (0, 110, 230),
    (90, 160, 0),
    (160, 60, 160),
    (0, 0, 0),
    (150, 150, 0),
    (60, 60, 220),
    (120, 120, 120),
    (0, 170, 190),
)
"""BGR, one a curve, then again from the start."""

Curve = Sequence[tuple[float, float, float]]
"""Rows of (threshold, share of dice kept, share wrong among them), from strictest to laxest."""


def draw_risk(curves: Mapping[str, Curve]) -> Image:
    """Draw the share of wrong dice (0..5 %) over the share of dice kept (0..100 %), one line a rig.

    Returns a (600, 900, 3) uint8 BGR picture.
    """
    picture = np.full((HEIGHT_PX, WIDTH_PX, 3), 255, np.uint8)
    for step in range(6):
        _, y = _place(0.0, step / 5 * MOST_RISK)
        cv2.line(picture, (EDGE_PX, y), (WIDTH_PX - 20, y), (225, 225, 225), 1)
        _write(picture, f"{step}%", (20, y + 5), (60, 60, 60))
        x, _ = _place(step / 5, 0.0)
        _write(picture, f"{20 * step}%", (x - 15, HEIGHT_PX - 45), (60, 60, 60))
    for number, (name, rows) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = [_place(cover, min(risk, MOST_RISK)) for _, cover, risk in rows]
        if points:
            cv2.polylines(picture, [np.array(points, np.int32)], False, colour, 2, cv2.LINE_AA)
        _write(picture, name, (EDGE_PX + 10, 25 + 20 * number), colour)
    caption = "share of dice kept (most confident first); wrong among them"
    _write(picture, caption, (EDGE_PX, HEIGHT_PX - 15), (0, 0, 0))
    return picture


def _place(cover: float, risk: float) -> tuple[int, int]:
    x = EDGE_PX + cover * (WIDTH_PX - EDGE_PX - 20)
    y = HEIGHT_PX - EDGE_PX - risk / MOST_RISK * (HEIGHT_PX - 2 * EDGE_PX)
    return int(x), int(y)


def _write(picture: Image, text: str, at: tuple[int, int], colour: tuple[int, int, int]) -> None:
    cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, 1, cv2.LINE_AA)
