"""The search: where in a picture are dice, whatever their size?

Without a known size the picture is searched at several scales, from coarse to fine; the dice found tell
their size, and a last look comes at the scale the network reads best. All looks vote.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.errors import BadImage
from vision.frame import Image, check_image
from vision.merging import common_size, merge
from vision.network import Candidates, Network, Tuning, join
from vision.verdict import Evidence

COARSE_PX = 640
"""Longest side of the picture in the first look."""
WHOLE_PIXELS = (700_000, 2_000_000)
"""Fewest and most pixels at which a picture is searched as a whole: half of what it has, within these."""
SMALLEST_DIE_PX = 9.0
"""Dice with fewer pixels a side hold too little to read."""
LIKELY = 0.15
"""Candidates of the detector below this are not looked at again."""
LOOK_PIXELS = 1_100_000
"""How many pixels the last look may take."""

Region = tuple[int, int, int, int]
"""(x, y, width, height) in pixels of the picture."""


class Detector:
    """Finds candidates for dice in single pictures."""

    def __init__(self, weights: Path | None = None, *, threads: int = 1) -> None:
        """Load the network (`weights` None: the one shipped), to run on `threads` CPU threads.

        Raises:
            WeightsMissing: if there is no such network.
        """
        self._network = Network(weights, threads=threads)
        self._tuning = self._network.tuning

    @property
    def tuning(self) -> Tuning:
        """The numbers that belong to the network in use."""
        return self._tuning

    def find(
        self, image: Image, *, size_px: float | None = None, region_px: Region | None = None
    ) -> Evidence:
        """Return the likely candidates of a (H, W, 3) uint8 BGR picture, without the classifier's answer.

        `size_px` is the side of a die's box in pixels where it is known: no scale is searched then.
        `region_px` limits the search. Answers are in pixels of the whole picture.

        Raises:
            BadImage: if the array is no picture, the size not positive or the region outside.
        """
        check_image(image)
        region = check_region(image, region_px)
        if size_px is not None and not size_px > 0:
            raise BadImage(f"size_px must be the side of a die in pixels, above 0, got {size_px}")
        looks = self._look_known(image, size_px, region) if size_px else self._search(image, region)
        return self._merged(looks).where_likely(LIKELY, SMALLEST_DIE_PX)

    def _look_known(self, image: Image, size_px: float, region: Region) -> list[Candidates]:
        """Look once at the best scale and once a fifth smaller: a known size still wants a second opinion."""
        scale = self._tuning.reference_px / size_px
        return [self._network.run(image, factor * scale, region_px=region) for factor in (1.1, 0.85)]

    def _search(self, image: Image, region: Region) -> list[Candidates]:
        """Look from coarse to fine until the dice are large enough to read, then once at their own scale."""
        longest = max(region[2], region[3])
        first = min(1.0, COARSE_PX / longest)
        looks = [self._network.run(image, first * factor, region_px=region) for factor in (0.5, 1.0)]
        if longest * first >= 4 * 96:
            looks.append(self._network.run(image, first * 0.25, region_px=region))
        scale, finest = first, _finest_scale(region)
        while True:
            sizes = self._confident_sizes(looks)
            if scale >= finest * 0.8 or (len(sizes) and np.min(sizes) * scale >= 20):
                break
            scale = min(2 * scale, finest)
            looks.append(self._network.run(image, scale, region_px=region))
        if len(sizes):
            looks += self._last_looks(image, looks, region)
        return looks

    def _confident_sizes(self, looks: list[Candidates]) -> NDArray[np.float64]:
        """Sizes in pixels of the dice that the looks agree on so far."""
        seen = self._merged(looks)
        good = seen.boxes[seen.found >= 0.5]
        return np.asarray(np.sqrt(good[:, 2] * good[:, 3]), np.float64)

    def _last_looks(self, image: Image, looks: list[Candidates], region: Region) -> list[Candidates]:
        """Look again where the dice are, each group of like-sized dice at the scale that reads best."""
        seen = self._merged(looks)
        likely = seen.found >= LIKELY
        boxes, found = seen.boxes[likely], seen.found[likely]
        sizes = np.sqrt(boxes[:, 2] * boxes[:, 3])
        extra: list[Candidates] = []
        left = np.argsort(sizes)[::-1]
        while len(left) and len(extra) < 3:
            group = left[sizes[left] > sizes[left[0]] / 2.2]
            left = left[len(group) :]
            if found[group].max() < 2 * LIKELY:
                continue
            middle = float(np.median(sizes[group]))
            scale = self._tuning.reference_px * 1.05 / middle
            part = _around(boxes[group], 1.2 * middle, region)
            room = (LOOK_PIXELS / (part[2] * part[3])) ** 0.5
            extra.append(self._network.run(image, min(scale, room, 4.0), region_px=part))
        return extra

    def _merged(self, looks: list[Candidates]) -> Evidence:
        """Merge the looks; what is not of the dice's common size becomes less probable."""
        boxes, found, faces = merge(join(looks))
        return Evidence(boxes, common_size(boxes, found, self._tuning.size_prior), faces)


def _finest_scale(region: Region) -> float:
    """Return the largest scale at which a whole region is searched; a tiny picture may be enlarged twice."""
    pixels = region[2] * region[3]
    wanted = min(max(pixels / 2, WHOLE_PIXELS[0]), WHOLE_PIXELS[1])
    return float(min(2.0 if max(region[2:]) < 400 else 1.0, (wanted / pixels) ** 0.5))


def check_region(image: Image, region_px: Region | None) -> Region:
    """Return the region cut to the picture (None: the whole picture).

    Raises:
        BadImage: if nothing is left.
    """
    height, width = image.shape[:2]
    if region_px is None:
        return 0, 0, width, height
    x, y, w, h = region_px
    x0, y0, x1, y1 = max(0, x), max(0, y), min(width, x + w), min(height, y + h)
    if x1 <= x0 or y1 <= y0:
        raise BadImage(f"the region {region_px} lies outside the picture of {width} x {height} pixels")
    return x0, y0, x1 - x0, y1 - y0


def _around(boxes: NDArray[np.float64], margin: float, region: Region) -> Region:
    """Return the smallest region that holds the boxes (centre x, y, width, height) and a margin."""
    low = (boxes[:, :2] - boxes[:, 2:] / 2).min(axis=0) - margin
    high = (boxes[:, :2] + boxes[:, 2:] / 2).max(axis=0) + margin
    x0, y0 = max(region[0], int(low[0])), max(region[1], int(low[1]))
    x1, y1 = min(region[0] + region[2], int(high[0]) + 1), min(region[1] + region[3], int(high[1]) + 1)
    return x0, y0, x1 - x0, y1 - y0
