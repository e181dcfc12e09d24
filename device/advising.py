"""What the odds have to say at the table: chances to win, advice on demand, moves of computer players.

A computer player cannot touch dice. It asks for its dice to be thrown, says which to set aside, and banks by
itself (`Advisor.banks`); whoever sits beside it moves the dice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from scorer.advice import Option, options
from scorer.events import Banked, SetAside, TookOver
from scorer.farkle import Stage, State, apply
from scorer.players import Throw, decide

if TYPE_CHECKING:
    from device.displays.view import ScoreView
    from scorer.players import Decision
    from scorer.win_odds import WinOdds

COMPUTER = "computer"
"""Who did it: what stands in a row of the store beside a decision of a computer player."""
LINES = 4
"""So many moves are ranked for whoever asks."""


@dataclass(eq=False)
class Advisor:
    """What is told at one table."""

    levels: Mapping[str, str] = field(default_factory=dict)
    """Computer players by name, with their levels."""
    wins: WinOdds | None = None
    """Chances to win under the table's rules, where they are known."""
    chances: bool = False
    """Whether the chances are on the board."""
    advising: bool = False
    """Whether advice is on the board."""

    def toggle_advice(self) -> None:
        """Show advice, or no longer."""
        self.advising = not self.advising

    def toggle_chances(self) -> str:
        """Show the chances, or no longer; return why there are none, or nothing."""
        if self.wins is None:
            return "The chances to win are not worked out for these rules (croupier odds PRESET --game)."
        self.chances = not self.chances
        return ""

    def plays(self, state: State) -> bool:
        """Whether the player to act is played by the computer."""
        return state.to_act in self.levels

    def onto(self, view: ScoreView, state: State, news: str) -> ScoreView:
        """Return what the displays show, with what the odds have to say."""
        if self.chances and self.wins is not None:
            known = self.wins.chances(state)
            view = replace(view, chances=known.each, chances_exact=known.exact)
        words = self.words(state)
        if not words:
            return view
        before = news if self.plays(state) else view.message
        return replace(view, message=f"{before} {words}".strip())

    def words(self, state: State) -> str:
        """Return what is said beside the score: what a computer player wants, or advice on demand."""
        if self.plays(state):
            return self.sentence(state)
        return advice_sentence(state, self.wins) if self.advising else ""

    def decision(self, state: State) -> Decision:
        """Return what the computer player to act does; the same for the same moment, for Easy too."""
        name = state.to_act or ""
        moment = (state.players, state.totals, state.turn, state.turns)
        return decide(self.levels[name], state, Random(repr(moment)), self.wins)

    def banks(self, state: State) -> bool:
        """Whether the computer player to act banks now, with the best that lies on the table."""
        if not self.plays(state) or state.turn.stage not in (Stage.ROLLED, Stage.ASIDE):
            return False
        choice = self.decision(state)
        if isinstance(choice, SetAside):
            choice = self.decision(apply(state, choice))
        return isinstance(choice, Banked)

    def takes_over(self, state: State) -> bool:
        """Whether the computer player to act takes the offer."""
        return self.plays(state) and state.offer is not None and isinstance(self.decision(state), TookOver)

    def sentence(self, state: State) -> str:
        """Return what is to be done for the computer player to act, as one sentence."""
        name, choice = state.to_act, self.decision(state)
        match choice:
            case SetAside(faces):
                after = self.decision(apply(state, choice))
                kept = f"{name} keeps {' '.join(map(str, sorted(faces)))}"
                if isinstance(after, Throw):
                    return f"{kept}: throw {_dice_word(after.dice)}."
                return f"{kept} and banks."
            case Throw(dice):
                return f"{name} asks you to throw {_dice_word(dice)}."
            case TookOver():
                return f"{name} takes over."
            case Banked():  # pragma: no branch - there is no other decision
                return f"{name} banks."


def advice_sentence(state: State, wins: WinOdds | None) -> str:
    """Return the best move and the price of the next as one sentence, for a board; empty without a choice."""
    ranked = options(state, wins)
    if not ranked:
        return ""
    best = ranked[0]
    if len(ranked) == 1:
        return f"Advice: {best.move}."
    return f"Advice: {best.move} ({_worth(best)}); {ranked[1].move} costs {_price(best, ranked[1])}."


def advice_lines(state: State, wins: WinOdds | None = None, most: int = LINES) -> list[str]:
    """Return the best moves, with what the turn comes to on average after each, and the chance to win."""
    ranked = options(state, wins)
    lines = []
    for option in ranked[:most]:
        price = "best" if option is ranked[0] else f"costs {_price(ranked[0], option)}"
        win = "" if option.win is None else f", wins {100 * option.win:.1f} %"
        lines.append(f"{option.move}: the turn comes to {option.worth:.0f} on average{win} ({price})")
    return lines


def _worth(option: Option) -> str:
    win = "" if option.win is None else f", wins {100 * option.win:.1f} %"
    return f"{option.worth:.0f} on average{win}"


def _price(best: Option, other: Option) -> str:
    if best.win is None or other.win is None:
        return f"{best.worth - other.worth:.0f}"
    return f"{100 * (best.win - other.win):.1f} % to win"


def _dice_word(number: int) -> str:
    return "one die" if number == 1 else f"{number} dice"
