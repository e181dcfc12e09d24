"""The search: where in a picture are dice, whatever their size?

Without a known size the picture is searched at several scales, from coarse to fine; with it, once. The dice
found tell their size, and whoever is in doubt may look again at the scale that reads best. All looks vote.
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
"""Candidates of the detector below this are not looked at again, not even by the classifier."""
WORTH_A_LOOK = 0.3
"""The detector looks closer where the likeliest of like-sized candidates has at least this probability."""
LOOK_PIXELS = 1_100_000
"""How many pixels a closer look may take."""
FIRST_DIE_PX = 28.0
"""Size of a die, in pixels of the network's input, in the first look at dice of a known size."""

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
        """Return the likely candidates of a picture after every look, as `Search` describes them.

        Raises:
            BadImage: as `search`.
        """
        search = self.search(image, size_px=size_px, region_px=region_px)
        search.look_closer()
        return search.seen

    def search(
        self, image: Image, *, size_px: float | None = None, region_px: Region | None = None
    ) -> Search:
        """Take the first looks at a (H, W, 3) uint8 BGR picture.

        `size_px` is the side of a die's box in pixels where it is known: no scale is searched then.
        `region_px` limits the search. Answers are in pixels of the whole picture.

        Raises:
            BadImage: if the array is no picture, the size not positive or the region outside.
        """
        check_image(image)
        region = check_region(image, region_px)
        if size_px is not None and not size_px > 0:
            raise BadImage(f"size_px must be the side of a die in pixels, above 0, got {size_px}")
        return Search(self._network, image, region, size_px)


class Search:
    """The looks at one picture so far, and what they say together."""

    def __init__(self, network: Network, image: Image, region: Region, size_px: float | None) -> None:
        """Take the first looks: enough for dice that are easy to read."""
        self._network, self._image, self._region, self._size_px = network, image, region, size_px
        self._looks: list[Candidates] = []
        if size_px is not None:
            self._look(FIRST_DIE_PX / size_px, region)
        else:
            self._coarse_to_fine()
        self.seen = self._likely()
        """The likely candidates, without the classifier's answer."""

    def look_closer(self, at: NDArray[np.bool_] | None = None) -> None:
        """Look again around what was seen, each group of like-sized dice at the scale that reads best.

        `at` (N,) limits this to some of the candidates seen; None: all. `seen` is another afterwards:
        candidates may have come, gone and moved.
        """
        boxes, found = self.seen.boxes, self.seen.found
        if at is not None:
            boxes, found = boxes[at], found[at]
        sizes = np.sqrt(boxes[:, 2] * boxes[:, 3])
        left = np.argsort(sizes)[::-1]
        before = len(self._looks)
        while len(left) and len(self._looks) - before < 3:
            group = left[sizes[left] > sizes[left[0]] / 2.2]
            left = left[len(group) :]
            if found[group].max() < WORTH_A_LOOK:
                continue
            middle = float(np.median(sizes[group]))
            part = _around(boxes[group], 1.2 * middle, self._region)
            room = (LOOK_PIXELS / (part[2] * part[3])) ** 0.5
            self._look(min(self._network.tuning.reference_px * 1.05 / middle, room, 4.0), part)
        if len(self._looks) > before:
            self.seen = self._likely()

    def _coarse_to_fine(self) -> None:
        """Look ever closer until the dice are large enough to read."""
        longest = max(self._region[2:])
        scale, finest = min(1.0, COARSE_PX / longest) / 2, _finest_scale(self._region)
        if longest * scale >= 2 * 96:
            self._look(scale / 2, self._region)
        while True:
            self._look(scale, self._region)
            sizes = self._confident_sizes()
            if scale >= finest * 0.8 or (len(sizes) and np.min(sizes) * scale >= 22):
                return
            scale = min(2 * scale, finest)

    def _look(self, scale: float, region: Region) -> None:
        self._looks.append(self._network.run(self._image, scale, region_px=region))

    def _confident_sizes(self) -> NDArray[np.float64]:
        """Sizes in pixels of the dice that the looks agree on so far."""
        seen = self._merged()
        good = seen.boxes[seen.found >= 0.5]
        return np.asarray(np.sqrt(good[:, 2] * good[:, 3]), np.float64)

    def _likely(self) -> Evidence:
        return self._merged().where_likely(LIKELY, SMALLEST_DIE_PX)

    def _merged(self) -> Evidence:
        """Merge the looks; what is not of the dice's common size becomes less probable."""
        boxes, found, faces = merge(join(self._looks))
        prior = self._network.tuning.size_prior
        return Evidence(boxes, common_size(boxes, found, prior, size_px=self._size_px), faces)


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
