"""Where everything is on a mat, in mm from its upper left corner, x to the right, y down.

A strip at each short side holds the corner markers; between them lie, at the left, the ruler, and at the
right the shared tray and the bank zone. The rest is one roll zone, or the lanes in one or two rows, whose
players sit at the long sides, first the lower row from left to right, then the upper one from right to left.
An upright mat is a lying one with x and y exchanged.

The layout of a standard mat follows from the numbers of its markers alone: what this module gives for a
`MatKind` must never change, or mats that were printed before would be misread (a test holds it fast).
"""

from __future__ import annotations

from dataclasses import dataclass

from calibration.errors import BadMat
from calibration.matcode import DICTIONARY, MOST_LANES, MatKind, marker_ids
from calibration.polygon import PointMm
from calibration.profile import Lane, Markers, Zone, ZoneKind

EDGE_MM = 8.0
"""Free border: most printers cannot print the last 4 to 6 mm of a sheet."""
GAP_MM = 5.0
"""Between neighbouring zones."""
LEAST_MARKER_MM = 24.0
"""Side of the markers of small mats."""
MARKER_SHARE = 1 / 16
"""Side of the markers of large mats, as a share of the longer side."""
LEAST_ZONE_MM = 45.0
"""A roll zone narrower than this is no use."""
LEAST_SIDE_MM, MOST_SIDE_MM = 140.0, 2000.0
RULER_MM = 100.0
"""Length of the printed ruler."""

Rect = tuple[float, float, float, float]
"""x, y, width, height in mm."""
Placed = tuple[ZoneKind, str | None, Rect]
"""A zone that is a rectangle: kind, lane, place."""


@dataclass(frozen=True, slots=True)
class MatLayout:
    """A mat, ready to be drawn or looked for."""

    width_mm: float
    """Width of the sheet."""
    height_mm: float
    """Height of the sheet."""
    zones: tuple[Zone, ...]
    """Roll zones, trays, bank zone."""
    lanes: tuple[Lane, ...]
    """The lanes in seat order; empty: one roll zone for all."""
    markers: Markers
    """The four markers."""
    ruler: tuple[PointMm, PointMm]
    """Both ends of the ruler, 100 mm apart."""

    @property
    def marker_mm(self) -> float:
        """Side of the markers."""
        (ax, _), (bx, _) = self.markers.corners_mm[0][1][:2]
        return bx - ax


def lay_out(kind: MatKind, names: tuple[str, ...] = (), *, marker_mm: float | None = None) -> MatLayout:
    """Lay out a mat. `names` are those of the lanes, in seat order; without them they are "1", "2", ...

    `marker_mm` asks for markers of another size; such a mat is not standard, its markers are 0 to 3.

    Raises:
        BadMat: when something does not fit.
    """
    width, height = kind.width_mm, kind.height_mm
    if min(width, height) < LEAST_SIDE_MM or max(width, height) > MOST_SIDE_MM:
        raise BadMat(
            f"a mat of {width:g} x {height:g} mm cannot be made; its sides must be "
            f"{LEAST_SIDE_MM:g} to {MOST_SIDE_MM:g} mm"
        )
    if not 0 <= kind.lanes <= MOST_LANES:
        raise BadMat(f"a mat has 1 to {MOST_LANES} lanes, or one roll zone for all; got {kind.lanes} lanes")
    lanes = names or tuple(str(number + 1) for number in range(kind.lanes))
    if len(lanes) != kind.lanes:
        raise BadMat(f"{len(lanes)} names for {kind.lanes} lanes; give one name a lane")
    if len(set(lanes)) != len(lanes):
        raise BadMat(f"the names {', '.join(lanes)} are not all different; give each lane its own")
    side = marker_side(width, height) if marker_mm is None else marker_mm
    ids = marker_ids(kind) if marker_mm in (None, marker_side(width, height)) else (0, 1, 2, 3)
    upright = height > width
    long, short = max(width, height), min(width, height)
    # A marker needs a white border of one of its six cells.
    strip = EDGE_MM + side + max(GAP_MM, side / 6 + 1)
    between: Rect = (0.0, strip, EDGE_MM + side, short - 2 * strip)  # of a strip, what the markers leave
    if side < 10 or between[3] < RULER_MM:
        raise BadMat(
            f"markers of {side:g} mm do not fit a mat of {width:g} x {height:g} mm; they must have 10 mm or "
            f"more, and leave {RULER_MM:g} mm for the ruler: take a larger sheet or another --marker-mm"
        )
    inner: Rect = (strip, EDGE_MM, long - 2 * strip, short - 2 * EDGE_MM)
    rects: list[Placed] = lanes_in(inner, lanes, tray=kind.tray) if lanes else [("roll", None, inner)]
    rects += _right_strip((long - side - EDGE_MM, between[1], side, between[3]), kind)
    for what, lane, (_, _, w, h) in rects:
        if what == "roll" and min(w, h) < LEAST_ZONE_MM:
            raise BadMat(
                f"a mat of {width:g} x {height:g} mm leaves the lane {lane!r} {w:.0f} x {h:.0f} mm, at least "
                f"{LEAST_ZONE_MM:g} are needed; take a larger sheet or fewer lanes"
            )
    ruler_at = EDGE_MM + side - 4.0
    middle = short / 2
    ruler = ((ruler_at, middle - RULER_MM / 2), (ruler_at, middle + RULER_MM / 2))
    if upright:
        rects = [(what, lane, (y, x, h, w)) for what, lane, (x, y, w, h) in rects]
        ruler = ((ruler[0][1], ruler[0][0]), (ruler[1][1], ruler[1][0]))
    return MatLayout(
        width,
        height,
        tuple(zone_of(what, lane, rect) for what, lane, rect in rects),
        tuple(Lane(name) for name in lanes),
        Markers(DICTIONARY, tuple(sorted(zip(ids, _marker_places(width, height, side), strict=True)))),
        ruler,
    )


