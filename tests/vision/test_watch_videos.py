"""The watch with the real network on recordings of real throws: exactly the labelled rests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from device.cameras import open_source
from device.commands.watch import watch_source
from vision.reader import Reader
from vision.watch import Observation

CLIPS = ("green_mat_throw_1", "green_mat_throw_2", "felt_single", "felt_single_small")


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def recording(shared_dir: Path, name: str) -> tuple[Path, dict[str, Any]]:
    folder = shared_dir / "data" / "videos" / name
    (labels,) = json.loads((folder / "labels.json").read_text())
    return folder / labels["file"], labels


@pytest.mark.shared
@pytest.mark.parametrize("name", CLIPS)
def test_exactly_the_labelled_rests_with_the_right_values(
    shared_dir: Path, name: str, reader: Reader
) -> None:
    path, labels = recording(shared_dir, name)
    seen: list[Observation] = []
    with open_source(str(path)) as source:
        watch_source(source, reader=reader, write=seen.append)
    rests = [one for one in seen if one.kind == "rest"]
    wanted = labels["rest"]
    assert len(rests) == len(wanted), [(one.frame, len(one.dice)) for one in rests]
    for one, label in zip(rests, wanted, strict=True):
        assert label["start_frame"] <= one.frame <= label["end_frame"]
        values = sorted(track.detection.value or 0 for track in one.dice)
        assert values == sorted(label["values"]), f"frame {one.frame}"
    for one in seen:
        if one.kind == "empty":
            assert any(first <= one.frame <= last for first, last in labels["empty"]), one.frame
