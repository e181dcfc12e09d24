"""Live cameras: locked exposure, stalls and unplugged cables, cameras in the network.

The tests marked `rig` run the real Picamera2 and take a minute: CROUPIER_RIG=1 asks for them.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.cameras import is_live, open_source
from device.cameras.network import HttpCamera, open_url, without_password
from device.cameras.newest import STALL_S, Newest
from device.cameras.picamera import FLICKER_US, SIZE_PX, PiCamera
from device.cameras.reopening import Reopening
from device.cameras.source import Source
from device.errors import BadInput, DeviceFailed
from tests.device.test_cameras import jpeg, level_of
from vision.frame import Frame


class FakeRequest:
    """A frame of Picamera2 with its metadata."""

    def __init__(self, camera: FakePicamera) -> None:
        self._camera = camera
        self.metadata = camera.next_metadata()

    def make_array(self, stream: str) -> np.ndarray:
        assert stream == "main"
        return np.full((48, 64, 3), self._camera.frame % 250, np.uint8)

    def get_metadata(self) -> Mapping[str, Any]:
        return self.metadata

    def release(self) -> None:
        self._camera.borrowed -= 1


class FakePicamera:
    """Picamera2 as far as it is used: exposure settles slowly, and follows one of the two ways to lock."""

    def __init__(self, *, obeys: str = "AeEnable", settles: bool = True, lens: bool = True) -> None:
        self.camera_controls: dict[str, tuple[Any, Any, Any]] = dict.fromkeys(
            ("FrameDurationLimits", "AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains"),
            (0, 1, 0),
        )
        self.camera_controls |= dict.fromkeys(("AeFlickerMode", "AeFlickerPeriod"), (0, 1, 0))
        self.camera_controls |= dict.fromkeys(("ExposureTimeMode", "AnalogueGainMode"), (0, 1, 0))
        self.camera_controls["ScalerCrop"] = ((0, 0, 64, 64), (0, 0, 4000, 3000), (0, 0, 4000, 3000))
        if lens:
            self.camera_controls |= dict.fromkeys(("AfMode", "AfTrigger", "LensPosition"), (0, 1, 0))
        self.obeys = obeys
        self.settles = settles
        self.frame = 0
        self.borrowed = 0
        self.set: dict[str, Any] = {}
        self.configured: Mapping[str, Any] = {}
        self.closed = False
        self.stalled = False

    def create_video_configuration(self, **settings: Any) -> Mapping[str, Any]:
        return settings

    def configure(self, settings: Mapping[str, Any]) -> None:
        self.configured = settings

    def start(self) -> None:
        """Begin."""

    def set_controls(self, controls: Mapping[str, Any]) -> None:
        unknown = set(controls) - set(self.camera_controls)
        assert not unknown, unknown
        self.set |= controls

    def next_metadata(self) -> Mapping[str, Any]:
        self.frame += 1
        locked = self.set.get("AeEnable") is False if self.obeys == "AeEnable" else False
        locked = locked or (self.obeys == "modes" and self.set.get("ExposureTimeMode") == 1)
        drift = 1.0 + (0.5 / self.frame if self.settles else 0.2 * (self.frame % 2))
        metadata: dict[str, Any] = {
            "SensorTimestamp": self.frame * 33_333_000,
            "ExposureTime": self.set["ExposureTime"] if locked else round(9000 * drift),
            "AnalogueGain": self.set["AnalogueGain"] if locked else 2.0 * drift,
            "ColourGains": self.set["ColourGains"] if locked else (1.5 * drift, 2.5),
        }
        if not locked and self.obeys == "nothing":
            metadata["ExposureTime"] = 9000 * (1 + self.frame // 40)
            metadata["AnalogueGain"] = 2.0 if self.set.get("AwbEnable", True) else 8.0
        if "LensPosition" in self.camera_controls:
            metadata["LensPosition"] = self.set.get("LensPosition", 1.4)
        return metadata

    def capture_request(self, *, wait: bool) -> object:
        assert not wait
        return object()

    def wait(self, job: object, timeout: float) -> FakeRequest:
        assert timeout < 5.0
        if self.stalled:
            raise TimeoutError
        self.borrowed += 1
        assert self.borrowed == 1  # every frame is given back before the next
        return FakeRequest(self)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("obeys", ["AeEnable", "modes"])
def test_exposure_colour_and_focus_are_locked_once_they_have_settled(obeys: str) -> None:
    fake = FakePicamera(obeys=obeys)
    with PiCamera(make_camera=lambda: fake) as camera:
        assert camera.locked is not None
        assert camera.locked.held
        assert 9000 <= camera.locked.exposure_us < 9500  # not that of the first frames, 13500
        assert camera.locked.lens == 1.4
        assert fake.set["AfMode"] == 0
        assert (fake.set["AeFlickerMode"], fake.set["AeFlickerPeriod"]) == (1, FLICKER_US)
        frames = [frame for frame, _ in zip(camera, range(5), strict=False)]
    assert fake.closed
    assert [frame.index for frame in frames] == list(range(5))
    assert np.diff([frame.t_ns for frame in frames]).tolist() == [33_333_000] * 4
    assert fake.configured["main"] == {"size": SIZE_PX, "format": "RGB888"}


def test_a_camera_that_does_not_keep_its_exposure_is_told_apart(caplog: pytest.LogCaptureFixture) -> None:
    with PiCamera(make_camera=lambda: FakePicamera(obeys="nothing", lens=False)) as camera:
        assert camera.locked is not None
        assert not camera.locked.held
        assert camera.locked.lens is None
    assert "does not keep its exposure" in caplog.text


def test_an_exposure_that_never_settles_is_locked_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    with PiCamera(make_camera=lambda: FakePicamera(settles=False)) as camera:
        assert camera.locked is not None
        assert camera.locked.held
    assert "has not settled" in caplog.text


def test_the_table_is_cut_out_of_the_sensor() -> None:
    fake = FakePicamera()
    PiCamera(make_camera=lambda: fake, crop=(0.25, 0.1, 0.5, 0.8), lock=False).close()
    assert fake.set["ScalerCrop"] == (1000, 300, 2000, 2400)


def test_a_stalled_pi_camera_is_one_sentence() -> None:
    fake = FakePicamera()
    with PiCamera(make_camera=lambda: fake) as camera:
        fake.stalled = True
        with pytest.raises(DeviceFailed, match="ribbon cable"):
            next(iter(camera))
    fake = FakePicamera()
    fake.stalled = True
    with pytest.raises(DeviceFailed, match="no picture for 4 s"):
        PiCamera(make_camera=lambda: fake)
    assert fake.closed


# Stalled, unplugged, back again


class Scripted(Source):
    """A camera that gives some frames and then breaks, or ends."""

    live = True
    name = "usb:0"

    def __init__(self, frames: int, error: Exception | None = None, start_ns: int = 0) -> None:
        self.faults: tuple[str, ...] = ()
        self.closed = False
        self._frames = frames
        self._error = error
        self._start_ns = start_ns

    def __iter__(self) -> Iterator[Frame]:
        for index in range(self._frames):
            yield Frame(np.zeros((48, 64, 3), np.uint8), self._start_ns + index, index)
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        self.closed = True


class Bench:
    """Cameras one after the other; an error in place of one is raised when it is opened."""

    def __init__(self, *cameras: Scripted | Exception) -> None:
        self.left = list(cameras)
        self.opened: list[Scripted] = []
        self.said: list[str] = []
        self.waits: list[float] = []

    def open(self) -> Source:
        camera = self.left.pop(0) if self.left else Scripted(0)
        if isinstance(camera, Exception):
            raise camera
        self.opened.append(camera)
        return camera

    def source(self, **settings: Any) -> Reopening:
        source = Reopening(self.open, tell=self.said.append, **settings)
        source.wait = self.waits.append  # type: ignore[method-assign, assignment]  # the test's own clock
        return source


GONE = DeviceFailed("usb:0 has delivered no picture for 4 s; check its cable")


def test_an_unplugged_camera_is_opened_again_and_the_frames_go_on() -> None:
    missing = DeviceFailed("there is no camera usb:0")
    bench = Bench(Scripted(3, GONE), missing, missing, Scripted(2, GONE, 50), Scripted(4, None, 7))
    frames = []
    with bench.source() as source:
        for frame in source:
            frames.append(frame)
            if len(frames) == 9:
                break
    assert [frame.index for frame in frames] == list(range(9))
    times = [frame.t_ns for frame in frames]
    assert times == sorted(set(times))  # also where the clock of the new camera is behind
    assert source.restarts == 2
    assert bench.waits == [1.0, 1.0]
    assert all(camera.closed for camera in bench.opened)
    assert [sentence.split(".")[0] for sentence in bench.said] == [
        "usb:0 has delivered no picture for 4 s; check its cable",
        "The camera is back",
    ] * 2
    assert "the game goes on when it is back" in bench.said[0]


def test_a_camera_that_is_missing_at_the_start() -> None:
    missing = DeviceFailed("there is no camera usb:0")
    with pytest.raises(DeviceFailed, match="no camera"):
        Bench(missing).source()
    bench = Bench(missing, missing, Scripted(1))
    with bench.source(patient=True) as source:
        assert next(iter(source)).index == 0
    assert bench.said == ["The camera is back."]


def test_a_camera_that_stays_away_can_be_given_up() -> None:
    missing = DeviceFailed("there is no camera usb:0")
    bench = Bench(Scripted(1, GONE), *[missing] * 9)
    with bench.source(give_up_s=5.0) as source, pytest.raises(DeviceFailed, match="within 5 s: there is no"):
        list(source)


def test_a_stall_is_noticed_behind_the_mailbox() -> None:
    assert STALL_S + 1.0 <= 5.0  # with the attempt to open it again
    release = threading.Event()

    class Hanging(Scripted):
        def __iter__(self) -> Iterator[Frame]:
            yield from super().__iter__()
            release.wait(60.0)

    cameras = iter([Newest(Hanging(1), stall_s=0.05), Newest(Scripted(1), stall_s=60.0)])
    said: list[str] = []
    with Reopening(lambda: next(cameras), tell=said.append) as source:
        frames = iter(source)
        assert next(frames).index == 0
        release.set()  # the hanging thread may end now; that it was late is known
        assert next(frames).index == 1
    assert "no picture for 0.05 s" in said[0] or "has ended" in said[0]


# Cameras in the network


class Camera(BaseHTTPRequestHandler):
    """A phone that shows what it sees at /video, behind a password at /closed, and a page at /."""

    pictures = (60, 90, 120)

    def do_GET(self) -> None:
        if self.path == "/closed" and self.headers.get("Authorization") is None:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="camera"')
            self.end_headers()
            return
        if self.path == "/":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            return
        if self.path == "/gone":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        for level in self.pictures:
            data = jpeg(level)
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
            self.wfile.write(head.encode() + data + b"\r\n")

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Camera)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("path", ["/video", "/closed"])
def test_a_camera_in_the_network(address: str, path: str) -> None:
    url = address.replace("http://", "http://me:secret@") + path if path == "/closed" else address + path
    levels: list[int] = []
    with HttpCamera(url) as camera:
        assert "secret" not in camera.name
        with pytest.raises(DeviceFailed, match="has ended its stream"):
            levels.extend(level_of(frame) for frame in camera)
    assert np.allclose(levels, Camera.pictures, atol=4)


@pytest.mark.parametrize(
    ("path", "says"),
    [("/", "sends text/html"), ("/gone", "answers 404"), ("/closed", "NAME:PASSWORD")],
)
def test_what_is_no_camera_is_one_sentence(address: str, path: str, says: str) -> None:
    with pytest.raises(DeviceFailed, match=says) as caught:
        open_url(address + path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/video", "rtsp://127.0.0.1:9/1", "http://["])
def test_nobody_answers(url: str) -> None:
    with pytest.raises((DeviceFailed, BadInput)) as caught:
        open_source(url)
    assert "\n" not in str(caught.value)


def test_addresses() -> None:
    with pytest.raises(BadInput, match="ftp://camera/1 is no camera"):
        open_url("ftp://me:secret@camera/1")
    assert without_password("http://me:secret@camera:8080/video?x=1") == "http://camera:8080/video?x=1"
    assert [is_live(text) for text in ("picamera", "usb:1", "rtsp://a", "a.mp4", "-")] == [
        *(True, True, True, False, False)
    ]


# The real Picamera2, on libcamera's virtual camera


@pytest.fixture(scope="session")
def rig() -> Callable[..., list[dict[str, Any]]]:
    """Runs `picamera_in_the_rig.py` there; skips where the rig is not on this machine, or was never built."""
    root = Path(__file__).resolve().parents[2]
    shared = Path(os.environ.get("CROUPIER_SHARED", root.parent / "shared"))
    runner = shared / "rigs" / "picamera2" / "run.sh"
    tree = Path(os.environ.get("CROUPIER_RIG_CACHE", "/var/tmp/croupier-rigs")) / "picamera2-trixie" / "stamp"
    if not os.environ.get("CROUPIER_RIG"):
        pytest.skip("needs a minute and the Picamera2 rig: ask for it with CROUPIER_RIG=1")
    if not runner.is_file() or not tree.is_file() or os.geteuid() != 0:
        pytest.skip("the Picamera2 rig is not on this machine (or not built, or this is not root)")

    def run(scene: str, **switches: str) -> list[dict[str, Any]]:
        done = subprocess.run(
            [str(runner), ":example", "--", "python", "-m", "tests.device.picamera_in_the_rig", scene],
            cwd=root,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **switches},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    return run


@pytest.mark.rig
def test_the_real_picamera2_is_locked_and_stamped(rig: Callable[..., list[dict[str, Any]]]) -> None:
    (told,) = rig("frames")
    assert told["indices"] == list(range(10))
    assert all(gap > 10 for gap in told["gaps_ms"])  # of the sensor: a busy machine misses frames
    assert told["size"] == [960, 1280]
    assert told["locked"]["held"]
    assert told["controls"]["AeFlickerPeriod"] == FLICKER_US
    assert told["controls"]["AwbEnable"] is False


@pytest.mark.rig
def test_a_stalled_real_picamera2_is_opened_again_within_five_seconds(
    rig: Callable[..., list[dict[str, Any]]],
) -> None:
    (told,) = rig("stall", RIG_STALL_AFTER="40", RIG_STALL_TIMES="1")
    assert told["restarts"] == 1
    assert told["frames"] >= 15
    assert told["gap_s"] > 4.0
    assert "no picture for 4 s" in told["said"][0]
    assert told["said"][-1] == "The camera is back."


@pytest.mark.rig
def test_a_missing_real_camera_is_one_sentence(rig: Callable[..., list[dict[str, Any]]]) -> None:
    (told,) = rig("missing", RIG_FAIL_OPEN="missing")
    assert "does not start" in told["error"]
    (told,) = rig("late", RIG_FAIL_OPEN="busy", RIG_FAIL_OPEN_TIMES="2")
    assert told["said"] == ["The camera is back."]
    assert told["frames"] == 3
