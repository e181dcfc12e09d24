"""The network file and one run of it: pixels in, raw candidates out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from vision.errors import WeightsMissing
from vision.frame import Image

STRIDE_PX = 8
"""Pixels of the network's input to a cell of its output, in the networks that this project trains."""
REFERENCE_PX = 32.0
"""Die size, in pixels of the network's input, at which their size outputs are zero."""
FAINTEST = 0.1
"""Local maxima of objectness below this probability are noise."""
PADDING_PX = 16
"""Heights and widths are brought to multiples of this (the network's coarsest stride) ..."""
MOST_STRETCH = 0.025
"""... by stretching or squeezing them by up to this share, else by padding them."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """Numbers that belong to one set of weights; chosen on held-out rigs and stored in the network file."""

    stride_px: int
    """Pixels of the network's input a cell of its output."""
    reference_px: float
    """Die size, in pixels of the network's input, that reads best."""
    size_prior: float
    """How much odds (in logits an octave) a die loses whose size is not that of the others."""
    found_detector: float
    """With the next two: calibrated logit of a die from the detector's and the classifier's logits."""
    found_classifier: float
    found_offset: float
    faces_detector: float
    """With the next: exponents of the two networks' probabilities in the product that names the face."""
    faces_classifier: float
    face_from: float
    """A face less probable than this is not named."""
    name_from: float
    """Nor is the face of a candidate that is a die with less than this probability: it is a question."""
    drop_below: float
    """Candidates less probable than this are no dice."""
    sure_from: float
    """A die at least this probable (found and face) is sure."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What one run found; one row a candidate, coordinates in pixels of the picture given."""

    boxes: NDArray[np.float64]
    """(N, 4) centre x, centre y, width, height."""
    found: NDArray[np.float64]
    """(N,) probability that there is a die."""
    faces: NDArray[np.float64]
    """(N, 7) probability of the faces 1..6 and of cocked; rows sum to 1."""
    fit: NDArray[np.float64]
    """(N,) 0 for a die of the size the network reads best, growing by 1 an octave away from it."""

    def __len__(self) -> int:
        """How many candidates there are."""
        return len(self.found)


def none_found() -> Candidates:
    """Return the empty set of candidates."""
    return Candidates(np.zeros((0, 4)), np.zeros(0), np.zeros((0, 7)), np.zeros(0))


def join(parts: list[Candidates]) -> Candidates:
    """Put several sets of candidates into one."""
    if not parts:
        return none_found()
    return Candidates(
        np.concatenate([part.boxes for part in parts]),
        np.concatenate([part.found for part in parts]),
        np.concatenate([part.faces for part in parts]),
        np.concatenate([part.fit for part in parts]),
    )


class Network:
    """The ONNX network of the reader, on the CPU."""

    SIZES_PX = (15.0, 80.0)
    """Sizes of dice, in pixels of the network's input, that it was taught to find."""

    def __init__(self, weights: Path | None = None, *, threads: int = 1) -> None:
        """Load the network.

        `weights` is an ONNX file written by `models.training.export` (None: the one shipped);
        `threads` is the number of CPU threads a run may use.

        Raises:
            WeightsMissing: if the file is not there or is no network of ours.
        """
        self.path = weights
        try:
            blob = (
                weights.read_bytes() if weights else (resources.files("models") / "reader.onnx").read_bytes()
            )
        except OSError as error:
            place = weights or "models/reader.onnx"
            raise WeightsMissing(
                f"the dice reader's network {place} is missing ({error.strerror}); install Croupier again"
            ) from error
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = ort.InferenceSession(blob, options, providers=["CPUExecutionProvider"])
            stored = self._session.get_modelmeta().custom_metadata_map["croupier"]
            self.tuning = Tuning(**json.loads(stored))
        except Exception as error:  # onnxruntime raises its own unnamed kinds
            place = weights or "models/reader.onnx"
            raise WeightsMissing(
                f"{place} is not a network of Croupier's: {str(error).splitlines()[0]}"
            ) from error

    def run(
        self, image: Image, scale: float, *, region_px: tuple[int, int, int, int] | None = None
    ) -> Candidates:
        """Find dice in a (H, W, 3) uint8 BGR picture seen at `scale` (2.0 = twice as large).

        `region_px` (x, y, width, height) limits the run to a part; answers are in pixels of the whole.
        """
        left, top = 0, 0
        if region_px is not None:
            left, top, width, height = region_px
            image = image[top : top + height, left : left + width]
        small, (fx, fy) = _rescale(image, scale)
        raw = self._session.run(None, {"image": _blob(small)})[0][0]
        boxes, found, faces = _decode(np.asarray(raw, np.float64), self.tuning)
        size = np.sqrt(boxes[:, 2] * boxes[:, 3])
        known = (size >= self.SIZES_PX[0]) & (size <= self.SIZES_PX[1])
        boxes, found, faces, size = boxes[known], found[known], faces[known], size[known]
        fit = np.abs(np.log2(size / self.tuning.reference_px))
        boxes = boxes / (fx, fy, fx, fy) + (left, top, 0, 0)
        return Candidates(boxes, found, faces, fit)


