"""What every camera adapter is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Protocol, Self

from vision.frame import Frame


class Source(Protocol):
    """A stream of frames: iterate over it once, inside a `with` block.

    Fakes and adapters alike inherit from it and fill in `__iter__` and `close`.
    """

    name: str
    """What the user calls it: a file name, `usb:0`, `picamera`, `-`."""
    live: bool = False
    """Whether the frames come from a camera now: a late reader then misses frames and never falls behind."""
    tell: Callable[[str], None] | None = None
    """Takes a sentence for the players when a live camera is lost, and when it is back."""
    faults: tuple[str, ...] = ()
    """What was wrong with the stream, one sentence each; complete once the iteration has ended."""

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames in order, with growing `t_ns` and `index`.

        Raises:
            BadInput: when there turns out to be no picture at all.
            DeviceFailed: when the camera stops delivering.
        """
        ...

    def close(self) -> None:
        """Let go of the file or device; may be called twice."""
        ...

    def __enter__(self) -> Self:
        """Use the source in a `with` block, which closes it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()
