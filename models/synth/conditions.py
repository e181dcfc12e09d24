"""What a simulated session looks like: camera, table, light, dice, hands, sensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.synth.dice import BODY_NAMES, Body, DieLook, Pip, random_look
from models.synth.errors import BadScene
from models.synth.hand import HandLook, random_hand
from models.synth.render import Camera, Light, look_down
from models.synth.surfaces import SURFACES
from models.synth.throw import Zone

SIDE_MM = 16.0
"""Side of the dice."""
DIFFICULTIES = ("easy", "mixed", "hard")
"""Names of the difficulties."""


@dataclass(frozen=True, slots=True, eq=False)
class Conditions:
    """The conditions of one session. Lengths in mm, the table is z = 0, the view's middle is the origin."""

    camera: Camera
    """Fixed camera."""
    zone: Zone
    """Where dice come to rest: what the camera sees, less a border."""
    light: Light
    """Light on the table."""
    looks: tuple[DieLook, ...]
    """One look a die."""
    hands: tuple[HandLook, ...]
    """One hand a player."""
    surface: str
    """Kind of table top."""
    surface_colour: tuple[int, int, int] | None
    """Its colour (8-bit BGR), or None for a usual one."""
    surface_contrast: float | None
    """Strength of its structure against the usual one, or None for any."""
    surface_seed: int
    """Seed of the table top."""
    fps: float
    """Frames a second."""
    drift: float
    """Amplitude of the slow change of exposure, share of the brightness."""
    drift_s: float
    """Its period."""
    noise: float
    """Deviation of the sensor noise, 0..1 scale."""
    blur_px: float
    """Deviation of the lens blur."""
    vignette: float
    """Loss of light in the corners, 0..1."""
    rest_s: tuple[float, float]
    """Shortest and longest time that dice lie in full view, seconds."""
    gap_mm: float
    """Least distance of the middles of dice at rest."""

    def described(self) -> dict[str, object]:
        """Return what the truth file says about the conditions."""
        return {
            "surface": self.surface,
            "dice": [
                {"material": look.material.value, "body_bgr": [round(c, 3) for c in look.body]}
                for look in dict.fromkeys(self.looks)
            ],
            "gloves": [hand.glove for hand in self.hands],
            "side_px": round(self.camera.focal_px * SIDE_MM / float(np.linalg.norm(self.camera.position)), 2),
            "tilt_deg": round(self.tilt_deg, 2),
            "light": {
                "towards": [round(v, 3) for v in self.light.towards],
                "share": round(self.light.share, 3),
                "softness": round(self.light.softness, 3),
                "exposure": round(self.light.exposure, 3),
            },
            "drift": round(self.drift, 4),
            "noise": round(self.noise, 4),
            "blur_px": round(self.blur_px, 3),
            "tray": False,
            "lanes": "shared",
        }

    @property
    def tilt_deg(self) -> float:
        """Angle between the camera's axis and the vertical."""
        return float(np.degrees(np.arccos(np.clip(-self.camera.camera_from_table[2, 2], -1, 1))))


def random_conditions(
    rng: np.random.Generator,
    players: int,
    *,
    difficulty: str = "mixed",
    body: str | None = None,
    surface: str | None = None,
    width_px: int = 1280,
    height_px: int = 720,
    fps: float = 25.0,
) -> Conditions:
    """Draw the conditions of a session.

    Args:
        rng: source of all chance.
        players: how many hands.
        difficulty: one of `DIFFICULTIES`.
        body: colour of the dice, one of `models.synth.dice.BODY_NAMES`; None for any.
        surface: kind of table, one of `models.synth.surfaces.SURFACES`; None for any.
        width_px: width of the video.
        height_px: height of the video.
        fps: frames a second.

    Raises:
        BadScene: for a name that does not exist.
    """
    for what, value, known in (
        ("difficulty", difficulty, DIFFICULTIES),
        ("dice", body, BODY_NAMES),
        ("surface", surface, SURFACES),
    ):
        if value is not None and value not in known:
            raise BadScene(f"{what} '{value}' is not known; choose one of {', '.join(known)}")
    level = DIFFICULTIES.index(difficulty)
    side_px = float(rng.uniform(36, 48) if level == 0 else rng.uniform(28, 48))
    # The view is at least 14 dice high, or there is no room to throw and to set aside.
    side_px = min(side_px, height_px / 14)
    tilt = 0.0 if level == 0 else float(np.radians(rng.uniform(0, 10 if level == 1 else 25)))
    focal = 0.95 * width_px
    camera = look_down(width_px, height_px, focal_px=focal, distance=focal * SIDE_MM / side_px, tilt_rad=tilt)
    elevation = np.radians(rng.uniform((60, 45, 28)[level], 85))
    azimuth = rng.uniform(-np.pi, np.pi)
    tint = np.exp(rng.normal(0, 0.03) * np.array([-1.0, 0, 1.0]) * (1 + level))
    tint /= tint.max()
    light = Light(
        towards=(
            float(np.cos(elevation) * np.cos(azimuth)),
            float(np.cos(elevation) * np.sin(azimuth)),
            float(np.sin(elevation)),
        ),
        share=float(rng.uniform(0.25, (0.6, 0.75, 0.88)[level])),
        softness=float(rng.uniform((0.2, 0.1, 0.03)[level], 0.6)),
        exposure=float(rng.uniform(0.8, 1.05) if level < 2 else rng.uniform(0.45, 1.2)),
        tint=(float(tint[0]), float(tint[1]), float(tint[2])),
        lamp=_lamp(rng),
        lamp_width=float(rng.uniform(0.06, 0.2)),
        lamp_power=float(rng.uniform(0.0, (0.3, 0.5, 0.9)[level])),
    )
    same = level == 0 or rng.random() < 0.7
    looks = tuple(_look(rng, level, body) for _ in range(1 if same else 6))
    return Conditions(
        camera=camera,
        zone=seen_zone(camera, SIDE_MM * 1.2),
        light=light,
        looks=looks * 6 if same else looks,
        hands=tuple(random_hand(rng) for _ in range(players)),
        surface=surface or str(rng.choice(SURFACES if level else ("felt", "paper", "plastic", "leather"))),
        surface_colour=None,
        surface_contrast=None,
        surface_seed=int(rng.integers(2**31)),
        fps=fps,
        drift=float(rng.uniform(0.0, (0.02, 0.05, 0.1)[level])),
        drift_s=float(rng.uniform(8, 40)),
        noise=float(rng.uniform(0.002, (0.006, 0.012, 0.025)[level])),
        blur_px=float(rng.uniform(0.4, (0.7, 0.9, 1.2)[level])),
        vignette=float(rng.uniform(0.0, 0.2)),
        rest_s=(1.1, 2.2),
        gap_mm=SIDE_MM * (1.35 if level == 0 else 1.0),
    )


