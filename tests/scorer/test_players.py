"""The computer players: always legal, each as its level is described, and stronger level by level."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.errors import RulesError
from scorer.farkle import (
    Banked,
    Entered,
    Event,
    Rolled,
    SetAside,
    State,
    TookOver,
    apply,
    fold,
    legal,
    start,
)
from scorer.players import LEVELS, Decision, Throw, UnknownLevel, decide, seated
from scorer.rules import Rules, preset
from tests.scorer.strategies import table_rules

TWO = ("Anna", "Ben")


def after(*events: Event, name: str = "tiotusen-zilch", **changes: object) -> State:
    return fold(preset(name).replace(**changes), TWO, events)


def does(level: str, state: State, seed: int = 1) -> Decision:
    return decide(level, state, Random(seed))


def carried_out(decision: Decision, random: Random) -> Event:
    if isinstance(decision, Throw):
        return Rolled(tuple(random.choices(range(1, 7), k=decision.dice)))
    return decision


def winners(rules: Rules, levels: tuple[str, ...], random: Random, most: int = 100_000) -> State:
    state = start(rules, tuple(f"{level} {seat}" for seat, level in enumerate(levels)))
    for _ in range(most):
        if state.seat is None:
            break
        state = apply(state, carried_out(decide(levels[state.seat], state, random), random))
    return state


@settings(max_examples=8, deadline=None)
@given(table_rules(), st.integers(0, 2**32))
def test_what_a_player_does_is_always_legal(rules: Rules, seed: int) -> None:
    random = Random(seed)
    state = start(rules, ("a", "b", "c", "d"))
    for _ in range(80):
        if state.seat is None:
            break
        for level in LEVELS:
            decision = decide(level, state, random)
            if isinstance(decision, Throw):
                assert decision.dice == legal(state).roll
            else:
                assert legal(state).allows(decision), (level, decision)
        state = apply(state, carried_out(decide(LEVELS[state.seat], state, random), random))


@pytest.mark.parametrize("name", ["farkle", "tiotusen", "hot-dice-five"])
def test_players_finish_their_games(name: str) -> None:
    assert winners(preset(name), LEVELS, Random(3)).finished


def test_stronger_level_by_level() -> None:
    random = Random(20)
    for weaker, stronger in (("easy", "medium"), ("easy", "expert")):
        won = 0
        for game in range(40):
            seats = (weaker, stronger) if game % 2 else (stronger, weaker)
            state = winners(preset("farkle"), seats, random)
            won += seats[state.winners[0]] == stronger
        assert won >= 23, stronger  # of 40; even players win 23 or more one time in five, these nearly always


def test_medium_sets_every_scoring_die_aside_and_banks_by_the_dice_left() -> None:
    state = after(Rolled((1, 5, 2, 2, 3, 4)))
    assert does("medium", state) == SetAside((1, 5))
    assert does("medium", apply(state, SetAside((1, 5)))) == Throw(4)
    three = after(Rolled((3, 3, 3, 1, 2, 4)), SetAside((1, 3, 3, 3)))
    assert does("medium", three) == Banked()


def test_hard_and_expert_set_fewer_aside_when_that_leaves_more_to_roll() -> None:
    state = after(Rolled((1, 5, 2, 2, 3, 4)))
    assert does("hard", state) == SetAside((1,))
    assert does("expert", state) == SetAside((1,))
    hot = after(Rolled((1, 1, 1, 5, 5, 5)))
    for level in ("medium", "hard", "expert"):
        assert does(level, hot) == SetAside((1, 1, 1, 5, 5, 5))
        assert does(level, apply(hot, SetAside((1, 1, 1, 5, 5, 5)))) == (
            Throw(6) if level == "expert" else Banked()
        )


def test_easy_often_keeps_and_stops_at_random() -> None:
    state = after(Rolled((1, 5, 2, 2, 3, 4)))
    kept = {does("easy", state, seed) for seed in range(60)}
    assert kept == {SetAside((1, 5)), SetAside((1,)), SetAside((5,))}
    aside = apply(state, SetAside((1,)))
    assert {does("easy", aside, seed) for seed in range(60)} == {Throw(5), Banked()}
    rich = after(Rolled((1, 1, 1, 2, 3, 4)), SetAside((1, 1, 1)))
    assert {does("easy", rich, seed) for seed in range(20)} == {Banked()}


def test_in_the_last_round_stopping_short_of_the_leader_is_no_use() -> None:
    behind = after(Entered("Anna", 10000), Rolled((1, 1, 1, 2, 3, 4)), SetAside((1, 1, 1)))
    for level in ("medium", "hard", "expert"):
        assert does(level, behind) == Throw(3)
    assert does("easy", behind) == Banked()


def test_hard_and_expert_bank_what_takes_them_to_the_target_or_past_the_leader() -> None:
    to_target = after(Entered("Anna", 9900), Entered("Ben", 0), Rolled((1, 2, 2, 3, 4, 6)), SetAside((1,)))
    last = after(
        Entered("Anna", 10000),
        Rolled((1, 1, 1, 5, 5, 5)),
        SetAside((1, 1, 1, 5, 5, 5)),
        target=1000,
    )
    assert last.totals[1] + last.turn.points < 10000
    ahead = after(Entered("Anna", 1000), Rolled((1, 1, 1, 5, 3, 4)), SetAside((1, 1, 1, 5)), target=1000)
    for level in ("hard", "expert"):
        assert does(level, to_target) == Banked()
        assert does(level, ahead) == Banked()
    assert does("medium", to_target) == Throw(5)


def test_offers() -> None:
    rich = after(
        Rolled((1, 1, 1, 2, 3, 4)),
        SetAside((1, 1, 1)),
        Rolled((2, 3, 4)),
        steal="roll",
        name="tiotusen-zilch",
    )
    assert rich.offer is not None
    for level in ("medium", "hard", "expert"):
        assert does(level, rich) == TookOver()
        assert does(level, apply(rich, TookOver())) == Throw(3)
    poor = after(
        Rolled((1, 5, 2, 2, 3, 4)),
        SetAside((1, 5)),
        Rolled((2, 3, 4, 6)),
        steal="roll",
        name="tiotusen-zilch",
    )
    assert does("medium", poor) == Throw(6)
    one = after(
        Rolled((5, 5, 5, 5, 5, 2)), SetAside((5, 5, 5, 5, 5)), Rolled((2,)), steal="roll", name="farkle"
    )
    assert does("hard", one) == Throw(6)
    assert {does("easy", rich, seed) for seed in range(20)} == {TookOver(), Throw(6)}


def test_where_nothing_can_be_thrown_the_turn_is_banked() -> None:
    state = after(Rolled((1, 1, 1, 5, 5, 5)), SetAside((1, 1, 1, 5, 5, 5)), hot_dice="off")
    assert {does(level, state) for level in LEVELS} == {Banked()}


def test_expert_plays_for_the_opening() -> None:
    state = after(Rolled((1, 1, 2, 3, 4, 6)), SetAside((1, 1)), name="farkle")
    assert does("expert", state) == Throw(4)
    closed = after(Rolled((3, 3, 3, 1, 2, 4)), SetAside((1, 3, 3, 3)), name="farkle")
    assert does("expert", closed) == Throw(2)  # 400 points do not open; for 500 an open player would stop


def test_unknown_levels_and_finished_games() -> None:
    with pytest.raises(UnknownLevel, match="did you mean 'expert'"):
        does("exprt", after())
    done = after(Entered("Anna", 10000), final_round=False)
    with pytest.raises(RulesError, match="the game is finished"):
        does("easy", done)


@pytest.mark.parametrize(
    ("word", "name", "level"),
    [
        ("Anna", "Anna", None),
        ("Robo: Hard", "Robo", "hard"),
        (":easy", "Easy", "easy"),
        ("a:b:expert", "a:b", "expert"),
    ],
)
def test_a_name_with_a_level_is_a_computer_player(word: str, name: str, level: str | None) -> None:
    assert seated(word) == (name, level)


def test_an_unknown_level_behind_a_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownLevel, match=r"no computer player 'meduim'; did you mean 'medium'"):
        seated("Robo:meduim")
