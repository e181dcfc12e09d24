"""What Tenzi matches say about the players: wins, throws, times, personal bests, false claims and fouls.

A run is a round that the player won; its time goes from Go to the first look that shows the goal. Bests of
different goals cannot be compared, so they are kept goal by goal.

>>> from scorer.tenzi import Claimed, Go, Seen, TenziRules, apply, start
>>> match = start(TenziRules(dice=2, goal=(2,)), ("Anna",))
>>> for event in (Go(0), Seen(3_000_000_000, "Anna", (6, 6)), Claimed(4_000_000_000, "Anna")):
...     match = apply(match, event)
>>> match_statistics(match)[0].bests[0]
Best(goal='2', time_ns=3000000000, rolls=1)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from math import sqrt

from scorer.errors import BadPlayers
from scorer.tenzi import Match, Round, rounds, winners
from scorer.tenzi_odds import done_within, mean_rolls


@dataclass(frozen=True, slots=True)
class Run:
    """A round that the player won."""

    goal: str
    """The goal, as in the settings: `10`, `5+5`."""
    dice: int
    """How many dice the player had."""
    time_ns: int
    """From Go to the first look that showed the goal."""
    rolls: int
    """Throws until then, with the one that finished it."""
    solo: bool
    """Whether nobody else played."""

    @property
    def luck(self) -> float | None:
        """The chance to need more throws than this: 0.9 is a run that nine of ten are slower than.

        None where the theory does not reach: for goals that are not all dice on one face.
        """
        return 1 - done_within(self.rolls, self.dice) if self.goal == str(self.dice) else None


@dataclass(frozen=True, slots=True)
class Best:
    """A personal best."""

    goal: str
    """The goal of the run."""
    time_ns: int
    """The shortest time."""
    rolls: int
    """The fewest throws; perhaps of another run."""


@dataclass(frozen=True, slots=True)
class RacerStatistics:
    """What one player did, in one match or in several."""

    player: str
    """The name."""
    matches: int = 1
    """How many matches are counted."""
    matches_won: int = 0
    """How many of them he has won."""
    rounds: int = 0
    """Rounds that were decided, replays and abandoned ones left out."""
    replays: int = 0
    """Rounds that were too close to call."""
    runs: tuple[Run, ...] = ()
    """The rounds that he won, in order."""
    false_claims: int = 0
    """Claims without the goal."""
    flags: int = 0
    """Changes of target, stray dice and hands in his lane."""

    @property
    def wins(self) -> int:
        """How many rounds he has won."""
        return len(self.runs)

    @property
    def bests(self) -> tuple[Best, ...]:
        """The personal bests, a goal; in the order in which the goals were first reached."""
        goals = dict.fromkeys(run.goal for run in self.runs)
        return tuple(self._best(goal) for goal in goals)

    def _best(self, goal: str) -> Best:
        runs = [run for run in self.runs if run.goal == goal]
        return Best(goal, min(run.time_ns for run in runs), min(run.rolls for run in runs))

    @property
    def rolls_a_run(self) -> float | None:
        """Throws a run that was won, on average; None before the first one."""
        return sum(run.rolls for run in self.runs) / self.wins if self.runs else None

    @property
    def rolls_error(self) -> float | None:
        """Standard error of `rolls_a_run`; None for fewer than two runs."""
        mean = self.rolls_a_run
        if mean is None or self.wins < 2:
            return None
        return sqrt(sum((run.rolls - mean) ** 2 for run in self.runs) / (self.wins - 1) / self.wins)

    @property
    def rolls_expected(self) -> float | None:
        """Throws that solo runs of so many dice take on average; None unless all were solo runs of a kind.

        A round that was won against others was quick by selection, and says nothing about the dice.
        """
        kinds = {(run.goal, run.dice, run.solo) for run in self.runs}
        if len(kinds) != 1:
            return None
        ((goal, dice, solo),) = kinds
        return mean_rolls(dice) if solo and goal == str(dice) else None


def match_statistics(match: Match) -> tuple[RacerStatistics, ...]:
    """Return the statistics of a match, one a player, in seat order."""
    return tuple(_of_player(match, player) for player in match.players)


def _of_player(match: Match, player: str) -> RacerStatistics:
    every = rounds(match)
    return RacerStatistics(
        player=player,
        matches_won=int(player in winners(match)),
        rounds=sum(each.winner is not None for each in every),
        replays=sum(each.replay for each in every),
        runs=tuple(_run(match, each) for each in every if each.winner == player),
        false_claims=sum(
            claim.player == player and claim.verdict == "false" for each in every for claim in each.claims
        ),
        flags=sum(flag.player == player for each in every for flag in each.flags),
    )


def _run(match: Match, won: Round) -> Run:
    winner = str(won.winner)
    return Run(
        goal="+".join(map(str, match.rules.goal)),
        dice=match.rules.dice,
        time_ns=dict(won.finish_ns)[winner] - won.go_ns,
        rolls=dict(won.rolls)[winner],
        solo=len(match.players) == 1,
    )


def raced_together(statistics: Iterable[RacerStatistics]) -> tuple[RacerStatistics, ...]:
    """Return the statistics of several matches, added up for each player, in the order of first appearance.

    >>> [each.matches for each in raced_together(map(RacerStatistics, ("Anna", "Ben", "Anna")))]
    [2, 1]
    """
    by_name: dict[str, list[RacerStatistics]] = {}
    for each in statistics:
        by_name.setdefault(each.player, []).append(each)
    return tuple(reduce(races_added, many) for many in by_name.values())


def races_added(one: RacerStatistics, other: RacerStatistics) -> RacerStatistics:
    """Return the statistics of a player's matches together.

    Raises:
        BadPlayers: these are two players.
    """
    if one.player != other.player:
        raise BadPlayers(f"{one.player} and {other.player} are two players; add up matches of one player")
    return RacerStatistics(
        player=one.player,
        matches=one.matches + other.matches,
        matches_won=one.matches_won + other.matches_won,
        rounds=one.rounds + other.rounds,
        replays=one.replays + other.replays,
        runs=one.runs + other.runs,
        false_claims=one.false_claims + other.false_claims,
        flags=one.flags + other.flags,
    )


def racer_board(each: RacerStatistics) -> dict[str, object]:
    """Return the statistics of a player as plain JSON values; times in seconds."""
    return {
        "matches": each.matches,
        "matches_won": each.matches_won,
        "rounds": each.rounds,
        "wins": each.wins,
        "replays": each.replays,
        "rolls_a_run": _rounded(each.rolls_a_run),
        "rolls_error": _rounded(each.rolls_error),
        "rolls_expected": _rounded(each.rolls_expected),
        "bests": {
            best.goal: {"time_s": round(best.time_ns / 1e9, 4), "rolls": best.rolls} for best in each.bests
        },
        "runs": [
            {"goal": run.goal, "time_s": round(run.time_ns / 1e9, 4), "rolls": run.rolls, "solo": run.solo}
            | ({} if run.luck is None else {"quicker_than": round(run.luck, 4)})
            for run in each.runs
        ],
        "false_claims": each.false_claims,
        "flags": each.flags,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
