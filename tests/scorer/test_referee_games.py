"""Whole games of scripted players through the referee: every event comes out as it was played.

The players are those of the simulator; the table is scripted. Nuisances are mixed in that are no throws: dice
picked up one after the other, dice straightened, a camera that loses the table between two throws.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from device.lanes import lane_view
from device.sim import ScriptedTable
from models.synth.script import PlannedThrow, Script, write_script
from scorer.events import Event, Rolled, SetAside
from scorer.referee import Choose, Doubt, FixDie, Lost, Referee, TakenUp, advance, new_referee, resumed
from scorer.rules import preset

PRESETS = ("farkle", "ten-thousand", "tiotusen", "tiotusen-zilch", "10000", "hot-dice-five", "zilch")


def sorted_faces(events: Sequence[Event]) -> list[Event]:
    """The order of the dice on the table means nothing."""
    return [
        type(event)(tuple(sorted(event.faces))) if isinstance(event, (Rolled, SetAside)) else event
        for event in events
    ]


class Rehearsal:
    """A script acted on a scripted table in front of a referee."""

    def __init__(self, script: Script, rng: np.random.Generator) -> None:
        self.script, self.rng = script, rng
        self.referee: Referee = new_referee(script.rules, script.players)
        self.table = ScriptedTable()
        self.order: list[int] = []
        """Numbers of the dice on the table, in reading order."""
        self.asked: list[Doubt] = []

    def throw(self, plan: PlannedThrow, faces: Sequence[int | str]) -> None:
        keep = [place for place, die in enumerate(self.order, start=1) if die not in plan.thrown]
        self.order = [self.order[place - 1] for place in keep] + list(plan.thrown)
        self._give(lane_view(self.table.throw(*faces, keep=keep)))

    def straighten(self) -> None:
        """Push one die that scores nothing: no set-aside of all the others can be legal then or later."""
        place = int(self.rng.integers(1, len(self.order) + 1))
        face = self._face(self.order[place - 1])
        die = self.order.pop(place - 1)
        keep = [p for p in range(1, len(self.order) + 2) if p != place]
        self.order.append(die)
        self._give(lane_view(self.table.throw(face, keep=keep)))

    def lose_the_table(self) -> None:
        self.table.lose_sight()
        self._give(Lost())
        self._give(lane_view(self.table.look()))

    def _face(self, die: int) -> int:
        place = self.order.index(die)
        assert self.referee.view is not None
        face = self.referee.view.dice[place].value
        assert face is not None
        return face

    def _give(self, given: object) -> None:
        ruling = advance(self.referee, given)  # type: ignore[arg-type]  # one of the inputs of a referee
        self.referee = ruling.referee
        if ruling.asked is not None:
            self.asked.append(ruling.asked.doubt)

    def end(self) -> None:
        if self.script.throws and self.script.throws[-1].turn_ends:
            self._give(TakenUp())


def script_of(name: str, seed: int, **settings: object) -> tuple[Script, np.random.Generator]:
    rng = np.random.default_rng(seed)
    players = ("Anna", "Ben", "Cara", "Dan")[: int(rng.integers(2, 5))]
    return write_script(rng, preset(name).replace(**settings), players, turns=6), rng


def can_be_seen(script: Script) -> bool:
    """Whether no player banks hot dice (with all dice scoring), which looks like throwing them again."""
    return all(not (plan.turn_ends and _all_score(script, index)) for index, plan in enumerate(script.throws))


def _all_score(script: Script, index: int) -> bool:
    from scorer.scoring import score_table

    plan = script.throws[index]
    score = score_table(script.rules).of(plan.faces)
    return any(len(each.dice) == len(plan.faces) for each in score.selections)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("seed", range(12))
def test_games_come_out_as_they_were_played(name: str, seed: int) -> None:
    script, rng = script_of(name, seed)
    if not can_be_seen(script):
        pytest.skip("a player passes on dice that all score: that looks like hot dice")
    rehearsal = Rehearsal(script, rng)
    for plan in script.throws:
        rehearsal.throw(plan, plan.faces)
        if rng.random() < 0.2:
            rehearsal.lose_the_table()
    rehearsal.end()
    assert rehearsal.asked == []
    assert sorted_faces(rehearsal.referee.events) == sorted_faces(script.events)
    assert rehearsal.referee.game.totals == script.state.totals
    assert rehearsal.referee.certain


@pytest.mark.parametrize("seed", range(12))
def test_unread_dice_answered_give_the_same_game(seed: int) -> None:
    script, rng = script_of("tiotusen-zilch", seed)
    if not can_be_seen(script):
        pytest.skip("a player passes on dice that all score: that looks like hot dice")
    rehearsal = Rehearsal(script, rng)
    for plan in script.throws:
        faces: list[int | str] = list(plan.faces)
        hidden = int(rng.integers(len(faces))) if rng.random() < 0.3 else None
        if hidden is not None:
            faces[hidden] = "?"
        rehearsal.throw(plan, faces)
        if hidden is not None:
            assert not rehearsal.referee.certain
            ident = rehearsal.table.ids()[hidden - len(faces)]
            rehearsal._give(FixDie(ident, plan.faces[hidden]))
    rehearsal.end()
    assert sorted_faces(rehearsal.referee.events) == sorted_faces(script.events)
    assert rehearsal.referee.certain


@pytest.mark.parametrize("seed", range(40))
def test_what_is_certain_is_right_whatever_is_misunderstood(seed: int) -> None:
    """Dice are straightened at random: the game may ask, but what it commits is what was played.

    A push of one die can look like a throw of that die alone (the others set aside, the same face again); the
    script avoids it by pushing only while such a set-aside would be illegal.
    """
    script, rng = script_of("farkle", seed)
    if not can_be_seen(script):
        pytest.skip("a player passes on dice that all score: that looks like hot dice")
    rehearsal = Rehearsal(script, rng)
    from scorer.scoring import score_table

    table = score_table(script.rules)
    for plan in script.throws:
        rehearsal.throw(plan, plan.faces)
        scoring_dice = max((len(each.dice) for each in table.of(plan.faces).selections), default=0)
        if len(plan.faces) - scoring_dice >= 2:
            rehearsal.straighten()
    rehearsal.end()
    assert rehearsal.asked == []
    assert sorted_faces(rehearsal.referee.events) == sorted_faces(script.events)


@pytest.mark.parametrize("seed", range(12))
def test_a_game_resumed_anywhere_goes_on_as_it_was_played(seed: int) -> None:
    script, rng = script_of("ten-thousand", seed)
    if not can_be_seen(script):
        pytest.skip("a player passes on dice that all score: that looks like hot dice")
    rehearsal = Rehearsal(script, rng)
    for plan in script.throws:
        rehearsal.throw(plan, plan.faces)
        if rng.random() < 0.3:
            events = rehearsal.referee.events
            rehearsal.referee = resumed(script.rules, script.players, [[event] for event in events])
            rehearsal.table.lose_sight()
            still = rehearsal.table.throw(keep=tuple(range(1, len(rehearsal.order) + 1)), at_start=True)
            rehearsal._give(lane_view(still))
    rehearsal.end()
    assert rehearsal.asked == []
    assert sorted_faces(rehearsal.referee.events) == sorted_faces(script.events)


def test_choosing_is_never_needed_where_nothing_is_asked() -> None:
    referee = new_referee(preset("farkle"), ("Anna", "Ben"))
    assert advance(referee, Choose(1)).refused
