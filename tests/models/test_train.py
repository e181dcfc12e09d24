"""Training for real, but only a few steps on drawn pictures: that it runs, resumes and exports."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -e '.[train]'")
pytest.importorskip("onnx", reason="onnx is not installed: pip install -e '.[train]'")

import torch

from models.training import export, train
from models.training.data import TRAIN_RIGS
from models.training.network import OUTPUTS, ReaderNet
from vision.network import STRIDE_PX, Network


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the folders that training reads, with a few drawn pictures each."""
    root = tmp_path_factory.mktemp("data")
    for rig in TRAIN_RIGS:
        folder = root / "photos" / rig
        folder.mkdir(parents=True)
        rows = []
        for number in range(4):
            image = np.full((160, 200, 3), 40 + 20 * number, np.uint8)
            cv2.rectangle(image, (60, 50), (110, 100), (230, 230, 230), -1)
            cv2.circle(image, (85, 75), 6, (10, 10, 10), -1)
            cv2.imwrite(str(folder / f"{number}.png"), image)
            die = {"box_px": [60, 50, 50, 50], "value": 1, "state": "flat", "kind": "pip", "box_is": "die"}
            row = {"file": f"{number}.png", "complete": True, "dice": [die], "values": [1]}
            rows.append({**row, "group": f"{rig} {number}"})
        (folder / "labels.json").write_text(json.dumps(rows), encoding="utf-8")
    (root / "crops" / "casino_drone").mkdir(parents=True)
    cv2.imwrite(str(root / "crops" / "casino_drone" / "a.png"), np.full((60, 60, 3), 200, np.uint8))
    (root / "crops" / "casino_drone" / "labels.json").write_text('{"a.png": 3}', encoding="utf-8")
    for name in ("negatives", "textures"):
        (root / name).mkdir()
        rows = []
        for number in range(6):
            cv2.imwrite(str(root / name / f"{number}.png"), np.full((220, 240, 3), 30 * number, np.uint8))
            rows.append({"file": f"{number}.png", "use": "train", "kind": "clutter"})
        (root / name / "labels.json").write_text(json.dumps(rows), encoding="utf-8")
    return root


def run(data: Path, out: Path, *more: str, examples: int = 8) -> None:
    fixed = ["--batch", "4", "--threads", "1", "--workers", "0", "--save-every", "1"]
    train.main(["--data", str(data), "--out", str(out), "--examples", str(examples), *fixed, *more])


def test_the_same_example_is_drawn_in_every_run(data: Path) -> None:
    first = train.Examples(data, seed=3, length=10)
    second = train.Examples(data, seed=3, length=10)
    first.preload()
    second.preload()
    for index in range(10):
        a, b = first[index], second[index]
        assert all(np.array_equal(a[key], b[key]) for key in a)
    assert not np.array_equal(first[0]["image"], first[1]["image"])


def test_a_few_steps_train_resume_and_export(data: Path, tmp_path: Path) -> None:
    run(data, tmp_path / "run")
    assert torch.load(tmp_path / "run" / "checkpoint.pt", weights_only=True)["step"] == 2
    run(data, tmp_path / "run", "--resume", examples=16)
    saved = torch.load(tmp_path / "run" / "checkpoint.pt", weights_only=True)
    assert saved["step"] == 4
    log = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in log] == [2, 4]
    assert all(np.isfinite(row["total"]) for row in log)
    weights = tmp_path / "reader.onnx"
    export.main(["--checkpoint", str(tmp_path / "run" / "checkpoint.pt"), "--out", str(weights)])
    network = Network(weights)
    assert network.tuning == export.DEFAULT_TUNING
    candidates = network.run(np.full((70, 90, 3), 128, np.uint8), 1.0)
    assert candidates.boxes.shape[1:] == (4,)


def test_a_step_lowers_the_loss_of_the_same_batch(data: Path) -> None:
    torch.manual_seed(0)
    examples = train.Examples(data, seed=1, length=12)
    examples.preload()
    raw = [examples[i] for i in range(12)]
    batch = train._to_tensors({key: torch.from_numpy(np.stack([r[key] for r in raw])) for key in raw[0]})
    net = ReaderNet()
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3)
    losses = []
    for _ in range(8):
        loss = train.loss_of(net(batch["image"]), batch)["total"]
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.9 * losses[0]


def test_the_weights_to_go_on_from_are_those_that_are_shipped() -> None:
    folder = Path(train.__file__).parent / "start"
    net = ReaderNet()
    net.load_state_dict(torch.load(folder / "detector.pt", weights_only=True)["net"])
    picture = np.random.default_rng(1).integers(0, 255, (96, 128, 3), np.uint8).astype(np.uint8)
    with torch.no_grad():
        own = net.eval()(torch.from_numpy(picture).permute(2, 0, 1)[None].float() / 255).numpy()[0]
    shipped = Network()._session.run(None, {"image": picture.transpose(2, 0, 1)[None].astype("f4") / 255})
    assert np.abs(own - shipped[0][0]).max() < 1e-2


def test_the_network_keeps_its_budget_and_its_shape() -> None:
    net = ReaderNet().eval()
    assert sum(p.numel() for p in net.parameters()) * 4 < 4_000_000
    with torch.no_grad():
        out = net(torch.zeros(1, 3, 64, 96))
    assert tuple(out.shape) == (1, OUTPUTS, 64 // STRIDE_PX, 96 // STRIDE_PX)


def test_what_was_taken_for_a_die_is_shown_again_as_none(data: Path, tmp_path: Path) -> None:
    rows = [{"file": f"negatives/{n}.png", "box": [120, 110, 40, 40]} for n in range(6)]
    (tmp_path / "mined.json").write_text(json.dumps(rows), encoding="utf-8")
    mined = train.read_mined(tmp_path / "mined.json", data)
    assert set(mined) == {data / "negatives" / f"{n}.png" for n in range(6)}
    examples = train.Examples(data, seed=4, length=50, mix={"negatives": 1.0}, mined=mined, recoloured=0.0)
    examples.preload()
    for path, (image, _) in examples.cache.items():
        if path in mined:
            cv2.circle(image, (120, 110), 3, (0, 0, 255), -1)
    shown = 0
    for index in range(50):
        example = examples[index]
        assert not example["heat"].any()
        red = (example["image"][..., 2] > 150) & (example["image"][..., 0] < 100)
        shown += bool(red.any())
    assert shown >= 30
    run(data, tmp_path / "run", "--mined", str(tmp_path / "mined.json"), "--recoloured", "0.5", examples=4)


def test_the_share_of_recoloured_crops_can_be_chosen(data: Path) -> None:
    def plain(recoloured: float) -> int:
        """Count the crops that show a grey of the pictures as it was."""
        source = train.Examples(data, seed=3, length=20, mix={"negatives": 1.0}, recoloured=recoloured)
        source.preload()
        images = [source[index]["image"] for index in range(20)]
        return sum(
            any((image == grey).all(axis=2).mean() > 0.2 for grey in range(30, 180, 30)) for image in images
        )

    assert plain(0.0) >= 12
    assert plain(1.0) <= 5
