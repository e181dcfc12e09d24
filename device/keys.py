"""The keyboard as a set of buttons: what each key means, and a reader of single keys from the terminal.

b  bank        u  undo         r  the throw does not count: roll again
n  turn is given up (0)        t  take over the offer        q  stop, the game stays unfinished
h  advice, on and off           w  chances to win, on and off
f  fix a die: its place on the screen, then its face; place 0 is a die that the camera does not see,
   face 0 means that it is no die of the game
1..9  choose an answer to the question on the screen
"""

from __future__ import annotations

import atexit
import os
import select
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from device.errors import DeviceFailed
from scorer.referee import Bank, Choose, FixDie, Next, Press, RollAgain, TakeOver, Undo

HINT = "b bank · u undo · f fix a die · r roll again · n give up · h advice · q stop"
"""One line for the bottom of a display."""

_PRESSES: dict[str, Press] = {
    "b": Bank(),
    "u": Undo(),
    "r": RollAgain(),
    "n": Next(),
    "t": TakeOver(),
}
_ESCAPE = "\x1b"


@dataclass(frozen=True, slots=True)
class Quit:
    """Stop playing; the game can be resumed."""


@dataclass(frozen=True, slots=True)
class Show:
    """Show something, or no longer; the game is as it was."""

    what: Literal["advice", "chances"]
    """Which."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """More keys are wanted; the sentence says which."""

    text: str
    """What to press next, or why a key meant nothing."""


_SHOWS = {"h": Show("advice"), "w": Show("chances")}


class KeySource(Protocol):
    """Anything that delivers single keys: the terminal, or a script in a test."""

    def poll(self, t_ns: int) -> str:
        """Return the keys pressed up to `t_ns` (time of the frame stream) and not returned before."""
        ...

    def wait(self) -> str:
        """Wait for at least one key and return it; empty when there will be none any more."""
        ...

    def close(self) -> None:
        """Give the terminal back as it was; again does nothing."""
        ...


class KeyMap:
    """Turns keys into presses; remembers an `f` that waits for its digits."""

    def __init__(self) -> None:
        """Start with no key waiting."""
        self._fixing = False
        self._place: int | None = None

    def feed(self, key: str, *, places: Sequence[int], choosing: bool) -> Press | Quit | Show | Prompt | None:
        """Return what `key` means, or None for nothing.

        `places` are the ids of the dice in the order in which the display shows them; `choosing` whether a
        question with numbered answers is open.
        """
        key = key.lower()
        if self._fixing:
            return self._fix(key, places)
        if key == "f":
            self._fixing, self._place = True, None
            return Prompt(f"Fix a die: which one, 1 to {len(places)} (0: one that is not seen)?")
        if key == "q":
            return Quit()
        if key in _SHOWS:
            return _SHOWS[key]
        if choosing and key.isdigit() and key != "0":
            return Choose(int(key))
        return _PRESSES.get(key)

    def _fix(self, key: str, places: Sequence[int]) -> Press | Prompt | None:
        """Take the place, then the face, of the die to be fixed; any other key gives up."""
        if not (key.isascii() and key.isdigit()):
            self._fixing = False
            return Prompt("")
        digit = int(key)
        if self._place is None:
            if digit > len(places):
                return Prompt(f"There is no die {digit}; press 1 to {len(places)}.")
            self._place = digit
            return Prompt("What does it show, 1 to 6" + (" (0: it is no die)?" if digit else "?"))
        if digit > 6 or (digit == 0 and self._place == 0):
            return Prompt("A die shows 1 to 6.")
        ident = None if self._place == 0 else places[self._place - 1]
        self._fixing = False
        return FixDie(ident, digit or None)


class TerminalKeys:
    """Single keys from the terminal, without Enter and without waiting; the terminal is restored always."""

    def __init__(self) -> None:
        """Put the terminal into its one-key mode.

        Raises:
            DeviceFailed: when there is no terminal.
        """
        import termios
        import tty

        self._closed = True
        try:
            # Standard input may be the camera (`--source -`): the keyboard is the controlling terminal.
            self._own = not sys.stdin.isatty()
            self._fd = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY) if self._own else sys.stdin.fileno()
            self._before = termios.tcgetattr(self._fd)
        except (OSError, termios.error) as error:
            raise DeviceFailed(
                "--keys needs a keyboard, but there is no terminal; start it in one or leave out --keys"
            ) from error
        self._termios = termios
        self._closed = False
        atexit.register(self.close)
        tty.setcbreak(self._fd, termios.TCSANOW)

    def poll(self, t_ns: int) -> str:
        """Return the keys pressed since the last call, whatever the time of the stream."""
        keys = ""
        while select.select([self._fd], [], [], 0.0)[0]:
            chunk = self._read()
            if not chunk:
                break
            keys += chunk
        return keys

    def wait(self) -> str:
        """Wait for a key; empty when the terminal has gone."""
        while True:
            chunk = os.read(self._fd, 64)
            if not chunk:
                return ""
            keys = _plain(chunk)
            if keys:
                return keys

    def raw(self, timeout_s: float | None = None) -> str | None:
        """Wait for something to be typed and return it as it comes, arrows and all.

        None when nothing came within `timeout_s` seconds; empty when the terminal has gone.
        """
        if not select.select([self._fd], [], [], timeout_s)[0]:
            return None
        return os.read(self._fd, 64).decode("utf-8", errors="ignore")

    def close(self) -> None:
        """Put the terminal back as it was."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        self._termios.tcsetattr(self._fd, self._termios.TCSADRAIN, self._before)
        if self._own:
            os.close(self._fd)

    def _read(self) -> str:
        return _plain(os.read(self._fd, 64))


def _plain(chunk: bytes) -> str:
    """Return the letters and digits typed; arrow and function keys begin with an escape and mean nothing."""
    text = chunk.decode("utf-8", errors="ignore")
    return text.split(_ESCAPE, 1)[0]
