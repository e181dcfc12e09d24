"""Markers in photographs: where the table is, to a fraction of a millimetre, or why it cannot be told."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.errors import BadMat, NotFound
from calibration.geometry import undistorted
from calibration.markers import find_markers, fit_table, mat_ids
from calibration.matcode import kind_of
from tests.calibration.prints import A3, photograph, sheet
from tests.calibration.seen import View

GRID = np.array([[x, y] for x in np.linspace(0, 420, 7) for y in np.linspace(0, 297, 5)])


@pytest.mark.parametrize(
    ("view", "look", "within_mm"),
    [
        (View(), {"noise": 5.0}, 0.2),
        (View(tilt_deg=40, azimuth_deg=90, distance_mm=750), {"noise": 4.0}, 0.3),
        (View(tilt_deg=15, distortion=(-0.2, 0.05, 0.001, 0.0, 0.0)), {"noise": 3.0}, 0.3),
        (View(roll_deg=180), {"light": (0.3, 0.08), "noise": 2.0}, 0.3),
        (View(640, 480, 500.0, distance_mm=800), {"noise": 3.0}, 0.5),
        (View(640, 480, 500.0, distance_mm=900), {"noise": 3.0}, 0.6),
        (View(), {"blur_px": 2.0}, 0.3),
    ],
)
def test_the_table_is_found(view: View, look: dict[str, float], within_mm: float) -> None:
    layout, paper = sheet()
    seen = find_markers(photograph(paper, view, **look))  # type: ignore[arg-type]
    assert kind_of(mat_ids(seen)) == A3
    fit = fit_table(seen.corners_px, layout.markers, view.lens)
    table = undistorted(view.pixels(GRID), view.lens)
    high = np.column_stack([table, np.ones(len(table))]) @ np.array(fit.table_from_image).T
    assert np.linalg.norm(high[:, :2] / high[:, 2:] - GRID, axis=1).max() < within_mm
    assert fit.error_px < 0.5


def test_a_bent_lens_that_is_not_known_shows_in_the_error() -> None:
    layout, paper = sheet()
    seen = find_markers(photograph(paper, View(distortion=(-0.2, 0.05, 0.0, 0.0, 0.0))))
    assert fit_table(seen.corners_px, layout.markers, None).error_px > 0.8


def test_a_mirrored_picture_is_recognised() -> None:
    _, paper = sheet()
    seen = find_markers(np.ascontiguousarray(photograph(paper, View())[:, ::-1]))
    assert seen.mirrored
    with pytest.raises(NotFound, match="the picture is mirrored"):
        mat_ids(seen)
    assert not find_markers(np.ascontiguousarray(photograph(paper, View())[::-1, ::-1])).mirrored


def test_a_hidden_marker_is_named() -> None:
    layout, paper = sheet()
    covered = paper.copy()
    covered[:250, 1800:] = 120
    seen = find_markers(photograph(covered, View()))
    with pytest.raises(NotFound, match=r"the upper right marker is not seen \(3 of 4 are\)"):
        mat_ids(seen)
    # Three are enough once it is known which mat it is.
    assert fit_table(seen.corners_px, layout.markers, None).error_mm < 0.2
    covered[:250] = 120
    covered[:, :900] = 120
    only = find_markers(photograph(covered, View()))
    with pytest.raises(NotFound, match="at least 2 are needed"):
        fit_table(only.corners_px, layout.markers, None)
    with pytest.raises(NotFound, match="the upper left and the upper right and the lower left markers are"):
        mat_ids(only)


def test_two_mats_in_one_picture() -> None:
    _, paper = sheet()
    twice = np.concatenate([paper[:, :1100], paper[:, :1100]], axis=1)
    with pytest.raises(BadMat, match="only one mat may be in the picture"):
        mat_ids(find_markers(photograph(twice, View())))


def test_an_empty_table_has_no_markers() -> None:
    blank = np.full((480, 640, 3), 127, dtype=np.uint8)
    with pytest.raises(NotFound, match=r"\(0 of 4 are\)"):
        mat_ids(find_markers(blank))
