"""Newest frame wins: a live camera is read in its own thread, and a slow reader misses frames."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from device.cameras.source import Source
from device.errors import DeviceFailed
from vision.frame import Frame

STALL_S = 4.0
"""A live camera that delivers nothing for so long has stalled: five seconds with opening it again."""
_JOIN_S = 2.0


class Newest(Source):
    """A one-slot mailbox in front of a live source. `index` keeps counting the frames that were missed."""

    live = True

    def __init__(self, inner: Source, *, stall_s: float = STALL_S) -> None:
        """Take the frames of `inner`, which is closed together with this."""
        self.name = inner.name
        self._inner = inner
        self._stall_s = stall_s
        self._change = threading.Condition()
        self._frame: Frame | None = None
        self._error: BaseException | None = None
        self._ended = False
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def faults(self) -> tuple[str, ...]:  # type: ignore[override]  # read-only here: they are the inner ones
        """What the inner source found wrong."""
        return self._inner.faults

    def __iter__(self) -> Iterator[Frame]:
        """Yield the newest frame, each at most once.

        Raises:
            DeviceFailed: when no frame comes for `stall_s`, or as the inner source does.
        """
        self._thread = threading.Thread(target=self._fill, name=f"capture {self.name}", daemon=True)
        self._thread.start()
        while True:
            with self._change:
                arrived = self._change.wait_for(
                    lambda: self._frame is not None or self._ended or self._closed, timeout=self._stall_s
                )
                if self._closed:
                    return
                frame, self._frame = self._frame, None
                if frame is None:
                    if self._error is not None:
                        raise self._error
                    if not arrived:
                        raise DeviceFailed(
                            f"{self.name} has delivered no picture for {self._stall_s:g} s; check its cable"
                        )
                    return
            yield frame

    def close(self) -> None:
        """Stop the thread and close the inner source."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        # A read that hangs in the driver must not hang the program: the daemon thread is left behind.
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_JOIN_S)
            if self._thread.is_alive():
                return
        self._inner.close()

    def _fill(self) -> None:
        try:
            for frame in self._inner:
                with self._change:
                    if self._closed:
                        return
                    self._frame = frame
                    self._change.notify_all()
        except BaseException as error:  # handed over to the reading thread, which raises it
            with self._change:
                self._error = error
        finally:
            with self._change:
                self._ended = True
                self._change.notify_all()
