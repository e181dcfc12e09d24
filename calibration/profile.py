"""The profile of a table: what calibration found out, as one JSON file that people can read.

Pixels are those of the camera's picture as it comes. The table's frame: mm, x to the right and y down as the
picture shows them, origin at the mat's upper left corner (or wherever the calibration put it).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast, get_args

from calibration.errors import BadProfile, CalibrationError, OtherCamera
from calibration.polygon import PointMm, check_polygon

VERSION = 1
"""The version of the file's form that this program writes, and the only one that it reads."""

MAX_BYTES = 1_000_000
"""A profile has some kilobytes; anything beyond this is another file."""

ZoneKind = Literal["roll", "tray", "bank"]
Matrix = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
"""A 3 x 3 matrix, row by row."""

LIVE_SOURCES = ("picamera", "usb:")
"""How the names of cameras begin; a profile made from a file may be used with any source of its size."""


@dataclass(frozen=True, slots=True)
class CameraId:
    """Which camera the profile is for."""

    source: str
    """`picamera`, `usb:0`, ..., or `file` where the profile was made from pictures."""
    width_px: int
    """Width of its pictures."""
    height_px: int
    """Height of its pictures."""

    def __post_init__(self) -> None:
        """Check the size."""
        if not (16 <= self.width_px <= 20_000 and 16 <= self.height_px <= 20_000):
            raise BadProfile(
                f"camera has pictures of {self.width_px}x{self.height_px} pixels; "
                "wanted sides of 16 to 20000; calibrate again"
            )


@dataclass(frozen=True, slots=True)
class Lens:
    """A camera's lens: OpenCV's pinhole model with Brown's distortion, in pixels of its pictures."""

    matrix: Matrix
    """Camera matrix: focal lengths and principal point in pixels."""
    distortion: tuple[float, float, float, float, float]
    """k1, k2, p1, p2, k3."""

    def __post_init__(self) -> None:
        """Check that it is a lens at all."""
        (fx, _, _), (_, fy, _), last = self.matrix
        if not all(map(math.isfinite, (*self.matrix[0], *self.matrix[1], *last, *self.distortion))):
            raise BadProfile("lens holds a value that is no number; calibrate the lens again")
        if fx <= 0 or fy <= 0 or last != (0.0, 0.0, 1.0):
            raise BadProfile(
                f"lens.matrix must be [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] with fx, fy above 0, "
                f"got {[list(row) for row in self.matrix]}; calibrate the lens again"
            )
        if any(abs(k) > 10 for k in self.distortion):
            raise BadProfile(
                f"lens.distortion {list(self.distortion)} bends like no real lens; calibrate it again"
            )


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the table."""

    kind: ZoneKind
    """`roll`: dice are thrown here; `tray`: set-aside dice lie here; `bank`: a hand here means "bank"."""
    lane: str | None
    """The lane that it belongs to; None: everybody's."""
    polygon_mm: tuple[PointMm, ...]
    """Its corners in mm on the table, in order."""

    def __post_init__(self) -> None:
        """Check kind and polygon."""
        if self.kind not in get_args(ZoneKind):
            raise BadProfile(f"a zone has the kind {self.kind!r}; wanted roll, tray or bank")
        of = "" if self.lane is None else f" of {self.lane!r}"
        check_polygon(self.polygon_mm, f"the {self.kind} zone{of}")


@dataclass(frozen=True, slots=True)
class Lane:
    """One player's part of the table."""

    name: str
    """The player's name, or a number as text."""
    colour: tuple[float, float, float] | None = None
    """CIE L*, a*, b* of the player's dice; None: any dice."""