def _rescale(image: Image, scale: float) -> tuple[Image, tuple[float, float]]:
    """Resize, and return the true factors in x and y after rounding to whole pixels, or whole cells."""
    height, width = image.shape[:2]
    new = (_whole_cells(width * scale), _whole_cells(height * scale))
    factors = new[0] / width, new[1] / height
    while min(new[0] / image.shape[1], new[1] / image.shape[0]) < 0.55:  # halve first, or fine patterns alias
        half = max(1, image.shape[1] // 2), max(1, image.shape[0] // 2)
        if half[0] < new[0] or half[1] < new[1]:
            break
        image = np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA), np.uint8)
    if new != (image.shape[1], image.shape[0]):
        image = np.asarray(cv2.resize(image, new, interpolation=cv2.INTER_LINEAR), np.uint8)
    return image, factors


def _whole_cells(pixels: float) -> int:
    """Return the nearest multiple of `PADDING_PX` where it is near enough, else whole pixels."""
    cells = round(pixels / PADDING_PX) * PADDING_PX
    return cells if abs(cells - pixels) <= MOST_STRETCH * pixels else max(1, round(pixels))


def _blob(image: Image) -> NDArray[np.float32]:
    """(H, W, 3) uint8 -> (1, 3, H', W') float32 in 0..1, padded to whole cells with the picture's edge."""
    height, width = image.shape[:2]
    bottom, right = -height % PADDING_PX, -width % PADDING_PX
    if bottom or right:
        image = np.asarray(cv2.copyMakeBorder(image, 0, bottom, 0, right, cv2.BORDER_REPLICATE), np.uint8)
    return np.ascontiguousarray(image.transpose(2, 0, 1)[None].astype(np.float32) / 255.0)


def _decode(
    raw: NDArray[np.float64], tuning: Tuning
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Turn (12, h, w) raw outputs into candidates at the local maxima of objectness.

    The faces and the box of a candidate are those of its cell and of the neighbours that point to the
    same centre, weighted by their objectness.
    """
    found = 1 / (1 + np.exp(-raw[0]))
    peaks = found >= np.asarray(cv2.dilate(found, np.ones((3, 3), np.uint8)))
    rows, cols = np.nonzero(peaks & (found >= FAINTEST))
    height, width = found.shape
    boxes, faces = np.zeros((len(rows), 4)), np.zeros((len(rows), 7))
    ys, xs = np.mgrid[0:height, 0:width]
    cx, cy = xs + 0.5 + raw[10], ys + 0.5 + raw[11]
    for i, (row, col) in enumerate(zip(rows, cols, strict=True)):
        near = (slice(max(0, row - 1), row + 2), slice(max(0, col - 1), col + 2))
        size = 2.0 ** ((raw[8, row, col] + raw[9, row, col]) / 2) * tuning.reference_px / tuning.stride_px
        apart = np.hypot(cx[near] - cx[row, col], cy[near] - cy[row, col]) / size
        weight = np.where(apart < 0.2, found[near], 0.0)
        weight /= weight.sum()
        boxes[i, 0] = (cx[near] * weight).sum() * tuning.stride_px
        boxes[i, 1] = (cy[near] * weight).sum() * tuning.stride_px
        boxes[i, 2:] = tuning.reference_px * 2.0 ** (raw[8:10, *near] * weight).sum(axis=(1, 2))
        logits = (raw[1:8, *near] * weight).sum(axis=(1, 2))
        power = np.exp(logits - logits.max())
        faces[i] = power / power.sum()
    return boxes, found[rows, cols], faces
