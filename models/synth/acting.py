"""Hands and dice on one table (or in one lane), act by act: every act adds frames to a timeline.

A scene knows which dice lie where. An act is the path of one hand, with what it does on its way: dice that it
takes, puts down, pushes or throws. What lies still keeps the very same pose object from frame to frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from models.synth.conditions import SIDE_MM, Conditions
from models.synth.dice import Rotation, axis_rotation, top_face
from models.synth.errors import NoSuchThrow
from models.synth.layout import TRAY_MM, XY, Lane, Seat
from models.synth.leaning import between
from models.synth.throw import Obstacle, Throw, Vectors, Zone, throw_dice
from models.synth.timeline import HandPose, Happening, Moment, Phone, Pose, Timeline

ELBOW_MM = 420.0
"""How far outside the picture the elbow is around which the forearm turns."""
OUT_MM = 215.0
"""How far outside the picture the palm of a hand is that has left."""
TIPS_MM = 66.0
"""From the palm to the tips of half closed fingers."""
_RELEASE_MM = -30.0
"""How far inside the border the palm is when dice leave the hand; the fingers reach farther."""
_FINGERS_MM = 55.0
"""How far before the palm dice leave the hand."""
_AIMS = 40
"""How many places a throw is aimed at before it is given up."""
_OVER_DICE_MM = 28.0
"""Height of the palm of a hand that gathers."""
_TOUCH_MM = 20.0
"""Height of the palm of a hand whose finger tips touch the table."""
_RIM_MM = 3.5
"""Half the width of a tray's rim."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a hand's path."""

    t_s: float
    palm: XY
    spread: float
    height: float
    pointing: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Slide:
    """A die that is moved while it can be seen."""

    die: int
    start_s: float
    end_s: float
    goal: Pose
    lift_mm: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """Dice that are thrown, and those that they push."""

    start_s: float
    dice: tuple[int, ...]
    throw: Throw
    pushed: tuple[int, ...] = ()
    leaves: bool = False
    """Whether the dice leave the table at the end."""


@dataclass(slots=True, eq=False)
class Act:
    """What one hand does."""

    seat: int
    keys: list[Key]
    takes: list[tuple[float, int]] = field(default_factory=list)
    puts: list[tuple[float, int, Pose]] = field(default_factory=list)
    slides: list[Slide] = field(default_factory=list)
    flights: list[Flight] = field(default_factory=list)
    phone: tuple[float, Phone | None] | None = None
    """(when, what): a phone that the hand carries until then and puts there; None: it takes it away."""

    @property
    def now_s(self) -> float:
        """Time of the last key."""
        return self.keys[-1].t_s

    def go(
        self,
        palm: XY,
        seconds: float,
        *,
        spread: float | None = None,
        height: float | None = None,
        pointing: bool | None = None,
    ) -> None:
        """Move the hand; what is not given stays as it is."""
        last = self.keys[-1]
        self.keys.append(
            Key(
                last.t_s + seconds,
                palm,
                last.spread if spread is None else spread,
                last.height if height is None else height,
                last.pointing if pointing is None else pointing,
            )
        )

    def wait(self, seconds: float) -> None:
        """Hold the hand where it is."""
        self.go(self.keys[-1].palm, seconds)

    def hand(self, t_s: float) -> HandPose:
        """Return the hand at a time: eased from key to key."""
        after = next((i for i, key in enumerate(self.keys) if key.t_s > t_s), None)
        if after is None or after == 0:
            key = self.keys[-1 if after is None else 0]
            return HandPose(self.seat, key.palm, key.spread, key.height, key.pointing)
        a, b = self.keys[after - 1], self.keys[after]
        s = _eased((t_s - a.t_s) / (b.t_s - a.t_s))
        palm = (a.palm[0] + (b.palm[0] - a.palm[0]) * s, a.palm[1] + (b.palm[1] - a.palm[1]) * s)
        spread, height = a.spread + (b.spread - a.spread) * s, a.height + (b.height - a.height) * s
        return HandPose(self.seat, palm, spread, height, a.pointing and b.pointing)


class Scene:
    """The dice of one table or lane in time. Shared state of everything that acts on it."""

    def __init__(self, rng: np.random.Generator, conditions: Conditions) -> None:
        """Begin with an empty table."""
        self.rng = rng
        self.conditions = conditions
        self.line = Timeline()
        self.lying: dict[int, Pose] = {}
        self.faces: dict[int, int] = {}
        self.in_tray: dict[int, int] = {}
        """Slot of each die in the tray."""
        self.phone: Phone | None = None
        self.hand: HandPose | None = None
        """The hand, where it stayed over the table after the last act."""

    # ---- where things are --------------------------------------------------------------------------

    def seat(self, number: int) -> Seat:
        """Return where a player sits."""
        return self.conditions.layout.seats[number]

    def lane(self, seat: int) -> Lane:
        """Return the lane of a player."""
        return self.conditions.layout.lane_of(seat)

    def palm_for(
        self, seat: int, point: Sequence[float] | Vectors, tips_mm: float = TIPS_MM, aside_mm: float = 0.0
    ) -> XY:
        """Return where the palm is when the finger tips, so far before it and to its left, are at a point."""
        elbow = np.asarray(elbow_of(self.seat(seat)))
        way = np.asarray(point[:2], dtype=np.float64) - elbow
        way /= np.linalg.norm(way)
        hand = self.conditions.hands[seat]
        right = np.array([way[1], -way[0]]) * (-1.0 if hand.left else 1.0)
        palm = np.asarray(point[:2]) - (way * tips_mm - right * aside_mm) * hand.scale
        return (float(palm[0]), float(palm[1]))

    def away(self, seat: int, aside: float = 0.0) -> XY:
        """Return where the palm of a hand is that has left."""
        place = self.seat(seat)
        return place.at(-place.edge_mm - OUT_MM, aside)

    def obstacles(self, lane: Lane) -> tuple[Obstacle, ...]:
        """Return what thrown dice bounce off: the rim of the tray, the phone."""
        out = list(rim_of(lane, self.conditions.layout.rim_mm))
        if self.phone is not None:
            out.append(phone_box(self.phone))
        return tuple(out)

    def free_spot(
        self, lane: Lane, near: Sequence[float] | Vectors, least_mm: float = 1.35 * SIDE_MM
    ) -> Vectors | None:
        """Return the free point (2,) of a roll zone that is nearest to `near`, of some at random, or None."""
        zone = lane.roll
        margin = 0.9 * SIDE_MM
        spots = np.stack(
            [
                self.rng.uniform(zone.x0 + margin, zone.x1 - margin, 160),
                self.rng.uniform(zone.y0 + margin, zone.y1 - margin, 160),
            ],
            axis=1,
        )
        spots = spots[self.distance(spots) >= least_mm]
        if not len(spots):
            return None
        best: Vectors = spots[int(np.argmin(np.linalg.norm(spots - np.asarray(near)[:2], axis=1)))]
        return best

    def distance(self, spots: Vectors) -> Vectors:
        """Return how far points (N, 2) are from the nearest die, rim or phone (these plus half a die)."""
        out = np.full(len(spots), np.inf)
        for place, _ in self.lying.values():
            np.minimum(out, np.linalg.norm(spots - place[:2], axis=1), out=out)
        for lane in self.conditions.layout.lanes:
            for box in self.obstacles(lane):
                np.minimum(out, box.away(spots) + 0.6 * SIDE_MM, out=out)
        return out

    # ---- time --------------------------------------------------------------------------------------

    @property
    def frame(self) -> int:
        """The number of the next frame."""
        return len(self.line.moments)

    def idle(self, seconds: float) -> None:
        """Let nothing happen for a while."""
        for _ in range(max(1, round(seconds * self.conditions.fps))):
            self.line.moments.append(Moment(dict(self.lying), (), self.phone))
        self.hand = None

    def begin(self, seat: int, *, aside: float = 0.0, spread: float = 0.5, height: float = 50.0) -> Act:
        """Begin an act: where the hand is, or outside."""
        if self.hand is not None and self.hand.seat == seat:
            pose = self.hand
            return Act(seat, [Key(0.0, pose.palm, pose.spread, pose.height, pose.pointing)])
        return Act(seat, [Key(0.0, self.away(seat, aside), spread, height)])

    def leave(self, act: Act, seconds: float = 0.42) -> None:
        """Take the hand out of the picture."""
        act.go(self.away(act.seat), seconds, height=55)

    def perform(self, act: Act, *, stays: bool = False) -> None:
        """Add the frames of an act. `stays`: the hand is still there afterwards."""
        fps = self.conditions.fps
        first = self.frame
        ends = [act.now_s, *(slide.end_s for slide in act.slides)]
        ends += [round(f.start_s * fps) / fps + (f.throw.frames - 1) / fps for f in act.flights]
        origins: dict[int, Pose] = {}
        done: set[int] = set()
        for step in range(int(np.ceil(max(ends) * fps - 1e-6)) + 1):
            now = step / fps
            for index, (when, die) in enumerate(act.takes):
                if now >= when and (key := index) not in done:
                    done.add(key)
                    self.lying.pop(die, None)
                    self.in_tray.pop(die, None)
            for index, (when, die, pose) in enumerate(act.puts):
                if now >= when and (key := 1000 + index) not in done:
                    done.add(key)
                    self.lying[die] = pose
            poses = dict(self.lying)
            for index, slide in enumerate(act.slides):
                if now < slide.start_s or (key := 2000 + index) in done:
                    continue
                if slide.die not in origins:
                    origins[slide.die] = self.lying[slide.die]
                if now >= slide.end_s:
                    done.add(key)
                    self.lying[slide.die] = poses[slide.die] = slide.goal
                    del origins[slide.die]
                else:
                    poses[slide.die] = _on_the_way(slide, origins[slide.die], now)
            for flight in act.flights:
                self._fly(flight, step - round(flight.start_s * fps), poses, origins)
            phone = self._phone_at(act, now)
            hands = (act.hand(now),) if now <= act.now_s + 1e-9 else ()
            self.line.moments.append(Moment(poses, hands, phone))
        self.hand = self.line.moments[-1].hands[0] if stays and self.line.moments[-1].hands else None
        assert self.frame > first

    def _fly(self, flight: Flight, step: int, poses: dict[int, Pose], origins: dict[int, Pose]) -> None:
        """Add dice in the air; at the last step they lie."""
        if step < 0:
            return
        throw = flight.throw
        last = step >= throw.frames - 1
        if last and flight.leaves:
            for die in flight.dice:
                self.lying.pop(die, None)
            return
        index = min(step, throw.frames - 1)
        for slot, die in enumerate(flight.dice):
            if not (last and die in self.lying):
                poses[die] = (throw.positions[index, slot], throw.rotations[index, slot])
                if last:
                    self.lying[die] = poses[die]
        if throw.pushed is None:
            return
        shift, turn = throw.pushed
        for slot, die in enumerate(flight.pushed):
            start = origins.setdefault(die, self.lying[die])
            if float(np.linalg.norm(shift[index, slot])) < 0.05:
                continue
            if not (last and self.lying[die] is not start):
                poses[die] = (start[0] + shift[index, slot], turn[index, slot] @ start[1])
                if last:
                    self.lying[die] = poses[die]

    def _phone_at(self, act: Act, now: float) -> Phone | None:
        """Return the phone at a moment of an act; a carried one is before the palm."""
        if act.phone is None:
            return self.phone
        when, goal = act.phone
        if goal is not None:
            if now >= when:
                self.phone = goal
                return goal
            return self._carried(act, now, goal.yaw_rad)
        if now < when:
            return self.phone
        yaw = self.phone.yaw_rad if self.phone is not None else 0.0
        if now >= act.now_s - 1e-9:
            self.phone = None
        return self._carried(act, now, yaw)

    def _carried(self, act: Act, now: float, yaw: float) -> Phone:
        hand = act.hand(now)
        way = np.asarray(hand.palm) - np.asarray(elbow_of(self.seat(act.seat)))
        tip = np.asarray(hand.palm) + way / np.linalg.norm(way) * PHONE_GRIP_MM
        return Phone((float(tip[0]), float(tip[1])), yaw, max(hand.height - 25.0, 0.0))

    def note(
        self, kind: str, start: int, seat: int | None, dice: Sequence[int] = (), **notes: object
    ) -> None:
        """Write down what happened from frame `start` until now."""
        items = tuple(notes.items())
        self.line.happenings.append(Happening(kind, start, self.frame - 1, seat, tuple(dice), items))

    # ---- throws ------------------------------------------------------------------------------------

    def flight(
        self, seat: int, dice: Sequence[int], *, push: float = 0.0, who: str = "this throw"
    ) -> tuple[Throw, float, float]:
        """Throw until it fits; the numbers are not put on yet.

        Returns:
            The motion, and where the palm lets go: mm inside the border, mm along it.
        """
        conditions, rng = self.conditions, self.rng
        lane, place = self.lane(seat), self.seat(seat)
        zone = lane.roll
        small = min(zone.x1 - zone.x0, zone.y1 - zone.y0)
        if any(die in self.in_tray for die in self.lying):
            push = 0.0  # dice in a tray lie too close to its rim for the engine to let them move
        # Into a lane dice are dropped rather than thrown, a handful of them even more so.
        lanes = conditions.layout.kind.startswith("lanes")
        calm = (0.65 if len(dice) > 6 else 0.8) if lanes and len(dice) > 1 else 1.0
        kept = np.array(
            [[*at[:2], float(np.arctan2(*sides_of(turn)))] for at, turn in self.lying.values()]
        ).reshape(-1, 3)
        for attempt in range(_AIMS):
            # With many dice on the table a person aims at a gap, reaches farther in and throws more softly.
            care = attempt / _AIMS
            reach = min(90.0, 0.35 * small)
            aside = float(rng.uniform(-35, 35) * (1 + 2 * care)) * min(1.0, small / 240)
            depth = _RELEASE_MM + float(rng.uniform(0, reach)) * care + (1 - calm) * 140
            ahead = _FINGERS_MM * min(1.0, small / 200)
            if kept.size and attempt >= (2 * _AIMS) // 3:
                # Where nothing else helps the hand goes right over a gap and lets the dice drop.
                over = np.asarray(self._gap(zone, kept, place.at(depth, aside))) - place.border
                deep = float(over @ place.into) - 12.0
                aside = float(over @ (place.into[1], -place.into[0]))
                depth, calm = deep - ahead, 0.5
            hand = place.at(depth + ahead, aside)
            near = float(np.linalg.norm(kept[:, :2] - hand, axis=1).min()) if kept.size else np.inf
            if push < SIDE_MM / 2 and near < 2.2 * SIDE_MM:
                continue  # not from right over dice that are not to be touched
            aim = self._gap(zone, kept, hand)
            way = float(np.linalg.norm(np.asarray(aim) - hand))
            try:
                made = throw_dice(
                    rng,
                    len(dice),
                    hand=hand,
                    aim=aim,
                    zone=zone,
                    side=SIDE_MM,
                    kept=kept,
                    fps=conditions.fps,
                    # Faster throws roll farther: about as far as the aim is.
                    speed=calm * float(np.clip((2.2 - care) * way + 160 * (1 - care), 120, 800)),
                    height=calm * (60.0 - 20.0 * care),
                    gap=conditions.gap_mm,
                    attempts=25,
                    obstacles=self.obstacles(lane),
                    stray=25.0 if conditions.race else 100.0,
                    push=push if push > SIDE_MM / 2 or attempt < _AIMS // 2 else 0.0,
                )
            except NoSuchThrow:
                continue
            return made, depth, aside
        raise NoSuchThrow(
            f"{who} finds no room among the {len(kept)} dice on the table; "
            "take another seed, fewer players or a larger picture"
        )

    def _gap(self, zone: Zone, kept: Vectors, hand: XY) -> XY:
        """Return a place with few dice around: the best of some at random."""
        rng = self.rng
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
        if self.phone is not None:
            free = np.minimum(free, phone_box(self.phone).away(spots))
        centre = np.array([(zone.x0 + zone.x1) / 2, (zone.y0 + zone.y1) / 2])
        best = spots[int(np.argmax(free - 0.4 * np.linalg.norm(spots - centre, axis=1)))]
        return (float(best[0]), float(best[1]))

    def throwing(self, seat: int, depth: float, aside: float) -> tuple[Act, float]:
        """Return the act of a hand that shakes, throws and leaves, and when it lets go."""
        place = self.seat(seat)
        start = place.at(depth - 12, aside)
        inside = self.hand is not None and self.hand.seat == seat
        act = self.begin(seat, aside=aside, spread=0.0, height=55)
        act.go(start, 0.30 if inside else 0.45, spread=0.0, height=55)
        for k in range(2):  # a shake of the fist
            act.go(place.at(depth - 12 + (10 if k == 0 else -10), aside), 0.09, height=58)
        act.go(place.at(depth, aside), 0.14, spread=0.5, height=60)
        let_go = act.now_s
        act.go(place.at(depth + 12, aside), 0.12, spread=1.0, height=62)
        act.go(self.away(seat, aside), 0.30, spread=0.6, height=60)
        return act, let_go

    def labelled(self, made: Throw, dice: Sequence[int], faces: Sequence[int]) -> Throw:
        """Put numbers on the dice of a throw, so that they end on `faces`."""
        rotations = made.rotations.copy()
        turns = [int(turn) for turn in self.rng.integers(0, 4, len(dice))]
        for slot, (die, face) in enumerate(zip(dice, faces, strict=True)):
            values = [1] * len(dice)
            values[slot] = face
            left = self.conditions.looks[die].left_handed
            one = made.showing(values, left_handed=left, turns=turns)
            rotations[:, slot] = one.rotations[:, slot]
        return Throw(made.positions, rotations, made.fps, made.side, made.pushed)

    def read(self, dice: Sequence[int]) -> None:
        """Take down the faces that show."""
        for die in dice:
            self.faces[die] = top_face(self.lying[die][1], self.conditions.looks[die].left_handed)[0]

    # ---- hands -------------------------------------------------------------------------------------

    def gather(self, seat: int, dice: Sequence[int], *, stays: bool) -> None:
        """Pick dice up one after the other. `stays`: the hand does not leave."""
        act = self.begin(seat, spread=0.7)
        self._pick(act, dice)
        act.go(act.keys[-1].palm, 0.12, spread=0.0, height=35)
        if not stays:
            self.leave(act)
        self.perform(act, stays=stays)

    def _pick(self, act: Act, dice: Sequence[int]) -> None:
        """Go over dice, nearest first, and take them."""
        left = list(dice)
        here = np.asarray(self.seat(act.seat).at(20, 0.0))
        first = True
        while left:
            die = min(left, key=lambda each: float(np.linalg.norm(self.lying[each][0][:2] - here)))
            left.remove(die)
            place = self.lying[die][0][:2]
            seconds = 0.10 + float(np.linalg.norm(place - here)) / 900.0
            act.go(
                (float(place[0]), float(place[1])),
                max(seconds, 0.42) if first else seconds,
                spread=0.45,
                height=_OVER_DICE_MM,
            )
            act.takes.append((act.now_s, die))
            here, first = place, False

    def to_tray(self, seat: int, dice: Sequence[int], *, stays: bool, slide: bool) -> None:
        """Set dice aside in the tray of a player's lane: pushed one by one, or carried by the handful."""
        lane = self.lane(seat)
        slots = lane.slots(SIDE_MM)
        free = [slot for slot in range(len(slots)) if slot not in self.in_tray.values()]
        near = np.asarray(self.seat(seat).at(0, 0))
        if lane.name is not None:
            # In one's own tray one begins in the middle of the farther row.
            free.sort(key=lambda slot: abs(float(slots[slot][0] - near[0])))
        act = self.begin(seat, spread=0.5)
        start = self.frame
        goals = {die: self._laid_down(die, slots[slot]) for die, slot in zip(dice, free, strict=False)}
        if len(goals) < len(dice):
            raise NoSuchThrow(f"the tray has no room for {len(dice)} more dice; take fewer dice")
        taken_slots = dict(zip(dice, free, strict=False))
        if slide:
            for die in dice:
                self.push_over(act, die, goals[die])
        else:
            for part in range(0, len(dice), 3):
                handful = dice[part : part + 3]
                self.pick_by_tips(act, handful)
                for die in handful:
                    goal = goals[die]
                    palm = self.palm_for(seat, (float(goal[0][0]), float(goal[0][1])))
                    far = float(np.linalg.norm(np.asarray(palm) - np.asarray(act.keys[-1].palm)))
                    act.go(palm, 0.14 + far / 850.0, spread=0.35, height=_TOUCH_MM + 6)
                    act.puts.append((act.now_s, die, goal))
                    act.wait(0.06)
        if not stays:
            self.leave(act)
        self.perform(act, stays=stays)
        self.in_tray.update(taken_slots)
        self.note("set_aside", start, seat, dice, values=sorted(self.faces[die] for die in dice), tray=True)

    def pick_by_tips(self, act: Act, dice: Sequence[int]) -> None:
        """Take dice with the finger tips."""
        for die in dice:
            palm = self.palm_for(act.seat, self.lying[die][0])
            far = float(np.linalg.norm(np.asarray(palm) - np.asarray(act.keys[-1].palm)))
            act.go(palm, 0.16 + far / 900.0, spread=0.5, height=_TOUCH_MM + 4)
            act.takes.append((act.now_s, die))
            act.go(palm, 0.08, spread=0.3, height=_TOUCH_MM + 12)

    def push_over(self, act: Act, die: int, goal: Pose, seconds: float | None = None) -> None:
        """Push a die with the finger tips."""
        place = self.lying[die][0]
        palm, end = self.palm_for(act.seat, place), self.palm_for(act.seat, goal[0])
        far = float(np.linalg.norm(np.asarray(palm) - np.asarray(act.keys[-1].palm)))
        act.go(palm, 0.16 + far / 900.0, spread=0.5, height=_TOUCH_MM + 10)
        act.go(palm, 0.06, spread=0.4, height=_TOUCH_MM)
        began = act.now_s
        way = float(np.linalg.norm(np.asarray(end) - np.asarray(palm)))
        act.go(end, seconds or 0.12 + way / 600.0)
        act.slides.append(Slide(die, began, act.now_s, goal))
        act.go(end, 0.05, height=_TOUCH_MM + 10)

    def _laid_down(self, die: int, slot: XY) -> Pose:
        """Return a die's pose in a slot of the tray: the same face up, a little askew."""
        rng = self.rng
        jitter = rng.uniform(-1.2, 1.2, 2)
        centre = np.array([slot[0] + jitter[0], slot[1] + jitter[1], SIDE_MM / 2])
        return centre, yawed(self.lying[die][1], float(rng.normal(0, 0.12)))


