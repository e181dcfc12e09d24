"""A whole Farkle session in front of the camera: hands throw, dice tumble, rest, are set aside and gathered.

    script (who throws what) -> timeline (a state of hands and dice a frame) -> frames -> video and truth

The timeline is complete before the first frame is drawn, so the truth (which frames are at rest, what lies
where) comes from the motion itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.synth.acting import PHONE_MM, Flight, Scene, phone_box, yawed
from models.synth.camera_bump import bump
from models.synth.conditions import SIDE_MM, Conditions
from models.synth.errors import NoSuchThrow
from models.synth.mishaps import Mishap, lean_one, lose_one, put_right, stack_one
from models.synth.script import PlannedThrow, Script
from models.synth.throw import Throw
from models.synth.timeline import Phone, Rest, Timeline

_FINGER_MM = (86.0, 46.0)
"""From the palm to the tip of a pointing forefinger: ahead, and aside."""
_CORNER_TRIES = 60


def build_timeline(rng: np.random.Generator, script: Script, conditions: Conditions) -> Timeline:
    """Play a script on the table.

    Raises:
        MujocoMissing, NoSuchThrow: see `models.synth.throw`.
    """
    return _Game(rng, script, conditions).play()


class _Game:
    """Builds a timeline throw by throw."""

    def __init__(self, rng: np.random.Generator, script: Script, conditions: Conditions) -> None:
        """Begin with an empty table; decide which throws have the happenings that were asked for."""
        self._rng = rng
        self._script = script
        self._conditions = conditions
        self._scene = Scene(rng, conditions)
        count = len(script.throws)
        self._due_at = {kind: int(rng.integers(max(1, (2 * count) // 3))) for kind in conditions.wanted}
        self._number = 0
        self._phone_until = 0
        self._slides = [bool(rng.random() < 0.4) for _ in script.players]

    def play(self) -> Timeline:
        """Add all throws; the table is empty at the beginning and at the end."""
        scene, throws = self._scene, self._script.throws
        scene.idle(0.6)
        for number, plan in enumerate(throws):
            self._number = number
            self._throw(plan)
            self._meanwhile(plan)
            self._end_of(plan)
            if plan.turn_ends:
                scene.idle(0.35 if number + 1 < len(throws) else 1.2)
        line = scene.line
        if "bump" in self._due_at or self._rng.random() < self._conditions.odds_of("bump"):
            bump(self._rng, line, self._conditions)
        return line

    def _due(self, kind: str) -> bool:
        """Return whether something is to happen now: it was asked for, or chance has it."""
        if kind in self._due_at:
            return self._number >= self._due_at[kind]
        return bool(self._rng.random() < self._conditions.odds_of(kind))

    def _happened(self, kind: str) -> None:
        """A wish is granted once; from then on it is left to chance."""
        self._due_at.pop(kind, None)

    # ---- throws ------------------------------------------------------------------------------------

    def _throw(self, plan: PlannedThrow) -> None:
        """Throw the dice of a plan; put right what went wrong; leave them at rest in full view."""
        scene, rng = self._scene, self._rng
        kept = tuple(sorted(scene.lying))
        lying = tuple(scene.lying)
        push = 0.3 * SIDE_MM if self._due("push") and lying else 0.0
        made, depth, aside = scene.flight(plan.seat, plan.thrown, push=push, who=f"throw {self._number + 1}")
        mishap = self._mishap(plan, made, scene.seat(plan.seat).at(depth + 55, aside))
        final = scene.labelled(made, plan.thrown, plan.faces) if mishap is None else mishap.made
        act, let_go = scene.throwing(plan.seat, depth, aside)
        thrown = plan.thrown
        if mishap is not None and mishap.kind == "off-table":
            act.flights += _split(final, thrown, mishap.die, let_go)
        else:
            act.flights.append(Flight(let_go, thrown, final, lying if final.pushed is not None else ()))
        first = scene.frame
        scene.perform(act)
        still = first + round(let_go * scene.conditions.fps) + final.frames - 1
        if final.pushed is not None:
            self._note_push(lying, final, still)
        if mishap is not None:
            scene.idle(float(rng.uniform(0.6, 1.3)))
            face = plan.faces[plan.thrown.index(mishap.die)]
            scene.read([die for die in scene.lying if die != mishap.die])
            seen = sorted(scene.faces[die] for die in scene.lying if die != mishap.die)
            how = put_right(scene, plan.seat, mishap, face)
            notes = {"how": how, "on": mishap.against, "tilt_deg": round(mishap.tilt_deg, 1), "flat": seen}
            scene.note(mishap.kind, still, plan.seat, (mishap.die,), **notes)
            self._happened(mishap.kind)
            still = scene.frame - 1
        scene.read(list(scene.lying))
        scene.idle(float(rng.uniform(*self._conditions.rest_s)))
        dice = tuple((die, scene.faces[die]) for die in sorted(scene.lying))
        # The rest is trimmed to what is in full view when the frames are known to be free of hands.
        scene.line.rests.append(Rest(still, scene.frame - 1, dice, kept, self._number, plan.seat))

    def _mishap(self, plan: PlannedThrow, made: Throw, hand: tuple[float, float]) -> Mishap | None:
        """Return what goes wrong with a throw, if anything."""
        scene, thrown, faces = self._scene, plan.thrown, plan.faces
        if made.pushed is None and self._due("cocked"):
            mishap = lean_one(scene, plan.seat, made, thrown, faces)
            if mishap is not None:
                return mishap
        if made.pushed is None and self._due("stacked"):
            mishap = stack_one(scene, plan.seat, made, thrown, faces)
            if mishap is not None:
                return mishap
        if made.pushed is None and self._due("off-table"):
            return lose_one(scene, plan.seat, made, thrown, faces, hand)
        return None

    def _note_push(self, lying: Sequence[int], final: Throw, still: int) -> None:
        """Write down which kept dice were pushed, and how far."""
        assert final.pushed is not None
        far = np.linalg.norm(final.pushed[0][-1], axis=1)
        moved = [(die, round(float(mm), 1)) for die, mm in zip(lying, far, strict=True) if mm >= 0.3]
        if moved:
            seat = self._script.throws[self._number].seat
            self._scene.note("push", still - 1, seat, [die for die, _ in moved], mm=[mm for _, mm in moved])
            self._happened("push")

    # ---- what is no throw --------------------------------------------------------------------------

    def _meanwhile(self, plan: PlannedThrow) -> None:
        """Let hands do what changes nothing, while the dice lie."""
        scene = self._scene
        for kind, act in (
            ("count", self._count),
            ("nudge", self._nudge),
            ("pick-up", self._pick_up),
            ("straighten", self._straighten),
            ("phone", self._phone),
        ):
            if self._due(kind):
                before = scene.frame
                if act(plan.seat):
                    self._happened(kind)
                if scene.frame > before:
                    scene.idle(float(self._rng.uniform(0.7, 1.3)))

    def _count(self, seat: int) -> bool:
        """Count the dice with a finger."""
        scene, start = self._scene, self._scene.frame
        act = scene.begin(seat, spread=0.3, height=34)
        act.keys[-1] = act.keys[-1].__class__(0.0, act.keys[-1].palm, 0.3, 34, True)
        places = [pose[0] for die, pose in scene.lying.items()]
        border = np.asarray(scene.seat(seat).border)
        for index, place in enumerate(sorted(places, key=lambda at: float(np.linalg.norm(at[:2] - border)))):
            palm = scene.palm_for(seat, place, *_FINGER_MM)
            far = float(np.linalg.norm(np.asarray(palm) - np.asarray(act.keys[-1].palm)))
            act.go(palm, max(0.45 if index == 0 else 0.0, 0.12 + far / 700), height=26, pointing=True)
            act.go(palm, 0.1, height=22, pointing=True)
        scene.leave(act)
        scene.perform(act)
        scene.note("count", start, seat, tuple(scene.lying))
        return True

    def _nudge(self, seat: int) -> bool:
        """Push a die a little by accident: less than half its side, the same face up."""
        scene, rng = self._scene, self._rng
        for die in rng.permutation(list(scene.lying)):
            place, turn = scene.lying[int(die)]
            angle, far = rng.uniform(-np.pi, np.pi), rng.uniform(2.0, 0.45 * SIDE_MM)
            goal = place + np.array([np.cos(angle), np.sin(angle), 0]) * far
            others = [at[0] for other, at in scene.lying.items() if other != die]
            near = min((float(np.linalg.norm(at[:2] - goal[:2])) for at in others), default=np.inf)
            if near < 1.45 * SIDE_MM or not scene.conditions.zone.holds(goal.reshape(1, 3), 0.0):
                continue
            start = scene.frame
            act = scene.begin(seat, spread=0.6)
            now = float(np.arctan2(turn[1, 0], turn[0, 0]))
            scene.push_over(act, int(die), (goal, yawed(turn, now + float(rng.normal(0, 0.12)))), 0.12)
            scene.leave(act)
            scene.perform(act)
            scene.note("nudge", start, seat, (int(die),), mm=[round(float(far), 1)])
            return True
        return False

    def _pick_up(self, seat: int) -> bool:
        """Take a die up, look at it and put it back as it lay."""
        scene, rng = self._scene, self._rng
        die = int(rng.choice(list(scene.lying)))
        place, turn = scene.lying[die]
        slot = scene.in_tray.get(die)
        start = scene.frame
        act = scene.begin(seat, spread=0.5)
        act.go(scene.palm_for(seat, place), 0.45, height=26)
        scene.pick_by_tips(act, (die,))
        held = scene.palm_for(seat, place - np.array([*scene.seat(seat).into, 0]) * rng.uniform(10, 40))
        act.go(held, 0.25, height=70)
        act.wait(float(rng.uniform(0.2, 0.7)))
        back = place + np.array([*rng.uniform(-1.5, 1.5, 2), 0.0])
        others = [at[0][:2] for other, at in scene.lying.items() if other != die]
        if min((float(np.linalg.norm(at - back[:2])) for at in others), default=99.0) < 1.43 * SIDE_MM:
            back = place.copy()
            goal = (back, turn.copy())
        else:
            goal = (back, yawed(turn, float(rng.uniform(0, np.pi / 2))))
        act.go(scene.palm_for(seat, back), 0.25, height=26)
        act.puts.append((act.now_s, die, goal))
        act.go(act.keys[-1].palm, 0.1, spread=0.5)
        scene.leave(act)
        scene.perform(act)
        if slot is not None:
            scene.in_tray[die] = slot
        scene.note("pick-up", start, seat, (die,))
        return True

    def _straighten(self, seat: int) -> bool:
        """Put the dice in the tray in line."""
        scene = self._scene
        if not scene.in_tray:
            return False
        start = scene.frame
        slots = scene.lane(seat).slots(SIDE_MM)
        act = scene.begin(seat, spread=0.5)
        dice = sorted(scene.in_tray, key=lambda die: scene.in_tray[die])[:4]
        for die in dice:
            at = slots[scene.in_tray[die]]
            goal = (np.array([*at, SIDE_MM / 2]), yawed(scene.lying[die][1], 0.0))
            scene.push_over(act, die, goal, 0.15)
        scene.leave(act)
        scene.perform(act)
        scene.note("straighten", start, seat, dice)
        return True

    def _phone(self, seat: int) -> bool:
        """Lay a phone on the table beside the dice; it is taken away some throws later."""
        scene, rng = self._scene, self._rng
        if scene.phone is not None:
            return False
        zone = scene.lane(seat).roll
        reach = PHONE_MM[1] / 2 + 4
        if zone.x1 - zone.x0 < 3.4 * reach or zone.y1 - zone.y0 < 3.4 * reach:
            return False
        for _ in range(_CORNER_TRIES):
            x = zone.x0 + reach if rng.random() < 0.5 else zone.x1 - reach
            y = zone.y0 + reach if rng.random() < 0.5 else zone.y1 - reach
            phone = Phone((float(x), float(y)), float(rng.uniform(-np.pi, np.pi)))
            dice = np.array([pose[0] for pose in scene.lying.values()]).reshape(-1, 3)
            if len(dice) and float(phone_box(phone).away(dice).min()) < 22:
                continue
            start = scene.frame
            self._carry_phone(seat, phone, laid=True)
            self._phone_until = self._number + int(rng.integers(1, 4))
            scene.note("phone", start, seat, centre_mm=[round(v, 1) for v in phone.centre])
            return True
        return False

    def _carry_phone(self, seat: int, phone: Phone, *, laid: bool) -> None:
        """Bring a phone, or take it away."""
        scene = self._scene
        act = scene.begin(seat, spread=0.5, height=70)
        palm = scene.palm_for(seat, phone.centre, 70.0 / scene.conditions.hands[seat].scale)
        if laid:
            act.go(palm, 0.7, height=30)
            act.phone = (act.now_s, phone)
            act.wait(0.1)
            scene.leave(act)
        else:
            act.go(palm, 0.5, height=30)
            act.wait(0.1)
            act.phone = (act.now_s, None)
            act.go(scene.away(seat), 0.7, height=70)
        scene.perform(act)

    # ---- between throws ----------------------------------------------------------------------------

    def _end_of(self, plan: PlannedThrow) -> None:
        """Set dice aside and pick up what is thrown next."""
        scene, rng, seat = self._scene, self._rng, plan.seat
        if scene.phone is not None and (self._number >= self._phone_until or plan is self._script.throws[-1]):
            self._carry_phone(seat, scene.phone, laid=False)
            scene.idle(0.5)
        goes_on = not plan.turn_ends
        tray = scene.lane(seat).tray is not None
        # Dice that are all thrown again, or all passed on, are often not set aside before.
        shown = bool(plan.stays) or rng.random() < 0.7
        if tray and plan.aside and shown:
            at_once = goes_on and rng.random() < 0.6
            scene.to_tray(seat, plan.aside, stays=at_once, slide=self._slides[seat])
            if not at_once:
                scene.idle(float(rng.uniform(0.6, 1.2)))
        scene.gather(seat, [die for die in scene.lying if die not in plan.stays], stays=goes_on)


def _split(made: Throw, dice: Sequence[int], lost: int, start_s: float) -> list[Flight]:
    """Return the flight of the dice that stay and that of the one that leaves the table."""
    slot = list(dice).index(lost)
    others = [k for k in range(len(dice)) if k != slot]
    out = [Flight(start_s, (lost,), _only(made, [slot]), leaves=True)]
    if others:
        out.append(Flight(start_s, tuple(dice[k] for k in others), _only(made, others)))
    return out


def _only(made: Throw, slots: list[int]) -> Throw:
    """Return a throw of some of the dice of another."""
    return Throw(made.positions[:, slots], made.rotations[:, slots], made.fps, made.side)


__all__ = ["NoSuchThrow", "build_timeline"]
