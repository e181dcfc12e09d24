"""Two pens that draw a rule sheet: one makes a picture, the other a PDF of real text and lines.

Both take places in pixels of A4 at 300 dots an inch, x right, y down, and say how wide their letters are, so
that the page is laid out for the letters it gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, radians, sin
from typing import Protocol

from PIL import Image, ImageDraw

from calibration.pdf import Drawing, Page, text_width_mm, write_pdf
from device.displays import palette
from device.displays.dice_art import PIPS, die_picture
from device.displays.palette import Colour
from device.displays.text import Align, BoxPx, draw_text, text_width
from device.displays.view import DieSeen

DPI = 300
PAGE_PX = (2480, 3508)
"""A4 upright at 300 dots an inch: width, height."""
_MM = 25.4 / DPI
_BOLD_WIDER = 1.08
"""Bold letters of Helvetica are at most so much wider than the others, digits and capitals least."""
_CAP_HEIGHT = 0.718
"""Height of the digits and capitals of Helvetica in sizes of the font (Adobe's metrics)."""


class SheetPen(Protocol):
    """Draws on one page."""

    def box(self, box: BoxPx, fill: Colour) -> None:
        """Fill a rectangle (x, y, width, height)."""
        ...

    def line(self, start: tuple[int, int], end: tuple[int, int], fill: Colour, width: int) -> None:
        """Draw a line."""
        ...

    def polygon(self, corners: Sequence[tuple[int, int]], fill: Colour) -> None:
        """Fill a polygon."""
        ...

    def die(self, face: int, at: tuple[int, int], side: int, *, degrees: int = 0) -> None:
        """Draw a die with its upper left corner at `at`, turned about its middle, anticlockwise."""
        ...

    def width(self, text: str, size: int, *, bold: bool = False) -> int:
        """Return how wide a text is."""
        ...

    def text(
        self, text: str, box: BoxPx, *, fill: Colour, size: int, align: Align = "left", bold: bool = False
    ) -> None:
        """Write a text that fits its box, centred vertically by the height of its digits."""
        ...


class PicturePen:
    """Draws a picture."""

    def __init__(self) -> None:
        """Begin with white paper."""
        self.page = Image.new("RGB", PAGE_PX, (255, 255, 255))
        """The picture."""
        self._pen = ImageDraw.Draw(self.page)

    def box(self, box: BoxPx, fill: Colour) -> None:
        """Fill a rectangle."""
        x, y, width, height = box
        self._pen.rectangle((x, y, x + width, y + height), fill=fill)

    def line(self, start: tuple[int, int], end: tuple[int, int], fill: Colour, width: int) -> None:
        """Draw a line."""
        self._pen.line((*start, *end), fill=fill, width=width)

    def polygon(self, corners: Sequence[tuple[int, int]], fill: Colour) -> None:
        """Fill a polygon."""
        self._pen.polygon(list(corners), fill=fill)

    def die(self, face: int, at: tuple[int, int], side: int, *, degrees: int = 0) -> None:
        """Draw a die."""
        die = die_picture(DieSeen(face), side)
        if degrees:
            die = die.rotate(degrees, resample=Image.Resampling.BICUBIC, expand=True)
        x, y = at[0] - (die.width - side) // 2, at[1] - (die.height - side) // 2
        self.page.paste(die, (x, y), die)

    def width(self, text: str, size: int, *, bold: bool = False) -> int:
        """Return how wide a text is."""
        return text_width(text, size, bold=bold)

    def text(
        self, text: str, box: BoxPx, *, fill: Colour, size: int, align: Align = "left", bold: bool = False
    ) -> None:
        """Write a text."""
        draw_text(self._pen, text, box, fill=fill, align=align, bold=bold, size=size)


class PdfPen:
    """Draws a page of a PDF; raises BadMat for letters that Helvetica lacks."""

    def __init__(self) -> None:
        """Begin with an empty page."""
        self._page = Page(PAGE_PX[0] * _MM, PAGE_PX[1] * _MM)
        self._drawing = self._page.drawing

    def data(self) -> bytes:
        """Return the file."""
        return write_pdf([self._page], Drawing(), (1.0, 1.0), "Croupier")

    def box(self, box: BoxPx, fill: Colour) -> None:
        """Fill a rectangle."""
        x, y, width, height = box
        self.polygon(((x, y), (x + width, y), (x + width, y + height), (x, y + height)), fill)

    def line(self, start: tuple[int, int], end: tuple[int, int], fill: Colour, width: int) -> None:
        """Draw a line."""
        self._drawing.line(_mm(start), _mm(end), _share(fill), width * _MM)

    def polygon(self, corners: Sequence[tuple[float, float]], fill: Colour) -> None:
        """Fill a polygon."""
        self._drawing.polygons([[_mm(corner) for corner in corners]], _share(fill))

    def die(self, face: int, at: tuple[int, int], side: int, *, degrees: int = 0) -> None:
        """Draw a die: the rounded square, its edge, and the pips."""
        turn = radians(-degrees)
        middle = (at[0] + side / 2, at[1] + side / 2)

        def placed(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
            return [
                (
                    middle[0] + side * ((x - 0.5) * cos(turn) - (y - 0.5) * sin(turn)),
                    middle[1] + side * ((x - 0.5) * sin(turn) + (y - 0.5) * cos(turn)),
                )
                for x, y in points
            ]

        self.polygon(placed(_rounded(0.03)), palette.DIE_EDGE)
        self.polygon(placed(_rounded(0.05)), palette.DIE)
        for pip in PIPS[face]:
            self.polygon(placed(_circle(pip, 0.122 if face == 1 else 0.092)), palette.PIP)

    def width(self, text: str, size: int, *, bold: bool = False) -> int:
        """Return how wide a text is, a bold one at most."""
        wide = text_width_mm(_plain(text), size * _MM) / _MM
        return round(wide * (1 if not bold or text.isdigit() else _BOLD_WIDER))

    def text(
        self, text: str, box: BoxPx, *, fill: Colour, size: int, align: Align = "left", bold: bool = False
    ) -> None:
        """Write a text."""
        x, y, width, height = box
        base = y + (height + _CAP_HEIGHT * size) / 2
        room = width - self.width(text, size, bold=bold)
        at = x + {"left": 0.0, "centre": room / 2, "right": float(room)}[align]
        self._drawing.text(_plain(text), _mm((at, base)), size * _MM, _share(fill), bold=bold)


def _plain(text: str) -> str:
    """Return a text with the signs that Helvetica has in place of those it lacks."""
    return text.replace("\u2212", "-").replace("\u2009", " ").replace("\u202f", " ")


def _mm(point: tuple[float, float]) -> tuple[float, float]:
    return point[0] * _MM, point[1] * _MM


def _share(colour: Colour) -> tuple[float, float, float]:
    red, green, blue = colour
    return red / 255, green / 255, blue / 255


def _circle(
    middle: tuple[float, float], radius: float, *, first: int = 0, steps: int = 32
) -> list[tuple[float, float]]:
    """Return a circle of 32 corners, or the part of it from corner `first` on."""
    angles = [2 * pi * (first + step) / 32 for step in range(steps)]
    return [(middle[0] + radius * cos(angle), middle[1] + radius * sin(angle)) for angle in angles]


def _rounded(inset: float) -> list[tuple[float, float]]:
    """Return a square with round corners, in shares of its side."""
    radius, near, far = 0.2 - inset / 2, 0.2 + inset / 2, 0.8 - inset / 2
    return [
        *_circle((far, far), radius, first=0, steps=9),
        *_circle((near, far), radius, first=8, steps=9),
        *_circle((near, near), radius, first=16, steps=9),
        *_circle((far, near), radius, first=24, steps=9),
    ]
