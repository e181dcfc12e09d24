"""The table and the mat on it, painted once in the table's own plane and then seen by any camera.

The canvas has x to the right and y down, so many pixels a millimetre; `Canvas.seen` maps it into a picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from models.synth.acting import rim_of
from models.synth.conditions import MatLook
from models.synth.dice import Floats
from models.synth.layout import Layout
from models.synth.render import Camera, Light, Points
from models.synth.surfaces import surface
from models.synth.throw import Zone

_AROUND_MM = 70.0
"""How far the canvas reaches beyond what the camera sees: room for a bump."""
MARKER_MM = 24.0
"""Side of the markers in the corners of a printed mat."""
MARKERS = "DICT_4X4_50"
"""Dictionary of the markers."""
_WHITE_MM = 4.0
"""White border around a marker."""


@dataclass(frozen=True, slots=True, eq=False)
class Canvas:
    """A painted plane."""

    picture: Floats
    """(H, W, 3) float32 BGR, 0..1, gamma of the display."""
    left_mm: float
    """Table x of its left border."""
    top_mm: float
    """Table y of its upper border."""
    px_per_mm: float
    """Scale."""

    def seen(self, camera: Camera) -> Floats:
        """Return what a camera sees of the plane."""
        table_from_canvas = np.array(
            [[1 / self.px_per_mm, 0, self.left_mm], [0, -1 / self.px_per_mm, self.top_mm], [0, 0, 1]]
        )
        matrix = picture_from_table(camera) @ table_from_canvas
        return np.asarray(
            cv2.warpPerspective(
                self.picture,
                matrix,
                (camera.width_px, camera.height_px),
                flags=cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REFLECT,
            ),
            dtype=np.float32,
        )


def picture_from_table(camera: Camera) -> Points:
    """Return the (3, 3) homography from (x, y) in mm on the table (y up) to pixels."""
    lens = np.array(
        [
            [camera.focal_px, 0, camera.width_px / 2],
            [0, camera.focal_px, camera.height_px / 2],
            [0, 0, 1],
        ]
    )
    rotation = camera.camera_from_table
    plane = np.stack([rotation[:, 0], rotation[:, 1], -rotation @ camera.position], axis=1)
    return np.asarray(lens @ plane)


def paint_table(
    rng: np.random.Generator,
    camera: Camera,
    layout: Layout,
    mat: MatLook | None,
    light: Light,
    *,
    kind: str,
    colour: tuple[int, int, int] | None,
    contrast: float | None,
) -> Canvas:
    """Paint the table, the mat with its zones and markers, and the rims of the trays."""
    corners = np.array(
        [camera.table_point((x, y))[:2] for x in (0, camera.width_px) for y in (0, camera.height_px)]
    )
    (x0, y0), (x1, y1) = corners.min(axis=0) - _AROUND_MM, corners.max(axis=0) + _AROUND_MM
    middle = camera.table_point((camera.width_px / 2, camera.height_px / 2))
    scale = camera.focal_px / float(np.linalg.norm(camera.position - middle))
    width, height = int(np.ceil((x1 - x0) * scale)), int(np.ceil((y1 - y0) * scale))
    ground = surface(rng, width, height, kind=kind, colour=colour, grain_px=2.0, contrast=contrast)
    picture = np.asarray(ground, dtype=np.float32) / np.float32(255)
    canvas = Canvas(picture, float(x0), float(y1), scale)
    if mat is not None and layout.mat is not None:
        _lay_mat(rng, canvas, layout, mat, light)
    return canvas


def marker_corners(mat: Zone) -> dict[int, list[tuple[float, float]]]:
    """Return the corners of the four markers, table mm (y up): upper left first, clockwise as seen."""
    inset = _WHITE_MM + 1.0
    out = {}
    for ident, (x, y) in enumerate(
        (
            (mat.x0 + inset, mat.y1 - inset),
            (mat.x1 - inset - MARKER_MM, mat.y1 - inset),
            (mat.x1 - inset - MARKER_MM, mat.y0 + inset + MARKER_MM),
            (mat.x0 + inset, mat.y0 + inset + MARKER_MM),
        )
    ):
        out[ident] = [(x, y), (x + MARKER_MM, y), (x + MARKER_MM, y - MARKER_MM), (x, y - MARKER_MM)]
    return out


def _lay_mat(rng: np.random.Generator, canvas: Canvas, layout: Layout, look: MatLook, light: Light) -> None:
    """Paint the mat onto the canvas, in place."""
    assert layout.mat is not None
    rows, columns = _part(canvas, layout.mat)
    _shade_around(canvas, layout.mat, 2.0, light)
    wide, high = columns.stop - columns.start, rows.stop - rows.start
    cloth = surface(rng, wide, high, kind=look.kind, colour=look.colour, grain_px=1.6)
    canvas.picture[rows, columns] = cloth.astype(np.float32) / 255
    ink = np.asarray(look.ink, dtype=np.float32) / np.float32(255)
    for lane in layout.lanes:
        if lane.tray is not None:
            tray_rows, tray_columns = _part(canvas, lane.tray)
            part = canvas.picture[tray_rows, tray_columns]
            tone = np.asarray(look.tray_colour, dtype=np.float32) / 255
            part *= 0.35
            part += 0.65 * tone
            if layout.rim_mm <= 0:
                _outline(canvas, lane.tray, ink, 1.0)
        if len(layout.lanes) > 1 or lane.tray is not None:
            _outline(canvas, lane.roll, ink, 1.2)
        if lane.name is not None:
            _write(canvas, lane.name, lane.roll, ink)
    for lane in layout.lanes:
        for bar in rim_of(lane, layout.rim_mm):
            zone = Zone(bar.x - bar.half_x, bar.y - bar.half_y, bar.x + bar.half_x, bar.y + bar.half_y)
            _shade_around(canvas, zone, bar.height, light)
        for bar in rim_of(lane, layout.rim_mm):
            zone = Zone(bar.x - bar.half_x, bar.y - bar.half_y, bar.x + bar.half_x, bar.y + bar.half_y)
            _raise_bar(canvas, zone, look.rim_colour, light, upright=bar.half_x < bar.half_y)
    if look.markers:
        for ident, corners in marker_corners(layout.mat).items():
            _stamp(canvas, ident, corners)


def _part(canvas: Canvas, zone: Zone) -> tuple[slice, slice]:
    """Return the rows and columns of a zone."""
    k = canvas.px_per_mm
    rows = slice(round((canvas.top_mm - zone.y1) * k), round((canvas.top_mm - zone.y0) * k))
    columns = slice(round((zone.x0 - canvas.left_mm) * k), round((zone.x1 - canvas.left_mm) * k))
    return rows, columns


def _corners(canvas: Canvas, zone: Zone) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Return the corners of a zone in sixteenths of canvas pixels."""
    k = canvas.px_per_mm
    points = [
        ((x - canvas.left_mm) * k, (canvas.top_mm - y) * k)
        for x, y in ((zone.x0, zone.y1), (zone.x1, zone.y1), (zone.x1, zone.y0), (zone.x0, zone.y0))
    ]
    return np.rint((np.array(points) - 0.5) * 16).astype(np.int32)


