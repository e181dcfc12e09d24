"""Presses that the referee refuses, each with a sentence, and presses at odd moments."""

from __future__ import annotations

import pytest

from scorer.events import Banked, Entered, Rolled
from scorer.referee import Bank, Choose, Doubt, FixDie, Input, Next, RollAgain, TakeOver, Undo
from tests.scorer.test_referee import Evening


def refused(evening: Evening, press: Input) -> str:
    """Give a press that must change nothing; return the sentence."""
    before = evening.referee.game
    ruling = evening.give(press)
    assert ruling.events == ()
    assert evening.referee.game == before
    return ruling.refused


def in_question() -> Evening:
    """A first throw with one die that could not be read."""
    evening = Evening()
    evening.throw(1, 2, 3, 4, 6, "?")
    assert evening.doubt() is Doubt.UNREAD
    return evening


@pytest.mark.parametrize("press", [Bank(), TakeOver()])
def test_a_question_is_answered_first(press: Input) -> None:
    assert refused(in_question(), press).startswith("Answer the question first")


def test_nothing_was_done_yet() -> None:
    assert refused(Evening(), Undo()) == "There is nothing to take back."
    assert refused(Evening(), TakeOver()) == "There is nothing to take over now."
    assert refused(Evening(), Choose(1)) == "There is no question with answers to choose from."
    assert refused(Evening(), FixDie(1, 5)).startswith("Only the last throw can be corrected")
    assert "nothing to bank" in refused(Evening(), Bank())
    assert refused(Evening(), RollAgain()).startswith("There is no throw in question")


def test_a_die_that_is_not_there() -> None:
    evening = in_question()
    assert refused(evening, FixDie(99, 5)) == "That die is not part of the throw in question."
    assert refused(evening, FixDie(None, None)) == "Say which die, or what the hidden die shows."
    assert refused(evening, FixDie(evening.table.ids()[5], 7)) == "A die shows 1 to 6."
    evening = Evening()
    evening.throw(1, 2, 3, 4, 6, 6)
    assert refused(evening, FixDie(99, 5)) == "That die is not part of the last throw."
    assert refused(evening, FixDie(evening.table.ids()[0], None)) == "That die is not part of the last throw."


def test_a_turn_is_given_up_before_its_first_throw_and_with_a_throw_in_question() -> None:
    evening = Evening()
    evening.give(Next())
    assert evening.log == [Entered("Anna", 0)]
    evening.throw(1, 2, 3, 4, 6, "?")
    evening.give(Next())
    assert evening.log == [Entered("Anna", 0), Entered("Ben", 0)]
    assert evening.doubt() is None
    evening.throw(1, 2, 3, 4, 6, 6)
    assert evening.log[-1] == Rolled((1, 2, 3, 4, 6, 6))


def test_a_finished_game_is_only_undone() -> None:
    evening = Evening(target=1000, final_round=False, opening=0)
    evening.throw(1, 2, 3, 4, 5, 6)
    evening.give(Bank())
    assert evening.referee.game.finished
    assert evening.log[-1] == Banked()
    for press in (Next(), Bank()):
        assert refused(evening, press) == "The game is finished; press undo to go back."
    evening.give(Undo())
    assert not evening.referee.game.finished
