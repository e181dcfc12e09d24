"""From what several looks at one picture say to one list of candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.network import Candidates, none_found

PIP_SHARE = 0.33
"""A pip is at most this large, as a share of its die; a larger candidate inside another is no pip of it."""

PIP_WEIGHT = 0.55
"""How much what may be a pip counts against the die around it."""


def merge(
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
        ones = (faces[inside].argmax(axis=1) == 0) & (sizes[inside] < PIP_SHARE * sizes[large])
        rival = float(np.max(strength[inside] * np.where(ones, PIP_WEIGHT, 1.0)))
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


def common_size(
    boxes: NDArray[np.float64], found: NDArray[np.float64], prior: float, *, size_px: float | None = None
) -> NDArray[np.float64]:
    """Return the probabilities (N,) in the light of the others' sizes: the dice of a table are alike.

    The common size is `size_px` where it is known, else the median of the boxes (N, 4; x, y, width, height),
    weighted by how far each is above 0.4; half an octave beside it costs nothing, each octave more costs
    `prior` logits.
    """
    weight = np.maximum(found - 0.4, 0)
    if size_px is None and not weight.sum():
        return found
    size = np.log2(boxes[:, 2] * boxes[:, 3]) / 2
    if size_px is None:
        order = np.argsort(size)
        total = np.cumsum(weight[order])
        middle = float(size[order][np.searchsorted(total, total[-1] / 2)])
    else:
        middle = float(np.log2(size_px))
    odd = np.maximum(np.abs(size - middle) - 0.5, 0)
    clipped = np.clip(found, 1e-6, 1 - 1e-6)
    return np.asarray(1 / (1 + (1 - clipped) / clipped * np.exp(prior * odd)), np.float64)


def same_dice(boxes: NDArray[np.float64], known: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return for each of boxes (N, 4; centre x, y, width, height) which of `known` (M, 4) it is, or -1.

    The same die: the centres are less than a tenth of its size apart, the sizes differ by less than a tenth.
    """
    if not len(boxes) or not len(known):
        return np.full(len(boxes), -1, np.int64)
    sizes = np.sqrt(known[:, 2] * known[:, 3])
    apart = np.hypot(*(boxes[:, None, :2] - known[None, :, :2]).transpose(2, 0, 1)) / sizes
    ratio = np.abs(np.log(np.sqrt(boxes[:, 2] * boxes[:, 3])[:, None] / sizes))
    nearest = np.where(ratio < 0.1, apart, np.inf)
    best = nearest.argmin(axis=1)
    return np.where(nearest[np.arange(len(boxes)), best] < 0.1, best, -1).astype(np.int64)
