"""Dice followed from rest to rest, and several readings fused into one: step by step, without pictures."""

from __future__ import annotations

import pytest

from device.sim import scripted_die
from vision.detection import Detection, DieState, Reading
from vision.table import Evidence, common_shift, compare
from vision.tracking import Track, fuse, pair


def die(x: float, y: float, value: int | None, *, sure: bool = True, cocked: bool = False) -> Detection:
    return scripted_die(value, (x - 15, y - 15, 30, 30), sure=sure, cocked=cocked)


def tracks(*dice: Detection) -> tuple[Track, ...]:
    return tuple(Track(number, one, moved=False) for number, one in enumerate(dice, 1))


def test_pairs_are_one_to_one_and_nearest_first() -> None:
    old = [die(0, 0, 1), die(20, 0, 2)]
    new = [die(12, 0, 2), die(200, 0, 3)]
    assert pair(old, new, within_sizes=0.5) == ((1, 0),)


def test_readings_that_agree_give_their_median() -> None:
    (fused,) = fuse([Reading((die(x, 50, 4),)) for x in (100, 101, 103)])
    assert fused.agreed
    assert fused.detection.sure
    assert fused.detection.value == 4
    assert fused.detection.centre_px == (101, 50)
    assert fused.spread_sizes == pytest.approx(0.1)


def test_two_of_three_decide_the_face_but_a_sure_contradiction_leaves_it_unsure() -> None:
    (fused,) = fuse([Reading((die(0, 0, value),)) for value in (4, 6, 4)])
    assert (fused.detection.value, fused.detection.sure, fused.agreed) == (4, False, False)


def test_an_unsure_contradiction_does_not_count() -> None:
    (fused,) = fuse(
        [Reading((die(0, 0, 4),)), Reading((die(0, 0, 6, sure=False),)), Reading((die(0, 0, 4),))]
    )
    assert (fused.detection.value, fused.detection.sure, fused.agreed) == (4, True, True)


def test_a_die_that_most_readings_do_not_see_is_a_false_alarm() -> None:
    fused = fuse([Reading((die(0, 0, 4), die(90, 0, 1))), Reading((die(0, 0, 4),)), Reading((die(0, 0, 4),))])
    assert [one.detection.value for one in fused] == [4]


def test_a_die_that_one_reading_missed_is_kept() -> None:
    fused = fuse([Reading((die(0, 0, 4),)), Reading(()), Reading((die(0, 0, 4),))])
    assert [(one.detection.value, one.agreed) for one in fused] == [(4, True)]


def test_a_cocked_die_stays_without_a_value() -> None:
    (fused,) = fuse([Reading((die(0, 0, None, cocked=True),))] * 3)
    assert fused.detection.state is DieState.COCKED
    assert fused.detection.value is None


def test_a_die_that_stays_keeps_id_and_face_and_a_new_one_is_thrown() -> None:
    change = compare(tracks(die(0, 0, 4)), [die(3, 0, 4, sure=False), die(100, 0, 5)], Evidence(), 2)
    assert change.thrown
    assert [(t.id, t.moved, t.detection.value, t.detection.sure) for t in change.tracks] == [
        (1, False, 4, True),
        (2, True, 5, True),
    ]
    assert change.next_id == 3


def test_another_face_at_the_same_place_is_a_thrown_die() -> None:
    change = compare(tracks(die(0, 0, 4)), [die(3, 0, 5)], Evidence(), 2)
    assert change.thrown
    assert [t.id for t in change.tracks] == [2]


def test_a_die_far_from_where_it_lay_is_a_thrown_die() -> None:
    assert compare(tracks(die(0, 0, 4)), [die(40, 0, 4)], Evidence(), 2).thrown


def test_a_die_seen_to_be_away_is_thrown_even_if_it_comes_back_close_by() -> None:
    before = tracks(die(0, 0, 4))
    assert compare(before, [die(8, 0, 4)], Evidence(away=frozenset({1})), 2).thrown
    assert not compare(before, [die(8, 0, 4)], Evidence(), 2).thrown


def test_an_untouched_die_cannot_change_its_face_unless_a_hand_was_over_it() -> None:
    before = tracks(die(0, 0, 4))
    change = compare(before, [die(0, 0, 5)], Evidence(untouched=lambda box: True), 2)
    assert [(t.id, t.detection.value) for t in change.tracks] == [(1, 4)]
    handled = Evidence(untouched=lambda box: True, handled=frozenset({1}))
    assert compare(before, [die(0, 0, 5)], handled, 2).thrown


def test_a_sure_die_missed_where_nothing_changed_lies_there_still() -> None:
    before = tracks(die(0, 0, 4), die(100, 0, 2, sure=False))
    change = compare(before, [], Evidence(untouched=lambda box: True), 3)
    assert [t.id for t in change.tracks] == [1]
    assert not change.thrown


def test_a_die_where_nobody_looked_lies_there_still() -> None:
    before = tracks(die(0, 0, 4, sure=False))
    evidence = Evidence(untouched=lambda box: True, searched=lambda box: False)
    assert [t.id for t in compare(before, [], evidence, 2).tracks] == [1]


def test_a_die_overlooked_before_is_on_the_table_but_not_thrown() -> None:
    change = compare((), [die(0, 0, 4)], Evidence(untouched=lambda box: True), 1)
    assert [(t.id, t.moved) for t in change.tracks] == [(1, False)]
    assert not change.thrown


def test_taken_dice_are_gone_and_nothing_is_thrown() -> None:
    change = compare(tracks(die(0, 0, 4), die(90, 0, 2)), [die(90, 0, 2)], Evidence(), 3)
    assert [t.id for t in change.tracks] == [2]
    assert not change.thrown


def test_all_dice_displaced_alike_is_a_bump() -> None:
    before = tracks(die(0, 0, 4), die(90, 0, 2), die(40, 80, 2))
    change = compare(before, [die(30, 51, 4), die(121, 50, 2), die(70, 130, 2)], Evidence(), 4)
    assert change.bumped_px == (30, 51)
    assert not change.thrown
    assert {t.id for t in change.tracks} == {1, 2, 3}


def test_dice_displaced_alike_with_another_face_are_no_bump() -> None:
    old = [die(0, 0, 4), die(90, 0, 2)]
    assert common_shift(old, [die(30, 50, 4), die(120, 50, 3)]) is None
    assert common_shift(old, [die(30, 50, 4)]) is None
    assert common_shift(old[:1], [die(30, 50, 4)]) is None
