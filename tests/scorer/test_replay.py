"""Documents: what `replay` answers, and what it says to documents that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorer.errors import (
    BadPlayers,
    IllegalEvent,
    IllegalSelection,
    MalformedDocument,
    MalformedEvent,
    RulesError,
)
from scorer.replay import replay


def document(**changes: Any) -> dict[str, Any]:
    return {"game": "farkle", "preset": "farkle", "players": ["Anna", "Ben"], "events": [], **changes}


def test_the_answer_before_the_first_event() -> None:
    assert replay(document()) == {
        "totals": {"Anna": 0, "Ben": 0},
        "turns": {"Anna": [], "Ben": []},
        "to_act": "Anna",
        "turn": {"points": 0, "dice_left": 6, "must_roll": False, "offer": None},
        "phase": "turn",
        "finished": False,
        "winners": [],
        "standings": [["Anna", 0, 1], ["Ben", 0, 1]],
    }


def test_the_preset_is_farkle_where_none_is_named() -> None:
    bare = {"game": "farkle", "players": ["Anna", "Ben"], "events": [["rolled", [1, 1, 1, 2, 3, 4]]]}
    bare["events"].append(["set_aside", [1, 1, 1]])  # type: ignore[attr-defined]
    outcome: Any = replay(bare)
    assert outcome["turn"]["points"] == 300


def test_settings_of_the_document_and_of_the_caller() -> None:
    events = [["rolled", [1, 1, 1, 2, 3, 4]], ["set_aside", [1, 1, 1]]]
    own: Any = replay(document(settings={"triple_1": 700}, events=events))
    assert own["turn"]["points"] == 700
    mine: Any = replay(document(settings={"triple_1": 700}, events=events), {"triple_1": 900})
    assert mine["turn"]["points"] == 900


def test_whatever_else_a_document_holds_is_left_alone() -> None:
    assert replay(document(fps=30, rests=[], totals={"Anna": 3}))["totals"] == {"Anna": 0, "Ben": 0}


def test_the_answer_is_plain_json() -> None:
    outcome = replay(document(events=[["entered", "Anna", 10000]]))
    assert json.loads(json.dumps(outcome)) == outcome


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (None, "a game document is a JSON object"),
        ([], "a game document is a JSON object"),
        ("farkle", "a game document is a JSON object"),
        (3, "a game document is a JSON object"),
        ({}, "does not say which game"),
        (document(game="chess"), "'game' must be"),
        (document(game=None), "'game' must be"),
        (document(game=["farkle"]), "'game' must be"),
        ({"game": "farkle", "events": []}, "no 'players'"),
        ({"game": "farkle", "players": ["Anna", "Ben"]}, "no 'events'"),
        (document(players="Anna"), "'players' must be a list"),
        (document(players={"Anna": 1}), "'players' must be a list"),
        (document(events={}), "'events' must be a list"),
        (document(events="rolled"), "'events' must be a list"),
        (document(events=None), "'events' must be a list"),
        (document(settings=[]), "'settings' must be an object"),
        (document(settings="opening=0"), "'settings' must be an object"),
    ],
)
def test_a_document_that_is_none(broken: object, says: str) -> None:
    with pytest.raises(MalformedDocument, match=says):
        replay(broken)


@pytest.mark.parametrize(
    ("players", "says"),
    [
        ([], "at least two players, got 0"),
        (["Anna"], "at least two players, got 1"),
        (["Anna", "Anna"], "two players are called 'Anna'"),
        (["Anna", ""], "not empty"),
        (["Anna", "  "], "not empty"),
        (["Anna", 3], "must be a text"),
        (["Anna", None], "must be a text"),
        (["Anna", ["Ben"]], "must be a text"),
    ],
)
def test_players_with_whom_nobody_can_play(players: list[object], says: str) -> None:
    with pytest.raises(BadPlayers, match=says):
        replay(document(players=players))


@pytest.mark.parametrize(
    "broken",
    [
        document(preset="farkel"),
        document(preset=None),
        document(preset=3),
        document(settings={"oppening": 3}),
        document(settings={"target": "10000"}),
        document(settings={"dice": 5}),
    ],
)
def test_rules_that_are_none(broken: dict[str, Any]) -> None:
    with pytest.raises(RulesError):
        replay(broken)


@pytest.mark.parametrize(
    "event",
    [
        None,
        "banked",
        3,
        {},
        [],
        [3],
        [["banked"]],
        ["bank"],
        ["Banked"],
        ["banked", 3],
        ["took_over", "Anna"],
        ["rolled"],
        ["rolled", 1, 2, 3, 4, 5, 6],
        ["rolled", "123456"],
        ["rolled", [1, 2, 3, 4, 5, 6], 1],
        ["rolled", []],
        ["rolled", [1, 2, 3, 4, 5, 7]],
        ["rolled", [0, 2, 3, 4, 5, 6]],
        ["rolled", [True, 2, 3, 4, 5, 6]],
        ["rolled", [1.0, 2, 3, 4, 5, 6]],
        ["rolled", ["1", 2, 3, 4, 5, 6]],
        ["rolled", [None, 2, 3, 4, 5, 6]],
        ["rolled", [1, 1, 1, 1, 1, 1, 1]],
        ["set_aside", 1],
        ["entered"],
        ["entered", "Anna"],
        ["entered", "Anna", "100"],
        ["entered", "Anna", True],
        ["entered", "Anna", 100.0],
        ["entered", 100, "Anna"],
        ["entered", "Anna", 100, 1],
    ],
)
def test_a_malformed_event_is_an_illegal_event_with_its_place(event: object) -> None:
    with pytest.raises(IllegalEvent) as caught:
        replay(document(events=[["entered", "Anna", 0], ["entered", "Ben", 0], event, ["banked"]]))
    assert caught.value.index == 2
    assert isinstance(caught.value, MalformedEvent)


def test_an_illegal_event_keeps_its_kind_and_gets_its_place() -> None:
    with pytest.raises(IllegalSelection) as caught:
        replay(document(events=[["rolled", [1, 2, 3, 4, 6, 6]], ["set_aside", [2]]]))
    assert caught.value.index == 1
    assert "set aside 1" in str(caught.value)  # what was legal there


def test_a_thousand_events_replay_to_the_last() -> None:
    """How long that takes is told by `python -m benchmarks.scorer_speed`."""
    turn = [["rolled", [1, 2, 2, 3, 4, 6]], ["set_aside", [1]], ["banked"]]
    events = [*turn * 333, ["rolled", [1, 2, 2, 3, 4, 6]]]
    game = document(settings={"opening": 0, "target": 20000}, events=events, players=["A", "B", "C"])
    board = replay(game)
    assert board["totals"] == {"A": 11_100, "B": 11_100, "C": 11_100}
    assert board["to_act"] == "A"
