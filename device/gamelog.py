"""The rows of the store as a game: undone events left out, the rest in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from device.errors import BadInput
from device.store import Record, StoredGame
from scorer.events import Event, event_from_json

UNDONE = "undone"
"""Name of the row that takes back the last events: `["undone", how many]`."""


def standing(records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the rows that are not taken back, in order.

    Raises:
        BadInput: when a row takes back more events than there are.
    """
    kept: list[Record] = []
    for record in records:
        if record.event[0] != UNDONE:
            kept.append(record)
            continue
        count = record.event[1] if len(record.event) == 2 else None
        if not isinstance(count, int) or not 0 < count <= len(kept):
            raise BadInput(
                f"the game log takes back {count} events where {len(kept)} stand; run: croupier games verify"
            )
        del kept[-count:]
    return tuple(kept)


def steps_of(records: Iterable[Record]) -> tuple[tuple[Event, ...], ...]:
    """Return the events that stand, grouped by the throw or press that brought them about."""
    steps: list[tuple[int, list[Event]]] = []
    for record in standing(records):
        if not steps or steps[-1][0] != record.step:
            steps.append((record.step, []))
        steps[-1][1].append(event_from_json(_as_lists(record.event)))
    return tuple(tuple(events) for _, events in steps)


def document_of(game: StoredGame, records: Iterable[Record]) -> dict[str, object]:
    """Return a game as the document that `croupier replay` reads."""
    return {
        "game": game.header.game,
        "preset": game.header.preset,
        "settings": dict(game.header.settings),
        "players": list(game.header.players),
        "events": [_as_lists(record.event) for record in standing(records)],
    }


def _as_lists(event: Sequence[object]) -> list[object]:
    """Return an event with lists where it may have tuples, as JSON has it."""
    return [list(part) if isinstance(part, tuple) else part for part in event]
