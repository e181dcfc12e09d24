"""The second opinion: a classifier that looks at each die found, cut out upright and at one size."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from vision.errors import WeightsMissing
from vision.frame import Image

CROP_PX = 48
"""Side of the square that the classifier looks at."""
DIE_PX = 34.0
"""Size of a die's box in that square."""
CLASSES = 8
"""Faces 1..6, cocked, not a die."""
LOOKS = (1.0, 0.87)
"""Sizes in which a die is looked at: the second only where the first leaves doubt; the looks vote."""


class FaceNetwork:
    """The ONNX classifier of single dice, on the CPU."""

    def __init__(self, weights: Path | None = None, *, threads: int = 1) -> None:
        """Load the classifier (`weights` None: the one shipped).

        Raises:
            WeightsMissing: if the file is not there or cannot be loaded.
        """
        place = weights or "models/faces.onnx"
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            blob = (
                weights.read_bytes() if weights else (resources.files("models") / "faces.onnx").read_bytes()
            )
            self._session = ort.InferenceSession(blob, options, providers=["CPUExecutionProvider"])
        except OSError as error:
            raise WeightsMissing(
                f"the dice reader's network {place} is missing ({error.strerror}); install Croupier again"
            ) from error
        except Exception as error:  # onnxruntime raises its own unnamed kinds
            raise WeightsMissing(
                f"{place} is not a network of Croupier's: {str(error).splitlines()[0]}"
            ) from error

    def classify(
        self, image: Image, boxes: NDArray[np.float64], *, look: float = LOOKS[0]
    ) -> NDArray[np.float64]:
        """Return the (N, 8) log-probabilities of the classes for boxes (N, 4; centre x, y, width, height).

        The boxes are in pixels of the (H, W, 3) uint8 BGR picture. exp of a row sums to 1.
        """
        if not len(boxes):
            return np.zeros((0, CLASSES))
        crops = np.stack([cut_out(image, box, look) for box in boxes])
        blob = np.ascontiguousarray(crops.transpose(0, 3, 1, 2).astype(np.float32) / 255.0)
        return log_softmax(np.asarray(self._session.run(None, {"image": blob})[0], np.float64))


def cut_out(image: Image, box: NDArray[np.float64], look: float = 1.0) -> Image:
    """Cut the square around a box (centre x, y, width, height) so that the die is `DIE_PX * look` large."""
    x, y, width, height = (float(v) for v in box)
    scale = DIE_PX * look / max((width * height) ** 0.5, 1.0)
    half = CROP_PX / 2 / scale
    left, top = int(np.floor(x - half)) - 1, int(np.floor(y - half)) - 1
    right, bottom = int(np.ceil(x + half)) + 2, int(np.ceil(y + half)) + 2
    inside = image[max(0, top) : max(0, bottom), max(0, left) : max(0, right)]
    origin = np.array([max(0, left), max(0, top)], np.float64)
    factor = 1.0
    while scale * factor < 0.55:  # halve first, or fine patterns alias
        inside = np.asarray(cv2.resize(inside, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        factor *= 2
    zoom = scale * factor
    shift = CROP_PX / 2 - zoom * ((np.array([x, y]) - origin) / factor)
    matrix = np.array([[zoom, 0, shift[0]], [0, zoom, shift[1]]])
    out = cv2.warpAffine(
        inside, matrix, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(out, np.uint8)


def log_softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """(..., K) logits -> logarithms of probabilities that sum to 1 over the last axis."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), np.float64)
