"""Procedural table tops: felt, cloth, wood, paper, leather, plastic, stone. No picture files."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.dice import Floats
from vision.frame import Image

SURFACES = ("felt", "cloth", "wood", "paper", "leather", "plastic", "stone")
"""The kinds that `surface` paints."""

_COLOURS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "felt": (
        (52, 92, 22),
        (40, 120, 40),
        (96, 52, 20),
        (30, 24, 120),
        (60, 60, 60),
        (30, 30, 32),
        (90, 30, 70),
    ),
    "cloth": ((210, 215, 220), (140, 150, 165), (120, 90, 60), (70, 70, 150), (90, 110, 90), (50, 50, 55)),
    "wood": ((70, 110, 165), (110, 155, 200), (40, 65, 110), (150, 190, 215), (30, 45, 75), (40, 60, 140)),
    "paper": ((235, 238, 240), (215, 225, 232), (200, 200, 200), (190, 215, 235)),
    "leather": ((45, 65, 110), (30, 30, 35), (40, 40, 90), (60, 85, 120), (80, 60, 50)),
    "plastic": ((230, 230, 230), (200, 205, 205), (90, 90, 90), (40, 40, 40), (170, 120, 60), (60, 60, 180)),
    "stone": ((170, 175, 180), (120, 120, 125), (200, 205, 210), (70, 70, 75)),
}
"""Usual sRGB colours (BGR) of each kind."""


def surface(
    rng: np.random.Generator,
    width_px: int,
    height_px: int,
    *,
    kind: str | None = None,
    colour: tuple[int, int, int] | None = None,
    grain_px: float | None = None,
    contrast: float | None = None,
) -> Image:
    """Paint a table top, (height, width, 3) uint8 BGR.

    Args:
        rng: source of all chance.
        width_px: width.
        height_px: height.
        kind: one of `SURFACES`, or None for any.
        colour: mean colour, 8-bit BGR; None draws a usual one.
        grain_px: size of the finest structure in pixels; None draws 1..4.
        contrast: strength of the structure against the usual one; None draws 0.5..1.3.
    """
    if kind is None:
        kind = str(rng.choice(SURFACES))
    if colour is None:
        choices = _COLOURS[kind]
        base = np.array(choices[int(rng.integers(len(choices)))], dtype=np.float32)
        base = np.clip(base * rng.uniform(0.75, 1.2) + rng.normal(0, 8, 3), 5, 250).astype(np.float32)
    else:
        base = np.array(colour, dtype=np.float32)
    grain = float(rng.uniform(1.0, 4.0)) if grain_px is None else grain_px
    shape = (height_px, width_px)
    relief = _RELIEF[kind](rng, shape, grain)
    usual = {"felt": 0.09, "cloth": 0.10, "wood": 0.22, "paper": 0.012, "leather": 0.16}.get(kind, 0.05)
    strength = float(rng.uniform(0.5, 1.3)) if contrast is None else contrast
    gain = 1 + usual * strength * relief
    picture = base * gain[..., None]
    if kind == "wood":
        picture += relief[..., None] * np.array([-4.0, 0.0, 5.0], dtype=np.float32)
    return np.clip(picture, 0, 255).astype(np.uint8)


def noise(rng: np.random.Generator, shape: tuple[int, int], cell_px: tuple[float, float]) -> Floats:
    """Return smooth noise (H, W), about zero mean and unit deviation; cells of (y, x) pixels."""
    cells = (
        max(2, int(np.ceil(shape[0] / max(cell_px[0], 1.0))) + 1),
        max(2, int(np.ceil(shape[1] / max(cell_px[1], 1.0))) + 1),
    )
    coarse = rng.standard_normal(cells, dtype=np.float32)
    if cells[0] >= shape[0] and cells[1] >= shape[1]:
        return np.ascontiguousarray(coarse[: shape[0], : shape[1]])
    return np.asarray(
        cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), dtype=np.float32
    )


def _felt(rng: np.random.Generator, shape: tuple[int, int], grain: float) -> Floats:
    """Return short fibres and slow stains."""
    return np.asarray(
        noise(rng, shape, (grain, grain * 2)) * 0.6
        + noise(rng, shape, (grain * 2, grain)) * 0.5
        + noise(rng, shape, (90, 90)) * 0.4,
        dtype=np.float32,
    )


def _cloth(rng: np.random.Generator, shape: tuple[int, int], grain: float) -> Floats:
    """Return a weave with threads across each other, wavy, and broad folds."""
    pitch = grain * 2.2 + 1.5
    y, x = _grid(shape)
    wave = noise(rng, shape, (60, 60)) * 0.8
    threads = np.sin((x + wave) * (2 * np.pi / pitch)) + np.sin((y + wave) * (2 * np.pi / pitch))
    folds = noise(rng, shape, (shape[0] / 2, shape[1] / 3)) if rng.random() < 0.5 else 0.0
    return np.asarray(threads * 0.5 + noise(rng, shape, (grain, grain)) * 0.5 + folds, dtype=np.float32)


def _wood(rng: np.random.Generator, shape: tuple[int, int], grain: float) -> Floats:
    """Return rings cut lengthwise: wavy lines along one direction, with pores."""
    y, x = _grid(shape)
    angle = float(rng.choice([0.0, np.pi / 2, rng.uniform(0, np.pi)]))
    along = x * np.cos(angle) + y * np.sin(angle)
    across = -x * np.sin(angle) + y * np.cos(angle)
    bend = noise(rng, shape, (180, 180)) * 12
    ring = across + bend + along * 0.02
    period = grain * float(rng.uniform(4, 14))
    lines = np.sin(ring * 2 * np.pi / period + 2 * np.sin(ring * 2 * np.pi / (period * 3.7)))
    size = (shape[0] * 2, shape[1] * 2)
    streaks = cv2.warpAffine(
        noise(rng, size, (grain * 0.8, grain * 30)),
        cv2.getRotationMatrix2D((shape[1], shape[0]), -np.degrees(angle), 1.0)
        - np.array([[0, 0, shape[1] / 2], [0, 0, shape[0] / 2]]),
        (shape[1], shape[0]),
        borderMode=cv2.BORDER_REFLECT,
    )
    return np.asarray(lines * 0.45 + streaks * 0.55, dtype=np.float32)


def _paper(rng: np.random.Generator, shape: tuple[int, int], grain: float) -> Floats:
    """Return faint fibres, sometimes ruled or squared."""
    out = noise(rng, shape, (grain * 3, grain * 3)) + noise(rng, shape, (120, 120))
    if rng.random() < 0.3:
        y, x = _grid(shape)
        pitch = float(rng.uniform(14, 50))
        shift = rng.uniform(0, pitch, 2)
        lines = ((y + shift[0]) % pitch < 1.3).astype(np.float32)
        if rng.random() < 0.6:
            lines = np.maximum(lines, ((x + shift[1]) % pitch < 1.3).astype(np.float32))
        out = out - lines * 14
    return np.asarray(out, dtype=np.float32)


def _leather(rng: np.random.Generator, shape: tuple[int, int], grain: float) -> Floats:
    """Return a cellular grain lit from the side."""
    height = np.abs(noise(rng, shape, (grain * 2.5, grain * 2.5)))
    lit = cv2.Sobel(height, cv2.CV_32F, 1, 1, ksize=3)
    return np.asarray(lit * 0.5 + noise(rng, shape, (140, 140)) * 0.5, dtype=np.float32)


def _plastic(rng: np.random.Generator, shape: tuple[int, int], grain: float) -> Floats:
    """Return an almost even surface with slow unevenness."""
    return np.asarray(
        noise(rng, shape, (150, 150)) + 0.15 * noise(rng, shape, (grain, grain)), dtype=np.float32
    )


def _stone(rng: np.random.Generator, shape: tuple[int, int], grain: float) -> Floats:
    """Return specks of two sizes."""
    specks = noise(rng, shape, (grain * 2, grain * 2))
    specks = np.where(np.abs(specks) > 1.5, specks * 2.5, specks * 0.5)
    return np.asarray(specks + noise(rng, shape, (60, 60)), dtype=np.float32)


def _grid(shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """Return column (H, 1) and row (1, W) coordinates."""
    y: NDArray[np.float32] = np.arange(shape[0], dtype=np.float32)[:, None]
    x: NDArray[np.float32] = np.arange(shape[1], dtype=np.float32)[None, :]
    return y, x


_RELIEF = {
    "felt": _felt,
    "cloth": _cloth,
    "wood": _wood,
    "paper": _paper,
    "leather": _leather,
    "plastic": _plastic,
    "stone": _stone,
}
