"""`croupier play`, `games` and `demo`: drawn frames through the real watcher, and what users meet."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path

import cv2
import numpy as np
import pytest

from device.cameras import Source
from device.cli import main
from device.commands.demo import compared
from device.displays.recording import RecordingDisplay
from device.playing import Wanted, play_game, run
from device.session import Session
from device.sim import ScriptedTable, ScriptedWatcher
from device.store import FILE_NAME, GameHeader, open_reader, open_writer
from scorer.referee import new_referee
from scorer.rules import preset
from vision.frame import Frame
from vision.sim import DiePath, HandPath, SimTable, TruthReader
from vision.watch import Observation, TableWatcher

PLAYERS = ("Anna", "Ben")
PLACES = ((120.0, 150.0), (230.0, 120.0), (340.0, 160.0), (450.0, 130.0), (180.0, 280.0), (420.0, 290.0))
OTHERS = ((150.0, 200.0), (270.0, 190.0), (380.0, 210.0), (490.0, 200.0), (230.0, 350.0), (370.0, 360.0))


class DrawnSource(Source):
    """A drawn table as a camera."""

    def __init__(self, table: SimTable, seconds: float) -> None:
        self.name = "drawn"
        self._table, self._seconds = table, seconds

    def __iter__(self) -> Iterator[Frame]:
        return self._table.frames(self._seconds)

    def close(self) -> None:
        pass


class TruthWatcher(TableWatcher):
    """The real watcher with a reader that knows what lies on the drawn table."""

    def __init__(self, table: SimTable) -> None:
        self._truth = TruthReader(table)
        super().__init__(self._truth)

    def push(self, frame: Frame) -> tuple[Observation, ...]:
        self._truth.t_s = frame.t_ns / 1e9
        return super().push(frame)


def reach(t_s: float, to: tuple[float, float]) -> HandPath:
    """A hand that comes from below, is at `to` at `t_s` and leaves again."""
    outside = (320.0, 620.0)
    points = ((t_s - 0.5, outside), (t_s - 0.1, to), (t_s + 0.2, to), (t_s + 0.6, outside))
    return HandPath(points, shoulder=(320.0, 900.0))


def a_game() -> SimTable:
    """Anna throws, keeps three 6s, throws three, passes; Ben throws; all as drawn frames over 12 seconds."""
    first = (6, 6, 6, 2, 3, 4)
    second = {3: 1, 4: 2, 5: 3}
    third = (5, 2, 2, 3, 4, 6)
    start = (320.0, 560.0)
    dice = []
    for die in range(6):
        path = DiePath().thrown(0.8, PLACES[die], first[die], start=start, angle_rad=0.2 + 0.3 * die)
        if die in second:
            path = path.lifted(3.5).thrown(4.6, OTHERS[die], second[die], start=start)
        path = path.lifted(7.0).thrown(8.2, PLACES[5 - die], third[die], start=start, angle_rad=0.5)
        dice.append(path)
    hands = (reach(3.5, (320.0, 330.0)), reach(7.0, (320.0, 330.0)))
    return SimTable(tuple(dice), hands)


def test_frames_become_totals_on_disk(tmp_path: Path) -> None:
    table = a_game()
    rules = preset("farkle")
    said: list[Mapping[str, object]] = []
    with open_writer(tmp_path) as store:
        header = GameHeader("farkle", "farkle", rules.settings(), PLAYERS, "drawn", "2026-01-02T20:00:00")
        session = Session(
            new_referee(rules, PLAYERS),
            store=store,
            game=store.begin(header),
            display=RecordingDisplay(),
            title="Farkle",
            emit=said.append,
        )
        run(DrawnSource(table, 12.0), TruthWatcher(table), session)
        assert [(each["event"], sorted(each["values"])) for each in said] == [  # type: ignore[call-overload]
            ("rolled", [2, 3, 4, 6, 6, 6]),
            ("set_aside", [6, 6, 6]),
            ("rolled", [1, 2, 3]),
            ("set_aside", [1]),
            ("banked", []),
            ("rolled", [2, 2, 3, 4, 5, 6]),
        ]
        assert session.final()["totals"] == {"Anna": 700, "Ben": 0}
        assert session.final()["certain"] is True
        rolls = [record for record in store.records(1) if record.event[0] == "rolled"]
        assert len(rolls) == 3
        # The evidence is the frame in which the dice lay still: a later frame of the rest looks the same.
        for record in rolls:
            assert record.evidence is not None
            kept = cv2.imread(str(tmp_path / record.evidence))
            assert kept is not None
            drawn = table.image(record.t_ns / 1e9)
            assert np.abs(kept.astype(float) - drawn.astype(float)).mean() < 6.0
        assert store.verify() == ()


# The commands


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    folder = tmp_path / "frames"
    folder.mkdir()
    for index in range(32):
        cv2.imwrite(str(folder / f"{index:04d}.png"), np.full((48, 64, 3), 90, np.uint8))
    return folder


@pytest.fixture
def played(frames: Path, tmp_path: Path) -> Path:
    """A store with one finished game."""
    script = ScriptedTable()
    watcher = ScriptedWatcher(
        [
            script.throw(1, 1, 1, 1, 1, 2),
            script.throw(2, 2, 3, 3, 4, 6),
            script.throw(1, 5, 2, 3, 4, 6),
        ]
    )
    wanted = Wanted(
        "farkle",
        str(frames),
        PLAYERS,
        settings=("target=2000", "final_round=true"),
        displays=("none",),
        store=tmp_path / "store",
        fps=30.0,
    )
    final = play_game(wanted, watcher=watcher)
    assert final["winners"] == ["Anna"]
    return tmp_path / "store"


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(list(arguments)) == code
    return capsys.readouterr().out


def test_games_are_listed_shown_and_exported(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = ("--store", str(played))
    listed = said(capsys, "games", "list", *store)
    assert "Anna 2000, Ben 0" in listed
    assert "won by Anna" in listed
    row = json.loads(said(capsys, "games", "list", "--json", *store))
    assert row["totals"] == {"Anna": 2000, "Ben": 0}
    assert row["finished"] is True
    shown = said(capsys, "games", "show", "1", *store)
    assert "rolled 1 1 1 1 1 2" in shown
    assert "set_aside 1 1 1 1 1" in shown
    data = json.loads(said(capsys, "games", "show", "1", "--json", *store))
    assert data["state"]["winners"] == ["Anna"]
    assert data["events"][0]["event"] == ["rolled", [1, 1, 1, 1, 1, 2]]
    assert "nothing was changed" in said(capsys, "games", "verify", *store)


def test_an_exported_game_is_replayed_to_the_same_totals(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exported = said(capsys, "games", "export", "1", "--store", str(played))
    (tmp_path / "game.json").write_text(exported)
    again = json.loads(said(capsys, "replay", str(tmp_path / "game.json"), "--json"))
    assert again["totals"] == {"Anna": 2000, "Ben": 0}


def test_verify_says_no_when_something_was_changed(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import sqlite3

    connection = sqlite3.connect(played / FILE_NAME)
    with connection:
        connection.execute(
            "UPDATE events SET body = replace(body, '1,1,1,1,1,2', '1,1,1,1,1,1') WHERE seq = 0"
        )
    connection.close()
    text = said(capsys, "games", "verify", "--store", str(played), code=1)
    assert text.startswith("game 1: event 0: ")
    data = json.loads(said(capsys, "games", "verify", "--json", "--store", str(played), code=1))
    assert data["ok"] is False


@pytest.mark.parametrize(
    "arguments",
    [
        ("games", "list"),
        ("games", "show", "1"),
        ("games", "export", "1"),
        ("games", "verify"),
    ],
)
def test_no_store_is_one_sentence(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--store", str(tmp_path / "none")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "none").exists()


def test_a_game_that_is_not_there_is_one_sentence(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "show", "9", "--store", str(played)]) == 2
    assert "no game 9" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("chess", "--source", "x"), "no game 'chess'"),
        (("farkle", "--source", "none.mp4", "--players", "Anna,Ben"), "no source none.mp4"),
        (("farkle", "--source", "FRAMES"), "who plays"),
        (("farkle", "--source", "FRAMES", "--players", "Anna"), "two players"),
        (("farkle", "--source", "FRAMES", "--players", "Anna,"), "name"),
        (("farkle", "--source", "FRAMES", "--players", "Anna,Anna"), "Anna"),
        (("farkle", "--source", "FRAMES", "--players", "Anna,Ben", "--preset", "farkel"), "farkle"),
        (("farkle", "--source", "FRAMES", "--players", "Anna,Ben", "--set", "openning=1"), "opening"),
        (("farkle", "--source", "FRAMES", "--players", "Anna,Ben", "--display", "lcd"), "no display 'lcd'"),
        (
            ("farkle", "--source", "FRAMES", "--players", "Anna,Ben", "--profile", "p.json"),
            "no profile p.json",
        ),
        (("farkle", "--players", "Anna,Ben"), "--source"),
        (("farkle", "--source", "FRAMES", "--players", "Anna,Ben", "--fps", "-3"), "frames a second"),
    ],
)
def test_what_cannot_be_played_is_one_sentence_and_leaves_nothing(
    arguments: tuple[str, ...],
    says: str,
    frames: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CROUPIER_STORE", str(tmp_path / "store"))
    words = [str(frames) if word == "FRAMES" else word for word in arguments]
    assert main(["play", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "store").exists()


def test_a_store_that_cannot_be_made_is_one_sentence(
    frames: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine")
    store = str(tmp_path / "file")
    assert main(["play", "farkle", "--source", str(frames), "--players", "A,B", "--store", store]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert (tmp_path / "file").read_text() == "mine"


# The comparison at the end of the demonstration


TRUTH: Mapping[str, object] = {
    "events": [["rolled", [6, 6, 6, 1, 2, 3]], ["set_aside", [6, 6, 6]], ["rolled", [2, 3, 4]]],
    "totals": {"Anna": 0, "Ben": 0},
}
SEEN: list[Mapping[str, object]] = [
    {"event": "rolled", "values": [1, 2, 3, 6, 6, 6]},
    {"event": "set_aside", "values": [6, 6, 6]},
    {"event": "rolled", "values": [4, 3, 2]},
]
FINAL: Mapping[str, object] = {"totals": {"Anna": 0, "Ben": 0}}


def test_the_demonstration_says_what_was_right() -> None:
    verdict = compared(TRUTH, [*SEEN], FINAL)
    assert verdict.right
    assert verdict.lines[0] == "throws: 2 of 2 right"
    assert verdict.lines[-1] == "Everything was seen as it was."


@pytest.mark.parametrize(
    ("seen", "final"),
    [
        (SEEN[:2], FINAL),
        ([*SEEN, SEEN[2]], FINAL),
        ([SEEN[0], SEEN[1], {"event": "rolled", "values": [4, 3, 3]}], FINAL),
        (SEEN, {"totals": {"Anna": 50, "Ben": 0}}),
        ([], FINAL),
    ],
)
def test_the_demonstration_does_not_flatter(
    seen: list[Mapping[str, object]], final: Mapping[str, object]
) -> None:
    verdict = compared(TRUTH, seen, final)
    assert not verdict.right
    assert verdict.lines[-1] == "NOT everything was seen as it was."


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Path, list[dict[str, object]]]:
    """The demonstration, run once with the real network: exit code, folder, what it said as JSON."""
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [sys.executable, "-m", "device", "demo", "--json", "--out", str(folder)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    return done.returncode, folder, [json.loads(line) for line in done.stdout.splitlines()]


def test_the_demonstration_leaves_its_pictures_and_a_sound_store(
    demonstration: tuple[int, Path, list[dict[str, object]]],
) -> None:
    code, folder, lines = demonstration
    assert code == 0
    assert lines[-1]["right"] is True
    capture = cv2.VideoCapture(str(folder / "game.mp4"))
    assert capture.get(cv2.CAP_PROP_FRAME_COUNT) > 100
    capture.release()
    assert cv2.imread(str(folder / "scoreboard.png")) is not None
    with open_reader(folder / "store") as store:
        assert store.verify() == ()


def test_the_demonstration_is_read_event_for_event(
    demonstration: tuple[int, Path, list[dict[str, object]]],
) -> None:
    _, _, lines = demonstration
    truth = json.loads((resources.files("models.synth") / "demo" / "truth.json").read_text())
    wanted = [(event[0], sorted(event[1]) if len(event) > 1 else []) for event in truth["events"]]
    seen = [(line["event"], sorted(line["values"])) for line in lines if "points" in line]  # type: ignore[call-overload]
    assert seen == wanted
    final = lines[-2]
    assert final["certain"] is True
    assert final["totals"] == truth["totals"]
