"""Which display the user asked for: `screen`, `panel:CHIP`, `terminal`, `picture:PATH`, `none`."""

from __future__ import annotations

from pathlib import Path

from device.displays.view import Display
from device.errors import BadInput

WANTED = (
    "screen (HDMI or DSI, full screen; screen:WIDTHxHEIGHT for a window), "
    "panel:CHIP (such as panel:ssd1306), terminal, "
    "picture:PATH (a .png, .jpg or .webp file, optionally picture:PATH@WIDTHxHEIGHT) or none"
)


def open_display(text: str, *, hint: str = "", language: str = "en") -> Display:
    """Return the display named by `text`; `hint` is shown below the score where there is room.

    Raises:
        BadInput: for a display that does not exist, or a picture that cannot be written.
        DeviceFailed: when a screen or panel is missing.
    """
    kind, _, rest = text.partition(":")
    if kind == "terminal" and not rest:
        from device.displays.terminal import TerminalDisplay

        return TerminalDisplay(hint=hint, language=language)
    if kind == "none" and not rest:
        from device.displays.recording import NullDisplay

        return NullDisplay()
    if kind == "screen":
        from device.displays.screen import ScreenDisplay

        return ScreenDisplay(_size(rest, text) if rest else None, language=language)
    if kind == "panel" and rest:
        from device.displays.panel import PanelDisplay, panel_place

        return PanelDisplay(panel_place(rest), language=language)
    if kind == "picture" and rest:
        from device.displays.picture import PictureDisplay

        path, size = _picture_place(rest)
        if size is None:
            return PictureDisplay(path, language=language)
        return PictureDisplay(path, size, language=language)
    raise BadInput(f"there is no display {text!r}; use {WANTED}")


def is_hardware(text: str) -> bool:
    """Whether a display of this name can be unplugged."""
    return text.partition(":")[0] in ("screen", "panel")


def _size(text: str, name: str) -> tuple[int, int]:
    width, times, height = text.partition("x")
    if not (times and width.isdigit() and height.isdigit()):
        raise BadInput(f"{name!r} is no screen; give its width and height in pixels, as in screen:800x480")
    return int(width), int(height)


def _picture_place(rest: str) -> tuple[Path, tuple[int, int] | None]:
    """Split PATH@WIDTHxHEIGHT; the size is optional, and a path may have an @ of its own."""
    path, at, size = rest.rpartition("@")
    width, times, height = size.partition("x")
    if at and times and width.isdigit() and height.isdigit():
        return Path(path), (int(width), int(height))
    return Path(rest), None
