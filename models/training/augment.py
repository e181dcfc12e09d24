"""From a labelled picture to a training crop with its targets.

Geometry brings one die to a size the network must know, turned by any angle; the colours of the crop are
then changed so much that only the pips are left to learn from.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.data import COCKED, IGNORE, UNKNOWN, Label
from vision.frame import Image
from vision.network import REFERENCE_PX, STRIDE_PX

CROP_PX = 192
SIZE_MIN_PX, SIZE_MAX_PX = 17.0, 68.0
"""Dice of these sizes must be found."""
IGNORE_MIN_PX, IGNORE_MAX_PX = 11.0, 95.0
"""Between these and the ones above, finding a die is neither asked for nor punished; beyond, it is wrong."""
MOST_ROLL_RAD = 0.35
"""Turn of a picture whose top must stay up."""
VISIBLE = 0.75
"""Share of a die's box that must lie inside the crop for it to count as a die to find."""


@dataclass(frozen=True, slots=True, eq=False)
class Crop:
    """One training example."""

    image: Image
    """(CROP_PX, CROP_PX, 3) uint8 BGR."""
    heat: NDArray[np.float32]
    """(G, G) objectness wanted, 0..1; G = CROP_PX / STRIDE_PX."""
    weight: NDArray[np.float32]
    """(G, G) 1 where objectness teaches, 0 where the truth is unknown."""
    face: NDArray[np.int64]
    """(G, G) 0..5 for the faces 1..6, 6 for cocked, -1 where no face is taught."""
    box: NDArray[np.float32]
    """(4, G, G) log2 width, log2 height (over the reference size), dx, dy in cells."""
    inside: NDArray[np.float32]
    """(G, G) 1 in the cells that teach `box`."""


Spot = tuple[float, float, float]
"""Centre x, y and size, in pixels of the picture, of something that was once taken for a die."""


def make_crop(
    image: Image,
    label: Label,
    rng: np.random.Generator,
    *,
    filler: Image | None = None,
    spot: Spot | None = None,
    recoloured: float = 1.0,
) -> Crop:
    """Cut one random crop from a picture; `filler` shows where the picture does not reach.

    A `spot` is brought into view at the size at which it looks like a die. `recoloured` is the share of
    crops whose colours, light and sharpness are changed.
    """
    if spot is None:
        matrix = _random_view(image.shape[1], image.shape[0], label, rng)
    else:
        wanted = float(np.clip(np.exp(rng.normal(np.log(32.0), 0.25)), SIZE_MIN_PX, SIZE_MAX_PX))
        target = rng.uniform(0.2, 0.8, 2) * CROP_PX
        matrix = place(np.array(spot[:2]), target, wanted / spot[2], rng, upright=label.upright)
    pixels = warp(image, matrix, CROP_PX, rng, filler)
    boxes, classes = _move(label, matrix)
    heat, weight, face, box, inside = _targets(boxes, classes, label.complete, matrix, image.shape[:2])
    if rng.random() < recoloured:
        pixels = recolour(pixels, rng)
    return Crop(pixels, heat, weight, face, box, inside)


