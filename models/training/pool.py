"""Render a pool of synthetic stills as a rig, with `python -m models.training.pool --data DATA --out POOL`.

Written once and read by the training: a still takes longer to render than to learn from. `--steep` renders
dice seen at a slant, up to nearly from the side, with the picture's top away from the viewer: turned by any
angle, nobody could tell a side face from the top.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.synth.stills import StillDie, make_still
from models.training.data import Photo, negatives
from vision.frame import Image

SIDE_PX = 320
READABLE_CONTRAST = 0.06
"""Below this difference between pip and body nobody can read a face."""
STEEP_DEG = (38.0, 80.0)
"""Tilts of the camera in the stills seen at a slant."""
TOP_UNTIL_DEG, SIDE_FROM_DEG = 64.0, 70.0
"""Up to the one the top face of a die counts; from the other on it is refused as a cocked die is."""


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and render."""
    parser = argparse.ArgumentParser(description="Render a pool of synthetic stills.")
    parser.add_argument("--data", required=True, type=Path, help="folder with negatives/ and textures/")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--number", type=int, default=3000)
    parser.add_argument("--steep", action="store_true", help="dice seen at a slant or from the side")
    parser.add_argument("--first", type=int, default=0, help="number of the first still; also its seed")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    surfaces, clutter = negatives(args.data / "textures"), negatives(args.data / "negatives")
    rows: list[dict[str, Any]] = []
    for number in range(args.first, args.first + args.number):
        rng = np.random.default_rng((20261201 if args.steep else 20261130, number))
        low, high = STEEP_DEG if args.steep else (0.0, 45.0)
        background = _background(rng, surfaces, clutter)
        still = make_still(
            rng,
            width_px=SIDE_PX,
            height_px=SIDE_PX,
            background=background,
            min_tilt_deg=low,
            max_tilt_deg=high,
        )
        file = f"{number:06d}.png"
        cv2.imwrite(str(args.out / file), still.image)
        rows.append(_row(file, still.dice, upright=args.steep))
        if number % 100 == 99:
            _write(args.out, rows)
            print(f"{len(rows)} of {args.number}", flush=True)
    _write(args.out, rows)


def _background(rng: np.random.Generator, surfaces: list[Photo], clutter: list[Photo]) -> Image | None:
    draw = rng.random()
    if draw < 0.3:
        return None
    pool = surfaces if draw < 0.65 else clutter
    return pool[int(rng.integers(len(pool)))].load()


def _row(file: str, dice: Sequence[StillDie], *, upright: bool = False) -> dict[str, Any]:
    labels = []
    for die in dice:
        readable = die.top_visible >= 0.9 and die.contrast >= READABLE_CONTRAST
        seen_from_side = die.steep_deg >= SIDE_FROM_DEG
        state = "cocked" if seen_from_side else die.state
        labels.append(
            {
                "box_px": [round(float(v), 1) for v in die.box_px],
                "value": die.value if readable and die.steep_deg <= TOP_UNTIL_DEG else None,
                "state": "hidden" if die.visible < 0.5 else state,
                "kind": "pip",
                "box_is": "die",
            }
        )
    values = sorted(die.value for die in dice if die.value is not None)
    row = {"file": file, "complete": True, "dice": labels, "values": values, "group": file}
    return row | {"upright": True} if upright else row


def _write(out: Path, rows: list[dict[str, Any]]) -> None:
    partial = out / "labels.partial"
    partial.write_text(json.dumps(rows), encoding="utf-8")
    partial.replace(out / "labels.json")


if __name__ == "__main__":
    main()
