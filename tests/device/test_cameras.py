"""Sources of frames: what they deliver, and what they say when they cannot."""

from __future__ import annotations

import io
import os
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from device.cameras import open_source
from device.cameras.folder import natural_key
from device.cameras.mjpeg import JpegSplitter, MjpegStream
from device.cameras.newest import Newest
from device.cameras.source import Source
from device.errors import EXIT_BAD_INPUT, EXIT_DEVICE, BadInput, DeviceFailed
from vision.frame import Frame, Image


def picture(level: int, *, width: int = 64, height: int = 48) -> Image:
    """A picture with a brighter left half, recognisable by its level."""
    image = np.full((height, width, 3), level, np.uint8)
    image[:, : width // 2] += 20
    return image


def level_of(frame: Frame) -> int:
    return round(float(frame.image[:, -frame.width_px // 4 :].mean()))


def jpeg(level: int, **size: int) -> bytes:
    good, data = cv2.imencode(".jpg", picture(level, **size), [cv2.IMWRITE_JPEG_QUALITY, 95])
    assert good
    return data.tobytes()


def write_video(path: Path, frames: int = 12, *, fps: float = 25.0) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), fps, (64, 48))
    assert writer.isOpened()
    for i in range(frames):
        writer.write(picture(20 + 10 * i % 200))
    writer.release()
    return path


def test_a_video_gives_every_frame_with_the_times_of_the_file(tmp_path: Path) -> None:
    with open_source(str(write_video(tmp_path / "clip.mp4"))) as source:
        frames = list(source)
        assert not source.live
        assert source.faults == ()
    assert [frame.index for frame in frames] == list(range(12))
    assert [frame.t_ns for frame in frames] == [40_000_000 * i for i in range(12)]
    assert [abs(level_of(frame) - 10 * i - 20) <= 6 for i, frame in enumerate(frames)] == [True] * 12


def test_a_video_stands_upright_as_its_rotation_says(tmp_path: Path) -> None:
    path = write_video(tmp_path / "clip.mp4")
    data = bytearray(path.read_bytes())
    # ISO/IEC 14496-12: the display matrix lies 44 bytes after the type of "tkhd"; turned by 90 degrees it is:
    at = data.index(b"tkhd") + 44
    data[at : at + 36] = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 48 << 16, 0, 1 << 30)
    path.write_bytes(data)
    with open_source(str(path)) as source:
        frame = next(iter(source))
    assert (frame.width_px, frame.height_px) == (48, 64)
    assert frame.image[:32].mean() > frame.image[32:].mean() + 10  # the bright left half is now on top


def test_a_video_that_breaks_off_gives_what_is_there_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "clip.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (64, 48))
    for i in range(40):
        writer.write(picture(5 * i + 20))
    writer.release()
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with open_source(str(path)) as source:
        frames = list(source)
        assert 5 <= len(frames) < 30
        (fault,) = source.faults
    assert f"breaks off after frame {len(frames)} of 40" in fault


def test_closing_twice_is_allowed(tmp_path: Path) -> None:
    source = open_source(str(write_video(tmp_path / "clip.mp4")))
    source.close()
    source.close()


def unusable(tmp_path: Path, kind: str) -> str:
    path = tmp_path / f"{kind}.mp4"
    if kind == "empty":
        path.write_bytes(b"")
    elif kind == "text":
        path.write_text("this is no video\n" * 100)
    elif kind == "cut":
        data = write_video(tmp_path / "whole.mp4", 40).read_bytes()
        path.write_bytes(data[: len(data) // 2])
    elif kind == "folder":
        path.mkdir()
        (path / "notes.txt").write_text("no picture")
    elif kind == "photo":
        path = tmp_path / "photo.jpg"
        path.write_bytes(jpeg(90))
    elif kind == "pipe":
        os.mkfifo(path)
    return str(path)


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("missing", "there is no source"),
        ("empty", "is empty"),
        ("text", "no video"),
        ("cut", "no video"),
        ("folder", "has no pictures"),
        ("photo", "croupier read"),
        ("pipe", "not an ordinary file"),
    ],
)
def test_an_unusable_source_is_one_sentence(tmp_path: Path, kind: str, says: str) -> None:
    name = unusable(tmp_path, kind)
    with pytest.raises(BadInput, match=says) as caught, open_source(name) as source:
        list(source)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == EXIT_BAD_INPUT


@pytest.mark.parametrize("text", ["", "usb", "usb:x", "usb:-1"])
def test_a_source_that_is_no_name_is_bad_input(text: str) -> None:
    with pytest.raises(BadInput):
        open_source(text)


def test_a_camera_that_is_not_there_is_a_missing_device() -> None:
    with pytest.raises(DeviceFailed, match="there is no camera usb:97") as caught:
        open_source("usb:97")
    assert caught.value.exit_code == EXIT_DEVICE


def test_picamera_without_its_driver_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "picamera2", None)
    with pytest.raises(DeviceFailed, match="python3-picamera2"):
        open_source("picamera")