@dataclass(frozen=True, slots=True)
class Markers:
    """The markers printed on the mat."""

    dictionary: str
    """Name of the ArUco dictionary in OpenCV."""
    corners_mm: tuple[tuple[int, tuple[PointMm, PointMm, PointMm, PointMm]], ...]
    """(id, its four corners in mm: upper left first, clockwise as printed), in order of the ids."""

    def __post_init__(self) -> None:
        """Check ids and corners."""
        if not self.dictionary.startswith("DICT_"):
            raise BadProfile(f"markers.dictionary is {self.dictionary!r}; wanted a name such as DICT_4X4_50")
        idents = [ident for ident, _ in self.corners_mm]
        if not idents or len(set(idents)) != len(idents) or min(idents) < 0:
            raise BadProfile("markers.corners_mm must hold at least one marker, each id once, from 0 on")
        for ident, corners in self.corners_mm:
            check_polygon(corners, f"marker {ident}")


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything that is known of one camera above one table."""

    name: str
    """What the user calls it."""
    camera: CameraId
    """The camera."""
    table_from_image: Matrix
    """Homography: pixel (after undistortion, when there is a lens) -> mm on the table."""
    zones: tuple[Zone, ...]
    """Where dice are thrown and laid; at least one of kind `roll`."""
    lanes: tuple[Lane, ...] = ()
    """The players' lanes, in seat order; empty: one shared table."""
    die_mm: float = 16.0
    """Side of the dice."""
    still_mm: float = 1.5
    """A die that moved less than this lies still."""
    lens: Lens | None = None
    """The lens, or None when its distortion need not be known."""
    markers: Markers | None = None
    """The mat's markers, or None without a mat."""
    reference: str | None = None
    """File name, beside the profile, of the picture in which the table was calibrated (drift guard)."""
    made: str = ""
    """ISO date."""

    def __post_init__(self) -> None:
        """Check what has to fit together."""
        if not 4.0 <= self.die_mm <= 60.0:
            raise BadProfile(f"die_mm is {self.die_mm:g}; dice have sides of 4 to 60 mm")
        if not 0.1 <= self.still_mm <= self.die_mm:
            raise BadProfile(f"still_mm is {self.still_mm:g}; wanted 0.1 to die_mm ({self.die_mm:g})")
        if not any(zone.kind == "roll" for zone in self.zones):
            raise BadProfile("zones has no zone of kind roll; dice must be thrown somewhere: calibrate again")
        names = [lane.name for lane in self.lanes]
        if len(set(names)) != len(names):
            raise BadProfile(f"lanes has a name twice in {names}; give each lane its own name")
        for zone in self.zones:
            if zone.lane is not None and zone.lane not in names:
                raise BadProfile(
                    f"a {zone.kind} zone belongs to the lane {zone.lane!r}, but lanes are {names}; "
                    "add the lane or correct the zone"
                )
        for name in names:
            if not any(zone.lane == name and zone.kind == "roll" for zone in self.zones):
                raise BadProfile(f"the lane {name!r} has no roll zone; give it one or take it out of lanes")
        _check_homography(self)


def _check_homography(profile: Profile) -> None:
    """Raise BadProfile unless the zones lie in front of the camera, not mirrored and not edge-on."""
    h = profile.table_from_image
    if not all(math.isfinite(value) for row in h for value in row):
        raise BadProfile("table_from_image holds a value that is no number; calibrate again")
    det = (
        h[0][0] * (h[1][1] * h[2][2] - h[1][2] * h[2][1])
        - h[0][1] * (h[1][0] * h[2][2] - h[1][2] * h[2][0])
        + h[0][2] * (h[1][0] * h[2][1] - h[1][1] * h[2][0])
    )
    if det == 0:
        raise BadProfile("table_from_image flattens the table to a line; calibrate again")
    # Third row of the adjugate; row·(x, y, 1) = det·w with w the third coordinate of the point's picture. The
    # Jacobian of table -> picture there is det² / (row·(x, y, 1))³: below 0 mirrored, or behind the camera.
    row = (
        h[1][0] * h[2][1] - h[1][1] * h[2][0],
        h[0][1] * h[2][0] - h[0][0] * h[2][1],
        h[0][0] * h[1][1] - h[0][1] * h[1][0],
    )
    for zone in profile.zones:
        for x, y in zone.polygon_mm:
            w = row[0] * x + row[1] * y + row[2]
            if w <= 0:
                raise BadProfile(
                    f"table_from_image shows the {zone.kind} zone mirrored or behind the camera at "
                    f"({x:g}, {y:g}) mm; calibrate again with a picture that is not mirrored"
                )


