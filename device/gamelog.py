"""The rows of the store as a game: what was taken back left out, repairs worked in.

Rows are only ever added. Besides the events of the game there are

    ["undone", n]       the last n events are taken back (a press at the table)
    ["undone"]          the last step is taken back, be it a throw, a press or a repair
    ["redone"]          what was taken back last counts again
    ["repaired", {...}] the game as a repair left it, whole, with a sentence that says what was done
    ["sealed", ...], ["revealed", ...], ["seats", ...]    of virtual dice and computer players; no events

so every game that ever stood can be found again, and the chain of hashes goes over all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from device.errors import BadInput
from device.store import EventJson, GameHeader, Record, StoredGame
from scorer.errors import NothingThere, RulesError
from scorer.events import Event, Rolled, event_from_json, event_to_json
from scorer.history import History
from scorer.race_repair import Race, recount_race
from scorer.repair import Ledger, RecordedTurn, Recount, record, recount
from scorer.rules import Rules, make_rules
from scorer.tenzi import TenziEvent, tenzi_event, tenzi_event_to_json, tenzi_rules

UNDONE = "undone"
"""Name of the row that takes back the last events, `["undone", how many]`, or the last step, `["undone"]`."""
REDONE = "redone"
"""Name of the row that brings back what was taken back last."""
REPAIRED = "repaired"
"""Name of the row that holds a repaired game."""
SEALED = "sealed"
"""Name of the row that publishes the hash of the seed of virtual dice."""
REVEALED = "revealed"
"""Name of the row that shows that seed when the game is over."""
SEATS = "seats"
"""Name of the row that says which players the computer plays: `["seats", name, level, ...]`."""
_ABOUT = (SEALED, REVEALED, SEATS)
"""Rows about a game that are no part of it."""


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A game of the Farkle family as its rows leave it."""

    preset: str
    """Name of the preset, for people; the rules are in the ledger."""
    settings: Mapping[str, object]
    """What a document of the game says beside the preset."""
    base: Ledger
    """The game as it began, or as the last repair left it."""
    played: tuple[tuple[Event, ...], ...] = ()
    """What was played since, step by step: the events of one throw or one press."""

    @property
    def rules(self) -> Rules:
        """The rules under which it counts."""
        return self.base.rules

    @property
    def players(self) -> tuple[str, ...]:
        """Names in seat order."""
        return self.base.players

    @property
    def events(self) -> tuple[Event, ...]:
        """The events that count, in order."""
        return (*recount(self.base).events, *(event for step in self.played for event in step))

    @property
    def ledger(self) -> Ledger:
        """The game turn by turn; what does not count is in it as long as nothing was played since the repair.

        Raises:
            IllegalEvent: the rows are no game; with the index of the event.
        """
        return record(self.rules, self.players, self.events) if self.played else self.base

    @property
    def open_points(self) -> tuple[str, ...]:
        """What the last repair left undecided, a sentence each: nothing may be played on before that."""
        return () if self.played else open_points(self.base)

    @property
    def steps(self) -> tuple[tuple[Event, ...], ...]:
        """All that counts, step by step; a repaired game is cut after each throw and each turn."""
        return (*_steps(self.base), *self.played)

    def plus(self, row: Record, *, same_step: bool) -> KeptGame:
        """Return the game after one more event."""
        new = event_from_json(_as_lists(row.event))
        if isinstance(new, Rolled) and row.colours:
            new = replace(new, colours=row.colours)
        if same_step and self.played:
            return replace(self, played=(*self.played[:-1], (*self.played[-1], new)))
        return replace(self, played=(*self.played, (new,)))

    def minus(self, count: int) -> KeptGame:
        """Return the game without its last events.

        Raises:
            BadInput: there are not so many.
        """
        events = self.events
        _check_count(count, len(events))
        played, left = list(self.played), count
        while left and played:
            step = played.pop()
            if len(step) > left:
                played.append(step[:-left])
            left = max(0, left - len(step))
        if not left:
            return replace(self, played=tuple(played))
        kept = events[: len(events) - count]
        return replace(self, base=record(self.rules, self.players, kept), played=())

    def document(self) -> dict[str, object]:
        """Return the game as the document that `croupier replay` reads."""
        return {
            "game": "farkle",
            "preset": self.preset,
            "settings": dict(self.settings),
            "players": list(self.players),
            "events": [event_to_json(event) for event in self.events],
        }

    def repaired_row(self, did: str) -> EventJson:
        """Return the row that says that the game stands like this, and what was done."""
        turns = [[turn.player, [_row_of(event) for event in turn.events]] for turn in self.ledger.turns]
        whole = {"preset": self.preset, "settings": dict(self.settings), "players": list(self.players)}
        return [REPAIRED, {"did": did, **whole, "turns": turns}]


