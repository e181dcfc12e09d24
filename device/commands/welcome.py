"""`croupier welcome`: what a person does next: the address of the board, its QR code, the first commands."""

from __future__ import annotations

from typing import Annotated

import typer


def welcome(
    port: Annotated[int, typer.Option(metavar="N", help="Port of the board.")] = 8080,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Show the address of the board with a QR code, and what to do next. The installer ends with it.

    Example: croupier welcome
    """
    import json
    from contextlib import suppress
    from importlib.util import find_spec

    from device.config import SYSTEM_FILE, config_file

    address = ""
    if all(find_spec(name) for name in ("fastapi", "uvicorn", "segno")):
        from device.web.server import lan_address, qr_text

        address = f"http://{lan_address()}:{port}"
    file = config_file()
    if as_json:
        typer.echo(json.dumps({"address": address, "config": str(file or SYSTEM_FILE)}))
        return
    if address:
        with suppress(UnicodeEncodeError):  # a terminal without block characters: the address is enough
            typer.echo(qr_text(address))
        typer.echo(f"The board:      {address}")
    typer.echo(f"Configuration:  {file or SYSTEM_FILE}    (after a change: sudo systemctl restart croupier)")
    typer.echo("All in order?   croupier doctor")
