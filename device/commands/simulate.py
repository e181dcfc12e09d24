"""`croupier simulate`: a whole session, computed, with everything that is true about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from device.errors import BadInput, DeviceFailed

if TYPE_CHECKING:
    from models.synth.conditions import Conditions

GAMES = ("farkle", "tenzi")
"""Games that can be simulated."""
_NAMES = ("Anna", "Ben", "Cara", "Dan", "Eva", "Finn", "Gina", "Hugo")
"""Names of players where only their number is given."""
WHOLE_TARGET = 2000
"""Target of a whole game where none is given: a few minutes."""


def simulate(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="The game: farkle or tenzi.", show_default=False)
    ],
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
        str, typer.Option(metavar="N|A,B,...", help="How many players (to 8), or their names.")
    ] = "2",
    turns: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=50,
            help="Most turns a player; Tenzi: most rounds.",
            show_default="3; Tenzi: 1",
        ),
    ] = None,
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
    be bumped: all of it is in the truth. In Tenzi all players throw at once, each in a lane.

    Example: croupier simulate farkle --seed 7 --out session-7 --players 3 --table tray --with cocked,bump
    """
    import json
    import time

    from models.synth.errors import BadScene, MujocoMissing, NoSuchThrow, VideoFailed

    if game not in GAMES:
        raise BadInput(f"there is no game {game!r} that can be simulated; use {' or '.join(GAMES)}")
    began = time.perf_counter()
    try:
        wishes = _Wishes(
            seed=seed,
            names=player_names(players, least=1 if game == "tenzi" else 2),
            assignments=tuple(settings or []),
            difficulty=difficulty,
            table=None if table == "any" else table,
            wanted=names_in(wanted),
            unwanted=names_in(unwanted),
            body=dice,
            surface=surface,
            size_px=size_of(size),
            fps=fps,
        )
        if game == "tenzi":
            truth = _record_race(out, wishes, rounds=turns or 1)
        else:
            truth = _record(out, wishes, turns=None if whole else turns or 3, preset=preset)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wishes:
    """What was asked for, whatever the game."""

    seed: int
    names: tuple[str, ...]
    assignments: tuple[str, ...]
    difficulty: str
    table: str | None
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]
    body: str | None
    surface: str | None
    size_px: tuple[int, int]
    fps: float

    def conditions(self, *, dice: int, race: bool) -> Conditions:
        """Draw the conditions of the session."""
        import numpy as np

        from models.synth.conditions import EFFECTS, HAPPENINGS, RACE_HAPPENINGS, random_conditions

        everything = (*(RACE_HAPPENINGS if race else HAPPENINGS), *EFFECTS)
        return random_conditions(
            np.random.default_rng([self.seed, 2]),
            len(self.names),
            difficulty=self.difficulty,
            table=self.table,
            wanted=self.wanted,
            unwanted=tuple(name for name in everything if name not in self.wanted)
            if self.unwanted == ("all",)
            else self.unwanted,
            dice=dice,
            race=race,
            body=self.body,
            surface=self.surface,
            width_px=self.size_px[0],
            height_px=self.size_px[1],
            fps=self.fps,
        )


def _record(out: Path, wishes: _Wishes, *, turns: int | None, preset: str) -> dict[str, object]:
    """Write a Farkle session and return its truth."""
    import numpy as np

    from device.atomic import check_folder
    from device.documents import parse_settings
    from device.presets import spelled_out
    from device.progress import progress_bar
    from models.synth.recording import record
    from models.synth.script import write_script
    from scorer.rules import make_rules

    asked = parse_settings(wishes.assignments)
    if turns is None:
        asked.setdefault("target", WHOLE_TARGET)
    preset, changes = spelled_out(preset, asked)
    rules = make_rules(preset, changes)
    conditions = wishes.conditions(dice=rules.dice, race=False)
    script = write_script(np.random.default_rng([wishes.seed, 3]), rules, wishes.names, turns=turns)
    check_folder(out)
    with progress_bar("Filming", None) as step:
        return record(
            out,
            script,
            conditions,
            seed=wishes.seed,
            preset=preset,
            settings=changes,
            progress=lambda done, total: step(),
        )


def _record_race(out: Path, wishes: _Wishes, *, rounds: int) -> dict[str, object]:
    """Write a Tenzi session and return its truth."""
    from device.atomic import check_folder
    from device.documents import parse_settings
    from device.progress import progress_bar
    from models.synth.recording import record_race
    from scorer.errors import RulesError
    from scorer.tenzi import tenzi_rules

    asked = parse_settings(wishes.assignments)
    asked.setdefault("rounds_to_win", (rounds + 1) // 2)
    try:
        rules = tenzi_rules(asked)
    except RulesError as error:
        raise BadInput(str(error)) from error
    if rules.goal != (rules.dice,):
        goal = "+".join(map(str, rules.goal))
        raise BadInput(
            f"only the goal of {rules.dice} dice alike can be simulated, got '{goal}'; leave out --set goal"
        )
    conditions = wishes.conditions(dice=rules.dice, race=True)
    check_folder(out)
    with progress_bar("Filming", None) as step:
        return record_race(
            out,
            wishes.names,
            conditions,
            seed=wishes.seed,
            rounds=rounds,
            settings=asked,
            progress=lambda done, total: step(),
        )


def names_in(given: list[str] | None) -> tuple[str, ...]:
    """Return the names of an option that takes several, with commas or repeated."""
    return tuple(name.strip() for each in given or [] for name in each.split(",") if name.strip())


def player_names(text: str, *, least: int = 2) -> tuple[str, ...]:
    """Read `--players`: a number from `least` to 8, or names with commas.

    Raises:
        BadInput: for another number of players.
    """
    text = text.strip()
    names = _NAMES[: int(text)] if text.isdecimal() else tuple(name.strip() for name in text.split(","))
    if not least <= len(names) <= 8 or (text.isdecimal() and int(text) > 8):
        raise BadInput(
            f"--players wants {least} to 8 players, as a number or as names with commas, got {text!r}"
        )
    return names


def size_of(text: str) -> tuple[int, int]:
    """Read `--size`, such as 1280x720: even numbers from 320x240 to 3840x2160.

    Raises:
        BadInput: for anything else.
    """
    parts = text.lower().split("x")
    if len(parts) == 2 and all(part.isdecimal() for part in parts):
        width, height = int(parts[0]), int(parts[1])
        if 320 <= width <= 3840 and 240 <= height <= 2160 and width % 2 == 0 and height % 2 == 0:
            return width, height
    raise BadInput(f"--size wants even numbers from 320x240 to 3840x2160, such as 1280x720, got {text!r}")