def check_camera(profile: Profile, source: str, width_px: int, height_px: int) -> None:
    """Raise OtherCamera unless the profile fits pictures of `source` of this size.

    A profile of one camera is refused for another one; files may be anybody's and are checked by size only.
    """
    made_for = profile.camera
    if _is_camera(source) and _is_camera(made_for.source) and source != made_for.source:
        raise OtherCamera(
            f"the profile {profile.name!r} was made for the camera {made_for.source}, not for {source}; "
            f"calibrate this one with: croupier calibrate {source}"
        )
    if (width_px, height_px) != (made_for.width_px, made_for.height_px):
        turned = (height_px, width_px) == (made_for.width_px, made_for.height_px)
        raise OtherCamera(
            f"the profile {profile.name!r} is for pictures of {made_for.width_px}x{made_for.height_px} pixels"
            f"{', upright' if turned and made_for.height_px > made_for.width_px else ''}, "
            f"{source} gives {width_px}x{height_px}; set the camera to that size or calibrate again"
        )


def _is_camera(source: str) -> bool:
    return source.startswith(LIVE_SOURCES)


def realigned(profile: Profile, table_from_image: Matrix) -> Profile:
    """The same profile for a camera or mat that has moved."""
    return replace(profile, table_from_image=table_from_image)


# --- The file ----------------------------------------------------------------------------------------------


def load_profile(path: Path | str) -> Profile:
    """Read and check a profile.

    Raises:
        BadProfile: one sentence that names the file, the field, what was wanted and what to do.
    """
    path = Path(path)
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise BadProfile(f"{path} has {size} bytes; a profile is far smaller: is this another file?")
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise BadProfile(
            f"there is no profile {path}; make one with: croupier calibrate SOURCE --out {path}"
        ) from None
    except UnicodeDecodeError:
        raise BadProfile(
            f"{path} is no profile: it is not text; wanted what croupier calibrate wrote"
        ) from None
    except OSError as error:
        raise BadProfile(f"cannot read the profile {path}: {error.strerror or error}") from error
    try:
        document = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise BadProfile(f"{path} is no profile: it is nested too deeply") from None
    except ValueError as error:
        where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise BadProfile(f"{path} is not valid JSON ({where}); correct it or calibrate again") from None
    try:
        return profile_from_json(document)
    except CalibrationError as error:
        raise BadProfile(f"{path}: {error}") from error


def save_profile(profile: Profile, path: Path | str) -> None:
    """Write a profile, wholly or not at all.

    Raises:
        BadProfile: when the folder cannot be written to.
    """
    path = Path(path)
    part = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    try:
        part.write_text(profile_as_text(profile), encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise BadProfile(
            f"cannot write the profile {path}: {error.strerror or error}; choose another folder"
        ) from error


def profile_as_text(profile: Profile) -> str:
    """The file's text: JSON with one short line for each point, matrix row and marker."""
    return laid_out(profile_as_json(profile)) + "\n"


def laid_out(value: object, indent: str = "") -> str:
    """JSON in which whatever fits into one line stands in one line."""
    short = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(short) <= 100 or not isinstance(value, dict | list) or not value:
        return short
    deeper = indent + " "
    if isinstance(value, dict):
        lines = [
            f"{deeper}{json.dumps(k, ensure_ascii=False)}: {laid_out(v, deeper)}" for k, v in value.items()
        ]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + laid_out(v, deeper) for v in value) + f"\n{indent}]"


