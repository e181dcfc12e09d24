"""The dice reader: finds the dice of a picture, whatever their size, and names the face on top.

Without a known size the picture is searched at several scales, from coarse to fine; the dice found tell
their size, and a last look at the scale the network reads best settles the faces. All looks vote.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.detection import Detection, DieState, Reading
from vision.errors import BadImage
from vision.frame import Image, check_image
from vision.network import Candidates, Network, Tuning, join, none_found

COARSE_PX = 640
"""Longest side of the picture in the first look."""
WHOLE_PIXELS = (700_000, 2_000_000)
"""Fewest and most pixels at which a picture is searched as a whole: half of what it has, within these."""
SMALLEST_DIE_PX = 9.0
"""Dice with fewer pixels a side hold too little to read."""
LOOK_PIXELS = 1_100_000
"""How many pixels the last look may take."""

Region = tuple[int, int, int, int]


class Reader:
    """Reads the dice of single pictures. One instance may serve any number of pictures, one at a time."""

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

    def read(self, image: Image, *, size_px: float | None = None, region_px: Region | None = None) -> Reading:
        """Read the dice of a (H, W, 3) uint8 BGR picture.

        `size_px` is the side of a die's box in pixels where it is known: no scale is searched then.
        `region_px` (x, y, width, height) limits the search. Answers are in pixels of the whole picture.

        Raises:
            BadImage: if the array is no picture, the size not positive or the region outside.
        """
        check_image(image)
        region = _check_region(image, region_px)
        if size_px is not None and not size_px > 0:
            raise BadImage(f"size_px must be the side of a die in pixels, above 0, got {size_px}")
        reasons = quality_reasons(image[region[1] : region[1] + region[3], region[0] : region[0] + region[2]])
        looks = self._look_known(image, size_px, region) if size_px else self._search(image, region)
        return Reading(self._settle(looks), reasons)

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
        boxes, found, _ = self._merged(looks)
        good = found >= 0.5
        return np.asarray(np.sqrt(boxes[good, 2] * boxes[good, 3]), np.float64)

    def _last_looks(self, image: Image, looks: list[Candidates], region: Region) -> list[Candidates]:
        """Look again where the dice are, each group of like-sized dice at the scale that reads best."""
        boxes, found, _ = self._merged(looks)
        likely = found >= 0.5 * self._tuning.drop_below
        boxes, found = boxes[likely], found[likely]
        sizes = np.sqrt(boxes[:, 2] * boxes[:, 3])
        extra: list[Candidates] = []
        left = np.argsort(sizes)[::-1]
        while len(left) and len(extra) < 3:
            group = left[sizes[left] > sizes[left[0]] / 2.2]
            left = left[len(group) :]
            if found[group].max() < self._tuning.drop_below:
                continue
            middle = float(np.median(sizes[group]))
            scale = self._tuning.reference_px * 1.05 / middle
            part = _around(boxes[group], 1.2 * middle, region)
            room = (LOOK_PIXELS / (part[2] * part[3])) ** 0.5
            extra.append(self._network.run(image, min(scale, room, 4.0), region_px=part))
        return extra

    def _merged(
        self, looks: list[Candidates]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Merge the looks; see `_merge`. What is not of the dice's common size becomes less probable."""
        boxes, found, faces = _merge(join(looks))
        return boxes, common_size(boxes, found, self._tuning.size_prior), faces

    def _settle(self, looks: list[Candidates]) -> tuple[Detection, ...]:
        """Merge all looks into dice, in reading order."""
        boxes, found, faces = self._merged(looks)
        dice = [
            self._detection(box, float(probability), face)
            for box, probability, face in zip(boxes, found, faces, strict=True)
            if probability >= self._tuning.drop_below and min(box[2:]) >= SMALLEST_DIE_PX
        ]
        return tuple(sorted(dice, key=lambda die: (die.centre_px[1], die.centre_px[0])))

    def _detection(self, box: NDArray[np.float64], found: float, faces: NDArray[np.float64]) -> Detection:
        x, y, width, height = (float(v) for v in box)
        flat = faces[:6] / max(float(faces[:6].sum()), 1e-9)
        cocked = bool(faces[6] > 0.5)
        best = int(np.argmax(faces[:6]))
        confidence = found * float(faces[6] if cocked else faces[best])
        value = None if cocked or faces[best] < 0.5 else best + 1
        return Detection(
            value=value,
            confidence=min(1.0, confidence),
            sure=value is not None and confidence >= self._tuning.sure_from,
            state=DieState.COCKED if cocked else DieState.FLAT,
            box_px=(x - width / 2, y - height / 2, width, height),
            centre_px=(x, y),
            faces=tuple(float(p) for p in flat),  # type: ignore[arg-type]  # six by construction
        )


