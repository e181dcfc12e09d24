"""Choose the numbers that go with a set of weights (`vision.network.Tuning`), on pictures not trained on.

`python -m models.training.calibrate --weights IN.onnx --data ../shared/data --out models/reader.onnx`

Uses the held-out fifth of every rig that may be trained on and of the pictures without dice; never a rig
that is for measuring only. One pass over the pictures collects what was found; the rest is arithmetic:

* the temperature that makes the faces most likely,
* the probability below which a candidate is dropped, by the share of pictures that come out exact,
* the confidence from which a die is sure, by the share of wrong dice among the sure ones.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from models.training.data import TRAIN_RIGS, Photo, load_rigs, negatives, split
from models.training.evaluate import match
from models.training.export import write
from vision.reader import Reader

MOST_SILENT = 0.002
"""Wrong dice tolerated among the sure ones."""
TEMPERATURES = np.round(np.arange(0.4, 1.55, 0.05), 2)
DROPS = np.round(np.arange(0.20, 0.66, 0.05), 2)
SURE = np.round(np.arange(0.60, 0.991, 0.01), 2)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """One candidate of one picture, with the truth."""

    chance: float
    """Probability that there is a die."""
    faces: NDArray[np.float64]
    """(6,) probability of each face."""
    truth: int
    """The true face 1..6; 0: a die nobody could read or a cocked one; -1: no die there."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One picture."""

    found: tuple[Found, ...]
    values: tuple[int, ...]
    countable: bool
    """Whether all its values are known."""


def collect(reader: Reader, photos: Sequence[Photo]) -> list[Case]:
    """Read every measurable picture."""
    cases = []
    for photo in photos:
        if not photo.measurable:
            continue
        dice = reader.read(photo.load()).dice
        pairs, spare = match(photo, dice)
        rows = [(die, truth if truth <= 6 else 0) for truth, die in pairs if die is not None]
        rows += [(die, -1) for die in spare]
        found = tuple(
            Found(die.confidence / max(max(die.faces), 1e-6), np.array(die.faces), truth)
            for die, truth in rows
        )
        countable = all(1 <= truth <= 6 for truth, _ in pairs)
        cases.append(Case(found, photo.values, countable))
    return cases


def warmed(faces: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Apply a temperature to probabilities that were made with temperature 1."""
    power = np.maximum(faces, 1e-9) ** (1 / temperature)
    return np.asarray(power / power.sum(), np.float64)


def best_temperature(cases: Sequence[Case]) -> float:
    """Return the temperature under which the true faces are most likely (in the mean logarithm)."""
    known = [die for case in cases for die in case.found if die.truth >= 1]
    losses = [-np.mean([np.log(warmed(d.faces, t)[d.truth - 1] + 1e-9) for d in known]) for t in TEMPERATURES]
    return float(TEMPERATURES[int(np.argmin(losses))])


def best_drop(cases: Sequence[Case], temperature: float) -> float:
    """Return the drop-below that leaves most pictures exact; of equals, the middle one."""
    scores = [sum(_exact(case, temperature, drop) for case in cases if case.countable) for drop in DROPS]
    best = np.flatnonzero(np.array(scores) == max(scores))
    return float(DROPS[best[len(best) // 2]])


def best_sure(cases: Sequence[Case], temperature: float) -> float:
    """Return the lowest confidence from which at most `MOST_SILENT` of the dice are wrong."""
    judged = []
    for case in cases:
        for die in case.found:
            faces = warmed(die.faces, temperature)
            if die.truth != 0:
                judged.append((die.chance * float(faces.max()), int(faces.argmax()) + 1 == die.truth))
    for threshold in SURE:
        kept = [right for confidence, right in judged if confidence >= threshold]
        if kept and np.mean(kept) >= 1 - MOST_SILENT:
            return float(threshold)
    return float(SURE[-1])


def _exact(case: Case, temperature: float, drop: float) -> bool:
    values = []
    for die in case.found:
        faces = warmed(die.faces, temperature)
        if die.chance >= drop and faces.max() >= 0.5:
            values.append(int(faces.argmax()) + 1)
    return tuple(sorted(values)) == case.values


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and calibrate."""
    parser = argparse.ArgumentParser(description="Choose the numbers that go with a set of weights.")
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True, help="folder with photos/ and negatives/")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    model = onnx.load(str(args.weights))
    probe = args.out.with_suffix(".probe.onnx")
    open_tuning = replace(
        Reader(args.weights).tuning, face_temperature=1.0, drop_below=float(DROPS[0]), sure_from=1.0
    )
    write(model, probe, open_tuning)
    photos = split(load_rigs(args.data / "photos", TRAIN_RIGS))[1]
    empty = split(negatives(args.data / "negatives"))[1]
    try:
        cases = collect(Reader(probe, threads=2), [*photos, *empty])
    finally:
        probe.unlink()
    temperature = best_temperature(cases)
    drop = best_drop(cases, temperature)
    tuning = replace(
        open_tuning, face_temperature=temperature, drop_below=drop, sure_from=best_sure(cases, temperature)
    )
    write(model, args.out, tuning)
    dice = sum(die.truth >= 1 for case in cases for die in case.found)
    print(f"{len(cases)} pictures, {dice} dice: {tuning}")


if __name__ == "__main__":
    main()
