"""The error tree of the calibration package."""

from __future__ import annotations


class CalibrationError(Exception):
    """Base of every error that `calibration` raises on purpose; the message is one plain sentence."""


class BadProfile(CalibrationError, ValueError):
    """A profile, or a part of one, that cannot be used."""


class OtherCamera(CalibrationError, ValueError):
    """A profile that was made for another camera or another size of the picture."""


class BadMat(CalibrationError, ValueError):
    """A wish about a mat that cannot be met, or a mat description that cannot be used."""


class BadLens(CalibrationError, ValueError):
    """Lens constants that cannot be used, or pictures from which none can be found."""


class NotFound(CalibrationError, LookupError):
    """What was looked for in a picture is not there (markers, corners, dice, a board)."""
