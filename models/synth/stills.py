"""Single pictures of dice with the truth about every die, made to train and test the reader.

Everything is drawn at random: number, size and looks of the dice, how they touch, lean and leave the
picture, camera height and tilt, table, light, lens and sensor. The truth is geometry: value, box and
visible share come from the poses and from the sub-pixels that show each die, never from the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from models.synth.dice import (
    BODY_NAMES,
    Colour,
    DieLook,
    Floats,
    Rotation,
    axis_rotation,
    flat_rotation,
    random_look,
    relabelled,
    top_face,
)
from models.synth.render import Camera, Light, PosedDie, Seen, look_down, render_dice
from models.synth.surfaces import surface
from vision.frame import Image, check_image


@dataclass(frozen=True, slots=True)
class StillDie:
    """The truth about one die of a picture; pixels of that picture."""

    value: int | None
    """The face on top, 1..6; None for a cocked die."""
    box_px: tuple[float, float, float, float]
    """(x, y, width, height) of the visible part of the projected die; inside the picture."""
    top_centre_px: tuple[float, float]
    """The middle of the face that looks up most, projected; may lie outside the picture."""
    state: Literal["flat", "cocked"]
    """Flat on the table, or leaning on another die."""
    visible: float
    """Share of the die's outline that shows (not behind another die, not outside the picture), 0..1."""
    top_visible: float
    """Share of the top face that shows, 0..1."""
    contrast: float
    """Difference between body and pips of that face before lens and sensor, 0..1; under 0.06: unreadable."""
    size_px: float
    """Projected length of a side near the die."""
    steep_deg: float
    """Angle between the line of sight to the die and the vertical: 0 straight from above."""


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """A picture and its truth."""

    image: Image
    """(H, W, 3) uint8, BGR."""
    dice: tuple[StillDie, ...]
    """Every die of which at least one pixel shows."""


def make_still(
    rng: np.random.Generator,
    *,
    width_px: int = 256,
    height_px: int = 256,
    background: Image | None = None,
    dice: int | None = None,
    size_px: tuple[float, float] = (20.0, 70.0),
    max_tilt_deg: float = 45.0,
    min_tilt_deg: float = 0.0,
    cocked_share: float = 0.12,
    camera_effects: bool = True,
) -> Still:
    """Draw one picture.

    Args:
        rng: source of all chance; the same state gives the same picture.
        width_px: width of the picture.
        height_px: height of the picture.
        background: (H, W, 3) uint8 BGR picture to crop or enlarge; None paints a table.
        dice: how many dice; None draws 0..12, mostly few.
        size_px: smallest and largest side of a die in pixels.
        max_tilt_deg: largest tilt of the camera from the vertical; small tilts are the most frequent.
        min_tilt_deg: smallest tilt; above 0 all tilts between the two are equally frequent.
        cocked_share: chance, for each die after the first, of leaning on another.
        camera_effects: whether lens blur, vignetting, noise and JPEG traces are added.

    Raises:
        BadImage: if `background` is not a (H, W, 3) uint8 picture.
        ValueError: if the sizes are not positive and in order.
    """
    if not 4.0 <= size_px[0] <= size_px[1]:
        raise ValueError(f"size_px must be (smallest, largest) with 4 <= smallest <= largest, got {size_px}")
    side_px = float(np.exp(rng.uniform(np.log(size_px[0]), np.log(size_px[1]))))
    camera = _random_camera(rng, width_px, height_px, side_px, (min_tilt_deg, max_tilt_deg))
    ground = (
        surface(rng, width_px, height_px)
        if background is None
        else _fitted(rng, background, width_px, height_px)
    )
    light = _random_light(rng, ground)
    count = _random_count(rng, width_px, height_px, side_px) if dice is None else dice
    looks = _random_looks(rng, count, ground)
    posed, cocked = _arrange(rng, camera, looks, side_px, size_px, cocked_share)
    light = _with_veil(rng, light, camera)
    picture = ground.astype(np.float32) / 255.0
    picture *= _gradient(rng, height_px, width_px, light)
    seen = render_dice(picture, camera, posed, light)
    image = photograph(rng, picture, detail_px=side_px) if camera_effects else _to_bytes(picture)
    return Still(image, _truth(camera, posed, cocked, seen))


