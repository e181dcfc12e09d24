"""Polygons on the table: area, crossing, inside. Corners in mm, in order, the last joined to the first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.errors import BadProfile

PointMm = tuple[float, float]
"""(x, y) in mm on the table."""

LEAST_AREA_MM2 = 100.0
"""A zone in which not even a small die fits is a mistake."""


def check_polygon(corners: Sequence[PointMm], what: str) -> None:
    """Raise BadProfile unless `corners` are a polygon that encloses something and does not cross itself.

    `what` names it in the message.
    """
    if len(corners) < 3:
        raise BadProfile(f"{what} has {len(corners)} corners; a zone needs at least 3")
    if not all(math.isfinite(value) for corner in corners for value in corner):
        raise BadProfile(f"{what} has a corner that is no number; give each as [x, y] in mm")
    if (pair := crossing(corners)) is not None:
        raise BadProfile(
            f"{what} crosses itself: its sides {pair[0] + 1} and {pair[1] + 1} meet; "
            "give the corners in the order in which one walks around the zone"
        )
    if area_mm2(corners) < LEAST_AREA_MM2:
        raise BadProfile(
            f"{what} encloses {area_mm2(corners):.0f} mm², too small for a die; give its corners in mm"
        )


def area_mm2(corners: Sequence[PointMm]) -> float:
    """The area enclosed, in mm² (shoelace formula)."""
    pairs = zip(corners, (*corners[1:], corners[0]), strict=True)
    return abs(sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairs)) / 2


def centre(corners: Sequence[PointMm]) -> PointMm:
    """The centre of gravity of a polygon that does not cross itself; of its corners when it has no area."""
    twice = x = y = 0.0
    for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True):
        cross = ax * by - bx * ay
        twice += cross
        x += (ax + bx) * cross
        y += (ay + by) * cross
    if abs(twice) < 1e-9:
        return (sum(c[0] for c in corners) / len(corners), sum(c[1] for c in corners) / len(corners))
    return x / (3 * twice), y / (3 * twice)


def holds(corners: Sequence[PointMm], point: PointMm) -> bool:
    """Whether `point` lies inside (even-odd rule; points on the border may count either way)."""
    px, py = point
    inside = False
    for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if (ay > py) != (by > py) and px < ax + (py - ay) * (bx - ax) / (by - ay):
            inside = not inside
    return inside


def crossing(corners: Sequence[PointMm]) -> tuple[int, int] | None:
    """The first two sides, by index, that touch although they are no neighbours; None when there are none.

    Side i goes from corner i to the next one. Neighbours that lie back upon each other count too.
    """
    count = len(corners)
    sides = [(corners[i], corners[(i + 1) % count]) for i in range(count)]
    for i in range(count):
        for j in range(i + 1, count):
            if j == i + 1 or (i == 0 and j == count - 1):
                near, shared, far = (
                    (sides[i][0], sides[i][1], sides[j][1])
                    if j == i + 1
                    else (sides[j][0], sides[j][1], sides[i][1])
                )
                if _folds(near, shared, far):
                    return i, j
            elif _meet(sides[i], sides[j]):
                return i, j
    return None


def _turn(a: PointMm, b: PointMm, c: PointMm) -> float:
    """Twice the signed area of the triangle a, b, c."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _between(a: PointMm, b: PointMm, point: PointMm) -> bool:
    return min(a[0], b[0]) <= point[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= point[1] <= max(a[1], b[1])


def _meet(first: tuple[PointMm, PointMm], second: tuple[PointMm, PointMm]) -> bool:
    """Whether two closed segments have a point in common."""
    (a, b), (c, d) = first, second
    turns = (_turn(a, b, c), _turn(a, b, d), _turn(c, d, a), _turn(c, d, b))
    if turns[0] * turns[1] < 0 and turns[2] * turns[3] < 0:
        return True
    return (
        (turns[0] == 0 and _between(a, b, c))
        or (turns[1] == 0 and _between(a, b, d))
        or (turns[2] == 0 and _between(c, d, a))
        or (turns[3] == 0 and _between(c, d, b))
    )


def _folds(a: PointMm, b: PointMm, c: PointMm) -> bool:
    """Whether the side from b to c runs back along the one from a to b."""
    if b in (a, c):
        return True
    back = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0
    return back and abs(_turn(a, b, c)) < 1e-9 * math.dist(a, b) * math.dist(b, c)
