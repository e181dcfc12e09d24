"""Writes a session: video.mp4, profile.json and truth.json, all or nothing.

The truth is what `croupier replay` takes (game, preset, settings, players, events) together with the totals
and with what the camera saw: the frames in which the dice rest, what shows, which dice were thrown and kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

from models.synth.conditions import SIDE_MM, Conditions, demo_conditions
from models.synth.errors import VideoFailed
from models.synth.lying import Lying, lying_dice
from models.synth.race import act_race
from models.synth.render import Camera
from models.synth.script import Script, write_script
from models.synth.session import build_timeline
from models.synth.studio import Studio
from models.synth.tabletop import MARKERS, marker_corners, picture_from_table
from models.synth.throw import Zone
from models.synth.timeline import Happening, Pose, Rest, Timeline, trimmed
from scorer.events import event_to_json
from scorer.replay import replay
from scorer.rules import make_rules
from scorer.tenzi import tenzi_event_to_json, tenzi_rules

SHARED = 0
"""Lane of a shared zone in the truth file."""
MADE = "2026-01-01"
"""Date in simulated profiles: the same seed gives the same file."""
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
    document: dict[str, object] = {
        "game": "farkle",
        "preset": preset,
        "settings": settings,
        "players": list(script.players),
        "events": [event_to_json(event) for event in script.events],
    }
    answer = replay(document)
    results = {name: answer[name] for name in ("totals", "turns", "finished", "winners")}
    return write_session(
        out, rng, timeline, conditions, {**document, **results}, seed=seed, progress=progress
    )


def record_race(
    out: Path,
    players: Sequence[str],
    conditions: Conditions,
    *,
    seed: int,
    rounds: int,
    settings: dict[str, object],
    progress: Progress | None = None,
) -> dict[str, object]:
    """Act a Tenzi match under the conditions of a race and write the three files; as `record`.

    Args:
        out: folder.
        players: names in seat order.
        conditions: of a race, with a lane a player.
        seed: of dice, motion and noise.
        rounds: most rounds.
        settings: of the match; the time between two pictures is filled in.
        progress: told how far it is.
    """
    rng = np.random.default_rng([seed, 1])
    settings = {"frame_ns": round(1e9 / conditions.fps), **settings}
    race = act_race(rng, players, tenzi_rules(settings), conditions, rounds=rounds)
    document: dict[str, object] = {
        "game": "tenzi",
        "preset": "tenzi",
        "settings": settings,
        "players": list(players),
        "events": [tenzi_event_to_json(event) for event in race.events],
    }
    answer = replay(document)
    results = {"totals": answer["wins"], **{name: answer[name] for name in ("rounds", "finished", "winners")}}
    return write_session(
        out,
        rng,
        race.timeline,
        conditions,
        {**document, **results},
        seed=seed,
        progress=progress,
        notes={"finish_s": race.finish_s},
    )


def write_session(
    out: Path,
    rng: np.random.Generator,
    timeline: Timeline,
    conditions: Conditions,
    document: dict[str, object],
    *,
    seed: int,
    progress: Progress | None = None,
    notes: dict[str, object] | None = None,
) -> dict[str, object]:
    """Draw a timeline and write the three files. Arguments, errors and result as for `record`.

    `document` is the game: what `croupier replay` takes, and its results; `notes` are further conditions.
    """
    studio = Studio(rng, conditions)
    rests = trimmed(timeline.rests, timeline.moments, studio.shows_hand)
    truth = _truth(document, conditions, timeline, rests, seed=seed, notes=notes or {})
    out.mkdir(parents=True, exist_ok=True)
    part = out / "video.part.mp4"
    try:
        _write_video(part, studio, timeline, conditions, progress)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    write_json(out / "profile.json", profile_of(conditions))
    write_json(out / "truth.json", truth)
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
    """Return the calibration of the simulated camera as a profile, exact: pixels to mm, zones, markers.

    The table's origin is the upper left corner of the mat (or of what the camera sees), x right, y down.
    """
    camera, layout = conditions.camera, conditions.layout
    outline = layout.mat or conditions.zone
    zones: list[dict[str, object]] = []
    for lane in layout.lanes:
        for kind, zone in (("roll", lane.roll), ("tray", lane.tray)):
            if zone is not None:
                zones.append({"kind": kind, "lane": lane.name, "polygon_mm": _polygon(zone, outline)})
    markers = None
    if conditions.mat is not None and conditions.mat.markers and layout.mat is not None:
        corners = {
            str(ident): [_from_corner(x, y, outline) for x, y in places]
            for ident, places in marker_corners(layout.mat).items()
        }
        markers = {"dictionary": MARKERS, "corners_mm": corners}
    return {
        "croupier_profile": 1,
        "name": "simulated",
        "camera": {"source": "file", "width_px": camera.width_px, "height_px": camera.height_px},
        "lens": None,
        "table_from_image": _table_from_image(camera, outline),
        "die_mm": SIDE_MM,
        "still_mm": 1.5,
        "zones": zones,
        "lanes": [
            {"name": lane.name, "colour": _lab(conditions, index) if conditions.race else None}
            for index, lane in enumerate(layout.lanes)
            if lane.name is not None
        ],
        "markers": markers,
        "reference": None,
        "made": MADE,
    }


def _polygon(zone: Zone, outline: Zone) -> list[list[float]]:
    """Return the corners of a zone in mm of the profile, clockwise from the upper left."""
    return [
        _from_corner(x, y, outline)
        for x, y in ((zone.x0, zone.y1), (zone.x1, zone.y1), (zone.x1, zone.y0), (zone.x0, zone.y0))
    ]


def _from_corner(x: float, y: float, outline: Zone) -> list[float]:
    """Return a point of the simulator's table (y up) in mm of the profile (y down)."""
    return [round(x - outline.x0, 3), round(outline.y1 - y, 3)]


