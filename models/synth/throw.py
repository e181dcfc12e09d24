"""Throws as physics: dice leave a hand, tumble over the table, hit each other and come to rest.

MuJoCo does the mechanics (extra `train`; imported when a throw is made, not before). Lengths outside are
millimetres; inside they are centimetres and grams, where the solver's numbers are near one.

To get the faces that a script wants, the throw is made first and the numbers are put on the dice afterwards
(`Throw.showing`): a cube turned into itself moves exactly the same, so the physics stays true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.synth.dice import Rotation, relabelled, top_face
from models.synth.errors import MujocoMissing, NoSuchThrow

Vectors = NDArray[np.float64]

_STEP_S = 0.001
_FRICTION = "0.6 0.02 0.002"
_CONTACT = "0.007 0.27"
_FLAT_RAD = float(np.radians(1.5))
_FAR_OUT_MM = 100.0
"""A die so far outside the zone does not come back (the hand is outside too, but less far)."""
_STILL_MM = 0.06
_STILL_RAD = 0.006


@dataclass(frozen=True, slots=True)
class Zone:
    """The part of the table, in mm, that dice may not leave."""

    x0: float
    """Left."""
    y0: float
    """Lower."""
    x1: float
    """Right."""
    y1: float
    """Upper."""

    def holds(self, places: Vectors, margin: float) -> bool:
        """Return whether all places (N, 2 or more) lie inside, `margin` from the border."""
        x, y = places[:, 0], places[:, 1]
        return bool(
            (x > self.x0 + margin).all()
            and (x < self.x1 - margin).all()
            and (y > self.y0 + margin).all()
            and (y < self.y1 - margin).all()
        )


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A box that stands on the table and does not move: the rim of a tray, a phone."""

    x: float
    """Its middle, mm."""
    y: float
    """Its middle, mm."""
    half_x: float
    """Half its length along its own x."""
    half_y: float
    """Half its length along its own y."""
    height: float
    """Its height above the table."""
    yaw_rad: float = 0.0
    """How it is turned."""

    def away(self, places: Vectors) -> Vectors:
        """Return how far points (N, 2 or more) are from its outline, 0 inside; (N,)."""
        c, s = np.cos(self.yaw_rad), np.sin(self.yaw_rad)
        dx, dy = places[:, 0] - self.x, places[:, 1] - self.y
        u = np.maximum(np.abs(c * dx + s * dy) - self.half_x, 0)
        v = np.maximum(np.abs(-s * dx + c * dy) - self.half_y, 0)
        return np.asarray(np.hypot(u, v))


@dataclass(frozen=True, slots=True, eq=False)
class Throw:
    """The motion of some dice, one pose a frame, from the release to the rest."""

    positions: Vectors
    """(frames, dice, 3) centres in mm; the table is z = 0."""
    rotations: Vectors
    """(frames, dice, 3, 3), table frame from die frame."""
    fps: float
    """Frames a second."""
    side: float
    """Side of the dice in mm."""
    pushed: tuple[Vectors, Vectors] | None = None
    """Of the dice that lay there, where they could be pushed: (frames, kept, 3) displacements in mm and
    (frames, kept, 3, 3) turns against their first poses."""

    @property
    def frames(self) -> int:
        """How many frames there are; in the last one every die lies still."""
        return int(self.positions.shape[0])

    def showing(
        self, values: Sequence[int], *, left_handed: bool = False, turns: Sequence[int] = ()
    ) -> Throw:
        """Return the same motion with the bodies turned into themselves so that the dice end on `values`."""
        rotations = self.rotations.copy()
        for index, value in enumerate(values):
            last: Rotation = self.rotations[-1, index]
            turn = turns[index] if index < len(turns) else 0
            symmetry = np.rint(last.T @ relabelled(last, value, left_handed=left_handed, turn=turn))
            rotations[:, index] = self.rotations[:, index] @ symmetry
        return replace(self, rotations=rotations)


