"""Keys for playing without a camera: letters, digits, Tab, Enter and the arrows, by name."""

from __future__ import annotations

import sys
from typing import IO, Protocol

from device.keys import TerminalKeys

_SEQUENCES = {"[C": "right", "OC": "right", "[B": "right", "OB": "right"}
_SEQUENCES |= {"[D": "left", "OD": "left", "[A": "left", "OA": "left", "[Z": "left"}
_NAMES = {"\t": "right", "\r": "pick", "\n": "pick", " ": "pick", "\x7f": "undo", "\b": "undo"}


class NamedKeys(Protocol):
    """Anything that delivers keys by name: `left`, `right`, `pick`, `undo`, or the letter or digit."""

    def next(self, timeout_s: float | None = None) -> str:
        """Wait for a key and return it; empty when none came in time.

        Raises:
            EOFError: there will be none any more.
        """
        ...

    def close(self) -> None:
        """Give the terminal back; again does nothing."""
        ...


class TerminalNamedKeys:
    """Keys of a terminal, one by one, without Enter."""

    def __init__(self) -> None:
        """Put the terminal into its one-key mode.

        Raises:
            DeviceFailed: there is no terminal.
        """
        self._keys = TerminalKeys()
        self._waiting: list[str] = []

    def next(self, timeout_s: float | None = None) -> str:
        """Wait for a key and return its name."""
        while not self._waiting:
            chunk = self._keys.raw(timeout_s)
            if chunk is None:
                return ""
            if not chunk:
                raise EOFError
            self._waiting = named(chunk)
        return self._waiting.pop(0)

    def close(self) -> None:
        """Put the terminal back as it was."""
        self._keys.close()


class PipedKeys:
    """Letters and digits from a file or a pipe: a game that is played from a script.

    Space and line ends mean nothing there; dice are picked by their places, 1 to 6.
    """

    def __init__(self, source: IO[str] | None = None) -> None:
        """Read from `source`, else from standard input."""
        self._source = sys.stdin if source is None else source

    def next(self, timeout_s: float | None = None) -> str:
        """Return the next key."""
        if timeout_s is not None:  # nobody watches: a script is not kept waiting between moves
            return ""
        while True:
            key = self._source.read(1)
            if not key:
                raise EOFError
            if not key.isspace():
                return key.lower()

    def close(self) -> None:
        """There is nothing to give back."""


def named(chunk: str) -> list[str]:
    """Return what was typed, by name; unknown sequences mean nothing.

    >>> named("a\\x1b[C\\r5\\x1b[15~")
    ['a', 'right', 'pick', '5']
    """
    keys: list[str] = []
    at = 0
    while at < len(chunk):
        if chunk[at] == "\x1b":
            end = at + 1
            if chunk[end : end + 1] in ("[", "O"):
                end += 1
                while end < len(chunk) and not (chunk[end].isalpha() or chunk[end] == "~"):
                    end += 1
                end += 1
            if name := _SEQUENCES.get(chunk[at + 1 : end]):
                keys.append(name)
            at = end
        else:
            letter = chunk[at]
            if letter in _NAMES:
                keys.append(_NAMES[letter])
            elif letter.isprintable():
                keys.append(letter.lower())
            at += 1
    return keys
