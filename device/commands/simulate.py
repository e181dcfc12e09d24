"""`croupier simulate`: a whole session, computed, with everything that is true about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

GAMES = ("farkle",)
"""Games that can be simulated."""
_NAMES = ("Anna", "Ben", "Cara", "Dan", "Eva", "Finn", "Gina", "Hugo")
"""Names of players where only their number is given."""
WHOLE_TARGET = 2000
"""Target of a whole game where none is given: a few minutes."""


def simulate(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game: farkle.", show_default=False)],
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help="Where video.mp4, profile.json and truth.json go.", show_default=False
        ),
    ],
    seed: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="The same seed gives the same session.", show_default=False),
    ],
    players: Annotated[
        str, typer.Option(metavar="N|A,B,...", help="How many players (2..8), or their names.")
    ] = "2",
    turns: Annotated[int, typer.Option(metavar="N", min=1, max=50, help="Most turns a player.")] = 3,
    whole: Annotated[
        bool,
        typer.Option("--whole", help="Play to the end of the game; target 2000 unless --set."),
    ] = False,
    preset: Annotated[
        str, typer.Option(metavar="NAME", help="Rule preset (see: croupier rules list), or a TOML file.")
    ] = "farkle",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change one setting of the rules; repeatable."),
    ] = None,
    difficulty: Annotated[
        str, typer.Option(metavar="LEVEL", help="How hard it is to read: easy, mixed or hard.")
    ] = "mixed",
    table: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="shared (one zone), tray (and a tray), lanes (one a player), lanes-tray, or any.",
        ),
    ] = "any",
    wanted: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAME,...",
            help="What is to happen for sure, such as cocked,bump; a wrong name lists them all.",
            show_default=False,
        ),
    ] = None,
    unwanted: Annotated[
        list[str] | None,
        typer.Option(
            "--without", metavar="NAME,...", help="What is not to happen, or: all.", show_default=False
        ),
    ] = None,
    dice: Annotated[
        str | None,
        typer.Option(metavar="COLOUR", help="Colour of the dice, such as ivory or red.", show_default=False),
    ] = None,
    surface: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="Table top, such as felt, wood or cloth.", show_default=False),
    ] = None,
    size: Annotated[str, typer.Option(metavar="WxH", help="Size of the video in pixels.")] = "1280x720",
    fps: Annotated[float, typer.Option(metavar="N", min=5, max=120, help="Frames a second.")] = 25.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object at the end.")] = False,
) -> None:
    """Compute a session: hands throw dice, dice tumble (physics) and rest, a game is played.

    Scripted players play by the rules. What lay on the table, in which frames it lay still, the events of the
    game and its totals are in truth.json, a document that croupier replay plays as well; profile.json is the
    calibration of the camera. Dice may lean or fall off the table, hands nudge and count them, the camera may
    be bumped: all of it is in the truth.

    Example: croupier simulate farkle --seed 7 --out session-7 --players 3 --table tray --with cocked,bump
    """
    import json
    import time

    from device.errors import BadInput, DeviceFailed
    from models.synth.errors import BadScene, MujocoMissing, NoSuchThrow, VideoFailed

    if game not in GAMES:
        raise BadInput(f"there is no game {game!r} that can be simulated; use {' or '.join(GAMES)}")
    began = time.perf_counter()
    try:
        truth = _record(
            out,
            seed=seed,
            names=player_names(players),
            turns=None if whole else turns,
            preset=preset,
            assignments=settings or [],
            difficulty=difficulty,
            table=None if table == "any" else table,
            wanted=names_in(wanted),
            unwanted=names_in(unwanted),
            body=dice,
            surface=surface,
            size_px=size_of(size),
            fps=fps,
        )
    except (BadScene, NoSuchThrow) as error:
        raise BadInput(str(error)) from error
    except (MujocoMissing, VideoFailed) as error:
        raise DeviceFailed(str(error)) from error
    if as_json:
        typer.echo(json.dumps({"out": str(out), **truth}, ensure_ascii=False))
        return
    rests, totals, frames = truth["rests"], truth["totals"], truth["frames"]
    assert isinstance(rests, list)
    assert isinstance(totals, dict)
    assert isinstance(frames, int)
    took, video_s = time.perf_counter() - began, frames / fps
    typer.echo(f"{len(rests)} throws in {frames} frames: {out / 'video.mp4'}")
    typer.echo(f"{video_s:.0f} s of video took {took:.0f} s, {took / video_s:.2f} s for each second.")
    typer.echo("The truth: " + ", ".join(f"{name} {points}" for name, points in totals.items()) + ".")


def _record(
    out: Path,
    *,
    seed: int,
    names: tuple[str, ...],
    turns: int | None,
    preset: str,
    assignments: list[str],
    difficulty: str,
    table: str | None,
    wanted: tuple[str, ...],
    unwanted: tuple[str, ...],
    body: str | None,
    surface: str | None,
    size_px: tuple[int, int],
    fps: float,
) -> dict[str, object]:
    """Write the session and return its truth."""
    import numpy as np

    from device.atomic import check_folder
    from device.documents import parse_settings
    from device.presets import spelled_out
    from device.progress import progress_bar
    from models.synth.conditions import EFFECTS, HAPPENINGS, random_conditions
    from models.synth.recording import record
    from models.synth.script import write_script
    from scorer.rules import make_rules

    asked = parse_settings(assignments)
    if turns is None:
        asked.setdefault("target", WHOLE_TARGET)
    preset, changes = spelled_out(preset, asked)
    rules = make_rules(preset, changes)
    conditions = random_conditions(
        np.random.default_rng([seed, 2]),
        len(names),
        difficulty=difficulty,
        table=table,
        wanted=wanted,
        unwanted=(*HAPPENINGS, *EFFECTS) if unwanted == ("all",) else unwanted,
        dice=rules.dice,
        body=body,
        surface=surface,
        width_px=size_px[0],
        height_px=size_px[1],
        fps=fps,
    )
    script = write_script(np.random.default_rng([seed, 3]), rules, names, turns=turns)
    check_folder(out)
    with progress_bar("Filming", None) as step:
        return record(
            out,
            script,
            conditions,
            seed=seed,
            preset=preset,
            settings=changes,
            progress=lambda done, total: step(),
        )


def names_in(given: list[str] | None) -> tuple[str, ...]:
    """Return the names of an option that takes several, with commas or repeated."""
    return tuple(name.strip() for each in given or [] for name in each.split(",") if name.strip())


def player_names(text: str) -> tuple[str, ...]:
    """Read `--players`: a number from 2 to 8, or names with commas.

    Raises:
        BadInput: for another number of players.
    """
    from device.errors import BadInput

    text = text.strip()
    names = _NAMES[: int(text)] if text.isdecimal() else tuple(name.strip() for name in text.split(","))
    if not 2 <= len(names) <= 8 or (text.isdecimal() and int(text) > 8):
        raise BadInput(f"--players wants 2 to 8 players, as a number or as names with commas, got {text!r}")
    return names


def size_of(text: str) -> tuple[int, int]:
    """Read `--size`, such as 1280x720: even numbers from 320x240 to 3840x2160.

    Raises:
        BadInput: for anything else.
    """
    from device.errors import BadInput

    parts = text.lower().split("x")
    if len(parts) == 2 and all(part.isdecimal() for part in parts):
        width, height = int(parts[0]), int(parts[1])
        if 320 <= width <= 3840 and 240 <= height <= 2160 and width % 2 == 0 and height % 2 == 0:
            return width, height
    raise BadInput(f"--size wants even numbers from 320x240 to 3840x2160, such as 1280x720, got {text!r}")
