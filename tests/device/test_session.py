"""From observations to events on disk, JSON and displays; killed in the middle and taken up again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from device.displays.recording import RecordingDisplay
from device.displays.view import points_text
from device.errors import BadInput, DeviceFailed
from device.gamelog import document_of
from device.playing import Wanted, names_of, play_game
from device.session import Session
from device.sim import ScriptedKeys, ScriptedTable, ScriptedWatcher
from device.store import GameHeader, GameStore, open_reader, open_writer
from scorer.errors import RulesError
from scorer.referee import new_referee
from scorer.replay import replay
from scorer.rules import preset
from vision.watch import Observation

PLAYERS = ("Anna", "Ben")


def evening() -> tuple[Observation, ...]:
    """Two turns each: a bank, hot dice with a bank, a bust, and a throw that is left standing."""
    table = ScriptedTable()
    return (
        table.throw(6, 6, 6, 1, 2, 3),  # Anna
        table.throw(1, 5, keep=(1, 2, 3, 4)),  # hot dice in the making: 700 + ...
        table.throw(2, 2, 3, 3, 4, 6),  # all score: hot dice, and then a bust
        table.throw(5, 5, 5, 1, 2, 3),  # Ben
        table.throw(1, 2, 3, 4, 6, 6),  # passed on: Ben has 600; Anna throws
        table.throw(2, 2, 2, 3, 3, keep=(1,)),  # Anna keeps 100
        table.throw(1, 1, 1, 1, 2, 3),  # 300 below the opening: asked
    )


class Table:
    """A session with its display and its JSON."""

    def __init__(self, store: GameStore, **settings: object) -> None:
        rules = preset("farkle").replace(**settings)
        header = GameHeader("farkle", "farkle", rules.settings(), PLAYERS, "table", "2026-01-02T20:00:00")
        self.game = store.begin(header)
        self.display = RecordingDisplay()
        self.json: list[Mapping[str, object]] = []
        self.store = store
        self.session = Session(
            new_referee(rules, PLAYERS),
            store=store,
            game=self.game,
            display=self.display,
            title="Farkle",
            emit=self.emit,
            keys=True,
        )

    def emit(self, data: Mapping[str, object]) -> None:
        # Whoever sees an event finds it on the disk.
        if data["event"] not in ("unsure", "paused"):
            assert any(record.event[0] == data["event"] for record in self.store.records(self.game))
        self.json.append(data)


def test_events_reach_disk_json_and_display(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        table = Table(store)
        for observation in evening():
            table.session.observed(observation)
        names = [data["event"] for data in table.json]
        assert names == [
            *("rolled", "set_aside", "rolled", "set_aside", "rolled"),
            *("rolled", "set_aside", "banked", "rolled", "set_aside", "rolled", "paused"),
        ]
        busts = [data.get("bust") for data in table.json if data["event"] == "rolled"]
        assert busts == [False, False, True, False, False, False]
        assert [data["points"] for data in table.json if data["event"] == "set_aside"] == [700, 150, 600, 100]
        assert table.json[7] == {
            "event": "banked",
            "player": "Ben",
            "values": [],
            "points": 600,
            "t_s": 10.0,
        }
        final = table.session.final()
        assert final["totals"] == {"Anna": 0, "Ben": 600}
        assert final["certain"] is False
        assert replay(document_of(store.game(1), store.records(1)))["totals"] == final["totals"]
        view = table.display.last
        assert view.waiting
        assert [line.total for line in view.players] == [0, 600]
        assert view.active == 0


def test_points_in_sentences_are_written_as_on_the_board(tmp_path: Path) -> None:
    script = ScriptedTable()
    with open_writer(tmp_path) as store:
        table = Table(store)
        table.session.observed(script.throw(1, 1, 1, 1, 4, 6))
        table.session.observed(script.throw(3, 4, keep=(1, 2, 3, 4)))
        assert table.display.last.message == f"Farkle! Anna loses {points_text(1000)}. Ben: throw 6 dice."
        assert len(points_text(1000)) == len("1 000")


def test_the_display_marks_kept_dice_and_tells_what_happened(tmp_path: Path) -> None:
    script = ScriptedTable()
    with open_writer(tmp_path) as store:
        table = Table(store)
        table.session.observed(script.throw(1, 5, 3, 4, 6, 6))
        assert table.display.last.roll_points == 150
        assert table.display.last.message == "Anna: keep what scores and throw on."
        table.session.observed(script.throw(2, 2, 3, 4, keep=(1, 2)))
        view = table.display.last
        assert [die.kept for die in view.dice] == [True, True, False, False, False, False]
        assert view.message == "Farkle! Anna loses 150. Ben: throw 6 dice."
        table.session.observed(Observation("empty", script.t_ns, script.frame))
        assert table.display.last.dice == ()
        table.session.observed(script.throw(1, 1, 1, "/", "?", 6))
        view = table.display.last
        assert [die.face for die in view.dice] == [1, 1, 1, None, None, 6]
        assert view.dice[3].cocked
        assert "Die 4 leans" in view.question


def test_keys_bank_undo_fix_and_choose(tmp_path: Path) -> None:
    script = ScriptedTable()
    with open_writer(tmp_path) as store:
        table = Table(store)
        session = table.session
        session.observed(script.throw(6, 6, 6, 1, 2, "?"))
        for key in "f6":
            session.key(key, script.t_ns)
        assert "What does it show" in table.display.last.question
        session.key("5", script.t_ns)
        assert session.asking is None
        session.key("b", script.t_ns)
        assert session.final()["totals"] == {"Anna": 750, "Ben": 0}
        session.key("u", script.t_ns)
        assert session.final()["totals"] == {"Anna": 0, "Ben": 0}
        assert [record.event[0] for record in store.records(1)] == [
            *("rolled", "set_aside", "banked", "undone")
        ]
        assert {record.by for record in store.records(1)} == {"key"}
        session.key("b", script.t_ns)
        session.key("b", script.t_ns)
        assert "not thrown" in table.display.last.message
        session.key("q", script.t_ns)
        assert session.stopped


def test_a_camera_that_was_moved_is_no_throw(tmp_path: Path) -> None:
    script = ScriptedTable()
    with open_writer(tmp_path) as store:
        table = Table(store)
        table.session.observed(script.throw(6, 6, 6, 1, 2, 3))
        table.session.observed(script.lose_sight())
        assert "camera was moved" in table.display.last.message
        table.session.observed(script.look())
        assert len(store.records(1)) == 1


def test_dice_that_are_all_found_again_after_a_bump_stay_what_they_are(tmp_path: Path) -> None:
    script = ScriptedTable()
    with open_writer(tmp_path) as store:
        table = Table(store)
        table.session.observed(script.throw(6, 6, 6, 1, 2, 3))
        before = table.session.referee
        lying = script.look().dice
        jump = Observation(
            "camera", script.t_ns + 1, 11, sure=False, reason="the whole picture changed at once"
        )
        again = Observation(
            "camera", script.t_ns + 2, 12, lying, False, "the picture moved by about 9 pixels"
        )
        table.session.observed(jump)
        assert not table.session.referee.known
        table.session.observed(again)
        assert table.session.referee == before
        table.session.observed(script.throw(1, 5, keep=(1, 2, 3, 4)))
        assert len(store.records(1)) == 3
        assert table.session.asking is None


def test_evidence_is_kept_with_every_throw(tmp_path: Path) -> None:
    script = ScriptedTable()
    picture = np.full((60, 80, 3), 127, np.uint8)
    with open_writer(tmp_path) as store:
        table = Table(store)
        table.session.observed(script.throw(6, 6, 6, 1, 2, 3), picture)
        (record,) = store.records(1)
        assert record.evidence is not None
        kept = cv2.imread(str(tmp_path / record.evidence))
        assert kept is not None
        assert kept.shape == (60, 80, 3)
        assert store.verify() == ()


class BrokenDisplay(RecordingDisplay):
    """A display whose cable comes loose after some views."""

    def show(self, view: object) -> None:
        raise DeviceFailed("the display does not answer; check its cable")


def test_a_display_that_fails_does_not_end_the_game(tmp_path: Path) -> None:
    script = ScriptedTable()
    with open_writer(tmp_path) as store:
        table = Table(store)
        session = Session(
            new_referee(preset("farkle"), PLAYERS),
            store=store,
            game=table.game,
            display=BrokenDisplay(),
            title="Farkle",
        )
        session.observed(script.throw(6, 6, 6, 1, 2, 3))
        assert "does not answer" in session.display_fault
        assert len(store.records(1)) == 1


# The whole command, with a folder of frames and a script in place of the network


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    folder = tmp_path / "frames"
    folder.mkdir()
    picture = np.full((48, 64, 3), 90, np.uint8)
    for index in range(75):
        cv2.imwrite(str(folder / f"{index:04d}.png"), picture)
    return folder


def wanted(frames: Path, store: Path, **changes: object) -> Wanted:
    fields: dict[str, object] = {
        "game": "farkle",
        "source": str(frames),
        "players": PLAYERS,
        "displays": ("none",),
        "store": store,
        "fps": 30.0,
    }
    return Wanted(**(fields | changes))  # type: ignore[arg-type]  # a test names fields by text


def timed(observations: Sequence[Observation]) -> ScriptedWatcher:
    """The script on the clock of the frames: 30 a second."""
    from dataclasses import replace

    return ScriptedWatcher([replace(one, t_ns=round(one.frame / 30 * 1e9)) for one in observations])


def test_play_from_the_first_frame_to_the_final_state(frames: Path, tmp_path: Path) -> None:
    lines: list[Mapping[str, object]] = []
    board = tmp_path / "board.png"
    video = tmp_path / "game.mp4"
    final = play_game(
        wanted(frames, tmp_path / "store", displays=(f"picture:{board}@320x240",), record_video=video),
        write=lines.append,
        watcher=timed(evening()),
    )
    assert lines[-1] == final
    assert final["totals"] == {"Anna": 0, "Ben": 600}
    assert final["certain"] is False
    assert [line["event"] for line in lines[:-1]].count("paused") == 1
    picture = cv2.imread(str(board))
    assert picture is not None
    assert picture.shape == (240, 320, 3)
    capture = cv2.VideoCapture(str(video))
    assert int(capture.get(cv2.CAP_PROP_FRAME_COUNT)) == 75
    capture.release()
    assert not list(tmp_path.glob(".*.part*"))
    with open_reader(tmp_path / "store") as store:
        assert store.verify() == ()
        assert all(
            (record.evidence is not None) == (record.event[0] == "rolled") for record in store.records(1)
        )


def test_a_recording_waits_for_answers_at_the_keyboard(frames: Path, tmp_path: Path) -> None:
    # At the question Anna gives up (n); after the end of the recording Ben's throw is banked (b).
    keys = ScriptedKeys({10**12: "n", 10**12 + 1: "b", 10**12 + 2: "q"})
    final = play_game(wanted(frames, tmp_path / "store"), watcher=timed(evening()), key_source=keys)
    assert final["certain"] is True
    assert final["totals"] == {"Anna": 0, "Ben": 1600}
    assert keys.closed


def test_resume_after_a_kill_loses_no_event_that_was_shown(frames: Path, tmp_path: Path) -> None:
    """The game is killed at its seventh event and resumed: the same game as without the kill."""
    store = tmp_path / "store"
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.device.killed_game", str(frames), str(store), "7"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert child.stdout is not None
    assert child.stdin is not None
    shown = [json.loads(child.stdout.readline()) for _ in range(7)]
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    child.stdin.close()
    with open_reader(store) as games:
        kept = [list(record.event) for record in games.records(1)]
        assert games.verify() == ()
    assert [event[0] for event in kept[:7]] == [data["event"] for data in shown]
    assert [event[1] if len(event) > 1 else [] for event in kept[:7]] == [data["values"] for data in shown]
    resumed = play_game(wanted(frames, store, resume=True, players=()), watcher=timed(evening()))
    whole = play_game(wanted(frames, tmp_path / "other"), watcher=timed(evening()))
    assert resumed == whole
    with open_reader(store) as games, open_reader(tmp_path / "other") as others:
        assert games.verify() == ()
        assert [list(r.event) for r in games.records(1)] == [list(r.event) for r in others.records(1)]


def test_resume_without_a_game_is_one_sentence(frames: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no unfinished game of farkle"):
        play_game(wanted(frames, tmp_path / "store", resume=True, players=()), watcher=timed(()))


def test_what_is_refused_leaves_nothing_behind(frames: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    refused: tuple[dict[str, object], ...] = (
        {"players": ()},
        {"players": ("Anna",)},
        {"players": ("Anna", "Anna")},
        {"preset": "no-such-rules"},
        {"settings": ("openning=3",)},
        {"settings": ("opening",)},
        {"displays": ("projector",)},
        {"displays": (f"picture:{tmp_path}/none/board.png",)},
        {"displays": (f"picture:{tmp_path}/board.xyz",)},
        {"record_video": tmp_path / "none" / "game.mp4"},
        {"record_video": tmp_path / "game.txt"},
        {"source": str(tmp_path / "missing.mp4")},
    )
    for changes in refused:
        with pytest.raises((BadInput, RulesError)) as caught:
            play_game(wanted(frames, store, **changes), watcher=timed(()))
        assert "\n" not in str(caught.value)
        assert not store.exists(), changes


def test_names_are_split_at_commas() -> None:
    assert names_of(" Anna, Åke ,Ben") == ("Anna", "Åke", "Ben")
    assert names_of("") == ()
