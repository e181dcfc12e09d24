"""Train the dice reader: `python -m models.training.train --data ../shared/data --out runs/reader`.

Reproducible (every example is drawn from a generator seeded by the run's seed and the example's number),
resumable (`--resume`), and logged (`log.jsonl`: losses, and figures on the held-out fifth).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

from models.training.augment import CROP_PX, Spot, make_crop
from models.training.data import (
    TRAIN_RIGS,
    Label,
    Photo,
    load_rig,
    load_rigs,
    negatives,
    single_die_crops,
    split,
)
from models.training.network import ReaderNet
from vision.frame import Image

MIX = {
    "nell_byler": 0.15,
    "trays_colour": 0.12,
    "trays_grey": 0.06,
    "desk_white": 0.06,
    "catan_mixed": 0.10,
    "raking_light": 0.05,
    "heap_mixed": 0.05,
    "floor_two": 0.03,
    "casino_drone": 0.02,
    "negatives": 0.15,
    "textures": 0.01,
    "synthetic": 0.20,
    "steep": 0.10,
}
"""Share of each source in the examples, whatever its number of pictures."""


MINED_SHARE = 0.7
"""How often a picture without dice is seen where something in it was taken for a die."""


class Examples(Dataset[dict[str, NDArray[Any]]]):
    """An endless supply of crops: example `i` is the same in every run with the same seed."""

    def __init__(
        self,
        data: Path,
        *,
        seed: int,
        length: int,
        synthetic: Path | None = None,
        steep: Path | None = None,
        leave_out: Sequence[str] = (),
        mix: Mapping[str, float] = MIX,
        mined: Mapping[Path, Sequence[Spot]] | None = None,
        recoloured: float = 1.0,
    ) -> None:
        """Read the lists of pictures below `data` (photos, crops, negatives, textures) and of drawn ones.

        `steep` are drawn ones seen at a slant (`models.training.pool --steep`).

        `mix` is the share of each source in the examples, whatever its number of pictures; `mined` names
        spots without a die in pictures without dice, to be shown again; `recoloured` is the share of
        examples whose colours, light and sharpness are changed.
        """
        self.mined, self.recoloured = mined or {}, recoloured
        self.seed, self.length = seed, length
        self.sources: dict[str, list[Photo]] = {}
        for rig in TRAIN_RIGS:
            if rig not in leave_out:
                self.sources[rig] = split(load_rigs(data / "photos", [rig]))[0]
        self.sources["casino_drone"] = single_die_crops(data / "crops" / "casino_drone", box_fraction=0.95)
        self.sources["negatives"] = split(negatives(data / "negatives"))[0]
        self.sources["textures"] = negatives(data / "textures")
        if synthetic is not None:
            self.sources["synthetic"] = load_rig(synthetic)
        if steep is not None:
            self.sources["steep"] = load_rig(steep)
        self.names = [name for name in mix if name in self.sources]
        shares = np.array([mix[name] for name in self.names])
        self.shares = shares / shares.sum()
        self.cache: dict[Path, tuple[Image, float]] = {}

    def preload(self) -> None:
        """Decode every picture once, before worker processes share the memory."""
        for photos in self.sources.values():
            for photo in photos:
                self.cache[photo.path] = _limit(photo.load())

    def __len__(self) -> int:
        """How many examples the run takes."""
        return self.length

    def __getitem__(self, index: int) -> dict[str, NDArray[Any]]:
        """Make example `index` as plain arrays."""
        rng = np.random.default_rng((self.seed, index))
        photo, image, label = self.draw(rng)
        filler = self.background(rng, CROP_PX) if rng.random() < 0.7 else None
        spot = None
        if (spots := self.mined.get(photo.path)) and rng.random() < MINED_SHARE:
            x, y, size = spots[int(rng.integers(len(spots)))]
            factor = self.cache[photo.path][1]
            spot = (x * factor, y * factor, size * factor)
        crop = make_crop(image, label, rng, filler=filler, spot=spot, recoloured=self.recoloured)
        return {
            "image": crop.image,
            "heat": crop.heat,
            "weight": crop.weight,
            "face": crop.face,
            "box": crop.box,
            "inside": crop.inside,
        }

    def draw(self, rng: np.random.Generator) -> tuple[Photo, Image, Label]:
        """Draw a picture by the shares of the sources: photo, cached pixels, label in their scale."""
        name = self.names[int(rng.choice(len(self.names), p=self.shares))]
        photos = self.sources[name]
        photo = photos[int(rng.integers(len(photos)))]
        image, scale = self.cache[photo.path]
        label = photo.label
        if scale != 1.0:
            label = replace(label, boxes=(label.boxes * scale).astype(np.float32))
        return photo, image, label

    def background(self, rng: np.random.Generator, size: int) -> Image:
        """Cut a random square from a texture or a picture without dice."""
        pool = self.sources["textures" if rng.random() < 0.6 else "negatives"]
        image, _ = self.cache[pool[int(rng.integers(len(pool)))].path]
        side = min(image.shape[0], image.shape[1], int(rng.uniform(0.8, 2.5) * size))
        y = int(rng.integers(image.shape[0] - side + 1))
        x = int(rng.integers(image.shape[1] - side + 1))
        out = cv2.resize(image[y : y + side, x : x + side], (size, size), interpolation=cv2.INTER_AREA)
        return np.asarray(out, np.uint8)


def _limit(image: Image) -> tuple[Image, float]:
    """Shrink a picture to at most 960 px, for memory's sake; returns the factor too."""
    scale = 960 / max(image.shape[:2])
    if scale >= 1:
        return image, 1.0
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8), scale


