"""The crops that the classifier learns from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -e '.[train]'")

import torch

from models.training import faces
from models.training.train import Examples
from tests.models.test_train import data as data
from vision.faces import CLASSES, CROP_PX, DIE_PX, FaceNetwork, cut_out


@pytest.fixture(scope="module")
def crops(data: Path) -> faces.Crops:
    examples = Examples(data, seed=1, length=10)
    examples.preload()
    return faces.Crops(examples, seed=1, length=400, recoloured=0.0)


def test_crops_are_repeatable_and_a_share_of_them_shows_no_die(crops: faces.Crops) -> None:
    assert np.array_equal(crops[3]["image"], crops[3]["image"])
    kinds = [crops[i]["kind"] for i in range(200)]
    assert crops[0]["image"].shape == (CROP_PX, CROP_PX, 3)
    assert 0.2 < np.mean([kind == faces.NOT_A_DIE for kind in kinds]) < 0.6
    assert set(kinds) <= {0, 2, faces.NOT_A_DIE}  # the pictures show ones, and a three in the crops


def test_false_finds_are_shown_as_no_die(data: Path) -> None:
    examples = Examples(data, seed=1, length=10)
    examples.preload()
    mined = [(data / "negatives" / "5.png", [100.0, 100.0, 30.0, 30.0])]
    source = faces.Crops(examples, seed=2, length=400, mined=mined, recoloured=0.0)
    flat = [source[i] for i in range(150)]
    grey = [crop for crop in flat if (crop["image"] == 150).mean() > 0.8]
    assert len(grey) >= 5
    assert all(crop["kind"] == faces.NOT_A_DIE for crop in grey)


def test_a_die_is_cut_out_in_the_middle_at_one_size() -> None:
    for size in (20, 60, 200):
        image = np.full((500, 500, 3), 20, np.uint8)
        image[250 - size // 2 : 250 + size // 2, 300 - size // 2 : 300 + size // 2] = 220
        crop = cut_out(image, np.array([300.0, 250.0, size, size]))
        bright = np.argwhere(crop[..., 0] > 120)
        assert crop.shape == (CROP_PX, CROP_PX, 3)
        assert tuple(bright.mean(axis=0) + 0.5) == pytest.approx((CROP_PX / 2, CROP_PX / 2), abs=0.8)
        assert len(bright) ** 0.5 == pytest.approx(DIE_PX, rel=0.06)


def test_a_die_at_the_edge_is_cut_out_too() -> None:
    image = np.full((60, 80, 3), 90, np.uint8)
    assert cut_out(image, np.array([0.0, 59.0, 40.0, 40.0])).shape == (CROP_PX, CROP_PX, 3)


def test_a_few_steps_train_and_export_a_classifier(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    fixed = ["--data", str(data), "--out", str(run), "--batch", "4", "--threads", "1", "--workers", "0"]
    faces.main([*fixed, "--examples", "8"])
    faces.main([*fixed, "--examples", "4", "--start-from", str(run / "faces.pt"), "--recoloured", "0.5"])
    faces.main([*fixed, "--export", str(tmp_path / "faces.onnx")])
    image = np.random.default_rng(0).integers(0, 255, (90, 120, 3), np.uint8).astype(np.uint8)
    boxes = np.array([(30.0, 40.0, 20.0, 20.0), (80.0, 40.0, 30.0, 30.0)])
    answer = FaceNetwork(tmp_path / "faces.onnx").classify(image, boxes)
    assert answer.shape == (2, CLASSES)
    assert np.exp(answer).sum(axis=1) == pytest.approx([1, 1])
    assert FaceNetwork(tmp_path / "faces.onnx").classify(image, boxes[:0]).shape == (0, CLASSES)


def test_both_networks_together_keep_to_four_megabytes() -> None:
    count = sum(p.numel() for p in faces.FaceNet().parameters())
    assert count * 4 < 2_100_000
    with torch.no_grad():
        assert tuple(faces.FaceNet().eval()(torch.zeros(3, 3, CROP_PX, CROP_PX)).shape) == (3, CLASSES)
