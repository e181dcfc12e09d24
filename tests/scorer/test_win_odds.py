"""The race of two against a plain expectimax and against games that are played, and what boards are told."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest

from scorer.errors import BadSetting
from scorer.events import Banked, Entered, Rolled, SetAside
from scorer.farkle import State, apply, fold, legal, start
from scorer.rules import Rules, preset
from scorer.turn_solver import Table
from scorer.win_odds import AHEAD, WinOdds, check_solvable, last_turns, race_size, solve_race
from tests.scorer.oracle import selections

COARSE = preset("hot-dice-five").replace(
    single_1=500, single_5=0, triple_1=1000, triple_mult=500, n_kind="none", instant_win="none",
    hot_dice="may", target=1500, opening=0, min_bank=0, ties="share",
)  # fmt: skip
"""Five dice and steps of 500: three standings a player."""


class Expectimax:
    """The game tree of two players, throw by throw over all outcomes, iterated until nothing moves.

    It shares no code with the solver: selections are those of the test's own scorer, the rules of the race
    are written down here once more, every standing is a key of a dictionary.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.throws = [self._throws(dice) for dice in range(rules.dice + 1)]
        self.first = self._throws(rules.dice, first=True)
        self.known: dict[tuple[str, int, int], float] = {}
        moved = 1.0
        while moved > 1e-9:
            before = dict(self.known)
            for mine, other in self._standings():
                self.known["turn", mine, other] = self._turn("turn", mine, other)
            for gap in range(0, rules.target + AHEAD + 500, 500):
                self.known["last", gap, 0] = self._turn("last", 0, gap)
                self.known["second", gap, 0] = self._turn("second", 0, gap)
            self.known["first", 0, 0] = self._turn("first", 0, 0)
            moved = max(abs(now - before.get(key, 0.5)) for key, now in self.known.items())

    def _standings(self) -> list[tuple[int, int]]:
        steps = range(0, self.rules.target, 500)
        return sorted(product(steps, steps), reverse=True)

    def _throws(self, dice: int, *, first: bool = False) -> Counter[tuple[tuple[int, int], ...] | str]:
        found: Counter[tuple[tuple[int, int], ...] | str] = Counter()
        for roll in product(range(1, 7), repeat=dice):
            alike = dice == self.rules.dice and len(set(roll)) == 1
            if alike and self.rules.instant_win == "five_first" and first:
                found["wins"] += 1
            else:
                found[self._ways(tuple(sorted(roll)))] += 1
        return found

    @cache  # noqa: B019 - lives as long as the test
    def _ways(self, roll: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        found = selections(self.rules, roll) if roll else {}
        return tuple(sorted({(points, len(roll) - len(dice)) for dice, points in found.items()}))

    def _turn(self, kind: str, mine: int, other: int) -> float:
        rules = self.rules
        closed = kind == "turn" and mine == 0 and rules.opening > 0
        bust = self._written(kind, mine, other, 0)

        @cache
        def after(points: int, dice: int, hot: bool) -> float:
            least = rules.opening if closed else rules.min_bank
            bank: float | None = self._written(kind, mine, other, points)
            if points < least:
                bank = bust if closed and rules.opening_below == "write_zero" else None
            if dice == 0:
                return bust if bank is None else bank
            enough = (
                max(rules.target, other + AHEAD) - mine if kind in ("turn", "first") else other + AHEAD + 500
            )
            if points >= enough and bank is not None:
                return bank
            roll = thrown(points, dice, first=False)
            if bank is None or (hot and rules.hot_dice == "must"):
                return roll
            return max(bank, roll)

        @cache
        def thrown(points: int, dice: int, *, first: bool) -> float:
            worth = 0.0
            for ways, count in (self.first if first else self.throws[dice]).items():
                if isinstance(ways, str):
                    worth += count
                    continue
                best = bust if not ways else -1.0
                for more, left in ways:
                    hot = left == 0
                    left = rules.dice if hot and rules.hot_dice != "off" else left
                    best = max(best, after(points + more, left, hot)) if ways else best
                worth += count * best
            return float(worth / 6**dice)

        return thrown(0, rules.dice, first=True)

    def _written(self, kind: str, mine: int, other: int, points: int) -> float:
        """What it is worth to the player to act to have written so many points."""
        rules = self.rules
        tie = 0.5 if rules.ties == "share" else 1.0 - self.known.get(("first", 0, 0), 0.5)
        if kind in ("last", "second"):  # `other` is the gap
            return 1.0 if points > other else tie if points == other else 0.0
        if kind == "first":
            return 1.0 - self.known.get(("second", points, 0), 0.5 if points == 0 else 0.0)
        if mine + points < rules.target:
            return 1.0 - self.known.get(("turn", other, mine + points), 0.5)
        if not rules.final_round:
            return 1.0
        return 1.0 - self.known.get(("last", mine + points - other, 0), 0.0)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"ties": "extra_turn"},
        {"final_round": False},
        {"opening": 1000, "opening_below": "refuse"},
        {"opening": 1000, "opening_below": "write_zero"},
        {"min_bank": 1000},
        {"hot_dice": "off", "min_bank": 1000},
        {"instant_win": "five_first", "single_5": 500},
        {"n_kind": "double", "keep_all": True, "hot_dice": "must"},
    ],
    ids=str,
)
def test_the_race_is_that_of_a_plain_expectimax(changes: dict[str, object]) -> None:
    rules = COARSE.replace(**changes)
    slow, fast = Expectimax(rules), solve_race(rules)
    assert fast.shape == (3, 3)
    for mine, other in product(range(3), repeat=2):
        expected = slow.known["turn", 500 * mine, 500 * other]
        assert fast[mine, other] == pytest.approx(expected, abs=2e-6), (mine, other)
    last = last_turns(rules)
    for gap in range(6):
        assert last.win[gap] == pytest.approx(slow.known["last", 500 * gap, 0], abs=2e-6), gap


