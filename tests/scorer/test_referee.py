"""The referee without a camera: scripted tables, presses, and every kind of contradiction."""

from __future__ import annotations

import pytest

from device.lanes import lane_view
from device.sim import Face, ScriptedTable
from scorer.events import Banked, Entered, Event, Rolled, SetAside, TookOver
from scorer.farkle import fold
from scorer.referee import (
    Bank,
    Choose,
    Doubt,
    FixDie,
    Input,
    LaneDie,
    LaneView,
    Lost,
    Next,
    Question,
    Referee,
    RollAgain,
    Ruling,
    TakenUp,
    TakeOver,
    Undo,
    advance,
    new_referee,
    resumed,
)
from scorer.rules import preset
from vision.watch import Observation


class Evening:
    """A table, its referee, and everything that the referee has said."""

    def __init__(self, name: str = "farkle", players: tuple[str, ...] = ("Anna", "Ben"), **settings: object):
        self.table = ScriptedTable()
        self.referee: Referee = new_referee(preset(name).replace(**settings), players)
        self.log: list[Event] = []
        self.asked: list[Question] = []

    def give(self, given: Input) -> Ruling:
        ruling = advance(self.referee, given)
        if ruling.undone:
            del self.log[-ruling.undone :]
        self.log.extend(ruling.events)
        if ruling.asked is not None:
            self.asked.append(ruling.asked)
        self.referee = ruling.referee
        # Whatever was told one event at a time is the game that the referee has.
        assert tuple(self.log) == self.referee.events
        assert fold(self.referee.rules, self.referee.players, self.log) == self.referee.game
        return ruling

    def see(self, observation: Observation) -> Ruling:
        if observation.kind == "camera":
            return self.give(Lost())
        return self.give(lane_view(observation))

    def throw(self, *faces: Face, keep: tuple[int, ...] = ()) -> Ruling:
        return self.see(self.table.throw(*faces, keep=keep))

    def doubt(self) -> Doubt | None:
        return None if self.referee.question is None else self.referee.question.doubt

    @property
    def totals(self) -> tuple[int, ...]:
        return self.referee.game.totals


# What a game is made of


def test_first_throw_is_rolled_by_the_first_player() -> None:
    evening = Evening()
    ruling = evening.throw(1, 2, 3, 4, 6, 6)
    assert ruling.events == (Rolled((1, 2, 3, 4, 6, 6)),)
    assert evening.referee.game.to_act == "Anna"


def test_dice_that_stay_are_set_aside() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    assert evening.throw(2, 2, 2, 3, keep=(1, 2)).events == (SetAside((1, 5)), Rolled((2, 2, 2, 3)))
    assert evening.referee.game.turn.points == 150


def test_dice_set_aside_before_stay_and_do_not_count_twice() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(1, 2, 3, 3, keep=(1, 2))
    assert evening.throw(5, 4, 4, keep=(1, 2, 3)).events == (SetAside((1,)), Rolled((5, 4, 4)))
    assert evening.referee.game.turn.points == 250
    assert evening.referee.table.kept == set(evening.table.ids()[:3])


def test_equal_dice_may_change_places_among_the_kept() -> None:
    evening = Evening()
    evening.throw(1, 1, 3, 4, 6, 6)
    evening.throw(1, 2, 3, 3, 4, keep=(1,))
    # The 1 of the first throw is taken up and the new 1 left: the same dice as far as the game goes.
    assert evening.throw(2, 2, 3, 3, keep=(1, 2)).events == (SetAside((1,)), Rolled((2, 2, 3, 3)))


def test_identical_throws_are_two_throws() -> None:
    evening = Evening()
    evening.throw(1, 2, 3, 4, 6, 6)
    assert evening.throw(2, 3, 4, 6, 6, keep=(1,)).events == (SetAside((1,)), Rolled((2, 3, 4, 6, 6)))
    assert evening.referee.game.to_act == "Ben"  # nothing in the second throw scores
    first = evening.throw(5, 5, 5, 2, 3, 4)
    assert first.events == (Rolled((5, 5, 5, 2, 3, 4)),)
    again = evening.throw(5, 5, 5, 2, 3, 4)
    assert again.events == (SetAside((5, 5, 5)), Banked(), Rolled((5, 5, 5, 2, 3, 4)))


