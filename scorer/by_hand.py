"""The referee where the players say what happened: without a camera, and when an old throw is corrected.

>>> from scorer.events import Rolled
>>> from scorer.referee import Played, advance, new_referee
>>> from scorer.rules import preset
>>> told = advance(new_referee(preset("farkle"), ("Anna", "Ben")), Played((Rolled((5, 5, 2, 3, 4, 4)),)))
>>> [die.value for die in laid_out(told.referee).shown.dice]
[5, 5, 2, 3, 4, 4]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from scorer.events import Event
from scorer.judge import Table
from scorer.lane import LaneDie, LaneView
from scorer.referee import Referee, resumed
from scorer.rules import Rules


def laid_out(referee: Referee, t_ns: int = 0) -> Referee:
    """Return the referee with the dice of the turn on the table, as nobody but the events can show them.

    Dice that are set aside come first. Their ids are their places, so they are new with every event.
    """
    turn = referee.game.turn
    faces = (*turn.aside, *turn.roll)
    kept = len(turn.aside)
    dice = tuple(LaneDie(place, face, moved=place > kept) for place, face in enumerate(faces, start=1))
    return replace(
        referee,
        view=LaneView(t_ns, dice),
        table=Table(
            {die.id: face for die, face in zip(dice, faces, strict=True)}, frozenset(range(1, kept + 1))
        ),
        known=True,
    )


def revised(
    referee: Referee, rules: Rules, players: Sequence[str], steps: Iterable[Sequence[Event]]
) -> Referee:
    """Return the referee of the same table with another past, such as one that was corrected.

    Where the turn being played is what it was, the dice on the table are known as before, and a question
    stays open. Else the next view is recognised by its faces, as after a restart.

    Raises:
        BadPlayers, IllegalEvent: see `scorer.referee.resumed`.
    """
    new = resumed(rules, players, steps, seating=referee.seating)
    old = referee.game
    if (new.game.turn, new.game.to_act, rules.dice) == (old.turn, old.to_act, old.rules.dice):
        return replace(
            referee,
            rules=new.rules,
            players=new.players,
            events=new.events,
            game=new.game,
            history=new.history,
            withdrawn=None,
        )
    shown = (
        () if referee.view is None else tuple(die.face for die in referee.view.dice if die.face is not None)
    )
    return replace(new, view=referee.view, last_shown=shown, ignored=referee.ignored)
