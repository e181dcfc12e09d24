"""The numbers that go with a set of weights."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is not installed: pip install -e '.[train]'")

from models.training.calibrate import Case, Found, best_drop, best_sure, best_temperature, warmed


def found(chance: float, face: int, certainty: float, truth: int) -> Found:
    faces = np.full(6, (1 - certainty) / 5)
    faces[face - 1] = certainty
    return Found(chance, faces, truth)


def case(*dice: Found) -> Case:
    return Case(dice, tuple(sorted(d.truth for d in dice if d.truth > 0)), True)


def test_a_timid_network_is_sharpened_and_a_boastful_one_softened() -> None:
    timid = [case(found(0.9, 3, 0.6, 3)) for _ in range(50)]
    assert best_temperature(timid) < 1
    boastful = [case(found(0.9, 3, 0.97, 3 if i % 2 else 5)) for i in range(50)]
    assert best_temperature(boastful) > 1


def test_warming_keeps_the_order_and_the_sum() -> None:
    faces = np.array([0.5, 0.3, 0.1, 0.05, 0.03, 0.02])
    warm = warmed(faces, 2.0)
    assert warm.sum() == pytest.approx(1)
    assert list(np.argsort(-warm)) == [0, 1, 2, 3, 4, 5]
    assert warm[0] < 0.5


def test_weak_finds_where_no_die_is_are_dropped() -> None:
    cases = [case(found(0.9, 3, 0.95, 3), found(0.42, 1, 0.9, -1)) for _ in range(10)]
    assert best_drop(cases, 1.0) > 0.42


def test_weak_dice_are_kept_where_nothing_weaker_lies() -> None:
    cases = [case(found(0.37, 3, 0.95, 3)) for _ in range(10)]
    assert best_drop(cases, 1.0) <= 0.37


def test_sure_starts_where_the_wrong_ones_end() -> None:
    cases = [case(found(0.99, 3, 0.99, 3)) for _ in range(50)]
    cases += [case(found(0.99, 3, 0.86, 5)), case(found(0.8, 1, 0.9, -1))]
    assert 0.85 < best_sure(cases, 1.0) <= 0.98
