"""The race of two players to the target, played best: who wins how likely, from every moment of the game.

    win(a, b) = chance that the player to act wins, with a points against b, both played best

A turn that banks t leads to 1 - win(b, a + t), a bust to 1 - win(b, a); past the target the other player has
one last turn, which has to pass (or, where a tie counts, reach) the total. Standings with the same sum of
totals need only those with a greater one, and each other where a turn writes nothing: they are solved
together, from the top down, each pair (a, b), (b, a) by iteration to `CLOSE` (value iteration over turns, as
for Pig in Neller and Presser, "Optimal Play of the Dice Game Pig", The UMAP Journal 25, 2004).

Included: opening, least banks, hot dice, the last round, extra turns after a tie (ties that are shared count
one half), throws that win at once. Left out: penalties for busts in a row. Turns that are `AHEAD` points in
front of the other player and past the target are banked. Rules under which points go to others or an exact
target is wanted are refused (`check_solvable`).

For more players `chances` gives an estimate and says so: every pair as if the two were alone, brought
together by the model of Bradley and Terry ("Rank analysis of incomplete block designs", Biometrika 39, 1952).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import log, prod

import numpy as np

from scorer.errors import BadSetting
from scorer.farkle import Phase, Stage, State, legal
from scorer.rules import Rules
from scorer.turn_solver import Indices, Table, Turns, solve, throws_of

CLOSE = 1e-7
"""A pair of standings is solved when a further round moves neither by more."""
AHEAD = 4000
"""So many points in front and past the target, a turn is banked: fewer last turns bring as much than the
safest throw busts."""
FINEST = 500
"""No race is solved whose target is more than so many of its smallest steps."""
_ROUNDS = 60
_REFUSE = -np.inf

Progress = Callable[[Table, int], None]
"""Is told the table so far (not to be kept) and the sum from which it is filled."""


def check_solvable(rules: Rules) -> None:
    """Raise where the race of two cannot be solved.

    Raises:
        BadSetting: which rule is in the way.
    """
    for name, fine in (("overshoot", "allow"), ("steal", "off"), ("piggyback", False)):
        got = getattr(rules, name)
        if got != fine:
            raise BadSetting(
                f"chances to win are worked out for tables with {name}={str(fine).lower()}, got {got}; "
                "use `croupier odds` for single turns"
            )
    steps = rules.target // throws_of(rules).unit
    if steps > FINEST:
        raise BadSetting(
            f"chances to win need points in coarser steps: {rules.target} has {steps} steps of "
            f"{throws_of(rules).unit}, and {FINEST} is the most"
        )


def race_size(rules: Rules) -> int:
    """Return how many standings a player can have before the target: the side of the table of a race."""
    return -(-rules.target // throws_of(rules).unit)


@dataclass(frozen=True, slots=True, eq=False)
class LastTurns:
    """What the last turn of a game is worth, by the points that are missing to a tie."""

    tie: float
    """What a tie is worth to whoever has the last turn."""
    win: Table
    """Chance to win before the first throw, by the gap in units: shape (gaps,)."""


def last_turns(rules: Rules) -> LastTurns:
    """Return the worth of the last turn of the last round.

    Where a tie brings an extra turn each, the player with the last turn has the second extra turn too.
    """
    tie = 0.5
    if rules.ties == "share":
        return LastTurns(tie, _last(rules, tie))
    while True:
        win = _last(rules, tie)
        # Whoever has the first extra turn banks t, and the other has to pass it; they are level before.
        throws = throws_of(rules)
        rows = np.array([AHEAD // throws.unit])
        totals = int(rows[0]) + throws.most
        bank = (1.0 - np.append(win, np.zeros(totals))[:totals])[:, None].copy()
        bank[: max(1, -(-rules.min_bank // throws.unit))] = _REFUSE
        first = float(solve(rules, bank, np.array([1.0 - win[0]]), rows).begin[0])
        if abs(1.0 - first - tie) < CLOSE:
            return LastTurns(tie, win)
        tie = 1.0 - first


def _last(rules: Rules, tie: float) -> Table:
    """Return the chance to win with the last turn, by gap."""
    gaps = np.arange(race_size(rules) + AHEAD // throws_of(rules).unit, -1, -1)
    turns = solve(rules, *_last_bank(rules, gaps, tie))
    return turns.begin[::-1].copy()


def _last_bank(rules: Rules, gaps: Indices, tie: float) -> tuple[Table, Table, Indices]:
    """Return bank, bust and rows of last turns with these gaps, greatest first."""
    throws = throws_of(rules)
    least = max(1, -(-rules.min_bank // throws.unit))
    over = AHEAD // throws.unit if rules.hot_dice == "must" else least
    rows = gaps + 1 + over
    totals = np.arange(int(rows.max()) + throws.most)[:, None]
    bank = np.where(totals > gaps[None], 1.0, np.where(totals == gaps[None], tie, 0.0))
    bank[:least] = _REFUSE
    return bank, np.where(gaps == 0, tie, 0.0), rows


class _Race:
    """The table of a race, and what its turns lead to."""

    def __init__(self, rules: Rules, win: Table, last: LastTurns) -> None:
        self.rules, self.last = rules, last
        self.throws = throws_of(rules)
        self.size = race_size(rules)
        self.ahead = AHEAD // self.throws.unit
        self.win = win
        # Beside what the other player has: 1 - win from his side, past the target his last turn.
        wide = self.size + self.ahead + self.throws.most + self.size
        self.then = np.ones((self.size, wide))
        if rules.final_round:
            gaps = np.arange(wide)[None] - np.arange(self.size)[:, None]
            inside = np.clip(gaps, 0, len(last.win) - 1)
            self.then = 1.0 - np.where(gaps < len(last.win), last.win[inside], 0.0)
        self.then[:, : self.size] = 1.0 - win

    def rows(self, mine: Indices, other: Indices) -> Indices:
        """Return from how many points of a turn it is banked."""
        most = np.maximum(self.size - mine, other + self.ahead - mine)
        return np.maximum(most, 1 + self._least()) if self.rules.final_round else np.maximum(
            self.size - mine, 1 + self._least()
        )  # fmt: skip

    def _least(self) -> int:
        return -(-max(self.rules.opening, self.rules.min_bank) // self.throws.unit)

    def bank(self, mine: Indices, other: Indices, rows: Indices, bust: Table) -> Table:
        """Return what a bank is worth, shape (totals, standings)."""
        rules, unit = self.rules, self.throws.unit
        totals = np.arange(int(rows.max()) + self.throws.most)
        reached = np.minimum(mine[None] + totals[:, None], self.then.shape[1] - 1)
        bank = self.then[other[None], reached]
        bank[0] = _REFUSE
        closed = (mine == 0) & (rules.opening > 0)
        short = np.where(closed, rules.opening, rules.min_bank)
        below = totals[:, None] * unit < short[None]
        below[0] = False
        nothing = closed & (rules.opening_below == "write_zero")
        bank = np.where(below & nothing[None], bust[None], bank)
        return np.where(below & ~nothing[None], _REFUSE, bank)

    def solve_sum(self, total: int) -> None:
        """Solve all standings with this sum of totals."""
        mine = np.arange(max(0, total - self.size + 1), min(total, self.size - 1) + 1)
        other = total - mine
        rows = self.rows(mine, other)
        guess = self._guess(mine, other)
        seen: tuple[Table, Table] | None = None
        slope = np.full(len(mine), 0.4)
        for _ in range(_ROUNDS):
            bust = 1.0 - guess[::-1]
            worth = solve(self.rules, self.bank(mine, other, rows, bust), bust, rows).begin
            if np.abs(worth - guess).max() < CLOSE:
                break
            if seen is not None:
                moved = bust - seen[0]
                far = np.abs(moved) > CLOSE / 10
                slope = np.where(far, (worth - seen[1]) / np.where(far, moved, 1.0), slope)
            seen = bust, worth
            # worth = start + slope * (1 - partner), and the same from the other side: solve the pair.
            start = worth - slope * bust
            partner = slope[::-1]
            guess = (start + slope * (1.0 - start[::-1] - partner)) / (1.0 - slope * partner)
        self.win[mine, other] = worth
        self.then[mine, other] = 1.0 - worth

    def _guess(self, mine: Indices, other: Indices) -> Table:
        """Return the solution near by: both players a step on."""
        if mine[0] + other[0] >= 2 * self.size - 3:
            return np.full(len(mine), 0.6)
        near: Table = self.win[np.minimum(mine + 1, self.size - 1), np.minimum(other + 1, self.size - 1)]
        return near.copy()


def solve_race(
    rules: Rules,
    *,
    begun: tuple[Table, int] | None = None,
    progress: Progress | None = None,
) -> Table:
    """Return the chance to win of the player to act, shape (own total, other total) in units.

    `begun` is a table of before with the sum from which it is filled; `progress` is called after every sum.

    Raises:
        BadSetting: see `check_solvable`.
    """
    check_solvable(rules)
    size = race_size(rules)
    win, top = (np.full((size, size), 0.5), 2 * size - 1) if begun is None else (begun[0].copy(), begun[1])
    race = _Race(rules, win, last_turns(rules))
    for total in range(top - 1, -1, -1):
        race.solve_sum(total)
        if progress is not None:
            progress(win, total)
    return win


@dataclass(frozen=True, slots=True)
class Chances:
    """Who wins how likely."""

    each: tuple[float, ...]
    """The chance of every seat; they add up to 1."""
    exact: bool
    """Whether it is the chance under best play of all; else an estimate."""


class WinOdds:
    """Chances to win from any moment of a game, if everybody plays best from there."""

    def __init__(self, rules: Rules, win: Table, *, remember: int = 64) -> None:
        """Take the solved table of a race (`solve_race`); so many turns are kept once they are worked out.

        Raises:
            BadSetting: a table of another shape.
        """
        size = race_size(rules)
        if win.shape != (size, size):
            raise BadSetting(f"the race has {size} x {size} standings, got a table of {win.shape}")
        self.rules = rules
        self._race = _Race(rules, win, last_turns(rules))
        self._turns = lru_cache(maxsize=remember)(self._solved)

    def chances(self, state: State) -> Chances:
        """Return everybody's chance to win."""
        count = len(state.players)
        if state.finished:
            share = 1.0 / max(1, len(state.winners))
            return Chances(tuple(share * (seat in state.winners) for seat in range(count)), True)
        seat = state.seat or 0
        if count == 2:
            mine = self.of(state)
            return Chances((mine, 1.0 - mine) if seat == 0 else (1.0 - mine, mine), not _penalised(state))
        if state.phase is not Phase.TURN:
            return Chances(self._last_of_several(state), False)
        return Chances(self._several(state), False)

    def of(self, state: State) -> float:
        """Return the chance of the player to act, against the one other player."""
        return self._now(state, 1 - (state.seat or 0))

    def options(self, state: State) -> dict[tuple[int, ...] | str, float]:
        """Return the chance after each thing that the player to act may do.

        Keys are the dice set aside, sorted, or `bank` or `roll`. Empty without exactly two players.
        """
        if len(state.players) != 2 or state.seat is None:
            return {}
        turns, turn = self._turn_of(state, 1 - state.seat), state.turn
        unit, may = self._race.throws.unit, legal(state)
        found: dict[tuple[int, ...] | str, float] = {}
        for each in may.selections:
            found[each.dice] = self._after(
                turns, turn.points + each.points, self._left(state, len(each.dice))
            )
        if may.roll is not None:
            found["roll"] = self._rolled(turns, turn.points // unit, self._row(state))
        if may.bank:
            found["bank"] = self._banked(state)
        return found

    def _banked(self, state: State) -> float:
        from scorer.events import Banked
        from scorer.farkle import apply

        after = apply(state, Banked())
        each = self.chances(after).each
        return each[state.seat or 0]

    def _left(self, state: State, aside: int) -> int:
        left = len(state.turn.roll) - aside
        return self.rules.dice if left == 0 and self.rules.hot_dice != "off" else left

    def _row(self, state: State) -> int:
        """Return which throw comes next."""
        return self._race.throws.first if state.turn.stage is Stage.START else state.turn.dice_left

    def _now(self, state: State, other: int) -> float:
        turns, turn = self._turn_of(state, other), state.turn
        if turn.stage is Stage.ROLLED:
            throw = state.throw
            return max(
                self._after(turns, turn.points + each.points, self._left(state, len(each.dice)))
                for each in (() if throw is None else throw.selections)
            )
        if turn.stage is Stage.ASIDE:
            return self._after(turns, turn.points, turn.dice_left)
        return self._rolled(turns, 0, self._row(state))

    def _after(self, turns: Turns, points: int, left: int) -> float:
        at = min(points // self._race.throws.unit, len(turns.after) - 1)
        return float(turns.after[at, left, 0])

    def _rolled(self, turns: Turns, at: int, row: int) -> float:
        if at < len(turns.rolled):
            return float(turns.rolled[at, row, 0])
        # So far ahead everybody banks: more points change nothing, a bust does.
        bust = float(turns.throws.bust[row])
        stays = float(turns.after[min(at, len(turns.after) - 1), 1, 0])
        return bust * float(turns.bust[0]) + (1.0 - bust) * stays

    def _turn_of(self, state: State, other: int) -> Turns:
        """Return the turn being played against one other player."""
        seat = state.seat or 0
        mine, his = state.totals[seat], state.totals[other]
        if state.phase is Phase.TURN:
            return self._turns("race", self._at(state, seat), self._at(state, other))
        gap = (his - mine) // self._race.throws.unit
        return self._turns("last" if not state.waiting else "extra", max(0, gap), 0)

    def _at(self, state: State, seat: int) -> int:
        """Return the place of a player in the table; the lowest is for those who have not opened."""
        if not state.is_open(seat):
            return 0
        place = state.totals[seat] // self._race.throws.unit
        return min(max(place, 1 if self.rules.opening else 0), self._race.size - 1)

    def _solved(self, kind: str, first: int, second: int) -> Turns:
        race = self._race
        if kind == "race":
            mine, other = np.array([first]), np.array([second])
            rows = race.rows(mine, other)
            bust = 1.0 - race.win[other, mine]
            return solve(self.rules, race.bank(mine, other, rows, bust), bust, rows)
        if kind == "last":
            return solve(self.rules, *_last_bank(self.rules, np.array([first]), race.last.tie))
        # The first extra turn after a tie of two: whatever is banked, the other has to pass it.
        rows = np.array([race.ahead])
        win = np.append(race.last.win, np.zeros(race.ahead + race.throws.most))
        bank = (1.0 - win[: race.ahead + race.throws.most])[:, None].copy()
        bank[: max(1, -(-self.rules.min_bank // race.throws.unit))] = _REFUSE
        return solve(self.rules, bank, np.array([1.0 - race.last.win[0]]), rows)

    def _several(self, state: State) -> tuple[float, ...]:
        """Estimate the chances of three or more by those of every pair."""
        count, seat = len(state.players), state.seat or 0
        order = [(seat + step) % count for step in range(count)]
        strength = [0.0] * count
        for place, one in enumerate(order):
            for two in order[place + 1 :]:
                if one == seat:
                    chance = self._now(state, two)
                else:
                    chance = float(self._race.win[self._at(state, one), self._at(state, two)])
                chance = min(max(chance, 1e-6), 1.0 - 1e-6)
                odds = log(chance / (1.0 - chance))
                strength[one] += odds / count
                strength[two] -= odds / count
        weights = np.exp(np.array(strength) - max(strength))
        return tuple(float(each) for each in weights / weights.sum())

    def _last_of_several(self, state: State) -> tuple[float, ...]:
        """Estimate the chances in the last round or a tie break of three or more.

        Whoever has a turn left is taken to have to pass the leader of now, and the last who does so wins.
        """
        count, seat = len(state.players), state.seat or 0
        running = state.tied or tuple(range(count))
        best = max(state.totals[each] for each in running)
        leaders = [each for each in running if state.totals[each] == best]
        leader = next((each for each in leaders if each not in (seat, *state.waiting)), leaders[0])
        left = [each for each in (seat, *state.waiting) if each != leader]
        passes = [
            self._now(state, leader) if each == seat else self._passes(state, each, best) for each in left
        ]
        chances = [0.0] * count
        for place, each in enumerate(left):
            chances[each] = passes[place] * prod(1.0 - later for later in passes[place + 1 :])
        chances[leader] = 1.0 - sum(chances)
        return tuple(chances)

    def _passes(self, state: State, seat: int, best: int) -> float:
        gap = (best - state.totals[seat]) // self._race.throws.unit
        win = self._race.last.win
        return float(win[gap]) if gap < len(win) else 0.0


def _penalised(state: State) -> bool:
    """Whether something was left out that can still happen."""
    return bool(state.rules.bust_penalty)
