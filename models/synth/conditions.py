"""What a simulated session looks like: camera, table, light, dice, hands, sensor."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from models.synth.dice import BODY_NAMES, Body, DieLook, Pip, random_look
from models.synth.errors import BadScene
from models.synth.hand import HandLook, random_hand
from models.synth.layout import TABLES, Layout, make_layout
from models.synth.render import Camera, Light, look_down
from models.synth.sensor import Sensor
from models.synth.surfaces import SURFACES
from models.synth.throw import Zone

SIDE_MM = 16.0
"""Side of the dice."""
DIFFICULTIES = ("easy", "mixed", "hard")
"""Names of the difficulties."""
HAPPENINGS = (
    "cocked",
    "stacked",
    "off-table",
    "push",
    "nudge",
    "count",
    "pick-up",
    "straighten",
    "phone",
    "bump",
)
"""What can happen besides throws: a die leans, lies on another one, leaves the table, pushes a kept one; a
hand nudges a die, counts dice, picks one up and puts it back, straightens the tray, lays a phone down; the
camera is bumped."""
RACE_HAPPENINGS = ("cocked", "stacked", "near-tie", "false-shout", "nine-cocked", "covered")
"""What can happen in a race: two finish at nearly the same time; somebody shouts too early; the last die
leans and its owner shouts; a hand covers dice of a lane that has finished."""
EFFECTS = ("people", "drift", "flicker", "rolling-shutter", "noise", "blur", "compression")
"""What light and sensor can do: shadows of people that pass, slow changes of lamp and daylight, ..."""
_ODDS = {
    "cocked": 0.05,
    "stacked": 0.01,
    "off-table": 0.015,
    "push": 0.05,
    "nudge": 0.05,
    "count": 0.05,
    "pick-up": 0.03,
    "straighten": 0.06,
    "phone": 0.012,
    "bump": 0.10,
}
"""Odds of each happening, a throw (of the bump: a session), in the default mix."""
MARKER_EDGE_MM = 34.0
"""Border of a mat in which a marker has room."""
_RACE_ODDS = {
    "cocked": 0.03,
    "stacked": 0.005,
    "near-tie": 0.3,
    "false-shout": 0.2,
    "nine-cocked": 0.1,
    "covered": 0.15,
}
"""Odds in the default mix of a race: of the first two a throw, of the others a round."""
TABLE_MIX = {"shared": 0.4, "tray": 0.3, "lanes": 0.15, "lanes-tray": 0.15}
"""Odds of the kinds of table in the default mix."""


@dataclass(frozen=True, slots=True)
class MatLook:
    """How the mat looks."""

    kind: str
    """Its surface, one of `models.synth.surfaces.SURFACES`."""
    colour: tuple[int, int, int]
    """8-bit BGR."""
    ink: tuple[int, int, int]
    """Colour of its lines, 8-bit BGR."""
    markers: bool
    """Whether there are ArUco markers in its corners."""
    tray_colour: tuple[int, int, int]
    """Colour of the trays, 8-bit BGR."""
    rim_colour: tuple[int, int, int]
    """Colour of the rim of trays, 8-bit BGR."""


@dataclass(frozen=True, slots=True, eq=False)
class Conditions:
    """The conditions of one session. Lengths in mm, the table is z = 0, the view's middle is the origin."""

    camera: Camera
    """Fixed camera."""
    zone: Zone
    """What the camera sees, less a border."""
    layout: Layout
    """Where the zones are and who sits where."""
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
    mat: MatLook | None
    """How the mat looks, or None: dice roll on the bare table."""
    fps: float
    """Frames a second."""
    sensor: Sensor
    """What lamp, lens, chip and coder do."""
    rest_s: tuple[float, float]
    """Shortest and longest time that dice lie in full view, seconds."""
    gap_mm: float
    """Least distance of the middles of dice at rest."""
    odds: tuple[tuple[str, float], ...] = ()
    """Odds a throw of each of `HAPPENINGS` that can happen (of the bump: a session)."""
    wanted: tuple[str, ...] = ()
    """Which of `HAPPENINGS` are to happen for sure, where they can."""
    race: bool = False
    """Whether all lanes are played at once (Tenzi)."""

    def odds_of(self, kind: str) -> float:
        """Return the odds of a happening."""
        return dict(self.odds).get(kind, 0.0)

    def described(self) -> dict[str, object]:
        """Return what the truth file says about the conditions."""
        sensor = self.sensor
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
            "drift": round(sensor.drift, 4),
            "drift_s": round(sensor.drift_s, 2),
            "warmth": round(sensor.warmth, 4),
            "flicker": round(sensor.flicker, 4),
            "rolling_shutter_s": round(sensor.readout_s, 4),
            "exposure_s": round(sensor.exposure_s, 4),
            "noise": round(sensor.noise, 4),
            "blur_px": round(sensor.blur_px, 3),
            "compression": round(sensor.compression, 3),
            "people_s": round(sensor.people_s, 2),
            "tray": self.layout.lanes[0].tray is not None,
            "rim_mm": self.layout.rim_mm,
            "lanes": "shared" if len(self.layout.lanes) == 1 else [lane.name for lane in self.layout.lanes],
            "mat": None if self.mat is None else {"kind": self.mat.kind, "markers": self.mat.markers},
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
    table: str | None = "shared",
    body: str | None = None,
    surface: str | None = None,
    width_px: int = 1280,
    height_px: int = 720,
    fps: float = 25.0,
    wanted: Collection[str] = (),
    unwanted: Collection[str] = (),
    dice: int = 6,
    race: bool = False,
) -> Conditions:
    """Draw the conditions of a session.

    Args:
        rng: source of all chance.
        players: how many hands.
        difficulty: one of `DIFFICULTIES`.
        table: one of `models.synth.layout.TABLES`; None for any, in the proportions of `TABLE_MIX`.
        body: colour of the dice, one of `models.synth.dice.BODY_NAMES`; None for any.
        surface: kind of table, one of `models.synth.surfaces.SURFACES`; None for any.
        width_px: width of the video.
        height_px: height of the video.
        fps: frames a second.
        wanted: which of `HAPPENINGS` and `EFFECTS` are to be in it for sure.
        unwanted: which of them are not to be in it.
        dice: how many dice there are; in a race: a player.
        race: whether every player has dice and all lanes are played at once.

    Raises:
        BadScene: for a name that does not exist, or a wish and its contrary.
    """
    names = RACE_HAPPENINGS if race else HAPPENINGS
    for what, value, known in (
        ("difficulty", difficulty, DIFFICULTIES),
        ("table", table, TABLES),
        ("dice", body, BODY_NAMES),
        ("surface", surface, SURFACES),
        *(("condition", name, (*names, *EFFECTS)) for name in (*wanted, *unwanted)),
    ):
        if value is not None and value not in known:
            raise BadScene(f"{what} '{value}' is not known; choose one of {', '.join(known)}")
    both = sorted(set(wanted) & set(unwanted))
    if both:
        raise BadScene(f"'{both[0]}' is both wanted and unwanted; take it out of one of the two")
    if race and table is not None and not table.startswith("lanes"):
        raise BadScene(f"a race needs a lane a player, got table '{table}'; use lanes or lanes-tray")
    level = DIFFICULTIES.index(difficulty)
    if table is None and race:
        table = "lanes-tray" if rng.random() < 0.8 else "lanes"
    if table is None:
        table = str(rng.choice(list(TABLE_MIX), p=list(TABLE_MIX.values())))
    rows = 2 if players >= 4 or (players == 2 and table.startswith("lanes") and rng.random() < 0.5) else 1
    side_px = float(rng.uniform(36, 48) if level == 0 else rng.uniform(28, 48))
    wide, high = _sides_needed(table, players, rows)
    if "phone" in wanted:  # beside which there must be room to throw
        high = max(high, 20.5)
    side_px = min(side_px, height_px / high, width_px / wide)
    tilt = 0.0 if level == 0 else float(np.radians(rng.uniform(0, 10 if level == 1 else 25)))
    focal = 0.95 * width_px
    camera = look_down(width_px, height_px, focal_px=focal, distance=focal * SIDE_MM / side_px, tilt_rad=tilt)
    light = _light(rng, level)
    view = seen_zone(camera, SIDE_MM * (1.2 if table == "shared" else 0.4))
    mat = _mat(rng, level) if table != "shared" or rng.random() < 0.3 else None
    rim = float(rng.uniform(7, 10)) if table.endswith("tray") and rng.random() < 0.5 else 0.0
    sets = players if race else 1
    looks: list[DieLook] = []
    for _ in range(sets):
        same = level == 0 or race or rng.random() < 0.7
        drawn = [_look(rng, level, body) for _ in range(1 if same else dice)]
        looks += drawn * dice if same else drawn
    usual = _RACE_ODDS if race else _ODDS
    odds = {name: usual[name] * (1, 1, 1.7)[level] for name in names if level > 0 and name not in unwanted}
    return Conditions(
        camera=camera,
        zone=view,
        layout=make_layout(
            table,
            players,
            view,
            mat=mat is not None,
            rim_mm=rim,
            rows=rows,
            side_mm=MARKER_EDGE_MM if mat is not None and mat.markers else 0.0,
        ),
        light=light,
        looks=tuple(looks),
        hands=tuple(random_hand(rng) for _ in range(players)),
        surface=surface or str(rng.choice(SURFACES if level else ("felt", "paper", "plastic", "leather"))),
        surface_colour=None,
        surface_contrast=None,
        surface_seed=int(rng.integers(2**31)),
        mat=mat,
        fps=fps,
        sensor=_sensor(rng, level, frozenset(wanted), frozenset(unwanted)),
        rest_s=(1.1, 2.2),
        gap_mm=SIDE_MM * (1.35 if level == 0 and not race else 1.0),
        odds=tuple(odds.items()),
        wanted=tuple(name for name in names if name in wanted),
        race=race,
    )


