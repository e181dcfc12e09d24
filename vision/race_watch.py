"""Follows many dice in several lanes at once, where something always moves: a race.

    frame -> what moved -> what differs from the table as it was last read -> of that, what lies still -> read

Unlike `vision.watch`, which waits until the whole table is still, every part of the table is followed by
itself: it is read a few times as soon as it lies still, and then not again until it changes. So the work
grows with what moves, not with the number of dice. What a hand covers is remembered as it was; what is in
view again and has changed is read again. When a throw has come to lie, the ring of full frames says in which
frame each of its dice came to rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection import Detection, DiceReader, DieState, Reading
from vision.frame import Frame
from vision.motion import (
    Blocks,
    Box,
    MotionSettings,
    View,
    blocks_under,
    changed_blocks,
    grow,
    hand_blocks,
    patched,
    tinted_blocks,
    view_of,
)
from vision.ring import CameToRest, FrameRing, apart, patch
from vision.tracking import distance_sizes, fuse

Place = Callable[[Detection], tuple[int, bool] | None]
"""Says in which lane a die lies, by number, and whether in its tray; None: in no lane."""
Polygon = Sequence[tuple[float, float]]

_LONG_AGO = -(10**18)
_OTHER_LEVELS = 4.0
"""A die's place shows something else when it differs from the die's picture by so many grey levels ..."""
_OTHER_SHARE = 0.35
"""... and by this share of the picture's contrast."""


@dataclass(frozen=True, slots=True)
class RaceSettings:
    """Times and ratios of the watch; nothing is counted in frames but the readings."""

    dice: int = 10
    """Dice a lane."""
    quiet_s: float = 0.09
    """What has not moved for so long is read ..."""
    again_s: float = 0.04
    """... and once more after so long, until there are `votes` readings."""
    votes: int = 2
    """So many sure readings that agree settle a face ..."""
    most_votes: int = 7
    """... and after so many the die stays unread."""
    settle_s: float = 0.15
    """A throw lies when nothing in its lane has moved for so long ..."""
    short_s: float = 0.6
    """... or for so long, where dice are missing."""
    slow_s: float = 0.1
    """Motion is looked for between pictures so far apart, too: a die that hardly rolls any more."""
    hand_away_s: float = 0.06
    """What a hand covered is read when it has been gone for so long."""
    hand_rest_s: float = 0.5
    """A hand that rests is looked at so often, whether it is one: dice at the border look like one."""
    filled_share: float = 0.5
    """What looks like a hand and is filled by sure dice to this share is none."""
    same_sizes: float = 0.4
    """Readings of one die lie closer than this."""
    pushed_sizes: float = 0.18
    """A die that is found farther than this from where it lay was moved."""
    changed_share: float = 0.35
    """A die lies no more as it lay when so much of its place has changed."""
    cut_share: float = 0.5
    """When so much changes from one frame to the next, the camera was moved."""
    verify_s: float = 0.2
    """A die in view is compared with its own picture so often."""
    again_unread_s: float = 0.4
    """A die that stayed unread is looked at again after so long."""
    bound_s: float = 1.5
    """How long full frames are kept."""


@dataclass(frozen=True, slots=True)
class RaceDie:
    """One die in a lane."""

    id: int
    """Stays the same while it lies where it lies; never used again."""
    detection: Detection
    """What the readings agreed on."""
    tray: bool
    """Whether it lies in the lane's tray."""
    rest: CameToRest | None
    """When it came to lie there; None where it lay there before."""
    covered: bool = False
    """Whether a hand is over it: it is remembered."""

    @property
    def face(self) -> int | None:
        """The face that is certain; None for a die that leans or could not be read."""
        die = self.detection
        return die.value if die.sure and die.state is DieState.FLAT else None


