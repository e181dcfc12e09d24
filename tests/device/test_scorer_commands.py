"""`croupier score`, `replay` and `rules` as a script uses them: standard output, exit codes, bad input."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from device.cli import main
from device.documents import line_of_event

GAME = {
    "game": "farkle",
    "preset": "farkle",
    "settings": {},
    "players": ["Anna", "Ben [1]"],
    "events": [["rolled", [1, 1, 1, 5, 2, 3]], ["set_aside", [1, 1, 1]], ["rolled", [1, 5, 5]]],
}


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))

    return put


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def saved(folder: Path, document: object) -> str:
    path = folder / "game.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return str(path)


# score


def test_score_answers_as_the_contract_has_it(feed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    feed('{"preset": "tiotusen", "settings": {"opening": 0}, "dice": [1, 5, 2, 2, 3, 4]}\n')
    assert main(["score"]) == 0
    out, err = capsys.readouterr()
    assert lines(out) == [
        {
            "best": 150,
            "used": 2,
            "bust": False,
            "selections": [
                {"dice": [1, 5], "points": 150, "why": "1 100 + 5 50"},
                {"dice": [1], "points": 100, "why": "1 100"},
                {"dice": [5], "points": 50, "why": "5 50"},
            ],
        }
    ]
    assert err == ""


def test_score_of_a_bust(feed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    feed('{"dice": [2, 2, 3, 3, 4, 6]}')
    assert main(["score", "--json"]) == 0
    assert lines(capsys.readouterr().out) == [{"best": 0, "used": 0, "bust": True, "selections": []}]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("nonsense", "not valid JSON"),
        ('{"dice": [1, 2', "not valid JSON"),
        ("[1, 2, 3]", "must be an object"),
        ("null", "must be an object"),
        ("{}", "'dice' must be a list"),
        ('{"dice": "123"}', "'dice' must be a list"),
        ('{"dice": 1}', "'dice' must be a list"),
        ('{"dice": []}', "1 to 6 dice can be scored, got 0"),
        ('{"dice": [1, 2, 3, 4, 5, 6, 1]}', "got 7"),
        ('{"preset": "hot-dice-five", "dice": [1, 2, 3, 4, 5, 6]}', "1 to 5 dice can be scored, got 6"),
        ('{"dice": [0]}', "from 1 to 6, got 0"),
        ('{"dice": [7]}', "got 7"),
        ('{"dice": [1.0]}', "got 1.0"),
        ('{"dice": [true]}', "got true"),
        ('{"dice": ["1"]}', "got '1'"),
        ('{"dice": [null]}', "got null"),
        ('{"preset": "farkel", "dice": [1]}', "did you mean 'farkle'"),
        ('{"preset": 3, "dice": [1]}', "named by a text"),
        ('{"settings": {"oppening": 1}, "dice": [1]}', "did you mean 'opening'"),
        ('{"settings": {"target": 1}, "dice": [1]}', "'target' must be"),
        ('{"settings": [], "dice": [1]}', "settings must be an object"),
        ('{"settigns": {}, "dice": [1]}', "did you mean 'settings'"),
        ("[" * 100000, "nobody wrote by hand"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_score_names_a_bad_line_and_goes_on(
    feed: Any, capsys: pytest.CaptureFixture[str], line: str | bytes, says: str
) -> None:
    data = line.encode() if isinstance(line, str) else line
    feed(b'{"dice": [1]}\n' + data + b'\n\n{"dice": [5]}\n')
    assert main(["score"]) == 2
    out, err = capsys.readouterr()
    first, second, third = lines(out)
    assert (first["best"], third["best"]) == (100, 50)
    assert list(second) == ["error"]
    assert says in second["error"]
    assert "line 2" in err
    assert "Traceback" not in err


def test_score_of_nothing_is_nothing(feed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    feed("")
    assert main(["score"]) == 0
    assert capsys.readouterr().out == ""


# replay


def test_replay_answers_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", saved(tmp_path, GAME), "--json"]) == 0
    out, err = capsys.readouterr()
    (outcome,) = lines(out)
    assert outcome["turn"] == {"points": 300, "dice_left": 3, "must_roll": False, "offer": None}
    assert list(outcome) == [
        "totals",
        "turns",
        "to_act",
        "turn",
        "phase",
        "finished",
        "winners",
        "standings",
    ]
    assert err == ""


def test_replay_reads_standard_input(feed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    feed(json.dumps(GAME))
    assert main(["replay", "-", "--json"]) == 0
    assert lines(capsys.readouterr().out)[0]["to_act"] == "Anna"


def test_replay_under_other_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["replay", saved(tmp_path, GAME), "--json", "--set", "triple_1=1000", "--set", "hot_dice=off"]
    assert main(arguments) == 0
    assert lines(capsys.readouterr().out)[0]["turn"]["points"] == 1000


def test_replay_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", saved(tmp_path, GAME)]) == 0
    out = capsys.readouterr().out
    assert "Ben [1]" in out
    assert "Anna is to act: 300 points in this turn, 3 dice to throw." in out
    over = {**GAME, "events": [["entered", "Anna", 10000], ["entered", "Ben [1]", 10000]]}
    assert main(["replay", saved(tmp_path, over)]) == 0
    assert "Finished: Anna and Ben [1] share the win." in capsys.readouterr().out


def test_replay_of_a_race_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = [["go", 0], ["seen", 5, "Anna", [6, 6]], ["claimed", 6, "Anna"], ["go", 9]]
    race = {"game": "tenzi", "settings": {"dice": 2}, "players": ["Anna", "Ben"], "events": events}
    assert main(["replay", saved(tmp_path, race)]) == 0
    out = capsys.readouterr().out
    assert "Anna 1, Ben 0" in out
    assert "no winner" in out
    assert main(["replay", saved(tmp_path, race), "--set", "goal=2", "--json"]) == 0
    assert lines(capsys.readouterr().out)[0]["wins"] == {"Anna": 1, "Ben": 0}
    over = {**race, "settings": {"dice": 2, "rounds_to_win": 1}, "events": events[:3]}
    assert main(["replay", saved(tmp_path, over)]) == 0
    assert "Finished: Anna wins the match (Anna 1, Ben 0)." in capsys.readouterr().out


def test_statistics_of_a_race(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = [["go", 0], ["seen", 5_000_000_000, "Anna", [6, 6]], ["claimed", 6_000_000_000, "Anna"]]
    race = {"game": "tenzi", "settings": {"dice": 2}, "players": ["Anna"], "events": events}
    assert main(["replay", saved(tmp_path, race), "--statistics", "--json"]) == 0
    statistics = lines(capsys.readouterr().out)[0]["statistics"]
    assert statistics["Anna"]["bests"] == {"2": {"time_s": 5.0, "rolls": 1}}
    assert main(["replay", saved(tmp_path, race), "--statistics"]) == 0
    assert "5.00" in capsys.readouterr().out


def test_replay_names_an_illegal_event(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path, {**GAME, "events": [*GAME["events"], ["banked"]]})
    assert main(["replay", path, "--json"]) == 2
    out, err = capsys.readouterr()
    (answer,) = lines(out)
    assert answer["event"] == 3
    assert "waits for its set-aside" in answer["error"]
    assert "event 3" in err
    assert main(["replay", path]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[]", "a game document is a JSON object"),
        ({**GAME, "players": ["Anna", "Anna"]}, "two players are called 'Anna'"),
        ({**GAME, "preset": "farkel"}, "did you mean 'farkle'"),
        ({**GAME, "settings": {"opning": 1}}, "did you mean 'opening'"),
        ({**GAME, "events": 3}, "'events' must be a list"),
        ({**GAME, "game": "chess"}, "'game' must be"),
    ],
)
def test_replay_of_a_broken_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], document: object, says: str
) -> None:
    assert main(["replay", saved(tmp_path, document), "--json"]) == 2
    out, err = capsys.readouterr()
    assert [list(answer) for answer in lines(out)] == [["error"]]
    assert says in lines(out)[0]["error"]
    assert says in err
    assert "Traceback" not in err


def test_replay_of_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, says in ((tmp_path / "none.json", "there is no file"), (tmp_path, "is a folder")):
        assert main(["replay", str(path)]) == 2
        out, err = capsys.readouterr()
        assert (out, says in err) == ("", True)


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("opening", "wants name=value"),
        ("=5", "wants name=value"),
        ("opening=many", "got 'many'"),
        ("oppening=5", "did you mean 'opening'"),
        ("piggyback=1", "true or false, got 1"),
    ],
)
def test_replay_with_a_bad_setting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], setting: str, says: str
) -> None:
    assert main(["replay", saved(tmp_path, GAME), "--set", setting]) == 2
    assert says in capsys.readouterr().err


# rules


def test_rules_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list", "--json"]) == 0
    presets = lines(capsys.readouterr().out)
    assert {"farkle", "ten-thousand", "tiotusen", "zilch"} <= {each["preset"] for each in presets}
    assert main(["rules", "list"]) == 0
    assert "tiotusen-short" in capsys.readouterr().out


def test_rules_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "show", "tiotusen", "--json", "--set", "opening=500"]) == 0
    (shown,) = lines(capsys.readouterr().out)
    assert (shown["settings"]["opening"], shown["settings"]["three_pairs"]) == (500, 1000)
    assert main(["rules", "show", "zilch", "--language", "sv"]) == 0
    assert "Poäng för tre ettor" in capsys.readouterr().out


def test_rules_show_of_an_unknown_preset(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "show", "farkel"]) == 2
    assert "did you mean 'farkle'" in capsys.readouterr().err


# games as texts, statistics, house presets

TEXT = """\
game farkle
title Tuesday
preset tiotusen-zilch
players Anna, Ben