def _table_from_image(camera: Camera, outline: Zone) -> list[list[float]]:
    """Return the (3, 3) homography from pixels to mm of the profile, last entry 1."""
    profile_from_table = np.array([[1, 0, -outline.x0], [0, -1, outline.y1], [0, 0, 1.0]])
    matrix = profile_from_table @ np.linalg.inv(picture_from_table(camera))
    return [[float(v) for v in row] for row in matrix / matrix[2, 2]]


def _lab(conditions: Conditions, lane: int) -> list[float]:
    """Return the colour of a player's dice as CIE L*, a*, b*."""
    each = len(conditions.looks) // len(conditions.layout.lanes)
    linear = np.array(conditions.looks[lane * each].body, dtype=np.float64)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    lab = cv2.cvtColor(srgb.astype(np.float32).reshape(1, 1, 3), cv2.COLOR_BGR2LAB)
    return [round(float(v), 1) for v in lab.reshape(3)]


def _truth(
    document: dict[str, object],
    conditions: Conditions,
    timeline: Timeline,
    rests: list[Rest],
    *,
    seed: int,
    notes: dict[str, object],
) -> dict[str, object]:
    """Put the truth file together."""
    players = document["players"]
    assert isinstance(players, list)
    happenings = [_happening(each, players, conditions, timeline) for each in _in_order(timeline.happenings)]
    return {
        **document,
        "rests": [
            _rest(rest, acted.start_frame, players, conditions, timeline)
            for rest, acted in zip(rests, timeline.rests, strict=True)
        ],
        "lying": [_lying(each, conditions, timeline) for each in lying_dice(timeline.moments)],
        "fps": conditions.fps,
        "frames": len(timeline.moments),
        "width_px": conditions.camera.width_px,
        "height_px": conditions.camera.height_px,
        "seed": seed,
        "conditions": {**conditions.described(), "happenings": happenings, **notes},
    }


def _in_order(happenings: list[Happening]) -> list[Happening]:
    return sorted(happenings, key=lambda each: (each.start_frame, each.end_frame))


