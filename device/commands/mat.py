"""`croupier mat`: a mat to print."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def mat(
    out: Annotated[
        Path, typer.Argument(metavar="OUT.pdf", help="The PDF to write; OUT.json goes beside it.")
    ] = Path("mat.pdf"),
    size: Annotated[
        str, typer.Option(metavar="SIZE", help="a4, a3, a2, a1, a0 (lying), or WxH in mm, such as 600x400.")
    ] = "a3",
    paper: Annotated[
        str,
        typer.Option(metavar="PAPER", help="sheet: one sheet of the mat's size; a4, a3, ...: tiles to glue."),
    ] = "sheet",
    lanes: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="A lane for each of N players (1 to 8); without it all share one roll zone."
        ),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Names of the lanes, in seat order.", show_default=False),
    ] = None,
    tray: Annotated[bool, typer.Option("--tray/--no-tray", help="Zones for dice set aside.")] = True,
    bank: Annotated[bool, typer.Option("--bank", help="A zone in which a hand means: bank.")] = False,
    colours: Annotated[
        str | None,
        typer.Option(metavar="C,C,...", help="Colours of the lanes: names, or #rrggbb.", show_default=False),
    ] = None,
    ground: Annotated[
        str,
        typer.Option(metavar="COLOUR", help="Ground of the roll zones: white, green, blue, red, grey, dark."),
    ] = "white",
    marker_mm: Annotated[
        float | None,
        typer.Option(metavar="MM", help="Side of the corner markers, if not the usual.", show_default=False),
    ] = None,
    charuco: Annotated[
        bool, typer.Option("--charuco", help="Instead of a mat: the board for measuring a lens, on A4.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object about the mat.")] = False,
) -> None:
    """Make a mat to print: corner markers, lanes or one roll zone, trays, a ruler.

    Print it at 100 % (no scaling) and check the printed ruler against a real one. The markers of a mat of a
    standard size say how it is laid out; for any other, croupier calibrate needs the JSON file beside the
    PDF. Tiles of paper are cut at the marks and glued.

    Example: croupier mat table.pdf --size a2 --paper a4 --players Anna,Ben,Cleo
    """
    import json

    from calibration.layout import lay_out
    from calibration.mat import GROUNDS, MatStyle, mat_as_text, mat_pdf
    from calibration.matcode import MatKind, kind_of
    from device.atomic import write_bytes
    from device.errors import BadInput

    if out.suffix.lower() != ".pdf":
        raise BadInput(f"the mat is written as PDF, got the name {out}; let it end in .pdf")
    if charuco:
        from calibration.lens import board_pdf

        write_bytes(out, board_pdf())
        typer.echo(json.dumps({"pdf": str(out), "pages": 1}) if as_json else f"{out}: the board, 1 page.")
        return
    names = lane_names(players)
    if names and lanes is not None and lanes != len(names):
        raise BadInput(f"{len(names)} names for {lanes} lanes; give one name a lane, or leave out --lanes")
    if ground not in GROUNDS:
        raise BadInput(f"the ground {ground!r} is not known; choose one of {', '.join(GROUNDS)}")
    if lanes is not None and not 1 <= lanes <= 8:
        raise BadInput(f"--lanes wants 1 to 8, got {lanes}; without it all share one roll zone")
    width, height = mat_size(size)
    kind = MatKind(width, height, len(names) or lanes or 0, tray, bank)
    layout = lay_out(kind, names, marker_mm=marker_mm)
    style = MatStyle(ground=GROUNDS[ground])
    if colours is not None:
        style = MatStyle(colours=lane_colours(colours), ground=GROUNDS[ground])
    pdf, pages = mat_pdf(layout, style, paper=paper.lower())
    description = out.with_suffix(".json")
    write_bytes(out, pdf)
    write_bytes(description, mat_as_text(layout).encode())
    ids = tuple(ident for ident, _ in sorted(layout.markers.corners_mm, key=lambda each: each[0] % 4))
    known = kind_of((ids[0], ids[1], ids[2], ids[3])) is not None
    if as_json:
        answer = {
            "pdf": str(out),
            "description": str(description),
            "pages": pages,
            "width_mm": width,
            "height_mm": height,
            "marker_mm": layout.marker_mm,
            "marker_ids": list(ids),
            "needs_description": not known,
        }
        typer.echo(json.dumps(answer))
        return
    typer.echo(
        f"{out}: {pages} page{'s' if pages > 1 else ''}, {width:g} x {height:g} mm. "
        "Print at 100 % and check the ruler: 100 mm."
    )
    typer.echo("Then: croupier calibrate SOURCE" + ("" if known and not names else f" --mat {description}"))


def lane_names(text: str | None) -> tuple[str, ...]:
    """Read `--players`: names with commas.

    Raises:
        BadInput: for an empty name, a name twice, or more than eight.
    """
    from device.errors import BadInput

    if text is None:
        return ()
    names = tuple(name.strip() for name in text.split(","))
    if not all(names) or len(set(names)) != len(names) or len(names) > 8:
        raise BadInput(f"--players wants 1 to 8 different names with commas between them, got {text!r}")
    return names


def mat_size(text: str) -> tuple[float, float]:
    """Read `--size`: the name of a sheet, or width and height in mm.

    Raises:
        BadInput: for anything else.
    """
    import re

    from calibration.matcode import SIZES_MM
    from device.errors import BadInput

    if text.lower() in SIZES_MM:
        return SIZES_MM[text.lower()]
    found = re.fullmatch(r"(\d{1,5}(?:\.\d+)?)x(\d{1,5}(?:\.\d+)?)", text.lower().removesuffix("mm").strip())
    if found is None:
        raise BadInput(f"--size wants {', '.join(SIZES_MM)} or width x height in mm, got {text!r}")
    return float(found.group(1)), float(found.group(2))


def lane_colours(text: str) -> tuple[tuple[float, float, float], ...]:
    """Read `--colours`: names of `calibration.mat.COLOURS`, or #rrggbb.

    Raises:
        BadInput: for anything else.
    """
    import re

    from calibration.mat import COLOURS
    from device.errors import BadInput

    found = []
    for word in (part.strip().lower() for part in text.split(",")):
        if word in COLOURS:
            found.append(COLOURS[word])
        elif re.fullmatch(r"#[0-9a-f]{6}", word):
            found.append((int(word[1:3], 16) / 255, int(word[3:5], 16) / 255, int(word[5:7], 16) / 255))
        else:
            raise BadInput(f"the colour {word!r} is not known; use #rrggbb or one of {', '.join(COLOURS)}")
    return tuple(found)
