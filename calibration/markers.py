"""Finds the markers of a mat in a picture, and from them where the table is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import BadMat, NotFound
from calibration.geometry import Points, undistorted
from calibration.matcode import DICTIONARY
from calibration.profile import Lens, Markers, Matrix
from vision.frame import Image

CORNERS = ("upper left", "upper right", "lower right", "lower left")
"""Names of the corners of a mat; the place in this list is `id % 4`."""
LEAST_MARKERS = 2
"""Two known markers (eight points) fix a homography; one alone is too small to reach over a table."""
_USUAL_SIDE_PX = 1400
"""Larger pictures are searched at half their size first: faster, and a marker has pixels enough there."""


@dataclass(frozen=True, slots=True, eq=False)
class MarkersSeen:
    """The markers of one picture."""

    corners_px: Mapping[int, Points]
    """id -> (4, 2) pixels of the camera's picture, the marker's upper left corner first, clockwise."""
    mirrored: bool = False
    """Whether they are readable only in the mirror; then the picture is a mirror image."""
    twice: tuple[int, ...] = ()
    """Markers seen more than once: two mats, or a picture of a mat on the mat."""

    @property
    def ids(self) -> tuple[int, ...]:
        """What was found, rising."""
        return tuple(sorted(self.corners_px))


def find_markers(
    image: Image,
    dictionary: str = DICTIONARY,
    *,
    ids: frozenset[int] | None = None,
    mirror: bool = True,
) -> MarkersSeen:
    """Find the markers in a (H, W, 3) uint8 BGR picture.

    `ids`: those that count; None: all of the dictionary. When fewer than two are seen, and with `mirror`, the
    mirror image is searched too, since a mirrored marker is none: more of them there prove a mirror image.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    seen = _search(grey, dictionary, ids)
    if mirror and len(seen.corners_px) < LEAST_MARKERS:
        flipped = _search(np.ascontiguousarray(grey[:, ::-1]), dictionary, ids)
        if len(flipped.corners_px) > max(1, len(seen.corners_px)):
            return MarkersSeen(flipped.corners_px, mirrored=True, twice=flipped.twice)
    return seen


def _search(grey: NDArray[np.uint8], dictionary: str, ids: frozenset[int] | None) -> MarkersSeen:
    """Search one grey picture, then once more enlarged when it is small and something is missing."""
    seen = _detect(grey, dictionary, ids, 1.0)
    wanted = 4 if ids is None else min(4, len(ids))
    if len(seen.corners_px) < wanted and max(grey.shape) <= _USUAL_SIDE_PX:
        larger = cv2.resize(grey, None, fx=2.0, fy=2.0, interpolation=cv2.INTER_CUBIC)
        again = _detect(np.asarray(larger, dtype=np.uint8), dictionary, ids, 2.0)
        if len(again.corners_px) > len(seen.corners_px):
            # Those seen at the true scale are kept: their corners are the better ones.
            merged = {**again.corners_px, **seen.corners_px}
            return MarkersSeen(merged, twice=tuple(sorted({*seen.twice, *again.twice})))
    return seen


def _detect(
    grey: NDArray[np.uint8], dictionary: str, ids: frozenset[int] | None, scale: float
) -> MarkersSeen:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
    parameters.minMarkerPerimeterRate = max(0.01, 32.0 / max(grey.shape))
    parameters.adaptiveThreshWinSizeMin = 5
    parameters.adaptiveThreshWinSizeMax = 45
    parameters.adaptiveThreshWinSizeStep = 10
    parameters.perspectiveRemovePixelPerCell = 6
    kind = cv2.aruco.getPredefinedDictionary(int(getattr(cv2.aruco, dictionary)))
    corners, found, _ = cv2.aruco.ArucoDetector(kind, parameters).detectMarkers(grey)
    numbers = [] if found is None else [int(each) for each in np.asarray(found).reshape(-1)]
    count = Counter(number for number in numbers if ids is None or number in ids)
    places = {
        number: _refined(grey, np.asarray(four, dtype=np.float64).reshape(4, 2), scale)
        for number, four in zip(numbers, corners, strict=True)
        if number in count
    }
    return MarkersSeen(places, twice=tuple(sorted(n for n, times in count.items() if times > 1)))


def _refined(grey: NDArray[np.uint8], corners: Points, scale: float) -> Points:
    """The corners of one marker to a fraction of a pixel: where the lines through its four sides meet.

    Along each side the place of the steepest change is measured many times; a line through all of these is
    far steadier than anything seen at the corner itself. Answers in pixels of the unscaled picture.
    """
    lines = []
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    reach = float(np.clip(sides.min() / 6 * 0.75, 1.5, 8.0))  # within the black border of one cell
    smooth = np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.7), dtype=np.float32)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        line = _edge_line(smooth, start, end, reach)
        if line is None:
            return _unscaled(corners, scale)
        lines.append(line)
    meeting = []
    for before, after in zip([lines[-1], *lines[:-1]], lines, strict=True):
        point = np.cross(before, after)
        if abs(point[2]) < 1e-9:
            return _unscaled(corners, scale)
        meeting.append(point[:2] / point[2])
    found = np.array(meeting)
    if float(np.abs(found - corners).max()) > reach + 1.5:
        return _unscaled(corners, scale)
    return _unscaled(found, scale)


