"""Labels, splits and training crops."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from models.synth.stills import make_still
from models.training.augment import CROP_PX, make_crop, place, recolour
from models.training.data import (
    COCKED,
    CORRECTED,
    IGNORE,
    INCOMPLETE,
    TRAIN_RIGS,
    UNKNOWN,
    Label,
    in_holdout,
    load_rig,
    split,
)
from models.training.pool import _row
from vision.network import REFERENCE_PX, STRIDE_PX


def die(
    box: list[float], value: int | None, *, state: str = "flat", kind: str = "pip", box_is: str = "die"
) -> dict:  # type: ignore[type-arg]
    return {"box_px": box, "value": value, "state": state, "kind": kind, "box_is": box_is}


def write_rig(folder: Path, dice: list[dict], **extra: object) -> Path:  # type: ignore[type-arg]
    folder.mkdir()
    cv2.imwrite(str(folder / "a.png"), np.full((100, 120, 3), 90, np.uint8))
    values = sorted(d["value"] for d in dice if d["value"] and d["kind"] == "pip")
    row = {"file": "a.png", "complete": True, "dice": dice, "values": values, "group": "g", **extra}
    (folder / "labels.json").write_text(json.dumps([row, {**row, "dice": None}]), encoding="utf-8")
    return folder


def test_labels_name_faces_cocked_hidden_and_unreadable_dice(tmp_path: Path) -> None:
    dice = [
        die([0, 0, 10, 10], 3),
        die([20, 0, 10, 10], None, state="cocked"),
        die([40, 0, 10, 10], None),
        die([60, 0, 10, 10], None, state="hidden"),
        die([80, 0, 10, 10], None, kind="d20"),
    ]
    (photo,) = load_rig(write_rig(tmp_path / "rig", dice))
    assert photo.label.classes.tolist() == [3, COCKED, UNKNOWN, IGNORE]
    assert (photo.values, photo.cocked, photo.measurable) == ((3,), 1, True)
    assert photo.load().shape == (100, 120, 3)


def test_augmented_and_incomplete_pictures_are_not_measured(tmp_path: Path) -> None:
    assert not load_rig(write_rig(tmp_path / "a", [], augmented=True))[0].measurable
    assert not load_rig(write_rig(tmp_path / "b", [], complete=False))[0].measurable


def test_boxes_around_pips_grow_to_the_die(tmp_path: Path) -> None:
    dice = [die([40, 40, 28, 28], 5, box_is="top_face_pips"), die([90, 20, 6, 6], 1, box_is="top_face_pips")]
    (photo,) = load_rig(write_rig(tmp_path / "rig", dice))
    assert photo.label.boxes[0] == pytest.approx([29, 29, 50, 50])
    assert photo.label.boxes[1] == pytest.approx([68, -2, 50, 50])


def test_the_held_out_fifth_is_a_fifth_and_never_cuts_a_group() -> None:
    held = [in_holdout(f"group {i}") for i in range(5000)]
    assert 0.17 < np.mean(held) < 0.23
    assert in_holdout("IMG_20191208_111228.jpg") == in_holdout("IMG_20191208_111228.jpg")


@pytest.mark.shared
def test_values_corrected_by_eye_are_corrected(shared_dir: Path) -> None:
    for (rig, file, x, y), value in CORRECTED.items():
        (photo,) = [p for p in load_rig(shared_dir / "data" / "photos" / rig) if p.path.name == file]
        boxes = photo.label.boxes
        near = np.abs(boxes[:, :2] + boxes[:, 2:] / 2 - (x, y)).sum(axis=1).argmin()
        assert photo.label.classes[near] == value
        assert photo.values == tuple(sorted(int(c) for c in photo.label.classes if 1 <= c <= 6))
    for rig, file in INCOMPLETE:
        (photo,) = [p for p in load_rig(shared_dir / "data" / "photos" / rig) if p.path.name == file]
        assert not photo.measurable


@pytest.mark.shared
def test_the_rigs_that_may_be_trained_on_are_there_and_red_box_is_not_among_them(shared_dir: Path) -> None:
    assert "red_box" not in TRAIN_RIGS
    for rig in TRAIN_RIGS:
        photos = load_rig(shared_dir / "data" / "photos" / rig)
        train, held = split(photos)
        assert {p.group for p in train}.isdisjoint(p.group for p in held)
        assert len(held) > 0


def picture_with_a_cross(x: int, y: int, size: int) -> tuple[np.ndarray, Label]:
    """Draw a grey picture with a bright square die at (x, y)."""
    image = np.full((300, 400, 3), 60, np.uint8)
    image[y - size // 2 : y + size // 2, x - size // 2 : x + size // 2] = 230
    box = np.array([[x - size / 2, y - size / 2, size, size]], np.float32)
    return image, Label(box, np.array([4], np.int64), complete=True)


@pytest.mark.parametrize("seed", range(12))
def test_the_target_of_a_crop_lies_where_the_die_is_seen(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.training.augment.recolour", lambda image, rng: image)
    image, label = picture_with_a_cross(170, 140, 50)
    filler = np.full((CROP_PX, CROP_PX, 3), 60, np.uint8)
    crop = make_crop(image, label, np.random.default_rng(seed), filler=filler)
    assert crop.image.shape == (CROP_PX, CROP_PX, 3)
    peaks = np.argwhere((crop.heat > 0.999) & (crop.weight > 0))
    if len(peaks) == 0:
        return  # far too large or outside: checked below
    bright = np.argwhere(crop.image[..., 0] > 145)
    row, column = peaks[0]
    x = (column + 0.5 + crop.box[2, row, column]) * STRIDE_PX
    y = (row + 0.5 + crop.box[3, row, column]) * STRIDE_PX
    size = float(REFERENCE_PX * 2 ** ((crop.box[0, row, column] + crop.box[1, row, column]) / 2))
    assert (y, x) == pytest.approx(tuple(bright.mean(axis=0) + 0.5), abs=0.08 * size + 1)
    assert size**2 == pytest.approx(len(bright), rel=0.2)
    assert crop.face[row, column] == 3


def test_some_crops_show_a_die_too_large_to_read_and_teach_that_nothing_is_there() -> None:
    image, label = picture_with_a_cross(170, 140, 50)
    crops = [make_crop(image, label, np.random.default_rng(seed)) for seed in range(60)]
    empty = [crop for crop in crops if crop.heat.max() == 0]
    assert 1 <= len(empty) <= 25
    assert any(crop.weight.min() == 1 for crop in empty)


def test_what_surrounds_the_dice_of_an_incomplete_picture_teaches_nothing() -> None:
    image, label = picture_with_a_cross(200, 150, 40)
    partial = Label(label.boxes, label.classes, complete=False)
    crop = make_crop(image, partial, np.random.default_rng(3))
    assert 0 < crop.weight.mean() < 1
    assert crop.weight[crop.heat > 0.999].min() == 1


def test_a_hidden_die_is_neither_asked_for_nor_punished() -> None:
    image, label = picture_with_a_cross(200, 150, 40)
    hidden = Label(label.boxes, np.array([IGNORE], np.int64), complete=True)
    crops = [make_crop(image, hidden, np.random.default_rng(seed)) for seed in range(10)]
    assert all(crop.heat.max() == 0 for crop in crops)
    assert min(crop.weight.min() for crop in crops) == 0


def test_recolouring_changes_the_picture_but_not_its_shape_and_is_repeatable() -> None:
    image, _ = picture_with_a_cross(100, 100, 40)
    once = recolour(image, np.random.default_rng(5))
    again = recolour(image, np.random.default_rng(5))
    assert once.shape == image.shape
    assert once.dtype == np.uint8
    assert np.array_equal(once, again)
    assert not np.array_equal(once, image)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_seen_at_a_slant_keeps_its_top_up(seed: int) -> None:
    turned = place(np.zeros(2), np.zeros(2), 1.0, np.random.default_rng(seed), upright=True)
    up = turned[:, :2] @ np.array([0.0, -1.0])
    assert np.degrees(np.arctan2(abs(up[0]), -up[1])) < 35  # 20 degrees of roll, and a little squeeze


def test_other_pictures_are_turned_by_any_angle() -> None:
    ups = [
        place(np.zeros(2), np.zeros(2), 1.0, np.random.default_rng(seed))[:, :2] @ (0.0, -1.0)
        for seed in range(40)
    ]
    assert sum(up[1] > 0 for up in ups) > 10


def test_a_die_seen_from_the_side_is_refused_and_one_seen_at_a_slant_has_its_top_face() -> None:
    def row(steep_deg: float) -> dict[str, Any]:
        still = make_still(
            np.random.default_rng(5),
            dice=3,
            cocked_share=0.0,
            min_tilt_deg=steep_deg - 0.01,
            max_tilt_deg=steep_deg,
            size_px=(30, 30),
        )
        assert all(abs(die.steep_deg - steep_deg) < 14 for die in still.dice)  # half the view of the camera
        die = max(still.dice, key=lambda d: d.visible)
        return dict(_row("a.png", [replace(die, top_visible=1.0, contrast=1.0, visible=1.0)])["dice"][0])

    assert row(50)["state"] == "flat"
    assert row(50)["value"] in range(1, 7)
    assert row(79)["state"] == "cocked"
