"""Fakes that ship with the program: the test rig of every part that needs a device or a trained network."""

from __future__ import annotations

from collections.abc import Iterable

from vision.detection import Detection, DieState, Reading
from vision.errors import BadImage
from vision.frame import Image, check_image


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
