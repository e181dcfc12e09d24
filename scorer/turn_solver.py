"""One turn, played best for any end: what it is worth when points are worth what the caller says.

`scorer.odds` asks for the most points of a turn. Here the end is free, a chance to win or a number of turns:

    rolled(t, n) = sum over the throws of n dice of chance * max over their selections s of after(t + s, left)
    after(t, n)  = max(bank(t), rolled(t, n)), each where the rules allow it

where `bank(t)` and the worth of a bust are given, for many standings of the game at once (the last axis of
every array). Every selection adds points, so the table is filled from the top down.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import factorial, gcd, prod

import numpy as np
import numpy.typing as npt

from scorer.rules import Rules
from scorer.scoring import score_table

Table = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Throws:
    """All throws of all numbers of dice. Those that offer the same are one class."""

    unit: int
    """All points are multiples of this."""
    dice: int
    """Dice of the game."""
    points: Indices
    """Points in units of every way to go on after a throw, shape (ways,)."""
    left: Indices
    """Dice left by it, same shape; 0: none may be thrown."""
    ways: tuple[Indices, ...]
    """The first, second, ... way of every class that has so many; classes with most ways come first."""
    chance: Table
    """How likely each class is, shape (dice + 2, classes): row n for n dice, the last for the first throw of
    a turn, which can win at once under rules of its own."""
    bust: Table
    """Chance that nothing scores, shape (dice + 2,)."""
    wins: Table
    """Chance of a throw that wins at once, same shape."""

    @property
    def first(self) -> int:
        """The row of the first throw of a turn."""
        return self.dice + 1

    @property
    def most(self) -> int:
        """The most points of one selection, in units."""
        return int(self.points.max())


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """The worth of every moment of a turn, for every standing."""

    throws: Throws
    """What can be thrown."""
    after: Table
    """With so many points and dice left, before banking or throwing: shape (points, dice + 1, standings)."""
    rolled: Table
    """When so many dice are thrown now: shape (points, dice + 2, standings); last row: the first throw."""
    bust: Table
    """What a bust is worth, shape (standings,)."""

    @property
    def begin(self) -> Table:
        """What the turn is worth before its first throw, shape (standings,)."""
        start: Table = self.rolled[0, self.throws.first]
        return start


def solve(rules: Rules, bank: Table, bust: Table, rows: Indices, *, win: float = 1.0) -> Turns:
    """Return the worth of a turn for several standings at once.

    Args:
        rules: the rules of the table.
        bank: worth of a bank of each total in units, shape (totals, standings), minus infinity where it is
            refused; at least `rows.max() + Throws.most` totals.
        bust: worth of a bust, shape (standings,); of a bank that writes nothing as well.
        rows: totals from which every turn is banked, in units, falling from standing to standing.
        win: worth of a throw that wins at once.
    """
    throws = throws_of(rules)
    highest, dice, standings = int(rows.max()), throws.dice, bank.shape[1]
    written = np.where(np.isneginf(bank), bust[None], bank)
    after = np.repeat(written[:, None], dice + 1, axis=1)
    flat = after.reshape(-1, standings)
    rolled = np.repeat(written[:highest, None], dice + 2, axis=1)
    place = throws.points * (dice + 1) + throws.left
    for total in range(highest - 1, -1, -1):
        # Standings whose turn may go on from here: the first ones, since `rows` falls.
        many = int(np.searchsorted(-rows, -total, side="left"))
        ways = flat[place + total * (dice + 1), :many]
        best = ways[throws.ways[0]]
        for which in throws.ways[1:]:
            part = best[: len(which)]
            np.maximum(part, ways[which], out=part)
        worth = throws.chance @ best
        worth += throws.bust[:, None] * bust[:many]
        worth += throws.wins[:, None] * win
        rolled[total, :, :many] = worth
        here = after[total, :, :many]
        np.maximum(bank[total, :many], worth[1 : dice + 1], out=here[1:])
        if rules.hot_dice == "must":
            here[dice] = worth[dice]
    return Turns(throws, after, rolled, bust)


@lru_cache(maxsize=32)
def throws_of(rules: Rules) -> Throws:
    """Return all throws of a table's dice."""
    table = score_table(rules)
    unit = gcd(rules.opening, rules.min_bank, rules.target, *(
        each.points for roll in table.all_rolls() for each in roll.selections
    ))  # fmt: skip
    classes: dict[tuple[tuple[int, int], ...], Counter[int]] = {}
    wins: Counter[int] = Counter()
    first = rules.dice + 1
    for roll in table.all_rolls():
        size = len(roll.dice)
        count = factorial(size) // prod(factorial(n) for n in Counter(roll.dice).values())
        best: dict[int, int] = {}
        for each in roll.selections:
            left = size - len(each.dice)
            if left == 0 and rules.hot_dice != "off":
                left = rules.dice
            best[left] = max(best.get(left, 0), each.points // unit)
        found = classes.setdefault(tuple(sorted(best.items())), Counter())
        alike = size == rules.dice and len(set(roll.dice)) == 1
        for row in (size, first) if size == rules.dice else (size,):
            if alike and (
                rules.instant_win == "six_of_a_kind" or (rules.instant_win == "five_first" and row == first)
            ):
                wins[row] += count
            else:
                found[row] += count
    rows = range(rules.dice + 2)
    sizes = np.array([1.0, *(6.0**n for n in range(1, rules.dice + 1)), 6.0**rules.dice])
    nothing = classes.pop((), Counter())
    order = sorted(classes, key=len, reverse=True)
    pairs = sorted({way for each in order for way in each})
    index = {way: number for number, way in enumerate(pairs)}
    longest = len(order[0]) if order else 0
    return Throws(
        unit=unit,
        dice=rules.dice,
        points=np.array([points for _, points in pairs], dtype=np.int64),
        left=np.array([left for left, _ in pairs], dtype=np.int64),
        ways=tuple(
            np.array([index[each[nth]] for each in order if len(each) > nth], dtype=np.int64)
            for nth in range(longest)
        ),
        chance=np.array([[classes[each][row] for each in order] for row in rows]) / sizes[:, None],
        bust=np.array([nothing[row] for row in rows]) / sizes,
        wins=np.array([wins[row] for row in rows]) / sizes,
    )
