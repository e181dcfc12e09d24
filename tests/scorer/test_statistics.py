"""Statistics of games: counted by hand, expectations by brute force, p-values against published tables."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import isclose, sqrt
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.dice_luck import Faces, chi_square_5_tail, expectation, faces_counted
from scorer.errors import BadPlayers, IllegalEvent, MalformedEvent
from scorer.events import Banked, Entered, Event, Rolled, SetAside, event_to_json
from scorer.rules import Rules, preset
from scorer.statistics import PlayerStatistics, added, game_statistics, statistics_board, together
from tests.scorer import oracle
from tests.scorer.strategies import table_rules
from tests.scorer.test_farkle_properties import PLAYERS, game

ZILCH_PAGE = preset("tiotusen-zilch")

EVENTS: list[Event] = [
    Rolled((1, 1, 1, 5, 5, 5)),
    SetAside((1, 1, 1, 5, 5, 5)),
    Rolled((1, 2, 2, 3, 4, 6)),
    SetAside((1,)),
    Banked(),
    Rolled((2, 2, 3, 3, 4, 6)),
    Entered("Anna", -50),
    Rolled((5, 2, 2, 3, 4, 6)),
    SetAside((5,)),
    Rolled((2, 3, 4, 4, 6)),
]


def test_faces_of_each_colour_where_it_is_known() -> None:
    red = Rolled((1, 1, 1, 2, 3, 4), ("red", "red", "white", None, "white", "white"))
    anna, ben = game_statistics(preset("tiotusen-zilch"), ("Anna", "Ben"), [red, SetAside((1, 1, 1))])
    assert [(colour, faces.counts) for colour, faces in anna.colours] == [
        ("red", (2, 0, 0, 0, 0, 0)),
        ("white", (1, 0, 1, 1, 0, 0)),
    ]
    assert ben.colours == ()
    (both,) = together([anna, anna])
    assert dict(both.colours)["red"].counts == (4, 0, 0, 0, 0, 0)
    board: Any = statistics_board(both)
    assert board["colours"]["white"] == {
        "counts": [2, 0, 2, 2, 0, 0],
        "n": 6,
        "chi_square": 6.0,
        "p_value": None,
    }
    assert red == Rolled((1, 1, 1, 2, 3, 4)), "the colours are evidence and no part of the event"
    assert event_to_json(red) == ["rolled", [1, 1, 1, 2, 3, 4]]
    with pytest.raises(MalformedEvent, match="2 faces have 1 colours"):
        Rolled((1, 2), ("red",))


def test_a_game_counted_by_hand() -> None:
    anna, ben = game_statistics(ZILCH_PAGE, ("Anna", "Ben"), EVENTS)
    assert (anna.written, ben.written) == ((1600, -50), (0, 0))
    assert (anna.turns, anna.best_turn, anna.points_a_turn) == (2, 1600, 775.0)
    # Two values a and b have the standard error |a - b| / 2 of their mean.
    assert anna.points_error == pytest.approx(825)
    assert (anna.throws, anna.busts, anna.hot_dice) == (2, 0, 1)
    assert (ben.throws, ben.busts, ben.hot_dice) == (3, 2, 0)
    assert anna.faces.counts == (4, 2, 1, 1, 3, 1)
    assert ben.faces.counts == (0, 5, 4, 4, 1, 3)
    assert anna.luck.made == 1600
    assert ben.luck.made == 50
    assert ben.busts_expected == pytest.approx(2 * 5 / 216 + 25 / 324)  # three pairs score


def test_nothing_was_played_yet() -> None:
    anna, _ = game_statistics(ZILCH_PAGE, ("Anna", "Ben"), [])
    assert (anna.points_a_turn, anna.points_error, anna.best_turn) == (None, None, None)
    assert (anna.luck.points, anna.luck.error) == (0, 0)
    assert statistics_board(anna)["faces"] == {"counts": [0] * 6, "n": 0, "chi_square": 0.0, "p_value": None}
    one, _ = game_statistics(ZILCH_PAGE, ("Anna", "Ben"), [Entered("Anna", 5)])
    assert (one.points_a_turn, one.points_error) == (5, None)


def test_a_winning_throw_is_a_throw_and_no_bust() -> None:
    rules = ZILCH_PAGE.replace(instant_win="six_of_a_kind")
    anna, _ = game_statistics(rules, ("Anna", "Ben"), [Rolled((6,) * 6)])
    assert (anna.throws, anna.busts, anna.turns, anna.luck.made) == (1, 0, 0, 3000)


def test_an_illegal_game_has_no_statistics() -> None:
    with pytest.raises(IllegalEvent):
        game_statistics(ZILCH_PAGE, ("Anna", "Ben"), [Banked()])
    with pytest.raises(IllegalEvent):
        game_statistics(
            ZILCH_PAGE.replace(target=1000), ("A", "B"), [Entered("A", 1000), Entered("B", 0)] * 2
        )


@pytest.mark.parametrize("name", ["tiotusen-zilch", "farkle", "zilch"])
@pytest.mark.parametrize("dice", [1, 3, 6])
def test_the_expectation_is_the_mean_over_all_outcomes(name: str, dice: int) -> None:
    rules = preset(name)
    outcomes = Counter(tuple(sorted(roll)) for roll in product(range(1, 7), repeat=dice))
    best = {roll: max(oracle.selections(rules, roll).values(), default=0) for roll in outcomes}
    mean = sum(ways * best[roll] for roll, ways in outcomes.items()) / 6**dice
    variance = sum(ways * (best[roll] - mean) ** 2 for roll, ways in outcomes.items()) / 6**dice
    bust = sum(ways for roll, ways in outcomes.items() if not oracle.selections(rules, roll)) / 6**dice
    found = expectation(rules, dice)
    assert isclose(found.mean, mean)
    assert isclose(found.variance, variance, rel_tol=1e-9)
    assert isclose(found.bust, bust, abs_tol=1e-12)


def test_fair_dice_bring_no_luck_in_the_long_run() -> None:
    random = Random(5)
    throws = [Rolled(tuple(random.randint(1, 6) for _ in range(6))) for _ in range(3000)]
    usual = expectation(ZILCH_PAGE, 6)
    made = 0.0
    for throw in throws:
        # Each throw is a turn of its own: entered for the other player, begun again.
        (each, _) = game_statistics(ZILCH_PAGE, ("A", "B"), [throw])
        made += each.luck.points
    assert abs(made) < 4 * sqrt(3000 * usual.variance)


@settings(max_examples=25, deadline=None)
@given(table_rules(), st.integers(0, 2**32))
def test_the_statistics_of_a_random_game_add_up(rules: Rules, seed: int) -> None:
    events = [event for _, event in game(rules, Random(seed), 120)]
    found = game_statistics(rules, PLAYERS, events)
    rolls = [event for event in events if isinstance(event, Rolled)]
    assert sum(each.throws for each in found) == len(rolls)
    assert sum(each.faces.n for each in found) == sum(len(event.faces) for event in rolls)
    assert sum(each.luck.made for each in found) == sum(
        max(oracle.selections(rules, tuple(event.faces)).values(), default=0) for event in rolls
    )
    twice = together((*found, *found))
    assert [each.player for each in twice] == list(PLAYERS)
    assert all(each.games == 2 for each in twice)
    assert [each.throws for each in twice] == [2 * each.throws for each in found]
    assert [each.faces.n for each in twice] == [2 * each.faces.n for each in found]


def test_games_of_two_players_are_not_added_up() -> None:
    with pytest.raises(BadPlayers, match="two players"):
        added(PlayerStatistics("Anna"), PlayerStatistics("Ben"))


@pytest.mark.parametrize(
    ("value", "tail"),
    # Upper percentage points of chi-square with five degrees of freedom, as printed in tables.
    [
        (0.554298, 0.99),
        (1.145476, 0.95),
        (4.351460, 0.5),
        (9.236357, 0.1),
        (11.070498, 0.05),
        (20.515006, 0.001),
    ],
)
def test_p_values_are_those_of_the_tables(value: float, tail: float) -> None:
    assert chi_square_5_tail(value) == pytest.approx(tail, rel=2e-6)


def test_faces_are_judged_only_when_there_are_enough() -> None:
    assert faces_counted([6] * 29).p_value is None
    even = faces_counted([1, 2, 3, 4, 5, 6] * 5)
    assert (even.n, even.chi_square, even.p_value) == (30, 0.0, 1.0)
    loaded = Faces((10, 10, 10, 10, 10, 40))
    # Fifteen expected of each: 5 * 25 / 15 + 625 / 15.
    assert loaded.chi_square == pytest.approx(50)
    assert loaded.p_value == pytest.approx(1.386e-9, rel=1e-3)
    low, high = loaded.interval(6)
    assert low < 40 / 90 < high
    assert low > 1 / 6
    assert Faces().interval(1) == (0.0, 1.0)


def test_fair_dice_are_called_fair_as_often_as_they_should() -> None:
    random = Random(1)
    low = 0
    for _ in range(600):
        p = faces_counted(random.randint(1, 6) for _ in range(120)).p_value
        low += p is not None and p < 0.05
    assert 10 < low < 55  # 30 expected, standard deviation 5.3


def test_the_board_is_plain_values() -> None:
    anna, _ = game_statistics(ZILCH_PAGE, ("Anna", "Ben"), EVENTS)
    board = statistics_board(anna)
    assert board["luck"] == {
        "points": pytest.approx(1600 - 2 * expectation(ZILCH_PAGE, 6).mean, abs=1e-3),
        "error": pytest.approx(sqrt(2 * expectation(ZILCH_PAGE, 6).variance), abs=1e-3),
    }
    assert (board["games"], board["turns"], board["best_turn"], board["hot_dice"]) == (1, 2, 1600, 1)
