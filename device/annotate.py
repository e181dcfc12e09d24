"""Draws what the reader saw onto a picture: a box and a value for each die, legible at any size.

Sure, unsure and cocked dice differ in shape as well as in colour, and the colours (Okabe and Ito 2008) are
told apart by colour-blind eyes: a full blue box with the value, a dashed orange box with `?`, a crossed-out
magenta box with `X`. Every line has a dark edge, so that it shows on light and on dark tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from device.errors import BadInput
from vision.detection import Detection, DieState, Reading
from vision.frame import Image, check_image

_Box = tuple[int, int, int, int]

_BLACK = (0, 0, 0)
_WHITE = (255, 255, 255)
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_FONT_HEIGHT = 22.0
"""Height in pixels of a digit of the Hershey font at scale 1."""
_MIN_TEXT_PX = 11.0
"""Below this a digit cannot be told from another."""


@dataclass(frozen=True, slots=True)
class _Style:
    """How the mark of one kind of die looks; colours are BGR."""

    colour: tuple[int, int, int]
    ink: tuple[int, int, int]
    dashed: bool
    crossed: bool


_SURE = _Style(colour=(178, 114, 0), ink=_WHITE, dashed=False, crossed=False)
_UNSURE = _Style(colour=(0, 159, 230), ink=_BLACK, dashed=True, crossed=False)
_COCKED = _Style(colour=(167, 121, 204), ink=_BLACK, dashed=False, crossed=True)


def style_and_text(die: Detection) -> tuple[_Style, str]:
    """The look and the label of one die: its value when sure, `?` when not, `X` when it is cocked."""
    if die.state is DieState.COCKED:
        return _COCKED, "X"
    if die.sure and die.value is not None:
        return _SURE, str(die.value)
    return _UNSURE, "?"


def annotate(image: Image, reading: Reading) -> Image:
    """Return a copy of `image`, a (H, W, 3) uint8 BGR picture, with every die of `reading` marked.

    Raises:
        BadImage: when `image` is not such a picture.
    """
    canvas = check_image(image).copy()
    boxes = [_corners(die) for die in reading.dice]
    for die, box in zip(reading.dice, boxes, strict=True):
        _draw_box(canvas, box, style_and_text(die)[0], _line_px(die))
    taken: list[_Box] = []
    for index, die in enumerate(reading.dice):
        others = boxes[:index] + boxes[index + 1 :] + taken
        taken.append(_draw_label(canvas, die, boxes[index], others))
    return canvas


def encode(image: Image, suffix: str) -> bytes:
    """The bytes of a picture file; `suffix` is `.png` or one of a JPEG (`.jpg`, `.jpeg`, ...).

    Raises:
        BadInput: when the picture is larger than the format can hold.
    """
    jpeg = suffix.lower() != ".png"
    settings = [cv2.IMWRITE_JPEG_QUALITY, 92] if jpeg else [cv2.IMWRITE_PNG_COMPRESSION, 3]
    try:
        done, data = cv2.imencode(".jpg" if jpeg else ".png", image, settings)
    except cv2.error:
        done, data = False, np.empty(0, np.uint8)
    if not done:
        height, width = image.shape[:2]
        raise BadInput(f"a picture of {width}x{height} pixels does not fit into a {suffix} file")
    return data.tobytes()


def _corners(die: Detection) -> _Box:
    """(left, top, right, bottom) in whole pixels of the line around a die, drawn just outside its box."""
    x, y, width, height = die.box_px
    out = _line_px(die)
    return round(x) - out, round(y) - out, round(x + width) + out, round(y + height) + out


def _line_px(die: Detection) -> int:
    """Width of the box lines: a sixteenth of the die, at least one pixel."""
    return max(1, round(die.size_px / 16))


def _draw_box(canvas: Image, box: _Box, style: _Style, line_px: int) -> None:
    left, top, right, bottom = box
    edges = [
        ((left, top), (right, top)),
        ((right, top), (right, bottom)),
        ((right, bottom), (left, bottom)),
        ((left, bottom), (left, top)),
    ]
    if style.dashed:
        edges = [dash for edge in edges for dash in _dashes(*edge, period_px=6 * line_px)]
    if style.crossed:
        edges += [((left, top), (right, bottom)), ((right, top), (left, bottom))]
    edge_px = line_px + 2 * max(1, line_px // 3)
    for colour, width in ((_BLACK, edge_px), (style.colour, line_px)):
        for start, end in edges:
            cv2.line(canvas, start, end, colour, width, cv2.LINE_AA)


def _dashes(
    start: tuple[int, int], end: tuple[int, int], *, period_px: int
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Cut a line into dashes that fill 60 % of about `period_px` each, beginning and ending with one."""
    (x0, y0), (x1, y1) = start, end
    length = float(np.hypot(x1 - x0, y1 - y0))
    count = max(2, round(length / max(period_px, 1)))
    dash = 0.6 / count
    starts = np.linspace(0.0, 1.0 - dash, count)

    def at(share: float) -> tuple[int, int]:
        return round(x0 + share * (x1 - x0)), round(y0 + share * (y1 - y0))

    return [(at(float(s)), at(float(s) + dash)) for s in starts]


def _draw_label(canvas: Image, die: Detection, box: _Box, others: Sequence[_Box]) -> _Box:
    """Write the label of a die on a plate beside its box, where it hides least; returns the plate's box."""
    style, text = style_and_text(die)
    scale = max(0.45 * die.size_px, _MIN_TEXT_PX) / _FONT_HEIGHT
    stroke_px = max(1, round(2.2 * scale))
    (text_w, text_h), _ = cv2.getTextSize(text, _FONT, scale, stroke_px)
    pad = max(2, round(0.25 * text_h))
    plate_w, plate_h = text_w + 2 * pad, text_h + 2 * pad
    x, y = _place(plate_w, plate_h, box, others, canvas.shape[1], canvas.shape[0])
    plate = (x, y, x + plate_w, y + plate_h)
    cv2.rectangle(canvas, plate[:2], plate[2:], style.colour, cv2.FILLED)
    cv2.rectangle(canvas, plate[:2], plate[2:], _BLACK, max(1, _line_px(die) // 2), cv2.LINE_AA)
    origin = (x + pad, y + pad + text_h)
    cv2.putText(canvas, text, origin, _FONT, scale, style.ink, stroke_px, cv2.LINE_AA)
    return plate


def _place(
    plate_w: int, plate_h: int, box: _Box, others: Sequence[_Box], width_px: int, height_px: int
) -> tuple[int, int]:
    """Top left corner of a label: above, below, right or left of its die, wherever least is covered.

    A place that leaves the picture is moved into it, where it then covers its own die.
    """
    left, top, right, bottom = box
    places = (
        (left, top - plate_h),
        (left, bottom),
        (right, top),
        (left - plate_w, top),
    )
    best, least = (left, top), float("inf")
    for x, y in places:
        x = min(max(x, 0), max(width_px - plate_w - 1, 0))
        y = min(max(y, 0), max(height_px - plate_h - 1, 0))
        plate = (x, y, x + plate_w, y + plate_h)
        hidden = float(sum(_overlap_px(plate, other) for other in others) + _overlap_px(plate, box))
        if hidden < least:
            best, least = (x, y), hidden
    return best


def _overlap_px(one: _Box, other: _Box) -> int:
    """Area that two boxes share, in square pixels."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0) * max(height, 0)
