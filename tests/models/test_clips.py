"""The sessions in `tests/sessions`: small, complete, and their truth agrees with their pictures."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.geometry import TableGeometry
from scorer.replay import replay
from tests.sessions.clips import CLIPS, FOLDER, clip


def test_there_are_clips_of_every_kind_and_they_are_small() -> None:
    assert set(CLIPS) == {"bump", "lanes", "shared", "tenzi", "tray"}
    files = [path for name in CLIPS for path in (FOLDER / name).iterdir()]
    assert sum(path.stat().st_size for path in files) < 3_000_000
    assert len(clip("bump").happenings("bump")) == 1
    assert clip("tray").happenings("cocked")
    assert clip("shared").happenings("nudge")
    assert {zone.kind for zone in clip("tray").profile.zones} == {"roll", "tray"}
    assert [lane.name for lane in clip("lanes").profile.lanes] == ["1", "2"]


@pytest.mark.parametrize("name", CLIPS)
def test_the_truth_replays_to_its_results(name: str) -> None:
    truth = clip(name).truth
    answer = replay(truth)
    assert answer["winners"] == truth["winners"]
    if truth["game"] == "farkle":
        assert answer["totals"] == truth["totals"]
        rolled = [sorted(event[1]) for event in truth["events"] if event[0] == "rolled"]
        assert [rest["thrown"] for rest in truth["rests"]] == rolled
    else:
        assert answer["wins"] == truth["totals"]
        assert answer["rounds"] == truth["rounds"]


@pytest.mark.parametrize("name", CLIPS)
def test_dice_lie_still_and_where_the_truth_says(name: str) -> None:
    one = clip(name)
    wanted = {frame for rest in one.truth["rests"] for frame in (rest["start_frame"], rest["end_frame"])}
    frames = {}
    count = 0
    for index, frame in enumerate(one.frames()):
        count += 1
        if index == 0 or index in wanted:
            frames[index] = frame
    assert count == one.truth["frames"]
    bumps = one.happenings("bump")
    geometry = TableGeometry(one.profile)
    lanes = {lane.name: lane for lane in one.profile.lanes}
    for rest in one.truth["rests"]:
        before, after = frames[rest["start_frame"]], frames[rest["end_frame"]]
        still = cv2.GaussianBlur(cv2.absdiff(before, after), (0, 0), 1.5).max(axis=2)
        moved = bool(bumps) and rest["start_frame"] > bumps[0]["start_frame"]
        empty = cv2.GaussianBlur(cv2.absdiff(frames[0], before), (0, 0), 1.0).max(axis=2)
        for die in rest["dice"]:
            x, y, width, height = (round(v) for v in die["box_px"])
            assert still[y : y + height, x : x + width].max() < 30
            assert empty[y : y + height, x : x + width].max() > 30, "there is a die"
            if moved:
                continue
            middle = np.array([[x + width / 2, y + height / 2]])
            zone = geometry.zone_at(geometry.to_mm(middle, height_mm=8.0)[0])
            assert zone is not None
            assert zone.kind == die["zone"]
            assert zone.lane == (rest["lane"] if lanes else None)


def test_after_a_bump_the_new_map_finds_the_dice_where_they_lay() -> None:
    one = clip("bump")
    (bump,) = one.happenings("bump")
    before = max(
        (rest for rest in one.truth["rests"] if rest["end_frame"] < bump["start_frame"]),
        key=lambda rest: rest["end_frame"],
    )
    last = None
    for index, frame in enumerate(one.frames()):
        if index == before["end_frame"]:
            first = frame
        if index == bump["end_frame"] + 3:
            last = frame
            break
    assert last is not None
    then = np.array(bump["table_from_image"])
    now = np.array(one.profile.table_from_image)
    moved = cv2.warpPerspective(last, np.linalg.inv(now) @ then, (last.shape[1], last.shape[0]))
    for die in before["dice"]:
        x, y, width, height = (round(v) for v in die["box_px"])
        part = (slice(y, y + height), slice(x, x + width))
        change = [np.abs(first[part].astype(float) - each[part]).mean() for each in (moved, last)]
        assert change[0] < 0.4 * change[1]
