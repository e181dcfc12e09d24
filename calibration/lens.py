"""Lenses: constants of cameras that are sold by the thousand, and a lens measured with a ChArUco board."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.errors import BadLens
from calibration.pdf import Drawing, Page, write_pdf
from calibration.profile import Lens
from vision.frame import Image

KNOWN_WIDE_DEG: dict[str, float] = {
    "camera-module-2": 62.2,
    "camera-module-3": 66.0,
    "camera-module-hq-6mm": 55.0,
}
"""Horizontal angle of view of the whole sensor, from the makers' data sheets, which say nothing of
distortion: it is taken as none. `--charuco` measures both, and wide-angle lenses need it."""

BOARD_SQUARES = (9, 6)
SQUARE_MM = 28.0
_MARKER_MM = 21.0
_BOARD_DICTIONARY = "DICT_5X5_100"
LEAST_VIEWS = 5
LEAST_CORNERS = 12
MOST_ERROR_PX = 1.5


@dataclass(frozen=True, slots=True)
class LensFound:
    """A measured lens."""

    lens: Lens
    """The lens."""
    error_px: float
    """Root mean square of the distances of the board's corners from where they should be."""
    views: int
    """Pictures that were used."""


def known_lens(name: str, width_px: int, height_px: int) -> Lens:
    """The lens of a camera known by name, for pictures of the whole sensor's width.

    Raises:
        BadLens: for another name.
    """
    if name not in KNOWN_WIDE_DEG:
        raise BadLens(
            f"the lens {name!r} is not known; use {', '.join(KNOWN_WIDE_DEG)}, or measure it with --charuco"
        )
    focal = width_px / 2 / math.tan(math.radians(KNOWN_WIDE_DEG[name]) / 2)
    middle = ((width_px - 1) / 2, (height_px - 1) / 2)
    return Lens(((focal, 0.0, middle[0]), (0.0, focal, middle[1]), (0.0, 0.0, 1.0)), (0.0,) * 5)


def _board() -> cv2.aruco.CharucoBoard:
    kind = cv2.aruco.getPredefinedDictionary(int(getattr(cv2.aruco, _BOARD_DICTIONARY)))
    return cv2.aruco.CharucoBoard(BOARD_SQUARES, SQUARE_MM, _MARKER_MM, kind)


def board_pdf() -> bytes:
    """The board for measuring a lens, on one lying A4 sheet."""
    width, height = 297.0, 210.0
    left, top = ((width - BOARD_SQUARES[0] * SQUARE_MM) / 2, (height - BOARD_SQUARES[1] * SQUARE_MM) / 2)
    drawing = Drawing()

    def square(x: float, y: float, side: float) -> list[tuple[float, float]]:
        return [
            (left + x, top + y),
            (left + x + side, top + y),
            (left + x + side, top + y + side),
            (left + x, top + y + side),
        ]

    board = _board()
    places = [np.asarray(each, dtype=np.float64).reshape(4, 3)[0, :2] for each in board.getObjPoints()]
    with_marker = {(int(x // SQUARE_MM), int(y // SQUARE_MM)) for x, y in places}
    dark = [
        square(column * SQUARE_MM, row * SQUARE_MM, SQUARE_MM)
        for column in range(BOARD_SQUARES[0])
        for row in range(BOARD_SQUARES[1])
        if (column, row) not in with_marker
    ]
    drawing.polygons(dark, (0.0, 0.0, 0.0))
    for ident, (x, y) in zip(np.asarray(board.getIds()).reshape(-1), places, strict=True):
        cells = np.asarray(cv2.aruco.generateImageMarker(board.getDictionary(), int(ident), 7))
        cell = _MARKER_MM / len(cells)
        drawing.polygons([square(x, y, _MARKER_MM)], (0.0, 0.0, 0.0))
        white = [square(x + c * cell, y + r * cell, cell) for r, c in np.argwhere(cells > 127)]
        drawing.polygons(white, (1.0, 1.0, 1.0))
    page = Page(width, height)
    page.show_form((0.0, 0.0), (0.0, 0.0), (width, height))
    return write_pdf([page], drawing, (width, height), "Croupier lens board")


def measure_lens(pictures: Iterable[Image]) -> LensFound:
    """Find the lens from pictures of the board, taken from all sides and filling all of the picture.

    Raises:
        BadLens: when the board is seen in too few of them, their sizes differ, or no lens explains them.
    """
    detector = cv2.aruco.CharucoDetector(_board())
    object_points, image_points, size, seen = [], [], None, 0
    for picture in pictures:
        seen += 1
        height, width = picture.shape[:2]
        if size is not None and size != (width, height):
            raise BadLens(
                f"the pictures of the board have {size[0]}x{size[1]} and {width}x{height} pixels; "
                "take all with the size that the game will use"
            )
        size = (width, height)
        corners, ids, _, _ = detector.detectBoard(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY))
        if ids is None or len(ids) < LEAST_CORNERS:
            continue
        flat = np.asarray(ids).reshape(-1)
        object_points.append(np.asarray(_board().getChessboardCorners(), dtype=np.float32)[flat])
        image_points.append(np.asarray(corners, dtype=np.float32).reshape(-1, 2))
    if size is None or len(object_points) < LEAST_VIEWS:
        raise BadLens(
            f"the board is seen well in {len(object_points)} of {seen} pictures, {LEAST_VIEWS} are needed; "
            "print it with croupier mat --charuco and hold it near, tilted, also in the corners"
        )
    start = np.array(
        [[0.8 * size[0], 0, (size[0] - 1) / 2], [0, 0.8 * size[0], (size[1] - 1) / 2], [0, 0, 1.0]]
    )
    error, matrix, bend, _, _ = cv2.calibrateCamera(
        object_points, image_points, size, start, np.zeros(5), flags=cv2.CALIB_USE_INTRINSIC_GUESS
    )
    if not error <= MOST_ERROR_PX:
        raise BadLens(
            f"no lens explains the pictures of the board (off by {error:.1f} px); "
            "keep the board flat and still"
        )
    rows = [(float(a), float(b), float(c)) for a, b, c in np.asarray(matrix)]
    k = [float(v) for v in np.asarray(bend).reshape(-1)[:5]]
    lens = Lens((rows[0], rows[1], (0.0, 0.0, 1.0)), (k[0], k[1], k[2], k[3], k[4]))
    return LensFound(lens, float(error), len(object_points))
