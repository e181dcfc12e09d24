"""How the detector and the classifier decide together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.test_network import TUNING
from vision.detection import DieState
from vision.verdict import Evidence, verdict


def evidence(*rows: tuple[float, int, float, int, float]) -> Evidence:
    """Build candidates from (found, detector's face, classifier's die, classifier's face, its certainty).

    Faces are 1..6, 7 is cocked.
    """
    count = len(rows)
    faces, classes = np.full((count, 7), 0.01), np.full((count, 8), 1e-3)
    for i, (_, face, a_die, second, certainty) in enumerate(rows):
        faces[i, face - 1] = 0.94
        classes[i, :7] = a_die * (1 - certainty) / 6
        classes[i, second - 1] = a_die * certainty
        classes[i, 7] = 1 - a_die
    boxes = np.array([(50.0 + 60 * i, 40.0, 30.0, 30.0) for i in range(count)]).reshape(-1, 4)
    found = np.array([row[0] for row in rows], np.float64)
    return Evidence(boxes, found, faces).with_classes(np.log(classes))


def test_two_networks_that_agree_are_sure() -> None:
    (die,) = verdict(evidence((0.99, 4, 0.99, 4, 0.99)), TUNING)
    assert (die.value, die.sure, die.state) == (4, True, DieState.FLAT)
    assert die.box_px == (35.0, 25.0, 30.0, 30.0)
    assert die.centre_px == (50.0, 40.0)
    assert sum(die.faces) == pytest.approx(1)


def test_two_networks_that_disagree_are_never_sure_however_certain_each_is() -> None:
    (die,) = verdict(evidence((0.999, 4, 0.999, 5, 0.999)), replace(TUNING, sure_from=0.0))
    assert not die.sure


def test_what_the_classifier_calls_no_die_is_dropped() -> None:
    assert verdict(evidence((0.6, 1, 0.02, 1, 0.9)), TUNING) == ()
    assert len(verdict(evidence((0.6, 1, 0.95, 1, 0.9)), TUNING)) == 1


def test_a_die_without_a_clear_face_is_shown_but_not_named() -> None:
    tuning = replace(TUNING, face_from=0.7)
    (die,) = verdict(evidence((0.99, 3, 0.99, 5, 0.6)), tuning)
    assert die.value is None
    assert not die.sure


def test_what_is_perhaps_a_die_is_a_question_and_no_value() -> None:
    seen = evidence((0.5, 4, 0.5, 4, 0.99))
    tuning = replace(TUNING, name_from=0.6, drop_below=0.2, sure_from=0.0)
    (die,) = verdict(seen, tuning)
    assert (die.value, die.sure, die.state) == (None, False, DieState.FLAT)
    assert verdict(seen, replace(tuning, drop_below=0.55)) == ()


def test_a_cocked_die_has_no_value_and_is_never_sure() -> None:
    (die,) = verdict(evidence((0.99, 7, 0.99, 7, 0.99)), replace(TUNING, sure_from=0.0))
    assert (die.value, die.sure, die.state) == (None, False, DieState.COCKED)


def test_dice_come_in_reading_order_and_none_is_none() -> None:
    dice = verdict(evidence((0.99, 4, 0.99, 4, 0.99), (0.99, 2, 0.99, 2, 0.99)), TUNING)
    assert [die.value for die in dice] == [4, 2]
    assert verdict(evidence(), TUNING) == ()


def test_improbable_and_tiny_candidates_are_left_out_before_the_second_look() -> None:
    seen = evidence((0.99, 4, 0.99, 4, 0.99), (0.1, 2, 0.99, 2, 0.99))
    assert len(seen.where_likely(0.15, 9.0).found) == 1
    assert len(seen.where_likely(0.0, 31.0).found) == 0


def test_what_is_not_settled_by_both_networks_is_worth_another_look() -> None:
    tuning = replace(TUNING, drop_below=0.1, sure_from=0.9)
    seen = evidence(
        (0.999, 4, 0.999, 4, 0.999),  # certain
        (0.999, 4, 0.999, 5, 0.999),  # the two disagree
        (0.6, 4, 0.6, 4, 0.9),  # not certain that it is a die
        (0.999, 7, 0.999, 7, 0.999),  # cocked: never certain at the first look
        (0.02, 1, 0.02, 1, 0.9),  # certainly none
    )
    assert seen.doubtful(tuning).tolist() == [False, True, True, True, False]
    assert evidence().doubtful(tuning).tolist() == []


def test_two_faces_of_one_die_are_never_sure_however_certain_each_is() -> None:
    seen = evidence((0.999, 4, 0.999, 4, 0.999), (0.999, 2, 0.999, 2, 0.999), (0.999, 6, 0.999, 6, 0.999))
    boxes = np.array([(50.0, 40.0, 30.0, 30.0), (50.0, 57.5, 30.0, 28.0), (110.0, 40.0, 30.0, 30.0)])
    crowded = replace(seen, boxes=boxes)
    assert [die.sure for die in verdict(crowded, TUNING)] == [False, True, False]
    assert crowded.doubtful(TUNING).tolist() == [True, True, False]


def test_touching_dice_and_what_is_hardly_a_die_take_nothing_away() -> None:
    seen = evidence((0.999, 4, 0.999, 4, 0.999), (0.999, 2, 0.999, 2, 0.999))
    touching = replace(seen, boxes=np.array([(50.0, 40.0, 30.0, 30.0), (72.0, 40.0, 30.0, 30.0)]))
    assert all(die.sure for die in verdict(touching, TUNING))
    seen = evidence((0.999, 4, 0.999, 4, 0.999), (0.02, 2, 0.02, 2, 0.9))
    faint = replace(seen, boxes=np.array([(50.0, 40.0, 30.0, 30.0), (60.0, 40.0, 30.0, 30.0)]))
    assert [die.sure for die in verdict(faint, TUNING)] == [True]