def _random_view(width: int, height: int, label: Label, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw the (2, 3) affine map from the picture to the crop."""
    sizes = np.sqrt(label.boxes[:, 2] * label.boxes[:, 3])
    anchored = len(sizes) > 0 and rng.random() < 0.88
    if len(sizes):
        pick = int(rng.integers(len(sizes)))
        size = float(sizes[pick])
        draw = rng.random()
        if draw < 0.65:
            wanted = float(np.clip(np.exp(rng.normal(np.log(34.0), 0.28)), 18, 66))
        elif draw < 0.93:
            wanted = float(np.exp(rng.uniform(np.log(17.5), np.log(67.0))))
        else:  # far too large: a pip must not pass for a die that shows a one
            wanted = float(np.exp(rng.uniform(np.log(110.0), np.log(320.0))))
        scale = wanted / size
    else:
        scale = float(np.exp(rng.uniform(np.log(0.2), np.log(1.4)))) * 640.0 / max(width, height)
    if anchored:
        x, y, w, h = label.boxes[pick]
        centre = np.array([x + w / 2, y + h / 2])
        target = rng.uniform(0.12, 0.88, 2) * CROP_PX
    else:
        centre = rng.uniform(0.1, 0.9, 2) * (width, height)
        target = np.array([CROP_PX / 2, CROP_PX / 2])
    return place(centre, target, scale, rng, upright=label.upright)


def place(
    centre: NDArray[np.float64],
    target: NDArray[np.float64],
    scale: float,
    rng: np.random.Generator,
    *,
    upright: bool = False,
) -> NDArray[np.float64]:
    """Draw a (2, 3) affine map from `centre` to `target`: any turn, a little squeeze, half mirrored.

    `upright` keeps the turn below `MOST_ROLL_RAD`.
    """
    stretch = np.exp(rng.normal(0, 0.07))
    shear = rng.normal(0, 0.04)
    first, second = rng.uniform(0, 2 * np.pi, 2)
    if upright:
        first = rng.uniform(-MOST_ROLL_RAD, MOST_ROLL_RAD) - second
    squeeze = np.array([[stretch, shear], [0, 1 / stretch]])
    linear = scale * _turn(first) @ squeeze @ _turn(second)
    if rng.random() < 0.5:
        linear = linear @ np.diag([-1.0, 1.0])  # a mirrored top face is a top face
    return np.concatenate([linear, (target - linear @ centre)[:, None]], axis=1)


def _turn(angle_rad: float) -> NDArray[np.float64]:
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    return np.array([[cos, -sin], [sin, cos]])


def warp(
    image: Image, matrix: NDArray[np.float64], side: int, rng: np.random.Generator, filler: Image | None
) -> Image:
    """Carry a picture by a (2, 3) affine map into a square of `side` pixels; `filler` shows beyond it."""
    scale = float(np.sqrt(abs(np.linalg.det(matrix[:, :2]))))
    matrix = matrix.copy()
    while scale < 0.55:  # halve first, or fine patterns alias
        image = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        matrix[:, :2] *= 2
        scale *= 2
    how = cv2.INTER_LINEAR if rng.random() < 0.7 else cv2.INTER_CUBIC
    size = (side, side)
    if filler is None:
        edge = tuple(int(v) for v in rng.integers(0, 256, 3))
        out = cv2.warpAffine(image, matrix, size, flags=how, borderMode=cv2.BORDER_CONSTANT, borderValue=edge)
        return np.asarray(out, np.uint8)
    out = np.ascontiguousarray(filler[:side, :side])
    cv2.warpAffine(image, matrix, size, dst=out, flags=how, borderMode=cv2.BORDER_TRANSPARENT)
    return np.asarray(out, np.uint8)


def _move(label: Label, matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Carry the boxes to the crop; a box is taken for the ellipse in it, which any turn keeps.

    Returns (N, 4) centre x, y, width, height in crop pixels, and the classes.
    """
    linear = matrix[:, :2]
    half = label.boxes[:, 2:].astype(np.float64) / 2
    centres = (label.boxes[:, :2] + half) @ linear.T + matrix[:, 2]
    extent = 2 * np.sqrt((half**2) @ (linear.T**2))
    return np.concatenate([centres, extent], axis=1), label.classes


def _targets(
    boxes: NDArray[np.float64],
    classes: NDArray[np.int64],
    complete: bool,
    matrix: NDArray[np.float64],
    picture: tuple[int, int],
) -> tuple[
    NDArray[np.float32], NDArray[np.float32], NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]
]:
    cells = CROP_PX // STRIDE_PX
    grid = (np.arange(cells) + 0.5) * STRIDE_PX
    gx, gy = np.meshgrid(grid, grid)
    heat = np.zeros((cells, cells), np.float32)
    weight = np.full((cells, cells), 1.0 if complete else 0.0, np.float32)
    face = np.full((cells, cells), -1, np.int64)
    box = np.zeros((4, cells, cells), np.float32)
    inside = np.zeros((cells, cells), np.float32)
    nearest = np.full((cells, cells), np.inf)
    sizes = np.sqrt(boxes[:, 2] * boxes[:, 3])
    if not complete:
        # What surrounds a labelled die is seen well enough to be taught; and beyond the picture is nothing.
        for (x, y, _, _), size in zip(boxes, sizes, strict=True):
            weight[np.hypot(gx - x, gy - y) < 0.8 * size] = 1.0
        inverse = cv2.invertAffineTransform(matrix)
        px = inverse[0, 0] * gx + inverse[0, 1] * gy + inverse[0, 2]
        py = inverse[1, 0] * gx + inverse[1, 1] * gy + inverse[1, 2]
        weight[(px < 0) | (py < 0) | (px >= picture[1]) | (py >= picture[0])] = 1.0
    for (x, y, width, height), size, kind in zip(boxes, sizes, classes, strict=True):
        if size > IGNORE_MAX_PX or size < IGNORE_MIN_PX * 0.7:
            continue
        distance = np.hypot(gx - x, gy - y) / size
        shown = _overlap(x, width) * _overlap(y, height)
        if kind == IGNORE or shown < VISIBLE or not SIZE_MIN_PX <= size <= SIZE_MAX_PX:
            weight[(distance < 0.55) & (heat < 0.5)] = 0.0
            continue
        sigma = max(0.13, 0.42 * STRIDE_PX / size)
        blob = np.exp(-((distance / sigma) ** 2) / 2).astype(np.float32)
        blob[np.unravel_index(np.argmin(distance), distance.shape)] = 1.0
        heat = np.maximum(heat, blob)
        weight[distance < 0.5] = 1.0
        core = (distance < max(0.28, 0.75 * STRIDE_PX / size)) & (distance < nearest)
        nearest[core] = distance[core]
        face[core] = -1 if kind == UNKNOWN else (6 if kind == COCKED else kind - 1)
        inside[core] = 1.0
        box[0][core] = np.log2(width / REFERENCE_PX)
        box[1][core] = np.log2(height / REFERENCE_PX)
        box[2][core] = ((x - gx) / STRIDE_PX)[core]
        box[3][core] = ((y - gy) / STRIDE_PX)[core]
    return heat, weight, face, box, inside