def common_size(boxes: NDArray[np.float64], found: NDArray[np.float64], prior: float) -> NDArray[np.float64]:
    """Return the probabilities (N,) in the light of the others' sizes: the dice of a table are alike.

    The common size is the median of the boxes (N, 4; x, y, width, height), weighted by how far each is
    above 0.4; half an octave beside it costs nothing, each octave more costs `prior` logits.
    """
    weight = np.maximum(found - 0.4, 0)
    if not weight.sum():
        return found
    size = np.log2(boxes[:, 2] * boxes[:, 3]) / 2
    order = np.argsort(size)
    total = np.cumsum(weight[order])
    middle = size[order][np.searchsorted(total, total[-1] / 2)]
    odd = np.maximum(np.abs(size - middle) - 0.5, 0)
    clipped = np.clip(found, 1e-6, 1 - 1e-6)
    return np.asarray(1 / (1 + (1 - clipped) / clipped * np.exp(prior * odd)), np.float64)


def quality_reasons(image: Image) -> tuple[str, ...]:
    """Say why a (H, W, 3) picture holds too little light or contrast to trust any reading of it."""
    small = image[:: max(1, image.shape[0] // 120), :: max(1, image.shape[1] // 120)].max(axis=2)
    low, high = np.percentile(small, (2, 98))
    if high < 30:
        return ("the picture is almost black: more light, or a longer exposure, is needed",)
    if low > 250:
        return ("the picture is blown out: less light, or a shorter exposure, is needed",)
    return ()


def _finest_scale(region: Region) -> float:
    """Return the largest scale at which a whole region is searched; a tiny picture may be enlarged twice."""
    pixels = region[2] * region[3]
    wanted = min(max(pixels / 2, WHOLE_PIXELS[0]), WHOLE_PIXELS[1])
    return float(min(2.0 if max(region[2:]) < 400 else 1.0, (wanted / pixels) ** 0.5))


def _check_region(image: Image, region_px: Region | None) -> Region:
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


def _merge(
    looks: Candidates,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Merge candidates of several looks that mean the same die.

    Returns boxes (M, 4; centre x, y, width, height), probabilities (M,) and faces (M, 7). Candidates far
    from the size that reads best count less. A small candidate well inside a larger one is one of its
    pips, unless the larger one is clearly the weaker.
    """
    if not len(looks):
        empty = none_found()
        return empty.boxes, empty.found, empty.faces
    sizes = np.sqrt(looks.boxes[:, 2] * looks.boxes[:, 3])
    trust = looks.found * np.exp(-0.5 * looks.fit**2)
    free = np.ones(len(looks), bool)
    boxes, found, faces, strength = [], [], [], []
    for i in np.argsort(-trust):
        if not free[i]:
            continue
        apart = np.hypot(*(looks.boxes[:, :2] - looks.boxes[i, :2]).T)
        ratio = np.abs(np.log2(sizes / sizes[i]))
        same = free & (apart < 0.42 * np.maximum(sizes, sizes[i])) & (ratio < 0.65)
        free &= ~same
        weight = trust[same] / trust[same].sum()
        boxes.append((looks.boxes[same] * weight[:, None]).sum(axis=0))
        found.append(float((looks.found[same] * weight).sum()))
        faces.append((looks.faces[same] * weight[:, None]).sum(axis=0))
        strength.append(float(trust[same].max()))
    merged, chance, votes = np.array(boxes), np.array(found), np.array(faces)
    keep = _drop_pips(merged, np.array(strength), votes)
    return merged[keep], chance[keep], votes[keep]


def _drop_pips(
    boxes: NDArray[np.float64], strength: NDArray[np.float64], faces: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Decide between a large candidate and the small ones inside it: true where a candidate stays."""
    sizes = np.sqrt(boxes[:, 2] * boxes[:, 3])
    keep = np.ones(len(boxes), bool)
    for large in np.argsort(-sizes):
        if not keep[large]:
            continue
        apart = np.abs(boxes[:, :2] - boxes[large, :2]) / boxes[large, 2:]
        inside = keep & (apart.max(axis=1) < 0.5) & (sizes < sizes[large] / 1.4)
        if not inside.any():
            continue
        ones = faces[inside].argmax(axis=1) == 0
        rival = float(np.max(strength[inside] * np.where(ones, 0.4, 1.0)))
        if strength[large] >= rival:
            keep &= ~inside
        else:
            keep[large] = False
    # What is left must not share its middle with a stronger neighbour.
    for i in np.argsort(-strength):
        if keep[i]:
            apart = np.hypot(*(boxes[:, :2] - boxes[i, :2]).T)
            close = keep & (apart < 0.42 * np.maximum(sizes, sizes[i])) & (strength < strength[i])
            keep &= ~close
    return keep
