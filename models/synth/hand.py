"""A hand with its forearm, seen from above: drawn once in a few poses, then moved over the picture.

The hand is a smooth union of capsules, turned into a height field and lit by the light of the scene, so it
has knuckles, creases between the fingers, a thumb and a sleeve. It is no anatomy, but it covers, moves and
shades like a hand, in every colour of skin, glove and sleeve.

Hand frame, in mm: the wrist at the origin, the fingers towards +y, the forearm towards -y; palm down.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from models.synth.dice import Colour, Floats
from models.synth.render import Camera, Light
from models.synth.surfaces import noise

PALM = (0.0, 55.0)
"""The point of the hand frame that is steered: the middle of the palm."""
_PX_PER_MM = 2.0
_X0, _X1, _Y0, _Y1 = -75.0, 75.0, -340.0, 180.0
_POSES = 5


@dataclass(frozen=True, slots=True)
class HandLook:
    """Whose hand it is."""

    skin: Colour = (0.22, 0.34, 0.58)
    """Linear colour of the skin or the glove."""
    glove: bool = False
    """A glove: no nails, no reddish fingertips."""
    sleeve: Colour | None = (0.25, 0.10, 0.06)
    """Colour of the sleeve; None for a bare forearm."""
    cuff: float = -25.0
    """Where the sleeve ends, mm along the arm (the wrist is 0)."""
    left: bool = False
    """A left hand."""
    scale: float = 1.0
    """Size against an adult's hand."""
    seed: int = 0
    """Seed of the unevenness."""


_SKINS: tuple[Colour, ...] = (
    (0.42, 0.52, 0.72),
    (0.30, 0.42, 0.66),
    (0.20, 0.32, 0.54),
    (0.12, 0.20, 0.38),
    (0.06, 0.11, 0.22),
    (0.03, 0.05, 0.10),
)


def random_hand(rng: np.random.Generator) -> HandLook:
    """Draw a hand: every skin, one glove in eight, two sleeves in three."""
    glove = bool(rng.random() < 0.125)
    if glove:
        base = np.array([(0.02, 0.02, 0.02), (0.6, 0.6, 0.6), (0.4, 0.15, 0.05), (0.05, 0.05, 0.4)])
        skin = base[int(rng.integers(len(base)))]
    else:
        skin = np.asarray(_SKINS[int(rng.integers(len(_SKINS)))]) * rng.uniform(0.85, 1.15)
    sleeve: Colour | None = None
    if rng.random() < 0.67:
        tone = rng.uniform(0.01, 0.6, 3) if rng.random() < 0.6 else np.full(3, rng.uniform(0.01, 0.7))
        sleeve = (float(tone[0]), float(tone[1]), float(tone[2]))
    return HandLook(
        skin=(float(skin[0]), float(skin[1]), float(skin[2])),
        glove=glove,
        sleeve=sleeve,
        cuff=float(rng.uniform(-120, -5)),
        left=bool(rng.random() < 0.12),
        scale=float(rng.uniform(0.88, 1.08)),
        seed=int(rng.integers(2**31)),
    )


Capsule = tuple[tuple[float, float, float], tuple[float, float, float], float, float]
"""(x, y, height of the axis), the other end, radius at each end; mm."""


