"""What every request has to pass before anything looks at it: host, origin, size. What every answer carries.

* `Host` must be a number address, this machine's name or a `.local` name: a page elsewhere that points its
  own name at the table (DNS rebinding) gets nothing.
* What changes something, and the WebSocket, must come from a page of this very server (`Origin`).
* Bodies are JSON and small.
"""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException

MOST_BYTES = 64 * 1024
"""Longest body of a request."""
MOST_PATH = 2048
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class _TooLong(HTTPException):
    """The body turns out to be longer than it may be; FastAPI hands this one on as it is."""


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: Application, *, names: Iterable[str] = ()) -> None:
        """Guard `app`; `names` are further host names by which the table may be called."""
        self._app = app
        self._names = {"localhost", socket.gethostname().lower(), *(name.lower() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = _headers(scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(scope, receive, send, *refusal)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_answer_headers(scope, headers)]
            await send(message)

        taken = 0

        async def receiving() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > MOST_BYTES:
                raise _TooLong(413, _TOO_LONG)
            return message

        await self._app(scope, receiving, sending)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        if len(scope.get("raw_path") or scope["path"].encode()) > MOST_PATH:
            return 414, "the address is too long"
        host = headers.get("host", "")
        if not self._may_be_called(host):
            return 403, "this table is not called that; open the address that it shows"
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and not _same_origin(headers.get("origin"), scope["scheme"], host):
            return 403, "only pages of this table may do that"
        if scope["type"] == "http" and changes:
            length = headers.get("content-length", "0")
            if not (length.isascii() and length.isdigit()):
                return 400, "the length of the request is no number"
            if int(length) > MOST_BYTES:
                return 413, _TOO_LONG
            kind = headers.get("content-type", "").split(";")[0].strip().lower()
            has_body = int(length) > 0 or "transfer-encoding" in headers
            if has_body and kind != "application/json":
                return 415, "requests are JSON; set the content type to application/json"
        return None

    def _may_be_called(self, host: str) -> bool:
        """Whether a browser that asks for this host can mean this table."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower().rstrip(".")
        except ValueError:
            return False
        if name in self._names or name.endswith(".local"):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


_TOO_LONG = f"a request has at most {MOST_BYTES // 1024} kB"


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _same_origin(origin: str | None, scheme: str, host: str) -> bool:
    """Whether a request comes from a page of this server: same scheme, name and port."""
    wanted = {"ws": "http", "wss": "https"}.get(scheme, scheme)
    return origin is not None and origin.lower() == f"{wanted}://{host.lower()}"


def _answer_headers(scope: Scope, headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    """Return the headers that keep a page from doing what it was not made for."""
    host = headers["host"]
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        f"connect-src 'self' ws://{host} wss://{host}; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    found = [
        ("content-security-policy", policy),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
    ]
    if not scope["path"].startswith("/static/"):
        found.append(("cache-control", "no-store"))
    return [(name.encode(), value.encode("latin-1")) for name, value in found]


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    body = json.dumps({"error": why}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
