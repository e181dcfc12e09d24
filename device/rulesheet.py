"""A table's rules on one printed page: what scores, with dice to look at, and how the game goes.

A PDF holds real text and lines, small and searchable; a PNG is the same page as a picture of A4 at 300 dots
an inch. Text is made as large as the page allows, so that any rules fill it and none run over.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from device.displays.palette import Colour
from device.displays.text import BoxPx
from device.sheetpens import DPI, PAGE_PX, PdfPen, PicturePen, SheetPen
from scorer.rulebook import Language, Row, Section, phrase, scoring_rows, sections, settings_that_differ
from scorer.rules import Rules

_MARGIN = 170
_GAP = 110
"""Between the columns."""
_LEFT_SHARE = 0.54
"""What of the width the table of points takes."""

_INK: Colour = (24, 28, 33)
_QUIET: Colour = (92, 100, 112)
_LINE: Colour = (205, 210, 216)
_BAND: Colour = (0, 84, 66)
_ON_BAND: Colour = (255, 255, 255)
_QUIET_ON_BAND: Colour = (196, 226, 216)
_OWN: Colour = (196, 78, 0)
"""Marks the rules that this table plays otherwise; dark enough to be seen when printed grey."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What stands on the page."""

    title: str
    """The name of the rules."""
    about: str
    """One sentence under it; may be empty."""
    rules: Rules
    """The rules."""
    usual: Rules
    """The rules of the preset from which this table's differ; the same where nothing differs."""
    language: Language
    """The language of the page."""

    @property
    def changed(self) -> frozenset[str]:
        """The settings that this table plays otherwise."""
        return settings_that_differ(self.rules, self.usual)


def draw_sheet(sheet: Sheet) -> Image.Image:
    """Return the page as a picture, RGB, `PAGE_PX` wide and high."""
    pen = PicturePen()
    _draw(pen, sheet)
    return pen.page


def sheet_bytes(sheet: Sheet, kind: str) -> bytes:
    """Return the page as the bytes of a file; `kind` is `.pdf` or `.png`.

    A title in letters that the fonts of every PDF viewer lack (Greek, say) makes the PDF a picture.
    """
    if kind == ".pdf":
        from calibration.errors import CalibrationError

        pen = PdfPen()
        try:
            _draw(pen, sheet)
            return pen.data()
        except CalibrationError:
            pass
    out = io.BytesIO()
    page = draw_sheet(sheet)
    if kind == ".png":
        page.save(out, format="PNG", dpi=(DPI, DPI), optimize=True)
    else:
        page.save(out, format="PDF", resolution=DPI, quality=92, title="Croupier")
    return out.getvalue()


def write_sheet(sheet: Sheet, path: Path) -> None:
    """Draw the page and write it, wholly or not at all.

    Raises:
        BadInput: the file cannot be written, or its name ends neither in .pdf nor in .png.
    """
    from device.atomic import write_bytes
    from device.errors import BadInput

    kind = path.suffix.lower()
    if kind not in (".pdf", ".png"):
        raise BadInput(f"the rule sheet {path} must end in .pdf or .png; give another name")
    if path.is_dir():
        raise BadInput(f"{path} is a folder; give the name of a file in it")
    write_bytes(path, sheet_bytes(sheet, kind))


def _draw(pen: SheetPen, sheet: Sheet) -> None:
    """Draw the page."""
    width, height = PAGE_PX
    band = _draw_band(pen, sheet)
    top, bottom = band + 110, height - 190
    left_width = round((width - 2 * _MARGIN - _GAP) * _LEFT_SHARE)
    right_x = _MARGIN + left_width + _GAP
    _draw_table(pen, sheet, (_MARGIN, top, left_width, bottom - top))
    _draw_sections(pen, sheet, (right_x, top, width - _MARGIN - right_x, bottom - top))
    _draw_foot(pen, sheet)


def _draw_band(pen: SheetPen, sheet: Sheet) -> int:
    """Draw title and dice over the whole width; return where the band ends."""
    width, height = PAGE_PX[0], 540 if sheet.about else 440
    pen.box((0, 0, width, height), _BAND)
    side = 170
    shown = (1, 5, 6) if sheet.rules.dice == 6 else (1, 3, 5)
    for index, face in enumerate(shown):
        x = width - _MARGIN - (3 - index) * (side + 48) + 45
        pen.die(face, (x, 165 + (0, 44, -8)[index]), side, degrees=(8, -6, 11)[index])
    room = width - 2 * _MARGIN - 3 * (side + 48) - 60
    small = phrase("title", sheet.language)
    pen.text(small, (_MARGIN, 80, room, 60), fill=_QUIET_ON_BAND, size=_fit(pen, small, 58, room))
    title = _cut(pen, sheet.title, 60, room)
    size = _fit(pen, title, 165, room)
    pen.text(title, (_MARGIN, 190, room, 130), fill=_ON_BAND, bold=True, size=size)
    room = width - 2 * _MARGIN
    size = _largest(lambda each: len(_wrapped(pen, sheet.about, each, room)) < 2, 40, 54)
    for index, line in enumerate(_wrapped(pen, sheet.about, size, room)[:2]):
        pen.text(line, (_MARGIN, 388 + index * 72, room, 60), fill=_QUIET_ON_BAND, size=size)
    return height


