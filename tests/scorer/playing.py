"""Short words for writing games in tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scorer.replay import replay

Event = list[Any]

Events = list[Any]
"""One event, or a list of such, nested as one likes."""

BANKED: Event = ["banked"]
TOOK_OVER: Event = ["took_over"]
BUST_6: Event = ["rolled", [2, 2, 3, 3, 4, 6]]
"""Six dice of which nothing scores in any preset but `zilch`."""


def rolled(*faces: int) -> Event:
    return ["rolled", list(faces)]


def aside(*faces: int) -> Event:
    return ["set_aside", list(faces)]


def entered(player: str, points: int) -> Event:
    return ["entered", player, points]


def ones(number: int) -> Events:
    """A throw of six dice with that many 1s (1 or 2) among dice that score nothing, and the 1s set aside."""
    rest = {1: (2, 3, 4, 4, 6), 2: (2, 3, 4, 6)}[number]
    return [rolled(*[1] * number, *rest), aside(*[1] * number)]


def bank_ones(number: int) -> Events:
    """A turn of 100 or 200 points."""
    return [*ones(number), BANKED]


def bank_straight() -> Events:
    """A turn of one straight from 1 to 6."""
    return [rolled(1, 2, 3, 4, 5, 6), aside(1, 2, 3, 4, 5, 6), BANKED]


def play(
    *events: Events,
    preset: str = "ten-thousand",
    players: tuple[str, ...] = ("Anna", "Ben"),
    **settings: Any,
) -> dict[str, Any]:
    """Replay a game of `preset` with these settings; an argument may be one event or lists of them."""
    return replay(
        {
            "game": "farkle",
            "preset": preset,
            "settings": settings,
            "players": list(players),
            "events": list(_flat(events)),
        }
    )


def _flat(events: Iterable[Events]) -> Iterator[Event]:
    for each in events:
        if each and isinstance(each[0], list):
            yield from _flat(each)
        else:
            yield each
