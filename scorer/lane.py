"""What the referee is told about the table: plain numbers, no pictures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Zone = Literal["roll", "tray"]


@dataclass(frozen=True, slots=True)
class Seating:
    """Which lane is whose, and by what a turn may be banked without a key."""

    lanes: tuple[str, ...] = ()
    """The lane of each seat, in seat order; empty where all share one roll zone."""
    by_passing: bool = True
    """All dice thrown again, when they are not hot dice, are the next player's throw: the turn is banked."""
    by_lane: bool = True
    """A throw in the next player's lane banks the turn."""
    by_sign: bool = True
    """A hand held over the bank zone banks the turn."""
    sure_hot: bool = True
    """All dice that were thrown score and are thrown again in a shared zone: hot dice; else it is asked."""

    def seat_of(self, lane: str | None) -> int | None:
        """Return whose lane it is, or None for a lane of nobody."""
        return self.lanes.index(lane) if lane is not None and lane in self.lanes else None


@dataclass(frozen=True, slots=True)
class LaneDie:
    """One die at rest."""

    id: int
    """The same as long as the die lies where it lay, also while other dice are thrown."""
    value: int | None
    """The face on top, 1..6, or None when it could not be read."""
    sure: bool = True
    """Whether `value` is certain enough to be scored without asking."""
    moved: bool = True
    """Whether the die is new, or lies elsewhere, since the previous view of the same table."""
    cocked: bool = False
    """Whether it leans, lies on another die or stands on an edge: it has no value."""
    zone: Zone = "roll"
    """Where it lies; dice in the tray are set aside wherever they came from."""
    at: tuple[float, float] | None = None
    """Its place on the table in sizes of a die, from any fixed origin; None where it is not known."""
    colour: str | None = None
    """A word for its colour, for the statistics; it decides nothing."""

    @property
    def face(self) -> int | None:
        """The face if it may be scored, else None."""
        return self.value if self.sure and not self.cocked else None


@dataclass(frozen=True, slots=True)
class LaneView:
    """The dice of one lane (or of the whole table) at one rest."""

    t_ns: int
    """Time of the rest, nanoseconds on the clock of the source."""
    dice: tuple[LaneDie, ...]
    """All dice that lie there, in reading order: die 1 of a message is the first."""
    thrown: bool = True
    """False when the dice lay there before anybody moved: what was on the table when the watch began."""
    lane: str | None = None
    """Name of the lane, or None where all players share one roll zone."""
    lifted: frozenset[int] = frozenset()
    """Ids of dice that were seen to be gone from their places since the view before: they were taken up."""

    def die(self, ident: int) -> LaneDie | None:
        """Return the die with this id, or None."""
        return next((die for die in self.dice if die.id == ident), None)

    def with_dice(self, dice: Iterable[LaneDie]) -> LaneView:
        """Return the same view with other dice."""
        return replace(self, dice=tuple(dice))

    def lying_since(self, earlier: LaneView) -> frozenset[int]:
        """Return the ids of the dice of `earlier`, the view just before, that lie where they lay."""
        before = {die.id for die in earlier.dice}
        return frozenset(die.id for die in self.dice if not die.moved and die.id in before)
