"""Repairing a game that was played, in the store or in a file: what it was, and what it comes to.

A repair in the store is one more row, so the chain of hashes stays whole and every repair can be taken back.
A repaired file is written anew, elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from device.errors import BadInput
from device.gamelog import (
    UNDONE,
    Kept,
    KeptGame,
    KeptRace,
    history_of,
    kept_game,
    open_points,
    waiting_sentences,
)
from device.store import GameStore, Record, open_reader, open_writer
from scorer.errors import IllegalEvent
from scorer.events import Event, Rolled, SetAside
from scorer.history import History
from scorer.notation import Game, event_text, read_event
from scorer.race_repair import Race, recount_race
from scorer.repair import Ledger, record, recount
from scorer.replay import scoreboard
from scorer.rules import load_preset
from scorer.tenzi import match_board, tenzi_rules
from scorer.words import Unreadable, faces_of, quoted

Change = Callable[[Kept], tuple[Kept, str]]
"""A repair: takes the game, returns it repaired, and says what was done, a sentence without its full stop."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A game before and after a repair."""

    name: str
    """What people call it: "game 3", "evening.game"."""
    did: str
    """What was done."""
    before: Kept
    """The game as it was."""
    after: Kept
    """The game as it stands now."""

    @property
    def changed(self) -> bool:
        """Whether anything was changed at all."""
        return self.before != self.after


class StoredPlace:
    """One game of an open store."""

    def __init__(self, store: GameStore, number: int) -> None:
        """Read the game."""
        self._store, self._number = store, number
        stored = store.game(number)
        self._records = store.records(number)
        self.name = f"game {number}"
        """What people call it."""
        self.history: History[Any] = history_of(stored, self._records)
        """How it stands, and what it was."""

    def repaired(self, change: Change, *, write: bool) -> Repaired:
        """Repair the game; with `write` it is in the store when this returns.

        Raises:
            BadInput, RulesError: it cannot be done; nothing was written.
        """
        outcome = repaired(self.name, self.history.now, change)
        if write and outcome.changed:
            self._add([outcome.after.repaired_row(outcome.did)])
        return outcome

    def stepped(self, way: str, times: int, *, write: bool) -> Repaired:
        """Take back steps (`undone`) or bring them back (`redone`).

        Raises:
            NothingThere: there are not so many; nothing was written.
        """
        history = self.history
        for _ in range(times):
            history = history.undo() if way == UNDONE else history.redo()
        steps = "one step" if times == 1 else f"{times} steps"
        if write:
            self._add([[way]] * times)
        did = f"{steps} {'taken back' if way == UNDONE else 'brought back'}"
        return Repaired(self.name, did, self.history.now, history.now)

    def _add(self, rows: Sequence[Sequence[object]]) -> None:
        t_ns = self._records[-1].t_ns if self._records else 0
        step = max((each.step for each in self._records), default=0)
        records = [Record(tuple(row), t_ns, "repair", step + more) for more, row in enumerate(rows, start=1)]
        self._store.append(self._number, records)


@contextmanager
def stored_place(folder: Path, number: int, *, write: bool) -> Iterator[StoredPlace]:
    """Open a game of the store; to write, nobody may be playing meanwhile.

    Raises:
        BadInput: no such store or game, or a game is being played.
    """
    with open_reader(folder) as reader:  # before anything is made: no store comes of a repair
        reader.game(number)
    with open_writer(folder) if write else open_reader(folder) as store:
        yield StoredPlace(store, number)


def repaired(name: str, game: Kept, change: Change) -> Repaired:
    """Return the game before and after a repair.

    Raises:
        BadInput, RulesError: it cannot be done.
    """
    after, did = change(game)
    recount_of(after)
    return Repaired(name, did, game, after)


def recount_of(game: Kept) -> tuple[dict[str, object], tuple[str, ...], tuple[str, ...]]:
    """Return the scoreboard of a game, what does not count, and what waits, a sentence each.

    Raises:
        RulesError: it is no game.
    """
    if isinstance(game, KeptRace):
        race = recount_race(game.race)
        return match_board(race.match), tuple(map(str, race.problems)), ()
    stands = recount(game.ledger)
    waiting = waiting_sentences(game.ledger, stands)
    return scoreboard(stands.state), tuple(map(str, stands.problems)), tuple(waiting)


