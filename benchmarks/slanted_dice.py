"""How the reader fares the lower the camera looks: `python -m benchmarks.slanted_dice`.

Drawn stills (`models.synth.stills`) that no training saw, five dice each, the picture's top away from the
viewer. Up to about 64 degrees the top face should be read or asked for; from the side nothing may be sure.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import cv2
import numpy as np

from models.synth.stills import Still, StillDie, make_still
from vision.detection import Detection, Reading
from vision.reader import Reader

TILTS_DEG: tuple[tuple[int, int], ...] = ((1, 30), (30, 45), (45, 55), (55, 64), (64, 70), (70, 80))
"""Tilts of the camera, from and to; the angle at which a die is seen differs a little over the picture."""
WIDTH_PX, HEIGHT_PX = 640, 480


def still(tilt_deg: tuple[int, int], number: int) -> Still:
    """Draw one still; the same numbers give the same picture."""
    return make_still(
        np.random.default_rng((20261202, tilt_deg[0], number)),
        width_px=WIDTH_PX,
        height_px=HEIGHT_PX,
        dice=5,
        size_px=(40.0, 75.0),
        min_tilt_deg=tilt_deg[0],
        max_tilt_deg=tilt_deg[1],
        cocked_share=0.0,
    )


def whole(die: StillDie) -> bool:
    """Whether a die and its top face can be seen as a whole."""
    x, y, width, height = die.box_px
    inside = x > 0 and y > 0 and x + width < WIDTH_PX and y + height < HEIGHT_PX
    return inside and die.top_visible > 0.95 and die.visible > 0.9 and die.contrast > 0.1


def found(reading: Reading, die: StillDie) -> Detection | None:
    """Return what was read where the die lies, or None."""
    x, y, width, height = die.box_px
    centre = np.array([x + width / 2, y + height / 2])
    apart = [float(np.hypot(*(np.array(seen.centre_px) - centre))) for seen in reading.dice]
    if not apart or min(apart) > 0.5 * max(width, height):
        return None
    return reading.dice[int(np.argmin(apart))]


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description="Count faces read right, sure and wrongly sure by slant.")
    parser.add_argument("--pictures", type=int, default=20, help="stills for each range of tilts")
    args = parser.parse_args(argv)
    cv2.setNumThreads(1)
    reader = Reader(threads=1)
    print(f"{'tilt':>8s} {'dice':>6s} {'right':>7s} {'sure':>7s} {'sure but wrong':>15s}")
    for tilt in TILTS_DEG:
        dice = right = sure = wrong = 0
        for number in range(args.pictures):
            drawn = still(tilt, number)
            reading = reader.read(drawn.image)
            for die in filter(whole, drawn.dice):
                seen = found(reading, die)
                dice += 1
                right += seen is not None and seen.value == die.value
                sure += seen is not None and seen.sure
                wrong += seen is not None and seen.sure and seen.value != die.value
        print(f"{f'{tilt[0]}-{tilt[1]}':>8s} {dice:6d} {right / dice:7.1%} {sure / dice:7.1%} {wrong:15d}")


if __name__ == "__main__":
    main()