def _truth(
    camera: Camera, posed: Sequence[PosedDie], cocked: Sequence[bool], seen: Sequence[Seen]
) -> tuple[StillDie, ...]:
    """Put poses and visibility together."""
    out: list[StillDie] = []
    for die, leans, shown in zip(posed, cocked, seen, strict=True):
        if shown.visible <= 0:
            continue
        depth = float(camera.camera_from_table[2] @ (die.position - camera.position))
        out.append(
            StillDie(
                value=None if leans else top_face(die.rotation, die.look.left_handed)[0],
                box_px=shown.box_px,
                top_centre_px=shown.top_centre_px,
                state="cocked" if leans else "flat",
                visible=shown.visible,
                top_visible=shown.top_visible,
                contrast=shown.contrast,
                size_px=camera.focal_px * die.side / depth,
                steep_deg=_steepness(camera, die),
            )
        )
    return tuple(out)


def _steepness(camera: Camera, die: PosedDie) -> float:
    """Return the angle in degrees between the line of sight to a die and the vertical."""
    sight = camera.position - die.position
    return float(np.degrees(np.arccos(sight[2] / np.linalg.norm(sight))))


# ---- scene -----------------------------------------------------------------------------------------


def _random_count(rng: np.random.Generator, width_px: int, height_px: int, side_px: float) -> int:
    """Draw the number of dice: 0 in one picture of twenty, mostly 1..6, never more than fit."""
    room = max(1, int(0.35 * width_px * height_px / (side_px * 1.25) ** 2))
    if rng.random() < 0.05:
        return 0
    drawn = int(rng.choice(np.arange(1, 13), p=np.array([9, 10, 11, 11, 12, 12, 7, 5, 4, 3, 3, 3]) / 90))
    return min(drawn, room)


def _random_camera(
    rng: np.random.Generator, width_px: int, height_px: int, side_px: float, tilt_deg: tuple[float, float]
) -> Camera:
    """Draw a camera; a side of 1 has `side_px` in the middle of the picture."""
    low, high = np.radians(tilt_deg)
    slanted = low > 0
    tilt = rng.uniform(low, high) if slanted else 0.0 if rng.random() < 0.15 else high * rng.random() ** 1.6
    # This picture may be a crop out of a larger one: the focal length is that of the whole camera.
    zoom = rng.uniform(np.log(3.0 if slanted else 1.0), np.log(8.0 if slanted else 6.0))
    focal = float(max(width_px, height_px)) * float(np.exp(zoom))
    corner = np.arctan(0.5 * np.hypot(width_px, height_px) / focal)
    tilt = min(tilt, np.radians(86.0) - corner)  # the table ends before the horizon
    return look_down(
        width_px,
        height_px,
        focal_px=focal,
        distance=focal / side_px,
        tilt_rad=float(tilt),
        azimuth_rad=float(rng.uniform(-np.pi, np.pi)),
        roll_rad=float(rng.normal(0, 0.1)),
    )


