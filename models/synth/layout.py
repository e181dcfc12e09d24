"""Where things are on a simulated table: roll zones, trays, lanes, seats. In mm, z = 0, x right, y up.

    shared   one roll zone for all, with or without one tray at its side
    lanes    a roll zone a player, each with or without a tray between the player and it

Players of a shared zone sit around the table; players of lanes sit at the near end of their lane.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.synth.errors import BadScene
from models.synth.throw import Zone

TABLES = ("shared", "tray", "lanes", "lanes-tray")
"""Kinds of table: one zone, one zone with a tray, lanes, lanes with trays."""
TRAY_MM = 50.0
"""Depth of a tray: two rows of dice."""
_GAP_MM = 6.0
"""Between neighbouring zones."""
_MOST_PLAYERS = 8

XY = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a player sits and how he reaches onto the table."""

    border: XY
    """Middle of the near border of his roll zone."""
    into: XY
    """Unit vector from him into the table."""
    edge_mm: float
    """From that border back to the edge of what the camera sees; 0 or more."""

    def at(self, depth: float, aside: float) -> XY:
        """Return the point `depth` mm inside the border and `aside` mm along it (to his right)."""
        x = self.border[0] + self.into[0] * depth + self.into[1] * aside
        y = self.border[1] + self.into[1] * depth - self.into[0] * aside
        return (x, y)


