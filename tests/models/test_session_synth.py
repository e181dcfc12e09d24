"""Simulated sessions: throws that rest flat, legal scripts, a truth that agrees with the frames."""

from __future__ import annotations

import json
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.synth.conditions import Conditions, random_conditions
from models.synth.dice import top_face
from models.synth.errors import BadScene, NoSuchThrow
from models.synth.recording import DEMO_SEED, record
from models.synth.script import write_script
from models.synth.session import build_timeline
from models.synth.throw import Throw, Zone, throw_dice
from models.synth.timeline import Timeline
from scorer.events import event_from_json, event_to_json
from scorer.farkle import fold
from scorer.replay import replay
from scorer.rules import make_rules, preset_names

needs_mujoco = pytest.mark.skipif(
    find_spec("mujoco") is None, reason="throws need the package mujoco (extras train and dev)"
)
ZONE = Zone(-160, -120, 160, 120)


def small(seed: int) -> Conditions:
    return random_conditions(
        np.random.default_rng(seed), 2, difficulty="easy", width_px=320, height_px=240, fps=10.0
    )


# ---- physics ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def throw() -> Throw:
    if find_spec("mujoco") is None:
        pytest.skip("throws need the package mujoco (extras train and dev)")
    return throw_dice(np.random.default_rng(5), 6, hand=(0, -90), aim=(0, 20), zone=ZONE, gap=20.0)


def test_dice_come_to_rest_flat_inside_the_zone(throw: Throw) -> None:
    last = throw.positions[-1]
    assert ZONE.holds(last, 0.0)
    assert last[:, 2] == pytest.approx(np.full(6, 8.0), abs=0.3)
    assert max(top_face(rotation)[1] for rotation in throw.rotations[-1]) < np.radians(1.5)


def test_dice_never_sink_into_the_table_nor_stay_in_the_air(throw: Throw) -> None:
    lowest = throw.positions[..., 2] - 8.0 * np.abs(throw.rotations[:, :, 2, :]).sum(axis=2)
    assert lowest.min() > -1.5
    assert throw.positions[0, :, 2].min() > 30


def test_dice_tumble(throw: Throw) -> None:
    turned = [
        np.arccos(np.clip((np.trace(a.T @ b) - 1) / 2, -1, 1))
        for a, b in zip(throw.rotations[:-1, 0], throw.rotations[1:, 0], strict=True)
    ]
    assert sum(turned) > np.pi


def test_numbers_put_on_afterwards_do_not_change_the_motion(throw: Throw) -> None:
    shown = throw.showing([6, 5, 4, 3, 2, 1], left_handed=True, turns=[0, 1, 2, 3, 0, 1])
    assert [top_face(r, True)[0] for r in shown.rotations[-1]] == [6, 5, 4, 3, 2, 1]
    assert np.array_equal(shown.positions, throw.positions)
    before = np.sort(np.abs(throw.rotations), axis=3)
    assert np.allclose(np.sort(np.abs(shown.rotations), axis=3), before)


@needs_mujoco
def test_the_same_seed_gives_the_same_throw() -> None:
    one, other = (
        throw_dice(np.random.default_rng(8), 2, hand=(0, -90), aim=(0, 0), zone=ZONE) for _ in range(2)
    )
    assert np.array_equal(one.positions, other.positions)
    assert np.array_equal(one.rotations, other.rotations)


@needs_mujoco
def test_a_throw_without_room_is_refused_in_a_sentence() -> None:
    with pytest.raises(NoSuchThrow, match="larger zone"):
        throw_dice(
            np.random.default_rng(1), 3, hand=(0, -90), aim=(0, 0), zone=Zone(-10, -10, 10, 10), attempts=2
        )


# ---- script ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", preset_names())
def test_scripts_are_legal_games_of_every_preset(name: str) -> None:
    for seed in range(8):
        rules = make_rules(name, {"target": 1000})
        script = write_script(np.random.default_rng(seed), rules, ("Anna", "Ben", "Cara"), turns=4)
        assert fold(rules, script.players, script.events) == script.state
        lying: tuple[int, ...] = ()
        for throw in script.throws:
            assert set(throw.thrown) | set(lying) == set(range(rules.dice))
            assert not set(throw.thrown) & set(lying)
            assert set(lying) <= set(throw.stays) or not throw.stays
            assert not (throw.turn_ends and throw.stays)
            lying = throw.stays


