"""A small, fast ray caster for dice on a table.

No GL and no mesh: a die is a rounded cube (optionally cut by a ball), met by one ray a sub-pixel. Rays first
meet the enclosing cube in closed form; only those that land on a rounded edge go on by sphere tracing, so a
die costs about as much as its pixels. Shading: one key light, an ambient sky with the bounce of the table,
a soft lamp that mirrors in glossy faces, shadows on the table and on other dice.

Frames: the table is the plane z = 0, z up, any unit of length. The camera frame is OpenCV's: x right,
y down, z forward; pixels count from the outer corner of the top left pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.dice import Atlas, Body, Colour, DieLook, Floats, Rotation, face_atlas, luminance

Points = NDArray[np.float64]
"""(N, 2) or (N, 3) float64 points."""

_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A pinhole camera."""

    width_px: int
    """Width of the picture."""
    height_px: int
    """Height of the picture."""
    focal_px: float
    """Focal length in pixels."""
    position: Points
    """(3,) place of the camera in the table frame."""
    camera_from_table: Rotation
    """(3, 3) rotation."""

    def project(self, points: Points) -> Points:
        """Return the pixels (N, 2) of points (N, 3) of the table frame that lie before the camera."""
        seen = (np.asarray(points, dtype=np.float64) - self.position) @ self.camera_from_table.T
        centre = np.array([self.width_px / 2, self.height_px / 2])
        return np.asarray(seen[:, :2] / seen[:, 2:3] * self.focal_px + centre)

    def table_point(self, pixel: tuple[float, float], height: float = 0.0) -> Points:
        """Return the point (3,) at `height` above the table that is seen at `pixel`."""
        ray = self.camera_from_table.T @ np.array(
            [
                (pixel[0] - self.width_px / 2) / self.focal_px,
                (pixel[1] - self.height_px / 2) / self.focal_px,
                1.0,
            ]
        )
        return np.asarray(self.position + ray * ((height - self.position[2]) / ray[2]))


def look_down(
    width_px: int,
    height_px: int,
    *,
    focal_px: float,
    distance: float,
    tilt_rad: float = 0.0,
    azimuth_rad: float = 0.0,
    roll_rad: float = 0.0,
    target: tuple[float, float] = (0.0, 0.0),
) -> Camera:
    """Return a camera that looks at `target` on the table from `distance`, `tilt_rad` away from the vertical.

    With no tilt, azimuth or roll the picture's x is the table's x and the picture's y is minus the table's y.
    """
    direction = np.array(
        [
            np.sin(tilt_rad) * np.cos(azimuth_rad - np.pi / 2),
            np.sin(tilt_rad) * np.sin(azimuth_rad - np.pi / 2),
            np.cos(tilt_rad),
        ]
    )
    right = np.array([np.cos(azimuth_rad), np.sin(azimuth_rad), 0.0])
    forward = -direction
    down = np.cross(forward, right)
    c, s = np.cos(roll_rad), np.sin(roll_rad)
    rotation = np.stack([c * right + s * down, -s * right + c * down, forward])
    position = np.array([target[0], target[1], 0.0]) + direction * distance
    return Camera(width_px, height_px, focal_px, position, rotation)


@dataclass(frozen=True, slots=True)
class Light:
    """The light on the table. Irradiance on the table without shadow is `exposure` times `tint`."""

    towards: tuple[float, float, float] = (0.35, 0.35, 0.87)
    """Unit vector from the table to the key light."""
    share: float = 0.6
    """Share of the key light in what falls on the table, 0..1; the rest is sky."""
    softness: float = 0.15
    """Width of the penumbra of a die's shadow, in sides."""
    exposure: float = 1.0
    """How bright a white horizontal face is."""
    tint: Colour = (1.0, 1.0, 1.0)
    """Colour of the light."""
    bounce: Colour = (0.2, 0.2, 0.2)
    """Colour of the table as it lights the lower halves of dice, linear."""
    lamp: tuple[float, float, float] = (0.2, 0.1, 0.97)
    """Unit vector to the middle of a large lamp or window that mirrors in glossy faces."""
    lamp_width: float = 0.15
    """Angular size of that lamp; larger is a wider veil."""
    lamp_power: float = 0.6
    """Brightness of its mirror image on gloss 1."""


