"""Several displays at once, as one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from device.displays.choose import is_hardware, open_display
from device.displays.patient import PatientDisplay
from device.displays.view import Display, ScoreView
from device.errors import DeviceError


class SeveralDisplays:
    """Shows the same on every display; one that fails does not keep the others from showing."""

    def __init__(self, displays: Sequence[Display]) -> None:
        """Take the displays; closing this closes them."""
        self._displays = list(displays)

    def show(self, view: ScoreView) -> None:
        """Show `view` everywhere; a display that fails is given up, and its fault raised after the others."""
        faults: list[DeviceError] = []
        for display in tuple(self._displays):
            try:
                display.show(view)
            except DeviceError as error:
                faults.append(error)
                self._displays.remove(display)
                display.close()
        if faults:
            raise faults[0]

    def take_keys(self) -> str:
        """Return the keys typed at displays that have a keyboard."""
        takers = (getattr(display, "take_keys", None) for display in self._displays)
        return "".join(str(take()) for take in takers if take is not None)

    def close(self) -> None:
        """Close all."""
        for display in self._displays:
            display.close()


def open_displays(
    names: Sequence[str], *, hint: str = "", language: str = "en", patient: bool = False
) -> Display:
    """Return the displays named; those opened are closed again when one cannot be.

    A screen or panel that fails later is tried again; with `patient` also one that is missing now.
    """
    opened: list[Display] = []
    try:
        for name in names:
            open_it = partial(open_display, name, hint=hint, language=language)
            if is_hardware(name):
                opened.append(PatientDisplay(name, open_it, strict=not patient))
            else:
                opened.append(open_it())
    except BaseException:
        for display in opened:
            display.close()
        raise
    return SeveralDisplays(opened)
