"""A game as a text that people read and write: one event a line, comments after `#`.

    game farkle
    preset tiotusen
    set opening 0
    players Anna, Ben

    rolled 1 1 1 5 2 3     # Anna
    set_aside 1 1 1 5
    banked
    check totals Anna 1050, Ben 0

The head says the game, a title, the preset, settings that differ from it, and the players; then come the
events in the words of the JSON document. A `check` line says what is true at its place; `refused EVENT` says
that the event is not legal there, and is not played. `parse` and `to_text` are exact inverses; comments are
for people and are not kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from scorer import farkle
from scorer.errors import MalformedDocument, MalformedEvent, RulesError, suggestion
from scorer.events import Banked, Entered, Event, Rolled, SetAside, TookOver, event_from_json, event_to_json
from scorer.replay import event_list, game_name, players_list, settings_of
from scorer.rules import DEFAULT_PRESET, Rules, make_rules
from scorer.statements import FARKLE_SUBJECTS, TENZI_SUBJECTS, subject_of
from scorer.tenzi import Claimed, Declared, Go, Noted, Seen, TenziEvent, tenzi_event, tenzi_event_to_json
from scorer.words import (
    Unreadable,
    canonical,
    faces_of,
    names_of,
    nanoseconds,
    number,
    quoted,
    seconds,
    spaced,
    unquoted,
)

AnyEvent = Event | TenziEvent
"""An event of either game."""
RulesOf = Callable[[object, object], Rules]
"""Finds the rules of a preset and settings, as `scorer.rules.make_rules` does."""

_HEAD = ("game", "title", "preset", "set", "players")
EVENT_WORDS: Mapping[str, tuple[str, ...]] = {
    "farkle": ("rolled", "set_aside", "banked", "took_over", "entered"),
    "tenzi": ("go", "seen", "claimed", "declared", "stray", "hand"),
}
"""How the lines of events begin, a game."""
_SUBJECTS = {"farkle": FARKLE_SUBJECTS, "tenzi": TENZI_SUBJECTS}
_LINE = re.compile(r'((?:[^"#]|"(?:[^"\\]|\\.)*")*)(#.*)?', re.DOTALL)
"""What a line says, and its comment: a `#` in quotes begins none."""


@dataclass(frozen=True, slots=True)
class Check:
    """Something that a text says about the game at one place."""

    at: int
    """How many events are played before it."""
    says: str
    """The statement, as `scorer.statements` words it, or `refused EVENT`."""
    line: int | None = field(default=None, compare=False)
    """The line of the text that says it, counted from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What a text of a game says."""

    game: str = "farkle"
    """`farkle` or `tenzi`."""
    title: str = ""
    """What people call the game; may be empty."""
    preset: str = DEFAULT_PRESET
    """Name of the rule preset; a Tenzi match has none."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings that differ from the preset, as in JSON."""
    players: tuple[str, ...] = ()
    """Names in seat order."""
    events: tuple[AnyEvent, ...] = ()
    """The events, legal or not."""
    checks: tuple[Check, ...] = ()
    """What the text says about the game, in order."""
    lines: tuple[int, ...] = field(default=(), compare=False)
    """The line of each event, counted from 1; empty for a game that was not read from a text."""

    def document(self) -> dict[str, object]:
        """Return the game as the document that `scorer.replay.replay` plays."""
        head: dict[str, object] = {"game": self.game}
        if self.title:
            head["title"] = self.title
        if self.game == "farkle":
            head["preset"] = self.preset
        return {
            **head,
            "settings": dict(self.settings),
            "players": list(self.players),
            "events": [_to_json(event) for event in self.events],
        }


class BadLine(MalformedEvent):
    """A line of a text that is no event; `before` is the game up to it."""

    before: Game = Game()
    """What the lines before say."""


def from_document(document: Mapping[str, object]) -> Game:
    """Return a JSON document as a game.

    Raises:
        MalformedDocument: as `scorer.replay.replay` does.
        MalformedEvent: with the index of the event.
    """
    game = game_name(document)
    events: list[AnyEvent] = []
    for index, value in enumerate(event_list(document)):
        try:
            events.append(event_from_json(value) if game == "farkle" else tenzi_event(value))
        except MalformedEvent as error:
            raise error.at(index) from error
    preset = document.get("preset", DEFAULT_PRESET)
    if not isinstance(preset, str):
        raise MalformedDocument(f"'preset' must be a text, got {preset!r}; correct the document")
    title = document.get("title", "")
    return Game(
        game=game,
        title=title if isinstance(title, str) else "",
        preset=preset if game == "farkle" else DEFAULT_PRESET,
        settings=dict(settings_of(document)),
        players=players_list(document),
        events=tuple(events),
    )


