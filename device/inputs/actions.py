"""What can be pressed, by name, and the key that stands for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches

from device.errors import BadInput

ACTIONS: Mapping[str, str] = {
    "bank": "b",
    "undo": "u",
    "next": "n",
    "again": "r",
    "take": "t",
    "fix": "f",
    "stop": "q",
    "advice": "h",
    "chances": "w",
} | {f"claim{seat}": str(seat) for seat in range(1, 9)}
"""Actions by name: `claim3` is the button of the third player, and answer 3 of a question."""


def key_of(action: str) -> str:
    """Return the key of an action; a single digit or letter stands for itself.

    >>> key_of("bank"), key_of("claim2"), key_of("7")
    ('b', '2', '7')

    Raises:
        BadInput: there is no such action; with the nearest one.
    """
    name = action.strip().lower()
    if name in ACTIONS:
        return ACTIONS[name]
    if re.fullmatch(r"[0-9a-z]", name):
        return name
    near = get_close_matches(name, ACTIONS, 1)
    raise BadInput(
        f"there is no action {action!r}; "
        + (f"do you mean {near[0]}?" if near else f"use {', '.join(ACTIONS)}")
    )


def pin_actions(texts: tuple[str, ...]) -> dict[int, str]:
    """Return what `17=bank` and so on mean: keys by the number of the GPIO pin (BCM).

    >>> pin_actions(("17=bank", "27=undo"))
    {17: 'b', 27: 'u'}

    Raises:
        BadInput: a pin that does not exist or is named twice, or an action that does not exist.
    """
    found: dict[int, str] = {}
    for text in texts:
        pin, equals, action = text.partition("=")
        number = pin_number(pin, text) if equals else None
        if number is None:
            raise BadInput(f"--button {text!r} should be a GPIO pin and an action, as in 17=bank")
        if number in found:
            raise BadInput(f"the GPIO pin {number} is given two actions; one button can do one thing")
        found[number] = key_of(action)
    return found


def pin_number(pin: str, text: str) -> int:
    """Return the number of a GPIO pin (BCM numbering: 0..27).

    Raises:
        BadInput: it is none.
    """
    name = pin.strip().lower().removeprefix("gpio")
    if not name.isdigit() or not 0 <= int(name) <= 27:
        raise BadInput(f"{text!r}: the pins of a Raspberry Pi are GPIO 0 to 27, as in 17=bank")
    return int(name)