def demo_conditions() -> Conditions:
    """Return the conditions of the bundled recording: six ivory dice on green felt, under a lamp."""
    camera = look_down(960, 720, focal_px=1000.0, distance=1000.0 * SIDE_MM / 44.0)
    ivory = DieLook(
        body=(0.62, 0.76, 0.84),
        pip=(0.02, 0.02, 0.03),
        pip_style=Pip.DRILLED,
        pip_radius=0.092,
        pip_spread=0.255,
        edge_radius=0.11,
        ball_radius=0.74,
        gloss=0.5,
        turned=(False, True, False),
        texture_seed=11,
        material=Body.PLAIN,
    )
    return Conditions(
        camera=camera,
        zone=seen_zone(camera, SIDE_MM * 1.5),
        light=Light(
            towards=(-0.36, 0.42, 0.833),
            share=0.58,
            softness=0.3,
            exposure=0.98,
            tint=(0.93, 0.98, 1.0),
            lamp_power=0.25,
        ),
        looks=(ivory,) * 6,
        hands=(
            HandLook(skin=(0.30, 0.42, 0.66), sleeve=(0.30, 0.12, 0.05), cuff=-45.0, seed=4, scale=0.95),
            HandLook(skin=(0.07, 0.13, 0.26), sleeve=(0.72, 0.76, 0.78), cuff=-70.0, seed=9),
        ),
        surface="felt",
        surface_colour=(62, 104, 40),
        surface_contrast=0.3,
        surface_seed=5,
        fps=18.0,
        drift=0.012,
        drift_s=19.0,
        noise=0.0015,
        blur_px=0.6,
        vignette=0.12,
        rest_s=(1.1, 1.4),
        gap_mm=SIDE_MM * 1.5,
    )


def seen_zone(camera: Camera, border_mm: float) -> Zone:
    """Return the largest upright rectangle of the table inside the picture, less a border."""
    width, height = camera.width_px, camera.height_px
    corners = np.array([camera.table_point((x, y))[:2] for x in (0, width) for y in (0, height)])
    left, right = corners[:2], corners[2:]
    x0, x1 = float(left[:, 0].max()), float(right[:, 0].min())
    upper, lower = corners[[0, 2]], corners[[1, 3]]
    y0, y1 = float(lower[:, 1].max()), float(upper[:, 1].min())
    return Zone(x0 + border_mm, y0 + border_mm, x1 - border_mm, y1 - border_mm)


def _lamp(rng: np.random.Generator) -> tuple[float, float, float]:
    """Draw the direction of a large lamp that mirrors in the dice."""
    tilt, turn = abs(rng.normal(0, 0.5)), rng.uniform(-np.pi, np.pi)
    return (float(np.sin(tilt) * np.cos(turn)), float(np.sin(tilt) * np.sin(turn)), float(np.cos(tilt)))


def _look(rng: np.random.Generator, level: int, body: str | None) -> DieLook:
    """Draw a look; the easy ones are plain."""
    for _ in range(50):
        look = random_look(rng, body=body)
        if level > 0 or (look.material is Body.PLAIN and look.pip_style is not Pip.RINGED):
            return look
    return look


def side_of_table(seat: int, players: int, zone: Zone) -> tuple[Sequence[float], Sequence[float]]:
    """Return (middle of the border (x, y), unit vector into the table (x, y)) where a player sits."""
    sides = (
        ((0.0, zone.y0), (0.0, 1.0)),
        ((0.0, zone.y1), (0.0, -1.0)),
        ((zone.x0, 0.0), (1.0, 0.0)),
        ((zone.x1, 0.0), (-1.0, 0.0)),
    )
    border, into = sides[seat % 4]
    # Players 5 to 8 share the sides with the first four, a little to the right of them.
    shift = 0.0 if players <= 4 else (-55.0 if seat < 4 else 55.0)
    return (border[0] + shift * into[1], border[1] - shift * into[0]), into
