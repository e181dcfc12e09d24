"""Measure the reader on labelled pictures: `python -m models.training.evaluate FOLDER... [--part holdout]`.

A folder is a rig: pictures and a `labels.json`, a list of objects with `file`, `complete`, `group`, `values`
and `dice` (each `box_px`, `value`, `state`, `kind`, `box_is`). Figures are counted on complete pictures that
nobody augmented. A die is right when a die is found at its place with its value. A picture is exact when
the values read are exactly the values labelled. An error is silent when it was shown as sure.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.data import COCKED, Label, Photo, in_holdout, load_rig
from vision.detection import Detection, DiceReader, DieState, Reading
from vision.reader import Reader


@dataclass(slots=True)
class Tally:
    """What was counted on one rig (or on several together)."""

    pictures: int = 0
    exact: int = 0
    count_right: int = 0
    sure: int = 0
    sure_exact: int = 0
    silent: int = 0
    dice: int = 0
    right: int = 0
    found: int = 0
    shown: int = 0
    cocked: int = 0
    cocked_refused: int = 0
    sure_dice: int = 0
    sure_wrong: int = 0
    seconds: float = 0.0
    confusion: NDArray[np.int64] = field(default_factory=lambda: np.zeros((7, 7), np.int64))
    """Rows: the true face 1..6, last row: no die there; columns: the face read, last column: none read."""
    judged: list[tuple[float, bool]] = field(default_factory=list)
    """(confidence, right) of every die shown with a value."""
    failures: list[str] = field(default_factory=list)
    """Names of the pictures that were not exact."""

    def add(self, photo: Photo, reading: Reading) -> None:
        """Count one picture."""
        pairs, spare = match(photo, reading.dice)
        has_cocked = bool(photo.cocked)
        for label, die in pairs:
            self._die(label, die)
        for die in spare:
            if _value(die) is not None:
                self._shown(die, right=False, row=6)
        if has_cocked or any(label == 0 for label, _ in pairs):
            return  # not every value is known: the picture as a whole has no right answer
        values = tuple(sorted(v for die in reading.dice if (v := _value(die)) is not None))
        exact = values == photo.values
        self.pictures += 1
        self.exact += exact
        self.count_right += len(reading.dice) == len(photo.values)
        self.sure += reading.sure
        self.sure_exact += reading.sure and exact
        self.silent += reading.sure and not exact
        if not exact:
            self.failures.append(f"{photo.path.name}: read {list(values)}, is {list(photo.values)}")

    def _die(self, label: int, die: Detection | None) -> None:
        value = None if die is None else _value(die)
        if label == COCKED:
            self.cocked += 1
            self.cocked_refused += not (die is not None and die.sure)
            return
        if label == 0:
            return
        self.dice += 1
        self.found += die is not None
        self.right += value == label
        if value is None or die is None:
            self.confusion[label - 1, 6] += 1
        else:
            self._shown(die, right=value == label, row=label - 1)

    def _shown(self, die: Detection, *, right: bool, row: int) -> None:
        value = _value(die)
        assert value is not None
        self.shown += 1
        self.sure_dice += die.sure
        self.sure_wrong += die.sure and not right
        self.judged.append((die.confidence, right))
        self.confusion[row, value - 1] += 1

    def figures(self) -> dict[str, Any]:
        """Return the counts as shares, for people and scripts."""

        def share(part: int, whole: int) -> float | None:
            return round(part / whole, 4) if whole else None

        return {
            "pictures": self.pictures,
            "exact": share(self.exact, self.pictures),
            "count_right": share(self.count_right, self.pictures),
            "sure": share(self.sure, self.pictures),
            "sure_exact": share(self.sure_exact, self.pictures),
            "silent": self.silent,
            "dice": self.dice,
            "recall": share(self.right, self.dice),
            "found": share(self.found, self.dice),
            "precision": share(sum(right for _, right in self.judged), self.shown),
            "sure_dice": share(self.sure_dice, self.dice),
            "sure_wrong": self.sure_wrong,
            "cocked": self.cocked,
            "cocked_refused": self.cocked_refused,
            "ms": round(1000 * self.seconds / max(1, self.pictures), 1),
        }

    def merge(self, other: Tally) -> None:
        """Add the counts of another tally."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def match(
    photo: Photo, dice: Sequence[Detection]
) -> tuple[list[tuple[int, Detection | None]], list[Detection]]:
    """Pair labels with dice read, nearest centres first, at most 0.6 of the box apart.

    Returns (class, die or None) for each label, and the dice that no label explains.
    """
    centres = np.array([die.centre_px for die in dice], np.float64).reshape(-1, 2)
    taken = nearest(photo.label, centres)
    pairs = [
        (int(kind), dice[taken[i]] if i in taken else None) for i, kind in enumerate(photo.label.classes)
    ]
    used = set(taken.values())
    return pairs, [die for j, die in enumerate(dice) if j not in used]


def nearest(label: Label, found: NDArray[np.float64]) -> dict[int, int]:
    """Pair labels with places found (N, 2; x, y), nearest first, each once: label -> place."""
    boxes = label.boxes
    centres = boxes[:, :2] + boxes[:, 2:] / 2
    apart = np.hypot(*(centres[:, None] - found[None]).transpose(2, 0, 1))
    apart = apart / np.sqrt(boxes[:, 2] * boxes[:, 3])[:, None]
    taken: dict[int, int] = {}
    for i, j in sorted(np.argwhere(apart < 0.6).tolist(), key=lambda pair: float(apart[pair[0], pair[1]])):
        if i not in taken and j not in taken.values():
            taken[i] = j
    return taken


