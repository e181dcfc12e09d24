"""Which die is which: several readings fused into one, and dice followed from one rest to the next.

Distances are measured in sizes of a die, never in pixels, so they hold at every height of the camera.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from vision.detection import Detection, DieState, Reading

SAME_DIE_SIZES = 0.4
"""Detections of one still die in several frames lie closer than this many sizes of a die."""
STAY_SIZES = 0.5
"""A die found within so many sizes of where it lay, with the same face up, has not been thrown."""
AGREED_SHARE = 2.0 / 3.0
"""Share of the readings that must be sure of the same face."""


@dataclass(frozen=True, slots=True)
class Track:
    """One die on the table, known by the place where it lies."""

    id: int
    """Stays the same while the die lies where it lay, also across throws of other dice; never used again."""
    detection: Detection
    """What the readings of the last rest agreed on, in pixels of the full picture."""
    moved: bool
    """Whether the die is new or lies elsewhere since the previous rest of the same table."""


@dataclass(frozen=True, slots=True)
class Fused:
    """One die as several readings of the same still table see it."""

    detection: Detection
    """Median box, mean faces, the value that most readings gave."""
    agreed: bool
    """Whether enough readings saw this die, and saw the same."""
    spread_sizes: float
    """Greatest distance between the centres in any two readings, in sizes of the die."""


def distance_sizes(one: Detection, other: Detection) -> float:
    """Distance between the centres of two detections, in sizes of the larger die."""
    dx = one.centre_px[0] - other.centre_px[0]
    dy = one.centre_px[1] - other.centre_px[1]
    return float((dx * dx + dy * dy) ** 0.5) / max(one.size_px, other.size_px, 1.0)


def pair(
    old: Sequence[Detection], new: Sequence[Detection], *, within_sizes: float
) -> tuple[tuple[int, int], ...]:
    """Match one to one, nearest first: (old, new) indices of pairs no farther apart than `within_sizes`."""
    near = sorted(
        (distance, i, j)
        for i, one in enumerate(old)
        for j, other in enumerate(new)
        if (distance := distance_sizes(one, other)) <= within_sizes
    )
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    pairs: list[tuple[int, int]] = []
    for _, i, j in near:
        if i not in taken_old and j not in taken_new:
            taken_old.add(i)
            taken_new.add(j)
            pairs.append((i, j))
    return tuple(pairs)


def fuse(readings: Sequence[Reading]) -> tuple[Fused, ...]:
    """Let several readings of one still table vote on each die.

    A die seen by fewer than half of the readings is dropped as a false alarm. The others are ordered top to
    bottom, then left to right.
    """
    groups: list[list[Detection]] = []
    for reading in readings:
        latest = [group[-1] for group in groups]
        pairs = {new: old for old, new in pair(latest, reading.dice, within_sizes=SAME_DIE_SIZES)}
        for index, die in enumerate(reading.dice):
            if index in pairs:
                groups[pairs[index]].append(die)
            else:
                groups.append([die])
    seen = [_vote(group, len(readings)) for group in groups if 2 * len(group) >= len(readings)]
    return tuple(sorted(seen, key=lambda die: (die.detection.centre_px[1], die.detection.centre_px[0])))


def _vote(group: Sequence[Detection], readings: int) -> Fused:
    weight: Counter[tuple[DieState, int | None]] = Counter()
    for die in group:
        weight[(die.state, die.value)] += max(round(1e6 * die.confidence), 1)
    (state, value), _ = weight.most_common(1)[0]
    for_it = [die for die in group if (die.state, die.value) == (state, value)]
    sure_for = sum(die.sure for die in for_it)
    sure_against = sum(die.sure for die in group) - sure_for
    enough = len(for_it) >= AGREED_SHARE * readings
    agreed = enough and sure_against == 0
    best = max(for_it, key=lambda die: die.confidence)
    confidence = sum(die.confidence for die in for_it) / len(for_it) * len(for_it) / readings
    box = tuple(median(die.box_px[side] for die in group) for side in range(4))
    centre = tuple(median(die.centre_px[axis] for die in group) for axis in range(2))
    faces = tuple(sum(die.faces[face] for die in group) / len(group) for face in range(6))
    fused = replace(
        best,
        confidence=confidence,
        sure=agreed and sure_for >= AGREED_SHARE * readings,
        box_px=(box[0], box[1], box[2], box[3]),
        centre_px=(centre[0], centre[1]),
        faces=(faces[0], faces[1], faces[2], faces[3], faces[4], faces[5]),
    )
    spread = max((distance_sizes(one, other) for one in group for other in group), default=0.0)
    return Fused(fused, agreed, spread)


def same_face(one: Detection, other: Detection) -> bool:
    """Whether two detections may show the same face: only two sure readings can contradict each other."""
    if not (one.sure and other.sure):
        return True
    return one.value == other.value and one.state == other.state
