"""`croupier play --web`: the server beside the games of an evening; its address, QR code and PIN."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from device.errors import DeviceFailed

if TYPE_CHECKING:
    from device.displays.view import Display
    from device.playing import Wanted
    from device.web.pairing import Pairing

NEEDED = ("fastapi", "uvicorn", "websockets", "segno")
"""Packages of the extra `web`."""


def play_evening(
    wanted: Wanted,
    at: str,
    certificate: Path | None,
    key: Path | None,
    *,
    write: Callable[[Mapping[str, object]], None] | None = None,
) -> dict[str, object] | None:
    """Serve the table and play until nobody wants another game; return the last final state.

    Raises:
        BadInput, RulesError, DeviceFailed: as `device.playing.play_game`, and for the server.
    """
    _check_installed()
    from device.atomic import check_folder
    from device.playing import checked_rules, with_computers
    from device.store import store_folder
    from device.web.evening import Evening
    from device.web.pairing import Pairing
    from device.web.pin_display import PinDisplay
    from device.web.server import Server, place_of

    place = place_of(at, certificate, key)
    if wanted.players and not wanted.resume:
        checked_rules(with_computers(wanted))  # before the port is opened
    store = check_folder(store_folder(wanted.store))
    pairing = Pairing(store)
    evening = Evening(wanted, store, pairing)

    def attached(display: Display) -> Display:
        return PinDisplay(display, pairing, evening.desk)

    with Server(evening, place) as server:
        _tell(server.address, pairing)
        return evening.play(write=write, attached=attached)


def _check_installed() -> None:
    """Say which package is missing, before anything is opened.

    Raises:
        DeviceFailed: one is.
    """
    from importlib.util import find_spec

    for package in NEEDED:
        if find_spec(package) is None:
            raise DeviceFailed(
                f"--web needs the package {package}; install it with: pip install 'croupier[web]'"
            )


def _tell(address: str, pairing: Pairing) -> None:
    """Write address, QR code and PIN to standard error: the results have standard output."""
    from device.web.server import qr_text

    link = f"{address}/pair#{pairing.pin}"
    typer.echo(f"Board:  {address}", err=True)
    typer.echo(f"Phones: scan this, or open {address}/pair and type the PIN {pairing.pin}", err=True)
    try:
        typer.echo(qr_text(link), err=True)
    except UnicodeEncodeError:  # a terminal without block characters: the address is enough
        typer.echo(link, err=True)
    if not address.startswith("https://"):
        return
    typer.echo("The certificate must be one that the phones trust.", err=True)
