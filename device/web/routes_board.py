"""The board: what is shown now, and every change of it as it happens."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from fastapi.responses import Response

if TYPE_CHECKING:
    from device.web.evening import Evening

BEAT_S = 15.0
"""A board that hears nothing for twice as long takes the connection for broken."""


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
            gone = asyncio.ensure_future(_gone(socket))
            try:
                await _tell(socket, changed, gone)
            finally:
                gone.cancel()
        except (WebSocketDisconnect, RuntimeError):  # the board has gone in the middle of a message
            pass
        finally:
            feed.leave(changed)

    async def _tell(socket: WebSocket, changed: asyncio.Event, gone: asyncio.Future[None]) -> None:
        while not gone.done():
            changed.clear()
            await socket.send_text(feed.text)
            while not changed.is_set() and not gone.done():
                waiting = asyncio.ensure_future(changed.wait())
                await asyncio.wait((waiting, gone), timeout=BEAT_S, return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
                if not changed.is_set() and not gone.done():
                    await socket.send_text('{"beat":true}')

    return routes


async def _gone(socket: WebSocket) -> None:
    """Return once the board has gone; it has nothing to say that counts."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
