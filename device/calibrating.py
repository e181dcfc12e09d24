"""The work of `croupier calibrate`: pictures -> a profile, its quality, the dice that lie there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from calibration.corners import rectangle, scaled, width_from_dice
from calibration.dice_colours import learn_colours
from calibration.errors import BadLens, CalibrationError, NotFound
from calibration.geometry import Points, TableGeometry
from calibration.layout import MatLayout, Placed, lanes_in, lay_out, zone_of
from calibration.markers import MIRRORED, MarkersSeen, find_markers, fit_table, mat_ids
from calibration.matcode import kind_of
from calibration.profile import CameraId, Lane, Lens, Markers, Matrix, Profile, Zone
from calibration.quality import Finding, judge
from device.errors import BadInput
from vision.detection import Detection, DiceReader, DieState

if TYPE_CHECKING:
    from vision.frame import Image

MOST_FRAMES = 15
"""So many frames are looked at; the medians of their corners are taken."""
LIVE_FRAMES = 300
"""A live camera is looked at for so long, while the report tells what to change."""
MOST_ERROR_MM = 1.5
"""Markers that lie farther from their places than this: the print is glued askew or bent, or the lens is."""
MUCH_ERROR_PX = 0.6
"""A straight lens over a flat mat stays below a third of this. Four corners fit almost any quadrangle: the
shape of the markers shows the error, and what lies between them is off by more."""
TRAY_SHARE = 0.18
"""Share of the width that a shared tray takes at the right of a table without a mat."""

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user said about the table."""

    name: str
    """Name of the profile."""
    made: str
    """ISO date."""
    die_mm: float
    """Side of the dice."""
    mat: MatLayout | None = None
    """The mat, from its description; None: its markers tell."""
    ruler_mm: float = 100.0
    """What the printed ruler of 100 mm measures in truth."""
    players: tuple[str, ...] = ()
    """Names of the lanes."""
    corners_px: tuple[tuple[float, float], ...] = ()
    """Without a mat: the corners of the table's rectangle in the picture."""
    width_mm: float | None = None
    """Without a mat: its width; None: the dice tell."""
    lanes: int = 0
    """Without a mat: how many lanes."""
    tray: bool = True
    """Without a mat: whether there are trays."""
    lens: Lens | None = None
    """The lens."""