def loss_of(out: Tensor, batch: dict[str, Tensor]) -> dict[str, Tensor]:
    """Focal loss on objectness, cross-entropy on faces, L1 on boxes, each a mean over the batch's dice.

    The focal loss is the penalty-reduced one of heatmap detectors (Law and Deng, CornerNet, 2018).
    """
    logit, heat, weight = out[:, 0], batch["heat"], batch["weight"]
    p = torch.sigmoid(logit).clamp(1e-5, 1 - 1e-5)
    peak = (heat > 0.999).float() * weight
    hit = -torch.log(p) * (1 - p) ** 2 * peak
    miss = -torch.log(1 - p) * p**2 * (1 - heat) ** 4 * (1 - peak) * weight
    dice = peak.sum().clamp(min=1.0)
    found = (hit.sum() + miss.sum()) / dice
    face = F.cross_entropy(out[:, 1:8], batch["face"], ignore_index=-1, reduction="sum", label_smoothing=0.02)
    face = face / (batch["face"] >= 0).sum().clamp(min=1)
    inside = batch["inside"][:, None]
    box = (torch.abs(out[:, 8:12] - batch["box"]) * inside).sum() / inside.sum().clamp(min=1)
    return {"total": found + 1.5 * face + 0.4 * box, "found": found, "face": face, "box": box}


def _to_tensors(batch: dict[str, Tensor]) -> dict[str, Tensor]:
    image = batch["image"].permute(0, 3, 1, 2).float().div_(255.0)
    return {**batch, "image": image.contiguous(memory_format=torch.channels_last)}


def train(args: argparse.Namespace) -> None:
    """Run the training that the command line asks for."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    steps = args.examples // args.batch
    examples = Examples(
        Path(args.data),
        seed=args.seed,
        length=args.examples,
        synthetic=args.synthetic,
        steep=args.steep,
        leave_out=args.leave_out,
        mined=read_mined(args.mined, Path(args.data)) if args.mined else None,
        recoloured=args.recoloured,
    )
    examples.preload()
    net = ReaderNet().to(memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.999), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=0.02)
    first = 0
    checkpoint = out / "checkpoint.pt"
    if args.resume and checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        net.load_state_dict(saved["net"])
        average.load_state_dict(saved["average"])
        optimiser.load_state_dict(saved["optimiser"])
        first = int(saved["step"])
    elif args.start_from:
        net.load_state_dict(torch.load(args.start_from, weights_only=True)["net"])
    order = range(first * args.batch, steps * args.batch)
    loader = DataLoader(
        examples,
        batch_size=args.batch,
        sampler=order,
        num_workers=args.workers,
        drop_last=True,
        prefetch_factor=4 if args.workers else None,
    )
    started = time.monotonic()
    running: dict[str, float] = {}
    net.train()
    for step, raw in enumerate(loader, start=first + 1):
        rate = args.lr * schedule(step, steps, warm_up=300)
        for group in optimiser.param_groups:
            group["lr"] = rate
        batch = _to_tensors(raw)
        losses = loss_of(net(batch["image"]), batch)
        optimiser.zero_grad(set_to_none=True)
        losses["total"].backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        average.update_parameters(net)
        for key, value in losses.items():
            now = float(value.detach())
            running[key] = 0.99 * running.get(key, now) + 0.01 * now
        if step % 100 == 0 or step == steps:
            row = {"step": step, "of": steps, "lr": rate, "s": round(time.monotonic() - started, 1)}
            row |= {key: round(value, 4) for key, value in running.items()}
            print(json.dumps(row), flush=True)
            with (out / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(row) + "\n")
        if step % args.save_every == 0 or step == steps:
            state = {
                "net": net.state_dict(),
                "average": average.state_dict(),
                "optimiser": optimiser.state_dict(),
                "step": step,
            }
            partial = checkpoint.with_suffix(".partial")
            torch.save(state, partial)
            partial.replace(checkpoint)


def read_mined(path: Path, data: Path) -> dict[Path, list[Spot]]:
    """Read what `models.training.mine` wrote: picture -> spots that were taken for dice."""
    spots: dict[Path, list[Spot]] = {}
    for row in json.loads(path.read_text(encoding="utf-8")):
        x, y, width, height = row["box"]
        spots.setdefault(data / row["file"], []).append((x, y, (width * height) ** 0.5))
    return spots


def schedule(step: int, steps: int, *, warm_up: int) -> float:
    """Factor of the learning rate: a linear warm-up, then half a cosine down to 1 %."""
    if step < warm_up:
        return step / warm_up
    done = (step - warm_up) / max(1, steps - warm_up)
    return float(0.01 + 0.99 * 0.5 * (1 + np.cos(np.pi * min(1.0, done))))


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train the dice reader.")
    parser.add_argument("--data", required=True, help="folder with photos/, crops/, negatives/, textures/")
    parser.add_argument("--out", required=True, help="folder for checkpoint and log")
    parser.add_argument("--synthetic", type=Path, help="folder written by models.training.pool")
    parser.add_argument("--steep", type=Path, help="folder written by models.training.pool --steep")
    parser.add_argument("--mined", type=Path, help="file written by models.training.mine")
    parser.add_argument("--recoloured", type=float, default=1.0, help="share of crops that are recoloured")
    parser.add_argument("--examples", type=int, default=400_000, help="how many crops to train on")
    parser.add_argument("--batch", type=int, default=24)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--save-every", type=int, default=500, help="steps between checkpoints")
    parser.add_argument("--leave-out", nargs="*", default=[], help="rigs not to train on")
    parser.add_argument("--start-from", help="checkpoint whose weights to start from")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    train(parser.parse_args(argv))


if __name__ == "__main__":
    main()
