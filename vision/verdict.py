"""From what the detector and the classifier say to what the reader says of each die."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vision.detection import Detection, DieState
from vision.network import Tuning

NOT_A_DIE = 7
"""Column of the classifier's answer for "not a die"; 0..5 are the faces 1..6, 6 is cocked."""


CROWDED = 0.62
"""Dice with centres closer than this, in sizes of a die, may be two faces of one die: neither is sure.

Seen from 45 degrees the middles of two faces of a die are 0.6 of its box's size apart; of 6,943 labelled
dice that lie side by side or on each other 0.2 % are as near as this.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the networks say of the dice of one picture; one row a candidate."""

    boxes: NDArray[np.float64]
    """(N, 4) centre x, centre y, width, height in pixels of the picture."""
    found: NDArray[np.float64]
    """(N,) the detector's probability that there is a die."""
    faces: NDArray[np.float64]
    """(N, 7) the detector's probability of the faces 1..6 and of cocked; rows sum to 1."""
    classes: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 8)))
    """(N, 8) the classifier's log-probability of the faces 1..6, cocked and not a die."""

    def where_likely(self, least: float, smallest_px: float) -> Evidence:
        """Return the candidates that are at least so probable and so large."""
        keep = (self.found >= least) & (self.boxes[:, 2:].min(axis=1, initial=np.inf) >= smallest_px)
        return Evidence(self.boxes[keep], self.found[keep], self.faces[keep])

    def with_classes(self, classes: NDArray[np.float64]) -> Evidence:
        """Return the same with the classifier's answer (N, 8)."""
        return replace(self, classes=classes)

    def chance(self, tuning: Tuning) -> NDArray[np.float64]:
        """(N,) calibrated probability that there is a die: a logistic function of both networks' odds."""
        detector, classifier = self.odds()
        power = tuning.found_detector * detector + tuning.found_classifier * classifier + tuning.found_offset
        return np.asarray(1 / (1 + np.exp(-power)), np.float64)

    def odds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Logits that there is a die, of the detector and of the classifier: two arrays (N,)."""
        found = np.clip(self.found, 1e-6, 1 - 1e-6)
        no_die = np.clip(np.exp(self.classes[:, NOT_A_DIE]), 1e-6, 1 - 1e-6)
        return np.log(found / (1 - found)), np.log((1 - no_die) / no_die)

    def states(self, tuning: Tuning) -> NDArray[np.float64]:
        """(N, 7) probability of each face and of cocked: a weighted product of both networks' answers."""
        power = tuning.faces_detector * np.log(np.maximum(self.faces, 1e-6))
        power = power + tuning.faces_classifier * self.classes[:, :NOT_A_DIE]
        power = np.exp(power - power.max(axis=1, keepdims=True, initial=-np.inf))
        return np.asarray(power / power.sum(axis=1, keepdims=True), np.float64)

    def agree(self) -> NDArray[np.bool_]:
        """(N,) whether both networks name the same face (or both say cocked)."""
        return np.asarray(self.faces.argmax(axis=1) == self.classes[:, :NOT_A_DIE].argmax(axis=1))

    def undisputed(self, tuning: Tuning) -> NDArray[np.bool_]:
        """(N,) whether both networks agree, and no other candidate is so near that it may be the same die."""
        sizes = np.sqrt(self.boxes[:, 2] * self.boxes[:, 3])
        apart = np.hypot(*(self.boxes[:, None, :2] - self.boxes[None, :, :2]).transpose(2, 0, 1))
        near = apart < CROWDED * (sizes[:, None] + sizes[None, :]) / 2
        others = (self.chance(tuning) >= tuning.drop_below) & ~np.eye(len(sizes), dtype=bool)
        return np.asarray(self.agree() & ~(near & others).any(axis=1))

    def doubtful(self, tuning: Tuning) -> NDArray[np.bool_]:
        """(N,) which candidates are neither certainly dice with a certain face nor certainly none."""
        chance, states = self.chance(tuning), self.states(tuning)
        confidence = chance * states.max(axis=1, initial=0.0)
        flat = states.argmax(axis=1) < 6 if len(states) else np.zeros(0, bool)
        settled = flat & self.undisputed(tuning) & (confidence >= tuning.sure_from)
        return np.asarray(~settled & (chance >= tuning.drop_below))


def verdict(seen: Evidence, tuning: Tuning) -> tuple[Detection, ...]:
    """Decide on every candidate; what is too improbable is left out. Top to bottom, then left to right.

    A die is sure when its calibrated confidence is high enough, both networks name the same face, and no
    other candidate is so near that the two may be faces of one die.
    """
    if not len(seen.found):
        return ()
    rows = zip(seen.boxes, seen.chance(tuning), seen.states(tuning), seen.undisputed(tuning), strict=True)
    dice = [
        _detection(box, float(chance), states, bool(undisputed), tuning)
        for box, chance, states, undisputed in rows
        if chance >= tuning.drop_below
    ]
    return tuple(sorted(dice, key=lambda die: (die.centre_px[1], die.centre_px[0])))


def _detection(
    box: NDArray[np.float64], chance: float, states: NDArray[np.float64], undisputed: bool, tuning: Tuning
) -> Detection:
    x, y, width, height = (float(v) for v in box)
    flat = states[:6] / max(float(states[:6].sum()), 1e-9)
    best = int(np.argmax(states))
    cocked = best == 6
    confidence = min(1.0, chance * float(states[best]))
    named = not cocked and states[best] >= tuning.face_from and chance >= tuning.name_from
    value = best + 1 if named else None
    return Detection(
        value=value,
        confidence=confidence,
        sure=value is not None and undisputed and confidence >= tuning.sure_from,
        state=DieState.COCKED if cocked else DieState.FLAT,
        box_px=(x - width / 2, y - height / 2, width, height),
        centre_px=(x, y),
        faces=tuple(float(p) for p in flat),  # type: ignore[arg-type]  # six by construction
    )
