"""Several displays at once, as one."""

from __future__ import annotations

from collections.abc import Sequence

from device.displays.choose import open_display
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

    def close(self) -> None:
        """Close all."""
        for display in self._displays:
            display.close()


def open_displays(names: Sequence[str], *, hint: str = "") -> Display:
    """Return the displays named; those opened are closed again when one cannot be."""
    opened: list[Display] = []
    try:
        for name in names:
            opened.append(open_display(name, hint=hint))
    except BaseException:
        for display in opened:
            display.close()
        raise
    return SeveralDisplays(opened)
