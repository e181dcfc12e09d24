"""Measure the reader on labelled folders: `python -m models.training.evaluate FOLDER... [--part holdout]`.

A folder is a rig: pictures or clips and a `labels.json` (docs/measuring.md). Figures are counted on
complete pictures that nobody augmented; `models.training.tally` says what is counted, `models.training.clips`
how clips are. `croupier bench read` is the same for users, with any picture format.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.training.clips import VOTES, ClipTallies, frame_at, frames_of, measure_clip
from models.training.data import Photo, in_holdout
from models.training.folders import BadFolder, Folder, evenly, open_folder
from models.training.plots import draw_risk
from models.training.sheets import contact_sheets, write_file
from models.training.tally import Tally, nearest, risk_coverage
from vision.detection import DiceReader
from vision.frame import Image
from vision.reader import Reader

__all__ = ["Report", "Wishes", "lines", "main", "measure", "measure_folder", "nearest", "plan"]

COLUMNS = (
    ("pictures", "pictures"),
    ("exact", "exact"),
    ("count_right", "count ok"),
    ("sure", "sure"),
    ("sure_exact", "sure+exact"),
    ("silent", "silent"),
    ("dice", "dice"),
    ("recall", "recall"),
    ("precision", "precis."),
    ("sure_wrong", "sure wrong"),
    ("ms", "ms"),
)
"""Figures of the table for people, and their headings."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """How to measure and what to write."""

    part: str = "all"
    """`holdout` or `train`: only that part of the pictures, by their groups."""
    most: int | None = None
    """At most so many pictures a folder, evenly chosen."""
    every: int = 1
    """Of clips every so-manieth frame."""
    no_dice: bool = False
    """The folders hold pictures without dice, whatever their labels say."""
    as_json: bool = False
    """One JSON object a report instead of a table."""
    failures: bool = False
    """List the pictures that were not exact."""
    plot: Path | None = None
    """Folder for `risk-coverage.png`."""
    sheets: Path | None = None
    """Folder for the contact sheets."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was counted on one folder, or on all of one kind."""

    name: str
    kind: str
    """`photos`; `no dice`; of clips `frames`, `vote of 3` (as the watch does) and `vote of the rest`."""
    tally: Tally

    def as_json(self, *, failures: bool) -> dict[str, Any]:
        """Return the figures as plain values."""
        out = {"rig": self.name, "kind": self.kind, **self.tally.figures()}
        out["confusion"] = self.tally.confusion.tolist()
        if failures:
            out["failures"] = self.tally.inexact
        return out

    def as_lines(self, *, failures: bool) -> list[str]:
        """Return the figures for people."""
        figures = self.tally.figures()
        if self.kind == "no dice":
            out = [
                f"{self.name:18s} {self.kind:16s} {figures['all_pictures']} pictures without dice: "
                f"{figures['sure_false']} sure false dice ({figures['sure_false_per_200'] or 0:.1f} in 200 "
                f"pictures), {figures['asked_false']} questions"
                + ("" if figures["ms"] is None else f", {figures['ms']} ms")
            ]
        else:
            cells = " ".join(f"{_cell(figures[key]):>{_width(head)}s}" for key, head in COLUMNS)
            out = [f"{self.name:18s} {self.kind:16s} {cells}"]
            kinds = ", ".join(f"{kind} {n}" for kind, n in figures["kinds"].items() if n)
            if kinds:
                out.append(f"{'':35s} {kinds}")
            if self.tally.cocked:
                out.append(
                    f"{'':35s} cocked dice refused: {self.tally.cocked_refused} of {self.tally.cocked}"
                )
        return out + [f"{'':35s} {line}" for line in (self.tally.inexact if failures else ())]


def _cell(value: object) -> str:
    return "-" if value is None else f"{value:.4f}" if isinstance(value, float) and value <= 1 else str(value)


def _width(head: str) -> int:
    return max(7, len(head))


def heading() -> str:
    """Return the first line of the table."""
    return f"{'rig':18s} {'what':16s} " + " ".join(f"{head:>{_width(head)}s}" for _, head in COLUMNS)


def plan(folders: Sequence[Path], wishes: Wishes) -> tuple[list[Folder], int]:
    """Read all labels, choose what to measure; returns it and the number of pictures and frames to read.

    Raises:
        BadFolder: if one of the folders cannot be measured.
    """
    chosen, steps = [], 0
    for path in folders:
        folder = open_folder(path, no_dice=wishes.no_dice)
        photos = [
            photo
            for photo in folder.photos
            if wishes.part == "all" or in_holdout(photo.group) == (wishes.part == "holdout")
        ]
        folder = replace(folder, photos=tuple(evenly(photos, wishes.most)))
        steps += len(folder.photos) + sum(len(frames_of(c, every=wishes.every)) for c in folder.clips)
        chosen.append(folder)
    return chosen, steps


def measure(
    reader: DiceReader,
    photos: Sequence[Photo],
    *,
    load: Callable[[Path], Image] | None = None,
    step: Callable[[], None] = lambda: None,
) -> Tally:
    """Read every measurable picture and count; `load` decodes a file, `step` is called after each picture."""
    tally = Tally()
    for photo in photos:
        if not photo.measurable:
            continue
        image = load(photo.path) if load else photo.load()
        started = time.perf_counter()
        reading = reader.read(image)
        tally.add(photo, reading, seconds=time.perf_counter() - started)
        step()
    return tally


