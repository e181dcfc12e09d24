"""How often does each computer player beat a weaker one?

python -m benchmarks.round_robin farkle 3000
"""

from __future__ import annotations

import sys
from itertools import combinations
from math import sqrt
from random import Random

from scorer.farkle import Rolled, apply, start
from scorer.players import LEVELS, Throw, decide
from scorer.rules import Rules, preset


def won(rules: Rules, seats: tuple[str, str], random: Random) -> tuple[int, ...]:
    """Play one game; return the seats that won."""
    state = start(rules, ("first", "second"))
    while state.seat is not None:
        choice = decide(seats[state.seat], state, random)
        if isinstance(choice, Throw):
            state = apply(state, Rolled(tuple(random.choices(range(1, 7), k=choice.dice))))
        else:
            state = apply(state, choice)
    return state.winners


def main() -> None:
    """Play all pairs and print the share of games that the stronger one wins, with its 95 % interval."""
    name, games = sys.argv[1], int(sys.argv[2])
    random = Random(1201)
    for weaker, stronger in combinations(LEVELS, 2):
        share = 0.0
        for game in range(games):
            seats = (weaker, stronger) if game % 2 else (stronger, weaker)
            winners = won(preset(name), seats, random)
            share += sum(seats[seat] == stronger for seat in winners) / len(winners)
        half = 1.96 * sqrt(share / games * (1 - share / games) / games)
        print(f"{name}: {stronger} beats {weaker} {100 * share / games:.1f} % ± {100 * half:.1f}", flush=True)


if __name__ == "__main__":
    main()