def throw_dice(
    rng: np.random.Generator,
    count: int,
    *,
    hand: tuple[float, float],
    aim: tuple[float, float],
    zone: Zone,
    side: float = 16.0,
    kept: Vectors | None = None,
    fps: float = 25.0,
    speed: float = 450.0,
    height: float = 60.0,
    gap: float = 0.0,
    attempts: int = 400,
    obstacles: Sequence[Obstacle] = (),
    stray: float = _FAR_OUT_MM,
    push: float = 0.0,
) -> Throw:
    """Throw dice until a throw fits: at rest flat, in the zone, no kept die touched (or hardly pushed).

    Args:
        rng: source of all chance.
        count: how many dice, 1 or more.
        hand: place of the hand at the release, mm.
        aim: where the dice are thrown to, mm.
        zone: in which all must come to rest.
        side: side of a die, mm.
        kept: (K, 3) centre x, centre y and yaw (radians) of dice that lie flat and must not be touched.
        fps: poses a second.
        speed: of the hand, mm/s.
        height: of the hand above the table, mm.
        gap: least distance between the centres of dice at rest, mm; 0 allows dice that touch.
        attempts: how often to try.
        obstacles: boxes on the table that dice bounce off.
        stray: how far outside the zone a die may get on its way, mm.
        push: how far kept dice may be pushed by thrown ones, mm; 0: a throw that touches one is made again.

    Raises:
        MujocoMissing: without the package mujoco.
        NoSuchThrow: when no attempt fits.
    """
    still = np.zeros((0, 3)) if kept is None else kept
    for _ in range(attempts):
        # Each further attempt is thrown a little differently, as a person would.
        hard = speed * float(rng.uniform(0.75, 1.25))
        spread = np.asarray(aim) + rng.normal(0, 1.5 * side, 2)
        world = _world(_mujoco(), count, side / 10, still, obstacles, free=push > 0)
        made = _simulate(rng, world, np.asarray(hand), spread, side, zone, fps, hard, height, stray)
        if made is not None and _fits(made, zone, still, gap, push):
            return made
    raise NoSuchThrow(
        f"no throw of {count} dice came to rest flat and free in {attempts} attempts; "
        "give a larger zone, fewer dice on the table or another seed"
    )


def _fits(throw: Throw, zone: Zone, kept: Vectors, gap: float, push: float) -> bool:
    """Return whether all dice lie flat in the zone, far enough from each other and from the kept ones."""
    last = throw.positions[-1]
    if not zone.holds(last, throw.side * 0.8):
        return False
    if any(top_face(rotation)[1] > _FLAT_RAD for rotation in throw.rotations[-1]):
        return False
    if (np.abs(last[:, 2] - throw.side / 2) > 0.05 * throw.side).any():
        return False
    between = np.linalg.norm(last[:, None, :2] - last[None, :, :2], axis=2)
    np.fill_diagonal(between, np.inf)
    if float(between.min()) < gap:
        return False
    if not kept.size:
        return True
    lying = kept[:, :2]
    if throw.pushed is not None:
        moved, turned = throw.pushed[0][-1], throw.pushed[1][-1]
        if float(np.linalg.norm(moved, axis=1).max()) > push or float(turned[:, 2, 2].min()) < 0.999:
            return False
        lying = lying + moved[:, :2]
    away = np.linalg.norm(last[:, None, :2] - lying[None], axis=2)
    return float(away.min()) >= max(gap, (1.0 if throw.pushed is not None else 1.5) * throw.side)


@dataclass(frozen=True, slots=True, eq=False)
class _World:
    """A scene of MuJoCo."""

    model: Any
    data: Any
    count: int
    dice: frozenset[int]
    """Geoms of the thrown dice."""
    kept: frozenset[int]
    """Geoms of kept dice that must not be touched."""
    free: int
    """How many kept dice can be pushed."""


def _simulate(
    rng: np.random.Generator,
    world: _World,
    hand: Vectors,
    aim: Vectors,
    side: float,
    zone: Zone,
    fps: float,
    speed: float,
    height: float,
    stray: float,
) -> Throw | None:
    """Make one throw; None when a die touches a kept one, rolls far out, or rests not within four seconds."""
    mujoco, data, count = _mujoco(), world.data, world.count
    _let_go(rng, data, count, hand / 10, aim / 10, side / 10, speed / 10, height / 10)
    mujoco.mj_forward(world.model, data)
    every = 1.0 / fps
    bodies = count + world.free
    positions, rotations = [], []
    next_frame, quiet = 0.0, 0
    for step in range(int(4.0 / _STEP_S)):
        if step * _STEP_S >= next_frame - 1e-9:
            next_frame += every
            positions.append(data.xpos[1 : bodies + 1] * 10)
            rotations.append(data.xmat[1 : bodies + 1].reshape(bodies, 3, 3).copy())
            # On their first way from the hand, which is outside, dice are where they must be.
            if not zone.holds(positions[-1][:count], -(stray if len(positions) * every > 0.35 else 1e3)):
                return None
            calm = len(positions) > 1 and (
                np.abs(positions[-1] - positions[-2]).max() < _STILL_MM
                and np.abs(rotations[-1] - rotations[-2]).max() < _STILL_RAD
            )
            quiet = quiet + 1 if calm else 0
            if quiet * every >= 0.1:
                # Bouncy contacts never go quite still in a solver: from the first calm pose on it is held.
                keep = len(positions) - quiet + 1
                places, turns = np.array(positions[:keep]), np.array(rotations[:keep])
                pushed = None
                if world.free:
                    first = turns[0, count:]
                    pushed = (
                        places[:, count:] - places[0, count:],
                        turns[:, count:] @ np.swapaxes(first, 1, 2),
                    )
                return Throw(places[:, :count], turns[:, :count], fps, side, pushed)
        mujoco.mj_step(world.model, data)
        if world.kept and _touched(data, world.dice, world.kept):
            return None
    return None


