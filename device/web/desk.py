"""What phones ask of the game is done between two frames, in the thread that plays it.

The game is not shared between threads: a request is a function that is handed over, and its answer comes back
as a future.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from device.displays.view import Display
    from device.session import Session
    from device.web.feed import Feed
    from vision.frame import Frame

_LOG = logging.getLogger(__name__)
T = TypeVar("T")

Work = Callable[["Session | None", int], T]
"""Takes the game being played (None between games) and the time of the stream, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class _Asked:
    work: Callable[[Session | None, int], Any]
    answer: Future[Any]


class Desk:
    """Between the game and the phones."""

    def __init__(self, feed: Feed) -> None:
        """Publish what is shown to `feed`."""
        self._feed = feed
        self._asked: queue.SimpleQueue[_Asked] = queue.SimpleQueue()
        self._waiting = Event()
        self._session: Session | None = None
        self.picture: Frame | None = None
        """The newest frame of the camera."""

    @property
    def display(self) -> Display:
        """The display that shows the score to the phones."""
        return self._feed

    def begun(self, session: Session) -> None:
        """A game has begun, or goes on."""
        self._session = session
        self._feed.follow(session)

    def ended(self) -> None:
        """The game is over, or left."""
        self._session = None
        self.picture = None
        self._feed.follow(None)

    def frame(self, frame: Frame) -> None:
        """The camera has a new picture; nothing is done with it unless somebody asks."""
        self.picture = frame

    def ask(self, work: Work[T]) -> Future[T]:
        """Let the game's thread do `work`; its answer, or what it raises, is in the future. Any thread."""
        answer: Future[T] = Future()
        self._asked.put(_Asked(work, answer))
        self._waiting.set()
        return answer

    def serve(self, session: Session | None, t_ns: int) -> int:
        """Do what was asked for since the last call; return how much it was. Only the game's thread."""
        done = 0
        while True:
            try:
                asked = self._asked.get_nowait()
            except queue.Empty:
                return done
            if not asked.answer.set_running_or_notify_cancel():
                continue  # whoever asked has given up: it must not be done behind their back
            done += 1
            try:
                answer = asked.work(session, t_ns)
            except Exception as error:  # it is told to whoever asked; the game goes on
                _LOG.debug("a request failed", exc_info=error)
                asked.answer.set_exception(error)
            else:
                asked.answer.set_result(answer)

    def wait(self, seconds: float) -> bool:
        """Wait until something is asked for, `seconds` at most; return whether something was."""
        if not self._asked.empty():
            return True
        self._waiting.clear()
        return not self._asked.empty() or self._waiting.wait(seconds)

    def clock(self) -> Callable[[], int]:
        """Return a clock for games without a camera, in nanoseconds from now on."""
        start = time.monotonic_ns()
        return lambda: time.monotonic_ns() - start
