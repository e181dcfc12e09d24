"""A whole session in front of the camera: hands come in, throw, leave; dice tumble, rest, are gathered.

    script (who throws what) -> timeline (a state of hand and dice a frame) -> frames -> video and truth

The timeline is complete before the first frame is drawn, so the truth (which frames are at rest, what lies
where) comes from the motion itself. One shared zone, no tray, fixed camera: dice that are set aside stay
exactly where they are while the others are picked up and thrown again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from models.synth.conditions import SIDE_MM, Conditions, side_of_table
from models.synth.dice import Floats, Rotation, top_face
from models.synth.errors import NoSuchThrow
from models.synth.hand import Hand
from models.synth.render import Light, PosedDie, render_dice
from models.synth.script import PlannedThrow, Script
from models.synth.surfaces import noise, surface
from models.synth.throw import Throw, Vectors, throw_dice
from vision.frame import Image

Pose = tuple[Vectors, Rotation]
"""Centre (3,) in mm and rotation (3, 3) of a die."""

_OUT_MM = 215.0
"""How far outside the border the palm of a hand is that has left."""
_ELBOW_MM = 420.0
"""How far outside the border the elbow is around which the forearm turns."""
_RELEASE_MM = -30.0
"""How far inside the border the palm is when dice leave the hand; the fingers reach farther."""
_FINGERS_MM = 55.0
"""How far before the palm dice leave the hand."""
_AIMS = 40
"""How many places a throw is aimed at before it is given up."""
_OVER_DICE_MM = 28.0
"""Height of the palm of a hand that gathers."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What one frame shows."""

    dice: dict[int, Pose]
    """The dice on the table or in the air, by number."""
    hand: HandPose | None
    """The hand in or near the picture."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Dice that lie still in full view, no hand in the picture. Frames from 0, both inclusive."""

    start_frame: int
    """First frame."""
    end_frame: int
    """Last frame before the next hand (or its shadow) may show."""
    dice: tuple[tuple[int, int], ...]
    """(number of the die, its face), every die on the table."""
    kept: tuple[int, ...]
    """Numbers of those that lie from earlier throws."""
    throw: int
    """Number of the throw, from 0."""


@dataclass(slots=True, eq=False)
class Timeline:
    """Every frame of a session, and where it rests."""

    moments: list[Moment] = field(default_factory=list)
    rests: list[Rest] = field(default_factory=list)


# ---- timeline --------------------------------------------------------------------------------------


def build_timeline(rng: np.random.Generator, script: Script, conditions: Conditions) -> Timeline:
    """Play a script on the table.

    Raises:
        MujocoMissing, NoSuchThrow: see `models.synth.throw`.
    """
    return _Stage(rng, script, conditions).play()


@dataclass(frozen=True, slots=True)
class _Key:
    """A key of a hand's path."""

    t_s: float
    palm: tuple[float, float]
    spread: float
    height: float


