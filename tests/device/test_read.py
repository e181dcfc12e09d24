"""`croupier read` as in the contract, with a scripted reader in place of the network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from device.atomic import check_folder, write_bytes
from device.commands.read import annotated_paths, read_pictures
from device.errors import BadInput
from device.sim import ScriptedReader, scripted_die
from vision.detection import DiceReader, Reading
from vision.errors import WeightsMissing
from vision.frame import Image

BOX = (10.04, 20.0, 30.0, 31.0)
SURE = Reading(
    dice=(scripted_die(6, BOX), scripted_die(1, (60, 20, 30, 30)), scripted_die(3, (90, 60, 30, 30)))
)
MIXED = Reading(
    dice=(
        scripted_die(5, BOX),
        scripted_die(2, (60, 20, 30, 30), sure=False, confidence=0.41237),
        scripted_die(None, (90, 60, 30, 30), sure=True, cocked=True),
        scripted_die(None, (120, 60, 30, 30), sure=False),
    ),
    reasons=("too dark",),
)
DIE_KEYS = ["value", "confidence", "sure", "state", "box_px", "centre_px"]
PICTURE_KEYS = ["file", "width_px", "height_px", "dice", "values", "sure", "elapsed_ms"]


def picture(path: Path, *, width: int = 160, height: int = 120) -> Path:
    """A grey picture file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.full((height, width, 3), 90, np.uint8))
    return path


def read(
    *paths: Path,
    readings: list[Reading] | None = None,
    as_json: bool = True,
    annotate_to: Path | None = None,
    make_reader: Callable[[], DiceReader] | None = None,
) -> None:
    """Run the command with a scripted reader."""
    script = ScriptedReader(readings or [])
    read_pictures(
        paths, as_json=as_json, annotate_to=annotate_to, make_reader=make_reader or (lambda: script)
    )


def objects(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_object_of_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = picture(tmp_path / "a.png")
    read(path, readings=[MIXED])
    (answer,) = objects(capsys)
    assert list(answer) == PICTURE_KEYS
    assert answer.pop("elapsed_ms") >= 0
    dice = answer.pop("dice")
    assert answer == {"file": str(path), "width_px": 160, "height_px": 120, "values": [5], "sure": False}
    assert [list(die) for die in dice] == [DIE_KEYS] * 4
    assert dice[0] == {
        "value": 5,
        "confidence": 0.99,
        "sure": True,
        "state": "flat",
        "box_px": [10.0, 20.0, 30.0, 31.0],
        "centre_px": [25.0, 35.5],
    }
    assert dice[1]["confidence"] == 0.4124
    assert (dice[2]["value"], dice[2]["state"]) == (None, "cocked")


def test_values_are_sorted_and_a_picture_of_sure_dice_is_sure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read(picture(tmp_path / "a.png"), picture(tmp_path / "b.png"), readings=[SURE, Reading(dice=())])
    full, empty = objects(capsys)
    assert (full["values"], full["sure"]) == ([1, 3, 6], True)
    assert (empty["values"], empty["dice"], empty["sure"]) == ([], [], True)


def test_pictures_come_in_the_order_given_and_folders_sorted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loose = picture(tmp_path / "z.png")
    folder = tmp_path / "folder"
    inside = [picture(folder / name) for name in ("c.jpg", "a.jpg", "b.webp")]
    read(loose, folder, inside[0], readings=[SURE] * 5)
    assert [answer["file"] for answer in objects(capsys)] == [
        str(path) for path in (loose, inside[1], inside[2], inside[0], inside[0])
    ]


def test_what_cannot_be_read_is_reported_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad, empty = picture(tmp_path / "a.png"), tmp_path / "b.png", tmp_path / "folder"
    bad.write_bytes(good.read_bytes()[:50])
    empty.mkdir()
    with pytest.raises(BadInput, match="3 of 5 pictures could not be read"):
        read(bad, good, tmp_path / "none.png", empty, good, readings=[SURE, MIXED])
    answers = objects(capsys)
    assert [sorted(answer) == ["error", "file"] for answer in answers] == [True, False, True, True, False]
    assert [answer["file"] for answer in answers] == [
        str(path) for path in (bad, good, tmp_path / "none.png", empty, good)
    ]
    assert "damaged" in answers[0]["error"]
    assert "there is no file" in answers[2]["error"]
    assert "no pictures" in answers[3]["error"]


def test_a_picture_that_the_reader_refuses_is_an_error_of_that_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BadInput, match=r"a\.png: picture 1 was read"):
        read(picture(tmp_path / "a.png"))
    (answer,) = objects(capsys)
    assert list(answer) == ["file", "error"]


def test_the_reader_is_made_once_and_not_at_all_without_a_good_picture(tmp_path: Path) -> None:
    made = []

    def make() -> DiceReader:
        made.append(ScriptedReader([SURE, SURE]))
        return made[-1]

    with pytest.raises(BadInput):
        read(tmp_path / "none.png", make_reader=make)
    assert made == []
    read(picture(tmp_path / "a.png"), picture(tmp_path / "b.png", width=300), make_reader=make)
    assert [reader.shapes for reader in made] == [[(120, 160, 3), (120, 300, 3)]]