@dataclass(frozen=True, slots=True, eq=False)
class PosedDie:
    """A die in the table frame."""

    look: DieLook
    """How it looks."""
    position: Points
    """(3,) centre of the die."""
    rotation: Rotation
    """(3, 3), table frame from die frame."""
    side: float = 1.0
    """Length of a side."""

    def corners(self, scale: float = 1.0) -> Points:
        """Return the eight corners (8, 3) of the enclosing cube, enlarged about its centre by `scale`."""
        return np.asarray(self.position + (_CORNERS * self.side * scale) @ self.rotation.T)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the picture shows of one die."""

    box_px: tuple[float, float, float, float]
    """(x, y, width, height) of its visible pixels; zeros when nothing shows."""
    visible: float
    """Share of its outline that shows: neither behind other dice nor outside the picture; 0..1."""
    top_visible: float
    """The same for the face that looks up most."""
    contrast: float
    """Difference between body and pips on that face, as drawn, 0..1; under 0.06 nobody can read it."""
    top_centre_px: tuple[float, float]
    """The middle of that face, projected; may lie outside the picture."""
    centre_px: tuple[float, float]
    """The middle of the die, projected."""


@dataclass(slots=True, eq=False)
class _Hits:
    """Where the rays of one die hit it, inside its own rectangle of sub-pixels."""

    x0: int
    y0: int
    width: int
    height: int
    row: NDArray[np.intp]
    column: NDArray[np.intp]
    depth: Floats
    point: Floats
    normal: Floats
    ray: Floats
    tile: NDArray[np.int8]
    kept: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))


def render_dice(
    picture: Floats,
    camera: Camera,
    dice: Sequence[PosedDie],
    light: Light,
    *,
    supersample: int | None = None,
) -> tuple[Seen, ...]:
    """Draw the shadows of the dice and the dice into `picture`, in place.

    Args:
        picture: (H, W, 3) float32 BGR, 0..1, with the gamma of the display (not linear).
        camera: of the size of `picture`.
        dice: in any order; depth is resolved for each sub-pixel.
        light: of the scene.
        supersample: sub-pixels along each side of a pixel; None chooses 2, or 3 for dice under 26 px.

    Returns:
        What shows of each die, in the order given.
    """
    if not dice:
        return ()
    draw_shadows(picture, camera, dice, light)
    if supersample is None:
        smallest = min(_size_px(camera, die) for die in dice)
        supersample = 3 if smallest < 26 else 2
    rects = [_rectangle(camera, die, supersample) for die in dice]
    seen: list[Seen | None] = [None] * len(dice)
    for members in _clusters(rects):
        _draw_cluster(picture, camera, dice, members, rects, light, supersample, seen)
    return tuple(s for s in seen if s is not None)


def _size_px(camera: Camera, die: PosedDie) -> float:
    """Return about how many pixels a side has."""
    depth = float(camera.camera_from_table[2] @ (die.position - camera.position))
    return camera.focal_px * die.side / max(depth, 1e-6)


def _rectangle(camera: Camera, die: PosedDie, supersample: int) -> tuple[int, int, int, int]:
    """Return (x0, y0, x1, y1) in sub-pixels around the projected die."""
    pixels = camera.project(die.corners()) * supersample
    low = np.floor(pixels.min(axis=0)).astype(int)
    high = np.ceil(pixels.max(axis=0)).astype(int)
    return int(low[0]), int(low[1]), int(high[0]) + 1, int(high[1]) + 1


def _clusters(rects: Sequence[tuple[int, int, int, int]]) -> list[list[int]]:
    """Group rectangles that overlap, directly or through others."""
    groups: list[list[int]] = []
    for index, rect in enumerate(rects):
        joined = [index]
        apart: list[list[int]] = []
        for group in groups:
            if any(_overlap(rect, rects[other]) for other in group):
                joined += group
            else:
                apart.append(group)
        groups = [*apart, joined]
    return groups


def _overlap(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    """Return whether two rectangles share a sub-pixel (with two of tolerance for the pixel grid)."""
    return a[0] < b[2] + 4 and b[0] < a[2] + 4 and a[1] < b[3] + 4 and b[1] < a[3] + 4


def _draw_cluster(
    picture: Floats,
    camera: Camera,
    dice: Sequence[PosedDie],
    members: list[int],
    rects: Sequence[tuple[int, int, int, int]],
    light: Light,
    ss: int,
    seen: list[Seen | None],
) -> None:
    """Cast, resolve depth, shade and blend the dice of one group of overlapping rectangles."""
    x0 = min(rects[i][0] for i in members) // ss
    y0 = min(rects[i][1] for i in members) // ss
    x1 = -(-max(rects[i][2] for i in members) // ss)
    y1 = -(-max(rects[i][3] for i in members) // ss)
    wide, high = (x1 - x0) * ss, (y1 - y0) * ss
    depth = np.full(wide * high, np.inf, dtype=np.float32)
    owner = np.full(wide * high, -1, dtype=np.int16)
    hits: dict[int, _Hits] = {}
    places: dict[int, NDArray[np.intp]] = {}
    for i in members:
        hit = _cast(camera, dice[i], rects[i], ss)
        hits[i] = hit
        place = (hit.row + (hit.y0 - y0 * ss)) * wide + (hit.column + (hit.x0 - x0 * ss))
        places[i] = place
        nearer = hit.depth < depth[place]
        depth[place[nearer]] = hit.depth[nearer]
        owner[place[nearer]] = i
    colour = np.zeros((high * wide, 3), dtype=np.float32)
    for i in members:
        mine = owner[places[i]] == i
        hits[i].kept = mine
        contrast = 0.0
        if mine.any():
            shade, pips = _shade(camera, dice, i, hits[i], light, ss)
            colour[places[i][mine]] = shade
            contrast = _contrast(dice[i], hits[i], shade, pips)
        seen[i] = _measure(camera, dice[i], hits[i], ss, contrast)
    alpha = (owner >= 0).astype(np.float32).reshape(high, wide)
    size = (x1 - x0, y1 - y0)
    small = cv2.resize(colour.reshape(high, wide, 3), size, interpolation=cv2.INTER_AREA)
    cover = cv2.resize(alpha, size, interpolation=cv2.INTER_AREA)
    left, top = max(x0, 0), max(y0, 0)
    right, bottom = min(x1, camera.width_px), min(y1, camera.height_px)
    if right <= left or bottom <= top:
        return
    part = (slice(top - y0, bottom - y0), slice(left - x0, right - x0))
    below = picture[top:bottom, left:right]
    below *= (1.0 - cover[part])[..., None]
    below += small[part]


def _cast(camera: Camera, die: PosedDie, rect: tuple[int, int, int, int], ss: int) -> _Hits:
    """Meet the die with one ray through the middle of every sub-pixel of its rectangle."""
    x0, y0, x1, y1 = rect
    width, height = x1 - x0, y1 - y0
    local_from_camera = (die.rotation.T @ camera.camera_from_table.T) / die.side
    start = (die.rotation.T @ (camera.position - die.position) / die.side).astype(np.float32)
    xs = ((np.arange(x0, x1) + 0.5) / ss - camera.width_px / 2) / camera.focal_px
    ys = ((np.arange(y0, y1) + 0.5) / ss - camera.height_px / 2) / camera.focal_px
    near = np.full((height, width), -np.inf, dtype=np.float32)
    far = np.full((height, width), np.inf, dtype=np.float32)
    rays: list[Floats] = []
    for axis in range(3):
        a, b, c = local_from_camera[axis]
        ray = ((b * ys + c)[:, None] + (a * xs)[None, :]).astype(np.float32)
        ray[np.abs(ray) < 1e-9] = 1e-9
        rays.append(ray)
        first = (-0.5 - start[axis]) / ray
        second = (0.5 - start[axis]) / ray
        np.maximum(near, np.minimum(first, second), out=near)
        np.minimum(far, np.maximum(first, second), out=far)
    row, column = np.nonzero(near < far)
    index = row * width + column
    t = near.ravel()[index]
    end = far.ravel()[index]
    ray3 = np.stack([ray.ravel()[index] for ray in rays])
    t, on = _trace(die.look, start, ray3, t, end, tolerance=0.35 / (ss * max(_size_px(camera, die), 1.0)))
    if not on.all():
        row, column, t, ray3 = row[on], column[on], t[on], _columns(ray3, on)
    point = np.asarray(start[:, None] + ray3 * t, dtype=np.float32)
    normal = _normals(die.look, point)
    x, y, z = np.abs(point)
    across_x = (x >= y) & (x >= z)
    across_y = ~across_x & (y >= z)
    negative = (point < 0).view(np.int8)
    tile = np.where(across_x, negative[0], np.where(across_y, 2 + negative[1], 4 + negative[2]))
    return _Hits(x0, y0, width, height, row, column, t, point, normal, ray3, tile.astype(np.int8))


def _columns(array: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Return `array[:, chosen]`, row by row, which numpy does several times faster."""
    if chosen.all():
        return array
    return np.stack([row[chosen] for row in array])


