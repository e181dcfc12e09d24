"""The referee with one lane a player, with a tray, and with each way to bank switched off."""

from __future__ import annotations

import pytest

from scorer.events import Banked, Event, Rolled, SetAside
from scorer.lane import LaneDie, LaneView, Seating, Zone
from scorer.referee import Bank, Choose, Doubt, FixDie, Input, Referee, Ruling, advance, new_referee
from scorer.rules import preset

LANES = Seating(("1", "2", "3"))
PLAYERS = ("Anna", "Ben", "Cara")


class Table:
    """Dice by hand: each throw has new ids, kept dice keep theirs."""

    def __init__(self, seating: Seating | None = None, **settings: object) -> None:
        rules = preset("farkle").replace(**{"opening": 0, **settings})
        self.referee: Referee = new_referee(rules, PLAYERS, seating=seating)
        self.next_id = 1
        self.t_ns = 0
        self.last: tuple[LaneDie, ...] = ()

    def give(self, given: Input) -> Ruling:
        ruling = advance(self.referee, given)
        self.referee = ruling.referee
        return ruling

    def dice(self, *faces: int | None, zone: Zone = "roll") -> tuple[LaneDie, ...]:
        made = tuple(
            LaneDie(
                self.next_id + i, face, sure=face is not None, zone=zone, at=(9.0 * (self.next_id + i), 0)
            )
            for i, face in enumerate(faces)
        )
        self.next_id += len(faces)
        return made

    def show(self, *dice: LaneDie, lane: str | None = None, lifted: frozenset[int] = frozenset()) -> Ruling:
        self.t_ns += 2_000_000_000
        self.last = dice
        return self.give(LaneView(self.t_ns, dice, lane=lane, lifted=lifted))

    def stay(self, *places: int) -> tuple[LaneDie, ...]:
        """The dice at places (from 1) of the last view, where they lie."""
        return tuple(
            LaneDie(die.id, die.value, moved=False, zone=die.zone, at=die.at)
            for die in (self.last[place - 1] for place in places)
        )

    def doubt(self) -> Doubt | None:
        return None if self.referee.question is None else self.referee.question.doubt


def test_a_throw_in_the_next_players_lane_banks_the_turn() -> None:
    table = Table(LANES)
    table.show(*table.dice(5, 5, 2, 3, 4, 6), lane="1")
    assert table.show(*table.dice(1, 2, 3, 3, 4, 6), lane="2").events == (
        SetAside((5, 5)),
        Banked(),
        Rolled((1, 2, 3, 3, 4, 6)),
    )
    assert table.referee.game.totals == (100, 0, 0)


def test_six_scoring_dice_in_the_own_lane_are_hot_dice_and_in_the_next_one_a_bank() -> None:
    hot, passed = Table(LANES), Table(LANES)
    for table in (hot, passed):
        table.show(*table.dice(1, 1, 1, 5, 5, 5), lane="1")
    assert hot.show(*hot.dice(2, 2, 3, 4, 6, 6), lane="1").events[0] == SetAside((1, 1, 1, 5, 5, 5))
    assert len(hot.referee.game.turns[0]) == 1  # a bust, and all is lost
    assert Banked() in passed.show(*passed.dice(2, 2, 3, 4, 6, 1), lane="2").events
    assert passed.referee.game.totals[0] > 0


def test_all_dice_thrown_again_in_the_own_lane_are_no_bank() -> None:
    table = Table(LANES)
    table.show(*table.dice(1, 2, 3, 3, 4, 6), lane="1")
    assert table.show(*table.dice(2, 2, 3, 4, 6, 1), lane="1").events == ()
    assert table.doubt() is Doubt.NOTHING_KEPT


def test_a_bust_is_followed_by_the_next_lane() -> None:
    table = Table(LANES)
    table.show(*table.dice(2, 2, 3, 4, 6, 6), lane="1")
    assert table.show(*table.dice(1, 2, 3, 3, 4, 6), lane="2").events == (Rolled((1, 2, 3, 3, 4, 6)),)
    assert table.referee.game.to_act == "Ben"


def test_dice_of_a_turn_that_is_over_may_be_pushed_about() -> None:
    table = Table(LANES)
    table.show(*table.dice(2, 2, 3, 4, 6, 6), lane="1")
    ruling = table.show(*table.stay(1, 2, 3, 4, 5), *table.dice(6), lane="1")
    assert (ruling.events, table.doubt()) == ((), None)


