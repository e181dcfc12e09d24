"""From frames to what happened on the table: one `rest` a throw, never two, and none while anything moves.

    frame -> motion gate -> (when still) a few readings -> vote -> compare with before -> observation

The table is remembered as a set of tracks and as the picture in which it last lay settled. When everything is
still, only what differs from that picture is read again. A throw is known by its effect: a die is new, lies
elsewhere, or was away in between. A hand that passes by leaves no difference and causes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection import Detection, DiceReader, Reading
from vision.frame import Frame
from vision.motion import Blocks, Box, Glance, MotionGate, MotionSettings, at_border, blocks_under, grow
from vision.table import Evidence, compare
from vision.tracking import STAY_SIZES, Fused, Track, distance_sizes, fuse

Kind = Literal["rest", "empty", "moving", "hand", "camera", "sign", "found"]

AT_START = "the dice already lay there when the table came into view"
"""Reason of a rest that no motion led to, at the start or after a cut: nobody is known to have thrown it."""

_NEVER_NS = -(10**18)
"""A time long before every stream."""
_HELD_SHARE = 0.25
"""A hand of which no more than this share changes is held where it is."""
_SIZES_TO_TRUST = 4
"""So many dice must have been measured before the reader is told their size."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Something that happened on the table. Frozen: a later frame never changes it."""

    kind: Kind
    """`rest`: a throw has come to lie; `empty`: no die is left; `moving`, `hand`: motion or a hand began;
    `camera`: the picture went black, froze, was cut or changed its size; `sign`: a hand was held over one of
    the places where that says something (`TableArea.signs_px`); `found`: after a `camera`, all dice lie as
    they lay."""
    t_ns: int
    """Timestamp of the frame in which it was established, in nanoseconds."""
    frame: int
    """Index of that frame in the stream, from 0."""
    dice: tuple[Track, ...] = ()
    """All dice on the table (for `rest`), top to bottom, then left to right; for `camera`: all of them, where
    all were found again."""
    sure: bool = True
    """Whether every die is sure and nothing speaks against the picture."""
    reason: str = ""
    """One sentence where something is to be said (`camera`, an unsure rest), else empty."""
    lifted: frozenset[int] = frozenset()
    """Ids of dice that were seen to be gone from their places since the rest before, with no hand near."""
    sign: int | None = None
    """Which of the places a `sign` was given at, from 0."""

    @property
    def t_s(self) -> float:
        """Timestamp in seconds."""
        return self.t_ns / 1e9


@dataclass(frozen=True, slots=True)
class TableArea:
    """What is known of the table beforehand, in pixels: by a calibration."""

    die_px: float | None = None
    """Side of a die's box in the middle of the table."""
    region_px: tuple[int, int, int, int] | None = None
    """(x, y, width, height) of the part in which dice are played; what happens beside it does not count."""
    shift_sizes: float | None = None
    """How far a die may stir and still lie, in sizes of a die (`still_mm` over `die_mm` of the profile)."""
    signs_px: tuple[Box, ...] = ()
    """Boxes over which a hand that is held there says something."""


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """Times and ratios of the watch. Nothing here is counted in frames except the votes themselves."""

    settle_s: float = 0.3
    """Dice rest when none moved for so long."""
    quiet_s: float = 0.12
    """The first reading is taken after so much stillness, the last at `settle_s`, the others between."""
    votes: int = 3
    """Readings that vote on each face."""
    extra_s: float = 0.6
    """While the readings disagree, more are taken for so long before the rest is announced as not sure."""
    shift_sizes: float = 0.1
    """A die whose readings lie farther apart than this, in sizes of a die, has not come to rest."""
    covered_share: float = 0.15
    """A die of which a hand covers more than this share is not read."""
    edge_sizes: float = 0.2
    """A die nearer to the picture's edge than this, in sizes of a die, counts only when it is sure."""
    filled_share: float = 0.7
    """What looks like a hand and is filled by dice to this share is no hand ..."""
    halo_sizes: float = 0.5
    """... where each die counts with its shadow, so many sizes of a die around its box."""
    changed_share: float = 0.12
    """A die of which less than this share of the picture changed has not been touched."""
    away_share: float = 0.6
    """A die whose place changed by more than this share, with no hand near, was taken away."""
    away_s: float = 0.1
    """... and stayed so for at least this long."""
    frozen_s: float | None = None
    """A camera that delivers the very same picture for so long is reported; None (files) never."""
    unseen_s: float = 1.5
    """When the picture was black for so long, nobody knows who has thrown what is found then."""
    hand_away_s: float = 0.3
    """A hand that was gone for so long is a new hand when it comes back."""
    clear_s: float = 0.2
    """Dice that a hand covered rest when they have been in full view, and still, for so long."""
    sign_s: float = 0.7
    """A hand must be held over a place of `TableArea.signs_px` for so long to say something ..."""
    sign_share: float = 0.5
    """... and cover at least this share of it."""
    read_area_px: float = 1_300_000.0
    """Larger pictures are shrunk to this area before they are read ..."""
    read_die_px: float = 32.0
    """... but never so far that a die of known size becomes smaller than this."""


