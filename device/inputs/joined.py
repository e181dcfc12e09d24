"""Several sources of keys as one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from device.keys import KeySource

_STEP_S = 0.02


class JoinedKeys:
    """A `device.keys.KeySource` of several others: buttons, keypad, terminal, the keyboard at a screen."""

    def __init__(
        self, sources: Sequence[KeySource], *, pause: Callable[[float], object] | None = None
    ) -> None:
        """Take the sources; closing this closes them. `pause` waits for so many seconds (tests)."""
        self._sources = list(sources)
        self._closed = threading.Event()
        self._pause = pause or self._closed.wait

    def poll(self, t_ns: int) -> str:
        """Return the keys of all of them since the last call."""
        return "".join(source.poll(t_ns) for source in self._sources)

    def wait(self) -> str:
        """Wait for a key from any of them; empty once closed, or when there is no source."""
        if len(self._sources) == 1:
            return self._sources[0].wait()
        while self._sources and not self._closed.is_set():
            if keys := self.poll(1 << 62):
                return keys
            self._pause(_STEP_S)
        return ""

    def close(self) -> None:
        """Close all; again does nothing."""
        self._closed.set()
        for source in self._sources:
            source.close()


class ScreenKeys:
    """A `device.keys.KeySource` of the keyboard at a display that has one."""

    def __init__(self, take: Callable[[], str]) -> None:
        """`take` returns the keys typed since it was called last."""
        self._take = take
        self._closed = threading.Event()

    def poll(self, t_ns: int) -> str:
        """Return the keys typed since the last call."""
        return self._take()

    def wait(self) -> str:
        """Wait for a key; empty once closed."""
        while not self._closed.is_set():
            if keys := self._take():
                return keys
            self._closed.wait(_STEP_S)
        return ""

    def close(self) -> None:
        """Stop waiting."""
        self._closed.set()