def _unscaled(points: Points, scale: float) -> Points:
    """Pixels of an enlarged picture -> pixels of the picture; pixel centres lie half a pixel inside."""
    return np.asarray((points + 0.5) / scale - 0.5, dtype=np.float64)


def _edge_line(grey: NDArray[np.float32], start: Points, end: Points, reach: float) -> Points | None:
    """The line (a, b, c) with a x + b y + c = 0 along the edge from `start` to `end`, if one is seen."""
    along = end - start
    length = float(np.linalg.norm(along))
    normal = np.array([along[1], -along[0]]) / length  # outwards: corners go clockwise as seen, y down
    count = int(np.clip(length, 8, 60))
    t = np.linspace(0.1, 0.9, count)
    offsets = np.arange(-reach, reach + 0.01, 0.25)
    places = start + along * t[:, None, None] + normal * offsets[None, :, None]
    values = cv2.remap(
        grey,
        places[..., 0].astype(np.float32),
        places[..., 1].astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    slope = np.clip(
        np.diff(np.asarray(values, dtype=np.float64), axis=1), 0, None
    )  # black inside, white outside
    weight = slope**2
    total = weight.sum(axis=1)
    good = total > 0.1 * max(float(np.median(total)), 1e-6)
    if int(good.sum()) < 4:
        return None
    middles = (offsets[:-1] + offsets[1:]) / 2
    at = (weight @ middles)[good] / total[good]
    points = start + along * t[good, None] + normal * at[:, None]
    vx, vy, x, y = np.asarray(
        cv2.fitLine(points.astype(np.float32), cv2.DIST_HUBER, 0, 0.001, 0.001), dtype=np.float64
    ).reshape(4)
    return np.array([vy, -vx, vx * y - vy * x])


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The homography that markers give, and how well they agree."""

    table_from_image: Matrix
    """Pixel (undistorted) -> mm."""
    error_px: float
    """Root mean square of the distances of the corners seen from where they should be, in pixels."""
    error_mm: float
    """The same on the table."""


def fit_table(seen: Mapping[int, Points], markers: Markers, lens: Lens | None) -> Fit:
    """Return the homography from the markers seen (id -> (4, 2) pixels).

    Raises:
        NotFound: when fewer than two known markers are seen.
    """
    known = dict(markers.corners_mm)
    common = sorted(set(seen) & set(known))
    if len(common) < LEAST_MARKERS:
        raise NotFound(
            f"{len(common)} of the {len(known)} markers of the mat are seen; at least 2 are needed"
        )
    pixels = undistorted(np.concatenate([np.asarray(seen[ident]) for ident in common]), lens)
    table = np.concatenate([np.array(known[ident], dtype=np.float64) for ident in common])
    # From table to picture: the errors are those of the picture.
    matrix, _ = cv2.findHomography(table, pixels, 0)
    if matrix is None:
        raise NotFound("the markers seen lie on one line; move the camera so that it sees the whole mat")
    forward = np.asarray(matrix, dtype=np.float64)
    back = np.asarray(np.linalg.inv(forward), dtype=np.float64)
    back /= back[2, 2]
    error_px = _rms(_mapped(forward, table) - pixels)
    error_mm = _rms(_mapped(back, pixels) - table)
    return Fit(as_matrix(back), error_px, error_mm)


def as_matrix(array: NDArray[np.float64]) -> Matrix:
    """A (3, 3) array as plain numbers."""
    rows = [(float(a), float(b), float(c)) for a, b, c in array]
    return rows[0], rows[1], rows[2]


def _mapped(matrix: NDArray[np.float64], points: Points) -> Points:
    high = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(high[:, :2] / high[:, 2:3])


def _rms(differences: Points) -> float:
    return float(np.sqrt((differences**2).sum(axis=1).mean()))


def missing_sentence(missing: list[str], found: int) -> str:
    """Say which corner markers are not seen and what to do."""
    what = "marker is" if len(missing) == 1 else "markers are"
    return (
        f"the {' and the '.join(missing)} {what} not seen ({found} of 4 are); "
        "take away what lies on them, keep glare off, and let the camera see the whole mat"
    )


def mat_ids(seen: MarkersSeen) -> tuple[int, int, int, int]:
    """The four markers of the mat in the picture, upper left first, then clockwise.

    Raises:
        NotFound: when one is missing, or the picture is mirrored.
        BadMat: when there are two for a corner.
    """
    if seen.mirrored:
        raise NotFound(MIRRORED)
    corners: list[list[int]] = [[n for n in seen.ids if n % 4 == corner] for corner in range(4)]
    crowded = next((each for each in corners if len(each) > 1), list(seen.twice))
    if crowded:
        raise BadMat(
            f"the markers {' and '.join(map(str, crowded))} are seen more than once or for one and the same "
            "corner; only one mat may be in the picture"
        )
    if not all(corners):
        missing = [name for name, found in zip(CORNERS, corners, strict=True) if not found]
        raise NotFound(missing_sentence(missing, 4 - len(missing)))
    return corners[0][0], corners[1][0], corners[2][0], corners[3][0]


MIRRORED = (
    "the picture is mirrored: the markers can be read in a mirror only; switch off mirroring (flip) in the "
    "camera's settings"
)
"""What is said of a mirror image."""
