"""A game as a table for spreadsheets: one row an event, in the order in which they count."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from device.gamelog import Kept, KeptGame
from scorer.events import Entered, Event, Rolled, SetAside, event_to_json
from scorer.farkle import State, apply, start
from scorer.scoring import score_table

COLUMNS = ("number", "turn", "player", "event", "dice", "points", "total")
"""Farkle: `turn` counts each player's turns from 1, `total` is the player's after the event."""
RACE_COLUMNS = ("number", "t_s", "player", "event", "dice")
"""Tenzi: `t_s` in seconds on the clock of the source."""


def as_csv(kept: Kept) -> str:
    """Return a game as CSV with a line of names on top (RFC 4180: comma, CRLF).

    Raises:
        RulesError: the rows are no game.
    """
    out = io.StringIO()
    table = csv.writer(out)
    if isinstance(kept, KeptGame):
        table.writerow(COLUMNS)
        table.writerows(_farkle(kept))
    else:
        table.writerow(RACE_COLUMNS)
        table.writerows(_race(kept.document()))
    return out.getvalue()


def _farkle(kept: KeptGame) -> Iterator[tuple[object, ...]]:
    state = start(kept.rules, kept.players)
    for number, event in enumerate(kept.events, start=1):
        seat = state.seat or 0
        after = apply(state, event)
        turn = len(state.turns[seat]) + 1
        dice = " ".join(map(str, getattr(event, "faces", ())))
        name = event_to_json(event)[0]
        yield number, turn, state.to_act, name, dice, _points(state, event, after), after.totals[seat]
        state = after


def _points(before: State, event: Event, after: State) -> int:
    """Return what an event is worth: a throw its best selection, else what it adds or writes."""
    seat = before.seat or 0
    match event:
        case Rolled(faces):
            return score_table(before.rules).of(faces).best
        case SetAside():
            return after.turn.points - before.turn.points
        case Entered(_, points):
            return points
        case _:
            return after.totals[seat] - before.totals[seat]


def _race(document: dict[str, object]) -> Iterator[tuple[object, ...]]:
    events = document["events"]
    assert isinstance(events, list)
    for number, (name, t_ns, *rest) in enumerate(events, start=1):
        player = rest[0] if rest and isinstance(rest[0], str) else ""
        dice = " ".join(map(str, rest[-1])) if rest and isinstance(rest[-1], list) else ""
        yield number, round(t_ns / 1e9, 4), player, name, dice
