"""The profile file: round trip, and one sentence for everything that is wrong with one."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import BadProfile, OtherCamera
from calibration.polygon import area_mm2, centre, crossing, holds
from calibration.profile import (
    CameraId,
    Lane,
    Markers,
    Profile,
    Zone,
    check_camera,
    load_profile,
    profile_as_json,
    profile_as_text,
    profile_from_json,
    save_profile,
)
from tests.calibration.seen import View, profile_seen

LEFT = ((10.0, 10.0), (200.0, 10.0), (200.0, 280.0), (10.0, 280.0))
RIGHT = ((220.0, 10.0), (410.0, 10.0), (410.0, 280.0), (220.0, 280.0))


def full() -> Profile:
    zones = (Zone("roll", "Anna", LEFT), Zone("roll", "Åke", RIGHT), Zone("tray", "Anna", LEFT))
    corner = ((5.0, 5.0), (29.0, 5.0), (29.0, 29.0), (5.0, 29.0))
    return replace(
        profile_seen(View(tilt_deg=20), zones=zones),
        lanes=(Lane("Anna", (53.2, 80.1, 67.2)), Lane("Åke")),
        markers=Markers("DICT_4X4_50", ((0, corner), (3, corner))),
        reference="table.jpg",
        made="2026-05-01",
    )


def test_a_profile_comes_back_as_it_was(tmp_path: Path) -> None:
    save_profile(full(), tmp_path / "table.json")
    assert load_profile(tmp_path / "table.json") == full()
    assert list(tmp_path.iterdir()) == [tmp_path / "table.json"]


def test_the_text_is_for_people() -> None:
    lines = profile_as_text(full()).splitlines()
    assert max(map(len, lines)) < 150
    assert any(line.strip().startswith('{"kind": "roll", "lane": "Anna"') or "Åke" in line for line in lines)
    assert len(lines) < 50


def without(*path: str | int) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        del document[path[-1]]

    return change


def put(value: object, *path: str | int) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


BOWTIE = [[0, 0], [100, 100], [100, 0], [0, 100]]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (put(2, "croupier_profile"), "version 2, this program reads version 1"),
        (put(True, "croupier_profile"), "version True"),
        (without("croupier_profile"), "this is no profile"),
        (put(1, "zoom"), "a field zoom that this program does not know"),
        (put(1, "camera", "iso"), "a field camera.iso"),
        (put(1, "zones", 0, "color"), r"a field zones\[0\].color"),
        (without("zones"), "the field zones is missing"),
        (put("x", "zones"), 'zones must be a list, got "x"'),
        (put([1], "zones"), r"zones\[0\] must be an object"),
        (put([], "zones"), "no zone of kind roll"),
        (put("pit", "zones", 0, "kind"), "the kind 'pit'; wanted roll, tray or bank"),
        (put(BOWTIE, "zones", 0, "polygon_mm"), "the roll zone of 'Anna' crosses itself: its sides 1 and 3"),
        (put([[0, 0], [9, 9]], "zones", 0, "polygon_mm"), "has 2 corners"),
        (put([[0, 0], [50, 0], [0, 1]], "zones", 0, "polygon_mm"), "too small for a die"),
        (put([[0, 0], [50, 0], [0]], "zones", 0, "polygon_mm"), "a list of points"),
        (put([[0, 0], [50, 0], [0, 10**400]], "zones", 0, "polygon_mm"), "a corner that is no number"),
        (put("Zoe", "zones", 0, "lane"), "belongs to the lane 'Zoe', but lanes are"),
        (put([], "lanes"), "belongs to the lane 'Anna'"),
        (put("Anna", "lanes", 1, "name"), "a name twice"),
        (put({"name": "Eve", "colour": None}, "lanes", 1), "belongs to the lane 'Åke'"),
        (put([1, 2], "lanes", 0, "colour"), r"lanes\[0\].colour must be 3 numbers"),
        (put(True, "die_mm"), "die_mm must be a number, got true"),
        (put(1, "die_mm"), "die_mm is 1; dice have sides of 4 to 60 mm"),
        (put(0, "still_mm"), "still_mm is 0"),
        (put(1.5, "camera", "width_px"), "camera.width_px must be a whole number"),
        (put(3, "camera", "width_px"), "3x720 pixels"),
        (put([[1, 0, 0], [0, 1, 0]], "table_from_image"), "three rows of three numbers"),
        (put([[1, 0, 0], [2, 0, 0], [0, 0, 1]], "table_from_image"), "flattens the table"),
        (put([[-1, 0, 400], [0, 1, 0], [0, 0, 1]], "table_from_image"), "mirrored"),
        (put([[0, 0, 1], [0, 1, 0], [0, 0, 1]], "lens", "matrix"), "lens.matrix must be"),
        (put([99, 0, 0, 0, 0], "lens", "distortion"), "bends like no real lens"),
        (put({"one": []}, "markers", "corners_mm"), "markers.corners_mm.one must be the number of a marker"),
        (put({}, "markers", "corners_mm"), "at least one marker"),
        (put({"1": [[0, 0], [50, 0], [0, 50]]}, "markers", "corners_mm"), "has 3 corners; a marker has 4"),
        (put("aruco", "markers", "dictionary"), "a name such as DICT_4X4_50"),
        (put("../../etc/passwd", "reference"), "a file beside the profile"),
        (put("", "name"), "name must be a text"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    change: Callable[[Any], None], says: str, tmp_path: Path
) -> None:
    document = copy.deepcopy(profile_as_json(full()))
    change(document)
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(BadProfile, match=says) as caught:
        load_profile(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"[1, 2]", "this is no profile"),
        (b'{"version": 1, "width_px": 960}', "of an older form"),
        (b'{"croupier_profile": NaN}', "NaN is no number"),
        (b"\xff\xfe\x00", "it is not text"),
        (b"[" * 100_000, "nested too deeply"),
        (b" " * 1_000_001, "far smaller"),
    ],
)
def test_files_that_are_no_profile(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(BadProfile, match=says):
        load_profile(path)


def test_no_file_at_all(tmp_path: Path) -> None:
    with pytest.raises(BadProfile, match="make one with: croupier calibrate"):
        load_profile(tmp_path / "none.json")
    with pytest.raises(BadProfile, match="cannot read the profile"):
        load_profile(tmp_path)
    with pytest.raises(BadProfile, match="cannot write the profile"):
        save_profile(full(), tmp_path / "no" / "folder.json")


def test_optional_fields_may_be_null_or_missing() -> None:
    document = profile_as_json(full())
    for name in ("lens", "markers", "reference", "made"):
        document[name] = None
    assert profile_from_json(document).lens is None
    del document["markers"]
    assert profile_from_json(document).markers is None


def test_a_profile_serves_its_own_camera_only() -> None:
    profile = full()
    check_camera(profile, "usb:0", 1280, 720)
    check_camera(profile, "evening.mp4", 1280, 720)
    with pytest.raises(OtherCamera, match="for the camera usb:0, not for usb:1"):
        check_camera(profile, "usb:1", 1280, 720)
    with pytest.raises(OtherCamera, match="1280x720 pixels, usb:0 gives 640x480"):
        check_camera(profile, "usb:0", 640, 480)
    from_file = replace(profile, camera=CameraId("file", 1280, 720))
    check_camera(from_file, "picamera", 1280, 720)


def test_polygons() -> None:
    square = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))
    assert (area_mm2(square), centre(square), crossing(square)) == (100.0, (5.0, 5.0), None)
    assert holds(square, (3.0, 3.0))
    assert not holds(square, (13.0, 3.0))
    horseshoe = (
        (0.0, 0.0),
        (9.0, 0.0),
        (9.0, 9.0),
        (6.0, 9.0),
        (6.0, 3.0),
        (3.0, 3.0),
        (3.0, 9.0),
        (0.0, 9.0),
    )
    assert crossing(horseshoe) is None
    assert not holds(horseshoe, (4.5, 6.0))
    assert crossing(((0.0, 0.0), (10.0, 0.0), (5.0, 0.0), (5.0, 5.0))) is not None
    assert crossing(((0.0, 0.0), (0.0, 0.0), (5.0, 5.0))) is not None
