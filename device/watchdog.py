"""Tells systemd that the program has started and is alive (`sd_notify(3)`), where systemd asks for it.

Alive means that frames come, or that a camera that is gone is being looked for: `beat` is called there. A
driver that hangs for ever stops the beat; systemd then ends the program and starts it again, and the game is
taken up.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from types import TracebackType

SILENT_S = 60.0
"""Without a beat for so long the program is no longer called alive."""
_last_beat_s: float | None = None


def beat(clock_s: Callable[[], float] = time.monotonic) -> None:
    """Note that the table is being looked at."""
    global _last_beat_s
    _last_beat_s = clock_s()


def silent_s(clock_s: Callable[[], float] = time.monotonic) -> float:
    """Return for how many seconds there was no beat; 0 before the first one."""
    return 0.0 if _last_beat_s is None else clock_s() - _last_beat_s


def notify(state: str) -> bool:
    """Send `state`, such as READY=1, to systemd; whether there was anybody to tell."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if not place:
        return False
    address = "\0" + place[1:] if place.startswith("@") else place
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as wire:
            wire.connect(address)
            wire.sendall(state.encode())
    except OSError:
        return False
    return True


class Watchdog:
    """Says READY, then says every few seconds that the program is alive, as long as it is."""

    def __init__(self) -> None:
        """Read from the environment how often systemd wants to hear."""
        microseconds = os.environ.get("WATCHDOG_USEC", "")
        self.every_s = int(microseconds) / 2e6 if microseconds.isdigit() and int(microseconds) > 0 else None
        """Seconds between two signs of life, or None: systemd does not ask for them."""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Watchdog:
        """Begin."""
        notify("READY=1")
        if self.every_s is not None:
            self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""
        notify("STOPPING=1")
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def tell(self) -> bool:
        """Send one sign of life if there is life; whether there was."""
        alive = silent_s() < SILENT_S
        if alive:
            notify("WATCHDOG=1")
        return alive

    def _run(self) -> None:
        while not self._stop.wait(self.every_s):
            self.tell()