def test_bust_ends_the_turn_by_itself() -> None:
    evening = Evening()
    evening.throw(2, 2, 3, 3, 4, 6)
    assert evening.referee.game.to_act == "Ben"
    assert evening.throw(1, 1, 1, 3, 4, 6).events == (Rolled((1, 1, 1, 3, 4, 6)),)


def test_hot_dice_are_thrown_again_in_the_same_turn() -> None:
    evening = Evening()
    evening.throw(1, 1, 1, 5, 5, 5)
    assert evening.throw(1, 2, 2, 3, 4, 6).events == (
        SetAside((1, 1, 1, 5, 5, 5)),
        Rolled((1, 2, 2, 3, 4, 6)),
    )
    assert evening.referee.game.to_act == "Anna"
    assert evening.referee.game.turn.points == 2500


def test_hot_dice_over_two_throws() -> None:
    evening = Evening()
    evening.throw(1, 1, 1, 2, 3, 4)
    evening.throw(5, 5, 1, keep=(1, 2, 3))
    assert evening.throw(2, 3, 4, 6, 6, 1).events == (SetAside((5, 5, 1)), Rolled((2, 3, 4, 6, 6, 1)))
    assert evening.referee.game.turn.aside == ()


def test_all_dice_thrown_again_pass_to_the_next_player() -> None:
    evening = Evening()
    evening.throw(6, 6, 6, 1, 2, 3)
    assert evening.throw(1, 2, 3, 4, 6, 6).events == (
        SetAside((1, 6, 6, 6)),
        Banked(),
        Rolled((1, 2, 3, 4, 6, 6)),
    )
    assert evening.totals == (700, 0)
    assert evening.referee.game.to_act == "Ben"


def test_no_hot_dice_where_the_rules_have_none() -> None:
    evening = Evening(hot_dice="off")
    evening.throw(1, 1, 1, 5, 5, 5)
    events = evening.throw(1, 2, 2, 3, 4, 6).events
    assert events == (SetAside((1, 1, 1, 5, 5, 5)), Banked(), Rolled((1, 2, 2, 3, 4, 6)))
    assert evening.totals == (2500, 0)


def test_where_hot_dice_must_be_rolled_passing_banks_what_may_be_banked() -> None:
    evening = Evening(hot_dice="must")
    evening.throw(6, 6, 6, 6, 2, 3)
    assert evening.throw(1, 2, 2, 3, 4, 6).events[:2] == (SetAside((6, 6, 6, 6)), Banked())


def test_bank_key_takes_the_dearest_selection() -> None:
    evening = Evening()
    evening.throw(6, 6, 6, 1, 2, 3)
    assert evening.give(Bank()).events == (SetAside((1, 6, 6, 6)), Banked())
    assert evening.throw(1, 1, 3, 4, 6, 6).events == (Rolled((1, 1, 3, 4, 6, 6)),)
    assert evening.referee.game.to_act == "Ben"


def test_bank_is_refused_before_a_throw_and_below_the_opening() -> None:
    evening = Evening()
    assert "not thrown" in evening.give(Bank()).refused
    evening.throw(1, 2, 3, 4, 6, 6)
    ruling = evening.give(Bank())
    assert ruling.events == ()
    assert "cannot bank" in ruling.refused


def test_a_bank_below_the_opening_writes_zero_where_the_rules_say_so() -> None:
    evening = Evening("tiotusen")
    evening.throw(1, 2, 3, 4, 6, 6)
    assert evening.throw(1, 2, 3, 4, 6, 6).events[:2] == (SetAside((1,)), Banked())
    assert evening.totals == (0, 0)


def test_the_last_bank_ends_the_game_and_later_throws_are_nothing() -> None:
    evening = Evening(target=1000, final_round=False)
    evening.throw(1, 1, 1, 1, 2, 3)
    ruling = evening.throw(1, 2, 3, 4, 6, 6)
    assert ruling.events == (SetAside((1, 1, 1, 1)), Banked())
    assert evening.referee.game.finished
    assert evening.throw(1, 1, 1, 2, 3, 4).events == ()
    assert "finished" in evening.give(Bank()).refused


def test_dice_taken_up_at_the_end_are_passed_on() -> None:
    evening = Evening()
    evening.throw(6, 6, 6, 1, 2, 3)
    assert evening.give(TakenUp()).events == (SetAside((1, 6, 6, 6)), Banked())
    assert evening.totals == (700, 0)


