"""How the reader merges what several looks at one picture say."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.detector import check_region
from vision.errors import BadImage
from vision.merging import common_size, merge, same_dice
from vision.network import Candidates


def candidates(*rows: tuple[float, float, float, float, int], fit: float = 0.0) -> Candidates:
    """Build candidates from (x, y, size, probability, face 1..6)."""
    faces = np.full((len(rows), 7), 0.02)
    for i, row in enumerate(rows):
        faces[i, row[4] - 1] = 0.88
    return Candidates(
        np.array([(x, y, size, size) for x, y, size, _, _ in rows], np.float64).reshape(-1, 4),
        np.array([row[3] for row in rows], np.float64),
        faces,
        np.full(len(rows), fit),
    )


def faces_of(faces: NDArray[np.float64]) -> list[int]:
    return sorted(int(face) + 1 for face in faces.argmax(axis=1))


def test_two_looks_at_one_die_are_one_die() -> None:
    boxes, found, faces = merge(candidates((100, 100, 40, 0.9, 3), (102, 99, 42, 0.8, 3)))
    assert len(boxes) == 1
    assert boxes[0, 0] == pytest.approx(101, abs=1)
    assert 0.8 <= found[0] <= 0.9
    assert faces_of(faces) == [3]


def test_touching_dice_stay_two() -> None:
    boxes, _, _ = merge(candidates((100, 100, 40, 0.9, 3), (138, 100, 40, 0.9, 5)))
    assert len(boxes) == 2


@pytest.mark.parametrize("face", [2, 4, 6])
def test_the_pips_of_a_large_die_are_no_ones(face: int) -> None:
    pips = [(100 + dx, 100 + dy, 24, 0.95, 1) for dx in (-25, 25) for dy in (-25, 25)]
    _, _, faces = merge(candidates((100, 100, 100, 0.6, face), *pips))
    assert faces_of(faces) == [face]


def test_a_die_that_shows_a_one_is_not_the_pip_of_a_false_large_one() -> None:
    boxes, _, faces = merge(candidates((100, 100, 110, 0.5, 1), (102, 101, 38, 0.9, 1)))
    assert faces_of(faces) == [1]
    assert boxes[0, 2] == pytest.approx(38)


def test_the_pip_of_a_large_one_is_no_die() -> None:
    boxes, _, _ = merge(candidates((100, 100, 110, 0.5, 1), (102, 101, 28, 0.9, 1)))
    assert boxes[:, 2] == pytest.approx([110])


def test_a_block_of_four_dice_is_not_one_large_die() -> None:
    block = [(100 + dx, 100 + dy, 48, 0.95, 5) for dx in (-25, 25) for dy in (-25, 25)]
    _, _, faces = merge(candidates((100, 100, 100, 0.6, 4), *block))
    assert faces_of(faces) == [5, 5, 5, 5]


def test_looks_that_disagree_leave_the_face_open() -> None:
    _, _, faces = merge(candidates((100, 100, 40, 0.9, 3), (100, 100, 40, 0.9, 5)))
    assert faces[0].max() < 0.5


def test_a_speck_beside_dice_of_one_size_becomes_improbable_and_a_like_sized_die_does_not() -> None:
    sizes = np.array([60.0, 64.0, 58.0, 66.0, 12.0])
    boxes = np.column_stack([np.zeros((5, 2)), sizes, sizes])
    found = np.array([0.9, 0.9, 0.8, 0.5, 0.5])
    after = common_size(boxes, found, 2.0)
    assert after[:4] == pytest.approx(found[:4])
    assert after[4] < 0.05
    assert common_size(boxes, found, 0.0) == pytest.approx(found)


def test_a_lone_weak_candidate_keeps_its_probability() -> None:
    assert common_size(np.array([[0.0, 0.0, 30.0, 30.0]]), np.array([0.3]), 2.0) == pytest.approx([0.3])


def test_nothing_found_is_nothing() -> None:
    assert len(merge(candidates())[0]) == 0


def test_a_region_is_cut_to_the_picture_or_refused() -> None:
    image = np.zeros((50, 60, 3), np.uint8)
    assert check_region(image, None) == (0, 0, 60, 50)
    assert check_region(image, (-10, 5, 30, 100)) == (0, 5, 20, 45)
    with pytest.raises(BadImage, match="outside the picture of 60 x 50"):
        check_region(image, (60, 0, 10, 10))


def test_a_die_is_known_again_where_it_lay_and_nowhere_else() -> None:
    known = np.array([(100.0, 100.0, 40.0, 40.0), (160.0, 100.0, 40.0, 40.0)])
    boxes = np.array(
        [
            (161.0, 102.0, 41.0, 40.0),  # the second, a little moved
            (100.0, 106.0, 40.0, 40.0),  # a seventh of a die away
            (100.0, 100.0, 50.0, 50.0),  # there, but larger
            (300.0, 300.0, 40.0, 40.0),  # new
        ]
    )
    assert same_dice(boxes, known).tolist() == [1, -1, -1, -1]
    assert same_dice(boxes, known[:0]).tolist() == [-1] * 4
    assert same_dice(boxes[:0], known).tolist() == []


def test_where_the_size_of_the_dice_is_known_it_counts_and_not_that_of_the_others() -> None:
    """The marker of a mat, twice as large as the dice, is alone on the table: no others tell its size."""
    boxes = np.array([[50.0, 50.0, 92.0, 92.0], [200.0, 50.0, 40.0, 40.0]])
    found = np.array([0.9, 0.3])
    after = common_size(boxes, found, 2.0, size_px=40.0)
    octaves = np.log2(92 / 40) - 0.5
    assert np.log(after[0] / (1 - after[0])) == pytest.approx(np.log(9) - 2.0 * octaves)
    assert after[1] == pytest.approx(0.3)
    assert common_size(boxes[:1], found[:1], 2.0) == pytest.approx(found[:1])
