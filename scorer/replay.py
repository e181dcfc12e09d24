"""A whole game from one document: the events in, the scoreboard out.

The document and the answer are plain JSON values; their form is the project's contract for `replay`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scorer import tenzi
from scorer.errors import BadPlayers, IllegalEvent, MalformedDocument, shown
from scorer.events import event_from_json
from scorer.farkle import State, apply, standings, start
from scorer.rules import DEFAULT_PRESET, Rules, make_rules


@dataclass(frozen=True, slots=True)
class FarkleGame:
    """What a Farkle document says before its first event."""

    rules: Rules
    """The rules: preset, the document's settings, the caller's settings, in this order."""
    players: tuple[str, ...]
    """Names in seat order."""
    events: tuple[object, ...]
    """The events as they stand in the document, not yet read."""


def replay(document: object, overrides: Mapping[str, object] | None = None) -> dict[str, object]:
    """Play the document's events and return the final scoreboard; `overrides` change its settings.

    Raises:
        MalformedDocument, UnknownPreset, UnknownSetting, BadSetting, BadPlayers: nothing was played.
        IllegalEvent: with the index of the event; nothing after it was played.

    >>> replay({"game": "farkle", "players": ["Anna", "Ben"], "events": [["entered", "Anna", 550]]})["totals"]
    {'Anna': 550, 'Ben': 0}
    """
    data = _object(document)
    return _GAMES[game_name(data)](data, overrides or {})


def farkle_state(document: object, overrides: Mapping[str, object] | None = None) -> State:
    """Play the events of a Farkle document and return the last state. Raises as `replay` does."""
    game = read_farkle(_object(document), overrides or {})
    state = start(game.rules, game.players)
    for index, value in enumerate(game.events):
        try:
            state = apply(state, event_from_json(value))
        except IllegalEvent as error:
            raise error.at(index) from error
    return state


def read_farkle(data: Mapping[str, object], overrides: Mapping[str, object]) -> FarkleGame:
    """Read rules, players and the list of events of a Farkle document. Raises as `replay` does."""
    rules = make_rules(data.get("preset", DEFAULT_PRESET), {**settings_of(data), **overrides})
    players = _list(data, "players")
    state = start(rules, players)  # type: ignore[arg-type]  # start says what is wrong with a name
    return FarkleGame(rules, state.players, tuple(_list(data, "events")))


def scoreboard(state: State) -> dict[str, object]:
    """Return the answer of `replay` for a Farkle state."""
    turn, offer = state.turn, state.offer
    return {
        "totals": dict(zip(state.players, state.totals, strict=True)),
        "turns": {name: list(turns) for name, turns in zip(state.players, state.turns, strict=True)},
        "to_act": state.to_act,
        "turn": {
            "points": turn.points,
            "dice_left": turn.dice_left,
            "must_roll": state.must_roll,
            "offer": None
            if offer is None
            else {"points": offer.points, "dice": offer.dice, "kind": offer.kind},
        },
        "phase": state.phase.value,
        "finished": state.finished,
        "winners": [state.players[seat] for seat in state.winners],
        "standings": [list(line) for line in standings(state)],
    }


def _replay_farkle(data: Mapping[str, object], overrides: Mapping[str, object]) -> dict[str, object]:
    return scoreboard(farkle_state(data, overrides))


def _replay_tenzi(data: Mapping[str, object], overrides: Mapping[str, object]) -> dict[str, object]:
    rules = tenzi.tenzi_rules({**settings_of(data), **overrides})
    match = tenzi.start(rules, _list(data, "players"))  # type: ignore[arg-type]  # start says what is wrong
    for index, value in enumerate(_list(data, "events")):
        try:
            match = tenzi.apply(match, tenzi.tenzi_event(value))
        except IllegalEvent as error:
            raise error.at(index) from error
    return tenzi.match_board(match)


_GAMES: Mapping[str, Callable[[Mapping[str, object], Mapping[str, object]], dict[str, object]]] = {
    "farkle": _replay_farkle,
    "tenzi": _replay_tenzi,
}


def _object(document: object) -> Mapping[str, object]:
    if not isinstance(document, Mapping):
        raise MalformedDocument(
            f"a game document is a JSON object with game, players and events, got {shown(document)}"
        )
    return document


def game_name(data: Mapping[str, object]) -> str:
    """Return which game a document is, `farkle` or `tenzi`.

    Raises:
        MalformedDocument: it does not say so, or names another.
    """
    games = " or ".join(f'"{name}"' for name in _GAMES)
    if "game" not in data:
        raise MalformedDocument(f'the document does not say which game it is; add "game": {games}')
    name = data["game"]
    if not isinstance(name, str) or name not in _GAMES:
        raise MalformedDocument(f"'game' must be {games}, got {shown(name)}; correct the document")
    return name


def settings_of(data: Mapping[str, object]) -> Mapping[str, object]:
    """Return the settings of a document.

    Raises:
        MalformedDocument: they are no object.
    """
    settings = data.get("settings")
    if settings is not None and not isinstance(settings, Mapping):
        raise MalformedDocument(f"'settings' must be an object of names and values, got {shown(settings)}")
    return settings or {}


def event_list(data: Mapping[str, object]) -> list[object]:
    """Return the events of a document, not yet read.

    Raises:
        MalformedDocument: there is no such list.
    """
    return _list(data, "events")


def players_list(data: Mapping[str, object]) -> tuple[str, ...]:
    """Return the players of a document.

    Raises:
        MalformedDocument: there is no such list.
        BadPlayers: one of them is no text.
    """
    players = _list(data, "players")
    for name in players:
        if not isinstance(name, str):
            raise BadPlayers(f"a player's name must be a text, got {shown(name)}; give a name")
    return tuple(map(str, players))


def _list(data: Mapping[str, object], key: str) -> list[object]:
    if key not in data:
        raise MalformedDocument(f"the document has no '{key}'; add a list, empty where there are none")
    value = data[key]
    if not isinstance(value, list):
        raise MalformedDocument(f"'{key}' must be a list, got {shown(value)}; correct the document")
    return value
