"""The events of a Farkle game: what players do, in the past tense. Everything else is derived.

As JSON an event is a list whose first item is its name: `["rolled", [1, 5, 2, 2, 3, 4]]`, `["banked"]`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from scorer.errors import BadDice, MalformedEvent, shown, suggestion
from scorer.scoring import check_faces


@dataclass(frozen=True, slots=True)
class Rolled:
    """The player to act has thrown dice."""

    faces: tuple[int, ...]
    """The faces, in any order; as many as are to be thrown."""
    colours: tuple[str | None, ...] = field(default=(), compare=False, repr=False)
    """The colour of each die, in the order of the faces, None for one that is not known; empty where nobody
    looked. Evidence and no part of the event: two throws of the same faces are equal, and JSON has none."""

    def __post_init__(self) -> None:
        """Check that the colours, where there are any, go with the faces."""
        if self.colours and len(self.colours) != len(self.faces):
            raise MalformedEvent(
                f"{len(self.faces)} faces have {len(self.colours)} colours; give one a die, or none at all"
            )


@dataclass(frozen=True, slots=True)
class SetAside:
    """The player to act has put scoring dice of the last throw aside."""

    faces: tuple[int, ...]
    """The faces, in any order; a legal selection of the last throw."""


@dataclass(frozen=True, slots=True)
class Banked:
    """The player to act has ended the turn and writes its points."""


@dataclass(frozen=True, slots=True)
class TookOver:
    """The player to act has taken the standing offer and is about to throw its dice."""


@dataclass(frozen=True, slots=True)
class Entered:
    """A turn typed by hand into the score sheet."""

    player: str
    """The name of the player to act."""
    points: int
    """Any whole number."""


Event = Rolled | SetAside | Banked | TookOver | Entered

_SHAPES = {
    "rolled": '["rolled", [faces]]',
    "set_aside": '["set_aside", [faces]]',
    "banked": '["banked"]',
    "took_over": '["took_over"]',
    "entered": '["entered", player, points]',
}


def event_to_json(event: Event) -> list[object]:
    """Return the event as the list that documents have.

    >>> event_to_json(Rolled((1, 5)))
    ['rolled', [1, 5]]
    """
    match event:
        case Rolled(faces):
            return ["rolled", list(faces)]
        case SetAside(faces):
            return ["set_aside", list(faces)]
        case Banked():
            return ["banked"]
        case TookOver():
            return ["took_over"]
        case Entered(player, points):  # pragma: no branch - there is no other event
            return ["entered", player, points]


def event_from_json(value: object) -> Event:
    """Read an event from the list that documents have.

    Raises:
        MalformedEvent: with the shape that was wanted.

    >>> event_from_json(["entered", "Anna", -1000])
    Entered(player='Anna', points=-1000)
    """
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        raise MalformedEvent(f"an event is a list that begins with its name, got {shown(value)}")
    name, arguments = value[0], value[1:]
    if name not in _SHAPES:
        raise MalformedEvent(f"'{name}' is no event of this game; {suggestion(name, _SHAPES)}")
    match name, arguments:
        case "rolled", [list() as faces]:
            return Rolled(_faces(faces))
        case "set_aside", [list() as faces]:
            return SetAside(_faces(faces))
        case "banked", []:
            return Banked()
        case "took_over", []:
            return TookOver()
        case "entered", [str() as player, int() as points] if not isinstance(points, bool):
            return Entered(player, points)
        case _:
            raise MalformedEvent(f"the event '{name}' is written {_SHAPES[name]}, got {shown(value)}")


def _faces(faces: list[object]) -> tuple[int, ...]:
    try:
        return check_faces(faces)
    except BadDice as error:
        raise MalformedEvent(str(error)) from error
