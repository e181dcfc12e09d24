"""What the reader says about one die and about one picture."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from vision.frame import Image


class DieState(Enum):
    """How a die lies."""

    FLAT = "flat"
    """On one face; its value is the face on top."""
    COCKED = "cocked"
    """Leaning, stacked or on an edge: no value; to be thrown again."""


@dataclass(frozen=True, slots=True)
class Detection:
    """One die in one picture; coordinates in pixels of that picture, origin top left, y down."""

    value: int | None
    """The face on top, 1..6, or None when the reader cannot tell."""
    confidence: float
    """Calibrated probability, 0..1, that this is a die and that `value` is right."""
    sure: bool
    """Whether `confidence` is enough to score the die without asking."""
    state: DieState
    """Flat or cocked; a cocked die has no value."""
    box_px: tuple[float, float, float, float]
    """(x, y, width, height) of the box around the die."""
    centre_px: tuple[float, float]
    """(x, y) of the centre of the die."""
    faces: tuple[float, float, float, float, float, float]
    """Probability of each face 1..6, given that this is a flat die; sums to 1."""

    @property
    def size_px(self) -> float:
        """Geometric mean of the box sides, in pixels."""
        return float((self.box_px[2] * self.box_px[3]) ** 0.5)


@dataclass(frozen=True, slots=True)
class Reading:
    """All dice of one picture, ordered top to bottom, then left to right."""

    dice: tuple[Detection, ...]
    reasons: tuple[str, ...] = ()
    """Why the picture as a whole cannot be trusted (too dark, blown out, ...); empty when it can."""

    @property
    def sure(self) -> bool:
        """Whether every die found is sure and nothing speaks against the picture (true when empty)."""
        return not self.reasons and all(die.sure for die in self.dice)

    @property
    def values(self) -> tuple[int, ...]:
        """The sorted values of the sure flat dice."""
        return tuple(
            sorted(
                die.value
                for die in self.dice
                if die.sure and die.value is not None and die.state is DieState.FLAT
            )
        )


class DiceReader(Protocol):
    """Anything that finds and reads the dice of one picture (`vision.reader.Reader`, or a scripted fake)."""

    def read(
        self,
        image: Image,
        *,
        size_px: float | None = None,
        region_px: tuple[int, int, int, int] | None = None,
    ) -> Reading:
        """Read the dice of a (H, W, 3) uint8 BGR picture.

        `size_px` is the side of a die's box where it is known (the reader then searches no scale);
        `region_px` limits the search to (x, y, width, height); coordinates in the answer are always
        those of the whole picture.
        """
        ...
