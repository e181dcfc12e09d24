"""A camera that is bumped in mid-session: it shakes for a moment, then sees the table from elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from models.synth.conditions import Conditions
from models.synth.dice import axis_rotation
from models.synth.render import Camera
from models.synth.timeline import Happening, Timeline

_SHAKE_S = 0.4
_AFTER_S = 1.6
"""How long the table then lies still."""


def bump(rng: np.random.Generator, line: Timeline, conditions: Conditions) -> None:
    """Bump the camera at the end of one of the rests, while nobody touches the dice. Changes `line`."""
    if not line.rests:
        return
    count = len(line.rests)
    rest = line.rests[int(rng.integers(count // 3, max(count // 3 + 1, count - 1)))]
    fps = conditions.fps
    frame = rest.end_frame
    shaking = max(2, round(_SHAKE_S * fps))
    still = round(_AFTER_S * fps)
    line.hold(frame, shaking + still)
    camera = conditions.camera
    # 4 to 22 mm on the table and up to two degrees: what an elbow at the tripod does.
    angle = float(rng.uniform(-np.pi, np.pi))
    shift = np.array([np.cos(angle), np.sin(angle)]) * float(rng.uniform(4, 22))
    turn = float(np.radians(rng.uniform(-2.0, 2.0)))
    cameras = [camera]
    for k in range(shaking):
        s = (k + 1) / shaking
        swing = 1 - np.exp(-5 * s) * np.cos(9 * s) if k + 1 < shaking else 1.0
        cameras.append(moved(camera, shift * swing, turn * swing))
    line.cameras = cameras
    for k in range(shaking):
        line.moments[frame + 1 + k] = replace(line.moments[frame + 1 + k], camera=k + 1)
    for index in range(frame + 1 + shaking, len(line.moments)):
        line.moments[index] = replace(line.moments[index], camera=shaking)
    notes = (
        ("shift_mm", [round(float(v), 2) for v in shift]),
        ("turn_deg", round(float(np.degrees(turn)), 3)),
    )
    line.happenings.append(Happening("bump", frame + 1, frame + shaking, None, (), notes))


def moved(
    camera: Camera, shift_mm: np.ndarray[tuple[int, ...], np.dtype[np.float64]], turn_rad: float
) -> Camera:
    """Return a camera displaced along the table and turned about its own axis."""
    position = camera.position + np.array([*shift_mm, 0.0])
    return replace(
        camera, position=position, camera_from_table=axis_rotation(2, turn_rad) @ camera.camera_from_table
    )
