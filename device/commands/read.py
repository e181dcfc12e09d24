"""`croupier read`: the dice of pictures."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from vision.detection import DiceReader, Reading
    from vision.frame import Image


def read(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="Picture files, or folders of pictures.", show_default=False),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a picture, one a line.")] = False,
    annotate: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Also write the pictures with boxes and values to DIR.", show_default=False
        ),
    ] = None,
) -> None:
    """Read the dice of photographs.

    Works on any photograph from above and finds the size of the dice by itself. A die that cannot be read
    for certain is shown as ? and a cocked one as cocked: neither is guessed.

    Example: croupier read table.jpg photos/ --json --annotate marked/
    """
    read_pictures(paths, as_json=as_json, annotate_to=annotate, make_reader=_open_reader)


def _open_reader() -> DiceReader:
    """The real reader; imported when the first good picture is there, since its network takes a while."""
    from vision.reader import Reader

    return Reader()


def read_pictures(
    paths: Sequence[Path], *, as_json: bool, annotate_to: Path | None, make_reader: Callable[[], DiceReader]
) -> None:
    """Do the work of `croupier read`, with any reader.

    Each picture is reported as soon as it is read. One that cannot be read is reported too, and the others
    go on; `elapsed_ms` is the time for finding and reading the dice of the loaded picture.

    Raises:
        BadInput: at once when `annotate_to` cannot be used, at the end when a picture could not be read.
        WeightsMissing: when there is no network to read with.
    """
    from time import perf_counter

    from device.errors import BadInput
    from device.pictures import expand, load_picture
    from device.progress import progress_bar
    from device.readings import reading_as_dict, reading_as_line
    from vision.errors import BadImage

    entries = expand(paths)
    targets = annotated_paths([path for path, _ in entries], annotate_to)
    name_width = max(len(str(path)) for path, _ in entries)
    reader: DiceReader | None = None
    faults: list[str] = []
    with progress_bar("Reading pictures", len(entries)) as step:
        for (path, error), target in zip(entries, targets, strict=True):
            try:
                if error is not None:
                    raise error
                image = load_picture(path)
                reader = reader or make_reader()
                began = perf_counter()
                reading = reader.read(image)
                elapsed_ms = (perf_counter() - began) * 1000
            except (BadInput, BadImage) as fault:
                faults.append(str(fault) if isinstance(fault, BadInput) else f"{path}: {fault}")
                if as_json:
                    _echo_json({"file": str(path), "error": faults[-1]})
                elif len(entries) > 1:  # the fault of a single picture is what the command ends with
                    typer.echo(faults[-1], err=True)
            else:
                if as_json:
                    _echo_json(reading_as_dict(path, image.shape, reading, elapsed_ms))
                else:
                    typer.echo(reading_as_line(path, reading, name_width=name_width))
                if target is not None:
                    _write_annotated(target, image, reading)
            step()
    if faults:
        raise BadInput(
            faults[0]
            if len(entries) == 1
            else f"{len(faults)} of {len(entries)} pictures could not be read; the reasons stand above"
        )


def _write_annotated(target: Path, image: Image, reading: Reading) -> None:
    from device.annotate import annotate, encode
    from device.atomic import write_bytes

    write_bytes(target, encode(annotate(image, reading), target.suffix))


def _echo_json(answer: dict[str, Any]) -> None:
    import json

    typer.echo(json.dumps(answer, allow_nan=False))


def annotated_paths(pictures: Sequence[Path], folder: Path | None) -> list[Path | None]:
    """Where the annotated copy of each picture goes: its own name, made unique with -2, -3, ...

    A JPEG stays one, everything else becomes PNG. None for each picture when no copies are wanted.

    Raises:
        BadInput: when the folder cannot be written to, or holds pictures that are to be read: the copies
            would replace them.
    """
    from device.atomic import check_folder
    from device.errors import BadInput

    if folder is None:
        return [None] * len(pictures)
    home = folder.resolve()
    for picture in pictures:
        if os.path.isfile(picture) and picture.parent.resolve() == home:
            raise BadInput(
                f"{folder} holds {picture.name}, which is to be read and would be overwritten; "
                "annotate to another folder"
            )
    check_folder(folder)
    targets: list[Path | None] = []
    taken: set[str] = set()
    for picture in pictures:
        stem, suffix = picture.stem, picture.suffix
        if suffix.lower() not in (".jpg", ".jpeg", ".jpe", ".jfif", ".png"):
            stem, suffix = picture.name, ".png"
        name, number = f"{stem}{suffix}", 1
        while name.casefold() in taken:  # some disks do not tell A.jpg from a.jpg
            number += 1
            name = f"{stem}-{number}{suffix}"
        taken.add(name.casefold())
        targets.append(folder / name)
    return targets
