"""Games begun and left from a phone; what was played; set-up with a camera."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.errors import BadInput
from device.sim import ScriptedReader, scripted_die
from device.web import finding
from device.web.asked import FindRequest, ZonesRequest
from device.web.evening import Evening
from device.web.finding import Finder
from device.web.pairing import Pairing
from device.web.server import place_of, qr_text
from tests.web.rig import Phone, Rig, evening, played, wanted
from vision.detection import Reading
from vision.frame import Frame


def begin(phone: Phone, rig: Rig, **body: Any) -> None:
    assert phone.post("/api/setup/start", **body).status_code == 200
    names = body["players"]
    for _ in range(2000):  # the game begins in its own thread: each question waits for that thread's answer
        rig.evening.desk.ask(lambda session, t_ns: None).result(timeout=30)
        view = rig.state["view"]
        if view is not None and [each["name"] for each in view["players"]] == names:
            return
    raise AssertionError(rig.state)


def test_a_phone_begins_a_game_with_rules_of_its_own_and_another_one_after_it(tmp_path: Path) -> None:
    with evening(tmp_path) as rig:
        phone = Phone(rig.app).pair()
        assert rig.state["kind"] == "lobby"
        assert phone.post("/api/table/press", version="1-0-0", press="bank").status_code == 409
        begin(
            phone,
            rig,
            players=["Anna", "Ben"],
            preset="ten-thousand",
            settings={"opening": 0, "target": 2000},
        )
        assert rig.state["view"]["target"] == 2000
        phone.does("enter", points=300)
        begin(phone, rig, players=["Cara", "Dan", "Eva"], preset="tiotusen")
        assert [each["total"] for each in rig.state["view"]["players"]] == [0, 0, 0]
        begin(phone, rig, players=["Anna", "Ben"], resume=True)
        assert [each["total"] for each in rig.state["view"]["players"]] == [300, 0]
        assert phone.post("/api/setup/leave").status_code == 200
        rig.evening.desk.ask(lambda session, t_ns: None).result(timeout=30)
        games = phone.get("/api/games").json()
        assert [each["players"] for each in games] == [["Cara", "Dan", "Eva"], ["Anna", "Ben"]]


@pytest.mark.parametrize(
    "body",
    [
        {"players": ["Anna", "Anna"]},
        {"players": []},
        {"players": ["x" * 41]},
        {"players": ["Anna", "Ben"], "preset": "nonsense"},
        {"players": ["Anna", "Ben"], "preset": "../../secret.toml"},
        {"players": ["Anna", "Ben"], "settings": {"target": 1}},
        {"players": ["Anna", "Ben"], "settings": {"nonsense": 1}},
    ],
)
def test_a_game_that_cannot_be_is_refused(tmp_path: Path, body: dict[str, Any]) -> None:
    with evening(tmp_path) as rig:
        answer = Phone(rig.app).pair().post("/api/setup/start", **body)
        assert answer.status_code in (400, 422)
        assert rig.evening.order is None


def test_nothing_to_go_on_with_is_told(tmp_path: Path) -> None:
    with evening(tmp_path) as rig:
        phone = Phone(rig.app).pair()
        assert phone.post("/api/setup/start", players=["Anna", "Ben"], resume=True).status_code == 200
        for _ in range(2000):
            rig.evening.desk.ask(lambda session, t_ns: None).result(timeout=30)
            if rig.state.get("fault"):
                break
        assert "no unfinished game" in rig.state["fault"]


def test_games_that_were_played(tmp_path: Path) -> None:
    with played(tmp_path, by_hand=False) as rig:
        phone = Phone(rig.app).pair("Anna's phone")
        rig.throw(1, 1, 1, 5, 2, 3)
        phone.press("bank")
        phone.press("undo")
        phone.press("bank")
        eve = Phone(rig.app)  # reading is free
        game = eve.get("/api/games/1").json()
        assert game["totals"] == {"Anna": 1050, "Ben": 0}
        assert game["turns"][0]["events"][0]["picture"].endswith("/00001.jpg")
        assert game["changes"] == [{"what": "undone", "by": "phone Anna's phone", "did": "", "t_s": 2.0}]
        assert eve.get("/api/games/1/document").json()["players"] == ["Anna", "Ben"]
        assert "rolled" in eve.get("/api/games/1/text").text
        assert "Anna" in eve.get("/api/games/1/csv").text
        assert eve.get("/api/statistics").json()["farkle"]["Anna"]["turns"] == 1
        assert eve.get("/api/games/1/statistics").json()["farkle"]["Anna"]["written"] == [1050]
        assert eve.get("/api/verify").json() == {"ok": True, "faults": []}
        for path in ("", "/document", "/text", "/csv", "/statistics", "/pictures/00001.jpg"):
            assert eve.get(f"/api/games/99{path}").status_code == 400
        assert eve.get("/api/games/0").status_code == 422


def test_a_picture_that_was_changed_is_not_shown(tmp_path: Path) -> None:
    with played(tmp_path, by_hand=False) as rig:
        rig.throw(1, 1, 1, 5, 2, 3)
        eve = Phone(rig.app)
        assert eve.get("/api/games/1/pictures/00001.jpg").status_code == 200
        (tmp_path / "evidence" / "000001" / "00001.jpg").write_bytes(b"something else")
        assert eve.get("/api/games/1/pictures/00001.jpg").status_code == 404
        assert not eve.get("/api/verify").json()["ok"]


def test_before_the_first_game_there_are_none(tmp_path: Path) -> None:
    eve = Phone(Rig(tmp_path).app)
    assert eve.get("/api/games").json() == []
    assert eve.get("/api/statistics").json() == {"farkle": {}, "tenzi": {}}
    assert eve.get("/api/verify").json()["ok"]


def test_every_rule_is_explained_in_both_languages(tmp_path: Path) -> None:
    eve = Phone(Rig(tmp_path).app)
    for language in ("en", "sv"):
        names = [each["name"] for each in eve.get(f"/api/setup/presets?language={language}").json()]
        assert "tiotusen" in names
        answer = eve.post("/api/setup/rules", preset="tiotusen", settings={"opening": 500}, language=language)
        told = answer.json()
        assert told["changed"] == ["opening"]
        assert all(each["about"] for each in told["settings"])
        assert len(told["settings"]) > 25
        assert told["scores"]
    assert eve.post("/api/setup/rules", preset="tiotusen", settings={"opening": -5}).status_code == 400


def finder(tmp_path: Path, *readings: Reading) -> Finder:
    folder = wanted(tmp_path)
    made = Evening(folder, tmp_path, Pairing(None, pin="1"))
    image = np.full((480, 640, 3), 60, np.uint8)
    image[::16] = 200  # something to focus on
    made.desk.frame(Frame(image, 0, 0))
    return Finder(made, reader=ScriptedReader(readings))


def dice_at(*places: tuple[float, float]) -> Reading:
    return Reading(tuple(scripted_die(5, (x, y, 30.0, 30.0)) for x, y in places))


CORNERS = [(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)]


def test_a_table_is_found_by_its_corners_proved_and_kept(tmp_path: Path) -> None:
    table = finder(tmp_path, dice_at((200, 200)), dice_at((250, 250), (320, 200), (5, 5)))
    told = table.find(
        FindRequest(corners=CORNERS, width_mm=400, players=["Anna", "Ben"], lanes=True, tray=True)
    )
    assert told["lanes"] == ["Anna", "Ben"]
    assert {each["kind"] for each in told["zones"]} == {"roll", "tray"}
    assert {each["what"] for each in told["findings"]} >= {"die", "focus", "glare", "light", "tilt", "view"}
    assert told["values"] == [5]
    assert table.proof()["values"] == [5, 5]  # the third one lies outside
    zones = [each["corners"] for each in told["zones"]]
    zones[0][0][0] += 0.01
    moved = table.take_zones(ZonesRequest(zones=zones))
    assert moved["zones"][0]["corners"][0][0] == pytest.approx(zones[0][0][0], abs=1e-4)
    assert table.save("Kitchen table")["ok"]
    path = tmp_path / finding.FOLDER / "Kitchen-table.json"
    assert table._evening.wanted.profile == path
    assert path.is_file()


def test_what_cannot_be_calibrated_is_told(tmp_path: Path) -> None:
    table = finder(tmp_path)
    with pytest.raises(BadInput, match="not found yet"):
        table.proof()
    with pytest.raises(BadInput, match="not found yet"):
        table.save("x")
    table._evening.desk.picture = None
    with pytest.raises(BadInput, match="shows nothing"):
        table.find(FindRequest(corners=CORNERS))


def test_zones_of_another_table_are_refused(tmp_path: Path) -> None:
    table = finder(tmp_path, dice_at((200, 200)))
    table.find(FindRequest(corners=CORNERS, width_mm=400, tray=False))
    with pytest.raises(BadInput, match="1 zones, got 2"):
        table.take_zones(ZonesRequest(zones=[CORNERS, CORNERS]))


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("", "0.0.0.0", 8080),
        ("9000", "0.0.0.0", 9000),
        (":9000", "0.0.0.0", 9000),
        ("10.0.0.7", "10.0.0.7", 8080),
        ("127.0.0.1:0", "127.0.0.1", 0),
        ("[::1]:8000", "::1", 8000),
    ],
)
def test_where_it_listens(text: str, host: str, port: int) -> None:
    place = place_of(text)
    assert (place.host, place.port) == (host, port)


@pytest.mark.parametrize("text", ["x:y", "host:99999", ":-1"])
def test_no_place_to_listen(text: str) -> None:
    with pytest.raises(BadInput, match="HOST:PORT"):
        place_of(text)


def test_tls_needs_both_files(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="both"):
        place_of("", tmp_path / "cert.pem")


def test_the_code_is_a_square_of_blocks() -> None:
    lines = qr_text("http://192.168.1.20:8080/pair#123456").splitlines()
    assert len(lines) > 10
    assert set("".join(lines)) <= set(" █▀▄")
