"""The error tree of the device package, and the exit code that each kind of error ends a command with."""

from __future__ import annotations

EXIT_DONE = 0
EXIT_NO = 1
"""The answer is "no": a check failed."""
EXIT_BAD_INPUT = 2
EXIT_DEVICE = 3


class DeviceError(Exception):
    """Base of every error that `device` raises on purpose; the message is one plain sentence."""

    exit_code: int = EXIT_DEVICE


class BadInput(DeviceError, ValueError):
    """The user gave something unusable; the message names it, what was wanted and what to do."""

    exit_code = EXIT_BAD_INPUT


class DeviceFailed(DeviceError, OSError):
    """A camera, display or button is missing or failed."""

    exit_code = EXIT_DEVICE