def profile_as_json(profile: Profile) -> dict[str, object]:
    """The profile as plain JSON values."""
    lens, markers, camera = profile.lens, profile.markers, profile.camera
    return {
        "croupier_profile": VERSION,
        "name": profile.name,
        "camera": {"source": camera.source, "width_px": camera.width_px, "height_px": camera.height_px},
        "lens": None
        if lens is None
        else {"matrix": [list(row) for row in lens.matrix], "distortion": list(lens.distortion)},
        "table_from_image": [list(row) for row in profile.table_from_image],
        "die_mm": profile.die_mm,
        "still_mm": profile.still_mm,
        "zones": [
            {"kind": zone.kind, "lane": zone.lane, "polygon_mm": points_as_json(zone.polygon_mm)}
            for zone in profile.zones
        ],
        "lanes": [
            {"name": lane.name, "colour": None if lane.colour is None else list(lane.colour)}
            for lane in profile.lanes
        ],
        "markers": None
        if markers is None
        else {
            "dictionary": markers.dictionary,
            "corners_mm": {str(ident): points_as_json(corners) for ident, corners in markers.corners_mm},
        },
        "reference": profile.reference,
        "made": profile.made,
    }


def points_as_json(points: Sequence[PointMm]) -> list[list[float]]:
    """Points as [x, y], to a thousandth of a mm."""
    return [[round(x, 3), round(y, 3)] for x, y in points]


def profile_from_json(document: object) -> Profile:
    """Build a profile from plain JSON values.

    Raises:
        BadProfile: for another version, unknown or missing fields, wrong types, and what `Profile` checks.
    """
    if not isinstance(document, dict) or "croupier_profile" not in document:
        if isinstance(document, dict) and "version" in document:
            raise BadProfile("this is a profile of an older form, which is no longer read; calibrate again")
        raise BadProfile('this is no profile: wanted a JSON object with "croupier_profile": 1')
    version = document["croupier_profile"]
    if version != VERSION or isinstance(version, bool):
        raise BadProfile(
            f"this is a profile of version {version!r}, this program reads version {VERSION}; calibrate again"
        )
    fields = Fields(document, "")
    fields.only(
        "croupier_profile",
        *("name", "camera", "lens", "table_from_image", "die_mm", "still_mm", "zones", "lanes"),
        *("markers", "reference", "made"),
    )
    camera = fields.object("camera")
    camera.only("source", "width_px", "height_px")
    return Profile(
        name=fields.text("name"),
        camera=CameraId(camera.text("source"), camera.whole("width_px"), camera.whole("height_px")),
        table_from_image=fields.matrix("table_from_image"),
        zones=tuple(_zone(each) for each in fields.objects("zones")),
        lanes=tuple(_lane(each) for each in fields.objects("lanes")),
        die_mm=fields.number("die_mm"),
        still_mm=fields.number("still_mm"),
        lens=_lens(fields.object("lens")) if fields.given("lens") else None,
        markers=_markers(fields.object("markers")) if fields.given("markers") else None,
        reference=_reference(fields.text("reference")) if fields.given("reference") else None,
        made=fields.text("made") if fields.given("made") else "",
    )


def _zone(fields: Fields) -> Zone:
    fields.only("kind", "lane", "polygon_mm")
    kind = fields.text("kind")
    return Zone(
        cast("ZoneKind", kind),
        fields.text("lane") if fields.given("lane") else None,
        fields.points("polygon_mm"),
    )


def _lane(fields: Fields) -> Lane:
    fields.only("name", "colour")
    colour = fields.numbers("colour", 3) if fields.given("colour") else None
    return Lane(fields.text("name"), None if colour is None else (colour[0], colour[1], colour[2]))


def _lens(fields: Fields) -> Lens:
    fields.only("matrix", "distortion")
    k = fields.numbers("distortion", 5)
    return Lens(fields.matrix("matrix"), (k[0], k[1], k[2], k[3], k[4]))


def _markers(fields: Fields) -> Markers:
    fields.only("dictionary", "corners_mm")
    return Markers(fields.text("dictionary"), marker_corners(fields.object("corners_mm")))