def to_text(game: Game, *, comments: bool = True, rules_of: RulesOf = make_rules) -> str:
    """Return the game as a text; with comments that say whose turn it is, where the events are legal.

    `rules_of` finds the rules of a preset and settings.


    >>> print(to_text(Game(players=("Anna", "Ben"), events=(Entered("Anna", 550),))), end="")
    game farkle
    preset farkle
    players Anna, Ben
    <BLANKLINE>
    # Anna, turn 1
    entered Anna 550
    """
    head = [f"game {game.game}"]
    if game.title:
        head.append(f"title {_title_text(game.title)}")
    if game.game == "farkle":
        head.append(f"preset {quoted(game.preset)}")
    head += [f"set {quoted(name)} {_value_text(value)}" for name, value in game.settings.items()]
    if game.players:
        head.append("players " + ", ".join(map(quoted, game.players)))
    notes = _turn_notes(game, rules_of) if comments and game.game == "farkle" else {}
    body: list[str] = []
    checks = list(game.checks)
    for index in range(len(game.events) + 1):
        while checks and checks[0].at <= index:
            says = checks.pop(0).says
            body.append(says if says.startswith("refused ") else f"check {says}")
        if index < len(game.events):
            if index in notes:
                body += ["", f"# {notes[index]}"]
            body.append(event_text(game.events[index]))
    if body and body[0]:
        body.insert(0, "")
    return "".join(f"{line}\n" for line in (*head, *body))


def event_text(event: AnyEvent) -> str:
    """Return the line of an event.

    >>> event_text(Seen(1_250_000_000, "Anna", (6, 6)))
    'seen 1.25 Anna: 6 6'
    """
    match event:
        case Rolled(faces):
            return f"rolled {spaced(faces)}"
        case SetAside(faces):
            return f"set_aside {spaced(faces)}"
        case Banked():
            return "banked"
        case TookOver():
            return "took_over"
        case Entered(player, points):
            return f"entered {quoted(player)} {points}"
        case Go(t_ns):
            return f"go {seconds(t_ns)}"
        case Seen(t_ns, player, faces):
            return f"seen {seconds(t_ns)} {quoted(player)}: {spaced(faces)}".rstrip()
        case Claimed(t_ns, player):
            return f"claimed {seconds(t_ns)} {quoted(player)}"
        case Declared(t_ns, player, faces):
            return f"declared {seconds(t_ns)} {quoted(player)}: {spaced(faces)}".rstrip()
        case Noted(t_ns, kind, player):  # pragma: no branch - there is no other event
            return f"{kind} {seconds(t_ns)} {quoted(player)}"


def parse(text: str) -> Game:
    """Return the game that a text says; whether its events are legal is not asked here.

    Raises:
        MalformedDocument: with the line, when a line is no part of a text of a game.
        BadLine: with line and index, when the words of an event cannot be understood.

    >>> parse("game farkle\\nplayers Anna, Ben\\nentered Anna 550").events
    (Entered(player='Anna', points=550),)
    """
    reader = _Reader()
    for number_, line in enumerate(text.split("\n"), start=1):
        reader.read(number_, line)
    return reader.game(len(text.split("\n")))


