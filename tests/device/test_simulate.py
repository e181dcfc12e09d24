"""`croupier simulate` as a user meets it."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from device.cli import main
from device.commands.simulate import player_names, size_of
from device.errors import EXIT_BAD_INPUT, EXIT_DONE, BadInput


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess"], "no game 'chess'"),
        (["tenzi", "--set", "goal=5+5"], "dice alike"),
        (["tenzi", "--set", "dice=0"], "dice"),
        (["tenzi", "--table", "tray"], "lanes"),
        (["farkle", "--table", "round"], "lanes-tray"),
        (["farkle", "--with", "thunder"], "cocked"),
        (["farkle", "--with", "bump", "--without", "bump"], "both"),
        (["farkle", "--players", "9"], "2 to 8 players"),
        (["farkle", "--size", "big"], "1280x720"),
        (["farkle", "--dice", "mauve"], "mauve"),
        (["farkle", "--surface", "lava"], "lava"),
        (["farkle", "--preset", "nope"], "nope"),
        (["farkle", "--set", "target=7"], "target"),
        (["farkle", "--players", "Anna,Anna"], "Anna"),
    ],
)
def test_a_bad_wish_ends_in_one_sentence_and_writes_nothing(
    arguments: list[str], said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "session"
    assert main(["simulate", *arguments, "--seed", "1", "--out", str(out)]) == EXIT_BAD_INPUT
    written = capfd.readouterr()
    assert said in written.err
    assert "Traceback" not in written.err
    assert len(written.err.strip().splitlines()) == 1
    assert not written.out
    assert not out.exists()


@pytest.mark.skipif(
    find_spec("mujoco") is None, reason="throws need the package mujoco (extras train and dev)"
)
def test_a_session_is_written_and_can_be_replayed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "session"
    wishes = ["--turns", "1", "--size", "320x240", "--fps", "8", "--difficulty", "easy", "--json"]
    assert main(["simulate", "farkle", "--seed", "33", "--out", str(out), *wishes]) == EXIT_DONE
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == 1
    truth = json.loads(lines[0])
    assert sorted(path.name for path in out.iterdir()) == ["profile.json", "truth.json", "video.mp4"]
    assert main(["replay", str(out / "truth.json"), "--json"]) == EXIT_DONE
    assert json.loads(capfd.readouterr().out)["totals"] == truth["totals"]


def test_players_are_a_number_or_names() -> None:
    assert player_names("3") == ("Anna", "Ben", "Cara")
    assert player_names("Uma, Vic") == ("Uma", "Vic")
    with pytest.raises(BadInput, match="2 to 8"):
        player_names("1")


def test_sizes_are_even_and_not_absurd() -> None:
    assert size_of("640x480") == (640, 480)
    for wrong in ("641x480", "64x48", "99999x240", "640", "640x-480"):
        with pytest.raises(BadInput, match="1280x720"):
            size_of(wrong)