@pytest.mark.parametrize("faces", [(1, 1, 1, 5, 5, 5), (1, 2, 3, 4, 6, 6), (2, 2, 3, 3, 4, 6)])
def test_dice_taken_up_at_the_end_mean_nothing_where_they_may_mean_two_things(faces: tuple[int, ...]) -> None:
    # Hot dice that may be thrown again; a turn that may not be banked; a bust.
    evening = Evening()
    evening.throw(*faces)
    assert evening.give(TakenUp()).events == ()


def test_dice_taken_up_at_the_end_answer_no_question() -> None:
    evening = Evening()
    evening.throw(6, 6, 6, 1, 2, "?")
    assert evening.give(TakenUp()).events == ()
    assert not evening.referee.certain


# What is no throw


def test_dice_that_lay_there_at_the_start_are_no_throw() -> None:
    evening = Evening()
    assert evening.see(evening.table.throw(1, 1, 1, 2, 3, 4, at_start=True)).events == ()
    assert evening.throw(1, 5, 2, 3, 4, 6).events == (Rolled((1, 5, 2, 3, 4, 6)),)


def test_picking_up_some_dice_is_none() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    assert evening.throw(keep=(1, 2)).events == ()
    assert evening.referee.question is None
    assert evening.throw(2, 2, 2, 3, keep=(1, 2)).events == (SetAside((1, 5)), Rolled((2, 2, 2, 3)))


def test_straightening_dice_is_none() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    # A 3 and a 6 are pushed: they lie elsewhere with the same faces, and no set-aside of the rest is legal.
    assert evening.throw(3, 6, keep=(1, 2, 4, 5)).events == ()
    assert evening.referee.question is None
    assert evening.throw(2, 2, 2, 3, keep=(1, 2)).events == (SetAside((1, 5)), Rolled((2, 2, 2, 3)))


def test_straightening_after_a_bust_is_none() -> None:
    evening = Evening()
    evening.throw(2, 2, 3, 3, 4, 6)
    assert evening.throw(4, 6, keep=(1, 2, 3, 4)).events == ()
    assert evening.referee.question is None
    assert evening.throw(1, 2, 2, 3, 4, 6).events == (Rolled((1, 2, 2, 3, 4, 6)),)


def test_an_unsure_look_at_a_kept_die_changes_nothing() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    view = lane_view(evening.table.throw(2, 2, 2, 3, keep=(1, 2)))
    blurred = view.with_dice(
        LaneDie(die.id, None, sure=False, moved=False) if not die.moved else die for die in view.dice
    )
    assert evening.give(blurred).events == (SetAside((1, 5)), Rolled((2, 2, 2, 3)))


def test_a_committed_throw_is_frozen() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    before = evening.referee.events
    evening.see(evening.table.change(3, 2))
    assert evening.referee.events == before


def test_a_die_that_was_touched_is_asked_where_it_could_be_a_throw() -> None:
    evening = Evening()
    evening.throw(6, 6, 6, 1, 5, 3)
    # Setting aside all but the 3 would be legal, and the 3 shows 3 again: thrown, or touched?
    assert evening.see(evening.table.push(6)).events == ()
    assert evening.doubt() is Doubt.PUSHED_OR_THROWN
    evening.give(Choose(2))
    assert evening.referee.certain
    assert evening.throw(5, 5, 2, keep=(1, 2, 3)).events == (SetAside((6, 6, 6)), Rolled((5, 5, 2)))


def test_a_die_that_shows_the_same_beside_its_old_place_may_have_been_thrown() -> None:
    evening = Evening()
    evening.throw(6, 6, 6, 1, 5, 3)
    evening.see(evening.table.push(6))
    assert evening.give(Choose(1)).events == (SetAside((1, 5, 6, 6, 6)), Rolled((3,)))
    assert evening.referee.certain


def test_a_die_that_shows_the_same_far_away_was_thrown() -> None:
    evening = Evening()
    evening.throw(6, 6, 6, 1, 5, 3)
    assert evening.see(evening.table.push(6, sizes=4.0)).events == (SetAside((1, 5, 6, 6, 6)), Rolled((3,)))


def test_all_dice_a_little_elsewhere_are_not_the_next_turn() -> None:
    evening = Evening()
    evening.throw(6, 6, 6, 1, 5, 3)
    # The mat was pulled: passing on the dice and throwing the very same beside it is asked.
    assert evening.see(evening.table.push(1, 2, 3, 4, 5, 6, sizes=2.0)).events == ()
    assert evening.doubt() is Doubt.PUSHED_OR_THROWN
    evening.give(Choose(2))
    assert evening.throw(5, 5, 2, keep=(1, 2, 3)).events == (SetAside((6, 6, 6)), Rolled((5, 5, 2)))


