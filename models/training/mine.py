"""Find what the detector takes for dice where none are, with `python -m models.training.mine`.

Looks at the training part of the pictures without dice and writes the false finds as JSON, a list of
`{"file": path below the data folder, "box": [centre x, y, width, height]}`: lessons for the classifier.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from models.training.data import negatives, split
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
    for photo in photos:
        for box in detector.find(photo.load()).boxes:
            rows.append(
                {"file": str(photo.path.relative_to(args.data)), "box": [round(float(v), 1) for v in box]}
            )
    args.out.write_text(json.dumps(rows), encoding="utf-8")
    print(f"{len(rows)} false finds in {len(photos)} pictures")


if __name__ == "__main__":
    main()