class _Stage:
    """Builds a timeline throw by throw."""

    def __init__(self, rng: np.random.Generator, script: Script, conditions: Conditions) -> None:
        """Begin with an empty table."""
        self._rng = rng
        self._script = script
        self._conditions = conditions
        self._line = Timeline()
        self._lying: dict[int, Pose] = {}
        self._faces: dict[int, int] = {}

    def play(self) -> Timeline:
        """Add all throws; the table is empty at the beginning and at the end."""
        self._idle(0.6)
        inside = False
        throws = self._script.throws
        for number, throw in enumerate(throws):
            self._throw(number, throw, starts_inside=inside)
            goes_on = not throw.turn_ends
            self._gather(throw, goes_on=goes_on)
            inside = goes_on
            if throw.turn_ends:
                self._idle(0.35 if number + 1 < len(throws) else 1.2)
        return self._line

    def _idle(self, seconds: float) -> None:
        """Let nothing happen for a while."""
        for _ in range(round(seconds * self._conditions.fps)):
            self._line.moments.append(Moment(dict(self._lying), None))

    def _throw(self, number: int, plan: PlannedThrow, *, starts_inside: bool) -> None:
        """Throw the dice of a plan; leave them at rest for a while in full view."""
        conditions, rng = self._conditions, self._rng
        border, into = side_of_table(plan.seat, len(self._script.players), conditions.zone)
        across = (into[1], -into[0])
        flight, depth, aside = self._flight(plan)
        start = _at(border, into, across, depth - 12, aside)
        release = _at(border, into, across, depth, aside)
        keys: list[_Key] = []
        if not starts_inside:
            keys.append(_Key(0.0, _at(border, into, across, -_OUT_MM, aside), 0.0, 55))
            keys.append(_Key(0.45, start, 0.0, 55))
        else:
            keys.append(_Key(0.0, self._last_palm(start), 0.0, 45))
            keys.append(_Key(0.30, start, 0.0, 55))
        t = keys[-1].t_s
        for k in range(2):  # a shake of the fist
            t += 0.09
            keys.append(
                _Key(t, _at(border, into, across, depth - 12 + (10 if k == 0 else -10), aside), 0, 58)
            )
        let_go = t + 0.14
        keys.append(_Key(let_go, release, 0.5, 60))
        keys.append(_Key(let_go + 0.12, _at(border, into, across, depth + 12, aside), 1.0, 62))
        keys.append(_Key(let_go + 0.42, _at(border, into, across, -_OUT_MM, aside), 0.6, 60))
        fps = conditions.fps
        first = len(self._line.moments)
        released = first + round(let_go * fps)
        still = released + flight.frames - 1
        hand_until = first + int(np.ceil(keys[-1].t_s * fps))
        for frame in range(first, max(still, hand_until) + 1):
            poses = dict(self._lying)
            if frame >= released:
                step = min(frame - released, flight.frames - 1)
                for slot, die in enumerate(plan.thrown):
                    poses[die] = (flight.positions[step, slot], flight.rotations[step, slot])
            hand = _along(keys, (frame - first) / fps, plan.seat) if frame <= hand_until else None
            self._line.moments.append(Moment(poses, hand))
        kept = tuple(sorted(self._lying))
        for slot, die in enumerate(plan.thrown):
            self._lying[die] = (flight.positions[-1, slot], flight.rotations[-1, slot])
            self._faces[die] = top_face(flight.rotations[-1, slot], conditions.looks[die].left_handed)[0]
        self._idle(float(rng.uniform(*conditions.rest_s)))
        dice = tuple((die, self._faces[die]) for die in sorted(self._lying))
        # The rest is trimmed to what is in full view when the frames are known to be free of hands.
        self._line.rests.append(Rest(still, len(self._line.moments) - 1, dice, kept, number))

    def _flight(self, plan: PlannedThrow) -> tuple[Throw, float, float]:
        """Throw until it fits and put the planned numbers on.

        Returns:
            The motion, and where the palm lets go: mm inside the border, mm along it.
        """
        conditions, rng = self._conditions, self._rng
        zone = conditions.zone
        border, into = side_of_table(plan.seat, len(self._script.players), zone)
        across = (into[1], -into[0])
        kept = np.array(
            [[*place[:2], float(np.arctan2(*_sides(turn)))] for place, turn in self._lying.values()]
        ).reshape(-1, 3)
        for attempt in range(_AIMS):
            # With many dice on the table a person aims at a gap, reaches farther in and throws more softly.
            care = attempt / _AIMS
            aside = float(rng.uniform(-35, 35) * (1 + 2 * care))
            depth = _RELEASE_MM + float(rng.uniform(0, 90)) * care
            hand = _at(border, into, across, depth + _FINGERS_MM, aside)
            if kept.size and float(np.linalg.norm(kept[:, :2] - hand, axis=1).min()) < 2.2 * SIDE_MM:
                continue
            aim = self._gap(kept, hand)
            way = float(np.linalg.norm(np.asarray(aim) - hand))
            try:
                made = throw_dice(
                    rng,
                    len(plan.thrown),
                    hand=hand,
                    aim=aim,
                    zone=zone,
                    side=SIDE_MM,
                    kept=kept,
                    fps=conditions.fps,
                    # Faster throws roll farther: about as far as the aim is.
                    speed=float(np.clip((2.2 - care) * way + 160 * (1 - care), 120, 800)),
                    height=60.0 - 20.0 * care,
                    gap=conditions.gap_mm,
                    attempts=25,
                )
            except NoSuchThrow:
                continue
            return self._labelled(made, plan), depth, aside
        raise NoSuchThrow(
            f"throw {len(self._line.rests) + 1} finds no room among the {len(kept)} dice on the table; "
            "take another seed or a larger picture"
        )

    def _gap(self, kept: Vectors, hand: tuple[float, float]) -> tuple[float, float]:
        """Return a place with few dice around: the best of some at random."""
        zone, rng = self._conditions.zone, self._rng
        width, depth = zone.x1 - zone.x0, zone.y1 - zone.y0
        spots = np.stack(
            [
                rng.uniform(zone.x0 + 0.2 * width, zone.x1 - 0.2 * width, 8),
                rng.uniform(zone.y0 + 0.2 * depth, zone.y1 - 0.2 * depth, 8),
            ],
            axis=1,
        )
        free = np.full(len(spots), 120.0)
        if kept.size:
            free = np.minimum(free, np.linalg.norm(spots[:, None] - kept[None, :, :2], axis=2).min(axis=1))
            # A die in the way to the aim is as bad as one at the aim.
            half = (spots + np.asarray(hand)) / 2
            free = np.minimum(
                free, np.linalg.norm(half[:, None] - kept[None, :, :2], axis=2).min(axis=1) * 1.5
            )
        centre = np.array([(zone.x0 + zone.x1) / 2, (zone.y0 + zone.y1) / 2])
        best = spots[int(np.argmax(free - 0.4 * np.linalg.norm(spots - centre, axis=1)))]
        return (float(best[0]), float(best[1]))

    def _labelled(self, made: Throw, plan: PlannedThrow) -> Throw:
        """Put the planned numbers on the dice of a throw."""
        conditions = self._conditions
        left = conditions.looks[0].left_handed
        turns = [int(turn) for turn in self._rng.integers(0, 4, len(plan.thrown))]
        if any(conditions.looks[die].left_handed != left for die in plan.thrown):
            return _each_showing(made, plan, conditions, turns)
        return made.showing(plan.faces, left_handed=left, turns=turns)

    def _gather(self, plan: PlannedThrow, *, goes_on: bool) -> None:
        """Let the hand of the player pick up every die that does not stay."""
        conditions = self._conditions
        border, into = side_of_table(plan.seat, len(self._script.players), conditions.zone)
        across = (into[1], -into[0])
        picked = [die for die in self._lying if die not in plan.stays]
        start = _at(border, into, across, -_OUT_MM, 0.0)
        keys = [_Key(0.0, start, 0.7, 50)]
        here, t = np.asarray(_at(border, into, across, 20, 0.0)), 0.0
        taken_at: dict[int, float] = {}
        while picked:
            die = min(picked, key=lambda each: float(np.linalg.norm(self._lying[each][0][:2] - here)))
            picked.remove(die)
            place = self._lying[die][0][:2]
            t += 0.42 if t == 0.0 else 0.10 + float(np.linalg.norm(place - here)) / 900.0
            keys.append(_Key(t, (float(place[0]), float(place[1])), 0.45, _OVER_DICE_MM))
            taken_at[die] = t
            here = place
        t += 0.12
        keys.append(_Key(t, (float(here[0]), float(here[1])), 0.0, 35))
        if not goes_on:
            t += 0.42
            keys.append(_Key(t, _at(border, into, across, -_OUT_MM, 0.0), 0.0, 50))
        fps = conditions.fps
        for step in range(int(np.ceil(t * fps)) + 1):
            now = step / fps
            for die, when in taken_at.items():
                if now >= when and die in self._lying:
                    del self._lying[die]
            self._line.moments.append(Moment(dict(self._lying), _along(keys, now, plan.seat)))

    def _last_palm(self, otherwise: tuple[float, float]) -> tuple[float, float]:
        """Return where the hand was in the last frame."""
        hand = self._line.moments[-1].hand if self._line.moments else None
        return otherwise if hand is None else hand.palm