def test_straightening_kept_dice_is_none_when_the_rest_cannot_have_been_thrown() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 2, 2, 3, keep=(1, 2))
    assert evening.see(evening.table.push(1, 2)).events == ()
    assert evening.referee.certain
    assert evening.throw(4, keep=(1, 2, 3, 4, 5)).events == (SetAside((2, 2, 2)), Rolled((4,)))


# Dice pushed aside while the others are in the hand


def test_pushed_aside_and_then_thrown_is_a_set_aside_when_nothing_else_is_possible() -> None:
    evening = Evening()
    evening.throw(1, 2, 3, 4, 6, 6)
    # The 1 is pushed aside, five dice are in the hand. Passing on is impossible: 100 do not open.
    evening.throw(1)
    assert evening.referee.question is None
    assert evening.throw(2, 2, 2, 3, 3, keep=(1,)).events == (SetAside((1,)), Rolled((2, 2, 2, 3, 3)))


def test_pushed_aside_is_asked_where_it_may_also_be_the_next_turn() -> None:
    evening = Evening()
    evening.throw(1, 6, 6, 6, 3, 4)
    evening.throw(1)
    evening.throw(2, 2, 2, 3, 3, keep=(1,))
    assert evening.doubt() is Doubt.SLID_OR_THROWN
    assert evening.referee.question is not None
    assert len(evening.referee.question.options) == 2
    assert evening.give(Choose(1)).events == (SetAside((1,)), Rolled((2, 2, 2, 3, 3)))
    assert evening.referee.certain


def test_pushed_aside_answered_the_other_way() -> None:
    evening = Evening()
    evening.throw(1, 6, 6, 6, 3, 4)
    evening.throw(1)
    evening.throw(2, 2, 2, 3, 3, keep=(1,))
    assert evening.give(Choose(2)).events == (
        SetAside((1, 6, 6, 6)),
        Banked(),
        Rolled((1, 2, 2, 2, 3, 3)),
    )


# Not sure


def test_an_unread_die_is_asked_and_fixed() -> None:
    evening = Evening()
    ruling = evening.throw(1, "?", 3, 4, 6, 6)
    assert ruling.events == ()
    assert ruling.asked is not None
    assert ruling.asked.kind == "unsure"
    assert "die 2" in ruling.asked.seen
    assert evening.give(FixDie(evening.table.ids()[1], 5)).events == (Rolled((1, 5, 3, 4, 6, 6)),)
    assert evening.referee.certain


def test_an_unread_die_that_is_read_later_where_it_lies_answers_by_itself() -> None:
    evening = Evening()
    evening.throw(1, "?", 3, 4, 6, 6)
    assert evening.see(evening.table.change(2, 5)).events == (Rolled((1, 5, 3, 4, 6, 6)),)
    assert evening.referee.certain


def test_an_unread_die_that_is_kept_and_read_with_the_next_throw() -> None:
    evening = Evening()
    evening.throw(1, "?", 3, 4, 6, 6)
    evening.table.change(2, 5)
    events = evening.throw(2, 2, 2, 3, keep=(1, 2)).events
    assert events == (Rolled((1, 5, 3, 4, 6, 6)), SetAside((1, 5)), Rolled((2, 2, 2, 3)))


def test_an_unread_die_that_is_thrown_on_stays_open_until_it_is_told() -> None:
    evening = Evening()
    evening.throw(1, 5, "?", 4, 6, 6)
    unread = evening.table.ids()[2]
    assert evening.throw(2, 2, 2, 3, keep=(1, 2)).events == ()
    assert evening.referee.question is not None
    assert evening.referee.question.thrown_since
    assert evening.throw(4, keep=(1, 2, 3, 4, 5)).events == ()
    assert not evening.referee.certain
    # One answer, and the game catches up with the table.
    assert evening.give(FixDie(unread, 3)).events == (
        Rolled((1, 5, 3, 4, 6, 6)),
        SetAside((1, 5)),
        Rolled((2, 2, 2, 3)),
        SetAside((2, 2, 2)),
        Rolled((4,)),
    )
    assert evening.referee.certain


