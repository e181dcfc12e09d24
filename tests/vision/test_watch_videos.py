"""The watch with the real network on recordings of real throws: exactly the labelled rests."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from device.cameras import open_source
from device.commands.watch import watch_source
from vision.reader import Reader
from vision.watch import Observation

pytestmark = pytest.mark.shared

CLIPS = ("green_mat_throw_1", "green_mat_throw_2", "felt_single", "felt_single_small")

Watched = Callable[[str], tuple[list[Observation], dict[str, Any]]]


@pytest.fixture(scope="module")
def watched(shared_dir: Path) -> Watched:
    """A function that watches a clip once, however many tests ask: observations and labels."""
    reader = Reader()

    @cache
    def watch(name: str) -> tuple[list[Observation], dict[str, Any]]:
        folder = shared_dir / "data" / "videos" / name
        (labels,) = json.loads((folder / "labels.json").read_text())
        seen: list[Observation] = []
        with open_source(str(folder / labels["file"])) as source:
            watch_source(source, reader=reader, write=seen.append)
        return seen, labels

    return watch


@pytest.mark.parametrize("name", CLIPS)
def test_exactly_the_labelled_rests(watched: Watched, name: str) -> None:
    seen, labels = watched(name)
    rests = [one for one in seen if one.kind == "rest"]
    assert len(rests) == len(labels["rest"]), [one.frame for one in rests]
    for one, label in zip(rests, labels["rest"], strict=True):
        assert label["start_frame"] <= one.frame <= label["end_frame"]
        assert len(one.dice) == len(label["values"])


@pytest.mark.parametrize("name", CLIPS)
def test_an_empty_table_is_told_only_while_it_is_empty(watched: Watched, name: str) -> None:
    seen, labels = watched(name)
    for one in seen:
        if one.kind == "empty":
            assert any(first <= one.frame <= last for first, last in labels["empty"]), one.frame


@pytest.mark.parametrize("name", CLIPS)
def test_the_faces_are_right(watched: Watched, name: str) -> None:
    seen, labels = watched(name)
    rests = [one for one in seen if one.kind == "rest"]
    faces = [sorted(track.detection.value or 0 for track in one.dice) for one in rests]
    assert faces == [sorted(label["values"]) for label in labels["rest"]]
