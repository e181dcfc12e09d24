"""Contact sheets of what went wrong: one PNG for each kind of failure, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

from models.training.tally import KINDS, Failure
from vision.frame import Image

TILE_PX = 176
CAPTION_PX = 34
COLUMNS = 8
MOST = 64
"""Failures shown on one sheet."""
AROUND = 3.0
"""How much of the picture a tile shows, in sizes of the die."""

Load = Callable[[Path, int | None], Image]
"""Returns the pixels of a picture, or of a frame of a clip."""


def contact_sheets(failures: Sequence[Failure], folder: Path, name: str, load: Load) -> list[Path]:
    """Write `NAME-KIND.png` into `folder` for each kind of failure there is; returns what was written.

    The worst come first: what was shown as sure, then what was shown with most confidence.
    """
    written = []
    for kind in KINDS:
        worst = sorted(
            (failure for failure in failures if failure.kind == kind),
            key=lambda failure: (not failure.sure, -failure.confidence, str(failure.file)),
        )[:MOST]
        if worst:
            path = folder / f"{name}-{kind.replace(' ', '-')}.png"
            write_file(path, contact_sheet(worst, load))
            written.append(path)
    return written


def contact_sheet(failures: Sequence[Failure], load: Load) -> Image:
    """Draw the dice of these failures, each in its surroundings, with what was read and what is true.

    Returns a (H, W, 3) uint8 BGR picture with `COLUMNS` tiles a row.
    """
    tiles = [tile(failure, load(failure.file, failure.frame)) for failure in failures]
    blank = np.full_like(tiles[0], 255)
    tiles += [blank] * (-len(tiles) % COLUMNS if len(tiles) > COLUMNS else 0)
    width = min(COLUMNS, len(tiles))
    return np.vstack([np.hstack(tiles[i : i + width]) for i in range(0, len(tiles), width)])


def tile(failure: Failure, image: Image) -> Image:
    """Draw one failure: (TILE_PX + CAPTION_PX, TILE_PX, 3)."""
    x, y, width, height = failure.box_px
    side = AROUND * max(width, height)
    scale = TILE_PX / side
    left, top = x + width / 2 - side / 2, y + height / 2 - side / 2
    while scale < 0.5:  # halve first, or fine patterns alias
        image = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        left, top, scale = left / 2, top / 2, scale * 2
        x, y, width, height = x / 2, y / 2, width / 2, height / 2
    matrix = np.array([[scale, 0, -left * scale], [0, scale, -top * scale]])
    seen = cv2.warpAffine(
        image,
        matrix,
        (TILE_PX, TILE_PX),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(128, 128, 128),
    )
    corner = (round((x - left) * scale), round((y - top) * scale))
    other = (round((x + width - left) * scale), round((y + height - top) * scale))
    cv2.rectangle(seen, corner, other, (0, 0, 0), 3)
    cv2.rectangle(seen, corner, other, (0, 0, 255) if failure.sure else (0, 200, 255), 1)
    out = np.full((TILE_PX + CAPTION_PX, TILE_PX, 3), 255, np.uint8)
    out[:TILE_PX] = seen
    out[:, -1] = 255
    frame = "" if failure.frame is None else f" #{failure.frame}"
    _write(out, (failure.file.stem[-22 + len(frame) :] + frame), TILE_PX + 13)
    _write(out, failure.text, TILE_PX + 28)
    return out


def _write(canvas: Image, text: str, y: int) -> None:
    cv2.putText(canvas, text, (3, y), cv2.FONT_HERSHEY_SIMPLEX, 0.38, (0, 0, 0), 1, cv2.LINE_AA)


def write_file(path: Path, image: Image) -> None:
    """Write a picture wholly or not at all, in the format that the name says.

    Raises:
        OSError: if the folder cannot be made or written to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.part")
    partial.write_bytes(cv2.imencode(path.suffix, image)[1].tobytes())
    partial.replace(path)
