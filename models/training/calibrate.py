"""Choose the numbers that go with the two networks (`vision.network.Tuning`), on pictures not trained on.

`python -m models.training.calibrate --weights IN.onnx --faces FACES.onnx --data DATA --out OUT.onnx`

Uses the held-out fifth of every rig that may be trained on and of the pictures without dice; never a rig
that is for measuring only. One pass over the pictures collects what both networks say; then

* a logistic function of both networks' odds gives the probability that there is a die,
* the exponents of both networks' answers are those under which the true faces are most likely,
* a face is named from the probability of a die that leaves most pictures exact,
* a candidate is dropped where hardly any true die is left (`MOST_DROPPED`); in between it is a question,
* a die is sure from the confidence at which at most `MOST_SILENT` of the sure ones are wrong.
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
from models.training.evaluate import nearest
from models.training.export import write
from vision.detection import DieState
from vision.network import Tuning
from vision.reader import Reader
from vision.verdict import Evidence, verdict

MOST_SILENT = 0.002
"""Wrong dice tolerated among the sure ones."""
EXPONENTS = np.round(np.arange(0.0, 1.61, 0.1), 2)
MOST_DROPPED = 0.002
"""Share of the true dice among the candidates that may be dropped without a word."""
NAMES = np.round(np.arange(0.15, 0.66, 0.05), 2)
SURE = np.round(np.arange(0.60, 0.996, 0.005), 3)
NO_DIE = -1
"""Truth of a candidate where no die is; 0: a die without a known face; 1..6 the face, 7 cocked."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One picture: what the networks said, and what is true."""

    seen: Evidence
    truth: NDArray[np.int64]
    """(N,) for each candidate."""
    values: tuple[int, ...]
    countable: bool
    """Whether all its values are known."""


def collect(reader: Reader, photos: Sequence[Photo]) -> list[Case]:
    """Look at every measurable picture."""
    cases = []
    for photo in photos:
        if not photo.measurable:
            continue
        seen = reader.evidence(photo.load())
        truth = np.full(len(seen.found), NO_DIE, np.int64)
        for label, candidate in nearest(photo.label, seen.boxes[:, :2]).items():
            truth[candidate] = photo.label.classes[label]
        classes = photo.label.classes
        cases.append(Case(seen, truth, photo.values, bool(((classes >= 1) & (classes <= 6)).all())))
    return cases


def fit_found(cases: Sequence[Case]) -> tuple[float, float, float]:
    """Fit (detector, classifier, offset) of the logistic function by Newton's method, slightly held back.

    Weights below zero make no sense and are set to zero.
    """
    odds = [case.seen.odds() for case in cases]
    x = np.column_stack(
        [
            np.concatenate([o[0] for o in odds]),
            np.concatenate([o[1] for o in odds]),
            np.ones(sum(len(o[0]) for o in odds)),
        ]
    )
    y = np.concatenate([case.truth != NO_DIE for case in cases]).astype(np.float64)
    w = np.array([0.5, 0.5, 0.0])
    hold = np.diag([1.0, 1.0, 0.1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        slope = x.T @ (p - y) + hold @ (w - [0.5, 0.5, 0.0])
        curve = (x * (p * (1 - p))[:, None]).T @ x + hold
        step = np.linalg.solve(curve, slope)
        w = w - step
        if np.abs(step).max() < 1e-6:
            break
    return max(0.0, float(w[0])), max(0.0, float(w[1])), float(w[2])


def fit_faces(cases: Sequence[Case], tuning: Tuning) -> tuple[float, float]:
    """Return the exponents (detector, classifier) under which the true faces are most likely."""
    best, answer = np.inf, (0.5, 0.8)
    known = [(case.seen, np.flatnonzero(case.truth >= 1), case.truth) for case in cases if len(case.truth)]
    for detector in EXPONENTS:
        for classifier in EXPONENTS:
            trial = replace(tuning, faces_detector=float(detector), faces_classifier=float(classifier))
            losses = [
                -np.log(seen.states(trial)[rows, truth[rows] - 1] + 1e-9) for seen, rows, truth in known
            ]
            loss = float(np.concatenate(losses).mean())
            if loss < best:
                best, answer = loss, (float(detector), float(classifier))
    return answer


def best_name(cases: Sequence[Case], tuning: Tuning) -> float:
    """Return the name-from that leaves most pictures exact; of equals, the middle one."""
    scores = []
    for name in NAMES:
        trial = replace(tuning, name_from=float(name), drop_below=0.0)
        scores.append(sum(_values(case, trial) == case.values for case in cases if case.countable))
    best = np.flatnonzero(np.array(scores) == max(scores))
    return float(NAMES[best[len(best) // 2]])


def best_drop(cases: Sequence[Case], tuning: Tuning) -> float:
    """Return the probability that all but `MOST_DROPPED` of the true dice reach, at most name-from."""
    chances = np.concatenate([case.seen.chance(tuning)[case.truth != NO_DIE] for case in cases])
    return float(np.clip(np.quantile(chances, MOST_DROPPED), 0.02, tuning.name_from))


def best_sure(cases: Sequence[Case], tuning: Tuning) -> float:
    """Return the lowest confidence from which at most `MOST_SILENT` of the dice are wrong."""
    judged = []
    for case in cases:
        states, chance, agreed = (
            case.seen.states(tuning),
            case.seen.chance(tuning),
            case.seen.undisputed(tuning),
        )
        for row, truth in enumerate(case.truth):
            best = int(states[row].argmax())
            if truth != 0 and best < 6 and agreed[row]:
                judged.append((float(chance[row] * states[row, best]), best + 1 == truth))
    for threshold in SURE:
        kept = [right for confidence, right in judged if confidence >= threshold]
        if kept and np.mean(kept) >= 1 - MOST_SILENT:
            return float(threshold)
    return float(SURE[-1])


def tune(cases: Sequence[Case], tuning: Tuning) -> Tuning:
    """Choose every number, one after the other."""
    detector, classifier, offset = fit_found(cases)
    tuning = replace(tuning, found_detector=detector, found_classifier=classifier, found_offset=offset)
    faces = fit_faces(cases, tuning)
    tuning = replace(tuning, faces_detector=faces[0], faces_classifier=faces[1])
    tuning = replace(tuning, name_from=best_name(cases, tuning))
    tuning = replace(tuning, drop_below=best_drop(cases, tuning))
    return replace(tuning, sure_from=best_sure(cases, tuning))


def _values(case: Case, tuning: Tuning) -> tuple[int, ...]:
    dice = verdict(case.seen, tuning)
    return tuple(sorted(d.value for d in dice if d.value is not None and d.state is DieState.FLAT))


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and calibrate."""
    parser = argparse.ArgumentParser(description="Choose the numbers that go with the networks.")
    parser.add_argument("--weights", type=Path, required=True, help="the detector")
    parser.add_argument("--faces", type=Path, help="the classifier; the shipped one if not given")
    parser.add_argument("--data", type=Path, required=True, help="folder with photos/ and negatives/")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    reader = Reader(args.weights, faces=args.faces, threads=2)
    photos = split(load_rigs(args.data / "photos", TRAIN_RIGS))[1]
    empty = split(negatives(args.data / "negatives"))[1]
    cases = collect(reader, [*photos, *empty])
    tuning = tune(cases, reader.tuning)
    write(onnx.load(str(args.weights)), args.out, tuning)
    print(f"{len(cases)} pictures, {sum(int((c.truth >= 1).sum()) for c in cases)} dice: {tuning}")


if __name__ == "__main__":
    main()