def _camera_of(timeline: Timeline, frame: int, conditions: Conditions) -> Camera:
    """Return the camera of a frame."""
    cameras = timeline.cameras or [conditions.camera]
    return cameras[timeline.moments[frame].camera]


def _happening(
    each: Happening, players: list[str], conditions: Conditions, timeline: Timeline
) -> dict[str, object]:
    """Return one happening for the truth file."""
    out: dict[str, object] = {
        "kind": each.kind,
        "start_frame": each.start_frame,
        "end_frame": each.end_frame,
        "player": None if each.seat is None else players[each.seat],
        "dice": list(each.dice),
        **dict(each.notes),
    }
    if each.kind in ("cocked", "stacked"):
        camera = _camera_of(timeline, each.start_frame, conditions)
        poses = timeline.moments[each.start_frame].dice
        out["box_px"] = box_of(camera, poses[each.dice[0]])
    if each.kind == "bump":
        camera = _camera_of(timeline, each.end_frame, conditions)
        out["table_from_image"] = _table_from_image(camera, conditions.layout.mat or conditions.zone)
    return out


def box_of(camera: Camera, pose: Pose) -> list[float]:
    """Return the box (x, y, width, height) in pixels of a die."""
    place, turn = pose
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * SIDE_MM / 2
    pixels = camera.project(place + cube @ turn.T)
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    return [round(float(v), 1) for v in (*low, *(high - low))]


def _lying(each: Lying, conditions: Conditions, timeline: Timeline) -> dict[str, object]:
    """Return one die that lies still for the truth file."""
    spot = each.pose[0].reshape(1, 3)
    trays = [lane.tray for lane in conditions.layout.lanes if lane.tray is not None]
    return {
        "die": each.die,
        "value": each.value(left_handed=conditions.looks[each.die].left_handed),
        "from_frame": each.from_frame,
        "to_frame": each.to_frame,
        "box_px": box_of(_camera_of(timeline, each.from_frame, conditions), each.pose),
        "zone": "tray" if any(tray.holds(spot, 0.0) for tray in trays) else "roll",
        "cocked": each.cocked,
    }


def _rest(
    rest: Rest, still_frame: int, players: list[str], conditions: Conditions, timeline: Timeline
) -> dict[str, object]:
    """Return one rest for the truth file; boxes in pixels; `still_frame`: when the last die came to lie."""
    faces = dict(rest.dice)
    poses = timeline.moments[rest.start_frame].dice
    camera = _camera_of(timeline, rest.start_frame, conditions)
    lane = conditions.layout.lane_of(rest.seat)
    dice = []
    for die, face in rest.dice:
        in_tray = lane.tray is not None and lane.tray.holds(poses[die][0].reshape(1, 3), 0.0)
        dice.append(
            {
                "die": die,
                "value": face,
                "kept": die in rest.kept,
                "zone": "tray" if in_tray else "roll",
                "box_px": box_of(camera, poses[die]),
            }
        )
    return {
        "start_frame": rest.start_frame,
        "end_frame": rest.end_frame,
        "still_frame": still_frame,
        "lane": SHARED if lane.name is None else lane.name,
        "values": sorted(faces.values()),
        "thrown": sorted(face for die, face in rest.dice if die not in rest.kept),
        "kept": sorted(faces[die] for die in rest.kept),
        "player": players[rest.seat],
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
        for index, frame in enumerate(studio.frames(timeline)):
            writer.write(frame)
            if progress is not None:
                progress(index + 1, len(timeline.moments))
    finally:
        writer.release()
    if not path.exists() or path.stat().st_size == 0:
        raise VideoFailed(f"the video {path} came out empty; check that the disk is not full")


def write_json(path: Path, value: object) -> None:
    """Write JSON through a file beside the target, so that no half file is ever seen."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(part, path)


if __name__ == "__main__":
    import sys

    record_demo(Path(sys.argv[1]))
