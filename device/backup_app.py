"""`croupier games backup` and `restore`: all games in one file, and back again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

_Store = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Where games are kept (default: CROUPIER_STORE, or the user's data folder).",
        show_default=False,
    ),
]
_File = Annotated[Path, typer.Argument(metavar="FILE.zip", help="The archive.", show_default=False)]
_Json = Annotated[bool, typer.Option("--json", help="One JSON object.")]


def backup(file: _File, store: _Store = None, as_json: _Json = False) -> None:
    """Write all games and their pictures to one file; a game may be played meanwhile.

    Example: croupier games backup /media/usb/croupier.zip
    """
    from device.backup import back_up
    from device.store import store_folder

    games = back_up(store_folder(store), file)
    if as_json:
        typer.echo(json.dumps({"games": games, "file": str(file), "bytes": file.stat().st_size}))
    else:
        typer.echo(f"{_count(games)} written to {file} ({file.stat().st_size / 1e6:.1f} MB).")


def restore(
    file: _File,
    store: _Store = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put aside the games that are there (they are kept).")
    ] = False,
    as_json: _Json = False,
) -> None:
    """Put the games of such a file in their place, after checking every row and picture of it.

    Example: croupier games restore /media/usb/croupier.zip
    """
    from device.backup import restore as put_back
    from device.store import store_folder

    folder = store_folder(store)
    games, before = put_back(file, folder, replace=replace)
    if as_json:
        typer.echo(json.dumps({"games": games, "store": str(folder), "before": before and str(before)}))
        return
    typer.echo(f"{_count(games)} restored to {folder}.")
    if before is not None:
        typer.echo(f"The games that were there lie in {before}.")


def _count(games: int) -> str:
    return "1 game" if games == 1 else f"{games} games"
