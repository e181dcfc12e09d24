"""The fewest turns to the target, against a plain iteration over all throws."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product

import pytest

from scorer.alone_odds import fewest_turns
from scorer.errors import BadSetting
from scorer.rules import Rules, preset
from tests.scorer.oracle import selections
from tests.scorer.test_win_odds import COARSE


def slow_turns(rules: Rules) -> list[float]:
    """The same, standing by standing and throw by throw, iterated until nothing moves."""

    @cache
    def offers(dice: int) -> Counter[tuple[tuple[int, int], ...]]:
        found: Counter[tuple[tuple[int, int], ...]] = Counter()
        for roll, count in Counter(tuple(sorted(each)) for each in product(range(1, 7), repeat=dice)).items():
            ways = {(points, dice - len(kept)) for kept, points in selections(rules, roll).items()}
            found[tuple(sorted(ways))] += count
        return found

    turns: dict[int, float] = {}
    for total in range(rules.target - 500, -1, -500):
        turns[total] = 2.0
        while True:
            closed = total == 0 and rules.opening > 0
            least = rules.opening if closed else rules.min_bank

            @cache
            def rolled(
                points: int, dice: int, total: int = total, closed: bool = closed, least: int = least
            ) -> float:
                worth = 0.0
                for ways, count in offers(dice).items():
                    best = turns[total] if not ways else 1e9
                    for more, left in ways:
                        now = points + more
                        if total + now >= rules.target and now >= least:
                            best = min(best, 0.0)
                            continue
                        bank = turns[total + now] if now >= least else turns[total] if closed else 1e9
                        best = min(best, bank, rolled(now, left or rules.dice))
                    worth += count * best
                return float(worth / 6**dice)

            now = 1.0 + rolled(0, rules.dice)
            if abs(now - turns[total]) < 1e-10:
                break
            turns[total] = now
    return [turns[total] for total in sorted(turns)]


@pytest.mark.parametrize("changes", [{}, {"opening": 1000, "opening_below": "write_zero"}], ids=str)
def test_it_is_what_a_plain_iteration_finds(changes: dict[str, object]) -> None:
    rules = COARSE.replace(**changes)
    assert list(fewest_turns(rules)) == pytest.approx(slow_turns(rules), abs=1e-6)


def test_one_turn_is_enough_where_only_a_bust_can_fail() -> None:
    # 50 points short: every throw that is no bust arrives, and six dice of `farkle` bust 5 times in 216.
    turns = fewest_turns(preset("farkle").replace(target=1000))
    assert turns[-1] == pytest.approx(216 / 211)
    assert len(turns) == 20
    assert turns[0] > turns[10] > turns[19]


def test_a_throw_that_wins_ends_the_wait_and_hot_dice_that_must_be_thrown_prolong_it() -> None:
    rules = COARSE
    assert fewest_turns(rules.replace(instant_win="five_first"))[0] < fewest_turns(rules)[0]
    assert fewest_turns(rules.replace(hot_dice="must"))[0] > fewest_turns(rules)[0]


def test_an_exact_target_is_refused() -> None:
    with pytest.raises(BadSetting, match="overshoot=allow"):
        fewest_turns(preset("farkle").replace(overshoot="void"))
