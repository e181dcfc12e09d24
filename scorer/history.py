"""Undo and redo: what something was (a ledger, a game in the store), and what it was to become.

>>> from scorer.repair import Entered, Ledger, play, preset, recount
>>> history = History(Ledger(preset(), ("Anna", "Ben")))
>>> history = history.done(play(history.now, Entered("Anna", 550)))
>>> recount(history.undo().now).state.totals, recount(history.undo().redo().now).state.totals
((0, 0), (550, 0))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from scorer.errors import NothingThere

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class History(Generic[T]):
    """Something with what it was before and, after an undo, what it was to become."""

    now: T
    """What holds."""
    past: tuple[T, ...] = ()
    """What it was, the latest last."""
    future: tuple[T, ...] = ()
    """What was undone, the next to be redone last."""

    def done(self, changed: T) -> History[T]:
        """Return the history with a change; what was undone before can no longer be redone."""
        return History(changed, (*self.past, self.now))

    def undo(self) -> History[T]:
        """Return the history one step back, also over the end of a turn or of the game.

        Raises:
            NothingThere: nothing was done.
        """
        if not self.past:
            raise NothingThere("there is nothing to undo: this is how the game began")
        return History(self.past[-1], self.past[:-1], (*self.future, self.now))

    def redo(self) -> History[T]:
        """Return the history one step on again.

        Raises:
            NothingThere: nothing was undone.
        """
        if not self.future:
            raise NothingThere("there is nothing to redo: nothing was undone since the last change")
        return History(self.future[-1], (*self.past, self.now), self.future[:-1])
