"""Keeps lanes and watcher aligned with a calibrated table when the camera or the mat is moved.

What is observed while the table may have moved is held back until it is known where it is: it would be put
into wrong lanes. A table that is lost is not watched; when it is found again, all of it is read anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from device.errors import BadInput
from device.lanes import Lanes
from vision.frame import Frame, Image
from vision.tracking import Track
from vision.watch import Observation, TableArea

if TYPE_CHECKING:
    from calibration.drift import DriftReport
    from calibration.geometry import TableGeometry
    from calibration.profile import Profile


class Watched(Protocol):
    """A watcher that can be told where in the picture the table is (`vision.watch.TableWatcher`)."""

    def push(self, frame: Frame) -> tuple[Observation, ...]:
        """Look at the next frame."""
        ...

    @property
    def dice(self) -> tuple[Track, ...]:
        """The dice on the table."""
        ...

    def moved_to(self, area: TableArea, centres_px: Mapping[int, tuple[float, float]]) -> None:
        """The same table is seen from elsewhere now."""
        ...


class Alignment:
    """Shows a watcher the frames of one calibrated table, as long as it is known where that is."""

    def __init__(self, lanes: Lanes, reference: Image | None = None) -> None:
        """Guard the table of `lanes`.

        `reference` is the picture of its calibration, (H, W, 3) uint8 BGR; None: the first frame.
        """
        from calibration.drift import DriftGuard

        self._lanes = lanes
        self._guard = DriftGuard(lanes.profile, reference)
        self._lost = False
        self._held: list[Observation] = []
        self._warned: set[str] = set()
        self._notes: list[str] = []
        self._dice_before: tuple[Track, ...] | None = None

    @property
    def lost(self) -> bool:
        """Whether the table is not where it was, and was not found again."""
        return self._lost

    def follow(self, frame: Frame, watcher: Watched) -> tuple[Observation, ...]:
        """Show `watcher` a frame and return what it observes; one `camera` when the table is lost."""
        report = self._guard.push(frame)
        self._note(report)
        if report.state == "lost" and not self._lost:
            self._lost, self._dice_before = True, None
            self._held.clear()
            return (Observation("camera", frame.t_ns, frame.index, sure=False, reason=report.reason),)
        if self._lost and report.state in ("moved", "lost", "blind"):
            return ()
        if report.state == "moved" and self._dice_before is None:
            self._dice_before = watcher.dice
        if report.state == "realigned" or self._lost:
            self._found_again(report.geometry, watcher)
        observations = watcher.push(frame)
        if any(each.kind == "camera" for each in observations):
            # Whatever it was, it is known sooner when the next frame is looked at.
            self._guard.hurry()
        if report.state == "moved":
            self._held += observations
            return ()
        held, self._held, self._dice_before = tuple(self._held), [], None
        return (*held, *observations)

    def notes(self) -> tuple[str, ...]:
        """Return what is newly to be said about light, colours and focus: sentences, each once."""
        notes, self._notes = tuple(self._notes), []
        return notes

    def _note(self, report: DriftReport) -> None:
        """Remember warnings that are new: of each kind the first, until the picture is as it was again."""
        now = {_kind_of(warning): warning for warning in report.warnings}
        self._notes += [warning for kind, warning in now.items() if kind not in self._warned]
        self._warned = set(now)

    def _found_again(self, geometry: TableGeometry, watcher: Watched) -> None:
        """Tell lanes and watcher where the table is now."""
        before = watcher.dice if self._dice_before is None else self._dice_before
        centres = self._lanes.moved_to(geometry, before)
        # Dice that were read since the table moved are where they are in the new picture.
        watcher.moved_to(self._lanes.area(), centres if watcher.dice == before else {})
        self._lost = False


def _kind_of(warning: str) -> str:
    """Return a warning without its numbers: it stays the same while the light goes on changing."""
    return "".join(letter for letter in warning if not (letter.isdigit() or letter == "."))


def reference_of(path: Path, profile: Profile) -> Image | None:
    """Return the picture in which the profile at `path` was made; None where it names none.

    Raises:
        BadInput: when the profile names one that cannot be read, or that has another size; one sentence.
    """
    if profile.reference is None:
        return None
    from device.pictures import load_picture

    picture = path.parent / profile.reference
    try:
        image = load_picture(picture)
    except BadInput as error:
        raise BadInput(
            f"the profile {path} names the picture {profile.reference}, by which a moved camera is noticed; "
            f"it cannot be read ({error}): put it beside the profile, or calibrate again"
        ) from error
    height, width = image.shape[:2]
    if (width, height) != (profile.camera.width_px, profile.camera.height_px):
        raise BadInput(
            f"the picture {picture} beside the profile has {width}x{height} pixels, the profile is for "
            f"{profile.camera.width_px}x{profile.camera.height_px}; calibrate again"
        )
    return image