def marker_side(width_mm: float, height_mm: float) -> float:
    """The side of the markers of a mat: a whole even number of mm."""
    return max(LEAST_MARKER_MM, 2.0 * round(max(width_mm, height_mm) * MARKER_SHARE / 2))


def _marker_places(
    width: float, height: float, side: float
) -> list[tuple[PointMm, PointMm, PointMm, PointMm]]:
    """Corners of the four markers, upper left first, clockwise; so are the corners of each."""
    right, low = width - EDGE_MM - side, height - EDGE_MM - side
    return [
        ((x, y), (x + side, y), (x + side, y + side), (x, y + side))
        for x, y in ((EDGE_MM, EDGE_MM), (right, EDGE_MM), (right, low), (EDGE_MM, low))
    ]


def _right_strip(room: Rect, kind: MatKind) -> list[Placed]:
    """The shared tray and the bank zone, in the right strip of a lying mat."""
    x, y, width, height = room
    bank = min(60.0, height * 0.3)
    out: list[Placed] = []
    if kind.tray and not kind.lanes:
        out.append(("tray", None, (x, y, width, height - (bank + GAP_MM if kind.bank else 0.0))))
    if kind.bank:
        out.append(("bank", None, (x, y + height - bank, width, bank)))
    return out


def lanes_in(inner: Rect, names: tuple[str, ...], *, tray: bool) -> list[Placed]:
    """Roll zones and trays of the lanes of a lying table, in seat order."""
    x, y, width, height = inner
    lower = len(names) if len(names) <= 3 else -(-len(names) // 2)
    rows = [names[:lower], names[lower:]] if lower < len(names) else [names]
    deep = (height - GAP_MM * (len(rows) - 1)) / len(rows)
    out: list[Placed] = []
    for row, row_names in enumerate(rows):
        wide = (width - GAP_MM * (len(row_names) - 1)) / len(row_names)
        top = y if row or len(rows) == 1 else y + deep + GAP_MM
        for seat, name in enumerate(row_names):
            column = len(row_names) - 1 - seat if row else seat
            left = x + column * (wide + GAP_MM)
            if not tray:
                out.append(("roll", name, (left, top, wide, deep)))
                continue
            depth = min(44.0, max(30.0, deep * 0.22))
            roll_deep = deep - depth - GAP_MM
            if row:  # the tray lies on the player's side
                out.append(("roll", name, (left, top + depth + GAP_MM, wide, roll_deep)))
                out.append(("tray", name, (left, top, wide, depth)))
            else:
                out.append(("roll", name, (left, top, wide, roll_deep)))
                out.append(("tray", name, (left, top + roll_deep + GAP_MM, wide, depth)))
    return out


def zone_of(kind: ZoneKind, lane: str | None, rect: Rect) -> Zone:
    """The zone that a rectangle is."""
    x, y, w, h = rect
    return Zone(kind, lane, ((x, y), (x + w, y), (x + w, y + h), (x, y + h)))
