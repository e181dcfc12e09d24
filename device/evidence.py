"""The pictures that prove throws, kept within a budget: the oldest are let go first, and it is written down.

    evidence/000003/00017.jpg     game 3, step 17

Age is the number of the game and of the step, never the clock: a Pi has no clock battery and wakes up in the
past.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from device.atomic import write_bytes
from device.errors import BadInput

FOLDER = "evidence"
DEFAULT_BUDGET_MB = 500
"""Megabytes of pictures: about 3 000 throws of a camera with 1.2 megapixels."""
_MAKE_ROOM_TO = 0.9
"""Letting go stops at this share of the budget, so that it does not happen at every throw."""
_EMERGENCY_SHARE = 0.2
"""Share of all pictures that is let go when the disk is full."""

LetGo = Callable[[Sequence[str], str], None]
"""Writes down which pictures (paths relative to the store's folder) are let go, and why; before they go."""


class Evidence:
    """The folder of pictures of one store."""

    def __init__(self, folder: Path, let_go: LetGo, *, budget_mb: float = DEFAULT_BUDGET_MB) -> None:
        """Look after the pictures in `folder`/evidence; `let_go` writes down those that are given up."""
        self._folder = folder
        self._let_go = let_go
        self._budget = budget_mb * 1e6
        self._bytes: int | None = None  # counted at the first picture: that takes a while on a slow card
        self.fault = ""
        """Why the last picture could not be kept, or empty."""

    def keep(self, game: int, name: str, picture: bytes) -> tuple[str | None, str | None]:
        """Write a picture; return its path relative to the folder of the store, and its SHA-256.

        (None, None) when it cannot be written: a throw counts without its picture too, and `fault` says why.
        """
        place = Path(FOLDER) / f"{game:06d}" / name
        self.fault = ""
        try:
            (self._folder / place.parent).mkdir(parents=True, exist_ok=True)
            try:
                write_bytes(self._folder / place, picture)
            except BadInput:
                if not self.make_room():
                    raise
                write_bytes(self._folder / place, picture)
            _sync_folder(self._folder / place.parent)
        except (BadInput, OSError) as error:
            self.fault = f"no picture of this throw could be kept: {error}"
            return None, None
        if self._bytes is None:
            self._bytes = sum(size for _, size in self._kept())
        else:
            self._bytes += len(picture)
        if self._bytes > self._budget:
            self._shrink_to(self._budget * _MAKE_ROOM_TO, f"over {self._budget / 1e6:g} MB", spare=place)
        return str(place), hashlib.sha256(picture).hexdigest()

    def make_room(self) -> tuple[str, ...]:
        """The disk is full: remove the oldest pictures now; return their paths, to be written down later.

        On a full disk nothing can be written down before: the caller does it with its next transaction.
        """
        kept = self._kept()
        wanted = sum(size for _, size in kept) * _EMERGENCY_SHARE
        gone: list[str] = []
        freed = 0
        for path, size in kept:
            if freed >= wanted:
                break
            try:
                (self._folder / path).unlink()
            except OSError:
                continue
            gone.append(path)
            freed += size
        if self._bytes is not None:
            self._bytes -= freed
        return tuple(gone)

    def _shrink_to(self, wanted: float, reason: str, *, spare: Path) -> None:
        """Let the oldest pictures go until `wanted` bytes are left; never the one just written."""
        kept = self._kept()
        total = sum(size for _, size in kept)
        going: list[str] = []
        for path, size in kept:
            if total <= wanted:
                break
            if path != str(spare):
                going.append(path)
                total -= size
        # Written down first: a plug pulled in between leaves pictures that are too many, never a riddle.
        self._let_go(going, reason)
        for path in going:
            (self._folder / path).unlink(missing_ok=True)
        self._bytes = total

    def _kept(self) -> list[tuple[str, int]]:
        """Return the pictures that are there, the oldest first: path relative to the store, size in bytes."""
        found = []
        for path in sorted((self._folder / FOLDER).glob("*/*")):
            try:
                found.append((str(path.relative_to(self._folder)), path.stat().st_size))
            except OSError:
                continue
        return found


def _sync_folder(folder: Path) -> None:
    """Put the name of a new file on the disk too, not only its bytes."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
