"""Solved games on disk: those that ship, those of house rules, broken-off and damaged ones; cached odds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from device import odds_cache, win_tables
from device.cli import main
from device.errors import BadInput
from device.win_tables import SHIPPED, file_name, solve_into, solved, stored_tables, win_odds_of
from scorer.farkle import start
from scorer.odds import odds
from scorer.rules import preset, preset_names
from scorer.win_odds import WinOdds, solve_race
from tests.scorer.test_win_odds import COARSE


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CROUPIER_CACHE", str(tmp_path))
    return tmp_path / "wins"


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_ships_solved(name: str) -> None:
    path = SHIPPED / file_name(preset(name))
    assert path.stat().st_size < 50_000
    tables = stored_tables(preset(name))
    assert tables is not None
    win, turns = tables
    assert win.shape == (len(turns), len(turns))
    assert 0.5 < win[0, 0] < 0.56  # to begin is an advantage, and a small one
    # More points are better, but where 50 more would bring on the last round with the other one close behind.
    assert (np.diff(win[:, -1]) > -5e-3).all()
    assert (np.diff(turns[1:]) < 1e-6).all()


def test_shipped_files_are_those_of_the_presets_and_nothing_else() -> None:
    assert {path.name for path in SHIPPED.iterdir()} == {file_name(preset(name)) for name in preset_names()}


def test_a_shipped_table_is_what_the_solver_finds_today() -> None:
    """A corner of it: the end of the race, from a target so far away that nothing before matters."""
    tables = stored_tables(preset("farkle"))
    assert tables is not None
    near = preset("farkle").replace(target=1000)
    today = solve_race(near.replace(opening=0, min_bank=0))
    assert tables[0][-19:, -19:] == pytest.approx(today[-19:, -19:], abs=2e-5)


def test_house_rules_are_solved_once_and_found_again(cache: Path) -> None:
    assert win_odds_of(COARSE.replace(min_bank=500)) is None
    rules, steps = COARSE.replace(min_bank=1000), list[int]()
    win, turns = solved(rules, step=lambda: steps.append(1))
    assert len(steps) == 2 * len(win) - 1
    assert [path.name for path in cache.iterdir()] == [file_name(rules)]
    again, _ = solved(rules, step=lambda: steps.append(1))
    assert len(steps) == 2 * len(win) - 1  # nothing was solved again
    assert again == pytest.approx(win, abs=1e-5)
    assert turns[0] > turns[-1] > 1.0
    penalised = rules.replace(bust_penalty=500, bust_streak=2)
    assert file_name(penalised) == file_name(rules)  # left out by the solver
    odds = win_odds_of(rules)
    assert isinstance(odds, WinOdds)
    assert odds.chances(start(rules, ("Anna", "Ben"))).each[0] == pytest.approx(win[0, 0], abs=1e-4)


class Stopped(Exception):
    pass


def test_a_run_that_was_broken_off_goes_on(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(win_tables, "_KEEP_EVERY", 1)
    calls = 0

    def stops() -> None:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise Stopped

    with pytest.raises(Stopped):
        solve_into(COARSE, cache, step=stops)
    (part,) = cache.iterdir()
    assert part.suffix == ".part"
    steps: list[int] = []
    win, _ = solve_into(COARSE, cache, step=lambda: steps.append(1))
    assert np.array_equal(win, solve_race(COARSE))
    assert len(steps) == 5  # the bar stands where it stood
    assert [path.name for path in cache.iterdir()] == [file_name(COARSE)]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"x" * 100])
def test_a_damaged_file_counts_as_none(cache: Path, content: bytes) -> None:
    cache.mkdir()
    rules = COARSE.replace(triple_1=1500)
    for name in (file_name(rules), f"{file_name(rules)}.part"):
        (cache / name).write_bytes(content)
    assert stored_tables(rules) is None
    win, _ = solved(rules)
    assert stored_tables(rules) is not None
    assert win.shape == (3, 3)


def test_a_file_of_other_rules_is_not_taken(cache: Path) -> None:
    solve_into(COARSE, cache)
    other = COARSE.replace(triple_1=1500)
    (cache / file_name(COARSE)).rename(cache / file_name(other))
    assert stored_tables(other) is None


def test_a_cache_that_cannot_be_made_is_one_sentence(cache: Path) -> None:
    cache.write_text("a file")
    with pytest.raises(BadInput, match="CROUPIER_CACHE"):
        solved(COARSE)


def test_odds_are_kept_by_their_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_CACHE", str(tmp_path))
    rules = preset("zilch")
    assert odds_cache.odds_of(rules) == odds(rules)
    (kept,) = (tmp_path / "odds").iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(odds_cache, "odds", lambda rules: pytest.fail("worked out again"))
        assert odds_cache.odds_of(rules) == odds(rules)
    kept.write_text(json.dumps({"rules": "others", "odds": {}}))
    assert odds_cache.odds_of(rules) == odds(rules)
    kept.write_bytes(b"\xff")
    assert odds_cache.odds_of(rules) == odds(rules)


def test_a_cache_that_cannot_be_written_costs_time_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odds").write_text("a file")
    monkeypatch.setenv("CROUPIER_CACHE", str(tmp_path))
    assert odds_cache.odds_of(COARSE) == odds(COARSE)


def test_the_command_tells_of_the_whole_game(capsys: pytest.CaptureFixture[str]) -> None:
    def whole(*words: str) -> dict[str, object]:
        assert main(["odds", *words, "--game", "--json"]) == 0
        game = json.loads(capsys.readouterr().out)["game"]
        assert isinstance(game, dict)
        return game

    assert whole("farkle")["win"] == pytest.approx(0.5288, abs=1e-4)
    assert whole("farkle")["turns_alone"] == pytest.approx(19.438, abs=1e-3)
    late = whole("farkle", "--totals", "9000,10500")
    assert late["win"] == pytest.approx(0.155, abs=1e-3)
    assert whole("zilch")["left_out"] == ["bust_penalty"]
    assert main(["odds", "zilch", "--game", "--totals", "500,1000"]) == 0
    out = capsys.readouterr().out
    assert "With 500 against 1000 the player to act wins" in out
    assert "left out" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--totals", "1,2"), "belongs to --game"),
        (("--game", "--totals", "1"), "4500,5200"),
        (("--game", "--totals", "a,b"), "4500,5200"),
        (("--game", "--totals", "10000,5"), "less than the target"),
        (("--game", "--set", "overshoot=void"), "overshoot=allow"),
        (("--game", "--set", "single_5=51"), "coarser steps"),
    ],
)
def test_bad_input(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "farkle", *words]) == 2
    assert says in capsys.readouterr().err
