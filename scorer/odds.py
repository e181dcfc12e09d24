"""What a turn is worth: exact odds for any rules, by value iteration over (points so far, dice to throw).

A turn is worth the most points that a player can expect to write in it who looks at nothing but this turn:
    rolled(t, n) = sum over the throws of n dice of chance * max over their selections s of after(t + s, left)
    after(t, n)  = max(what a bank of t writes, rolled(t, n)), each where the rules allow it
with all dice again after hot dice, and a bust worth nothing. Every selection adds points, so the table is
filled from the top down, as many totals at once as the smallest selection is worth. Totals beyond `CAP` are
banked, which moves no figure by a thousandth of a point under any shipped preset.

A penalty for busts in a row makes a bust worth less the more of them came before. What a turn is worth then
is the average over many turns, found by iterating the relative values of standing at 0, 1, 2, ... busts in a
row (Howard, "Dynamic Programming and Markov Processes", 1960).

Not counted: what a turn does to the others (steal, piggyback), the target, and the last round. A throw that
wins at once counts as the points of the target.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import factorial, gcd, prod
from typing import Literal

import numpy as np
import numpy.typing as npt

from scorer.dice_luck import expectation
from scorer.errors import BadDice, BadSetting, shown
from scorer.rules import Rules
from scorer.scoring import RollScore, Selection, score_table

CAP = 12000
"""Turn totals beyond this are banked."""
_CLOSE = 1e-6
"""Relative values are iterated until none moves by more, in points."""
_LONGEST_ROW = 15
"""Nobody sees a longer row of busts: one turn in three is a bust, so a penalty for it moves no figure."""

Table = npt.NDArray[np.float64]
Then = Literal["bank", "roll"]


@dataclass(frozen=True, slots=True, eq=False)
class _Throws:
    """All throws of one number of dice that offer the same, padded to one length."""

    chance: Table
    """How likely each is, shape (throws,)."""
    points: npt.NDArray[np.int64]
    """Points of each way to go on, in units, shape (throws, ways)."""
    left: npt.NDArray[np.int64]
    """Dice left by it, same shape; 0: none may be thrown. A throw with fewer ways repeats its last."""
    bust: float
    """Chance that nothing scores."""
    wins: float
    """Chance of a throw that wins at once."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnOdds:
    """The worth of every moment of a turn."""

    rules: Rules
    """The rules."""
    opened: bool
    """Whether the player has opened."""
    unit: int
    """All points are multiples of this."""
    rolled: Table
    """Expected points of a throw, shape (totals in units up to `CAP`, dice + 1)."""
    banked: Table
    """What a bank writes, shape (totals,); minus infinity where it is refused."""

    @property
    def value(self) -> float:
        """What the turn is worth before its first throw."""
        return float(self.rolled[0, self.rules.dice])

    def roll_value(self, total: int, dice: int) -> float:
        """Return what a turn of `total` points is worth on average if `dice` dice are thrown now."""
        _check_place(self.rules, total, dice)
        return float(self.rolled[min(total, CAP) // self.unit, dice]) if total <= CAP else float(total)

    def bank_value(self, total: int) -> float | None:
        """Return what a bank of `total` points writes; None where the rules refuse it."""
        written = self.banked[min(total, CAP) // self.unit]
        if np.isneginf(written):
            return None
        return float(total) if written else 0.0

    def best(self, total: int, dice: int, *, hot: bool = False) -> tuple[Then, float]:
        """Return what to do with so many points and dice left (0: none may be thrown), and its worth."""
        bank = self.bank_value(total)
        if hot and self.rules.hot_dice == "must":
            bank = None
        if dice == 0:
            return "bank", bank or 0.0
        roll = self.roll_value(total, dice)
        return ("roll", roll) if bank is None or roll > bank else ("bank", bank)

    def bank_from(self, dice: int) -> int | None:
        """Return the least total from which banking is best, with so many dice left; None: throw always.

        >>> from scorer.rules import preset
        >>> [turn_odds(preset("ten-thousand")).bank_from(dice) for dice in (1, 2, 3)]
        [350, 250, 450]
        """
        if dice == self.rules.dice and self.rules.hot_dice == "must":
            return None
        throw_on = np.flatnonzero(self.rolled[:, dice] > self.banked)
        first = 0 if not len(throw_on) else int(throw_on[-1]) + 1
        return None if first >= len(self.banked) else first * self.unit


@dataclass(frozen=True, slots=True)
class Choice:
    """A selection of a throw, and what comes of it."""

    dice: tuple[int, ...]
    """What is set aside."""
    points: int
    """What it is worth."""
    why: str
    """The reason in words."""
    dice_left: int
    """How many dice the next throw would take; 0: none may be thrown."""
    then: Then
    """What to do after it."""
    expected: float
    """What the turn is worth on average then."""


@dataclass(frozen=True, slots=True)
class Odds:
    """The odds of a table's rules."""

    without_penalty: float
    """Points that a turn of an opened player is worth, no penalty counted."""
    with_penalty: float
    """The same on average over many turns, penalties counted; equal where there are none."""
    bust: tuple[float, ...]
    """Chance that a throw of 1, 2, ... dice scores nothing."""
    bank_from: tuple[int | None, ...]
    """With 1, 2, ... dice left: the least total from which banking is best; None: throw always."""
    unopened: float | None
    """Points that a turn is worth on average to a player who has not opened; None where nobody has to."""
    unopened_bank_from: tuple[int | None, ...]
    """The same as `bank_from` for him; empty where nobody has to open."""

    turn_value: float
    """The figure that people quote: with the penalty where only busts bring it, else without it.

    Where written zeros count to the row too (`count_unopened_zero`), what stands before a turn depends on
    more than busts, and the published figure (`tiotusen`) leaves the penalty out."""


@lru_cache(maxsize=32)
def turn_odds(rules: Rules, *, opened: bool = True, bust: float = 0.0) -> TurnOdds:
    """Return the worth of every moment of a turn, where a bust is worth `bust` points.

    >>> from scorer.rules import preset
    >>> round(turn_odds(preset("farkle")).value, 3)
    542.063
    """
    unit, throws = _unit(rules), _throws(rules)
    rows = CAP // unit + 1
    points = [each.points for each in throws.values() if each.points.size]
    most = max((int(each.max()) for each in points), default=0)
    totals = np.arange(rows + most, dtype=np.int64) * unit
    banked = _banked(rules, totals, opened=opened)
    rolled = np.zeros((rows + most, rules.dice + 1))
    after = np.repeat(totals[:, None].astype(np.float64), rules.dice + 1, axis=1)
    step = min((int(each.min()) for each in points), default=rows)
    for top in range(rows, 0, -step):
        here = np.arange(max(0, top - step), top)
        for dice, each in throws.items():
            if each.points.size:
                ways = after[here[:, None, None] + each.points[None], each.left[None]]
                rolled[here, dice] = ways.max(axis=2) @ each.chance
            rolled[here, dice] += each.bust * bust + each.wins * rules.target
        after[here] = np.maximum(banked[here, None], rolled[here])
        after[here, 0] = np.maximum(banked[here], 0.0)  # no throw may follow, so a refused bank writes 0
        if rules.hot_dice == "must":
            after[here, rules.dice] = rolled[here, rules.dice]
    if rules.instant_win == "five_first":  # only before the first throw are there no points and all dice
        rolled[0, rules.dice] = _first_throw(rules, after, unit, bust)
    for array in (rolled, banked):
        array.flags.writeable = False
    return TurnOdds(rules, opened, unit, rolled[:rows], banked[:rows])


def _first_throw(rules: Rules, after: Table, unit: int, bust: float) -> float:
    """Return what the first throw of a turn is worth where all dice alike win at once."""
    worth = 0.0
    for roll in score_table(rules).all_rolls():
        if len(roll.dice) == rules.dice:
            ways = factorial(rules.dice) // prod(factorial(n) for n in Counter(roll.dice).values())
            best = max((_after(rules, after, each, unit) for each in roll.selections), default=bust)
            worth += ways * (rules.target if len(set(roll.dice)) == 1 else best)
    return float(worth / 6**rules.dice)


def _after(rules: Rules, after: Table, selection: Selection, unit: int) -> float:
    left = rules.dice - len(selection.dice)
    if left == 0 and rules.hot_dice != "off":
        left = rules.dice
    return float(after[selection.points // unit, left])


@lru_cache(maxsize=32)
def odds(rules: Rules) -> Odds:
    """Return the odds of a table's rules.

    >>> from scorer.rules import preset
    >>> [round(odds(preset(name)).turn_value, 3) for name in ("zilch", "tiotusen")]
    [620.855, 561.7]
    """
    plain = turn_odds(rules)
    average = long_run(rules)[0] if rules.bust_penalty else plain.value
    closed = turn_odds(rules, opened=False) if rules.opening else None
    sizes = range(1, rules.dice + 1)
    return Odds(
        without_penalty=plain.value,
        with_penalty=average,
        bust=tuple(expectation(rules, dice).bust for dice in sizes),
        bank_from=tuple(plain.bank_from(dice) for dice in sizes),
        unopened=None if closed is None else closed.value,
        unopened_bank_from=() if closed is None else tuple(closed.bank_from(dice) for dice in sizes),
        turn_value=plain.value if rules.count_unopened_zero else average,
    )


def long_run(rules: Rules) -> tuple[float, tuple[float, ...]]:
    """Return what a turn of an opened player is worth on average over many turns, and the relative values.

    They are the worth of standing at 0, 1, 2, ... busts in a row, in points beside standing at none.
    """
    if rules.bust_streak > _LONGEST_ROW:
        return turn_odds(rules).value, (0.0,) * rules.bust_streak
    values = [0.0] * rules.bust_streak
    average, moved = 0.0, _CLOSE
    while moved >= _CLOSE:
        after_bust = [*values[1:], float(-rules.bust_penalty)]
        worths = [turn_odds(rules, bust=round(each, 9)).value for each in after_bust]
        average, before = worths[0], values
        values = [worth - average for worth in worths]
        moved = max(abs(now - then) for now, then in zip(values, before, strict=True))
    return average, tuple(values)


def choices(rules: Rules, roll: Sequence[int], *, total: int = 0, opened: bool = True) -> tuple[Choice, ...]:
    """Return every legal selection of a throw with what it comes to, best first; none for a bust.

    `total` are the points of the turn before the throw.

    Raises:
        BadDice: faces that no throw of the game can show.
        BadSetting: a total that no turn can have.

    >>> from scorer.rules import preset
    >>> best = choices(preset("farkle"), (1, 5, 2, 2, 3, 4))[0]
    >>> best.dice, best.then, round(best.expected, 1)
    ((1,), 'roll', 370.1)
    """
    table = turn_odds(rules, opened=opened)
    score: RollScore = score_table(rules).of(tuple(roll))
    _check_place(rules, total, len(score.dice))
    found = []
    for each in score.selections:
        left = len(score.dice) - len(each.dice)
        hot = left == 0
        if hot and rules.hot_dice != "off":
            left = rules.dice
        then, expected = table.best(total + each.points, left, hot=hot)
        found.append(Choice(each.dice, each.points, each.why, left, then, expected))
    return tuple(sorted(found, key=lambda choice: (-choice.expected, -choice.points, len(choice.dice))))


def _banked(rules: Rules, totals: npt.NDArray[np.int64], *, opened: bool) -> Table:
    """Return what a bank of each total writes; minus infinity where it is refused."""
    written = totals.astype(np.float64)
    refused = np.zeros(len(totals), dtype=bool)
    refused[0] = True  # nothing was set aside yet
    if not opened and rules.opening:
        below = totals < rules.opening
        if rules.opening_below == "write_zero":
            written[below] = 0.0
        else:
            refused |= below
    else:
        refused |= totals < rules.min_bank
    written[refused] = -np.inf
    return written


@lru_cache(maxsize=32)
def _unit(rules: Rules) -> int:
    every = (each.points for roll in score_table(rules).all_rolls() for each in roll.selections)
    return gcd(CAP, rules.opening, rules.min_bank, *every)


@lru_cache(maxsize=32)
def _throws(rules: Rules) -> dict[int, _Throws]:
    """Return what a throw of each number of dice offers; throws that offer the same are one."""
    unit = _unit(rules)
    ways: dict[int, Counter[tuple[tuple[int, int], ...]]] = {n: Counter() for n in range(1, rules.dice + 1)}
    wins: Counter[int] = Counter()
    for roll in score_table(rules).all_rolls():
        size = len(roll.dice)
        count = factorial(size) // prod(factorial(n) for n in Counter(roll.dice).values())
        # A win by the first throw of a turn (`five_first`) is put in by `_first_throw`.
        if size == rules.dice and len(set(roll.dice)) == 1 and rules.instant_win == "six_of_a_kind":
            wins[size] += count
            continue
        best: dict[int, int] = {}
        for each in roll.selections:
            left = size - len(each.dice)
            if left == 0 and rules.hot_dice != "off":
                left = rules.dice
            best[left] = max(best.get(left, 0), each.points // unit)
        ways[size][tuple(sorted(best.items()))] += count
    return {size: _padded(size, each, wins[size]) for size, each in ways.items()}


def _padded(size: int, ways: Counter[tuple[tuple[int, int], ...]], wins: int) -> _Throws:
    scoring = [(way, count) for way, count in ways.items() if way]
    longest = max((len(way) for way, _ in scoring), default=0)
    padded = [[*way, *[way[-1]] * (longest - len(way))] for way, _ in scoring]
    both = np.array(padded, dtype=np.int64).reshape(len(scoring), longest, 2)
    return _Throws(
        chance=np.array([count / 6**size for _, count in scoring]),
        points=both[:, :, 1],
        left=both[:, :, 0],
        bust=ways[()] / 6**size,
        wins=wins / 6**size,
    )


def _check_place(rules: Rules, total: int, dice: int) -> None:
    if isinstance(dice, bool) or not isinstance(dice, int) or not 1 <= dice <= rules.dice:
        raise BadDice(f"1 to {rules.dice} dice can be thrown, got {shown(dice)}; give another number")
    if isinstance(total, bool) or not isinstance(total, int) or not 0 <= total <= 1_000_000:
        raise BadSetting(f"the points of a turn are 0 or more, got {shown(total)}; give another number")