def _random_light(rng: np.random.Generator, ground: Image) -> Light:
    """Draw lamp or daylight, hard or soft, from any side, warm or cool."""
    mean = np.asarray(ground.reshape(-1, 3)[::37], dtype=np.float64).mean(axis=0) / 255.0
    linear = mean**2
    low = rng.random() < 0.25
    elevation = np.radians(rng.uniform(22, 45) if low else rng.uniform(45, 88))
    azimuth = rng.uniform(-np.pi, np.pi)
    towards = (
        float(np.cos(elevation) * np.cos(azimuth)),
        float(np.cos(elevation) * np.sin(azimuth)),
        float(np.sin(elevation)),
    )
    share = float(rng.uniform(0.15, 0.9))
    tint = np.exp(rng.normal(0, 0.05, 3) + rng.normal(0, 0.13) * np.array([-1.0, 0.0, 1.0]))
    if rng.random() < 0.05:
        tint = np.exp(rng.normal(0, 0.3, 3))
    tint /= tint.max()
    exposure = float(np.exp(rng.normal(-0.05, 0.3)))
    lamp_tilt, lamp_turn = abs(rng.normal(0, 0.5)), rng.uniform(-np.pi, np.pi)
    return Light(
        towards=towards,
        share=share,
        softness=float(np.exp(rng.uniform(np.log(0.02), np.log(0.6)))),
        exposure=exposure,
        tint=(float(tint[0]), float(tint[1]), float(tint[2])),
        bounce=_colour(linear * 0.9),
        lamp=(
            float(np.sin(lamp_tilt) * np.cos(lamp_turn)),
            float(np.sin(lamp_tilt) * np.sin(lamp_turn)),
            float(np.cos(lamp_tilt)),
        ),
        lamp_width=float(rng.uniform(0.06, 0.3)),
        lamp_power=float(rng.uniform(0.0, 0.8)),
    )


def _with_veil(rng: np.random.Generator, light: Light, camera: Camera) -> Light:
    """Sometimes put the lamp where the top faces mirror it into the camera: a white veil."""
    if rng.random() > 0.14:
        return light
    view = camera.position / np.linalg.norm(camera.position)
    lamp = np.array([-view[0], -view[1], view[2]]) + rng.normal(0, 0.08, 3)
    lamp /= np.linalg.norm(lamp)
    return replace(
        light,
        lamp=(float(lamp[0]), float(lamp[1]), float(lamp[2])),
        lamp_power=float(rng.uniform(0.4, 1.6)),
        lamp_width=float(rng.uniform(0.08, 0.35)),
    )


def _random_looks(rng: np.random.Generator, count: int, ground: Image) -> list[DieLook]:
    """Draw one set for all, a few sets, or all different; now and then a body of the table's own colour."""
    if count == 0:
        return []
    kind = rng.random()
    body = None
    if rng.random() < 0.12:
        body = _nearest_body(ground)
    if kind < 0.5:
        return [random_look(rng, body=body)] * count
    if kind < 0.8:
        few = [random_look(rng, body=body)] + [random_look(rng) for _ in range(int(rng.integers(1, 3)))]
        return [few[int(rng.integers(len(few)))] for _ in range(count)]
    return [random_look(rng) for _ in range(count)]


def _nearest_body(ground: Image) -> str:
    """Return the name of the common body that is hardest to tell from the table."""
    probe = np.random.default_rng(0)
    mean = (np.asarray(ground.reshape(-1, 3)[::37], dtype=np.float64).mean(axis=0) / 255.0) ** 2
    bodies = {name: np.asarray(random_look(probe, body=name).body) for name in BODY_NAMES}
    return min(bodies, key=lambda name: float(np.abs(np.sqrt(bodies[name]) - np.sqrt(mean)).sum()))


def _arrange(
    rng: np.random.Generator,
    camera: Camera,
    looks: Sequence[DieLook],
    side_px: float,
    size_px: tuple[float, float],
    cocked_share: float,
) -> tuple[list[PosedDie], list[bool]]:
    """Place the dice: scattered, pushed against each other, in rows and blocks, some leaning."""
    posed: list[PosedDie] = []
    cocked: list[bool] = []
    mixed = rng.random() < 0.2
    crowd = float(rng.choice([0.05, 0.3, 0.7], p=[0.45, 0.35, 0.2]))
    inset = float(rng.choice([-0.35, 0.6], p=[0.3, 0.7]))
    if looks and rng.random() < 0.12:
        posed = _block(rng, camera, looks, inset * side_px)
        return posed, [False] * len(posed)
    for look in looks:
        scale = float(np.clip(rng.normal(1.0, 0.15), 0.7, 1.3)) if mixed else 1.0
        scale = float(np.clip(scale * side_px, size_px[0], size_px[1])) / side_px
        for _ in range(12):
            lean = bool(posed) and rng.random() < cocked_share
            if lean or (posed and rng.random() < crowd):
                die = _against(rng, posed, look, scale, lean)
            else:
                lean = False
                die = _scattered(rng, camera, look, scale, inset * side_px)
            if die is not None and not any(_touching(die, other, 0.985) for other in posed):
                posed.append(die)
                cocked.append(lean)
                break
    return posed, cocked