def test_the_only_die_left_is_not_taken_for_the_unread_one_thrown_again() -> None:
    evening = Evening()
    evening.throw(1, 1, 1, 5, 5, "?")
    # Five dice are set aside and the unread one is thrown: what it showed before is not known.
    assert evening.throw(4, keep=(1, 2, 3, 4, 5)).events == ()
    assert evening.doubt() is Doubt.UNREAD


def test_a_leaning_die_is_thrown_again_alone() -> None:
    evening = Evening()
    ruling = evening.throw(1, 5, "/", 4, 6, 6)
    assert ruling.asked is not None
    assert ruling.asked.doubt is Doubt.COCKED
    assert evening.throw(3, keep=(1, 2, 4, 5, 6)).events == (Rolled((1, 5, 4, 6, 6, 3)),)
    assert evening.referee.certain


def test_a_leaning_die_among_kept_ones_is_thrown_again_alone() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 3, "/", 4, keep=(1, 2))
    assert evening.throw(5, keep=(1, 2, 3, 4, 6)).events == (SetAside((1, 5)), Rolled((2, 3, 4, 5)))


def test_a_throw_with_a_leaning_die_may_be_thrown_again_as_a_whole() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 3, "/", 4, keep=(1, 2))
    assert evening.throw(5, 5, 2, 3, keep=(1, 2)).events == (SetAside((1, 5)), Rolled((5, 5, 2, 3)))


def test_all_dice_after_a_leaning_die_may_be_somebody_elses_throw() -> None:
    evening = Evening()
    evening.throw(1, 1, 1, "/", 6, 6)
    assert evening.throw(1, 5, 3, 4, 6, 6).events == ()
    assert not evening.referee.certain
    # The first throw did not count, says the table; the second is asked for once more.
    evening.give(RollAgain())
    assert evening.throw(1, 5, 3, 4, 6, 6).events == (Rolled((1, 5, 3, 4, 6, 6)),)


def test_a_die_that_was_overlooked_is_part_of_the_throw_it_lay_in() -> None:
    evening = Evening()
    view = lane_view(evening.table.throw(1, 5, 3, 4, 6, 6))
    evening.give(view.with_dice(view.dice[:5]))
    assert evening.doubt() is Doubt.TOO_FEW
    # The sixth die is found when four others have been thrown on: it has not moved, so it lay there.
    later = lane_view(evening.table.throw(2, 2, 2, 3, keep=(1, 6)))
    assert evening.give(later).events == (Rolled((1, 5, 3, 4, 6, 6)),)
    assert evening.doubt() is Doubt.NOT_SCORING  # the 1 and the 6 were kept


def test_an_overlooked_die_may_be_a_kept_one_and_is_then_asked() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    view = lane_view(evening.table.throw(2, 2, 2, 3, keep=(1, 2)))
    evening.give(view.with_dice(view.dice[1:]))  # the 1 that stayed is not seen
    found = view.with_dice(
        LaneDie(99 if place == 0 else die.id, die.value, moved=place == 5)
        for place, die in enumerate(view.dice)
    )
    assert evening.give(found).events == ()
    assert not evening.referee.certain


# Contradictions


def test_a_kept_die_that_changed_its_face_pauses_and_shows_both_versions() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.table.change(1, 2)
    ruling = evening.throw(2, 2, 2, 3, keep=(1, 2))
    assert ruling.events == ()
    assert ruling.asked is not None
    assert ruling.asked.kind == "paused"
    assert ruling.asked.doubt is Doubt.CHANGED_FACE
    assert "shows 2" in ruling.asked.seen
    assert "showed 1" in ruling.asked.expected
    fixed = evening.give(FixDie(evening.table.ids()[0], 1))
    assert fixed.events == (SetAside((1, 5)), Rolled((2, 2, 2, 3)))


def test_seven_dice_pause_and_the_odd_thing_can_be_named_or_taken_away() -> None:
    evening = Evening()
    evening.throw(1, 2, 3, 4, 6, 6, 5)
    assert evening.doubt() is Doubt.TOO_MANY
    assert evening.give(FixDie(evening.table.ids()[6], None)).events == (Rolled((1, 2, 3, 4, 6, 6)),)
    # The thing still lies there and is left out from now on.
    assert evening.throw(5, 5, 2, 3, 4, keep=(1, 7)).events == (SetAside((1,)), Rolled((5, 5, 2, 3, 4)))


