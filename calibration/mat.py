"""The mat as a printable PDF, and its description as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np

from calibration.errors import BadMat, CalibrationError
from calibration.layout import EDGE_MM, MatLayout
from calibration.matcode import SIZES_MM
from calibration.pdf import Colour, Drawing, Page, text_width_mm, write_pdf
from calibration.polygon import PointMm
from calibration.profile import (
    Fields,
    Lane,
    Markers,
    Zone,
    ZoneKind,
    laid_out,
    marker_corners,
    points_as_json,
)

VERSION = 1
"""Version of the description's form."""
MARGIN_MM = 10.0
"""Border of a tile's sheet that is not printed on."""
BLEED_MM = 4.0
"""How far a tile is printed beyond the line where it is cut: an unsteady cut shows no white."""
PAPERS = ("sheet", *SIZES_MM)
"""Papers to print on; `sheet`: one sheet of the mat's own size."""

COLOURS: dict[str, Colour] = {
    "blue": (0.0, 0.447, 0.698),
    "orange": (0.902, 0.624, 0.0),
    "green": (0.0, 0.620, 0.451),
    "purple": (0.8, 0.475, 0.655),
    "red": (0.835, 0.369, 0.0),
    "sky": (0.337, 0.706, 0.914),
    "yellow": (0.80, 0.74, 0.10),
    "black": (0.25, 0.25, 0.25),
}
"""Colours of lanes in seat order; Okabe and Ito's, which people with any colour vision tell apart."""
GROUNDS: dict[str, Colour] = {
    "white": (1.0, 1.0, 1.0),
    "green": (0.36, 0.55, 0.42),
    "blue": (0.36, 0.48, 0.62),
    "red": (0.62, 0.38, 0.36),
    "grey": (0.55, 0.55, 0.55),
    "dark": (0.24, 0.25, 0.27),
}
"""Colours of the zones' ground. On white paper white dice show least; a printed ground costs ink."""

_INK: Colour = (0.35, 0.35, 0.35)
_PAPER: Colour = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class MatStyle:
    """How a mat looks; nothing of it changes where things are."""

    colours: tuple[Colour, ...] = tuple(COLOURS.values())
    """One a lane, repeated when there are more lanes."""
    ground: Colour = _PAPER
    """Ground of the roll zones."""
    title: str = "Croupier"
    """Written along the ruler."""


def mat_pdf(layout: MatLayout, style: MatStyle, *, paper: str = "sheet") -> tuple[bytes, int]:
    """Return the PDF and its number of pages: one sheet, or tiles to be cut and glued.

    Raises:
        BadMat: for a paper that is not known, or letters that cannot be printed.
    """
    if paper not in PAPERS:
        raise BadMat(f"the paper {paper!r} is not known; choose one of {', '.join(PAPERS)}")
    drawing = draw_mat(layout, style)
    size = (layout.width_mm, layout.height_mm)
    if paper == "sheet" or sorted(SIZES_MM[paper]) == sorted(size):
        page = Page(*size)
        page.show_form((0.0, 0.0), (0.0, 0.0), size)
        pages = [page]
    else:
        pages = _tiles(layout, SIZES_MM[paper])
    return write_pdf(pages, drawing, size, f"Croupier mat, {size[0]:g} x {size[1]:g} mm"), len(pages)


def _tiles(layout: MatLayout, paper_mm: tuple[float, float]) -> list[Page]:
    """The pages of a mat that is glued together from sheets: as few as possible, all equal parts."""
    size = (layout.width_mm, layout.height_mm)

    def parts(sheet: tuple[float, float]) -> tuple[int, int]:
        return (
            math.ceil(size[0] / (sheet[0] - 2 * MARGIN_MM) - 1e-9),
            math.ceil(size[1] / (sheet[1] - 2 * MARGIN_MM) - 1e-9),
        )

    sheet = min((paper_mm, paper_mm[::-1]), key=lambda each: math.prod(parts(each)))
    columns, rows = parts(sheet)
    width, height = size[0] / columns, size[1] / rows
    pages = []
    for row in range(rows):
        for column in range(columns):
            page = Page(*sheet)
            left, top = (sheet[0] - width) / 2, (sheet[1] - height) / 2
            low, high = (column * width, row * height), ((column + 1) * width, (row + 1) * height)
            page.show_form(
                (left - low[0], top - low[1]),
                (max(0.0, low[0] - BLEED_MM), max(0.0, low[1] - BLEED_MM)),
                (min(size[0], high[0] + BLEED_MM), min(size[1], high[1] + BLEED_MM)),
            )
            _cut_marks(page.drawing, (left, top), (left + width, top + height))
            label = f"row {row + 1} of {rows}, column {column + 1} of {columns}: cut at the marks, glue"
            page.drawing.text(label, (left + 12, top + height + BLEED_MM + 4.0), 3.0, _INK)
            pages.append(page)
    return pages


