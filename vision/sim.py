"""A drawn table for tests: dice, hands, cloth, lamp and camera faults as functions of time, and its reader.

No network and no recording is needed to try the watch on it. Positions are pixels of the drawn picture, times
are seconds, angles radians. The drawing is deterministic: the same scene at the same time looks the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection import Detection, DieState, Reading
from vision.frame import Frame, Image

Point = tuple[float, float]
Cloth = Literal["felt", "wood", "checks", "white"]

_PIPS: dict[int, tuple[Point, ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
"""Centres of the pips, in quarters of a side."""
_SUBPIXEL_BITS = 4


@dataclass(frozen=True, slots=True)
class SimDie:
    """One die at one moment."""

    x_px: float
    y_px: float
    angle_rad: float
    value: int
    moving: bool = False


@dataclass(frozen=True, slots=True)
class DiePath:
    """What one die does: lies, is lifted (out of sight), is thrown; built up in order of time."""

    steps: tuple[tuple[float, float, SimDie | None, SimDie | None], ...] = ()
    """(begin, end, pose before, pose after): between begin and end it moves from one to the other."""

    def lying(self, at: Point, value: int, *, angle_rad: float = 0.3, since_s: float = -1.0) -> DiePath:
        """It lies there from `since_s` on, put down in no time."""
        pose = SimDie(*at, angle_rad, value)
        return replace(self, steps=(*self.steps, (since_s, since_s, None, pose)))

    def lifted(self, t_s: float) -> DiePath:
        """It is gone from `t_s` on, hidden in a hand or off the table."""
        return replace(self, steps=(*self.steps, (t_s, t_s, self.at(t_s), None)))

    def thrown(
        self, t_s: float, to: Point, value: int, *, start: Point, angle_rad: float = 0.8, takes_s: float = 0.6
    ) -> DiePath:
        """It appears at `start` at `t_s`, tumbles to `to` and lies there `takes_s` later."""
        first, last = SimDie(*start, 0.0, value, True), SimDie(*to, angle_rad, value)
        return replace(self, steps=(*self.steps, (t_s, t_s + takes_s, first, last)))

    def slid(self, t_s: float, to: Point, *, takes_s: float, turned_rad: float = 0.0) -> DiePath:
        """It slides to `to` without turning over."""
        now = self.at(t_s)
        if now is None:
            raise ValueError(f"no die lies there at {t_s} s, so it cannot slide")
        after = replace(now, x_px=to[0], y_px=to[1], angle_rad=now.angle_rad + turned_rad)
        return replace(self, steps=(*self.steps, (t_s, t_s + takes_s, now, after)))

    def at(self, t_s: float) -> SimDie | None:
        """The die at a moment, or None where it cannot be seen."""
        pose: SimDie | None = None
        for begin, end, before, after in self.steps:
            if t_s < begin:
                break
            if t_s >= end or before is None or after is None:
                pose = after
                continue
            share = (t_s - begin) / (end - begin)
            slowing = 1.0 - (1.0 - share) ** 2  # comes to rest as friction lets it
            tumbling = before.moving
            pose = SimDie(
                before.x_px + slowing * (after.x_px - before.x_px),
                before.y_px + slowing * (after.y_px - before.y_px),
                before.angle_rad
                + slowing * (after.angle_rad - before.angle_rad)
                + (6.0 * (1 - slowing) if tumbling else 0),
                1 + int(37 * t_s) % 6 if tumbling and share < 0.8 else after.value,
                True,
            )
        return pose


@dataclass(frozen=True, slots=True)
class HandPath:
    """A hand on an arm that comes in from outside the picture; its fingertips follow the points."""

    points: tuple[tuple[float, Point], ...]
    """(time, fingertips); straight lines between; outside of these times there is no hand."""
    shoulder: Point
    """Where the arm comes from, outside the picture."""
    width_px: float = 70.0
    """Width of the arm."""
    colour: tuple[int, int, int] = (130, 160, 205)
    """BGR of skin, sleeve or glove."""
    tremor_px: float = 0.0
    """How far the hand shakes."""

    def at(self, t_s: float) -> Point | None:
        """The fingertips at a moment."""
        if not self.points or not self.points[0][0] <= t_s <= self.points[-1][0]:
            return None
        times = [time for time, _ in self.points]
        x = float(np.interp(t_s, times, [point[0] for _, point in self.points]))
        y = float(np.interp(t_s, times, [point[1] for _, point in self.points]))
        return (
            x + self.tremor_px * math.sin(2 * math.pi * 7.0 * t_s),
            y + self.tremor_px * math.cos(2 * math.pi * 5.3 * t_s),
        )


def _unchanged(t_s: float) -> float:
    return 1.0


def _no_shift(t_s: float) -> Point:
    return 0.0, 0.0


@dataclass(frozen=True, slots=True)
class SimTable:
    """Everything that happens on one table."""

    dice: tuple[DiePath, ...] = ()
    hands: tuple[HandPath, ...] = ()
    cloth: Cloth = "felt"
    width_px: int = 640
    height_px: int = 480
    die_px: float = 40.0
    """Side of a die."""
    die_colour: tuple[int, int, int] = (225, 235, 235)
    """BGR; pips are black on light dice and white on dark ones."""
    gain: Callable[[float], float] = _unchanged
    """Exposure or lamp at a moment: all brightness is multiplied by it."""
    shift_px: Callable[[float], Point] = _no_shift
    """How far the whole picture is displaced at a moment."""
    shadow: HandPath | None = None
    """A soft shadow that moves as a hand would, without any hand in the picture."""
    noise: float = 2.0
    """Standard deviation of the sensor's noise in grey levels."""
    jpeg_quality: int | None = None
    """Compress each picture so (100 best), or not at all."""
    _drawn: dict[str, Image] = field(default_factory=dict, repr=False, compare=False)
    """Cloth and noise, drawn once."""

    def dice_at(self, t_s: float) -> tuple[SimDie, ...]:
        """The dice that are not lifted at a moment (a hand may still cover them)."""
        return tuple(die for path in self.dice if (die := path.at(t_s)) is not None)

    def image(self, t_s: float) -> Image:
        """Draw the table at a moment: (height, width, 3) uint8 BGR."""
        canvas = self._cloth().copy()
        if self.shadow is not None and (tip := self.shadow.at(t_s)) is not None:
            mask = np.zeros(canvas.shape[:2], np.uint8)
            _draw_arm(mask, self.shadow, tip)
            _darken(canvas, _soft(mask, 0.35 * self.die_px), 0.4)
        for die in self.dice_at(t_s):
            self._draw_die(canvas, die)
        for hand in self.hands:
            if (fingers := hand.at(t_s)) is not None:
                _draw_hand(canvas, hand, fingers)
        dx, dy = self.shift_px(t_s)
        if dx or dy:
            move = np.array([[1, 0, dx], [0, 1, dy]], np.float32)
            size = (self.width_px, self.height_px)
            canvas = _bytes(cv2.warpAffine(canvas, move, size, borderMode=cv2.BORDER_REFLECT))
        gain = self.gain(t_s)
        if gain != 1.0:
            canvas = _bytes(cv2.convertScaleAbs(canvas, alpha=gain))
        if self.noise > 0:
            canvas = self._with_noise(canvas, t_s)
        if self.jpeg_quality is not None:
            _, data = cv2.imencode(".jpg", canvas, [cv2.IMWRITE_JPEG_QUALITY, self.jpeg_quality])
            decoded = cv2.imdecode(data, cv2.IMREAD_COLOR)
            assert decoded is not None
            canvas = _bytes(decoded)
        return canvas

    def frames(self, seconds: float, *, fps: float = 30.0, start_s: float = 0.0) -> Iterator[Frame]:
        """The table as a camera sees it, from `start_s` on for so many seconds."""
        for index in range(round(seconds * fps)):
            t_s = start_s + index / fps
            yield Frame(self.image(t_s), round(t_s * 1e9), index)

    def covered(self, die: SimDie, t_s: float) -> bool:
        """Whether a hand hides the centre of a die."""
        for hand in self.hands:
            tip = hand.at(t_s)
            if tip is None:
                continue
            mask = np.zeros((self.height_px, self.width_px), np.uint8)
            _draw_arm(mask, hand, tip)
            x = min(max(round(die.x_px), 0), self.width_px - 1)
            y = min(max(round(die.y_px), 0), self.height_px - 1)
            if mask[y, x]:
                return True
        return False

    def _cloth(self) -> Image:
        cloth = self._drawn.get(self.cloth)
        if cloth is None:
            cloth = self._drawn[self.cloth] = _draw_cloth(self.cloth, self.width_px, self.height_px)
        return cloth

    def _with_noise(self, canvas: Image, t_s: float) -> Image:
        """Add the sensor's noise: a different cut of one noisy picture at every moment."""
        drawn = self._drawn.get("noise")
        if drawn is None:
            shape = (self.height_px + 64, self.width_px + 64, 3)
            grain = 128.0 + self.noise * np.random.default_rng(11).standard_normal(shape, dtype=np.float32)
            drawn = self._drawn["noise"] = np.clip(np.rint(grain), 0, 255).astype(np.uint8)
        top, left = np.random.default_rng(round(t_s * 1e6) + 1_000_000_000).integers(0, 64, 2)
        part = drawn[top : top + self.height_px, left : left + self.width_px]
        return _bytes(cv2.addWeighted(canvas, 1.0, part, 1.0, -128.0))

    def _draw_die(self, canvas: Image, die: SimDie) -> None:
        half = self.die_px / 2
        cos, sin = math.cos(die.angle_rad), math.sin(die.angle_rad)
        reach = round(1.2 * self.die_px)
        left, top = max(0, round(die.x_px) - reach), max(0, round(die.y_px) - reach)
        part = canvas[top : max(0, round(die.y_px) + reach), left : max(0, round(die.x_px) + reach)]
        if part.size == 0:
            return

        def place(u: float, v: float) -> Point:
            return die.x_px - left + u * cos - v * sin, die.y_px - top + u * sin + v * cos

        corners = [place(u * half, v * half) for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        mask = np.zeros(part.shape[:2], np.uint8)
        _fill(mask, [(x + 0.12 * self.die_px, y + 0.16 * self.die_px) for x, y in corners], (255.0,))
        _darken(part, _soft(mask, 0.1 * self.die_px), 0.3)
        _fill(part, corners, self.die_colour)
        light = sum(self.die_colour) > 380
        pip = (25.0, 25.0, 25.0) if light else (235.0, 235.0, 235.0)
        radius = round(0.1 * self.die_px * (1 << _SUBPIXEL_BITS))
        for u, v in _PIPS[die.value]:
            at = _fixed(place(u * half / 2, v * half / 2))
            cv2.circle(part, at, radius, pip, cv2.FILLED, cv2.LINE_AA, _SUBPIXEL_BITS)


class TruthReader:
    """A `vision.detection.DiceReader` that knows what lies on a `SimTable`.

    Set `t_s` to the time of the frame before it is pushed. Dice under a hand are not seen, moving dice are
    seen with a face that is not sure.
    """

    def __init__(
        self, table: SimTable, *, wrong: Callable[[float, SimDie], int | None] | None = None
    ) -> None:
        """Read `table`; `wrong` may give a die another face at a moment (None: as it is)."""
        self._table = table
        self._wrong = wrong
        self.t_s = 0.0
        """The moment that is read."""
        self.calls: list[float] = []
        """The moments at which it was asked."""

    def read(
        self,
        image: Image,
        *,
        size_px: float | None = None,
        region_px: tuple[int, int, int, int] | None = None,
    ) -> Reading:
        """The dice of the table at `t_s`, in pixels of `image`, which may be shrunk."""
        self.calls.append(self.t_s)
        scale = image.shape[1] / self._table.width_px
        dx, dy = self._table.shift_px(self.t_s)
        dice: list[Detection] = []
        for die in self._table.dice_at(self.t_s):
            x, y = (die.x_px + dx) * scale, (die.y_px + dy) * scale
            if self._table.covered(die, self.t_s) or (region_px is not None and not _inside(x, y, region_px)):
                continue
            dice.append(self._detection(die, x, y, self._table.die_px * scale))
        return Reading(tuple(sorted(dice, key=lambda die: (die.centre_px[1], die.centre_px[0]))))

    def _detection(self, die: SimDie, x: float, y: float, size: float) -> Detection:
        value = die.value
        if self._wrong is not None:
            value = self._wrong(self.t_s, die) or value
        side = size * (abs(math.cos(die.angle_rad)) + abs(math.sin(die.angle_rad)))
        faces = tuple(0.95 if face == value else 0.01 for face in range(1, 7))
        return Detection(
            value=value,
            confidence=0.4 if die.moving else 0.99,
            sure=not die.moving,
            state=DieState.FLAT,
            box_px=(x - side / 2, y - side / 2, side, side),
            centre_px=(x, y),
            faces=(faces[0], faces[1], faces[2], faces[3], faces[4], faces[5]),
        )


def _inside(x: float, y: float, region: tuple[int, int, int, int]) -> bool:
    return region[0] <= x < region[0] + region[2] and region[1] <= y < region[1] + region[3]


def _fixed(point: Point) -> tuple[int, int]:
    return round(point[0] * (1 << _SUBPIXEL_BITS)), round(point[1] * (1 << _SUBPIXEL_BITS))


def _bytes(picture: cv2.typing.MatLike) -> Image:
    return picture.astype(np.uint8, copy=False)


def _fill(canvas: Image, corners: Sequence[Point], colour: Sequence[float]) -> None:
    points = np.array([_fixed(corner) for corner in corners], np.int32)
    cv2.fillConvexPoly(canvas, points, colour, cv2.LINE_AA, _SUBPIXEL_BITS)


def _soft(mask: Image, sigma_px: float) -> Image:
    """A blurred (height, width) mask; done at a quarter of the size, where it costs little."""
    height, width = mask.shape
    small = cv2.resize(mask, (max(1, width // 4), max(1, height // 4)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), max(sigma_px / 4, 0.5))
    return _bytes(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR))


def _darken(canvas: Image, mask: Image, share: float) -> None:
    """Take `share` of the light where the (height, width) mask is 255, less where it is less."""
    light = cv2.addWeighted(mask, -share, mask, 0.0, 255.0)
    canvas[:] = cv2.multiply(canvas, cv2.merge([light] * 3), scale=1 / 255)


def _draw_arm(mask: Image, hand: HandPath, tip: Point) -> None:
    """The outline of arm, palm and fingers in a (height, width) mask, as 255."""
    width = max(1, round(hand.width_px))
    along = np.array([tip[0] - hand.shoulder[0], tip[1] - hand.shoulder[1]])
    along /= max(float(np.hypot(*along)), 1e-6)
    across = np.array([-along[1], along[0]])
    palm = np.array(tip) - along * hand.width_px
    cv2.line(mask, _pixel(np.array(hand.shoulder)), _pixel(palm), (255,), width)
    cv2.circle(mask, _pixel(palm), round(0.65 * hand.width_px), (255,), cv2.FILLED)
    for place in (-0.45, -0.15, 0.15, 0.45):
        root = palm + across * place * hand.width_px
        end = np.array(tip) + across * place * 1.3 * hand.width_px
        cv2.line(mask, _pixel(root), _pixel(end), (255,), max(1, round(0.22 * hand.width_px)))


def _draw_hand(canvas: Image, hand: HandPath, tip: Point) -> None:
    mask = np.zeros(canvas.shape[:2], np.uint8)
    _draw_arm(mask, hand, tip)
    skin = np.empty_like(canvas)
    skin[:] = hand.colour
    _darken(skin, _bytes(cv2.bitwise_not(_soft(mask, 0.15 * hand.width_px))), 0.45)
    cv2.copyTo(skin, mask, canvas)


def _pixel(point: NDArray[np.float64]) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))


def _draw_cloth(cloth: Cloth, width: int, height: int) -> Image:
    random = np.random.default_rng(7)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    grain = random.standard_normal((height, width)).astype(np.float32)
    if cloth == "felt":
        shade = 1.0 + 0.04 * cv2.GaussianBlur(grain, (0, 0), 1.0) + 0.1 * (x / width - 0.5)
        colour = (60.0, 110.0, 40.0)
    elif cloth == "wood":
        waves = 3.6 * cv2.GaussianBlur(grain, (0, 0), 6.0)
        shade = 1.0 + 0.16 * np.sin(0.21 * y + 1.5 * np.sin(0.02 * x) + waves)
        colour = (70.0, 105.0, 150.0)
    elif cloth == "checks":
        shade = 0.7 + 0.6 * ((np.floor(x / 32) + np.floor(y / 32)) % 2)
        colour = (90.0, 90.0, 150.0)
    else:
        shade = 1.0 + 0.01 * grain
        colour = (205.0, 205.0, 205.0)
    picture = np.asarray(shade)[..., None] * np.array(colour, np.float32)
    return _bytes(np.clip(np.rint(picture), 0, 255))
