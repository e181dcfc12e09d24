"""Do the faces of the virtual dice come equally often? A million throws of fresh seeds, counted.

python -m benchmarks.fair_dice [THROWS]
"""

from __future__ import annotations

import secrets
import sys
from collections import Counter
from itertools import pairwise, product

from scorer.dice_luck import Faces
from scorer.fair_dice import SEED_BYTES, throw

GAME_THROWS = 1000
"""Throws from one seed before the next is drawn: a long game."""


def main() -> None:
    """Count faces by place in the throw, and pairs of neighbours, and print chi-square and p for each."""
    throws = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    faces: Counter[tuple[int, int]] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    for number in range(throws):
        if number % GAME_THROWS == 0:
            seed = secrets.token_bytes(SEED_BYTES)
        dice = throw(seed, game=1, number=number % GAME_THROWS + 1, dice=6)
        faces.update(enumerate(dice))
        pairs.update(pairwise(dice))
    whole = Faces()
    for place in range(6):
        one, two, three, four, five, six = (faces[place, face] for face in range(1, 7))
        here = Faces((one, two, three, four, five, six))
        _tell(f"die {place + 1}", here)
        whole += here
    _tell(f"all {whole.n} dice", whole)
    expected = sum(pairs.values()) / 36
    faces_there = range(1, 7)
    square = sum(
        (pairs[one, two] - expected) ** 2 / expected for one, two in product(faces_there, faces_there)
    )
    print(f"neighbours: chi-square {square:.1f} of 35 (half of all fair dice lie between 29.1 and 40.2)")


def _tell(name: str, found: Faces) -> None:
    counts = " ".join(map(str, found.counts))
    print(f"{name}: {counts}, chi-square {found.chi_square:.2f} of 5, p {found.p_value:.3f}")


if __name__ == "__main__":
    main()