class _Reader:
    """Reads a text line by line."""

    def __init__(self) -> None:
        self.head: dict[str, Any] = {}
        self.settings: dict[str, object] = {}
        self.events: list[AnyEvent] = []
        self.lines: list[int] = []
        self.checks: list[Check] = []

    def game(self, line: int) -> Game:
        """Return what was read."""
        if "game" not in self.head:
            names = " or ".join(f"'game {name}'" for name in EVENT_WORDS)
            raise MalformedDocument(f"the text does not say which game it is; begin with {names}", line=line)
        return Game(
            **self.head,
            settings=self.settings,
            events=tuple(self.events),
            lines=tuple(self.lines),
            checks=tuple(self.checks),
        )

    def read(self, number_: int, line: str) -> None:
        """Take one line."""
        parts = _LINE.fullmatch(line)
        if parts is None:
            raise MalformedDocument("a quote is opened and not closed; close it", line=number_)
        words = parts[1].split(None, 1)
        if not words:
            return
        word, rest = words[0], (words[1].strip() if len(words) > 1 else "")
        try:
            self._take(number_, word, rest)
        except Unreadable as error:
            raise MalformedDocument(
                f"'{word}' cannot be understood: {error}; correct it", line=number_
            ) from error

    def _take(self, line: int, word: str, rest: str) -> None:
        if "game" not in self.head and word != "game":
            self.game(line)
        if word in _HEAD:
            self._take_head(line, word, rest)
        elif word == "check":
            says = canonical(rest)
            if subject_of(says, self._subjects) is None:
                hint = suggestion(says.partition(" ")[0], self._subjects)
                raise MalformedDocument(f"nothing is known of '{says}'; {hint}", line=line)
            self.checks.append(Check(len(self.events), says, line))
        else:
            try:
                self._take_event(line, word, rest)
            except MalformedEvent as error:
                bad = BadLine(error.message, index=len(self.events), line=line)
                bad.before = self.game(line)
                raise bad from error

    @property
    def _subjects(self) -> tuple[str, ...]:
        return _SUBJECTS[self.head["game"]]

    def _take_event(self, line: int, word: str, rest: str) -> None:
        if word == "refused":
            event = read_event(self.head["game"], rest)
            self.checks.append(Check(len(self.events), f"refused {event_text(event)}", line))
            return
        self.events.append(read_event(self.head["game"], f"{word} {rest}"))
        self.lines.append(line)

    def _take_head(self, line: int, word: str, rest: str) -> None:
        if self.events or self.checks:
            raise MalformedDocument(f"'{word}' stands after the first event; move it up", line=line)
        if not rest:
            raise MalformedDocument(
                f"'{word}' says nothing; write for example '{_EXAMPLES[word]}'", line=line
            )
        if word == "set":
            name, value = _setting(rest)
            if name in self.settings:
                raise MalformedDocument(f"'{name}' is set twice; leave one of the lines", line=line)
            self.settings[name] = value
            return
        if word in self.head:
            raise MalformedDocument(f"there are two lines '{word}'; leave one of them", line=line)
        value = _HEAD_VALUES[word](rest)
        if word == "game" and value not in EVENT_WORDS:
            raise MalformedDocument(
                f"'{rest}' is no game that is known; write 'game farkle' or 'game tenzi'", line=line
            )
        if word == "preset" and self.head["game"] == "tenzi":
            raise MalformedDocument("Tenzi has no presets; take the line out", line=line)
        self.head[word] = value


def _title_text(title: str) -> str:
    plain = title.isprintable() and title == title.strip() and not set(title) & set('"#')
    return title if plain else quoted(title)


def _title(rest: str) -> str:
    return unquoted(rest) if rest.startswith('"') else rest


_HEAD_VALUES: Mapping[str, Callable[[str], Any]] = {
    "game": unquoted,
    "title": _title,
    "preset": unquoted,
    "players": names_of,
}
_EXAMPLES = {
    "game": "game farkle",
    "title": "title Final of the club",
    "preset": "preset tiotusen",
    "set": "set opening 0",
    "players": "players Anna, Ben",
}


def _setting(rest: str) -> tuple[str, object]:
    """Return name and value of a setting; the value is JSON, anything else is a text."""
    found = re.fullmatch(r'("(?:[^"\\]|\\.)*"|\S+)(?:\s+(.*))?', rest, re.DOTALL)
    if found is None or found[2] is None:
        raise Unreadable(f"a name and a value are wanted, like 'opening 0', got {rest!r}")
    try:
        value = json.loads(found[2])
    except (ValueError, RecursionError):
        value = found[2]
    return unquoted(found[1]), value


def _value_text(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"[a-z][a-z_]*", value) and value not in _JSON_WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


_JSON_WORDS = ("true", "false", "null")


