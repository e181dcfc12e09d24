"""Train without one rig, measure on it, and so on for each: how the reader does on a table it has never seen.

`python -m models.training.leave_one_out --data DATA --out RUNS [--synthetic POOL] [RIG...]`

Each rig gets a folder in RUNS with everything of its training, from random weights: detector, false finds,
classifier, the numbers of `vision.network.Tuning` (chosen on the other rigs' held-out pictures) and figures.
What is already there is not done again, so a run that was stopped goes on where it was. At the end stands
one table. The trainings are shorter than that of the shipped networks, and so are their figures lower.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx

from models.training.calibrate import collect, tune
from models.training.data import TRAIN_RIGS, load_rigs, negatives, split
from models.training.evaluate import heading, measure_folder
from models.training.export import write
from models.training.folders import open_folder
from vision.reader import Reader


@dataclass(frozen=True, slots=True)
class Run:
    """The training without one rig."""

    rig: str
    data: Path
    """Folder with photos/, crops/, negatives/ and textures/."""
    out: Path
    """The folder of this run."""
    synthetic: Path | None
    """Folder written by `models.training.pool`."""
    detector_examples: int
    faces_examples: int
    threads: int

    def commands(self) -> list[tuple[Path, list[str]]]:
        """Return the steps of the training: the file that proves a step done, and its command."""
        shared = ["--data", str(self.data)]
        sizes = ["--threads", str(self.threads)]
        if self.synthetic is not None:
            sizes += ["--synthetic", str(self.synthetic)]
        without = ["--leave-out", self.rig]
        found, faces = self.out / "detector", self.out / "faces"
        mined, detector = self.out / "mined.json", self.out / "detector.onnx"
        number = str(self.detector_examples)
        return [
            (
                detector,
                ["train", *shared, "--out", str(found), "--examples", number, "--resume", *sizes, *without],
            ),
            (detector, ["export", "--checkpoint", str(found / "checkpoint.pt"), "--out", str(detector)]),
            (mined, ["mine", *shared, "--weights", str(detector), "--out", str(mined)]),
            (
                faces / "done.onnx",
                [
                    *("faces", *shared, "--out", str(faces), "--mined", str(mined)),
                    *("--examples", str(self.faces_examples), *sizes, *without),
                ],
            ),
            (
                faces / "done.onnx",
                ["faces", *shared, "--out", str(faces), "--export", str(faces / "done.onnx")],
            ),
        ]

    def train(self) -> None:
        """Do the steps that were not done yet; their output goes to `log.txt` in the run's folder.

        Raises:
            SystemExit: if a step fails; the log says why.
        """
        self.out.mkdir(parents=True, exist_ok=True)
        todo = [(proof, command) for proof, command in self.commands() if not proof.exists()]
        for _, command in todo:
            print(f"{self.rig}: {command[0]}", file=sys.stderr, flush=True)
            with (self.out / "log.txt").open("a", encoding="utf-8") as log:
                done = subprocess.run(
                    [sys.executable, "-m", f"models.training.{command[0]}", *command[1:]],
                    stdout=log,
                    stderr=log,
                    check=False,
                )
            if done.returncode:
                raise SystemExit(f"{self.rig}: {command[0]} failed; {self.out / 'log.txt'} says why")

    def calibrate(self) -> None:
        """Choose the numbers that go with the networks on the other rigs' held-out pictures."""
        target = self.out / "reader.onnx"
        if target.exists():
            return
        print(f"{self.rig}: calibrate", file=sys.stderr, flush=True)
        raw = self.out / "detector.onnx"
        reader = Reader(raw, faces=self.out / "faces" / "done.onnx", threads=self.threads)
        others = [rig for rig in TRAIN_RIGS if rig != self.rig]
        photos = split(load_rigs(self.data / "photos", others))[1]
        empty = split(negatives(self.data / "negatives"))[1]
        write(onnx.load(str(raw)), target, tune(collect(reader, [*photos, *empty]), reader.tuning))

    def figures(self) -> dict[str, Any]:
        """Return the figures on every measurable picture of the rig that was left out."""
        kept = self.out / "figures.json"
        if not kept.exists():
            print(f"{self.rig}: measure", file=sys.stderr, flush=True)
            reader = Reader(self.out / "reader.onnx", faces=self.out / "faces" / "done.onnx")
            (report,) = measure_folder(reader, open_folder(self.data / "photos" / self.rig))
            partial = kept.with_suffix(".partial")
            text = {"report": report.as_json(failures=True), "lines": report.as_lines(failures=False)}
            partial.write_text(json.dumps(text), encoding="utf-8")
            partial.replace(kept)
        return dict(json.loads(kept.read_text(encoding="utf-8")))


def table(results: Sequence[dict[str, Any]]) -> str:
    """Return the table of the figures of all runs, for people."""
    return "\n".join([heading(), *(line for result in results for line in result["lines"])])


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line, train and measure."""
    parser = argparse.ArgumentParser(description="Measure the reader on rigs that it was not trained on.")
    parser.add_argument(
        "rigs", nargs="*", help=f"rigs to leave out, each in turn; all: {', '.join(TRAIN_RIGS)}"
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with photos/, crops/, negatives/, ..."
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the runs")
    parser.add_argument("--synthetic", type=Path, help="folder written by models.training.pool")
    parser.add_argument("--detector-examples", type=int, default=60_000)
    parser.add_argument("--faces-examples", type=int, default=150_000)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args(argv)
    unknown = sorted(set(args.rigs) - set(TRAIN_RIGS))
    if unknown:
        parser.error(f"no rig to train on is called {', '.join(unknown)}; there are {', '.join(TRAIN_RIGS)}")
    results = []
    for rig in args.rigs or TRAIN_RIGS:
        run = Run(
            rig,
            args.data,
            args.out / rig,
            args.synthetic,
            args.detector_examples,
            args.faces_examples,
            args.threads,
        )
        run.train()
        run.calibrate()
        results.append(run.figures())
    print(table(results))


if __name__ == "__main__":
    main()