def test_a_folder_is_read_in_natural_order(tmp_path: Path) -> None:
    for number in (10, 9, 1):
        (tmp_path / f"frame{number}.png").write_bytes(cv2.imencode(".png", picture(number))[1].tobytes())
    (tmp_path / "notes.txt").write_text("no picture")
    with open_source(str(tmp_path), fps=10.0) as source:
        frames = list(source)
    assert [level_of(frame) for frame in frames] == [1, 9, 10]
    assert [frame.t_ns for frame in frames] == [0, 100_000_000, 200_000_000]


def test_a_damaged_picture_of_a_folder_leaves_a_gap_in_time_and_is_named(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(40 * number))
    (tmp_path / "2.jpg").write_bytes(jpeg(80)[:100])
    with open_source(str(tmp_path), fps=10.0) as source:
        frames = list(source)
        (fault,) = source.faults
    assert [(frame.index, frame.t_ns) for frame in frames] == [(0, 0), (1, 200_000_000)]
    assert "2.jpg" in fault


def test_natural_order_knows_leading_zeros_and_letters() -> None:
    names = ["b2", "a10", "a9", "A1", "a"]
    assert sorted(names, key=natural_key) == ["a", "A1", "a9", "a10", "b2"]


def with_thumbnail(level: int) -> bytes:
    """A JPEG that holds a whole other JPEG in an APP1 segment, as cameras write it."""
    inner = jpeg(200, width=16, height=16)
    whole = jpeg(level)
    return whole[:2] + b"\xff\xe1" + (len(inner) + 2).to_bytes(2, "big") + inner + whole[2:]


@pytest.mark.parametrize("chunk", [1, 7, 1000, 1_000_000])
def test_the_splitter_finds_every_picture_however_the_bytes_arrive(chunk: int) -> None:
    pictures = [jpeg(30), with_thumbnail(60), jpeg(90)]
    stream = (
        b"junk\xff"
        + pictures[0]
        + b"\r\n--frame\r\nContent-Type: image/jpeg\r\n\r\n"
        + b"".join(pictures[1:])
    )
    splitter = JpegSplitter()
    found = [one for at in range(0, len(stream), chunk) for one in splitter.push(stream[at : at + chunk])]
    assert found == pictures
    assert not splitter.unfinished


def test_a_picture_cut_off_by_the_next_one_is_dropped() -> None:
    splitter = JpegSplitter()
    assert splitter.push(jpeg(30)[:-40] + jpeg(60)) == [jpeg(60)]


def test_mjpeg_gives_frames_and_counts_what_was_damaged() -> None:
    bad = bytearray(jpeg(60))
    bad[bad.index(b"\xff\xc0") + 5 : bad.index(b"\xff\xc0") + 9] = b"\0\0\0\0"  # no height and no width
    stream = MjpegStream(io.BytesIO(jpeg(30) + bytes(bad) + jpeg(90) + jpeg(120)[:200]), fps=10.0)
    frames = list(stream)
    assert [abs(level_of(frame) - level) <= 2 for frame, level in zip(frames, (30, 90), strict=True)] == [
        True,
        True,
    ]
    assert [frame.t_ns for frame in frames] == [0, 200_000_000]
    assert stream.faults == (
        "1 of 3 pictures of the stream were damaged and left out",
        "the stream broke off in the middle of a picture, after frame 1",
    )


@pytest.mark.parametrize("data", [b"", b"no pictures here" * 50])
def test_a_stream_without_pictures_is_bad_input(data: bytes) -> None:
    with pytest.raises(BadInput, match="MJPEG"):
        list(MjpegStream(io.BytesIO(data), fps=10.0))


def test_a_pipe_takes_the_time_of_arrival() -> None:
    ticks = iter([100, 250])
    frames = list(MjpegStream(io.BytesIO(jpeg(30) + jpeg(60)), clock_ns=lambda: next(ticks)))
    assert [frame.t_ns for frame in frames] == [100, 250]


class StepByStep(Source):
    """A live source that lets the test decide when the next frame comes."""

    name = "steps"
    live = True

    def __init__(self, frames: int, *, error: Exception | None = None) -> None:
        self.faults: tuple[str, ...] = ()
        self.closed = 0
        self.go = threading.Semaphore(0)
        self.taken = threading.Semaphore(0)
        self._frames = frames
        self._error = error

    def __iter__(self) -> Iterator[Frame]:
        for index in range(self._frames):
            self.go.acquire()
            yield Frame(picture(10), index, index)
            self.taken.release()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        self.closed += 1


def test_the_newest_frame_wins() -> None:
    inner = StepByStep(5)
    with Newest(inner, stall_s=60.0) as source:
        frames = iter(source)
        inner.go.release()
        assert next(frames).index == 0
        inner.go.release(4)
        for _ in range(5):
            inner.taken.acquire()
        assert [frame.index for frame in frames] == [4]
    assert inner.closed == 1


def test_what_the_camera_raises_reaches_the_reader() -> None:
    inner = StepByStep(1, error=DeviceFailed("the camera stopped"))
    inner.go.release()
    with Newest(inner, stall_s=60.0) as source, pytest.raises(DeviceFailed, match="the camera stopped"):
        list(source)


def test_a_camera_that_delivers_nothing_has_stalled() -> None:
    inner = StepByStep(1)
    source = Newest(inner, stall_s=0.01)
    with pytest.raises(DeviceFailed, match=r"no picture for 0\.01 s"):
        list(source)
    inner.go.release()
    source.close()
    source.close()