@dataclass(frozen=True, slots=True, eq=False)
class Glance:
    """What the source shows."""

    image: Image
    """The picture that everything is measured in."""
    camera: CameraId
    """Source and size."""
    seen: MarkersSeen
    """Its markers, in the mean of several frames."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibrated:
    """The result."""

    profile: Profile
    """The profile."""
    image: Image
    """The reference picture."""
    findings: tuple[Finding, ...]
    """The quality of the view."""
    dice: tuple[Detection, ...]
    """The dice in the zones: the proof roll."""
    notes: tuple[str, ...]
    """What else the user should know."""
    error_mm: float | None
    """How well the markers agree; None without a mat."""

    @property
    def values(self) -> list[int]:
        """The sorted values of the sure flat dice."""
        return sorted(
            die.value
            for die in self.dice
            if die.sure and die.value is not None and die.state is DieState.FLAT
        )


@contextmanager
def pictures_of(source: str) -> Iterator[tuple[Iterator[Image], bool]]:
    """Open a picture file, folder, video or camera: its pictures, and whether it is live."""
    from device.cameras import open_source
    from device.pictures import PICTURE_SUFFIXES, load_picture

    path = Path(source)
    if path.is_file() and path.suffix.lower() in PICTURE_SUFFIXES:
        yield iter([load_picture(path)]), False
        return
    with open_source(source) as frames:
        yield (frame.image for frame in frames), frames.live


def look(source: str, wishes: Wishes, *, told: Told) -> Glance:
    """Look at the source until enough is seen. A live camera is reported on meanwhile.

    Raises:
        BadInput, DeviceFailed: as the source does.
    """
    best: tuple[int, Image, MarkersSeen] | None = None
    all_seen: list[MarkersSeen] = []
    size: tuple[int, int] | None = None
    last = ""
    with pictures_of(source) as (pictures, live):
        for index, image in enumerate(pictures):
            if size is not None and size != (image.shape[1], image.shape[0]):
                raise BadInput(
                    f"{source} has pictures of {size[0]}x{size[1]} and {image.shape[1]}x{image.shape[0]} "
                    "pixels; a calibration is for one size: give pictures of the same size"
                )
            size = (image.shape[1], image.shape[0])
            seen = MarkersSeen({}) if wishes.corners_px else find_markers(image)
            all_seen.append(seen)
            count = 0 if seen.mirrored else len(seen.corners_px)
            if best is None or count >= best[0]:
                best = (count, image, seen)
            if live and not wishes.corners_px:
                report = _live_report(image, seen, source, wishes)
                if report and report != last and index % 10 == 0:
                    told(report)
                    last = report
                if report and index + 1 < LIVE_FRAMES:
                    continue
            if len([each for each in all_seen if len(each.corners_px) >= count]) >= MOST_FRAMES:
                break
    if best is None or size is None:
        raise BadInput(f"{source} gave no picture; check the camera")
    camera = CameraId(source if live else "file", *size)
    return Glance(best[1], camera, _median(all_seen[-2 * MOST_FRAMES :], best[2]))


def _live_report(image: Image, seen: MarkersSeen, source: str, wishes: Wishes) -> str:
    """What should be changed about the view now, in one line; empty when nothing."""
    try:
        glance = Glance(image, CameraId(source, image.shape[1], image.shape[0]), seen)
        profile, _, _ = _from_mat(glance, wishes)
    except CalibrationError as error:
        return str(error)
    return "; ".join(finding.advice for finding in judge(image, TableGeometry(profile)) if not finding.ok)


def _median(every: Sequence[MarkersSeen], best: MarkersSeen) -> MarkersSeen:
    """The markers of the best frame, each corner the median of the frames in which it lay about there."""
    corners: dict[int, Points] = {}
    for ident, four in best.corners_px.items():
        near = [
            each.corners_px[ident]
            for each in every
            if not each.mirrored
            and ident in each.corners_px
            and float(np.abs(each.corners_px[ident] - four).max()) < 3.0
        ]
        corners[ident] = np.median(np.array(near or [four]), axis=0)
    return MarkersSeen(corners, best.mirrored, best.twice)


def calibrate_table(glance: Glance, wishes: Wishes, reader: DiceReader) -> Calibrated:
    """Make the profile.

    Raises:
        CalibrationError: with what is missing and what to do.
    """
    if wishes.lens is not None:
        _check_lens(wishes.lens, glance.camera)
    notes: list[str] = []
    error_mm: float | None = None
    if wishes.corners_px:
        profile, more = _from_corners(glance, wishes, reader)
    else:
        profile, error_mm, more = _from_mat(glance, wishes)
    notes += more
    geometry = TableGeometry(profile)
    reading = reader.read(glance.image, size_px=geometry.die_px, region_px=geometry.region_px)
    dice = tuple(die for die in reading.dice if _zone_of(geometry, die) is not None)
    sure = [die for die in dice if die.sure]
    profile = replace(profile, lanes=learn_colours(glance.image, sure, geometry))
    notes += [*reading.reasons]
    return Calibrated(profile, glance.image, judge(glance.image, geometry), dice, tuple(notes), error_mm)


def _zone_of(geometry: TableGeometry, die: Detection) -> Zone | None:
    x, y = geometry.to_mm([die.centre_px], height_mm=geometry.profile.die_mm / 2)[0]
    zone = geometry.zone_at((float(x), float(y)))
    return None if zone is None or zone.kind == "bank" else zone


def _check_lens(lens: Lens, camera: CameraId) -> None:
    """Refuse a lens that was measured with pictures of another size: its middle lies elsewhere."""
    cx, cy = lens.matrix[0][2], lens.matrix[1][2]
    if (
        abs(cx - camera.width_px / 2) > 0.2 * camera.width_px
        or abs(cy - camera.height_px / 2) > 0.2 * camera.height_px
    ):
        raise BadLens(
            f"the lens has its middle at ({cx:.0f}, {cy:.0f}), which does not fit pictures of "
            f"{camera.width_px}x{camera.height_px} pixels; measure it with pictures of this size"
        )


def _from_mat(glance: Glance, wishes: Wishes) -> tuple[Profile, float, list[str]]:
    """The profile from the markers of a mat, their error in mm, and remarks."""
    seen, notes = glance.seen, []
    if seen.mirrored:
        raise NotFound(MIRRORED)
    layout = wishes.mat
    if layout is None:
        if not seen.corners_px:
            raise NotFound(
                "no markers of a mat are seen; let the camera see all of it, or, without a mat, give the "
                "corners of the playing area with --corners"
            )
        ids = mat_ids(seen)
        kind = kind_of(ids)
        if kind is None:
            raise NotFound(
                f"the markers {', '.join(map(str, ids))} do not tell how this mat is laid out; give the file "
                "that croupier mat wrote beside it with --mat"
            )
        layout = lay_out(kind, wishes.players)
    elif wishes.players:
        layout = _renamed(layout, wishes.players)
    known = {ident for ident, _ in layout.markers.corners_mm}
    strange = sorted(set(seen.corners_px) - known)
    if strange and len(set(seen.corners_px) & known) < 3:
        raise NotFound(
            f"the markers {', '.join(map(str, strange))} are seen, which this mat does not have; give the "
            "description of the mat on the table"
        )
    here = known & set(seen.corners_px)
    if len(here) < 3:
        raise NotFound(f"{len(here)} of the 4 markers of the mat are seen; at least 3 are needed: clear them")
    scale = wishes.ruler_mm / 100.0
    zones = tuple(replace(zone, polygon_mm=_times(zone.polygon_mm, scale)) for zone in layout.zones)
    corners = tuple((ident, _four(_times(four, scale))) for ident, four in layout.markers.corners_mm)
    markers = Markers(layout.markers.dictionary, corners)
    fit = fit_table(seen.corners_px, markers, wishes.lens)
    if fit.error_mm > MOST_ERROR_MM:
        raise NotFound(
            f"the markers lie {fit.error_mm:.1f} mm from where this mat has them; lay it flat, check how it "
            "was glued, or measure a bent lens with --charuco"
        )
    profile = _profile(glance, wishes, fit.table_from_image, zones, layout.lanes, markers)
    geometry = TableGeometry(profile)
    right = geometry.to_px([[0.0, 0.0], [layout.width_mm * scale, 0.0]])
    dx, dy = right[1] - right[0]
    if dx < 0 and abs(dx) > abs(dy):
        notes.append(
            "the camera sees the mat upside down; that is no fault, only the names stand on their heads"
        )
    if fit.error_px > MUCH_ERROR_PX:
        notes.append(
            f"the markers are {fit.error_px:.1f} px from where they should be: the mat is not flat, was "
            "glued askew, or the lens bends the picture (measure it with --charuco)"
        )
    if len(here) == 3:
        notes.append("one marker is hidden; with all four the table is found more exactly")
    return profile, fit.error_mm, notes


def _times(points: Sequence[tuple[float, float]], factor: float) -> tuple[tuple[float, float], ...]:
    return tuple((x * factor, y * factor) for x, y in points)


def _four(
    points: tuple[tuple[float, float], ...],
) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]:
    return points[0], points[1], points[2], points[3]


def _renamed(layout: MatLayout, players: tuple[str, ...]) -> MatLayout:
    if len(players) != len(layout.lanes):
        raise BadInput(
            f"--players has {len(players)} names, the mat {len(layout.lanes)} lanes; give one a lane"
        )
    names = dict(zip((lane.name for lane in layout.lanes), players, strict=True))
    zones = tuple(
        zone if zone.lane is None else replace(zone, lane=names[zone.lane]) for zone in layout.zones
    )
    return replace(layout, zones=zones, lanes=tuple(Lane(name) for name in players))


def _from_corners(glance: Glance, wishes: Wishes, reader: DiceReader) -> tuple[Profile, list[str]]:
    """The profile from four corners and one length."""
    corners = np.array(wishes.corners_px, dtype=np.float64)
    camera = glance.camera
    if (corners < 0).any() or (corners > (camera.width_px, camera.height_px)).any():
        raise NotFound(
            f"--corners has a corner outside the picture of {camera.width_px}x{camera.height_px} pixels; "
            "give the corners of what the camera sees"
        )
    unit, ratio = rectangle(corners, camera, wishes.lens)
    notes = []
    width = wishes.width_mm
    if width is None:
        whole: Placed = ("roll", None, (0.0, 0.0, 100.0, 100.0 * ratio))
        rough = _profile(glance, wishes, scaled(unit, 100.0), (zone_of(*whole),), (), None)
        geometry = TableGeometry(rough)
        sure = [
            die
            for die in reader.read(glance.image).dice
            if die.sure and die.state is DieState.FLAT and _zone_of(geometry, die) is not None
        ]
        width, error = width_from_dice(unit, ratio, sure, rough)
        notes.append(
            f"the scale was taken from {len(sure)} dice of {wishes.die_mm:g} mm: the table is {width:.0f} mm "
            f"wide, give or take {error:.0f}"
        )
    names = wishes.players or tuple(str(number + 1) for number in range(wishes.lanes))
    inside = (0.0, 0.0, width, width * ratio)
    placed: list[Placed]
    if names:
        placed = lanes_in(inside, names, tray=wishes.tray)
    elif wishes.tray:
        part = TRAY_SHARE * width
        placed = [
            ("roll", None, (0.0, 0.0, width - part, width * ratio)),
            ("tray", None, (width - part, 0.0, part, width * ratio)),
        ]
    else:
        placed = [("roll", None, inside)]
    if any(min(rect[2:]) < 1.5 * wishes.die_mm for _, _, rect in placed):
        raise NotFound(
            f"a table of {width:.0f} x {width * ratio:.0f} mm leaves no room for these lanes and trays; "
            "check --width-mm, or take fewer lanes"
        )
    zones = tuple(zone_of(*each) for each in placed)
    lanes = tuple(Lane(name) for name in names)
    return _profile(glance, wishes, scaled(unit, width), zones, lanes, None), notes


def _profile(
    glance: Glance,
    wishes: Wishes,
    table_from_image: Matrix,
    zones: tuple[Zone, ...],
    lanes: tuple[Lane, ...],
    markers: Markers | None,
) -> Profile:
    return Profile(
        name=wishes.name,
        camera=glance.camera,
        table_from_image=table_from_image,
        zones=zones,
        lanes=lanes,
        die_mm=wishes.die_mm,
        lens=wishes.lens,
        markers=markers,
        made=wishes.made,
    )


def save_calibrated(result: Calibrated, out: Path) -> Profile:
    """Write the reference picture beside `out` and then the profile; returns the profile as written.

    Raises:
        BadInput: the folder cannot be written to.
    """
    import cv2

    from calibration.profile import profile_as_text
    from device.atomic import write_bytes
    from device.errors import DeviceFailed

    done, data = cv2.imencode(".png", result.image)
    if not done:
        raise DeviceFailed("the reference picture could not be written as PNG")
    reference = out.with_name(f"{out.stem}-reference.png")
    profile = replace(result.profile, reference=reference.name)
    write_bytes(reference, data.tobytes())
    write_bytes(out, profile_as_text(profile).encode())
    return profile
