"""One player alone: how many turns it takes at least, on average, to reach the target.

    turns(s) = 1 + the least that a turn leads to: turns(s + t) after a bank of t, turns(s) after a bust

solved from the target down; each standing leads to itself by a bust and is iterated until it stands still
(value iteration, Bellman, "Dynamic Programming", 1957). Who counts turns plays the middle of a game for
points and its end for the target. Penalties for busts in a row are left out, and so is what others do.
"""

from __future__ import annotations

import numpy as np

from scorer.errors import BadSetting
from scorer.rules import Rules
from scorer.turn_solver import Table, solve, throws_of

CLOSE = 1e-9
"""A standing is solved when a further round moves it by no more, in turns."""
BEYOND = 4000
"""Where hot dice must be thrown, a turn so many points past the target is banked none the less."""


def fewest_turns(rules: Rules) -> Table:
    """Return the least expected number of turns to the target, by the total in units: shape (totals,).

    The first is for a player who has not opened. A throw that wins at once ends the wait.

    Raises:
        BadSetting: an exact target (`overshoot`) or points in very fine steps.

    >>> from scorer.rules import preset
    >>> round(float(fewest_turns(preset("farkle").replace(target=1000))[0]), 3)
    2.828
    """
    if rules.overshoot != "allow":
        raise BadSetting(
            f"turns to the target are worked out for tables with overshoot=allow, got {rules.overshoot}; "
            "use `croupier odds` for single turns"
        )
    throws = throws_of(rules)
    size = -(-rules.target // throws.unit)
    left = np.zeros(size + 1)
    beyond = BEYOND // throws.unit if rules.hot_dice == "must" else 0
    for total in range(size - 1, -1, -1):
        closed = total == 0 and rules.opening > 0
        least = rules.opening if closed else rules.min_bank
        # At the target nothing is left to win, so from there every turn is banked that may be.
        rows = np.array([max(size - total, -(-least // throws.unit)) + beyond])
        totals = np.arange(int(rows[0]) + throws.most)
        bank = -left[np.minimum(total + totals, size)][:, None]
        below = totals * throws.unit < least
        guess = left[total + 1] if total + 1 < size else 1.5
        seen: tuple[float, float] | None = None
        while True:
            bust = np.array([-guess])
            here = bank.copy()
            here[below] = -guess if closed and rules.opening_below == "write_zero" else -np.inf
            here[0] = -np.inf
            turns = 1.0 - float(solve(rules, here, bust, rows, win=0.0).begin[0])
            if abs(turns - guess) < CLOSE:
                break
            slope = 0.4 if seen is None else (turns - seen[1]) / (guess - seen[0])
            seen = guess, turns
            guess = (turns - slope * guess) / (1.0 - slope)
        left[total] = turns
    return left[:size]