def _overlap(centre: float, extent: float) -> float:
    """Share of a stretch around `centre` that lies within the crop."""
    low, high = centre - extent / 2, centre + extent / 2
    return max(0.0, min(high, CROP_PX) - max(low, 0.0)) / max(high - low, 1e-6)


def recolour(image: Image, rng: np.random.Generator) -> Image:
    """Change colours, light, sharpness and noise of a (H, W, 3) uint8 picture."""
    x = image.astype(np.float32) / 255.0
    if rng.random() < 0.35:
        x = x[..., rng.permutation(3)]
    draw = rng.random()
    if draw < 0.09:
        x = 1.0 - x
    if draw > 0.55:
        x = _turn_hue(x, rng)
    if rng.random() < 0.1:
        x = np.repeat((x @ rng.dirichlet((3, 3, 3)).astype(np.float32))[..., None], 3, axis=2)
    x = np.clip(x, 0, 1) ** float(np.exp(rng.normal(0, 0.35)))
    gain = np.exp(rng.normal(0, 0.22)) * np.exp(rng.normal(0, 0.10, 3))
    offset = rng.normal(0, 0.05) + rng.normal(0, 0.02, 3)
    x = x * gain.astype(np.float32) + offset.astype(np.float32)
    if rng.random() < 0.35:
        x = _shade(x, rng)
    if rng.random() < 0.30:
        x = _veil(x, rng)
    if rng.random() < 0.35:
        x = _blur(x, rng)
    if rng.random() < 0.15:
        x = _sharpen(x, rng)
    if rng.random() < 0.4:
        sigma = float(np.exp(rng.uniform(np.log(0.005), np.log(0.05))))
        x = x + rng.standard_normal(x.shape[:2] + ((3,) if rng.random() < 0.6 else (1,)), np.float32) * sigma
    out = (np.clip(x, 0, 1) * 255.0 + 0.5).astype(np.uint8)
    if rng.random() < 0.3:
        quality = int(rng.integers(20, 90))
        _, coded = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, quality])
        out = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), dtype=np.uint8)
    return np.ascontiguousarray(out)


