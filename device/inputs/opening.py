"""Opens what the table has to press: as asked for on the command line or in the configuration."""

from __future__ import annotations

import logging
from collections.abc import Callable

from device.displays.view import Display
from device.errors import DeviceFailed
from device.inputs.actions import pin_actions, pin_number
from device.inputs.wanted import InputsWanted
from device.keys import KeySource, TerminalKeys

_log = logging.getLogger("croupier.inputs")


def light_pins(texts: tuple[str, ...]) -> dict[str, int]:
    """Return what `16=ask` and so on mean: GPIO pins by what they show.

    Raises:
        BadInput: a pin or a meaning that does not exist.
    """
    from device.errors import BadInput

    meanings = ("ask", "bank", *(f"player{seat}" for seat in range(1, 9)))
    found: dict[str, int] = {}
    for text in texts:
        pin, equals, meaning = (part.strip() for part in text.partition("="))
        if not equals or meaning not in meanings:
            raise BadInput(
                f"--light {text!r} should be a GPIO pin and {', '.join(meanings[:3])}..., as in 16=ask"
            )
        found[meaning] = pin_number(pin, text)
    return found


def open_inputs(wanted: InputsWanted, displays: Display | None = None) -> KeySource | None:
    """Open everything that is wanted; None where there is nothing to press.

    `displays` may have a keyboard of their own (a full screen).

    Raises:
        BadInput: a pin or an action that does not exist.
        DeviceFailed: what is wanted is missing, and not `patient`.
    """
    from device.inputs.joined import JoinedKeys, ScreenKeys

    keys = pin_actions(wanted.buttons)
    opened: list[KeySource] = []
    try:
        if wanted.terminal:
            opened.append(TerminalKeys())
        if wanted.keypad:
            _add(opened, _keypad, patient=wanted.patient)
        if keys:
            _add(opened, lambda: _buttons(keys), patient=wanted.patient)
    except BaseException:
        for source in opened:
            source.close()
        raise
    take = getattr(displays, "take_keys", None)
    if take is not None and opened:
        opened.append(ScreenKeys(take))
    if not opened:
        return None
    return opened[0] if len(opened) == 1 else JoinedKeys(opened)


def open_lights(wanted: InputsWanted) -> Display | None:
    """Open the lights as a display; None where there are none.

    Raises:
        BadInput: a pin or a meaning that does not exist.
        DeviceFailed: there are no pins, and not `patient`.
    """
    pins = light_pins(wanted.lights)
    if not pins:
        return None
    from device.displays.patient import PatientDisplay
    from device.inputs.buttons import Lights

    return PatientDisplay("lights", lambda: Lights(pins), strict=not wanted.patient)


def _keypad() -> KeySource:
    from device.inputs.keypad import Keypad

    return Keypad()


def _buttons(keys: dict[int, str]) -> KeySource:
    from device.inputs.buttons import Buttons

    return Buttons(keys)


def _add(opened: list[KeySource], open_it: Callable[[], KeySource], *, patient: bool) -> None:
    try:
        opened.append(open_it())
    except DeviceFailed as error:
        if not patient:
            raise
        _log.warning("%s; the game goes on without it", error)