def _outline(canvas: Canvas, zone: Zone, ink: Floats, width_mm: float) -> None:
    """Draw the outline of a zone."""
    mask = np.zeros(canvas.picture.shape[:2], dtype=np.uint8)
    thick = max(1, round(width_mm * canvas.px_per_mm))
    cv2.polylines(mask, [_corners(canvas, zone)], True, 255, thick, cv2.LINE_AA, 4)
    _blend(canvas, mask, ink, 0.85)


def _write(canvas: Canvas, text: str, zone: Zone, ink: Floats) -> None:
    """Write the name of a lane into a corner of its zone."""
    mask = np.zeros(canvas.picture.shape[:2], dtype=np.uint8)
    k = canvas.px_per_mm
    size = 9.0 * k / 22.0
    place = (round((zone.x0 + 4 - canvas.left_mm) * k), round((canvas.top_mm - zone.y1 + 13) * k))
    cv2.putText(mask, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, 255, max(1, round(1.1 * k)), cv2.LINE_AA)
    _blend(canvas, mask, ink, 0.8)


def _blend(
    canvas: Canvas, mask: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], ink: Floats, share: float
) -> None:
    """Put ink where the mask is."""
    ys, xs = np.nonzero(mask)
    strength = (mask[ys, xs].astype(np.float32) / 255 * share)[:, None]
    spots = canvas.picture[ys, xs]
    canvas.picture[ys, xs] = spots + (ink - spots) * strength