@dataclass(slots=True)
class _Round:
    """The readings taken since the table became still."""

    readings: list[Reading] = field(default_factory=list)
    times_ns: list[int] = field(default_factory=list)
    """When each was taken."""
    region: tuple[int, int, int, int] | None = None
    """Where all of them looked for dice; None: everywhere."""
    frame: Frame | None = None
    glance: Glance | None = None
    waits: bool = False
    """Whether dice were found that have not been in full view for long enough."""
    whole: bool = False
    """Whether all of the table is read, because dice were overlooked where nothing seemed to change."""

    def clear(self) -> None:
        self.readings.clear()
        self.times_ns.clear()
        self.region = self.frame = self.glance = None
        self.waits = self.whole = False


class TableWatcher:
    """Follows one table; push every frame, in order, and act on what comes back.

    Deterministic: the same frames with the same timestamps give the same observations on any machine.
    """

    def __init__(
        self,
        reader: DiceReader,
        *,
        settings: WatchSettings | None = None,
        motion: MotionSettings | None = None,
        area: TableArea | None = None,
    ) -> None:
        """Watch with `reader`, which is called only when something has changed and lies still.

        `area` is what a calibration knows of the table; without it the whole picture is the table.
        """
        self._reader = reader
        self._area = area or TableArea()
        self._settings = settings or WatchSettings()
        if self._area.shift_sizes is not None:
            self._settings = replace(self._settings, shift_sizes=self._area.shift_sizes)
        self._sign_from: dict[int, tuple[int, Blocks]] = {}
        self._signed: set[int] = set()
        self._gate = MotionGate(motion or MotionSettings())
        self._tracks: tuple[Track, ...] = ()
        self._next_id = 1
        self._round = _Round()
        self._known = False
        self._anew = False
        self._was_empty = False
        self._moved_since_start = False
        self._moving = False
        self._hand_seen_ns: int | None = None
        self._blocked: tuple[Box, ...] | None = None
        self._left_out: Blocks | None = None
        self._no_hand: Blocks | None = None
        self._told_lost = False
        self._covered_ns: NDArray[np.int64] | None = None
        self._unclear_from_ns: int | None = None
        self._black_from_ns: int | None = None
        self._last_t_ns = 0
        self._away_from_ns: dict[int, int] = {}
        self._away: set[int] = set()
        self._handled: set[int] = set()
        self._doubted = False
        self._sizes_px: list[float] = []
        self._problem = ""
        self._same_from_ns: int | None = None
        self._last_image: bytes | None = None
        self.reads = 0
        """How many pictures the reader was given so far."""

    @property
    def dice(self) -> tuple[Track, ...]:
        """The dice on the table, as last established."""
        return self._tracks

    def moved_to(self, area: TableArea, centres_px: Mapping[int, tuple[float, float]]) -> None:
        """The same table is seen from elsewhere now: `area` says where in the picture it is.

        `centres_px` are the places of the dice in the new picture, by id; dice found there keep their ids.
        """
        self._area = area
        self._tracks = tuple(
            track if track.id not in centres_px else _placed(track, centres_px[track.id])
            for track in self._tracks
        )
        self._gate.forget()
        self._begin_anew(forget=False)

    @property
    def die_px(self) -> float | None:
        """The side of a die's box in pixels: known, or measured at the latest rests; else None."""
        if self._area.die_px is not None:
            return self._area.die_px
        return float(median(self._sizes_px)) if self._sizes_px else None

    @property
    def _trusted_px(self) -> float | None:
        """The same once enough dice agree on it that the reader may rely on it."""
        size = self.die_px
        if self._area.die_px is not None:
            return size
        if size is None or len(self._sizes_px) < _SIZES_TO_TRUST:
            return None
        near = sum(abs(one - size) < 0.25 * size for one in self._sizes_px)
        return size if near >= 0.8 * len(self._sizes_px) else None

    def push(self, frame: Frame) -> tuple[Observation, ...]:
        """Look at the next frame of the stream and say what was established by it."""
        places = [track.detection.box_px for track in self._tracks]
        glance = self._gate.push(frame, die_px=self.die_px, within=self._area.region_px, dice=places)
        out = list(self._camera(frame, glance))
        if glance.problem == "black":
            self._round.clear()
            self._unclear_since(frame)
            if self._black_from_ns is None:
                self._black_from_ns = frame.t_ns
            return tuple(out)
        if self._black_from_ns is not None:
            if frame.t_ns - self._black_from_ns >= self._settings.unseen_s * 1e9:
                self._gate.forget()
                self._begin_anew(forget=False)
                glance = self._gate.push(frame, die_px=self.die_px, within=self._area.region_px, dice=places)
            self._black_from_ns = None
        if glance.problem:
            self._begin_anew(forget=glance.problem == "size")
            return tuple(out)
        self._anew |= glance.renewed
        if glance.still_s <= 0.0:
            self._no_hand = None
        glance = self._without_known(glance)
        self._note_cover(frame, glance)
        out += self._motion(frame, glance)
        out += self._signs(frame, glance)
        self._follow_doubt(frame, glance)
        if glance.still_s <= 0.0:
            # A throw whose faces were still in dispute is not lost when the dice are taken up.
            out += self._conclude(ended=True)
            self._round.clear()
            self._blocked = self._left_out = None
            return tuple(out)
        if not self._differs(glance):
            self._calm(glance)
            return tuple(out)
        if self._still_blocked(glance):
            return tuple(out)
        if self._overtaken(glance):
            out += self._conclude(ended=True)
            self._round.clear()
        if self._due(frame, glance):
            self._read(frame, glance)
        if glance.still_s >= self._settings.settle_s:
            out += self._conclude(ended=False)
        return tuple(out)

    def finish(self) -> tuple[Observation, ...]:
        """The stream has ended: announce a throw that lay still but whose faces were in dispute."""
        out = self._conclude(ended=True)
        self._round.clear()
        return tuple(out)

    # What is going on right now

    def _camera(self, frame: Frame, glance: Glance) -> list[Observation]:
        problem = glance.problem or self._frozen(frame)
        began, self._problem = problem != self._problem, problem
        if not problem or not began:
            return []
        self._told_lost = True
        size = f"{frame.width_px}x{frame.height_px}"
        sentence = {
            "black": "the picture is black: is the lens covered, or the light off?",
            "cut": "the whole picture changed at once: was the camera moved?",
            "size": f"the picture changed its size to {size}: the table is read anew",
            "time": "the timestamps jumped back: the table is read anew",
            "frozen": "the camera delivers the same picture again and again: it has frozen",
        }[problem]
        return [Observation("camera", frame.t_ns, frame.index, sure=False, reason=sentence)]

    def _frozen(self, frame: Frame) -> str:
        if self._settings.frozen_s is None:
            return ""
        # A sensor has noise: two pictures of it are never equal, so a thin sample is enough.
        sample = frame.image[:: max(1, frame.height_px // 32)].tobytes()
        if sample != self._last_image or self._same_from_ns is None:
            self._last_image, self._same_from_ns = sample, frame.t_ns
            return ""
        return "frozen" if frame.t_ns - self._same_from_ns >= self._settings.frozen_s * 1e9 else ""

    def _motion(self, frame: Frame, glance: Glance) -> list[Observation]:
        out: list[Observation] = []
        if glance.hand_still_s == 0.0:
            self._doubted = False
        if glance.hand.any():
            fresh = self._hand_seen_ns is None or (
                frame.t_ns - self._hand_seen_ns > self._settings.hand_away_s * 1e9
            )
            if fresh:
                out.append(Observation("hand", frame.t_ns, frame.index))
            self._hand_seen_ns = frame.t_ns
            self._moved_since_start = True
        if glance.moving.any():
            self._moved_since_start = True
            if not self._moving:
                self._moving = True
                out.append(Observation("moving", frame.t_ns, frame.index))
        self._follow_dice(frame, glance)
        return out

    def _follow_doubt(self, frame: Frame, glance: Glance) -> None:
        """Note since when the table, apart from hands, differs from what is known of it."""
        if self._differs(glance):
            self._unclear_since(frame)
        else:
            self._unclear_from_ns = None
        self._last_t_ns = frame.t_ns

    def _unclear_since(self, frame: Frame) -> None:
        if self._unclear_from_ns is None:
            self._unclear_from_ns = frame.t_ns
        self._last_t_ns = frame.t_ns

    @property
    def unclear_s(self) -> float:
        """Seconds for which the table has differed from what was last established of it, up to now."""
        return 0.0 if self._unclear_from_ns is None else (self._last_t_ns - self._unclear_from_ns) / 1e9

    def _signs(self, frame: Frame, glance: Glance) -> list[Observation]:
        """Signs that a hand gives: once each time that it is held over a place."""
        out: list[Observation] = []
        for number, box in enumerate(self._area.signs_px):
            if glance.share(glance.hand, box) < self._settings.sign_share:
                self._sign_from.pop(number, None)
                self._signed.discard(number)
                continue
            since, held = self._sign_from.get(number, (frame.t_ns, glance.hand))
            if number not in self._sign_from or _went_on(held, glance.hand):
                # An arm that reaches across covers the place too, but does not stay as it is.
                since, held = self._sign_from[number] = frame.t_ns, glance.hand
            if number not in self._signed and frame.t_ns - since >= self._settings.sign_s * 1e9:
                self._signed.add(number)
                out.append(Observation("sign", frame.t_ns, frame.index, sign=number))
        return out

    def _follow_dice(self, frame: Frame, glance: Glance) -> None:
        """Note which dice a hand covers, and which are gone while no hand is near: these count as thrown."""
        near_hand = grow(glance.hand, 1)
        for track in self._tracks:
            box = track.detection.box_px
            size = track.detection.size_px
            if self._covered(box, glance):
                self._handled.add(track.id)
            gone = (
                glance.share(glance.changed, box) > self._settings.away_share
                and self._gate.bare(box)
                and glance.share(near_hand, box, margin_px=0.5 * size) == 0.0
            )
            if not gone:
                self._away_from_ns.pop(track.id, None)
            elif (
                frame.t_ns - self._away_from_ns.setdefault(track.id, frame.t_ns)
                >= self._settings.away_s * 1e9
            ):
                self._away.add(track.id)

    def _begin_anew(self, *, forget: bool) -> None:
        """The picture cannot be compared with the one before: read the whole table again.

        Dice that are found where they lay, or all displaced alike, keep their ids; `forget` drops them, where
        the coordinates have changed their meaning.
        """
        self._anew, self._moved_since_start = True, False
        self._forget_episode()
        if forget:
            self._tracks = ()
            self._known = self._was_empty = False
            self._sizes_px.clear()

    def _forget_episode(self) -> None:
        self._round.clear()
        self._blocked = self._left_out = None
        self._away.clear()
        self._handled.clear()
        self._away_from_ns.clear()

    # When to read

    def _differs(self, glance: Glance) -> bool:
        """Whether the table, hands aside, may differ from what is known of it."""
        if not self._known or self._anew or self._away or self._handled or self._round.waits:
            return True
        if self._doubtful(glance):
            return True
        return bool(self._changed(glance).any())

    def _changed(self, glance: Glance) -> Blocks:
        """Return what differs from the table as it was last established, hands and their fingertips aside."""
        changed = glance.changed & ~grow(glance.hand, 2)
        if self._left_out is not None and self._left_out.shape == changed.shape:
            changed &= ~self._left_out
        return changed

    def _calm(self, glance: Glance) -> None:
        """Nothing differs: the episode is over without an effect."""
        self._round.clear()
        if glance.still_s < self._settings.settle_s:
            return
        self._moving = False
        if glance.hand.any():
            return
        if self._left_out is None:
            self._gate.refresh()
        elif glance.still_s >= self._gate.settings.absorb_s:
            self._left_out = None
            self._gate.accept(glance.hand)

    def _still_blocked(self, glance: Glance) -> bool:
        """Whether the hand that prevented the last decision is still where it was."""
        if self._blocked is None:
            return False
        covered = any(self._covered(box, glance) for box in self._blocked)
        if (covered or (not self._blocked and glance.hand.any())) and not self._doubtful(glance):
            return True
        self._blocked = None
        self._round.clear()
        return False

    def _doubtful(self, glance: Glance) -> bool:
        """Whether what looks like a hand lies so still that it may be a die at the border: look once."""
        return glance.hand_still_s >= self._settings.quiet_s and not self._doubted

    def _overtaken(self, glance: Glance) -> bool:
        """Whether a hand now reaches for dice that lay still long enough but whose faces are in dispute."""
        if len(self._round.readings) < self._settings.votes:
            return False
        return any(self._covered(die.box_px, glance) for die in self._round.readings[-1].dice)

    def _late_s(self, frame: Frame, glance: Glance) -> float:
        """How long the table had been still for nothing when the readings began: a hand lay on the dice."""
        settings, taken = self._settings, self._round.times_ns
        first_s = glance.still_s - (frame.t_ns - taken[0]) / 1e9 if taken else glance.still_s
        late_s = first_s - settings.quiet_s
        return late_s if late_s >= settings.settle_s - settings.quiet_s else 0.0

    def _due(self, frame: Frame, glance: Glance) -> bool:
        """Whether the next reading is due: spread evenly over the time from `quiet_s` to `settle_s`."""
        settings = self._settings
        step = (settings.settle_s - settings.quiet_s) / max(settings.votes - 1, 1)
        from_s = settings.quiet_s + self._late_s(frame, glance)
        # Half a millisecond of grace: timestamps of files are rounded.
        return glance.still_s + 5e-4 >= from_s + len(self._round.readings) * step

    # Reading and deciding

    def _read(self, frame: Frame, glance: Glance) -> None:
        size = self._trusted_px
        if self._round.readings and not _within(
            self._region(frame, glance, margin_sizes=0.4), self._round.region
        ):
            # More of the table has come into view, from under a hand: all readings have to see all of it.
            self._round.readings.clear()
            self._round.times_ns.clear()
        if not self._round.readings:
            self._round.region = self._region(frame, glance)
        reading = self._look(frame, size, self._round.region)
        if size is not None and not (reading.dice and reading.sure):
            # Perhaps other dice: look again without believing to know their size.
            reading = self._look(frame, None, self._round.region)
        self._round.readings.append(reading)
        self._round.times_ns.append(frame.t_ns)
        self._round.frame, self._round.glance = frame, glance

    def _look(self, frame: Frame, size: float | None, region: tuple[int, int, int, int] | None) -> Reading:
        image = frame.image
        scale = min(1.0, (self._settings.read_area_px / (frame.width_px * frame.height_px)) ** 0.5)
        if size is not None:
            scale = min(1.0, max(scale, self._settings.read_die_px / size))
        self.reads += 1
        if scale > 0.95:
            return self._reader.read(image, size_px=size, region_px=region)
        width, height = round(frame.width_px * scale), round(frame.height_px * scale)
        small = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
        part = (
            None
            if region is None
            else (
                int(region[0] * scale),
                int(region[1] * scale),
                int(region[2] * scale),
                int(region[3] * scale),
            )
        )
        reading = self._reader.read(small, size_px=None if size is None else size * scale, region_px=part)
        return replace(
            reading,
            dice=tuple(
                _scaled(die, frame.width_px / width, frame.height_px / height) for die in reading.dice
            ),
        )

    def _region(
        self, frame: Frame, glance: Glance, *, margin_sizes: float = 1.5
    ) -> tuple[int, int, int, int] | None:
        """The part of the picture that has to be read again, with a margin; None for all of it."""
        size = self.die_px
        if not self._known or self._anew or size is None or self._round.whole:
            return self._area.region_px
        mask = glance.changed & ~grow(glance.hand, 1)
        for track in self._tracks:
            if track.id in self._away | self._handled or glance.share(mask, track.detection.box_px) > 0.0:
                mask[blocks_under(track.detection.box_px, glance.block_px, mask.shape)] = True
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        if not rows.size:
            return self._area.region_px
        side, margin = glance.block_px, round(margin_sizes * size)
        left = max(0, int(columns[0]) * side - margin)
        top = max(0, int(rows[0]) * side - margin)
        right = min(frame.width_px, (int(columns[-1]) + 1) * side + margin)
        bottom = min(frame.height_px, (int(rows[-1]) + 1) * side + margin)
        whole = self._area.region_px or (0, 0, frame.width_px, frame.height_px)
        left, top = max(left, whole[0]), max(top, whole[1])
        right, bottom = min(right, whole[0] + whole[2]), min(bottom, whole[1] + whole[3])
        if right <= left or bottom <= top or (right - left) * (bottom - top) > 0.7 * whole[2] * whole[3]:
            return self._area.region_px
        return left, top, right - left, bottom - top

    def _without_dice(self, glance: Glance, dice: Sequence[Detection]) -> Glance:
        """Take away those hands that are dice: groups at the border that the dice found in them fill."""
        if not glance.hand.any() or not dice:
            return glance
        filled = np.zeros_like(glance.hand)
        for die in dice:
            margin = self._settings.halo_sizes * die.size_px
            filled[blocks_under(die.box_px, glance.block_px, filled.shape, margin_px=margin)] = True
        without = self._less(glance, filled)
        removed = glance.hand & ~without.hand
        if removed.any():
            self._no_hand = grow(removed, 1)
        return without

    def _without_known(self, glance: Glance) -> Glance:
        """Take away what was found to be dice, and no hand, since the table became still."""
        if self._no_hand is None or self._no_hand.shape != glance.hand.shape:
            return glance
        return self._less(glance, self._no_hand)

    def _less(self, glance: Glance, filled: Blocks) -> Glance:
        """Take away those groups of the hand that `filled` fills."""
        if not glance.hand.any():
            return glance
        count, labels = cv2.connectedComponents(glance.hand.astype(np.uint8), connectivity=8)
        hand = glance.hand.copy()
        for label in range(1, count):
            group = labels == label
            if filled[group].mean() > self._settings.filled_share:
                hand[group] = False
        return replace(glance, hand=hand)

    def _covered(self, box: Box, glance: Glance) -> bool:
        return glance.share(glance.hand, box) > self._settings.covered_share

    def _conclude(self, *, ended: bool) -> list[Observation]:
        """Decide what the readings of this stillness mean; called when it is long enough, or over."""
        settings, frame, glance = self._settings, self._round.frame, self._round.glance
        if frame is None or glance is None or len(self._round.readings) < settings.votes:
            return []
        if glance.still_s < settings.settle_s:
            return []
        fused = tuple(die for die in self._voted() if not self._cut_off(die.detection, frame))
        glance = self._without_dice(glance, [die.detection for die in fused])
        found = [die for die in fused if not self._covered(die.detection.box_px, glance)]
        hidden = [die.detection.box_px for die in fused if self._covered(die.detection.box_px, glance)]
        hidden += [
            track.detection.box_px for track in self._tracks if self._covered(track.detection.box_px, glance)
        ]
        self._doubted = glance.hand_still_s >= settings.quiet_s
        fresh = [die.detection.box_px for die in found if not self._lay_there(die.detection, glance)]
        fresh += [die.box_px for die in self._round.readings[-1].dice if not self._lay_there(die, glance)]
        differs = self._changed(glance) & ~self._under(found, glance)
        if self._just_uncovered(frame, glance, fresh, differs):
            return []
        if hidden or (not found and glance.hand.any()):
            self._blocked = tuple(hidden)
            self._round.clear()
            return []
        unsettled = not all(die.agreed for die in found) or self._fleeting()
        until_s = self._late_s(frame, glance) + settings.settle_s + settings.extra_s
        if unsettled and not ended and glance.still_s < until_s:
            return []
        return self._announce(frame, glance, found, ended=ended)

    def _lay_there(self, die: Detection, glance: Glance) -> bool:
        """Whether it is a die that lies where it lay, in a part of the picture that has not changed."""
        if glance.share(glance.changed, die.box_px) > self._settings.changed_share:
            return False
        return any(distance_sizes(track.detection, die) <= STAY_SIZES for track in self._tracks)

    def _under(self, dice: Sequence[Fused], glance: Glance) -> Blocks:
        """Return the blocks under these dice and their shadows."""
        under = np.zeros_like(glance.changed)
        for die in dice:
            margin = self._settings.halo_sizes * die.detection.size_px
            under[blocks_under(die.detection.box_px, glance.block_px, under.shape, margin_px=margin)] = True
        return under

    def _just_uncovered(self, frame: Frame, glance: Glance, dice: Sequence[Box], differs: Blocks) -> bool:
        """Whether a hand was over one of these places a moment ago; readings from before then are dropped.

        Dice that come out from under a hand may still be rolling, and the readings saw them in part, or not
        at all: what `differs` there, and is no die that was read, may be one.
        """
        if self._covered_ns is None or self._covered_ns.shape != glance.hand.shape:
            return False
        places: list[Blocks | tuple[slice, slice]] = [
            blocks_under(box, glance.block_px, glance.hand.shape) for box in dice
        ]
        if differs.any():
            places.append(differs)
        last = max((int(self._covered_ns[place].max()) for place in places), default=_NEVER_NS)
        if frame.t_ns - last >= self._settings.clear_s * 1e9:
            return False
        self._round.waits = True
        old = sum(taken <= last for taken in self._round.times_ns)
        del self._round.readings[:old], self._round.times_ns[:old]
        return True

    def _note_cover(self, frame: Frame, glance: Glance) -> None:
        """Remember when a hand was last over each block."""
        if self._covered_ns is None or self._covered_ns.shape != glance.hand.shape:
            self._covered_ns = np.full(glance.hand.shape, _NEVER_NS, np.int64)
        if glance.hand.any():
            self._covered_ns[glance.hand] = frame.t_ns

    def _voted(self) -> tuple[Fused, ...]:
        """The vote of all readings, or only of the last ones where a die still crept or rolled in before.

        One that will not lie still under the eyes of the reader, although the motion gate sees no motion, is
        not sure.
        """
        readings, most = self._round.readings, self._settings.shift_sizes
        latest = readings[-self._settings.votes :]
        fused = fuse(readings)
        came = len({len(reading.dice) for reading in readings}) > 1 and not self._fleeting()
        if came or any(die.spread_sizes > most for die in fused):
            fused = fuse(latest)
        return tuple(
            replace(die, agreed=False, detection=replace(die.detection, sure=False))
            if die.spread_sizes > most
            else die
            for die in fused
        )

    def _cut_off(self, die: Detection, frame: Frame) -> bool:
        """Whether an unsure die reaches the picture's edge: fingertips that peek in, or half a die."""
        x, y, width, height = die.box_px
        near = self._settings.edge_sizes * die.size_px
        right, bottom = frame.width_px - x - width, frame.height_px - y - height
        return not die.sure and min(x, y, right, bottom) < near

    def _fleeting(self) -> bool:
        """Whether the latest readings do not even agree on how many dice there are."""
        return len({len(reading.dice) for reading in self._round.readings[-self._settings.votes :]}) > 1

    def _overlooked(self, frame: Frame, glance: Glance, tracks: Sequence[Track]) -> bool:
        """Whether a look at the whole table shows a die that is not known: one of the cloth's own colour.

        Once a throw, where only a part of the table was read; then all of it is read before the throw counts.
        """
        if self._round.whole or self._round.region in (None, self._area.region_px):
            return False
        reading = self._look(frame, self._trusted_px, self._area.region_px)
        return any(
            die.sure
            and not self._covered(die.box_px, glance)
            and all(distance_sizes(track.detection, die) > STAY_SIZES for track in tracks)
            for die in reading.dice
        )

    def _announce(
        self, frame: Frame, glance: Glance, found: Sequence[Fused], *, ended: bool
    ) -> list[Observation]:
        evidence = self._evidence(glance)
        change = compare(self._tracks, [die.detection for die in found], evidence, self._next_id)
        reasons = [reason for reading in self._round.readings for reason in reading.reasons]
        began = not self._known or self._anew
        if change.thrown and not ended and self._overlooked(frame, glance, change.tracks):
            self._round.clear()
            self._round.waits = self._round.whole = True
            return []
        tips = self._finger_tips(glance, [*self._tracks, *change.tracks])
        self._tracks, self._next_id = change.tracks, change.next_id
        self._known, self._anew, self._moving = True, False, False
        lifted = frozenset(self._away)
        self._unclear_from_ns = None
        self._forget_episode()
        self._gate.accept(glance.hand | tips)
        self._left_out = grow(tips, 2) if tips.any() else None
        if change.bumped_px is not None:
            distance = round(float(np.hypot(*change.bumped_px)))
            sentence = f"the picture moved by about {distance} pixels: was the camera or the table bumped?"
            # Every die was found again: that is why the dice are told.
            return [Observation("camera", frame.t_ns, frame.index, change.tracks, False, sentence)]
        if not change.tracks:
            told, self._was_empty = self._was_empty, True
            return [] if told else [Observation("empty", frame.t_ns, frame.index)]
        self._was_empty = False
        if not change.thrown:
            found_again, self._told_lost = self._told_lost, False
            return [Observation("found", frame.t_ns, frame.index, change.tracks)] if found_again else []
        self._told_lost = False
        self._learn_size(change.tracks)
        sure = not reasons and all(track.detection.sure for track in change.tracks)
        at_start = began and not self._moved_since_start
        reason = reasons[0] if reasons else AT_START if at_start else ""
        return [Observation("rest", frame.t_ns, frame.index, change.tracks, sure, reason, lifted)]

    def _finger_tips(self, glance: Glance, dice: Sequence[Track]) -> Blocks:
        """What differs at the border and is no die: perhaps the tips of a hand that comes or goes."""
        if not self._known or self._anew:
            return np.zeros_like(glance.changed)
        rest = glance.changed & ~glance.hand
        for track in dice:
            margin = self._settings.halo_sizes * track.detection.size_px
            rest[blocks_under(track.detection.box_px, glance.block_px, rest.shape, margin_px=margin)] = False
        return at_border(rest)

    def _evidence(self, glance: Glance) -> Evidence:
        """What the motion gate knows about the places of the dice."""
        if not self._known or self._anew:
            return Evidence()
        region = self._round.region

        def untouched(box: Box) -> bool:
            return glance.share(glance.changed, box) <= self._settings.changed_share

        def searched(box: Box) -> bool:
            return region is None or (
                region[0] <= box[0]
                and region[1] <= box[1]
                and box[0] + box[2] <= region[0] + region[2]
                and box[1] + box[3] <= region[1] + region[3]
            )

        return Evidence(untouched, searched, frozenset(self._handled), frozenset(self._away))

    def _learn_size(self, tracks: Sequence[Track]) -> None:
        sizes = [track.detection.size_px for track in tracks]
        self._sizes_px = [*self._sizes_px, *sizes][-24:]


def _went_on(before: Blocks, now: Blocks) -> bool:
    """Whether a hand has moved on, and did not only tremble."""
    return before.shape != now.shape or int((before ^ now).sum()) > _HELD_SHARE * int(before.sum())


def _within(region: tuple[int, int, int, int] | None, other: tuple[int, int, int, int] | None) -> bool:
    """Whether a part of the picture lies in another one; None is all of it."""
    if other is None:
        return True
    if region is None:
        return False
    return (
        other[0] <= region[0]
        and other[1] <= region[1]
        and region[0] + region[2] <= other[0] + other[2]
        and region[1] + region[3] <= other[1] + other[3]
    )


def _placed(track: Track, centre_px: tuple[float, float]) -> Track:
    die = track.detection
    x, y, width, height = die.box_px
    dx, dy = centre_px[0] - die.centre_px[0], centre_px[1] - die.centre_px[1]
    return replace(track, detection=replace(die, box_px=(x + dx, y + dy, width, height), centre_px=centre_px))


def _scaled(die: Detection, x_scale: float, y_scale: float) -> Detection:
    x, y, width, height = die.box_px
    return replace(
        die,
        box_px=(x * x_scale, y * y_scale, width * x_scale, height * y_scale),
        centre_px=(die.centre_px[0] * x_scale, die.centre_px[1] * y_scale),
    )