PHONE_GRIP_MM = 70.0
"""How far before the palm the middle of a carried phone is."""
PHONE_MM = (72.0, 148.0, 8.0)
"""Width, length and thickness of a phone."""


def phone_box(phone: Phone) -> Obstacle:
    """Return the box of a phone that lies on the table."""
    return Obstacle(*phone.centre, PHONE_MM[0] / 2, PHONE_MM[1] / 2, PHONE_MM[2], phone.yaw_rad)


def rim_of(lane: Lane, height: float) -> tuple[Obstacle, ...]:
    """Return the four bars of the rim around a lane's tray; none without a rim."""
    tray = lane.tray
    if tray is None or height <= 0:
        return ()
    x, y = (tray.x0 + tray.x1) / 2, (tray.y0 + tray.y1) / 2
    wide, deep = (tray.x1 - tray.x0) / 2, (tray.y1 - tray.y0) / 2
    return (
        Obstacle(x, tray.y0, wide, _RIM_MM, height),
        Obstacle(x, tray.y1, wide, _RIM_MM, height),
        Obstacle(tray.x0, y, _RIM_MM, deep, height),
        Obstacle(tray.x1, y, _RIM_MM, deep, height),
    )


def elbow_of(seat: Seat) -> XY:
    """Return the point around which the forearm of a player turns."""
    return seat.at(-seat.edge_mm - ELBOW_MM, 0.0)


