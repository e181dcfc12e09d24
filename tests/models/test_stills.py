"""Stills: the truth of every die is inside the picture and agrees with what is drawn there."""

from __future__ import annotations

import numpy as np
import pytest

from models.synth.dice import DieLook, flat_rotation
from models.synth.render import Light, PosedDie, look_down, render_dice
from models.synth.stills import Still, make_still
from models.synth.surfaces import SURFACES, surface
from vision.errors import BadImage


@pytest.fixture(scope="module")
def stills() -> tuple[Still, ...]:
    rng = np.random.default_rng(3)
    return tuple(make_still(rng, width_px=160, height_px=128) for _ in range(40))


def test_pictures_have_the_form_that_was_asked_for(stills: tuple[Still, ...]) -> None:
    for still in stills:
        assert still.image.shape == (128, 160, 3)
        assert still.image.dtype == np.uint8


def test_boxes_lie_inside_the_picture(stills: tuple[Still, ...]) -> None:
    dice = [die for still in stills for die in still.dice]
    assert len(dice) > 60
    for die in dice:
        x, y, width, height = die.box_px
        assert x >= 0
        assert y >= 0
        assert width > 0
        assert height > 0
        assert x + width <= 160
        assert y + height <= 128
        assert 0 < die.visible <= 1
        assert 0 <= die.top_visible <= 1


def test_whole_dice_have_boxes_of_their_size_around_their_top(stills: tuple[Still, ...]) -> None:
    for die in (die for still in stills for die in still.dice if die.visible > 0.99):
        x, y, width, height = die.box_px
        assert 0.75 * die.size_px < min(width, height)
        assert max(width, height) < 2.1 * die.size_px
        assert x <= die.top_centre_px[0] <= x + width
        assert y <= die.top_centre_px[1] <= y + height


def test_only_flat_dice_have_a_value(stills: tuple[Still, ...]) -> None:
    states = {die.state for still in stills for die in still.dice}
    assert states == {"flat", "cocked"}
    for die in (die for still in stills for die in still.dice):
        assert (die.value is None) == (die.state == "cocked")
        assert die.value is None or 1 <= die.value <= 6


def test_all_values_occur(stills: tuple[Still, ...]) -> None:
    values = {die.value for still in stills for die in still.dice if die.value is not None}
    assert values == {1, 2, 3, 4, 5, 6}


def test_the_same_seed_gives_the_same_still() -> None:
    one, other = (make_still(np.random.default_rng(12), width_px=96, height_px=96) for _ in range(2))
    assert np.array_equal(one.image, other.image)
    assert one.dice == other.dice


def test_a_background_is_used_and_need_not_fit() -> None:
    grey = np.full((40, 300, 3), 90, dtype=np.uint8)
    still = make_still(
        np.random.default_rng(1), width_px=128, height_px=128, background=grey, dice=0, camera_effects=False
    )
    assert still.dice == ()
    assert still.image.std() < 40


def test_a_grey_background_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(BadImage, match="BGR"):
        make_still(np.random.default_rng(1), background=np.zeros((50, 50), dtype=np.uint8))


def test_sizes_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ValueError, match="smallest, largest"):
        make_still(np.random.default_rng(1), size_px=(40, 20))


@pytest.mark.parametrize("value", range(1, 7))
def test_the_drawn_top_face_shows_its_value(value: int) -> None:
    """Counts dark blobs in a sharp picture from straight above: pixels, not the renderer's own word."""
    import cv2

    picture = np.full((120, 120, 3), 0.75, dtype=np.float32)
    die = PosedDie(DieLook(), np.array([0.0, 0.0, 0.5]), flat_rotation(value, 0.4))
    camera = look_down(120, 120, focal_px=80_000, distance=1000)
    (seen,) = render_dice(picture, camera, [die], Light(lamp_power=0.0))
    grey = picture.mean(axis=2)
    ys, xs = np.mgrid[0:120, 0:120]
    near = np.hypot(xs - seen.top_centre_px[0], ys - seen.top_centre_px[1]) < 34
    dark = ((grey < 0.4) & near).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(dark)
    assert (stats[1:, cv2.CC_STAT_AREA] > 40).sum() == value


def test_a_die_behind_another_is_partly_visible() -> None:
    camera = look_down(200, 200, focal_px=2000, distance=50, tilt_rad=np.radians(45))
    front = PosedDie(DieLook(), np.array([0.0, -0.55, 0.5]), flat_rotation(1, 0.0))
    behind = PosedDie(DieLook(), np.array([0.0, 0.55, 0.5]), flat_rotation(2, 0.0))
    picture = np.full((200, 200, 3), 0.5, dtype=np.float32)
    near, far = render_dice(picture, camera, [front, behind], Light())
    assert near.visible == 1.0
    assert 0.3 < far.visible < 0.95
    assert far.top_visible > 0.95


def test_a_die_half_outside_is_half_visible() -> None:
    camera = look_down(100, 100, focal_px=40_000, distance=1000)
    left_edge = camera.table_point((0.0, 50.0), 0.5)
    picture = np.full((100, 100, 3), 0.5, dtype=np.float32)
    (seen,) = render_dice(picture, camera, [PosedDie(DieLook(), left_edge, flat_rotation(6, 0.0))], Light())
    assert seen.visible == pytest.approx(0.5, abs=0.03)
    assert seen.box_px[0] == 0.0


def test_a_camera_sees_the_table_where_it_projects_it() -> None:
    camera = look_down(640, 480, focal_px=700, distance=500, tilt_rad=0.4, azimuth_rad=1.0, roll_rad=0.1)
    point = camera.table_point((123.0, 321.0), 8.0)
    assert point[2] == pytest.approx(8.0)
    assert camera.project(point[None])[0] == pytest.approx([123.0, 321.0])


@pytest.mark.parametrize("kind", SURFACES)
def test_surfaces_have_about_the_colour_that_was_asked_for(kind: str) -> None:
    picture = surface(np.random.default_rng(0), 90, 70, kind=kind, colour=(60, 110, 140))
    assert picture.shape == (70, 90, 3)
    assert np.abs(picture.mean(axis=(0, 1)) - (60, 110, 140)).max() < 25