def _scattered(
    rng: np.random.Generator, camera: Camera, look: DieLook, side: float, inset_px: float
) -> PosedDie:
    """Place a flat die anywhere in the picture; a negative inset lets it stick out."""
    x = rng.uniform(inset_px, camera.width_px - inset_px)
    y = rng.uniform(inset_px, camera.height_px - inset_px)
    place = camera.table_point((float(x), float(y)), side / 2)
    return PosedDie(look, place, _any_flat(rng, look), side)


def _any_flat(rng: np.random.Generator, look: DieLook, yaw_rad: float | None = None) -> Rotation:
    """Return a flat rotation with any value on top, turned by `yaw_rad` or anyhow."""
    value = int(rng.integers(1, 7))
    turn = rng.uniform(-np.pi, np.pi) if yaw_rad is None else yaw_rad + int(rng.integers(4)) * np.pi / 2
    return flat_rotation(value, float(turn), left_handed=look.left_handed)


def _block(
    rng: np.random.Generator, camera: Camera, looks: Sequence[DieLook], inset_px: float
) -> list[PosedDie]:
    """Place dice in a row or a block, face to face or with small gaps, as people line them up."""
    columns = int(rng.integers(1, len(looks) + 1))
    yaw = float(rng.uniform(-np.pi, np.pi))
    gap = float(rng.choice([1.0, rng.uniform(1.0, 1.25)]))
    x = rng.uniform(inset_px, camera.width_px - inset_px)
    y = rng.uniform(inset_px, camera.height_px - inset_px)
    middle = camera.table_point((float(x), float(y)), 0.5)
    turn = axis_rotation(2, yaw)
    out: list[PosedDie] = []
    rows = -(-len(looks) // columns)
    for index, look in enumerate(looks):
        row, column = divmod(index, columns)
        offset = np.array([(column - (columns - 1) / 2) * gap, (row - (rows - 1) / 2) * gap, 0.0])
        offset[:2] += rng.normal(0, 0.02, 2) if gap > 1.05 else 0.0
        wobble = float(rng.normal(0, 0.05)) if gap > 1.1 else 0.0
        out.append(PosedDie(look, middle + turn @ offset, _any_flat(rng, look, yaw + wobble), 1.0))
    return out


def _against(
    rng: np.random.Generator, posed: Sequence[PosedDie], look: DieLook, side: float, lean: bool
) -> PosedDie | None:
    """Push a die along the table until it touches another; a leaning one is tipped towards that one first."""
    target = posed[int(rng.integers(len(posed)))]
    if abs(target.rotation[2]).max() < 0.999:
        return None  # leans itself: nothing can lean on it
    from_yaw = float(rng.uniform(-np.pi, np.pi))
    rotation: Rotation
    if lean:
        # A die tipped over its lower edge towards the target: its leading upper edge meets the target's side.
        tip = float(np.radians(rng.uniform(15, 50)))
        facing = float(np.arctan2(target.rotation[1, 0], target.rotation[0, 0]))
        from_yaw = facing + int(rng.integers(4)) * np.pi / 2 + float(rng.normal(0, 0.15))
        spin = from_yaw + float(rng.normal(0, 0.25))
        away = axis_rotation(2, spin)
        # Positive turns about -y carry the top towards -x, where the target is.
        rotation = away @ axis_rotation(1, -tip) @ axis_rotation(2, int(rng.integers(4)) * np.pi / 2)
        rotation = rotation @ relabelled(np.eye(3), int(rng.integers(1, 7)), left_handed=look.left_handed)
    else:
        yaw = float(np.arctan2(target.rotation[1, 0], target.rotation[0, 0]))
        rotation = _any_flat(rng, look, yaw if rng.random() < 0.4 else None)
    lowest = float((np.abs(rotation[2]) * 0.5).sum()) * side
    direction = np.array([np.cos(from_yaw), np.sin(from_yaw), 0.0])
    sideways = np.array([-np.sin(from_yaw), np.cos(from_yaw), 0.0]) * rng.normal(0, 0.05 if lean else 0.35)
    base = np.array([target.position[0], target.position[1], lowest]) + sideways * target.side
    apart, together = 3.0 * max(side, target.side), 0.0
    for _ in range(18):
        middle = (apart + together) / 2
        if _touching(PosedDie(look, base + direction * middle, rotation, side), target, 1.0):
            together = middle
        else:
            apart = middle
    gap = 0.0 if lean or rng.random() < 0.6 else float(rng.uniform(0, 0.15))
    return PosedDie(look, base + direction * (apart + gap), rotation, side)


def _touching(a: PosedDie, b: PosedDie, scale: float) -> bool:
    """Return whether the cubes, scaled about their centres, overlap (separating axes of two boxes)."""
    between = b.position - a.position
    if float(np.linalg.norm(between)) > 0.87 * (a.side + b.side):
        return False
    # Separating axes of two boxes (the 15 of the usual test), in one go.
    first, second = a.rotation.T, b.rotation.T
    i, j = np.repeat(first, 3, axis=0), np.tile(second, (3, 1))
    crossed = np.empty((9, 3))
    for k in range(3):
        crossed[:, k] = i[:, k - 2] * j[:, k - 1] - i[:, k - 1] * j[:, k - 2]
    axes = np.concatenate([first, second, crossed[np.einsum("ij,ij->i", crossed, crossed) > 1e-9]])
    reach = a.side * np.abs(axes @ a.rotation).sum(axis=1) + b.side * np.abs(axes @ b.rotation).sum(axis=1)
    return bool((np.abs(axes @ between) < reach * (scale / 2)).all())


# ---- picture ---------------------------------------------------------------------------------------


def _fitted(rng: np.random.Generator, background: Image, width_px: int, height_px: int) -> Image:
    """Return a random crop of the picture, enlarged where it is too small, turned and mirrored at random."""
    check_image(background)
    picture = background
    if rng.random() < 0.5:
        picture = np.asarray(np.rot90(picture, int(rng.integers(1, 4))))
    if rng.random() < 0.5:
        picture = picture[:, ::-1]
    height, width = picture.shape[:2]
    scale = max(width_px / width, height_px / height)
    if scale > 1:
        size = (max(width_px, int(np.ceil(width * scale))), max(height_px, int(np.ceil(height * scale))))
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
        height, width = picture.shape[:2]
    x = int(rng.integers(width - width_px + 1))
    y = int(rng.integers(height - height_px + 1))
    return np.ascontiguousarray(picture[y : y + height_px, x : x + width_px], dtype=np.uint8)


def _gradient(rng: np.random.Generator, height_px: int, width_px: int, light: Light) -> Floats:
    """Return the uneven light on the table (H, W, 3): a slope and now and then the edge of a large shadow."""
    y = np.linspace(-1, 1, height_px, dtype=np.float32)[:, None]
    x = np.linspace(-1, 1, width_px, dtype=np.float32)[None, :]
    slope = rng.normal(0, 0.06, 2)
    field = 1 + slope[0] * x + slope[1] * y
    if rng.random() < 0.12:
        turn = rng.uniform(-np.pi, np.pi)
        edge = np.cos(turn) * x + np.sin(turn) * y - rng.uniform(-0.8, 0.8)
        field = field * (1 - rng.uniform(0.15, 0.5) / (1 + np.exp(-edge * rng.uniform(8, 60))))
    tint = np.sqrt(np.asarray(light.tint, dtype=np.float32)) * np.float32(min(light.exposure, 1.15) ** 0.5)
    return np.asarray(field[..., None] * tint, dtype=np.float32)


def photograph(
    rng: np.random.Generator,
    picture: Floats,
    *,
    blur_px: float | None = None,
    noise: float | None = None,
    jpeg_quality: int | None = None,
    detail_px: float = 50.0,
) -> Image:
    """Take a picture (H, W, 3), 0..1, through a lens and a sensor; return uint8.

    Args:
        rng: source of all chance.
        picture: gamma of the display; not changed.
        blur_px: deviation of the lens blur; None draws 0..1.4.
        noise: deviation of the sensor noise at mid grey, 0..1 scale; None draws 0..0.05.
        jpeg_quality: quality of a JPEG round trip, 0 for none; None draws.
        detail_px: side of a die; drawn blur stays small against it, so that pips can still be told.
    """
    height, width = picture.shape[:2]
    blur = abs(float(rng.normal(0, 0.6))) if rng.random() < 0.85 else float(rng.uniform(0.8, 2.0))
    blur = min(blur, 0.05 * detail_px) if blur_px is None else blur_px
    out = cv2.GaussianBlur(picture, (0, 0), blur) if blur > 0.25 else picture.copy()
    if blur_px is None and rng.random() < 0.06:
        length = int(rng.integers(2, max(3, int(0.16 * detail_px)) + 1))
        kernel = np.zeros((length, length), dtype=np.float32)
        turn = rng.uniform(-np.pi, np.pi)
        tip = np.array([np.cos(turn), np.sin(turn)]) * (length - 1) / 2
        middle = (length - 1) / 2
        ends = [(round(middle + s * tip[0]), round(middle + s * tip[1])) for s in (-1, 1)]
        cv2.line(kernel, ends[0], ends[1], 1.0)
        out = np.asarray(cv2.filter2D(out, -1, kernel / kernel.sum()), dtype=np.float32)
    if rng.random() < 0.5:
        y = np.linspace(-1, 1, height, dtype=np.float32)[:, None] + np.float32(rng.normal(0, 0.3))
        x = np.linspace(-1, 1, width, dtype=np.float32)[None, :] + np.float32(rng.normal(0, 0.3))
        out *= (1 - np.float32(rng.uniform(0.02, 0.22)) * (x * x + y * y) / 2)[..., None]
    gain = np.float32(np.exp(rng.normal(0, 0.12)))
    if rng.random() < 0.6:
        # Automatic exposure: cameras bring the brighter parts near white.
        bright, brightest = np.quantile(out[::5, ::5], [0.97, 0.997])
        gain = np.float32(np.clip(rng.uniform(0.7, 1.05) / max(float(bright), 0.05), 0.6, 2.5))
        gain = min(gain, np.float32(1.12 / max(float(brightest), 0.05)))
    lift = np.float32(rng.uniform(0, 0.08)) if rng.random() < 0.3 else np.float32(0)
    out = out * (gain * (1 - lift)) + lift
    if rng.random() < 0.06:
        out = np.repeat(out.mean(axis=2, keepdims=True), 3, axis=2)
    sigma = abs(float(rng.normal(0, 0.018))) if noise is None else noise
    if sigma > 0.002:
        grain = rng.standard_normal((height, width, 1), dtype=np.float32)
        if rng.random() < 0.6:
            grain = grain + 0.6 * rng.standard_normal((height, width, 3), dtype=np.float32)
        if rng.random() < 0.4:
            grain = cv2.GaussianBlur(grain, (0, 0), 0.7).reshape(height, width, -1) * 2.0
        out = out + grain * np.float32(sigma)
    if rng.random() < 0.2:
        soft = cv2.GaussianBlur(out, (0, 0), 1.2)
        out = out + (out - soft) * np.float32(rng.uniform(0.3, 1.2))
    image = _to_bytes(np.asarray(out, dtype=np.float32))
    quality = jpeg_quality
    if quality is None:
        quality = int(rng.integers(35, 96)) if rng.random() < 0.7 else 0
    if quality > 0:
        _, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        image = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)
    return image


def _to_bytes(picture: Floats) -> Image:
    """Return 0..1 floats as uint8."""
    return np.asarray(np.clip(picture * 255.0 + 0.5, 0, 255), dtype=np.uint8)


def _colour(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Colour:
    """Return three numbers as a colour."""
    return (float(values[0]), float(values[1]), float(values[2]))