def _cut_marks(drawing: Drawing, low: PointMm, high: PointMm) -> None:
    """Lines at the four corners, outside, in line with the edges of the tile."""
    for x, outwards_x in ((low[0], -1), (high[0], 1)):
        for y, outwards_y in ((low[1], -1), (high[1], 1)):
            start = BLEED_MM + 0.5
            drawing.line((x + outwards_x * start, y), (x + outwards_x * (start + 4), y), _INK, 0.15)
            drawing.line((x, y + outwards_y * start), (x, y + outwards_y * (start + 4)), _INK, 0.15)


def draw_mat(layout: MatLayout, style: MatStyle) -> Drawing:
    """Draw the mat. Nothing on it is round: the reader must not take it for dice."""
    drawing = Drawing()
    seats = {lane.name: style.colours[i % len(style.colours)] for i, lane in enumerate(layout.lanes)}
    for zone in layout.zones:
        colour = _INK if zone.lane is None else seats[zone.lane]
        ground = style.ground if zone.kind == "roll" else _mixed(colour, _PAPER, 0.18)
        drawing.polygons([zone.polygon_mm], ground)
        drawing.outline(_inset(zone, 0.6), colour, 1.2)
        _label(drawing, zone, colour if ground == _PAPER or zone.kind != "roll" else _PAPER)
    for ident, corners in layout.markers.corners_mm:
        _marker(drawing, layout.markers.dictionary, ident, corners)
    _ruler(drawing, layout, style.title)
    return drawing


def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    r, g, b = (a * share + c * (1 - share) for a, c in zip(first, second, strict=True))
    return r, g, b


def _inset(zone: Zone, by_mm: float) -> list[PointMm]:
    """The corners of an upright rectangle moved inwards."""
    (x0, y0), _, (x1, y1), _ = zone.polygon_mm
    return [
        (x0 + by_mm, y0 + by_mm),
        (x1 - by_mm, y0 + by_mm),
        (x1 - by_mm, y1 - by_mm),
        (x0 + by_mm, y1 - by_mm),
    ]


def _label(drawing: Drawing, zone: Zone, colour: Colour) -> None:
    """Write what a zone is into its upper left corner, so small that it fits."""
    words = {"roll": zone.lane or "", "tray": "" if zone.lane else "set aside", "bank": "BANK"}[zone.kind]
    if not words:
        return
    (x0, y0), (x1, _), _, _ = zone.polygon_mm
    size = 8.0 if zone.kind == "roll" else 5.0
    size = min(size, size * (x1 - x0 - 7) / (1.1 * text_width_mm(words, size)))
    drawing.text(words, (x0 + 3.5, y0 + 3.0 + 0.75 * size), size, colour, bold=True)


def _marker(drawing: Drawing, dictionary: str, ident: int, corners: Sequence[PointMm]) -> None:
    """Draw an ArUco marker with a white border of one cell."""
    cells = cv2.aruco.generateImageMarker(_dictionary(dictionary), ident, 6)
    (x, y), (right, _) = corners[0], corners[1]
    side = right - x
    cell = side / len(cells)
    drawing.polygons([_square(x - cell, y - cell, side + 2 * cell)], _PAPER)
    drawing.polygons([_square(x, y, side)], (0.0, 0.0, 0.0))
    white = [_square(x + c * cell, y + r * cell, cell) for r, c in np.argwhere(np.asarray(cells) > 127)]
    drawing.polygons(white, _PAPER)