def _touched(data: Any, dice_geoms: frozenset[int], kept_geoms: frozenset[int]) -> bool:
    """Return whether a thrown die touches a kept one."""
    for pair in data.contact.geom[: data.ncon]:
        first, second = int(pair[0]), int(pair[1])
        if (first in dice_geoms and second in kept_geoms) or (second in dice_geoms and first in kept_geoms):
            return True
    return False


def _mujoco() -> Any:
    """Import MuJoCo."""
    try:
        import mujoco
    except ImportError as error:
        raise MujocoMissing(
            "throws need the package mujoco, which is not installed: pip install 'croupier[train]'"
        ) from error
    return mujoco


def _world(
    mujoco: Any, count: int, side_cm: float, kept: Vectors, obstacles: Sequence[Obstacle], *, free: bool
) -> _World:
    """Build table, dice, kept dice (`free`: they can be pushed) and obstacles."""
    half = side_cm / 2
    mass = 4.5 * (side_cm / 1.6) ** 3
    box = f"type='box' size='{half} {half} {half}'"
    dice = "".join(
        f"<body name='d{i}'><freejoint/><geom name='d{i}' {box} mass='{mass}'/></body>" for i in range(count)
    )
    lying = ""
    for i, (x, y, yaw) in enumerate(kept):
        where = f"pos='{x / 10} {y / 10} {half}' euler='0 0 {yaw}'"
        if free:
            dice += f"<body name='k{i}' {where}><freejoint/><geom name='k{i}' {box} mass='{mass}'/></body>"
        else:
            lying += f"<geom name='k{i}' {box} {where}/>"
    for each in obstacles:
        lying += (
            f"<geom type='box' size='{each.half_x / 10} {each.half_y / 10} {each.height / 20}' "
            f"pos='{each.x / 10} {each.y / 10} {each.height / 20}' euler='0 0 {each.yaw_rad}'/>"
        )
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><compiler angle='radian'/>
        <option timestep='{_STEP_S}' gravity='0 0 -981'
                cone='elliptic' impratio='3' integrator='implicitfast'/>
        <default><geom friction='{_FRICTION}' solref='{_CONTACT}' solimp='0.9 0.98 0.02' condim='4'/>
        </default>
        <worldbody><geom name='table' type='plane' size='200 200 1'/>{lying}{dice}</worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    dice_geoms = frozenset(int(model.geom(f"d{i}").id) for i in range(count))
    kept_geoms = frozenset() if free else frozenset(int(model.geom(f"k{i}").id) for i in range(len(kept)))
    return _World(model, data, count, dice_geoms, kept_geoms, len(kept) if free else 0)


def _let_go(
    rng: np.random.Generator,
    data: Any,
    count: int,
    hand: Vectors,
    aim: Vectors,
    side: float,
    speed: float,
    height: float,
) -> None:
    """Put the dice under the hand in a loose heap and give them its speed and a spin; all in cm."""
    way = aim - hand
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    across = np.array([-way[1], way[0]])
    pitch = 1.75 * side  # the space diagonal of a die: no two can overlap, however they are turned
    columns = 1 if count == 1 else (2 if count <= 6 else 3)
    poses = data.qpos[: 7 * count].reshape(count, 7)
    speeds = data.qvel[: 6 * count].reshape(count, 6)
    for slot, index in enumerate(rng.permutation(count)):
        layer, column = divmod(slot, columns)
        row, level = divmod(layer, 2)
        spot = hand + across * ((column - (columns - 1) / 2) * pitch) - way * (row * pitch)
        poses[index, :2] = spot
        poses[index, 2] = height + level * pitch
        turn = rng.standard_normal(4)
        poses[index, 3:] = turn / np.linalg.norm(turn)
        speeds[index, :2] = way * speed * rng.uniform(0.8, 1.2) + across * rng.normal(0, 0.16 * speed)
        speeds[index, 2] = rng.normal(-0.25, 0.15) * speed
        speeds[index, 3:] = rng.normal(0, 28.0, 3)
