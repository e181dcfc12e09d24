"""Where and when each die lies still: the truth about every frame, also between the rests of a game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.synth.conditions import SIDE_MM
from models.synth.dice import top_face
from models.synth.timeline import Moment, Pose

_FLAT_RAD = float(np.radians(3.0))
"""A die that is tilted by more leans on something."""
_FLAT_MM = 1.0
"""A die whose centre is farther from half a side above the table leans or lies on something."""
_HELD_MM = 2.0 * SIDE_MM
"""Higher than that no die lies: a hand holds it still."""
LEAST_FRAMES = 2
"""Still for fewer frames than that is a die at the top of its bounce."""


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """One die that lies still. Frames from 0, both inclusive."""

    die: int
    """Its number."""
    pose: Pose
    """How it lies."""
    from_frame: int
    """First frame."""
    to_frame: int
    """Last frame; the camera does not move in between."""

    @property
    def cocked(self) -> bool:
        """Whether it leans, or lies on something: it shows no number."""
        place, turn = self.pose
        return top_face(turn)[1] > _FLAT_RAD or abs(float(place[2]) - SIDE_MM / 2) > _FLAT_MM

    def value(self, *, left_handed: bool = False) -> int:
        """Return the face that looks up most."""
        return top_face(self.pose[1], left_handed)[0]


def lying_dice(moments: list[Moment]) -> list[Lying]:
    """Return every stretch of frames in which a die lies still, in the order in which they begin."""
    return sorted(_stretches(moments), key=lambda each: (each.from_frame, each.die))


def _stretches(moments: list[Moment]) -> Iterator[Lying]:
    since: dict[int, tuple[Pose, int]] = {}
    for frame, moment in enumerate(moments):
        turned = frame > 0 and moment.camera != moments[frame - 1].camera
        for die in list(since):
            pose, first = since[die]
            now = moment.dice.get(die)
            if turned or now is None or now[0] is not pose[0] or now[1] is not pose[1]:
                del since[die]
                yield from _long_enough(die, pose, first, frame - 1)
        for die, pose in moment.dice.items():
            since.setdefault(die, (pose, frame))
    for die, (pose, first) in since.items():
        yield from _long_enough(die, pose, first, len(moments) - 1)


def _long_enough(die: int, pose: Pose, first: int, last: int) -> Iterator[Lying]:
    if last - first + 1 >= LEAST_FRAMES and float(pose[0][2]) <= _HELD_MM:
        yield Lying(die, pose, first, last)
