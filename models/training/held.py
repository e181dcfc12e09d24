"""Fingers over dice: a die that is held, or only half free of a hand, has no value yet.

No rig that may be trained on shows dice in hands, so fingers are laid over dice that lie: capsules with the
texture of real skin, from pictures of hands without dice. A finger over a die makes it `cocked` (seen, not
counted); a finger beside it leaves it what it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

SKIN_LOW, SKIN_HIGH = (40, 135, 80), (250, 175, 127)
"""Luma, Cr and Cb (8 bit, BT.601) between which a pixel is taken for skin."""
PATCH_PX = 48
"""Side of a piece of skin."""


def skin_patches(hands: Sequence[Image], rng: np.random.Generator, *, per_image: int = 6) -> list[Image]:
    """Cut pieces of skin, (PATCH_PX, PATCH_PX, 3) BGR each, from pictures of hands.

    A picture gives at most `per_image`, fewer or none where little skin shows.
    """
    patches: list[Image] = []
    for image in hands:
        codes = cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb)
        skin = cv2.inRange(codes, SKIN_LOW, SKIN_HIGH) > 0
        height, width = skin.shape
        found = 0
        for _ in range(12 * per_image):
            side = int(rng.integers(20, 64))
            if found == per_image or side >= min(height, width):
                break
            y, x = int(rng.integers(height - side)), int(rng.integers(width - side))
            if skin[y : y + side, x : x + side].mean() > 0.9:
                piece = cv2.resize(image[y : y + side, x : x + side], (PATCH_PX, PATCH_PX))
                patches.append(np.asarray(piece, np.uint8))
                found += 1
    return patches


def lay_fingers(pixels: Image, die_px: float, skin: Image, rng: np.random.Generator, *, over: bool) -> Image:
    """Return a (S, S, 3) crop with a die of `die_px` in its middle and one to three fingers.

    `over`: the first finger covers part of the die; else all stay clear of its box.
    """
    size = pixels.shape[0]
    rows, columns = np.mgrid[0:size, 0:size].astype(np.float32)
    out = pixels.astype(np.float32)
    first = rng.uniform(0, 2 * np.pi)
    texture = _tinted(np.asarray(cv2.resize(skin, (size, size)), np.uint8), rng)
    for finger in range(int(rng.integers(1, 4))):
        angle = first + (0.0, np.pi, rng.uniform(0, 2 * np.pi))[finger] + rng.normal(0, 0.35) * (finger > 0)
        half = 0.5 * die_px * rng.uniform(0.55, 1.15)
        covers = over and (finger == 0 or rng.random() < 0.6)
        along = np.array([np.cos(angle), np.sin(angle)])
        edge = 0.5 / np.abs(along).max()  # where the die's box ends that way, in sizes of the die
        tip = die_px * (rng.uniform(0.10, 0.30) if covers else edge * rng.uniform(1.05, 1.35)) + half
        x, y = columns - (size / 2 + tip * along[0]), rows - (size / 2 + tip * along[1])
        forward = x * along[0] + y * along[1]
        across = np.abs(-x * along[1] + y * along[0])
        away = np.where(forward > 0, across, np.hypot(x, y)) / half
        cover = np.clip((1 - away) * half / 1.4 + 0.5, 0, 1)[..., None]
        shadow = np.clip(1.35 - away, 0, 1)[..., None]
        shade = (1 - rng.uniform(0.25, 0.6) * np.clip(away, 0, 1) ** 2)[..., None]
        out = out * (1 - rng.uniform(0.1, 0.5) * shadow) * (1 - cover) + texture * shade * cover
        if covers and rng.random() < 0.4:  # the nail
            nail = np.hypot(forward / (0.55 * half), across / (0.45 * half)) - 1
            lit = np.clip(-nail * half / 1.4 + 0.5, 0, 1)[..., None] * cover
            out = out * (1 - 0.6 * lit) + 0.6 * lit * np.minimum(texture.mean((0, 1)) * 1.25 + 15, 255)
    return np.asarray(np.clip(out, 0, 255), np.uint8)


def _tinted(skin: Image, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the skin darker or lighter, of another tone; sometimes it is a glove of any colour."""
    texture = skin.astype(np.float32)
    if rng.random() < 0.1:
        grey = texture.mean(axis=2, keepdims=True)
        return np.asarray(np.clip(grey * rng.uniform(0.2, 1.5, 3), 0, 255), np.float32)
    return np.asarray(
        np.clip(texture * rng.uniform(0.3, 1.15) * rng.uniform(0.9, 1.1, 3), 0, 255), np.float32
    )
