"""A table's rules on one printed page: what scores, with dice to look at, and how the game goes.

The page is drawn as a picture of A4 at 300 dots an inch and written by Pillow's own PDF writer. Text is made
as large as the page allows, so that any rules fill it and none run over.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw

from device.displays.dice_art import die_picture
from device.displays.palette import Colour
from device.displays.text import BoxPx, draw_text, text_width, wrapped
from device.displays.view import DieSeen
from scorer.rulebook import Language, Row, Section, phrase, scoring_rows, sections, settings_that_differ
from scorer.rules import Rules

DPI = 300
PAGE_PX = (2480, 3508)
"""A4 upright at 300 dots an inch: width, height."""

_MARGIN = 170
_GAP = 110
"""Between the columns."""
_LEFT_SHARE = 0.54
"""What of the width the table of points takes."""

_PAPER: Colour = (255, 255, 255)
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
    """Return the page, RGB, `PAGE_PX` wide and high."""
    page = Image.new("RGB", PAGE_PX, _PAPER)
    pen = ImageDraw.Draw(page)
    width, height = PAGE_PX
    band = _draw_band(page, pen, sheet)
    top, bottom = band + 110, height - 190
    left_width = round((width - 2 * _MARGIN - _GAP) * _LEFT_SHARE)
    right_x = _MARGIN + left_width + _GAP
    _draw_table(page, pen, sheet, (_MARGIN, top, left_width, bottom - top))
    _draw_sections(pen, sheet, (right_x, top, width - _MARGIN - right_x, bottom - top))
    _draw_foot(pen, sheet)
    return page


def sheet_bytes(page: Image.Image, kind: str) -> bytes:
    """Return the page as the bytes of a file; `kind` is `.pdf` or `.png`."""
    out = io.BytesIO()
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
    write_bytes(path, sheet_bytes(draw_sheet(sheet), kind))


def _draw_band(page: Image.Image, pen: ImageDraw.ImageDraw, sheet: Sheet) -> int:
    """Draw title and dice over the whole width; return where the band ends."""
    width, height = PAGE_PX[0], 540 if sheet.about else 440
    pen.rectangle((0, 0, width, height), fill=_BAND)
    side = 170
    shown = (1, 5, 6) if sheet.rules.dice == 6 else (1, 3, 5)
    for index, face in enumerate(shown):
        tilted = _die(face, side).rotate((8, -6, 11)[index], resample=Image.Resampling.BICUBIC, expand=True)
        x = width - _MARGIN - (3 - index) * (side + 48) + 30
        page.paste(tilted, (x, 150 + (0, 44, -8)[index]), tilted)
    room = width - 2 * _MARGIN - 3 * (side + 48) - 60
    small = phrase("title", sheet.language)
    draw_text(pen, small, (_MARGIN, 80, room, 60), fill=_QUIET_ON_BAND, align="left", size=58)
    draw_text(pen, sheet.title, (_MARGIN, 190, room, 130), fill=_ON_BAND, align="left", bold=True)
    size = _largest(lambda each: len(wrapped(sheet.about, each, width - 2 * _MARGIN)) < 2, 40, 54)
    for index, line in enumerate(wrapped(sheet.about, size, width - 2 * _MARGIN)[:2]):
        box = (_MARGIN, 388 + index * 72, width - 2 * _MARGIN, 60)
        draw_text(pen, line, box, fill=_QUIET_ON_BAND, align="left", size=size)
    return height


def _draw_table(page: Image.Image, pen: ImageDraw.ImageDraw, sheet: Sheet, box: BoxPx) -> None:
    """Draw the table of what scores."""
    x, y, width, height = box
    y += _draw_head(pen, phrase("scores", sheet.language), (x, y, width, 84), 66)
    rows = scoring_rows(sheet.rules, sheet.language, sheet.usual)
    step = min(236, (box[1] + height - y) // len(rows))
    side = min(104, round(step * 0.46))
    label_size = max(24, min(50, round(step * 0.28)))
    for index, row in enumerate(rows):
        _draw_row(page, pen, sheet, row, (x, y + index * step, width, step), side, label_size)


def _draw_row(
    page: Image.Image, pen: ImageDraw.ImageDraw, sheet: Sheet, row: Row, box: BoxPx, side: int, size: int
) -> None:
    """Draw one line of the table: the name over its dice, the points at the right."""
    x, y, width, height = box
    own = _is_own(row.settings, sheet.changed)
    pen.line((x, y + height - 1, x + width, y + height - 1), fill=_LINE, width=3)
    points_size = round(size * (1.7 if row.points.isdigit() else 1.25))
    points_width = text_width(row.points, points_size, bold=True) + 10
    words_width = width - points_width - 30
    label = row.label if not row.note else f"{row.label} ({row.note})"
    text_y = y + round(height * 0.09)
    draw_text(
        pen,
        label,
        (x, text_y, words_width, round(size * 1.1)),
        fill=_INK,
        align="left",
        size=_fit(label, size, words_width),
    )
    for index, face in enumerate(row.dice):
        die = _die(face, side)
        page.paste(die, (x + index * round(side * 1.1), y + height - side - round(height * 0.1)), die)
    spot = (x + width - points_width, y, points_width, height)
    draw_text(pen, row.points, spot, fill=_OWN if own else _INK, align="right", bold=True, size=points_size)
    if own:
        _draw_mark(pen, x - 62, y + height // 2)


def _draw_sections(pen: ImageDraw.ImageDraw, sheet: Sheet, box: BoxPx) -> None:
    """Draw the rules in sentences, as large as they all fit."""
    x, y, width, height = box
    found = sections(sheet.rules, sheet.language, sheet.changed)
    size = _largest(lambda size: _sections_height(found, size, width) <= height, 30, 62)
    for section in found:
        y += _draw_head(pen, section.head, (x, y, width, 84), round(size * 1.25))
        for sentence in section.sentences:
            lines = wrapped(sentence.text, size, width)
            if _is_own(sentence.settings, sheet.changed):
                _draw_mark(pen, x - 58, y + round(size * 0.6))
            for line in lines:
                draw_text(pen, line, (x, y, width, round(size * 1.2)), fill=_INK, align="left", size=size)
                y += round(size * 1.36)
            y += round(size * 0.42)
        y += round(size * 0.75)


def _sections_height(found: Sequence[Section], size: int, width: int) -> int:
    """Return how high all sections are at this size of text."""
    total = 0
    for section in found:
        total += _head_height(round(size * 1.25)) + round(size * 0.75)
        for sentence in section.sentences:
            total += len(wrapped(sentence.text, size, width)) * round(size * 1.36) + round(size * 0.42)
    return total


def _head_height(size: int) -> int:
    return round(size * 1.75)


def _draw_head(pen: ImageDraw.ImageDraw, text: str, box: BoxPx, size: int) -> int:
    """Draw a heading with a line under it; return how much height it takes."""
    x, y, width, _ = box
    draw_text(
        pen, text, (x, y, width, size), fill=_BAND, align="left", bold=True, size=_fit(text, size, width)
    )
    line_y = y + round(size * 1.25)
    pen.line((x, line_y, x + width, line_y), fill=_BAND, width=7)
    return _head_height(size)


def _draw_foot(pen: ImageDraw.ImageDraw, sheet: Sheet) -> None:
    """Say what the marks mean, where there are any."""
    y = PAGE_PX[1] - 130
    if sheet.changed:
        _draw_mark(pen, _MARGIN, y + 20)
        text = phrase("changed", sheet.language)
        draw_text(pen, text, (_MARGIN + 48, y, 1500, 40), fill=_QUIET, align="left", size=42)
    draw_text(
        pen, "Croupier", (_MARGIN, y, PAGE_PX[0] - 2 * _MARGIN, 40), fill=_QUIET, align="right", size=42
    )


def _draw_mark(pen: ImageDraw.ImageDraw, x: int, middle_y: int) -> None:
    """Draw the mark of a rule of the table's own: a filled diamond, so that colour is not needed."""
    half = 19
    pen.polygon(
        ((x, middle_y), (x + half, middle_y - half), (x + 2 * half, middle_y), (x + half, middle_y + half)),
        fill=_OWN,
    )


def _is_own(settings: Sequence[str], changed: frozenset[str]) -> bool:
    return not changed.isdisjoint(settings)


def _die(face: int, side: int) -> Image.Image:
    return die_picture(DieSeen(face), side)


def _fit(text: str, size: int, width: int) -> int:
    """Return `size`, or the largest smaller one at which the text is at most `width` wide."""
    return _largest(lambda each: text_width(text, each, bold=True) <= width, 18, size)


def _largest(fits: Callable[[int], bool], least: int, most: int) -> int:
    """Return the largest whole number that fits, or `least`."""
    return next((each for each in range(most, least, -1) if fits(each)), least)