def of_farkle(game: Kept) -> KeptGame:
    """Return the game, which must be of the Farkle family.

    Raises:
        BadInput: it is a Tenzi match.
    """
    if isinstance(game, KeptRace):
        raise BadInput(
            "a Tenzi match has no turns; it is repaired with undo, redo, look, rename, rules, accept"
        )
    return game


def of_tenzi(game: Kept) -> KeptRace:
    """Return the game, which must be a Tenzi match.

    Raises:
        BadInput: it is a game of Farkle.
    """
    if isinstance(game, KeptGame):
        raise BadInput("looks at lanes are of Tenzi; a game of Farkle is repaired with faces and aside")
    return game


def with_ledger(game: KeptGame, ledger: Ledger) -> KeptGame:
    """Return the game with another ledger; the same game where nothing is changed."""
    return game if ledger == game.ledger else kept_game(game.preset, ledger)


def turn_index(ledger: Ledger, place: str, *, end: bool = False) -> int:
    """Return the index in the ledger of a turn as people name it: its number, or NAME:N.

    `end` also allows the place behind the last turn.

    Raises:
        BadInput: there is no such turn.
    """
    text = place.strip()
    if text.isascii() and text.isdigit() and len(text) <= 6:
        index = int(text) - 1
        if not 0 <= index < len(ledger.turns) + end:
            raise BadInput(f"there is no turn {text}, {_turns_there(ledger, end)}")
        return index
    name, colon, number = text.rpartition(":")
    if not colon or not (number.isascii() and number.isdigit() and len(number) <= 6):
        raise BadInput(
            "a turn is named by its number in 'games repair show', or like Anna:2 (the second turn of Anna), "
            f"got {place!r}"
        )
    if name not in ledger.players:
        raise BadInput(f"'{name}' does not play; players are {', '.join(ledger.players)}")
    own = [index for index, turn in enumerate(ledger.turns) if turn.player == name]
    if not 1 <= int(number) <= len(own):
        raise BadInput(f"{name} has no turn {number}, only {len(own)}; see: croupier games repair show")
    return own[int(number) - 1]


def _turns_there(ledger: Ledger, end: bool) -> str:
    count = len(ledger.turns)
    return f"the game has {count}; name one of 1 to {count + end}" if count + end else "the game has none yet"


def throw_index(ledger: Ledger, turn: int, throw: int | None) -> int:
    """Return the index of a throw in its turn; `throw` counts from 1, None: the only one.

    Raises:
        BadInput: there is no such throw, or several and none is named.
    """
    events = ledger.turns[turn].events
    throws = [place for place, event in enumerate(events) if isinstance(event, Rolled)]
    where = f"turn {turn + 1} ({ledger.turns[turn].player})"
    if not throws:
        raise BadInput(f"nothing was thrown in {where}: it was typed in; use 'games repair turn'")
    if throw is None and len(throws) > 1:
        listed = "; ".join(f"{n} is {event_text(events[place])}" for n, place in enumerate(throws, start=1))
        raise BadInput(f"{where} has {len(throws)} throws; say which with --throw: {listed}")
    number = 1 if throw is None else throw
    if not 1 <= number <= len(throws):
        raise BadInput(
            f"{where} has {len(throws)} throw{'s' if len(throws) > 1 else ''}, there is no {number}"
        )
    return throws[number - 1]


def aside_index(ledger: Ledger, turn: int, throw: int | None) -> int:
    """Return the index of what was set aside of a throw. Raises as `throw_index`, or when nothing was."""
    place = throw_index(ledger, turn, throw) + 1
    events = ledger.turns[turn].events
    if place >= len(events) or not isinstance(events[place], SetAside):
        raise BadInput(f"nothing was set aside of that throw of turn {turn + 1}; use 'games repair turn'")
    return place


