"""What lies on the table now, compared with before: which dice stayed, were thrown, are gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.detection import Detection
from vision.motion import Box
from vision.tracking import STAY_SIZES, Track, distance_sizes, pair, same_face

BUMP_SIZES = 0.25
"""All dice displaced alike by more than so many sizes of a die: the camera or the table was bumped."""
_ALIKE_SIZES = 0.15
"""How exactly alike."""


def _nowhere(box_px: Box) -> bool:
    return False


def _everywhere(box_px: Box) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Evidence:
    """What else is known about the places of the dice, besides the readings."""

    untouched: Callable[[Box], bool] = _nowhere
    """Whether the picture at a box is as it was when the table last lay settled."""
    searched: Callable[[Box], bool] = _everywhere
    """Whether the readings looked for dice at a box."""
    handled: frozenset[int] = frozenset()
    """Ids of dice that a hand covered since then."""
    away: frozenset[int] = frozenset()
    """Ids of dice that were seen to be gone from their places since then."""


@dataclass(frozen=True, slots=True)
class Change:
    """The table now."""

    tracks: tuple[Track, ...]
    """All dice, top to bottom, then left to right."""
    thrown: bool
    """Whether any of them was thrown."""
    next_id: int
    """The first id that was never used."""
    bumped_px: tuple[float, float] | None = None
    """How far everything moved together, where it was the camera or the table that moved."""


def compare(old: Sequence[Track], dice: Sequence[Detection], evidence: Evidence, next_id: int) -> Change:
    """Decide for each die found whether it stayed or was thrown, and for each missing one whether it is gone.

    A die stayed when the picture shows its place unchanged, or when it is found within half its size of where
    it lay with the same face up and was not seen to be gone in between.
    """
    shift = common_shift([track.detection for track in old], dice)
    if shift is not None:
        return _shifted(old, dice, shift, next_id)
    pairs = {new: before for before, new in pair([t.detection for t in old], dice, within_sizes=STAY_SIZES)}
    tracks: list[Track] = []
    thrown = False
    for index, die in enumerate(dice):
        untouched = evidence.untouched(die.box_px)
        before = old[pairs[index]] if index in pairs else None
        if before is not None and _stayed(before, die, untouched, evidence):
            tracks.append(_kept(before, die))
            continue
        # A die found where nothing changed was overlooked before: it is there, but nobody threw it.
        moved = before is not None or not untouched
        thrown |= moved
        tracks.append(Track(next_id, die, moved))
        next_id += 1
    tracks += _missed(old, tracks, evidence)
    return Change(_in_order(tracks), thrown, next_id)


def common_shift(old: Sequence[Detection], new: Sequence[Detection]) -> tuple[float, float] | None:
    """(dx, dy) in pixels when two or more dice are all displaced by the same (perhaps nothing), else None.

    No throw does that: every die keeps its face and its place among the others.
    """
    if len(old) < 2 or len(old) != len(new):
        return None
    first = old[0]
    for candidate in new:
        dx = candidate.centre_px[0] - first.centre_px[0]
        dy = candidate.centre_px[1] - first.centre_px[1]
        moved = [_displaced(die, dx, dy) for die in old]
        pairs = pair(moved, new, within_sizes=_ALIKE_SIZES)
        if len(pairs) == len(old) and all(same_face(old[i], new[j]) for i, j in pairs):
            return dx, dy
    return None


def _shifted(
    old: Sequence[Track], dice: Sequence[Detection], shift: tuple[float, float], next_id: int
) -> Change:
    moved = [_displaced(track.detection, *shift) for track in old]
    tracks = [_kept(old[i], dice[j]) for i, j in pair(moved, dice, within_sizes=_ALIKE_SIZES)]
    far = float(np.hypot(*shift)) > BUMP_SIZES * old[0].detection.size_px
    return Change(_in_order(tracks), False, next_id, shift if far else None)


def _displaced(die: Detection, dx: float, dy: float) -> Detection:
    x, y, width, height = die.box_px
    return replace(
        die, box_px=(x + dx, y + dy, width, height), centre_px=(die.centre_px[0] + dx, die.centre_px[1] + dy)
    )


def _stayed(before: Track, now: Detection, untouched: bool, evidence: Evidence) -> bool:
    """Whether the die found now is the one that lay there, and has not been thrown."""
    if untouched and before.id not in evidence.handled:
        return True
    if untouched:
        # The picture is the same to the pixel: not even a die that came back would lie so exactly, but
        # fingers may have turned it over where it was.
        return same_face(before.detection, now)
    return same_face(before.detection, now) and before.id not in evidence.away


def _kept(before: Track, now: Detection) -> Track:
    """The same die; its face stays as it was read first, unless that was not sure and now is."""
    known = now if now.sure and not before.detection.sure else before.detection
    return Track(before.id, replace(known, box_px=now.box_px, centre_px=now.centre_px), moved=False)


def _missed(old: Sequence[Track], tracks: Sequence[Track], evidence: Evidence) -> list[Track]:
    """Dice that the readings did not find although nothing changed where they lie: they lie there still.

    One that was never sure and is not found again was a false alarm. When a hand was over dice, or dice are
    away, one that no reading finds was taken as well: a die of the cloth's colour leaves little to see.
    """
    found = {track.id for track in tracks}
    still: list[Track] = []
    for track in old:
        box = track.detection.box_px
        if track.id in found or not evidence.untouched(box):
            continue
        if any(distance_sizes(track.detection, other.detection) <= STAY_SIZES for other in tracks):
            continue
        certain = track.detection.sure and not evidence.handled and not evidence.away
        if certain or not evidence.searched(box):
            still.append(replace(track, moved=False))
    return still


def _in_order(tracks: Sequence[Track]) -> tuple[Track, ...]:
    return tuple(sorted(tracks, key=lambda t: (t.detection.centre_px[1], t.detection.centre_px[0])))
