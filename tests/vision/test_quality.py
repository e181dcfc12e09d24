"""What is said against a picture: on drawn stills, whole and spoilt."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from models.synth.stills import make_still
from vision.frame import Image
from vision.quality import NOT_SHARP, quality_reasons


def drawn(seed: int, size_px: float = 40.0) -> tuple[Image, NDArray[np.float64]]:
    """A still of six dice and the boxes (centre x, y, width, height) of those that can be seen."""
    still = make_still(
        np.random.default_rng(seed),
        width_px=480,
        height_px=360,
        dice=6,
        size_px=(size_px, size_px),
        max_tilt_deg=10,
        cocked_share=0.0,
        camera_effects=False,
    )
    boxes = [die.box_px for die in still.dice if die.visible > 0.9]
    return still.image, np.array([(x + w / 2, y + h / 2, w, h) for x, y, w, h in boxes])


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_said_against_a_good_picture(seed: int) -> None:
    assert quality_reasons(*drawn(seed)) == ()


def test_a_good_picture_without_dice() -> None:
    assert quality_reasons(drawn(1)[0], np.zeros((0, 4))) == ()


def test_out_of_focus_so_far_that_no_die_is_found() -> None:
    image, boxes = drawn(1, 70.0)
    blurred = cv2.GaussianBlur(image, (0, 0), 0.12 * np.median(boxes[:, 2:]))
    (reason,) = quality_reasons(np.asarray(blurred, np.uint8), np.zeros((0, 4)))
    assert reason == NOT_SHARP


def test_an_empty_table_without_any_edge_is_not_called_blurred() -> None:
    shade = np.linspace(90, 170, 480)[None, :, None] + np.zeros((360, 1, 3))
    assert quality_reasons(shade.astype(np.uint8), np.zeros((0, 4))) == ()


@pytest.mark.parametrize("seed", range(3))
def test_out_of_focus(seed: int) -> None:
    image, boxes = drawn(seed)
    blurred = cv2.GaussianBlur(image, (0, 0), 0.11 * np.median(boxes[:, 2:]))
    (reason,) = quality_reasons(np.asarray(blurred, np.uint8), boxes)
    assert "blurred" in reason


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("turned", [False, True])
def test_moved_during_the_exposure(seed: int, turned: bool) -> None:
    image, boxes = drawn(seed)
    length = round(0.45 * np.median(boxes[:, 2:]))
    path = np.ones((length, 1) if turned else (1, length), np.float32) / length
    (reason,) = quality_reasons(np.asarray(cv2.filter2D(image, -1, path), np.uint8), boxes)
    assert "blurred" in reason


def test_dark_dice_and_a_dark_picture() -> None:
    image, boxes = drawn(2)
    dim = (image * (40 / image.max())).astype(np.uint8)
    assert "dark" in quality_reasons(dim, boxes)[0]
    assert "almost black" in quality_reasons(dim // 3, boxes)[0]


def test_a_dark_table_alone_is_no_fault() -> None:
    image, boxes = drawn(3)
    on_dice = np.zeros(image.shape[:2], bool)
    for x, y, width, height in boxes:
        on_dice[int(y - height) : int(y + height), int(x - width) : int(x + width)] = True
    assert quality_reasons(np.where(on_dice[..., None], image, 2).astype(np.uint8), boxes) == ()


def test_blown_out_and_without_contrast() -> None:
    image, boxes = drawn(2)
    assert "blown out" in quality_reasons(np.full_like(image, 255), boxes)[0]
    faint = (120 + image / 255 * 15).astype(np.uint8)
    assert "contrast" in quality_reasons(faint, boxes)[0]


def test_too_few_pixels() -> None:
    image, boxes = drawn(4)
    small = cv2.resize(image, None, fx=0.2, fy=0.2, interpolation=cv2.INTER_AREA)
    assert any("pixels wide" in reason for reason in quality_reasons(np.asarray(small, np.uint8), boxes / 5))


def test_a_white_spot_on_a_dark_die_is_glare_and_a_white_die_is_none() -> None:
    table = np.full((200, 200, 3), 90, np.uint8)
    table[70:130, 70:130] = (30, 30, 180)
    for x, y in ((85, 85), (115, 115)):
        cv2.circle(table, (x, y), 6, (255, 255, 255), -1)
    box = np.array([[100.0, 100.0, 60.0, 60.0]])
    assert quality_reasons(table, box) == ()
    glare = table.copy()
    cv2.circle(glare, (100, 100), 18, (255, 255, 255), -1)
    assert "glare" in quality_reasons(glare, box)[0]
    white = table.copy()
    white[70:130, 70:130] = 255
    cv2.circle(white, (100, 100), 6, (0, 0, 0), -1)
    assert quality_reasons(white, box) == ()


def test_a_box_outside_the_picture_changes_nothing() -> None:
    image, _ = drawn(1)
    assert quality_reasons(image, np.array([[-80.0, -80.0, 40.0, 40.0]])) == ()