def _sides_needed(table: str, players: int, rows: int) -> tuple[float, float]:
    """Return how many sides of a die the picture must be wide and high, or there is no room to throw."""
    if not table.startswith("lanes"):
        return 20.0, 14.0
    columns = -(-players // rows)
    deep = 13.5 if table == "lanes-tray" else 10.0
    return 2.0 + columns * (9.5 if players > 2 else 12.0), max(14.0, 2.0 + rows * deep)


def _light(rng: np.random.Generator, level: int) -> Light:
    """Draw the light."""
    elevation = np.radians(rng.uniform((60, 45, 28)[level], 85))
    azimuth = rng.uniform(-np.pi, np.pi)
    tint = np.exp(rng.normal(0, 0.03) * np.array([-1.0, 0, 1.0]) * (1 + level))
    tint /= tint.max()
    return Light(
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


def _sensor(rng: np.random.Generator, level: int, wanted: frozenset[str], unwanted: frozenset[str]) -> Sensor:
    """Draw lamp, lens, chip and coder: each effect in some of the sessions, more of them in hard ones."""

    def strength(name: str, often: float, low: float, high: float) -> float:
        drawn, value = rng.random() < often, float(rng.uniform(low, high))
        return value if name in wanted or (drawn and name not in unwanted) else 0.0

    drift = strength("drift", 1.0, 0.0 if "drift" not in wanted else 0.05, (0.02, 0.05, 0.1)[level])
    return Sensor(
        drift=max(drift, 0.05 if "drift" in wanted else 0.0),
        drift_s=float(rng.uniform(8, 40)),
        warmth=0.0 if drift == 0 else float(rng.uniform(0, (0.0, 0.02, 0.05)[level])),
        flicker=strength("flicker", (0.0, 0.25, 0.5)[level], 0.02, (0.04, 0.06, 0.12)[level]),
        mains_hz=float(rng.choice([50.0, 60.0]) + rng.normal(0, 0.03)),
        readout_s=strength("rolling-shutter", (0.0, 0.5, 0.9)[level], 0.010, 0.028),
        exposure_s=strength("blur", 1.0, 0.003, (0.006, 0.012, 0.018)[level]),
        noise=strength("noise", 1.0, 0.002, (0.006, 0.012, 0.025)[level]),
        blur_px=strength("blur", 1.0, 0.4, (0.7, 0.9, 1.2)[level]),
        vignette=float(rng.uniform(0.0, 0.2)),
        compression=strength("compression", (0.0, 0.4, 0.7)[level], 0.15, (0.4, 0.6, 1.0)[level]),
        people_s=strength("people", (0.0, 0.3, 0.5)[level], 6.0, 22.0),
        people_depth=float(rng.uniform(0.15, (0.25, 0.4, 0.6)[level])),
    )


def _mat(rng: np.random.Generator, level: int) -> MatLook:
    """Draw a mat: printed paper, or cloth of many colours."""
    printed = rng.random() < 0.35
    if printed:
        base = np.array([236, 238, 240.0]) * rng.uniform(0.9, 1.0)
        kind, dark = "paper", np.array([60, 60, 60.0])
    else:
        kind = str(rng.choice(["felt", "cloth", "leather", "plastic"]))
        palette = (
            (40, 96, 30),
            (110, 60, 25),
            (35, 30, 110),
            (60, 60, 62),
            (34, 34, 36),
            (150, 150, 150),
            (90, 40, 80),
        )
        base = np.array(palette[int(rng.integers(len(palette)))], dtype=float) * rng.uniform(0.8, 1.3)
        dark = base * 0.3 if base.mean() > 110 else np.array([205, 210, 215.0]) * rng.uniform(0.7, 1.0)
    tray = np.clip(base * rng.uniform(0.45, 0.85) + rng.uniform(0, 25, 3), 5, 240)
    wood = np.array([70, 110, 165.0]) if rng.random() < 0.6 else np.array([45, 45, 48.0])
    return MatLook(
        kind,
        _bgr(base),
        _bgr(dark),
        bool(level < 2 and (printed or rng.random() < 0.4)) or bool(rng.random() < 0.4),
        _bgr(tray),
        _bgr(wood * rng.uniform(0.6, 1.3)),
    )


def _bgr(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[int, int, int]:
    """Return three numbers as an 8-bit colour."""
    b, g, r = np.clip(np.rint(values), 0, 255).astype(int)
    return (int(b), int(g), int(r))


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
    view = seen_zone(camera, SIDE_MM * 1.5)
    return Conditions(
        camera=camera,
        zone=view,
        layout=make_layout("shared", 2, view, mat=False),
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
        mat=None,
        fps=18.0,
        sensor=Sensor(drift=0.012, drift_s=19.0, noise=0.0015, blur_px=0.6, vignette=0.12),
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
