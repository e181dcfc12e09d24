"""What speaks against a picture as a whole: too dark, blown out, blurred, too few pixels a die, glare.

Everything is measured on the dice where there are any, since a dark table is no fault. The limits were chosen
so that they spare practically every photograph of the rigs that may be trained on and tell when artificially
spoilt copies of them are no longer read; docs/how-it-reads.md has the figures.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

DIE_PX = 32.0
"""Size to which dice are brought before their sharpness is measured: blur counts as a share of the die."""
CROP_PX = 44
"""Side of the square around such a die."""
MOST_DICE = 3
"""Dice that are looked at, evenly chosen: a picture is blurred for all of them or for none."""
DARK = 45.0
"""Dice whose brightest parts stay below this grey level are too dark."""
NO_CONTRAST = 22.0
"""Grey levels between the bright and the dark parts of a die below which its pips are lost."""
BLURRED = 0.092
"""Steepest slope on a die, across its weakest direction, as a share of its contrast a pixel at `DIE_PX`."""
FEW_PX = 14.0
"""Dice smaller than this hold too few pixels to be read for certain."""
WHITE = 245
"""From this level on, in the weakest of the three channels, a pixel holds nothing but light."""
GLARE_SHARE = 0.18
"""A white spot of more than this share of a die's box is no pip but glare ..."""
GLARE_BODY = 170.0
"""... on a die whose body is darker than this."""

WHOLE_PX = 320
"""Longest side to which a picture without dice is brought before its sharpness is measured."""
SOFT = 0.11
"""Steepest slope of such a picture, as a share of the contrast of what is as large as dice may be."""
NOT_SHARP = (
    "no die was found in a picture without a sharp edge: if dice lie there, the camera must be focused"
)
FEATURELESS = 12.0
"""Grey levels of that contrast below which a table has nothing by which its sharpness could be told."""

_DIRECTIONS = np.array([(np.cos(a), np.sin(a)) for a in np.arange(8) * np.pi / 8], np.float32)


def quality_reasons(image: Image, boxes: NDArray[np.float64]) -> tuple[str, ...]:
    """Say why a picture cannot be trusted, in one sentence each; nothing when it can.

    `image` is (H, W, 3) uint8 BGR, `boxes` (N, 4) the dice found in it: centre x, centre y, width, height in
    pixels. Takes 1 to 3 ms whatever the size of the picture, where no dice were found some more.
    """
    step = max(1, min(image.shape[:2]) // 120)
    thin = image[::step, ::step]
    bright = np.maximum(np.maximum(thin[..., 0], thin[..., 1]), thin[..., 2]).reshape(-1)
    low, high = _level(bright, 0.02), _level(bright, 0.98)
    if high < 30:
        return ("the picture is almost black: more light, or a longer exposure, is needed",)
    if low > 250:
        return ("the picture is blown out: less light, or a shorter exposure, is needed",)
    if not len(boxes):
        return (NOT_SHARP,) if _whole_sharpness(image) < SOFT else ()
    reasons = []
    size = float(np.median(np.sqrt(boxes[:, 2] * boxes[:, 3])))
    if size < FEW_PX:
        reasons.append(
            f"the dice are only {size:.0f} pixels wide: the camera must be nearer, or have more pixels"
        )
    chosen = boxes[np.linspace(0, len(boxes) - 1, min(len(boxes), MOST_DICE)).round().astype(int)]
    crops = [crop for box in chosen if (crop := _crop(image, box)) is not None]
    if not crops:
        return tuple(reasons)
    planes = [_widest(crop) for crop in crops]
    if np.median([_level(crop.reshape(-1), 0.97) for crop in crops]) < DARK:
        reasons.append("the dice are too dark: more light, or a longer exposure, is needed")
    elif np.median([contrast for _, contrast in planes]) < NO_CONTRAST:
        reasons.append("the dice show hardly any contrast: more or other light is needed")
    elif np.median([_sharpness(*plane) for plane in planes]) < BLURRED:
        reasons.append("the dice are blurred: the camera must be focused, or the exposure be shorter")
    if any(_glare(crop) for crop in crops):
        reasons.append("glare hides a part of a die: the light must come from another side, or be softer")
    return tuple(reasons)


def _crop(image: Image, box: NDArray[np.float64]) -> Image | None:
    """Cut out a die with a margin and bring it to `DIE_PX`; None where hardly any of it is in the picture."""
    x, y, width, height = (float(v) for v in box)
    scale = DIE_PX / max((width * height) ** 0.5, 1.0)
    half = CROP_PX / 2 / scale
    left, top = max(0, round(x - half)), max(0, round(y - half))
    part = image[top : max(top, round(y + half)), left : max(left, round(x + half))]
    if min(part.shape[:2]) * scale < DIE_PX / 2:
        return None
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=how), np.uint8)


