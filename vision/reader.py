"""The dice reader: finds the dice of a picture, whatever their size, and names the face on top.

A detector searches the picture (`vision.detector`), a classifier looks at each die by itself
(`vision.faces`), and the two together decide (`vision.verdict`).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vision.detection import Reading
from vision.detector import Detector, Region, check_region
from vision.faces import CLASSES, LOOKS, FaceNetwork, log_softmax
from vision.frame import Image
from vision.merging import same_dice
from vision.network import Tuning
from vision.quality import quality_reasons
from vision.verdict import Evidence, verdict


class Reader:
    """Reads the dice of single pictures. One instance may serve any number of pictures, one at a time."""

    def __init__(self, weights: Path | None = None, *, faces: Path | None = None, threads: int = 1) -> None:
        """Load the detector (`weights`) and the classifier (`faces`); None: the ones shipped.

        They run on `threads` CPU threads.

        Raises:
            WeightsMissing: if there is no such network.
        """
        self._detector = Detector(weights, threads=threads)
        self._faces = FaceNetwork(faces, threads=threads)

    @property
    def tuning(self) -> Tuning:
        """The numbers that belong to the networks in use."""
        return self._detector.tuning

    def read(self, image: Image, *, size_px: float | None = None, region_px: Region | None = None) -> Reading:
        """Read the dice of a (H, W, 3) uint8 BGR picture.

        `size_px` is the side of a die's box in pixels where it is known: no scale is searched then.
        `region_px` (x, y, width, height) limits the search. Answers are in pixels of the whole picture.

        Raises:
            BadImage: if the array is no picture, the size not positive or the region outside.
        """
        seen = self.evidence(image, size_px=size_px, region_px=region_px)
        dice = verdict(seen, self.tuning)
        x, y, width, height = check_region(image, region_px)
        likely = [(*die.centre_px, *die.box_px[2:]) for die in dice if die.confidence >= 0.5]
        boxes = np.array(likely, np.float64).reshape(-1, 4)
        part = image[y : y + height, x : x + width]
        return Reading(dice, quality_reasons(part, boxes - (x, y, 0, 0)))

    def evidence(
        self, image: Image, *, size_px: float | None = None, region_px: Region | None = None
    ) -> Evidence:
        """Return what the networks say before anything is decided; arguments and errors as `read`.

        Where the first looks leave no doubt, no more are taken.
        """
        search = self._detector.search(image, size_px=size_px, region_px=region_px)
        seen = search.seen.with_classes(self._faces.classify(image, search.seen.boxes))
        doubtful = seen.doubtful(self.tuning)
        if not doubtful.any():
            return seen
        first, sure = seen, ~doubtful
        search.look_closer(doubtful)
        seen = search.seen
        # What was read without doubt, and lies where it lay, need not be classified again.
        old = same_dice(seen.boxes, first.boxes[sure])
        known = old >= 0
        classes = np.zeros((len(seen.boxes), CLASSES))
        classes[known] = first.classes[sure][old[known]]
        again = seen.boxes[~known]
        votes = sum(self._faces.classify(image, again, look=look) for look in LOOKS)
        classes[~known] = log_softmax(np.asarray(votes) / len(LOOKS))
        return seen.with_classes(classes)
