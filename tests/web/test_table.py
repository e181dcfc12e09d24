"""Presses and corrections from phones: what they do, who may, and what the later of two is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from device.store import open_reader
from tests.web.rig import Phone, Rig, played

WRITES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/api/table/press", {"version": "1-0-0", "press": "bank"}),
    ("POST", "/api/table/press", {"version": "1-0-0", "press": "undo"}),
    ("POST", "/api/table/die", {"version": "1-0-0", "die": 1, "face": 5}),
    ("POST", "/api/table/throw", {"version": "1-0-0", "faces": [1, 2, 3, 4, 5, 6]}),
    ("POST", "/api/table/enter", {"version": "1-0-0", "points": 500}),
    ("POST", "/api/table/edit", {"what": "remove", "turn": 0, "write": True}),
    ("POST", "/api/setup/find", {}),
    ("POST", "/api/setup/zones", {"zones": [[[0, 0], [1, 0], [1, 1]]]}),
    ("POST", "/api/setup/proof", {}),
    ("POST", "/api/setup/save", {"name": "table"}),
    ("POST", "/api/setup/start", {"players": ["Eve"]}),
    ("POST", "/api/setup/leave", {}),
    ("POST", "/api/lock", {"pin": "4711"}),
    ("POST", "/api/unlock", {"pin": "4711"}),
    ("POST", "/api/organiser", {"pin": "4711"}),
    ("POST", "/api/leave", {}),
    ("DELETE", "/api/phones/abcd", {}),
    ("GET", "/api/phones", {}),
    ("GET", "/api/setup/picture", {}),
]
FREE = {"/api/pair", "/api/pair/ask", "/api/setup/rules"}
"""What changes nothing, or is the way in."""


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """A typed game of Anna and Ben."""
    with played(tmp_path) as made:
        yield made


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[Rig]:
    """A game in front of a camera."""
    with played(tmp_path, by_hand=False) as made:
        yield made


def totals(phone: Phone) -> dict[str, int]:
    return {each["name"]: each["total"] for each in phone.state()["view"]["players"]}


def test_every_write_of_an_unpaired_phone_is_refused(rig: Rig) -> None:
    eve = Phone(rig.app)
    before = eve.state()
    for method, path, body in WRITES:
        answer = eve.client.request(method, path, json=body if method == "POST" else None)
        assert answer.status_code == 403, (path, answer.text)
        assert "not paired" in answer.json()["error"]
    assert eve.state() == before


def test_no_write_is_forgotten_above(rig: Rig) -> None:
    listed = {path.replace("abcd", "{ident}") for _, path, _ in WRITES} | FREE
    paths = Phone(rig.app).get("/openapi.json").json()["paths"]
    writing = {path for path, ways in paths.items() if set(ways) & {"post", "put", "patch", "delete"}}
    assert writing <= listed


def test_a_typed_game_is_kept_and_told(rig: Rig) -> None:
    anna = Phone(rig.app).pair("Anna's phone")
    anna.does("throw", faces=[1, 1, 1, 5, 2, 3])
    assert anna.state()["view"]["roll_points"] == 1050
    anna.does("throw", aside=[1, 1, 1])
    anna.press("bank")
    assert totals(anna) == {"Anna": 1000, "Ben": 0}
    assert rig.display.last.players[0].total == 1000
    with open_reader(rig.evening.store) as store:
        assert {record.by for record in store.records(1)} == {"phone Anna's phone"}


def test_what_the_rules_refuse_is_told_and_changes_nothing(rig: Rig) -> None:
    anna = Phone(rig.app).pair()
    version = anna.state()["version"]
    answer = anna.post("/api/table/throw", version=version, faces=[1, 2])
    assert answer.status_code == 409
    assert "Anna" in answer.json()["error"]
    assert anna.post("/api/table/press", version=version, press="bank").status_code == 409
    assert anna.state()["version"] == version
    assert anna.post("/api/table/throw", version=version).status_code == 400
    assert anna.post("/api/table/press", version=version, press="choose").status_code == 400
    assert anna.post("/api/table/press", version=version, press="choose", option=1).status_code == 409
    assert anna.post("/api/table/press", version=version, press="take_over").status_code == 409


@pytest.mark.parametrize(
    "body",
    [
        {"faces": [0, 1, 2, 3, 4, 5]},
        {"faces": [1] * 7},
        {"faces": "123456"},
        {"faces": [1.5]},
        {"version": "x" * 100},
        {"extra": 1},
    ],
)
def test_what_no_request_may_say_is_told_in_a_sentence(rig: Rig, body: dict[str, Any]) -> None:
    answer = Phone(rig.app).pair().post("/api/table/throw", **{"version": "1-0-0", **body})
    assert answer.status_code == 422
    assert isinstance(answer.json()["error"], str)


def test_the_later_of_two_conflicting_changes_is_told(rig: Rig) -> None:
    anna, ben = Phone(rig.app).pair("Anna's phone"), Phone(rig.app).pair("Ben's phone")
    anna.does("throw", faces=[1, 1, 1, 5, 2, 3])
    version = ben.state()["version"]
    anna.press("undo")
    answer = ben.post("/api/table/press", version=version, press="undo")
    assert answer.status_code == 409
    assert "Anna's phone" in answer.json()["error"]
    assert answer.json()["happened"][0]["event"] == "undone"
    assert rig.state["events"] == 0


def test_undo_and_redo(rig: Rig) -> None:
    anna = Phone(rig.app).pair()
    anna.does("throw", faces=[1, 1, 1, 5, 2, 3])
    anna.does("throw", aside=[1, 1, 1])
    anna.press("bank")
    for _ in range(3):
        anna.press("undo")
    assert rig.state["events"] == 0
    for _ in range(3):
        anna.press("redo")
    assert totals(anna) == {"Anna": 1000, "Ben": 0}
    answer = anna.post("/api/table/press", version=anna.state()["version"], press="redo")
    assert answer.status_code == 409


def test_a_die_of_the_last_throw_is_corrected(rig: Rig) -> None:
    anna = Phone(rig.app).pair()
    anna.does("throw", faces=[1, 1, 1, 5, 2, 3])
    die = anna.state()["dice"][4]
    assert die["likely"][0] == 2
    anna.does("die", die=die["id"], face=1)
    assert sorted(die["face"] for die in anna.state()["dice"]) == [1, 1, 1, 1, 3, 5]
    assert anna.post("/api/table/die", version=anna.state()["version"], die=1).status_code == 400


def test_a_throw_of_long_ago_is_corrected(rig: Rig) -> None:
    anna, ben = Phone(rig.app).pair("Anna's phone"), Phone(rig.app).pair("Ben's phone")
    anna.does("throw", faces=[1, 1, 1, 5, 2, 3])
    anna.does("throw", aside=[1, 1, 1])
    anna.press("bank")
    anna.does("throw", faces=[2, 2, 2, 4, 6, 3])
    turn = anna.get("/api/table/turns").json()["turns"][0]
    assert (turn["player"], turn["written"]) == ("Anna", 1000)
    edit = {"what": "faces", "turn": 0, "event": 0, "was": turn["was"], "faces": [6, 6, 6, 5, 2, 3]}
    answer = anna.post("/api/table/edit", **edit).json()
    assert (answer["before"]["Anna"], answer["after"]["Anna"], answer["written"]) == (1000, 600, False)
    assert totals(anna)["Anna"] == 1000
    answer = anna.post("/api/table/edit", **edit, write=True).json()
    assert answer["written"]
    assert totals(anna)["Anna"] == 600
    # Ben's throw of the turn in progress still lies there.
    assert [die["face"] for die in anna.state()["dice"]] == [2, 2, 2, 4, 6, 3]
    # The other phone saw the turn as it was before.
    late = ben.post("/api/table/edit", **{**edit, "faces": [4, 4, 4, 5, 2, 3]}, write=True)
    assert late.status_code == 409
    assert late.json()["happened"][0]["by"] == "phone Anna's phone"
    anna.press("undo")
    with open_reader(rig.evening.store) as store:
        repaired = [each for each in store.records(1) if each.event[0] == "repaired"]
        assert [each.by for each in repaired] == ["phone Anna's phone"]
        assert store.verify() == ()


def test_what_would_not_count_any_more_is_told_before_it_is_left_out(rig: Rig) -> None:
    anna = Phone(rig.app).pair()
    anna.does("throw", faces=[1, 1, 1, 5, 2, 3])
    anna.does("throw", aside=[1, 1, 1])
    anna.press("bank")
    turn = anna.get("/api/table/turns").json()["turns"][0]
    edit = {"what": "faces", "turn": 0, "event": 0, "was": turn["was"], "faces": [2, 2, 3, 4, 6, 3]}
    answer = anna.post("/api/table/edit", **edit, write=True).json()
    assert answer["problems"]
    assert not answer["written"]
    assert totals(anna)["Anna"] == 1000
    answer = anna.post("/api/table/edit", **edit, write=True, leave_out=True).json()
    assert answer["written"]
    assert totals(anna)["Anna"] == 0


def test_turns_are_written_put_in_and_taken_out_by_hand(rig: Rig) -> None:
    anna = Phone(rig.app).pair()
    anna.does("enter", points=650)
    anna.does("enter", points=800)
    turns = anna.get("/api/table/turns").json()["turns"]
    points = {"what": "points", "turn": 0, "was": turns[0]["was"], "points": 700, "write": True}
    assert anna.post("/api/table/edit", **points).json()["written"]
    assert totals(anna) == {"Anna": 700, "Ben": 800}
    inserted = {"what": "insert", "turn": 2, "player": "Anna", "points": 50, "write": True}
    assert anna.post("/api/table/edit", **inserted).json()["written"]
    assert totals(anna) == {"Anna": 750, "Ben": 800}
    turns = anna.get("/api/table/turns").json()["turns"]
    remove = {"what": "remove", "turn": 2, "was": turns[2]["was"], "write": True}
    assert anna.post("/api/table/edit", **remove).json()["written"]
    assert totals(anna) == {"Anna": 700, "Ben": 800}


@pytest.mark.parametrize(
    ("edit", "status"),
    [
        ({"what": "remove", "turn": 7}, 409),
        ({"what": "faces", "turn": 0, "was": "entered Anna 650", "event": 0, "faces": [1]}, 400),
        ({"what": "faces", "turn": 0, "was": "entered Anna 650", "faces": [1]}, 400),
        ({"what": "aside", "turn": 0, "was": "entered Anna 650", "event": 9, "faces": [1]}, 400),
        ({"what": "insert", "turn": 0, "player": "Nobody", "points": 1}, 400),
        ({"what": "points", "turn": 0, "was": "something else", "points": 1}, 409),
    ],
)
def test_edits_that_cannot_be(rig: Rig, edit: dict[str, Any], status: int) -> None:
    anna = Phone(rig.app).pair()
    anna.does("enter", points=650)
    answer = anna.post("/api/table/edit", **edit, write=True)
    assert answer.status_code == status, answer.text
    assert totals(anna)["Anna"] == 650


def test_a_question_shows_both_versions_and_is_settled_by_a_phone(seen: Rig) -> None:
    anna = Phone(seen.app).pair("Anna's phone")
    seen.throw(1, 1, 1, 5, 2, "?")
    state = anna.state()
    assert state["question"]["kind"] == "unsure"
    assert state["question"]["seen"]
    assert state["question"]["expected"]
    asked = next(die for die in state["dice"] if die["asked"])
    assert asked["face"] is None
    assert len(asked["box"]) == 4
    assert state["picture_size"] == [160, 120]
    picture = anna.get(state["picture"])
    assert picture.headers["content-type"] == "image/jpeg"
    anna.does("die", die=asked["id"], face=3)
    assert anna.state()["question"] is None
    assert anna.state()["view"]["roll_points"] == 1050


def test_a_throw_in_question_does_not_count(seen: Rig) -> None:
    anna = Phone(seen.app).pair()
    seen.throw(1, 1, 1, 5, 2, "?")
    anna.press("roll_again")
    assert anna.state()["question"] is None
    assert seen.state["events"] == 0


def test_a_hidden_die_is_added(seen: Rig) -> None:
    anna = Phone(seen.app).pair()
    seen.throw(1, 1, 1, 5, 2)
    assert anna.state()["question"]["doubt"] == "too_few"
    anna.does("die", face=6)
    assert anna.state()["view"]["roll_points"] == 1050


def test_a_leaning_die_and_a_thing_that_is_none(seen: Rig) -> None:
    anna = Phone(seen.app).pair()
    seen.throw(1, 1, 1, 5, 2, 3)
    anna.does("die", die=anna.state()["dice"][4]["id"], **{"is": "cocked"})
    assert anna.state()["question"]["doubt"] == "cocked"
    seen.throw(2, keep=(1, 2, 3, 4, 6))
    assert anna.state()["question"] is None
    anna.does("die", die=anna.state()["dice"][0]["id"], **{"is": "none"})
    assert anna.state()["question"]["doubt"] == "too_few"


def test_the_picture_that_proves_a_throw_stands_beside_it(seen: Rig) -> None:
    anna = Phone(seen.app).pair()
    seen.throw(1, 1, 1, 5, 2, 3)
    event = anna.get("/api/table/turns").json()["turns"][0]["events"][0]
    assert event["picture"] == "/api/games/1/pictures/00001.jpg"
    eve = Phone(seen.app)
    assert eve.get(event["picture"]).headers["content-type"] == "image/jpeg"
    assert eve.get("/api/games/1/pictures/00009.jpg").status_code == 404


def test_the_tournament_lock_keeps_corrections_for_the_organiser(rig: Rig) -> None:
    organiser, anna = Phone(rig.app).pair("organiser"), Phone(rig.app).pair("Anna")
    assert organiser.post("/api/lock", pin="4711").status_code == 200
    anna.does("throw", faces=[1, 1, 1, 5, 2, 3])  # playing on is free
    version = anna.state()["version"]
    for path, body in (
        ("press", {"press": "undo"}),
        ("press", {"press": "redo"}),
        ("die", {"die": 1, "face": 2}),
        ("enter", {"points": 10000}),
    ):
        answer = anna.post(f"/api/table/{path}", version=version, **body)
        assert answer.status_code == 403, path
        assert "organiser" in answer.json()["error"]
    assert anna.post("/api/table/edit", what="remove", turn=0, write=True).status_code == 403
    assert anna.client.delete("/api/phones/abc").status_code == 403
    organiser.press("undo")
    assert anna.post("/api/organiser", pin="0000").status_code == 403
    assert anna.post("/api/organiser", pin="4711").status_code == 200
    assert anna.get("/api/me").json()["may_correct"]


def test_a_phone_that_was_unpaired_is_out_at_once(rig: Rig) -> None:
    anna, ben = Phone(rig.app).pair("Anna"), Phone(rig.app).pair("Ben")
    listed = {each["name"]: each for each in anna.get("/api/phones").json()}
    assert listed["Anna"]["this"]
    assert anna.client.delete(f"/api/phones/{listed['Ben']['id']}").status_code == 200
    answer = ben.post("/api/table/throw", version=ben.state()["version"], faces=[1, 1, 1, 5, 2, 3])
    assert answer.status_code == 403
    assert anna.post("/api/leave").status_code == 200
    assert not anna.get("/api/me").json()["paired"]


def test_the_pin_is_on_the_display_and_in_no_browser(rig: Rig) -> None:
    eve = Phone(rig.app)
    assert eve.post("/api/pair/ask").status_code == 200
    rig.evening.desk.ask(lambda session, t_ns: None).result(timeout=30)
    assert "PIN 123456" in rig.display.last.message
    for path in ("/api/state", "/api/me", "/pair", "/openapi.json"):
        assert "123456" not in eve.get(path).text
    eve.pair("Eve")
    rig.evening.desk.ask(lambda session, t_ns: None).result(timeout=30)
    assert "PIN" not in rig.display.last.message


def test_every_change_is_pushed_to_the_boards(rig: Rig) -> None:
    anna = Phone(rig.app)
    with anna.client as client, client.websocket_connect("/api/live") as board:
        first = board.receive_json()
        assert first["view"]["players"][0]["name"] == "Anna"
        anna.pair()
        anna.does("throw", faces=[1, 1, 1, 5, 2, 3])
        news = board.receive_json()
        while news["events"] == 0:
            news = board.receive_json()
        assert news["view"]["roll_points"] == 1050
        assert news["number"] > first["number"]


def test_what_is_told_is_json_of_moderate_size(rig: Rig) -> None:
    anna = Phone(rig.app).pair()
    for _ in range(40):
        anna.does("enter", points=50)
        anna.does("enter", points=0)
    text = json.dumps(rig.state)
    assert len(text) < 8000
    assert len(rig.state["turns"]["Anna"]) == 30
