"""The board's feed: every view the game shows goes to every browser that looks, the newest first.

`Feed` is a display like any other. The game's thread only makes one text and wakes the server; a browser that
is slow misses states, never the newest.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
import time
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING

from device.displays.view import ScoreView
from device.web.state import lobby_state, session_state, view_json

if TYPE_CHECKING:
    from device.session import Session

BEAT_S = 15.0
"""A board hears something at least so often."""
MOST_BOARDS = 400
"""So many browsers may look at the same time."""


class Feed:
    """A display that browsers look at."""

    def __init__(self) -> None:
        """Begin without a game."""
        self.run = secrets.token_hex(4)
        """Names this run of the program: a browser that sees another one loads its pages afresh."""
        self._session: Session | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = Lock()
        self._numbers = itertools.count(1)
        self._listeners: set[asyncio.Event] = set()
        self._text = ""
        self._number = 0
        self._state: Mapping[str, object] = {}
        self._extra: dict[str, object] = {}
        self._put({"kind": "lobby", "view": None})

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wake listeners in this loop from now on, at each change and every few seconds."""
        self._loop = loop
        loop.call_later(BEAT_S, self._beat, loop)

    @property
    def state(self) -> Mapping[str, object]:
        """What is shown, as it goes to the browsers."""
        return self._state

    @property
    def text(self) -> str:
        """The same as JSON."""
        return self._text

    @property
    def number(self) -> int:
        """Counts the states."""
        return self._number

    def follow(self, session: Session | None) -> None:
        """Show this game from now on; None: there is none."""
        self._session = session
        if session is None:
            self._put(lobby_state())
        else:
            self.show(session.view)

    def show(self, view: ScoreView) -> None:
        """Show `view`, with what phones need to know of the game besides."""
        session = self._session
        self._put(
            {"kind": "view", "view": view_json(view)} if session is None else session_state(session, view)
        )

    def note(self, **more: object) -> None:
        """Add something to all states from now on, such as what the table is set up for."""
        self._extra |= more
        self._put(self._state)

    def close(self) -> None:
        """The game has gone; the server ends by itself."""

    def _put(self, state: Mapping[str, object]) -> None:
        with self._lock:
            self._number = next(self._numbers)
            self._state = {
                **state,
                **self._extra,
                "run": self.run,
                "number": self._number,
                "at_ms": round(time.time() * 1000),
            }
            self._text = json.dumps(self._state, ensure_ascii=False, separators=(",", ":"))
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for listener in self._listeners:
            listener.set()

    def _beat(self, loop: asyncio.AbstractEventLoop) -> None:
        if loop is self._loop and not loop.is_closed():
            self._wake()
            loop.call_later(BEAT_S, self._beat, loop)

    def listen(self) -> asyncio.Event | None:
        """Return an event that is set at each new state, or None when too many listen. Loop thread only."""
        if len(self._listeners) >= MOST_BOARDS:
            return None
        event = asyncio.Event()
        self._listeners.add(event)
        return event

    def leave(self, event: asyncio.Event) -> None:
        """Stop listening."""
        self._listeners.discard(event)

    @property
    def listeners(self) -> int:
        """How many browsers look."""
        return len(self._listeners)
