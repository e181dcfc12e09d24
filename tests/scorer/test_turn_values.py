"""The exact worth of a turn under best play: one number that checks the whole table of a preset.

Value iteration over (points so far, dice to throw). The expected figures are those of the rule pages.
"""

from __future__ import annotations

from collections import Counter
from math import factorial, prod

import pytest

from scorer.rules import Rules, preset
from scorer.scoring import score_table

Way = tuple[float, tuple[tuple[int, int], ...]]
"""(chance, pairs (dice left, most points)) of throws that offer the same."""

STEP = 50
CAP = 12000
"""Turn totals beyond this are banked: they are too rare to be seen in the third decimal."""


def ways(rules: Rules) -> dict[int, list[Way]]:
    """What a throw of each number of dice offers, and how likely."""
    found: dict[int, Counter[tuple[tuple[int, int], ...]]] = {n: Counter() for n in range(1, rules.dice + 1)}
    for roll in score_table(rules).all_rolls():
        size = len(roll.dice)
        best: dict[int, int] = {}
        for each in roll.selections:
            left = size - len(each.dice) or rules.dice
            best[left] = max(best.get(left, 0), each.points)
        arrangements = factorial(size) // prod(factorial(n) for n in Counter(roll.dice).values())
        found[size][tuple(sorted(best.items()))] += arrangements
    return {size: [(n / 6**size, way) for way, n in each.items()] for size, each in found.items()}


def turn_value(rules: Rules, offers: dict[int, list[Way]], bust: float = 0.0) -> float:
    """The most that a turn is worth on average, where a bust is worth `bust`."""
    worth: dict[int, list[float]] = {}
    for total in range(CAP, -1, -STEP):
        row = [0.0] * (rules.dice + 1)
        for dice in range(1, rules.dice + 1):
            rolled = 0.0
            for chance, way in offers[dice]:
                after = [worth[total + p][left] if total + p <= CAP else total + p for left, p in way]
                rolled += chance * max(after, default=bust)
            row[dice] = max(total, rolled) if total >= max(rules.min_bank, STEP) else rolled
        worth[total] = row
    return worth[0][rules.dice]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("farkle", 542.063),
        ("ten-thousand", 590.661),
        ("10000", 590.661),
        ("tiotusen", 561.700),
        ("tiotusen-zilch", 599.923),
    ],
)
def test_a_turn_is_worth_what_the_rule_pages_say(name: str, expected: float) -> None:
    rules = preset(name)
    assert turn_value(rules, ways(rules)) == pytest.approx(expected, abs=0.0006)


def test_a_turn_of_zilch_is_worth_what_the_rule_pages_say_with_its_penalty() -> None:
    # The page's figure counts the penalty for three zilches in a row: the gain of a turn in the long run,
    # found by iterating the worth of standing at one and at two zilches in a row.
    rules = preset("zilch")
    offers = ways(rules)
    one, two = -11.187, -73.698
    for _ in range(2):
        gain = turn_value(rules, offers, one)
        one, two = (
            turn_value(rules, offers, two) - gain,
            turn_value(rules, offers, -rules.bust_penalty) - gain,
        )
    assert gain == pytest.approx(620.855, abs=0.002)
