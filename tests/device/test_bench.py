"""`croupier bench`: the arithmetic of its figures, with a clock that the test sets."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage

from device.cli import main
from device.commands.bench import measure_reading, measure_reading_of, timed
from device.errors import BadInput
from device.sim import ScriptedReader, scripted_die
from vision.detection import Reading


def test_the_median_and_the_slowest_of_all_rounds() -> None:
    ticks = iter([0, 5_000_000, 10_000_000, 11_000_000, 20_000_000, 50_000_000])
    done: list[int] = []
    assert timed(lambda: done.append(1), 3, clock_ns=lambda: next(ticks)) == {
        "median_ms": 5.0,
        "slowest_ms": 30.0,
        "rounds": 3,
    }
    assert len(done) == 3


@pytest.mark.parametrize("rounds", [1, 4])
def test_one_more_reading_warms_up(rounds: int) -> None:
    reader = ScriptedReader([Reading((scripted_die(1, (0, 0, 9, 9)),))] * (rounds + 1))
    row = measure_reading(reader, np.zeros((30, 40, 3), np.uint8), rounds)
    assert len(reader.shapes) == rounds + 1
    assert (row["width_px"], row["height_px"], row["dice"], row["rounds"]) == (40, 30, 1, rounds)


def folder_with_a_die(folder: Path) -> Path:
    folder.mkdir()
    PillowImage.new("RGB", (60, 40), (90, 90, 90)).save(folder / "a.png")
    labels = [{"file": "a.png", "dice": [{"box_px": [10, 10, 16, 16], "value": 4}]}]
    (folder / "labels.json").write_text(json.dumps(labels), encoding="utf-8")
    return folder


def test_the_reading_of_a_labelled_folder_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = ScriptedReader([Reading((scripted_die(4, (10, 10, 16, 16)),))])
    folder = folder_with_a_die(tmp_path / "mine")
    measure_reading_of([folder], make_reader=lambda: reader, as_json=True)
    out, err = capsys.readouterr()
    figures = json.loads(out)
    assert (figures["rig"], figures["exact"], figures["sure_exact"], figures["silent"]) == (
        "mine",
        1.0,
        1.0,
        0,
    )
    assert (reader.shapes, err) == ([(40, 60, 3)], "")


def test_a_folder_that_cannot_be_measured_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "read", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "has no labels.json" in err


def test_a_picture_that_is_none_is_named(tmp_path: Path) -> None:
    folder = folder_with_a_die(tmp_path / "mine")
    (folder / "a.png").write_bytes(b"no picture")
    with pytest.raises(BadInput, match=r"a\.png"):
        measure_reading_of([folder], make_reader=lambda: ScriptedReader([]))


def test_sheets_that_cannot_be_written_are_said_before_the_work(tmp_path: Path) -> None:
    folder = folder_with_a_die(tmp_path / "mine")
    with pytest.raises(BadInput, match="is a file"):
        measure_reading_of([folder], make_reader=lambda: ScriptedReader([]), sheets=folder / "a.png")