def test_a_whole_game_ends_with_its_last_round() -> None:
    rules = make_rules("farkle", {"target": 2000})
    for seed in range(6):
        script = write_script(np.random.default_rng(seed), rules, ("Anna", "Ben", "Cara"))
        assert script.state.finished
        assert max(script.state.totals) >= 2000
        rounds = {len(turns) for turns in script.state.turns}
        assert max(rounds) - min(rounds) <= 1


def test_the_bundled_recording_is_the_game_of_its_seed() -> None:
    truth = json.loads((resources.files("models.synth") / "demo" / "truth.json").read_text(encoding="utf-8"))
    rules = make_rules("farkle", {"target": 1000})
    script = write_script(np.random.default_rng(DEMO_SEED), rules, ("Anna", "Ben"), turns=6)
    assert [event_to_json(event) for event in script.events] == truth["events"]


def test_unknown_looks_are_refused() -> None:
    with pytest.raises(BadScene, match="mauve"):
        random_conditions(np.random.default_rng(0), 2, body="mauve")
    with pytest.raises(BadScene, match="easy, mixed, hard"):
        random_conditions(np.random.default_rng(0), 2, difficulty="brutal")


# ---- timeline --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    if find_spec("mujoco") is None:
        pytest.skip("throws need the package mujoco (extras train and dev)")
    rules = make_rules("farkle", {})
    script = write_script(np.random.default_rng(28), rules, ("Anna", "Ben"), turns=1)
    assert any(throw.stays for throw in script.throws)
    return build_timeline(np.random.default_rng(28), script, small(28))


def test_nothing_moves_during_a_rest(timeline: Timeline) -> None:
    for rest in timeline.rests:
        first = timeline.moments[rest.start_frame].dice
        for moment in timeline.moments[rest.start_frame : rest.end_frame + 1]:
            assert moment.dice.keys() == first.keys()
            assert all(np.array_equal(moment.dice[die][0], first[die][0]) for die in first)


def test_set_aside_dice_lie_where_they_lay(timeline: Timeline) -> None:
    kept = 0
    for before, after in zip(timeline.rests[:-1], timeline.rests[1:], strict=True):
        for die in after.kept:
            kept += 1
            was, now = (
                timeline.moments[before.end_frame].dice[die],
                timeline.moments[after.end_frame].dice[die],
            )
            assert np.array_equal(was[0], now[0])
            assert np.array_equal(was[1], now[1])
            for moment in timeline.moments[before.end_frame : after.end_frame]:
                assert np.array_equal(moment.dice[die][0], was[0])
    assert kept > 0


def test_the_faces_of_a_rest_are_those_on_top(timeline: Timeline) -> None:
    looks = small(28).looks
    for rest in timeline.rests:
        poses = timeline.moments[rest.end_frame].dice
        for die, face in rest.dice:
            assert top_face(poses[die][1], looks[die].left_handed)[0] == face


def test_dice_at_rest_do_not_overlap(timeline: Timeline) -> None:
    for rest in timeline.rests:
        places = np.array([pose[0][:2] for pose in timeline.moments[rest.end_frame].dice.values()])
        apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(len(places)) * 999
        assert apart.min() > 15.5


# ---- recording -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("mujoco") is None:
        pytest.skip("throws need the package mujoco (extras train and dev)")
    return _record(tmp_path_factory.mktemp("session"))


def _record(out: Path) -> Path:
    rules = make_rules("farkle", {"target": 1000})
    script = write_script(np.random.default_rng(28), rules, ("Anna", "Ben"), turns=1)
    record(out, script, small(28), seed=28, preset="farkle", settings={"target": 1000})
    return out