def _shade_around(canvas: Canvas, zone: Zone, height_mm: float, light: Light) -> None:
    """Draw the shadow that something of a height casts onto what lies around it."""
    mask = np.zeros(canvas.picture.shape[:2], dtype=np.uint8)
    slant = height_mm / max(light.towards[2], 0.3)
    moved = Zone(
        zone.x0 - light.towards[0] * slant,
        zone.y0 - light.towards[1] * slant,
        zone.x1 - light.towards[0] * slant,
        zone.y1 - light.towards[1] * slant,
    )
    cv2.fillConvexPoly(mask, _corners(canvas, moved), 255, cv2.LINE_AA, 4)
    cv2.fillConvexPoly(mask, _corners(canvas, zone), 255, cv2.LINE_AA, 4)
    blur = max(0.6, (0.4 + 0.35 * height_mm) * canvas.px_per_mm * (0.5 + light.softness))
    soft = cv2.GaussianBlur(mask, (0, 0), blur).astype(np.float32) / 255
    canvas.picture[...] *= (1 - 0.38 * soft)[..., None]


def _raise_bar(
    canvas: Canvas, zone: Zone, colour: tuple[int, int, int], light: Light, *, upright: bool
) -> None:
    """Draw a bar of a rim with rounded edges."""
    rows, columns = _part(canvas, zone)
    shape = canvas.picture[rows, columns].shape[:2]
    if 0 in shape:
        return
    count = shape[1] if upright else shape[0]
    across = (np.arange(count, dtype=np.float32) + 0.5) / count * 2 - 1
    slope = across**3 * 0.9
    towards = light.towards[0] if upright else -light.towards[1]
    lit = 0.82 + 0.28 * (slope * towards) - 0.16 * across**4
    tone = np.asarray(colour, dtype=np.float32) / 255
    strip = lit[None, :] if upright else lit[:, None]
    canvas.picture[rows, columns] = np.clip(strip[..., None] * tone, 0, 1) * np.ones((*shape, 1), np.float32)


def _stamp(canvas: Canvas, ident: int, corners: list[tuple[float, float]]) -> None:
    """Print a marker with its white border."""
    k = canvas.px_per_mm
    (x, y) = corners[0]
    white = Zone(x - _WHITE_MM, y - MARKER_MM - _WHITE_MM, x + MARKER_MM + _WHITE_MM, y + _WHITE_MM)
    rows, columns = _part(canvas, white)
    canvas.picture[rows, columns] = 0.93
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, MARKERS))
    image = cv2.aruco.generateImageMarker(dictionary, ident, 120)
    grey = np.asarray(image, dtype=np.float32) / 255 * 0.86 + 0.06
    target = np.array(
        [((px - canvas.left_mm) * k, (canvas.top_mm - py) * k) for px, py in corners], dtype=np.float32
    )
    source = np.array([[0, 0], [120, 0], [120, 120], [0, 120]], dtype=np.float32)
    # Pixel centres lie half a pixel inside.
    matrix = cv2.getPerspectiveTransform(source - 0.5, target - 0.5)
    size = (canvas.picture.shape[1], canvas.picture.shape[0])
    printed = cv2.warpPerspective(grey, matrix, size, flags=cv2.INTER_AREA)
    cover = cv2.warpPerspective(np.ones_like(grey), matrix, size, flags=cv2.INTER_AREA)
    # Outside the marker `printed` is 0, so at its border it is already weighted by `cover`.
    canvas.picture[...] = canvas.picture * (1 - cover[..., None]) + printed[..., None]
