"""What is counted when the reader is measured: dice, pictures, and every way in which a reading can fail.

A die is right when a die is found at its place with its value. A picture is exact when the values read,
sure or not, are exactly the values labelled. An error is silent when the whole picture was shown as sure.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from models.training.data import COCKED, IGNORE, UNKNOWN, Label, Photo
from vision.detection import Detection, DieState, Reading

NO_DIE = 6
"""Last row of the confusion: no die there; last column: no face read."""

Kind = Literal[
    "missed", "extra", "second face", "wrong face", "unsure", "called cocked", "cocked read as number"
]
KINDS: tuple[Kind, ...] = (
    "missed",
    "extra",
    "second face",
    "wrong face",
    "unsure",
    "called cocked",
    "cocked read as number",
)
"""The ways in which the reading of one die can fail."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One die that was not read as it should be."""

    kind: Kind
    """`missed`: not found; `extra`: a face read where no die is; `second face`: one read on a die
    that was found elsewhere in its box, mostly its side; `wrong face`; `unsure`: found, but a
    question; `called cocked`: a flat die refused as cocked; `cocked read as number`: shown as sure although
    cocked."""
    file: Path
    """The picture."""
    box_px: tuple[float, float, float, float]
    """(x, y, width, height) of the die as labelled, of an extra one as read."""
    truth: int | None
    """The face that is on top, None where there is no die or it lies on none."""
    read: int | None
    """The face that was read."""
    confidence: float
    """Of what was read; 0 for a missed die."""
    sure: bool
    """Whether it was shown as sure. A missed die is sure when the whole picture was."""
    frame: int | None = None
    """Which frame, where the picture is one of a clip."""

    @property
    def text(self) -> str:
        """What was read and what is true, in a few words."""
        shown = "nothing" if not self.confidence else "?" if self.read is None else str(self.read)
        truth = "no die" if self.kind in ("extra", "second face") else self.truth or "cocked"
        return f"{shown}{' sure' if self.sure else ''} {self.confidence:.2f}, is {truth}"


