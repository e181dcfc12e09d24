"""The referee at odd moments: after a set-aside by hand, with offers, with a table twice out of sight."""

from __future__ import annotations

from collections.abc import Sequence

from device.sim import ScriptedTable
from scorer.events import Banked, Entered, Event, Rolled, SetAside, TookOver
from scorer.referee import Bank, Choose, Doubt, Lost, TakeOver, Undo, resumed
from scorer.rules import preset
from tests.scorer.test_referee import Evening


def taken_up(*events: Event, name: str = "tiotusen-zilch", **settings: object) -> Evening:
    """A game that goes on after these events; nothing is known of the table yet."""
    evening = Evening(name, ("Anna", "Ben"), **settings)
    evening.referee = resumed(evening.referee.rules, evening.referee.players, [[event] for event in events])
    evening.log = list(events)
    evening.table = ScriptedTable()
    return evening


def lying(evening: Evening, faces: Sequence[int]) -> None:
    """What lies on the table when the watch begins."""
    evening.see(evening.table.throw(*faces, at_start=True))


ONE_ASIDE = (Rolled((1, 2, 3, 3, 4, 6)), SetAside((1,)))


def test_after_a_set_aside_by_hand_its_dice_stay_and_the_others_are_thrown() -> None:
    evening = taken_up(*ONE_ASIDE)
    lying(evening, (1, 2, 3, 3, 4, 6))
    assert evening.throw(5, 2, 3, 3, 4, keep=(1,)).events == (Rolled((5, 2, 3, 3, 4)),)


def test_after_a_set_aside_by_hand_other_dice_that_stay_are_asked_about() -> None:
    evening = taken_up(*ONE_ASIDE)
    lying(evening, (1, 2, 3, 3, 4, 6))
    evening.throw(5, 2, 3, 3, 4, keep=(2,))
    assert evening.doubt() is Doubt.KEPT_MOVED


def test_after_a_set_aside_by_hand_all_dice_thrown_are_passed_on() -> None:
    evening = taken_up(*ONE_ASIDE)
    lying(evening, (1, 2, 3, 3, 4, 6))
    assert evening.throw(5, 2, 3, 3, 4, 6).events == (Banked(), Rolled((5, 2, 3, 3, 4, 6)))


def test_after_hot_dice_set_aside_by_hand_all_are_thrown_again() -> None:
    evening = taken_up(Rolled((1, 1, 1, 5, 5, 5)), SetAside((1, 1, 1, 5, 5, 5)))
    lying(evening, (1, 1, 1, 5, 5, 5))
    assert evening.throw(1, 2, 3, 3, 4, 6).events == (Rolled((1, 2, 3, 3, 4, 6)),)
    assert evening.referee.game.turn.points == 1500


def test_a_bank_after_a_set_aside_by_hand_banks_what_lies_aside() -> None:
    evening = taken_up(*ONE_ASIDE)
    evening.give(Bank())
    assert (evening.log[-1], evening.totals) == (Banked(), (100, 0))


def test_an_offer_taken_by_a_press_is_thrown_with_its_dice() -> None:
    evening = Evening("tiotusen-zilch", steal="roll")
    evening.throw(1, 1, 1, 2, 3, 4)
    evening.throw(2, 3, 4, keep=(1, 2, 3))
    assert evening.referee.game.offer is not None
    evening.give(TakeOver())
    assert evening.log[-1] == TookOver()
    assert evening.throw(1, 3, 4, keep=(1, 2, 3)).events == (Rolled((1, 3, 4)),)
    assert evening.referee.game.turn.points == 1000


def test_dice_passed_on_with_an_offer_of_all_of_them_are_asked_about() -> None:
    evening = Evening("tiotusen-zilch", piggyback=True, hot_dice="off")
    evening.throw(1, 1, 1, 5, 5, 5)
    evening.throw(1, 2, 3, 3, 4, 6)
    assert evening.doubt() is Doubt.TAKE_OVER
    evening.give(Choose(1))
    aside = SetAside((1, 1, 1, 5, 5, 5))
    assert evening.log[1:] == [aside, Banked(), TookOver(), Rolled((1, 2, 3, 3, 4, 6))]
    assert evening.referee.game.turn.points == 1500


def test_no_version_is_offered_that_the_game_cannot_have_had() -> None:
    # Ben has taken over three dice; the other three lie idle, and all six ids are lost in mid-turn.
    evening = Evening("tiotusen-zilch", steal="roll")
    evening.throw(1, 1, 1, 2, 3, 4)
    evening.throw(2, 3, 4, keep=(1, 2, 3))
    evening.give(TakeOver())
    evening.throw(1, 3, 4, keep=(1, 2, 3))
    evening.see(evening.table.lose_sight())
    evening.throw(1, 2, 2, 6, 6, 3)
    question = evening.referee.question
    assert question is not None
    assert question.doubt is Doubt.LOST_TRACK
    assert question.options == ("all dice were thrown",)
    assert evening.give(Choose(2)).refused == "Choose an answer from 1 to 1."


def test_a_question_stays_open_when_the_camera_loses_the_table() -> None:
    evening = Evening()
    evening.throw(1, 2, 3, 4, 6, "?")
    assert evening.referee.shown is evening.referee.waiting[0]
    evening.give(Lost())
    evening.give(Lost())
    evening.see(evening.table.lose_sight())
    evening.see(evening.table.look())
    question = evening.referee.question
    assert question is not None
    assert (question.doubt, question.thrown_since) == (Doubt.UNREAD, True)
    assert question.reason.endswith("Dice have been thrown since.")
    evening.give(Undo())
    assert evening.referee.certain
    assert evening.referee.shown is evening.referee.view
    assert evening.log == []


def test_a_turn_that_was_typed_in_is_followed_by_the_next_players_throw() -> None:
    evening = taken_up(Entered("Anna", 300))
    assert evening.throw(1, 2, 3, 3, 4, 6).events == (Rolled((1, 2, 3, 3, 4, 6)),)
    assert evening.referee.game.to_act == "Ben"
    assert evening.referee.rules == preset("tiotusen-zilch")
