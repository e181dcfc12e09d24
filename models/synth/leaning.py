"""Dice that do not lie flat: leaning on a die or a rim, or lying on another die. Pure geometry, in mm.

Throws of boxes in a physics engine practically never end like that, so such an end is put together here: a
pose that can stand by friction, and a motion that runs from the engine's into it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.synth.dice import Rotation, cube_rotations
from models.synth.throw import Vectors

_STEEPEST_RAD = float(np.radians(40))
"""A die that leans steeper would show two faces alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Wall:
    """Something upright that a die can lean on."""

    foot: Vectors
    """(2,) middle of its foot on the table."""
    normal: Vectors
    """(2,) unit vector away from it."""
    height: float
    """Its height."""
    of: str
    """What it belongs to: `die`, `rim` or `phone`."""


@dataclass(frozen=True, slots=True, eq=False)
class Lean:
    """A die that leans, and the same die put flat."""

    position: Vectors
    """(3,) centre."""
    rotation: Rotation
    """(3, 3), table frame from die frame."""
    flat_position: Vectors
    """(3,) centre when it was straightened."""
    flat_rotation: Rotation
    """Its rotation then: the face that looked up most is on top."""


def walls_of_die(position: Vectors, rotation: Rotation, side: float) -> tuple[Wall, ...]:
    """Return the four sides of a die that lies flat."""
    level = rotation[:, int(np.argmin(np.abs(rotation[2])))][:2]
    level = level / np.linalg.norm(level)
    ahead = np.array([-level[1], level[0]])
    return tuple(
        Wall(position[:2] + normal * side / 2, normal, side, "die")
        for normal in (level, -level, ahead, -ahead)
    )


def lean(rng: np.random.Generator, wall: Wall, side: float) -> Lean:
    """Lean a die on a wall: against it with an edge, or with its underside over the top of a low one."""
    normal = np.array([*wall.normal, 0.0])
    up = np.array([0.0, 0.0, 1.0])
    along = np.cross(up, normal)
    if wall.height >= 0.8 * side:
        # Its weight is between the edge on the table and the edge at the wall while the angle is over 45.
        angle = np.radians(rng.uniform(54, 74))
        foot = side * np.sin(angle)
        u = -np.sin(angle) * normal + np.cos(angle) * up
        v = np.cos(angle) * normal + np.sin(angle) * up
    else:
        shortest = max(0.62 * side, wall.height / np.sin(_STEEPEST_RAD))
        reach = float(rng.uniform(shortest, max(shortest, 0.97 * side)))
        angle = np.arcsin(wall.height / reach)
        foot = reach * np.cos(angle)
        u = -np.cos(angle) * normal + np.sin(angle) * up
        v = np.sin(angle) * normal + np.cos(angle) * up
    base = np.array([*wall.foot, 0.0]) + along * rng.uniform(-0.3, 0.3) * side
    centre = base + foot * normal + (u + v) * side / 2
    rotation = np.stack([u, np.cross(v, u), v], axis=1)
    flat = np.stack([-normal, np.cross(up, -normal), up], axis=1)
    place = base + normal * (side / 2 + rng.uniform(0.15, 0.5) * side) + up * side / 2
    return Lean(centre, rotation, place, flat)


def stacked(rng: np.random.Generator, under: Vectors, side: float) -> tuple[Vectors, Rotation]:
    """Return (centre, rotation) of a die that lies on another one, off its middle."""
    yaw = rng.uniform(0, np.pi / 2)
    offset = rng.uniform(-0.3, 0.3, 2) * side
    c, s = np.cos(yaw), np.sin(yaw)
    rotation = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    return np.array([under[0] + offset[0], under[1] + offset[1], 1.5 * side]), rotation


def nearest_turn(rotation: Rotation, to: Rotation) -> Rotation:
    """Return which of the 24 turns of the cube brings `rotation @ turn` closest to `to`."""
    return max(cube_rotations(), key=lambda turn: float(np.trace(to.T @ rotation @ turn)))


def between(first: Rotation, last: Rotation, share: float) -> Rotation:
    """Return the rotation a share (0..1) of the way from one to the other, along the shortest arc."""
    import cv2

    arc, _ = cv2.Rodrigues(last @ first.T)
    part, _ = cv2.Rodrigues(arc * share)
    return np.asarray(part @ first, dtype=np.float64)


def ending_in(
    places: Vectors, turns: Vectors, position: Vectors, rotation: Rotation, frames: int, side: float
) -> tuple[Vectors, Vectors]:
    """Bend the last frames of a die's motion, (N, 3) and (N, 3, 3), so that it ends in a given pose.

    The die never sinks into the table. `rotation` should be near the last one (see `nearest_turn`).
    """
    places, turns = places.copy(), turns.copy()
    count = min(frames, len(places))
    shift = position - places[-1]
    for k in range(count):
        index = len(places) - count + k
        share = (k + 1) / count
        share = share * share * (3 - 2 * share)
        goal = between(turns[-1] if k + 1 == count else turns[index], rotation, share)
        places[index] = places[index] + shift * share
        turns[index] = goal
        low = places[index, 2] - side / 2 * float(np.abs(goal[2]).sum())
        places[index, 2] -= min(low, 0.0)
    places[-1], turns[-1] = position, rotation
    return places, turns
