"""Figures on labelled clips."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.training.clips import windows
from models.training.evaluate import Wishes, lines, plan
from models.training.folders import BadFolder
from tests.models.test_evaluate import seen
from vision.detection import Reading
from vision.frame import Image


class ByBrightness:
    """Reads frames by their brightness: dark ones are empty, bright ones show a 3, sure; the others a 5."""

    def read(self, image: Image, *, size_px: object = None, region_px: object = None) -> Reading:
        level = float(image.mean())
        if level < 60:
            return Reading(())
        return Reading((seen(50, 3 if level > 180 else 5),))


def clip(folder: Path, levels: list[int], row: dict[str, object]) -> Path:
    folder.mkdir()
    out = cv2.VideoWriter(str(folder / "a.mp4"), cv2.VideoWriter.fourcc(*"mp4v"), 30.0, (160, 96))
    for level in levels:
        out.write(np.full((96, 160, 3), level, np.uint8))
    out.release()
    (folder / "labels.json").write_text(json.dumps([{"file": "a.mp4", "fps": 30.0, **row}]), encoding="utf-8")
    return folder


def test_frames_votes_and_empty_intervals_are_counted_apart(tmp_path: Path) -> None:
    # One frame of the rest is misread: three that vote never hold it twice.
    levels = [20, 20, 20, *[220] * 4, 120, *[220] * 12, 220]
    rest = {"start_frame": 3, "end_frame": 19, "values": [3], "boxes_px": [[40, 40, 20, 20]]}
    folder = clip(tmp_path / "rig", levels, {"rest": [rest], "empty": [[0, 2]], "hand": [[20, 20]]})
    wishes = Wishes(as_json=True)
    folders, steps = plan([folder], wishes)
    assert steps == 21
    by_kind = {(row := json.loads(line))["kind"]: row for line in lines(ByBrightness(), folders, wishes)}
    assert (by_kind["frames"]["pictures"], by_kind["frames"]["silent"]) == (17, 1)
    assert (by_kind["vote of the rest"]["pictures"], by_kind["vote of the rest"]["silent"]) == (1, 0)
    assert by_kind["vote of 3"]["pictures"] == 8
    assert by_kind["vote of 3"]["silent"] == 0
    assert (by_kind["no dice"]["all_pictures"], by_kind["no dice"]["sure_false"]) == (4, 1)


def test_labels_that_speak_of_frames_that_are_not_there(tmp_path: Path) -> None:
    rest = {"start_frame": 1, "end_frame": 9, "values": [3]}
    folders, _ = plan([clip(tmp_path / "rig", [220] * 4, {"rest": [rest]})], Wishes())
    with pytest.raises(BadFolder, match="has no frame 4"):
        list(lines(ByBrightness(), folders, Wishes()))


def test_windows_are_spread_over_their_length_and_a_short_rest_is_one() -> None:
    assert windows([5, 6, 7, 8, 9, 10], 4) == [[5, 7, 9], [6, 8, 10]]
    assert windows([5, 6], 9) == [[5, 6]]
    assert windows([5], 9) == [[5]]
