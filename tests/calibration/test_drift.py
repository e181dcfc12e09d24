"""The drift guard: bumps, moved mats, hands over markers, changed light; with markers and by texture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.drift import DriftGuard, DriftReport
from calibration.profile import Profile, Zone
from tests.calibration.prints import Picture, photograph, sheet
from tests.calibration.seen import SHEET, View, profile_seen
from vision.frame import Frame

BEFORE = View(640, 480, 520.0, 560, tilt_deg=10)
FPS = 10.0
GRID = np.array([[x, y] for x in (40.0, 210.0, 380.0) for y in (20.0, 150.0, 277.0)])


def bumped(view: View = BEFORE, *, turned: float = 3.0, tilted: float = 4.0, aside: float = 18.0) -> View:
    x, y = view.middle_mm
    return View(
        view.width_px,
        view.height_px,
        view.focal_px,
        view.distance_mm * 1.02,
        view.tilt_deg + tilted,
        view.azimuth_deg,
        view.roll_deg + turned,
        (x + aside, y - aside / 2),
    )


def with_mat(view: View = BEFORE) -> Profile:
    layout, _ = sheet()
    return replace(profile_seen(view, lens=False), zones=layout.zones, markers=layout.markers)


def shown(view: View, seed: int = 0, **look: float) -> Picture:
    return photograph(sheet()[1], view, noise=2, seed=seed, **look)  # type: ignore[arg-type]


def wooden(seed: int = 3) -> Picture:
    """A table top with grain, 420 x 297 mm at 5 px a mm."""
    rng = np.random.default_rng(seed)
    coarse = rng.normal(0, 1, (60, 340)).astype(np.float32)
    grain = np.asarray(cv2.resize(coarse, (2100, 1485), interpolation=cv2.INTER_CUBIC))
    fine = cv2.GaussianBlur(rng.normal(0, 4, (1485, 2100)).astype(np.float32), (0, 0), 4)
    grey = np.clip(120 + 22 * grain + 22 * fine, 0, 255)
    return np.repeat(grey[:, :, None], 3, axis=2).astype(np.uint8)


def frames(*pictures: tuple[float, Picture]) -> Iterator[Frame]:
    """Each picture for so many seconds."""
    index = 0
    for seconds, picture in pictures:
        for _ in range(round(seconds * FPS)):
            yield Frame(picture, int(index * 1e9 / FPS), index)
            index += 1


def reports(guard: DriftGuard, *pictures: tuple[float, Picture]) -> list[DriftReport]:
    return [guard.push(frame) for frame in frames(*pictures)]


def test_nothing_moves_nothing_is_said() -> None:
    seen = reports(DriftGuard(with_mat()), *[(0.4, shown(BEFORE, seed)) for seed in range(6)])
    assert {report.state for report in seen} == {"steady"}
    assert not any(report.pause or report.warnings for report in seen)


@pytest.mark.parametrize("after", [bumped(), bumped(turned=25.0, aside=-10.0), bumped(turned=0, tilted=0)])
def test_a_bumped_camera_is_noticed_and_realigned_within_two_seconds(after: View) -> None:
    guard = DriftGuard(with_mat())
    seen = reports(guard, (1.0, shown(BEFORE)), (3.0, shown(after, 1)))
    states = [report.state for report in seen]
    assert states[:10] == ["steady"] * 10
    noticed, mended = states.index("moved"), states.index("realigned")
    assert (noticed - 10) / FPS <= 0.5
    assert (mended - 10) / FPS <= 1.0
    assert states[mended + 1 :] == ["steady"] * (len(states) - mended - 1)
    assert states.count("realigned") == 1
    assert "realigned" in seen[mended].reason
    assert guard.geometry.to_mm(after.pixels(GRID)) == pytest.approx(GRID, abs=0.6)


def test_slow_drift_is_followed() -> None:
    guard = DriftGuard(with_mat())
    for step in range(8):
        view = bumped(turned=0.3 * step, tilted=0.0, aside=1.0 * step)
        reports(guard, (1.2, shown(view, step)))
    assert guard.geometry.to_mm(view.pixels(GRID)) == pytest.approx(GRID, abs=1.8)


def test_hands_over_the_markers_are_no_bump() -> None:
    guard = DriftGuard(with_mat())
    two = shown(BEFORE)
    two[:, 330:] = 70
    none = np.full_like(two, 70)
    seen = reports(guard, (1.0, shown(BEFORE)), (1.5, two), (1.5, none), (1.0, shown(BEFORE, 2)))
    states = [report.state for report in seen]
    assert states[10:25] == ["steady"] * 15
    assert "blind" in states[25:40]
    assert not any(report.pause for report in seen)
    assert states[-1] == "steady"


def test_two_markers_are_enough_to_follow_a_slide() -> None:
    guard = DriftGuard(with_mat(View(640, 480, 520.0, 560)))
    after = bumped(View(640, 480, 520.0, 560), turned=2.0, tilted=0.0, aside=8.0)
    half = shown(after)
    half[:, 350:] = 70
    seen = reports(guard, (0.5, shown(View(640, 480, 520.0, 560))), (2.0, half))
    assert "realigned" in [report.state for report in seen]
    assert guard.geometry.to_mm(after.pixels(GRID)) == pytest.approx(GRID, abs=3.0)


def test_a_shaking_camera_is_moving_until_it_stands() -> None:
    guard = DriftGuard(with_mat())
    shaking = [(0.4, shown(bumped(turned=2.0 * k, aside=5.0 * k))) for k in (1, 2, 3, 2)]
    seen = reports(guard, (0.8, shown(BEFORE)), *shaking, (1.5, shown(bumped())))
    states = [report.state for report in seen]
    assert "realigned" not in states[:24]
    assert states[-1] == "steady"
    assert states.count("realigned") == 1


def test_a_camera_that_looks_away_is_lost_and_says_what_to_do() -> None:
    guard = DriftGuard(with_mat())
    away = shown(bumped(turned=0, aside=230.0))
    seen = reports(guard, (1.0, shown(BEFORE)), (3.0, away))
    assert seen[-1].state == "lost"
    assert seen[-1].pause
    assert "outside the picture" in seen[-1].reason
    back = [guard.push(Frame(shown(BEFORE), int((5 + k / FPS) * 1e9), 50 + k)) for k in range(8)]
    assert back[-1].state == "steady"


def test_mirrored_pictures_and_other_sizes_are_said() -> None:
    guard = DriftGuard(with_mat())
    flipped = np.ascontiguousarray(shown(BEFORE)[:, ::-1])
    small = np.ascontiguousarray(shown(BEFORE)[:240, :320])
    seen = reports(guard, (0.5, shown(BEFORE)), (0.5, flipped), (0.5, small))
    assert "mirrored" in seen[9].reason
    assert "320x240" in seen[-1].reason
    assert seen[9].pause
    assert seen[-1].pause


def test_without_a_mat_the_texture_is_followed() -> None:
    top = wooden()
    profile = profile_seen(BEFORE, lens=False, zones=(Zone("roll", None, SHEET),))
    guard = DriftGuard(profile, photograph(top, BEFORE, noise=2))
    after = bumped()
    dice = photograph(top, BEFORE, noise=2, seed=5)
    dice[200:240, 300:340] = 240
    seen = reports(guard, (1.0, dice), (3.0, photograph(top, after, noise=2, seed=6)))
    states = [report.state for report in seen]
    assert states[:10] == ["steady"] * 10
    assert (states.index("realigned") - 10) / FPS <= 1.2
    assert guard.geometry.to_mm(after.pixels(GRID)) == pytest.approx(GRID, abs=1.5)


def test_without_texture_the_edges_of_the_table_are_followed() -> None:
    top = np.full((1485, 2100, 3), 60, dtype=np.uint8)
    cv2.rectangle(top, (60, 60), (1700, 1400), (200, 200, 200), 12)
    cv2.rectangle(top, (1760, 80), (2040, 1300), (20, 90, 30), -1)
    profile = profile_seen(BEFORE, lens=False, zones=(Zone("roll", None, SHEET),))
    guard = DriftGuard(profile, photograph(top, BEFORE, noise=2))
    hand = photograph(top, BEFORE, noise=2, seed=4)
    cv2.ellipse(hand, (330, 100), (60, 190), 0, 0, 360, (120, 150, 200), -1)
    after = bumped(turned=2.0, tilted=1.0, aside=12.0)
    seen = reports(guard, (1.2, hand), (3.0, photograph(top, after, noise=2, seed=6)))
    states = [report.state for report in seen]
    assert states[:12] == ["steady"] * 12
    assert (states.index("realigned") - 12) / FPS <= 1.2
    assert states[-1] == "steady"
    assert guard.geometry.to_mm(after.pixels(GRID)) == pytest.approx(GRID, abs=3.0)


def test_a_table_without_texture_is_blind_not_wrong() -> None:
    plain = np.full((480, 640, 3), 120, dtype=np.uint8)
    profile = profile_seen(BEFORE, lens=False)
    seen = reports(DriftGuard(profile), (3.0, plain))
    assert {report.state for report in seen} == {"blind"}
    assert not seen[-1].pause


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda p: p * 0.4, "stops darker"),
        (lambda p: np.minimum(p * (1.0, 1.0, 1.0) + 0, 255) * (0.6, 0.9, 1.0), "redder"),
        (lambda p: cv2.GaussianBlur(p, (0, 0), 2.0), "times as wide"),
    ],
)
def test_what_changes_about_the_picture_is_said_after_a_while(change: object, says: str) -> None:
    assert callable(change)
    start = shown(BEFORE)
    other = np.clip(np.asarray(change(start.astype(np.float32))), 0, 255).astype(np.uint8)
    seen = reports(DriftGuard(with_mat(), start), (1.0, shown(BEFORE, 2)), (0.8, other), (2.0, other))
    assert not any(report.warnings for report in seen[:18])
    assert any(says in warning for warning in seen[-1].warnings)
    # Markers may be too washed out to be read; that is no bump.
    assert {report.state for report in seen} <= {"steady", "blind"}
    assert not seen[-1].pause


def test_the_measured_change_is_right() -> None:
    guard = DriftGuard(with_mat(), shown(BEFORE))
    half = (shown(BEFORE) * 0.5).astype(np.uint8)
    seen = reports(guard, (0.5, half))
    assert seen[-1].exposure_stops == pytest.approx(-1.0, abs=0.06)
    assert seen[-1].warmth_stops == pytest.approx(0.0, abs=0.05)
    assert seen[-1].focus_ratio == pytest.approx(1.0, abs=0.15)
