"""Writes a session: video.mp4, profile.json and truth.json, all or nothing.

The truth is what `croupier replay` takes (game, preset, settings, players, events) together with the totals
and with what the camera saw: the frames in which the dice rest, what shows, which dice were thrown and kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from models.synth.conditions import SIDE_MM, Conditions, demo_conditions
from models.synth.errors import VideoFailed
from models.synth.render import Camera
from models.synth.script import Script, write_script
from models.synth.session import Rest, Studio, Timeline, build_timeline, trimmed
from scorer.events import event_to_json
from scorer.replay import replay
from scorer.rules import make_rules

LANE = 0
"""The only lane of a shared zone, as `croupier watch` counts them."""
DEMO_SEED = 4872
"""Seed of the bundled recording: a bust, three pairs and hot dice, a comeback in the last round."""
Progress = Callable[[int, int], None]
"""Told (frames written, frames in all)."""


def record(
    out: Path,
    script: Script,
    conditions: Conditions,
    *,
    seed: int,
    preset: str,
    settings: dict[str, object],
    progress: Progress | None = None,
) -> dict[str, object]:
    """Play `script` under `conditions` and write the three files into the folder `out`, made if need be.

    Args:
        out: folder; files of an earlier session in it are replaced, at the very end.
        script: the game.
        conditions: what it looks like.
        seed: of motion and noise; the same arguments give the same frames.
        preset: name of the rules, for the truth file.
        settings: what differs from the preset, for the truth file.
        progress: told how far it is.

    Returns:
        The truth, as written.

    Raises:
        MujocoMissing, NoSuchThrow: see `models.synth.throw`.
        VideoFailed: when the video cannot be written.
    """
    rng = np.random.default_rng([seed, 1])
    timeline = build_timeline(rng, script, conditions)
    studio = Studio(rng, conditions, len(script.players))
    rests = trimmed(timeline.rests, timeline.moments, studio.shows_hand)
    out.mkdir(parents=True, exist_ok=True)
    part = out / "video.part.mp4"
    try:
        _write_video(part, studio, timeline, conditions, progress)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    truth = _truth(script, conditions, timeline, rests, seed=seed, preset=preset, settings=settings)
    _write_json(out / "profile.json", profile_of(conditions))
    _write_json(out / "truth.json", truth)
    os.replace(part, out / "video.mp4")
    return truth


def record_demo(out: Path, progress: Progress | None = None) -> dict[str, object]:
    """Write the recording that `croupier demo` plays.

    The one in `models/synth/demo` was made by `python -m models.synth.recording models/synth/demo`.
    """
    settings: dict[str, object] = {"target": 1000}
    rules = make_rules("farkle", settings)
    script = write_script(np.random.default_rng(DEMO_SEED), rules, ("Anna", "Ben"), turns=6)
    return record(
        out,
        script,
        demo_conditions(),
        seed=DEMO_SEED,
        preset="farkle",
        settings=settings,
        progress=progress,
    )


def profile_of(conditions: Conditions) -> dict[str, object]:
    """Return the calibration of the simulated camera as a profile: the map from picture to table, in mm."""
    camera = conditions.camera
    zone = conditions.zone
    corners = [[zone.x0, zone.y0], [zone.x1, zone.y0], [zone.x1, zone.y1], [zone.x0, zone.y1]]
    return {
        "version": 1,
        "width_px": camera.width_px,
        "height_px": camera.height_px,
        "table_from_image": [[float(v) for v in row] for row in _table_from_image(camera)],
        "die_side_mm": SIDE_MM,
        "lanes": [
            {"lane": LANE, "players": "all", "polygon_mm": [[round(v, 2) for v in c] for c in corners]}
        ],
        "trays": [],
    }


def _table_from_image(camera: Camera) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the (3, 3) homography from pixels to mm on the table, last entry 1."""
    lens = np.array(
        [
            [camera.focal_px, 0, camera.width_px / 2],
            [0, camera.focal_px, camera.height_px / 2],
            [0, 0, 1],
        ]
    )
    rotation = camera.camera_from_table
    plane = np.stack([rotation[:, 0], rotation[:, 1], -rotation @ camera.position], axis=1)
    inverse = np.linalg.inv(lens @ plane)
    return np.asarray(inverse / inverse[2, 2])


def _truth(
    script: Script,
    conditions: Conditions,
    timeline: Timeline,
    rests: list[Rest],
    *,
    seed: int,
    preset: str,
    settings: dict[str, object],
) -> dict[str, object]:
    """Put the truth file together."""
    document: dict[str, object] = {
        "game": "farkle",
        "preset": preset,
        "settings": settings,
        "players": list(script.players),
        "events": [event_to_json(event) for event in script.events],
    }
    answer = replay(document)
    return {
        **document,
        "totals": answer["totals"],
        "turns": answer["turns"],
        "finished": answer["finished"],
        "winners": answer["winners"],
        "rests": [_rest(rest, script, conditions, timeline) for rest in rests],
        "fps": conditions.fps,
        "frames": len(timeline.moments),
        "width_px": conditions.camera.width_px,
        "height_px": conditions.camera.height_px,
        "seed": seed,
        "conditions": conditions.described(),
    }


def _rest(rest: Rest, script: Script, conditions: Conditions, timeline: Timeline) -> dict[str, object]:
    """Return one rest for the truth file; boxes in pixels."""
    faces = dict(rest.dice)
    poses = timeline.moments[rest.start_frame].dice
    dice = []
    for die, face in rest.dice:
        place, turn = poses[die]
        cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * SIDE_MM / 2
        pixels = conditions.camera.project(place + cube @ turn.T)
        low, high = pixels.min(axis=0), pixels.max(axis=0)
        box = [*low, *(high - low)]
        dice.append(
            {
                "die": die,
                "value": face,
                "kept": die in rest.kept,
                "box_px": [round(float(v), 1) for v in box],
            }
        )
    return {
        "start_frame": rest.start_frame,
        "end_frame": rest.end_frame,
        "lane": LANE,
        "values": sorted(faces.values()),
        "thrown": sorted(face for die, face in rest.dice if die not in rest.kept),
        "kept": sorted(faces[die] for die in rest.kept),
        "player": script.players[script.throws[rest.throw].seat],
        "dice": dice,
    }


def _write_video(
    path: Path, studio: Studio, timeline: Timeline, conditions: Conditions, progress: Progress | None
) -> None:
    """Write all frames (MPEG-4 part 2, which every OpenCV wheel can write and read)."""
    camera = conditions.camera
    writer = cv2.VideoWriter(
        str(path), cv2.VideoWriter.fourcc(*"mp4v"), conditions.fps, (camera.width_px, camera.height_px)
    )
    if not writer.isOpened():
        raise VideoFailed(f"cannot write the video {path}; check that the folder can be written to")
    try:
        for index, frame in enumerate(studio.frames(timeline.moments)):
            writer.write(frame)
            if progress is not None:
                progress(index + 1, len(timeline.moments))
    finally:
        writer.release()
    if not path.exists() or path.stat().st_size == 0:
        raise VideoFailed(f"the video {path} came out empty; check that the disk is not full")


def _write_json(path: Path, value: object) -> None:
    """Write JSON through a file beside the target, so that no half file is ever seen."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(part, path)


if __name__ == "__main__":
    import sys

    record_demo(Path(sys.argv[1]))