def marker_corners(
    fields: Fields,
) -> tuple[tuple[int, tuple[PointMm, PointMm, PointMm, PointMm]], ...]:
    """The markers of `{"0": [[x, y] * 4], ...}`, in order of their ids."""
    corners = []
    for key in fields.values:
        if not (key.isascii() and key.isdecimal() and len(key) < 6):
            raise BadProfile(f"{fields.where}{key} must be the number of a marker")
        four = fields.points(key)
        if len(four) != 4:
            raise BadProfile(f"{fields.where}{key} has {len(four)} corners; a marker has 4")
        corners.append((int(key), (four[0], four[1], four[2], four[3])))
    return tuple(sorted(corners))


def _reference(name: str) -> str:
    if Path(name).name != name:
        raise BadProfile(f"reference is {name!r}; wanted the name of a file beside the profile")
    return name


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


class Fields:
    """One JSON object that is being read; every complaint names the field."""

    def __init__(self, values: object, where: str) -> None:
        """Take what stands at `where` ("" for the whole)."""
        if not isinstance(values, dict):
            raise BadProfile(f"{where.rstrip('.')} must be an object, got {_shown(values)}")
        self.values: Mapping[str, object] = values
        self.where = where

    def only(self, *names: str) -> None:
        """Refuse fields of any other name."""
        unknown = sorted(set(self.values) - set(names))
        if unknown:
            raise BadProfile(
                f"there is a field {self.where}{unknown[0]} that this program does not know; "
                "take it out, or use the program that wrote it"
            )

    def given(self, name: str) -> bool:
        """Whether a field is there and not null."""
        return self.values.get(name) is not None

    def _value(self, name: str) -> object:
        if name not in self.values:
            raise BadProfile(f"the field {self.where}{name} is missing; calibrate again")
        return self.values[name]

    def _bad(self, name: str, wanted: str, value: object) -> BadProfile:
        return BadProfile(f"{self.where}{name} must be {wanted}, got {_shown(value)}")

    def text(self, name: str) -> str:
        """A text that is not empty."""
        value = self._value(name)
        if not isinstance(value, str) or not value.strip() or len(value) > 500:
            raise self._bad(name, "a text", value)
        return value

    def whole(self, name: str) -> int:
        """A whole number."""
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._bad(name, "a whole number", value)
        return value

    def number(self, name: str) -> float:
        """A number."""
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._bad(name, "a number", value)
        return _float(value)

    def numbers(self, name: str, count: int) -> tuple[float, ...]:
        """So many numbers."""
        value = self._value(name)
        if not isinstance(value, list) or len(value) != count or not all(map(_is_number, value)):
            raise self._bad(name, f"{count} numbers", value)
        return tuple(_float(each) for each in value)

    def points(self, name: str) -> tuple[PointMm, ...]:
        """A list of [x, y]."""
        value = self._value(name)
        if not isinstance(value, list) or not all(
            isinstance(each, list) and len(each) == 2 and all(map(_is_number, each)) for each in value
        ):
            raise self._bad(name, "a list of points [x, y] in mm", value)
        return tuple((_float(x), _float(y)) for x, y in value)

    def matrix(self, name: str) -> Matrix:
        """Three rows of three numbers."""
        value = self._value(name)
        if (
            not isinstance(value, list)
            or len(value) != 3
            or not all(isinstance(r, list) and len(r) == 3 and all(map(_is_number, r)) for r in value)
        ):
            raise self._bad(name, "three rows of three numbers", value)
        rows = [(_float(a), _float(b), _float(c)) for a, b, c in value]
        return rows[0], rows[1], rows[2]

    def object(self, name: str) -> Fields:
        """An object inside this one."""
        return Fields(self._value(name), f"{self.where}{name}.")

    def objects(self, name: str) -> list[Fields]:
        """A list of objects."""
        value = self._value(name)
        if not isinstance(value, list):
            raise self._bad(name, "a list", value)
        return [Fields(each, f"{self.where}{name}[{index}].") for index, each in enumerate(value)]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _float(value: float) -> float:
    """A JSON number as a float; one too large for it becomes infinite, which the checks refuse."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