def _capsules(spread: float, pointing: bool = False) -> tuple[list[Capsule], list[Capsule]]:
    """Return (arm, hand) for a hand that is closed (0) to wide open (1); `pointing`: one finger straight."""
    arm: list[Capsule] = [
        ((0, -345, 20), (0, -120, 18), 44, 36),
        ((0, -120, 18), (0, -8, 14), 36, 25),
    ]
    knuckles = ((-29.0, 82.0), (-9.0, 90.0), (11.0, 87.0), (29.0, 76.0))
    roots = ((-15.0, 12.0), (-5.0, 10.0), (6.0, 10.0), (15.0, 12.0))
    radii = (11.5, 12.0, 11.5, 10.0)
    hand: list[Capsule] = [
        ((-7, 18, 12), (-10, 62, 15), 27, 25),
        ((9, 18, 12), (12, 58, 14), 25, 23),
    ]
    lengths = (62.0, 72.0, 66.0, 50.0)
    fans = (-0.34, -0.08, 0.16, 0.42)
    thumb = 0.15 if pointing else spread
    for index, (knuckle, root, radius, length, fan) in enumerate(
        zip(knuckles, roots, radii, lengths, fans, strict=True)
    ):
        if pointing:
            spread = 0.9 if index == 0 else 0.0
        hand.append(((*root, 20), (*knuckle, 24 - 3 * spread), radius + 1, radius + 1))
        # A curled finger is foreshortened: first joint ahead and up, tip back down.
        turn = fan * (0.25 + 0.75 * spread)
        ahead = np.array([np.sin(turn), np.cos(turn)])
        reach = length * (0.34 + 0.66 * spread)
        joint = np.asarray(knuckle) + ahead * reach * 0.52
        tip = np.asarray(knuckle) + ahead * reach
        hand.append(
            (
                (*knuckle, 24 - 3 * spread),
                (float(joint[0]), float(joint[1]), 25 - 6 * spread),
                radius,
                radius - 1,
            )
        )
        hand.append(
            (
                (float(joint[0]), float(joint[1]), 25 - 6 * spread),
                (float(tip[0]), float(tip[1]), 13),
                radius - 1,
                radius - 2.5,
            )
        )
    near = np.array([-36 - 10 * thumb, 44.0])
    tip = np.array([-34 - 30 * thumb, 84 - 4 * thumb])
    hand.append(((-16, 16, 14), (float(near[0]), float(near[1]), 15), 16, 13.5))
    hand.append(((float(near[0]), float(near[1]), 15), (float(tip[0]), float(tip[1]), 12), 13, 10))
    return arm, hand


@dataclass(frozen=True, slots=True, eq=False)
class _Sprite:
    """One pose of a hand: colour (gamma of the display) and cover, both (H, W[, 3])."""

    colour: Floats
    cover: Floats


