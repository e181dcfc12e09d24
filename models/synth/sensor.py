"""From a clean picture to what a camera delivers: drift, flicker, people's shadows, noise, compression."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from models.synth.dice import Floats
from models.synth.surfaces import noise
from vision.frame import Image

_BLOCK = 16
"""Side of a block of the compression, pixels."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """What lamp, lens, chip and coder do to the picture."""

    drift: float = 0.0
    """Amplitude of the slow change of exposure, share of the brightness."""
    drift_s: float = 20.0
    """Its period, seconds."""
    warmth: float = 0.0
    """Amplitude of the slow change of colour, share; daylight comes and goes."""
    flicker: float = 0.0
    """Amplitude of the flicker of a lamp on the mains, share of the brightness."""
    mains_hz: float = 50.04
    """Frequency of the mains; the lamp flickers at twice that."""
    readout_s: float = 0.0
    """How long the chip takes from the first to the last row (rolling shutter)."""
    exposure_s: float = 0.008
    """How long each row is exposed: motion blur."""
    noise: float = 0.0
    """Deviation of the sensor noise, 0..1 scale."""
    blur_px: float = 0.0
    """Deviation of the lens blur."""
    vignette: float = 0.0
    """Loss of light in the corners, 0..1."""
    compression: float = 0.0
    """Strength of the coding artefacts, 0 (none) .. 1 (a poor stream)."""
    people_s: float = 0.0
    """Every so many seconds somebody's shadow passes over the table; 0: never."""
    people_depth: float = 0.3
    """How much of the light such a shadow takes."""


PASSING_S = 2.6
"""How long the shadow of a person takes to pass."""


class Film:
    """Takes picture after picture with one sensor."""

    def __init__(
        self, rng: np.random.Generator, sensor: Sensor, width_px: int, height_px: int, fps: float
    ) -> None:
        """Draw the grain once."""
        self._sensor = sensor
        self._fps = fps
        self._rng = rng
        shape = (height_px, width_px)
        self._y = np.linspace(-1, 1, height_px, dtype=np.float32)[:, None]
        self._x = np.linspace(-1, 1, width_px, dtype=np.float32)[None, :]
        self._corners: Floats = np.asarray(
            1 - np.float32(sensor.vignette) * (self._x**2 + self._y**2) / 2, dtype=np.float32
        )
        # Each grain stands four times beside itself, so that any shift of it is a part of that and no copy.
        self._grain = [np.tile(noise(rng, shape, (1, 1)), (2, 2)) for _ in range(4)]
        self._sharp: Floats | None = None
        self._soft: Floats | None = None
        self._gain = _three(self._corners)
        self._phase = float(rng.uniform(0, 2 * np.pi))
        self._angle = float(rng.uniform(-np.pi, np.pi))
        self._before: Image | None = None

    def take(self, index: int, picture: Floats) -> Image:
        """Return the picture (H, W, 3) float32 0..1 as frame `index`, uint8 BGR.

        `picture` is not changed, and must not be changed later if it is given again: a picture that is given
        many times goes through the lens once.
        """
        sensor, t = self._sensor, index / self._fps
        strength = 255 * (1 + sensor.drift * np.sin(2 * np.pi * t / sensor.drift_s + 0.7))
        gain = self._gain
        lamp = self._lamp(t)
        if lamp is not None:
            gain = _three(np.asarray(self._corners * lamp, dtype=np.float32))
        out = np.asarray(cv2.multiply(self._through_lens(picture), gain, scale=float(strength)), np.float32)
        if sensor.warmth > 0:
            warm = sensor.warmth * np.sin(2 * np.pi * t / (1.7 * sensor.drift_s) + self._phase)
            out = np.asarray(cv2.multiply(out, np.array([1 - warm, 1.0, 1 + warm, 1.0])), dtype=np.float32)
        if sensor.noise > 0:
            grain = self._grain[int(self._rng.integers(len(self._grain)))]
            height, width = picture.shape[:2]
            down, aside = int(self._rng.integers(height)), int(self._rng.integers(width))
            speckles = _three(grain[height - down :, width - aside :][:height, :width])
            seen = cv2.addWeighted(out, 1.0, speckles, sensor.noise * 255, 0.0, dtype=cv2.CV_8U)
        else:
            seen = cv2.addWeighted(out, 1.0, out, 0.0, 0.0, dtype=cv2.CV_8U)
        taken = np.asarray(seen, dtype=np.uint8)
        return self._coded(index, taken) if sensor.compression > 0 else taken

    def _through_lens(self, picture: Floats) -> Floats:
        """Return the picture blurred by the lens."""
        if self._sensor.blur_px <= 0.25:
            return picture
        if self._soft is None or self._sharp is not picture:
            self._sharp = picture
            self._soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), self._sensor.blur_px), dtype=np.float32)
        return self._soft

    def _lamp(self, t: float) -> Floats | None:
        """Return what a flickering lamp and passing people do to the light, (H, W), or None."""
        sensor, lamp = self._sensor, self._people(t)
        if sensor.flicker > 0:
            rows = t + sensor.readout_s * (self._y + 1) / 2
            wave = np.sin(4 * np.pi * sensor.mains_hz * rows + self._phase)
            flicker = (1 + np.float32(sensor.flicker) * wave).astype(np.float32)
            lamp = flicker if lamp is None else lamp * flicker
        return lamp

    def _people(self, t: float) -> Floats | None:
        """Return what a shadow that passes leaves of the light, (H, W), or None."""
        every = self._sensor.people_s
        if every <= 0:
            return None
        turn, into = divmod(t + 0.6 * every, every)
        if into > PASSING_S:
            return None
        angle = self._angle + 1.9 * turn
        along = self._x * np.float32(np.cos(angle)) + self._y * np.float32(np.sin(angle))
        way = np.float32(-2.6 + 5.2 * into / PASSING_S)
        dark = np.exp(-(((along - way) / np.float32(0.75)) ** 2))
        return np.asarray(1 - np.float32(self._sensor.people_depth * 0.6) * dark, dtype=np.float32)

    def _coded(self, index: int, taken: Image) -> Image:
        """Return the frame as a coder with skipped blocks leaves it: what hardly changed stays as it was."""
        strength = self._sensor.compression
        quality = int(np.interp(strength, [0, 1], [82, 34]))
        done, data = cv2.imencode(".jpg", taken, [cv2.IMWRITE_JPEG_QUALITY, quality])
        assert done
        fresh = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)
        before = self._before
        whole = before is None or index % max(2, round(2 * self._fps)) == 0
        if before is not None and not whole:
            change = cv2.absdiff(taken, before)
            height, width = taken.shape[:2]
            blocks = cv2.resize(
                change, (-(-width // _BLOCK), -(-height // _BLOCK)), interpolation=cv2.INTER_AREA
            ).max(axis=2)
            skipped = (blocks < 2 + 5 * strength).astype(np.uint8)
            mask = cv2.resize(
                skipped, (blocks.shape[1] * _BLOCK, blocks.shape[0] * _BLOCK), interpolation=cv2.INTER_NEAREST
            )
            cv2.copyTo(before, mask[:height, :width], fresh)
        self._before = fresh
        return fresh


def _three(one: Floats) -> Floats:
    """Return one channel (H, W) three times, (H, W, 3)."""
    return np.asarray(cv2.cvtColor(one, cv2.COLOR_GRAY2BGR), dtype=np.float32)
