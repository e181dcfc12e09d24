"""JPEG pictures one after the other in a stream of bytes, as cameras and converters write them to a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import BinaryIO

import numpy as np

from device.cameras.source import Source
from device.errors import BadInput
from vision.frame import Frame, Image

_START = b"\xff\xd8\xff"
_SCAN = 0xDA
_END = 0xD9
_ALONE = frozenset((0x01, *range(0xD0, 0xD8)))
"""Markers without a length: TEM and the restart markers (ITU-T T.81, table B.1)."""
CHUNK = 1 << 16
MAX_PICTURE = 1 << 26
"""Bytes after which something that has no end is no picture."""


class JpegSplitter:
    """Cuts a stream of bytes into whole JPEG files; anything between them (MIME borders, noise) is dropped.

    It walks from marker to marker, so that a thumbnail inside a picture does not end it.
    """

    def __init__(self) -> None:
        """Start with an empty buffer."""
        self._buffer = bytearray()
        self._at = 0
        self._in_scan = False

    def push(self, data: bytes) -> list[bytes]:
        """Add bytes; the pictures that they complete, in order."""
        self._buffer += data
        pictures: list[bytes] = []
        while (picture := self._next()) is not None:
            pictures.append(picture)
        return pictures

    @property
    def unfinished(self) -> bool:
        """Whether a picture has begun that has not ended."""
        return self._at > 0

    def _next(self) -> bytes | None:
        while True:
            if self._at == 0 and not self._find_start():
                return None
            end = self._find_end()
            if end is None:
                if len(self._buffer) <= MAX_PICTURE:
                    return None
                self._skip(len(_START))
            elif end < 0:
                self._skip(len(_START))
            else:
                picture = bytes(self._buffer[:end])
                self._skip(end)
                return picture

    def _skip(self, count: int) -> None:
        del self._buffer[:count]
        self._at, self._in_scan = 0, False

    def _find_start(self) -> bool:
        start = self._buffer.find(_START)
        if start < 0:
            del self._buffer[: max(0, len(self._buffer) - len(_START) + 1)]
            return False
        del self._buffer[:start]
        self._at, self._in_scan = 2, False
        return True

    def _find_end(self) -> int | None:
        """Offset behind the end marker; None while it has not come; -1 where this is no JPEG."""
        buffer = self._buffer
        while True:
            if self._in_scan:
                marker_at = buffer.find(b"\xff", self._at)
                if marker_at < 0:
                    self._at = len(buffer)
                    return None
                self._at = marker_at
            if self._at + 2 > len(buffer):
                return None
            if buffer[self._at] != 0xFF:
                return -1
            marker = buffer[self._at + 1]
            if marker == 0xFF:  # fill byte
                self._at += 1
            elif marker == _END:
                return self._at + 2
            elif marker in _ALONE or (self._in_scan and marker == 0x00):  # 0xFF00 is the byte 0xFF itself
                self._at += 2
            elif marker == 0xD8 or marker == 0x00:  # another picture begins: the last one was cut off
                return -1
            else:
                if self._at + 4 > len(buffer):
                    return None
                length = int.from_bytes(buffer[self._at + 2 : self._at + 4], "big")
                if length < 2:
                    return -1
                if self._at + 2 + length > len(buffer):
                    return None
                self._at += 2 + length
                self._in_scan = marker == _SCAN


class MjpegStream(Source):
    """Frames from a binary stream such as standard input."""

    name = "-"

    def __init__(
        self,
        stream: BinaryIO,
        *,
        fps: float | None = None,
        clock_ns: Callable[[], int] | None = None,
    ) -> None:
        """Read from `stream`; times come from `fps`, or from `clock_ns` when a picture is complete."""
        if (fps is None) == (clock_ns is None):
            raise ValueError("give either fps or clock_ns")
        self._stream = stream
        self._fps = fps
        self._clock_ns = clock_ns
        self.live = clock_ns is not None
        self.faults: tuple[str, ...] = ()
        self._damaged = 0
        self._open = True

    def __iter__(self) -> Iterator[Frame]:
        """Yield a frame for each whole picture; damaged ones leave a gap and are counted in `faults`."""
        splitter = JpegSplitter()
        place = index = received = 0
        while self._open and (data := _read_some(self._stream)):
            received += len(data)
            for picture in splitter.push(data):
                t_ns = self._clock_ns() if self._clock_ns else round(place * 1e9 / (self._fps or 1.0))
                place += 1
                image = _decoded(picture)
                if image is None:
                    self._damaged += 1
                    continue
                yield Frame(image, t_ns, index)
                index += 1
        if not self._open:
            return
        if index == 0:
            what = "nothing came" if received == 0 else f"{received} bytes came, but no whole JPEG picture"
            raise BadInput(f"standard input should be MJPEG (JPEG pictures one after the other); {what}")
        if self._damaged:
            self.faults += (f"{self._damaged} of {place} pictures of the stream were damaged and left out",)
        if splitter.unfinished:
            self.faults += (f"the stream broke off in the middle of a picture, after frame {index - 1}",)

    def close(self) -> None:
        """Stop reading; the stream itself belongs to whoever opened it."""
        self._open = False


def _read_some(stream: BinaryIO) -> bytes:
    """What has arrived, at least one byte; empty at the end. (`read` would wait for a full chunk.)"""
    read1 = getattr(stream, "read1", None)
    data: bytes = read1(CHUNK) if read1 is not None else stream.read(CHUNK)
    return data


def _decoded(data: bytes) -> Image | None:
    """The picture as (H, W, 3) uint8 BGR, or None where it is damaged."""
    from PIL import Image as Pillow

    try:
        with Pillow.open(BytesIO(data), formats=("JPEG", "MPO")) as picture:
            rgb = np.asarray(picture.convert("RGB"))
    except Exception:  # Pillow reports damage as OSError, SyntaxError, ValueError, struct.error and more
        return None
    return np.ascontiguousarray(rgb[:, :, ::-1])
