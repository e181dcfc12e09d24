"""One picture from a camera, with the time at which the sensor took it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.errors import BadImage

Image = NDArray[np.uint8]
"""A colour picture: shape (height, width, 3), dtype uint8, channel order blue-green-red (OpenCV's)."""


def check_image(image: Image) -> Image:
    """Return `image` unchanged if it is a (H, W, 3) uint8 array with H, W >= 1.

    Raises:
        BadImage: with the shape and dtype wanted and got.
    """
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
        got = f"{image.dtype} {image.shape}" if isinstance(image, np.ndarray) else type(image).__name__
        raise BadImage(f"a picture must be a uint8 array of shape (height, width, 3) in BGR order, got {got}")
    if image.shape[0] < 1 or image.shape[1] < 1:
        raise BadImage(f"a picture must have at least one pixel, got shape {image.shape}")
    return image


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture of a stream. The pixels are read-only."""

    image: Image
    """(H, W, 3) uint8, BGR; made read-only when the frame is built."""
    t_ns: int
    """Sensor timestamp in nanoseconds; any epoch, monotonic within a stream."""
    index: int
    """Position in the stream, counted from 0."""

    def __post_init__(self) -> None:
        """Check the picture and make it read-only."""
        check_image(self.image)
        self.image.setflags(write=False)

    @property
    def width_px(self) -> int:
        """Width in pixels."""
        return int(self.image.shape[1])

    @property
    def height_px(self) -> int:
        """Height in pixels."""
        return int(self.image.shape[0])
