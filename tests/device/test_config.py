"""The configuration, what runs on a shelf, the watchdog and the caller."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from device import watchdog
from device.appliance import run_appliance, was_running
from device.caller import LEVELS, Caller, voice
from device.cli import main
from device.config import EXAMPLE, Config, config_file, load_config, parse_config, play_options
from device.errors import BadInput, DeviceFailed
from device.store import Record, open_writer
from device.watchdog import SILENT_S, Watchdog, beat, notify, silent_s
from tests.device.test_store import HEADER, RECORDS

# The file


def test_the_example_is_in_order_and_means_what_it_says() -> None:
    options = play_options(parse_config(EXAMPLE, "example"))
    assert options["players"] == "Anna,Ben"
    assert options["button"] == ["17=bank", "27=undo", "22=next"]
    assert options["light"] == ["16=ask"]
    assert options["web"] is True
    assert options["language"] == "sv"


def test_everything_in_it_reaches_the_command_line() -> None:
    text = EXAMPLE.replace("# ", "", 1) if EXAMPLE.startswith("# ") else EXAMPLE
    lines = [
        line.lstrip("# ") if "=" in line and line.lstrip().startswith("#") else line
        for line in text.splitlines()
    ]
    lines = [line for line in lines if not line.startswith("Croupier.")]
    options = play_options(parse_config("\n".join(lines), "example"))
    assert options["settings"] == ["opening=500"]
    assert options["button"][-1] == "19=claim4"
    assert options["light"] == ["16=ask", "20=player1", "21=player2"]
    assert options["profile"] == "/var/lib/croupier/table.json"
    assert options["bank_by"] == ["passing", "lane", "zone"]


def test_no_file_is_fine() -> None:
    assert play_options(Config()) == {"speak": "off", "language": "en", "evidence_mb": 500.0}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[table]\nsouce = "usb:0"\n', "f, line 2: there is no table.souce; do you mean table.source?"),
        ("[inputs]\nkeypad = true\n", "f, line 1: there is no inputs; do you mean input?"),
        ("\n\n[input.buttons]\nbank = 99\n", "f, line 4: input.buttons.bank: .*27, got 99"),
        ('language = "de"\n', "f, line 1: language: .*'en' or 'sv', got 'de'"),
        ('[input]\nkeypad = "yes"\n', "f, line 2: input.keypad: .*boolean"),
        ("[table]\nplayers = 3\n", "f, line 2: table.players"),
        ("[store]\nevidence_mb = 0\n", "greater than or equal to 1"),
        ("[table\n", "f: line 1: "),
        ('name = "half', "f: the file ends too early: "),
        ("[xyzzy]\n", "use one of language, table"),
        ("[table]\na = 1\nb = 2\n", r"line 2.*\(and 1 more\)"),
        ("input.buttons.bakn = 4\n", "line 1.*do you mean input.buttons.bank"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        parse_config(text, "f")
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes('language = "\xe5"'.encode("latin-1"))
    (tmp_path / "huge.toml").write_bytes(b"#" * 1_000_001)
    for name in ("none.toml", "latin.toml", "huge.toml"):
        with pytest.raises(BadInput, match=name):
            load_config(tmp_path / name)


def test_where_it_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("CROUPIER_CONFIG", raising=False)
    assert config_file(tmp_path / "named.toml") == tmp_path / "named.toml"
    (tmp_path / "croupier").mkdir()
    (tmp_path / "croupier" / "croupier.toml").write_text("")
    assert config_file() == tmp_path / "croupier" / "croupier.toml"
    monkeypatch.setenv("CROUPIER_CONFIG", str(tmp_path / "variable.toml"))
    assert config_file() == tmp_path / "variable.toml"


def test_the_command_line_wins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.toml"
    file.write_text(f'[table]\nsource = "{tmp_path / "a.mp4"}"\nplayers = ["Anna", "Ben"]\n')
    assert main(["--config", str(file), "play", "farkle"]) == 2
    assert "a.mp4" in capsys.readouterr().err
    assert main(["--config", str(file), "play", "farkle", "--source", str(tmp_path / "b.mp4")]) == 2
    assert "b.mp4" in capsys.readouterr().err
    assert main(["--config", str(file), "play", "farkle", "--dice", "typed"]) == 2
    assert "give --web too" in capsys.readouterr().err
    file.write_text("[tabel]\n")
    assert main(["--config", str(file), "play", "farkle"]) == 2
    assert "do you mean table" in capsys.readouterr().err


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "example"]) == 0
    file = tmp_path / "c.toml"
    file.write_text(capsys.readouterr().out)
    assert main(["config", "check", str(file)]) == 0
    assert main(["config", "show", str(file)]) == 0
    assert "--button 17=bank" in capsys.readouterr().out
    assert main(["config", "show", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["options"]["display"] == ["screen"]
    assert main(["config", "check", str(tmp_path / "none.toml")]) == 2


# On the shelf


class Table:
    """Stands in for the command `play`: remembers how it was called."""

    def __init__(self, games: int) -> None:
        self.calls: list[dict[str, Any]] = []
        self.games = games

    def __call__(self, game: str, **options: Any) -> None:
        self.calls.append({"game": game, **options})
        if len(self.calls) == self.games:
            raise KeyboardInterrupt


def test_the_game_that_was_running_is_taken_up_then_others_begin(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        store.append(store.begin(HEADER), RECORDS)
    text = f'[table]\nplayers = ["Anna", "Ben"]\npreset = "zilch"\n[store]\nfolder = "{tmp_path}"\n'
    table = Table(3)
    with pytest.raises(KeyboardInterrupt):
        run_appliance(parse_config(text, "f"), play=table)
    assert [call["resume"] for call in table.calls] == [True, False, False]
    assert "players" not in table.calls[0]  # as they were
    assert table.calls[1]["players"] == "Anna,Ben"
    assert all(call["patient"] and call["source"] == "picamera" for call in table.calls)
    assert table.calls[0]["display"] == ["screen"]


def test_what_counts_as_running(tmp_path: Path) -> None:
    assert not was_running(tmp_path, "farkle")
    with open_writer(tmp_path) as store:
        game = store.begin(HEADER)
        assert was_running(tmp_path, "farkle")
        assert not was_running(tmp_path, "tenzi")
        store.append(game, RECORDS)
        assert was_running(tmp_path, "farkle")
        store.append(game, [Record(("nonsense",), 0)])
        assert not was_running(tmp_path, "farkle")


def test_once_is_one_game(tmp_path: Path) -> None:
    table = Table(9)
    run_appliance(parse_config(f'[store]\nfolder = "{tmp_path}"\n', "f"), play=table, once=True)
    assert len(table.calls) == 1


def test_the_appliance_complains_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.toml"
    file.write_text(
        f'[table]\nsource = "{tmp_path / "a.mp4"}"\nplayers = ["Anna"]\n[display]\nshow = ["none"]\n'
    )
    assert main(["appliance", "--file", str(file)]) == 2
    assert "at least two players" in capsys.readouterr().err


# The watchdog


def test_systemd_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
        wire.bind(str(place))
        monkeypatch.setenv("NOTIFY_SOCKET", str(place))
        monkeypatch.setenv("WATCHDOG_USEC", "600000000")
        with Watchdog() as dog:
            assert dog.every_s == 300.0
            assert wire.recv(99) == b"READY=1"
            beat()
            assert dog.tell()
            assert wire.recv(99) == b"WATCHDOG=1"
            now = watchdog._last_beat_s
            assert now is not None
            beat(lambda: now - SILENT_S - 1)  # nothing was heard of the camera for a minute
            assert not dog.tell()
        assert wire.recv(99) == b"STOPPING=1"
    beat()
    assert silent_s() < SILENT_S


def test_nobody_asks_for_signs_of_life(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    monkeypatch.delenv("WATCHDOG_USEC", raising=False)
    with Watchdog() as dog:
        assert dog.every_s is None
    assert not notify("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))
    assert not notify("READY=1")


# The caller

EVENTS: tuple[dict[str, object], ...] = (
    {"event": "rolled", "player": "Anna", "values": [1, 5, 2], "bust": False},
    {"event": "set_aside", "player": "Anna", "values": [1], "points": 100, "hot_dice": False},
    {"event": "set_aside", "player": "Anna", "values": [1], "points": 100, "hot_dice": True},
    {"event": "rolled", "player": "Anna", "values": [2, 3], "bust": True},
    {"event": "banked", "player": "Ben", "points": 600},
    {"event": "unsure", "reason": "Die 4 leans"},
    {"totals": {"Anna": 0}, "finished": True, "winners": ["Ben", "Åke"]},
)


def called(level: str, language: str) -> list[str]:
    said: list[str] = []
    with Caller(level, language=language, say=said.append) as caller:
        return [sentence for event in EVENTS for sentence in caller.sentences(event)]


def test_three_levels_in_two_languages() -> None:
    assert called("off", "en") == []
    assert called("few", "en") == [
        *("Hot dice for Anna!", "Farkle! Anna.", "Please look at the screen.", "Ben and Åke wins!")
    ]
    assert "Ben sparar 600." in called("some", "sv")
    assert "Ben och Åke vinner!" in called("few", "sv")
    assert called("all", "sv")[0] == "1, 5, 2"
    assert len(called("few", "en")) < len(called("some", "en")) < len(called("all", "en"))


def test_a_slow_voice_leaves_out_what_is_old() -> None:
    begun, go_on = threading.Event(), threading.Event()
    said: list[str] = []

    def say(sentence: str) -> None:
        said.append(sentence)
        begun.set()
        assert go_on.wait(30.0)

    with Caller("all", say=say) as caller:
        caller.event({"event": "banked", "player": "Ben", "points": 0})
        assert begun.wait(30.0)
        for points in range(1, 6):
            caller.event({"event": "banked", "player": "Ben", "points": points})
        go_on.set()
    assert said == ["Ben banks 0.", "Ben banks 4.", "Ben banks 5."]


def test_no_sound_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    def silent(sentence: str) -> None:
        raise subprocess.CalledProcessError(1, "espeak-ng")

    with caplog.at_level(logging.WARNING), Caller("all", say=silent) as caller:
        for event in EVENTS[3:5]:
            caller.event(event)
    assert caplog.text.count("there is no sound") == 1


def test_a_voice_must_be_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CROUPIER_PIPER_VOICE", raising=False)
    with pytest.raises(DeviceFailed, match="apt install espeak-ng"):
        voice("sv")
    (tmp_path / "espeak-ng").write_text(
        f'#!/bin/sh\nread line\nprintf "%s %s" "$2" "$line" > {tmp_path}/said\n'
    )
    (tmp_path / "espeak-ng").chmod(0o755)
    voice("sv")("Anna; rm -rf /")
    assert (tmp_path / "said").read_text() == "sv Anna; rm -rf /"
    monkeypatch.setenv("CROUPIER_PIPER_VOICE", str(tmp_path / "none.onnx"))
    (tmp_path / "piper").write_text("")
    (tmp_path / "piper").chmod(0o755)
    with pytest.raises(DeviceFailed, match=r"none\.onnx"):
        voice("sv")
    with pytest.raises(BadInput, match=", ".join(LEVELS)):
        Caller("loud", say=lambda sentence: None)
