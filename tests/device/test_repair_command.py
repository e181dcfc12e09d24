"""`croupier games repair`: a game of the store or in a file put right, with what was there before kept."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
import pytest
import typer

from device.cli import app, main
from device.errors import BadInput
from device.gamelog import farkle_game, history_of, kept_game, standing_game
from device.store import GameHeader, Record, StoredGame, open_reader, open_writer
from scorer.repair import record, without_turn
from scorer.rules import preset
from tests.scorer.test_farkle_properties import PLAYERS, game

TURNS: tuple[list[Any], ...] = (
    ["rolled", [1, 1, 1, 2, 3, 4]],
    ["set_aside", [1, 1, 1]],
    ["banked"],
    ["rolled", [2, 2, 3, 3, 4, 6]],
    ["rolled", [1, 5, 2, 3, 4, 4]],
    ["set_aside", [1]],
    ["rolled", [5, 2, 3, 3, 4]],
    ["set_aside", [5]],
    ["banked"],
)
"""Anna banks 1000, Ben busts, Anna banks 150."""
TEXT = """\
game farkle
preset tiotusen-zilch
set single_5 60
players Anna, Ben

rolled 1 1 1 2 3 4
set_aside 1 1 1
banked
entered Ben 350
"""


def put(folder: Path, *events: list[Any], game: str = "farkle", **settings: Any) -> None:
    """Keep a game in which every event is a step of its own."""
    name = "tiotusen-zilch" if game == "farkle" else ""
    with open_writer(folder) as store:
        number = store.begin(
            GameHeader(game, name, settings, ("Anna", "Ben"), "x.mp4", "2026-01-01T20:00:00")
        )
        for step, event in enumerate(events, start=1):
            store.append(number, [Record(tuple(event), step * 1000, step=step)])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    put(tmp_path / "store", *TURNS)
    return tmp_path / "store"


@pytest.fixture
def repair(store: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(action: str, *arguments: str, code: int = 0) -> dict[str, Any]:
        capsys.readouterr()
        words = ["games", "repair", action, "1", *arguments, "--json", "--store", str(store)]
        assert main(words) == code, capsys.readouterr().err
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return json.loads(out) if code == 0 else {"error": err}

    return run


def faults(folder: Path) -> int:
    with open_reader(folder) as games:
        return len(games.verify())


def rows(folder: Path, number: int = 1) -> list[Any]:
    with open_reader(folder) as games:
        return [record.event for record in games.records(number)]


def every_repair() -> list[str]:
    group: Any = typer.main.get_command(app)
    return sorted(group.commands["games"].commands["repair"].commands)


@pytest.mark.parametrize("action", every_repair())
def test_every_repair_has_help_with_an_example(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "repair", action, "--help"]) == 0
    assert f"Example: croupier games repair {action} " in " ".join(capsys.readouterr().out.split())


def test_a_misread_throw(repair: Any, store: Path) -> None:
    told = repair("faces", "Anna:1", "411234", "--aside", "1,1")
    assert told["before"]["totals"] == {"Anna": 1150, "Ben": 0}
    assert told["after"]["totals"] == {"Anna": 350, "Ben": 0}
    assert told["did"] == (
        "turn 1 (Anna:1): 'rolled 1 1 1 2 3 4' becomes 'rolled 4 1 1 2 3 4', 'set_aside 1 1'"
    )
    assert (told["does_not_count"], told["waiting"], told["written"]) == ([], [], True)
    assert rows(store)[: len(TURNS)] == [tuple(event) for event in TURNS]
    assert len(rows(store)) == len(TURNS) + 1
    assert faults(store) == 0


def test_the_throw_of_several_must_be_named(repair: Any) -> None:
    assert (
        "has 2 throws; say which with --throw: 1 is rolled 1 5 2 3 4 4; 2 is rolled 5 2 3 3 4"
        in (repair("faces", "3", "115344", code=2)["error"])
    )
    assert "there is no 3" in repair("faces", "3", "115344", "--throw", "3", code=2)["error"]
    assert repair("faces", "3", "55234", "--throw", "2")["after"]["totals"]["Anna"] == 1150
    assert repair("aside", "3", "55", "--throw", "2")["after"]["totals"]["Anna"] == 1200


def test_what_becomes_illegal_is_listed_and_nothing_is_lost(repair: Any, store: Path) -> None:
    told = repair("faces", "2", "122346")
    assert told["does_not_count"] == ["turn 1 of Ben has no end any more; legal after it: set aside 1"]
    shown = repair("show")
    assert shown["does_not_count"] == told["does_not_count"]
    assert [turn["number"] for turn in shown["turns"]] == [1, 2, 3]
    assert shown["turns"][2] == {
        "number": 3,
        "player": "Anna",
        "of_player": 2,
        "events": ["rolled 1 5 2 3 4 4", "set_aside 1", "rolled 5 2 3 3 4", "set_aside 5", "banked"],
    }
    mended = repair("turn", "Ben:1", "rolled 122346", "set_aside 1", "banked")
    assert (mended["after"]["totals"]["Ben"], mended["does_not_count"]) == (100, [])
    assert (shown["undo"], shown["redo"]) == (len(TURNS) + 1, 0)


def test_undo_and_redo_go_over_repairs_presses_and_throws(repair: Any, store: Path) -> None:
    repair("rename", "Ben", "Benny")
    repair("rules", "--set", "single_5=60")
    assert repair("undo")["after"]["totals"] == {"Anna": 1150, "Benny": 0}
    told = repair("undo", "--times", "3")
    assert told["did"] == "3 steps taken back"
    # The name, and then of the game itself the bank and the set-aside before it.
    assert (told["after"]["totals"], told["after"]["turn"]["points"]) == ({"Anna": 1000, "Ben": 0}, 100)
    assert repair("redo", "--times", "4")["after"]["totals"] == {"Anna": 1160, "Benny": 0}
    assert "nothing to redo" in repair("redo", code=2)["error"]
    assert "nothing to undo" in repair("undo", "--times", "99", code=2)["error"]
    assert faults(store) == 0


def test_what_was_undone_at_the_table_can_be_brought_back(repair: Any, store: Path) -> None:
    with open_writer(store) as games:
        games.append(1, [Record(("undone", 2), 0, "key", 20)])
    assert repair("redo", "--times", "2")["after"]["totals"]["Anna"] == 1150


def test_turns_taken_out_and_put_in(repair: Any) -> None:
    assert repair("remove", "2", "--shift")["after"]["turns"] == {"Anna": [1000], "Ben": [150]}
    assert repair("insert", "2", "rolled 223346")["after"]["turns"] == {"Anna": [1000, 150], "Ben": [0]}
    told = repair("insert", "4", "entered 350")
    assert (
        told["did"] == "turn 4 (Ben:2) is put in: 'entered Ben 350', the turns after it go to the next player"
    )
    assert repair("remove", "Anna:1")["waiting"] == [
        "turn 2 of Ben counts once Anna has had the turn before it"
    ]
    assert repair("insert", "1", "entered 700", "--player", "Anna")["after"]["totals"] == {
        "Anna": 850,
        "Ben": 350,
    }


def test_players(repair: Any) -> None:
    told = repair("add-player", "Dan", "--seat", "1")
    assert told["after"]["turns"] == {"Dan": [0, 0], "Anna": [1000, 150], "Ben": [0]}
    assert repair("add-player", "Eve")["after"]["to_act"] == "Ben"
    told = repair("order", "Ben,Anna, Eve ,Dan")
    assert list(told["after"]["turns"]) == ["Ben", "Anna", "Eve", "Dan"]
    assert "'Zoe' does not play" in repair("rename", "Zoe", "Z", code=2)["error"]
    assert "name each of them once" in repair("order", "Ben,Anna", code=2)["error"]


def test_rules_and_preset_in_mid_game(repair: Any, store: Path) -> None:
    told = repair("rules", "--preset", "farkle", "--set", "opening=300")
    assert told["after"]["totals"] == {"Anna": 450, "Ben": 0}  # three 1s are worth 300 there
    with open_reader(store) as games:
        kept = farkle_game(games.game(1), games.records(1))
    assert (kept.preset, kept.rules) == ("farkle", preset("farkle").replace(opening=300))
    assert "did you mean 'opening'" in repair("rules", "--set", "oppening=3", code=2)["error"]
    assert "no rule was named" in repair("rules", code=2)["error"]
    assert repair("rules", "--set", "opening=300")["written"] is False


def test_a_dry_run_writes_nothing(repair: Any, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = rows(store)
    assert repair("faces", "1", "222346", "--dry-run")["written"] is False
    assert repair("undo", "--dry-run")["written"] is False
    assert rows(store) == before
    assert main(["games", "repair", "undo", "1", "--dry-run", "--store", str(store)]) == 0
    assert "Nothing was written" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("faces", "9", "123456"), "there is no turn 9, the game has 3; name one of 1 to 3"),
        (("faces", "0", "123456"), "there is no turn 0"),
        (("faces", "Anna", "123456"), "or like Anna:2"),
        (("faces", "Anna:x", "123456"), "or like Anna:2"),
        (("faces", "Anna:9", "123456"), "Anna has no turn 9, only 2"),
        (("faces", "Zoe:1", "123456"), "'Zoe' does not play"),
        (("faces", "1", "123457"), "got '7'; write them like 115234"),
        (("faces", "1", " "), "no faces were given"),
        (("aside", "2", "1"), "nothing was set aside of that throw of turn 2"),
        (("turn", "1", "dance"), "'dance' is no event of this game"),
        (("look", "1", "66"), "looks at lanes are of Tenzi"),
        (("insert", "9", "entered 5"), "name one of 1 to 4"),
        (("insert", "1", "entered 5", "--player", "Zoe"), "'Zoe' does not play"),
        (("accept", "--out", "x.game"), "--out is for game files"),
    ],
)
def test_repairs_that_cannot_be_done(repair: Any, store: Path, arguments: tuple[str, ...], says: str) -> None:
    before = rows(store)
    assert says in repair(*arguments, code=2)["error"]
    assert rows(store) == before


def test_typed_turns_have_no_throws(repair: Any) -> None:
    repair("insert", "4", "entered 350")
    assert "nothing was thrown in turn 4 (Ben)" in repair("faces", "4", "123456", code=2)["error"]
    assert repair("turn", "4", "entered -50")["after"]["totals"]["Ben"] == -50


def test_a_game_that_is_not_there(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "repair", "show", "7", "--store", str(store)]) == 2
    assert "there is no game 7" in capsys.readouterr().err
    assert main(["games", "repair", "undo", "1", "--store", str(tmp_path / "none")]) == 2
    assert "there are no games" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
    put(tmp_path / "empty")
    words = ["games", "repair", "faces", "1", "1", "123456", "--store", str(tmp_path / "empty")]
    assert main(words) == 2
    assert "the game has none yet" in capsys.readouterr().err


def test_nobody_repairs_a_game_while_it_is_played(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_writer(store):
        assert main(["games", "repair", "undo", "1", "--store", str(store)]) == 2
        assert "another game is being written" in capsys.readouterr().err
        assert main(["games", "repair", "show", "1", "--store", str(store)]) == 0


def test_for_people(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["games", "repair", "faces", "1", "2", "122346", "--store", str(store)]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "game 1: turn 2 (Ben:1): 'rolled 2 2 3 3 4 6' becomes 'rolled 1 2 2 3 4 6'." in out
    assert "What does not count now" in out
    assert main(words) == 0
    assert "it is like that already" in capsys.readouterr().out
    assert main(["games", "show", "1", "--store", str(store)]) == 0
    out = capsys.readouterr().out
    assert "repaired (turn 2 (Ben:1)" in out
    assert "Does not count: turn 1 of Ben has no end any more" in out
    assert main(["games", "repair", "show", "1", "--store", str(store)]) == 0
    out = capsys.readouterr().out
    assert "   2  Ben:1  rolled 1 2 2 3 4 6\n" in out
    assert "10 steps can be taken back (undo), 0 steps brought back (redo)." in out


# A game that goes on at the table


def resume(store: Path, folder: Path) -> int:
    frames = folder / "frames"
    frames.mkdir(exist_ok=True)
    for index in range(3):
        cv2.imwrite(str(frames / f"{index}.png"), np.full((48, 64, 3), 90, np.uint8))
    words = ["play", "farkle", "--source", str(frames), "--resume", "--json", "--store", str(store)]
    return main(words)


def test_play_goes_on_from_the_repaired_game(
    repair: Any, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repair("rename", "Ben", "Benny")
    repair("rules", "--set", "single_5=60", "--set", "triple_1=700")
    assert resume(store, tmp_path) == 0
    final = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (final["totals"], final["to_act"]) == ({"Anna": 860, "Benny": 0}, "Benny")


def test_play_does_not_go_on_while_something_does_not_count(
    repair: Any, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repair("faces", "2", "122346")
    assert resume(store, tmp_path) == 2
    assert "turn 1 of Ben has no end any more" in capsys.readouterr().err
    told = repair("accept")
    assert (told["did"], told["does_not_count"]) == ("what did not count is left out", [])
    assert repair("accept")["written"] is False
    assert resume(store, tmp_path) == 0
    assert repair("undo")["does_not_count"], "what was left out is still in the record"


def test_what_is_played_after_a_repair_counts_from_there() -> None:
    header = GameHeader("farkle", "tiotusen-zilch", {}, ("Anna", "Ben"), "x", "")
    records = [Record(tuple(event), 0, step=step) for step, event in enumerate(TURNS)]
    game = StoredGame(1, header, 0)
    changed = farkle_game(game, records)
    row = list(changed.repaired_row("nothing"))
    more = [Record(tuple(row), 0, "repair", 50), Record(("entered", "Ben", 300), 0, "key", 51)]
    kept = farkle_game(game, [*records, *more])
    assert [len(turn.events) for turn in kept.ledger.turns] == [3, 1, 5, 1]
    # Undo at the table may take back what was there before the repair.
    back = farkle_game(game, [*records, *more, Record(("undone", 3), 0, "key", 52)])
    assert back.events == kept.events[:-3]
    part = farkle_game(game, [*records, *more, Record(("undone", 1), 0, "key", 52)])
    assert part == farkle_game(game, [*records, more[0]])
    assert kept.steps[-1] == kept.events[-1:]
    assert [event for step in kept.steps for event in step] == list(kept.events)


def test_a_correction_at_the_table_is_one_step_of_undo() -> None:
    header = GameHeader("farkle", "tiotusen-zilch", {}, ("Anna", "Ben"), "x", "")
    records = [Record(tuple(event), 0, step=step) for step, event in enumerate(TURNS[:3])]
    records += [Record(("undone", 2), 0, "key", 9), Record(("set_aside", [1, 1]), 0, "key", 9)]
    history = history_of(StoredGame(1, header, 0), records)
    assert history.now.events[-1].faces == (1, 1)
    assert len(history.undo().now.events) == 3


@pytest.mark.parametrize(
    "row",
    [
        ["undone"],
        ["redone"],
        ["undone", 0],
        ["undone", "all"],
        ["undone", 1, 2],
        ["repaired", {}],
        ["repaired", {"preset": "tiotusen-zilch", "settings": {}, "players": 3, "turns": []}],
        ["repaired", {"preset": "none", "settings": {}, "players": ["A", "B"], "turns": []}],
        ["repaired", {"preset": "farkle", "settings": {}, "players": ["A", "B"], "turns": [["A", [[]]]]}],
    ],
)
def test_rows_that_no_program_wrote(row: list[Any]) -> None:
    header = GameHeader("farkle", "farkle", {}, ("Anna", "Ben"), "x", "")
    with pytest.raises(BadInput, match="croupier games verify"):
        standing_game(StoredGame(1, header, 1), [Record(tuple(row), 0, step=1)])


@pytest.mark.parametrize("seed", range(6))
def test_a_repaired_game_comes_back_from_its_row_as_it_was(seed: int) -> None:
    random = Random(seed)
    rules = preset("tiotusen").replace(steal="roll", piggyback=True, kind_points={"2,4": 900}, four_pair=1200)
    events = [event for _, event in game(rules, random, 60)]
    ledger = record(rules, PLAYERS, events)
    turn = random.randrange(len(ledger.turns))
    changed = without_turn(ledger, turn, shift=random.random() < 0.5)
    kept = kept_game("tiotusen", changed)
    row = json.loads(json.dumps(kept.repaired_row("a turn is taken out")))
    stored = StoredGame(1, GameHeader("farkle", "farkle", {}, PLAYERS, "x", ""), 1)
    back = farkle_game(stored, [Record(tuple(row), 0, step=1)])
    assert back == kept
    assert back.document() == kept.document()
    assert [event for step in back.steps for event in step] == list(kept.events)


# Tenzi

LOOKS: tuple[list[Any], ...] = (
    ["go", 0],
    ["seen", 1_000_000_000, "Anna", [6, 6]],
    ["claimed", 2_000_000_000, "Anna"],
    ["go", 3_000_000_000],
    ["seen", 4_000_000_000, "Ben", [6, 6]],
    ["claimed", 5_000_000_000, "Ben"],
)


def test_a_tenzi_match_is_listed_shown_exported_and_repaired(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ["--store", str(tmp_path)]
    put(tmp_path, *LOOKS, game="tenzi", dice=2)

    def run(*words: str) -> str:
        assert main([*words, *folder]) == 0
        return capsys.readouterr().out

    assert json.loads(run("games", "list", "--json"))["totals"] == {"Anna": 1, "Ben": 1}
    assert "tenzi" in run("games", "list")
    assert "Anna 1, Ben 1" in run("games", "show", "1")
    assert json.loads(run("games", "export", "1"))["events"] == [list(event) for event in LOOKS]
    assert "seen 1 Anna: 6 6" in run("games", "export", "1", "--text")
    told = json.loads(run("games", "repair", "rules", "1", "--set", "rounds_to_win=1", "--json"))
    assert told["does_not_count"] == [
        "event 4: 'go 3' is not legal any more, the match is over, Anna has won it; start a new one"
    ]
    assert "   2  seen 1 Anna: 6 6\n" in run("games", "repair", "show", "1")
    assert len(json.loads(run("games", "repair", "show", "1", "--json"))["events"]) == 6
    told = json.loads(run("games", "repair", "look", "1", "2", "62", "--json"))
    assert told["after"]["winners"] == ["Ben"]
    assert told["does_not_count"] == []
    run("games", "repair", "look", "1", "2", "-")
    run("games", "repair", "rename", "1", "Ben", "Benny")
    run("games", "repair", "undo", "1", "--times", "3")
    told = json.loads(run("games", "repair", "accept", "1", "--json"))
    assert (told["after"]["winners"], told["does_not_count"]) == (["Anna"], [])
    assert json.loads(run("games", "repair", "accept", "1", "--json"))["written"] is False
    board = json.loads(run("games", "statistics", "--json").splitlines()[0])
    assert (board["player"], board["kind"], board["bests"]) == (
        "Anna",
        "tenzi",
        {"2": {"time_s": 1.0, "rolls": 1}},
    )
    assert "2: 1.00\u00a0s, 1" in run("games", "statistics")
    for words, says in (
        (("faces", "1", "1", "66"), "a Tenzi match has no turns"),
        (("look", "1", "1", "66"), "event 1 is no look at a lane"),
        (("rules", "1", "--preset", "farkle"), "Tenzi has no presets"),
        (("rules", "1", "--set", "goal=9"), "'goal' must be counts"),
        (("rename", "1", "Zoe", "Z"), "'Zoe' does not play"),
    ):
        assert main(["games", "repair", *words, *folder]) == 2
        assert says in capsys.readouterr().err
    with open_reader(tmp_path) as games:
        assert games.verify() == ()
        with pytest.raises(BadInput, match="is a Tenzi match"):
            farkle_game(games.game(1), games.records(1))


def test_undo_at_the_table_in_a_tenzi_match() -> None:
    header = GameHeader("tenzi", "", {"dice": 2}, ("Anna", "Ben"), "x", "")
    records = [Record(tuple(event), 0, step=step // 2) for step, event in enumerate(LOOKS)]
    kept = standing_game(StoredGame(1, header, 6), [*records, Record(("undone", 5), 0, "key", 9)])
    assert kept.document()["events"] == [["go", 0]]


# Verify


def test_verify_plays_every_game_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, *TURNS)
    put(tmp_path, *LOOKS, game="tenzi", dice=2)
    words = ["games", "verify", "--store", str(tmp_path)]
    assert main(words) == 0
    assert "2 games: nothing was changed, every score comes out again." in capsys.readouterr().out
    # The chain of this game is whole, but nobody can have played it.
    put(tmp_path, ["banked"])
    put(tmp_path, ["undone", 3])
    assert main([*words, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [fault["game"] for fault in told["faults"]] == [3, 4]
    assert "Anna cannot bank" in told["faults"][0]["reason"]
    assert main(["games", "list", "--json", "--store", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    listed = [json.loads(line) for line in out.splitlines()]
    assert [("error" in each, each["game"]) for each in listed] == [
        (False, 1),
        (False, 2),
        (True, 3),
        (True, 4),
    ]
    assert "game 3 cannot be read (and 1 more): Anna cannot bank" in err
    assert main(["games", "list", "--store", str(tmp_path)]) == 2
    assert "tiotusen-zilch" in capsys.readouterr().out
    assert main(words) == 1
    assert "game 4: the game cannot be played again: the game log takes back 3 events" in (
        capsys.readouterr().out
    )


# Files


def test_a_game_text_is_repaired_into_a_copy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "evening.game"
    path.write_text(TEXT, encoding="utf-8")
    assert main(["games", "repair", "faces", str(path), "1", "411234"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("game farkle\npreset tiotusen-zilch\nset single_5 60\nplayers Anna, Ben\n")
    assert "# does not count: turn 1 of Anna: 'set_aside 1 1 1' is not legal any more" in out
    assert "becomes 'rolled 4 1 1 2 3 4'" in err
    copy = tmp_path / "copy.json"
    assert main(["games", "repair", "rename", str(path), "Ben", "Benny", "--out", str(copy)]) == 0
    assert "Ben is called Benny" in capsys.readouterr().out
    assert json.loads(copy.read_text(encoding="utf-8"))["settings"] == {"single_5": 60}
    assert path.read_text(encoding="utf-8") == TEXT
    assert main(["games", "repair", "show", str(copy), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"]["totals"] == {"Anna": 1000, "Benny": 350}
    assert main(["games", "repair", "rename", str(copy), "Benny", "B", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["document"]["players"], told["written"]) == (["Anna", "B"], False)
    other = tmp_path / "other.game"
    assert main(["games", "repair", "accept", str(copy), "--json", "--out", str(other), "--dry-run"]) == 0
    assert not other.exists()


def test_a_tenzi_text_is_repaired_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "race.game"
    path.write_text("game tenzi\nset dice 2\nplayers Anna\ngo 0\nseen 1 Anna: 6 6\nclaimed 2 Anna\n")
    assert main(["games", "repair", "look", str(path), "2", "62"]) == 0
    assert "seen 1 Anna: 6 2\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("none.game", None, "there is no file"),
        ("a.json", "[]", "holds no game document"),
        ("a.game", "game farkle\nplayers Anna, Ben\nbanked\n", "line 3 (event 0): Anna cannot bank"),
        ("a.json", '{"game": "farkle", "players": ["A", "B"], "events": [["banked"]]}', "event 0: A cannot"),
        ("a.game", "game farkle\nplayers Anna, Ben\ndance\n", "'dance' is no event"),
    ],
)
def test_files_that_cannot_be_repaired(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: str | None, says: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert main(["games", "repair", "show", str(path)]) == 2
    assert says in capsys.readouterr().err
    assert main(["games", "repair", "undo", str(path)]) == 2
    assert "only games in the store know what was before" in capsys.readouterr().err
