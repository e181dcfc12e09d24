"""A camera that stalls or is unplugged is opened again, and the game goes on."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

from device.cameras.source import Source
from device.errors import DeviceError, DeviceFailed
from device.watchdog import beat
from vision.frame import Frame

RETRY_S = 1.0
"""Seconds between two attempts to open the camera again."""
GIVE_UP_S: float | None = None
"""Seconds after which it is given up; None: never."""
_log = logging.getLogger("croupier.camera")


class Reopening(Source):
    """Frames of a live source, over all its interruptions.

    Times and indices keep growing over a new start: the clock of a camera is that of the computer, and
    counting goes on where it ended.
    """

    live = True

    def __init__(
        self,
        open_it: Callable[[], Source],
        *,
        tell: Callable[[str], None] | None = None,
        give_up_s: float | None = GIVE_UP_S,
        patient: bool = False,
    ) -> None:
        """Open the source; `tell` takes a sentence when it is lost and one when it is back.

        With `patient` a camera that is missing now is waited for, too.

        Raises:
            DeviceFailed: it cannot be opened now, and not `patient`.
        """
        self._open_it = open_it
        self.tell = tell
        """Takes the sentences for the players; may be set later."""
        self._give_up_s = give_up_s
        self._closed = threading.Event()
        self._inner: Source | None = None
        self._lost_faults: tuple[str, ...] = ()
        self.restarts = 0
        """How many times the source was opened again."""
        try:
            self._inner = open_it()
        except DeviceFailed as error:
            if not patient:
                raise
            _log.warning("%s; waiting for it", error)
        self.name = "camera" if self._inner is None else self._inner.name

    @property
    def faults(self) -> tuple[str, ...]:  # type: ignore[override]  # read-only here
        """What was wrong with the stream."""
        return self._lost_faults + (() if self._inner is None else self._inner.faults)

    def __iter__(self) -> Iterator[Frame]:
        """Yield frames until closed.

        Raises:
            DeviceFailed: the source has been gone for `give_up_s`.
        """
        index, last_ns = 0, -1
        while not self._closed.is_set():
            if self._inner is None and not self._reopen():
                return
            assert self._inner is not None
            try:
                for frame in self._inner:
                    beat()
                    t_ns = max(frame.t_ns, last_ns + 1)
                    last_ns = t_ns
                    yield replace(frame, t_ns=t_ns, index=index)
                    index += 1
                    if self._closed.is_set():
                        return
                lost = f"{self.name} has ended"
            except DeviceFailed as error:
                lost = str(error)
            if self._closed.is_set():
                return
            self._let_go()
            self._say(f"{lost}. The camera is being restarted; the game goes on when it is back.")

    def close(self) -> None:
        """Close the source and stop waiting for it; again does nothing."""
        self._closed.set()
        self._let_go()

    def wait(self, seconds: float) -> None:
        """Wait between two attempts, but not after `close`; a test puts its own clock here."""
        self._closed.wait(seconds)

    def _reopen(self) -> bool:
        """Open the source again, as often as it takes; False when it was closed meanwhile."""
        waited_s, why = 0.0, ""
        while not self._closed.is_set():
            beat()
            try:
                self._inner = self._open_it()
            except DeviceError as error:
                why = str(error)
            else:
                self.restarts += 1
                self.name = self._inner.name
                self._say("The camera is back.")
                return True
            if self._give_up_s is not None and waited_s >= self._give_up_s:
                raise DeviceFailed(f"the camera did not come back within {self._give_up_s:g} s: {why}")
            self.wait(RETRY_S)
            waited_s += RETRY_S
        return False

    def _let_go(self) -> None:
        inner, self._inner = self._inner, None
        if inner is not None:
            self._lost_faults += inner.faults
            try:
                inner.close()
            except Exception as error:  # a camera that is gone may refuse to be closed; it is gone
                _log.warning("%s could not be closed: %s", self.name, error)

    def _say(self, sentence: str) -> None:
        _log.warning(sentence)
        if self.tell is not None:
            self.tell(sentence)