def _sides(rotation: Rotation) -> tuple[float, float]:
    """Return (sine, cosine) of the yaw of a cube that lies flat, modulo a quarter turn."""
    level = rotation[:, int(np.argmin(np.abs(rotation[2])))]
    return float(level[1]), float(level[0])


def _each_showing(made: Throw, plan: PlannedThrow, conditions: Conditions, turns: list[int]) -> Throw:
    """Put the numbers on dice of which some are left-handed."""
    rotations = made.rotations.copy()
    for slot, (die, face) in enumerate(zip(plan.thrown, plan.faces, strict=True)):
        values = [1] * len(plan.thrown)
        values[slot] = face
        one = made.showing(values, left_handed=conditions.looks[die].left_handed, turns=turns)
        rotations[:, slot] = one.rotations[:, slot]
    return Throw(made.positions, rotations, made.fps, made.side)


def _at(
    border: Sequence[float],
    into: Sequence[float],
    across: tuple[float, float],
    depth: float,
    aside: float,
) -> tuple[float, float]:
    """Return the point `depth` mm inside the border and `aside` mm along it."""
    base = np.asarray(border, dtype=np.float64) + np.asarray(into) * depth + np.asarray(across) * aside
    return (float(base[0]), float(base[1]))


def _along(keys: list[_Key], t_s: float, seat: int) -> HandPose:
    """Return the hand on its path at a time: eased from key to key."""
    after = next((i for i, key in enumerate(keys) if key.t_s > t_s), None)
    if after is None or after == 0:
        key = keys[-1 if after is None else 0]
        return HandPose(seat, key.palm, key.spread, key.height)
    a, b = keys[after - 1], keys[after]
    s = (t_s - a.t_s) / (b.t_s - a.t_s)
    s = s * s * (3 - 2 * s)
    palm = (a.palm[0] + (b.palm[0] - a.palm[0]) * s, a.palm[1] + (b.palm[1] - a.palm[1]) * s)
    return HandPose(seat, palm, a.spread + (b.spread - a.spread) * s, a.height + (b.height - a.height) * s)