@dataclass(slots=True)
class Tally:
    """What was counted on one rig (or on several together)."""

    pictures: int = 0
    """Complete pictures whose every value is known; the next five count among them."""
    exact: int = 0
    count_right: int = 0
    sure: int = 0
    sure_exact: int = 0
    silent: int = 0
    all_pictures: int = 0
    """Every picture read, also those with cocked or unreadable dice."""
    dice: int = 0
    right: int = 0
    found: int = 0
    shown: int = 0
    cocked: int = 0
    cocked_refused: int = 0
    sure_dice: int = 0
    sure_wrong: int = 0
    sure_false: int = 0
    """Dice shown as sure where no die is."""
    asked_false: int = 0
    """Questions about what is no die."""
    times_s: list[float] = field(default_factory=list)
    confusion: NDArray[np.int64] = field(default_factory=lambda: np.zeros((7, 7), np.int64))
    """Rows: the true face 1..6, last row: no die there; columns: the face read, last column: none read."""
    judged: list[tuple[float, bool]] = field(default_factory=list)
    """(confidence, right) of every die shown with a value."""
    failures: list[Failure] = field(default_factory=list)
    """Every die that was not read as it should be."""
    inexact: list[str] = field(default_factory=list)
    """Every picture that was not exact, in words."""

    def add(
        self,
        photo: Photo,
        reading: Reading,
        *,
        seconds: float | None = None,
        note: str = "",
        frame: int | None = None,
    ) -> None:
        """Count one picture and how long its reading took; `note` and `frame` say what of a clip it is."""
        self.all_pictures += 1
        if seconds is not None:
            self.times_s.append(seconds)
        if not only_values(photo):
            pairs, spare = match(photo, reading.dice)
            for row, (_, die) in enumerate(pairs):
                self._die(photo, row, die, reading, frame)
            for die in spare:
                self._spare(photo, die, frame)
        if ((photo.label.classes == UNKNOWN) | (photo.label.classes == COCKED)).any():
            return  # not every value is known: the picture as a whole has no right answer
        values = tuple(sorted(v for die in reading.dice if (v := value_of(die)) is not None))
        exact = values == photo.values
        self.pictures += 1
        self.exact += exact
        self.count_right += len(reading.dice) == len(photo.values)
        self.sure += reading.sure
        self.sure_exact += reading.sure and exact
        self.silent += reading.sure and not exact
        if not exact:
            sure = ", shown as sure" if reading.sure else ""
            name = f"{photo.path.name}, {note}" if note else photo.path.name
            self.inexact.append(f"{name}: read {list(values)}, is {list(photo.values)}{sure}")

    def _die(
        self, photo: Photo, row: int, die: Detection | None, reading: Reading, frame: int | None
    ) -> None:
        label = int(photo.label.classes[row])
        value = None if die is None else value_of(die)
        if label in (UNKNOWN, IGNORE):
            return
        if label == COCKED:
            self.cocked += 1
            self.cocked_refused += not (die is not None and die.sure)
        else:
            self.dice += 1
            self.found += die is not None
            self.right += value == label
            if value is None or die is None:
                self.confusion[label - 1, NO_DIE] += 1
            else:
                self._shown(die, right=value == label, row=label - 1)
        kind = _kind_of(label, die)
        if kind is None:
            return
        x, y, width, height = (float(v) for v in photo.label.boxes[row])
        self.failures.append(
            Failure(
                kind=kind,
                file=photo.path,
                box_px=(x, y, width, height),
                truth=None if label == COCKED else label,
                read=value,
                confidence=0.0 if die is None else die.confidence,
                sure=reading.sure if die is None else die.sure,
                frame=frame,
            )
        )

    def _spare(self, photo: Photo, die: Detection, frame: int | None) -> None:
        value = value_of(die)
        if value is None:
            self.asked_false += 1
            return
        self._shown(die, right=False, row=NO_DIE)
        self.sure_false += die.sure
        self.asked_false += not die.sure
        (x, y), boxes = die.centre_px, photo.label.boxes
        inside = np.abs(boxes[:, :2] + boxes[:, 2:] / 2 - (x, y)) < boxes[:, 2:] / 2
        kind: Kind = "second face" if inside.all(axis=1).any() else "extra"
        self.failures.append(
            Failure(kind, photo.path, die.box_px, None, value, die.confidence, die.sure, frame)
        )

    def _shown(self, die: Detection, *, right: bool, row: int) -> None:
        value = value_of(die)
        assert value is not None
        self.shown += 1
        self.sure_dice += die.sure
        self.sure_wrong += die.sure and not right
        self.judged.append((die.confidence, right))
        self.confusion[row, value - 1] += 1

    def figures(self) -> dict[str, Any]:
        """Return the counts, shares as 0..1 or None where there is nothing to share, for scripts."""
        kinds = Counter(failure.kind for failure in self.failures)
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
            "all_pictures": self.all_pictures,
            "sure_false": self.sure_false,
            "sure_false_per_200": round(200 * self.sure_false / self.all_pictures, 2)
            if self.all_pictures
            else None,
            "asked_false": self.asked_false,
            "kinds": {kind: kinds[kind] for kind in KINDS},
            "ms": round(1000 * statistics.median(self.times_s), 1) if self.times_s else None,
        }

    def merge(self, other: Tally) -> None:
        """Add the counts of another tally."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def _kind_of(label: int, die: Detection | None) -> Kind | None:
    """Return how the reading of a labelled die failed, None if it did not."""
    if label == COCKED:
        return "cocked read as number" if die is not None and die.sure else None
    if die is None:
        return "missed"
    if die.state is DieState.COCKED:
        return "called cocked"
    if value_of(die) not in (None, label):
        return "wrong face"
    return None if die.sure else "unsure"


def share(part: int, whole: int) -> float | None:
    """Return part / whole with four decimals, None of nothing."""
    return round(part / whole, 4) if whole else None


def value_of(die: Detection) -> int | None:
    """Return the face that a die is shown with, sure or not; None for a question or a cocked die."""
    return die.value if die.state is DieState.FLAT else None


def only_values(photo: Photo) -> bool:
    """Whether the values of a picture are known, but not where its dice lie: single dice cannot be judged."""
    return bool(photo.values) and not len(photo.label.boxes)


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


def risk_coverage(judged: Sequence[tuple[float, bool]]) -> list[tuple[float, float, float]]:
    """(threshold, share of dice kept, share wrong among them), from strictest to laxest."""
    rows, wrong = [], 0
    for kept, (confidence, right) in enumerate(sorted(judged, reverse=True), start=1):
        wrong += not right
        rows.append((confidence, kept / len(judged), wrong / kept))
    return rows