class Hand:
    """A hand in all its poses, ready to be drawn into pictures."""

    def __init__(self, look: HandLook, light: Light) -> None:
        """Prepare to draw poses under the light of the scene, each once, pointing up in the picture."""
        self.look = look
        self._light = light
        self._sprites: dict[int, _Sprite] = {}

    def _pose(self, spread: float, pointing: bool) -> _Sprite:
        """Return a pose, drawn when it is first wanted."""
        number = -1 if pointing else round(float(np.clip(spread, 0, 1)) * (_POSES - 1))
        if number not in self._sprites:
            self._sprites[number] = _sprite(self.look, self._light, max(number, 0) / (_POSES - 1), pointing)
        return self._sprites[number]

    def draw(
        self,
        picture: Floats,
        camera: Camera,
        light: Light,
        palm: tuple[float, float],
        *,
        towards: tuple[float, float],
        spread: float,
        height: float,
        pointing: bool = False,
    ) -> None:
        """Draw the shadow and the hand into `picture` (H, W, 3), 0..1, in place.

        Args:
            picture: gamma of the display.
            camera: over the table (mm).
            light: of the scene.
            palm: where the middle of the palm is, mm on the table.
            towards: unit vector in which the fingers point.
            spread: 0 closed .. 1 open.
            height: of the palm above the table in mm.
            pointing: whether the forefinger points and the others are curled.
        """
        sprite = self._pose(spread, pointing)
        place = _placing(camera, palm, towards, height, self.look)
        size = (camera.width_px, camera.height_px)
        shadow = _placing(camera, _shadow_of(palm, light, height), towards, 0.0, self.look)
        blur = max(4.0, (2 + light.softness * height) * camera.focal_px / float(camera.position[2]))
        under = _bounds(shadow, size, margin=int(3 * blur))
        if under is not None:
            x0, y0, x1, y1 = under
            local = np.array([[1.0, 0, -x0], [0, 1, -y0], [0, 0, 1]]) @ _square(shadow)
            quarter = np.diag([0.25, 0.25, 1.0])
            small = (-(-(x1 - x0) // 4), -(-(y1 - y0) // 4))
            dark = cv2.warpAffine(sprite.cover, (quarter @ local)[:2], small)
            dark = cv2.GaussianBlur(dark, (0, 0), 0.25 * blur)
            dark = cv2.resize(dark, (4 * small[0], 4 * small[1]), interpolation=cv2.INTER_LINEAR)
            dark = dark[: y1 - y0, : x1 - x0]
            left = np.asarray(1 - (0.22 + 0.28 * light.share) * dark, dtype=np.float32)
            below = picture[y0:y1, x0:x1]
            cv2.multiply(below, cv2.cvtColor(left, cv2.COLOR_GRAY2BGR), dst=below)
        box = _bounds(place, size)
        if box is None:
            return
        x0, y0, x1, y1 = box
        local = np.array([[1.0, 0, -x0], [0, 1, -y0], [0, 0, 1]]) @ _square(place)
        cover = cv2.warpAffine(sprite.cover, local[:2], (x1 - x0, y1 - y0))
        colour = cv2.warpAffine(sprite.colour, local[:2], (x1 - x0, y1 - y0), borderMode=cv2.BORDER_REPLICATE)
        part = picture[y0:y1, x0:x1]
        part[:] = cv2.blendLinear(colour, part, cover, 1 - cover)

    def shows(
        self,
        camera: Camera,
        light: Light,
        palm: tuple[float, float],
        *,
        towards: tuple[float, float],
        height: float,
        region: tuple[float, float, float, float] | None = None,
    ) -> bool:
        """Return whether any of the hand or of its shadow may be inside the picture.

        `region` (x0, y0, x1, y1) in pixels: inside that part of it.
        """
        size = (camera.width_px, camera.height_px)
        place = _placing(camera, palm, towards, height, self.look)
        shadow = _placing(camera, _shadow_of(palm, light, height), towards, 0.0, self.look)
        if region is not None:
            return any(_meets(matrix, region) for matrix in (place, shadow))
        return _bounds(place, size) is not None or _bounds(shadow, size, margin=12) is not None


def _meets(
    place: np.ndarray[tuple[int, ...], np.dtype[np.float64]], region: tuple[float, float, float, float]
) -> bool:
    """Return whether the part of the sprite in which a hand can be meets a box (x0, y0, x1, y1) in pixels."""
    left, right = (-62.0 - _X0) * _PX_PER_MM, (62.0 - _X0) * _PX_PER_MM
    tall = (_Y1 - _Y0) * _PX_PER_MM
    corners = np.array([[left, 0, 1], [right, 0, 1], [right, tall, 1], [left, tall, 1]]) @ place.T
    x0, y0, x1, y1 = region
    box = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float32)
    area, _ = cv2.intersectConvexConvex(corners.astype(np.float32), box)
    return float(area) > 0


def _shadow_of(palm: tuple[float, float], light: Light, height: float) -> tuple[float, float]:
    """Return where the shadow of the palm falls."""
    slant = height / max(light.towards[2], 0.3)
    return (palm[0] - light.towards[0] * slant, palm[1] - light.towards[1] * slant)


def _square(
    affine: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return a (2, 3) map as (3, 3)."""
    return np.vstack([affine, [0.0, 0.0, 1.0]])


def _placing(
    camera: Camera,
    palm: tuple[float, float],
    towards: tuple[float, float],
    height: float,
    look: HandLook,
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the (2, 3) map from sprite pixels to picture pixels, first order around the palm."""
    ahead = np.asarray(towards) / np.linalg.norm(towards)
    across = np.array([ahead[1], -ahead[0]]) * (-1.0 if look.left else 1.0)
    base = np.asarray(palm)
    points = np.array([[*base, height], [*(base + across), height], [*(base + ahead), height]])
    pixels = camera.project(points)
    per_x = (pixels[1] - pixels[0]) * look.scale / _PX_PER_MM
    per_y = (pixels[2] - pixels[0]) * look.scale / _PX_PER_MM
    # Sprite rows run from the finger tips (y1) down to the elbow (y0).
    palm_px = np.array([(PALM[0] - _X0) * _PX_PER_MM, (_Y1 - PALM[1]) * _PX_PER_MM])
    linear = np.stack([per_x, -per_y], axis=1)
    return np.hstack([linear, (pixels[0] - linear @ palm_px)[:, None]])


def _bounds(
    place: np.ndarray[tuple[int, ...], np.dtype[np.float64]], size: tuple[int, int], margin: int = 0
) -> tuple[int, int, int, int] | None:
    """Return the part of the picture that the sprite may touch, or None."""
    width, height = (_X1 - _X0) * _PX_PER_MM, (_Y1 - _Y0) * _PX_PER_MM
    corners = np.array([[0, 0, 1], [width, 0, 1], [0, height, 1], [width, height, 1]]) @ place.T
    low = np.floor(corners.min(axis=0)).astype(int) - margin
    high = np.ceil(corners.max(axis=0)).astype(int) + margin
    x0, y0 = max(int(low[0]), 0), max(int(low[1]), 0)
    x1, y1 = min(int(high[0]), size[0]), min(int(high[1]), size[1])
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def _sprite(look: HandLook, light: Light, spread: float, pointing: bool = False) -> _Sprite:
    """Draw one pose."""
    rng = np.random.default_rng(look.seed)
    arm, hand = _capsules(spread, pointing)
    arm_height, arm_inside = _field(arm, 6.0)
    hand_height, hand_inside = _field(hand, 2.0)
    shape = arm_height.shape
    y = _Y1 - (np.arange(shape[0], dtype=np.float32)[:, None] + 0.5) / _PX_PER_MM
    unevenness = noise(rng, shape, (10, 10)) * 0.5 + noise(rng, shape, (60, 60)) * 0.5
    skin = np.asarray(look.skin, dtype=np.float32)
    albedo: Floats = (skin * (1 + 0.05 * unevenness)[..., None]).astype(np.float32)
    if not look.glove:
        # Blood shows at the finger tips and knuckles.
        red = np.clip((y - 60) / 100, 0, 1) * 0.18
        blood = np.array([0.6, 0.45, -0.15], dtype=np.float32)
        albedo = np.asarray(albedo * (1 - red[..., None] * blood), dtype=np.float32)
    height = np.maximum(arm_height, hand_height)
    soft = np.log(np.exp(arm_height * 0.25) + np.exp(hand_height * 0.25)) * 4.0
    height = np.where((arm_inside > 0) & (hand_inside > 0), soft, height).astype(np.float32)
    inside = np.maximum(arm_inside, hand_inside)
    if look.sleeve is not None:
        cloth, cloth_inside = _field([((0, -345, 24), (0, look.cuff, 20), 52, 40)], 2.0)
        cut = np.broadcast_to(np.clip((look.cuff + 2 - y) * _PX_PER_MM, 0, 1), shape)
        cloth_inside = cloth_inside * cut
        folds = noise(rng, shape, (26, 90)) * 2.4 + noise(rng, shape, (70, 30)) * 1.2
        on = cloth_inside > 0.5
        height = np.where(on, cloth + folds, height).astype(np.float32)
        weave = 1 + 0.06 * noise(rng, shape, (1.5, 1.5))
        hem = 1 - 0.25 * np.exp(-(((look.cuff - 7 - y) / 1.2) ** 2))
        tone = np.asarray(look.sleeve, dtype=np.float32) * (weave * hem)[..., None]
        albedo = np.where(on[..., None], tone, albedo).astype(np.float32)
        inside = np.maximum(inside * (1 - np.broadcast_to(cut, shape)), cloth_inside)
    if not look.glove:
        albedo = _nails(np.asarray(albedo, dtype=np.float32), hand)
    colour = _lit(np.asarray(albedo, dtype=np.float32), height, inside, look, light)
    cover = cv2.GaussianBlur(inside.astype(np.float32), (0, 0), 0.9)
    return _Sprite(colour, np.asarray(np.clip(cover, 0, 1), dtype=np.float32))


def _field(capsules: list[Capsule], blend: float) -> tuple[Floats, Floats]:
    """Return (height in mm (H, W), whether inside (H, W), 0..1) of a smooth union of capsules."""
    width, tall = int((_X1 - _X0) * _PX_PER_MM), int((_Y1 - _Y0) * _PX_PER_MM)
    x = _X0 + (np.arange(width, dtype=np.float32)[None, :] + 0.5) / _PX_PER_MM
    y = _Y1 - (np.arange(tall, dtype=np.float32)[:, None] + 0.5) / _PX_PER_MM
    total = np.zeros((tall, width), dtype=np.float32)
    inside = np.zeros((tall, width), dtype=np.float32)
    for (ax, ay, az), (bx, by, bz), ra, rb in capsules:
        dx, dy = bx - ax, by - ay
        reach = max(ra, rb) + 1
        columns = slice(_index(min(ax, bx) - reach - _X0, width), _index(max(ax, bx) + reach - _X0, width))
        rows = slice(_index(_Y1 - max(ay, by) - reach, tall), _index(_Y1 - min(ay, by) + reach, tall))
        px, py = x[:, columns] - ax, y[rows] - ay
        along = np.clip((px * dx + py * dy) / max(dx * dx + dy * dy, 1e-6), 0, 1)
        away2 = (px - along * dx) ** 2 + (py - along * dy) ** 2
        radius = ra + (rb - ra) * along
        rise = radius * radius - away2
        rim = np.clip((radius - np.sqrt(away2)) * _PX_PER_MM + 0.5, 0, 1)
        inside[rows, columns] = np.maximum(inside[rows, columns], rim)
        top = az + (bz - az) * along + 0.75 * np.sqrt(np.maximum(rise, 0))
        total[rows, columns] += np.where(rise > 0, np.exp(np.minimum(top / blend, 60.0)), 0)
    height = blend * np.log(np.maximum(total, 1.0))
    return np.asarray(height, dtype=np.float32), inside


def _index(distance_mm: float, most: int) -> int:
    """Return the sprite pixel at a distance from the sprite's corner, kept inside it."""
    return int(np.clip(round(distance_mm * _PX_PER_MM), 0, most))


def _nails(albedo: Floats, hand: list[Capsule]) -> Floats:
    """Paint a nail on every finger tip (the last capsule of each finger and of the thumb)."""
    out = albedo.copy()
    for index in (4, 7, 10, 13, 15):
        (ax, ay, _), (bx, by, _), _, radius = hand[index]
        way = np.array([bx - ax, by - ay])
        way = way / max(float(np.linalg.norm(way)), 1e-6)
        centre = np.array([bx, by]) + way * radius * 0.25
        place = ((centre[0] - _X0) * _PX_PER_MM, (_Y1 - centre[1]) * _PX_PER_MM)
        reach = int(radius * _PX_PER_MM) + 4
        x0, y0 = max(int(place[0]) - reach, 0), max(int(place[1]) - reach, 0)
        part = out[y0 : y0 + 2 * reach, x0 : x0 + 2 * reach]
        mask = np.zeros(part.shape[:2], dtype=np.float32)
        turn = float(np.degrees(np.arctan2(-way[1], way[0])))
        axes = (radius * 1.44 * _PX_PER_MM, radius * 1.1 * _PX_PER_MM)
        cv2.ellipse(mask, ((place[0] - x0, place[1] - y0), axes, turn), 1.0, -1)
        soft = np.asarray(cv2.GaussianBlur(mask, (0, 0), 0.8), dtype=np.float32)[..., None]
        nail = np.clip(part * np.array([1.18, 1.12, 1.12], dtype=np.float32) + 0.05, 0, 1)
        part += (nail - part) * soft * 0.7
    return np.asarray(out, dtype=np.float32)


def _lit(albedo: Floats, height: Floats, inside: Floats, look: HandLook, light: Light) -> Floats:
    """Light the height field; return display colours."""
    # Outside, the height goes on at the rim's level: no black outline from the fall to the table.
    filled = cv2.dilate(height, np.ones((5, 5), np.uint8))
    level = np.where(inside > 0.3, height, filled).astype(np.float32)
    level = np.asarray(cv2.GaussianBlur(level, (0, 0), 1.6), dtype=np.float32)
    slope_x = cv2.Sobel(level, cv2.CV_32F, 1, 0, ksize=3) / 8 * _PX_PER_MM
    slope_y = -cv2.Sobel(level, cv2.CV_32F, 0, 1, ksize=3) / 8 * _PX_PER_MM
    scale = 1 / np.sqrt(1 + slope_x**2 + slope_y**2)
    # The sprite is turned when drawn; the light is that of a hand pointing up, softened.
    towards = np.asarray(light.towards, dtype=np.float32)
    facing = (-slope_x * towards[0] * 0.6 - slope_y * towards[1] * 0.6 + towards[2]) * scale
    wrap = np.clip((facing + 0.35) / 1.35, 0, 1)
    broad = cv2.GaussianBlur(level, (0, 0), 7.0)
    crease = np.clip(1 - np.maximum(broad - level, 0) * 0.055, 0.35, 1)
    key = light.exposure * light.share / max(float(towards[2]), 0.5)
    glow = (light.exposure * (1 - light.share) * (0.55 + 0.45 * scale) + key * wrap) * crease
    colour = albedo * glow[..., None] * np.asarray(light.tint, dtype=np.float32)
    shine = 0.035 if not look.glove else 0.015
    colour += (shine * light.exposure * np.clip(facing, 0, 1) ** 12)[..., None]
    return np.asarray(np.sqrt(np.clip(colour, 0, 1)), dtype=np.float32)
