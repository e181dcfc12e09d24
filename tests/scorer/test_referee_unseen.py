"""Dice that came to lie on the table while it was out of sight: somebody may have thrown them."""

from __future__ import annotations

from dataclasses import replace

from device.lanes import lane_view
from device.sim import ScriptedTable
from scorer.events import Rolled
from scorer.referee import Bank, Choose, Doubt, Lost
from tests.scorer.test_referee import Evening


def bust_then_lost() -> Evening:
    """Anna busts; the table goes out of sight before Ben throws."""
    evening = Evening()
    evening.throw(2, 3, 4, 6, 6, 2)
    assert evening.referee.game.to_act == "Ben"
    evening.give(Lost())
    evening.table = ScriptedTable()
    return evening


def test_the_dice_of_the_last_throw_are_known_again() -> None:
    evening = bust_then_lost()
    evening.see(evening.table.throw(2, 3, 4, 6, 6, 2, at_start=True))
    assert evening.doubt() is None
    assert evening.throw(1, 2, 3, 4, 6, 6).events == (Rolled((1, 2, 3, 4, 6, 6)),)


def test_other_dice_may_have_been_thrown_and_are_asked_about() -> None:
    evening = bust_then_lost()
    evening.see(evening.table.throw(1, 5, 4, 6, 6, 2, at_start=True))
    assert evening.doubt() is Doubt.LOST_TRACK
    assert not evening.referee.certain
    assert evening.referee.question is not None
    assert evening.referee.question.options == ("Ben has thrown them", "nobody has thrown them")


def test_the_answer_that_they_were_thrown_counts() -> None:
    evening = bust_then_lost()
    evening.see(evening.table.throw(1, 5, 4, 6, 6, 2, at_start=True))
    assert evening.give(Choose(1)).events == (Rolled((1, 5, 4, 6, 6, 2)),)
    assert evening.throw(1, 1, 2, 3, 4, keep=(1,)).events[-1] == Rolled((1, 1, 2, 3, 4))


def test_the_answer_that_nobody_has_thrown_waits_for_the_throw() -> None:
    evening = bust_then_lost()
    evening.see(evening.table.throw(1, 5, 4, 6, 6, 2, at_start=True))
    assert evening.give(Choose(2)).events == ()
    assert evening.referee.certain
    assert evening.throw(5, 5, 4, 6, 6, 2).events == (Rolled((5, 5, 4, 6, 6, 2)),)


def test_dice_that_are_missing_or_cannot_be_read_are_asked_about() -> None:
    evening = bust_then_lost()
    evening.see(evening.table.throw(1, 5, 4, 6, 6, at_start=True))
    assert evening.doubt() is Doubt.TOO_FEW


def test_before_the_first_throw_dice_may_lie_as_they_like() -> None:
    evening = Evening()
    evening.see(evening.table.throw(1, 5, 4, 6, 6, 2, at_start=True))
    assert evening.referee.certain
    assert evening.referee.events == ()


def test_unread_dice_are_asked_about_before_anybody_may_have_thrown_them() -> None:
    evening = bust_then_lost()
    evening.see(evening.table.throw(1, 5, 4, 6, 6, "?", at_start=True))
    assert evening.doubt() is Doubt.UNREAD


def test_dice_that_came_into_the_tray_unseen_are_asked_about() -> None:
    evening = bust_then_lost()
    view = lane_view(evening.table.throw(1, 5, 4, 6, 6, 2, at_start=True))
    evening.give(view.with_dice(replace(die, zone="tray") for die in view.dice))
    assert evening.referee.events == (Rolled((2, 3, 4, 6, 6, 2)),)
    assert evening.doubt() is Doubt.LOST_TRACK


def test_the_colours_of_the_dice_go_with_their_throw() -> None:
    evening = Evening()
    view = lane_view(evening.table.throw(1, 5, 4, 6, 6, 2))
    colours = ("red", "red", None, "blue", "blue", "blue")
    evening.give(
        view.with_dice(replace(die, colour=name) for die, name in zip(view.dice, colours, strict=True))
    )
    (thrown,) = evening.referee.events
    assert isinstance(thrown, Rolled)
    assert thrown.colours == colours


def test_an_offer_with_all_dice_unseen_is_asked_about_as_an_offer() -> None:
    """Hot dice are offered: whoever throws six may have taken the points over, or not."""
    evening = Evening("tiotusen-zilch", piggyback=True)
    evening.throw(1, 2, 3, 4, 5, 6)
    evening.give(Bank())
    assert evening.referee.game.to_act == "Ben"
    evening.give(Lost())
    evening.table = ScriptedTable()
    evening.see(evening.table.throw(2, 2, 3, 3, 4, 1, at_start=True))
    assert evening.doubt() is Doubt.TAKE_OVER
