"""The motion gate: what changed on the table, where a hand is, and since when everything lies still.

It works on a small band-passed picture, never on plain frame differences:

* The picture is shrunk by a whole factor to about `VIEW_AREA_PX` pixels and taken to a logarithmic scale.
  There a change of exposure or lamp is an added constant, which the band-pass (small blur minus larger blur)
  removes together with soft shadows and vignetting. Dice, pips, fingers and their edges stay.
* Two such pictures are compared with a tolerance of one small pixel (a pixel is explained when it lies
  between the darkest and the brightest of the other picture's 3 x 3 neighbourhood): a camera that trembles by
  a pixel or two, or a codec that moves an edge, changes nothing.
* A hand is seen by its edges and by its tint: the inside of a plain sleeve, or of skin in soft light, has no
  edges, but another proportion of the colours than the table that it covers. No colour is taken for skin, and
  a shadow, which darkens all colours alike, changes no tint.
* What remains is averaged over blocks of `BLOCK` x `BLOCK` small pixels and divided by the local contrast; a
  block changed when it exceeds both a share of that contrast and a multiple of the picture's own noise of
  this moment.

All times are in seconds, from the timestamps of the frames. Coordinates: full-picture pixels; masks are in
blocks, where block (row, column) covers `block_px` pixels each way, from the top left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame, Image

Blocks = NDArray[np.bool_]
"""One truth value a block: shape (rows, columns)."""
Box = tuple[float, float, float, float]
"""(x, y, width, height) in pixels of the full picture."""

VIEW_AREA_PX = 100_000
"""Area to which a picture is shrunk: a 16 mm die of 30 px at 1280 x 720 still has 10 px there."""
BLOCK = 4
"""Side of a block in small pixels: well under the smallest die."""
_SHADE = 24.0
"""Grey level below which the logarithm flattens, so that noise in dark corners is not blown up."""
_TO_LOG = np.round(255.0 * np.log1p(np.arange(256) / _SHADE) / np.log1p(255.0 / _SHADE)).astype(np.uint8)
_NEIGHBOURS = np.ones((3, 3), np.uint8)
_BACKGROUND = 11
"""Side of the larger blur, in small pixels: about one die, so that dice keep their contrast."""
_UNCOVERED_SHARE = 0.2
"""Share of changed blocks under which a region looks again as it did before something was laid there."""
_RIM = 2
"""Rings of blocks at the border that a shift of the picture disturbs: half the larger blur, rounded up."""
_ARM_SHARE = 0.4
"""An arm covers at most this share of the picture's shorter side where it crosses the border."""
_BEYOND_SHARE = 0.5
"""Share of the least size of a hand that must lie beyond the places where dice lay."""
_ZERO = 128
"""Grey level of the band-passed picture where the table is plain."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A small band-passed picture, comparable with others of the same stream."""

    band: NDArray[np.uint8]
    """(h, w, 3) uint8: log brightness minus its surroundings, plus 128."""
    low: NDArray[np.uint8]
    """(h, w, 3): the darkest of each 3 x 3 neighbourhood of `band`."""
    high: NDArray[np.uint8]
    """(h, w, 3): the brightest of each 3 x 3 neighbourhood of `band`."""
    block_px: int
    """Side of a block in pixels of the full picture."""
    brightness: float
    """Mean grey level of the picture, 0..255."""
    contrast: float
    """Standard deviation of `band`: near 0 for a black, white or covered picture."""
    tint: NDArray[np.float32]
    """(rows, columns, 2): blue and red against green, in steps of the logarithmic scale, a block."""

    @property
    def grid(self) -> tuple[int, int]:
        """(rows, columns) of blocks."""
        return self.band.shape[0] // BLOCK, self.band.shape[1] // BLOCK


