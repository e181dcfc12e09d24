"""How many throws a Tenzi race takes, exactly: the most frequent face of the first throw is kept.

A die that does not show the face is thrown again until it does, so after the first throw each of the n - m
dice left needs a geometric number of throws with chance 1/6, and the slowest decides; m is how many dice of
the first throw show its most frequent face. The first throw counts.

>>> round(mean_rolls(10), 4), round(mean_rolls(10, named=True), 4), round(mean_rolls(10, players=4), 3)
(15.3485, 16.5648, 9.431)
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, sqrt

_MISS = 5 / 6
"""Chance that a die does not show the face."""
_TAIL = 1e-15
"""Chances smaller than this are left out of sums without end."""


@lru_cache(maxsize=64)
def mode_chances(dice: int) -> tuple[float, ...]:
    """Return the chance that the most frequent face of a throw is on exactly 0, 1, ... `dice` dice.

    The chance that no face is on more than m dice is the coefficient of x^dice in (sum x^k / k!, k to m)^6,
    times dice!/6^dice; worked out in whole numbers face by face.

    >>> [round(each, 4) for each in mode_chances(2)]
    [0.0, 0.8333, 0.1667]
    """
    at_most = [_no_face_above(dice, most) for most in range(dice + 1)]
    return tuple(
        float(Fraction(now - before, 6**dice)) for before, now in zip([0, *at_most], at_most, strict=False)
    )


def _no_face_above(dice: int, most: int) -> int:
    """Return how many of the 6^dice throws show no face more than `most` times."""
    ways = [1] + [0] * dice
    for _ in range(6):
        ways = [
            sum(comb(used, more) * ways[used - more] for more in range(min(most, used) + 1))
            for used in range(dice + 1)
        ]
    return ways[dice]


def done_within(rolls: int, dice: int = 10, *, named: bool = False) -> float:
    """Return the chance that one player shows all dice on one face after at most so many throws.

    `named`: the face was chosen before the first throw, and not by looking at it.

    >>> done_within(0), round(done_within(14), 3)
    (0.0, 0.527)
    """
    if rolls < 1:
        return 0.0
    if named:
        return float((1 - _MISS**rolls) ** dice)
    met = 1 - _MISS ** (rolls - 1)
    return sum(chance * met ** (dice - kept) for kept, chance in enumerate(mode_chances(dice)))


def mean_rolls(dice: int = 10, *, named: bool = False, players: int = 1) -> float:
    """Return how many throws the race takes on average until the first of so many players is done."""
    return sum(_going_on(dice, named, players))


def rolls_deviation(dice: int = 10, *, named: bool = False, players: int = 1) -> float:
    """Return the standard deviation of the number of throws.

    >>> round(rolls_deviation(10), 3)
    6.759
    """
    tail = _going_on(dice, named, players)
    mean = sum(tail)
    return sqrt(sum((2 * rolls + 1) * chance for rolls, chance in enumerate(tail)) - mean**2)


def median_rolls(dice: int = 10, *, named: bool = False) -> int:
    """Return the least number of throws within which at least every second race is done.

    >>> median_rolls(10)
    14
    """
    rolls = 1
    while done_within(rolls, dice, named=named) < 0.5:
        rolls += 1
    return rolls


def _going_on(dice: int, named: bool, players: int) -> list[float]:
    """Return the chance that nobody is done after 0, 1, 2, ... throws, as long as it is worth counting."""
    tail = [1.0]
    while tail[-1] > _TAIL:
        tail.append((1 - done_within(len(tail), dice, named=named)) ** players)
    return tail
