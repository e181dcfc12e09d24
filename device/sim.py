"""Fakes that ship with the program: the test rig of every part that needs a device or a trained network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from vision.detection import Detection, DieState, Reading
from vision.errors import BadImage
from vision.frame import Frame, Image, check_image
from vision.tracking import Track
from vision.watch import AT_START, Observation, TableArea


def scripted_die(
    value: int | None,
    box_px: tuple[float, float, float, float],
    *,
    sure: bool = True,
    cocked: bool = False,
    confidence: float | None = None,
) -> Detection:
    """A detection with the given face and box, all else filled in as a real reader would.

    `confidence` defaults to 0.99 for a sure die and 0.5 for another. The probability of the faces is all on
    `value`, or even where it is None.
    """
    x, y, width, height = box_px
    if confidence is None:
        confidence = 0.99 if sure else 0.5
    faces = [1 / 6] * 6 if value is None else [float(face == value) for face in range(1, 7)]
    return Detection(
        value=value,
        confidence=confidence,
        sure=sure,
        state=DieState.COCKED if cocked else DieState.FLAT,
        box_px=box_px,
        centre_px=(x + width / 2, y + height / 2),
        faces=(faces[0], faces[1], faces[2], faces[3], faces[4], faces[5]),
    )


class ScriptedReader:
    """A `vision.detection.DiceReader` that answers with prepared readings, one a picture, in order.

    It checks its pictures as the real reader does, remembers their shapes, and raises `BadImage` when it
    is asked for more readings than it was given.
    """

    def __init__(self, readings: Iterable[Reading]) -> None:
        """Take the readings to give, in order."""
        self._readings = iter(readings)
        self.shapes: list[tuple[int, ...]] = []
        """The (height, width, 3) of every picture read so far."""

    def read(
        self,
        image: Image,
        *,
        size_px: float | None = None,
        region_px: tuple[int, int, int, int] | None = None,
    ) -> Reading:
        """Return the next prepared reading; `size_px` and `region_px` change nothing."""
        check_image(image)
        self.shapes.append(image.shape)
        reading = next(self._readings, None)
        if reading is None:
            raise BadImage(f"picture {len(self.shapes)} was read, but the script has fewer readings")
        return reading


Face = int | str | None
"""A face 1..6; "?" for a die that cannot be read; "/" for a die that leans."""


class ScriptedTable:
    """A table without a camera: dice are thrown and kept by a script, and each rest is an `Observation`.

    Ids and `moved` follow the promises of `vision.watch.TableWatcher`: a die keeps its id as long as it
    lies where it lay, and has a new one afterwards. Time goes on by two seconds with each rest.
    """

    def __init__(self) -> None:
        """Start with an empty table."""
        self._dice: list[Track] = []
        self._next_id = 1
        self.t_ns = 0
        """Time of the latest rest."""
        self.frame = 0
        """Frame of the latest rest."""

    def throw(self, *faces: Face, keep: Sequence[int] = (), at_start: bool = False) -> Observation:
        """Throw dice that come to show `faces`.

        `keep` are places (from 1, in reading order) of dice that stay where they lie; all others are taken up
        first. Kept dice come first in the new reading order.
        """
        kept = [self._dice[place - 1] for place in keep]
        self._dice = [Track(die.id, die.detection, moved=False) for die in kept]
        for face in faces:
            self._dice.append(Track(self._next_id, self._detection(face), moved=True))
            self._next_id += 1
        return self._rest(AT_START if at_start else "")

    def change(self, place: int, face: Face, *, moved: bool = False) -> Observation:
        """Let the die at `place` be seen as `face`; `moved`: it lies elsewhere and is a new die."""
        self._dice = [Track(die.id, die.detection, moved=False) for die in self._dice]
        old = self._dice[place - 1]
        ident = self._next_id if moved else old.id
        self._next_id += moved
        self._dice[place - 1] = Track(ident, self._detection(face), moved)
        return self._rest("")

    def push(self, *places: int, sizes: float = 1.0) -> Observation:
        """Push the dice at `places` so many sizes of a die sideways: new dice with the same faces."""
        for index, die in enumerate(self._dice):
            if index + 1 not in places:
                self._dice[index] = Track(die.id, die.detection, moved=False)
                continue
            x, y, width, height = die.detection.box_px
            box = (x, y + sizes * height, width, height)
            self._dice[index] = Track(self._next_id, scripted_die(die.detection.value, box), moved=True)
            self._next_id += 1
        return self._rest("")

    def lose_sight(self) -> Observation:
        """The camera is moved: every die has a new id from now on."""
        self._dice = [Track(self._next_id + i, die.detection, moved=True) for i, die in enumerate(self._dice)]
        self._next_id += len(self._dice)
        return Observation("camera", self.t_ns, self.frame, sure=False, reason="the camera was moved")

    def look(self) -> Observation:
        """The dice as they lie, announced once more (as after the camera was moved)."""
        return self._rest("")

    def ids(self) -> tuple[int, ...]:
        """Return the ids of the dice in reading order."""
        return tuple(die.id for die in self._dice)

    def _detection(self, face: Face) -> Detection:
        box = (200.0 * self._next_id, 100.0, 30.0, 30.0)
        if isinstance(face, int):
            return scripted_die(face, box)
        return scripted_die(None, box, sure=False, cocked=face == "/")

    def _rest(self, reason: str) -> Observation:
        self.t_ns += 2_000_000_000
        self.frame += 10
        sure = all(die.detection.sure for die in self._dice)
        return Observation("rest", self.t_ns, self.frame, tuple(self._dice), sure, reason)


class ScriptedWatcher:
    """A watcher that announces prepared observations when their frames come."""

    def __init__(self, observations: Iterable[Observation]) -> None:
        """Take the observations; those of one frame come in their order."""
        self._due: dict[int, list[Observation]] = {}
        for observation in observations:
            self._due.setdefault(observation.frame, []).append(observation)
        self.reads = 0
        """How many pictures were read so far."""
        self.unclear_s = 0.0
        """Seconds for which the table is said to differ from what was announced."""
        self._dice: tuple[Track, ...] = ()

    @property
    def dice(self) -> tuple[Track, ...]:
        """The dice on the table, as last announced."""
        return self._dice

    def push(self, frame: Frame) -> tuple[Observation, ...]:
        """Return what is due at this frame."""
        due = tuple(self._due.pop(frame.index, ()))
        self.reads += bool(due)
        for observation in due:
            self._dice = observation.dice
        return due

    def moved_to(self, area: TableArea, centres_px: Mapping[int, tuple[float, float]]) -> None:
        """Where the table is in the picture changes nothing of a script."""

    def finish(self) -> tuple[Observation, ...]:
        """Return what is left over."""
        left = tuple(observation for frame in sorted(self._due) for observation in self._due[frame])
        self._due.clear()
        return left


class ScriptedKeys:
    """A `device.keys.KeySource` that presses prepared keys at prepared times."""

    def __init__(self, keys: Mapping[int, str]) -> None:
        """Take the keys by the time in nanoseconds from which on they are pressed."""
        self._keys = dict(sorted(keys.items()))
        self.closed = False
        """Whether the keyboard was given back."""

    def poll(self, t_ns: int) -> str:
        """Return the keys that are due."""
        due = [time for time in self._keys if time <= t_ns]
        return "".join(self._keys.pop(time) for time in due)

    def wait(self) -> str:
        """Return the next keys whatever the time; empty when there are none left."""
        if not self._keys:
            return ""
        return self._keys.pop(next(iter(self._keys)))

    def close(self) -> None:
        """Give the keyboard back."""
        self.closed = True
