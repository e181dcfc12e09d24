"""The games in `tests/games/*.game`: worked out by hand, each for a rule that it names.

What such a file says about the score was written down before any program saw it; the program and the second,
slow game must both come to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scorer.errors import BadSetting, IllegalEvent
from scorer.events import event_to_json
from scorer.notation import Game, parse, to_text
from scorer.playthrough import played
from scorer.replay import replay
from scorer.rules import make_rules, preset_names, setting_names
from scorer.statements import statements
from tests.scorer.slow_game import SlowGame

FOLDER = Path(__file__).resolve().parents[1] / "games"
FILES = sorted(FOLDER.glob("*.game"))
FARKLE = [path for path in FILES if "\ngame farkle\n" in path.read_text(encoding="utf-8")]


def read(path: Path) -> Game:
    return parse(path.read_text(encoding="utf-8"))


def rules_of(path: Path) -> list[str]:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    assert first.startswith("# rules: "), path
    return first.removeprefix("# rules: ").split(", ")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_game_comes_to_what_was_worked_out_by_hand(path: Path) -> None:
    assert [str(each) for each in played(read(path)).failed] == []


@pytest.mark.parametrize("path", FARKLE, ids=lambda path: path.stem)
def test_the_second_slow_game_comes_to_the_same(path: Path) -> None:
    game = read(path)
    slow = SlowGame(make_rules(game.preset, game.settings), game.players)
    events: list[Any] = list(game.events)
    for place in range(len(events) + 1):
        said = {" ".join(each) for each in statements(slow.board())}
        for check in game.checks:
            if check.at == place and not check.says.startswith("refused "):
                assert check.says in said, (path.stem, check)
        if place < len(events):
            slow.play(event_to_json(events[place]))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_file_says_the_whole_score_at_its_end(path: Path) -> None:
    game = read(path)
    last = {check.says.split()[0] for check in game.checks if check.at == len(game.events)}
    if game.game == "tenzi":
        assert {"wins", "winners", "round"} <= last
    else:
        assert {"totals", "phase"} <= last
        assert last & {"winners", "to_act"}
        turns = [check for check in game.checks if check.says.startswith("turns ")]
        assert len(turns) == len(game.players)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_file_is_what_would_be_written(path: Path) -> None:
    game = read(path)
    assert parse(to_text(game)) == game
    assert replay(game.document()) == played(game).board


def test_there_are_games_for_every_setting_and_every_preset() -> None:
    assert len(FILES) >= 60
    named = {rule for path in FILES for rule in rules_of(path)}
    assert set(setting_names()) <= named
    used = {read(path).preset for path in FARKLE}
    assert used == set(preset_names())


OTHERWISE: dict[str, tuple[object, ...]] = {
    "dice": (6,),
    "single_1": (110,),
    "single_5": (60,),
    "triple_1": (310,),
    "triple_mult": (90,),
    "n_kind": ("double", "flat", "linear", "none"),
    "n_flat": ({"4": 1010, "5": 2010, "6": 3010},),
    "kind_exclusive": (True, False),
    "straight": (0, 1600),
    "three_pairs": (0, 1600),
    "two_triplets": (0, 2600),
    "straight_low": (0, 1600),
    "straight_high": (0, 1600),
    "nothing": (0, 600),
    "three_pairs_4_2": (True, False),
    "three_pairs_6": (True, False),
    "two_triplets_6": (True, False),
    "four_pair": (None, 1300),
    "kind_points": ({},),
    "keep_all": (True, False),
    "hot_dice": ("may", "must", "off"),
    "opening": (0, 300, 2000),
    "opening_below": ("write_zero", "refuse"),
    "min_bank": (0, 2000),
    "bust_penalty": (0, 10),
    "bust_streak": (1, 2, 3, 4),
    "count_unopened_zero": (True, False),
    "target": (1000, 1500, 20000),
    "overshoot": ("allow", "void", "welfare"),
    "final_round": (True, False),
    "ties": ("share", "extra_turn"),
    "instant_win": ("none", "six_of_a_kind", "five_first"),
    "steal": ("off", "roll", "transfer"),
    "piggyback": (True, False),
}
"""Other values for every setting."""


@pytest.mark.parametrize("path", FARKLE, ids=lambda path: path.stem)
def test_a_game_for_a_setting_comes_out_otherwise_when_the_setting_is_changed(path: Path) -> None:
    game = read(path)
    for setting in set(rules_of(path)) & set(setting_names()):
        assert any(comes_out_otherwise(game, {setting: value}) for value in OTHERWISE[setting]), setting


def comes_out_otherwise(game: Game, change: dict[str, object]) -> bool:
    try:
        return bool(played(game, change).failed)
    except BadSetting:
        return False
    except IllegalEvent:
        return True


def test_every_setting_has_another_value() -> None:
    assert set(OTHERWISE) == set(setting_names())