# ---- frames ----------------------------------------------------------------------------------------


class Studio:
    """Draws the frames of a timeline, one after the other."""

    def __init__(self, rng: np.random.Generator, conditions: Conditions, players: int) -> None:
        """Paint the table, the hands and the sensor's noise once."""
        self._conditions = conditions
        camera = conditions.camera
        self._players = players
        ground = surface(
            np.random.default_rng(conditions.surface_seed),
            camera.width_px,
            camera.height_px,
            kind=conditions.surface,
            colour=conditions.surface_colour,
            grain_px=2.0,
            contrast=conditions.surface_contrast,
        )
        table = ground.astype(np.float32) / 255
        bounce = np.asarray(np.mean(table, axis=(0, 1)) ** 2 * 0.9)
        self._light = _with_bounce(conditions.light, bounce)
        slope = rng.normal(0, 0.03, 2)
        y = np.linspace(-1, 1, camera.height_px, dtype=np.float32)[:, None]
        x = np.linspace(-1, 1, camera.width_px, dtype=np.float32)[None, :]
        uneven = 1 + slope[0] * x + slope[1] * y
        tint = np.sqrt(np.asarray(conditions.light.tint, dtype=np.float32) * conditions.light.exposure)
        self._table = np.asarray(table * uneven[..., None] * tint, dtype=np.float32)
        self._hands = tuple(Hand(look, self._light) for look in conditions.hands)
        self._corners = (1 - np.float32(conditions.vignette) * (x * x + y * y) / 2)[..., None]
        shape = (camera.height_px, camera.width_px)
        self._grain = [noise(rng, shape, (1, 1)) for _ in range(4)]
        self._rng = rng
        self._kept: tuple[frozenset[int], Floats] | None = None

    def shows_hand(self, moment: Moment) -> bool:
        """Return whether the hand of a moment, or its shadow, may be in the picture."""
        pose = moment.hand
        if pose is None:
            return False
        return self._hands[pose.seat].shows(
            self._conditions.camera,
            self._light,
            pose.palm,
            towards=self._towards(pose),
            height=pose.height,
        )

    def frames(self, moments: list[Moment]) -> Iterator[Image]:
        """Draw all frames in order, (H, W, 3) uint8 BGR."""
        for index, moment in enumerate(moments):
            after = moments[index + 1] if index + 1 < len(moments) else moment
            yield self._frame(index, moment, after)

    def _frame(self, index: int, moment: Moment, after: Moment) -> Image:
        """Draw one frame."""
        conditions = self._conditions
        camera = conditions.camera
        lying = {
            die
            for die, pose in moment.dice.items()
            if die in after.dice and after.dice[die][0] is pose[0] and after.dice[die][1] is pose[1]
        }
        picture = self._with_lying(lying, moment)
        moving = [die for die in moment.dice if die not in lying]
        # Dice overlap only in the air and just before they are picked up, where the hand covers them.
        render_dice(picture, camera, [self._posed(die, moment) for die in moving], self._light)
        pose = moment.hand
        if pose is not None:
            self._hands[pose.seat].draw(
                picture,
                camera,
                self._light,
                pose.palm,
                towards=self._towards(pose),
                spread=pose.spread,
                height=pose.height,
            )
        return self._exposed(index, picture)

    def _with_lying(self, lying: set[int], moment: Moment) -> Floats:
        """Return a copy of the table with the dice that lie still; drawn anew only when they change."""
        key = frozenset(lying)
        known = self._kept
        if known is None or known[0] != key or not self._same(lying, moment):
            picture = self._table.copy()
            render_dice(
                picture,
                self._conditions.camera,
                [self._posed(die, moment) for die in sorted(lying)],
                self._light,
            )
            known = (key, picture)
            self._kept = known
            self._poses = {die: moment.dice[die] for die in lying}
        return known[1].copy()

    def _same(self, lying: set[int], moment: Moment) -> bool:
        """Return whether these dice lie as they were drawn last."""
        return all(self._poses[die][0] is moment.dice[die][0] for die in lying)

    def _posed(self, die: int, moment: Moment) -> PosedDie:
        """Return a die as the renderer wants it."""
        place, turn = moment.dice[die]
        return PosedDie(self._conditions.looks[die], place, turn, SIDE_MM)

    def _towards(self, pose: HandPose) -> tuple[float, float]:
        """Return where the fingers point: away from the elbow."""
        border, into = side_of_table(pose.seat, self._players, self._conditions.zone)
        elbow = np.asarray(border) - np.asarray(into) * _ELBOW_MM
        way = np.asarray(pose.palm) - elbow
        way /= np.linalg.norm(way)
        return (float(way[0]), float(way[1]))

    def _exposed(self, index: int, picture: Floats) -> Image:
        """Take the picture: vignette, slow drift of the exposure, blur, noise."""
        conditions = self._conditions
        t = index / conditions.fps
        gain = 1 + conditions.drift * np.sin(2 * np.pi * t / conditions.drift_s + 0.7)
        out = picture * (self._corners * np.float32(gain * 255))
        if conditions.blur_px > 0.25:
            out = np.asarray(cv2.GaussianBlur(out, (0, 0), conditions.blur_px), dtype=np.float32)
        if conditions.noise > 0:
            grain = self._grain[int(self._rng.integers(len(self._grain)))]
            shift = (int(self._rng.integers(grain.shape[0])), int(self._rng.integers(grain.shape[1])))
            out += (np.roll(grain, shift, axis=(0, 1)) * np.float32(conditions.noise * 255))[..., None]
        return np.asarray(np.clip(out + 0.5, 0, 255), dtype=np.uint8)


def _with_bounce(light: Light, bounce: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Light:
    """Return the light with the colour that the table throws back."""
    return replace(light, bounce=(float(bounce[0]), float(bounce[1]), float(bounce[2])))


def trimmed(rests: list[Rest], moments: list[Moment], shows_hand: Callable[[Moment], bool]) -> list[Rest]:
    """Return the rests cut to the frames in which no hand may show; each keeps at least one frame."""
    out: list[Rest] = []
    for rest in rests:
        start, end = rest.start_frame, rest.end_frame
        while start < end and shows_hand(moments[start]):
            start += 1
        while end > start and shows_hand(moments[end]):
            end -= 1
        while end + 1 < len(moments) and _lies_on(moments, end) and not shows_hand(moments[end + 1]):
            end += 1
        out.append(replace(rest, start_frame=start, end_frame=end))
    return out


def _lies_on(moments: list[Moment], frame: int) -> bool:
    """Return whether all dice lie in the next frame as in this one."""
    now, then = moments[frame].dice, moments[frame + 1].dice
    return now.keys() == then.keys() and all(now[die][0] is then[die][0] for die in now)