def test_seven_dice_are_six_once_one_is_taken_away() -> None:
    evening = Evening()
    evening.throw(1, 2, 3, 4, 6, 6, 5)
    assert evening.throw(keep=(1, 2, 3, 4, 5, 6)).events == (Rolled((1, 2, 3, 4, 6, 6)),)
    assert evening.referee.certain


def test_a_missing_die_pauses_until_it_lies_there() -> None:
    evening = Evening()
    evening.throw(1, 2, 3, 4, 6)
    assert evening.doubt() is Doubt.TOO_FEW
    assert evening.throw(5, keep=(1, 2, 3, 4, 5)).events == (Rolled((1, 2, 3, 4, 6, 5)),)


def test_a_missing_die_can_be_told() -> None:
    evening = Evening()
    evening.throw(1, 2, 3, 4, 6)
    assert evening.give(FixDie(None, 5)).events == (Rolled((1, 2, 3, 4, 6, 5)),)


def test_a_kept_die_that_vanished_pauses() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 2, 2, 3, keep=(1, 2))
    ruling = evening.throw(4, keep=(2, 3, 4, 5))
    assert ruling.events == ()
    assert ruling.asked is not None
    assert ruling.asked.doubt is Doubt.TOO_FEW


def test_a_kept_die_that_was_thrown_again_pauses() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 2, 2, 3, keep=(1, 2))
    # The 5 of the first throw is thrown with the last die: only the 1 and three 2s stay.
    evening.throw(4, 4, keep=(1, 3, 4, 5))
    assert evening.doubt() is Doubt.KEPT_MOVED


def test_dice_set_aside_that_do_not_score_pause() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 2, 2, 4, keep=(1, 3))
    assert evening.doubt() is Doubt.NOT_SCORING
    assert evening.asked[-1].expected == "1 3 is no selection of 1 5 3 4 6 6 that scores"
    evening.give(RollAgain())
    assert evening.referee.certain
    assert evening.referee.events == (Rolled((1, 5, 3, 4, 6, 6)),)


def test_throwing_on_without_setting_aside_pauses() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(1, 2, 3, 4, keep=(1, 2))
    evening.throw(2, 3, 5, 6, keep=(1, 2))
    assert evening.doubt() is Doubt.NOTHING_KEPT


def test_a_new_turn_with_a_die_left_lying_pauses_until_it_is_thrown_too() -> None:
    evening = Evening()
    evening.throw(2, 2, 3, 3, 4, 6)
    evening.throw(1, 5, 3, 4, 6, keep=(1,))
    assert evening.doubt() is Doubt.NOT_ALL_THROWN
    assert evening.throw(2, keep=(2, 3, 4, 5, 6)).events == (Rolled((1, 5, 3, 4, 6, 2)),)


def test_passing_below_the_opening_pauses_and_shows_both() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    ruling = evening.throw(1, 1, 1, 2, 3, 4)
    assert ruling.events == ()
    assert ruling.asked is not None
    assert ruling.asked.doubt is Doubt.BELOW_MINIMUM
    assert ruling.asked.kind == "paused"
    assert "all 6 dice were thrown" in ruling.asked.seen
    assert "150" in ruling.asked.expected
    assert "500" in ruling.asked.expected


def test_below_the_opening_the_turn_can_be_given_up() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(1, 1, 1, 2, 3, 4)
    ruling = evening.give(Next())
    assert ruling.undone == 1
    assert ruling.events == (Entered("Anna", 0), Rolled((1, 1, 1, 2, 3, 4)))
    assert evening.referee.game.to_act == "Ben"
    assert evening.referee.certain


def test_a_table_that_stays_open_is_not_certain_and_the_game_waits() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(1, 1, 1, 2, 3, 4)
    for _ in range(3):
        assert evening.throw(1, 1, 1, 2, 3, 4).events == ()
    assert not evening.referee.certain
    assert evening.totals == (0, 0)


# Undo and correction


def test_undo_takes_back_a_whole_step() -> None:
    evening = Evening()
    evening.throw(6, 6, 6, 1, 2, 3)
    evening.throw(1, 2, 3, 4, 6, 6)
    ruling = evening.give(Undo())
    assert ruling.undone == 3
    assert evening.referee.events == (Rolled((6, 6, 6, 1, 2, 3)),)
    assert evening.give(Undo()).undone == 1
    assert "nothing to take back" in evening.give(Undo()).refused


