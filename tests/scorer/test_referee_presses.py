"""Presses that the referee refuses, each with a sentence, and presses at odd moments."""

from __future__ import annotations

import pytest

from scorer.events import Banked, Entered, Rolled
from scorer.referee import (
    Bank,
    Choose,
    Doubt,
    FixDie,
    Input,
    Leans,
    Next,
    Played,
    RollAgain,
    TakeOver,
    Undo,
)
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
    assert refused(evening, FixDie(99, None)) == "That die is not part of the last throw."


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


def test_a_thing_in_a_committed_throw_is_no_die() -> None:
    evening = Evening()
    evening.throw(1, 2, 3, 4, 6, 6)
    ruling = evening.give(FixDie(evening.table.ids()[2], None))
    assert ruling.undone == 1
    assert evening.doubt() is Doubt.TOO_FEW
    assert evening.give(FixDie(None, 5)).events == (Rolled((1, 2, 4, 6, 6, 5)),)


def test_a_die_of_a_committed_throw_leans_and_is_thrown_again() -> None:
    evening = Evening()
    evening.throw(1, 2, 3, 4, 6, 6)
    leaning = evening.table.ids()[2]
    assert evening.give(Leans(leaning)).undone == 1
    assert evening.doubt() is Doubt.COCKED
    evening.throw(5, keep=(1, 2, 4, 5, 6))
    assert sorted(evening.referee.game.turn.roll) == [1, 2, 4, 5, 6, 6]


def test_a_die_of_a_throw_in_question_leans() -> None:
    evening = in_question()
    assert evening.give(Leans(evening.table.ids()[0])).events == ()
    assert evening.doubt() in (Doubt.COCKED, Doubt.UNREAD)
    assert refused(evening, Leans(99)) == "That die is not part of the throw in question."


def test_only_dice_of_the_last_throw_can_lean() -> None:
    assert refused(Evening(), Leans(1)) == "That die is not part of the last throw."
    evening = Evening()
    evening.throw(3, 3, 3, 4, 4, 4)
    leaning = evening.table.ids()[0]
    evening.give(Bank())
    assert refused(evening, Leans(leaning)).startswith("Only the last throw can be corrected")
    assert refused(evening, FixDie(leaning, None)).startswith("Only the last throw can be corrected")


def test_events_that_the_players_tell() -> None:
    evening = Evening()
    thrown = Played((Rolled((5, 5, 5, 2, 3, 4)),))
    assert evening.give(thrown).events == thrown.events
    assert refused(evening, thrown).startswith("Anna cannot roll now")
    assert evening.give(Undo()).undone == 1
    assert refused(in_question(), thrown).startswith("Answer the question first")
