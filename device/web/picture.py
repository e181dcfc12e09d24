"""Pictures for the browsers: frames as JPEG, never larger than a phone can use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vision.frame import Image

MOST_PX = 1280
"""Longest side of a picture that is sent."""


def as_jpeg(image: Image, *, most_px: int = MOST_PX, quality: int = 80) -> bytes:
    """Return an H x W x 3 BGR uint8 picture as JPEG, made smaller where it is larger than `most_px`."""
    import cv2

    height, width = image.shape[:2]
    scale = most_px / max(height, width)
    if scale < 1:
        size = (round(width * scale), round(height * scale))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    else:
        small = image
    done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError("the picture cannot be written as JPEG")
    return bytes(data)
