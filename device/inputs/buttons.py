"""Buttons and lights on the pins of a Raspberry Pi, through gpiozero.

A button connects its pin to ground; the Pi pulls the pin up. A light hangs between its pin and ground, with
its resistor. Numbers are those of the chip (GPIO, "BCM"), as `pinout` prints them.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from device.displays.view import ScoreView
from device.errors import DeviceFailed
from device.inputs.debounce import Debouncer

_INSTALL = "on a Raspberry Pi: sudo apt install python3-gpiozero python3-lgpio"


class Buttons:
    """A `device.keys.KeySource` of buttons: each press delivers the key of its pin."""

    def __init__(
        self,
        keys: Mapping[int, str],
        *,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        debouncer: Debouncer | None = None,
    ) -> None:
        """Listen to the pins; `keys` by GPIO number.

        Raises:
            DeviceFailed: gpiozero is missing, there are no pins here, or a pin is in use.
        """
        self._clock_ns = clock_ns
        self._debouncer = debouncer or Debouncer()
        self._pressed: deque[str] = deque()
        self._change = threading.Condition()
        self._closed = False
        self._buttons: list[Any] = []
        library = _gpiozero()
        try:
            for pin, key in keys.items():
                # No `bounce_time`: gpiozero's swallows whatever comes in it, also a second player's claim.
                button = library.Button(pin, pull_up=True, bounce_time=None)
                self._buttons.append(button)
                button.when_pressed = self._listener(pin, key, down=True)
                button.when_released = self._listener(pin, key, down=False)
        except Exception as error:
            self.close()
            raise _plain(error) from error

    def _listener(self, pin: int, key: str, *, down: bool) -> Callable[[], None]:
        def heard() -> None:
            # The time is taken in gpiozero's own thread, before anything else waits.
            t_ns = self._clock_ns()
            with self._change:
                if self._debouncer.edge(pin, down=down, t_ns=t_ns):
                    self._pressed.append(key)
                    self._change.notify_all()

        return heard

    def poll(self, t_ns: int) -> str:
        """Return the keys pressed since the last call."""
        with self._change:
            keys = "".join(self._pressed)
            self._pressed.clear()
        return keys

    def wait(self) -> str:
        """Wait for a press; empty once closed."""
        with self._change:
            self._change.wait_for(lambda: self._pressed or self._closed)
        return self.poll(0)

    def close(self) -> None:
        """Give the pins back; again does nothing."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        for button in self._buttons:
            button.close()
        self._buttons = []


class Lights:
    """Lights as a display: whose turn it is, that a bank would count, that the game asks something."""

    def __init__(self, pins: Mapping[str, int]) -> None:
        """Take the pins by what they show: `bank`, `ask`, or `player1` to `player8`.

        Raises:
            DeviceFailed: gpiozero is missing, there are no pins here, or a pin is in use.
        """
        self._lights: dict[str, Any] = {}
        library = _gpiozero()
        try:
            for name, pin in pins.items():
                self._lights[name] = library.LED(pin)
        except Exception as error:
            self.close()
            raise _plain(error) from error

    def show(self, view: ScoreView) -> None:
        """Switch the lights to `view`.

        Raises:
            DeviceFailed: the pins have gone.
        """
        try:
            for name, light in self._lights.items():
                light.value = int(_lit(name, view))
        except Exception as error:
            raise _plain(error) from error

    def close(self) -> None:
        """Switch all off and give the pins back; again does nothing."""
        for light in self._lights.values():
            light.close()
        self._lights = {}


def _lit(name: str, view: ScoreView) -> bool:
    """Whether the light of this name is on."""
    if name == "ask":
        return view.waiting
    if name == "bank":
        return not view.waiting and view.phase != "finished" and bool(view.turn_points or view.roll_points)
    seat = int(name.removeprefix("player")) - 1
    if view.phase == "finished":
        return seat < len(view.players) and view.players[seat].winner
    return view.active == seat


def _gpiozero() -> Any:
    try:
        return import_module("gpiozero")
    except ImportError as error:
        raise DeviceFailed(f"buttons need gpiozero, which cannot be loaded ({error}); {_INSTALL}") from error


def _plain(error: Exception) -> DeviceFailed:
    """Return what gpiozero says as one sentence."""
    if isinstance(error, DeviceFailed):
        return error
    name = type(error).__name__
    text = " ".join(str(error).split())[:160]
    if name in ("BadPinFactory", "PinFactoryFallback") or "unable to determine" in text.lower():
        return DeviceFailed(f"there are no GPIO pins on this computer, or no library for them; {_INSTALL}")
    if isinstance(error, PermissionError):
        return DeviceFailed(
            "no permission to use the GPIO pins; put the user in the group gpio: "
            "sudo usermod -aG gpio $USER, and log in again"
        )
    if name in ("GPIOPinInUse", "DeviceClosed", "PinInvalidPin"):
        return DeviceFailed(f"{text}; give each button and light a pin of its own")
    return DeviceFailed(f"the buttons cannot be used ({name}: {text}); {_INSTALL}")
