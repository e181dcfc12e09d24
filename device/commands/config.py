"""`croupier config`: the configuration file: an example, a check, what is in force."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    help="The configuration file: an example, a check, what is in force.",
    epilog="Example: croupier config example > croupier.toml",
)

_File = Annotated[
    Path | None,
    typer.Argument(metavar="[FILE]", help="The file (default: the one that is used).", show_default=False),
]


@app.command()
def example() -> None:
    """Print a configuration with everything in it, explained.

    Example: croupier config example > ~/.config/croupier/croupier.toml
    """
    from device.config import EXAMPLE

    typer.echo(EXAMPLE, nl=False)


@app.command()
def check(file: _File = None) -> None:
    """Check a configuration: says the line of what is wrong, and the nearest name.

    Example: croupier config check croupier.toml
    """
    from device.config import config_file, load_config
    from device.errors import BadInput

    path = config_file(file)
    if path is None:
        raise BadInput("there is no configuration; make one with: croupier config example > croupier.toml")
    load_config(path)
    typer.echo(f"{path} is in order.")


@app.command()
def show(
    file: _File = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Show what a configuration means as options of `croupier play`.

    Example: croupier config show
    """
    from device.config import Config, config_file, load_config, play_options

    path = config_file(file)
    config = Config() if path is None else load_config(path)
    options = play_options(config)
    if as_json:
        typer.echo(json.dumps({"file": path and str(path), "game": config.table.game, "options": options}))
        return
    typer.echo(f"From {path}:" if path else "There is no configuration; these are the defaults:")
    for name, value in options.items():
        for each in value if isinstance(value, list) else [value]:
            flag = "set" if name == "settings" else name.replace("_", "-")
            typer.echo(f"    --{flag}" + ("" if each is True else f" {each}"))
