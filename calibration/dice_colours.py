"""The colour of a player's dice, learned from one glance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from calibration.geometry import TableGeometry
from calibration.profile import Lane
from vision.detection import Detection
from vision.frame import Image

Lab = tuple[float, float, float]
"""CIE L*, a*, b*."""

SAME = 18.0
"""Two dice of one set differ by less than this (CIE 1976), light and shade on the table included."""


def die_colour(image: Image, box_px: tuple[float, float, float, float]) -> Lab | None:
    """The colour of a die's body: the commonest in the middle of its box; None without pixels."""
    x, y, width, height = box_px
    left, right = round(x + 0.28 * width), round(x + 0.72 * width)
    top, low = round(y + 0.28 * height), round(y + 0.72 * height)
    part = image[max(0, top) : max(0, low), max(0, left) : max(0, right)]
    if part.shape[0] < 3 or part.shape[1] < 3:
        return None
    lab = cv2.cvtColor(part.astype(np.float32) / 255, cv2.COLOR_BGR2LAB).reshape(-1, 3)
    light = lab[:, 0]
    # Body and pips differ in lightness: split there (Otsu) and take the larger part.
    grey = np.clip(light * 2.55, 0, 255).astype(np.uint8)
    level, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    bright = grey > level
    body = lab[bright] if 2 * int(bright.sum()) >= len(lab) else lab[~bright]
    middle = np.median(body if len(body) else lab, axis=0)
    return round(float(middle[0]), 1), round(float(middle[1]), 1), round(float(middle[2]), 1)


def distance(one: Lab, other: Lab) -> float:
    """CIE 1976 difference with lightness at half weight: shade changes it first."""
    return math.sqrt(((one[0] - other[0]) / 2) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2)


def learn_colours(image: Image, dice: Sequence[Detection], geometry: TableGeometry) -> tuple[Lane, ...]:
    """The lanes with the colour of the dice that lie in them; a lane without dice keeps what it had."""
    found: dict[str, list[Lab]] = {}
    for die in dice:
        x, y = geometry.to_mm([die.centre_px], height_mm=geometry.profile.die_mm / 2)[0]
        zone = geometry.zone_at((float(x), float(y)))
        colour = die_colour(image, die.box_px)
        if zone is not None and zone.lane is not None and colour is not None:
            found.setdefault(zone.lane, []).append(colour)
    lanes = []
    for lane in geometry.profile.lanes:
        colour = lane.colour
        if lane.name in found:
            middle = np.median(np.array(found[lane.name]), axis=0)
            colour = (round(float(middle[0]), 1), round(float(middle[1]), 1), round(float(middle[2]), 1))
        lanes.append(Lane(lane.name, colour))
    return tuple(lanes)


def owner(colour: Lab, lanes: Sequence[Lane]) -> Lane | None:
    """The lane whose dice have this colour; None when none has, or two have nearly the same."""
    ranked = sorted(
        ((distance(colour, lane.colour), i) for i, lane in enumerate(lanes) if lane.colour is not None)
    )
    if not ranked or ranked[0][0] > SAME:
        return None
    if len(ranked) > 1 and ranked[1][0] < 1.5 * ranked[0][0] + 3:
        return None
    return lanes[ranked[0][1]]


_HUES = (
    (50.0, "red"),
    (78.0, "orange"),
    (112.0, "yellow"),
    (195.0, "green"),
    (235.0, "turquoise"),
    (312.0, "blue"),
    (345.0, "purple"),
    (360.0, "red"),
)
"""Hue angles of CIE L*a*b* in degrees up to which a word is used."""


def colour_name(colour: Lab) -> str:
    """A word for the colour of a die.

    >>> colour_name((53.2, 80.1, 67.2)), colour_name((85.0, 2.0, 17.0)), colour_name((15.0, 0.0, 0.0))
    ('red', 'ivory', 'black')
    """
    light, a, b = colour
    chroma, hue = math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360
    if chroma < 12:
        return "black" if light < 28 else "grey" if light < 68 else "white"
    if light > 62 and chroma < 30 and 60 < hue < 112:
        return "ivory"
    name = next(word for limit, word in _HUES if hue <= limit)
    if name == "orange" and light < 50:
        return "brown"
    return "pink" if name in ("red", "purple") and light > 62 and chroma < 50 else name
