"""Labelled photographs for training and measuring, read from folders of pictures with a `labels.json`.

One folder is one rig: one camera, one table, one set of dice. Pictures of the same throw share a
`group`; a split never cuts through a group, and a fair figure leaves a whole rig out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

TRAIN_RIGS = (
    "nell_byler",
    "trays_colour",
    "trays_grey",
    "desk_white",
    "catan_mixed",
    "raking_light",
    "heap_mixed",
    "floor_two",
)
"""The rigs whose licence permits training; every other rig is for measuring only."""

COCKED = 7
"""Class of a die that lies on no face."""
UNKNOWN = 0
"""Class of a die whose face nobody could read: it is a die, and any face may be right."""
IGNORE = -1
"""Class of a die so hidden that finding it is neither asked for nor punished."""

CORRECTED = {
    ("nell_byler", "IMG_20191209_100002.jpg", 135, 360): 3,
    ("nell_byler", "IMG_20191209_095954.jpg", 240, 338): 3,
    ("nell_byler", "IMG_20191209_095555.jpg", 161, 264): 6,
    ("nell_byler", "IMG_20191209_100722.jpg", 433, 438): 5,
    ("nell_byler", "IMG_20191208_112342.jpg", 316, 481): 3,
    ("trays_colour", "PXL_20240219_191153969.jpg", 206, 241): 2,
    ("trays_colour", "PXL_20240219_192240931.jpg", 174, 380): 4,
    ("trays_colour", "PXL_20240219_192137038.jpg", 395, 434): 3,
    ("trays_colour", "PXL_20240219_192405902.jpg", 415, 158): 3,
    ("trays_colour", "PXL_20240219_192342359.jpg", 300, 292): 4,
    ("trays_colour", "PXL_20240219_192009089.jpg", 207, 334): 3,
    ("trays_grey", "00077_1.jpg", 64, 236): 5,
    ("trays_grey", "00075_0.jpg", 411, 208): 1,
    ("trays_grey", "00076_0.jpg", 391, 349): 4,
    ("desk_white", "valid_56.jpg", 473, 273): 1,
}
"""Wrong upstream values found by eye: (rig, file, x, y of a point in the die) -> the value seen."""
INCOMPLETE = {
    ("catan_mixed", "dice_431.jpg"),
    ("catan_mixed", "dice_272.jpg"),
    ("catan_mixed", "dice_139.jpg"),
    ("nell_byler", "IMG_20191208_112623.jpg"),
    ("trays_grey", "00129_2.jpg"),
}
"""Pictures that show dice without a box, found by eye."""


SLANTED = ("dice359",)
"""Sessions whose pictures were all taken from 45 degrees or lower."""


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """The dice of one picture."""

    boxes: NDArray[np.float32]
    """(N, 4) x, y, width, height in pixels of the picture."""
    classes: NDArray[np.int64]
    """(N,) 1..6 for the top face, `COCKED`, or `UNKNOWN`."""
    complete: bool
    """Whether every die in the picture has a box; if not, what lies outside the boxes teaches nothing."""
    upright: bool = False
    """Whether the picture's top must stay up: seen at a slant, a turned side face passes for the top."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """One labelled picture on disk."""

    path: Path
    rig: str
    group: str
    label: Label
    values: tuple[int, ...]
    """Sorted readable values of the pip dice."""
    cocked: int
    """How many dice are labelled as cocked."""
    measurable: bool
    """Whether a figure may be counted on it: complete, and not augmented by whoever published it."""

    def load(self) -> Image:
        """Read the pixels: (H, W, 3) uint8 BGR.

        Raises:
            FileNotFoundError: if the picture is not there or cannot be decoded.
        """
        image = cv2.imread(str(self.path), cv2.IMREAD_COLOR)
        if image is None:
            raise FileNotFoundError(f"cannot read the picture {self.path}")
        return np.asarray(image, dtype=np.uint8)


def load_rig(folder: Path) -> list[Photo]:
    """Read every labelled picture of one rig, in the order of its `labels.json`.

    Raises:
        FileNotFoundError: if the folder has no `labels.json`.
    """
    return photos_of(folder, json.loads((folder / "labels.json").read_text(encoding="utf-8")))


def photos_of(folder: Path, rows: Iterable[dict[str, Any]]) -> list[Photo]:
    """Turn the objects of a `labels.json` into pictures; those whose `dice` is null were not labelled."""
    return [_photo(folder, row) for row in rows if row["dice"] is not None]


def load_rigs(root: Path, rigs: Iterable[str]) -> list[Photo]:
    """Read several rigs below `root`."""
    return [photo for rig in rigs for photo in load_rig(root / rig)]


