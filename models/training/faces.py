"""Train the classifier of single dice, with `python -m models.training.faces --data DATA --out RUN`.

It sees what the detector found, cut out at one size, and says which face is on top, whether the die is
cocked, or that there is no die. Crops come from the same pictures as the detector's; a quarter of them show
no die: clutter, single pips, the gap between dice, dice far too small, and what the detector took for dice
where none were (`models.training.mine`).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

from models.training.augment import place, recolour, warp
from models.training.data import COCKED, Label
from models.training.export import plain_export
from models.training.held import lay_fingers, skin_patches
from models.training.network import Residual, conv
from models.training.train import Examples, schedule
from vision.faces import CLASSES, CROP_PX, DIE_PX
from vision.frame import Image

NOT_A_DIE = 7
"""Index of the class "not a die"; 0..5 are the faces 1..6, 6 is cocked."""
MIX = {
    "nell_byler": 0.20,
    "trays_colour": 0.16,
    "trays_grey": 0.06,
    "desk_white": 0.05,
    "catan_mixed": 0.09,
    "raking_light": 0.04,
    "heap_mixed": 0.05,
    "floor_two": 0.03,
    "casino_drone": 0.04,
    "negatives": 0.08,
    "textures": 0.01,
    "synthetic": 0.19,
    "steep": 0.12,
}
"""Share of each source: more of the rigs whose dice are hardest to read than the detector gets."""
NEGATIVE_SHARE = 0.20
MINED_SHARE = 0.1
HELD_SHARE = 0.08
"""Share of the dice with fingers over them (two in three) or close beside them."""


class FaceNet(nn.Module):
    """(B, 3, 48, 48) BGR in 0..1 -> (B, 8) logits."""

    def __init__(self) -> None:
        """Build the network: four stages at 48, 24, 12 and 6 pixels, then what is there and where it is."""
        super().__init__()
        self.stages = nn.Sequential(
            conv(3, 24),
            conv(24, 40, 2),
            Residual(40),
            conv(40, 72, 2),
            Residual(72),
            Residual(72),
            conv(72, 96, 2),
            Residual(96),
        )
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(2 * 96, CLASSES)
        self.where = nn.Linear(96 * 6 * 6, CLASSES)
        nn.init.zeros_(self.where.weight)
        nn.init.zeros_(self.where.bias)

    def forward(self, x: Tensor) -> Tensor:
        """(B, 3, 48, 48) -> (B, 8)."""
        features = self.stages(x)
        pooled = torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)
        return self.head(self.drop(pooled)) + self.where(self.drop(features.flatten(1)))


class Crops(Dataset[dict[str, Any]]):
    """An endless supply of single crops; crop `i` is the same in every run with the same seed."""

    def __init__(
        self,
        examples: Examples,
        *,
        seed: int,
        length: int,
        mined: Sequence[tuple[Path, list[float]]] = (),
        recoloured: float = 1.0,
    ) -> None:
        """Draw from the (preloaded) pictures of the detector's examples, and from its false finds.

        `recoloured` is the share of crops whose colours, light and sharpness are changed.
        """
        self.examples, self.seed, self.length, self.mined = examples, seed, length, mined
        self.recoloured = recoloured
        hands = [p for p in examples.sources["negatives"] if p.rig == "negatives/hands"]
        self.skin = skin_patches([examples.cache[p.path][0] for p in hands], np.random.default_rng(seed))

    def __len__(self) -> int:
        """How many crops the run takes."""
        return self.length

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Make crop `index`."""
        rng = np.random.default_rng((self.seed, index))
        if self.mined and rng.random() < MINED_SHARE:
            path, box = self.mined[int(rng.integers(len(self.mined)))]
            image, factor = self.examples.cache[path]
            size = factor * (box[2] * box[3]) ** 0.5
            centre = np.array(box[:2]) * factor + rng.normal(0, 0.1, 2) * size
            scale = DIE_PX / size * float(np.exp(rng.normal(0, 0.2)))
            return self._finish(image, centre, scale, NOT_A_DIE, rng)
        while True:
            _, image, label = self.examples.draw(rng)
            crop = self._crop(image, label, rng)
            if crop is not None:
                return crop

    def _crop(self, image: Image, label: Label, rng: np.random.Generator) -> dict[str, Any] | None:
        """Cut one crop, or None where this picture offers nothing of the kind drawn."""
        known = np.flatnonzero((label.classes >= 1) & (label.classes <= COCKED))
        negative = rng.random() < NEGATIVE_SHARE
        if not len(label.boxes):
            if not negative and rng.random() < 0.8:
                return None
            centre = rng.uniform(0.05, 0.95, 2) * (image.shape[1], image.shape[0])
            scale = DIE_PX / np.exp(rng.uniform(np.log(12), np.log(160))) * image.shape[1] / 640
            return self._finish(image, centre, scale, NOT_A_DIE, rng)
        if not len(known):
            return None
        pick = int(rng.choice(known))
        x, y, width, height = (float(v) for v in label.boxes[pick])
        centre, size = np.array([x + width / 2, y + height / 2]), (width * height) ** 0.5
        if not negative:
            centre = centre + rng.normal(0, 0.05, 2) * size
            scale = DIE_PX / size * float(np.exp(rng.normal(0, 0.11)))
            kind = int(label.classes[pick]) - 1
            return self._finish(image, centre, scale, kind, rng, upright=label.upright)
        draw = rng.random()
        if draw < 0.4:  # a single pip, or a part of a face
            centre = centre + rng.uniform(-0.4, 0.4, 2) * size
            return self._finish(image, centre, DIE_PX / size * rng.uniform(2.6, 6.0), NOT_A_DIE, rng)
        if draw < 0.55:  # far too small
            return self._finish(image, centre, DIE_PX / size * rng.uniform(0.2, 0.42), NOT_A_DIE, rng)
        angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.5, 1.1)
        spot = centre + far * size * np.array([np.cos(angle), np.sin(angle)])
        middles = label.boxes[:, :2] + label.boxes[:, 2:] / 2
        sizes = np.sqrt(label.boxes[:, 2] * label.boxes[:, 3])
        clear = bool((np.hypot(*(middles - spot).T) > 0.45 * sizes).all())
        if not (label.complete and clear):
            return None
        return self._finish(image, spot, DIE_PX / size * rng.uniform(0.7, 1.5), NOT_A_DIE, rng)

    def _finish(
        self,
        image: Image,
        centre: NDArray[np.float64],
        scale: float,
        kind: int,
        rng: np.random.Generator,
        *,
        upright: bool = False,
    ) -> dict[str, Any]:
        middle = np.array([CROP_PX / 2, CROP_PX / 2])
        matrix = place(centre, middle, float(scale), rng, upright=upright)
        filler = self.examples.background(rng, CROP_PX) if rng.random() < 0.5 else None
        pixels = warp(image, matrix, CROP_PX, rng, filler)
        if kind < COCKED - 1 and self.skin and rng.random() < HELD_SHARE:
            over = bool(rng.random() < 0.67)
            skin = self.skin[int(rng.integers(len(self.skin)))]
            pixels = lay_fingers(pixels, DIE_PX, skin, rng, over=over)
            kind = COCKED - 1 if over else kind
        if rng.random() < 0.3:  # a die with few pixels, enlarged
            f = float(rng.uniform(0.45, 0.9))
            small = cv2.resize(pixels, None, fx=f, fy=f, interpolation=cv2.INTER_AREA)
            pixels = np.asarray(
                cv2.resize(small, (CROP_PX, CROP_PX), interpolation=cv2.INTER_LINEAR), np.uint8
            )
        if rng.random() < self.recoloured:
            pixels = recolour(pixels, rng)
        return {"image": np.ascontiguousarray(pixels), "kind": kind}


