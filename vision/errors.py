"""The error tree of the vision package."""

from __future__ import annotations


class VisionError(Exception):
    """Base of every error that `vision` raises on purpose; the message is one plain sentence."""


class BadImage(VisionError, ValueError):
    """An array that is not a picture the reader accepts (wrong shape, dtype or size)."""


class WeightsMissing(VisionError, FileNotFoundError):
    """The network file is missing or is not a network of ours."""
