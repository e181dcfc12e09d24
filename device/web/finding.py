"""Finding the table from a phone: one picture of the camera, a mat or four corners, zones, a proof roll.

Places are told as fractions of the picture: its size on the screen is the affair of the phone.
"""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from calibration.geometry import TableGeometry
from calibration.markers import MarkersSeen, find_markers
from calibration.profile import LIVE_SOURCES, CameraId, Profile
from device.calibrating import Calibrated, Glance, Wishes, calibrate_table, save_calibrated
from device.errors import BadInput
from vision.detection import Detection, DieState

if TYPE_CHECKING:
    from device.web.asked import FindRequest, ZonesRequest
    from device.web.evening import Evening
    from vision.detection import DiceReader
    from vision.frame import Image

FOLDER = "tables"
"""Calibrations that were made from a phone, in the folder of the games."""


class Finder:
    """Makes one calibration at a time; any thread may call."""

    def __init__(self, evening: Evening, *, reader: DiceReader | None = None) -> None:
        """Look through the camera of `evening`; `reader` takes the place of the network."""
        self._evening = evening
        self._reader = reader
        self._found: Calibrated | None = None
        self._lock = Lock()

    def find(self, wanted: FindRequest) -> dict[str, Any]:
        """Find the table, and tell what is seen.

        Raises:
            BadInput: there is no picture.
            CalibrationError: with what is missing and what to do.
        """
        with self._lock:
            image = self._image()
            height, width = image.shape[:2]
            source = self._evening.wanted.source
            live = source.startswith(LIVE_SOURCES)
            players = tuple(wanted.players) if wanted.lanes else ()
            wishes = Wishes(
                name="table",
                made=time.strftime("%Y-%m-%d"),
                die_mm=wanted.die_mm,
                players=players,
                corners_px=()
                if wanted.corners is None
                else tuple((x * width, y * height) for x, y in wanted.corners),
                width_mm=wanted.width_mm,
                lanes=len(players),
                tray=wanted.tray,
            )
            seen = MarkersSeen({}) if wishes.corners_px else find_markers(image)
            camera = CameraId(source if live else "file", width, height)
            self._found = calibrate_table(Glance(image, camera, seen), wishes, self._dice_reader())
            return self._told(self._found)

    def take_zones(self, wanted: ZonesRequest) -> dict[str, Any]:
        """Put the zones where they were dragged to.

        Raises:
            BadInput: there is no calibration yet, or other zones.
            CalibrationError: a zone that no table can have.
        """
        with self._lock:
            found = self._needed()
            profile = found.profile
            if len(wanted.zones) != len(profile.zones):
                raise BadInput(
                    f"the table has {len(profile.zones)} zones, got {len(wanted.zones)}; find it again"
                )
            geometry = TableGeometry(profile)
            size = np.array([profile.camera.width_px, profile.camera.height_px], dtype=np.float64)
            zones = []
            for zone, corners in zip(profile.zones, wanted.zones, strict=True):
                points = geometry.to_mm(np.array(corners, dtype=np.float64) * size)
                zones.append(replace(zone, polygon_mm=tuple((float(x), float(y)) for x, y in points)))
            self._found = replace(found, profile=replace(profile, zones=tuple(zones)))
            return self._told(self._found)

    def proof(self) -> dict[str, Any]:
        """Read the dice on the table now.

        Raises:
            BadInput: there is no calibration yet, or no picture.
        """
        with self._lock:
            found, image = self._needed(), self._image()
            geometry = TableGeometry(found.profile)
            camera = found.profile.camera
            if image.shape[1::-1] != (camera.width_px, camera.height_px):
                raise BadInput("the camera has pictures of another size now; find the table again")
            reading = self._dice_reader().read(image, size_px=geometry.die_px, region_px=geometry.region_px)
            inside = tuple(die for die in reading.dice if _lies_in(geometry, die))
            self._found = replace(found, dice=inside)
            return self._told(self._found)

    def save(self, name: str) -> dict[str, Any]:
        """Write the calibration, and use it for the games that begin from now on.

        Raises:
            BadInput: there is none yet, or the disk refuses.
        """
        with self._lock:
            found = self._needed()
            folder = self._evening.store / FOLDER
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise BadInput(f"cannot write to {folder}: {error.strerror}") from error
            called = " ".join(name.split())
            path = folder / f"{called.replace(' ', '-')}.json"
            save_calibrated(replace(found, profile=replace(found.profile, name=called)), path)
            self._evening.use_profile(path)
            return {"ok": True, "name": called}

    def _needed(self) -> Calibrated:
        if self._found is None:
            raise BadInput("the table was not found yet; find it first")
        return self._found

    def _image(self) -> Image:
        frame = self._evening.desk.picture
        if frame is None:
            raise BadInput("the camera shows nothing just now; is there one?")
        return frame.image

    def _dice_reader(self) -> DiceReader:
        if self._reader is None:
            from vision.reader import Reader

            self._reader = Reader()
        return self._reader

    def _told(self, found: Calibrated) -> dict[str, Any]:
        """Return what was found, for the phone."""
        profile = found.profile
        geometry = TableGeometry(profile)
        return {
            "zones": [
                {
                    "kind": zone.kind,
                    "lane": zone.lane,
                    "corners": _fractions(zone.polygon_mm, geometry, profile),
                }
                for zone in profile.zones
            ],
            "lanes": [lane.name for lane in profile.lanes],
            "die_px": round(geometry.die_px, 1),
            "die_mm": profile.die_mm,
            "mat": profile.markers is not None,
            "error_mm": None if found.error_mm is None else round(found.error_mm, 2),
            "findings": [
                {"what": each.what, "text": each.text, "ok": each.ok, "advice": each.advice}
                for each in found.findings
            ],
            "notes": list(found.notes),
            "values": found.values,
            "dice": [_die_json(die, profile.camera) for die in found.dice],
            "sure": all(die.sure for die in found.dice),
        }


def _lies_in(geometry: TableGeometry, die: Detection) -> bool:
    x, y = geometry.to_mm([die.centre_px], height_mm=geometry.profile.die_mm / 2)[0]
    zone = geometry.zone_at((float(x), float(y)))
    return zone is not None and zone.kind != "bank"


def _fractions(
    polygon_mm: tuple[tuple[float, float], ...], geometry: TableGeometry, profile: Profile
) -> list[list[float]]:
    camera = profile.camera
    points = geometry.to_px(polygon_mm) / np.array([camera.width_px, camera.height_px])
    return [[round(float(x), 5), round(float(y), 5)] for x, y in points]


def _die_json(die: Detection, camera: CameraId) -> dict[str, Any]:
    x, y, width, height = die.box_px
    return {
        "value": die.value if die.sure else None,
        "cocked": die.state is DieState.COCKED,
        "box": [
            round(x / camera.width_px, 5),
            round(y / camera.height_px, 5),
            round(width / camera.width_px, 5),
            round(height / camera.height_px, 5),
        ],
    }
