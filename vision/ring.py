"""The last moments of a stream as full pictures, to go back to the frame in which a die came to lie."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame
from vision.motion import Blocks, Box, blocks_under

_BEFORE_PX = 3
"""Room around a die in which its shadow and its own edges count too."""
_NOISE_TIMES = 2.5
"""A picture of a die differs from the one at rest when it differs by this multiple of the noise ..."""
_CONTRAST_SHARE = 0.06
"""... and by this share of the die's own contrast ..."""
_LEAST_LEVELS = 1.2
"""... and by this many grey levels."""
_COVERED_SHARE = 0.25
"""A hand over so much of a die hides it."""


@dataclass(frozen=True, slots=True)
class CameToRest:
    """When a die came to lie as it lies."""

    frame: int
    """Index of the first frame in which it lies so, in full view."""
    t_ns: int
    """Timestamp of that frame."""
    not_before_ns: int
    """It cannot have lain so before: the last frame in which it was seen to lie otherwise. The difference is
    one frame interval, or more where something hid it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    frame: Frame
    hand: Blocks
    block_px: int


class FrameRing:
    """Full frames of the last seconds, within a limit of memory."""

    def __init__(self, *, seconds: float = 1.5, limit_mb: float = 400.0) -> None:
        """Keep frames of the last `seconds`, fewer where they would take more than `limit_mb` megabytes."""
        self._span_ns = int(seconds * 1e9)
        self._limit = limit_mb * 1e6
        self._kept: deque[_Kept] = deque()

    def __len__(self) -> int:
        """How many frames are kept."""
        return len(self._kept)

    def add(self, frame: Frame, hand: Blocks, block_px: int) -> None:
        """Keep one more frame, with the blocks that a hand covers in it."""
        self._kept.append(_Kept(frame, hand, block_px))
        size = frame.image.nbytes
        while len(self._kept) > 2 and (
            self._kept[0].frame.t_ns < frame.t_ns - self._span_ns or len(self._kept) * size > self._limit
        ):
            self._kept.popleft()

    def frame(self, index: int) -> Frame | None:
        """Return the frame with this index, or None when it is not kept any more."""
        return next((each.frame for each in reversed(self._kept) if each.frame.index == index), None)

    def frames(self, since_ns: int, until_ns: int) -> tuple[Frame, ...]:
        """Return the frames of a stretch of time."""
        return tuple(each.frame for each in self._kept if since_ns <= each.frame.t_ns <= until_ns)

    def came_to_rest(self, box: Box, index: int) -> CameToRest | None:
        """Return since when what is at `box` in frame `index`, where it lies still, has looked as it does.

        None when that frame is not kept. Where the ring does not go back far enough, the oldest frame is both
        answers: the uncertainty is not known then, and the caller has to see `not_before_ns` as a bound of
        what was kept.
        """
        at = next((i for i, each in enumerate(self._kept) if each.frame.index == index), None)
        if at is None:
            return None
        kept = list(self._kept)
        target = patch(kept[at].frame, box)
        after = [apart(target, patch(each.frame, box)) for each in kept[at + 1 : at + 5]]
        noise = median(after) if after else 0.0
        least = max(_LEAST_LEVELS, _NOISE_TIMES * noise, _CONTRAST_SHARE * float(target.std()))
        first, before = at, None
        for place in range(at - 1, -1, -1):
            each = kept[place]
            if _hidden(each, box):
                continue
            if apart(target, patch(each.frame, box)) > least:
                before = place
                break
            first = place
        frame = kept[first].frame
        if before is None:
            return CameToRest(frame.index, frame.t_ns, kept[0].frame.t_ns)
        return CameToRest(frame.index, frame.t_ns, kept[before].frame.t_ns)


def _hidden(each: _Kept, box: Box) -> bool:
    part = each.hand[blocks_under(box, each.block_px, each.hand.shape)]
    return bool(part.size) and float(part.mean()) > _COVERED_SHARE


def patch(frame: Frame, box: Box) -> NDArray[np.float32]:
    """Return the grey picture around a die, its mean taken off: the lamp may change."""
    x, y, width, height = box
    left, top = max(0, int(x) - _BEFORE_PX), max(0, int(y) - _BEFORE_PX)
    right, bottom = int(x + width) + _BEFORE_PX, int(y + height) + _BEFORE_PX
    part = cv2.blur(frame.image[top:bottom, left:right], (3, 3)).mean(axis=2, dtype=np.float32)
    grey: NDArray[np.float32] = part - part.mean()
    return grey


def apart(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Return how far two pictures of one place are apart, in grey levels a pixel."""
    return float(np.abs(one - other).mean())
