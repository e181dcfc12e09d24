"""How often does each computer player beat a weaker one?

python -m benchmarks.round_robin farkle 20000 [SEED] [PAIR ...]

The games are shared out among all pairs, seats change with every game. Expert plays for the chance to win, as
it does against one other player under the rules of a preset; `points` is Expert without that: the most points
of every turn. A pair is named like expert-hard.
"""

from __future__ import annotations

import sys
from itertools import combinations
from math import sqrt
from random import Random

from device.win_tables import stored_tables
from scorer.farkle import Rolled, apply, start
from scorer.players import LEVELS, Throw, decide
from scorer.rules import Rules, preset
from scorer.win_odds import WinOdds

POINTS = "points"
"""Expert that looks at its turn alone."""


def won(rules: Rules, seats: tuple[str, str], random: Random, wins: WinOdds | None = None) -> tuple[int, ...]:
    """Play one game; return the seats that won."""
    state = start(rules, ("first", "second"))
    while state.seat is not None:
        who = seats[state.seat]
        known = wins if who == "expert" else None
        choice = decide("expert" if who == POINTS else who, state, random, known)
        if isinstance(choice, Throw):
            state = apply(state, Rolled(tuple(random.choices(range(1, 7), k=choice.dice))))
        else:
            state = apply(state, choice)
    return state.winners


def main() -> None:
    """Play all pairs and print the share of games that the stronger one wins, with its 95 % interval."""
    name, games = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1201
    order = (*LEVELS[:-1], POINTS, LEVELS[-1])
    pairs = [(weaker, stronger) for weaker, stronger in combinations(order, 2)]
    named = {f"{stronger}-{weaker}" for weaker, stronger in pairs}
    wanted = set(sys.argv[4:]) or named
    rules = preset(name)
    tables = stored_tables(rules)
    wins = None if tables is None else WinOdds(rules, tables[0], remember=20_000)
    each = -(-games // len(pairs))
    for weaker, stronger in pairs:
        if f"{stronger}-{weaker}" not in wanted:
            continue
        random, share = Random(f"{seed} {weaker} {stronger}"), 0.0
        for game in range(each):
            seats = (weaker, stronger) if game % 2 else (stronger, weaker)
            winners = won(rules, seats, random, wins)
            share += sum(seats[seat] == stronger for seat in winners) / len(winners)
        half = 1.96 * sqrt(share / each * (1 - share / each) / each)
        print(
            f"{name}: {stronger} beats {weaker} {100 * share / each:.1f} % ± {100 * half:.1f} ({each} games)",
            flush=True,
        )


if __name__ == "__main__":
    main()
