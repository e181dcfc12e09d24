"""Are these dice fair, and was this luck? Counts of faces, and throws against what throws are worth.

Everything here comes with its number of observations and an error: ten throws prove nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, exp, factorial, pi, prod, sqrt

from scorer.rules import Rules
from scorer.scoring import counts_of, score_table

_LEAST = 30
"""Fewer faces give no p-value: the approximation wants five of each face to be expected (Cochran, "Some
methods for strengthening the common chi-squared tests", 1954)."""
_Z_95 = 1.959964
"""Of the normal distribution 95 % lie within so many standard deviations."""


@dataclass(frozen=True, slots=True)
class Faces:
    """How often dice showed each face."""

    counts: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    """Dice that showed 1, 2, ... 6."""

    @property
    def n(self) -> int:
        """How many faces were counted."""
        return sum(self.counts)

    @property
    def chi_square(self) -> float:
        """Pearson's statistic against fair dice, five degrees of freedom; 0 where nothing was counted."""
        expected = self.n / 6
        return sum((count - expected) ** 2 for count in self.counts) / expected if self.n else 0.0

    @property
    def p_value(self) -> float | None:
        """How often fair dice would be at least so uneven; None for fewer than 30 faces."""
        return chi_square_5_tail(self.chi_square) if self.n >= _LEAST else None

    def interval(self, face: int) -> tuple[float, float]:
        """Return the 95 % interval of the chance of a face.

        Wilson's score interval ("Probable inference, the law of succession, and statistical inference",
        1927); (0, 1) where nothing was counted.

        >>> low, high = Faces((10, 10, 10, 10, 10, 10)).interval(1)
        >>> round(low, 4), round(high, 4)
        (0.0931, 0.2803)
        """
        if not self.n:
            return 0.0, 1.0
        share, z2 = self.counts[face - 1] / self.n, _Z_95**2
        middle = share + z2 / (2 * self.n)
        half = _Z_95 * sqrt(share * (1 - share) / self.n + z2 / (4 * self.n**2))
        return (middle - half) / (1 + z2 / self.n), (middle + half) / (1 + z2 / self.n)

    def __add__(self, other: Faces) -> Faces:
        """Return both counts together."""
        one, two, three, four, five, six = (a + b for a, b in zip(self.counts, other.counts, strict=True))
        return Faces((one, two, three, four, five, six))


def faces_counted(faces: Iterable[int]) -> Faces:
    """Return how often each face is among these, for example all faces that the red dice showed.

    >>> faces_counted((1, 6, 6)).counts
    (1, 0, 0, 0, 0, 2)
    """
    return Faces(counts_of(faces))


def chi_square_5_tail(value: float) -> float:
    """Return the chance that chi-square with five degrees of freedom is at least `value`.

    The regularised upper incomplete gamma function Q(5/2, value/2), which for an odd number of degrees is
    elementary: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.4.4.

    >>> [round(chi_square_5_tail(x), 5) for x in (0.0, 4.35146, 11.0705, 15.0863)]
    [1.0, 0.5, 0.05, 0.01]
    """
    chi = sqrt(value)
    return erfc(chi / sqrt(2)) + sqrt(2 / pi) * exp(-value / 2) * (chi + chi**3 / 3)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a throw of so many dice is worth before it is thrown, exactly."""

    mean: float
    """Points of its best selection, on average."""
    variance: float
    """Variance of these points."""
    bust: float
    """Chance that nothing scores."""


@lru_cache(maxsize=256)
def expectation(rules: Rules, dice: int) -> Expectation:
    """Return what a throw of so many dice is worth under the rules, summed over all its outcomes.

    >>> from scorer.rules import preset
    >>> round(expectation(preset("farkle"), 1).mean, 6), expectation(preset("farkle"), 1).bust == 4 / 6
    (25.0, True)
    """
    total = squares = busts = 0
    for roll in score_table(rules).all_rolls():
        if len(roll.dice) == dice:
            ways = factorial(dice) // prod(factorial(count) for count in Counter(roll.dice).values())
            total += ways * roll.best
            squares += ways * roll.best**2
            busts += ways * roll.bust
    outcomes = 6**dice
    mean = total / outcomes
    return Expectation(mean, squares / outcomes - mean**2, busts / outcomes)
