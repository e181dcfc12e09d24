"""The drift guard: was the camera bumped or the mat moved, and does the picture still look the same?

Every `check_s` the table is looked for: by the mat's markers, each in a small window around its place and,
when too few are there, in the whole picture; without markers by the texture or the edges of the table,
against the picture in which it was calibrated. A place that two checks in a row agree on is the table's new
place: the guard realigns itself. Between the two, and when the table is not found again, it says so: the game
has to pause.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError
from calibration.geometry import Points, TableGeometry, undistorted
from calibration.markers import MIRRORED, as_matrix, find_markers, fit_table
from calibration.profile import Profile
from calibration.quality import blur_px, zone_mask
from vision.frame import Frame, Image

State = Literal["steady", "moved", "realigned", "lost", "blind"]


@dataclass(frozen=True, slots=True)
class DriftSettings:
    """Times and thresholds."""

    check_s: float = 0.4
    """Time between two looks."""
    steady_mm: float = 1.5
    """What moved less, anywhere in the zones, is left as it is ..."""
    steady_px: float = 1.5
    """... and what moved less than this in the picture."""
    agree_px: float = 1.5
    """Two checks agree when the table lies at the same place to this."""
    lost_s: float = 2.0
    """A table that is not found for so long, after it had moved, is lost."""
    least_matches: int = 25
    """Points of the texture that have to agree."""
    darker_stops: float = 0.8
    """Change of brightness that is reported, in stops (factors of 2)."""
    warmer_stops: float = 0.25
    """Change of red against blue that is reported, in stops."""
    softer: float = 1.6
    """Edges so many times wider than in the beginning are reported."""
    look_every_s: float = 1.0
    """Time between two measurements of brightness, colour and focus."""
    look_s: float = 1.5
    """Brightness, colour and focus must be off for so long: hands and shadows pass."""


@dataclass(frozen=True, slots=True, eq=False)
class DriftReport:
    """What the guard knows after a frame."""

    state: State
    """`steady`; `moved`: not at its place, not yet still; `realigned`: found at a new place, in this frame;
    `lost`: not found any more; `blind`: nothing to go by just now (covered, or a table without texture)."""
    geometry: TableGeometry
    """The table as it lies now; a new one whenever the state is `realigned`."""
    t_ns: int
    """Timestamp of the frame."""
    shift_mm: float = 0.0
    """How far the table lies from where it was known, at the worst corner of a zone."""
    reason: str = ""
    """One sentence for `moved`, `realigned`, `lost` and `blind`."""
    exposure_stops: float = 0.0
    """Brightness against the beginning, in stops; above 0: brighter."""
    warmth_stops: float = 0.0
    """Red over blue against the beginning, in stops; above 0: redder."""
    focus_ratio: float = 1.0
    """Width of edges against the beginning; above 1: softer."""
    warnings: tuple[str, ...] = ()
    """Sentences about exposure, white balance and focus."""

    @property
    def pause(self) -> bool:
        """Whether positions on the table cannot be trusted now."""
        return self.state in ("moved", "lost")


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """The table found in one picture."""

    geometry: TableGeometry
    corners_px: Points
    """Where the corners of the zones are."""
    shift_mm: float
    shift_px: float


@dataclass(frozen=True, slots=True)
class _Look:
    """How the picture looks."""

    brightness: float
    warmth: float
    blur: float


class DriftGuard:
    """Watches one table. Push every frame; only some are looked at, by their timestamps."""

    def __init__(
        self, profile: Profile, reference: Image | None = None, *, settings: DriftSettings | None = None
    ) -> None:
        """Watch for changes against the profile, and against `reference`, the picture of the calibration.

        Without a reference the first frame is it. `reference`: (H, W, 3) uint8 BGR.
        """
        self._settings = settings or DriftSettings()
        self._geometry = TableGeometry(profile)
        self._start = self._geometry
        self._corners_mm = np.array([point for zone in profile.zones for point in zone.polygon_mm])
        self._texture: _Texture | None = None
        self._edges: _Edges | None = None
        self._first: _Look | None = None
        self._checked_ns: int | None = None
        self._looked_ns: int | None = None
        self._moved_ns: int | None = None
        self._candidate: _Found | None = None
        self._off_ns: dict[str, int] = {}
        self._report = DriftReport("steady", self._geometry, 0)
        if reference is not None and self._fits(reference):
            self._begin(reference)

    @property
    def geometry(self) -> TableGeometry:
        """The table as last known."""
        return self._geometry

    def push(self, frame: Frame) -> DriftReport:
        """Look at a frame, when it is time to, and say how things stand."""
        last = self._checked_ns
        if last is not None and 0 <= frame.t_ns - last < self._settings.check_s * 1e9:
            if self._report.state == "realigned":
                self._report = replace(self._report, state="steady", reason="", shift_mm=0.0)
            return replace(self._report, t_ns=frame.t_ns)
        self._checked_ns = frame.t_ns
        self._report = self._check(frame)
        return self._report

    def hurry(self) -> None:
        """Look at the next frame, whatever its time: something may have happened."""
        self._checked_ns = None

    def _fits(self, image: Image) -> bool:
        camera = self._geometry.profile.camera
        return image.shape[:2] == (camera.height_px, camera.width_px)

    def _begin(self, image: Image) -> None:
        """Remember how things are in the beginning."""
        self._first = _look_of(image, self._geometry)
        if self._geometry.profile.markers is None:
            self._texture, self._edges = _Texture(image), _Edges(image)

    def _check(self, frame: Frame) -> DriftReport:
        image = frame.image
        if not self._fits(image):
            camera = self._geometry.profile.camera
            return self._say(
                frame,
                "lost",
                f"the pictures have {frame.width_px}x{frame.height_px} pixels, the table was calibrated with "
                f"{camera.width_px}x{camera.height_px}; set the camera back or calibrate again",
            )
        if self._first is None:
            self._begin(image)
        try:
            found = self._find(image)
        except _Mirrored:
            return self._say(frame, "lost", MIRRORED)
        return self._appearance(image, self._place(frame, found))

    def _find(self, image: Image) -> _Found | None:
        """The table in this picture; None when it cannot be told."""
        geometry = (
            self._by_texture(image) if self._geometry.profile.markers is None else self._by_markers(image)
        )
        if geometry is None:
            return None
        corners = geometry.to_px(self._corners_mm)
        shift_px = float(np.linalg.norm(corners - self._geometry.to_px(self._corners_mm), axis=1).max())
        off = self._geometry.to_mm(corners) - self._corners_mm
        return _Found(geometry, corners, float(np.linalg.norm(off, axis=1).max()), shift_px)

    def _place(self, frame: Frame, found: _Found | None) -> DriftReport:
        """What follows from where the table was found."""
        settings = self._settings
        if found is None:
            self._candidate = None
            if self._moved_ns is None:
                return self._say(
                    frame, "blind", "the table cannot be checked now: nothing of it is recognised"
                )
            if frame.t_ns - self._moved_ns < settings.lost_s * 1e9:
                return self._say(frame, "moved", "the camera or the mat was moved")
            return self._say(
                frame,
                "lost",
                "the camera or the mat was moved and the table is not found again; "
                "put it back, or calibrate again",
            )
        if found.shift_mm <= settings.steady_mm or found.shift_px <= settings.steady_px:
            self._candidate = self._moved_ns = None
            return self._say(frame, "steady", "")
        if self._moved_ns is None:
            self._moved_ns = frame.t_ns
        before, self._candidate = self._candidate, found
        if (
            before is None
            or float(np.linalg.norm(before.corners_px - found.corners_px, axis=1).max()) > self._agree_px
        ):
            return replace(
                self._say(frame, "moved", "the camera or the mat was moved"), shift_mm=found.shift_mm
            )
        if not self._in_view(found):
            return self._say(
                frame,
                "lost",
                "the camera or the mat was moved, and part of the zones lies outside the "
                "picture; aim the camera at the table again",
            )
        self._geometry = found.geometry
        self._candidate = self._moved_ns = None
        report = self._say(
            frame, "realigned", f"the camera or the mat was moved by {found.shift_mm:.0f} mm; realigned"
        )
        return replace(report, shift_mm=found.shift_mm)

    @property
    def _agree_px(self) -> float:
        """Without markers the place is known half as exactly."""
        return self._settings.agree_px * (2.0 if self._geometry.profile.markers is None else 1.0)

    def _in_view(self, found: _Found) -> bool:
        """Whether nearly all corners of zones that were in the picture are in it still."""
        camera = self._geometry.profile.camera
        size = np.array([camera.width_px, camera.height_px])

        def inside(points: Points) -> int:
            return int(((points > -0.02 * size) & (points < 1.02 * size)).all(axis=1).sum())

        return inside(found.corners_px) >= inside(self._start.to_px(self._corners_mm))

    def _say(self, frame: Frame, state: State, reason: str) -> DriftReport:
        old = self._report
        return DriftReport(
            state,
            self._geometry,
            frame.t_ns,
            reason=reason,
            exposure_stops=old.exposure_stops,
            warmth_stops=old.warmth_stops,
            focus_ratio=old.focus_ratio,
            warnings=old.warnings,
        )

    # --- Where the table is --------------------------------------------------------------------------------

    def _by_markers(self, image: Image) -> TableGeometry | None:
        markers = self._geometry.profile.markers
        assert markers is not None
        known = dict(markers.corners_mm)
        seen = self._near(image, known)
        if len(seen) < 2 or (len(seen) < len(known) and not self._at_place(seen, known)):
            everywhere = find_markers(image, markers.dictionary, ids=frozenset(known))
            if everywhere.mirrored:
                raise _Mirrored
            seen = {**seen, **everywhere.corners_px}
        if len(seen) < 2:
            return None
        if len(seen) == 2:
            return self._slid(seen, known)
        try:
            fit = fit_table(seen, markers, self._geometry.profile.lens)
            return self._geometry.moved_to(fit.table_from_image)
        except CalibrationError:
            return None

    def _at_place(self, seen: Mapping[int, Points], known: Mapping[int, object]) -> bool:
        """Whether the markers seen lie where they lay; the others are only covered then."""
        return all(
            float(np.abs(self._geometry.to_px(np.array(known[ident])) - four).max())
            < self._settings.steady_px
            for ident, four in seen.items()
        )

    def _near(self, image: Image, known: Mapping[int, object]) -> dict[int, Points]:
        """The markers that lie about where they were: a small window around each is searched."""
        markers = self._geometry.profile.markers
        assert markers is not None
        seen: dict[int, Points] = {}
        height, width = image.shape[:2]
        for ident, corners in markers.corners_mm:
            at = self._geometry.to_px(np.array(corners))
            reach = 0.9 * float(np.ptp(at, axis=0).max())
            left, top = np.maximum(np.floor(at.min(axis=0) - reach), 0).astype(int)
            right, low = np.minimum(np.ceil(at.max(axis=0) + reach), (width, height)).astype(int)
            if right - left < 16 or low - top < 16:
                continue
            part = find_markers(
                np.ascontiguousarray(image[top:low, left:right]),
                markers.dictionary,
                ids=frozenset([ident]),
                mirror=False,
            )
            if ident in part.corners_px:
                seen[ident] = part.corners_px[ident] + (left, top)
        return seen

    def _slid(self, seen: Mapping[int, Points], known: Mapping[int, object]) -> TableGeometry | None:
        """Two markers are too little for a whole homography: the old one is slid, turned and scaled."""
        lens = self._geometry.profile.lens
        idents = sorted(seen)
        now = undistorted(np.concatenate([seen[ident] for ident in idents]), lens)
        table = np.concatenate([np.array(known[ident], dtype=np.float64) for ident in idents])
        before = undistorted(self._geometry.to_px(table), lens)
        motion, _ = cv2.estimateAffinePartial2D(before, now, method=cv2.LMEDS)
        if motion is None:
            return None
        return self._moved_by(self._geometry, np.vstack([np.asarray(motion, dtype=np.float64), [0, 0, 1]]))

    def _by_texture(self, image: Image) -> TableGeometry | None:
        """By points of the texture; where there are too few of them, by the edges of the whole picture."""
        assert self._texture is not None
        pairs = self._texture.pairs(image)
        found = None if pairs is None else self._by_points(image, pairs)
        return self._by_edges(image) if found is None else found

    def _by_edges(self, image: Image) -> TableGeometry | None:
        assert self._edges is not None
        before = np.linalg.inv(np.array(self._start.profile.table_from_image))
        known = np.linalg.inv(np.array(self._geometry.profile.table_from_image)) @ np.linalg.inv(before)
        motion = self._edges.motion(image, np.asarray(known, dtype=np.float64))
        if motion is None:
            return None
        return self._geometry if motion is known else self._moved_by(self._start, motion)

    def _by_points(self, image: Image, pairs: tuple[Points, Points]) -> TableGeometry | None:
        lens = self._geometry.profile.lens
        before, now = undistorted(pairs[0], lens), undistorted(pairs[1], lens)
        motion, mask = cv2.findHomography(before, now, cv2.RANSAC, 2.0)
        inliers = 0 if mask is None else int(np.asarray(mask).sum())
        if motion is None or inliers < self._settings.least_matches:
            return None
        good = np.asarray(mask).reshape(-1) > 0
        if float(np.ptp(before[good], axis=0).min()) < 0.25 * min(image.shape[:2]):
            return None  # all in one place: the rest of the table would be guessed
        return self._moved_by(self._start, np.asarray(motion, dtype=np.float64))

    def _moved_by(self, start: TableGeometry, motion: NDArray[np.float64]) -> TableGeometry | None:
        """The table after what was at p in the picture has gone to motion(p)."""
        matrix = np.array(start.profile.table_from_image) @ np.linalg.inv(motion)
        try:
            return start.moved_to(as_matrix(np.asarray(matrix / matrix[2, 2], dtype=np.float64)))
        except CalibrationError:
            return None

    # --- How the picture looks -----------------------------------------------------------------------------

    def _appearance(self, image: Image, report: DriftReport) -> DriftReport:
        """Add exposure, white balance and focus against the beginning."""
        first, settings = self._first, self._settings
        assert first is not None
        if self._looked_ns is not None and 0 <= report.t_ns - self._looked_ns < settings.look_every_s * 1e9:
            return report
        self._looked_ns = report.t_ns
        now = _look_of(image, self._geometry)
        stops = math.log2((now.brightness + 1) / (first.brightness + 1))
        warmth = now.warmth - first.warmth
        ratio = now.blur / first.blur if math.isfinite(now.blur) and math.isfinite(first.blur) else 1.0
        off = {
            "exposure": abs(stops) > settings.darker_stops,
            "white balance": abs(warmth) > settings.warmer_stops,
            "focus": ratio > settings.softer,
        }
        said = {
            "exposure": f"the picture is {abs(stops):.1f} stops {'brighter' if stops > 0 else 'darker'} than "
            "when the table was calibrated: light or exposure has changed",
            "white balance": f"the colours have gone {'redder' if warmth > 0 else 'bluer'} by "
            f"{abs(warmth):.1f} stops: fix the camera's white balance",
            "focus": f"edges are {ratio:.1f} times as wide as when the table was calibrated: focus it",
        }
        warnings = []
        for what, is_off in off.items():
            if not is_off:
                self._off_ns.pop(what, None)
                continue
            since = self._off_ns.setdefault(what, report.t_ns)
            if report.t_ns - since >= settings.look_s * 1e9:
                warnings.append(said[what])
        return replace(
            report,
            exposure_stops=stops,
            warmth_stops=warmth,
            focus_ratio=ratio,
            warnings=tuple(warnings),
        )


class _Mirrored(Exception):
    """The picture has become a mirror image."""


def _look_of(image: Image, geometry: TableGeometry) -> _Look:
    """Brightness and colour of the zones (medians: dice and hands cover less than half), width of edges."""
    step = max(1, round(image.shape[0] / 180))
    inside = zone_mask(geometry)[::step, ::step]
    small = image[::step, ::step]
    pixels = small[inside] if int(inside.sum()) > 50 else small.reshape(-1, 3)
    blue, green, red = (float(v) for v in np.median(pixels, axis=0))
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    warmth = math.log2((red + 4) / (blue + 4))
    return _Look(0.114 * blue + 0.587 * green + 0.299 * red, warmth, blur_px(grey))


class _Texture:
    """The points by which a table without markers is recognised (ORB, at about 640 px width)."""

    def __init__(self, image: Image) -> None:
        self._scale = min(1.0, 800.0 / max(image.shape[:2]))
        self._orb = cv2.ORB.create(nfeatures=1200, fastThreshold=7)
        self._points, self._words = self._features(image)

    def _features(self, image: Image) -> tuple[Points, NDArray[np.uint8] | None]:
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        small = cv2.resize(grey, None, fx=self._scale, fy=self._scale, interpolation=cv2.INTER_AREA)
        points, words = self._orb.detectAndCompute(small, None)
        places = np.array([point.pt for point in points], dtype=np.float64).reshape(-1, 2)
        found = None if words is None else np.asarray(words, dtype=np.uint8)
        return (places + 0.5) / self._scale - 0.5, found

    def pairs(self, image: Image) -> tuple[Points, Points] | None:
        """Points (N, 2) of the beginning and of now that look alike; None when there are hardly any."""
        points, words = self._features(image)
        if words is None or self._words is None or len(words) < 10 or len(self._words) < 10:
            return None
        matches = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(self._words, words)
        close = [match for match in matches if match.distance < 50]
        if len(close) < 10:
            return None
        before = self._points[[match.queryIdx for match in close]]
        return before, points[[match.trainIdx for match in close]]


class _Edges:
    """The edges by which a table without markers and with little texture is recognised: lines, rims, borders.

    The picture is shrunk to 320 px, and its gradients are laid over those of the beginning by enhanced
    correlation (Evangelidis and Psarakis 2008), first as an affine map, then as a homography.
    """

    width_px = 320
    least = 0.55
    """Correlation from which on the table is recognised ..."""
    better = 0.25
    """... at a new place, when it is so much better there than at the old one."""

    def __init__(self, image: Image) -> None:
        self._scale = self.width_px / image.shape[1]
        self._start = self._gradients(image)

    def _gradients(self, image: Image) -> NDArray[np.float32]:
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        small = cv2.resize(grey, None, fx=self._scale, fy=self._scale, interpolation=cv2.INTER_AREA)
        logs = cv2.GaussianBlur(np.log(small.astype(np.float32) + 8), (0, 0), 1.0)
        size = np.hypot(cv2.Sobel(logs, cv2.CV_32F, 1, 0), cv2.Sobel(logs, cv2.CV_32F, 0, 1))
        # A hand or a die has the strongest edges: they count no more than others.
        size = np.minimum(size, float(np.percentile(size, 98)))
        return np.asarray(cv2.GaussianBlur(size, (0, 0), 1.5), dtype=np.float32)

    def motion(self, image: Image, known: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """How pixels of the beginning have moved: `known` itself while that holds; None: not recognised."""
        now = self._gradients(image)
        if float(self._start.std()) < 0.02 or float(now.std()) < 0.02:
            return None  # nothing but noise
        shrink = np.diag([self._scale, self._scale, 1.0])
        start = shrink @ known @ np.linalg.inv(shrink)
        here = self._correlation(now, start)
        best, found = here, None
        # Applied here: a window given to phaseCorrelate is multiplied into the pictures in place.
        window = np.asarray(cv2.createHanningWindow(now.shape[::-1], cv2.CV_32F), dtype=np.float32)
        shift, _ = cv2.phaseCorrelate(self._start * window, now * window)
        for aside in ((0.0, 0.0), shift):
            guess = np.array([[1, 0, aside[0]], [0, 1, aside[1]], [0, 0, 1.0]]) @ start
            score, matrix = self._aligned(now, guess)
            if matrix is not None and score > best:
                best, found = score, matrix
        if found is None or best < here + self.better:
            return known if here >= self.least else None
        if best < self.least:
            return None
        return np.asarray(np.linalg.inv(shrink) @ found @ shrink, dtype=np.float64)

    def _aligned(
        self, now: NDArray[np.float32], guess: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64] | None]:
        everywhere = np.full(now.shape, 255, dtype=np.uint8)
        stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-4)
        try:
            affine = np.asarray((guess / guess[2, 2])[:2], dtype=np.float32)
            _, turned = cv2.findTransformECC(self._start, now, affine, cv2.MOTION_AFFINE, stop, everywhere, 5)
            full = np.vstack([turned, [0, 0, 1]]).astype(np.float32)
            score, found = cv2.findTransformECC(
                self._start, now, full, cv2.MOTION_HOMOGRAPHY, stop, everywhere, 3
            )
        except cv2.error:  # it did not converge: there is nothing alike
            return -1.0, None
        return float(score), np.asarray(found, dtype=np.float64)

    def _correlation(self, now: NDArray[np.float32], motion: NDArray[np.float64]) -> float:
        height, width = now.shape
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        moved = np.asarray(cv2.warpPerspective(now, motion, (width, height), flags=flags))
        inside = (
            np.asarray(cv2.warpPerspective(np.ones_like(now), motion, (width, height), flags=flags)) > 0.99
        )
        if int(inside.sum()) < 100:
            return -1.0
        a, b = self._start[inside], moved[inside]
        a, b = a - a.mean(), b - b.mean()
        return float((a * b).sum() / math.sqrt(float((a * a).sum() * (b * b).sum()) + 1e-12))