def test_missing_weights_end_the_command(tmp_path: Path) -> None:
    def make() -> DiceReader:
        raise WeightsMissing("no network")

    with pytest.raises(WeightsMissing):
        read(picture(tmp_path / "a.png"), picture(tmp_path / "b.png"), make_reader=make)


def test_lines_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short, long = picture(tmp_path / "a.png"), picture(tmp_path / "longer.png")
    read(short, long, short, readings=[SURE, MIXED, Reading(dice=())], as_json=False)
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines() == [
        f"{short}       1 3 6",
        f"{long}  5 ? ? cocked  (too dark; not sure of 2 of 4 dice)",
        f"{short}       no dice found",
    ]


def test_errors_for_people_go_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadInput, match="1 of 2"):
        read(tmp_path / "none.png", picture(tmp_path / "a.png"), readings=[SURE], as_json=False)
    out, err = capsys.readouterr()
    assert "1 3 6" in out
    assert err == f"there is no file {tmp_path / 'none.png'}; check the name\n"


def test_annotated_copies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, target = picture(tmp_path / "a.png"), tmp_path / "new" / "marked"
    before = path.read_bytes()
    read(path, picture(tmp_path / "b.jpg"), readings=[SURE, MIXED], annotate_to=target)
    assert sorted(file.name for file in target.iterdir()) == ["a.png", "b.jpg"]
    marked = cv2.imread(str(target / "a.png"))
    assert marked is not None
    assert marked.shape == (120, 160, 3)
    assert int((marked != 90).any(axis=2).sum()) > 300
    assert path.read_bytes() == before
    assert len(objects(capsys)) == 2


def test_only_pictures_that_could_be_read_are_annotated(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"x")
    with pytest.raises(BadInput):
        read(tmp_path / "bad.png", picture(tmp_path / "a.png"), readings=[SURE], annotate_to=tmp_path / "out")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["a.png"]


def test_names_of_annotated_copies_never_clash(tmp_path: Path) -> None:
    names = ["x/a.jpg", "y/a.jpg", "y/A.JPG", "z/a-2.jpg", "x/a.tif", "x/a.gif", "x/a.png", "x/noname"]
    targets = annotated_paths([tmp_path / name for name in names], tmp_path / "out")
    assert [target.name for target in targets if target] == [
        *("a.jpg", "a-2.jpg", "A-3.JPG", "a-2-2.jpg"),
        *("a.tif.png", "a.gif.png", "a.png", "noname.png"),
    ]
    assert len({str(target).casefold() for target in targets}) == len(names)


def test_the_originals_are_never_overwritten(tmp_path: Path) -> None:
    path = picture(tmp_path / "a.png")
    before = path.read_bytes()
    (tmp_path / "link").symlink_to(tmp_path)
    for folder in (tmp_path, tmp_path / "link", tmp_path / "x" / ".."):
        with pytest.raises(BadInput, match=r"holds a\.png, which is to be read"):
            read(path, readings=[SURE], annotate_to=folder)
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_written_to_is_found_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (picture(tmp_path / "file.png"), Path("/proc/nothing/here")):
        with pytest.raises(BadInput, match=r"wanted a folder|cannot write to the folder"):
            read(picture(tmp_path / "a.png"), readings=[SURE], annotate_to=folder)
    assert capsys.readouterr().out == ""


def test_a_folder_without_permission_is_refused() -> None:
    with tempfile.TemporaryDirectory() as name:
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)  # root may write everywhere: be nobody for a moment
        try:
            Path(name).chmod(0o555) if user else None
            with pytest.raises(BadInput, match="cannot write to the folder"):
                check_folder(Path(name) / "inside")
        finally:
            os.seteuid(user)
            Path(name).chmod(0o755)


def test_a_file_is_written_wholly_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    write_bytes(path, b"old")
    write_bytes(path, b"new")
    assert path.read_bytes() == b"new"
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInput, match="cannot write"):
        write_bytes(tmp_path / "folder", b"x")
    with pytest.raises(BadInput, match="cannot write"):
        write_bytes(tmp_path / "missing" / "a.bin", b"x")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.bin", "folder"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.bin"
    write_bytes(path, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadInput, match="No space left"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.bin"]


def test_a_scripted_reader_checks_its_pictures() -> None:
    reader = ScriptedReader([SURE])
    wrong: Image = np.zeros((5, 5), np.uint8)
    with pytest.raises(ValueError, match="shape"):
        reader.read(wrong)


def test_the_real_program_with_the_real_network(tmp_path: Path) -> None:
    path, broken = picture(tmp_path / "a.png", width=320, height=240), tmp_path / "b.png"
    broken.write_bytes(path.read_bytes()[:99])
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "device",
            "read",
            str(tmp_path),
            "--json",
            "--annotate",
            str(tmp_path / "out"),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    good, bad = (json.loads(line) for line in done.stdout.splitlines())
    assert list(good) == PICTURE_KEYS
    assert (good["dice"], good["values"]) == ([], [])  # an empty grey table
    assert list(bad) == ["file", "error"]
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["a.png"]