def _dictionary(name: str) -> cv2.aruco.Dictionary:
    return cv2.aruco.getPredefinedDictionary(int(getattr(cv2.aruco, name)))


def _square(x: float, y: float, side: float) -> list[PointMm]:
    return [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]


def _ruler(drawing: Drawing, layout: MatLayout, title: str) -> None:
    """Draw the ruler of 100 mm and what to do with it."""
    (x0, y0), (x1, y1) = layout.ruler
    upright = x0 == x1
    drawing.line((x0, y0), (x1, y1), _INK, 0.25)
    for mm in range(0, 101, 5):
        tick = 4.0 if mm % 50 == 0 else 2.6 if mm % 10 == 0 else 1.4
        if upright:
            drawing.line((x0 - tick, y0 + mm), (x0, y0 + mm), _INK, 0.25)
        else:
            drawing.line((x0 + mm, y0 - tick), (x0 + mm, y0), _INK, 0.25)
    text = "100 mm? If not: print at 100 %"
    size = f"{title}  {layout.width_mm:g} x {layout.height_mm:g} mm"
    middle = ((x0 + x1) / 2, (y0 + y1) / 2)
    if upright:
        drawing.text(text, (x0 - 5.0, middle[1]), 3.4, _INK, align="middle", upwards=True)
        drawing.text(size, (max(EDGE_MM + 3, x0 - 11.0), middle[1]), 3.4, _INK, align="middle", upwards=True)
    else:
        drawing.text(text, (middle[0], y0 - 5.0), 3.4, _INK, align="middle")
        drawing.text(size, (middle[0], max(EDGE_MM + 3, y0 - 11.0)), 3.4, _INK, align="middle")


# --- The description ---------------------------------------------------------------------------------------


def mat_as_text(layout: MatLayout) -> str:
    """The mat as the text of a JSON file: what `croupier calibrate --mat` reads."""
    document = {
        "croupier_mat": VERSION,
        "width_mm": layout.width_mm,
        "height_mm": layout.height_mm,
        "zones": [
            {"kind": zone.kind, "lane": zone.lane, "polygon_mm": points_as_json(zone.polygon_mm)}
            for zone in layout.zones
        ],
        "lanes": [lane.name for lane in layout.lanes],
        "markers": {
            "dictionary": layout.markers.dictionary,
            "corners_mm": {
                str(ident): points_as_json(corners) for ident, corners in layout.markers.corners_mm
            },
        },
        "ruler_mm": points_as_json(layout.ruler),
    }
    return laid_out(document) + "\n"


def mat_from_json(text: str, name: str) -> MatLayout:
    """Read a description that `croupier mat` wrote; `name` is that of the file.

    Raises:
        BadMat: one sentence.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMat(f"{name} is not valid JSON; wanted the file that croupier mat wrote") from None
    if not isinstance(document, dict) or document.get("croupier_mat") != VERSION:
        raise BadMat(f'{name} describes no mat: wanted "croupier_mat": {VERSION}, as croupier mat writes it')
    try:
        fields = Fields(document, "")
        fields.only("croupier_mat", "width_mm", "height_mm", "zones", "lanes", "markers", "ruler_mm")
        lanes = document.get("lanes")
        if not isinstance(lanes, list) or not all(isinstance(each, str) and each for each in lanes):
            raise BadMat("lanes must be a list of names")
        zones = []
        for each in fields.objects("zones"):
            lane = each.text("lane") if each.given("lane") else None
            zones.append(Zone(cast("ZoneKind", each.text("kind")), lane, each.points("polygon_mm")))
        markers = fields.object("markers")
        ruler = fields.points("ruler_mm")
        return MatLayout(
            fields.number("width_mm"),
            fields.number("height_mm"),
            tuple(zones),
            tuple(Lane(each) for each in lanes),
            Markers(markers.text("dictionary"), marker_corners(markers.object("corners_mm"))),
            (ruler[0], ruler[-1]),
        )
    except CalibrationError as error:
        raise BadMat(f"{name}: {error}") from error
    except IndexError:
        raise BadMat(f"{name}: ruler_mm must have two ends") from None
