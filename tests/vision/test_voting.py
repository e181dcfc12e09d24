"""Several readings of one still table put together."""

from __future__ import annotations

import pytest

from vision.detection import Detection, DieState, Reading
from vision.voting import vote


def die(value: int | None, x: float = 50, *, sure: bool = True, confidence: float = 0.9) -> Detection:
    flat = (1 / 6,) * 6
    return Detection(value, confidence, sure, DieState.FLAT, (x - 10, 40, 20, 20), (x, 50), flat)


def reading(*dice: Detection, reasons: tuple[str, ...] = ()) -> Reading:
    return Reading(dice, reasons)


def test_readings_that_agree_are_sure() -> None:
    voted = vote([reading(die(3), die(5, 90))] * 3)
    assert (voted.values, voted.sure) == ((3, 5), True)


def test_one_reading_that_asks_is_outvoted() -> None:
    voted = vote([reading(die(3)), reading(die(3)), reading(die(None, sure=False, confidence=0.4))])
    assert (voted.values, voted.sure) == ((3,), True)


def test_two_sure_readings_that_differ_are_a_question() -> None:
    voted = vote([reading(die(3)), reading(die(3)), reading(die(3)), reading(die(4))])
    assert not voted.sure


def test_a_die_that_only_one_of_three_sees_is_left_out() -> None:
    assert vote([reading(die(3)), reading(die(3), die(1, 200)), reading(die(3))]).values == (3,)


def test_what_most_readings_say_against_the_picture_counts() -> None:
    dark, fine = reading(die(3), reasons=("dark",)), reading(die(3))
    assert vote([dark, dark, fine]).reasons == ("dark",)
    assert vote([dark, fine, fine]).sure


def test_a_single_reading_is_its_own_vote() -> None:
    assert vote([reading(die(3))]).dice == (die(3),)


def test_nothing_to_vote_on() -> None:
    with pytest.raises(ValueError, match="at least one reading"):
        vote([])
