"""Several readings of dice that lie still, put together into one: a die is what most of them say it is.

A single frame can be spoilt by noise, by the compression of the video or by a passing shadow; what every
frame of a rest says alike is worth more than what one of them says. How dice are paired and how they vote is
`vision.tracking.fuse`; the watch of a table works with the same code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vision.detection import Reading
from vision.tracking import fuse


def vote(readings: Sequence[Reading]) -> Reading:
    """Put readings of one still table, in the order in which they were taken, into one reading.

    A die seen in fewer than half of the readings is left out. A face is sure when two thirds of the readings
    are sure of it and none is sure of another. What speaks against the picture counts when it was said in
    half of the readings.

    Raises:
        ValueError: if there is nothing to vote on.
    """
    if not readings:
        raise ValueError("a vote needs at least one reading, got none")
    said = Counter(reason for reading in readings for reason in set(reading.reasons))
    reasons = tuple(reason for reason, times in said.items() if 2 * times >= len(readings))
    return Reading(tuple(die.detection for die in fuse(readings)), reasons)
