"""The table: presses, corrections and told throws, and the picture of the throw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.responses import Response

from device.errors import BadInput
from device.web import corrections
from device.web.access import Correcting, Paired, check_unlocked, done, name_of
from device.web.asked import DieRequest, EditRequest, EnterRequest, PressRequest, ThrowRequest
from device.web.picture import as_jpeg

if TYPE_CHECKING:
    from device.session import Look, Session
    from device.web.evening import Evening


def table_routes(evening: Evening) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["table"])

    @routes.post("/api/table/press")
    async def press(wanted: PressRequest, phone: Paired) -> dict[str, object]:
        """Bank, undo, redo, give the turn up, take the offer over, answer a question."""
        by = name_of(phone)
        if wanted.press in corrections.CORRECTIONS:
            check_unlocked(evening.pairing, phone)
        if wanted.press == "redo":
            return await done(evening, corrections.redone(wanted.version, by=by))
        if wanted.press == "choose":
            if wanted.option is None:
                raise BadInput("say which answer: option is its number, counted from 1")
            return await done(evening, corrections.chosen(wanted.option, wanted.version, by=by))
        return await done(
            evening, corrections.pressed(corrections.SIMPLE[wanted.press], wanted.version, by=by)
        )

    @routes.post("/api/table/die")
    async def die(wanted: DieRequest, phone: Correcting) -> dict[str, object]:
        """Say what a die shows, that it leans, that it is no die, or what a hidden one shows."""
        by = name_of(phone)
        match wanted.is_, wanted.die, wanted.face:
            case "face", ident, int() as face:
                work = corrections.fixed(ident, face, wanted.version, by=by)
            case "none", int() as ident, _:
                work = corrections.fixed(ident, None, wanted.version, by=by)
            case "cocked", int() as ident, _:
                work = corrections.leaning(ident, wanted.version, by=by)
            case _:
                raise BadInput("say which die, and its face where it has one")
        return await done(evening, work)

    @routes.post("/api/table/throw")
    async def throw(wanted: ThrowRequest, phone: Paired) -> dict[str, object]:
        """Tell what was set aside and thrown, where no camera has seen it."""
        if not wanted.faces and not wanted.aside:
            raise BadInput("say what was thrown or set aside")
        work = corrections.thrown(wanted.faces, wanted.version, by=name_of(phone), aside=wanted.aside)
        return await done(evening, work)

    @routes.post("/api/table/enter")
    async def enter(wanted: EnterRequest, phone: Correcting) -> dict[str, object]:
        """Write a turn that nobody saw."""
        return await done(evening, corrections.entered(wanted.points, wanted.version, by=name_of(phone)))

    @routes.get("/api/table/turns")
    async def turns() -> dict[str, object]:
        """All turns of the game being played, with the picture of each throw."""
        return await done(evening, corrections.turns_of)

    @routes.post("/api/table/edit")
    async def edit(wanted: EditRequest, phone: Correcting) -> dict[str, object]:
        """Change an old turn, or only tell what that would come to."""
        change = corrections.Edit(
            wanted.what,
            wanted.turn,
            wanted.event,
            wanted.was,
            tuple(wanted.faces),
            None if wanted.aside is None else tuple(wanted.aside),
            wanted.points,
            wanted.player,
        )
        work = corrections.edited(change, by=name_of(phone), write=wanted.write, leave_out=wanted.leave_out)
        return await done(evening, work)

    @routes.get("/api/table/picture", responses={200: {"content": {"image/jpeg": {}}}})
    async def picture(t: int = 0) -> Response:
        """The picture of the throw that is shown."""

        def look(session: Session | None, t_ns: int) -> Look | None:
            return None if session is None else session.look

        seen = await done(evening, look)
        if seen is None or seen.picture is None:
            return Response(status_code=404)
        return Response(as_jpeg(seen.picture), media_type="image/jpeg")

    return routes
