"""What a session is made of: dice, hands and things in each frame, and what is true about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from models.synth.dice import Rotation
from models.synth.render import Camera
from models.synth.throw import Vectors

Pose = tuple[Vectors, Rotation]
"""Centre (3,) in mm and rotation (3, 3) of a die. A die that lies still keeps the very same object."""


@dataclass(frozen=True, slots=True)
class HandPose:
    """Where a hand is."""

    seat: int
    """Whose it is."""
    palm: tuple[float, float]
    """Middle of the palm on the table, mm."""
    spread: float
    """0 closed .. 1 open."""
    height: float
    """Of the palm above the table, mm."""
    pointing: bool = False
    """Whether the forefinger points and the others are curled."""


@dataclass(frozen=True, slots=True)
class Phone:
    """A phone that lies on the table, or is carried there."""

    centre: tuple[float, float]
    """Its middle, mm."""
    yaw_rad: float
    """How it is turned."""
    height: float = 0.0
    """Of its lower side above the table, mm."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What one frame shows."""

    dice: dict[int, Pose]
    """The dice on the table or in the air, by number."""
    hands: tuple[HandPose, ...] = ()
    """The hands in or near the picture, lowest first."""
    phone: Phone | None = None
    """The phone, if there is one."""
    camera: int = 0
    """Which of the timeline's cameras it is seen by."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Dice that lie still in full view, no hand in the picture. Frames from 0, both inclusive."""

    start_frame: int
    """First frame."""
    end_frame: int
    """Last frame before the next hand (or its shadow) may show."""
    dice: tuple[tuple[int, int], ...]
    """(number of the die, its face), every die of the lane; all lie flat."""
    kept: tuple[int, ...]
    """Numbers of those that lie from earlier throws."""
    throw: int
    """Number of the throw, from 0; in Tenzi of the lane's throw."""
    seat: int = 0
    """Who threw."""


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that is no throw, or a throw that went wrong. Frames from 0, both inclusive."""

    kind: str
    """One of `models.synth.conditions.HAPPENINGS`, or `set_aside`."""
    start_frame: int
    """First frame in which it shows."""
    end_frame: int
    """Last frame in which it shows."""
    seat: int | None = None
    """Whose doing it is, if anybody's."""
    dice: tuple[int, ...] = ()
    """Numbers of the dice concerned."""
    notes: tuple[tuple[str, object], ...] = ()
    """What else is true about it, as keys and values of JSON."""


@dataclass(slots=True, eq=False)
class Timeline:
    """Every frame of a session, and where it rests."""

    moments: list[Moment] = field(default_factory=list)
    """One a frame."""
    rests: list[Rest] = field(default_factory=list)
    """The rest after each throw, when all its dice lie flat, in order."""
    happenings: list[Happening] = field(default_factory=list)
    """Everything else that happens, in order."""
    cameras: list[Camera] = field(default_factory=list)
    """Where the camera stood; the first is the one that was calibrated. Empty: it never moves."""

    def hold(self, frame: int, count: int) -> None:
        """Let `frame` last `count` frames longer; everything after it happens later."""
        self.moments[frame + 1 : frame + 1] = [self.moments[frame]] * count

        def later(start: int, end: int) -> tuple[int, int]:
            return (start + count if start > frame else start, end + count if end > frame else end)

        self.rests = [
            replace(rest, start_frame=start, end_frame=end)
            for rest in self.rests
            for start, end in [later(rest.start_frame, rest.end_frame)]
        ]
        self.happenings = [
            replace(each, start_frame=start, end_frame=end)
            for each in self.happenings
            for start, end in [later(each.start_frame, each.end_frame)]
        ]


def trimmed(
    rests: list[Rest], moments: list[Moment], shows_hand: Callable[[Moment, int], bool]
) -> list[Rest]:
    """Return the rests cut to the frames in which no hand may show; each keeps at least one frame.

    Args:
        rests: as acted.
        moments: one a frame.
        shows_hand: whether a hand, or its shadow, may be in the part of a moment that matters to a seat.
    """
    out: list[Rest] = []
    for rest in rests:
        start, end, numbers = rest.start_frame, rest.end_frame, [die for die, _ in rest.dice]
        while start < end and shows_hand(moments[start], rest.seat):
            start += 1
        while end > start and shows_hand(moments[end], rest.seat):
            end -= 1
        while (
            end + 1 < len(moments)
            and _lies_on(moments, end, numbers)
            and not shows_hand(moments[end + 1], rest.seat)
        ):
            end += 1
        out.append(replace(rest, start_frame=start, end_frame=end))
    return out


def _lies_on(moments: list[Moment], frame: int, numbers: list[int]) -> bool:
    """Return whether these dice, and the camera, are in the next frame as in this one."""
    now, then = moments[frame], moments[frame + 1]
    return now.camera == then.camera and all(
        die in now.dice and die in then.dice and now.dice[die][0] is then.dice[die][0] for die in numbers
    )
