"""Pairing phones, and the organiser's lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from device.web.access import COOKIE, Correcting, MaybePaired, Paired, address_of
from device.web.asked import PairRequest, PinRequest

if TYPE_CHECKING:
    from device.web.evening import Evening

YEAR_S = 365 * 24 * 3600


def pairing_routes(evening: Evening, *, secure: bool) -> APIRouter:
    """Return the routes; `secure`: the cookie is for TLS only."""
    routes = APIRouter(tags=["pairing"])
    pairing = evening.pairing

    @routes.get("/api/me")
    def me(phone: MaybePaired) -> dict[str, object]:
        """Which phone this is, and what it may do."""
        return {
            "paired": phone is not None,
            "name": None if phone is None else phone.name,
            "id": None if phone is None else phone.ident,
            "organiser": phone is not None and phone.organiser,
            "locked": pairing.locked,
            "may_correct": phone is not None and pairing.may_correct(phone),
        }

    @routes.post("/api/pair/ask")
    def ask(request: Request) -> dict[str, object]:
        """Let the display at the table show the PIN."""
        pairing.ask(address_of(request))
        return {"ok": True}

    @routes.post("/api/pair")
    def pair(wanted: PairRequest, request: Request, response: Response) -> dict[str, object]:
        """Pair this phone."""
        phone, secret = pairing.pair(wanted.pin, wanted.name, address_of(request))
        response.set_cookie(
            COOKIE, secret, max_age=YEAR_S, httponly=True, samesite="strict", secure=secure, path="/"
        )
        return {"ok": True, "name": phone.name}

    @routes.get("/api/phones")
    def phones(phone: Paired) -> list[dict[str, object]]:
        """List the paired phones."""
        return [
            {"id": each.ident, "name": each.name, "paired": each.paired, "this": each.ident == phone.ident}
            for each in pairing.phones
        ]

    @routes.delete("/api/phones/{ident}")
    def revoke(ident: str, phone: Correcting) -> dict[str, object]:
        """Unpair a phone."""
        pairing.revoke(ident[:40])
        return {"ok": True}

    @routes.post("/api/leave")
    def leave(phone: Paired, response: Response) -> dict[str, object]:
        """Unpair this phone."""
        pairing.revoke(phone.ident)
        response.delete_cookie(COOKIE, path="/")
        return {"ok": True}

    @routes.post("/api/lock")
    def lock(wanted: PinRequest, request: Request, phone: Paired) -> dict[str, object]:
        """Let only the organiser correct; this phone is the organiser's."""
        pairing.lock(wanted.pin)
        pairing.organise(phone.ident, wanted.pin, address_of(request))
        return {"ok": True}

    @routes.post("/api/unlock")
    def unlock(wanted: PinRequest, request: Request, phone: Paired) -> dict[str, object]:
        """Let every paired phone correct again."""
        pairing.unlock(wanted.pin, address_of(request))
        return {"ok": True}

    @routes.post("/api/organiser")
    def organiser(wanted: PinRequest, request: Request, phone: Paired) -> dict[str, object]:
        """Let this phone correct in a tournament."""
        pairing.organise(phone.ident, wanted.pin, address_of(request))
        return {"ok": True}

    return routes