def begin_from(net: FaceNet, weights: Path) -> None:
    """Load the weights of another run; one from before the network had `where` starts with that at zero.

    Raises:
        RuntimeError: if the weights are of another network.
    """
    state = net.state_dict() | torch.load(weights, weights_only=True, map_location="cpu")
    net.load_state_dict(state)


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
        mix=MIX,
    )
    examples.preload()
    mined = []
    if args.mined:
        rows = json.loads(args.mined.read_text(encoding="utf-8"))
        found = [(Path(args.data) / row["file"], row["box"]) for row in rows]
        mined = [(path, box) for path, box in found if path in examples.cache]  # not of a rig left out
    net = FaceNet().to(memory_format=torch.channels_last)
    if args.start_from:
        begin_from(net, args.start_from)
    average = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=0.03)
    loader = DataLoader(
        Crops(examples, seed=args.seed, length=args.examples, mined=mined, recoloured=args.recoloured),
        batch_size=args.batch,
        num_workers=args.workers,
        drop_last=True,
        prefetch_factor=4 if args.workers else None,
    )
    started, loss_now, right_now = time.monotonic(), 2.0, 0.1
    net.train()
    for step, raw in enumerate(loader, start=1):
        rate = args.lr * schedule(step, steps, warm_up=200)
        for group in optimiser.param_groups:
            group["lr"] = rate
        image = raw["image"].permute(0, 3, 1, 2).float().div_(255.0)
        logits = net(image.contiguous(memory_format=torch.channels_last))
        loss = F.cross_entropy(logits, raw["kind"], label_smoothing=0.03)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        average.update_parameters(net)
        loss_now = 0.99 * loss_now + 0.01 * float(loss.detach())
        right_now = 0.99 * right_now + 0.01 * float((logits.argmax(1) == raw["kind"]).float().mean())
        if step % 100 == 0 or step == steps:
            row = {"step": step, "of": steps, "s": round(time.monotonic() - started, 1)}
            row |= {"loss": round(loss_now, 4), "right": round(right_now, 4)}
            print(json.dumps(row), flush=True)
            with (out / "faces.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(row) + "\n")
        if step % args.save_every == 0 or step == steps:
            partial = out / "faces.partial"
            torch.save(average.module.state_dict(), partial)
            partial.replace(out / "faces.pt")


def export(weights: Path, out: Path) -> None:
    """Write trained weights as ONNX; the number of crops stays free."""
    net = FaceNet().eval()
    net.load_state_dict(torch.load(weights, weights_only=True, map_location="cpu"))
    axes = {"image": {0: "dice"}, "classes": {0: "dice"}}
    model = plain_export(net, torch.zeros(1, 3, CROP_PX, CROP_PX), "classes", axes, out)
    partial = out.with_suffix(".partial")
    onnx.save(model, str(partial))
    partial.replace(out)


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and train, or export."""
    parser = argparse.ArgumentParser(description="Train the classifier of single dice.")
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True, help="folder for weights and log")
    parser.add_argument("--synthetic", type=Path, help="folder written by models.training.pool")
    parser.add_argument("--steep", type=Path, help="folder written by models.training.pool --steep")
    parser.add_argument("--mined", type=Path, help="file written by models.training.mine")
    parser.add_argument("--examples", type=int, default=600_000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--recoloured", type=float, default=1.0, help="share of crops that are recoloured")
    parser.add_argument("--start-from", type=Path, help="weights to start from (faces.pt of another run)")
    parser.add_argument("--save-every", type=int, default=500)
    parser.add_argument("--leave-out", nargs="*", default=[], help="rigs not to train on")
    parser.add_argument(
        "--export", type=Path, help="write the weights in --out as this ONNX file, no training"
    )
    args = parser.parse_args(argv)
    if args.export:
        export(Path(args.out) / "faces.pt", args.export)
    else:
        train(args)


if __name__ == "__main__":
    main()
