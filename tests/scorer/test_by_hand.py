"""A referee whose players say what happened: dice laid out from the events, and a corrected past."""

from __future__ import annotations

from scorer.by_hand import laid_out, revised
from scorer.events import Banked, Rolled, SetAside
from scorer.lane import LaneDie, LaneView
from scorer.referee import FixDie, Played, Referee, Undo, advance, new_referee
from scorer.rules import preset

RULES = preset("farkle").replace(opening=0)
PLAYERS = ("Anna", "Ben")
FIRST = Rolled((5, 5, 2, 3, 4, 4))


def told(*events: Rolled | SetAside | Banked) -> Referee:
    referee = new_referee(RULES, PLAYERS)
    for event in events:
        referee = advance(referee, Played((event,))).referee
    return referee


def seen(*faces: int) -> LaneView:
    return LaneView(9, tuple(LaneDie(100 + place, face) for place, face in enumerate(faces)))


def test_dice_that_are_set_aside_come_first_and_are_kept() -> None:
    referee = laid_out(told(FIRST, SetAside((5, 5)), Rolled((1, 2, 3, 6))), 7)
    assert referee.shown is not None
    assert [die.value for die in referee.shown.dice] == [5, 5, 1, 2, 3, 6]
    assert [die.moved for die in referee.shown.dice] == [False, False, True, True, True, True]
    assert (referee.shown.t_ns, referee.table.kept) == (7, frozenset({1, 2}))


def test_a_die_that_was_typed_wrong_is_corrected_where_it_lies() -> None:
    referee = laid_out(told(FIRST))
    assert advance(referee, FixDie(3, 1)).events == (Rolled((5, 5, 1, 3, 4, 4)),)


def test_an_older_turn_corrected_leaves_the_dice_on_the_table_known() -> None:
    referee = advance(new_referee(RULES, PLAYERS), seen(5, 5, 2, 3, 4, 4)).referee
    referee = advance(referee, Played((SetAside((5, 5)), Banked()))).referee
    referee = advance(referee, seen(1, 2, 3, 3, 4, 6)).referee
    past = ((Rolled((1, 1, 2, 3, 4, 4)), SetAside((1, 1)), Banked()), (Rolled((1, 2, 3, 3, 4, 6)),))
    after = revised(referee, RULES, PLAYERS, past)
    assert after.game.totals == (200, 0)
    assert (after.table, after.known) == (referee.table, True)
    assert advance(after, Undo()).referee.game.totals == (200, 0)  # only the throw of Ben is taken back


def test_another_turn_than_was_played_is_recognised_by_its_faces_in_the_next_view() -> None:
    referee = advance(new_referee(RULES, PLAYERS), seen(5, 5, 2, 3, 4, 4)).referee
    after = revised(referee, RULES, PLAYERS, ((Rolled((5, 1, 2, 3, 4, 4)),),))
    assert (after.known, after.last_shown) == (False, (5, 5, 2, 3, 4, 4))
    again = advance(after, seen(5, 5, 2, 3, 4, 4))  # what lies there was thrown before the correction
    assert (again.events, again.referee.question) == ((), None)


def test_a_past_corrected_before_anything_was_seen() -> None:
    after = revised(new_referee(RULES, PLAYERS), RULES, PLAYERS, ((FIRST,),))
    assert (after.last_shown, after.game.turn.roll) == ((), FIRST.faces)
