"""What a folder of labelled pictures or clips holds, checked: the input of every measurement.

A folder has a `labels.json`, a list with an object for each picture (docs/measuring.md describes it). Only
`file` and what is on the picture are needed; anything wrong is one sentence that names the entry.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from models.training.data import Label, Photo, photos_of

STATES = ("flat", "cocked", "hidden", "unknown")
BOXES = ("die", "top_face_pips")
PICTURES = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff")


class BadFolder(ValueError):
    """A folder that cannot be measured; the message is one plain sentence."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Frames of a clip in which the same dice lie still."""

    start_frame: int
    """First and last frame, from 0, both included."""
    end_frame: int
    photo: Photo
    """What lies there, as the label of any of the frames; its path is the clip's."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One labelled video."""

    path: Path
    rig: str
    rests: tuple[Rest, ...]
    without_dice: tuple[tuple[int, int], ...]
    """First and last frames of the intervals in which no die lies on the table: empty ones, and ones with
    nothing but a hand."""
    fps: float
    """Frames a second."""


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder to measure."""

    name: str
    kind: Literal["photos", "no dice", "clips"]
    photos: tuple[Photo, ...] = ()
    """The pictures that may be measured: complete, and not augmented by whoever published them."""
    clips: tuple[Clip, ...] = ()


HANDS = {
    "tirada_1.mp4": ((1, 39), (111, 141)),
    "tirada_2.mp4": ((12, 32), (111, 133)),
}
"""Frames of the development clips in which a hand holds all the dice, seen by eye; their labels lack them."""


def open_folder(folder: Path, *, no_dice: bool = False) -> Folder:
    """Read what a folder holds; `no_dice` says that none of its pictures shows a die (no labels are needed).

    Raises:
        BadFolder: if it is no folder, has no labels, they are not what was wanted, or a picture is missing.
    """
    opened = _open(folder, no_dice=no_dice)
    for path in [*(photo.path for photo in opened.photos), *(clip.path for clip in opened.clips)]:
        if not path.is_file():
            raise BadFolder(f"{folder}: labels.json speaks of {path.name}, which is not there")
    return opened


def _open(folder: Path, *, no_dice: bool) -> Folder:
    if not folder.is_dir():
        raise BadFolder(f"{folder} is no folder; wanted a folder with pictures and labels.json")
    labels = folder / "labels.json"
    name = folder.resolve().name
    if no_dice and not labels.exists():
        files = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in PICTURES)
        if not files:
            raise BadFolder(f"the folder {folder} has no pictures ({', '.join(PICTURES)})")
        return Folder(name, "no dice", tuple(_empty(folder, name, file) for file in files))
    rows = _rows(labels)
    if any("rest" in row for row in rows):
        clips = tuple(_clip(folder, name, row, f"{labels}, entry {i}") for i, row in enumerate(rows, 1))
        return Folder(name, "clips", clips=clips)
    if no_dice or all("dice" not in row and "values" not in row and "kind" in row for row in rows):
        files = [_text(row, "file", f"{labels}, entry {i}") for i, row in enumerate(rows, 1)]
        return Folder(name, "no dice", tuple(_empty(folder, name, file) for file in files))
    checked = [_checked(row, f"{labels}, entry {i}") for i, row in enumerate(rows, 1)]
    photos = [photo for photo in photos_of(folder, checked) if photo.measurable]
    if not photos:
        raise BadFolder(f"{labels} has no complete picture that could be measured")
    return Folder(name, "photos", tuple(photos))


def _empty(folder: Path, rig: str, file: str) -> Photo:
    label = Label(np.zeros((0, 4), np.float32), np.zeros(0, np.int64), complete=True)
    return Photo(folder / file, rig, file, label, (), 0, measurable=True)


def _rows(labels: Path) -> list[dict[str, Any]]:
    try:
        rows = json.loads(labels.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BadFolder(
            f"{labels.parent} has no labels.json; write one (docs/measuring.md), "
            "or add --no-dice if no picture in it shows a die"
        ) from error
    except OSError as error:
        raise BadFolder(f"cannot read {labels}: {error.strerror}") from error
    except ValueError as error:
        raise BadFolder(f"{labels} is not JSON: {' '.join(str(error).split())}") from error
    if not isinstance(rows, list) or not rows:
        raise BadFolder(f"{labels} must be a list with an object for each picture, got {_shown(rows)}")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise BadFolder(
                f"{labels}, entry {number}: wanted an object with file and dice, got {_shown(row)}"
            )
    return rows


def _checked(row: dict[str, Any], where: str) -> dict[str, Any]:
    """Return a row with every field that `photos_of` needs."""
    file = _text(row, "file", where)
    where = f"{where} ({file})"
    dice = row.get("dice", [])
    if "dice" not in row and row.get("values") is None:
        raise BadFolder(f"{where}: wanted dice (a list) or values (a list of faces), got neither")
    if dice is not None:
        if not isinstance(dice, list):
            raise BadFolder(f"{where}: dice must be a list, got {_shown(dice)}")
        dice = [_die(die, f"{where}, die {i}") for i, die in enumerate(dice, 1)]
    readable = [
        d["value"] for d in dice or () if d["value"] and d["kind"] == "pip" and d["state"] != "hidden"
    ]
    values = readable if row.get("values") is None else row["values"]
    if not isinstance(values, list) or not all(_is_face(value) for value in values):
        raise BadFolder(f"{where}: values must be a list of faces 1 to 6, got {_shown(values)}")
    complete = row.get("complete", True)
    if not isinstance(complete, bool):
        raise BadFolder(f"{where}: complete must be true or false, got {_shown(complete)}")
    return {**row, "dice": dice, "values": values, "complete": complete, "group": row.get("group", file)}


def _die(die: object, where: str) -> dict[str, Any]:
    if not isinstance(die, dict):
        raise BadFolder(f"{where}: wanted an object with box_px and value, got {_shown(die)}")
    box = die.get("box_px")
    if not isinstance(box, list) or len(box) != 4 or not all(_is_number(v) for v in box) or min(box[2:]) <= 0:
        raise BadFolder(f"{where}: box_px must be [x, y, width, height] in pixels, got {_shown(box)}")
    value = die.get("value")
    if value is not None and not _is_face(value):
        raise BadFolder(f"{where}: value must be 1 to 6, or null where nobody can tell, got {_shown(value)}")
    state, box_is = die.get("state", "unknown"), die.get("box_is", "die")
    if state not in STATES:
        raise BadFolder(f"{where}: state must be one of {', '.join(STATES)}, got {_shown(state)}")
    if box_is not in BOXES:
        raise BadFolder(f"{where}: box_is must be one of {', '.join(BOXES)}, got {_shown(box_is)}")
    return {**die, "value": value, "state": state, "kind": die.get("kind", "pip"), "box_is": box_is}


def _clip(folder: Path, rig: str, row: dict[str, Any], where: str) -> Clip:
    file = _text(row, "file", where)
    where = f"{where} ({file})"
    rests = row.get("rest", [])
    if not isinstance(rests, list):
        raise BadFolder(f"{where}: rest must be a list, got {_shown(rests)}")
    out = []
    for number, rest in enumerate(rests, 1):
        here = f"{where}, rest {number}"
        if not isinstance(rest, dict):
            raise BadFolder(
                f"{here}: wanted an object with start_frame, end_frame and values, got {_shown(rest)}"
            )
        first, last = _interval([rest.get("start_frame"), rest.get("end_frame")], here)
        values = rest.get("values")
        if not isinstance(values, list):
            raise BadFolder(f"{here}: values must be a list of faces 1 to 6, got {_shown(values)}")
        boxes = rest.get("boxes_px", [])
        if boxes and (not isinstance(boxes, list) or len(boxes) != len(values)):
            raise BadFolder(f"{here}: boxes_px must hold a box for each of the {len(values)} values")
        pairs = zip(boxes, values, strict=True) if boxes else ()
        dice = [{"box_px": box, "value": value} for box, value in pairs]
        label = {"file": file, "dice": dice, "values": values}
        (photo,) = photos_of(folder, [_checked(label, here)])
        out.append(Rest(first, last, photo))
    intervals = [*row.get("empty", []), *row.get("hand", HANDS.get(file, ()))]
    empty = tuple(_interval(pair, f"{where}, empty") for pair in intervals)
    fps = row.get("fps", 30.0)
    if not _is_number(fps) or fps <= 0:
        raise BadFolder(f"{where}: fps must be a number above 0, got {_shown(fps)}")
    return Clip(folder / file, rig, tuple(out), empty, float(fps))


def _interval(pair: object, where: str) -> tuple[int, int]:
    ends = list(pair) if isinstance(pair, list | tuple) else []
    if len(ends) != 2 or not all(type(end) is int for end in ends) or not 0 <= ends[0] <= ends[1]:
        raise BadFolder(f"{where}: wanted the first and the last frame, counted from 0, got {_shown(pair)}")
    return ends[0], ends[1]


def _text(row: dict[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value:
        raise BadFolder(
            f"{where}: {key} must be the name of a picture or clip in the folder, got {_shown(value)}"
        )
    return value


def _is_face(value: object) -> bool:
    return type(value) is int and 1 <= value <= 6


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))


def _shown(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def evenly(photos: Sequence[Photo], most: int | None) -> list[Photo]:
    """Return at most `most` of the pictures, evenly chosen; all of them for None."""
    if not most or len(photos) <= most:
        return list(photos)
    return [photos[i * len(photos) // most] for i in range(most)]