def measure_folder(
    reader: DiceReader,
    folder: Folder,
    *,
    every: int = 1,
    load: Callable[[Path], Image] | None = None,
    step: Callable[[], None] = lambda: None,
) -> list[Report]:
    """Measure everything in one folder.

    Raises:
        BadFolder: if a clip cannot be opened or is shorter than its labels say.
    """
    if folder.kind != "clips":
        return [Report(folder.name, folder.kind, measure(reader, folder.photos, load=load, step=step))]
    found = ClipTallies()
    for clip in folder.clips:
        measure_clip(reader, clip, found, step, every=every)
    reports = [
        Report(folder.name, "frames", found.frames),
        Report(folder.name, f"vote of {VOTES}", found.windows),
        Report(folder.name, "vote of the rest", found.rests),
        Report(folder.name, "no dice", found.without_dice),
    ]
    return [report for report in reports if report.tally.all_pictures]


def lines(
    reader: DiceReader,
    folders: Sequence[Folder],
    wishes: Wishes,
    *,
    load: Callable[[Path], Image] | None = None,
    step: Callable[[], None] = lambda: None,
) -> Iterator[str]:
    """Measure the folders and yield what is to be printed, each line as soon as it is known.

    Raises:
        BadFolder: see `measure_folder`.
        OSError: if the plot or the sheets cannot be written.
    """
    if not wishes.as_json:
        yield heading()
    totals: dict[str, Tally] = {}
    curves = {}
    for folder in folders:
        for report in measure_folder(reader, folder, every=wishes.every, load=load, step=step):
            yield from _report_lines(report, wishes)
            totals.setdefault(report.kind, Tally()).merge(report.tally)
            if report.kind in ("photos", "frames"):
                curves[folder.name] = risk_coverage(report.tally.judged)
            if wishes.sheets and report.kind in ("photos", "frames", "no dice"):
                name = f"{folder.name}-no-dice" if report.kind == "no dice" else folder.name
                contact_sheets(report.tally.failures, wishes.sheets, name, _loader(load))
    if len(folders) > 1:
        for kind, tally in totals.items():
            yield from _report_lines(Report("all", kind, tally), replace(wishes, failures=False))
    if not wishes.as_json and "photos" in totals:
        yield "confusion of the photos (rows: true 1..6, no die; columns: read 1..6, none)"
        yield str(totals["photos"].confusion)
    if wishes.plot:
        judged = [pair for kind in ("photos", "frames") if kind in totals for pair in totals[kind].judged]
        write_file(wishes.plot / "risk-coverage.png", draw_risk({**curves, "all": risk_coverage(judged)}))


def _report_lines(report: Report, wishes: Wishes) -> list[str]:
    if wishes.as_json:
        return [json.dumps(report.as_json(failures=wishes.failures))]
    return report.as_lines(failures=wishes.failures)


def _loader(load: Callable[[Path], Image] | None) -> Callable[[Path, int | None], Image]:
    def fetch(path: Path, frame: int | None) -> Image:
        if frame is not None:
            return frame_at(path, frame)
        return load(path) if load else np.asarray(cv2.imread(str(path), cv2.IMREAD_COLOR), np.uint8)

    return fetch


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and measure."""
    from rich.console import Console
    from rich.progress import Progress

    parser = argparse.ArgumentParser(description="Measure the reader on labelled pictures and clips.")
    parser.add_argument("folders", nargs="+", type=Path, help="folders with pictures and labels.json")
    parser.add_argument("--part", choices=("all", "holdout", "train"), default="all")
    parser.add_argument("--weights", type=Path, help="another detector than the one shipped")
    parser.add_argument("--faces", type=Path, help="another classifier than the one shipped")
    parser.add_argument("--most", type=int, help="at most this many pictures a folder (evenly chosen)")
    parser.add_argument("--every", type=int, default=1, help="of clips every N-th frame")
    parser.add_argument("--no-dice", action="store_true", help="no picture in the folders shows a die")
    parser.add_argument("--json", action="store_true", help="one JSON object a report")
    parser.add_argument("--plot", type=Path, help="folder for the risk-coverage curves (PNG)")
    parser.add_argument("--sheets", type=Path, help="folder for contact sheets of the failures (PNG)")
    parser.add_argument("--failures", action="store_true", help="list the pictures that were not exact")
    args = parser.parse_args(argv)
    wishes = Wishes(
        part=args.part,
        most=args.most,
        every=args.every,
        no_dice=args.no_dice,
        as_json=args.json,
        failures=args.failures,
        plot=args.plot,
        sheets=args.sheets,
    )
    try:
        folders, steps = plan(args.folders, wishes)
        reader = Reader(args.weights, faces=args.faces)
        console = Console(stderr=True)
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task("Measuring", total=steps)
            for line in lines(reader, folders, wishes, step=lambda: bar.advance(task)):
                print(line, flush=True)
    except BadFolder as error:
        print(f"evaluate: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
