"""The displays at the table, which show the PIN when a phone asks to be paired. Browsers never see it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from device.displays.view import Display, ScoreView

if TYPE_CHECKING:
    from device.web.desk import Desk
    from device.web.pairing import Pairing


class PinDisplay:
    """A display that says the PIN below the score while somebody needs it."""

    def __init__(self, inner: Display, pairing: Pairing, desk: Desk) -> None:
        """Show on `inner`; it is drawn anew from the game's thread when the PIN comes or goes."""
        self._inner, self._pairing, self._desk = inner, pairing, desk
        self._view: ScoreView | None = None
        pairing.changed = self._changed

    def show(self, view: ScoreView) -> None:
        """Show `view`, with the PIN where it is wanted."""
        self._view = view
        self._inner.show(with_pin(view, self._pairing))

    def take_keys(self) -> str:
        """Return the keys typed at the display, where it has a keyboard."""
        take = getattr(self._inner, "take_keys", None)
        return "" if take is None else str(take())

    def close(self) -> None:
        """Close the display."""
        self._pairing.changed = lambda: None
        self._inner.close()

    def _changed(self) -> None:
        def again(session: object, t_ns: int) -> None:
            if self._view is not None:
                self.show(self._view)

        self._desk.ask(again)


def with_pin(view: ScoreView, pairing: Pairing) -> ScoreView:
    """Return the view with the PIN in its message while it is wanted."""
    if not pairing.pin_wanted:
        return view
    words = f"PIN {pairing.pin} pairs a phone."
    return replace(view, message=f"{words} {view.message}".strip())
