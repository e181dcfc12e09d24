"""The server in its own thread, the address that phones open, and the QR code of it.

http://192.168.1.20:8080     on the local network; nothing leaves it
"""

from __future__ import annotations

import socket
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from device.errors import BadInput, DeviceFailed
from device.web.app import make_app

if TYPE_CHECKING:
    from device.web.evening import Evening

DEFAULT_PORT = 8080
SWITCH_S = 0.0005
"""After so long the server's thread lets the game's thread go on (Python's own choice is 5 ms)."""
_START_S = 15.0
_STOP_S = 3.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the server listens."""

    host: str = "0.0.0.0"
    """Address to listen at; `0.0.0.0` is every network of this machine, `127.0.0.1` this machine alone."""
    port: int = DEFAULT_PORT
    """Port; 0 takes a free one."""
    certificate: Path | None = None
    """TLS certificate, or None for plain HTTP."""
    key: Path | None = None
    """Its private key."""


def place_of(text: str, certificate: Path | None = None, key: Path | None = None) -> Place:
    """Read HOST:PORT, HOST, :PORT or PORT; empty is the usual.

    Raises:
        BadInput: for something else.

    >>> place_of("127.0.0.1:8000").port, place_of("9000").port, place_of("").host
    (8000, 9000, '0.0.0.0')
    """
    if (certificate is None) != (key is None):
        raise BadInput("TLS needs both --web-cert and --web-key; give both, or neither")
    host, colon, port = text.strip().rpartition(":")
    if not colon and not port.isdigit():
        host, port = port, ""
    host = host.strip("[]")
    if port and not (port.isascii() and port.isdigit() and int(port) <= 65535):
        raise BadInput(f"--web-at {text!r} is no HOST:PORT; give one such as 192.168.1.20:8080 or :8080")
    return Place(host or "0.0.0.0", int(port) if port else DEFAULT_PORT, certificate, key)


class Server:
    """The web server of an evening; use it as a context manager."""

    def __init__(self, evening: Evening, place: Place) -> None:
        """Take the port; nothing is served yet.

        Raises:
            BadInput: the port is taken, the host is none of this machine, or a file of TLS is not there.
        """
        import uvicorn

        for file in (place.certificate, place.key):
            if file is not None and not file.is_file():
                raise BadInput(f"there is no file {file} for TLS; give the path of a PEM file")
        self._socket = _listening(place)
        self._port = int(self._socket.getsockname()[1])
        self._place = place
        self._secure = place.certificate is not None
        options: dict[str, Any] = {}
        if place.certificate is not None:
            options = {"ssl_certfile": str(place.certificate), "ssl_keyfile": str(place.key)}
        self._server = uvicorn.Server(
            uvicorn.Config(
                make_app(evening, names=[place.host], secure=self._secure),
                log_level="warning",
                access_log=False,  # addresses with secrets in them never get into a log
                ws="websockets-sansio" if _has_sansio() else "websockets",
                ws_per_message_deflate=False,  # the local network is faster than a Pi can compress
                ws_max_size=1024,
                timeout_graceful_shutdown=1,
                server_header=False,
                proxy_headers=False,  # else anybody could claim another address for the limits
                **options,
            )
        )
        self._fault: BaseException | None = None
        self._switch_s = SWITCH_S
        self._thread = threading.Thread(target=self._serve, name="web", daemon=True)

    @property
    def address(self) -> str:
        """What a phone opens."""
        host = self._place.host
        if host in ("0.0.0.0", "::", ""):
            host = lan_address()
        shown = f"[{host}]" if ":" in host else host
        return f"{'https' if self._secure else 'http'}://{shown}:{self._port}"

    def __enter__(self) -> Server:
        """Serve.

        Raises:
            DeviceFailed: the server does not start.
        """
        # The game's thread must get the interpreter back at once while hundreds of boards are told.
        self._switch_s = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)
        self._thread.start()
        self._wait_for_start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop serving."""
        sys.setswitchinterval(self._switch_s)
        self._server.should_exit = True
        self._thread.join(_STOP_S)
        self._socket.close()

    def _serve(self) -> None:
        try:
            self._server.run(sockets=[self._socket])
        except BaseException as error:  # told by whoever started it
            self._fault = error

    def _wait_for_start(self) -> None:
        import time

        end = time.monotonic() + _START_S
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > end:
                raise DeviceFailed(
                    f"the web server does not start ({self._fault or 'it gives no reason'}); try another port"
                )
            self._thread.join(0.02)


def _has_sansio() -> bool:
    """Whether this uvicorn has the newer of its two adapters to the package websockets."""
    import importlib.util

    return importlib.util.find_spec("uvicorn.protocols.websockets.websockets_sansio_impl") is not None


def _listening(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((place.host, place.port))
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(
            f"cannot serve the board at {place.host}:{place.port}: {reason}; "
            "choose another place with --web-at HOST:PORT"
        ) from error
    made.set_inheritable(True)
    return made


def lan_address() -> str:
    """Return this machine's address on the local network, or 127.0.0.1 where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: only the route is looked up
            return str(probe.getsockname()[0])
        except OSError:
            pass
    try:
        return socket.gethostbyname(socket.gethostname())
    except OSError:
        return "127.0.0.1"


def qr_text(address: str) -> str:
    """Return a QR code of an address in half blocks, for a terminal."""
    import io

    import segno

    out = io.StringIO()
    segno.make(address, error="m", micro=False).terminal(out=out, compact=True, border=2)
    return out.getvalue()
