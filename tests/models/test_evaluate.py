"""The figures that the evaluation counts."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.training.data import COCKED, UNKNOWN, Label, Photo
from models.training.evaluate import Tally, match, plot_risk, risk_coverage
from vision.detection import Detection, DieState, Reading


def seen(
    x: float,
    value: int | None,
    *,
    sure: bool = True,
    confidence: float = 0.95,
    state: DieState = DieState.FLAT,
) -> Detection:
    flat = (1 / 6,) * 6
    return Detection(value, confidence, sure, state, (x - 10, 40, 20, 20), (x, 50), flat)


def photo(*classes: int) -> Photo:
    """Label dice of 20 px at x = 50, 100, 150, ..."""
    boxes = np.array([(40 + 50 * i, 40, 20, 20) for i in range(len(classes))], np.float32).reshape(-1, 4)
    values = tuple(sorted(c for c in classes if 1 <= c <= 6))
    label = Label(boxes, np.array(classes, np.int64), True)
    return Photo(Path("x.jpg"), "rig", "g", label, values, classes.count(COCKED), True)


def tally(truth: Photo, *dice: Detection) -> Tally:
    result = Tally()
    result.add(truth, Reading(tuple(dice)))
    return result


def test_an_exact_picture() -> None:
    t = tally(photo(3, 5), seen(50, 3), seen(101, 5))
    assert (t.pictures, t.exact, t.count_right, t.sure_exact, t.silent) == (1, 1, 1, 1, 0)
    assert (t.dice, t.right, t.shown, t.sure_wrong) == (2, 2, 2, 0)
    assert t.confusion[2, 2] == 1
    assert t.confusion[4, 4] == 1


def test_a_wrong_value_shown_as_sure_is_silent() -> None:
    t = tally(photo(3, 5), seen(50, 3), seen(100, 6))
    assert (t.exact, t.count_right, t.silent, t.sure_wrong, t.right) == (0, 1, 1, 1, 1)
    assert t.confusion[4, 5] == 1


def test_a_wrong_value_that_asks_is_not_silent() -> None:
    t = tally(photo(3), seen(50, 4, sure=False))
    assert (t.exact, t.silent, t.sure_wrong) == (0, 0, 0)


def test_a_missing_die_in_a_sure_picture_is_silent() -> None:
    t = tally(photo(3, 5), seen(50, 3))
    assert (t.exact, t.silent, t.confusion[4, 6]) == (0, 1, 1)


def test_a_die_where_none_is_counts_against_precision() -> None:
    t = tally(photo(3), seen(50, 3), seen(400, 1))
    assert t.figures()["precision"] == 0.5
    assert (t.silent, t.confusion[6, 0]) == (1, 1)


def test_a_cocked_die_must_be_refused_and_its_picture_is_not_counted() -> None:
    refused = tally(photo(3, COCKED), seen(50, 3), seen(100, None, sure=False, state=DieState.COCKED))
    assert (refused.pictures, refused.cocked, refused.cocked_refused) == (0, 1, 1)
    read = tally(photo(3, COCKED), seen(50, 3), seen(100, 2))
    assert (read.cocked, read.cocked_refused) == (1, 0)


def test_a_die_that_nobody_can_read_is_left_out() -> None:
    t = tally(photo(UNKNOWN), seen(50, 2))
    assert (t.pictures, t.dice, t.shown) == (0, 0, 0)


def test_the_nearest_die_is_matched_and_each_only_once() -> None:
    pairs, spare = match(photo(3), [seen(58, 2), seen(51, 3)])
    assert pairs[0][1] is not None
    assert pairs[0][1].value == 3
    assert [die.value for die in spare] == [2]


def test_risk_grows_as_less_confident_dice_are_kept() -> None:
    rows = risk_coverage([(0.9, True), (0.8, True), (0.6, False), (0.7, True)])
    assert rows[0] == (0.9, 0.25, 0.0)
    assert rows[-1] == (0.6, 1.0, 0.25)


def test_the_curves_are_drawn(tmp_path: Path) -> None:
    plot_risk({"rig": risk_coverage([(0.9, True), (0.6, False)])}, tmp_path / "risk.png")
    picture = cv2.imread(str(tmp_path / "risk.png"))
    assert picture is not None
    assert picture.shape == (600, 900, 3)
    assert (picture != 255).any()


def test_any_labelled_folder_can_be_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from models.training.evaluate import main

    cv2.imwrite(str(tmp_path / "empty.png"), np.full((120, 160, 3), 100, np.uint8))
    row = {"file": "empty.png", "complete": True, "dice": [], "values": [], "group": "a"}
    (tmp_path / "labels.json").write_text(json.dumps([row]), encoding="utf-8")
    main([str(tmp_path), "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert (figures["pictures"], figures["exact"], figures["dice"]) == (1, 1.0, 0)
