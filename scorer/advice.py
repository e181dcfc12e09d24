"""What to do now, and what it is worth; and, after the game, what every decision has cost.

All in points of the turn being played, by the exact odds of the table's own rules (`scorer.odds`): what the
turn comes to on average if it is played best from there on. Penalties for busts in a row, offers to others
and the standing of the game are not counted.

A turn written down is, to the last point,
    what it was worth before its first throw + the luck of its throws - what its decisions cost,
because a throw changes what the turn is worth by luck alone, and a decision by its cost alone (it is never
worth more than the best one). That is how `review` tells luck from skill.

>>> from scorer.farkle import Rolled, apply, preset, start
>>> state = apply(start(preset("ten-thousand"), ("Anna", "Ben")), Rolled((1, 5, 2, 2, 3, 4)))
>>> [(str(each.move), round(each.worth)) for each in options(state)]
[('keep 1, throw 5', 369), ('keep 5, throw 5', 345), ('keep 1 5, throw 4', 279)]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from scorer.events import Banked, Entered, Event, Rolled, SetAside, TookOver
from scorer.farkle import Stage, State, apply, legal, start
from scorer.odds import TurnOdds, choices, turn_odds
from scorer.rules import Rules

if TYPE_CHECKING:
    from scorer.win_odds import WinOdds


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that the player to act may do."""

    kind: Literal["keep", "throw", "bank", "take"]
    """Set dice aside, throw, bank, or take the offer."""
    dice: tuple[int, ...] = ()
    """What is set aside."""
    throws: int = 0
    """How many dice are thrown next; 0: none, the turn is banked."""
    points: int = 0
    """Points of the dice set aside, or what a bank writes, or the points of the offer."""

    @property
    def itself(self) -> str:
        """The move in a few words, without what is best after it."""
        return f"keep {' '.join(map(str, self.dice))}" if self.kind == "keep" else str(self)

    def __str__(self) -> str:
        """Say it in a few words, with what is best after it."""
        match self.kind:
            case "keep":
                then = f"throw {self.throws}" if self.throws else "bank"
                return f"keep {' '.join(map(str, self.dice))}, {then}"
            case "take":
                return f"take over {self.points}, throw {self.throws}"
            case "throw":
                return f"throw {self.throws}"
            case _:
                return f"bank {self.points}"


@dataclass(frozen=True, slots=True)
class Option:
    """A move, and what comes of it on average."""

    move: Move
    """The move; after dice that are kept, the better of banking and throwing."""
    worth: float
    """Points that the turn writes on average."""
    win: float | None = None
    """Chance to win the game after it, where it is known."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a game that was played."""

    event: int
    """Which event it was, counted from 0."""
    player: str
    """Who decided."""
    turn: int
    """In which of the player's turns, counted from 1."""
    did: Move
    """What was done."""
    best: Move
    """What would have been best."""
    cost: float
    """Points that it cost on average: 0 for the best."""
    win_cost: float | None = None
    """By how much it lowered the chance to win beneath that of the likeliest move, where that is known."""


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """Luck and skill of one player in one game."""

    player: str
    """The name."""
    turns: int
    """Turns that were played with dice (not typed in)."""
    expected: float
    """What these turns were worth before their first throws."""
    luck: float
    """What the throws added to that, or took away."""
    cost: float
    """What the decisions cost."""
    decisions: int
    """How many decisions there were with more than one move to choose from."""
    best: int
    """How many of them were the best."""
    win_cost: float | None = None
    """By how much the decisions lowered the chance to win, added up; where that is known."""

    @property
    def written(self) -> float:
        """What the turns wrote, penalties left out."""
        return self.expected + self.luck - self.cost


@dataclass(frozen=True, slots=True)
class Review:
    """A game gone over again."""

    decisions: tuple[Decision, ...]
    """Every decision in which there was a choice, in order."""
    players: tuple[PlayerReview, ...]
    """One a player, in seat order."""


def options(state: State, wins: WinOdds | None = None) -> tuple[Option, ...]:
    """Return what the player to act may do, best first; none in a game that is finished.

    Dice to be set aside go with what is best after them. With `wins`, what wins most often comes first
    where that is known; it may be another move than what brings the most points.
    """
    if wins is not None and (likely := wins.options(state)):
        rated = [replace(each, win=likely.get(_key(each.move))) for each in options(state)]
        return tuple(sorted(rated, key=lambda each: (-(each.win or 0.0), -each.worth)))
    if state.seat is None:
        return ()
    table, turn, may = _table(state), state.turn, legal(state)
    found: list[Option] = []
    if turn.stage is Stage.ROLLED:
        return _to_keep(state)
    if may.take_over is not None:
        offer = may.take_over
        taken = table.roll_value(offer.points, offer.dice)
        found.append(Option(Move("take", throws=offer.dice, points=offer.points), taken))
    if may.bank:
        banked = table.bank_value(turn.points) or 0.0
        found.append(Option(Move("bank", points=may.bank_writes), banked))
    if may.roll is not None:
        found.append(Option(Move("throw", throws=may.roll), _before_throw(table, state, may.roll)))
    return tuple(sorted(found, key=lambda each: -each.worth))


