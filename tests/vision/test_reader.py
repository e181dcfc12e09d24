"""The reader with the networks that are shipped, on drawn dice that no network was trained on."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from models.synth.stills import Still, make_still
from models.training.data import in_holdout, load_rig
from models.training.evaluate import measure
from vision.detection import Detection
from vision.errors import BadImage
from vision.frame import Image
from vision.reader import Reader


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def still(seed: int, *, dice: int = 5, width_px: int = 640, height_px: int = 480) -> Still:
    """Draw a table seen from above, with dice of an everyday look."""
    rng = np.random.default_rng((77, seed))
    return make_still(
        rng,
        width_px=width_px,
        height_px=height_px,
        dice=dice,
        size_px=(38.0, 56.0),
        max_tilt_deg=12,
        cocked_share=0.0,
    )


STILLS = [still(seed) for seed in range(16)]


def readable(picture: Still) -> list[tuple[float, float, int]]:
    """(x, y, value) of the dice whose top face is wholly in view and in contrast."""
    found = []
    for die in picture.dice:
        x, y, width, height = die.box_px
        if die.value and die.visible > 0.95 and die.top_visible > 0.95 and die.contrast > 0.2:
            found.append((x + width / 2, y + height / 2, die.value))
    return found


def at(dice: tuple[Detection, ...], x: float, y: float) -> Detection | None:
    near = [d for d in dice if np.hypot(d.centre_px[0] - x, d.centre_px[1] - y) < 20]
    return near[0] if near else None


def test_drawn_dice_are_read_and_wrong_ones_are_not_sure(reader: Reader) -> None:
    right = wrong_sure = total = 0
    for picture in STILLS:
        dice = reader.read(picture.image).dice
        for x, y, value in readable(picture):
            die = at(dice, x, y)
            total += 1
            right += die is not None and die.value == value
            wrong_sure += die is not None and die.sure and die.value != value
    assert total >= 40
    assert right >= 0.9 * total
    assert wrong_sure <= 1


@pytest.mark.parametrize("factor", [0.6, 1.7, 3.0])
def test_the_scale_need_not_be_told(reader: Reader, factor: float) -> None:
    right = total = 0
    for picture in STILLS[:6]:
        how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
        image = np.asarray(cv2.resize(picture.image, None, fx=factor, fy=factor, interpolation=how), np.uint8)
        dice = reader.read(image).dice
        for x, y, value in readable(picture):
            die = next((d for d in dice if np.hypot(*(np.array(d.centre_px) / factor - (x, y))) < 20), None)
            total += 1
            right += die is not None and die.value == value
    assert total >= 12
    assert right >= 0.85 * total


def test_a_known_size_and_a_region_give_the_same_dice(reader: Reader) -> None:
    for picture in STILLS[:4]:
        whole = reader.read(picture.image).dice
        size = float(np.median([die.size_px for die in whole]))
        known = reader.read(picture.image, size_px=size, region_px=(0, 0, 640, 480)).dice
        assert sorted(die.value or 0 for die in known) == sorted(die.value or 0 for die in whole)


def test_a_region_leaves_out_what_lies_outside(reader: Reader) -> None:
    for picture in STILLS[1:4]:
        left = [die for die in reader.read(picture.image).dice if die.centre_px[0] < 320]
        half = reader.read(picture.image, region_px=(0, 0, 320, 480)).dice
        assert [die.value for die in half] == [die.value for die in left]
        for die, same in zip(half, left, strict=True):
            assert die.centre_px == pytest.approx(same.centre_px, abs=4)


def test_a_turned_picture_shows_the_same_values(reader: Reader) -> None:
    same = 0
    for picture in STILLS[:6]:
        turned: Image = np.ascontiguousarray(np.rot90(picture.image))
        plain = sorted(d.value or 0 for d in reader.read(picture.image).dice)
        same += sorted(d.value or 0 for d in reader.read(turned).dice) == plain
    assert same >= 4


def test_moving_the_picture_by_a_tenth_of_a_die_changes_no_sure_die(reader: Reader) -> None:
    for picture in STILLS[:5]:
        first = reader.read(picture.image).dice
        for dx, dy in ((4, 0), (0, 4), (-4, -3)):
            moved = np.roll(picture.image, (dy, dx), axis=(0, 1))
            second = reader.read(np.ascontiguousarray(moved)).dice
            for die in first:
                other = at(second, die.centre_px[0] + dx, die.centre_px[1] + dy)
                if die.sure and other is not None and other.sure:
                    assert other.value == die.value


def test_a_bare_table_has_no_dice(reader: Reader) -> None:
    for seed in range(6):
        empty = make_still(np.random.default_rng((5, seed)), width_px=640, height_px=480, dice=0)
        assert not any(die.sure for die in reader.read(empty.image).dice)


def test_a_black_picture_is_refused_with_its_reason(reader: Reader) -> None:
    reading = reader.read(np.full((240, 320, 3), 3, np.uint8))
    assert not reading.sure
    assert reading.dice == ()
    assert "almost black" in reading.reasons[0]


@pytest.mark.parametrize("shape", [(1, 1, 3), (5, 900, 3), (17, 13, 3)])
def test_pictures_of_odd_shapes_are_read_without_fuss(reader: Reader, shape: tuple[int, int, int]) -> None:
    assert reader.read(np.full(shape, 120, np.uint8)).dice == ()


def test_what_is_no_picture_is_refused(reader: Reader) -> None:
    with pytest.raises(BadImage, match="shape \\(height, width, 3\\)"):
        reader.read(np.zeros((10, 10), np.uint8))
    with pytest.raises(BadImage, match="above 0"):
        reader.read(np.zeros((40, 40, 3), np.uint8), size_px=0.0)
    with pytest.raises(BadImage, match="outside the picture"):
        reader.read(np.zeros((40, 40, 3), np.uint8), region_px=(50, 50, 10, 10))


@pytest.mark.shared
def test_a_rig_never_trained_on_is_read(reader: Reader, shared_dir: Path) -> None:
    tally = measure(reader, load_rig(shared_dir / "data" / "photos" / "red_box"))
    assert tally.exact >= 0.9 * tally.pictures


@pytest.mark.shared
def test_the_held_out_fifth_of_many_coloured_dice_is_read(reader: Reader, shared_dir: Path) -> None:
    photos = [p for p in load_rig(shared_dir / "data" / "photos" / "nell_byler") if in_holdout(p.group)]
    tally = measure(reader, photos)
    assert tally.right >= 0.95 * tally.dice
