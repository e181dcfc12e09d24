"""The numbers that go with the networks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is not installed: pip install -e '.[train]'")
pytest.importorskip("torch", reason="torch is not installed: pip install -e '.[train]'")

from models.training.calibrate import Case, best_drop, best_name, best_sure, fit_faces, fit_found
from tests.vision.test_network import TUNING
from tests.vision.test_verdict import evidence


def case(*rows: tuple[float, int, float, int, float], truth: list[int]) -> Case:
    values = tuple(sorted(t for t in truth if 1 <= t <= 6))
    return Case(evidence(*rows), np.array(truth, np.int64), values, True)


def test_the_network_that_tells_dice_from_clutter_gets_the_weight() -> None:
    cases = [case((0.7, 3, 0.95, 3, 0.9), (0.7, 1, 0.05, 1, 0.9), truth=[3, -1]) for _ in range(40)]
    detector, classifier, _ = fit_found(cases)
    assert classifier > 3 * detector
    tuning = replace(TUNING, found_detector=detector, found_classifier=classifier, found_offset=0.0)
    chance = cases[0].seen.chance(tuning)
    assert chance[0] > 0.9 > 0.1 > chance[1]


def test_the_network_that_names_the_faces_right_gets_the_weight() -> None:
    cases = [case((0.9, 1 + i % 6, 0.9, 3, 0.9), truth=[3]) for i in range(30)]
    detector, classifier = fit_faces(cases, TUNING)
    assert classifier > detector


def test_weak_finds_where_no_die_is_are_not_named() -> None:
    cases = [case((0.99, 3, 0.99, 3, 0.95), (0.45, 1, 0.45, 1, 0.9), truth=[3, -1]) for _ in range(10)]
    weak = float(cases[0].seen.chance(TUNING)[1])
    assert best_name(cases, TUNING) > weak


def test_hardly_any_true_die_is_dropped_without_a_word() -> None:
    cases = [case((0.3 + i / 200, 3, 0.9, 3, 0.95), (0.2, 1, 0.1, 1, 0.9), truth=[3, -1]) for i in range(100)]
    least = min(float(c.seen.chance(TUNING)[0]) for c in cases)
    tuning = replace(TUNING, name_from=0.9)
    assert best_drop(cases, tuning) == pytest.approx(least, abs=0.02)
    assert best_drop(cases, replace(TUNING, name_from=0.2)) == pytest.approx(0.2)


def test_sure_starts_where_the_wrong_ones_end() -> None:
    good = [case((0.999, 3, 0.999, 3, 0.999), truth=[3]) for _ in range(50)]
    bad = case((0.95, 3, 0.95, 3, 0.95), truth=[5])
    least = float(bad.seen.chance(TUNING)[0] * bad.seen.states(TUNING)[0].max())
    assert best_sure([*good, bad], TUNING) > least
    assert best_sure(good, TUNING) == pytest.approx(0.6)


def test_two_networks_that_disagree_do_not_move_the_threshold() -> None:
    good = [case((0.999, 3, 0.999, 3, 0.999), truth=[3]) for _ in range(50)]
    split_vote = case((0.999, 4, 0.999, 3, 0.999), truth=[5])
    assert best_sure([*good, split_vote], TUNING) == pytest.approx(0.6)