@dataclass(frozen=True, slots=True)
class LaneLook:
    """A throw has come to lie in a lane."""

    lane: int
    """Which lane."""
    t_ns: int
    """Timestamp of the first frame in which all of it lay as it lies, in full view."""
    not_before_ns: int
    """It cannot have lain so before."""
    frame: int
    """Index of that frame."""
    dice: tuple[RaceDie, ...]
    """All dice of the lane."""
    found_ns: int
    """Timestamp of the frame in which that was established."""

    @property
    def faces(self) -> tuple[int, ...]:
        """The certain faces, sorted."""
        return tuple(sorted(die.face for die in self.dice if die.face is not None))

    @property
    def uncertainty_ns(self) -> int:
        """How much earlier than `t_ns` it may have been."""
        return self.t_ns - self.not_before_ns


class _Die:
    """A die as it is being read."""

    def __init__(self, ident: int, lane: int, frame: int, *, tray: bool) -> None:
        self.id, self.lane, self.tray, self.frame = ident, lane, tray, frame
        self.readings: list[Detection] = []
        self.known: Detection | None = None
        self.settled = False
        self.fresh = True
        self.misses = 0
        self.rest: CameToRest | None = None
        self.looked_ns = 0
        self.covered = False
        self.uncovered_ns: int | None = None
        self.extra = 0
        self.picture: NDArray[np.float32] | None = None
        self.verified_ns = 0

    @property
    def detection(self) -> Detection:
        assert self.known is not None
        return self.known

    def take(self, seen: Detection, settings: RaceSettings) -> None:
        """Take one more reading."""
        self.readings.append(seen)
        self.misses = 0
        fused = fuse([Reading((each,)) for each in self._lined_up()])[0]
        self.known = fused.detection
        enough = len(self.readings) >= settings.votes and fused.agreed and fused.detection.sure
        self.settled = enough or len(self.readings) >= settings.most_votes

    def _lined_up(self) -> list[Detection]:
        """Return the readings at the place of the last one: they are of one die, whatever their boxes."""
        last = self.readings[-1]
        return [replace(each, box_px=last.box_px, centre_px=last.centre_px) for each in self.readings]


class _Lane:
    """What is known of one lane."""

    def __init__(self, mask: Blocks) -> None:
        self.mask = mask
        self.dice: list[_Die] = []
        self.lifted = False
        self.last_faces: tuple[int | None, ...] | None = None
        self.quiet_from_ns: int | None = None
        self.unclear_from_ns: int | None = None
        self.hand_covers = False


