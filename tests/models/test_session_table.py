"""Tables of simulated sessions: trays, lanes, what happens besides throws, and the truth about it."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.geometry import TableGeometry
from calibration.profile import load_profile
from models.synth.conditions import HAPPENINGS, SIDE_MM, Conditions, random_conditions
from models.synth.dice import flat_rotation, top_face
from models.synth.errors import BadScene
from models.synth.layout import TABLES, make_layout
from models.synth.leaning import Wall, lean, walls_of_die
from models.synth.recording import profile_of, write_json
from models.synth.script import Script, write_script
from models.synth.sensor import Film, Sensor
from models.synth.session import build_timeline
from models.synth.studio import Studio
from models.synth.throw import Zone
from models.synth.timeline import Moment, Timeline
from scorer.rules import make_rules

needs_mujoco = pytest.mark.skipif(
    find_spec("mujoco") is None, reason="throws need the package mujoco (extras train and dev)"
)
VIEW = Zone(-320, -180, 320, 180)


# ---- zones -----------------------------------------------------------------------------------------


def overlap(a: Zone, b: Zone) -> bool:
    return a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("players", range(1, 9))
def test_zones_lie_in_view_and_apart(kind: str, players: int) -> None:
    layout = make_layout(kind, players, VIEW, side_mm=34)
    zones = [zone for lane in layout.lanes for zone in (lane.roll, lane.tray) if zone is not None]
    for zone in zones:
        assert zone.x0 < zone.x1
        assert zone.y0 < zone.y1
        assert VIEW.x0 <= zone.x0 < zone.x1 <= VIEW.x1
        assert VIEW.y0 <= zone.y0 < zone.y1 <= VIEW.y1
    assert not any(overlap(a, b) for a, b in combinations(zones, 2))
    assert len(layout.seats) == players
    for seat, place in enumerate(layout.seats):
        inside = np.array([place.at(1.0, 0.0)])
        outside = np.array([place.at(-place.edge_mm - 1.0, 0.0)])
        assert layout.lane_of(seat).roll.holds(inside, 0.0)
        assert not VIEW.holds(outside, 0.0)


def test_a_lanes_tray_has_room_for_ten_dice() -> None:
    layout = make_layout("lanes-tray", 8, VIEW, side_mm=34)
    for lane in layout.lanes:
        assert lane.tray is not None
        slots = np.array(lane.slots(SIDE_MM))
        assert len(slots) >= 10
        assert lane.tray.holds(slots, SIDE_MM / 2)
        apart = np.linalg.norm(slots[:, None] - slots[None], axis=2) + np.eye(len(slots)) * 99
        assert apart.min() > 1.2 * SIDE_MM


def test_unknown_tables_and_conditions_are_refused() -> None:
    with pytest.raises(BadScene, match="lanes-tray"):
        make_layout("round", 2, VIEW)
    with pytest.raises(BadScene, match="9"):
        make_layout("lanes", 9, VIEW)
    with pytest.raises(BadScene, match="off-table"):
        random_conditions(np.random.default_rng(0), 2, wanted=["thunder"])
    with pytest.raises(BadScene, match="both"):
        random_conditions(np.random.default_rng(0), 2, wanted=["bump"], unwanted=["bump"])
    with pytest.raises(BadScene, match="lane a player"):
        random_conditions(np.random.default_rng(0), 2, table="tray", race=True)


# ---- dice that lean --------------------------------------------------------------------------------


@pytest.mark.parametrize("height", [7.0, 9.0, 16.0])
def test_a_leaning_die_stands_on_the_table_and_touches_the_wall(height: float) -> None:
    corners = np.array([[x, y, z] for x in (-8, 8) for y in (-8, 8) for z in (-8, 8)], dtype=float)
    wall = Wall(np.array([10.0, 20.0]), np.array([0.6, 0.8]), height, "rim")
    for seed in range(30):
        leaning = lean(np.random.default_rng(seed), wall, SIDE_MM)
        at = leaning.position + corners @ leaning.rotation.T
        before = (at[:, :2] - wall.foot) @ wall.normal
        assert at[:, 2].min() == pytest.approx(0, abs=1e-6)
        assert (at[before < -1e-6][:, 2] > height - 1e-6).all(), "no corner inside the wall"
        tilt = top_face(leaning.rotation)[1]
        assert np.radians(12) < tilt < np.radians(41)
        # The edge or face at the wall: the nearest point of the die to the upper edge of the wall is on it.
        local = leaning.rotation.T @ (np.array([*wall.foot, height]) - leaning.position)
        if height < 16:
            assert np.abs(local)[[0, 2]].max() <= 8 + 1e-6
        assert np.linalg.det(leaning.rotation) == pytest.approx(1)
        assert top_face(leaning.flat_rotation)[1] == pytest.approx(0, abs=1e-6)
        assert top_face(leaning.flat_rotation)[0] == top_face(leaning.rotation)[0]


def test_the_sides_of_a_die_are_walls() -> None:
    walls = walls_of_die(np.array([5.0, 6.0, 8.0]), flat_rotation(3, 0.4), SIDE_MM)
    assert len(walls) == 4
    for wall in walls:
        assert np.linalg.norm(wall.foot - (5, 6)) == pytest.approx(8)
        assert (wall.foot - (5, 6)) @ wall.normal == pytest.approx(8)


# ---- sessions --------------------------------------------------------------------------------------


def session(
    seed: int, table: str, wanted: tuple[str, ...], players: int = 2
) -> tuple[Script, Conditions, Timeline]:
    if find_spec("mujoco") is None:
        pytest.skip("throws need the package mujoco (extras train and dev)")
    conditions = random_conditions(
        np.random.default_rng([seed, 2]),
        players,
        table=table,
        wanted=wanted,
        unwanted=[name for name in HAPPENINGS if name not in wanted],
        width_px=480,
        height_px=270,
        fps=12.0,
    )
    names = [str(k) for k in range(players)]
    script = write_script(np.random.default_rng([seed, 3]), make_rules("farkle", {}), names, turns=1)
    return script, conditions, build_timeline(np.random.default_rng([seed, 1]), script, conditions)


@pytest.fixture(scope="module")
def trayed() -> tuple[Script, Conditions, Timeline]:
    return session(7, "tray", ("cocked", "nudge", "count", "pick-up", "straighten", "bump"))


@pytest.fixture(scope="module")
def laned() -> tuple[Script, Conditions, Timeline]:
    return session(12, "lanes-tray", ("stacked", "off-table"), players=3)


@pytest.fixture(scope="module")
def shared() -> tuple[Script, Conditions, Timeline]:
    return session(7, "shared", ("phone", "push", "cocked"))


@pytest.mark.parametrize("which", ["trayed", "laned", "shared"])
def test_every_throw_ends_in_a_rest_with_its_faces(which: str, request: pytest.FixtureRequest) -> None:
    script, conditions, line = request.getfixturevalue(which)
    assert len(line.rests) == len(script.throws)
    for rest, plan in zip(line.rests, script.throws, strict=True):
        first, last = line.moments[rest.start_frame].dice, line.moments[rest.end_frame].dice
        faces = dict(rest.dice)
        assert [faces[die] for die in plan.thrown] == list(plan.faces)
        assert set(faces) == set(first) == set(last)
        places = []
        for die, face in rest.dice:
            place, turn = first[die]
            assert last[die][0] is place
            shown, tilt = top_face(turn, conditions.looks[die].left_handed)
            assert shown == face
            assert tilt < np.radians(2)
            assert place[2] == pytest.approx(SIDE_MM / 2, abs=0.4)
            places.append(place[:2])
        apart = np.linalg.norm(np.array(places)[:, None] - np.array(places)[None], axis=2)
        assert (apart + np.eye(len(places)) * 99).min() > 15.3
        lane = conditions.layout.lane_of(rest.seat)
        for die in faces:
            zone = lane.roll if die not in rest.kept or lane.tray is None else lane.tray
            assert zone.holds(first[die][0].reshape(1, 3), 0.0)


@pytest.mark.parametrize("which", ["trayed", "laned", "shared"])
def test_what_was_asked_for_happens(which: str, request: pytest.FixtureRequest) -> None:
    _, conditions, line = request.getfixturevalue(which)
    assert set(conditions.wanted) - {"push"} <= {each.kind for each in line.happenings}
    for each in line.happenings:
        assert 0 <= each.start_frame <= each.end_frame < len(line.moments)


def test_a_die_that_leans_is_put_right_before_the_rest(trayed: tuple[Script, Conditions, Timeline]) -> None:
    _, conditions, line = trayed
    (each,) = [each for each in line.happenings if each.kind == "cocked"]
    (die,) = each.dice
    turn = line.moments[each.start_frame].dice[die][1]
    tilt = np.degrees(top_face(turn, conditions.looks[die].left_handed)[1])
    assert dict(each.notes)["tilt_deg"] == pytest.approx(tilt, abs=0.1)
    assert not any(
        rest.start_frame < each.end_frame and each.start_frame < rest.end_frame for rest in line.rests
    )


def test_dice_set_aside_lie_in_the_tray(trayed: tuple[Script, Conditions, Timeline]) -> None:
    _, conditions, line = trayed
    tray = conditions.layout.lanes[0].tray
    assert tray is not None
    moves = [each for each in line.happenings if each.kind == "set_aside"]
    assert moves
    for each in moves:
        for die in each.dice:
            assert tray.holds(line.moments[each.end_frame].dice[die][0].reshape(1, 3), 0.0)


def test_a_nudge_moves_a_die_less_than_half_and_keeps_its_face(
    trayed: tuple[Script, Conditions, Timeline],
) -> None:
    _, conditions, line = trayed
    for each in line.happenings:
        if each.kind not in ("nudge", "pick-up"):
            continue
        for die in each.dice:
            before, after = (line.moments[k].dice[die] for k in (each.start_frame, each.end_frame))
            assert np.linalg.norm(before[0] - after[0]) < SIDE_MM / 2
            left = conditions.looks[die].left_handed
            assert top_face(before[1], left)[0] == top_face(after[1], left)[0]


def test_a_bump_moves_the_picture_and_not_the_dice(trayed: tuple[Script, Conditions, Timeline]) -> None:
    _, _, line = trayed
    (each,) = [each for each in line.happenings if each.kind == "bump"]
    before, after = line.moments[each.start_frame - 1], line.moments[each.end_frame + 1]
    assert before.dice.keys() == after.dice.keys()
    assert all(before.dice[die][0] is after.dice[die][0] for die in before.dice)
    point = np.array([[0.0, 0.0, 0.0]])
    was, now = (line.cameras[moment.camera].project(point)[0] for moment in (before, after))
    assert np.linalg.norm(was - now) > 1.0
    assert line.moments[-1].camera == after.camera
    assert not any(rest.start_frame <= each.start_frame <= rest.end_frame for rest in line.rests)


def test_a_phone_lies_beside_the_dice(shared: tuple[Script, Conditions, Timeline]) -> None:
    _, _, line = shared
    lying = [moment for moment in line.moments if moment.phone is not None and moment.phone.height == 0]
    assert lying
    assert line.moments[-1].phone is None


# ---- profile and picture ---------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_the_profile_can_be_loaded_and_maps_zones(table: str, tmp_path: Path) -> None:
    conditions = random_conditions(np.random.default_rng(3), 3, table=table)
    write_json(tmp_path / "profile.json", profile_of(conditions))
    geometry = TableGeometry(load_profile(tmp_path / "profile.json"))
    for lane in conditions.layout.lanes:
        for kind, zone in (("roll", lane.roll), ("tray", lane.tray)):
            if zone is None:
                continue
            middle = np.array([[(zone.x0 + zone.x1) / 2, (zone.y0 + zone.y1) / 2, 0.0]])
            found = geometry.zone_at(geometry.to_mm(conditions.camera.project(middle))[0])
            assert found is not None
            assert (found.kind, found.lane) == (kind, lane.name)


def test_the_markers_lie_where_the_profile_says(tmp_path: Path) -> None:
    for seed in range(40):
        conditions = random_conditions(np.random.default_rng(seed), 2, table="tray", unwanted=["noise"])
        if conditions.mat is not None and conditions.mat.markers:
            break
    write_json(tmp_path / "profile.json", profile_of(conditions))
    profile = load_profile(tmp_path / "profile.json")
    assert profile.markers is not None
    line = Timeline([Moment({})])
    (frame,) = Studio(np.random.default_rng(1), conditions).frames(line)
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, profile.markers.dictionary))
    corners, idents, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(frame)
    assert idents is not None
    assert sorted(int(k) for k in np.asarray(idents).ravel()) == [0, 1, 2, 3]
    wanted = dict(profile.markers.corners_mm)
    geometry = TableGeometry(profile)
    for ident, found in zip(np.asarray(idents).ravel(), corners, strict=True):
        # Pixels count from the outer corner of the first one; OpenCV counts from its middle.
        seen = geometry.to_mm(np.asarray(found, dtype=np.float64).reshape(4, 2) + 0.5)
        assert np.abs(seen - np.array(wanted[int(ident)])).max() < 1.0


def test_compression_leaves_still_blocks_alone() -> None:
    sensor = Sensor(compression=0.6, noise=0.004)
    film = Film(np.random.default_rng(1), sensor, 128, 96, 10.0)
    picture = np.full((96, 128, 3), 0.4, dtype=np.float32)
    first = film.take(0, picture)
    picture[40:60, 50:80] = 0.9
    second = film.take(1, picture)
    assert np.array_equal(first[:32], second[:32])
    assert second[45:55, 60:70].mean() > first[45:55, 60:70].mean() + 80


def test_flicker_with_a_rolling_shutter_makes_bands() -> None:
    picture = np.full((96, 128, 3), 0.4, dtype=np.float32)
    even = Film(np.random.default_rng(1), Sensor(flicker=0.1, readout_s=0.0), 128, 96, 10.0).take(0, picture)
    bands = Film(np.random.default_rng(1), Sensor(flicker=0.1, readout_s=0.02), 128, 96, 10.0).take(
        0, picture
    )
    assert np.ptp(even.mean(axis=(1, 2))) < 1
    assert np.ptp(bands.mean(axis=(1, 2))) > 10
