"""How exactly the table is found, how small a marker may be, how soon a bump is mended.

    python -m benchmarks.calibration_accuracy

Prints the figures of docs/how-it-sees.md. Everything is computed: the mat's PDF is rasterised, seen by a
pinhole camera with or without a bent lens, blurred, darkened and given noise.
"""

from __future__ import annotations

import time

import cv2
import numpy as np

from calibration.drift import DriftGuard
from calibration.errors import NotFound
from calibration.geometry import TableGeometry, undistorted
from calibration.markers import find_markers, fit_table
from tests.calibration.prints import photograph, sheet
from tests.calibration.seen import View, profile_seen
from tests.calibration.test_drift import BEFORE, bumped, shown, with_mat, wooden
from vision.frame import Frame

GRID = np.array([[x, y] for x in np.linspace(0, 420, 9) for y in np.linspace(0, 297, 7)])
BENT = (-0.2, 0.05, 0.001, 0.0, 0.0)
SEED = 7
BUMPS = 30


def accuracy(name: str, view: View, *, lens: bool = True, **look: object) -> None:
    """Print the error over the whole mat for one view."""
    layout, paper = sheet()
    seen = find_markers(photograph(paper, view, **look))  # type: ignore[arg-type]
    side = view.focal_px / view.distance_mm * layout.marker_mm
    try:
        fit = fit_table(seen.corners_px, layout.markers, view.lens if lens else None)
    except NotFound as error:
        print(f"{name:<34} marker {side:4.1f} px  {len(seen.corners_px)} found: {error}")
        return
    pixels = undistorted(view.pixels(GRID), view.lens if lens else None)
    high = np.column_stack([pixels, np.ones(len(pixels))]) @ np.array(fit.table_from_image).T
    error_mm = np.linalg.norm(high[:, :2] / high[:, 2:] - GRID, axis=1)
    print(
        f"{name:<34} marker {side:4.1f} px  {len(seen.corners_px)} found  "
        f"mean {error_mm.mean():.3f} mm  largest {error_mm.max():.3f} mm"
    )


def bumps() -> None:
    """Print how soon bumps are noticed and mended, and how exactly."""
    rng = np.random.default_rng(SEED)
    grid = np.array([[x, y] for x in (40.0, 210.0, 380.0) for y in (20.0, 150.0, 277.0)])
    noticed: list[float] = []
    mended: list[float] = []
    errors: list[float] = []
    for number in range(BUMPS):
        turned, tilted, aside = rng.uniform(-20, 20), rng.uniform(-5, 8), rng.uniform(-25, 25)
        after = bumped(turned=turned, tilted=tilted, aside=aside)
        guard = DriftGuard(with_mat(BEFORE))
        before_picture, after_picture = shown(BEFORE, number), shown(after, number + 100)
        for index in range(40):
            t_ns = int((index / 10 + 0.03 * rng.uniform()) * 1e9)
            report = guard.push(Frame(before_picture if index < 8 else after_picture, t_ns, index))
            if index >= 8 and report.state == "moved" and len(noticed) == number:
                noticed.append((index - 8) / 10)
            if report.state == "realigned":
                mended.append((index - 8) / 10)
                errors.append(float(np.abs(guard.geometry.to_mm(after.pixels(grid)) - grid).max()))
                break
    print(
        f"bumps {BUMPS}: noticed {len(noticed)}, at latest after {max(noticed):.1f} s; "
        f"realigned {len(mended)}, median {np.median(mended):.1f} s, at latest {max(mended):.1f} s, "
        f"error at most {max(errors):.2f} mm"
    )


def speed() -> None:
    """Print what one look of the guard costs at 1280x720 on one core."""
    view = View(tilt_deg=10)
    with_markers = photograph(sheet()[1], view, noise=3)
    with_texture = photograph(wooden(), view, noise=3)
    plain = profile_seen(view, lens=False)
    for name, guard, picture in (
        ("markers", DriftGuard(with_mat(view)), with_markers),
        ("texture", DriftGuard(plain, with_texture), with_texture),
    ):
        took = []
        for index in range(12):
            frame = Frame(picture.copy(), int(index * 0.5e9), index)
            began = time.process_time()
            guard.push(frame)
            took.append(time.process_time() - began)
        print(f"a look by {name}: median {np.median(took) * 1000:.0f} ms, longest {max(took) * 1000:.0f} ms")
    print(f"a die at the middle: {TableGeometry(plain).die_px:.1f} px")


def main() -> None:
    """Print all figures."""
    cv2.setNumThreads(1)
    accuracy("straight down", View(), noise=5)
    for tilt, azimuth, far in ((20, 30, 650), (30, 80, 750), (40, 0, 800), (40, 90, 750), (45, 0, 800)):
        view = View(tilt_deg=tilt, azimuth_deg=azimuth, distance_mm=far)
        accuracy(f"tilted by {tilt} degrees", view, noise=4)
    accuracy("blur sigma 2 px", View(), blur_px=2.0, noise=3)
    accuracy("blur sigma 3 px", View(), blur_px=3.0, noise=3)
    accuracy("dark (0.25 to 0.05 of the light)", View(), light=(0.25, 0.05), noise=3)
    accuracy("bent lens, known", View(distortion=BENT), noise=3)
    accuracy("bent lens, not known", View(distortion=BENT), lens=False, noise=3)
    accuracy("upside down", View(roll_deg=180), noise=3)
    for far in (600, 700, 800, 900, 1000, 1200):
        accuracy(f"640x480, {far / 10:g} cm", View(640, 480, 500.0, distance_mm=far), noise=4)
    bumps()
    speed()


if __name__ == "__main__":
    main()