def test_the_truth_replays_to_its_totals(recorded: Path) -> None:
    truth = json.loads((recorded / "truth.json").read_text())
    answer = replay(truth)
    assert answer["totals"] == truth["totals"]
    assert answer["turns"] == truth["turns"]
    rolled = [sorted(event[1]) for event in truth["events"] if event[0] == "rolled"]
    assert [rest["thrown"] for rest in truth["rests"]] == rolled
    for rest in truth["rests"]:
        assert rest["values"] == sorted(rest["thrown"] + rest["kept"])
        assert rest["end_frame"] - rest["start_frame"] + 1 >= truth["fps"]
    for event in truth["events"]:
        event_from_json(event)


def test_the_video_has_the_frames_of_the_truth(recorded: Path) -> None:
    truth = json.loads((recorded / "truth.json").read_text())
    video = cv2.VideoCapture(str(recorded / "video.mp4"))
    frames = 0
    while True:
        done, frame = video.read()
        if not done:
            break
        frames += 1
        assert frame.shape == (truth["height_px"], truth["width_px"], 3)
    assert frames == truth["frames"]
    assert video.get(cv2.CAP_PROP_FPS) == pytest.approx(truth["fps"])


def test_dice_show_in_their_boxes_and_nowhere_else_at_rest(recorded: Path) -> None:
    truth = json.loads((recorded / "truth.json").read_text())
    rest = truth["rests"][0]
    video = cv2.VideoCapture(str(recorded / "video.mp4"))
    frames = [video.read()[1] for _ in range(rest["end_frame"] + 1)]
    change = cv2.GaussianBlur(cv2.absdiff(frames[0], frames[rest["end_frame"]]), (0, 0), 1.0).max(axis=2)
    elsewhere = change.copy()
    for die in rest["dice"]:
        x, y, width, height = (round(v) for v in die["box_px"])
        assert change[y : y + height, x : x + width].max() > 30
        # The shadow of a die reaches about a side beyond its box.
        elsewhere[max(0, y - height) : y + 2 * height, max(0, x - width) : x + 2 * width] = 0
    assert elsewhere.max() < 30


def test_the_profile_maps_pixels_to_the_table(recorded: Path) -> None:
    profile = json.loads((recorded / "profile.json").read_text())
    camera = small(28).camera
    point = camera.table_point((40.0, 200.0))
    corner = small(28).zone
    mapped = np.array(profile["table_from_image"]) @ [40.0, 200.0, 1.0]
    assert mapped[:2] / mapped[2] == pytest.approx([point[0] - corner.x0, corner.y1 - point[1]])


def test_the_same_seed_gives_the_same_files(recorded: Path, tmp_path: Path) -> None:
    again = _record(tmp_path)
    for name in ("truth.json", "profile.json"):
        assert (again / name).read_bytes() == (recorded / name).read_bytes()
    one, other = (cv2.VideoCapture(str(folder / "video.mp4")) for folder in (recorded, again))
    for _ in range(20):
        assert np.array_equal(one.read()[1], other.read()[1])


def test_nothing_is_left_after_a_failure(tmp_path: Path) -> None:
    if find_spec("mujoco") is None:
        pytest.skip("throws need the package mujoco (extras train and dev)")

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    rules = make_rules("farkle", {})
    script = write_script(np.random.default_rng(28), rules, ("Anna", "Ben"), turns=1)
    with pytest.raises(KeyboardInterrupt):
        record(tmp_path, script, small(28), seed=28, preset="farkle", settings={}, progress=stop)
    assert list(tmp_path.iterdir()) == []


# ---- the bundled recording -------------------------------------------------------------------------


def test_the_bundled_recording_is_small_short_and_true() -> None:
    folder = resources.files("models.synth") / "demo"
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    answer = replay(truth)
    assert answer["totals"] == truth["totals"]
    assert truth["finished"]
    assert truth["frames"] / truth["fps"] <= 40
    with resources.as_file(folder / "video.mp4") as video:
        assert video.stat().st_size < 3_000_000
        capture = cv2.VideoCapture(str(video))
        frames = 0
        while capture.grab():
            frames += 1
        assert frames == truth["frames"]
    rolled = [sorted(event[1]) for event in truth["events"] if event[0] == "rolled"]
    assert [rest["thrown"] for rest in truth["rests"]] == rolled
    names = [event[0] for event in truth["events"]]
    assert "rolled rolled" in " ".join(names), "a bust"
    assert any(rest["kept"] for rest in truth["rests"]), "dice that stay"