@pytest.mark.parametrize(("lane", "whose"), [("3", "in Cara's lane"), ("7", "where nobody plays")])
def test_a_throw_out_of_turn_pauses_and_goes_on_after_one_answer(lane: str, whose: str) -> None:
    table = Table(LANES)
    table.show(*table.dice(5, 5, 2, 3, 4, 6), lane="1")
    assert table.show(*table.dice(1, 2, 3, 3, 4, 6), lane=lane).events == ()
    question = table.referee.question
    assert question is not None
    assert question.doubt is Doubt.OUT_OF_TURN
    assert whose in question.reason
    assert "Anna is to act" in question.reason
    table.give(Choose(question.options.index("it does not count") + 1))
    assert table.referee.certain
    assert table.show(*table.dice(1, 2, 3, 3, 4, 6), lane="2").events[-1] == Rolled((1, 2, 3, 3, 4, 6))


def test_the_first_throw_in_a_wrong_lane_is_asked() -> None:
    table = Table(LANES)
    assert table.show(*table.dice(1, 2, 3, 3, 4, 6), lane="2").events == ()
    assert table.doubt() is Doubt.OUT_OF_TURN


def test_passing_by_lane_can_be_switched_off() -> None:
    table = Table(Seating(("1", "2", "3"), by_lane=False))
    table.show(*table.dice(5, 5, 2, 3, 4, 6), lane="1")
    assert table.show(*table.dice(1, 2, 3, 3, 4, 6), lane="2").events == ()
    question = table.referee.question
    assert question is not None
    assert question.options[0] == "Anna has banked"
    assert table.give(Choose(1)).events == (SetAside((5, 5)), Banked(), Rolled((1, 2, 3, 3, 4, 6)))


def test_below_the_opening_the_next_lane_asks() -> None:
    table = Table(LANES, opening=500)
    table.show(*table.dice(5, 5, 2, 3, 4, 6), lane="1")
    assert table.show(*table.dice(1, 2, 3, 3, 4, 6), lane="2").events == ()
    assert table.doubt() is Doubt.BELOW_MINIMUM


def test_a_question_about_one_lane_is_not_answered_by_another() -> None:
    table = Table(LANES)
    table.show(*table.dice(5, 5, 2, 3, 4, None), lane="1")
    assert table.doubt() is Doubt.UNREAD
    table.show(*table.dice(1, 2, 3, 3, 4, 6), lane="2")
    assert table.doubt() is Doubt.UNREAD
    assert len(table.referee.waiting) == 2


def test_passing_in_a_shared_zone_can_be_switched_off() -> None:
    table = Table(Seating(by_passing=False))
    table.show(*table.dice(5, 5, 2, 3, 4, 6))
    again = table.dice(1, 2, 3, 3, 4, 6)
    assert table.show(*again).events == ()
    assert table.doubt() is Doubt.NOT_BANKED
    assert table.give(Choose(1)).events == (SetAside((5, 5)), Banked(), Rolled((1, 2, 3, 3, 4, 6)))


def test_hot_dice_can_be_asked() -> None:
    table = Table(Seating(sure_hot=False))
    table.show(*table.dice(1, 1, 1, 5, 5, 5))
    assert table.show(*table.dice(1, 2, 3, 3, 4, 6)).events == ()
    question = table.referee.question
    assert question is not None
    assert question.options == ("hot dice", "Anna has banked")
    assert Banked() in table.give(Choose(2)).events


# The tray


def laid_down(table: Table, *faces: int, left: tuple[int, ...]) -> Ruling:
    """Lay dice of the last throw into the tray; `left` are places of those that stay."""
    stay = table.stay(*left)
    return table.show(*table.dice(*faces, zone="tray"), *stay)


def test_dice_laid_into_the_tray_are_no_throw_and_stay_set_aside() -> None:
    table = Table()
    table.show(*table.dice(1, 5, 3, 4, 6, 6))
    assert laid_down(table, 1, 5, left=(3, 4, 5, 6)).events == ()
    tray = table.stay(1, 2)
    assert table.show(*tray, *table.dice(2, 2, 2, 3)).events == (SetAside((1, 5)), Rolled((2, 2, 2, 3)))


def test_a_die_in_the_tray_that_does_not_score_is_told_at_once() -> None:
    table = Table()
    table.show(*table.dice(1, 5, 3, 4, 6, 6))
    assert (
        laid_down(table, 4, left=(1, 2, 3, 5, 6)).remark
        == "In the tray: this 4 does not score in 1 5 3 4 6 6."
    )
    assert table.referee.certain
    # Put back, and the right one taken: nothing is to be said.
    assert table.show(*table.dice(1, zone="tray"), *table.dice(4), *table.stay(3, 4, 5, 6)).remark == ""


def test_part_of_a_set_is_no_reason_to_speak() -> None:
    table = Table()
    table.show(*table.dice(2, 2, 2, 4, 6, 6))
    assert laid_down(table, 2, left=(2, 3, 4, 5, 6)).remark == ""


