"""Text that fits its box, in the scalable font that comes with Pillow (nothing is downloaded).

That font has the ASCII letters only. Latin letters with accents are composed here: the plain letter, and
the accent drawn above or below it. A name in another script takes a font of the system where there is one.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Literal

from PIL import ImageDraw, ImageFont

from device.displays.palette import Colour
from device.errors import DeviceFailed

Align = Literal["left", "centre", "right"]
BoxPx = tuple[int, int, int, int]
"""x, y, width, height in pixels."""

SMALLEST_PT = 7
"""Text is not made smaller than this; it is cut with an ellipsis instead."""
_BOLD = 0.035
"""Stroke that stands in for a bold cut, as a share of the font size."""
_MINUS = "−"
_SYSTEM_FONTS = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "FreeSans.ttf")
"""Fonts of the system asked for, in this order, when a text has letters that the own font lacks."""
_REPLACED = {"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ß": "ss", "þ": "th", "Þ": "Th", "ð": "d", "ı": "i"}
_REPLACED |= {"–": "-", "—": "-", "\u2009": " ", "\u00a0": " ", "\u202f": " "}
_STRUCK = {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
"""Letters with a stroke through them, and the letter below the stroke."""
_DRAWN_MARKS = "\u0308\u030a\u0301\u0300\u0302\u030c\u0303\u0304\u0327\u0328\u0306\u0307"
"""The combining marks that `_draw_mark` knows."""


@lru_cache(maxsize=256)
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return Pillow's own scalable font at `size` pixels.

    Raises:
        DeviceFailed: when Pillow was built without FreeType and has no scalable font.
    """
    loaded = ImageFont.load_default(size)
    if not isinstance(loaded, ImageFont.FreeTypeFont):
        raise DeviceFailed(
            "Pillow has no scalable font on this machine (it was built without FreeType); "
            "install Pillow from its wheel: pip install --force-reinstall Pillow"
        )
    return loaded


def text_width(text: str, size: int, *, bold: bool = False) -> int:
    """Return the width of `text` in pixels at font `size`."""
    other = _other_font(text)
    if other:
        return round(_system_font(other, size).getlength(text))
    if not bold and _is_plain(text):
        return round(font(size).getlength(text))
    return round(sum(_advance(base, size, bold=bold) for base, _ in _glyphs(text)))


@lru_cache(maxsize=512)
def cap_height(size: int) -> int:
    """Return the height of a digit in pixels at font `size`."""
    _, top, _, bottom = font(size).getbbox("0", anchor="ls")
    return round(bottom - top)


@lru_cache(maxsize=1024)
def fitting_size(text: str, width: int, height: int, *, bold: bool = False) -> int:
    """Return the largest font size at which `text` is at most `width` wide and its digits `height` high."""
    low, high = 1, max(2, height * 2)
    while low < high:
        size = (low + high + 1) // 2
        if text_width(text, size, bold=bold) <= width and cap_height(size) <= height:
            low = size
        else:
            high = size - 1
    return low


def shortened(text: str, size: int, width: int, *, bold: bool = False) -> str:
    """Return `text`, cut with an ellipsis where it is wider than `width` pixels at font `size`."""
    if text_width(text, size, bold=bold) <= width:
        return text
    keep = len(text)
    while keep > 1 and text_width(text[:keep].rstrip() + "…", size, bold=bold) > width:
        keep -= 1
    return text[:keep].rstrip() + "…"


