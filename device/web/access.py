"""What a route asks before it does anything: which phone it is, and whether it may."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, TypeVar, cast

from fastapi import Depends, Request

from device.web.pairing import Pairing, Phone, Refused

if TYPE_CHECKING:
    from device.web.desk import Work
    from device.web.evening import Evening

COOKIE = "croupier"
"""Name of the cookie with a phone's secret."""
ANSWER_S = 10.0
"""So long the game may take to answer a request."""
T = TypeVar("T")


class NotPaired(Refused):
    """The phone is not paired."""


def _pairing(request: Request) -> Pairing:
    return cast(Pairing, request.app.state.pairing)


def _maybe(request: Request) -> Phone | None:
    return _pairing(request).who(request.cookies.get(COOKIE))


def _paired(phone: Annotated[Phone | None, Depends(_maybe)]) -> Phone:
    if phone is None:
        raise NotPaired("this phone is not paired; open /pair and type the PIN that the table shows")
    return phone


def _correcting(request: Request, phone: Annotated[Phone, Depends(_paired)]) -> Phone:
    check_unlocked(_pairing(request), phone)
    return phone


MaybePaired = Annotated[Phone | None, Depends(_maybe)]
"""The phone, or None where it is not paired."""
Paired = Annotated[Phone, Depends(_paired)]
"""A paired phone; others are refused."""
Correcting = Annotated[Phone, Depends(_correcting)]
"""A phone that may correct; others are refused."""


def check_unlocked(pairing: Pairing, phone: Phone) -> None:
    """Refuse a phone that may not correct in this tournament.

    Raises:
        Refused: the organiser has locked corrections.
    """
    if not pairing.may_correct(phone):
        raise Refused("corrections are locked in this tournament; they need the organiser's PIN")


async def done(evening: Evening, work: Work[T]) -> T:
    """Let the game's thread do something and return its answer.

    Raises:
        TimeoutError: the game does not answer; it will not be done later either.
    """
    return await asyncio.wait_for(asyncio.wrap_future(evening.desk.ask(work)), ANSWER_S)


def address_of(request: Request) -> str:
    """Return where a request comes from, for rate limits."""
    return request.client.host if request.client is not None else ""


def name_of(phone: Phone) -> str:
    """Return who did it, as the game's rows have it."""
    return f"phone {phone.name}"
