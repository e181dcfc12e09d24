"""What the truth says about dice that lie still."""

from __future__ import annotations

import numpy as np

from models.synth.dice import flat_rotation
from models.synth.lying import lying_dice
from models.synth.timeline import Moment, Pose


def pose(x: float, value: int = 1, *, height: float = 8.0) -> Pose:
    return np.array([x, 0.0, height]), flat_rotation(value, 0.3)


def test_a_die_lies_from_when_it_stops_until_it_is_taken() -> None:
    lying = pose(0, 5)
    moments = [Moment({1: pose(x)}) for x in (30, 20, 10)] + [Moment({1: lying})] * 4 + [Moment({})]
    (only,) = lying_dice(moments)
    assert (only.die, only.from_frame, only.to_frame, only.value(), only.cocked) == (1, 3, 6, 5, False)


def test_a_die_that_is_put_back_lies_twice() -> None:
    one, other = pose(0), pose(1)
    moments = [Moment({1: one})] * 3 + [Moment({})] + [Moment({1: other})] * 2
    assert [(each.from_frame, each.to_frame) for each in lying_dice(moments)] == [(0, 2), (4, 5)]


def test_a_die_on_another_shows_no_number() -> None:
    top = pose(0, 3, height=24.0)
    assert [each.cocked for each in lying_dice([Moment({1: top, 2: pose(0)})] * 1 + [Moment({1: top})])] == [
        True
    ]


def test_a_die_that_leans_shows_no_number() -> None:
    c, s = np.cos(0.3), np.sin(0.3)
    leaning = (np.array([0, 0, 9.0]), np.array([[1, 0, 0], [0, c, -s], [0, s, c]]))
    assert [each.cocked for each in lying_dice([Moment({1: leaning})] * 5)] == [True]


def test_a_die_in_the_hand_does_not_lie() -> None:
    assert lying_dice([Moment({1: pose(0, height=70.0)})] * 5) == []


def test_the_boxes_change_when_the_camera_is_bumped() -> None:
    lying = pose(0)
    moments = [Moment({1: lying})] * 3 + [Moment({1: lying}, camera=1)] * 3
    assert [(each.from_frame, each.to_frame) for each in lying_dice(moments)] == [(0, 2), (3, 5)]
