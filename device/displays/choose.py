"""Which display the user asked for: `terminal`, `picture:PATH`, `none`."""

from __future__ import annotations

from pathlib import Path

from device.displays.view import Display
from device.errors import BadInput

WANTED = "terminal, picture:PATH (a .png, .jpg or .webp file, optionally picture:PATH@WIDTHxHEIGHT) or none"


def open_display(text: str, *, hint: str = "") -> Display:
    """Return the display named by `text`; `hint` is shown below the score where there is room.

    Raises:
        BadInput: for a display that does not exist, or a picture that cannot be written.
    """
    kind, _, rest = text.partition(":")
    if kind == "terminal" and not rest:
        from device.displays.terminal import TerminalDisplay

        return TerminalDisplay(hint=hint)
    if kind == "none" and not rest:
        from device.displays.recording import NullDisplay

        return NullDisplay()
    if kind == "picture" and rest:
        from device.displays.picture import PictureDisplay

        path, size = _picture_place(rest)
        return PictureDisplay(path) if size is None else PictureDisplay(path, size)
    raise BadInput(f"there is no display {text!r}; use {WANTED}")


def _picture_place(rest: str) -> tuple[Path, tuple[int, int] | None]:
    """Split PATH@WIDTHxHEIGHT; the size is optional, and a path may have an @ of its own."""
    path, at, size = rest.rpartition("@")
    width, times, height = size.partition("x")
    if at and times and width.isdigit() and height.isdigit():
        return Path(path), (int(width), int(height))
    return Path(rest), None
