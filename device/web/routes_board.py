"""The board: what is shown now, and every change of it as it happens."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from fastapi.responses import Response

if TYPE_CHECKING:
    from device.web.evening import Evening
    from device.web.feed import Feed

BEAT = '{"beat":true}'
"""A sign of life; a board that hears nothing for long takes the connection for broken."""


def board_routes(evening: Evening) -> APIRouter:
    """Return the routes that everybody may use."""
    routes = APIRouter(tags=["board"])
    feed = evening.feed

    @routes.get("/api/state")
    def state() -> Response:
        """What is shown now."""
        return Response(feed.text, media_type="application/json")

    @routes.websocket("/api/live")
    async def live(socket: WebSocket) -> None:
        changed = feed.listen()
        if changed is None:
            await socket.close(1013, "too many boards look at this table")
            return
        try:
            await socket.accept()
            telling = asyncio.ensure_future(_tell(socket, changed, feed))
            gone = asyncio.ensure_future(_gone(socket))
            await asyncio.wait((telling, gone), return_when=asyncio.FIRST_COMPLETED)
            for task in (telling, gone):
                task.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await telling  # a board that goes in the middle of a message is no fault
        finally:
            feed.leave(changed)

    return routes


async def _tell(socket: WebSocket, changed: asyncio.Event, feed: Feed) -> None:
    """Send the newest state whenever there is one, and a sign of life where there is none for a while.

    Hundreds of boards wake up at each change, beside a game: nothing is done here but waiting and sending.
    """
    told = 0
    while True:
        changed.clear()
        if feed.number == told:
            await socket.send_text(BEAT)
        else:
            told = feed.number
            await socket.send_text(feed.text)
        await changed.wait()


async def _gone(socket: WebSocket) -> None:
    """Return once the board has gone; it has nothing to say that counts."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
