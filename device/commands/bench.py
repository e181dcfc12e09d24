"""`croupier bench`: how fast Croupier is on this machine, and how well it reads labelled pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vision.detection import DiceReader
    from vision.frame import Image

SIZES_PX = ((640, 480), (1280, 960), (2560, 1920))
"""Widths and heights of the pictures that are read."""
SEED = 1
"""The pictures are made, not stored: always the same ones."""


app = typer.Typer(invoke_without_command=True, subcommand_metavar="[read FOLDER...]")


@app.callback()
def bench(
    context: typer.Context,
    rounds: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="How often each picture is read.")
    ] = 9,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a measurement.")] = False,
) -> None:
    """Measure start-up, reading and memory on this machine, on one processor core.

    Compare runs only on the same machine while nothing else works on it. "croupier bench read" measures how
    well the dice of your own labelled pictures are read.

    Example: croupier bench --rounds 20
    """
    if context.invoked_subcommand is not None:
        return
    import json

    from device.progress import progress_bar

    with progress_bar("Measuring", len(SIZES_PX) + 2) as step:
        for row in _measurements(rounds):
            typer.echo(json.dumps(row) if as_json else _line(row))
            step()


@app.command()
def read(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="FOLDER...", help="Folders with pictures or clips and labels.json."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a folder, one a line.")] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Draw risk over coverage into DIR, as PNG.", show_default=False),
    ] = None,
    sheets: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write contact sheets of what went wrong to DIR, as PNG.", show_default=False
        ),
    ] = None,
    no_dice: Annotated[
        bool, typer.Option("--no-dice", help="No picture shows a die: count what is taken for one.")
    ] = False,
    most: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="At most N pictures of each folder, evenly chosen.", show_default=False
        ),
    ] = None,
    every: Annotated[int, typer.Option(metavar="N", min=1, help="Of clips, only every N-th frame.")] = 1,
    failures: Annotated[
        bool, typer.Option("--failures", help="Also list the pictures that were not read exactly.")
    ] = False,
) -> None:
    """Measure how well the dice of labelled pictures and clips are read.

    Counted are the dice and pictures that were read right, that were sure, and that were wrong although they
    were shown as sure. docs/measuring.md says how to label your own.

    Example: croupier bench read mytable/ --sheets failures/
    """
    measure_reading_of(
        folders,
        as_json=as_json,
        plot=plot,
        sheets=sheets,
        no_dice=no_dice,
        most=most,
        every=every,
        failures=failures,
        make_reader=_open_reader,
    )


def _open_reader() -> DiceReader:
    """The real reader; imported when the folders proved good."""
    from vision.reader import Reader

    return Reader()


def measure_reading_of(
    folders: Sequence[Path], *, make_reader: Callable[[], DiceReader], **wishes: Any
) -> None:
    """Do the work of `croupier bench read`, with any reader; `wishes` are those of the evaluation.

    Raises:
        BadInput: when a folder, its labels or one of its pictures cannot be used, before anything is measured
            where possible, or when the plot or the sheets cannot be written.
    """
    from device.atomic import check_folder
    from device.errors import BadInput
    from device.pictures import load_picture
    from device.progress import progress_bar
    from models.training.evaluate import Wishes, lines, plan
    from models.training.folders import BadFolder

    chosen = Wishes(**wishes)
    for target in (chosen.plot, chosen.sheets):
        if target is not None:
            check_folder(target)
    try:
        found, steps = plan(folders, chosen)
        with progress_bar("Measuring", steps) as step:
            for line in lines(make_reader(), found, chosen, load=load_picture, step=step):
                typer.echo(line)
    except BadFolder as error:
        raise BadInput(str(error)) from error


def _measurements(rounds: int) -> Iterator[dict[str, Any]]:
    """Each measurement as what `--json` says about it, as soon as it is made."""
    import resource
    import subprocess
    import sys

    import numpy as np

    from models.synth.stills import make_still
    from vision.reader import Reader

    def start() -> None:
        subprocess.run([sys.executable, "-m", "device", "--help"], check=True, stdout=subprocess.DEVNULL)

    yield {"what": "start-up", **timed(start, 3)}
    reader = Reader(threads=1)
    for width_px, height_px in SIZES_PX:
        side_px = width_px / 20  # as a camera sees dice on a table of 30 cm
        image = make_still(
            np.random.default_rng(SEED),
            width_px=width_px,
            height_px=height_px,
            dice=6,
            size_px=(side_px, side_px),
            max_tilt_deg=10.0,
            cocked_share=0.0,
        ).image
        yield measure_reading(reader, image, rounds)
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield {"what": "memory", "peak_mb": round(peak_kb / 1024)}


def measure_reading(reader: DiceReader, image: Image, rounds: int) -> dict[str, Any]:
    """Time the reading of one picture, after one reading that does not count (it warms up the network)."""
    dice = len(reader.read(image).dice)
    return {
        "what": "read",
        "width_px": image.shape[1],
        "height_px": image.shape[0],
        "dice": dice,
        **timed(lambda: reader.read(image), rounds),
    }


def timed(
    work: Callable[[], object], rounds: int, *, clock_ns: Callable[[], int] | None = None
) -> dict[str, Any]:
    """Do `work` so often and say how long it took: the median and the slowest, in milliseconds."""
    import time
    from statistics import median

    clock_ns = clock_ns or time.perf_counter_ns
    times_ms = []
    for _ in range(rounds):
        began_ns = clock_ns()
        work()
        times_ms.append((clock_ns() - began_ns) / 1e6)
    return {"median_ms": round(median(times_ms), 1), "slowest_ms": round(max(times_ms), 1), "rounds": rounds}


def _line(row: dict[str, Any]) -> str:
    """One measurement for people."""
    if row["what"] == "memory":
        return f"memory      {row['peak_mb']:>9} MB at most"
    name = f"{row['width_px']}x{row['height_px']}" if row["what"] == "read" else row["what"]
    dice = f", {row['dice']} dice found" if "dice" in row else ""
    return (
        f"{name:<12}{row['median_ms']:>9} ms (median of {row['rounds']}, slowest {row['slowest_ms']}{dice})"
    )
