"""What the browsers are told of the game, as JSON values: the view of every display, and what a phone needs.

A die has a number (`id`) by which corrections name it, the faces that are likeliest first, and its box in the
picture of the throw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from device.displays.palette import PLAYERS
from device.displays.view import ScoreView
from scorer.farkle import State, legal
from scorer.judge import bank_best

if TYPE_CHECKING:
    from device.session import Look, Session
    from scorer.lane import LaneDie
    from scorer.referee import Referee

TURNS_SHOWN = 30
"""Latest turns of a player that the board has."""


def lobby_state() -> dict[str, object]:
    """Return the state while nothing is played."""
    return {"kind": "lobby", "view": None}


def view_json(view: ScoreView) -> dict[str, object]:
    """Return a view as JSON values, with the colour of each player."""
    data = {name: value for name, value in asdict(view).items() if not isinstance(value, bytes)}
    for seat, player in enumerate(data["players"]):
        player["colour"] = "#{:02x}{:02x}{:02x}".format(*PLAYERS[seat % len(PLAYERS)])
    return {**data, "waiting": view.waiting, "chances_text": view.chances_text}


def session_state(session: Session, view: ScoreView) -> dict[str, object]:
    """Return the state of a game being played."""
    referee = session.referee
    game = referee.game
    look = session.look
    return {
        "kind": "farkle",
        "view": view_json(view),
        "game": session.game,
        "version": session.version,
        "typed": session.by_hand,
        "dice": _dice(referee, look),
        "picture": None if look is None or look.picture is None else f"/api/table/picture?t={look.t_ns}",
        "picture_size": None if look is None or look.picture is None else list(look.picture.shape[1::-1]),
        "question": _question(referee),
        "happened": list(session.happened),
        "said": session.advisor.words(game),
        "next": next_json(game),
        "turns": {
            name: list(turns[-TURNS_SHOWN:]) for name, turns in zip(game.players, game.turns, strict=True)
        },
        "events": len(referee.events),
    }


def next_json(game: State) -> dict[str, object]:
    """Return what may be done now: what every throw, bank and set-aside would be legal for."""
    may = legal(game)
    offer = game.offer
    return {
        "player": game.to_act,
        "stage": game.turn.stage.value,
        "roll": may.roll,
        "bank": bank_best(game) is not None,
        "take_over": None
        if may.take_over is None or offer is None
        else {"points": offer.points, "dice": offer.dice, "kind": offer.kind},
        "selections": [{"dice": list(each.dice), "points": each.points} for each in may.selections[:200]],
        "aside": list(game.turn.aside),
        "hot": game.turn.hot,
        "dice": game.rules.dice,
        "winners": [game.players[seat] for seat in game.winners],
    }


def _question(referee: Referee) -> dict[str, object] | None:
    question = referee.question
    if question is None:
        return None
    return {
        "kind": question.kind,
        "doubt": question.doubt.name.lower(),
        "seen": question.seen,
        "expected": question.expected,
        "reason": question.reason,
        "dice": list(question.dice),
        "options": list(question.options),
        "thrown_since": question.thrown_since,
    }


def _dice(referee: Referee, look: Look | None) -> list[dict[str, object]]:
    """Return the dice that are shown, in reading order."""
    view = referee.shown
    if view is None:
        return []
    seen = {} if look is None else {track.id: track.detection for track in look.dice}
    asked = set() if referee.question is None else set(referee.question.dice)
    dice: list[dict[str, object]] = []
    for die in view.dice:
        detection = seen.get(die.id)
        face = die.face if die.id in asked else referee.table.faces.get(die.id, die.face)
        dice.append(
            {
                "id": die.id,
                "face": face,
                "sure": face is not None,
                "cocked": die.cocked and die.id not in referee.table.faces,
                "kept": die.id in referee.table.kept,
                "asked": die.id in asked,
                "zone": die.zone,
                "lane": view.lane,
                "likely": _likely(die, face, None if detection is None else detection.faces),
                "box": None if detection is None else [round(each, 1) for each in detection.box_px],
            }
        )
    return dice


def _likely(die: LaneDie, face: int | None, faces: Sequence[float] | None) -> list[int]:
    """Return the six faces, the likeliest first; where nothing is known, in their order."""
    chances: Mapping[int, float] = {}
    if faces is not None:
        chances = dict(enumerate(faces, start=1))
    first = die.value if die.value is not None else face
    return sorted(range(1, 7), key=lambda value: (-chances.get(value, 0.0), value != first, value))
