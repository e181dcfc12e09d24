"""A table that is moved under a watcher: nothing is told of it while it is not known where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import pytest

from calibration.profile import Profile, load_profile
from device.alignment import Alignment, reference_of
from device.errors import BadInput
from device.lanes import Lanes, load_lanes
from tests.sessions.clips import FOLDER
from vision.frame import Frame, Image
from vision.tracking import Track
from vision.watch import Observation, TableArea


class Watcher:
    """Remembers the frames that it is shown."""

    dice: tuple[Track, ...] = ()

    def __init__(self, says: Mapping[int, Literal["rest"]] | None = None) -> None:
        self.frames: list[int] = []
        self.areas: list[TableArea] = []
        self.says = says or {}

    def push(self, frame: Frame) -> tuple[Observation, ...]:
        self.frames.append(frame.index)
        kind = self.says.get(frame.index)
        return () if kind is None else (Observation(kind, frame.t_ns, frame.index),)

    def moved_to(self, area: TableArea, centres_px: Mapping[int, tuple[float, float]]) -> None:
        self.areas.append(area)


@pytest.fixture(scope="module")
def table() -> Image:
    """The first picture of a clip with a mat that has markers."""
    video = cv2.VideoCapture(str(FOLDER / "lanes" / "video.mp4"))
    done, image = video.read()
    video.release()
    assert done
    return np.ascontiguousarray(image, dtype=np.uint8)


@pytest.fixture
def lanes() -> Lanes:
    return load_lanes(FOLDER / "lanes" / "profile.json", "")


def shifted(image: Image, x_px: float, y_px: float) -> Image:
    moved = cv2.warpAffine(
        image,
        np.array([[1, 0, x_px], [0, 1, y_px]], dtype=np.float64),
        (image.shape[1], image.shape[0]),
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(moved, dtype=np.uint8)


def film(*parts: tuple[Image, float]) -> list[Frame]:
    """Pictures, each for so many seconds, at ten frames a second."""
    frames: list[Frame] = []
    for image, seconds in parts:
        for _ in range(round(10 * seconds)):
            index = len(frames)
            frames.append(Frame(image, t_ns=index * 100_000_000, index=index))
    return frames


def followed(lanes: Lanes, frames: list[Frame]) -> tuple[Watcher, Alignment, list[Observation]]:
    watcher, alignment = Watcher(), Alignment(lanes)
    said = [each for frame in frames for each in alignment.follow(frame, watcher)]
    return watcher, alignment, said


def test_a_table_that_stays_is_shown_in_every_frame(lanes: Lanes, table: Image) -> None:
    watcher, alignment, said = followed(lanes, film((table, 1.0)))
    assert (watcher.frames, watcher.areas, said) == (list(range(10)), [], [])
    assert not alignment.lost


def test_what_is_seen_of_a_bumped_table_is_held_back_until_it_is_found_again(
    lanes: Lanes, table: Image
) -> None:
    before = lanes.area()
    watcher = Watcher(says={13: "rest", 25: "rest"})
    alignment = Alignment(lanes)
    frames = film((table, 1.0), (shifted(table, 9, 5), 2.0))
    said = [(frame.index, each.frame) for frame in frames for each in alignment.follow(frame, watcher)]
    assert watcher.frames == list(range(30))
    (held, of_frame), later = said
    assert of_frame == 13
    assert 13 < held < 22, "found again within a second or so"
    assert later == (25, 25)
    (area,) = watcher.areas
    assert area.region_px is not None
    assert before.region_px is not None
    assert area.region_px[0] - before.region_px[0] == pytest.approx(9, abs=2)
    assert not alignment.lost


def test_a_hand_over_the_markers_changes_nothing(lanes: Lanes, table: Image) -> None:
    watcher = Watcher(says={13: "rest"})
    alignment = Alignment(lanes)
    once = [*film((table, 1.2), (shifted(table, 9, 5), 0.1), (table, 1.7))]
    said = [each.frame for frame in once for each in alignment.follow(frame, watcher)]
    assert said == [13]
    assert watcher.areas == []


def test_a_table_that_is_gone_is_said_once_and_shown_again_when_it_is_back(
    lanes: Lanes, table: Image
) -> None:
    gone = np.full_like(table, 90)
    away = shifted(table, 0, -230)
    watcher, alignment, said = followed(lanes, film((table, 1.0), (away, 3.0)))
    assert alignment.lost
    (only,) = said
    assert only.kind == "camera"
    assert "moved" in only.reason
    seen = len(watcher.frames)
    frames = film((table, 1.0), (away, 3.0), (gone, 1.0), (table, 1.0))
    for frame in frames[40:50]:
        assert alignment.follow(frame, watcher) == ()
    assert len(watcher.frames) == seen, "a picture that shows nothing does not end it"
    for frame in frames[50:]:
        alignment.follow(frame, watcher)
    assert not alignment.lost
    assert len(watcher.areas) == 1
    assert watcher.frames[-1] == frames[-1].index


def test_pictures_of_another_size_and_mirrored_ones_are_said(lanes: Lanes, table: Image) -> None:
    small = np.asarray(cv2.resize(table, (352, 198)), dtype=np.uint8)
    mirrored = np.ascontiguousarray(table[:, ::-1])
    for picture, word in ((small, "352x198"), (mirrored, "mirror")):
        watcher, alignment, said = followed(lanes, film((table, 0.5), (picture, 1.0)))
        assert alignment.lost
        assert word in said[0].reason
        assert max(watcher.frames) < 10


def test_an_upside_down_camera_sees_the_same_table(lanes: Lanes, table: Image) -> None:
    turned = np.ascontiguousarray(table[::-1, ::-1])
    watcher, alignment, said = followed(lanes, film((turned, 2.0)))
    assert not alignment.lost
    assert said == []
    assert len(watcher.areas) == 1


def test_light_that_changes_is_said_once_until_it_is_back(lanes: Lanes, table: Image) -> None:
    dark = np.asarray(table * 0.4, dtype=np.uint8)
    watcher, alignment = Watcher(), Alignment(lanes)
    said: list[str] = []
    for frame in film((table, 1.5), (dark, 5.0), (table, 3.0), (dark, 4.0)):
        alignment.follow(frame, watcher)
        said += alignment.notes()
    assert [sentence.split(":")[1] for sentence in said] == [" light or exposure has changed"] * 2


def profile_with(tmp_path: Path, image: Image | None) -> tuple[Path, Profile]:
    profile = replace(load_profile(FOLDER / "lanes" / "profile.json"), reference="table.png")
    if image is not None:
        cv2.imwrite(str(tmp_path / "table.png"), image)
    return tmp_path / "profile.json", profile


def test_the_picture_of_the_calibration_is_read_from_beside_the_profile(tmp_path: Path, table: Image) -> None:
    path, profile = profile_with(tmp_path, table)
    image = reference_of(path, profile)
    assert image is not None
    assert np.array_equal(image, table)
    assert reference_of(path, replace(profile, reference=None)) is None


def test_a_profile_without_its_picture_is_refused(tmp_path: Path, table: Image) -> None:
    path, profile = profile_with(tmp_path, None)
    with pytest.raises(BadInput, match=r"table\.png.*calibrate again"):
        reference_of(path, profile)
    profile_with(tmp_path, table[:100])
    with pytest.raises(BadInput, match=r"704x100 pixels, the profile is for\s704x396"):
        reference_of(path, profile)
