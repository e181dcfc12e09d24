"""Scripted players: whole Farkle games as a list of throws, with what is set aside after each.

The players are plain: each banks from some number of points on, sooner with few dice left, and always throws
hot dice again. What they do can be seen on the table: before a bank they set aside the best selection (the
dice are then all picked up, so nobody could see a different choice).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorer.events import Banked, Event, Rolled, SetAside
from scorer.farkle import Phase, State, apply, legal, start
from scorer.rules import Rules
from scorer.scoring import Selection

DICE = 6
"""Dice on the table; five-dice rules use the first five."""


@dataclass(frozen=True, slots=True)
class PlannedThrow:
    """One throw and what follows it."""

    seat: int
    """Who throws."""
    thrown: tuple[int, ...]
    """Which dice are thrown (numbers of dice); the others lie aside."""
    faces: tuple[int, ...]
    """What they show, in the order of `thrown`."""
    stays: tuple[int, ...]
    """Which of the dice on the table stay for the next throw; empty where all are picked up."""
    turn_ends: bool
    """Whether the turn ends here: banked or bust."""
    aside: tuple[int, ...] = ()
    """Which of the dice just thrown are set aside (also before a bank, and with hot dice); none at a bust."""


@dataclass(frozen=True, slots=True)
class Script:
    """A game as it is to be played."""

    rules: Rules
    """The rules of the table."""
    players: tuple[str, ...]
    """In seat order."""
    events: tuple[Event, ...]
    """The game's events."""
    throws: tuple[PlannedThrow, ...]
    """The throws, in order."""
    state: State
    """The state after the last event."""


@dataclass(frozen=True, slots=True)
class Temper:
    """How a player plays."""

    bank_from: int
    """Banks from so many points of a turn on with three dice left; more with more dice, less with fewer."""
    greedy: bool
    """Sets aside every scoring die (else the selection that leaves the most dice)."""


def random_temper(rng: np.random.Generator) -> Temper:
    """Draw a player."""
    return Temper(int(rng.choice([250, 300, 350, 450, 600])), bool(rng.random() < 0.5))


def write_script(
    rng: np.random.Generator,
    rules: Rules,
    players: Sequence[str],
    *,
    turns: int | None = None,
    tempers: Sequence[Temper] = (),
) -> Script:
    """Play a game: until it is finished, or until every player had `turns` turns.

    Args:
        rng: the dice and the tempers.
        rules: of the table. Steal and piggyback offers are declined: all dice are thrown.
        players: names in seat order, two or more.
        turns: most turns a player; None: to the end of the game.
        tempers: one a player; drawn where missing.
    """
    nature = [tempers[i] if i < len(tempers) else random_temper(rng) for i in range(len(players))]
    state = start(rules, players)
    events: list[Event] = []
    throws: list[PlannedThrow] = []
    everything = tuple(range(rules.dice))
    aside: tuple[int, ...] = ()
    while state.seat is not None and (turns is None or len(state.turns[state.seat]) < turns):
        seat, before = state.seat, len(state.turns[state.seat])
        thrown = tuple(die for die in everything if die not in aside)
        faces = tuple(int(face) for face in rng.integers(1, 7, len(thrown)))
        state = apply(state, Rolled(faces))
        events.append(Rolled(faces))
        if state.seat != seat or len(state.turns[seat]) != before:
            throws.append(PlannedThrow(seat, thrown, faces, (), True))
            aside = ()
            continue
        selection, bank = _decide(state, nature[seat])
        state = apply(state, SetAside(selection.dice))
        events.append(SetAside(selection.dice))
        # A bank draws no chance: the game that belongs to a seed must not change (the bundled one).
        luck = np.random.default_rng(0) if bank else rng
        chosen = _dice_of(luck, thrown, faces, selection.dice)
        if bank:
            state = apply(state, Banked())
            events.append(Banked())
            throws.append(PlannedThrow(seat, thrown, faces, (), True, chosen))
            aside = ()
            continue
        aside = (*aside, *chosen)
        if len(aside) == len(everything):  # hot dice: all are picked up
            aside = ()
        throws.append(PlannedThrow(seat, thrown, faces, aside, False, chosen))
    return Script(rules, tuple(players), tuple(events), tuple(throws), state)


def _decide(state: State, temper: Temper) -> tuple[Selection, bool]:
    """Return what is set aside and whether the turn is banked then."""
    options = legal(state).selections
    best = options[0]
    after = apply(state, SetAside(best.dice))
    left = after.turn.dice_left
    hot = len(best.dice) == len(state.turn.roll)
    if legal(after).roll is None:  # rules under which hot dice end the turn
        return best, True
    wanted = temper.bank_from * {1: 0.6, 2: 0.8, 3: 1.0, 4: 1.3, 5: 1.7}.get(left, 1.0)
    behind = _stopping_is_useless(state, after.turn.points)
    if legal(after).bank and not hot and not behind and after.turn.points >= wanted:
        return best, True
    if temper.greedy or hot:
        return best, False
    fewest = min(options, key=lambda each: (len(each.dice), -each.points))
    # Giving up a triple or better for one die more to throw is what no player does.
    return (best, False) if best.points >= fewest.points + 200 else (fewest, False)


def _stopping_is_useless(state: State, points: int) -> bool:
    """Return whether a bank now would lose the game for sure: the last round, and still behind."""
    if state.phase is not Phase.FINAL_ROUND or state.seat is None:
        return False
    return state.totals[state.seat] + points < max(state.totals)


def _dice_of(
    rng: np.random.Generator, thrown: Sequence[int], faces: Sequence[int], wanted: Sequence[int]
) -> tuple[int, ...]:
    """Return which of the thrown dice are taken to set these faces aside."""
    free = list(rng.permutation(len(thrown)))
    taken: list[int] = []
    for face in wanted:
        place = next(index for index in free if faces[index] == face)
        free.remove(place)
        taken.append(int(thrown[place]))
    return tuple(taken)