def _widest(image: Image) -> tuple[NDArray[np.uint8], float]:
    """Return the channel with most contrast and the grey levels between its bright and its dark parts."""
    planes = [np.ascontiguousarray(image[:, :, channel]) for channel in range(3)]
    contrast = [_level(plane.reshape(-1), 0.97) - _level(plane.reshape(-1), 0.03) for plane in planes]
    channel = int(np.argmax(contrast))
    return planes[channel], contrast[channel]


def _level(values: NDArray[np.uint8], share: float) -> float:
    """Return the grey level that `share` of the values (N,) stay below; a histogram beats sorting."""
    counted = np.cumsum(np.bincount(values, minlength=256))
    return float(np.searchsorted(counted, int(share * len(values)), side="right"))


def _sharpness(plane: NDArray[np.uint8], contrast: float) -> float:
    """Return the steepest slope, in the direction in which it is least, as a share of the contrast.

    A die has edges in every direction; one that moved during the exposure has lost those across its path.
    """
    return _steepest(plane, 0.97) / max(contrast, 1.0)


def _whole_sharpness(image: Image) -> float:
    """Return the same of a whole picture, 1 where nothing in it could be blurred."""
    scale = WHOLE_PX / max(image.shape[:2])
    if scale < 1:
        image = np.asarray(
            cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
        )
    thin = np.percentile(image[::4, ::4], (3, 97), axis=(0, 1))
    plane = image[:, :, int(np.argmax(thin[1] - thin[0]))]
    level = cv2.blur(plane, (5, 5))[::4, ::4].astype(np.float64)
    y, x = np.mgrid[-1 : 1 : level.shape[0] * 1j, -1 : 1 : level.shape[1] * 1j]
    # The light falls off smoothly over a table and towards the corners of a lens: that is no contrast.
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1).reshape(-1, 6)
    light, *_ = np.linalg.lstsq(terms, level.ravel(), rcond=None)
    band = np.abs(level.ravel() - terms @ light)
    rank = int(0.99 * band.size)
    contrast = float(np.partition(band, rank)[rank])
    return 1.0 if contrast < FEATURELESS else _steepest(plane, 0.995) / contrast


def _steepest(plane: NDArray[np.uint8], share: float) -> float:
    """Return the slope in grey levels a pixel that `share` of the pixels stay below, where that is least."""
    smooth = cv2.GaussianBlur(plane, (3, 3), 0.7).astype(np.float32)
    slopes = np.stack([cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)]) / 8.0
    along = np.abs(_DIRECTIONS @ slopes.reshape(2, -1))
    rank = int(share * along.shape[1])
    return float(np.partition(along, rank, axis=1)[:, rank].min())


def _glare(crop: Image) -> bool:
    """Whether a white spot larger than any pip lies on a die that is not white itself."""
    margin = (CROP_PX - round(0.9 * DIE_PX)) // 2
    inside = crop[margin:-margin, margin:-margin].min(axis=2)
    if np.median(inside) > GLARE_BODY:
        return False
    count, _, stats, _ = cv2.connectedComponentsWithStats((inside >= WHITE).astype(np.uint8))
    return count > 1 and float(stats[1:, cv2.CC_STAT_AREA].max()) > GLARE_SHARE * DIE_PX**2
