"""A small USB keypad (or any keyboard), read from the kernel: no terminal, no desktop, no console.

    Enter  bank          0..9  as they are           Backspace, NumLock  undo
    +      take over     *     fix a die             -  give up      /  throw again

Pulled out and plugged in again while the game goes on.
"""

from __future__ import annotations

import os
import select
import struct
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from device.errors import DeviceFailed

EVENT = struct.Struct("llHHi")
"""`struct input_event` of linux/input.h on a 64-bit kernel: seconds, microseconds, type, code, value."""
_KEY = 0x01
_DOWN = 1
_GRAB = 0x40044590  # EVIOCGRAB of linux/input.h
LOOK_S = 2.0
"""How often it is looked for a keypad that was plugged in."""
_FOLDER = Path("/dev/input/by-path")

KEYS: Mapping[int, str] = {
    # linux/input-event-codes.h
    **dict(zip((82, 79, 80, 81, 75, 76, 77, 71, 72, 73), "0123456789", strict=True)),  # keypad 0..9
    **dict(zip((11, 2, 3, 4, 5, 6, 7, 8, 9, 10), "0123456789", strict=True)),  # the row above the letters
    96: "b",  # keypad Enter
    28: "b",  # Enter
    78: "t",  # keypad +
    74: "n",  # keypad -
    55: "f",  # keypad *
    98: "r",  # keypad /
    14: "u",  # Backspace
    69: "u",  # NumLock
    83: "u",  # keypad .
    48: "b",
    22: "u",
    19: "r",
    49: "n",
    20: "t",
    33: "f",
}
"""Keys by their code. Letters mean what they mean in a terminal, but for q: nobody quits by a slip."""


class Keypad:
    """A `device.keys.KeySource` of every keypad and keyboard that is plugged in."""

    def __init__(
        self,
        *,
        find: Callable[[], tuple[Path, ...]] | None = None,
        clock_s: Callable[[], float] = time.monotonic,
        keys: Mapping[int, str] = KEYS,
    ) -> None:
        """Listen to those that `find` finds (default: all keyboards of this computer), now and later.

        Raises:
            DeviceFailed: there are some and none may be read; one that is missing is waited for.
        """
        self._find = find or keyboards
        self._clock_s = clock_s
        self._keys = keys
        self._open: dict[Path, int] = {}
        self._rest: dict[Path, bytes] = {}
        self._looked_s = clock_s()
        self._closed = False
        refused = self._look()
        if refused and not self._open:
            raise DeviceFailed(
                f"no permission to read the keypad {refused[0]}; "
                "put the user in the group input: sudo usermod -aG input $USER, and log in again"
            )

    def poll(self, t_ns: int) -> str:
        """Return the keys pressed since the last call."""
        now = self._clock_s()
        if now - self._looked_s >= LOOK_S:
            self._looked_s = now
            self._look()
        return "".join(self._read(path) for path in tuple(self._open))

    def wait(self) -> str:
        """Wait for a key; empty once closed."""
        while not self._closed:
            handles = list(self._open.values())
            select.select(handles, [], [], LOOK_S)
            if keys := self.poll(0):
                return keys
        return ""

    def close(self) -> None:
        """Give the keypads back; again does nothing."""
        self._closed = True
        for path in tuple(self._open):
            self._drop(path)

    def _look(self) -> list[Path]:
        """Open what is new; return those that may not be read."""
        refused = []
        for path in self._find():
            if path in self._open:
                continue
            try:
                handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except PermissionError:
                refused.append(path)
                continue
            except OSError:
                continue  # pulled out between being found and being opened
            self._open[path] = handle
            self._rest[path] = b""
            _grab(handle)
        return refused

    def _read(self, path: Path) -> str:
        typed = ""
        try:
            while data := os.read(self._open[path], EVENT.size * 64):
                data = self._rest[path] + data
                whole = len(data) - len(data) % EVENT.size
                self._rest[path] = data[whole:]
                for _, _, kind, code, value in EVENT.iter_unpack(data[:whole]):
                    if kind == _KEY and value == _DOWN:  # 0 is up, 2 is held down
                        typed += self._keys.get(code, "")
        except BlockingIOError:
            pass
        except OSError:  # pulled out; it is looked for again
            self._drop(path)
        return typed

    def _drop(self, path: Path) -> None:
        handle = self._open.pop(path, None)
        self._rest.pop(path, None)
        if handle is not None:
            with suppress(OSError):
                os.close(handle)


def keyboards(folder: Path = _FOLDER) -> tuple[Path, ...]:
    """Return the devices of all keyboards and keypads, as the kernel names them by their place."""
    try:
        return tuple(sorted(path for path in folder.iterdir() if path.name.endswith("-event-kbd")))
    except OSError:
        return ()


def _grab(handle: int) -> None:
    """Keep the keys from the console and the desktop, where Enter would do something else."""
    import fcntl

    with suppress(OSError):
        fcntl.ioctl(handle, _GRAB, 1)
