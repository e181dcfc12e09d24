"""What can be said about a game at one moment, one plain sentence each, made from its scoreboard.

A statement is a subject and a value: `totals` `Anna 1050, Ben 0`. A text of a game may hold statements; they
are compared with these, word by word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.words import listed, quoted, seconds, spaced

Statement = tuple[str, str]
"""(subject, value)."""

FARKLE_SUBJECTS = (
    "totals",
    "turns",
    "to_act",
    "turn",
    "must_roll",
    "offer",
    "phase",
    "winners",
    "standings",
)
"""First words of the statements about a game of the Farkle family."""
TENZI_SUBJECTS = ("wins", "winners", "round", "rolls", "finish", "claims", "flags")
"""First words of the statements about a Tenzi match; but for the first two, the number of a round follows."""


def statements(board: Mapping[str, Any]) -> tuple[Statement, ...]:
    """Return all that can be said about a scoreboard, as `scorer.replay.replay` answers it.

    >>> from scorer.replay import replay
    >>> game = {"game": "farkle", "players": ["Anna", "Ben"], "events": [["entered", "Anna", 550]]}
    >>> statements(replay(game))[:3]
    (('totals', 'Anna 550, Ben 0'), ('turns Anna', '550'), ('turns Ben', 'none'))
    """
    return tuple(_of_match(board) if "rounds" in board else _of_game(board))


def _of_game(board: Mapping[str, Any]) -> list[Statement]:
    turn, offer = board["turn"], board["turn"]["offer"]
    found = [("totals", _pairs(board["totals"]))]
    found += [(f"turns {quoted(name)}", spaced(turns) or "none") for name, turns in board["turns"].items()]
    return [
        *found,
        ("to_act", "nobody" if board["to_act"] is None else quoted(board["to_act"])),
        ("turn", f"{turn['points']} points, {_dice(turn['dice_left'])}"),
        ("must_roll", "yes" if turn["must_roll"] else "no"),
        ("offer", f"{offer['kind']} {offer['points']} points, {_dice(offer['dice'])}" if offer else "none"),
        ("phase", board["phase"]),
        ("winners", listed(board["winners"])),
        (
            "standings",
            ", ".join(f"{rank} {quoted(name)} {total}" for name, total, rank in board["standings"]),
        ),
    ]


def _of_match(board: Mapping[str, Any]) -> list[Statement]:
    found = [("wins", _pairs(board["wins"])), ("winners", listed(board["winners"]))]
    for index, each in enumerate(board["rounds"], start=1):
        winner = "replay" if each["replay"] else "nobody" if each["winner"] is None else None
        found += [
            (f"round {index}", winner or quoted(each["winner"])),
            (f"rolls {index}", _pairs(each["rolls"])),
            (f"finish {index}", _timed(each["finish_ns"].items())),
            (
                f"claims {index}",
                _joined(
                    f"{quoted(claim['player'])} {seconds(claim['t_ns'])} {claim['verdict']}"
                    for claim in each["claims"]
                ),
            ),
            (
                f"flags {index}",
                _joined(
                    f"{flag['kind']} {quoted(flag['player'])} {seconds(flag['t_ns'])}"
                    for flag in each["flags"]
                ),
            ),
        ]
    return found


def _pairs(values: Mapping[str, int]) -> str:
    return ", ".join(f"{quoted(name)} {value}" for name, value in values.items())


def _timed(values: Any) -> str:
    return _joined(f"{quoted(name)} {seconds(t_ns)}" for name, t_ns in values)


def _joined(parts: Any) -> str:
    return ", ".join(parts) or "none"


def _dice(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice"


def subject_of(says: str, subjects: Sequence[str]) -> str | None:
    """Return the subject with which a statement begins, or None.

    >>> subject_of("totals Anna 5", FARKLE_SUBJECTS), subject_of("weather fine", FARKLE_SUBJECTS)
    ('totals', None)
    """
    first = says.split(" ", 1)[0]
    return first if first in subjects else None
