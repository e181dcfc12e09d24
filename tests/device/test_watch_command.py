"""`croupier watch`: its lines, its JSON and its exit codes, without the network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from device.cameras.source import Source
from device.cli import main
from device.commands.watch import event_as_dict, event_as_line, watch_source
from device.errors import EXIT_BAD_INPUT, EXIT_DEVICE, BadInput, DeviceFailed
from device.readings import die_as_dict
from device.sim import scripted_die
from vision.detection import Reading
from vision.frame import Frame
from vision.sim import DiePath, SimTable, TruthReader
from vision.tracking import Track
from vision.watch import Observation

REST = Observation(
    "rest",
    2_500_000_000,
    75,
    (
        Track(1, scripted_die(4, (10, 20, 30, 30)), moved=True),
        Track(2, scripted_die(2, (60, 20, 30, 30), sure=False), moved=True),
        Track(3, scripted_die(None, (90, 20, 30, 30), cocked=True), moved=False),
        Track(4, scripted_die(1, (90, 80, 30, 30)), moved=False),
    ),
    sure=False,
)


class DrawnSource(Source):
    """A drawn table as a source; it may end with an error or with a fault."""

    name = "drawn"

    def __init__(
        self,
        table: SimTable,
        reader: TruthReader,
        *,
        error: Exception | None = None,
        faults: tuple[str, ...] = (),
    ) -> None:
        self.faults = faults
        self._table, self._reader, self._error = table, reader, error

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._table.frames(1.5, fps=20.0):
            self._reader.t_s = frame.t_ns / 1e9
            yield frame
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        pass


def drawn(**how: object) -> tuple[DrawnSource, TruthReader]:
    table = SimTable(
        width_px=320,
        height_px=240,
        die_px=24.0,
        dice=(DiePath().thrown(0.4, (100, 100), 3, start=(300, 100), takes_s=0.3),),
    )
    reader = TruthReader(table)
    return DrawnSource(table, reader, **how), reader  # type: ignore[arg-type]


def test_a_rest_in_json_has_the_keys_of_the_contract() -> None:
    event = event_as_dict(REST)
    assert list(event) == ["event", "t_s", "frame", "lane", "values", "dice", "sure"]
    assert (event["event"], event["t_s"], event["frame"], event["lane"]) == ("rest", 2.5, 75, 0)
    assert event["values"] == [1, 4]
    assert event["dice"] == [die_as_dict(track.detection) for track in REST.dice]
    assert event["sure"] is False
    json.dumps(event, allow_nan=False)


def test_other_events_in_json_have_time_and_frame() -> None:
    assert event_as_dict(Observation("hand", 1_000_000, 3)) == {"event": "hand", "t_s": 0.001, "frame": 3}
    black = Observation("camera", 0, 0, sure=False, reason="the picture is black")
    assert event_as_dict(black)["reason"] == "the picture is black"


def test_a_line_for_people_never_shows_a_guess() -> None:
    assert event_as_line(REST) == "1 4 ? cocked  (not sure of 1 of 4 dice)"


def test_every_event_is_written_as_it_happens() -> None:
    source, reader = drawn()
    seen: list[Observation] = []
    watch_source(source, reader=reader, write=seen.append)
    assert [one.kind for one in seen] == ["empty", "moving", "rest"]
    assert [track.detection.value for track in seen[-1].dice] == [3]


def test_a_stream_that_breaks_off_gives_its_events_then_a_camera_event_then_the_error() -> None:
    source, reader = drawn(faults=("it broke off", "and worse"))
    seen: list[Observation] = []
    with pytest.raises(BadInput, match=r"it broke off \(and 1 more\)"):
        watch_source(source, reader=reader, write=seen.append)
    assert [one.kind for one in seen] == ["empty", "moving", "rest", "camera", "camera"]
    assert (seen[-2].reason, seen[-2].frame) == ("it broke off", 29)


def test_a_camera_that_fails_gives_its_events_first() -> None:
    source, reader = drawn(error=DeviceFailed("gone"))
    seen: list[Observation] = []
    with pytest.raises(DeviceFailed, match="gone"):
        watch_source(source, reader=reader, write=seen.append)
    assert "rest" in [one.kind for one in seen]


def test_a_camera_counts_its_time_from_the_first_picture() -> None:
    class Live(DrawnSource):
        live = True

        def __iter__(self) -> Iterator[Frame]:
            for frame in super().__iter__():
                yield Frame(frame.image, frame.t_ns + 86_400_000_000_000, frame.index)

    source, reader = drawn()
    live = Live(source._table, reader)
    ends: list[float] = []
    watch_source(live, reader=reader, write=lambda one: ends.append(one.t_s))
    assert 0.9 < ends[-1] < 1.5


class NoDice:
    """A reader for tables without dice."""

    def read(self, image: object, **how: object) -> Reading:
        return Reading(())


def folder_of_frames(tmp_path: Path) -> Path:
    for i, frame in enumerate(SimTable(width_px=160, height_px=120).frames(0.7, fps=20.0)):
        cv2.imwrite(str(tmp_path / f"frame{i}.png"), frame.image)
    return tmp_path


def test_the_command_writes_json_lines_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("vision.reader.Reader", NoDice)
    assert main(["watch", str(folder_of_frames(tmp_path)), "--fps", "20", "--json"]) == 0
    out, err = capfd.readouterr()
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["empty"]
    assert err == ""


def test_the_command_writes_lines_for_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("vision.reader.Reader", NoDice)
    assert main(["watch", str(folder_of_frames(tmp_path)), "--fps", "20"]) == 0
    assert capfd.readouterr().out.split() == ["0.30", "s", "empty"]


def test_a_broken_frame_ends_with_bad_input_after_all_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("vision.reader.Reader", NoDice)
    (folder_of_frames(tmp_path) / "frame3.png").write_bytes(np.zeros(50, np.uint8).tobytes())
    assert main(["watch", str(tmp_path), "--fps", "20", "--json"]) == EXIT_BAD_INPUT
    out, err = capfd.readouterr()
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["empty", "camera"]
    assert err.count("\n") == 1
    assert "frame3.png" in err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["watch", "nowhere.mp4"], EXIT_BAD_INPUT),
        (["watch", "usb:97"], EXIT_DEVICE),
        (["watch"], EXIT_BAD_INPUT),
        (["watch", "nowhere.mp4", "--profile", "table.json"], EXIT_BAD_INPUT),
        (["watch", "nowhere", "--fps", "0"], EXIT_BAD_INPUT),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "Traceback" not in err
