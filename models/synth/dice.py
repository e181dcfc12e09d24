"""What a die is: geometry of its faces, and the many ways a die can look.

A die stands in its own frame: a cube of side 1 around the origin, faces across the axes. Face values are
fixed to the axes (`face_values`), so the value on top follows from the rotation alone: it is geometry, not
a label that somebody typed. Opposite faces add up to seven.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
"""A float32 array."""
Rotation = NDArray[np.float64]
"""(3, 3) rotation matrix, table frame from die frame."""
Colour = tuple[float, float, float]
"""(blue, green, red), each 0..1, linear light."""

_RIGHT_HANDED = (2, 5, 3, 4, 1, 6)
_LEFT_HANDED = (2, 5, 4, 3, 1, 6)


def face_values(left_handed: bool = False) -> tuple[int, int, int, int, int, int]:
    """Return the values of the faces across +x, -x, +y, -y, +z, -z of the die frame.

    Right-handed (usual in the West): 1, 2, 3 run anticlockwise around the corner they share.
    """
    return _LEFT_HANDED if left_handed else _RIGHT_HANDED


class Body(Enum):
    """What the body is made of."""

    PLAIN = "plain"
    MARBLED = "marbled"
    SPECKLED = "speckled"
    TRANSLUCENT = "translucent"


class Pip(Enum):
    """How the pips are made."""

    DRILLED = "drilled"
    """Hollows with paint in them."""
    FLAT = "flat"
    """Flush discs, as on casino dice."""
    RINGED = "ringed"
    """A printed disc under the one: a large dark disc with the pip in it."""


@dataclass(frozen=True, slots=True)
class DieLook:
    """How one die looks. Lengths are in sides of the die."""

    body: Colour = (0.80, 0.84, 0.86)
    """Colour of the body."""
    second: Colour = (0.60, 0.64, 0.66)
    """Second colour of a marbled or speckled body."""
    material: Body = Body.PLAIN
    """What the body is made of."""
    pip: Colour = (0.02, 0.02, 0.02)
    """Colour of the pips."""
    ace: Colour | None = None
    """Colour of the one (and the four), where it differs, as on dice from East Asia."""
    ace_scale: float = 1.0
    """Size of the pip of the one against the others."""
    pip_style: Pip = Pip.DRILLED
    """How the pips are made."""
    pip_radius: float = 0.09
    """Radius of a pip, 0.06..0.13."""
    pip_spread: float = 0.26
    """Distance of the outer pips from the middle of the face, along each edge; 0.2..0.3."""
    edge_radius: float = 0.10
    """Radius of the rounded edges, 0.02..0.2."""
    ball_radius: float = 1.0
    """The cube is cut by a ball of this radius: 0.87 and more cuts nothing, 0.66 makes very round dice."""
    gloss: float = 0.4
    """Strength of reflections, 0 (chalk) .. 1 (polished)."""
    left_handed: bool = False
    """Whether 3 and 4 are exchanged."""
    turned: tuple[bool, bool, bool] = (False, False, False)
    """Whether the pips of the 2, the 3 and the 6 are turned by a quarter."""
    texture_seed: int = 0
    """Seed of the marbling, the speckles and the small unevenness of the pips."""


def top_face(rotation: Rotation, left_handed: bool = False) -> tuple[int, float]:
    """Return (value of the face that looks up most, its tilt from the vertical in radians)."""
    up = np.asarray(rotation, dtype=np.float64)[2]
    axis = int(np.argmax(np.abs(up)))
    value = face_values(left_handed)[2 * axis + int(up[axis] < 0)]
    return value, float(np.arccos(np.clip(abs(up[axis]), 0.0, 1.0)))


def axis_rotation(axis: int, angle_rad: float) -> Rotation:
    """Return the rotation about coordinate axis 0, 1 or 2 by an angle, anticlockwise seen from its tip."""
    c, s = float(np.cos(angle_rad)), float(np.sin(angle_rad))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out = np.eye(3)
    out[i, i], out[i, j], out[j, i], out[j, j] = c, -s, s, c
    return out


@lru_cache(maxsize=1)
def cube_rotations() -> tuple[Rotation, ...]:
    """Return the 24 rotations that map the cube onto itself."""
    found: list[Rotation] = []
    for k in range(64):
        turned = np.rint(
            axis_rotation(2, (k % 4) * np.pi / 2)
            @ axis_rotation(1, (k // 4 % 4) * np.pi / 2)
            @ axis_rotation(0, (k // 16) * np.pi / 2)
        )
        if not any(np.array_equal(turned, other) for other in found):
            turned.setflags(write=False)
            found.append(turned)
    return tuple(found)


def relabelled(rotation: Rotation, value: int, *, left_handed: bool = False, turn: int = 0) -> Rotation:
    """Return `rotation` with the body turned into itself so that `value` is on top.

    The solid stands exactly as before (a cube has 24 such turns), so physics stays true; only the numbers
    move. `turn` (0..3) chooses which of the four turns that bring `value` up.
    """
    up = np.asarray(rotation, dtype=np.float64)[2]
    axis = int(np.argmax(np.abs(up)))
    fitting = _bringing_up(2 * axis + int(up[axis] < 0), value, left_handed)
    return np.asarray(rotation @ fitting[turn % len(fitting)])


@lru_cache(maxsize=128)
def _bringing_up(place: int, value: int, left_handed: bool) -> tuple[Rotation, ...]:
    """Return the four turns of the body that carry `value` to where `face_values()[place]` was."""
    wanted = np.zeros(3)
    wanted[place // 2] = -1.0 if place % 2 else 1.0
    home = np.zeros(3)
    index = face_values(left_handed).index(value)
    home[index // 2] = -1.0 if index % 2 else 1.0
    return tuple(turn for turn in cube_rotations() if np.array_equal(turn @ home, wanted))


def flat_rotation(value: int, yaw_rad: float, *, left_handed: bool = False) -> Rotation:
    """Return the rotation of a flat die with `value` on top, turned by `yaw_rad` about the vertical."""
    return axis_rotation(2, yaw_rad) @ relabelled(np.eye(3), value, left_handed=left_handed)


_PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def pip_places(value: int, turned: tuple[bool, bool, bool]) -> tuple[tuple[float, float], ...]:
    """Return the places of the pips of a face, in units of the spread; (0, 0) is the middle of the face."""
    places = _PIPS[value]
    which = {2: 0, 3: 1, 6: 2}.get(value)
    if which is not None and turned[which]:
        return tuple((-v, u) for u, v in places)
    return places


@dataclass(frozen=True, slots=True, eq=False)
class Atlas:
    """The six faces of a look as one texture, side by side in the order of `face_values`."""

    albedo: Floats
    """(tile, 6 * tile, 3) colour, linear light, BGR."""
    relief: Floats
    """(tile, 6 * tile, 3): slopes along u and v of the drilled pips, and where there is a pip (0..1)."""
    tile_px: int
    """Pixels along one face."""


@lru_cache(maxsize=256)
def face_atlas(look: DieLook, tile_px: int = 64) -> Atlas:
    """Paint the six faces of a die.

    Tile k shows the face of `face_values()[k]`; u runs to the right and v down, both from -0.5 to 0.5 across
    the face; for the faces across x, y, z the axes (u, v) are (y, z), (z, x), (x, y) of the die frame.
    """
    rng = np.random.default_rng(look.texture_seed)
    grid = (np.arange(tile_px, dtype=np.float32) + 0.5) / tile_px - 0.5
    u, v = grid[None, :], grid[:, None]
    edge = 1.2 / tile_px
    body = np.asarray(look.body, dtype=np.float32)
    mix = _body_mix(look, tile_px, rng)
    albedo = np.asarray(body + (np.asarray(look.second, dtype=np.float32) - body) * mix[..., None])
    relief = np.zeros((tile_px, 6 * tile_px, 3), dtype=np.float32)
    for index, value in enumerate(face_values(look.left_handed)):
        tile = slice(index * tile_px, (index + 1) * tile_px)
        colour = look.ace if look.ace is not None and value in (1, 4) else look.pip
        paint = np.asarray(colour, dtype=np.float32)
        radius = look.pip_radius * (look.ace_scale if value == 1 else 1.0)
        if look.pip_style is Pip.RINGED and value == 1:
            disc = np.clip(0.5 - (np.hypot(u, v) - 0.36) / edge, 0, 1)[..., None]
            albedo[:, tile] += (paint - albedo[:, tile]) * disc
            paint = body
        for place_u, place_v in pip_places(value, look.turned):
            centre = np.array([place_u, place_v]) * look.pip_spread + rng.normal(0.0, 0.004, 2)
            reach = radius + 2 * edge
            low = np.maximum(np.floor((centre - reach + 0.5) * tile_px).astype(int), 0)
            high = np.minimum(np.ceil((centre + reach + 0.5) * tile_px).astype(int), tile_px)
            rows, columns = slice(low[1], high[1]), slice(low[0], high[0])
            du = grid[None, columns] - np.float32(centre[0])
            dv = grid[rows, None] - np.float32(centre[1])
            inside = np.clip(0.5 - (np.sqrt(du * du + dv * dv) - radius) / edge, 0, 1)
            spot = albedo[:, tile][rows, columns]
            spot += (paint - spot) * inside[..., None]
            hollow = relief[:, tile][rows, columns]
            np.maximum(hollow[..., 2], inside, out=hollow[..., 2])
            if look.pip_style is Pip.DRILLED:
                bowl = inside * np.float32(0.9 / radius)
                hollow[..., 0] += du * bowl
                hollow[..., 1] += dv * bowl
    for part in (albedo, relief):
        part.setflags(write=False)
    return Atlas(np.ascontiguousarray(albedo, dtype=np.float32), relief, tile_px)


def _body_mix(look: DieLook, tile_px: int, rng: np.random.Generator) -> Floats:
    """Return the share of the second colour, (tile, 6 * tile), 0..1."""
    import cv2

    shape = (tile_px, 6 * tile_px)
    if look.material is Body.SPECKLED:
        fine = cv2.GaussianBlur(rng.random(shape, dtype=np.float32), (0, 0), max(tile_px / 50, 0.6))
        high = float(np.quantile(fine, rng.uniform(0.75, 0.95)))
        return np.asarray(np.clip((fine - high) / (0.15 * float(fine.std()) + 1e-6), 0, 1), dtype=np.float32)
    if look.material is Body.MARBLED or look.material is Body.TRANSLUCENT:
        cells = int(rng.integers(2, 6))
        coarse = rng.random((cells, 6 * cells), dtype=np.float32)
        smooth = cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)
        veins = 0.5 + 0.5 * np.sin(smooth * rng.uniform(4, 12))
        strength = 1.0 if look.material is Body.MARBLED else 0.35
        return np.asarray(np.clip(veins, 0, 1) * strength, dtype=np.float32)
    return np.zeros(shape, dtype=np.float32)


_BODIES: tuple[tuple[str, Colour], ...] = (
    ("white", (0.82, 0.84, 0.85)),
    ("ivory", (0.50, 0.68, 0.78)),
    ("bone", (0.34, 0.52, 0.64)),
    ("red", (0.03, 0.03, 0.52)),
    ("dark red", (0.03, 0.02, 0.22)),
    ("orange", (0.02, 0.22, 0.75)),
    ("yellow", (0.04, 0.55, 0.78)),
    ("green", (0.06, 0.30, 0.04)),
    ("light green", (0.10, 0.60, 0.25)),
    ("teal", (0.35, 0.30, 0.03)),
    ("blue", (0.42, 0.12, 0.02)),
    ("navy", (0.14, 0.04, 0.02)),
    ("sky", (0.70, 0.45, 0.12)),
    ("purple", (0.28, 0.03, 0.16)),
    ("pink", (0.45, 0.30, 0.75)),
    ("brown", (0.03, 0.08, 0.18)),
    ("grey", (0.25, 0.25, 0.25)),
    ("black", (0.015, 0.015, 0.015)),
)
"""Names and linear colours of the common bodies."""

BODY_NAMES = tuple(name for name, _ in _BODIES)
"""Names that `random_look` knows as `body`."""


def luminance(colour: Colour) -> float:
    """Return the relative luminance of a linear BGR colour (Rec. 709)."""
    return 0.0722 * colour[0] + 0.7152 * colour[1] + 0.2126 * colour[2]


def random_look(rng: np.random.Generator, *, body: str | None = None) -> DieLook:
    """Draw a look: about two in five white or ivory, the rest of every colour, pips always readable.

    `body` is one of `BODY_NAMES`, or None for any.
    """
    if body is None:
        odds = np.array([5, 3, 1, 3, 1, 1, 1, 1.5, 1, 0.7, 1.5, 0.7, 1, 1, 0.7, 0.7, 1, 2.5])
        body = BODY_NAMES[int(rng.choice(len(BODY_NAMES), p=odds / odds.sum()))]
    base = np.asarray(dict(_BODIES)[body], dtype=np.float64)
    base = np.clip(base * rng.uniform(0.8, 1.15) * (1 + rng.normal(0, 0.06, 3)), 0.008, 0.9)
    colour = _as_colour(base)
    material = Body(str(rng.choice([b.value for b in Body], p=[0.70, 0.10, 0.08, 0.12])))
    if material is Body.SPECKLED:
        second = _as_colour(np.clip(base * rng.uniform(0.2, 0.7) + rng.uniform(0, 0.35), 0, 0.9))
    else:
        second = _as_colour(np.clip(base * rng.uniform(0.35, 1.3, 3) + rng.uniform(0, 0.12, 3), 0, 0.9))
    shade = luminance(colour)
    dark = _as_colour(rng.uniform(0.004, 0.04, 3))
    light = _as_colour(np.clip(rng.uniform(0.62, 0.9) * np.array([1.0, 1.0, 1.0]), 0, 0.9))
    if shade > 0.35:
        pip = dark
        if rng.random() < 0.18:
            pip = _pick(rng, ((0.04, 0.02, 0.45), (0.40, 0.06, 0.02), (0.05, 0.18, 0.02)))
    elif shade > 0.14 and rng.random() < 0.35:
        pip = dark
    elif shade < 0.05 and rng.random() < 0.25:
        pip = _pick(rng, ((0.05, 0.5, 0.7), (0.10, 0.45, 0.65), (0.6, 0.4, 0.1), (0.05, 0.05, 0.6)))
    else:
        pip = light
    eastern = shade > 0.35 and rng.random() < 0.12
    ringed = not eastern and rng.random() < 0.05
    style = Pip.RINGED if ringed else (Pip.FLAT if rng.random() < 0.4 else Pip.DRILLED)
    radius = float(rng.uniform(0.070, 0.108))
    ball = 1.0 if rng.random() < 0.55 else float(rng.uniform(0.665, 0.80))
    return DieLook(
        body=colour,
        second=second,
        material=material,
        pip=pip,
        ace=(0.03, 0.02, 0.50) if eastern else None,
        ace_scale=float(rng.uniform(1.3, 2.1)) if eastern else (1.15 if rng.random() < 0.15 else 1.0),
        pip_style=style,
        pip_radius=radius,
        pip_spread=float(rng.uniform(max(0.205, 2.15 * radius), 0.285)),
        edge_radius=float(rng.choice([rng.uniform(0.02, 0.06), rng.uniform(0.06, 0.17)], p=[0.3, 0.7])),
        ball_radius=ball,
        gloss=float(rng.uniform(0.1, 1.0)),
        left_handed=bool(rng.random() < 0.4),
        turned=(bool(rng.random() < 0.5), bool(rng.random() < 0.5), bool(rng.random() < 0.5)),
        texture_seed=int(rng.integers(2**31)),
    )


def _as_colour(values: NDArray[np.float64]) -> Colour:
    """Return three numbers as a colour."""
    return (float(values[0]), float(values[1]), float(values[2]))


def _pick(rng: np.random.Generator, colours: tuple[Colour, ...]) -> Colour:
    """Return one of the colours."""
    return colours[int(rng.integers(len(colours)))]
