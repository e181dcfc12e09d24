"""A display that keeps one picture file up to date: for photo frames, web pages and the demonstration."""

from __future__ import annotations

import os
from pathlib import Path

from device.displays.layout import check_size
from device.displays.scoreboard import DEFAULT_SIZE, render
from device.displays.view import ScoreView
from device.errors import BadInput, DeviceFailed

_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}


class PictureDisplay:
    """Writes the scoreboard into a file at every change; a reader never sees half a picture."""

    def __init__(self, path: Path, size: tuple[int, int] = DEFAULT_SIZE, *, language: str = "en") -> None:
        """Check that `path` can be written; nothing is written yet.

        Raises:
            BadInput: a folder that does not exist or cannot be written, or a file type without a writer.
        """
        self._path = path
        self._size = check_size(size)
        self._language = language
        if path.suffix.lower() not in _FORMATS:
            raise BadInput(
                f"the scoreboard picture {path} must end in {', '.join(_FORMATS)}; use one of these"
            )
        if not path.parent.is_dir():
            raise BadInput(
                f"the folder {path.parent} for the scoreboard picture does not exist; create it first"
            )
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise BadInput(f"the scoreboard picture {path} cannot be written there; choose another place")
        self._closed = False

    def show(self, view: ScoreView) -> None:
        """Draw `view` and put it in place of the file."""
        if self._closed:
            raise DeviceFailed(f"the display for {self._path} was closed; open it again")
        beside = self._path.with_name(f".{self._path.name}.{os.getpid()}.part")
        try:
            render(view, self._size, language=self._language).save(
                beside, format=_FORMATS[self._path.suffix.lower()]
            )
            os.replace(beside, self._path)
        except OSError as error:
            beside.unlink(missing_ok=True)
            reason = error.strerror or str(error)
            raise DeviceFailed(
                f"the scoreboard picture {self._path} cannot be written: {reason}; choose another"
            ) from error

    def close(self) -> None:
        """Leave the last picture where it is."""
        self._closed = True
