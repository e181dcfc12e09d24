"""How good the view of the table is, and what to change about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry import TableGeometry
from vision.frame import Image

LEAST_DIE_PX = 20.0
"""Smaller dice are not read reliably; 30 px and more are good."""
GOOD_DIE_PX = 30.0
MOST_TILT_DEG = 40.0
"""Beyond it the far dice hide their tops behind the near ones, and the sides are as large as the tops."""
MOST_BLUR_SHARE = 0.14
"""Width of an edge over the size of a die; a pip is a fifth of a die wide and must stay apart."""
MOST_GLARE_SHARE = 0.01
LEAST_BRIGHT = 40.0
_GLARE_LEVEL = 252


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was measured."""

    what: str
    """`die`, `focus`, `glare`, `light`, `tilt` or `view`."""
    value: float
    """The number."""
    unit: str
    """Its unit; empty for shares."""
    ok: bool
    """Whether it is good enough."""
    advice: str = ""
    """What to change; empty when nothing needs it."""

    @property
    def text(self) -> str:
        """The number with its unit."""
        return f"{self.value:.0%}" if not self.unit else f"{self.value:.1f} {self.unit}"


def judge(image: Image, geometry: TableGeometry) -> tuple[Finding, ...]:
    """Measure one (H, W, 3) uint8 BGR picture of the calibrated table."""
    x, y, width, height = geometry.region_px
    grey = np.asarray(cv2.cvtColor(image[y : y + height, x : x + width], cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    inside = zone_mask(geometry)[y : y + height, x : x + width]
    values = grey[inside] if inside.any() else grey.reshape(-1)
    die = geometry.die_px
    blur = blur_px(grey)
    tilt = math.degrees(geometry.pose.tilt_rad)
    glare = float((values >= _GLARE_LEVEL).mean())
    light = float(np.percentile(values, 90))
    seen = _share_in_picture(geometry)
    return (
        Finding(
            "die",
            die,
            "px",
            die >= LEAST_DIE_PX,
            ""
            if die >= GOOD_DIE_PX
            else "bring the camera nearer, zoom in or take larger pictures: a die should have 30 px",
        ),
        Finding(
            "focus",
            blur,
            "px",
            blur <= max(3.0, MOST_BLUR_SHARE * die),
            ""
            if blur <= max(3.0, MOST_BLUR_SHARE * die)
            else "focus on the table: edges are washed out; clean the lens, keep the camera from shaking",
        ),
        Finding(
            "glare",
            glare,
            "",
            glare <= MOST_GLARE_SHARE,
            ""
            if glare <= MOST_GLARE_SHARE
            else "part of the table is burnt out: move the lamp aside, or take a shorter exposure",
        ),
        Finding(
            "light",
            light,
            "of 255",
            light >= LEAST_BRIGHT,
            "" if light >= LEAST_BRIGHT else "the table is too dark: more light, or a longer exposure",
        ),
        Finding(
            "tilt",
            tilt,
            "degrees",
            tilt <= MOST_TILT_DEG,
            "" if tilt <= MOST_TILT_DEG else "the camera looks too flat over the table: put it more above it",
        ),
        Finding(
            "view",
            seen,
            "",
            seen > 0.99,
            ""
            if seen > 0.99
            else "part of the zones lies outside the picture: aim at the middle of the table",
        ),
    )


def zone_mask(geometry: TableGeometry) -> NDArray[np.bool_]:
    """(H, W): whether a pixel belongs to a roll or tray zone."""
    camera = geometry.profile.camera
    mask = np.zeros((camera.height_px, camera.width_px), dtype=np.uint8)
    for zone in geometry.profile.zones:
        if zone.kind != "bank":
            outline = np.clip(np.rint(geometry.outline_px(zone)), -30_000, 30_000).astype(np.int32)
            cv2.fillPoly(mask, [outline], 255)
    return mask > 0


def _share_in_picture(geometry: TableGeometry) -> float:
    """Share of the points of the zones' outlines that lie in the picture."""
    points = np.concatenate([geometry.outline_px(zone) for zone in geometry.profile.zones])
    camera = geometry.profile.camera
    inside = ((points >= 0) & (points < (camera.width_px, camera.height_px))).all(axis=1)
    return float(inside.mean())


def blur_px(grey: NDArray[np.uint8], *, edges: int = 300) -> float:
    """The width in pixels of the sharpest edges of a (H, W) uint8 picture; about 1.5 in a sharp one.

    At an edge: how far the brightness changes around it, over its steepest slope. Noise makes small edges
    look sharp, so only the strongest count. A picture without edges gives infinity.
    """
    values = np.asarray(grey, dtype=np.float32)
    # The smoothing takes off noise; its own width is taken out of the answer again.
    soft = np.asarray(cv2.GaussianBlur(values, (0, 0), 0.8))
    dx, dy = cv2.Scharr(soft, cv2.CV_32F, 1, 0) / 32, cv2.Scharr(soft, cv2.CV_32F, 0, 1) / 32
    slope = np.hypot(dx, dy)
    window = np.ones((21, 21), np.uint8)
    span = np.asarray(cv2.dilate(soft, window)) - np.asarray(cv2.erode(soft, window))
    crest = (slope >= cv2.dilate(slope, np.ones((3, 3), np.uint8))) & (span > 40)
    if int(crest.sum()) < 20:
        return math.inf
    widths = span[crest] / np.maximum(slope[crest], 1e-6)
    strongest = np.argsort(-slope[crest])[:edges]
    # A Gaussian edge of width s rises by its whole span within s * sqrt(2 pi) at its steepest slope.
    sigma = float(np.median(widths[strongest])) / math.sqrt(2 * math.pi)
    return 2.5 * math.sqrt(max(sigma**2 - 0.8**2, 0.04))
