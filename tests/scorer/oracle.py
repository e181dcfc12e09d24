"""A slow, plain second opinion on what dice are worth: every way to split them, one block at a time.

It shares no code with `scorer.scoring`; it knows the rules only as sentences about one block of dice.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations

from scorer.rules import Rules

Dice = tuple[int, ...]


Split = tuple[Dice, ...]


@cache
def partitions(dice: Dice) -> frozenset[Split]:
    """Every way to split sorted dice into blocks."""
    if not dice:
        return frozenset({()})
    first, rest = dice[0], dice[1:]
    found = set()
    for size in range(len(rest) + 1):
        for chosen in combinations(range(len(rest)), size):
            block = (first, *(rest[index] for index in chosen))
            left = tuple(die for index, die in enumerate(rest) if index not in chosen)
            found |= {tuple(sorted((block, *others))) for others in partitions(left)}
    return frozenset(found)


def set_points(rules: Rules, face: int, count: int) -> int:
    """What `count` equal dice score as one set."""
    override = dict(rules.kind_points)
    if (face, count) in override:
        return override[face, count]
    if count == 1 and face == 1:
        return rules.single_1
    if count == 1 and face == 5:
        return rules.single_5
    if count < 3:
        return 0
    triple = rules.triple_1 if face == 1 else face * rules.triple_mult
    if count == 3:
        return triple
    return {
        "double": triple * {4: 2, 5: 4, 6: 8}[count],
        "linear": triple * {4: 2, 5: 3, 6: 4}[count],
        "flat": dict(rules.n_flat).get(count, 0),
        "none": 0,
    }[rules.n_kind]


@cache
def block_points(rules: Rules, block: Dice) -> int:
    """The most that a block scores as one combination; 0 when it is none."""
    counts = sorted(Counter(block).values())
    found = [0]
    if len(counts) == 1:
        found.append(set_points(rules, block[0], len(block)))
    dice = sorted(block)
    if dice == [1, 2, 3, 4, 5, 6]:
        found.append(rules.straight)
    if dice == [1, 2, 3, 4, 5]:
        found.append(rules.straight_low)
    if dice == [2, 3, 4, 5, 6]:
        found.append(rules.straight_high)
    if counts == [2, 2, 2]:
        found.append(rules.three_pairs)
    if counts == [2, 4]:
        found.append(rules.four_pair or 0)
        if rules.three_pairs_4_2:
            found.append(rules.three_pairs)
    if counts == [3, 3]:
        found.append(rules.two_triplets)
    if counts == [6]:
        if rules.three_pairs_6:
            found.append(rules.three_pairs)
        if rules.two_triplets_6:
            found.append(rules.two_triplets)
    return max(found)


def worth(rules: Rules, dice: Dice) -> int:
    """The largest sum over all splits of which every block scores; 0 when there is none."""
    counts = Counter(dice)
    best = 0
    for split in partitions(tuple(sorted(dice))):
        points = [block_points(rules, block) for block in split]
        if min(points) > 0 and not (rules.kind_exclusive and _breaks_a_set(rules, split, counts)):
            best = max(best, sum(points))
    return best


def _breaks_a_set(rules: Rules, split: Split, counts: Counter[int]) -> bool:
    """Whether equal dice that are a set together are taken as several smaller ones."""
    return any(
        len(set(block)) == 1
        and len(block) < counts[block[0]]
        and set_points(rules, block[0], counts[block[0]]) > 0
        for block in split
    )


def selections(rules: Rules, roll: Dice) -> dict[Dice, int]:
    """Every legal selection of a throw with its points."""
    found: dict[Dice, int] = {}
    for size in range(1, len(roll) + 1):
        for chosen in combinations(sorted(roll), size):
            if chosen not in found:
                found[chosen] = worth(rules, chosen)
    scoring = {dice: points for dice, points in found.items() if points > 0}
    if not scoring and len(roll) == 6 and rules.nothing:
        return {tuple(sorted(roll)): rules.nothing}
    if rules.keep_all and scoring:
        most = max(map(len, scoring))
        return {dice: points for dice, points in scoring.items() if len(dice) == most}
    return scoring