def test_throwing_on_with_a_wrong_die_in_the_tray_pauses() -> None:
    table = Table()
    table.show(*table.dice(1, 5, 3, 4, 6, 6))
    laid_down(table, 4, left=(1, 2, 3, 5, 6))
    assert table.show(*table.stay(1), *table.dice(1, 1, 2, 3, 6)).events == ()
    assert table.doubt() is Doubt.NOT_SCORING


def test_a_die_that_rolls_into_the_tray_in_the_first_throw_was_thrown() -> None:
    table = Table()
    ruling = table.show(*table.dice(1, zone="tray"), *table.dice(5, 3, 4, 6, 6))
    assert ruling.events == (Rolled((1, 5, 3, 4, 6, 6)),)


def test_a_die_that_rolls_into_the_tray_and_cannot_have_been_set_aside_was_thrown() -> None:
    table = Table()
    table.show(*table.dice(2, 2, 2, 6, 6, 6))
    ruling = table.show(*table.dice(4, zone="tray"), *table.dice(1, 3, 4, 6, 6))
    assert ruling.events == (SetAside((2, 2, 2, 6, 6, 6)), Rolled((4, 1, 3, 4, 6, 6)))


def test_a_die_in_the_tray_that_cannot_be_read_is_asked_before_it_counts() -> None:
    table = Table()
    table.show(*table.dice(1, 5, 3, 4, 6, 6))
    table.show(*table.dice(None, zone="tray"), *table.stay(2, 3, 4, 5, 6))
    tray = (LaneDie(table.last[0].id, None, sure=False, moved=False, zone="tray"),)
    assert table.show(*tray, *table.dice(2, 2, 2, 3, 5)).events == ()
    assert table.doubt() is Doubt.UNREAD


def test_straightening_the_tray_changes_nothing() -> None:
    table = Table()
    table.show(*table.dice(1, 5, 3, 4, 6, 6))
    laid_down(table, 1, 5, left=(3, 4, 5, 6))
    table.show(*table.dice(5, 1, zone="tray"), *table.stay(3, 4, 5, 6))
    events: tuple[Event, ...] = table.show(*table.stay(1, 2), *table.dice(2, 2, 2, 3)).events
    assert events == (SetAside((1, 5)), Rolled((2, 2, 2, 3)))


# Taken up and put back


def pushed(table: Table, place: int, sizes: float, *, lifted: bool) -> Ruling:
    """The die at a place of the last view lies so far beside, with the same face."""
    die = table.last[place - 1]
    assert die.at is not None
    moved = LaneDie(table.next_id, die.value, at=(die.at[0] + sizes, die.at[1]))
    table.next_id += 1
    others = table.stay(*(i + 1 for i in range(len(table.last)) if i != place - 1))
    return table.show(*others, moved, lifted=frozenset({die.id}) if lifted else frozenset())


def test_a_die_that_was_seen_to_be_taken_up_was_thrown() -> None:
    table = Table()
    table.show(*table.dice(6, 6, 6, 1, 5, 3))
    assert pushed(table, 6, 1.0, lifted=True).events == (SetAside((1, 5, 6, 6, 6)), Rolled((3,)))


@pytest.mark.parametrize(("sizes", "lifted"), [(0.2, True), (1.0, False)])
def test_a_die_that_was_put_back_or_pushed_is_asked(sizes: float, lifted: bool) -> None:
    table = Table()
    table.show(*table.dice(6, 6, 6, 1, 5, 3))
    assert pushed(table, 6, sizes, lifted=lifted).events == ()
    assert table.doubt() is Doubt.PUSHED_OR_THROWN


def test_a_bank_by_key_and_then_the_next_lane() -> None:
    table = Table(LANES)
    table.show(*table.dice(5, 5, 2, 3, 4, 6), lane="1")
    assert table.give(Bank()).events == (SetAside((5, 5)), Banked())
    assert table.show(*table.dice(1, 2, 3, 3, 4, 6), lane="2").events == (Rolled((1, 2, 3, 3, 4, 6)),)


def test_a_throw_in_the_next_lane_with_a_die_that_cannot_be_read_is_asked_about_before_it_banks() -> None:
    table = Table(LANES)
    table.show(*table.dice(5, 5, 2, 3, 4, 6), lane="1")
    assert table.show(*table.dice(1, 2, 3, 3, 4, None), lane="2").events == ()
    assert table.doubt() is Doubt.UNREAD
    unread = table.last[-1]
    told = table.give(FixDie(unread.id, 6))
    assert told.events == (SetAside((5, 5)), Banked(), Rolled((1, 2, 3, 3, 4, 6)))
    assert table.referee.certain
