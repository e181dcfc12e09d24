"""What `legal` says in numbers and in words; that it is exactly what `apply` accepts is a property test."""

from __future__ import annotations

import pytest

from scorer.errors import IllegalEvent
from scorer.farkle import (
    Banked,
    Entered,
    Event,
    Legal,
    Rolled,
    SetAside,
    State,
    TookOver,
    apply,
    legal,
    preset,
    start,
)


def state(*events: Event, **settings: object) -> State:
    found = start(preset("tiotusen-zilch").replace(**settings), ("Anna", "Ben"))
    for event in events:
        found = apply(found, event)
    return found


STRAIGHT: tuple[Event, ...] = (Rolled((1, 2, 3, 4, 5, 6)), SetAside((1, 2, 3, 4, 5, 6)))


def test_what_a_bank_would_write_is_0_where_it_is_refused() -> None:
    assert legal(state()).bank_writes == 0
    assert Legal().bank_writes == 0
    hot = legal(state(*STRAIGHT, hot_dice="must"))
    assert (hot.bank, hot.bank_writes, hot.why_no_bank) == (False, 0, "hot dice must be rolled")
    free = legal(state(*STRAIGHT))
    assert (free.bank, free.bank_writes, free.why_no_bank) == (True, 2500, "")
    low = legal(state(*STRAIGHT, opening=3000, opening_below="write_zero"))
    assert (low.bank, low.bank_writes) == (True, 0)


def test_nobody_must_roll_at_the_start_of_a_turn() -> None:
    assert not state(hot_dice="must").must_roll
    assert state(*STRAIGHT, hot_dice="must").must_roll
    assert not state(*STRAIGHT, Rolled((1, 2, 2, 3, 4, 6)), hot_dice="must").must_roll
    assert state().turn.aside == ()
    assert state(*STRAIGHT, Rolled((1, 2, 2, 3, 4, 6))).turn.aside == ()
    five = (Rolled((5, 2, 2, 3, 4, 6)), SetAside((5,)), Rolled((1, 2, 2, 3, 4)), SetAside((1,)))
    assert state(*five).turn.aside == (5, 1)


def test_what_may_be_done_in_words() -> None:
    assert str(legal(state())) == "roll 6 dice, enter a turn of Anna"
    assert str(legal(state(Rolled((1, 2, 2, 3, 4, 6))))) == "set aside 1"
    four = (Rolled((1, 1, 5, 2, 3, 4)),)
    assert str(legal(state(*four))) == "set aside 1 1 5 or 1 1 or 1 5 or 1 or 1 more"
    one = (Rolled((1, 1, 2, 3, 4, 6)),)
    assert str(legal(state(*one))) == "set aside 1 1 or 1"
    assert str(legal(state(*one, SetAside((1, 1))))) == "roll 4 dice, bank"
    five_aside = (Rolled((5, 5, 5, 1, 1, 2)), SetAside((5, 5, 5, 1, 1)))
    assert str(legal(state(*five_aside, opening=1000))) == "roll one die"
    offer = state(*one, SetAside((1, 1)), Banked(), piggyback=True)
    assert str(legal(offer)) == "roll 6 dice, take over 200 with 4 dice, enter a turn of Ben"
    won = state(Entered("Anna", 1000), Entered("Ben", 0), target=1000)
    assert str(legal(won)) == "nothing, the game is finished"
    assert won.finished
    assert not state().finished


def test_exactly_four_selections_are_all_named() -> None:
    rules = preset("tiotusen-zilch")
    found = apply(start(rules, ("Anna", "Ben")), Rolled((1, 5, 5, 2, 3, 4)))
    words = str(legal(found))
    assert words == "set aside 1 5 5 or 1 5 or 1 or 5 5 or 1 more"
    assert str(Legal(selections=legal(found).selections[:4])) == "set aside 1 5 5 or 1 5 or 1 or 5 5"


def test_allows_is_about_each_kind_of_event() -> None:
    begun = legal(state())
    assert begun.allows(Rolled((1, 2, 3, 4, 5, 6)))
    assert not begun.allows(Rolled((1, 2, 3)))
    assert not begun.allows(Rolled((1, 2, 3, 4, 5, 7)))
    assert begun.allows(Entered("Anna", 0))
    assert not begun.allows(Entered("Ben", 0))
    assert not begun.allows(TookOver())
    thrown = legal(state(Rolled((1, 2, 2, 3, 4, 6))))
    assert thrown.allows(SetAside((1,)))
    assert not thrown.allows(SetAside((2,)))
    assert not thrown.allows(Rolled((1,)))


def test_keep_all_is_named_where_a_selection_leaves_dice_that_score() -> None:
    with pytest.raises(IllegalEvent, match="all scoring dice are wanted"):
        state(Rolled((1, 5, 2, 3, 4, 6)), SetAside((1,)), keep_all=True)
    with pytest.raises(IllegalEvent, match="dice that all score are wanted"):
        state(Rolled((1, 5, 2, 3, 4, 6)), SetAside((2,)))
