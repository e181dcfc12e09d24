"""What dice are worth: every legal selection of a throw, with its points and the reason.

The score of a selection is the largest sum over all ways to split it into disjoint combinations. Every
combination of the family is either a set of equal dice (a single die is a set of one) or takes at least
five dice, so a selection splits in one of three ways: face by face, as one pattern of six dice, or as a
straight of five and one more die. That makes a throw cheap to score; each of the 923 multisets of one to six
dice is worked out once a ruleset and then only looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations_with_replacement

from scorer.errors import BadDice, shown
from scorer.rules import Rules

Faces = tuple[int, ...]
"""Faces of dice, each 1..6."""
Counts = tuple[int, int, int, int, int, int]
"""How many dice show 1, 2, ... 6."""

_NUMBER_WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_STRAIGHT: Counts = (1, 1, 1, 1, 1, 1)
_LOW: Counts = (1, 1, 1, 1, 1, 0)
_HIGH: Counts = (0, 1, 1, 1, 1, 1)


@dataclass(frozen=True, slots=True)
class Combination:
    """One scoring combination."""

    name: str
    """What people call it: "three 4s", "straight 1-6"."""
    dice: Faces
    """The dice that it takes, sorted."""
    points: int
    """What it is worth; always more than 0."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Dice that may be set aside together."""

    dice: Faces
    """The faces, sorted."""
    points: int
    """What they are worth together; always more than 0."""
    parts: tuple[Combination, ...]
    """The split that is worth so much; among equals the one with fewest parts."""

    @property
    def why(self) -> str:
        """The reason in words: "three 4s 400 + 5 50"."""
        return " + ".join(f"{part.name} {part.points}" for part in self.parts)


@dataclass(frozen=True, slots=True)
class RollScore:
    """What one throw offers."""

    dice: Faces
    """The faces, sorted."""
    selections: tuple[Selection, ...]
    """All legal selections, most points first, then fewest dice; empty for a bust."""

    bust: bool = field(init=False)
    """Whether nothing in the throw scores."""
    best: int = field(init=False)
    """Points of the best selection; 0 for a bust."""
    used: int = field(init=False)
    """How many dice the best selection takes (the fewest that are worth so much); 0 for a bust."""

    def __post_init__(self) -> None:
        """Read off the best selection once: a throw is asked for it far more often than it is built."""
        first = self.selections[0] if self.selections else None
        object.__setattr__(self, "bust", first is None)
        object.__setattr__(self, "best", 0 if first is None else first.points)
        object.__setattr__(self, "used", 0 if first is None else len(first.dice))

    def selection(self, dice: Iterable[int]) -> Selection | None:
        """Return the legal selection with these faces, in any order, or None when there is none."""
        wanted = tuple(sorted(dice))
        return next((each for each in self.selections if each.dice == wanted), None)


