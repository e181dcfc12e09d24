"""A Tenzi race in front of the camera: each player throws in his own lane, all at once, until one shouts.

Each lane is acted as a scene of its own; which lane acts next is decided by who is earliest. What the lanes
show and who shouts when become the events of the game; the frames of the lanes are laid over each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from models.synth.acting import Flight, Scene
from models.synth.conditions import SIDE_MM, Conditions
from models.synth.mishaps import Mishap, lean_one, put_right, stack_one
from models.synth.throw import Throw
from models.synth.timeline import HandPose, Happening, Moment, Pose, Rest, Timeline
from scorer.tenzi import Claimed, Go, Match, Seen, TenziEvent, TenziRules, apply, start, winners

_GO_S = 0.8
"""When the first Go is said."""
_CLAIM_GAPS_S = (0.004, 0.015, 0.03, 0.06, 0.15)
"""How far apart the shouts of a near tie may be."""


@dataclass(slots=True, eq=False)
class Race:
    """A match as it was acted."""

    timeline: Timeline
    """All frames."""
    events: list[TenziEvent]
    """The events of the match, by time."""
    finish_s: list[dict[str, float]]
    """For each round, when each lane came to show the goal (the first frame at rest), where it did."""


@dataclass(slots=True, eq=False)
class _Lane:
    """One player in a race."""

    seat: int
    scene: Scene
    dice: tuple[int, ...]
    target: int | None = None
    matched: list[int] = field(default_factory=list)
    throws: int = 0
    finished_s: float | None = None
    claims_s: list[float] = field(default_factory=list)
    lucky: bool = False
    """The next throw finishes."""

    @property
    def done(self) -> bool:
        """Whether all dice show the target."""
        return self.finished_s is not None


def act_race(
    rng: np.random.Generator,
    players: Sequence[str],
    rules: TenziRules,
    conditions: Conditions,
    *,
    rounds: int,
) -> Race:
    """Act a match of at most so many rounds.

    Args:
        rng: source of all chance.
        players: names in seat order.
        rules: of the match; the goal must be all dice alike.
        conditions: of a race, with a lane a player.
        rounds: how many rounds at most.

    Raises:
        MujocoMissing, NoSuchThrow: see `models.synth.throw`.
    """
    return _Director(rng, players, rules, conditions).play(rounds)


class _Director:
    """Says which lane acts next, and what goes wrong."""

    def __init__(
        self, rng: np.random.Generator, players: Sequence[str], rules: TenziRules, conditions: Conditions
    ) -> None:
        """Begin with empty lanes."""
        self._rng, self._players, self._rules, self._conditions = rng, tuple(players), rules, conditions
        self._lanes = [
            _Lane(
                seat,
                Scene(np.random.default_rng(rng.integers(2**63)), conditions),
                tuple(range(seat * rules.dice, (seat + 1) * rules.dice)),
            )
            for seat in range(len(players))
        ]
        self._events: list[TenziEvent] = []
        self._wanted = set(conditions.wanted)
        self._tie: tuple[_Lane, _Lane] | None = None
        self._plan: dict[str, bool] = {}

    def play(self, rounds: int) -> Race:
        """Play rounds until the match is won."""
        match: Match = start(self._rules, self._players)
        finish: list[dict[str, float]] = []
        told = 0
        for lane in self._lanes:
            lane.scene.idle(_GO_S)
        for number in range(rounds):
            self._round(number)
            finish.append(
                {
                    self._players[lane.seat]: round(lane.finished_s, 4)
                    for lane in self._lanes
                    if lane.finished_s
                }
            )
            self._events.sort(key=lambda event: event.t_ns)
            for event in self._events[told:]:
                match = apply(match, event)
            told = len(self._events)
            self._tidy(last=bool(winners(match)) or number + 1 == rounds)
            if winners(match):
                break
        return Race(_laid_over([lane.scene.line for lane in self._lanes]), self._events, finish)

    def _fps(self) -> float:
        return self._conditions.fps

    def _due(self, kind: str) -> bool:
        """Return whether something is to happen: it was asked for, or chance has it."""
        return kind in self._wanted or bool(self._rng.random() < self._conditions.odds_of(kind))

    # ---- one round ---------------------------------------------------------------------------------

    def _round(self, number: int) -> None:
        """Play until somebody shouts rightly; nobody begins another throw after that."""
        together = max(lane.scene.frame for lane in self._lanes)
        self._events.append(Go(round(together / self._fps() * 1e9)))
        for lane in self._lanes:
            _pad(lane.scene, together)
            lane.target, lane.matched, lane.throws, lane.finished_s, lane.claims_s = None, [], 0, None, []
            lane.lucky = False
            lane.scene.idle(float(self._rng.uniform(0.05, 0.4)))  # nobody reacts at once
        self._tie = None
        self._plan = {kind: self._due(kind) for kind in ("near-tie", "false-shout", "nine-cocked", "covered")}
        while True:
            racing = [lane for lane in self._lanes if not lane.done]
            over = self._decided_s()
            racing = [lane for lane in racing if over is None or lane.scene.frame / self._fps() < over + 0.5]
            if not racing:
                return
            self._one_throw(min(racing, key=lambda lane: lane.scene.frame))

    def _decided_s(self) -> float | None:
        """Return when the first right shout comes, if anybody has finished."""
        times = [lane.claims_s[-1] for lane in self._lanes if lane.done]
        return min(times, default=None)

    def _one_throw(self, lane: _Lane) -> None:
        """Let a player throw what does not match yet, look, and take up what is thrown next."""
        scene, rng, seat = lane.scene, self._rng, lane.seat
        thrown = tuple(die for die in lane.dice if die not in lane.matched)
        faces = tuple(int(face) for face in rng.integers(1, 7, len(thrown)))
        if lane.lucky and lane.target is not None:
            faces = (lane.target,) * len(thrown)
        if self._wants_last(lane, thrown):
            assert lane.target is not None
            faces = (lane.target,)
        # Without a tray the dice that match lie about, and are pushed more often than not.
        push = (0.3 if scene.lane(seat).tray is not None else 1.5) * SIDE_MM
        made, depth, aside = scene.flight(seat, thrown, push=push, who=f"a throw of {self._players[seat]}")
        mishap = self._mishap(lane, made, thrown, faces)
        final = scene.labelled(made, thrown, faces) if mishap is None else mishap.made
        act, let_go = scene.throwing(seat, depth, aside)
        lying, kept = tuple(scene.lying), tuple(sorted(scene.lying))
        act.flights.append(Flight(let_go, thrown, final, lying if final.pushed is not None else ()))
        still = scene.frame + round(let_go * self._fps()) + final.frames - 1
        scene.perform(act)
        if mishap is not None:
            still = self._put_right(lane, mishap, faces[thrown.index(mishap.die)], still)
        scene.read(list(scene.lying))
        lane.throws += 1
        self._look(lane, thrown, still)
        scene.idle(float(rng.uniform(0.3, 0.6)))
        dice = tuple((die, scene.faces[die]) for die in sorted(scene.lying))
        scene.line.rests.append(Rest(still, scene.frame - 1, dice, kept, lane.throws - 1, seat))
        if lane.done:
            self._celebrate(lane)
        else:
            self._clear(lane)

    def _wants_last(self, lane: _Lane, thrown: Sequence[int]) -> bool:
        """Return whether the last die is to lean while it shows the target."""
        return self._plan["nine-cocked"] and len(thrown) == 1 and lane.target is not None

    def _mishap(
        self, lane: _Lane, made: Throw, thrown: tuple[int, ...], faces: tuple[int, ...]
    ) -> Mishap | None:
        """Return what goes wrong with a throw, if anything."""
        if made.pushed is not None and float(np.abs(made.pushed[0][-1]).max(initial=0.0)) > 0.05:
            return None
        if self._due("cocked") or self._wants_last(lane, thrown):
            mishap = lean_one(lane.scene, lane.seat, made, thrown, faces)
            if mishap is not None:
                self._wanted.discard("cocked")
                return mishap
        if self._due("stacked"):
            mishap = stack_one(lane.scene, lane.seat, made, thrown, faces)
            if mishap is not None:
                self._wanted.discard("stacked")
            return mishap
        return None

    def _put_right(self, lane: _Lane, mishap: Mishap, face: int, still: int) -> int:
        """Look at a throw of which a die does not lie flat, throw it again; return when all lie flat."""
        scene, rng, name = lane.scene, self._rng, self._players[lane.seat]
        flat = [die for die in scene.lying if die != mishap.die]
        scene.read(flat)
        shown = tuple(sorted(scene.faces[die] for die in flat))
        self._seen(lane, still, shown)
        scene.idle(float(rng.uniform(0.4, 0.8)))
        if self._plan["nine-cocked"] and len(flat) == len(lane.matched) == len(lane.dice) - 1:
            # He thinks that he has it.
            self._claim(lane, still / self._fps() + float(rng.uniform(0.2, 0.5)))
            scene.note("nine-cocked", still, lane.seat, (mishap.die,))
            self._plan["nine-cocked"] = False
            self._wanted.discard("nine-cocked")
            face = int(rng.integers(1, 7))
        how = put_right(scene, lane.seat, replace(mishap, flat=None), face)
        notes = {"how": how, "on": mishap.against, "tilt_deg": round(mishap.tilt_deg, 1), "flat": list(shown)}
        scene.note(mishap.kind, still, lane.seat, (mishap.die,), lane_of=name, **notes)
        return scene.frame - 1

    def _look(self, lane: _Lane, thrown: Sequence[int], still: int) -> None:
        """Take down what the lane shows, choose the target, see whether it is the goal."""
        scene, rng = lane.scene, self._rng
        faces = [scene.faces[die] for die in lane.dice]
        self._seen(lane, still, tuple(sorted(faces)))
        if lane.target is None:
            counts = Counter(faces)
            best = max(counts.values())
            lane.target = int(rng.choice([face for face, count in counts.items() if count == best]))
        lane.matched += [die for die in thrown if scene.faces[die] == lane.target]
        now = still / self._fps()
        if len(lane.matched) == len(lane.dice):
            lane.finished_s = now
            self._finish(lane, now)
        elif self._plan["false-shout"] and len(lane.matched) >= len(lane.dice) - 1:
            self._plan["false-shout"] = False
            self._wanted.discard("false-shout")
            self._claim(lane, now + float(rng.uniform(0.25, 0.6)))
            scene.line.happenings.append(Happening("false-shout", still, still, lane.seat))

    def _finish(self, lane: _Lane, now: float) -> None:
        """Let a player who has finished shout; with a near tie somebody else finishes too."""
        rng = self._rng
        shout = now + float(rng.uniform(0.25, 0.9))
        if self._tie is not None and self._tie[1] is lane:
            first = self._tie[0]
            gap = float(rng.choice(_CLAIM_GAPS_S)) * float(rng.choice([-1, 1]))
            common = max(first.claims_s[-1], shout)
            self._retract(first)
            self._claim(first, common)
            self._claim(lane, max(common + gap, now + 0.1))
            note = (("gap_s", round(lane.claims_s[-1] - first.claims_s[-1], 4)),)
            frame = round(now * self._fps())
            lane.scene.line.happenings.append(Happening("near-tie", frame, frame, lane.seat, (), note))
            return
        self._claim(lane, shout)
        if not self._plan["near-tie"] or self._tie is not None:
            return
        # The other one's next throw must begin before the shout, and a good part of his dice must match.
        others = [
            other
            for other in self._lanes
            if not other.done and other.scene.frame / self._fps() < shout + 0.5 and other.target is not None
        ]
        if others:
            best = max(others, key=lambda other: len(other.matched))
            best.lucky = True
            self._tie = (lane, best)
            self._plan["near-tie"] = False
            self._wanted.discard("near-tie")

    def _claim(self, lane: _Lane, t_s: float) -> None:
        lane.claims_s.append(t_s)
        self._events.append(Claimed(round(t_s * 1e9), self._players[lane.seat]))

    def _retract(self, lane: _Lane) -> None:
        """Forget a player's last shout: it comes later."""
        shout = Claimed(round(lane.claims_s.pop() * 1e9), self._players[lane.seat])
        self._events.remove(shout)

    def _seen(self, lane: _Lane, frame: int, faces: tuple[int, ...]) -> None:
        self._events.append(Seen(round(frame / self._fps() * 1e9), self._players[lane.seat], faces))

    # ---- hands -------------------------------------------------------------------------------------

    def _clear(self, lane: _Lane) -> None:
        """Set what matches aside and take up the rest."""
        scene, seat = lane.scene, lane.seat
        if scene.lane(seat).tray is not None:
            fresh = [die for die in lane.matched if die not in scene.in_tray]
            if fresh:
                scene.to_tray(seat, fresh, stays=True, slide=False)
        scene.gather(seat, [die for die in scene.lying if die not in lane.matched], stays=True)

    def _celebrate(self, lane: _Lane) -> None:
        """Do what somebody does who has finished; he may lay his hand on the dice."""
        scene, rng, seat = lane.scene, self._rng, lane.seat
        if not self._plan["covered"]:
            scene.idle(0.5)
            return
        self._plan["covered"] = False
        self._wanted.discard("covered")
        start_frame = scene.frame
        die = lane.dice[int(rng.integers(len(lane.dice)))]
        place = scene.lying[die][0]
        act = scene.begin(seat, spread=0.8)
        act.go((float(place[0]), float(place[1])), 0.4, spread=0.8, height=24)
        act.wait(1.0)
        scene.leave(act)
        scene.perform(act)
        scene.note("covered", start_frame, seat, (die,))

    def _tidy(self, *, last: bool) -> None:
        """After a round: everybody takes his dice up."""
        scenes = [lane.scene for lane in self._lanes]
        decided = self._decided_s()
        least = max(scene.frame for scene in scenes)
        if decided is not None:
            least = max(least, round((decided + 0.8) * self._fps()))
        for lane in self._lanes:
            scene = lane.scene
            if scene.hand is not None:
                act = scene.begin(lane.seat)
                scene.leave(act)
                scene.perform(act)
            _pad(scene, least + round(float(self._rng.uniform(0.0, 0.4)) * self._fps()))
            if not last:
                scene.gather(lane.seat, list(scene.lying), stays=False)


def _pad(scene: Scene, frame: int) -> None:
    """Let nothing happen in a lane until a frame."""
    while scene.frame < frame:
        scene.line.moments.append(Moment(dict(scene.lying)))
    scene.hand = None


def _laid_over(lines: Sequence[Timeline]) -> Timeline:
    """Return the lanes' timelines as one; a lane that ends earlier stays as it is."""
    out = Timeline()
    for index in range(max(len(line.moments) for line in lines)):
        dice: dict[int, Pose] = {}
        hands: list[HandPose] = []
        for line in lines:
            moment = line.moments[min(index, len(line.moments) - 1)]
            dice.update(moment.dice)
            hands += moment.hands if index < len(line.moments) else ()
        out.moments.append(Moment(dice, tuple(hands)))
    for line in lines:
        out.rests += line.rests
        out.happenings += line.happenings
    out.rests.sort(key=lambda rest: (rest.start_frame, rest.seat))
    return out