def test_a_race_goes_on_where_it_was_broken_off() -> None:
    kept: dict[int, Table] = {}
    whole = solve_race(COARSE, progress=lambda win, top: kept.update({top: win.copy()}))
    assert sorted(kept) == list(range(5))
    assert np.array_equal(solve_race(COARSE, begun=(kept[2], 2)), whole)


SHORT = preset("farkle").replace(target=1000)


@pytest.fixture(scope="module")
def short() -> WinOdds:
    return WinOdds(SHORT, solve_race(SHORT))


def test_more_points_are_never_worse_nor_more_of_the_other_better(short: WinOdds) -> None:
    opened = solve_race(SHORT.replace(opening=0, min_bank=0))
    assert (np.diff(opened, axis=0) >= -1e-6).all()
    assert (np.diff(opened, axis=1) <= 1e-6).all()
    assert opened.min() > 0.0
    assert opened.max() < 1.0


def best_move(odds: WinOdds, state: State) -> tuple[int, ...] | str:
    options = odds.options(state)
    return max(options, key=lambda each: options[each])


@pytest.mark.parametrize("changes", [{"ties": "extra_turn"}, {"opening": 1000, "single_5": 500}], ids=str)
def test_games_played_so_are_won_as_often_as_it_says(changes: dict[str, object]) -> None:
    rules = COARSE.replace(**changes)
    odds = WinOdds(rules, solve_race(rules))
    random, games, won = Random(1), 3000, 0.0
    known: dict[object, tuple[int, ...] | str] = {}  # what is best is worked out once a moment
    for _ in range(games):
        state = start(rules, ("Anna", "Ben"))
        while not state.finished:
            roll = tuple(sorted(state.turn.roll))
            moment = (state.totals, state.opened, state.seat, state.turn.points, state.turn.dice_left, roll)
            key = (*moment, state.turn.stage, state.phase, state.waiting)
            if key not in known:
                known[key] = best_move(odds, state)
            move = known[key]
            if isinstance(move, tuple):
                state = apply(state, SetAside(move))
            elif move == "bank":
                state = apply(state, Banked())
            else:
                state = apply(state, Rolled(tuple(random.choices(range(1, 7), k=legal(state).roll or 0))))
        won += odds.chances(state).each[0]
    expected = odds.chances(start(rules, ("Anna", "Ben"))).each[0]
    error = (expected * (1 - expected) / games) ** 0.5
    assert abs(won / games - expected) < 2 * error


@pytest.mark.parametrize("changes", [{"ties": "extra_turn"}, {"min_bank": 1000}], ids=str)
def test_every_chance_is_the_average_of_what_may_follow(changes: dict[str, object]) -> None:
    """Over all throws, all selections and banks that the rules of the game itself allow."""
    rules = COARSE.replace(**changes)
    odds = WinOdds(rules, solve_race(rules))
    seen: set[object] = set()
    waiting = [start(rules, ("Anna", "Ben"))]
    while waiting and len(seen) < 400:
        state = waiting.pop(0)
        seat, options = state.seat or 0, odds.options(state)
        assert odds.chances(state).each[seat] == pytest.approx(max(options.values()), abs=1e-5)
        for move, chance in options.items():
            if move == "roll":
                counts = Counter(
                    tuple(sorted(roll)) for roll in product(range(1, 7), repeat=legal(state).roll or 0)
                )
            else:
                counts = Counter({(): 1})
            average = 0.0
            for roll, count in counts.items():
                event = (
                    SetAside(move)
                    if isinstance(move, tuple)
                    else Banked()
                    if move == "bank"
                    else Rolled(roll)
                )
                after = apply(state, event)
                average += count / counts.total() * odds.chances(after).each[seat]
                turn = (after.turn.points, after.turn.dice_left, tuple(sorted(after.turn.roll)))
                key = (after.totals, after.seat, after.phase, after.waiting, *turn)
                if key not in seen and not after.finished and after.turn.points < AHEAD and len(seen) < 400:
                    seen.add(key)
                    waiting.append(after)
            assert chance == pytest.approx(average, abs=1e-5), (state, move)


