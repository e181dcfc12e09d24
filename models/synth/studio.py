"""Draws the frames of a timeline: table, dice at rest, dice and hands in motion, then the sensor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np

from models.synth.acting import PHONE_MM, elbow_of
from models.synth.conditions import SIDE_MM, Conditions
from models.synth.dice import Floats
from models.synth.hand import Hand
from models.synth.leaning import between
from models.synth.render import Camera, Light, PosedDie, render_dice
from models.synth.sensor import Film
from models.synth.tabletop import Canvas, paint_table
from models.synth.timeline import HandPose, Moment, Phone, Pose, Timeline
from vision.frame import Image

_SMEAR_PX = 3.0
"""What moves farther than this while the shutter is open is drawn several times."""


class Studio:
    """Draws the frames of a timeline, one after the other."""

    def __init__(self, rng: np.random.Generator, conditions: Conditions) -> None:
        """Paint the table, the hands and the sensor's noise once."""
        self._conditions = conditions
        camera = conditions.camera
        canvas = paint_table(
            np.random.default_rng(conditions.surface_seed),
            camera,
            conditions.layout,
            conditions.mat,
            conditions.light,
            kind=conditions.surface,
            colour=conditions.surface_colour,
            contrast=conditions.surface_contrast,
        )
        bounce = np.asarray(np.mean(canvas.picture, axis=(0, 1)) ** 2 * 0.9)
        self._light = _with_bounce(conditions.light, bounce)
        slope = rng.normal(0, 0.03, 2)
        y = np.linspace(-1, 1, camera.height_px, dtype=np.float32)[:, None]
        x = np.linspace(-1, 1, camera.width_px, dtype=np.float32)[None, :]
        self._uneven = np.asarray((1 + slope[0] * x + slope[1] * y)[..., None], dtype=np.float32)
        self._canvas: Canvas = canvas
        self._hands = tuple(Hand(look, self._light) for look in conditions.hands)
        self._film = Film(rng, conditions.sensor, camera.width_px, camera.height_px, conditions.fps)
        self._tables: dict[int, Floats] = {}
        self._kept: tuple[object, Floats] | None = None
        self._poses: dict[int, Pose] = {}

    def shows_hand(self, moment: Moment, seat: int) -> bool:
        """Return whether a hand, or its shadow, may be over what a seat's dice lie on.

        With lanes and everybody at once that is the lane; else the whole picture.
        """
        lanes = self._conditions.layout.lanes
        return any(
            self._reaches(pose, None if len(lanes) == 1 or not self._conditions.race else seat)
            for pose in moment.hands
        )

    def _reaches(self, pose: HandPose, seat: int | None) -> bool:
        camera = self._conditions.camera
        region = None
        if seat is not None:
            lane = self._conditions.layout.lane_of(seat)
            zones = [zone for zone in (lane.roll, lane.tray) if zone is not None]
            corners = np.array(
                [[x, y, 0.0] for zone in zones for x in (zone.x0, zone.x1) for y in (zone.y0, zone.y1)]
            )
            pixels = camera.project(corners)
            low, high = pixels.min(axis=0), pixels.max(axis=0)
            region = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
        return self._hands[pose.seat].shows(
            camera, self._light, pose.palm, towards=self._towards(pose), height=pose.height, region=region
        )

    def frames(self, line: Timeline) -> Iterator[Image]:
        """Draw all frames in order, (H, W, 3) uint8 BGR."""
        cameras = line.cameras or [self._conditions.camera]
        moments = line.moments
        for index, moment in enumerate(moments):
            after = moments[index + 1] if index + 1 < len(moments) else moment
            yield self._film.take(index, self._picture(moment, after, cameras[moment.camera]))

    def _picture(self, moment: Moment, after: Moment, camera: Camera) -> Floats:
        """Draw one frame; not to be changed, for one in which nothing moves is kept."""
        lying = {
            die
            for die, pose in moment.dice.items()
            if die in after.dice and after.dice[die][0] is pose[0] and after.dice[die][1] is pose[1]
        }
        base = self._with_lying(lying, moment, camera)
        moving = [die for die in moment.dice if die not in lying]
        if not moving and not moment.hands:
            return base
        shutter = self._conditions.sensor.exposure_s * self._conditions.fps
        steps = self._steps(moving, moment, after, camera, shutter)
        total: Floats | None = None
        for step in range(steps):
            share = shutter * ((step + 0.5) / steps - 0.5)
            picture = base.copy()
            dice = [self._posed(die, self._pose_at(moment, after, die, share, camera)) for die in moving]
            # Dice overlap only in the air and just before they are picked up, where the hand covers them.
            render_dice(picture, camera, dice, self._light)
            if moment.phone is not None and moment.phone.height > 0:
                _draw_phone(picture, camera, moment.phone, self._light)
            for pose in moment.hands:
                self._draw_hand(picture, camera, _hand_at(pose, after, share))
            total = picture if total is None else np.asarray(cv2.add(total, picture, dst=total), np.float32)
        assert total is not None
        return total if steps == 1 else np.multiply(total, np.float32(1 / steps), out=total)

    def _steps(self, moving: list[int], moment: Moment, after: Moment, camera: Camera, shutter: float) -> int:
        """Return how often to draw what moves, for its blur."""
        scale = camera.focal_px / float(camera.position[2]) * shutter
        far = 0.0
        for die in moving:
            if die in after.dice:
                far = max(far, float(np.linalg.norm(after.dice[die][0] - moment.dice[die][0])) * scale)
        for pose in moment.hands:
            other = next((each for each in after.hands if each.seat == pose.seat), pose)
            far = max(
                far, 0.6 * float(np.hypot(other.palm[0] - pose.palm[0], other.palm[1] - pose.palm[1])) * scale
            )
        return int(np.clip(round(far / _SMEAR_PX), 1, 4))

    def _pose_at(self, moment: Moment, after: Moment, die: int, share: float, camera: Camera) -> Pose:
        """Return a moving die a share of a frame later; rolling shutter shows lower rows later."""
        pose = moment.dice[die]
        then = after.dice.get(die)
        if then is None:
            return pose
        sensor = self._conditions.sensor
        if sensor.readout_s > 0:
            row = float(camera.project(pose[0].reshape(1, 3))[0, 1]) / camera.height_px
            share += sensor.readout_s * self._conditions.fps * (row - 0.5)
        if abs(share) < 1e-3:
            return pose
        place = pose[0] + (then[0] - pose[0]) * share
        turn = between(pose[1], then[1], share)
        low = float(place[2]) - SIDE_MM / 2 * float(np.abs(turn[2]).sum())
        return place - np.array([0, 0, min(low, 0.0)]), turn

    def _with_lying(self, lying: set[int], moment: Moment, camera: Camera) -> Floats:
        """Return the table with what lies still; drawn anew only when that changes. Not to be changed."""
        phone = moment.phone if moment.phone is not None and moment.phone.height <= 0 else None
        key = (frozenset(lying), moment.camera, phone)
        if self._kept is None or self._kept[0] != key or not self._same(lying, moment):
            picture = self._table(moment.camera, camera).copy()
            if phone is not None:
                _draw_phone(picture, camera, phone, self._light)
            dice = [self._posed(die, moment.dice[die]) for die in sorted(lying)]
            render_dice(picture, camera, dice, self._light)
            self._kept = (key, picture)
            self._poses = {die: moment.dice[die] for die in lying}
        return self._kept[1]

    def _table(self, number: int, camera: Camera) -> Floats:
        """Return the empty table as one of the cameras sees it."""
        if number not in self._tables:
            if len(self._tables) > 2:
                self._tables.clear()
            light = self._conditions.light
            tint = np.sqrt(np.asarray(light.tint, dtype=np.float32) * light.exposure)
            self._tables[number] = np.asarray(
                self._canvas.seen(camera) * self._uneven * tint, dtype=np.float32
            )
        return self._tables[number]

    def _same(self, lying: set[int], moment: Moment) -> bool:
        """Return whether these dice lie as they were drawn last."""
        return all(self._poses[die][0] is moment.dice[die][0] for die in lying)

    def _posed(self, die: int, pose: Pose) -> PosedDie:
        """Return a die as the renderer wants it."""
        return PosedDie(self._conditions.looks[die], pose[0], pose[1], SIDE_MM)

    def _draw_hand(self, picture: Floats, camera: Camera, pose: HandPose) -> None:
        self._hands[pose.seat].draw(
            picture,
            camera,
            self._light,
            pose.palm,
            towards=self._towards(pose),
            spread=pose.spread,
            height=pose.height,
            pointing=pose.pointing,
        )

    def _towards(self, pose: HandPose) -> tuple[float, float]:
        """Return where the fingers point: away from the elbow."""
        way = np.asarray(pose.palm) - np.asarray(elbow_of(self._conditions.layout.seats[pose.seat]))
        way /= np.linalg.norm(way)
        return (float(way[0]), float(way[1]))


