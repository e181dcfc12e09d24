"""Repairing a Tenzi match: what was recorded stays, and what does not count any more is listed.

A `Race` is what was recorded: rules, players, events. `recount_race` works out from it where the match
stands; an event that is not legal any more (a round after the match is over, say) is left out and listed.

>>> race = Race(TenziRules(dice=2, goal=(2,), rounds_to_win=1), ("Anna", "Ben"), (
...     Go(0), Seen(5, "Anna", (6, 5)), Claimed(6, "Anna"), Go(9)))
>>> stands = recount_race(with_look(race, 1, (6, 6)))
>>> wins(stands.match)
{'Anna': 1, 'Ben': 0}
>>> print(stands.problems[0])
event 4: 'go 0.000000009' is not legal any more, the match is over, Anna has won it; start a new one
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scorer.errors import BadDice, BadPlayers, IllegalEvent, NothingThere, shown
from scorer.notation import event_text
from scorer.tenzi import Claimed, Go, Match, Seen, TenziEvent, TenziRules, apply, start, wins

__all__ = [
    "Claimed",
    "Go",
    "Race",
    "RaceProblem",
    "RaceRecount",
    "Seen",
    "TenziRules",
    "recount_race",
    "renamed_in_race",
    "wins",
    "with_look",
]


@dataclass(frozen=True, slots=True)
class Race:
    """A match as it was recorded."""

    rules: TenziRules
    """The rules under which it counts."""
    players: tuple[str, ...]
    """Names in seat order."""
    events: tuple[TenziEvent, ...] = ()
    """What was recorded, in order."""


@dataclass(frozen=True, slots=True)
class RaceProblem:
    """An event that does not count."""

    event: int
    """Its index, counted from 0."""
    why: str
    """The whole sentence; it counts events from 1."""

    def __str__(self) -> str:
        """Return the sentence."""
        return self.why


@dataclass(frozen=True, slots=True)
class RaceRecount:
    """Where a recorded match stands."""

    match: Match
    """The match after everything that counts."""
    events: tuple[TenziEvent, ...]
    """What counts, in order."""
    problems: tuple[RaceProblem, ...]
    """What does not."""


def recount_race(race: Race) -> RaceRecount:
    """Return where the match stands, and what of the record does not count.

    Raises:
        BadPlayers: see `scorer.tenzi.start`.
    """
    match = start(race.rules, race.players)
    events: list[TenziEvent] = []
    problems: list[RaceProblem] = []
    for index, event in enumerate(race.events):
        try:
            match = apply(match, event)
        except IllegalEvent as error:
            why = f"event {index + 1}: '{event_text(event)}' is not legal any more, {error.message}"
            problems.append(RaceProblem(index, why))
        else:
            events.append(event)
    return RaceRecount(match, tuple(events), tuple(problems))


def with_look(race: Race, event: int, faces: Sequence[int]) -> Race:
    """Return the race with other faces in one look at a lane.

    Raises:
        NothingThere: no such event, or no look at a lane.
        BadDice: faces that no die shows.
    """
    old = race.events[event] if 0 <= event < len(race.events) else None
    if not isinstance(old, Seen):
        raise NothingThere(f"event {event + 1} is no look at a lane; name one that is ('seen')")
    for face in faces:
        if isinstance(face, bool) or not isinstance(face, int) or not 1 <= face <= 6:
            raise BadDice(f"a die shows a whole number from 1 to 6, got {shown(face)}; correct the dice")
    look = replace(old, faces=tuple(faces))
    return replace(race, events=(*race.events[:event], look, *race.events[event + 1 :]))


def renamed_in_race(race: Race, old: str, new: str) -> Race:
    """Return the race with another name for a player.

    Raises:
        BadPlayers: nobody has the old name, or the new one is taken or empty.
    """
    if old not in race.players:
        raise BadPlayers(f"{shown(old)} does not play; players are {', '.join(race.players)}")
    seat = race.players.index(old)
    players = (*race.players[:seat], new, *race.players[seat + 1 :])
    start(race.rules, players)
    events = tuple(
        event if isinstance(event, Go) or event.player != old else replace(event, player=new)
        for event in race.events
    )
    return replace(race, players=players, events=events)