class ScoreTable:
    """All throws of one ruleset, each scored when first asked for; `score_table` keeps one a ruleset."""

    def __init__(self, rules: Rules) -> None:
        """Begin with an empty table."""
        self.rules = rules
        """The rules that the table is for."""
        self._sets = _Sets(rules)
        self._worths: dict[Faces, Selection | None] = {}
        self._rolls: dict[Faces, RollScore] = {}

    def of(self, faces: Sequence[int]) -> RollScore:
        """Return what a throw of these faces offers; the order of the faces does not matter.

        Raises:
            BadDice: when they are not 1 to `rules.dice` faces, each 1..6.

        >>> from scorer.rules import preset
        >>> score_table(preset("farkle")).of((4, 5, 4, 4, 2, 3)).selections[0].why
        'three 4s 400 + 5 50'
        """
        key = tuple(faces)
        known = self._rolls.get(key)
        if known is not None:
            return known
        dice = tuple(sorted(check_faces(key, most=self.rules.dice)))
        score = self._rolls.get(dice)
        if score is None:
            score = self._rolls[dice] = RollScore(dice, self._legal(dice))
        self._rolls[key] = score
        return score

    def all_rolls(self) -> Iterator[RollScore]:
        """Return every distinct throw of one to `rules.dice` dice, scored."""
        for size in range(1, self.rules.dice + 1):
            for dice in combinations_with_replacement(range(1, 7), size):
                yield self.of(dice)

    def _legal(self, dice: Faces) -> tuple[Selection, ...]:
        worths = (self._worth(each) for each in _parts_of(dice))
        found = [each for each in worths if each is not None]
        if not found and self.rules.nothing and len(dice) == 6:
            found = [Selection(dice, self.rules.nothing, (self._nothing(dice),))]
        if found and self.rules.keep_all:
            most = max(len(each.dice) for each in found)
            found = [each for each in found if len(each.dice) == most]
        return tuple(sorted(found, key=lambda each: (-each.points, len(each.dice), each.dice)))

    def _nothing(self, dice: Faces) -> Combination:
        return Combination("nothing scores", dice, self.rules.nothing)

    def _worth(self, dice: Faces) -> Selection | None:
        """Return the best split of these sorted dice, or None when some die cannot score."""
        if dice not in self._worths:
            self._worths[dice] = self._best_split(dice)
        return self._worths[dice]

    def _best_split(self, dice: Faces) -> Selection | None:
        counts = counts_of(dice)
        splits = [split for split in self._splits(counts) if split is not None]
        if not splits:
            return None
        parts = max(splits, key=lambda split: (_sum(split), -len(split)))
        return Selection(dice, _sum(parts), parts)

    def _splits(self, counts: Counts) -> Iterator[tuple[Combination, ...] | None]:
        yield self._sets.split(counts)
        for name, points in self._patterns_of_six(counts):
            yield (Combination(name, _faces_of(counts), points),)
        for name, points, straight in (
            ("straight 1-5", self.rules.straight_low, _LOW),
            ("straight 2-6", self.rules.straight_high, _HIGH),
        ):
            rest = tuple(have - takes for have, takes in zip(counts, straight, strict=True))
            if points and min(rest) >= 0:
                others = self._sets.split(rest) if any(rest) else ()
                if others is not None:
                    yield (Combination(name, _faces_of(straight), points), *others)

    def _patterns_of_six(self, counts: Counts) -> Iterator[tuple[str, int]]:
        rules = self.rules
        shape = tuple(sorted((count for count in counts if count), reverse=True))
        if rules.straight and counts == _STRAIGHT:
            yield "straight 1-6", rules.straight
        pairs = (
            shape == (2, 2, 2)
            or (shape == (4, 2) and rules.three_pairs_4_2)
            or (shape == (6,) and rules.three_pairs_6)
        )
        if rules.three_pairs and pairs:
            yield _pattern_name("three pairs", shape), rules.three_pairs
        if rules.two_triplets and (shape == (3, 3) or (shape == (6,) and rules.two_triplets_6)):
            yield _pattern_name("two triplets", shape), rules.two_triplets
        if rules.four_pair and shape == (4, 2):
            yield "four of a kind and a pair", rules.four_pair


class _Sets:
    """The best splits of equal dice into sets (a single die is a set of one)."""

    def __init__(self, rules: Rules) -> None:
        self._best: dict[tuple[int, int], tuple[Combination, ...] | None] = {}
        for face in range(1, 7):
            self._best[face, 0] = ()
            for count in range(1, 7):
                self._best[face, count] = self._split_face(rules, face, count)
        if rules.kind_exclusive:
            # Equal dice that are one set together are that set and nothing else.
            for face, count in self._best:
                if whole := kind_points(rules, face, count):
                    self._best[face, count] = (_set(face, count, whole),)

    def split(self, counts: Sequence[int]) -> tuple[Combination, ...] | None:
        """Return the best split into sets, dearest first, or None when some die is left over."""
        parts: list[Combination] = []
        for face, count in enumerate(counts, start=1):
            best = self._best[face, count]
            if best is None:
                return None
            parts.extend(best)
        return tuple(sorted(parts, key=lambda part: (-part.points, part.dice)))

    def _split_face(self, rules: Rules, face: int, count: int) -> tuple[Combination, ...] | None:
        whole = kind_points(rules, face, count)
        splits: list[tuple[Combination, ...]] = [(_set(face, count, whole),)] if whole else []
        for first in range(1, count):
            points, rest = kind_points(rules, face, first), self._best[face, count - first]
            if points and rest is not None:
                splits.append(_merged(face, first, points, rest))
        return max(splits, key=lambda split: (_sum(split), -len(split)), default=None)