def kept_game(preset: str, ledger: Ledger) -> KeptGame:
    """Return a repaired game."""
    return KeptGame(preset, ledger.rules.settings(), ledger)


@dataclass(frozen=True, slots=True)
class KeptRace:
    """A Tenzi match as its rows leave it."""

    settings: Mapping[str, object]
    """What a document of the match says."""
    players: tuple[str, ...]
    """Names in seat order."""
    played: tuple[tuple[TenziEvent, ...], ...] = ()
    """What was recorded, step by step."""

    @property
    def race(self) -> Race:
        """The match as it was recorded."""
        events = tuple(event for step in self.played for event in step)
        return Race(tenzi_rules(self.settings), self.players, events)

    @property
    def open_points(self) -> tuple[str, ...]:
        """What does not count, a sentence each."""
        return tuple(map(str, recount_race(self.race).problems))

    def plus(self, row: Record, *, same_step: bool) -> KeptRace:
        """Return the match after one more event."""
        new = tenzi_event(_as_lists(row.event))
        if same_step and self.played:
            return replace(self, played=(*self.played[:-1], (*self.played[-1], new)))
        return replace(self, played=(*self.played, (new,)))

    def minus(self, count: int) -> KeptRace:
        """Return the match without its last events.

        Raises:
            BadInput: there are not so many.
        """
        events = self.race.events
        _check_count(count, len(events))
        return replace(self, played=tuple((event,) for event in events[: len(events) - count]))

    def document(self) -> dict[str, object]:
        """Return the match as the document that `croupier replay` reads."""
        return {
            "game": "tenzi",
            "settings": dict(self.settings),
            "players": list(self.players),
            "events": [tenzi_event_to_json(event) for event in recount_race(self.race).events],
        }

    def repaired_row(self, did: str) -> EventJson:
        """Return the row that says that the match stands like this, and what was done."""
        events = [tenzi_event_to_json(event) for event in self.race.events]
        whole = {"settings": dict(self.settings), "players": list(self.players), "events": events}
        return [REPAIRED, {"did": did, **whole}]


Kept = KeptGame | KeptRace
"""A game as its rows leave it."""


def history_of(stored: StoredGame, records: Iterable[Record]) -> History[Any]:
    """Return the game as it stands (a `Kept`), with what it was before each step and what was taken back.

    Raises:
        BadInput: the rows are not what this program writes.
        RulesError: they are no game of this kind.
    """
    history: History[Any] = History(_begun(stored.header))
    for _, rows in groupby(records, key=lambda record: record.step):
        history = _after_step(history, tuple(rows), stored.header.game)
    return history


def standing_game(stored: StoredGame, records: Iterable[Record]) -> Kept:
    """Return the game as it stands. Raises as `history_of`."""
    now: Kept = history_of(stored, records).now
    return now


def farkle_game(stored: StoredGame, records: Iterable[Record]) -> KeptGame:
    """Return a game of the Farkle family as it stands.

    Raises:
        BadInput: it is a Tenzi match; else as `history_of`.
    """
    game = standing_game(stored, records)
    if not isinstance(game, KeptGame):
        raise BadInput(f"game {stored.id} is a Tenzi match; name a game of Farkle")
    return game


def levels_of(records: Iterable[Record]) -> dict[str, str]:
    """Return which players of a game the computer plays, by name, with their levels."""
    levels: dict[str, str] = {}
    for row in records:
        if row.event[0] == SEATS:
            words = [str(each) for each in row.event[1:]]
            levels |= dict(zip(words[::2], words[1::2], strict=False))
    return levels


def document_of(stored: StoredGame, records: Iterable[Record]) -> dict[str, object]:
    """Return a game as it stands as the document that `croupier replay` reads. Raises as `history_of`."""
    return standing_game(stored, records).document()