def test_past_everything_that_can_happen_a_throw_is_worse_than_a_bank(short: WinOdds) -> None:
    state = fold(SHORT, ("Anna", "Ben"), [Entered("Anna", 1200)])
    for _ in range(3):
        state = apply(apply(state, Rolled((1, 1, 1, 1, 1, 1))), SetAside((1, 1, 1, 1, 1, 1)))
        assert state.turn.points > 1200
        options = short.options(state)
        assert options["roll"] < options["bank"] == 1.0


def test_what_may_be_done_averages_to_what_the_throw_was_worth(short: WinOdds) -> None:
    """The chance before a throw is the average of those after it, whoever looks from whichever seat."""
    state = fold(
        SHORT, ("Anna", "Ben"), [Entered("Anna", 600), Entered("Ben", 550), Rolled((1, 1, 1, 5, 2, 3))]
    )
    assert short.of(state) == max(short.options(state).values())
    state = apply(state, SetAside((1, 1, 1, 5)))
    options = short.options(state)
    assert set(options) == {"roll", "bank"}
    assert short.of(state) == pytest.approx(max(options.values()), abs=1e-6)
    average = sum(
        short.chances(apply(state, Rolled(roll))).each[0] for roll in product(range(1, 7), repeat=2)
    )
    assert options["roll"] == pytest.approx(average / 36, abs=1e-6)
    banked = short.chances(apply(state, Banked()))
    assert options["bank"] == pytest.approx(banked.each[0], abs=1e-6)
    assert sum(banked.each) == pytest.approx(1.0)
    assert banked.exact


def test_the_last_turn_goes_for_the_leader(short: WinOdds) -> None:
    state = fold(SHORT, ("Anna", "Ben"), [Entered("Anna", 1200)])
    assert short.chances(state).each[1] == pytest.approx(last_turns(SHORT).win[24])
    short_of_it = apply(apply(state, Rolled((1, 1, 1, 1, 2, 3))), SetAside((1, 1, 1, 1)))
    assert short_of_it.turn.points == 1000
    assert short.options(short_of_it)["bank"] == 0.0
    over = fold(SHORT, ("Anna", "Ben"), [Entered("Anna", 1200), Entered("Ben", 0)])
    assert short.chances(over).each == (1.0, 0.0)


def test_an_extra_turn_after_a_tie_favours_the_second() -> None:
    rules = preset("tiotusen").replace(target=1000, opening=0, bust_penalty=0)
    odds = WinOdds(rules, solve_race(rules))
    tied = fold(rules, ("Anna", "Ben"), [Entered("Anna", 1000), Entered("Ben", 1000)])
    assert tied.phase.value == "tie_break"
    first, second = odds.chances(tied).each
    assert first < second
    assert second == pytest.approx(last_turns(rules).tie, abs=1e-6)
    after = apply(tied, Entered("Anna", 300))
    assert odds.chances(after).each[1] == pytest.approx(last_turns(rules).win[6], abs=1e-6)
    shared = start(rules.replace(ties="share"), ("Anna", "Ben"))
    level = fold(shared.rules, shared.players, [Entered("Anna", 1000), Entered("Ben", 1000)])
    assert WinOdds(shared.rules, solve_race(shared.rules)).chances(level).each == (0.5, 0.5)


def test_for_three_it_is_an_estimate_and_says_so(short: WinOdds) -> None:
    three = ("Anna", "Ben", "Cleo")
    chances = short.chances(start(SHORT, three))
    assert not chances.exact
    assert sum(chances.each) == pytest.approx(1.0)
    assert chances.each[0] > chances.each[1] > chances.each[2] > 0.2
    assert short.options(start(SHORT, three)) == {}
    ahead = short.chances(
        fold(SHORT, three, [Entered("Anna", 900), Entered("Ben", 0), Entered("Cleo", 0)])
    ).each
    assert ahead[0] > 0.6
    last = short.chances(fold(SHORT, three, [Entered("Anna", 1000)])).each
    assert sum(last) == pytest.approx(1.0)
    assert last[0] > 0.4 > max(last[1:])


def test_what_is_left_out_is_said() -> None:
    rules = preset("zilch").replace(target=1000)
    chances = WinOdds(rules, solve_race(rules)).chances(start(rules, ("Anna", "Ben")))
    assert not chances.exact


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"overshoot": "void"}, "overshoot=allow"),
        ({"steal": "roll"}, "steal=off"),
        ({"piggyback": True}, "piggyback=false"),
        ({"single_5": 51}, "coarser steps"),
    ],
)
def test_rules_that_cannot_be_solved_are_named(changes: dict[str, object], words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        check_solvable(preset("farkle").replace(**changes))


def test_a_table_of_another_race_is_refused() -> None:
    with pytest.raises(BadSetting, match="20 x 20"):
        WinOdds(SHORT, np.zeros((3, 3)))


def test_nobody_gets_so_far_ahead_in_a_last_turn_that_throwing_on_would_pay() -> None:
    """The bound `AHEAD`: a lead of so much is lost less often than six dice bust."""
    for name in ("farkle", "ten-thousand", "tiotusen", "tiotusen-zilch", "zilch"):
        rules = preset(name)
        last = last_turns(rules).win
        assert race_size(rules) == 200
        assert last[AHEAD // 50] < 5 / 216