def _hand_at(pose: HandPose, after: Moment, share: float) -> HandPose:
    """Return a hand a share of a frame later."""
    then = next((each for each in after.hands if each.seat == pose.seat), pose)
    palm = tuple(a + (b - a) * share for a, b in zip(pose.palm, then.palm, strict=True))
    return replace(pose, palm=(palm[0], palm[1]))


def _with_bounce(light: Light, bounce: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Light:
    """Return the light with the colour that the table throws back."""
    return replace(light, bounce=(float(bounce[0]), float(bounce[1]), float(bounce[2])))


def _draw_phone(picture: Floats, camera: Camera, phone: Phone, light: Light) -> None:
    """Draw a phone with its shadow, in place: dark glass with a sheen, a metal edge."""
    wide, long, thick = PHONE_MM
    c, s = np.cos(phone.yaw_rad), np.sin(phone.yaw_rad)
    turn = np.array([[c, -s], [s, c]])
    height, width = picture.shape[:2]

    def outline(
        inset: float, z: float, shift: tuple[float, float] = (0.0, 0.0)
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
        points = []
        radius = max(9.0 - inset, 2.0)
        for corner, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
            for k in range(6):
                angle = (corner + k / 5) * np.pi / 2
                points.append(
                    (
                        sx * (wide / 2 - inset - radius) + radius * np.cos(angle),
                        sy * (long / 2 - inset - radius) + radius * np.sin(angle),
                    )
                )
        flat = np.array(points) @ turn.T + phone.centre + np.asarray(shift)
        pixels = camera.project(np.column_stack([flat, np.full(len(flat), z)]))
        return np.rint((pixels - 0.5) * 16).astype(np.int32)

    top = phone.height + thick
    slant = (0.4 * thick + phone.height) / max(light.towards[2], 0.3)
    shadow = np.zeros((height, width), dtype=np.uint8)
    cv2.fillConvexPoly(
        shadow, outline(-1, 0.0, (-light.towards[0] * slant, -light.towards[1] * slant)), 255, cv2.LINE_AA, 4
    )
    soft = cv2.GaussianBlur(shadow, (0, 0), 2.5 + 0.15 * phone.height).astype(np.float32) / 255
    picture *= (1 - 0.45 * soft)[..., None]
    for inset, z, tone in ((0.0, phone.height + 1, 0.16), (0.0, top, 0.42), (1.2, top, 0.07)):
        mask = np.zeros((height, width), dtype=np.uint8)
        cv2.fillConvexPoly(mask, outline(inset, z), 255, cv2.LINE_AA, 4)
        cover = (mask.astype(np.float32) / 255)[..., None]
        colour = np.full((1, 1, 3), tone * np.sqrt(light.exposure), dtype=np.float32)
        if inset > 0:
            along = (
                np.linspace(0, 1, width, dtype=np.float32)[None, :]
                + np.linspace(0, 1, height, dtype=np.float32)[:, None]
            )
            colour = colour + (0.05 * (1 + np.sin(along * 3.1)))[..., None] * np.array(
                [1.15, 1.0, 0.9], np.float32
            )
        picture += (colour - picture) * cover