rolled 1 1 1 5 2 3
set_aside 1 1 1 5
banked
check totals Anna 1050, Ben 0
"""
HOUSE = 'title = "Our table"\nparent = "tiotusen-zilch"\n[settings]\ntriple_1 = 700\nn_flat = { 4 = 1200 }\n'


def test_replay_reads_a_text(tmp_path: Path, capsys: pytest.CaptureFixture[str], feed: Any) -> None:
    path = tmp_path / "game.txt"
    path.write_text("\ufeff" + TEXT, encoding="utf-8")
    assert main(["replay", str(path), "--json"]) == 0
    assert lines(capsys.readouterr().out)[0]["totals"] == {"Anna": 1050, "Ben": 0}
    feed(TEXT)
    assert main(["replay", "-", "--json", "--statistics"]) == 0
    (answer,) = lines(capsys.readouterr().out)
    assert answer["statistics"]["Anna"]["points_a_turn"] == 1050
    assert answer["statistics"]["Ben"]["faces"]["n"] == 0


def test_replay_of_a_text_whose_score_is_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.txt"
    path.write_text(TEXT.replace("check totals Anna 1050", "check totals Anna 1500"), encoding="utf-8")
    assert main(["replay", str(path), "--json"]) == 1
    out, err = capsys.readouterr()
    assert lines(out)[0]["totals"] == {"Anna": 1050, "Ben": 0}
    assert "line 9: the text says 'totals Anna 1500, Ben 0', it comes to 'totals Anna 1050, Ben 0'" in err


@pytest.mark.parametrize(
    ("wrong", "says", "answer"),
    [
        ("dance", "line 9 (event 3): 'dance' is no event", {"event": 3, "line": 9}),
        ("banked", "line 9 (event 3): Ben cannot bank", {"event": 3, "line": 9}),
        ("preset farkle", "line 9: 'preset' stands after the first event", {"line": 9}),
    ],
)
def test_replay_names_the_line_of_a_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: str, says: str, answer: dict[str, int]
) -> None:
    path = tmp_path / "game.txt"
    path.write_text(TEXT.replace("check totals Anna 1050, Ben 0", wrong), encoding="utf-8")
    assert main(["replay", str(path), "--json"]) == 2
    out, err = capsys.readouterr()
    assert says in err
    (told,) = lines(out)
    assert {key: told[key] for key in told if key != "error"} == answer
    if "event" in answer:
        assert "legal here: roll 6 dice, enter a turn of Ben" in told["error"]


def test_replay_writes_a_document_as_a_text_and_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], feed: Any
) -> None:
    assert main(["replay", saved(tmp_path, GAME), "--json"]) == 0
    board = capsys.readouterr().out
    assert main(["replay", saved(tmp_path, GAME), "--text"]) == 0
    text = capsys.readouterr().out
    assert 'players Anna, "Ben [1]"' in text or "players Anna, Ben [1]" in text
    feed(text)
    assert main(["replay", "-", "--json"]) == 0
    assert capsys.readouterr().out == board
    assert main(["replay", saved(tmp_path, [3]), "--text"]) == 2


def test_statistics_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.txt"
    path.write_text(TEXT, encoding="utf-8")
    assert main(["replay", str(path), "--statistics"]) == 0
    out = capsys.readouterr().out
    assert "1050" in out
    assert "chi-square" in out


@pytest.fixture
def house(tmp_path: Path) -> Path:
    path = tmp_path / "house.toml"
    path.write_text(HOUSE, encoding="utf-8")
    return path


def test_a_house_preset_stands_wherever_a_preset_name_does(
    house: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], feed: Any
) -> None:
    feed(json.dumps({"preset": str(house), "dice": [1, 1, 1, 2, 3, 4]}))
    assert main(["score"]) == 0
    assert lines(capsys.readouterr().out)[0]["best"] == 700
    # A game file names it from its own folder, and may change it further.
    text = tmp_path / "game.txt"
    text.write_text(TEXT.replace("tiotusen-zilch", "house.toml").replace("1050", "750"), encoding="utf-8")
    assert main(["replay", str(text), "--json"]) == 0
    assert main(["replay", str(text), "--json", "--set", "single_5=60"]) == 1
    document = {
        "game": "farkle",
        "preset": "house.toml",
        "settings": {"single_5": 60},
        "players": ["Anna", "Ben"],
        "events": [["rolled", [1, 1, 1, 5, 2, 3]], ["set_aside", [1, 1, 1, 5]], ["banked"]],
    }
    capsys.readouterr()
    assert main(["replay", saved(tmp_path, document), "--json", "--statistics"]) == 0
    assert lines(capsys.readouterr().out)[0]["totals"] == {"Anna": 760, "Ben": 0}
    assert main(["rules", "show", str(house), "--json"]) == 0
    (shown,) = lines(capsys.readouterr().out)
    assert (shown["title"], shown["parent"]) == ("Our table", "tiotusen-zilch")
    assert shown["settings"]["n_flat"] == {"4": 1200, "5": 2000, "6": 3000}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "there is no preset file"),
        (b'parent = "farkel"', "did you mean 'farkle'"),
        (b"[settings]\noppening = 3", "did you mean 'opening'"),
        (b"title =", "not valid TOML"),
        (b"\xff", "not UTF-8"),
        (b"#" * 1_000_001, "too long for a preset"),
    ],
)
def test_a_house_preset_that_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, says: str
) -> None:
    path = tmp_path / "house.toml"
    if content is not None:
        path.write_bytes(content)
    assert main(["rules", "show", str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, says in err) == ("", True)
    (tmp_path / "folder.toml").mkdir()
    assert main(["rules", "show", str(tmp_path / "folder.toml")]) == 2


def test_replay_names_the_line_of_an_event_in_a_document_that_has_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        '{"game": "farkle", "players": ["Anna", "Ben"], "settings": {"opening": 0},\n"events": [\n'
        '["rolled", [1, 1, 1, 2, 3, 4]],\n\n["set_aside", [1, 1, 1]],\n["rolled",\n [2]], ["banked"]]}\n'
    )
    assert main(["replay", saved(tmp_path, text), "--json"]) == 2
    out, err = capsys.readouterr()
    (answer,) = lines(out)
    assert (answer["event"], answer["line"]) == (2, 6)
    assert "line 6 (event 2): 3 dice must be rolled here, got 1" in err


def test_a_turn_for_somebody_who_does_not_play_is_answered_with_the_nearest_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = {"game": "farkle", "players": ["Anna", "Ben"], "events": [["entered", "Annna", 500]]}
    assert main(["replay", saved(tmp_path, document)]) == 2
    assert "event 0: there is no player 'Annna'; did you mean 'Anna'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "event", "line"),
    [
        ('{"events": [["banked"]]}', 0, 1),
        ('{"settings": {"a": [1,\n2]},\n"events":\n[["banked"],\n["banked"]]}', 1, 5),
        ('{"events": [["banked"]]}', 1, None),
        ('{"players": []}', 0, None),
        ('{"events": 3}', 0, None),
        ("", 0, None),
    ],
)
def test_the_line_of_an_event(text: str, event: int, line: int | None) -> None:
    assert line_of_event(text, event) == line
