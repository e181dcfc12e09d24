"""The odds of a turn: the anchors of the rule pages, a slow recursion, and turns that are played."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import sqrt
from random import Random

import numpy as np
import pytest

from scorer.errors import BadDice, BadSetting
from scorer.odds import CAP, TurnOdds, choices, long_run, odds, turn_odds
from scorer.rules import Rules, preset, preset_names
from scorer.scoring import score_table


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("zilch", 620.855),
        ("farkle", 542.063),
        ("ten-thousand", 590.661),
        ("10000", 590.661),
        ("tiotusen", 561.700),
        ("tiotusen-zilch", 599.923),
    ],
)
def test_the_anchors_of_the_rule_pages(name: str, expected: float) -> None:
    assert odds(preset(name)).turn_value == pytest.approx(expected, abs=0.001)


def test_the_odds_of_a_bust() -> None:
    assert odds(preset("farkle")).bust == pytest.approx((2 / 3, 4 / 9, 5 / 18, 17 / 108, 25 / 324, 5 / 216))
    without = preset("farkle").replace(three_pairs=0)
    assert odds(without).bust[5] == pytest.approx(5 / 162)


def test_a_penalty_for_busts_in_a_row_lowers_the_average() -> None:
    found = odds(preset("tiotusen"))
    assert found.with_penalty < found.without_penalty == found.turn_value
    average, values = long_run(preset("zilch"))
    assert average == pytest.approx(620.855, abs=0.001)
    assert values == pytest.approx((0, -11.187, -73.698), abs=0.001)
    never = odds(preset("zilch").replace(bust_streak=100))
    assert never.with_penalty == never.without_penalty
    every = odds(preset("farkle").replace(bust_penalty=100, bust_streak=1))
    assert every.turn_value == every.with_penalty < every.without_penalty


def slow_value(rules: Rules, table: TurnOdds, total: int, dice: int) -> float:
    """What a throw is worth, throw by throw over all 6^dice outcomes; what follows it is looked up."""
    worth = 0.0
    for roll in product(range(1, 7), repeat=dice):
        if rules.instant_win == "six_of_a_kind" and len(set(roll)) == 1 and dice == 6:
            worth += rules.target
            continue
        if rules.instant_win == "five_first" and len(set(roll)) == 1 and (total, dice) == (0, 5):
            worth += rules.target
            continue
        ways = []
        for each in score_table(rules).of(roll).selections:
            left, points = dice - len(each.dice), total + each.points
            hot = left == 0
            if rules.opening and not table.opened:
                bank = points if points >= rules.opening else None
                if bank is None and rules.opening_below == "write_zero":
                    bank = 0
            else:
                bank = points if points >= rules.min_bank else None
            if hot and rules.hot_dice == "off":
                ways.append(float(bank or 0))
                continue
            after = table.roll_value(points, rules.dice if hot else left)
            if bank is None or (hot and rules.hot_dice == "must"):
                ways.append(after)
            else:
                ways.append(max(after, bank))
        worth += max(ways, default=0.0)
    return float(worth / 6**dice)


@pytest.mark.parametrize(
    ("rules", "opened"),
    [
        (preset("farkle"), True),
        (preset("farkle"), False),
        (preset("tiotusen"), False),
        (preset("zilch"), True),
        (preset("hot-dice-five"), True),
        (preset("hot-dice-five").replace(straight_low=70, single_5=30), True),
        (preset("farkle").replace(hot_dice="must"), True),
        (preset("farkle").replace(hot_dice="off", min_bank=400), True),
        (preset("tiotusen-zilch").replace(keep_all=True, instant_win="six_of_a_kind"), True),
    ],
)
def test_every_moment_is_worth_what_follows_from_the_next(rules: Rules, opened: bool) -> None:
    table = turn_odds(rules, opened=opened)
    for total in (0, 50 * 8, 1000):
        for dice in range(1, 5):
            expected = slow_value(rules, table, total, dice)
            assert table.roll_value(total, dice) == pytest.approx(expected, abs=1e-9), (total, dice)
    assert table.value == pytest.approx(slow_value(rules, table, 0, rules.dice), abs=1e-9)


def test_two_dice_of_a_tiny_game_by_hand() -> None:
    # Only 1s score, 100 each; all dice aside means bank. One die: 100/6. Two dice in a turn of 0 points: with
    # one 1 (10/36) banking 100 beats throwing on (1/6 * 200); with two 1s (1/36) it is 200.
    poor = preset("hot-dice-five").replace(
        single_5=0, triple_1=0, triple_mult=0, n_kind="none", hot_dice="off", instant_win="none"
    )
    table = turn_odds(poor)
    assert table.roll_value(0, 1) == pytest.approx(100 / 6)
    assert table.roll_value(0, 2) == pytest.approx((10 * 100 + 200) / 36)
    nothing = turn_odds(poor.replace(single_1=0))
    assert nothing.value == 0.0


def played(rules: Rules, random: Random) -> float:
    """Play one turn as the odds say; return what it writes."""
    total, dice = 0, rules.dice
    while True:
        ranked = best_choices(rules, tuple(sorted(random.choices(range(1, 7), k=dice))), total)
        if not ranked:
            return 0.0
        total, dice = total + ranked[0].points, ranked[0].dice_left
        if ranked[0].then == "bank":
            return float(total)


best_choices = lru_cache(maxsize=None)(lambda rules, roll, total: choices(rules, roll, total=total))


@pytest.mark.parametrize("name", ["farkle", "tiotusen-zilch"])
def test_turns_that_are_played_so_are_worth_so_much(name: str) -> None:
    random = Random(1201)
    turns = np.array([played(preset(name), random) for _ in range(3000)])
    error = turns.std() / sqrt(len(turns))
    assert turns.mean() == pytest.approx(turn_odds(preset(name)).value, abs=2 * error)


def test_bank_from_is_where_banking_becomes_best_and_stays_so() -> None:
    for name in preset_names():
        table = turn_odds(preset(name))
        for dice in range(1, preset(name).dice + 1):
            limit = table.bank_from(dice)
            if limit is not None:
                assert table.best(limit, dice)[0] == "bank"
                assert table.best(limit - 50, dice)[0] == "roll"
    assert turn_odds(preset("farkle").replace(hot_dice="must")).bank_from(6) is None
    assert odds(preset("farkle")).unopened_bank_from[:3] == (500, 500, 500)
    assert odds(preset("zilch")).unopened_bank_from == ()


def test_what_to_set_aside_of_a_throw() -> None:
    rules = preset("farkle")
    ranked = choices(rules, (1, 5, 2, 2, 3, 4))
    assert [each.dice for each in ranked] == [(1,), (5,), (1, 5)]
    assert (ranked[0].dice_left, ranked[0].then) == (5, "roll")
    (last,) = choices(rules, (1, 2), total=2000)
    assert (last.then, last.expected) == ("bank", 2100.0)
    assert choices(rules, (2, 3, 4)) == ()
    (hot,) = choices(rules.replace(hot_dice="off"), (5,), total=1000)
    assert (hot.dice_left, hot.then, hot.expected) == (0, "bank", 1050.0)
    (must,) = choices(rules.replace(hot_dice="must"), (5,), total=CAP)
    assert (must.dice_left, must.then) == (6, "roll")


def test_where_a_bank_is_refused_or_writes_nothing() -> None:
    closed = turn_odds(preset("farkle"), opened=False)
    assert (closed.bank_value(450), closed.bank_value(500), closed.bank_value(0)) == (None, 500.0, None)
    writes = turn_odds(preset("tiotusen"), opened=False)
    assert writes.bank_value(950) == 0.0
    assert turn_odds(preset("zilch")).best(250, 1)[0] == "roll"
    stuck = turn_odds(preset("farkle").replace(hot_dice="off"), opened=False)
    assert stuck.best(300, 0) == ("bank", 0.0)
    assert turn_odds(preset("farkle")).roll_value(CAP + 50, 6) == CAP + 50


@pytest.mark.parametrize(("total", "dice"), [(-1, 1), (10**7, 1), (1.5, 1), (True, 1)])
def test_totals_that_no_turn_has(total: int, dice: int) -> None:
    with pytest.raises(BadSetting, match="points of a turn are 0 or more"):
        turn_odds(preset("farkle")).roll_value(total, dice)


@pytest.mark.parametrize("dice", [0, 7, True, 1.0])
def test_dice_that_nobody_throws(dice: int) -> None:
    with pytest.raises(BadDice, match="1 to 6 dice can be thrown"):
        turn_odds(preset("farkle")).roll_value(0, dice)
    with pytest.raises(BadDice):
        choices(preset("farkle"), (1,) * 7)
