"""Throws that go wrong: a die leans, lies on another one or leaves the table, and what players do then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from models.synth.acting import Flight, Scene, Slide, phone_box, rim_of
from models.synth.conditions import SIDE_MM
from models.synth.dice import Rotation, relabelled, top_face
from models.synth.errors import NoSuchThrow
from models.synth.leaning import Wall, ending_in, lean, nearest_turn, stacked, walls_of_die
from models.synth.throw import Obstacle, Throw, Vectors, Zone, throw_dice
from models.synth.timeline import Pose

Kind = Literal["cocked", "stacked", "off-table"]
_BEND_S = 0.45
"""How long before the end a motion is bent so that the die comes to lean."""
_FARTHEST_MM = 110.0
"""How far such a die may end from where the engine let it."""


@dataclass(frozen=True, slots=True, eq=False)
class Mishap:
    """A throw of which one die does not lie flat in the zone."""

    kind: Kind
    """What is wrong."""
    die: int
    """Number of the die."""
    made: Throw
    """The throw as it ends; faces are on."""
    flat: Pose | None
    """The die put flat with the wanted face on top; None: it can only be thrown again."""
    against: str
    """What it leans or lies on: `die`, `rim`, `phone`; `nothing`."""
    tilt_deg: float
    """Tilt of the face that looks up most."""


def lean_one(
    scene: Scene, seat: int, made: Throw, dice: Sequence[int], faces: Sequence[int]
) -> Mishap | None:
    """Return the throw with one die that leans on another die, the rim of the tray or a phone, if one can."""
    rng = scene.rng
    best: tuple[float, int, Wall, Vectors, Rotation, Vectors, Rotation] | None = None
    for slot in range(len(dice)):
        end = made.positions[-1, slot]
        for wall in _walls(scene, seat, made, slot):
            leaning = lean(rng, wall, SIDE_MM)
            far = float(np.linalg.norm(leaning.position[:2] - end[:2]))
            if best is not None and far >= best[0]:
                continue
            if _has_room(scene, seat, made, slot, wall, leaning.position, leaning.flat_position):
                best = (
                    far,
                    slot,
                    wall,
                    leaning.position,
                    leaning.rotation,
                    leaning.flat_position,
                    leaning.flat_rotation,
                )
    if best is None or best[0] > _FARTHEST_MM:
        return None
    _, slot, wall, place, turn, flat_place, flat_turn = best
    places, turns, goal = _bent(scene, made, slot, dice[slot], faces[slot], place, turn, flat_turn)
    tilt = float(np.degrees(top_face(turn)[1]))
    return Mishap(
        "cocked",
        dice[slot],
        _with(scene, made, slot, dice, faces, places, turns),
        (flat_place, goal),
        wall.of,
        tilt,
    )


def stack_one(
    scene: Scene, seat: int, made: Throw, dice: Sequence[int], faces: Sequence[int]
) -> Mishap | None:
    """Return the throw with one die that lies on another one, if two end near each other."""
    ends = made.positions[-1]
    pairs = [
        (float(np.linalg.norm(ends[a] - ends[b])), a, b)
        for a in range(len(dice))
        for b in range(len(dice))
        if a != b
    ]
    if not pairs:
        return None
    far, slot, under = min(pairs)
    if far > _FARTHEST_MM:
        return None
    place, turn = stacked(scene.rng, ends[under], SIDE_MM)
    lying = [pose[0][:2] for pose in scene.lying.values()]
    others = np.array([*(ends[k][:2] for k in range(len(dice)) if k not in (slot, under)), *lying]).reshape(
        -1, 2
    )
    if len(others) and float(np.linalg.norm(others - place[:2], axis=1).min()) < 1.45 * SIDE_MM:
        return None
    places, turns, goal = _bent(scene, made, slot, dice[slot], faces[slot], place, turn, turn)
    spot = _spot_beside(scene, seat, made, slot)
    flat = None if spot is None else (np.array([*spot, SIDE_MM / 2]), goal)
    return Mishap(
        "stacked", dice[slot], _with(scene, made, slot, dice, faces, places, turns), flat, "die", 0.0
    )


def lose_one(
    scene: Scene, seat: int, made: Throw, dice: Sequence[int], faces: Sequence[int], hand: tuple[float, float]
) -> Mishap | None:
    """Return the throw with one die that rolls off the table, out of the picture, if its way is free."""
    rng, conditions = scene.rng, scene.conditions
    slot = int(rng.integers(len(dice)))
    view = conditions.zone
    wide = Zone(view.x0 - 2000, view.y0 - 2000, view.x1 + 2000, view.y1 + 2000)
    into = np.asarray(scene.seat(seat).into)
    for _ in range(6):
        angle = float(rng.normal(0, 0.6))
        way = np.array(
            [
                into[0] * np.cos(angle) - into[1] * np.sin(angle),
                into[0] * np.sin(angle) + into[1] * np.cos(angle),
            ]
        )
        aim = np.asarray(hand) + way * 300
        try:
            lone = throw_dice(
                rng,
                1,
                hand=hand,
                aim=(float(aim[0]), float(aim[1])),
                zone=wide,
                side=SIDE_MM,
                fps=made.fps,
                speed=1500.0,
                height=60.0,
                attempts=3,
                stray=4000.0,
            )
        except NoSuchThrow:
            continue
        out = [k for k in range(lone.frames) if not view.holds(lone.positions[k], -45.0)]
        inside_first = [k for k in range(lone.frames) if view.holds(lone.positions[k], 0.0)]
        if not out or not inside_first or out[-1] < inside_first[-1]:
            continue
        gone = next(k for k in out if k > inside_first[-1])
        track = np.concatenate(
            [
                lone.positions[: gone + 1, 0],
                np.repeat(lone.positions[gone : gone + 1, 0], max(0, made.frames - gone - 1), axis=0),
            ]
        )
        spin = np.concatenate(
            [
                lone.rotations[: gone + 1, 0],
                np.repeat(lone.rotations[gone : gone + 1, 0], max(0, made.frames - gone - 1), axis=0),
            ]
        )
        if _meets(track[: min(gone, made.frames)], made, slot) or _meets_lying(track[:gone], scene):
            continue
        frames = len(track)
        places = np.concatenate(
            [made.positions, np.repeat(made.positions[-1:], frames - made.frames, axis=0)]
        )
        turns = np.concatenate([made.rotations, np.repeat(made.rotations[-1:], frames - made.frames, axis=0)])
        longer = scene.labelled(replace(made, positions=places, rotations=turns, pushed=None), dice, faces)
        longer.positions[:, slot] = track
        longer.rotations[:, slot] = spin
        return Mishap("off-table", dice[slot], longer, None, "nothing", 0.0)
    return None


def put_right(scene: Scene, seat: int, mishap: Mishap, face: int) -> str:
    """Act what the player does about it; return how: `straightened`, `thrown again` or `put back`."""
    rng, die = scene.rng, mishap.die
    if mishap.kind == "off-table":
        return _brought_back(scene, seat, die, face)
    if mishap.flat is not None and rng.random() < 0.55:
        act = scene.begin(seat, spread=0.5)
        place = scene.lying[die][0]
        lift = 10.0 if mishap.kind == "stacked" else 0.0
        act.go(scene.palm_for(seat, place), 0.5, height=30)
        act.wait(0.08)
        began = act.now_s
        act.go(scene.palm_for(seat, mishap.flat[0]), 0.3, spread=0.4, height=24)
        act.slides.append(Slide(die, began, act.now_s, mishap.flat, lift))
        act.wait(0.1)
        scene.leave(act)
        scene.perform(act)
        return "straightened"
    scene.gather(seat, (die,), stays=True)
    _thrown_again(scene, seat, die, face)
    return "thrown again"


def _brought_back(scene: Scene, seat: int, die: int, face: int) -> str:
    """The player fetches a die from the floor; he throws it again, or puts it down."""
    scene.idle(float(scene.rng.uniform(0.8, 1.8)))
    lane = scene.lane(seat)
    spot = scene.free_spot(lane, scene.seat(seat).at(40, 0))
    if spot is None or scene.rng.random() < 0.6:
        _thrown_again(scene, seat, die, face)
        return "thrown again"
    left = scene.conditions.looks[die].left_handed
    yaw = float(scene.rng.uniform(0, np.pi / 2))
    c, s = np.cos(yaw), np.sin(yaw)
    turn = relabelled(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]), face, left_handed=left)
    act = scene.begin(seat, spread=0.2)
    act.go(scene.palm_for(seat, spot), 0.55, height=26)
    act.puts.append((act.now_s, die, (np.array([*spot, SIDE_MM / 2]), turn)))
    act.go(act.keys[-1].palm, 0.15, spread=0.5, height=32)
    scene.leave(act)
    scene.perform(act)
    return "put back"


def _thrown_again(scene: Scene, seat: int, die: int, face: int) -> None:
    """Throw one die by itself."""
    made, depth, aside = scene.flight(seat, (die,), who="a die that is thrown again")
    made = scene.labelled(made, (die,), (face,))
    act, let_go = scene.throwing(seat, depth, aside)
    act.flights.append(Flight(let_go, (die,), made))
    scene.perform(act)


def _with(
    scene: Scene,
    made: Throw,
    slot: int,
    dice: Sequence[int],
    faces: Sequence[int],
    places: Vectors,
    turns: Vectors,
) -> Throw:
    """Return the throw with faces on, and with another motion of one die."""
    out = scene.labelled(made, dice, faces)
    positions = out.positions.copy()
    positions[:, slot], out.rotations[:, slot] = places, turns
    return replace(out, positions=positions)


def _bent(
    scene: Scene, made: Throw, slot: int, die: int, face: int, place: Vectors, turn: Rotation, flat: Rotation
) -> tuple[Vectors, Vectors, Rotation]:
    """Return a die's motion bent into a pose, with the face on, and its rotation when put flat."""
    cube = nearest_turn(turn, made.rotations[-1, slot])
    frames = max(2, round(_BEND_S * made.fps))
    places, turns = ending_in(
        made.positions[:, slot], made.rotations[:, slot], place, turn @ cube, frames, SIDE_MM
    )
    goal = flat @ cube
    left = scene.conditions.looks[die].left_handed
    label = np.rint(goal.T @ relabelled(goal, face, left_handed=left, turn=int(scene.rng.integers(4))))
    return places, turns @ label, np.asarray(goal @ label)


