"""Undo and redo: what a ledger was, and what it was to become.

>>> from scorer.repair import Entered, Ledger, play, preset, recount
>>> history = History(Ledger(preset(), ("Anna", "Ben")))
>>> history = history.done(play(history.now, Entered("Anna", 550)))
>>> recount(history.undo().now).state.totals, recount(history.undo().redo().now).state.totals
((0, 0), (550, 0))
"""

from __future__ import annotations

from dataclasses import dataclass

from scorer.errors import NothingThere
from scorer.repair import Ledger


@dataclass(frozen=True, slots=True)
class History:
    """A ledger with what it was before and, after an undo, what it was to become."""

    now: Ledger
    """The ledger that holds."""
    past: tuple[Ledger, ...] = ()
    """What it was, the latest last."""
    future: tuple[Ledger, ...] = ()
    """What was undone, the next to be redone last."""

    def done(self, ledger: Ledger) -> History:
        """Return the history with a new ledger; what was undone before can no longer be redone."""
        return History(ledger, (*self.past, self.now))

    def undo(self) -> History:
        """Return the history one step back, also over the end of a turn or of the game.

        Raises:
            NothingThere: nothing was done.
        """
        if not self.past:
            raise NothingThere("there is nothing to undo: this is how the game began")
        return History(self.past[-1], self.past[:-1], (*self.future, self.now))

    def redo(self) -> History:
        """Return the history one step on again.

        Raises:
            NothingThere: nothing was undone.
        """
        if not self.future:
            raise NothingThere("there is nothing to redo: nothing was undone since the last change")
        return History(self.future[-1], (*self.past, self.now), self.future[:-1])