def _draw_table(pen: SheetPen, sheet: Sheet, box: BoxPx) -> None:
    """Draw the table of what scores."""
    x, y, width, height = box
    y += _draw_head(pen, phrase("scores", sheet.language), (x, y, width, 84), 66)
    rows = scoring_rows(sheet.rules, sheet.language, sheet.usual)
    step = min(236, (box[1] + height - y) // len(rows))
    side = min(104, round(step * 0.46))
    label_size = max(24, min(50, round(step * 0.28)))
    for index, row in enumerate(rows):
        _draw_row(pen, sheet, row, (x, y + index * step, width, step), side, label_size)


def _draw_row(pen: SheetPen, sheet: Sheet, row: Row, box: BoxPx, side: int, size: int) -> None:
    """Draw one line of the table: the name over its dice, the points at the right."""
    x, y, width, height = box
    own = _is_own(row.settings, sheet.changed)
    pen.line((x, y + height - 1), (x + width, y + height - 1), _LINE, 3)
    points_size = round(size * (1.7 if row.points.isdigit() else 1.25))
    points_width = pen.width(row.points, points_size, bold=True) + 10
    words_width = width - points_width - 30
    label = row.label if not row.note else f"{row.label} ({row.note})"
    text_y = y + round(height * 0.09)
    fitting = _fit(pen, label, size, words_width)
    pen.text(label, (x, text_y, words_width, round(size * 1.1)), fill=_INK, size=fitting)
    for index, face in enumerate(row.dice):
        pen.die(face, (x + index * round(side * 1.1), y + height - side - round(height * 0.1)), side)
    spot = (x + width - points_width, y, points_width, height)
    pen.text(row.points, spot, fill=_OWN if own else _INK, align="right", bold=True, size=points_size)
    if own:
        _draw_mark(pen, x - 62, y + height // 2)


def _draw_sections(pen: SheetPen, sheet: Sheet, box: BoxPx) -> None:
    """Draw the rules in sentences, as large as they all fit."""
    x, y, width, height = box
    found = sections(sheet.rules, sheet.language, sheet.changed)
    size = _largest(lambda size: _sections_height(pen, found, size, width) <= height, 30, 62)
    for section in found:
        y += _draw_head(pen, section.head, (x, y, width, 84), round(size * 1.25))
        for sentence in section.sentences:
            lines = _wrapped(pen, sentence.text, size, width)
            if _is_own(sentence.settings, sheet.changed):
                _draw_mark(pen, x - 58, y + round(size * 0.6))
            for line in lines:
                pen.text(line, (x, y, width, round(size * 1.2)), fill=_INK, size=size)
                y += round(size * 1.36)
            y += round(size * 0.42)
        y += round(size * 0.75)


def _sections_height(pen: SheetPen, found: Sequence[Section], size: int, width: int) -> int:
    """Return how high all sections are at this size of text."""
    total = 0
    for section in found:
        total += _head_height(round(size * 1.25)) + round(size * 0.75)
        for sentence in section.sentences:
            total += len(_wrapped(pen, sentence.text, size, width)) * round(size * 1.36) + round(size * 0.42)
    return total


def _head_height(size: int) -> int:
    return round(size * 1.75)


def _draw_head(pen: SheetPen, text: str, box: BoxPx, size: int) -> int:
    """Draw a heading with a line under it; return how much height it takes."""
    x, y, width, _ = box
    pen.text(text, (x, y, width, size), fill=_BAND, bold=True, size=_fit(pen, text, size, width))
    line_y = y + round(size * 1.25)
    pen.line((x, line_y), (x + width, line_y), _BAND, 7)
    return _head_height(size)


def _draw_foot(pen: SheetPen, sheet: Sheet) -> None:
    """Say what the marks mean, where there are any."""
    y = PAGE_PX[1] - 130
    if sheet.changed:
        _draw_mark(pen, _MARGIN, y + 20)
        text = phrase("changed", sheet.language)
        pen.text(text, (_MARGIN + 48, y, 1500, 40), fill=_QUIET, size=42)
    pen.text("Croupier", (_MARGIN, y, PAGE_PX[0] - 2 * _MARGIN, 40), fill=_QUIET, align="right", size=42)


def _draw_mark(pen: SheetPen, x: int, middle_y: int) -> None:
    """Draw the mark of a rule of the table's own: a filled diamond, so that colour is not needed."""
    half = 19
    corners = (
        (x, middle_y),
        (x + half, middle_y - half),
        (x + 2 * half, middle_y),
        (x + half, middle_y + half),
    )
    pen.polygon(corners, _OWN)


def _is_own(settings: Sequence[str], changed: frozenset[str]) -> bool:
    return not changed.isdisjoint(settings)


def _wrapped(pen: SheetPen, text: str, size: int, width: int) -> tuple[str, ...]:
    """Return a text broken between words into lines of at most this width."""
    lines: list[str] = []
    for word in text.split():
        if lines and pen.width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return tuple(lines)


def _cut(pen: SheetPen, text: str, size: int, width: int) -> str:
    """Return a text, cut with an ellipsis where it is too wide even at this size."""
    if pen.width(text, size, bold=True) <= width:
        return text
    keep = len(text)
    while keep > 1 and pen.width(f"{text[:keep].rstrip()}…", size, bold=True) > width:
        keep -= 1
    return f"{text[:keep].rstrip()}…"


def _fit(pen: SheetPen, text: str, size: int, width: int) -> int:
    """Return `size`, or the largest smaller one at which the text is at most `width` wide."""
    return _largest(lambda each: pen.width(text, each, bold=True) <= width, 18, size)


def _largest(fits: Callable[[int], bool], least: int, most: int) -> int:
    """Return the largest whole number that fits, or `least`."""
    return next((each for each in range(most, least, -1) if fits(each)), least)