@dataclass(frozen=True, slots=True)
class Lane:
    """A roll zone and the tray that belongs to it."""

    name: str | None
    """"1", "2", ... in seat order; None for the zone that all share."""
    roll: Zone
    """Where thrown dice come to rest."""
    tray: Zone | None
    """Where dice are set aside, or None: they stay where they lie."""

    def slots(self, side: float) -> tuple[XY, ...]:
        """Return places for dice of this side in the tray: row by row along its longer direction."""
        if self.tray is None:
            return ()
        tray, pitch = self.tray, side * 1.35
        wide, deep = tray.x1 - tray.x0, tray.y1 - tray.y0
        along, across = max(wide, deep), min(wide, deep)
        rows = max(1, int((across - 0.35 * side) // pitch))
        columns = max(1, int((along - 0.35 * side) // pitch))
        out = []
        for row in range(rows):
            for column in range(columns):
                a = (column - (columns - 1) / 2) * pitch
                b = ((rows - 1) / 2 - row) * pitch
                dx, dy = (a, b) if wide >= deep else (-b, -a)
                out.append(((tray.x0 + tray.x1) / 2 + dx, (tray.y0 + tray.y1) / 2 + dy))
        return tuple(out)


@dataclass(frozen=True, slots=True)
class Layout:
    """The zones of a table and who sits where."""

    kind: str
    """One of `TABLES`."""
    lanes: tuple[Lane, ...]
    """One for all, or one a player."""
    seats: tuple[Seat, ...]
    """One a player."""
    mat: Zone | None
    """Outline of the mat, or None: dice roll on the bare table."""
    rim_mm: float = 0.0
    """Height of the rim around trays; 0: the tray is only printed."""

    def lane_of(self, seat: int) -> Lane:
        """Return the lane that a player throws into."""
        return self.lanes[seat if len(self.lanes) > 1 else 0]

    def lane_at(self, point: NDArray[np.float64]) -> Lane | None:
        """Return the lane whose roll zone or tray holds a point, or None."""
        for lane in self.lanes:
            for zone in (lane.roll, lane.tray):
                if zone is not None and zone.holds(np.asarray(point, dtype=np.float64).reshape(1, -1), 0.0):
                    return lane
        return None


def make_layout(
    kind: str,
    players: int,
    view: Zone,
    *,
    mat: bool = True,
    rim_mm: float = 0.0,
    rows: int | None = None,
    side_mm: float = 0.0,
) -> Layout:
    """Lay out a table.

    Args:
        kind: one of `TABLES`.
        players: how many, 1 to 8.
        view: what the camera sees of the table, less a border: everything lies inside it.
        mat: whether there is a mat around the zones.
        rim_mm: height of the rim around trays.
        side_mm: free border of the mat on the left and on the right, for markers.
        rows: 1: all lanes side by side; 2: two rows whose players face each other; None: as fits.

    Raises:
        BadScene: for a kind or a number of players that does not exist.
    """
    if kind not in TABLES:
        raise BadScene(f"table '{kind}' is not known; choose one of {', '.join(TABLES)}")
    if not 1 <= players <= _MOST_PLAYERS:
        raise BadScene(f"a table has 1 to {_MOST_PLAYERS} players, got {players}")
    edge = 10.0 if mat else 0.0
    aside = max(edge, side_mm)
    inner = Zone(view.x0 + aside, view.y0 + edge, view.x1 - aside, view.y1 - edge)
    outline = view if mat else None
    if kind in ("shared", "tray"):
        roll, tray = inner, None
        if kind == "tray":
            tray = Zone(inner.x1 - TRAY_MM, inner.y0, inner.x1, inner.y1)
            roll = Zone(inner.x0, inner.y0, inner.x1 - TRAY_MM - _GAP_MM, inner.y1)
        seats = tuple(_around(seat, players, roll, view) for seat in range(players))
        return Layout(kind, (Lane(None, roll, tray),), seats, outline, rim_mm if tray else 0.0)
    return _lanes(kind, players, inner, view, outline, rim_mm, rows)


def _lanes(
    kind: str, players: int, inner: Zone, view: Zone, outline: Zone | None, rim_mm: float, rows: int | None
) -> Layout:
    """Lay out one lane a player, in one or two rows."""
    two = players > 4 if rows is None else rows == 2 and players > 1
    first = -(-players // 2) if two else players
    deep = (inner.y1 - inner.y0 - (_GAP_MM if two else 0.0)) / (2 if two else 1)
    lanes, seats = [], []
    for seat in range(players):
        far = seat >= first
        count = players - first if far else first
        # The far row is counted from the right: seats go round the table.
        column = count - 1 - (seat - first) if far else seat
        width = (inner.x1 - inner.x0 - _GAP_MM * (count - 1)) / count
        x0 = inner.x0 + column * (width + _GAP_MM)
        y0 = inner.y1 - deep if far else inner.y0
        roll, tray = Zone(x0, y0, x0 + width, y0 + deep), None
        if kind == "lanes-tray":
            if far:
                tray = Zone(x0, roll.y1 - TRAY_MM, x0 + width, roll.y1)
                roll = Zone(x0, y0, x0 + width, roll.y1 - TRAY_MM - _GAP_MM)
            else:
                tray = Zone(x0, y0, x0 + width, y0 + TRAY_MM)
                roll = Zone(x0, y0 + TRAY_MM + _GAP_MM, x0 + width, y0 + deep)
        middle = x0 + width / 2
        if far:
            seats.append(Seat((middle, roll.y1), (0.0, -1.0), view.y1 - roll.y1))
        else:
            seats.append(Seat((middle, roll.y0), (0.0, 1.0), roll.y0 - view.y0))
        lanes.append(Lane(str(seat + 1), roll, tray))
    return Layout(kind, tuple(lanes), tuple(seats), outline, rim_mm if kind == "lanes-tray" else 0.0)


def _around(seat: int, players: int, roll: Zone, view: Zone) -> Seat:
    """Return the seat of a player at a shared zone: below, above, left, right, then beside these."""
    x, y = (roll.x0 + roll.x1) / 2, (roll.y0 + roll.y1) / 2
    border, into, edge = (
        ((x, roll.y0), (0.0, 1.0), roll.y0 - view.y0),
        ((x, roll.y1), (0.0, -1.0), view.y1 - roll.y1),
        ((roll.x0, y), (1.0, 0.0), roll.x0 - view.x0),
        ((roll.x1, y), (-1.0, 0.0), view.x1 - roll.x1),
    )[seat % 4]
    # Players 5 to 8 share the sides with the first four, a little to the right of them.
    shift = 0.0 if players <= 4 else (-55.0 if seat < 4 else 55.0)
    return Seat((border[0] + shift * into[1], border[1] - shift * into[0]), into, edge)