def _turn_hue(x: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Rotate the colours around the grey axis and change the saturation."""
    angle, strength = rng.uniform(0, 2 * np.pi), np.exp(rng.normal(0, 0.35))
    grey = np.full((3, 3), 1 / 3)
    axis = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) / np.sqrt(3)
    turn = grey + strength * (np.cos(angle) * (np.eye(3) - grey) + np.sin(angle) * axis)
    return (x @ turn.T.astype(np.float32)).astype(np.float32)


def _soft_field(shape: tuple[int, ...], rng: np.random.Generator, cells: int) -> NDArray[np.float32]:
    """Draw a smooth random field, about 0..1, of the picture's size."""
    coarse = rng.random((cells, cells), np.float32)
    return np.asarray(cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), np.float32)


def _shade(x: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Darken one side of a random line (a hard or soft shadow), or shade smoothly."""
    height, width = x.shape[:2]
    if rng.random() < 0.5:
        field = _soft_field(x.shape, rng, int(rng.integers(2, 5)))
        return (x * (1 - rng.uniform(0.2, 0.8) * np.clip(field, 0, 1))[..., None]).astype(np.float32)
    angle, edge = rng.uniform(0, 2 * np.pi), np.exp(rng.uniform(np.log(0.5), np.log(25)))
    yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
    along = (xx - rng.uniform(0, width)) * np.cos(angle) + (yy - rng.uniform(0, height)) * np.sin(angle)
    lit = 1 / (1 + np.exp(np.clip(-along / edge, -30, 30)))
    return (x * (1 - rng.uniform(0.3, 0.75) * lit)[..., None]).astype(np.float32)


def _veil(x: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Lay a whitish veil over part of the picture: glare."""
    height, width = x.shape[:2]
    if rng.random() < 0.5:
        amount = np.clip(_soft_field(x.shape, rng, int(rng.integers(2, 7))), 0, 1) ** 2
    else:
        yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
        radius = np.exp(rng.uniform(np.log(6), np.log(70)))
        amount = np.exp(
            -((xx - rng.uniform(0, width)) ** 2 + (yy - rng.uniform(0, height)) ** 2) / (2 * radius**2)
        )
    amount = (amount * rng.uniform(0.15, 0.85))[..., None]
    tint = np.clip(1 - np.abs(rng.normal(0, 0.12, 3)), 0, 1)
    return (x * (1 - amount) + tint * amount).astype(np.float32)


def _blur(x: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    draw = rng.random()
    if draw < 0.6:
        return np.asarray(cv2.GaussianBlur(x, (0, 0), float(rng.uniform(0.4, 1.35))), np.float32)
    if draw < 0.8:  # little light, little detail: shrink and enlarge
        small = cv2.resize(
            x, None, fx=(f := float(rng.uniform(0.4, 0.8))), fy=f, interpolation=cv2.INTER_AREA
        )
        return np.asarray(
            cv2.resize(small, (x.shape[1], x.shape[0]), interpolation=cv2.INTER_LINEAR), np.float32
        )
    length = int(rng.integers(3, 7))
    kernel = np.zeros((length, length), np.float32)
    middle, angle = (length - 1) / 2, rng.uniform(0, np.pi)
    for t in np.linspace(-middle, middle, 4 * length):
        kernel[round(middle + t * np.sin(angle)), round(middle + t * np.cos(angle))] = 1
    return np.asarray(cv2.filter2D(x, -1, kernel / kernel.sum()), np.float32)


def _sharpen(x: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    soft = cv2.GaussianBlur(x, (0, 0), float(rng.uniform(0.7, 1.5)))
    return (x + float(rng.uniform(0.3, 1.5)) * (x - soft)).astype(np.float32)