def in_holdout(group: str, *, fifths: int = 1) -> bool:
    """Whether a group belongs to the held-out part (`fifths` of five), by a hash of its name.

    The hash makes the split the same on every machine and in every order.
    """
    return int(hashlib.sha256(group.encode()).hexdigest(), 16) % 5 < fifths


def _photo(folder: Path, row: dict[str, Any]) -> Photo:
    pips = [die for die in row["dice"] if die["kind"] == "pip"]
    boxes = np.array([die["box_px"] for die in pips], np.float32).reshape(-1, 4)
    classes = np.array([_class_of(die) for die in pips], np.int64)
    values = sorted(int(v) for v in row["values"])
    for (rig, file, x, y), value in CORRECTED.items():
        if (rig, file) == (folder.name, row["file"]):
            inside = np.abs(boxes[:, :2] + boxes[:, 2:] / 2 - (x, y)) < boxes[:, 2:] / 2
            which = int(np.flatnonzero(inside.all(axis=1))[0])
            values.remove(int(classes[which]))
            values.append(value)
            classes[which] = value
    if any(die["box_is"] == "top_face_pips" for die in pips):
        boxes = _grow_pip_boxes(boxes, classes)
    complete = bool(row["complete"]) and (folder.name, row["file"]) not in INCOMPLETE
    return Photo(
        path=folder / row["file"],
        rig=folder.name,
        group=row["group"],
        label=Label(
            boxes, classes, complete, upright=bool(row.get("upright", row.get("session") in SLANTED))
        ),
        values=tuple(sorted(values)),
        cocked=int((classes == COCKED).sum()),
        measurable=complete and not row.get("augmented", False),
    )


def _class_of(die: dict[str, Any]) -> int:
    if die["state"] == "hidden":
        return IGNORE
    if die["state"] == "cocked":
        return COCKED
    return UNKNOWN if die["value"] is None else int(die["value"])


DESK_WHITE_PX = 78.0
"""Median size of a die as seen in the pictures of the one rig whose boxes are those of pips."""


def _grow_pip_boxes(boxes: NDArray[np.float32], classes: NDArray[np.int64]) -> NDArray[np.float32]:
    """Turn boxes around the pips of the top face into boxes of the size of the whole die.

    The pips of a 4, 5 or 6 span about 0.62 of the face, a 2 or 3 the same along its diagonal; the box of
    a 1 says nothing. All dice of such a picture have one size, so the median of the others serves.
    The die as seen (with its sides) is about 1.25 faces wide.
    """
    sides: list[float] = []
    for (_, _, width, height), face in zip(boxes, classes, strict=True):
        if face >= 4:
            sides.append(max(width, height) / 0.70)
        elif face in (2, 3):
            sides.append(float(np.hypot(width, height)) / 0.88)
    side = 1.25 * float(np.median(sides)) if sides else DESK_WHITE_PX
    centres = boxes[:, :2] + boxes[:, 2:] / 2
    return np.concatenate([centres - side / 2, np.full_like(centres, side)], axis=1).astype(np.float32)


def single_die_crops(folder: Path, *, box_fraction: float) -> list[Photo]:
    """Read a folder of crops (`labels.json`: file -> value), each showing one die.

    `box_fraction` is the share of the crop's side that the die takes. What surrounds the crop is unknown,
    so the picture is not complete.
    """
    photos: list[Photo] = []
    for file, value in json.loads((folder / "labels.json").read_text(encoding="utf-8")).items():
        header = cv2.imread(str(folder / file), cv2.IMREAD_COLOR)
        if header is None:
            continue
        height, width = header.shape[:2]
        box = (
            width * (1 - box_fraction) / 2,
            height * (1 - box_fraction) / 2,
            width * box_fraction,
            height * box_fraction,
        )
        label = Label(np.array([box], np.float32), np.array([value], np.int64), complete=False)
        photos.append(Photo(folder / file, folder.name, file, label, (int(value),), 0, measurable=False))
    return photos


def negatives(folder: Path) -> list[Photo]:
    """Read the train-permitted pictures without any pip die (`labels.json`: list of file, use, kind)."""
    empty = Label(np.zeros((0, 4), np.float32), np.zeros(0, np.int64), complete=True)
    photos: list[Photo] = []
    for row in json.loads((folder / "labels.json").read_text(encoding="utf-8")):
        if row["use"] == "train":
            photos.append(
                Photo(folder / row["file"], f"negatives/{row['kind']}", row["file"], empty, (), 0, True)
            )
    return photos


def split(photos: Sequence[Photo]) -> tuple[list[Photo], list[Photo]]:
    """Split into (training, held-out fifth) by group."""
    train = [photo for photo in photos if not in_holdout(photo.group)]
    held = [photo for photo in photos if in_holdout(photo.group)]
    return train, held
