"""The decoding of the network's raw output, and the loading of the network file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.errors import VisionError, WeightsMissing
from vision.network import MOST_STRETCH, PADDING_PX, Network, Tuning, _decode, _rescale

TUNING = Tuning(
    stride_px=8,
    reference_px=32.0,
    size_prior=2.0,
    found_detector=0.5,
    found_classifier=0.5,
    found_offset=0.0,
    faces_detector=0.5,
    faces_classifier=0.8,
    face_from=0.4,
    name_from=0.35,
    drop_below=0.35,
    sure_from=0.9,
)


def raw_with(
    *dice: tuple[float, float, float, int], logit: float = 4.0, cells: tuple[int, int] = (12, 16)
) -> NDArray[np.float64]:
    """Build the raw output of a network that sees dice (x, y, size in px, class 0..6)."""
    raw = np.zeros((12, *cells))
    raw[0] = -6.0
    for x, y, size, kind in dice:
        column, row = int(x // 8), int(y // 8)
        raw[0, row, column] = logit
        raw[1 + kind, row, column] = 5.0
        raw[8:10, row, column] = np.log2(size / 32.0)
        raw[10, row, column] = x / 8 - column - 0.5
        raw[11, row, column] = y / 8 - row - 0.5
    return raw


def test_a_die_is_decoded_at_its_place_with_its_size_and_face() -> None:
    boxes, found, faces = _decode(raw_with((37.0, 50.0, 40.0, 2)), TUNING)
    assert boxes.shape == (1, 4)
    assert boxes[0] == pytest.approx([37.0, 50.0, 40.0, 40.0], abs=0.1)
    assert found[0] == pytest.approx(1 / (1 + np.exp(-4.0)))
    assert faces[0].argmax() == 2
    assert faces[0].sum() == pytest.approx(1.0)


def test_neighbouring_cells_that_point_to_the_same_die_are_one_candidate() -> None:
    raw = raw_with((36.0, 52.0, 40.0, 4))
    raw[:, 6, 5] = raw[:, 6, 4]
    raw[0, 6, 5] -= 1.0
    raw[10, 6, 5] -= 1.0  # one cell further right: the same centre is one cell further left
    boxes, _, faces = _decode(raw, TUNING)
    assert len(boxes) == 1
    assert boxes[0, 0] == pytest.approx(36.0)
    assert faces[0].argmax() == 4


def test_two_dice_in_different_places_stay_two() -> None:
    boxes, _, faces = _decode(raw_with((20.0, 20.0, 24.0, 0), (92.0, 60.0, 30.0, 5)), TUNING)
    assert sorted(faces.argmax(axis=1)) == [0, 5]
    assert len(boxes) == 2


def test_nothing_is_decoded_from_an_empty_table() -> None:
    boxes, found, faces = _decode(raw_with(), TUNING)
    assert (len(boxes), len(found), len(faces)) == (0, 0, 0)


def test_a_missing_network_file_says_which(tmp_path: Path) -> None:
    with pytest.raises(WeightsMissing, match=r"nowhere\.onnx is missing"):
        Network(tmp_path / "nowhere.onnx")


def test_a_file_that_is_no_network_says_so(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.onnx"
    wrong.write_bytes(b"this is no network")
    with pytest.raises(VisionError, match=r"wrong\.onnx is not a network of Croupier's"):
        Network(wrong)


@pytest.mark.parametrize("scale", [0.12, 0.3, 0.5, 0.54, 0.62, 1.0, 1.7])
def test_a_point_keeps_its_place_when_the_picture_is_rescaled(scale: float) -> None:
    image = np.zeros((231, 317, 3), np.uint8)
    image[150:190, 200:240] = 255
    small, (fx, fy) = _rescale(image, scale)
    for side, wanted in zip(small.shape, (231 * scale, 317 * scale), strict=False):
        whole = side % PADDING_PX == 0 and abs(side - wanted) <= MOST_STRETCH * wanted
        assert whole or side == round(wanted)
    assert (fx, fy) == pytest.approx((scale, scale), rel=0.03)
    weight = small[..., 0].astype(float)
    ys, xs = np.mgrid[0 : small.shape[0], 0 : small.shape[1]] + 0.5
    assert (weight * xs).sum() / weight.sum() / fx == pytest.approx(220, abs=1.5)
    assert (weight * ys).sum() / weight.sum() / fy == pytest.approx(170, abs=1.5)


def test_sides_near_whole_cells_are_not_padded() -> None:
    small, (fx, fy) = _rescale(np.zeros((480, 640, 3), np.uint8), 0.541)  # 259.7 x 346.2 pixels
    assert small.shape[:2] == (256, 352)
    assert (fx, fy) == (352 / 640, 256 / 480)
    small, _ = _rescale(np.zeros((100, 140, 3), np.uint8), 0.75)  # 75 x 105: 80 and 112 are too far
    assert small.shape[:2] == (75, 105)


def test_a_fine_pattern_becomes_grey_and_does_not_alias() -> None:
    image = np.zeros((256, 256, 3), np.uint8)
    image[::2] = 255
    for scale in (0.2, 0.3, 0.45):
        small, _ = _rescale(image, scale)
        assert small[4:-4].std() < 12