def kind_points(rules: Rules, face: int, count: int) -> int:
    """Return what one set of `count` dice of `face` is worth; 0 when there is no such combination.

    >>> from scorer.rules import preset
    >>> [kind_points(preset("ten-thousand"), 2, count) for count in range(1, 7)]
    [0, 0, 200, 400, 800, 1600]
    """
    for kind, points in rules.kind_points:
        if kind == (face, count):
            return points
    if count < 1:
        return 0
    if count == 1:
        return {1: rules.single_1, 5: rules.single_5}.get(face, 0)
    if count == 2:
        return 0
    triple = rules.triple_1 if face == 1 else rules.triple_mult * face
    extra = count - 3
    if extra == 0:
        return triple
    match rules.n_kind:
        case "double":
            return triple << extra
        case "linear":
            return triple * (extra + 1)
        case "flat":
            return dict(rules.n_flat).get(count, 0)
        case _:
            return 0


@lru_cache(maxsize=64)
def score_table(rules: Rules) -> ScoreTable:
    """Return the score table of these rules; the same table for equal rules."""
    return ScoreTable(rules)


def check_faces(faces: Sequence[object], *, most: int = 6) -> Faces:
    """Return the faces as a tuple if they are whole numbers 1..6, at least one and at most `most`.

    Raises:
        BadDice: with what was wanted and got.
    """
    for face in faces:
        if isinstance(face, bool) or not isinstance(face, int) or not 1 <= face <= 6:
            raise BadDice(f"a die shows a whole number from 1 to 6, got {shown(face)}; correct the dice")
    if not 1 <= len(faces) <= most:
        raise BadDice(f"1 to {most} dice can be scored, got {len(faces)}; give the faces of one throw")
    return tuple(faces)  # type: ignore[arg-type]  # each was just seen to be an int


def counts_of(dice: Iterable[int]) -> Counts:
    """Return how many dice show each face.

    >>> counts_of((1, 5, 5))
    (1, 0, 0, 0, 2, 0)
    """
    counts = [0] * 6
    for face in dice:
        counts[face - 1] += 1
    return counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]


def _faces_of(counts: Sequence[int]) -> Faces:
    return tuple(face for face, count in enumerate(counts, start=1) for _ in range(count))


def _parts_of(dice: Faces) -> Iterator[Faces]:
    """Return every distinct non-empty sub-multiset of sorted dice, sorted."""
    found: list[Faces] = [()]
    for face, count in enumerate(counts_of(dice), start=1):
        found = [each + (face,) * taken for each in found for taken in range(count + 1)]
    return (each for each in found if each)


def _set(face: int, count: int, points: int) -> Combination:
    return Combination(_set_name(face, count), (face,) * count, points)


def _set_name(face: int, count: int) -> str:
    return str(face) if count == 1 else f"{_NUMBER_WORDS[count]} {face}s"


def _merged(face: int, first: int, points: int, rest: tuple[Combination, ...]) -> tuple[Combination, ...]:
    return tuple(sorted((_set(face, first, points), *rest), key=lambda part: (-part.points, part.dice)))


def _pattern_name(name: str, shape: tuple[int, ...]) -> str:
    if shape == (6,):
        return f"{name} (six of a kind)"
    return f"{name} (four of a kind and a pair)" if shape == (4, 2) else name


def _sum(parts: Iterable[Combination]) -> int:
    return sum(part.points for part in parts)