def test_hot_dice_that_were_banked_are_put_right_with_undo_and_bank() -> None:
    evening = Evening()
    evening.throw(1, 1, 1, 5, 5, 5)
    evening.throw(1, 2, 2, 3, 4, 6)  # taken for hot dice, but Anna had passed them on
    evening.give(Undo())
    ruling = evening.give(Bank())
    assert ruling.events == (SetAside((1, 1, 1, 5, 5, 5)), Banked(), Rolled((1, 2, 2, 3, 4, 6)))
    assert evening.referee.game.to_act == "Ben"


def test_after_undo_the_same_dice_can_be_thrown_again() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 2, 2, 3, keep=(1, 2))
    evening.give(Undo())
    assert evening.throw(4, 4, 4, 6, keep=(1, 2)).events == (SetAside((1, 5)), Rolled((4, 4, 4, 6)))


def test_undo_crosses_the_end_of_the_game() -> None:
    evening = Evening(target=1000, final_round=False)
    evening.throw(1, 1, 1, 1, 2, 3)
    evening.give(Bank())
    assert evening.referee.game.finished
    evening.give(Undo())
    assert not evening.referee.game.finished
    assert evening.throw(1, 5, keep=(1, 2, 3, 4)).events == (SetAside((1, 1, 1, 1)), Rolled((1, 5)))


def test_the_last_throw_can_be_corrected() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    ruling = evening.give(FixDie(evening.table.ids()[2], 2))
    assert (ruling.undone, ruling.events) == (1, (Rolled((1, 5, 2, 4, 6, 6)),))
    # The correction holds although the camera goes on to read what it read before.
    assert evening.throw(2, 2, 2, 3, keep=(1, 2)).events == (SetAside((1, 5)), Rolled((2, 2, 2, 3)))


def test_a_correction_can_turn_a_bust_into_a_throw_and_be_undone() -> None:
    evening = Evening()
    evening.throw(2, 2, 3, 3, 4, 6)
    evening.give(FixDie(evening.table.ids()[4], 1))
    assert evening.referee.game.to_act == "Anna"
    evening.give(Undo())
    assert evening.referee.game.to_act == "Ben"


def test_a_die_set_aside_cannot_be_corrected_in_passing() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 2, 2, 3, keep=(1, 2))
    assert "set aside" in evening.give(FixDie(evening.table.ids()[0], 2)).refused
    assert "1 to 6" in evening.give(FixDie(evening.table.ids()[0], 7)).refused


def test_presses_that_mean_nothing_are_refused_with_a_sentence() -> None:
    evening = Evening()
    for press in (RollAgain(), Choose(1), TakeOver(), FixDie(None, 3), Undo(), Bank()):
        ruling = evening.give(press)
        assert ruling.refused.endswith(".")
        assert ruling.events == ()


def test_bank_waits_for_the_answer() -> None:
    evening = Evening()
    evening.throw(1, "?", 3, 4, 6, 6)
    assert "Answer" in evening.give(Bank()).refused


def test_giving_up_a_turn_writes_zero() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 2, 2, 3, keep=(1, 2))
    ruling = evening.give(Next())
    assert (ruling.undone, ruling.events) == (3, (Entered("Anna", 0),))
    assert evening.throw(1, 2, 3, 4, 6, 6).events == (Rolled((1, 2, 3, 4, 6, 6)),)
    evening.give(Undo())
    evening.give(Undo())
    assert len(evening.referee.events) == 3


# Taking over what another player left


def test_steal_is_taken_with_fewer_dice_and_the_others_lie_idle() -> None:
    evening = Evening(steal="roll", opening=0)
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 2, 3, 4, keep=(1, 2))  # bust: 150 lost, thrown with four dice
    ruling = evening.throw(1, 3, 3, 4, keep=(1, 2))
    assert ruling.events == (TookOver(), Rolled((1, 3, 3, 4)))
    assert evening.referee.game.turn.points == 150
    # Two dice of Anna still lie there and are no set-aside of Ben.
    assert evening.throw(2, 5, 6, keep=(1, 2, 3)).events == (SetAside((1,)), Rolled((2, 5, 6)))


def test_steal_is_declined_by_throwing_all_dice() -> None:
    evening = Evening(steal="roll", opening=0)
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 2, 3, 4, keep=(1, 2))
    assert evening.throw(1, 3, 3, 4, 6, 6).events == (Rolled((1, 3, 3, 4, 6, 6)),)