def view_of(image: Image) -> View:
    """Shrink and band-pass one (H, W, 3) uint8 BGR picture."""
    height, width = image.shape[:2]
    factor = max(1, round((height * width / VIEW_AREA_PX) ** 0.5))
    factor = max(1, min(factor, height // BLOCK, width // BLOCK))
    side = factor * BLOCK
    rows, columns = max(1, height // side), max(1, width // side)
    part = image[: rows * side, : columns * side]
    size = (columns * BLOCK, rows * BLOCK)
    small = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    logs = cv2.LUT(small, _TO_LOG)
    fine = cv2.GaussianBlur(logs, (3, 3), 0)
    coarse = cv2.blur(logs, (_BACKGROUND, _BACKGROUND))
    band = cast("NDArray[np.uint8]", cv2.addWeighted(fine, 1.0, coarse, -1.0, float(_ZERO)))
    means = cv2.resize(logs, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.float32)
    tint = means[..., (0, 2)] - means[..., 1:2]
    return _view_from_band(band, side, float(small.mean()), tint)


def _view_from_band(
    band: NDArray[np.uint8], block_px: int, brightness: float, tint: NDArray[np.float32]
) -> View:
    low = cast("NDArray[np.uint8]", cv2.erode(band, _NEIGHBOURS))
    high = cast("NDArray[np.uint8]", cv2.dilate(band, _NEIGHBOURS))
    contrast = float(cv2.meanStdDev(band)[1].max())
    return View(band, low, high, block_px, brightness, contrast, tint)


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """Constants of the motion gate; each is a ratio or a time, none depends on a rig."""

    change_share: float = 0.30
    """Share of the local contrast that a block must change by ..."""
    contrast_most: float = 40.0
    """... of which no more than this is counted: a die on coarse wood must not hide behind the grain ..."""
    noise_times: float = 4.0
    """... and the multiple of the picture's own noise (the median block) of this moment ..."""
    noise_most: float = 1.5
    """... of which no more than this is believed: above it, the picture has changed in truth ..."""
    floor: float = 2.5
    """... and grey levels on the logarithmic scale."""
    least_blocks: int = 3
    """Smallest connected group of changed blocks that counts as a mover."""
    cut_share: float = 0.5
    """Share of all blocks that change at once when the camera was cut, bumped or covered."""
    hand_dice: float = 5.0
    """A group connected to the picture's border that is larger than so many dice is a hand or an arm."""
    hand_share: float = 0.05
    """The same as a share of the picture, while the size of the dice is not known."""
    tint_least: float = 9.0
    """A block has another tint when it changed by so many steps of the logarithmic scale ..."""
    tint_noise: float = 4.0
    """... and by this multiple of what most blocks changed by."""
    halo_sizes: float = 0.5
    """A die changes the picture around it, by its shadow and its edges, for so many sizes of a die."""
    bare_share: float = 0.6
    """Less structure than this share of what there was: a die was taken away, not only pushed."""
    absorb_s: float = 3.0
    """Something at the border that lies perfectly still for so long is furniture and no hand."""
    hand_most: float = 0.6
    """No hand covers more than this share of the picture: then it is the picture itself that moved ..."""
    shifted_s: float = 0.3
    """... and it is taken as the new one as soon as it has been still for so long."""
    recent_s: float = 0.08
    """Under and around a hand motion is looked for between pictures so far apart."""
    refresh_s: float = 0.5
    """How often the pictures compared with are renewed while nothing changes (against slow drift)."""
    black_level: float = 6.0
    """Mean grey level under which a picture without contrast is black."""
    black_contrast: float = 2.0
    """Contrast under which a dark picture shows nothing."""


def changed_blocks(reference: View, current: View, settings: MotionSettings) -> Blocks:
    """Which blocks differ between two views; the outermost `_RIM` rings are left out.

    At the rim a picture that shifts by a pixel shows new content, which no tolerance can explain, and the
    blur carries it inwards.
    """
    rise = cv2.max(cv2.subtract(current.band, reference.high), cv2.subtract(reference.band, current.high))
    fall = cv2.max(cv2.subtract(reference.low, current.band), cv2.subtract(current.low, reference.band))
    difference = _brightest_channel(cv2.max(rise, fall))
    contrast = cv2.max(
        cv2.subtract(reference.high, reference.low),
        cv2.subtract(current.high, current.low),
    )
    around = cv2.dilate(_brightest_channel(contrast), _NEIGHBOURS)
    rows, columns = reference.grid
    size = (columns, rows)
    change = cv2.resize(difference.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    scale = cv2.resize(around.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    noise = min(float(np.median(change)), settings.noise_most)
    least = max(settings.floor, settings.noise_times * noise)
    # The constant beside the contrast keeps plain cloth, whose contrast is only noise, from deciding.
    scale = np.minimum(scale, settings.contrast_most) + 8.0
    mask = (change > least) & (change > settings.change_share * scale)
    mask[:_RIM, :] = mask[-_RIM:, :] = False
    mask[:, :_RIM] = mask[:, -_RIM:] = False
    return _without_specks(mask, settings.least_blocks)


def tinted_blocks(reference: View, current: View, settings: MotionSettings) -> Blocks:
    """Which blocks have another proportion of the colours, the picture's own drift in colour taken off."""
    difference = current.tint - reference.tint
    difference -= np.median(difference, axis=(0, 1))
    change = np.abs(difference).max(axis=2)
    mask = change > max(settings.tint_least, settings.tint_noise * float(np.median(change)))
    mask[:_RIM, :] = mask[-_RIM:, :] = False
    mask[:, :_RIM] = mask[:, -_RIM:] = False
    return _without_specks(mask, settings.least_blocks)


def _brightest_channel(picture: cv2.typing.MatLike) -> NDArray[np.uint8]:
    blue, green, red = cv2.split(picture)
    return cast("NDArray[np.uint8]", cv2.max(cv2.max(blue, green), red))


def _without_specks(mask: Blocks, least: int) -> Blocks:
    """Drop connected groups (8 neighbours) of fewer than `least` blocks."""
    if not mask.any():
        return mask
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    large = stats[:, cv2.CC_STAT_AREA] >= least
    large[0] = False
    kept: Blocks = large[labels]
    return kept


def grow(mask: Blocks, blocks: int) -> Blocks:
    """Dilate a mask by `blocks` blocks in every direction."""
    if blocks <= 0 or not mask.any():
        return mask
    kernel = np.ones((2 * blocks + 1, 2 * blocks + 1), np.uint8)
    grown: Blocks = cv2.dilate(mask.astype(np.uint8), kernel) > 0
    return grown


def _ring(rows: int, columns: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(row, column) indices of the outermost cells, once around, each once."""
    top = [(0, column) for column in range(columns)]
    right = [(row, columns - 1) for row in range(1, rows)]
    bottom = [(rows - 1, column) for column in range(columns - 2, -1, -1)]
    left = [(row, 0) for row in range(rows - 2, 0, -1)]
    cells = np.array(top + right + bottom + left, np.intp)
    return cells[:, 0], cells[:, 1]


def _filled_hand(part: Blocks) -> Blocks:
    """Fill the holes of one border-connected group, counting the stretch of border it enters by as closed.

    An arm is seen by its outline: the inside of a plain sleeve changes little.
    """
    rows, columns = part.shape
    padded = np.zeros((rows + 2, columns + 2), np.uint8)
    padded[1:-1, 1:-1] = part
    # The rim of the mask is never set itself (see changed_blocks), hence the reach beyond it.
    wide = cv2.dilate(padded, _NEIGHBOURS, iterations=_RIM + 1)
    ring = _ring(rows + 2, columns + 2)
    touching = np.flatnonzero(wide[ring])
    if touching.size:
        length = ring[0].size
        gaps = np.diff(np.append(touching, touching[0] + length))
        for start, gap in zip(touching, gaps, strict=True):
            if gap <= _ARM_SHARE * min(rows, columns):
                between = np.arange(start, start + gap + 1) % length
                padded[ring[0][between], ring[1][between]] = 1
    closed = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    outlines, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    cv2.drawContours(closed, outlines, -1, 1, cv2.FILLED)
    filled: Blocks = closed[1:-1, 1:-1] > 0
    return filled


def hand_blocks(foreground: Blocks, least_blocks: float, dice: Blocks | None = None) -> Blocks:
    """Those foreground groups that reach the picture's border and are larger than `least_blocks`.

    No colour is looked for: sleeves, gloves and every skin come in from the border and are larger than dice.
    `dice` are the places where dice lay: a group that hardly reaches beyond them is what they left behind.
    """
    hands = np.zeros_like(foreground)
    if foreground.sum() < 2:
        return hands
    joined = cv2.morphologyEx(foreground.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    rows, columns = foreground.shape
    for label in range(1, count):
        left, top, width, height, _ = stats[label]
        # The rim itself never changes (see changed_blocks): "at the border" is the ring inside it.
        at_border = min(left, top) <= _RIM or left + width >= columns - _RIM or top + height >= rows - _RIM
        if not at_border or width * height <= least_blocks:
            continue
        filled = _filled_hand(labels == label)
        beyond = filled if dice is None else filled & ~dice
        if filled.sum() > least_blocks and beyond.sum() > _BEYOND_SHARE * least_blocks:
            hands |= filled
    return hands


def at_border(mask: Blocks) -> Blocks:
    """Return those connected groups of a mask that reach the picture's border."""
    out = np.zeros_like(mask)
    if not mask.any():
        return out
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    rows, columns = mask.shape
    for label in range(1, count):
        left, top, width, height, _ = stats[label]
        if min(left, top) <= _RIM or left + width >= columns - _RIM or top + height >= rows - _RIM:
            out |= labels == label
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Glance:
    """What the motion gate says about one frame."""

    still_s: float
    """Seconds for which nothing but hands has changed; 0 in a frame in which something moved."""
    moving: Blocks
    """Blocks that moved since everything was last still, hands excluded."""
    changed: Blocks
    """Blocks that differ from the table as it was last settled, hands included."""
    hand: Blocks
    """Blocks covered by a hand or an arm."""
    block_px: int
    """Side of a block in pixels of the full picture."""
    hand_still_s: float = 0.0
    """Seconds for which the hand has not stirred; 0 without a hand."""
    renewed: bool = False
    """Whether something large lies still and was taken into the settled picture: all is to be read anew."""
    problem: str = ""
    """Why the picture cannot be used ("black", "cut", "size", "time"), or empty."""

    def share(self, mask: Blocks, box: Box, *, margin_px: float = 0.0) -> float:
        """Share of the blocks under `box` (grown by `margin_px`) that are set in `mask`, 0..1."""
        part = mask[blocks_under(box, self.block_px, mask.shape, margin_px=margin_px)]
        return float(part.mean()) if part.size else 0.0


def blocks_under(
    box: Box, block_px: int, grid: tuple[int, ...], *, margin_px: float = 0.0
) -> tuple[slice, slice]:
    """The (row, column) slices of the blocks that a box in pixels touches; at least one block."""
    x, y, width, height = box
    rows, columns = grid
    top = int(np.clip((y - margin_px) // block_px, 0, rows - 1))
    left = int(np.clip((x - margin_px) // block_px, 0, columns - 1))
    bottom = int(np.clip((y + height + margin_px) // block_px, top, rows - 1))
    right = int(np.clip((x + width + margin_px) // block_px, left, columns - 1))
    return slice(top, bottom + 1), slice(left, right + 1)


@dataclass(slots=True)
class MotionGate:
    """Follows one stream. Deterministic: the answers depend on the frames and their timestamps only."""

    settings: MotionSettings = field(default_factory=MotionSettings)
    _anchor: View | None = None
    _anchor_t_ns: int = 0
    _still_from_ns: int = 0
    _settled: View | None = None
    _settled_t_ns: int = 0
    _hand_since_anchor: Blocks | None = None
    _hand_anchor: View | None = None
    _hand_still_from_ns: int = 0
    _under: View | None = None
    _last_t_ns: int = 0
    _shape: tuple[int, ...] = ()
    _view: View | None = None
    _recent: deque[tuple[int, View, Blocks]] = field(default_factory=deque)

    def push(
        self,
        frame: Frame,
        *,
        die_px: float | None = None,
        within: tuple[int, int, int, int] | None = None,
        dice: Sequence[Box] = (),
    ) -> Glance:
        """Look at the next frame; `die_px` is the side of a die where it is known, `dice` where dice lay.

        What changes outside of `within`, (x, y, width, height) in pixels, does not count, hands excepted.
        """
        view = view_of(frame.image)
        still = np.zeros(view.grid, bool)
        everything = np.ones(view.grid, bool)
        t_ns = frame.t_ns
        problem = ""
        if self._anchor is not None and frame.image.shape != self._shape:
            problem = "size"
        elif self._anchor is not None and t_ns < self._last_t_ns:
            problem = "time"
        elif view.brightness < self.settings.black_level and view.contrast < self.settings.black_contrast:
            # A dark picture says nothing: what was known stays, and the clock of stillness starts anew.
            self._still_from_ns = t_ns
            return Glance(0.0, still, still, still, view.block_px, problem="black")
        self._shape, self._last_t_ns, self._view = frame.image.shape, t_ns, view
        if self._anchor is None or self._settled is None or problem:
            self._begin(view, t_ns)
            return Glance(0.0, still, everything, still, view.block_px, problem=problem)
        moved = changed_blocks(self._anchor, view, self.settings)
        if moved.mean() > self.settings.cut_share:
            self._begin(view, t_ns)
            return Glance(0.0, moved, everything, still, view.block_px, problem="cut")
        changed = changed_blocks(self._settled, view, self.settings)
        hand = self._hand(changed, self._settled, view, die_px, dice)
        if self._uncovered(hand, view):
            changed = changed_blocks(self._settled, view, self.settings)
            hand = self._hand(changed, self._settled, view, die_px, dice)
        moved = self._without_hands(moved, hand) | self._just_moved(view, hand, t_ns)
        if within is not None:
            inside = np.zeros(view.grid, bool)
            inside[blocks_under(within, view.block_px, view.grid)] = True
            moved, changed = moved & inside, changed & inside
        if moved.any():
            self._restart(view, t_ns, hand)
        elif t_ns - self._anchor_t_ns > self.settings.refresh_s * 1e9:
            self._anchor, self._anchor_t_ns = view, t_ns
            self._hand_since_anchor = hand
        renewed = self._absorb(hand, view, t_ns)
        if renewed:
            changed = hand = still
        still_s = (t_ns - self._still_from_ns) / 1e9
        hand_still_s = 0.0 if self._hand_anchor is None else (t_ns - self._hand_still_from_ns) / 1e9
        return Glance(still_s, moved, changed, hand, view.block_px, hand_still_s, renewed)

    def bare(self, box: Box) -> bool:
        """Whether far less is to be seen at `box` than when the table last lay settled: the die is gone."""
        view, settled = self._view, self._settled
        if view is None or settled is None or view.band.shape != settled.band.shape:
            return False
        rows, columns = blocks_under(box, view.block_px, view.grid)
        part = (
            slice(rows.start * BLOCK, rows.stop * BLOCK),
            slice(columns.start * BLOCK, columns.stop * BLOCK),
        )
        plain = np.full_like(view.band[part], _ZERO)
        now = float(cv2.absdiff(view.band[part], plain).mean())
        before = float(cv2.absdiff(settled.band[part], plain).mean())
        return now < self.settings.bare_share * before

    def accept(self, hand: Blocks) -> None:
        """Take the table as it lies in the last frame as the settled one, except where `hand` is set.

        That is where a hand is over it, or what may be the tips of one: fingers that were taken for a part of
        the table would leave a ghost of themselves when they go.
        """
        view, old = self._view, self._settled
        if view is None:
            return
        if old is None or not hand.any() or old.band.shape != view.band.shape:
            self._settled = view
        else:
            self._settled = _patched(view, old, hand)
        self._settled_t_ns = self._last_t_ns

    def forget(self) -> None:
        """Compare with nothing that came before: the camera stands elsewhere."""
        self._anchor = None

    def refresh(self) -> None:
        """Renew the settled picture now and then; call it only while nothing differs and no hand is there."""
        if self._last_t_ns - self._settled_t_ns > self.settings.refresh_s * 1e9:
            self._settled, self._settled_t_ns = self._view, self._last_t_ns

    def _begin(self, view: View, t_ns: int) -> None:
        self._recent.clear()
        self._settled, self._settled_t_ns = view, t_ns
        self._restart(view, t_ns, np.zeros(view.grid, bool))
        self._hand_anchor = self._under = None

    def _restart(self, view: View, t_ns: int, hand: Blocks) -> None:
        self._anchor, self._anchor_t_ns, self._still_from_ns = view, t_ns, t_ns
        self._hand_since_anchor = hand

    def _hand(
        self, changed: Blocks, settled: View, view: View, die_px: float | None, dice: Sequence[Box]
    ) -> Blocks:
        if not changed.any():
            return changed
        foreground = changed | tinted_blocks(settled, view, self.settings)
        places = np.zeros(view.grid, bool)
        for box in dice:
            margin = self.settings.halo_sizes * float(box[2] * box[3]) ** 0.5
            places[blocks_under(box, view.block_px, view.grid, margin_px=margin)] = True
        return hand_blocks(foreground, self._least_hand(view, die_px), places)

    def _least_hand(self, view: View, die_px: float | None) -> float:
        """Area in blocks above which something at the border is a hand."""
        if die_px is None:
            return self.settings.hand_share * view.grid[0] * view.grid[1]
        return max(4.0, self.settings.hand_dice * (die_px / view.block_px) ** 2)

    def _without_hands(self, moved: Blocks, hand: Blocks) -> Blocks:
        """What moved, less what a hand did: where it is, and where it has been since the anchor was set."""
        before = self._hand_since_anchor
        swept = hand if before is None else hand | before
        self._hand_since_anchor = swept
        if not moved.any() or not swept.any():
            return moved
        return _without_specks(moved & ~grow(swept, 2), self.settings.least_blocks)

    def _just_moved(self, view: View, hand: Blocks, t_ns: int) -> Blocks:
        """What moved within the last moments outside of the hand, also where the hand was before that.

        Dice that roll out from under a hand which then leaves would lie still otherwise until the hand's
        traces are forgotten.
        """
        recent = self._recent
        recent.append((t_ns, view, hand))
        while len(recent) > 2 and recent[1][0] <= t_ns - self.settings.recent_s * 1e9:
            recent.popleft()
        swept = self._hand_since_anchor
        _, before, hand_then = recent[0]
        if swept is None or not swept.any() or before.band.shape != view.band.shape:
            return np.zeros_like(hand)
        moved = changed_blocks(before, view, self.settings) & ~grow(hand | hand_then, 2)
        return _without_specks(moved & grow(swept, 2), self.settings.least_blocks)

    def _absorb(self, hand: Blocks, view: View, t_ns: int) -> bool:
        """Whether what looked like a hand has been still for so long that it belongs to the table."""
        if not hand.any():
            self._hand_anchor = None
            return False
        settings = self.settings
        still_s = settings.absorb_s if hand.mean() < settings.hand_most else settings.shifted_s
        if self._hand_anchor is None or changed_blocks(self._hand_anchor, view, self.settings).any():
            self._hand_anchor, self._hand_still_from_ns = view, t_ns
        elif t_ns - self._hand_still_from_ns > still_s * 1e9:
            self._hand_anchor, self._under = None, self._settled
            self._settled, self._settled_t_ns = view, t_ns
            return True
        return False

    def _uncovered(self, hand: Blocks, view: View) -> bool:
        """Whether what looks like a hand is the table that an absorbed object has left bare again."""
        if self._under is None or self._settled is None or not hand.any():
            return False
        if changed_blocks(self._under, view, self.settings)[hand].mean() > _UNCOVERED_SHARE:
            return False
        self._settled = _patched(self._settled, self._under, hand)
        self._under = None
        return True


def _patched(view: View, other: View, mask: Blocks) -> View:
    """`view` with the blocks of `mask` (grown by two) taken from `other`."""
    blocks = grow(mask, 2)
    covered = np.kron(blocks, np.ones((BLOCK, BLOCK), bool))[..., None]
    band = cast("NDArray[np.uint8]", np.where(covered, other.band, view.band))
    tint = np.where(blocks[..., None], other.tint, view.tint).astype(np.float32, copy=False)
    return _view_from_band(band, view.block_px, view.brightness, tint)


def patched(view: View, other: View, mask: Blocks) -> View:
    """Return `view` with the blocks of `mask` (grown by two) taken from `other`, a view of the same size."""
    return _patched(view, other, mask)
