"""Set-up: the camera's picture, the table in it, the dice, players and rules, and the next game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from fastapi import APIRouter
from fastapi.responses import Response

from device.web.access import Paired, done
from device.web.asked import FindRequest, RulesRequest, SaveRequest, StartRequest, ZonesRequest
from device.web.finding import Finder
from device.web.picture import as_jpeg
from scorer.farkle import start
from scorer.rulebook import scoring_rows, sections, settings_that_differ
from scorer.rules import Rules, load_preset, make_rules, preset_names, setting_descriptions

if TYPE_CHECKING:
    from device.session import Session
    from device.web.evening import Evening


def setup_routes(evening: Evening) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["setup"])
    finder = Finder(evening)

    @routes.get("/api/setup/picture", responses={200: {"content": {"image/jpeg": {}}}})
    def picture(phone: Paired) -> Response:
        """The camera's picture now."""
        frame = evening.desk.picture
        if frame is None:
            return Response(status_code=404)
        return Response(as_jpeg(frame.image, quality=70), media_type="image/jpeg")

    @routes.post("/api/setup/find")
    def find(wanted: FindRequest, phone: Paired) -> dict[str, Any]:
        """Find the table and read the dice that lie there."""
        return finder.find(wanted)

    @routes.post("/api/setup/zones")
    def zones(wanted: ZonesRequest, phone: Paired) -> dict[str, Any]:
        """Take zones that were dragged."""
        return finder.take_zones(wanted)

    @routes.post("/api/setup/proof")
    def proof(phone: Paired) -> dict[str, Any]:
        """Read the dice that lie on the table now, with the calibration that was found."""
        return finder.proof()

    @routes.post("/api/setup/save")
    def save(wanted: SaveRequest, phone: Paired) -> dict[str, Any]:
        """Keep the calibration, and use it for the next game."""
        return finder.save(wanted.name)

    @routes.get("/api/setup/presets")
    def presets(language: Literal["en", "sv"] = "en") -> list[dict[str, Any]]:
        """The rule presets."""
        every = map(load_preset, preset_names())
        return [{"name": each.name, "title": each.title, "about": each.about_in(language)} for each in every]

    @routes.post("/api/setup/rules")
    def rules(wanted: RulesRequest) -> dict[str, Any]:
        """Every rule of a table, explained; reads only."""
        return _explained(wanted)

    @routes.post("/api/setup/start")
    async def begin(wanted: StartRequest, phone: Paired) -> dict[str, Any]:
        """Begin a game, in place of the one being played, which can be resumed."""
        names = tuple(" ".join(name.split()) for name in wanted.players)
        order = replace(evening.wanted, players=names, preset=wanted.preset, resume=wanted.resume)
        if not wanted.resume:
            made = make_rules(wanted.preset, wanted.settings)
            start(made, names)
            usual = load_preset(wanted.preset).rules.settings()
            changed = {name: value for name, value in made.settings().items() if value != usual[name]}
            order = replace(order, settings=tuple(_as_option(*each) for each in changed.items()))

        def work(session: Session | None, t_ns: int) -> dict[str, Any]:
            evening.begin(session, order)
            return {"ok": True}

        return await done(evening, work)

    @routes.post("/api/setup/leave")
    async def leave(phone: Paired) -> dict[str, Any]:
        """Leave the game being played; it stays unfinished and can be resumed."""

        def work(session: Session | None, t_ns: int) -> dict[str, Any]:
            evening.leave(session)
            return {"ok": True}

        return await done(evening, work)

    return routes


def _as_option(name: str, value: object) -> str:
    """Return a setting as the command line takes it."""
    import json

    return f"{name}={json.dumps(value)}"


def _explained(wanted: RulesRequest) -> dict[str, Any]:
    preset = load_preset(wanted.preset)
    rules: Rules = make_rules(wanted.preset, wanted.settings)
    changed = settings_that_differ(rules, preset.rules)
    words = setting_descriptions()
    settings = [
        {"name": name, "value": value, "usual": usual, "about": words[name][wanted.language]}
        for (name, value), usual in zip(
            rules.settings().items(), preset.rules.settings().values(), strict=True
        )
    ]
    return {
        "preset": preset.name,
        "title": preset.title,
        "about": preset.about_in(wanted.language),
        "scores": [
            {"label": row.label, "dice": list(row.dice), "points": row.points, "note": row.note}
            for row in scoring_rows(rules, wanted.language, preset.rules)
        ],
        "sections": [
            {"head": each.head, "rules": [sentence.text for sentence in each.sentences]}
            for each in sections(rules, wanted.language, changed)
        ],
        "settings": settings,
        "changed": sorted(changed),
    }
