"""A folder of pictures, one a frame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from device.cameras.source import Source
from device.errors import BadInput
from device.pictures import load_picture, pictures_in
from vision.frame import Frame

_DIGITS = re.compile(r"(\d+)")


def natural_key(name: str) -> tuple[tuple[bool, int, str], ...]:
    """Sort key by which frame9 comes before frame10: runs of digits count as numbers."""
    return tuple(
        (False, int(part), part) if part.isdecimal() else (True, 0, part.casefold())
        for part in _DIGITS.split(name)
        if part
    )


class FrameFolder(Source):
    """The pictures of one folder in natural order of their names, at a fixed number a second."""

    def __init__(self, folder: Path, *, fps: float) -> None:
        """List the pictures; files that are no pictures by their names are left out.

        Raises:
            BadInput: when the folder cannot be listed or has no picture.
        """
        self.name = str(folder)
        self.fps = fps
        """Frames a second, taken as true."""
        self.faults: tuple[str, ...] = ()
        self._pictures = sorted(pictures_in(folder), key=lambda path: natural_key(path.name))

    def __iter__(self) -> Iterator[Frame]:
        """Yield the pictures; one that cannot be read leaves a gap in time and is named in `faults`."""
        index = 0
        for place, path in enumerate(self._pictures):
            try:
                image = load_picture(path)
            except BadInput as error:
                self.faults += (str(error),)
                continue
            yield Frame(image, round(place * 1e9 / self.fps), index)
            index += 1
        if index == 0:
            raise BadInput(f"none of the {len(self._pictures)} pictures in {self.name} can be read")

    def close(self) -> None:
        """Nothing is held open."""