def _walls(scene: Scene, seat: int, made: Throw, slot: int) -> list[Wall]:
    """Return what a thrown die could lean on."""
    out: list[Wall] = []
    for other in range(made.positions.shape[1]):
        if other != slot:
            out += walls_of_die(made.positions[-1, other], made.rotations[-1, other], SIDE_MM)
    for die, (place, turn) in scene.lying.items():
        if die not in scene.in_tray:
            out += walls_of_die(place, turn, SIDE_MM)
    lane, end = scene.lane(seat), made.positions[-1, slot]
    for bar in rim_of(lane, scene.conditions.layout.rim_mm):
        out.append(_side_of(bar, end, "rim"))
    if scene.phone is not None:
        out.append(_side_of(phone_box(scene.phone), end, "phone"))
    return out


def _side_of(box: Obstacle, point: Vectors, of: str) -> Wall:
    """Return the side of a box that faces a point, with its foot nearest to that point."""
    c, s = np.cos(box.yaw_rad), np.sin(box.yaw_rad)
    axes = np.array([[c, s], [-s, c]])
    local = axes @ (np.asarray(point[:2]) - (box.x, box.y))
    half = np.array([box.half_x, box.half_y])
    axis = int(np.argmax(np.abs(local) - half))
    foot = np.clip(local, -half + 12, half - 12) if half.min() > 12 else np.clip(local, -half, half)
    foot[axis] = half[axis] * np.sign(local[axis])
    normal = axes.T[:, axis] * np.sign(local[axis])
    return Wall(axes.T @ foot + (box.x, box.y), normal, box.height, of)