def _key(move: Move) -> tuple[int, ...] | str:
    """Return the name of a move in `WinOdds.options`."""
    return move.dice if move.kind == "keep" else "roll" if move.kind == "throw" else move.kind


def review(
    rules: Rules, players: Sequence[str], events: Iterable[Event], wins: WinOdds | None = None
) -> Review:
    """Return every decision of a game with its cost, and the luck and skill of every player.

    `wins` are the chances to win under these rules; with them, what a decision cost of those is told too.

    Raises:
        BadPlayers, IllegalEvent: see `scorer.farkle`.
    """
    state = start(rules, players)
    tallies = [_Tally() for _ in state.players]
    found: list[Decision] = []
    for index, event in enumerate(events):
        after = apply(state, event)
        seat = state.seat
        if seat is not None and not isinstance(event, Entered):
            tally = tallies[seat]
            if state.turn.stage is Stage.START and (state.offer is not None or isinstance(event, Rolled)):
                tally.begins(_worth(state))
            did, best, cost, several = _decided(state, event)
            lost = _win_cost(state, event, wins) if several else 0.0
            tally.decides(cost, lost, several=several)
            if several:
                turn = len(state.turns[seat]) + 1
                found.append(Decision(index, state.players[seat], turn, did, best, cost, lost))
            if isinstance(event, Rolled):
                tally.throws(
                    _after_throw(state, event) - _before_throw(_table(state), state, len(event.faces))
                )
        state = after
    reviews = tuple(tally.review(name) for tally, name in zip(tallies, state.players, strict=True))
    return Review(tuple(found), reviews)


class _Tally:
    """Luck and costs of one player, added up."""

    def __init__(self) -> None:
        self.turns = self.several = self.right = 0
        self.expected = self.luck = self.cost = 0.0
        self.win_cost: float | None = 0.0

    def begins(self, worth: float) -> None:
        self.turns += 1
        self.expected += worth

    def throws(self, luck: float) -> None:
        self.luck += luck

    def decides(self, cost: float, win_cost: float | None, *, several: bool) -> None:
        self.cost += cost
        self.win_cost = None if win_cost is None or self.win_cost is None else self.win_cost + win_cost
        self.several += several
        self.right += several and cost < _NOTHING

    def review(self, player: str) -> PlayerReview:
        return PlayerReview(
            player,
            self.turns,
            self.expected,
            self.luck,
            self.cost,
            self.several,
            self.right,
            self.win_cost,
        )


_NOTHING = 1e-6
"""Points by which two moves that are worth the same may differ in a sum of floating-point numbers."""


def _decided(state: State, event: Event) -> tuple[Move, Move, float, bool]:
    """Return what was done, what was best, what it cost, and whether there was a choice."""
    choice = options(state)
    did = next(each for each in choice if _is(each.move, event))  # it was legal, so it is one of them
    best = choice[0]
    cost = max(0.0, best.worth - did.worth)
    return did.move, did.move if cost < _NOTHING else best.move, cost, len(choice) > 1


def _win_cost(state: State, event: Event, wins: WinOdds | None) -> float | None:
    """Return by how much a decision has lowered the chance to win; None where that is not known."""
    ranked = options(state, wins)
    did = next(each for each in ranked if _is(each.move, event))
    best = ranked[0]
    return None if did.win is None or best.win is None else max(0.0, best.win - did.win)


def _is(move: Move, event: Event) -> bool:
    match event:
        case SetAside(faces):
            return move.kind == "keep" and move.dice == tuple(sorted(faces))
        case Banked():
            return move.kind == "bank"
        case TookOver():
            return move.kind == "take"
        case _:
            return move.kind == "throw"


def _to_keep(state: State) -> tuple[Option, ...]:
    """Return the selections of a throw, each with what is best after it."""
    opened = state.is_open(state.seat or 0)
    return tuple(
        Option(
            Move("keep", each.dice, each.dice_left if each.then == "roll" else 0, each.points), each.expected
        )
        for each in choices(state.rules, state.turn.roll, total=state.turn.points, opened=opened)
    )


def _table(state: State) -> TurnOdds:
    return turn_odds(state.rules, opened=state.is_open(state.seat or 0))


def _worth(state: State) -> float:
    """Return what the turn is worth if it is played best from here."""
    return options(state)[0].worth


def _before_throw(table: TurnOdds, state: State, dice: int) -> float:
    """Return what the turn is worth if so many dice are thrown now."""
    turn = state.turn
    if turn.stage is Stage.START:
        return table.value
    return table.roll_value(turn.points + turn.stake, dice)


def _after_throw(state: State, event: Rolled) -> float:
    """Return what the turn is worth after a throw."""
    after = apply(state, event)
    if after.turn.stage is Stage.ROLLED:
        return _worth(after)
    return float(state.rules.target) if after.finished and _won_by_it(state, after, event) else 0.0


def _won_by_it(before: State, after: State, event: Rolled) -> bool:
    """Whether all dice alike have won at once (a bust that ends the last round is something else)."""
    return before.turns == after.turns and len(set(event.faces)) == 1
