"""How many throws a race takes: the exact anchors of the rule pages, and a race that is thrown."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest

from scorer.tenzi_odds import done_within, mean_rolls, median_rolls, mode_chances, rolls_deviation


def test_the_exact_anchors_of_the_rule_pages() -> None:
    assert mean_rolls(10) == pytest.approx(15.3485, abs=5e-5)
    assert rolls_deviation(10) == pytest.approx(6.759, abs=5e-4)
    assert median_rolls(10) == 14
    assert mean_rolls(10, named=True) == pytest.approx(16.5648, abs=5e-5)
    assert mean_rolls(10, players=2) == pytest.approx(11.729, abs=5e-4)
    assert mean_rolls(10, players=4) == pytest.approx(9.431, abs=5e-4)


@pytest.mark.parametrize("dice", [1, 2, 4])
def test_the_most_frequent_face_of_a_throw_counted_throw_by_throw(dice: int) -> None:
    counted = Counter(max(Counter(faces).values()) for faces in product(range(6), repeat=dice))
    assert mode_chances(dice) == pytest.approx([counted[most] / 6**dice for most in range(dice + 1)])


def test_one_die_is_done_at_once_unless_its_face_was_named() -> None:
    assert (mean_rolls(1), rolls_deviation(1), median_rolls(1)) == pytest.approx((1, 0, 1))
    assert mean_rolls(1, named=True) == pytest.approx(6)
    assert (done_within(1, 1), done_within(1, 1, named=True), done_within(-3)) == pytest.approx((1, 1 / 6, 0))
    assert median_rolls(1, named=True) == 4


def rolls_of_a_race(random: Random, dice: int) -> int:
    faces = [random.randrange(6) for _ in range(dice)]
    kept = max(faces, key=faces.count)
    rolls = 1
    while any(face != kept for face in faces):
        faces = [face if face == kept else random.randrange(6) for face in faces]
        rolls += 1
    return rolls


def test_races_that_are_thrown_take_as_many_throws() -> None:
    random = Random(20261201)
    taken = [rolls_of_a_race(random, 10) for _ in range(3000)]
    error = rolls_deviation(10) / len(taken) ** 0.5
    assert sum(taken) / len(taken) == pytest.approx(mean_rolls(10), abs=3 * error)
