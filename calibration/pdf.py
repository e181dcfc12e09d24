"""A small writer of PDF pages: filled and stroked shapes and text, in mm, exact.

Only what a mat needs (ISO 32000-1): vector paths, one form that several pages show through a window, and the
two Helveticas that every viewer and printer has. y points down, as everywhere else here.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence

from calibration.errors import BadMat
from calibration.polygon import PointMm

Colour = tuple[float, float, float]
"""Red, green, blue, 0..1."""

POINTS_A_MM = 72 / 25.4
_FONTS = ("Helvetica", "Helvetica-Bold")
# Advance widths in thousandths of the size, from Adobe's metrics of Helvetica (characters 32 to 126).
_WIDTHS = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556),
    *(556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778),
    *(722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278),
    *(278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)


def text_width_mm(text: str, size_mm: float) -> float:
    """The width of a text of this size, letters outside ASCII and bold ones estimated."""
    return sum(_WIDTHS[ord(c) - 32] if 32 <= ord(c) < 127 else 620 for c in text) * size_mm / 1000


class Drawing:
    """Shapes and text in mm, x right, y down."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._parts: list[str] = []

    def polygons(self, polygons: Iterable[Sequence[PointMm]], fill: Colour) -> None:
        """Fill polygons in one go: where they touch, no seam shows."""
        self._parts.append(f"{_numbers(*fill)} rg")
        for corners in polygons:
            self._path(corners)
        self._parts.append("f")

    def outline(self, corners: Sequence[PointMm], colour: Colour, width_mm: float) -> None:
        """Stroke a polygon; the line lies inside and outside half each."""
        self._parts.append(f"{_numbers(*colour)} RG {_numbers(width_mm)} w 0 j")
        self._path(corners)
        self._parts.append("S")

    def line(self, start: PointMm, end: PointMm, colour: Colour, width_mm: float) -> None:
        """Stroke a line with square cut ends."""
        self._parts.append(f"{_numbers(*colour)} RG {_numbers(width_mm)} w")
        self._parts.append(f"{_numbers(*start)} m {_numbers(*end)} l S")

    def _path(self, corners: Sequence[PointMm]) -> None:
        first, *others = corners
        self._parts.append(f"{_numbers(*first)} m")
        self._parts.extend(f"{_numbers(*corner)} l" for corner in others)
        self._parts.append("h")

    def text(
        self,
        text: str,
        at: PointMm,
        size_mm: float,
        colour: Colour,
        *,
        bold: bool = False,
        align: str = "left",
        upwards: bool = False,
    ) -> None:
        """Write a text whose base line begins (or has its middle, or ends) at `at`.

        Raises:
            BadMat: for letters that the fonts do not have.
        """
        try:
            raw = text.encode("cp1252")
        except UnicodeEncodeError as error:
            raise BadMat(
                f"{text!r} cannot be printed: the mat has Latin letters only, not {text[error.start]!r}; "
                "write the name with Latin letters"
            ) from None
        back = text_width_mm(text, size_mm) * {"left": 0.0, "middle": 0.5, "right": 1.0}[align]
        x, y = at
        turned = (
            (0, -size_mm, -size_mm, 0, x, y + back) if upwards else (size_mm, 0, 0, -size_mm, x - back, y)
        )
        escaped = "".join(chr(b) if 32 <= b < 127 and b not in b"()\\" else f"\\{b:03o}" for b in raw)
        self._parts.append(
            f"BT {_numbers(*colour)} rg /F{int(bold)} 1 Tf {_numbers(*turned)} Tm ({escaped}) Tj ET"
        )

    @property
    def commands(self) -> str:
        """The drawing as PDF operators."""
        return "\n".join(self._parts)


class Page:
    """One page: its size, what is on it, and through which window it shows the shared form."""

    def __init__(self, width_mm: float, height_mm: float) -> None:
        """Begin an empty page."""
        self.size_mm = (width_mm, height_mm)
        self.drawing = Drawing()
        self.window: tuple[PointMm, PointMm, PointMm] | None = None

    def show_form(self, at: PointMm, window_from: PointMm, window_to: PointMm) -> None:
        """Show the part of the form from `window_from` to `window_to`; the form's origin lies at `at`."""
        self.window = (at, window_from, window_to)


def write_pdf(pages: Sequence[Page], form: Drawing, form_size_mm: tuple[float, float], title: str) -> bytes:
    """Return the PDF; the same drawing gives the same bytes."""
    objects: list[bytes] = []

    def add(body: str, stream: str | None = None) -> int:
        if stream is None:
            objects.append(f"<< {body} >>".encode("latin-1"))
        else:
            data = zlib.compress(stream.encode("latin-1"), 9)
            head = f"<< {body} /Filter /FlateDecode /Length {len(data)} >>\nstream\n"
            objects.append(head.encode("latin-1") + data + b"\nendstream")
        return len(objects)

    # Printing at "100 %" is what keeps millimetres: ask the viewer for it.
    add("/Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >>")
    tree = add("")
    fonts = [
        add(f"/Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding") for name in _FONTS
    ]
    resources = f"/Font << /F0 {fonts[0]} 0 R /F1 {fonts[1]} 0 R >>"
    width, height = form_size_mm
    shared = add(
        f"/Type /XObject /Subtype /Form /BBox [0 0 {_numbers(width, height)}] /Resources << {resources} >>",
        form.commands,
    )
    kids = []
    for page in pages:
        w, h = (side * POINTS_A_MM for side in page.size_mm)
        content = [f"{_numbers(POINTS_A_MM, 0, 0, -POINTS_A_MM, 0, h)} cm"]
        if page.window is not None:
            at, low, high = page.window
            corner = (at[0] + low[0], at[1] + low[1])
            extent = (high[0] - low[0], high[1] - low[1])
            content.append(f"q {_numbers(*corner, *extent)} re W n 1 0 0 1 {_numbers(*at)} cm /Mat Do Q")
        content.append(page.drawing.commands)
        stream = add("", "\n".join(content))
        kids.append(
            add(
                f"/Type /Page /Parent 2 0 R /MediaBox [0 0 {_numbers(w, h)}] /Contents {stream} 0 R "
                f"/Resources << {resources} /XObject << /Mat {shared} 0 R >> >>"
            )
        )
    info = add(f"/Title ({title}) /Producer (Croupier)")
    objects[tree - 1] = (
        f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{k} 0 R' for k in kids)}] >>".encode()
    )
    return _file(objects, info)


def _file(objects: Sequence[bytes], info: int) -> bytes:
    """Put the objects, their table and the trailer together."""
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {info} 0 R >>\n".encode()
    return bytes(out + f"startxref\n{table}\n%%EOF\n".encode())


def _numbers(*values: float) -> str:
    return " ".join(f"{value:.5f}".rstrip("0").rstrip(".") or "0" for value in values)
