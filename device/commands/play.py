"""`croupier play`: a whole game, from the camera to the score."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from device.playing import BANK_BY, Wanted, ended_politely, names_of, play_game

GAMES = ("farkle", "tenzi")
"""Games that can be played from a camera."""


def play(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="The game: farkle or tenzi.", show_default=False)
    ],
    source: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="picamera, usb:N, http://..., rtsp://..., a video file, a folder, or - (MJPEG).",
            show_default=False,
        ),
    ] = None,
    players: Annotated[
        str,
        typer.Option(metavar="A,B,...", help="Names in seat order, with commas.", show_default=False),
    ] = "",
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Rule preset (see: croupier rules list), or a TOML file. Default: farkle.",
            show_default=False,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change one setting of the rules; repeatable."),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The table's calibration profile.", show_default=False),
    ] = None,
    display: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DISPLAY",
            help="screen (HDMI, DSI), panel:CHIP (panel:ssd1306, panel:st7789, ...), terminal, picture:PATH "
            "(.png, .jpg, .webp; picture:PATH@800x480) or none; repeatable. "
            "Default: terminal, with --json none.",
            show_default=False,
        ),
    ] = None,
    bank_by: Annotated[
        list[str] | None,
        typer.Option(
            "--bank-by",
            metavar="HOW",
            help="What banks a turn besides a key: passing (all dice thrown again), lane (a throw in the "
            "next player's lane), zone (a hand held over the bank zone), or none; repeatable. "
            "Default: all three.",
            show_default=False,
        ),
    ] = None,
    ask_hot: Annotated[
        bool,
        typer.Option(
            "--ask-hot",
            help="Ask whether dice that all score and are thrown again are hot dice or passed on.",
        ),
    ] = False,
    keys: Annotated[
        bool, typer.Option("--keys", help="Bank, undo, fix a die and answer questions at the keyboard.")
    ] = False,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where games are kept (default: CROUPIER_STORE, or the user's data folder).",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the latest unfinished game.")] = False,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep the session there: video, profile and events. A fault becomes a test by copying it.",
            show_default=False,
        ),
    ] = None,
    record_video: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a video with the dice marked and the score beside.",
            show_default=False,
        ),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(metavar="N", help="Frames a second of a folder or of -.", show_default=False),
    ] = None,
    dice: Annotated[
        str | None,
        typer.Option(
            metavar="HOW",
            help="Play without a camera. virtual: dice of the program at the keyboard, sealed before the "
            "game and shown after it; typed: your own dice, told to the phone (needs --web).",
            show_default=False,
        ),
    ] = None,
    seed_text: Annotated[
        str,
        typer.Option(
            "--seed-text",
            metavar="TEXT",
            help="With --dice virtual: your own text, mixed into every throw.",
            show_default=False,
        ),
    ] = "",
    web: Annotated[
        bool,
        typer.Option(
            "--web", help="Show the board in browsers, and let paired phones correct, set up and begin games."
        ),
    ] = False,
    web_at: Annotated[
        str | None,
        typer.Option(
            "--web-at",
            metavar="HOST:PORT",
            help="Where browsers find it (default: every network of this machine, port 8080). Implies --web.",
            show_default=False,
        ),
    ] = None,
    web_cert: Annotated[
        Path | None,
        typer.Option("--web-cert", metavar="FILE", help="TLS certificate (PEM).", show_default=False),
    ] = None,
    web_key: Annotated[
        Path | None, typer.Option("--web-key", metavar="FILE", help="Its private key.", show_default=False)
    ] = None,
    button: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PIN=ACTION",
            help="A button between a GPIO pin and ground: bank, undo, next, again, take, stop, claim1... "
            "as in 17=bank; repeatable.",
            show_default=False,
        ),
    ] = None,
    light: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PIN=WHAT",
            help="A light on a GPIO pin: ask, bank, player1 to player8, as in 16=ask; repeatable.",
            show_default=False,
        ),
    ] = None,
    keypad: Annotated[
        bool, typer.Option("--keypad", help="Listen to USB keypads, without a terminal.")
    ] = False,
    speak: Annotated[
        str, typer.Option(metavar="LEVEL", help="What the caller says aloud: off, few, some, all.")
    ] = "off",
    language: Annotated[
        str, typer.Option(metavar="CODE", help="Language of displays and caller: en, sv.")
    ] = "en",
    evidence_mb: Annotated[
        float, typer.Option("--evidence-mb", metavar="MB", help="Room for the pictures of the throws.")
    ] = 500.0,
    patient: Annotated[
        bool,
        typer.Option("--patient", help="Wait for a camera, display or button that is missing at the start."),
    ] = False,
    claims: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Tenzi: claims and Gos of a recording, as a document of the match (truth.json).",
            show_default=False,
        ),
    ] = None,
    go: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="Tenzi: what starts a round: key (g), seconds of a countdown, or auto.",
        ),
    ] = "auto",
    rounds: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Tenzi: most rounds.", show_default=False),
    ] = None,
    chances: Annotated[
        bool, typer.Option("--chances", help="Show everybody's chance to win on the board (key w).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object an event, one a line.")] = False,
) -> None:
    """Play a game: throw the dice, and the score keeps itself.

    Dice that stay where they lie while the others are thrown are set aside. All dice thrown again are hot
    dice where every die of the throw scores; else they are the next player's, and the turn before is banked
    with the best selection of its last throw. Every event is on disk before it is shown. What does not fit,
    or cannot be read for certain, is asked, never guessed.

    With --web without --players the phone says who plays, and by which rules. A name like Robo:hard is played
    by the computer (easy, medium, hard, expert): in front of a camera it asks for its dice to be thrown.

    Example: croupier play farkle --source usb:0 --players Anna,Ben --keys
    """
    from device.errors import BadInput
    from device.inputs.wanted import InputsWanted
    from device.wording import check_language

    with_web = web or any(each is not None for each in (web_at, web_cert, web_key))
    if dice is not None and dice not in ("typed", "virtual"):
        raise BadInput(
            f"--dice {dice!r} is not known; use virtual or typed, or leave it out to play with a camera"
        )
    if seed_text and dice != "virtual":
        raise BadInput("--seed-text is for the program's own dice; add --dice virtual")
    if dice == "virtual" and with_web:
        raise BadInput("--dice virtual is played at the keyboard; leave out --web")
    if dice is not None and source is not None:
        raise BadInput("--dice plays without a camera; leave out --source or --dice")
    if dice == "typed" and not with_web:
        raise BadInput("--dice typed is told to a phone; give --web too")
    if dice is None and source is None:
        raise BadInput(
            "where is the camera? Give --source usb:0, picamera or a file; without one --dice virtual"
        )

    if game not in GAMES:
        raise BadInput(
            f"there is no game {game!r} that can be played from a camera; use {' or '.join(GAMES)}"
        )
    table = Wanted(
        game=game,
        source=source or str(dice),
        players=names_of(players),
        preset=preset,
        settings=tuple(settings or ()),
        displays=tuple(display or (("none",) if as_json else ("terminal",))),
        keys=keys,
        store=store,
        resume=resume,
        record_video=record_video,
        record=record,
        fps=fps,
        profile=profile,
        bank_by=tuple(bank_by or BANK_BY),
        ask_hot=ask_hot,
        dice=dice,
        inputs=InputsWanted(keypad=keypad, buttons=tuple(button or ()), lights=tuple(light or ())),
        language=check_language(language),
        speak=speak,
        evidence_mb=evidence_mb,
        patient=patient,
        chances=chances,
    )
    if game == "tenzi" and (with_web or dice is not None):
        raise BadInput("tenzi is judged from a camera or a recording; leave out --web and --dice")
    if game != "tenzi" and (claims is not None or rounds is not None or go != "auto"):
        raise BadInput("--claims, --go and --rounds belong to tenzi; leave them out")
    with ended_politely():
        if game == "tenzi":
            from device.tenzi_play import RaceWanted, play_tenzi

            race = RaceWanted(claims, go, rounds)
            play_tenzi(table, race, write=_json_line if as_json else None)
            return
        if dice == "virtual":
            from device.virtual_play import play_virtual

            play_virtual(table, text=seed_text, write=_json_line if as_json else None)
            return
        if with_web:
            from device.web.running import play_evening

            play_evening(table, web_at or "", web_cert, web_key, write=_json_line if as_json else None)
            return
        play_game(table, write=_json_line if as_json else None)


def _json_line(data: Mapping[str, object]) -> None:
    import json

    typer.echo(json.dumps(data, allow_nan=False))