def read_event(game: str, words: str) -> AnyEvent:
    """Return the event of a line.

    Raises:
        MalformedEvent: with how it is written.
    """
    word, _, rest = words.strip().partition(" ")
    if word not in EVENT_WORDS[game]:
        known = (*EVENT_WORDS[game], *_HEAD, "check", "refused")
        raise MalformedEvent(f"'{word}' is no event of this game; {suggestion(word, known)}")
    try:
        return _READ[word](rest.strip())
    except Unreadable as error:
        raise MalformedEvent(f"'{word}' is written '{_SHAPES[word]}': {error}") from error


def _rolled(rest: str) -> AnyEvent:
    return event_from_json(["rolled", list(faces_of(rest))])


def _set_aside(rest: str) -> AnyEvent:
    return event_from_json(["set_aside", list(faces_of(rest))])


def _entered(rest: str) -> AnyEvent:
    player, points = _last_word(rest)
    return Entered(unquoted(player), number(points))


def _go(rest: str) -> AnyEvent:
    return Go(nanoseconds(rest))


def _seen(rest: str) -> AnyEvent:
    return Seen(*_lane(rest))


def _declared(rest: str) -> AnyEvent:
    return Declared(*_lane(rest))


def _lane(rest: str) -> tuple[int, str, tuple[int, ...]]:
    """Return time, player and faces of a lane."""
    time, _, others = rest.partition(" ")
    found = re.fullmatch(r'("(?:[^"\\]|\\.)*"|[^":]*):(.*)', others.strip())
    if found is None:
        raise Unreadable("a colon is wanted after the player")
    return nanoseconds(time), unquoted(found[1]), faces_of(found[2])


def _claimed(rest: str) -> AnyEvent:
    return Claimed(*_who(rest))


def _noted(kind: Literal["stray", "hand"]) -> Callable[[str], AnyEvent]:
    def read(rest: str) -> AnyEvent:
        t_ns, player = _who(rest)
        return Noted(t_ns, kind, player)

    return read


def _who(rest: str) -> tuple[int, str]:
    """Return time and player."""
    time, _, player = rest.partition(" ")
    return nanoseconds(time), unquoted(player)


def _alone(event: AnyEvent) -> Callable[[str], AnyEvent]:
    def read(rest: str) -> AnyEvent:
        if rest:
            raise Unreadable(f"nothing is wanted after it, got {rest!r}")
        return event

    return read


def _last_word(rest: str) -> tuple[str, str]:
    before, _, last = rest.rpartition(" ")
    return before, last


_SHAPES = {
    "rolled": "rolled 1 1 5 2 3 4",
    "set_aside": "set_aside 1 1",
    "banked": "banked",
    "took_over": "took_over",
    "entered": "entered Anna 1050",
    "go": "go 0",
    "seen": "seen 12.25 Anna: 6 6 6 2",
    "claimed": "claimed 12.5 Anna",
    "declared": "declared 3.5 Anna: 6",
    "stray": "stray 7.25 Anna",
    "hand": "hand 7.25 Anna",
}

_READ: Mapping[str, Callable[[str], AnyEvent]] = {
    "rolled": _rolled,
    "set_aside": _set_aside,
    "banked": _alone(Banked()),
    "took_over": _alone(TookOver()),
    "entered": _entered,
    "go": _go,
    "seen": _seen,
    "claimed": _claimed,
    "declared": _declared,
    "stray": _noted("stray"),
    "hand": _noted("hand"),
}


def _to_json(event: AnyEvent) -> list[object]:
    if isinstance(event, (Go, Seen, Claimed, Declared, Noted)):
        return tenzi_event_to_json(event)
    return event_to_json(event)


def _turn_notes(game: Game, rules_of: RulesOf) -> dict[int, str]:
    """Return whose turn begins at which event, as far as the events are legal."""
    return dict(_begun_turns(game, rules_of))


def _begun_turns(game: Game, rules_of: RulesOf) -> Iterator[tuple[int, str]]:
    try:
        state = farkle.start(rules_of(game.preset, game.settings), game.players)
        for index, event in enumerate(game.events):
            if state.turn.stage is farkle.Stage.START and state.seat is not None and state.to_act is not None:
                turn = len(state.turns[state.seat]) + 1
                yield index, f"{_in_a_comment(state.to_act)}, turn {turn}"
            state = farkle.apply(state, event)  # type: ignore[arg-type]  # a Farkle game has Farkle events
    except RulesError:
        return


def _in_a_comment(name: str) -> str:
    return " ".join(quoted(name).splitlines())