def _distance(look: DieLook, point: Floats) -> Floats:
    """Return the signed distance of points (3, N) of the die frame to the surface (a lower bound outside)."""
    q = np.abs(point) - np.float32(0.5 - look.edge_radius)
    outside = np.maximum(q, 0)
    d = np.sqrt(np.einsum("ij,ij->j", outside, outside)) - np.float32(look.edge_radius)
    d += np.minimum(q.max(axis=0), 0)
    if look.ball_radius < 0.866:
        ball = np.sqrt(np.einsum("ij,ij->j", point, point)) - np.float32(look.ball_radius)
        d = np.maximum(d, ball)
    return np.asarray(d, dtype=np.float32)


def _trace(
    look: DieLook, start: Floats, ray: Floats, t: Floats, end: Floats, *, tolerance: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Walk along the rays from the enclosing cube to the rounded surface; return (depth, whether it hit)."""
    t = t.copy()
    on = np.ones(t.shape, dtype=np.bool_)
    stretch = 1.0 / np.sqrt(np.einsum("ij,ij->j", ray, ray))
    d = _distance(look, start[:, None] + ray * t)
    active = np.flatnonzero(d > tolerance)
    d = d[active]
    for _ in range(12):
        if active.size == 0:
            break
        t[active] += d * stretch[active]
        gone = t[active] > end[active]
        on[active[gone]] = False
        active = active[~gone]
        d = _distance(look, start[:, None] + ray[:, active] * t[active])
        still = d > tolerance
        active, d = active[still], d[still]
    on[active] = False
    return t, on


def _normals(look: DieLook, point: Floats) -> Floats:
    """Return the unit normals (3, N) at surface points of the die frame."""
    q = np.maximum(np.abs(point) - np.float32(0.5 - look.edge_radius), 1e-6)
    normal = np.copysign(q, point)
    if look.ball_radius < 0.866:
        box = np.sqrt(np.einsum("ij,ij->j", q, q)) - np.float32(look.edge_radius)
        length = np.sqrt(np.einsum("ij,ij->j", point, point))
        ball = length - np.float32(look.ball_radius) > box
        normal[:, ball] = point[:, ball]
    normal /= np.sqrt(np.einsum("ij,ij->j", normal, normal))
    return normal


def _top_tile(die: PosedDie) -> int:
    """Return the index, in the order of `face_values`, of the face that looks up most."""
    up = die.rotation[2]
    axis = int(np.argmax(np.abs(up)))
    return 2 * axis + int(up[axis] < 0)


def _contrast(die: PosedDie, hit: _Hits, shade: Floats, pips: Floats) -> float:
    """Return the largest difference of a channel between body and pips on the top face; 0 if unseen."""
    top = hit.tile[hit.kept] == _top_tile(die)
    pip, body = np.flatnonzero(top & (pips > 0.6)), np.flatnonzero(top & (pips < 0.1))
    if pip.size == 0 or body.size == 0:
        return 0.0
    return max(abs(float(shade[pip, k].mean()) - float(shade[body, k].mean())) for k in range(3))


def _measure(camera: Camera, die: PosedDie, hit: _Hits, ss: int, contrast: float) -> Seen:
    """Say what shows of a die, from its sub-pixels."""
    top_tile = _top_tile(die)
    tip = np.zeros(3)
    tip[top_tile // 2] = (0.5 - (top_tile % 2)) * die.side
    centres = camera.project(np.stack([die.position + die.rotation @ tip, die.position]))
    x, y = hit.column + hit.x0, hit.row + hit.y0
    inside = (x >= 0) & (y >= 0) & (x < camera.width_px * ss) & (y < camera.height_px * ss)
    shown = hit.kept & inside
    top = hit.tile == top_tile
    top_centre = (float(centres[0, 0]), float(centres[0, 1]))
    centre = (float(centres[1, 0]), float(centres[1, 1]))
    count = int(shown.sum())
    if count == 0:
        return Seen((0.0, 0.0, 0.0, 0.0), 0.0, 0.0, 0.0, top_centre, centre)
    xs, ys = x[shown], y[shown]
    left, upper = float(xs.min()) / ss, float(ys.min()) / ss
    box = (left, upper, (float(xs.max()) + 1) / ss - left, (float(ys.max()) + 1) / ss - upper)
    top_total = int(top.sum())
    return Seen(
        box,
        count / hit.row.size,
        float((shown & top).sum()) / top_total if top_total else 0.0,
        contrast,
        top_centre,
        centre,
    )


_UV = ((1, 2), (2, 0), (0, 1))


def _look_up(atlas: Atlas, hit: _Hits, kept: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return (albedo (N, 3), relief (N, 3)) of the atlas at the surface points."""
    point, tile = _columns(hit.point, kept), hit.tile[kept]
    axis = tile >> 1
    u = np.where(axis == 0, point[1], np.where(axis == 1, point[2], point[0]))
    v = np.where(axis == 0, point[2], np.where(axis == 1, point[0], point[1]))
    size = atlas.tile_px
    count = u.size
    rows = -(-count // 256)
    x = np.zeros(rows * 256, dtype=np.float32)
    y = np.zeros(rows * 256, dtype=np.float32)
    x[:count] = np.clip((u + 0.5) * size - 0.5, 0, size - 1) + tile * np.float32(size)
    y[:count] = np.clip((v + 0.5) * size - 0.5, 0, size - 1)
    x, y = x.reshape(rows, 256), y.reshape(rows, 256)
    albedo, relief = (
        np.asarray(cv2.remap(texture, x, y, cv2.INTER_LINEAR), dtype=np.float32).reshape(-1, 3)[:count]
        for texture in (atlas.albedo, atlas.relief)
    )
    return albedo, relief


def _tile_px(size_px: float, ss: int) -> int:
    """Return a texture size near the number of sub-pixels of a face."""
    for size in (32, 48, 64, 96):
        if size_px * ss <= size * 1.25:
            return size
    return 128


def _shade(
    camera: Camera, dice: Sequence[PosedDie], which: int, hit: _Hits, light: Light, ss: int
) -> tuple[Floats, Floats]:
    """Return the colours (N, 3), gamma of the display, of the sub-pixels of a die, and whether pip (N,)."""
    die = dice[which]
    look = die.look
    kept = hit.kept
    atlas = face_atlas(look, _tile_px(_size_px(camera, die), ss))
    albedo, relief = _look_up(atlas, hit, kept)
    local = _columns(hit.normal, kept).copy()
    if relief.size and float(np.abs(relief[:, :2]).max()) > 1e-3:
        axis = hit.tile[kept] >> 1
        for a in range(3):
            sel = np.flatnonzero((axis == a) & (relief[:, 2] > 0.02))
            u, v = _UV[a]
            local[u, sel] -= relief[sel, 0]
            local[v, sel] -= relief[sel, 1]
        local /= np.sqrt(np.einsum("ij,ij->j", local, local))
    rotation = die.rotation.astype(np.float32)
    normal = rotation @ local
    point = (
        rotation @ (_columns(hit.point, kept) * np.float32(die.side))
        + die.position.astype(np.float32)[:, None]
    )
    view = rotation @ _columns(hit.ray, kept)
    view /= -np.sqrt(np.einsum("ij,ij->j", view, view))

    towards = np.asarray(light.towards, dtype=np.float32)
    facing = towards @ normal
    lit = np.maximum(facing, 0)
    sky = 0.5 + 0.5 * normal[2]
    floor = np.clip(point[2] / die.side, 0, 1)
    ambient_floor = 0.45 + 0.55 * np.sqrt(floor)
    for other, neighbour in enumerate(dice):
        if other == which:
            continue
        gap = float(np.linalg.norm(neighbour.position - die.position)) / die.side
        if gap > 3.2:
            continue
        lit *= _open_to_light(point, neighbour, towards, light.softness)
        if gap < 1.9:
            ambient_floor *= _open_to_sky(point, neighbour)
    key = light.exposure * light.share / max(float(towards[2]), 0.35)
    fill = light.exposure * (1 - light.share)
    ground = (1 - sky) * ambient_floor * (0.85 * light.exposure)
    above = fill * sky * ambient_floor + key * lit
    across = np.clip(np.einsum("ij,ij->j", normal, view), -1, 1)
    grazing = 1 - np.abs(across)
    if look.material is Body.TRANSLUCENT:
        through = (0.25 + 0.75 * np.maximum(-facing, 0) + 0.5 * grazing) * (1 - relief[:, 2])
        above = above * 0.72 + 0.55 * light.exposure * through
    mirror = (2 * across) * normal - view
    squared = grazing * grazing
    fresnel = 0.06 + 0.94 * squared * squared * grazing
    lamp = np.asarray(light.lamp, dtype=np.float32) @ mirror
    veil = light.lamp_power * np.exp((lamp - 1) * np.float32(1 / light.lamp_width**2))
    spot_width = 0.012 + 0.03 * (1 - look.gloss) ** 2
    spot = np.exp((towards @ mirror - 1) * np.float32(1 / spot_width)) * (0.5 * light.share * (lit > 0))
    shine = veil * np.minimum(1, 3 * fresnel) + spot + fresnel * (0.175 + 0.175 * mirror[2])
    shine *= (look.gloss * light.exposure) * (1 - 0.6 * relief[:, 2])
    # Colours as three contiguous rows: numpy is slow on a last axis of three.
    colour = np.ascontiguousarray(albedo.T)
    for channel in range(3):
        row = colour[channel]
        row *= above + ground * np.float32(light.bounce[channel])
        row += shine
        row *= np.float32(light.tint[channel])
    np.clip(colour, 0, 1, out=colour)
    return np.asarray(np.sqrt(colour).T, dtype=np.float32), relief[:, 2]


def _open_to_light(point: Floats, other: PosedDie, towards: Floats, softness: float) -> Floats:
    """Return how much of the key light reaches the points (3, N) past another die, 0..1.

    The length of the way through the other die's cube, against the softness, stands for the penumbra.
    """
    inverse = other.rotation.T.astype(np.float32) / np.float32(other.side)
    start = inverse @ (point - other.position.astype(np.float32)[:, None])
    ray = inverse @ towards
    near = np.zeros(point.shape[1], dtype=np.float32)
    far = np.full(point.shape[1], 50.0, dtype=np.float32)
    for axis in range(3):
        step = float(ray[axis])
        if abs(step) < 1e-6:
            step = 1e-6
        first = (-0.47 - start[axis]) / step
        second = (0.47 - start[axis]) / step
        np.maximum(near, np.minimum(first, second), out=near)
        np.minimum(far, np.maximum(first, second), out=far)
    length = np.maximum(far - near, 0) * np.float32(np.linalg.norm(ray))
    return np.asarray(1 - np.minimum(length / max(2.0 * softness, 0.05), 1), dtype=np.float32)


def _open_to_sky(point: Floats, other: PosedDie) -> Floats:
    """Return how much of the sky is left near another die, 0.45..1."""
    inverse = other.rotation.T.astype(np.float32) / np.float32(other.side)
    place = inverse @ (point - other.position.astype(np.float32)[:, None])
    q = np.maximum(np.abs(place) - np.float32(0.5), 0)
    distance = np.sqrt(np.einsum("ij,ij->j", q, q))
    return np.asarray(1 - 0.5 * np.exp(-distance / np.float32(0.22)), dtype=np.float32)


def draw_shadows(picture: Floats, camera: Camera, dice: Sequence[PosedDie], light: Light) -> None:
    """Darken the table under the dice, in place: contact shadow, and the shadow of the key light."""
    towards = np.asarray(light.towards, dtype=np.float64)
    towards = towards / max(float(towards[2]), 0.2)
    cast: list[Points] = []
    contact: list[tuple[Points, float]] = []
    for die in dice:
        corners = die.corners(0.97)
        flat = corners - towards * corners[:, 2:3]
        cast.append(_hull(camera.project(flat)))
        lift = max(float(corners[:, 2].min()), 0.0) / die.side
        under = die.corners(1.06 + 0.5 * lift)
        under[:, 2] = 0.0
        contact.append((_hull(camera.project(under)), max(0.0, 1 - 1.3 * lift)))
    size = float(np.median([_size_px(camera, die) for die in dice]))
    colour = np.ones(3, dtype=np.float32)
    glassy = [die.look for die in dice if die.look.material is Body.TRANSLUCENT]
    if glassy and len(glassy) * 2 > len(dice):
        body = np.asarray(glassy[0].body, dtype=np.float32)
        colour = 1 - 0.5 * body / max(luminance(glassy[0].body), float(body.max()), 1e-3)
    _darken(picture, [(hull, 1.0) for hull in cast], light.softness * size, light.share * 0.92 * colour)
    _darken(picture, contact, 0.11 * size, 0.5 * (1 - 0.5 * light.share) * np.ones(3, dtype=np.float32))


def _hull(pixels: Points) -> Points:
    """Return the convex hull (K, 2) of points (N, 2)."""
    return np.asarray(cv2.convexHull(pixels.astype(np.float32)).reshape(-1, 2), dtype=np.float64)


def _darken(picture: Floats, shapes: list[tuple[Points, float]], sigma_px: float, amount: Floats) -> None:
    """Take away `amount` (3,) of the linear light under blurred polygons of the strengths given, in place."""
    height, width = picture.shape[:2]
    sigma_px = max(sigma_px, 0.5)
    margin = int(np.ceil(3 * sigma_px)) + 2
    low = np.min([hull.min(axis=0) for hull, _ in shapes], axis=0).astype(int) - margin
    high = np.max([hull.max(axis=0) for hull, _ in shapes], axis=0).astype(int) + margin
    x0, y0 = int(np.clip(low[0], -margin, width)), int(np.clip(low[1], -margin, height))
    x1, y1 = int(np.clip(high[0], 0, width + margin)), int(np.clip(high[1], 0, height + margin))
    if x1 <= max(x0, 0) or y1 <= max(y0, 0):
        return
    step = 2 if sigma_px > 4 else 1
    mask = np.zeros((-(-(y1 - y0) // step), -(-(x1 - x0) // step)), dtype=np.uint8)
    for hull, strength in shapes:
        if strength <= 0:
            continue
        corners = np.rint((hull - (x0, y0)) / step * 16).astype(np.int32)
        if strength >= 1:
            cv2.fillConvexPoly(mask, corners, 255, cv2.LINE_AA, 4)
        else:
            one = np.zeros_like(mask)
            cv2.fillConvexPoly(one, corners, int(255 * strength), cv2.LINE_AA, 4)
            np.maximum(mask, one, out=mask)
    soft = cv2.GaussianBlur(mask, (0, 0), sigma_px / step)
    if step > 1:
        soft = cv2.resize(soft, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
    left, top, right, bottom = max(x0, 0), max(y0, 0), min(x1, width), min(y1, height)
    part = soft[top - y0 : bottom - y0, left - x0 : right - x0]
    ramp = np.arange(256, dtype=np.float32) / 255
    below = picture[top:bottom, left:right]
    for channel in range(3):
        table = np.sqrt(np.clip(1 - ramp * amount[channel], 0, 1)).astype(np.float32)
        below[..., channel] *= cv2.LUT(part, table)
