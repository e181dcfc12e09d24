"""Points of dice: by hand, against the slow oracle, and the odds that every player asks for."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.errors import BadDice, MalformedEvent
from scorer.events import event_from_json
from scorer.rules import Rules, preset, preset_names
from scorer.scoring import ScoreTable, check_faces, kind_points, score_table
from tests.scorer import oracle
from tests.scorer.strategies import faces, scoring_rules


def points(rules: Rules, *dice: int) -> int:
    """What these dice score set aside together, when they are the whole throw; 0 if that is not legal."""
    selection = score_table(rules).of(dice).selection(dice)
    return selection.points if selection else 0


@pytest.mark.parametrize(
    ("dice", "farkle", "ten_thousand", "tiotusen", "tiotusen_zilch"),
    [
        ((1,), 100, 100, 100, 100),
        ((5,), 50, 50, 50, 50),
        ((1, 1), 200, 200, 200, 200),
        ((5, 5), 100, 100, 100, 100),
        ((2,), 0, 0, 0, 0),
        ((2, 2), 0, 0, 0, 0),
        ((1, 1, 1), 300, 1000, 1000, 1000),
        ((2, 2, 2), 200, 200, 200, 200),
        ((3, 3, 3), 300, 300, 300, 300),
        ((4, 4, 4), 400, 400, 400, 400),
        ((5, 5, 5), 500, 500, 500, 500),
        ((6, 6, 6), 600, 600, 600, 600),
        ((1, 1, 1, 1), 1000, 2000, 2000, 1100),
        ((2, 2, 2, 2), 1000, 400, 400, 1000),
        ((5, 5, 5, 5), 1000, 1000, 1000, 1000),
        ((6, 6, 6, 6), 1000, 1200, 1200, 1000),
        ((1, 1, 1, 1, 1), 2000, 4000, 4000, 2000),
        ((2, 2, 2, 2, 2), 2000, 800, 800, 2000),
        ((6, 6, 6, 6, 6), 2000, 2400, 2400, 2000),
        ((1, 1, 1, 1, 1, 1), 3000, 8000, 8000, 3000),
        ((2, 2, 2, 2, 2, 2), 3000, 1600, 1600, 3000),
        ((6, 6, 6, 6, 6, 6), 3000, 4800, 4800, 3000),
        ((1, 2, 3, 4, 5, 6), 1500, 1500, 1500, 2500),
        ((2, 2, 3, 3, 4, 4), 1500, 1500, 1000, 1500),
        ((1, 1, 5, 5, 6, 6), 1500, 1500, 1000, 1500),
        ((2, 2, 2, 2, 3, 3), 1500, 1500, 0, 0),
        ((3, 3, 3, 3, 5, 5), 1500, 1500, 700, 1100),
        ((1, 1, 1, 1, 5, 5), 1500, 2100, 2100, 1200),
        ((1, 1, 5, 5, 5, 5), 1500, 1500, 1200, 1200),
        ((2, 2, 2, 3, 3, 3), 2500, 500, 500, 500),
        ((1, 1, 1, 6, 6, 6), 2500, 1600, 1600, 1600),
        ((1, 1, 1, 5, 5, 5), 2500, 1500, 1500, 1500),
        ((1, 4, 4, 4, 5), 550, 550, 550, 550),
        ((1, 2, 3, 4, 5), 0, 0, 0, 0),
        ((2, 3, 4, 5, 6), 0, 0, 0, 0),
        ((1, 1, 1, 2), 0, 0, 0, 0),
    ],
)
def test_points_of_the_presets_as_the_rule_pages_have_them(
    dice: tuple[int, ...], farkle: int, ten_thousand: int, tiotusen: int, tiotusen_zilch: int
) -> None:
    found = [points(preset(name), *dice) for name in ("farkle", "ten-thousand", "tiotusen", "tiotusen-zilch")]
    assert found == [farkle, ten_thousand, tiotusen, tiotusen_zilch]


@pytest.mark.parametrize(
    "name", ["farkle", "ten-thousand", "tiotusen", "tiotusen-zilch", "zilch", "hot-dice-five"]
)
def test_every_multiset_agrees_with_the_oracle(name: str) -> None:
    rules = preset(name)
    table = score_table(rules)
    seen = 0
    for size in range(1, rules.dice + 1):
        for dice in combinations_with_replacement(range(1, 7), size):
            selection = table.of(dice).selection(dice)
            expected = oracle.worth(rules, dice)
            if not expected and not any(oracle.worth(rules, (die,)) for die in dice):
                expected = oracle.selections(rules, dice).get(dice, 0)
            assert (selection.points if selection else 0) == expected, dice
            seen += 1
    assert seen == {6: 923, 5: 461}[rules.dice]


@settings(max_examples=300, deadline=None)
@given(scoring_rules(), st.data())
def test_any_rules_any_throw_agree_with_the_oracle(rules: Rules, data: st.DataObject) -> None:
    roll = data.draw(faces(most=rules.dice))
    score = ScoreTable(rules).of(roll)
    expected = oracle.selections(rules, roll)
    assert {each.dice: each.points for each in score.selections} == expected
    assert score.bust == (not expected)
    assert score.best == max(expected.values(), default=0)
    assert score.used == min((len(d) for d, p in expected.items() if p == score.best), default=0)


@given(scoring_rules(), st.data())
def test_the_parts_of_a_reason_are_the_dice_and_the_points(rules: Rules, data: st.DataObject) -> None:
    for each in ScoreTable(rules).of(data.draw(faces(most=rules.dice))).selections:
        assert tuple(sorted(die for part in each.parts for die in part.dice)) == each.dice
        assert sum(part.points for part in each.parts) == each.points > 0
        assert each.why == " + ".join(f"{part.name} {part.points}" for part in each.parts)


@given(faces(), st.randoms(use_true_random=False))
def test_the_order_of_the_dice_never_matters(roll: tuple[int, ...], random: object) -> None:
    shuffled = list(roll)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis passes a random.Random
    assert score_table(preset()).of(shuffled) == score_table(preset()).of(roll)


def odds_of_a_bust(rules: Rules) -> dict[int, Fraction]:
    """Exact chance of a bust by number of dice, from the distinct throws and how often each comes."""
    ways: Counter[int] = Counter()
    for roll in score_table(rules).all_rolls():
        if roll.bust:
            size = len(roll.dice)
            ways[size] += factorial(size) // prod(factorial(n) for n in Counter(roll.dice).values())
    return {size: Fraction(ways[size], 6**size) for size in range(1, rules.dice + 1)}


@pytest.mark.parametrize("name", preset_names())
def test_the_odds_of_a_bust_are_those_of_the_rule_pages(name: str) -> None:
    odds = odds_of_a_bust(preset(name))
    expected = {
        1: Fraction(2, 3),
        2: Fraction(4, 9),
        3: Fraction(5, 18),
        4: Fraction(17, 108),
        5: Fraction(25, 324),
    }
    if name != "hot-dice-five":
        expected[6] = Fraction(0) if name == "zilch" else Fraction(5, 216)
    assert odds == expected


def test_six_dice_bust_more_often_when_three_pairs_do_not_score() -> None:
    assert odds_of_a_bust(preset("ten-thousand").replace(three_pairs=0))[6] == Fraction(5, 162)


def test_a_sub_selection_that_scores_is_legal() -> None:
    four_fours = score_table(preset("ten-thousand")).of((4, 4, 4, 4))
    assert {each.dice: each.points for each in four_fours.selections} == {(4, 4, 4): 400, (4, 4, 4, 4): 800}
    three_ones = score_table(preset("ten-thousand")).of((1, 1, 1))
    assert {each.dice: each.points for each in three_ones.selections} == {
        (1,): 100,
        (1, 1): 200,
        (1, 1, 1): 1000,
    }


def test_kind_exclusive_takes_the_set_and_nothing_beside_it() -> None:
    split = preset("tiotusen-zilch")
    assert points(split, 1, 1, 1, 1) == 1100
    assert points(split.replace(kind_exclusive=True), 1, 1, 1, 1) == 1000


def test_kind_exclusive_looks_at_the_dice_set_aside_not_at_the_roll() -> None:
    rules = preset("tiotusen-zilch").replace(kind_exclusive=True)
    roll = score_table(rules).of((1, 1, 1, 1, 2, 3))
    assert {each.dice: each.points for each in roll.selections} == {
        (1,): 100,
        (1, 1): 200,
        (1, 1, 1): 1000,
        (1, 1, 1, 1): 1000,
    }
    assert (roll.best, roll.used) == (1000, 3)


def test_kind_exclusive_leaves_patterns_alone() -> None:
    rules = preset("farkle").replace(kind_exclusive=True)
    assert points(rules, 1, 1, 1, 1, 5, 5) == 1500


@pytest.mark.parametrize(
    ("n_kind", "four", "five", "six"),
    [
        ("double", 800, 1600, 3200),
        ("linear", 800, 1200, 1600),
        ("flat", 1000, 2000, 3000),
        ("none", 0, 0, 800),
    ],
)
def test_n_of_a_kind(n_kind: str, four: int, five: int, six: int) -> None:
    rules = preset("tiotusen").replace(n_kind=n_kind)
    assert [points(rules, *[4] * count) for count in (4, 5, 6)] == [four, five, six]


def test_without_a_bonus_six_equal_dice_are_two_triples_by_score_but_not_two_triplets() -> None:
    rules = preset("farkle").replace(n_kind="none", three_pairs=0)
    assert points(rules, 4, 4, 4, 4, 4, 4) == 800
    assert points(rules, 4, 4, 4, 6, 6, 6) == 2500
    assert points(rules.replace(two_triplets_6=True), 4, 4, 4, 4, 4, 4) == 2500


def test_three_pairs_6_is_false_in_every_preset() -> None:
    assert not any(preset(name).three_pairs_6 for name in preset_names())
    low = preset("ten-thousand").replace(n_kind="none")
    assert points(low, 2, 2, 2, 2, 2, 2) == 400
    assert points(low.replace(three_pairs_6=True), 2, 2, 2, 2, 2, 2) == 1500


def test_four_and_a_pair_as_three_pairs_or_with_points_of_their_own() -> None:
    rules = preset("tiotusen")
    assert points(rules, 2, 2, 2, 2, 3, 3) == 0
    assert points(rules.replace(three_pairs_4_2=True), 2, 2, 2, 2, 3, 3) == 1000
    assert points(rules.replace(four_pair=1800), 2, 2, 2, 2, 3, 3) == 1800
    assert points(rules.replace(four_pair=1800), 2, 2, 2, 2, 2, 2) == 1600


def test_overrides_for_single_sets() -> None:
    rules = preset("tiotusen-zilch").replace(kind_points={"1,4": 1500, "6,3": 900})
    assert points(rules, 1, 1, 1, 1) == 1500
    assert points(rules, 6, 6, 6) == 900
    assert points(rules, 6, 6, 6, 6) == 1000  # four of a kind keep their own points
    assert kind_points(preset("tiotusen").replace(kind_points={"6,3": 900}), 6, 4) == 1200


@pytest.mark.parametrize("worth", [0, None])
def test_a_combination_worth_nothing_does_not_exist(worth: object) -> None:
    rules = preset("ten-thousand").replace(straight=worth, three_pairs=worth)
    straight = score_table(rules).of((1, 2, 3, 4, 5, 6))
    assert {each.dice: each.points for each in straight.selections} == {(1,): 100, (5,): 50, (1, 5): 150}
    assert score_table(rules).of((2, 2, 3, 3, 4, 4)).bust


def test_short_straights_and_the_die_beside_them() -> None:
    rules = preset("hot-dice-five").replace(straight_low=500, straight_high=600)
    assert points(rules, 1, 2, 3, 4, 5) == 500
    assert points(rules, 2, 3, 4, 5, 6) == 600
    six = preset("ten-thousand").replace(straight_low=500, straight_high=600, straight=0)
    assert points(six, 1, 1, 2, 3, 4, 5) == 600
    assert points(six, 1, 2, 3, 4, 5, 6) == 700  # 2-6 and a single 1
    assert points(six, 2, 2, 3, 4, 5, 6) == 0


def test_nothing_takes_the_whole_throw_of_six() -> None:
    rules = preset("zilch")
    score = score_table(rules).of((2, 2, 3, 3, 4, 6))
    assert [(each.dice, each.points) for each in score.selections] == [((2, 2, 3, 3, 4, 6), 500)]
    assert not score.bust
    assert score_table(rules).of((2, 2, 3, 3, 4)).bust
    assert len(score_table(rules).of((1, 2, 3, 3, 4, 6)).selections) == 1  # only the 1


def test_keep_all_wants_the_largest_possible_number_of_scoring_dice() -> None:
    rules = preset("ten-thousand").replace(keep_all=True)
    score = score_table(rules).of((1, 5, 5, 4, 4, 4))
    assert [each.dice for each in score.selections] == [(1, 4, 4, 4, 5, 5)]
    five = preset("hot-dice-five").replace(keep_all=True, straight_low=50)
    assert [each.points for each in score_table(five).of((1, 2, 3, 4, 5)).selections] == [50]


def test_the_reason_is_in_plain_words() -> None:
    def why(*dice: int, rules: str = "farkle") -> str:
        return score_table(preset(rules)).of(dice).selections[0].why

    assert why(4, 4, 4, 5) == "three 4s 400 + 5 50"
    assert why(1, 2, 3, 4, 5, 6) == "straight 1-6 1500"
    assert why(2, 2, 3, 3, 3, 3) == "three pairs (four of a kind and a pair) 1500"
    assert why(1, 1, 1, 6, 6, 6) == "two triplets 2500"
    assert why(1, 1, 1, 1, rules="tiotusen-zilch") == "three 1s 1000 + 1 100"
    assert why(2, 2, 3, 3, 4, 6, rules="zilch") == "nothing scores 500"


@pytest.mark.parametrize("dice", [(), (1,) * 7, (0,), (7,), (-1,), (True,), (1.0,), ("1",), (None,)])
def test_dice_that_no_throw_can_show_are_refused(dice: tuple[object, ...]) -> None:
    with pytest.raises(BadDice, match=r"1 to 6"):
        ScoreTable(preset()).of(dice)  # type: ignore[arg-type]  # the point of the test


def test_five_dice_are_the_most_where_the_game_has_five() -> None:
    with pytest.raises(BadDice, match="1 to 5 dice"):
        score_table(preset("hot-dice-five")).of((1, 2, 3, 4, 5, 6))


def test_equal_rules_share_one_table() -> None:
    assert score_table(preset("farkle")) is score_table(Rules())


def test_kind_exclusive_without_a_set_of_so_many_takes_the_best_split() -> None:
    rules = preset("tiotusen").replace(kind_exclusive=True, n_kind="none", kind_points={"2,1": 150})
    assert points(rules, 2, 2, 2) == 200
    assert points(rules, 2, 2, 2, 2) == 600  # not the set of three and one more


def test_a_flat_set_without_points_does_not_exist() -> None:
    rules = Rules(n_flat=((4, 1000),))
    assert score_table(rules).of((2, 2, 2, 2, 2)).best == 1000
    assert score_table(rules).of((2, 2, 2, 2, 2)).used == 4
    assert score_table(rules).of((2, 2, 2, 2, 2)).selection((2, 2, 2, 2, 2)) is None


def test_the_reason_says_which_dice_count_as_a_combination_too() -> None:
    rules = preset("farkle").replace(n_kind="none", three_pairs_6=True, three_pairs=9000)
    assert score_table(rules).of((2,) * 6).selections[0].why == "three pairs (six of a kind) 9000"
    assert score_table(rules).of((2, 2, 2, 2, 3, 3)).selections[0].why == (
        "three pairs (four of a kind and a pair) 9000"
    )
    assert score_table(rules).of((2, 2, 3, 3, 4, 4)).selections[0].why == "three pairs 9000"


def test_no_game_has_more_than_six_dice() -> None:
    assert check_faces((1,) * 6) == (1,) * 6
    with pytest.raises(BadDice, match="1 to 6 dice can be scored, got 7"):
        check_faces((1,) * 7)
    with pytest.raises(MalformedEvent, match="got 7"):
        event_from_json(["rolled", [1] * 7])


def test_all_rolls_are_the_923_multisets() -> None:
    rolls = [each.dice for each in score_table(preset("farkle")).all_rolls()]
    assert len(set(rolls)) == len(rolls) == 923
    assert {len(dice) for dice in rolls} == {1, 2, 3, 4, 5, 6}
    assert len(list(score_table(preset("hot-dice-five")).all_rolls())) == 461


def test_among_equal_splits_the_one_with_fewest_parts_is_named() -> None:
    rules = preset("farkle").replace(two_triplets=500)
    assert score_table(rules).of((2, 2, 2, 3, 3, 3)).selections[0].why == "two triplets 500"