def yawed(rotation: Rotation, yaw_rad: float) -> Rotation:
    """Return a flat die's rotation with the same face up, its sides turned to `yaw_rad` (modulo quarters)."""
    now = float(np.arctan2(*sides_of(rotation)))
    turn = (yaw_rad - now + np.pi / 4) % (np.pi / 2) - np.pi / 4
    return np.asarray(axis_rotation(2, turn) @ rotation)


def sides_of(rotation: Rotation) -> tuple[float, float]:
    """Return (sine, cosine) of the yaw of a cube that lies flat, modulo a quarter turn."""
    level = rotation[:, int(np.argmin(np.abs(rotation[2])))]
    return float(level[1]), float(level[0])


def _on_the_way(slide: Slide, origin: Pose, now: float) -> Pose:
    """Return a moved die between where it was and where it goes."""
    share = _eased((now - slide.start_s) / max(slide.end_s - slide.start_s, 1e-6))
    place = origin[0] + (slide.goal[0] - origin[0]) * share
    place = place + np.array([0.0, 0.0, slide.lift_mm * 4 * share * (1 - share)])
    turn = between(origin[1], slide.goal[1], share)
    low = float(place[2]) - SIDE_MM / 2 * float(np.abs(turn[2]).sum())
    return place - np.array([0.0, 0.0, min(low, 0.0)]), turn


def _eased(s: float) -> float:
    """Return a smooth step."""
    s = min(max(s, 0.0), 1.0)
    return s * s * (3 - 2 * s)


__all__ = ["ELBOW_MM", "OUT_MM", "TRAY_MM", "Act", "Flight", "Key", "Scene", "Slide", "elbow_of", "rim_of"]
