"""A source whose first frame is looked at before anything begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from device.cameras.source import Source
from vision.frame import Frame


class Peeked(Source):
    """Another source, from its first frame on, which is known beforehand."""

    def __init__(self, source: Source) -> None:
        """Take the first frame of `source`, which must not have been iterated over.

        Raises:
            BadInput, DeviceFailed: as iterating over the source does.
        """
        self._source = source
        self.name = source.name
        self.live = source.live
        self.fps = float(getattr(source, "fps", 0.0))
        """Frames a second as the source states them; 0 where it does not."""
        self._rest = iter(source)
        self.first: Frame | None = next(self._rest, None)
        """The first frame, or None where there is none."""

    @property
    def tell(self) -> Callable[[str], None] | None:
        """Takes sentences for the players."""
        return self._source.tell

    @tell.setter
    def tell(self, tell: Callable[[str], None] | None) -> None:
        self._source.tell = tell

    @property
    def faults(self) -> tuple[str, ...]:  # type: ignore[override]
        """What was wrong with the stream; complete once the iteration has ended."""
        return self._source.faults

    def __iter__(self) -> Iterator[Frame]:
        """Yield all frames, the first one too; once."""
        return iter(()) if self.first is None else chain((self.first,), self._rest)

    def close(self) -> None:
        """Let go of the source."""
        self._source.close()
