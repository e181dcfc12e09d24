"""`croupier appliance`: what runs on a shelf: the game of the configuration, over every power cut."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def appliance(
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="The configuration (default: as `croupier config`)."),
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="End after one game instead of beginning the next.")
    ] = False,
) -> None:
    """Play the game of the configuration, and after it the next, until stopped.

    A game that was running when the power went is taken up again. A camera, display or button that is missing
    is waited for. This is what the system service runs; see docs/appliance.md.

    Example: croupier appliance --file croupier.toml
    """
    import logging
    import sys

    from device.appliance import run_appliance
    from device.config import Config, config_file, load_config

    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    path = config_file(file)
    run_appliance(Config() if path is None else load_config(path), once=once)
