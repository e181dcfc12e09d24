"""One press is one press: contacts bounce for milliseconds, and cheap ones chatter when they are let go."""

from __future__ import annotations

from dataclasses import dataclass

BOUNCE_NS = 40_000_000
"""Nanoseconds that a button must have been quiet before its next press counts; contacts bounce 1 to 20 ms."""
_Name = int


@dataclass(slots=True)
class _Button:
    down: bool = False
    changed_ns: int = -(1 << 62)


class Debouncer:
    """Turns the edges of several buttons into presses.

    The first edge of a press counts at once, so that a claim is not late; what follows within `bounce_ns` of
    any edge is the same movement of the finger.
    """

    def __init__(self, *, bounce_ns: int = BOUNCE_NS) -> None:
        """Start with every button up."""
        self._bounce_ns = bounce_ns
        self._buttons: dict[_Name, _Button] = {}

    def edge(self, name: _Name, *, down: bool, t_ns: int) -> bool:
        """Take in that button `name` is down or up at `t_ns`; whether this is a new press."""
        button = self._buttons.setdefault(name, _Button())
        quiet = t_ns - button.changed_ns >= self._bounce_ns
        button.changed_ns = t_ns
        pressed = down and not button.down and quiet
        if quiet or down:
            button.down = down
        return pressed
