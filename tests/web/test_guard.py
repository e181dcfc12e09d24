"""What passes before anything looks at it: host, origin, type, size; and the headers of every answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tests.web.rig import HOST, ORIGIN, PIN, Rig


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One table for all tests here: none of them changes it."""
    with TestClient(Rig(tmp_path_factory.mktemp("table")).app, base_url=ORIGIN) as made:
        yield made


def pair(client: TestClient, headers: dict[str, str]) -> int:
    return client.post("/api/pair", json={"pin": PIN, "name": "x"}, headers=headers).status_code


def test_a_page_of_the_table_may_write(client: TestClient) -> None:
    assert pair(client, {"origin": ORIGIN}) == 200


@pytest.mark.parametrize(
    "origin",
    [None, "", "null", "http://evil.example", f"https://{HOST}", f"{ORIGIN}:81", f"{ORIGIN}.evil.example"],
)
def test_no_other_page_may_write(client: TestClient, origin: str | None) -> None:
    assert pair(client, {} if origin is None else {"origin": origin}) == 403


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example"])
def test_no_other_page_may_listen(client: TestClient, origin: str | None) -> None:
    headers = {} if origin is None else {"origin": origin}
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/live", headers=headers):
        pass


@pytest.mark.parametrize(
    "host", ["evil.example", "testserver.evil.example", "", "[", "10.0.0.1.evil.example"]
)
def test_a_foreign_name_that_points_here_gets_nothing(client: TestClient, host: str) -> None:
    assert client.get("/api/state", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "host", ["10.0.0.7:8080", "127.0.0.1", "[::1]:8080", "localhost:99", "croupier.local"]
)
def test_the_tables_own_names_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/api/state", headers={"host": host}).status_code == 200


def test_bodies_are_json(client: TestClient) -> None:
    headers = {"origin": ORIGIN, "content-type": "text/plain"}
    assert (
        client.post("/api/pair", content=b'{"pin":"123456","name":"x"}', headers=headers).status_code == 415
    )
    form = {"origin": ORIGIN, "content-type": "application/x-www-form-urlencoded"}
    assert client.post("/api/pair", content=b"pin=123456", headers=form).status_code == 415


def test_bodies_are_small(client: TestClient) -> None:
    headers = {"origin": ORIGIN, "content-type": "application/json"}
    big = b" " * 70_000
    assert client.post("/api/pair", content=big, headers=headers).status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(70):
            yield b" " * 1000

    assert client.post("/api/pair", content=pieces(), headers=headers).status_code == 413


def test_a_length_is_a_number(client: TestClient) -> None:
    headers = {"origin": ORIGIN, "content-type": "application/json", "content-length": "-1"}
    assert client.post("/api/pair", content=b"{}", headers=headers).status_code == 400


def test_a_long_address_is_refused(client: TestClient) -> None:
    assert client.get("/" + "x" * 3000).status_code == 414


@pytest.mark.parametrize("path", ["/", "/table", "/api/state", "/static/style.css", "/api/games"])
def test_every_answer_carries_its_policy(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/%2e%2e/app.py",
        "/api/games/1/pictures/..%2f..%2fgames.sqlite3",
        "/api/games/1/pictures/%2e%2e",
        "/api/games/1/pictures/00001.jpg%00",
    ],
)
def test_nothing_outside_is_read(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code in (400, 403, 404)
    assert b"SQLite" not in answer.content
    assert b"import" not in answer.content


def test_pages_hold_no_script_and_no_style_of_their_own(client: TestClient) -> None:
    for path in ("/", "/table", "/games", "/setup", "/pair"):
        page = client.get(path).text
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick=" not in page
        assert page.count("<script") == page.count('<script type="module" src="/static/')


def test_nothing_is_fetched_from_elsewhere() -> None:
    folder = Path(__file__).parents[2] / "device" / "web" / "static"
    for file in folder.iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
        assert "http://" not in text, file.name
        assert "https://" not in text, file.name


def test_the_description_of_the_interface_needs_nothing_from_elsewhere(client: TestClient) -> None:
    assert client.get("/openapi.json").json()["info"]["title"] == "Croupier"
    assert client.get("/docs").status_code == 404
