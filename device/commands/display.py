"""`croupier display`: find a display, try it, see what it would show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    help="Displays: find them, try them, see what they would show.",
    epilog="Example: croupier display scan",
)

_Name = Annotated[
    str,
    typer.Argument(
        metavar="DISPLAY", help="As behind `play --display`: screen, panel:ssd1306, ...", show_default=False
    ),
]
_Language = Annotated[str, typer.Option("--language", metavar="CODE", help="en or sv.")]
_Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


@app.command()
def scan(as_json: _Json = False) -> None:
    """List what answers on the I2C buses, and what to write behind `--display` for it.

    Ends with exit code 1 when nothing was found, and 3 when there is no bus.

    Example: croupier display scan
    """
    from dataclasses import asdict

    from device.displays.bus import buses, scan
    from device.errors import EXIT_NO, DeviceFailed

    numbers = buses()
    if not numbers:
        raise DeviceFailed(
            "there is no I2C bus; on a Raspberry Pi switch it on with: sudo raspi-config nonint do_i2c 0"
        )
    found = scan(numbers)
    for each in found:
        if as_json:
            typer.echo(json.dumps(asdict(each)))
            continue
        typer.echo(f"bus {each.bus}, address 0x{each.address:02x}: {each.meaning}")
        if each.display:
            typer.echo(f"    try it: croupier display test {each.display}")
    if not found:
        if not as_json:
            names = ", ".join(map(str, numbers))
            typer.echo(f"Nothing answers on bus {names}; check the wires: SDA, SCL, 3.3 V and ground.")
        raise typer.Exit(EXIT_NO)


@app.command("test")
def try_it(
    name: _Name,
    score: Annotated[
        str | None,
        typer.Option(
            metavar="MOMENT", help="Show a score: turn, bust, hot, unsure or won.", show_default=False
        ),
    ] = None,
    players: Annotated[int, typer.Option(metavar="N", help="How many players it shows.")] = 4,
    language: _Language = "en",
    seconds: Annotated[float, typer.Option(metavar="S", help="How long a screen shows it.")] = 10.0,
) -> None:
    """Show a test pattern on a display, or with `--score` an invented score.

    The frame must touch all four edges, the arrow point up, R be red and B blue.

    Example: croupier display test panel:ssd1306
    """
    import threading

    from device.displays.choose import open_display
    from device.displays.examples import example
    from device.wording import check_language

    check_language(language)
    view = example(score or "turn", players=players)
    display = open_display(name, language=language)
    try:
        show_pattern = getattr(display, "show_pattern", None)
        if score is None and show_pattern is not None:
            show_pattern()
        else:
            display.show(view)
        if name.partition(":")[0] == "screen":
            threading.Event().wait(min(max(seconds, 0.0), 3600.0))
    finally:
        display.close()
    typer.echo(f"Shown on {name}.", err=True)


SHOTS = (((1920, 1080), False), ((800, 480), False), ((240, 240), False), ((128, 64), True))
"""Sizes of the pictures in the documentation, and whether their pixels are black or white."""


@app.command()
def shots(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write them.", show_default=False)],
    players: Annotated[int, typer.Option(metavar="N", help="How many players they show.")] = 4,
) -> None:
    """Write pictures of what displays of four sizes show, in both languages, of an invented game.

    Example: croupier display shots /tmp/shots
    """
    import io

    from PIL import Image

    from device.atomic import check_folder, write_bytes
    from device.displays.examples import example
    from device.displays.scoreboard import render
    from device.wording import LANGUAGES

    check_folder(folder)
    for size, one_bit in SHOTS:
        for language in LANGUAGES:
            for moment in ("turn", "unsure"):
                picture = render(example(moment, players=players), size, language=language, one_bit=one_bit)
                few = picture.convert("1") if one_bit else picture.quantize(256, Image.Quantize.FASTOCTREE)
                out = io.BytesIO()
                few.save(out, "PNG")
                path = folder / f"{moment}-{size[0]}x{size[1]}-{language}.png"
                write_bytes(path, out.getvalue())
                typer.echo(str(path))
