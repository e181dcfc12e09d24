"""The bridge from vision to the scorer: an observation of the table as plain numbers, lane by lane.

Without a calibration the whole picture is one shared roll zone. With one, each die is placed in millimetres,
and its place says in whose lane it lies and whether it is in the tray.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from device.errors import BadInput
from scorer.lane import LaneDie, LaneView, Zone
from vision.detection import DieState
from vision.tracking import Track
from vision.watch import AT_START, Observation, TableArea

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibration.geometry import TableGeometry
    from calibration.profile import Profile
    from calibration.profile import Zone as ZoneOnTable
    from device.cameras.peek import Peeked
    from device.dice_colours import DieColour

BESIDE_DICE = 1.5
"""A die so few sides outside of every zone belongs to the nearest one: it rolled over the line."""
PointMm = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a die lies."""

    lane: str | None
    """Name of the lane, or None for what belongs to everybody."""
    zone: Zone
    """Roll zone or tray."""
    at_mm: PointMm
    """The middle of the die on the table."""


class Lanes:
    """Where dice lie on one calibrated table."""

    def __init__(self, geometry: TableGeometry) -> None:
        """Take the geometry of a profile."""
        profile = geometry.profile
        self.profile: Profile = profile
        """The profile as it was read."""
        self._geometry = geometry
        self.die_mm: float = profile.die_mm
        """Side of a die."""
        self._zones = [zone for zone in profile.zones if zone.kind != "bank"]
        self._signs = [zone for zone in profile.zones if zone.kind == "bank"]
        rolls = {zone.lane for zone in profile.zones if zone.kind == "roll"}
        order = [lane.name for lane in profile.lanes]
        known = [name for name in order if name in rolls]
        known += sorted(name for name in rolls if name is not None and name not in order)
        self.names: tuple[str, ...] = tuple(known) if len(rolls) > 1 else ()
        """The lanes in the profile's order; empty where all share one roll zone."""

    def moved_to(self, geometry: TableGeometry, dice: Sequence[Track]) -> dict[int, tuple[float, float]]:
        """The same table is seen from elsewhere now; returns where dice are in the new picture, by id."""
        old, self._geometry = self._geometry, geometry
        if not dice:
            return {}
        places = geometry.to_px(old.to_mm([track.detection.centre_px for track in dice]))
        return {track.id: (float(x), float(y)) for track, (x, y) in zip(dice, places, strict=True)}

    def area(self) -> TableArea:
        """Return what the watcher is told of the table."""
        profile = self._geometry.profile
        return TableArea(
            die_px=self._geometry.die_px,
            region_px=self._geometry.region_px,
            shift_sizes=max(profile.still_mm, 0.5) / profile.die_mm,
            signs_px=tuple(self._box_of(zone) for zone in self._signs),
        )

    def sign_lane(self, sign: int) -> str | None:
        """Return whose bank zone the sign with this number was given at; None: everybody's."""
        return self._signs[sign].lane if 0 <= sign < len(self._signs) else None

    def outlines_px(self) -> tuple[tuple[str | None, NDArray[np.float64]], ...]:
        """Return the outline of every zone that dice lie in, (N, 2) pixels, with the name of its lane."""
        return tuple((zone.lane, self._geometry.outline_px(zone)) for zone in self._zones)

    def place(self, track: Track) -> Place | None:
        """Return where a die lies; None when it is off all zones and does not count."""
        side = self._geometry.profile.die_mm
        x, y = self._geometry.to_mm([track.detection.centre_px], height_mm=side / 2)[0]
        point = (float(x), float(y))
        distance, zone = min(
            ((_outside_mm(zone, point), zone) for zone in self._zones), key=lambda each: each[0]
        )
        if distance > BESIDE_DICE * side:
            return None
        lane = zone.lane if self.names else None
        return Place(lane, "tray" if zone.kind == "tray" else "roll", point)

    def seats(self, players: Sequence[str]) -> tuple[str, ...]:
        """Return the lane of each player: by name where all are named so, else in the order of the lanes.

        Raises:
            BadInput: when there are more players than lanes.
        """
        if not self.names:
            return ()
        folded = {name.casefold(): name for name in self.names}
        if all(player.casefold() in folded for player in players):
            return tuple(folded[player.casefold()] for player in players)
        if len(players) > len(self.names):
            raise BadInput(
                f"{len(players)} play, but the profile {self._geometry.profile.name!r} has lanes for "
                f"{len(self.names)} ({', '.join(self.names)}); calibrate with a lane for each player, "
                "or let fewer play"
            )
        return self.names[: len(players)]

    def _box_of(self, zone: ZoneOnTable) -> tuple[float, float, float, float]:
        outline = self._geometry.outline_px(zone)
        (left, top), (right, bottom) = outline.min(axis=0), outline.max(axis=0)
        return float(left), float(top), float(right - left), float(bottom - top)


