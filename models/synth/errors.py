"""The error tree of the simulator."""

from __future__ import annotations


class SynthError(Exception):
    """Base of every error that `models.synth` raises on purpose; the message is one plain sentence."""


class MujocoMissing(SynthError, ImportError):
    """The physics engine is not installed."""


class NoSuchThrow(SynthError, RuntimeError):
    """No throw that fits the wishes was found."""


class BadScene(SynthError, ValueError):
    """A wish about a session that cannot be met."""


class VideoFailed(SynthError, OSError):
    """The video file cannot be written."""
