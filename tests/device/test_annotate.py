"""What is drawn on annotated pictures: visible, different for each kind of die, and inside the picture."""

from __future__ import annotations

import numpy as np
import pytest

from device.annotate import annotate, encode, style_and_text
from device.errors import BadInput
from device.sim import scripted_die
from vision.detection import Detection, Reading
from vision.frame import Image

Box = tuple[float, float, float, float]


def table(width: int = 400, height: int = 300, grey: int = 90) -> Image:
    return np.full((height, width, 3), grey, np.uint8)


def drawn(image: Image, marked: Image) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """(H, W) true where the two pictures differ."""
    return np.asarray((image != marked).any(axis=2))


@pytest.mark.parametrize(
    ("die", "text"),
    [
        (scripted_die(4, (0, 0, 9, 9)), "4"),
        (scripted_die(4, (0, 0, 9, 9), sure=False), "?"),
        (scripted_die(None, (0, 0, 9, 9), sure=False), "?"),
        (scripted_die(None, (0, 0, 9, 9), sure=True), "?"),
        (scripted_die(None, (0, 0, 9, 9), cocked=True), "X"),
    ],
)
def test_only_a_sure_die_shows_its_value(die: Detection, text: str) -> None:
    assert style_and_text(die)[1] == text


def test_the_picture_itself_is_not_changed() -> None:
    image = table()
    image.setflags(write=False)
    marked = annotate(image, Reading(dice=(scripted_die(3, (100, 100, 60, 60)),)))
    assert (image == 90).all()
    assert drawn(image, marked).any()
    assert not drawn(image, annotate(image, Reading(dice=()))).any()


@pytest.mark.parametrize("size", [13, 20, 30, 80, 250])
@pytest.mark.parametrize("grey", [0, 90, 255])
def test_marks_show_at_any_size_on_any_table(size: int, grey: int) -> None:
    image = table(4 * size + 40, 4 * size + 40, grey)
    marked = annotate(image, Reading(dice=(scripted_die(5, (size, size + 20, size, size)),)))
    changed = drawn(image, marked)
    # The lines grow with the die: about 4/16 of its area at any size, and the label needs 11 px.
    assert changed.sum() > max(0.2 * size * size, 100)
    contrast = np.abs(marked.astype(int) - grey).max(axis=2)
    assert (contrast > 80).sum() > 0.1 * size * size
    # The face itself stays visible.
    inside = changed[
        size + 20 + size // 4 : size + 20 + 3 * size // 4, size + size // 4 : size + 3 * size // 4
    ]
    assert not inside.any()


def test_the_three_kinds_differ_in_shape_even_without_colour() -> None:
    image = table()
    grey = [
        annotate(image, Reading(dice=(die,))).mean(axis=2)[100:160, 100:160]
        for die in (
            scripted_die(3, (100, 100, 60, 60)),
            scripted_die(3, (100, 100, 60, 60), sure=False),
            scripted_die(None, (100, 100, 60, 60), cocked=True),
        )
    ]
    changed = [int((picture != 90).sum()) for picture in grey]
    assert changed[1] < 0.85 * changed[0]  # dashes leave gaps
    assert changed[2] > 1.3 * changed[0]  # a cross adds lines


@pytest.mark.parametrize(
    "box",
    [
        (0, 0, 40, 40),
        (360, 0, 40, 40),
        (0, 260, 40, 40),
        (360, 260, 40, 40),
        (-20, -20, 30, 30),
        (390, 290, 50, 50),
    ],
)
def test_labels_at_the_edges_stay_in_the_picture(box: Box) -> None:
    image = table()
    changed = drawn(image, annotate(image, Reading(dice=(scripted_die(6, box),))))
    assert changed.sum() > 200


def test_a_label_does_not_hide_the_next_die() -> None:
    image = table()
    above, below = (100.0, 60.0, 60.0, 60.0), (100.0, 124.0, 60.0, 60.0)
    marked = annotate(image, Reading(dice=(scripted_die(1, above), scripted_die(2, below))))
    changed = drawn(image, marked)
    assert not changed[75:105, 115:145].any()
    assert not changed[139:169, 115:145].any()


def test_a_picture_smaller_than_a_label() -> None:
    image = table(16, 16)
    marked = annotate(image, Reading(dice=(scripted_die(1, (2, 2, 12, 12)),)))
    assert marked.shape == (16, 16, 3)
    assert drawn(image, marked).any()


def test_encode() -> None:
    assert encode(table(), ".png").startswith(b"\x89PNG")
    for suffix in (".jpg", ".JPEG"):
        assert encode(table(), suffix).startswith(b"\xff\xd8")
    with pytest.raises(BadInput, match="70000x16 pixels does not fit"):
        encode(table(70_000, 16), ".jpg")
