"""Advice at the table, and the review after a game: what was best, what it cost, what was luck."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.advice import Move, options, review
from scorer.events import Banked, Entered, Event, Rolled, SetAside, TookOver
from scorer.farkle import State, apply, fold, start
from scorer.odds import turn_odds
from scorer.players import LEVELS, Throw, decide
from scorer.rules import Rules, preset

TWO = ("Anna", "Ben")


OPEN = preset("ten-thousand").replace(opening=0)


def after(*events: Event, **changes: object) -> State:
    return fold(OPEN.replace(**changes), TWO, events)


def told(state: State) -> list[str]:
    return [str(each.move) for each in options(state)]


def test_a_throw_offers_its_selections_with_what_is_best_after_them() -> None:
    state = after(Rolled((1, 5, 2, 2, 3, 4)))
    assert told(state) == ["keep 1, throw 5", "keep 5, throw 5", "keep 1 5, throw 4"]
    best = options(state)[0]
    assert best.worth == pytest.approx(turn_odds(state.rules).roll_value(100, 5))


def test_after_dice_were_set_aside_banking_stands_beside_throwing() -> None:
    """Ten Thousand: with two dice left, banking is best from 250 points on."""
    low = after(Rolled((5, 5, 1, 2, 3, 3)), SetAside((5, 5, 1)), Rolled((1, 2, 3)), SetAside((1,)))
    assert low.turn.points == 300
    assert told(low) == ["bank 300", "throw 2"]
    assert options(low)[0].worth == 300
    two = after(Rolled((5, 2, 2, 3, 3, 6)), SetAside((5,)), Rolled((5, 2, 3, 4, 6)), SetAside((5,)))
    assert told(two)[0] == "throw 4"  # 100 points, four dice: throw on


def test_where_no_bank_is_allowed_none_is_offered() -> None:
    state = after(Rolled((1, 2, 2, 3, 4, 6)), SetAside((1,)), opening=500)
    assert told(state) == ["throw 5"]


def test_a_bank_says_what_it_writes() -> None:
    (best, *_) = options(after(Rolled((1, 1, 1, 1, 2, 3)), SetAside((1, 1, 1, 1))))
    assert best.move == Move("bank", points=best.move.points)
    assert best.worth == best.move.points


def test_an_offer_is_one_of_the_options() -> None:
    state = after(Rolled((1, 1, 1, 2, 3, 4)), SetAside((1, 1, 1)), Banked(), piggyback=True)
    offers = [each for each in options(state) if each.move.kind == "take"]
    assert [str(each.move) for each in offers] == [f"take over {state.offer.points}, throw 3"]  # type: ignore[union-attr]
    assert offers[0].worth == pytest.approx(turn_odds(state.rules).roll_value(state.offer.points, 3))  # type: ignore[union-attr]


def test_nobody_is_advised_when_the_game_is_over() -> None:
    state = after(Entered("Anna", 10_000), Entered("Ben", 0))
    assert state.finished
    assert options(state) == ()


def test_a_bank_too_early_costs_what_a_throw_would_have_brought() -> None:
    events = (Rolled((5, 2, 2, 3, 3, 6)), SetAside((5,)), Banked())
    gone = review(OPEN, TWO, events)
    (bank,) = gone.decisions  # what was set aside was no choice
    assert (bank.player, bank.turn, bank.event) == ("Anna", 1, 2)
    assert (bank.did.itself, str(bank.best)) == ("bank 50", "throw 5")
    odds = turn_odds(OPEN)
    assert bank.cost == pytest.approx(odds.roll_value(50, 5) - 50)
    anna, ben = gone.players
    assert (anna.decisions, anna.best, anna.turns, ben.turns) == (1, 0, 1, 0)
    assert anna.written == pytest.approx(50)


def test_a_bust_is_bad_luck_and_no_mistake() -> None:
    """Who has not opened yet has less to lose."""
    for rules, opened in ((OPEN, True), (preset("ten-thousand"), False)):
        gone = review(rules, TWO, (Rolled((2, 2, 3, 3, 4, 6)),))
        assert gone.decisions == ()
        assert gone.players[0].cost == 0
        assert gone.players[0].luck == pytest.approx(-turn_odds(rules, opened=opened).value)


def played(rules: Rules, seed: int, most: int = 60) -> list[Event]:
    """A game of players who know nothing and one who plays well."""
    random, state = Random(seed), start(rules, TWO)
    events: list[Event] = []
    while state.seat is not None and len(events) < most:
        choice = decide(LEVELS[0] if state.seat else LEVELS[-1], state, random)
        event = (
            Rolled(tuple(random.choices(range(1, 7), k=choice.dice))) if isinstance(choice, Throw) else choice
        )
        events.append(event)
        state = apply(state, event)
    return events


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["farkle", "ten-thousand", "tiotusen-zilch"]))
def test_luck_and_skill_add_up_to_what_was_written(seed: int, name: str) -> None:
    """To the last point, whoever played: expectation + luck - cost, and nobody gains by a decision."""
    rules = preset(name)
    events = played(rules, seed)
    done = _whole_turns(events, rules)
    gone = review(rules, TWO, done)
    final = fold(rules, TWO, done)
    assert all(each.cost >= 0 for each in gone.decisions)
    for seat, each in enumerate(gone.players):
        written = sum(turn for turn in final.turns[seat] if turn > 0)
        assert each.written == pytest.approx(written, abs=1e-6)


def _whole_turns(events: list[Event], rules: Rules) -> list[Event]:
    """Leave out the turn that is not over."""
    for length in range(len(events), 0, -1):
        before, last = fold(rules, TWO, events[: length - 1]), fold(rules, TWO, events[:length])
        if sum(map(len, last.turns)) > sum(map(len, before.turns)):
            return events[:length]
    return []


def test_the_best_player_never_makes_a_mistake() -> None:
    """Expert is the player who does what is best for the turn, while nobody is in a last round."""
    rules = preset("ten-thousand")
    for seed in range(4):
        gone = review(rules, TWO, played(rules, seed))
        assert gone.players[0].cost == pytest.approx(0, abs=1e-6)
        assert gone.players[0].best == gone.players[0].decisions


def test_taking_an_offer_is_a_decision() -> None:
    rules = preset("ten-thousand").replace(piggyback=True)
    events = (Rolled((1, 1, 1, 2, 3, 4)), SetAside((1, 1, 1)), Banked(), TookOver(), Rolled((2, 3, 4)))
    gone = review(rules, TWO, events)
    taken = next(each for each in gone.decisions if each.player == "Ben")
    assert taken.did.kind == "take"
    ben = gone.players[1]
    assert ben.written == pytest.approx(0)


def test_typed_turns_are_no_decisions_and_no_turns_of_the_review() -> None:
    gone = review(OPEN, TWO, (Entered("Anna", 500), Rolled((1, 2, 2, 3, 4, 6)), SetAside((1,)), Banked()))
    anna, ben = gone.players
    assert (anna.turns, anna.written) == (0, 0)
    assert (ben.turns, ben.decisions) == (1, 1)


def test_dice_that_win_the_game_at_once_are_worth_the_target() -> None:
    rules = OPEN.replace(instant_win="six_of_a_kind")
    gone = review(rules, TWO, (Rolled((3, 3, 3, 3, 3, 3)),))
    anna = gone.players[0]
    assert anna.expected + anna.luck == pytest.approx(rules.target)


def test_dice_that_may_not_be_thrown_again_leave_only_the_bank() -> None:
    state = after(Rolled((1, 2, 3, 4, 5, 6)), SetAside((1, 2, 3, 4, 5, 6)), hot_dice="off")
    assert [each.move.kind for each in options(state)] == ["bank"]
