"""Which buttons, lights and keypads are connected."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InputsWanted:
    """What is connected."""

    terminal: bool = False
    """The keyboard of the terminal."""
    keypad: bool = False
    """USB keypads and keyboards, without a terminal."""
    buttons: tuple[str, ...] = ()
    """`PIN=ACTION`, such as `17=bank`."""
    lights: tuple[str, ...] = ()
    """`PIN=WHAT`, such as `16=ask` or `5=player1`."""
    patient: bool = False
    """Whether the game goes on without what is missing."""

    @property
    def any(self) -> bool:
        """Whether anything can be pressed."""
        return self.terminal or self.keypad or bool(self.buttons)
