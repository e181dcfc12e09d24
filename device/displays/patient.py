"""A display that may be missing or go away: said once, tried again, and the game goes on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from device.displays.view import Display, ScoreView
from device.errors import DeviceError

RETRY_S = 5.0
"""How long it waits before it tries to open a display again."""
_log = logging.getLogger("croupier.display")


class PatientDisplay:
    """Another display, opened again whenever it has failed."""

    def __init__(
        self,
        name: str,
        open_it: Callable[[], Display],
        *,
        strict: bool = True,
        clock_s: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = _log.warning,
    ) -> None:
        """Open the display. `say` takes one sentence when it fails, and one when it is back.

        Raises:
            DeviceError: it cannot be opened, and `strict`; later faults are only said.
        """
        self._name = name
        self._open_it = open_it
        self._clock_s = clock_s
        self._say = say
        self._display: Display | None = None
        self._tried_s = clock_s()
        self._said = False
        try:
            self._display = open_it()
        except DeviceError as error:
            if strict:
                raise
            self._tell(error)

    @property
    def there(self) -> bool:
        """Whether the display works."""
        return self._display is not None

    def show(self, view: ScoreView) -> None:
        """Show `view` if the display is there; where it is not, try to open it again now and then."""
        if self._display is None and not self._back():
            return
        assert self._display is not None
        try:
            self._display.show(view)
        except DeviceError as error:
            self._display.close()
            self._display = None
            self._tried_s = self._clock_s()
            self._tell(error)

    def take_keys(self) -> str:
        """Return keys typed at the display, where it has a keyboard."""
        take = getattr(self._display, "take_keys", None)
        return "" if take is None else str(take())

    def close(self) -> None:
        """Give the display back; again does nothing."""
        if self._display is not None:
            self._display.close()
            self._display = None

    def _back(self) -> bool:
        now = self._clock_s()
        if now - self._tried_s < RETRY_S:
            return False
        self._tried_s = now
        try:
            self._display = self._open_it()
        except DeviceError as error:
            self._tell(error)
            return False
        self._said = False
        self._say(f"the display {self._name} is back")
        return True

    def _tell(self, error: DeviceError) -> None:
        if not self._said:
            self._said = True
            self._say(f"{error}; the game goes on without it")