class RaceWatcher:
    """Follows the lanes of one table; push every frame in order. Deterministic."""

    def __init__(
        self,
        reader: DiceReader,
        outlines_px: Sequence[Sequence[Polygon]],
        place: Place,
        *,
        die_px: float,
        settings: RaceSettings | None = None,
        motion: MotionSettings | None = None,
    ) -> None:
        """Watch with `reader`, which is given only what has changed and lies still.

        Args:
            reader: finds and reads dice.
            outlines_px: for each lane, the outlines of its zones in pixels of the picture.
            place: says in which lane a die lies.
            die_px: side of a die's box.
            settings: times and ratios.
            motion: constants of the comparison of pictures.
        """
        self._reader, self._place, self._die_px = reader, place, die_px
        self._outlines = [[list(outline) for outline in lane] for lane in outlines_px]
        self.settings = settings or RaceSettings()
        self._motion = motion or MotionSettings()
        self.ring = FrameRing(seconds=self.settings.bound_s)
        """Full frames of the last moments."""
        self._lanes: list[_Lane] = []
        self._known: View | None = None
        self._views: deque[tuple[int, View]] = deque()
        self._shape: tuple[int, ...] = ()
        self._next_id = 1
        self.reads = 0
        """How many parts of pictures the reader was given so far."""
        self.read_px = 0
        """How many pixels those had together."""
        self.hand = np.zeros((0, 0), bool)
        """The blocks that hands cover in the last frame."""

    # ---- what others ask ---------------------------------------------------------------------------

    def dice(self, lane: int) -> tuple[RaceDie, ...]:
        """Return the dice of a lane as far as they are known: read, or remembered under a hand."""
        if not self._lanes:
            return ()
        known = [die for die in self._lanes[lane].dice if die.known is not None]
        return tuple(_frozen(die) for die in known)

    def clear_until_ns(self, lane: int, now_ns: int) -> int:
        """Return up to when all that happened in a lane has been taken into account."""
        if not self._lanes:
            return _LONG_AGO
        unclear = self._lanes[lane].unclear_from_ns
        return now_ns if unclear is None else unclear

    def hand_over(self, lane: int) -> bool:
        """Whether a hand covers dice of a lane in the last frame."""
        return bool(self._lanes) and self._lanes[lane].hand_covers

    def new_round(self) -> None:
        """A round begins: the next throw in every lane is its first."""
        for lane in self._lanes:
            lane.last_faces, lane.lifted = None, True
            for die in lane.dice:
                die.fresh = False

    # ---- one frame ---------------------------------------------------------------------------------

    def push(self, frame: Frame) -> tuple[LaneLook, ...]:
        """Look at the next frame; returns the throws that are established by it to lie."""
        view = view_of(frame.image)
        if self._known is None or frame.image.shape != self._shape:
            self._begin(frame, view)
        assert self._known is not None
        t_ns = frame.t_ns
        moved = self._moved(view, t_ns)
        if moved.mean() > self.settings.cut_share:
            self._begin(frame, view)
            moved = np.zeros(view.grid, bool)
        self._moved_ns[moved] = t_ns
        self._reads_of[moved] = 0
        changed = changed_blocks(self._known, view, self._motion)
        self.hand = self._hand(changed, view, moved)
        near = grow(self.hand, 1)
        self._hand_ns[near] = t_ns
        self.ring.add(frame, self.hand, view.block_px)
        need = (changed | self._unread) & self._any_lane & ~near
        self._cover(t_ns, view)
        self._verify(frame, view)
        need |= self._unread & self._any_lane & ~near
        out = self._read_what_lies(frame, view, need)
        self._look_again_at_unread(frame, view)
        out += self._throws(frame, view)
        self._keep_up(view, t_ns)
        return tuple(out)

    def _begin(self, frame: Frame, view: View) -> None:
        """Know nothing: everything is to be read."""
        self._shape = frame.image.shape
        self._known = view
        self._views.clear()
        grid = view.grid
        self._moved_ns: NDArray[np.int64] = np.full(grid, frame.t_ns, np.int64)
        self._hand_ns: NDArray[np.int64] = np.full(grid, _LONG_AGO, np.int64)
        self._read_ns: NDArray[np.int64] = np.full(grid, _LONG_AGO, np.int64)
        self._reads_of: NDArray[np.int64] = np.zeros(grid, np.int64)
        self._hand_looked_ns = _LONG_AGO
        self._no_hand = np.zeros(grid, bool)
        self._refreshed_ns = frame.t_ns
        masks = [_mask(outlines, view.block_px, grid) for outlines in self._outlines]
        if not self._lanes:
            self._lanes = [_Lane(mask) for mask in masks]
        for lane, mask in zip(self._lanes, masks, strict=True):
            lane.mask, lane.dice, lane.lifted, lane.last_faces = mask, [], False, None
        self._any_lane = np.logical_or.reduce(masks)
        self._unread: Blocks = self._any_lane.copy()
        self.hand = np.zeros(grid, bool)

    def _moved(self, view: View, t_ns: int) -> Blocks:
        """Return what moved since the last frame, or slowly."""
        views = self._views
        moved = np.zeros(view.grid, bool)
        if views:
            moved |= changed_blocks(views[-1][1], view, self._motion)
            if len(views) > 1:
                moved |= changed_blocks(views[0][1], view, self._motion)
        views.append((t_ns, view))
        while len(views) > 2 and views[1][0] <= t_ns - self.settings.slow_s * 1e9:
            views.popleft()
        return moved

    def _hand(self, changed: Blocks, view: View, moved: Blocks) -> Blocks:
        """Return what hands cover."""
        self._no_hand &= ~moved
        if not changed.any():
            return np.zeros(view.grid, bool)
        assert self._known is not None
        places = np.zeros(view.grid, bool)
        margin = self._motion.halo_sizes * self._die_px
        for die in self._all():
            places[blocks_under(die.detection.box_px, view.block_px, view.grid, margin_px=margin)] = True
        foreground = (changed | tinted_blocks(self._known, view, self._motion)) & ~self._no_hand
        least = max(4.0, self._motion.hand_dice * (self._die_px / view.block_px) ** 2)
        return hand_blocks(foreground, least, places)

    def _all(self) -> list[_Die]:
        return [die for lane in self._lanes for die in lane.dice if die.known is not None]

    def _cover(self, t_ns: int, view: View) -> None:
        """Note which dice a hand covers, and which are in view again."""
        for lane in self._lanes:
            lane.hand_covers = False
            for die in lane.dice:
                if die.known is None:
                    continue
                part = blocks_under(die.known.box_px, view.block_px, view.grid)
                covered = float(self.hand[part].mean()) > 0.15
                if die.covered and not covered:
                    die.uncovered_ns = t_ns
                die.covered = covered
                lane.hand_covers |= covered

    # ---- reading -----------------------------------------------------------------------------------

    def _read_what_lies(self, frame: Frame, view: View, need: Blocks) -> list[LaneLook]:
        """Read what differs from what is known, as soon as it lies still."""
        t_ns, settings = frame.t_ns, self.settings
        out: list[LaneLook] = []
        ready = self._ready(need, t_ns)
        # Dice that lie at the border may look like a hand: what rests there is looked at now and then.
        resting = np.zeros_like(ready)
        if self.hand.any() and t_ns - self._hand_looked_ns >= settings.hand_rest_s * 1e9:
            still = self.hand & (t_ns - self._moved_ns >= settings.quiet_s * 1e9)
            if still.sum() > 0.95 * self.hand.sum():
                resting = self.hand & self._any_lane
                self._hand_looked_ns = t_ns
        if resting.any() and not ready.any():
            self._look_under(frame, view, resting)
        if not ready.any():
            return out
        for number, lane in enumerate(self._lanes):
            part = ready & lane.mask
            if part.any():
                out += self._read_lane(frame, view, number, part)
        return out

    def _ready(self, need: Blocks, t_ns: int) -> Blocks:
        """Return those groups of blocks that lie still, all of them, and were not read a moment ago."""
        ready = np.zeros_like(need)
        if not need.any():
            return ready
        settings = self.settings
        still = (t_ns - self._moved_ns >= settings.quiet_s * 1e9) & (
            t_ns - self._hand_ns >= settings.hand_away_s * 1e9
        )
        rested = t_ns - self._read_ns >= settings.again_s * 1e9
        wide = grow(need, 1)
        count, labels = cv2.connectedComponents(wide.astype(np.uint8), connectivity=8)
        moving = np.bincount(labels[wide & ~still & need], minlength=count)
        fresh = np.bincount(labels[wide & ~rested & need], minlength=count)
        good = (moving == 0) & (fresh == 0)
        good[0] = False
        found: Blocks = good[labels] & need
        return found

    def _region(self, part: Blocks, view: View) -> tuple[int, int, int, int]:
        rows, columns = np.nonzero(part)
        side, margin = view.block_px, int(1.5 * self._die_px)
        height, width = self._shape[:2]
        left, top = max(0, int(columns.min()) * side - margin), max(0, int(rows.min()) * side - margin)
        right = min(width, (int(columns.max()) + 1) * side + margin)
        bottom = min(height, (int(rows.max()) + 1) * side + margin)
        return left, top, right - left, bottom - top

    def _readings(self, frame: Frame, view: View, part: Blocks) -> tuple[Detection, ...]:
        region = self._region(part, view)
        self.reads += 1
        self.read_px += region[2] * region[3]
        return self._reader.read(frame.image, size_px=self._die_px, region_px=region).dice

    def _look_under(self, frame: Frame, view: View, resting: Blocks) -> None:
        """See whether what looks like a hand and rests is made of dice."""
        seen = self._readings(frame, view, resting)
        filled = np.zeros_like(resting)
        for die in seen:
            if die.sure:
                filled[blocks_under(die.box_px, view.block_px, view.grid, margin_px=0.3 * self._die_px)] = (
                    True
                )
        if (filled & self.hand).sum() >= self.settings.filled_share * self.hand.sum():
            self._no_hand |= grow(self.hand, 1)
            self.hand = np.zeros_like(self.hand)

    def _read_lane(self, frame: Frame, view: View, number: int, part: Blocks) -> list[LaneLook]:
        """Read what is ready in one lane, and take it into account."""
        lane, t_ns = self._lanes[number], frame.t_ns
        seen = self._readings(frame, view, part)
        self._read_ns[part] = t_ns
        self._reads_of[part] += 1
        matched: set[int] = set()
        for detection in seen:
            self._take(frame, view, detection, part, matched)
        gone = []
        for die in lane.dice:
            if die.id in matched or die.known is None:
                continue
            if self._share(part, die.known.box_px, view) < self.settings.changed_share or die.covered:
                continue
            die.misses += 1
            if die.misses >= 2:
                gone.append(die)
        out: list[LaneLook] = []
        if any(not die.fresh or die.settled for die in gone):
            out = self._ended(frame, number)
            lane.lifted = True
        lane.dice = [die for die in lane.dice if die not in gone]
        self._accept(view, lane, part)
        return out

    def _take(self, frame: Frame, view: View, detection: Detection, part: Blocks, matched: set[int]) -> None:
        """Take a die that was found: it is a new one, one being read, or one that lay there."""
        place = self._place(detection)
        if place is None:
            return
        lane = self._lanes[place[0]]
        near = [
            (distance_sizes(die.detection, detection), die)
            for die in self._all()
            if die.id not in matched
            and distance_sizes(die.detection, detection) < max(self.settings.same_sizes, 0.5)
        ]
        share = self._share(part, detection.box_px, view)
        if near:
            distance, die = min(near, key=lambda each: each[0])
            matched.add(die.id)
            if not die.settled:
                die.take(detection, self.settings)
                if die.settled:
                    self._came_to_rest(die, frame)
                return
            old = die.detection
            differs = (
                detection.sure and old.sure and (detection.value, detection.state) != (old.value, old.state)
            )
            if share < self.settings.changed_share or not (differs or distance > self.settings.pushed_sizes):
                die.misses = 0
                if detection.sure and not old.sure:
                    die.known = replace(detection, box_px=old.box_px, centre_px=old.centre_px)
                return
            self._lanes[die.lane].dice.remove(die)
        elif not self._lies(frame, view, detection.box_px):
            return
        new = _Die(self._next_id, place[0], frame.index, tray=place[1])
        self._next_id += 1
        new.take(detection, self.settings)
        matched.add(new.id)
        lane.dice.append(new)

    def _came_to_rest(self, die: _Die, frame: Frame) -> None:
        die.rest = self.ring.came_to_rest(die.detection.box_px, die.frame)
        die.picture, die.verified_ns = patch(frame, die.detection.box_px), frame.t_ns

    def _verify(self, frame: Frame, view: View) -> None:
        """Compare every die in full view with its picture: where it is another, its place is read again."""
        for die in self._all():
            if die.picture is None or die.covered or not die.settled:
                continue
            if frame.t_ns - die.verified_ns < self.settings.verify_s * 1e9:
                continue
            at = blocks_under(die.detection.box_px, view.block_px, view.grid)
            recent = max(int(self._moved_ns[at].max()), int(self._hand_ns[at].max()))
            if frame.t_ns - recent < self.settings.quiet_s * 1e9:
                continue
            now = patch(frame, die.detection.box_px)
            least = max(_OTHER_LEVELS, _OTHER_SHARE * float(die.picture.std()))
            die.verified_ns = frame.t_ns
            if now.shape != die.picture.shape or apart(now, die.picture) > least:
                self._unread[at] = True
                self._reads_of[at] = 0
            else:
                die.misses = 0

    def _lies(self, frame: Frame, view: View, box: Box) -> bool:
        """Whether nothing has moved at a place for a moment, and no hand is there."""
        at = blocks_under(box, view.block_px, view.grid)
        settings = self.settings
        return bool(
            frame.t_ns - int(self._moved_ns[at].max()) >= settings.quiet_s * 1e9
            and frame.t_ns - int(self._hand_ns[at].max()) >= settings.hand_away_s * 1e9
        )

    def _share(self, mask: Blocks, box: Box, view: View) -> float:
        part = mask[blocks_under(box, view.block_px, view.grid)]
        return float(part.mean()) if part.size else 0.0

    def _accept(self, view: View, lane: _Lane, part: Blocks) -> None:
        """Take what was read often enough as known: it is not read again before it changes."""
        assert self._known is not None
        open_ = np.zeros_like(part)
        for die in lane.dice:
            if die.known is not None and (not die.settled or die.misses):
                open_[blocks_under(die.known.box_px, view.block_px, view.grid, margin_px=view.block_px)] = (
                    True
                )
        done = part & (
            ((self._reads_of >= self.settings.votes) & ~grow(open_, 1))
            | (self._reads_of >= self.settings.most_votes)
        )
        if not done.any():
            return
        # `patched` grows the mask by two.
        self._known = patched(view, self._known, _shrunk(~done, 2))
        self._unread &= ~done

    def _look_again_at_unread(self, frame: Frame, view: View) -> None:
        """Look again at a die that stayed unread, now and then: light and noise change."""
        for die in self._all():
            if not die.settled or die.detection.sure or die.covered or die.extra >= 6:
                continue
            if (
                frame.t_ns - max(die.looked_ns, self._last_read(die, view))
                < self.settings.again_unread_s * 1e9
            ):
                continue
            part = np.zeros(view.grid, bool)
            part[blocks_under(die.detection.box_px, view.block_px, view.grid)] = True
            if (frame.t_ns - self._moved_ns[part]).min() < self.settings.quiet_s * 1e9:
                continue
            die.looked_ns = frame.t_ns
            die.extra += 1
            for seen in self._readings(frame, view, part):
                if distance_sizes(seen, die.detection) < self.settings.same_sizes and seen.sure:
                    die.readings.append(seen)
                    latest = [each for each in die.readings if each.sure]
                    same = {(each.value, each.state) for each in latest}
                    if len(latest) >= 2 * self.settings.votes and len(same) == 1:
                        die.known = replace(
                            seen, box_px=die.detection.box_px, centre_px=die.detection.centre_px
                        )
                        die.fresh = True

    def _last_read(self, die: _Die, view: View) -> int:
        return int(self._read_ns[blocks_under(die.detection.box_px, view.block_px, view.grid)].max())

    # ---- throws ------------------------------------------------------------------------------------

    def _throws(self, frame: Frame, view: View) -> list[LaneLook]:
        """Announce throws that have come to lie."""
        assert self._known is not None
        t_ns, settings = frame.t_ns, self.settings
        changed = (changed_blocks(self._known, view, self._motion) | self._unread) & ~grow(self.hand, 1)
        out = []
        for number, lane in enumerate(self._lanes):
            clear = lane.mask & ~grow(self.hand, 2)
            latest = int(self._moved_ns[clear].max()) if clear.any() else t_ns
            open_ = bool((changed & lane.mask).any()) or any(not die.settled for die in lane.dice)
            moving = t_ns - latest < settings.settle_s * 1e9
            if open_ or lane.hand_covers or t_ns == latest:
                if lane.unclear_from_ns is None:
                    lane.unclear_from_ns = t_ns
            else:
                lane.unclear_from_ns = None
            if open_ or moving:
                lane.quiet_from_ns = None
                continue
            if lane.quiet_from_ns is None:
                lane.quiet_from_ns = t_ns
            if not any(die.fresh for die in lane.dice):
                continue
            if len(lane.dice) < settings.dice and t_ns - lane.quiet_from_ns < settings.short_s * 1e9:
                continue
            look = self._look(frame, number)
            if look is not None:
                out.append(look)
        return out

    def _look(self, frame: Frame, number: int, *, ended: bool = False) -> LaneLook | None:
        """Return the lane as it lies, where that is a throw."""
        lane = self._lanes[number]
        dice = [die for die in lane.dice if die.known is not None]
        faces = tuple(sorted((_frozen(die).face or 0) for die in dice))
        rolled = any(die.fresh and not die.tray for die in dice)
        first = lane.last_faces is None
        whole = self._one_face(dice)
        if whole and not ended and any(die.covered for die in dice):
            return None  # nothing is finished while a hand is over one of the dice
        thrown = rolled and (first or lane.lifted or faces != lane.last_faces)
        fresh = [die for die in dice if die.fresh]
        if len(dice) == self.settings.dice or thrown:
            for die in dice:
                die.fresh = False
        if not thrown:
            return None
        lane.last_faces, lane.lifted = faces, False
        rests = [die.rest for die in fresh if die.rest is not None]
        if whole:
            rests += [die.rest for die in dice if die.rest is not None and die not in fresh]
        if not rests:
            return LaneLook(
                number, frame.t_ns, frame.t_ns, frame.index, tuple(map(_frozen, dice)), frame.t_ns
            )
        last = max(rests, key=lambda rest: rest.t_ns)
        before = max(rest.not_before_ns for rest in rests)
        return LaneLook(number, last.t_ns, before, last.frame, tuple(map(_frozen, dice)), frame.t_ns)

    def _one_face(self, dice: Sequence[_Die]) -> bool:
        faces = {_frozen(die).face for die in dice}
        return len(dice) >= self.settings.dice and len(faces) == 1 and None not in faces

    def _ended(self, frame: Frame, number: int) -> list[LaneLook]:
        """Announce a throw whose dice are taken up before all of it was settled."""
        lane = self._lanes[number]
        if not any(die.fresh and die.settled for die in lane.dice):
            return []
        dice = [die for die in lane.dice if die.known is not None]
        if self._one_face(dice):
            return []
        look = self._look(frame, number, ended=True)
        return [] if look is None else [look]

    def _keep_up(self, view: View, t_ns: int) -> None:
        """Renew what is known of the parts in which nothing changed: lamps drift."""
        assert self._known is not None
        if t_ns - self._refreshed_ns < self._motion.refresh_s * 1e9:
            return
        self._refreshed_ns = t_ns
        changed = changed_blocks(self._known, view, self._motion) | self.hand | self._unread
        if changed.mean() < 0.5:
            self._known = patched(view, self._known, grow(changed, 1))


def _frozen(die: _Die) -> RaceDie:
    detection = die.detection
    if not die.settled and detection.sure:
        detection = replace(detection, sure=False)
    return RaceDie(die.id, detection, die.tray, die.rest, die.covered)


def _mask(outlines: Sequence[Polygon], block_px: int, grid: tuple[int, int]) -> Blocks:
    """Return the blocks of a lane: those that its zones touch."""
    mask = np.zeros(grid, np.uint8)
    for outline in outlines:
        corners = np.round(np.array(outline, np.float64) / block_px - 0.5).astype(np.int32)
        cv2.fillPoly(mask, [corners.reshape(-1, 1, 2)], 1)
    found: Blocks = mask > 0
    return found


def _shrunk(mask: Blocks, blocks: int) -> Blocks:
    kernel = np.ones((2 * blocks + 1, 2 * blocks + 1), np.uint8)
    shrunk: Blocks = cv2.erode(mask.astype(np.uint8), kernel) > 0
    return shrunk