def load_lanes(path: Path, source: str, size_px: tuple[int, int] | None = None) -> Lanes:
    """Read a profile; with `size_px` (width, height) check that it is for pictures of that size.

    Raises:
        BadInput: for a file that is no profile, or one of another camera; one sentence.
    """
    from calibration.errors import CalibrationError
    from calibration.geometry import TableGeometry
    from calibration.profile import check_camera, load_profile

    try:
        profile = load_profile(path)
        if size_px is not None:
            check_camera(profile, source, *size_px)
        return Lanes(TableGeometry(profile))
    except CalibrationError as error:
        raise BadInput(str(error)) from error


def lanes_for(path: Path, source: Peeked) -> Lanes:
    """Read the profile of a source and check that it is for this camera and for pictures of this size.

    Raises:
        BadInput: as `load_lanes`.
    """
    size = None if source.first is None else (source.first.width_px, source.first.height_px)
    return load_lanes(path, source.name, size)


def lane_views(
    observation: Observation, lanes: Lanes | None = None, colours: Mapping[int, DieColour] | None = None
) -> tuple[LaneView, ...]:
    """Return the dice of a `rest` as the referee wants them, in reading order: one view a lane.

    Of several lanes those are left out in which no die has moved. Without `lanes` it is one view of all dice.
    `colours` are those of the dice, by id, as far as they are known.
    """
    sizes = [track.detection.size_px for track in observation.dice]
    die_px = max(median(sizes), 1.0) if sizes else 1.0
    by_lane: dict[str | None, list[LaneDie]] = {}
    for track in observation.dice:
        at = (track.detection.centre_px[0] / die_px, track.detection.centre_px[1] / die_px)
        lane: str | None = None
        zone: Zone = "roll"
        if lanes is not None:
            place = lanes.place(track)
            if place is None:
                continue
            lane, zone = place.lane, place.zone
            side = lanes.die_mm
            at = (place.at_mm[0] / side, place.at_mm[1] / side)
        colour = None if colours is None else colours.get(track.id)
        by_lane.setdefault(lane, []).append(_die(track, at, zone, None if colour is None else colour.name))
    several = lanes is not None and bool(lanes.names)
    return tuple(
        LaneView(
            t_ns=observation.t_ns,
            dice=tuple(dice),
            thrown=observation.reason != AT_START,
            lane=lane,
            lifted=observation.lifted,
        )
        for lane, dice in by_lane.items()
        if not several or any(die.moved for die in dice)
    )


def lane_view(observation: Observation) -> LaneView:
    """Return all dice of a `rest` as one view, for a table without a calibration."""
    found = lane_views(observation)
    thrown = observation.reason != AT_START
    return found[0] if found else LaneView(t_ns=observation.t_ns, dice=(), thrown=thrown)


def _die(track: Track, at: tuple[float, float], zone: Zone, colour: str | None) -> LaneDie:
    return LaneDie(
        id=track.id,
        value=track.detection.value,
        sure=track.detection.sure,
        moved=track.moved,
        cocked=track.detection.state is DieState.COCKED,
        zone=zone,
        at=at,
        colour=colour,
    )


def _outside_mm(zone: ZoneOnTable, point: PointMm) -> float:
    """Return how far outside of a zone a point lies, in mm; below 0 inside, the deeper the lower."""
    import cv2
    import numpy as np

    corners = np.array(zone.polygon_mm, np.float32).reshape(-1, 1, 2)
    return -float(cv2.pointPolygonTest(corners, point, True))
