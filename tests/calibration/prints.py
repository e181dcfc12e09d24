"""Printed mats, and photographs of them: the PDF is rasterised and seen by a camera."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pypdfium2
from numpy.typing import NDArray

from calibration.layout import MatLayout, lay_out
from calibration.mat import MatStyle, mat_pdf
from calibration.matcode import MatKind
from tests.calibration.seen import Array, View

Picture = NDArray[np.uint8]
PX_PER_MM = 5.0
A3 = MatKind(420.0, 297.0, 0, True, True)


def printed(pdf: bytes, px_per_mm: float = PX_PER_MM, page: int = 0) -> Picture:
    """(H, W, 3) uint8 BGR, shrunk from three times the size: PDFium fills all pixels that a shape touches."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        size = document[page].get_size()
        picture = document[page].render(scale=3 * px_per_mm * 25.4 / 72).to_numpy()[:, :, :3]
    finally:
        document.close()
    width, height = (round(side * 25.4 / 72 * px_per_mm) for side in size)
    fine = picture[: 3 * height, : 3 * width]  # rounded up, the picture may have one column more
    return np.asarray(cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


@cache
def sheet(kind: MatKind = A3, style: MatStyle | None = None) -> tuple[MatLayout, Picture]:
    layout = lay_out(kind)
    return layout, printed(mat_pdf(layout, style or MatStyle())[0])


def photograph(
    paper: Picture,
    view: View,
    *,
    table: float = 90.0,
    blur_px: float = 0.6,
    noise: float = 0.0,
    light: tuple[float, float] = (1.0, 1.0),
    seed: int = 0,
) -> Picture:
    """What `view` sees of a printed sheet that lies on a grey table; `light` at the left and right border.

    It is taken at twice the size, through the bent lens, and shrunk, as a sensor does.
    """
    height, width = view.height_px, view.width_px
    # Middles of pixels: k in the large picture is (k + 0.5) / 2 - 0.5 in the small one; paper likewise.
    small_from_large = np.array([[0.5, 0, -0.25], [0, 0.5, -0.25], [0, 0, 1]])
    paper_from_table = np.array([[PX_PER_MM, 0, -0.5], [0, PX_PER_MM, -0.5], [0, 0, 1]])
    border = (table, table, table)
    if any(view.distortion):
        ys, xs = np.mgrid[0 : 2 * height, 0 : 2 * width].astype(np.float64)
        rays = straight(view, np.column_stack([xs.ravel(), ys.ravel()]) / 2 - 0.25)
        back = paper_from_table @ np.linalg.inv(view.image_from_table)
        high = np.column_stack([rays, np.ones(len(rays))]) @ back.T
        at = (high[:, :2] / high[:, 2:]).astype(np.float32).reshape(2 * height, 2 * width, 2)
        large = cv2.remap(
            paper,
            at[..., 0],
            at[..., 1],
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=border,
        )
    else:
        matrix = np.linalg.inv(small_from_large) @ view.image_from_table @ np.linalg.inv(paper_from_table)
        large = cv2.warpPerspective(
            paper, matrix, (2 * width, 2 * height), flags=cv2.INTER_LINEAR, borderValue=border
        )
    picture = cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    if blur_px > 0:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur_px))
    picture = picture * np.linspace(*light, width, dtype=np.float32)[None, :, None] * 0.9
    rng = np.random.default_rng(seed)
    picture = picture + rng.normal(0, 1, picture.shape).astype(np.float32) * noise
    return np.clip(np.rint(picture), 0, 255).astype(np.uint8)


def straight(view: View, pixels: Array) -> Array:
    """Undistort many pixels at once."""
    if not any(view.distortion):
        return pixels
    lens = view.lens
    matrix, k = np.array(lens.matrix, dtype=np.float64), np.array(lens.distortion)
    out = cv2.undistortPoints(pixels.reshape(-1, 1, 2), matrix, k, R=np.eye(3), P=matrix)
    return np.asarray(out, dtype=np.float64).reshape(-1, 2)