def open_points(ledger: Ledger) -> tuple[str, ...]:
    """Return what of a ledger does not count, or not yet, a sentence each."""
    stands = recount(ledger)
    return (*map(str, stands.problems), *waiting_sentences(ledger, stands))


def waiting_sentences(ledger: Ledger, stands: Recount) -> list[str]:
    """Return a sentence for each turn that counts only after a turn that is not played yet."""
    found = []
    for index in stands.waiting:
        player = ledger.turns[index].player
        number = 1 + sum(turn.player == player for turn in ledger.turns[:index])
        found.append(
            f"turn {number} of {player} counts once {stands.state.to_act} has had the turn before it"
        )
    return found


def _begun(header: GameHeader) -> Kept:
    if header.game == "tenzi":
        return KeptRace(header.settings, header.players)
    rules = make_rules(header.preset, dict(header.settings))
    return KeptGame(header.preset, header.settings, Ledger(rules, header.players))


def _after_step(history: History[Any], rows: Sequence[Record], game: str) -> History[Any]:
    """Return the history after the rows of one step."""
    now: Kept = history.now
    added = taken = False
    for row in rows:
        match list(row.event):
            case [str(name), *_] if name in _ABOUT:
                continue
            case ["undone"]:
                history = _stepped(history.undo)
                now, added, taken = history.now, False, False
            case ["redone"]:
                history = _stepped(history.redo)
                now, added, taken = history.now, False, False
            case ["repaired", dict() as whole]:
                now, added = _repaired(whole, game), True
            case ["undone", *count]:
                number = count[0] if len(count) == 1 else None
                now, taken = now.minus(number if isinstance(number, int) else 0), True
            case _:
                now, added = now.plus(row, same_step=added), True
    if not added and not taken:
        return history
    if not added:
        # What a press took back can be brought back where the steps are the ones that were played.
        for back, before in enumerate(reversed(history.past), start=1):
            if before == now:
                for _ in range(back):
                    history = history.undo()
                return history
    return history.done(now)


def _stepped(step: Any) -> History[Any]:
    try:
        history: History[Any] = step()
    except NothingThere as error:
        raise BadInput(f"the game log cannot be followed: {error}; run: croupier games verify") from error
    return history


def _repaired(whole: Mapping[str, Any], game: str) -> Kept:
    """Return the game that a repair left."""
    try:
        players = tuple(str(name) for name in whole["players"])
        if game == "tenzi":
            events = tuple((tenzi_event(event),) for event in whole["events"])
            return KeptRace(dict(whole["settings"]), players, events)
        turns = tuple(
            RecordedTurn(str(player), tuple(_event_of(event) for event in events))
            for player, events in whole["turns"]
        )
        rules = make_rules(whole["preset"], whole["settings"])
        return kept_game(str(whole["preset"]), Ledger(rules, players, turns))
    except (KeyError, TypeError, ValueError, RulesError) as error:
        raise BadInput(
            f"a repair in the game log cannot be read ({error}); run: croupier games verify"
        ) from error


def _row_of(event: Event) -> list[object]:
    """Return an event as a repaired game has it: as in documents, a throw with its colours where known."""
    row = event_to_json(event)
    return [*row, list(event.colours)] if isinstance(event, Rolled) and event.colours else row


def _event_of(row: list[Any]) -> Event:
    match row:
        case ["rolled", faces, list() as colours]:
            return Rolled(tuple(faces), tuple(colours))
        case _:
            return event_from_json(row)


def _steps(ledger: Ledger) -> tuple[tuple[Event, ...], ...]:
    """Return what counts of a ledger as steps: each ends with a throw or with the turn."""
    steps: list[tuple[Event, ...]] = []
    events = recount(ledger).events
    for turn in record(ledger.rules, ledger.players, events).turns:
        step: list[Event] = []
        for event in turn.events:
            step.append(event)
            if isinstance(event, Rolled):
                steps.append(tuple(step))
                step = []
        if step:
            steps.append(tuple(step))
    return tuple(steps)


def _check_count(count: int, there: int) -> None:
    if not 0 < count <= there:
        raise BadInput(
            f"the game log takes back {count} events where {there} stand; run: croupier games verify"
        )


def _as_lists(event: Sequence[object]) -> list[object]:
    """Return an event with lists where it may have tuples, as JSON has it."""
    return [list(part) if isinstance(part, tuple) else part for part in event]
