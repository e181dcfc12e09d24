"""The table on the shelf: takes up what was running, plays one game after the other."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from device.config import Config, play_options
from device.errors import BadInput
from device.store import FILE_NAME, open_reader, store_folder
from device.watchdog import Watchdog

Play = Callable[..., None]
"""`device.commands.play.play`."""
_log = logging.getLogger("croupier.appliance")


def run_appliance(config: Config, *, once: bool = False, play: Play | None = None) -> None:
    """Play as `config` says until stopped; `once`: one game only. `play` takes the place of the command.

    Raises:
        BadInput, RulesError: for what the configuration says.
        DeviceFailed: something failed for good; whoever started this starts it again.
    """
    from device.commands.play import play as command

    play = play or command
    options: dict[str, Any] = {"source": "picamera", "display": ["screen"], **play_options(config)}
    for name in ("store", "profile", "web_cert", "web_key"):
        if name in options:
            options[name] = Path(options[name]).expanduser()
    resume = was_running(store_folder(options.get("store")), config.table.game)
    with Watchdog():
        while True:
            _log.info("the game goes on" if resume else "a game begins")
            before = dict(options)
            if resume:
                # Who plays, and by which rules, is known from before.
                for name in ("players", "preset", "settings"):
                    before.pop(name, None)
            play(config.table.game, **before, resume=resume, patient=True)
            if once:
                return
            resume = False


def was_running(folder: Path, game: str) -> bool:
    """Whether the latest game of this kind was not over when the power went."""
    if not (folder / FILE_NAME).exists():
        return False
    from device.gamelog import KeptGame, standing_game
    from scorer.errors import RulesError
    from scorer.farkle import fold

    with open_reader(folder) as store:
        for stored in reversed(store.games()):
            if stored.header.game != game:
                continue
            try:
                kept = standing_game(stored, store.records(stored.id))
            except (BadInput, RulesError):
                return False  # one that cannot be read is not gone on with; it stays in the store
            if not isinstance(kept, KeptGame) or kept.open_points:
                return False
            return not fold(kept.rules, kept.players, kept.events).finished
    return False
