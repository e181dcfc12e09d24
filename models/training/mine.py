"""Find what the detector takes for dice where none are, with `python -m models.training.mine`.

Looks at the training part of the pictures without dice, and of those in which every die has a box (where a
side face or a few pips may pass for a die of their own), and writes the false finds as JSON, a list of
`{"file": path below the data folder, "box": [centre x, y, width, height]}`: lessons for both networks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from models.training.data import TRAIN_RIGS, load_rigs, negatives, split
from models.training.evaluate import nearest
from vision.detector import Detector


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and mine."""
    parser = argparse.ArgumentParser(description="Collect the detector's false finds.")
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    detector, rows = Detector(args.weights), []
    photos = split(negatives(args.data / "negatives"))[0] + negatives(args.data / "textures")
    photos += [p for p in split(load_rigs(args.data / "photos", TRAIN_RIGS))[0] if p.label.complete]
    for photo in photos:
        boxes = detector.find(photo.load()).boxes
        dice = set(nearest(photo.label, boxes[:, :2]).values())
        for box in (box for number, box in enumerate(boxes) if number not in dice):
            rows.append(
                {"file": str(photo.path.relative_to(args.data)), "box": [round(float(v), 1) for v in box]}
            )
    args.out.write_text(json.dumps(rows), encoding="utf-8")
    print(f"{len(rows)} false finds in {len(photos)} pictures")


if __name__ == "__main__":
    main()
