"""What a game, or many games, say about the players: points a turn, busts, hot dice, best turn, luck, faces.

Luck compares every throw with what a throw of so many dice is worth on average under the table's rules
(points of the best selection), so it measures the dice and not what the player made of them.

>>> from scorer.events import Banked, Rolled, SetAside
>>> from scorer.rules import preset
>>> anna, _ = game_statistics(preset("tiotusen-zilch"), ("Anna", "Ben"), [
...     Rolled((1, 1, 1, 2, 3, 4)), SetAside((1, 1, 1)), Banked(), Rolled((2, 2, 3, 3, 4, 6))])
>>> anna.points_a_turn, anna.best_turn, anna.busts, anna.luck.made, round(anna.luck.expected, 1)
(1000.0, 1000, 0, 1000, 426.8)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import sqrt
from typing import cast

from scorer.dice_luck import Faces, expectation, faces_counted
from scorer.errors import BadPlayers
from scorer.events import Event, Rolled, SetAside
from scorer.farkle import State, apply, start
from scorer.rules import Rules
from scorer.scoring import score_table


@dataclass(frozen=True, slots=True)
class Luck:
    """Points of the best selections of all throws, beside what they are worth on average."""

    made: int = 0
    """What the throws offered."""
    expected: float = 0.0
    """What so many throws of so many dice offer on average."""
    variance: float = 0.0
    """Variance of that."""

    @property
    def points(self) -> float:
        """How much more than on average the dice offered; negative for bad luck."""
        return self.made - self.expected

    @property
    def error(self) -> float:
        """Standard deviation of `points` for fair dice: luck within twice this is nothing unusual."""
        return sqrt(self.variance)

    def __add__(self, other: Luck) -> Luck:
        """Return both together."""
        return Luck(self.made + other.made, self.expected + other.expected, self.variance + other.variance)


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """What one player did, in one game or in several."""

    player: str
    """The name."""
    games: int = 1
    """How many games are counted."""
    written: tuple[int, ...] = ()
    """Written points, one a turn, in order."""
    throws: int = 0
    """How many times dice were thrown."""
    busts: int = 0
    """Throws that scored nothing."""
    busts_expected: float = 0.0
    """Busts that so many throws of so many dice bring on average."""
    hot_dice: int = 0
    """How many times all dice scored."""
    luck: Luck = field(default_factory=Luck)
    """Throws against their expectation."""
    faces: Faces = field(default_factory=Faces)
    """Faces of all dice thrown."""
    colours: tuple[tuple[str, Faces], ...] = ()
    """Faces of the dice of each colour, where it was known, in alphabetical order."""

    @property
    def turns(self) -> int:
        """How many turns were written."""
        return len(self.written)

    @property
    def best_turn(self) -> int | None:
        """Most points of a turn; None before the first one."""
        return max(self.written, default=None)

    @property
    def points_a_turn(self) -> float | None:
        """Written points a turn; None before the first one."""
        return sum(self.written) / self.turns if self.turns else None

    @property
    def points_error(self) -> float | None:
        """Standard error of `points_a_turn`; None for fewer than two turns."""
        mean = self.points_a_turn
        if mean is None or self.turns < 2:
            return None
        return sqrt(sum((points - mean) ** 2 for points in self.written) / (self.turns - 1) / self.turns)


def game_statistics(
    rules: Rules, players: Sequence[str], events: Iterable[Event]
) -> tuple[PlayerStatistics, ...]:
    """Return the statistics of a game, one a player, in seat order.

    Raises:
        BadPlayers, IllegalEvent: see `scorer.farkle`.
    """
    state = start(rules, players)
    found = [PlayerStatistics(name) for name in state.players]
    for event in events:
        after = apply(state, event)
        seat = cast(int, state.seat)  # `apply` takes no event where nobody is to act
        found[seat] = _counted(found[seat], state, event, after)
        state = after
    return tuple(replace(each, written=turns) for each, turns in zip(found, state.turns, strict=True))


def together(statistics: Iterable[PlayerStatistics]) -> tuple[PlayerStatistics, ...]:
    """Return the statistics of several games, added up for each player, in the order of first appearance.

    >>> [each.games for each in together(map(PlayerStatistics, ("Anna", "Ben", "Anna")))]
    [2, 1]
    """
    by_name: dict[str, list[PlayerStatistics]] = {}
    for each in statistics:
        by_name.setdefault(each.player, []).append(each)
    return tuple(reduce(added, many) for many in by_name.values())


def added(one: PlayerStatistics, other: PlayerStatistics) -> PlayerStatistics:
    """Return the statistics of a player's games together.

    Raises:
        BadPlayers: these are two players.
    """
    if one.player != other.player:
        raise BadPlayers(f"{one.player} and {other.player} are two players; add up games of one player")
    return PlayerStatistics(
        player=one.player,
        games=one.games + other.games,
        written=one.written + other.written,
        throws=one.throws + other.throws,
        busts=one.busts + other.busts,
        busts_expected=one.busts_expected + other.busts_expected,
        hot_dice=one.hot_dice + other.hot_dice,
        luck=one.luck + other.luck,
        faces=one.faces + other.faces,
        colours=_colours_added(one.colours, other.colours),
    )


def statistics_board(each: PlayerStatistics) -> dict[str, object]:
    """Return the statistics of a player as plain JSON values."""
    return {
        "games": each.games,
        "turns": each.turns,
        "points_a_turn": _rounded(each.points_a_turn),
        "points_error": _rounded(each.points_error),
        "best_turn": each.best_turn,
        "throws": each.throws,
        "busts": each.busts,
        "busts_expected": _rounded(each.busts_expected),
        "hot_dice": each.hot_dice,
        "luck": {"points": _rounded(each.luck.points), "error": _rounded(each.luck.error)},
        "faces": _faces_board(each.faces),
        "colours": {colour: _faces_board(faces) for colour, faces in each.colours},
    }


def _faces_board(faces: Faces) -> dict[str, object]:
    return {
        "counts": list(faces.counts),
        "n": faces.n,
        "chi_square": _rounded(faces.chi_square),
        "p_value": _rounded(faces.p_value),
    }


def _colours_added(
    one: tuple[tuple[str, Faces], ...], other: tuple[tuple[str, Faces], ...]
) -> tuple[tuple[str, Faces], ...]:
    found = dict(one)
    for colour, faces in other:
        found[colour] = found.get(colour, Faces()) + faces
    return tuple(sorted(found.items()))


def _colours_of(event: Rolled) -> tuple[tuple[str, Faces], ...]:
    known = sorted({colour for colour in event.colours if colour is not None})
    dice = list(zip(event.faces, event.colours, strict=False))
    return tuple((colour, faces_counted(face for face, shown in dice if shown == colour)) for colour in known)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _counted(each: PlayerStatistics, before: State, event: Event, after: State) -> PlayerStatistics:
    if isinstance(event, SetAside):
        return replace(each, hot_dice=each.hot_dice + after.turn.hot)
    if not isinstance(event, Rolled):
        return each
    usual = expectation(before.rules, len(event.faces))
    offered = score_table(before.rules).of(event.faces).best
    return replace(
        each,
        throws=each.throws + 1,
        busts=each.busts + (after.turns != before.turns),
        busts_expected=each.busts_expected + usual.bust,
        luck=each.luck + Luck(offered, usual.mean, usual.variance),
        faces=each.faces + faces_counted(event.faces),
        colours=_colours_added(each.colours, _colours_of(event)),
    )