def measure(reader: DiceReader, photos: Sequence[Photo]) -> Tally:
    """Read every measurable picture and count."""
    tally = Tally()
    for photo in photos:
        if not photo.measurable:
            continue
        image = photo.load()
        started = time.perf_counter()
        reading = reader.read(image)
        tally.seconds += time.perf_counter() - started
        tally.add(photo, reading)
    return tally


def _value(die: Detection) -> int | None:
    return die.value if die.state is DieState.FLAT else None


def risk_coverage(judged: Sequence[tuple[float, bool]]) -> list[tuple[float, float, float]]:
    """(threshold, share of dice kept, share wrong among them), from strictest to laxest."""
    rows, wrong = [], 0
    for kept, (confidence, right) in enumerate(sorted(judged, reverse=True), start=1):
        wrong += not right
        rows.append((confidence, kept / len(judged), wrong / kept))
    return rows


def plot_risk(curves: dict[str, list[tuple[float, float, float]]], path: Path) -> None:
    """Draw risk (0..5 %) over coverage (0..100 %), one line a rig, as a PNG of 900x600."""
    width, height, edge = 900, 600, 70
    picture = np.full((height, width, 3), 255, np.uint8)
    colours = [(200, 90, 0), (0, 110, 230), (90, 160, 0), (160, 60, 160), (0, 0, 0), (150, 150, 0)]
    for step in range(6):
        y = height - edge - step * (height - 2 * edge) // 5
        cv2.line(picture, (edge, y), (width - 20, y), (225, 225, 225), 1)
        cv2.putText(
            picture, f"{step}%", (20, y + 5), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (60, 60, 60), 1, cv2.LINE_AA
        )
        x = edge + step * (width - edge - 20) // 5
        cv2.putText(
            picture,
            f"{20 * step}%",
            (x - 15, height - 45),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.5,
            (60, 60, 60),
            1,
            cv2.LINE_AA,
        )
    for number, (name, rows) in enumerate(curves.items()):
        colour = colours[number % len(colours)]
        points = [
            (
                int(edge + cover * (width - edge - 20)),
                int(height - edge - min(risk, 0.05) / 0.05 * (height - 2 * edge)),
            )
            for _, cover, risk in rows
        ]
        if points:
            cv2.polylines(picture, [np.array(points, np.int32)], False, colour, 2, cv2.LINE_AA)
        cv2.putText(
            picture,
            name,
            (edge + 10, 25 + 20 * number),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.5,
            colour,
            1,
            cv2.LINE_AA,
        )
    cv2.putText(
        picture,
        "share of dice kept (most confident first); wrong among them",
        (edge, height - 15),
        cv2.FONT_HERSHEY_SIMPLEX,
        0.5,
        (0, 0, 0),
        1,
        cv2.LINE_AA,
    )
    cv2.imwrite(str(path), picture)


COLUMNS = (
    "pictures",
    "exact",
    "count_right",
    "sure_exact",
    "silent",
    "dice",
    "recall",
    "precision",
    "sure_wrong",
    "ms",
)


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description="Measure the reader on labelled pictures.")
    parser.add_argument("folders", nargs="+", type=Path, help="folders with pictures and labels.json")
    parser.add_argument("--part", choices=("all", "holdout", "train"), default="all")
    parser.add_argument("--weights", type=Path, help="another detector than the one shipped")
    parser.add_argument("--faces", type=Path, help="another classifier than the one shipped")
    parser.add_argument(
        "--most", type=int, help="measure at most this many pictures a folder (evenly chosen)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a folder")
    parser.add_argument("--plot", type=Path, help="write the risk-coverage curves as PNG")
    parser.add_argument("--failures", action="store_true", help="list the pictures that were not exact")
    args = parser.parse_args(argv)
    reader = Reader(args.weights, faces=args.faces)
    total, curves = Tally(), {}
    if not args.json:
        print(f"{'rig':14s} " + " ".join(f"{name:>11s}" for name in COLUMNS))
    for folder in args.folders:
        photos = [photo for photo in load_rig(folder) if photo.measurable]
        if args.part != "all":
            photos = [photo for photo in photos if in_holdout(photo.group) == (args.part == "holdout")]
        if args.most and len(photos) > args.most:
            photos = [photos[i * len(photos) // args.most] for i in range(args.most)]
        tally = measure(reader, photos)
        _report(folder.name, tally, as_json=args.json, failures=args.failures)
        curves[folder.name] = risk_coverage(tally.judged)
        total.merge(tally)
    if len(args.folders) > 1:
        _report("all", total, as_json=args.json, failures=False)
    if not args.json:
        print("\nconfusion (rows: true 1..6, no die; columns: read 1..6, none)")
        print(total.confusion)
    if args.plot:
        plot_risk({**curves, "all": risk_coverage(total.judged)}, args.plot)


def _report(name: str, tally: Tally, *, as_json: bool, failures: bool) -> None:
    figures = tally.figures()
    if as_json:
        extra = {"confusion": tally.confusion.tolist(), "failures": tally.failures if failures else None}
        print(json.dumps({"rig": name, **figures, **extra}))
        return
    print(
        f"{name:14s} " + " ".join(f"{'-' if figures[key] is None else figures[key]:>11}" for key in COLUMNS)
    )
    if tally.cocked:
        print(f"{'':14s} cocked dice refused: {tally.cocked_refused} of {tally.cocked}")
    for line in tally.failures if failures else ():
        print(f"{'':14s} {line}")


if __name__ == "__main__":
    main()
