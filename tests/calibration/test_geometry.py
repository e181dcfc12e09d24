"""Pixels to millimetres and back."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.geometry import TableGeometry
from calibration.profile import Zone
from tests.calibration.seen import SHEET, View, profile_seen

BENT = (-0.12, 0.03, 0.001, -0.0008, 0.0)
VIEWS = [
    View(),
    View(tilt_deg=25, azimuth_deg=40, roll_deg=15),
    View(tilt_deg=40, azimuth_deg=-120, distance_mm=800),
    View(tilt_deg=15, azimuth_deg=10, distortion=BENT),
]
GRID = np.array([[x, y] for x in (0.0, 100.0, 210.0, 420.0) for y in (0.0, 150.0, 297.0)])


@pytest.mark.parametrize("view", VIEWS)
def test_points_of_the_table_are_found_in_the_picture_and_back(view: View) -> None:
    geometry = TableGeometry(profile_seen(view))
    pixels = view.pixels(GRID)
    assert geometry.to_px(GRID) == pytest.approx(pixels, abs=1e-6)
    assert geometry.to_mm(pixels) == pytest.approx(GRID, abs=1e-5)
    assert geometry.to_mm([]).shape == (0, 2)


@pytest.mark.parametrize("view", VIEWS)
def test_the_camera_is_found(view: View) -> None:
    pose = TableGeometry(profile_seen(view)).pose
    assert math.degrees(pose.tilt_rad) == pytest.approx(view.tilt_deg, abs=1e-3)
    assert pose.height_mm == pytest.approx(view.distance_mm * math.cos(math.radians(view.tilt_deg)), rel=1e-6)
    seen = pose.project(np.column_stack([GRID, np.zeros(len(GRID))]))
    flat = View(**{**{n: getattr(view, n) for n in view.__slots__}, "distortion": (0.0,) * 5})
    assert seen == pytest.approx(flat.pixels(GRID), abs=1e-6)


@pytest.mark.parametrize("tilt_deg", [20.0, 30.0])
def test_a_tilted_view_tells_the_focal_length(tilt_deg: float) -> None:
    view = View(tilt_deg=tilt_deg, azimuth_deg=30, focal_px=1150.0)
    pose = TableGeometry(profile_seen(view, lens=False)).pose
    assert pose.focal_px == pytest.approx(1150.0, rel=1e-3)


def test_a_straight_view_takes_the_usual_focal_length_instead_of_noise() -> None:
    pose = TableGeometry(profile_seen(View(tilt_deg=0.5, focal_px=900.0), lens=False)).pose
    assert pose.focal_px == pytest.approx(0.8 * 1280)


def test_what_stands_above_the_table_is_put_under_itself() -> None:
    view = View(tilt_deg=35, azimuth_deg=70)
    geometry = TableGeometry(profile_seen(view))
    middle = geometry.pose.project([[300.0, 80.0, 8.0]])
    assert geometry.to_mm(middle, height_mm=8.0) == pytest.approx(np.array([[300.0, 80.0]]), abs=1e-6)
    assert math.dist(geometry.to_mm(middle)[0], (300.0, 80.0)) > 4


def test_scale_and_size_of_a_die() -> None:
    geometry = TableGeometry(profile_seen(View(focal_px=1200.0, distance_mm=600.0)))
    assert geometry.px_per_mm_at((640, 360)) == pytest.approx(2.0, rel=1e-6)
    # The top of a 16 mm die is 584 mm away; the mean upright box of a turned square is about 1.27 sides wide.
    side = 16 * 1200 / 584
    assert side * 1.2 < geometry.die_px < side * 1.32


def test_zones_the_smallest_first() -> None:
    tray = Zone("tray", None, ((300.0, 20.0), (400.0, 20.0), (400.0, 280.0), (300.0, 280.0)))
    geometry = TableGeometry(profile_seen(View(), zones=(Zone("roll", None, SHEET), tray)))
    assert geometry.zone_at((350.0, 100.0)) == tray
    within = geometry.zone_at((100.0, 100.0))
    assert within is not None
    assert within.kind == "roll"
    assert geometry.zone_at((-5.0, 100.0)) is None


def test_the_region_holds_every_zone_and_ends_with_the_picture() -> None:
    whole = TableGeometry(profile_seen(View(distance_mm=1500.0)))
    x, y, width, height = whole.region_px
    corners = whole.to_px(np.array(SHEET))
    assert (corners > (x, y)).all()
    assert (corners < (x + width, y + height)).all()
    assert width < 1280
    near = TableGeometry(profile_seen(View(distance_mm=200.0)))
    assert near.region_px == (0, 0, 1280, 720)


def test_the_outline_of_a_zone_follows_a_bent_lens() -> None:
    view = View(distortion=BENT)
    geometry = TableGeometry(profile_seen(view))
    outline = geometry.outline_px(geometry.profile.zones[0])
    assert len(outline) > 60
    assert geometry.to_mm(outline)[:, 1].min() == pytest.approx(0.0, abs=1e-6)


def test_a_moved_camera() -> None:
    geometry = TableGeometry(profile_seen(View()))
    other = View(tilt_deg=3, roll_deg=2)
    moved = geometry.moved_to(other.table_from_image)
    pixels = other.pixels(GRID)
    assert moved.to_mm(pixels) == pytest.approx(GRID, abs=1e-5)
    assert np.abs(geometry.to_mm(pixels) - GRID).max() > 5
