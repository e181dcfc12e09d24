"""Whatever is sent to any route of the interface: the answer is a sentence, never a fault of the server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.web.rig import Phone, Rig, played

UNDER = "/api/"
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
PARTS = st.one_of(
    st.integers(-3, 5).map(str),
    st.integers(0, 2**80).map(str),
    st.text(min_size=1, max_size=10),
    st.just("00001.jpg"),
)


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with played(tmp_path_factory.mktemp("table"), by_hand=False) as made:
        made.throw(1, 1, 1, 5, 2, "?")
        yield made


@pytest.fixture(scope="module")
def phone(rig: Rig) -> Phone:
    return Phone(rig.app).pair("fuzz")


@pytest.fixture(scope="module")
def description(phone: Phone) -> dict[str, Any]:
    return dict(phone.get("/openapi.json").json())


def resolved(schema: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    if reference is None:
        return schema
    return dict(whole["components"]["schemas"][reference.rsplit("/", 1)[-1]])


def values(schema: dict[str, Any], whole: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values of about the shape that the description wants: right ones, and ones on its borders."""
    schema = resolved(schema, whole)
    if "anyOf" in schema:
        return st.one_of([values(each, whole) for each in schema["anyOf"]])
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")]))
    match schema.get("type"):
        case "integer":
            low, high = schema.get("minimum", -10), schema.get("maximum", 10)
            return st.integers(max(low - 1, -(2**40)), min(high + 1, 2**40))
        case "number":
            low, high = schema.get("minimum", -1.0), schema.get("maximum", 1.0)
            return st.floats(low, high)
        case "string":
            return st.text(max_size=min(12, schema.get("maxLength", 12)))
        case "boolean":
            return st.booleans()
        case "array":
            if "prefixItems" in schema:
                return st.tuples(*(values(each, whole) for each in schema["prefixItems"])).map(list)
            least, most = schema.get("minItems", 0), schema.get("maxItems", 5)
            return st.lists(
                values(schema.get("items", {}), whole), min_size=least, max_size=min(most, least + 5)
            )
        case "object":
            wanted = schema.get("properties", {})
            required = set(schema.get("required", ()))
            return st.fixed_dictionaries(
                {name: values(each, whole) for name, each in wanted.items() if name in required},
                optional={name: values(each, whole) for name, each in wanted.items() if name not in required},
            )
        case "null":
            return st.none()
    return JSON


def routes(whole: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method.upper(), path, route)
        for path, ways in sorted(whole["paths"].items())
        for method, route in ways.items()
        # The phone of this test must stay paired, and the organiser's PIN is stretched on purpose (slow).
        if path
        not in ("/api/leave", "/api/lock", "/api/phones/{ident}", "/api/setup/leave", "/api/setup/start")
    ]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_request_breaks_anything(
    rig: Rig, phone: Phone, description: dict[str, Any], data: st.DataObject
) -> None:
    method, path, route = data.draw(st.sampled_from(routes(description)))
    for parameter in route.get("parameters", ()):
        if parameter["in"] == "path":
            from urllib.parse import quote

            path = path.replace("{" + parameter["name"] + "}", quote(data.draw(PARTS), safe=""))
    body = None
    if "requestBody" in route:
        schema = route["requestBody"]["content"]["application/json"]["schema"]
        body = data.draw(values(schema, description) | JSON)
        if isinstance(body, dict) and "version" in body and data.draw(st.booleans()):
            body["version"] = rig.state["version"]
    answer = phone.client.request(method, path, json=body)
    assert answer.status_code < 500, (method, path, body, answer.text)
    if answer.status_code >= 400 and answer.headers.get("content-type") == "application/json":
        told = answer.json()
        assert told.get("error") or told.get("detail")


def test_the_game_is_sound_after_all_that(rig: Rig, phone: Phone) -> None:
    assert phone.get("/api/verify").json()["ok"]
    assert phone.get("/api/games/1").status_code == 200
    assert phone.get("/api/me").json()["paired"]


def test_every_route_is_described(description: dict[str, Any]) -> None:
    for path, ways in description["paths"].items():
        for method, route in ways.items():
            assert route.get("description"), (method, path)
            assert path.startswith(UNDER)
