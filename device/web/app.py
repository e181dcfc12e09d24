"""The web application of one table: pages, REST and the board's WebSocket.

Everything that is read is free on the local network but the camera's picture; everything that changes
something needs a paired phone (`device.web.pairing`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib import resources
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles

from calibration.errors import CalibrationError
from device.errors import BadInput, DeviceError, DeviceFailed
from device.web.corrections import Conflict, NoGame, NotNow
from device.web.guard import Guard
from device.web.pairing import Refused, TooMany
from device.web.routes_board import board_routes
from device.web.routes_games import game_routes
from device.web.routes_pairing import pairing_routes
from device.web.routes_setup import setup_routes
from device.web.routes_table import table_routes
from scorer.errors import NothingThere, RulesError
from vision.errors import VisionError

if TYPE_CHECKING:
    from device.web.evening import Evening

PAGES = {"/": "board", "/table": "table", "/games": "games", "/setup": "setup", "/pair": "pair"}
_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (TooMany, 429),
    (Refused, 403),
    (Conflict, 409),
    (NotNow, 409),
    (NoGame, 409),
    (NothingThere, 409),
    (BadInput, 400),
    (RulesError, 400),
    (CalibrationError, 400),
    (VisionError, 400),
    (DeviceFailed, 503),
    (DeviceError, 503),
    (TimeoutError, 503),
)
"""Which answer an error becomes; the first that fits."""


def make_app(evening: Evening, *, names: Iterable[str] = (), secure: bool = False) -> FastAPI:
    """Return the application; `names` are further host names, `secure` tells that it is served over TLS."""

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        evening.feed.attach(asyncio.get_running_loop())
        yield

    app = FastAPI(
        title="Croupier",
        description="The table in a browser. Writes need a paired phone.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        lifespan=running,
    )
    app.state.pairing = evening.pairing
    for error, status in _STATUS:
        app.add_exception_handler(error, _answer(status))
    app.add_exception_handler(RequestValidationError, _unreadable)
    for routes in (board_routes, table_routes, game_routes, setup_routes):
        app.include_router(routes(evening))
    app.include_router(pairing_routes(evening, secure=secure))
    folder = resources.files("device.web") / "static"
    app.mount("/static", StaticFiles(directory=str(folder)), name="static")
    for path, name in PAGES.items():
        _add_page(app, path, str(folder / f"{name}.html"))

    @app.get("/favicon.ico", include_in_schema=False)
    def favicon() -> Response:
        return FileResponse(str(folder / "icon.svg"), media_type="image/svg+xml")

    app.add_middleware(Guard, names=tuple(names))
    return app


def _add_page(app: FastAPI, path: str, file: str) -> None:
    @app.get(path, include_in_schema=False)
    def page() -> Response:
        return FileResponse(file, media_type="text/html; charset=utf-8")


def _answer(status: int):  # type: ignore[no-untyped-def]  # Starlette's own type of a handler is wider
    async def handler(request: Request, error: Exception) -> Response:
        body: dict[str, object] = {"error": str(error) or "the game does not answer; try again"}
        if isinstance(error, Conflict):
            body["happened"] = error.happened
        return JSONResponse(body, status_code=status)

    return handler


async def _unreadable(request: Request, error: Exception) -> Response:
    """Say in one sentence what is wrong with a request."""
    sentence = "the request cannot be read"
    if isinstance(error, RequestValidationError) and error.errors():
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the body"
        sentence = f"{where}: {first['msg']}"
    return JSONResponse({"error": sentence}, status_code=422)
