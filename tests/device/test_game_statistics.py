"""`croupier games statistics` and `games export --text`: what the store knows, over games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from device.cli import main
from device.store import GameHeader, Record, open_writer

TURN = (("rolled", [1, 1, 1, 5, 2, 3]), ("set_aside", [1, 1, 1]), ("banked",))


def test_statistics_over_the_games_of_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "store"
    with open_writer(folder) as games:
        for started in ("2026-01-01T20:00:00+01:00", "2026-01-02T20:00:00+01:00"):
            header = GameHeader("farkle", "tiotusen-zilch", {}, ("Anna", "Ben"), "table", started)
            number = games.begin(header)
            for step, event in enumerate(TURN):
                games.append(number, [Record(event, step, step=step)])
    store = ["--store", str(folder)]
    assert main(["games", "statistics", "--json", *store]) == 0
    anna, ben = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (anna["player"], anna["games"], anna["turns"], anna["points_a_turn"]) == ("Anna", 2, 2, 1000)
    assert (ben["games"], ben["throws"]) == (2, 0)
    assert main(["games", "statistics", "2", "2", *store]) == 0
    assert "1000" in capsys.readouterr().out
    assert main(["games", "statistics", "7", *store]) == 2
    capsys.readouterr()
    assert main(["games", "export", "1", "--text", *store]) == 0
    text = capsys.readouterr().out
    assert text.startswith("game farkle\npreset tiotusen-zilch\n")
    assert "set_aside 1 1 1\nbanked\n" in text


def test_colours_of_the_dice_go_into_the_statistics_also_of_a_repaired_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "store"
    colours = ("red", "red", "white", None, "white", "white")
    with open_writer(folder) as games:
        number = games.begin(GameHeader("farkle", "tiotusen-zilch", {}, ("Anna", "Ben"), "table", "today"))
        games.append(number, [Record(TURN[0], 1, step=1, colours=colours), Record(TURN[1], 2, step=2)])
        assert games.records(number)[0].colours == colours
        assert games.verify() == ()
    store = ["--store", str(folder)]
    for old, new in (("Ben", "Benny"), ("Benny", "B")):
        assert main(["games", "statistics", "--json", *store]) == 0
        anna = json.loads(capsys.readouterr().out.splitlines()[0])
        assert anna["colours"]["red"]["counts"] == [2, 0, 0, 0, 0, 0]
        assert main(["games", "repair", "rename", "1", old, new, *store]) == 0
        capsys.readouterr()
    assert main(["games", "statistics", *store]) == 0
    assert "  red" in capsys.readouterr().out