def faces_given(text: str) -> tuple[int, ...]:
    """Return faces as people type them, `1 1 5` or `115` or `1,1,5`.

    Raises:
        BadInput: something else.
    """
    try:
        faces = faces_of(text.replace(",", " "))
    except Unreadable as error:
        raise BadInput(f"{error}; write them like 115234") from error
    if not faces:
        raise BadInput("no faces were given; write them like 115234")
    return faces


def events_given(lines: Iterable[str], player: str) -> list[Event]:
    """Return the events of a turn from lines of a game text; `entered 350` is short for the player's own.

    Raises:
        MalformedEvent: with how an event is written.
    """
    events: list[Event] = []
    for line in lines:
        word, _, rest = line.strip().partition(" ")
        if word == "entered" and len(rest.split()) == 1:
            line = f"entered {quoted(player)} {rest}"
        events.append(read_event("farkle", line))  # type: ignore[arg-type]  # events of Farkle
    return events


def accepted(game: Kept) -> tuple[Kept, str]:
    """Return the game without what does not count, and a sentence."""
    after: Kept = game
    if isinstance(game, KeptRace):
        race = recount_race(game.race)
        if race.problems:
            after = replace(game, played=tuple((event,) for event in race.events))
    elif open_points(game.ledger):
        after = with_ledger(game, record(game.rules, game.players, recount(game.ledger).events))
    return after, "what did not count is left out"


def with_race(game: KeptRace, race: Race) -> KeptRace:
    """Return the match with other players and as many other events; the steps stay as they are."""
    events = iter(race.events)
    played = tuple(tuple(next(events) for _ in step) for step in game.played)
    return replace(game, players=race.players, played=played)


def with_race_settings(game: KeptRace, settings: dict[str, object]) -> KeptRace:
    """Return the match under other settings.

    Raises:
        UnknownSetting, BadSetting: with what to do.
    """
    changed = {**game.settings, **settings}
    tenzi_rules(changed)
    return replace(game, settings=changed)


def game_in_file(path: Path, data: bytes) -> Kept:
    """Return the game in a file, a text or a document, as one to repair.

    Raises:
        BadInput, RulesError: it is none, or not a legal one; with its place.
    """
    from device.documents import decode, is_json, name_of, parse_json
    from device.presets import rules_of, spelled_out
    from scorer.notation import from_document, parse

    if data.strip() and not is_json(path, data):
        game = parse(decode(data, name_of(path)))
    else:
        document = parse_json(data, name_of(path))
        if not isinstance(document, dict):
            raise BadInput(f"{name_of(path)} holds no game document; give a JSON object or a game as a text")
        game = from_document(document)
    if game.game == "tenzi":
        played = tuple((event,) for event in game.events)
        return KeptRace(game.settings, game.players, played)  # type: ignore[arg-type]  # events of Tenzi
    rules = rules_of(game.preset, game.settings, path.parent)
    preset, settings = spelled_out(game.preset, dict(game.settings), path.parent)
    try:
        ledger = record(rules, game.players, game.events)  # type: ignore[arg-type]  # events of Farkle
    except IllegalEvent as error:
        raise BadInput(f"{_place(game, error.index)}: {error}; correct it in the file first") from error
    return KeptGame(preset, settings, ledger)


def _place(game: Game, event: int | None) -> str:
    line = game.lines[event] if game.lines and event is not None else None
    return f"event {event}" if line is None else f"line {line} (event {event})"


def short_document(game: Kept) -> dict[str, object]:
    """Return the document of a game with only the settings in which it differs from its preset."""
    document = game.document()
    if isinstance(game, KeptGame):
        usual = load_preset(game.preset).rules.settings()
        document["settings"] = {
            name: value for name, value in game.rules.settings().items() if value != usual[name]
        }
    return document


def text_of(game: Kept) -> str:
    """Return a game as a text; what does not count stands in comments at its end."""
    from scorer.notation import from_document, to_text

    _, problems, waiting = recount_of(game)
    notes = "".join(f"# does not count: {' '.join(each.split())}\n" for each in (*problems, *waiting))
    return to_text(from_document(short_document(game))) + (f"\n{notes}" if notes else "")