def _has_room(
    scene: Scene, seat: int, made: Throw, slot: int, wall: Wall, place: Vectors, flat: Vectors
) -> bool:
    """Return whether a leaning die, and the same put flat, lie in the zone and touch nothing but the wall."""
    zone = scene.lane(seat).roll
    if not zone.holds(np.stack([place, flat]), 0.6 * SIDE_MM):
        return False
    others = [made.positions[-1, k][:2] for k in range(made.positions.shape[1]) if k != slot]
    others += [at[:2] for at, _ in scene.lying.values()]
    centre = wall.foot - wall.normal * SIDE_MM / 2
    if wall.of == "die":
        others = [at for at in others if float(np.linalg.norm(at - centre)) > 1.0]
    if not others:
        return True
    array = np.array(others)
    clear = min(float(np.linalg.norm(array - spot[:2], axis=1).min()) for spot in (place, flat))
    return clear > 1.45 * SIDE_MM


def _spot_beside(scene: Scene, seat: int, made: Throw, slot: int) -> Vectors | None:
    """Return a free place near the end of a die, also free of the other thrown dice."""
    keep = dict(scene.lying)
    for k in range(made.positions.shape[1]):
        if k != slot:
            scene.lying[-1 - k] = (made.positions[-1, k], made.rotations[-1, k])
    spot = scene.free_spot(scene.lane(seat), made.positions[-1, slot])
    scene.lying = keep
    return spot


def _meets(track: Vectors, made: Throw, slot: int) -> bool:
    """Return whether a track comes too near to the other dice of a throw, once it has left the hand."""
    for k in range(4, len(track)):
        others = np.delete(made.positions[k], slot, axis=0)
        if len(others) and float(np.linalg.norm(others - track[k], axis=1).min()) < 1.1 * SIDE_MM:
            return True
    return False


def _meets_lying(track: Vectors, scene: Scene) -> bool:
    """Return whether a track comes too near to dice that lie."""
    return any(
        float(np.linalg.norm(track[:, :2] - place[:2], axis=1).min()) < 1.5 * SIDE_MM
        for place, _ in scene.lying.values()
    )