def wrapped(text: str, size: int, width: int) -> tuple[str, ...]:
    """Return `text` broken between words into lines of at most `width` pixels at font `size`."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return tuple(lines)


def draw_text(
    pen: ImageDraw.ImageDraw,
    text: str,
    box: BoxPx,
    *,
    fill: Colour,
    align: Align = "centre",
    bold: bool = False,
    size: int | None = None,
) -> int:
    """Write `text` into `box`, centred vertically by the height of its digits; return the font size used.

    Without `size` the largest that fits is taken; a text that does not fit even at the smallest size is
    shortened.
    """
    x, y, width, height = box
    chosen = max(SMALLEST_PT, size or fitting_size(text, width, height, bold=bold))
    shown = shortened(text, chosen, width, bold=bold)
    room = width - text_width(shown, chosen, bold=bold)
    left = x + {"left": 0.0, "centre": room / 2, "right": float(room)}[align]
    baseline = round(y + (height + cap_height(chosen)) / 2)
    _write(pen, shown, (left, baseline), chosen, fill=fill, bold=bold)
    return chosen


def _write(
    pen: ImageDraw.ImageDraw, text: str, at: tuple[float, int], size: int, *, fill: Colour, bold: bool
) -> None:
    """Write `text` with its left end on the baseline at `at`."""
    x, baseline = at
    other = _other_font(text)
    if other or (not bold and _is_plain(text)):
        face = _system_font(other, size) if other else font(size)
        pen.text((round(x), baseline), text, font=face, fill=fill, anchor="ls")
        return
    stroke = _stroke(size, bold=bold)
    for base, marks in _glyphs(text):
        ink_x = round(x + (stroke if bold else 0))
        if base == _MINUS:
            _draw_minus(pen, (ink_x, baseline), size, fill=fill, bold=bold)
        else:
            pen.text(
                (ink_x, baseline), base, font=font(size), fill=fill, anchor="ls",
                stroke_width=stroke, stroke_fill=fill,
            )  # fmt: skip
        for mark in marks:
            _draw_mark(pen, mark, base, (ink_x, baseline), size, fill=fill, bold=bold)
        x += _advance(base, size, bold=bold)


def _draw_minus(
    pen: ImageDraw.ImageDraw, at: tuple[int, int], size: int, *, fill: Colour, bold: bool
) -> None:
    """Draw a minus sign as wide as a plus, in the middle of the height of the digits."""
    x, baseline = at
    width = font(size).getlength("+")
    thick = _stem(size, bold=bold)
    middle = baseline - cap_height(size) / 2
    pen.rectangle((x + width * 0.1, middle - thick / 2, x + width * 0.9, middle + thick / 2), fill=fill)


def _draw_mark(
    pen: ImageDraw.ImageDraw,
    mark: str,
    base: str,
    at: tuple[int, int],
    size: int,
    *,
    fill: Colour,
    bold: bool,
) -> None:
    """Draw a combining mark, or the stroke of a struck letter ("/"), onto the letter `base` at `at`."""
    left, top, right, bottom = font(size).getbbox(base, anchor="ls")
    x, baseline = at
    middle = x + (left + right) / 2
    thick = _stem(size, bold=bold)
    gap = size * 0.05 + _stroke(size, bold=bold)
    line = max(1, round(thick * 0.85))
    high = baseline + top - gap  # lower edge of a mark above the letter
    low = baseline + bottom + gap  # upper edge of a mark below the letter
    reach = size * 0.14
    if mark == "/":
        stem = x + left + size * 0.05 if base in "lL" else middle  # the stroke of an L goes through its stem
        rise = (bottom - top) * (0.16 if base in "lL" else 0.5)
        lean = size * 0.13 if base in "lL" else (right - left) * 0.5
        centre = baseline + (top + bottom) / 2
        slash = (stem - lean, centre + rise, stem + lean, centre - rise)
        pen.line(slash, fill=fill, width=max(1, round(thick * 0.7)))
    elif mark == "\u0308":
        for side in (-1, 1):
            pen.ellipse(_round(middle + side * reach, high - thick * 0.55, thick * 0.6), fill=fill)
    elif mark == "\u0307":
        pen.ellipse(_round(middle, high - thick * 0.55, thick * 0.6), fill=fill)
    elif mark == "\u030a":
        radius = size * 0.11
        pen.ellipse(
            _round(middle, high - radius * 0.8, radius), outline=fill, width=max(1, round(thick * 0.6))
        )
    elif mark in "\u0301\u0300":
        lean = reach * 0.6 * (1 if mark == "\u0301" else -1)
        pen.line((middle - lean, high, middle + lean, high - reach), fill=fill, width=line)
    elif mark in "\u0302\u030c\u0306":
        tip = high - reach if mark == "\u0302" else high
        ends = high if mark == "\u0302" else high - reach
        peak = ((middle - reach, ends), (middle, tip), (middle + reach, ends))
        pen.line(peak, fill=fill, width=line, joint="curve")
    elif mark == "\u0303":
        points = [
            (middle + reach * k, high - reach * (0.55 if k in (-0.4, 1.2) else 0.15))
            for k in (-1.2, -0.4, 0.4, 1.2)
        ]
        pen.line(points, fill=fill, width=line, joint="curve")
    elif mark == "\u0304":
        pen.line((middle - reach, high - thick, middle + reach, high - thick), fill=fill, width=line)
    else:  # cedilla and ogonek: a short tail below
        lean = reach * 0.4 * (-1 if mark == "\u0327" else 1)
        pen.line((middle, low - gap, middle + lean, low + reach * 0.5), fill=fill, width=line)


def _round(x: float, y: float, radius: float) -> tuple[float, float, float, float]:
    """Return the bounding box of a circle."""
    return x - radius, y - radius, x + radius, y + radius


def _stem(size: int, *, bold: bool) -> float:
    """Return the thickness of the strokes of a letter of `size` pixels."""
    return size * 0.085 + 2 * _stroke(size, bold=bold)


def _advance(base: str, size: int, *, bold: bool) -> float:
    """Return how far the next letter is from the start of `base`."""
    shape = "+" if base == _MINUS else base
    return font(size).getlength(shape) + 1.5 * _stroke(size, bold=bold)


def _stroke(size: int, *, bold: bool) -> int:
    """Return the stroke that thickens a letter of `size` pixels."""
    return max(1, round(size * _BOLD)) if bold else 0


@lru_cache(maxsize=1024)
def _glyphs(text: str) -> tuple[tuple[str, str], ...]:
    """Split `text` into (letter of the own font, marks to draw onto it)."""
    parts: list[tuple[str, str]] = []
    for letter in unicodedata.normalize("NFC", text):
        if letter == _MINUS or _has_glyph(letter):
            parts.append((letter, ""))
        elif letter in _STRUCK:
            parts.append((_STRUCK[letter], "/"))
        elif letter in _REPLACED:
            parts.extend((plain, "") for plain in _REPLACED[letter])
        else:
            apart = unicodedata.normalize("NFD", letter)
            base, marks = apart[0], apart[1:]
            if _has_glyph(base) and marks and all(mark in _DRAWN_MARKS for mark in marks):
                parts.append((base, marks))
            elif letter.isprintable():
                parts.append(("?", ""))
    return tuple(parts)


def _is_plain(text: str) -> bool:
    """Whether the own font has every letter of `text`."""
    return all(_has_glyph(letter) for letter in text)


@lru_cache(maxsize=1024)
def _has_glyph(letter: str) -> bool:
    """Whether the own font has `letter`: its picture differs from that of a letter no font has."""
    return letter == " " or bytes(font(24).getmask(letter)) != bytes(font(24).getmask("\ue123"))


@lru_cache(maxsize=256)
def _other_font(text: str) -> str:
    """Return the name of a system font for a text that cannot be composed, or "" to stay with the own."""
    if _is_plain(text) or "?" not in {base for base, _ in _glyphs(text.replace("?", ""))}:
        return ""
    for name in _SYSTEM_FONTS:
        try:
            ImageFont.truetype(name, 24)
        except OSError:
            continue
        return name
    return ""


@lru_cache(maxsize=64)
def _system_font(name: str, size: int) -> ImageFont.FreeTypeFont:
    """Return the system font `name` at `size` pixels."""
    return ImageFont.truetype(name, size)