def test_an_offer_of_all_dice_is_asked() -> None:
    evening = Evening(steal="roll", opening=0)
    evening.throw(1, 1, 1, 5, 5, 5)
    evening.throw(2, 2, 3, 3, 4, 6)  # hot dice, then a bust with six dice
    evening.throw(1, 2, 3, 4, 6, 6)
    assert evening.doubt() is Doubt.TAKE_OVER
    assert evening.give(Choose(1)).events == (TookOver(), Rolled((1, 2, 3, 4, 6, 6)))


# Losing and finding the table


def test_a_table_that_is_seen_again_unchanged_goes_on() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 2, 2, 3, keep=(1, 2))
    evening.see(evening.table.lose_sight())
    assert evening.see(evening.table.look()).events == ()
    assert evening.referee.certain
    assert evening.throw(4, keep=(1, 2, 3, 4, 5)).events == (SetAside((2, 2, 2)), Rolled((4,)))


def test_a_table_that_changed_out_of_sight_is_asked() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.see(evening.table.lose_sight())
    evening.throw(2, 2, 2, 3, keep=(1, 2))
    assert evening.doubt() is Doubt.LOST_TRACK
    assert evening.referee.question is not None
    options = evening.referee.question.options
    assert any("1 5 set aside" in option for option in options)
    number = next(i for i, option in enumerate(options, start=1) if "1 5 set aside" in option)
    assert evening.give(Choose(number)).events == (SetAside((1, 5)), Rolled((2, 2, 2, 3)))


def test_an_unread_die_out_of_sight_does_not_make_a_new_turn() -> None:
    evening = Evening()
    evening.throw(6, 6, 6, 1, 2, 3)
    evening.see(evening.table.lose_sight())
    evening.throw("?", 2, 2, keep=(1, 2, 3))
    assert evening.doubt() is Doubt.UNREAD
    # Told the last face, the game still cannot know which dice stayed, and asks.
    assert evening.give(FixDie(evening.table.ids()[3], 4)).events == ()
    assert evening.doubt() is Doubt.LOST_TRACK
    assert evening.referee.question is not None
    options = evening.referee.question.options
    assert options == ("6 6 6 set aside, the others thrown", "all dice were thrown")
    assert evening.give(Choose(1)).events == (SetAside((6, 6, 6)), Rolled((4, 2, 2)))


def test_a_throw_out_of_sight_that_does_not_count_is_looked_at_anew() -> None:
    evening = Evening()
    evening.throw(6, 6, 6, 1, 2, 3)
    evening.see(evening.table.lose_sight())
    evening.throw(5, 2, 2, keep=(1, 2, 3))
    evening.give(RollAgain())
    assert evening.throw(5, 5, 2, keep=(1, 2, 3)).events == ()
    assert evening.doubt() is Doubt.LOST_TRACK


def test_a_resumed_game_recognises_the_table_and_goes_on() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    evening.throw(2, 2, 2, 3, keep=(1, 2))
    steps = (evening.log[:1], evening.log[1:])
    evening.referee = resumed(evening.referee.rules, evening.referee.players, steps)
    evening.table.lose_sight()
    assert evening.see(evening.table.throw(keep=(1, 2, 3, 4, 5, 6), at_start=True)).events == ()
    assert evening.throw(4, keep=(1, 2, 3, 4, 5)).events == (SetAside((2, 2, 2)), Rolled((4,)))
    evening.give(Undo())
    evening.give(Undo())
    assert evening.referee.events == (Rolled((1, 5, 3, 4, 6, 6)),)


def test_a_tray_keeps_dice_wherever_they_came_from() -> None:
    evening = Evening()
    evening.throw(1, 5, 3, 4, 6, 6)
    tray = (LaneDie(20, 1, moved=True, zone="tray"), LaneDie(21, 5, moved=True, zone="tray"))
    thrown = tuple(LaneDie(30 + i, face) for i, face in enumerate((2, 2, 2, 3)))
    view = LaneView(evening.table.t_ns + 1, (*tray, *thrown))
    assert evening.give(view).events == (SetAside((1, 5)), Rolled((2, 2, 2, 3)))


@pytest.mark.parametrize("doubt", list(Doubt))
def test_every_doubt_is_unsure_or_paused(doubt: Doubt) -> None:
    question = Question(doubt, "one die leans", "a die counts only when it lies flat", 0)
    assert question.kind in ("unsure", "paused")
    assert question.reason == "One die leans; a die counts only when it lies flat."
