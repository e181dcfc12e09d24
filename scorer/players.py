"""Four computer players, as pure policies: given where the game stands, what they do next.

* Easy often keeps and stops at random; else it takes the most points and banks from 300.
* Medium sets every scoring die aside and banks from 300 to 1200 points, by the dice that are left.
* Hard sets fewer dice aside when that leaves more to roll, and banks from 250 to 1000.
* Expert plays the odds of the table's own rules (`scorer.odds`), worked out for every number of dice and
  every score of the turn; against one other player, where the race is solved (`scorer.win_odds`), the best
  chance to win.

All but Easy know that in the last round stopping short of the leader is no use; Hard and Expert bank the
moment a turn takes them to the target. Who has dice throws them for the player; `Throw` says how many.

>>> from scorer.farkle import Rolled, apply, preset, start
>>> state = start(preset("farkle"), ("Anna", "Ben"))
>>> decide("medium", state, Random(1))
Throw(dice=6)
>>> decide("medium", apply(state, Rolled((1, 5, 2, 2, 3, 4))), Random(1))
SetAside(faces=(1, 5))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Literal

from scorer.errors import RulesError, shown, suggestion
from scorer.events import Banked, SetAside, TookOver
from scorer.farkle import Legal, Offer, Phase, State, legal
from scorer.odds import TurnOdds, turn_odds
from scorer.scoring import Selection

if TYPE_CHECKING:
    from scorer.win_odds import WinOdds

Level = Literal["easy", "medium", "hard", "expert"]
LEVELS: tuple[Level, ...] = ("easy", "medium", "hard", "expert")
"""The players, weakest first."""


class UnknownLevel(RulesError, LookupError):
    """No computer player has this name."""


@dataclass(frozen=True, slots=True)
class Throw:
    """The player wants so many dice thrown."""

    dice: int
    """How many."""


def seated(word: str) -> tuple[str, Level | None]:
    """Return name and level of a player as people write them: `Anna`, or `Robo:hard` for a computer player.

    Raises:
        UnknownLevel: with the nearest name.

    >>> seated("Anna"), seated("Robo:hard"), seated(":easy")
    (('Anna', None), ('Robo', 'hard'), ('Easy', 'easy'))
    """
    name, colon, level = word.rpartition(":")
    if not colon:
        return word, None
    wanted = level.strip().lower()
    for known in LEVELS:
        if wanted == known:
            return name.strip() or known.capitalize(), known
    raise UnknownLevel(
        f"there is no computer player {shown(level.strip())}; {suggestion(wanted, LEVELS)} "
        "(a name with a level after a colon is played by the computer)"
    )


Decision = Throw | SetAside | Banked | TookOver

_EASY_RANDOM = 0.4
"""How often Easy keeps a random selection, and how often it stops whatever it has."""
_EASY_STOPS = 0.2
_EASY_BANKS = 300
_MEDIUM_BANKS: Mapping[int, int] = {1: 300, 2: 300, 3: 400, 4: 700, 5: 1000, 6: 1200}
"""From how many points Medium banks, by the dice left."""
_HARD_BANKS: Mapping[int, int] = {1: 300, 2: 250, 3: 400, 4: 900, 5: 1000, 6: 1000}
_HARD_WORTH: Mapping[int, int] = {0: 0, 1: 0, 2: 25, 3: 75, 4: 150, 5: 250, 6: 400}
"""What Hard reckons dice that are left to be worth, in points."""
_HARD_TAKES = 3
"""Hard takes an offer with so many dice or more."""


def decide(level: str, state: State, random: Random, wins: WinOdds | None = None) -> Decision:
    """Return what a player of this level does where the game stands; always legal.

    `wins` are the chances to win under the rules of the game, if they are known; only Expert looks at them.

    Raises:
        UnknownLevel: with the nearest name.
        RulesError: the game is finished and nobody is to act.
    """
    if level not in LEVELS:
        raise UnknownLevel(f"there is no computer player {shown(level)}; {suggestion(str(level), LEVELS)}")
    if state.seat is None:
        raise RulesError("the game is finished; start a new one")
    if level == "expert" and wins is not None and (move := _likeliest(state, wins)) is not None:
        return move
    may = legal(state)
    if may.selections:
        return SetAside(_selection(level, state, may, random).dice)
    if may.take_over is not None and _takes(level, state, may.take_over, random):
        return TookOver()
    if may.roll is None or (may.bank and _banks(level, state, random)):
        return Banked()
    return Throw(may.roll)


def _likeliest(state: State, wins: WinOdds) -> Decision | None:
    """Return what wins most often, of equals the bank; None where that is not known."""
    options = wins.options(state)
    if not options:
        return None
    best = max(options, key=lambda move: (options[move], move == "bank"))
    if best == "bank":
        return Banked()
    return SetAside(best) if isinstance(best, tuple) else Throw(legal(state).roll or 0)


def _selection(level: str, state: State, may: Legal, random: Random) -> Selection:
    """Return which of the legal selections is set aside."""
    if level == "easy":
        return random.choice(may.selections) if random.random() < _EASY_RANDOM else may.selections[0]
    if level == "medium":
        return max(may.selections, key=lambda each: (len(each.dice), each.points))
    if level == "hard":
        return max(may.selections, key=lambda each: each.points + _HARD_WORTH[_left(state, each)])
    return max(may.selections, key=lambda each: (_worth(state, each), each.points))


def _left(state: State, selection: Selection) -> int:
    """Return how many dice the throw after a selection would take."""
    left = len(state.turn.roll) - len(selection.dice)
    return state.rules.dice if left == 0 and state.rules.hot_dice != "off" else left


def _worth(state: State, selection: Selection) -> float:
    """Return what Expert expects of the turn after a selection."""
    total = state.turn.points + selection.points
    hot = len(selection.dice) == len(state.turn.roll)
    return _odds_of(state).best(total, _left(state, selection), hot=hot)[1]


def _odds_of(state: State) -> TurnOdds:
    """Return the odds of the turn for the player to act, who may have to open yet."""
    return turn_odds(state.rules, opened=state.is_open(state.seat or 0))


def _takes(level: str, state: State, offer: Offer, random: Random) -> bool:
    if level == "easy":
        return random.random() < 0.5
    if level == "medium":
        return offer.points >= _EASY_BANKS
    if level == "hard":
        return offer.dice >= _HARD_TAKES
    table = _odds_of(state)
    return table.roll_value(offer.points, offer.dice) > table.value


def _banks(level: str, state: State, random: Random) -> bool:
    """Whether a turn that may be banked is."""
    turn, rules = state.turn, state.rules
    if level == "easy":
        return random.random() < _EASY_STOPS or turn.points >= _EASY_BANKS
    seat = state.seat or 0
    total = state.totals[seat] + turn.points
    if state.phase is not Phase.TURN and total < _leader(state, seat):
        return False
    if level in ("hard", "expert"):
        if state.phase is Phase.TURN and total >= rules.target:
            return True
        if state.phase is not Phase.TURN and not state.waiting and total > _leader(state, seat):
            return True
    if level == "expert":
        return _odds_of(state).best(turn.points, turn.dice_left, hot=turn.hot)[0] == "bank"
    limits = _MEDIUM_BANKS if level == "medium" else _HARD_BANKS
    return turn.points >= limits[turn.dice_left or rules.dice]


def _leader(state: State, seat: int) -> int:
    """Return the most points of the others who can still win."""
    others = state.tied or range(len(state.players))
    return max(state.totals[other] for other in others if other != seat)
