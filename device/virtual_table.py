"""What the terminal shows of a game with virtual dice: the score, the dice to pick from, advice on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from device.displays.terminal import one_line, screen
from device.displays.view import ScoreView

HINT = "Tab ←→ Enter pick · A best · R roll · B bank · T take over · U undo · H advice · W chances · Q quit"
"""The keys, for the bottom of the screen."""


@dataclass(frozen=True, slots=True)
class Picked:
    """What the player to act is about to do."""

    faces: tuple[int, ...] = ()
    """The dice of the throw, in their order: die 1 is the first."""
    picks: frozenset[int] = frozenset()
    """Places of the dice that are picked, counted from 1."""
    cursor: int = 1
    """The place that Enter picks."""
    worth: str = ""
    """What the picked dice are worth, or why they may not be set aside."""
    advice: tuple[str, ...] = ()
    """Lines of advice; empty while nobody has asked."""
    note: str = ""
    """What was wrong with the last key, or what a computer player is about to do."""


class VirtualTable:
    """A display that also shows what is picked; on a pipe or in a log, one line for every change."""

    def __init__(self, console: Console | None = None) -> None:
        """Show on `console` (default: standard error)."""
        self._console = console or Console(stderr=True, highlight=False)
        self._live: Live | None = None
        self._view: ScoreView | None = None
        self._picked = Picked()
        self._last: list[str] = []
        self._closed = False

    def show(self, view: ScoreView) -> None:
        """Show the game."""
        self._view = view
        self._draw()

    def pick(self, picked: Picked) -> None:
        """Show what is picked."""
        self._picked = picked
        self._draw()

    def close(self) -> None:
        """Leave the last state on the screen; again does nothing."""
        if self._closed:
            return
        self._closed = True
        if self._live is not None:
            self._live.stop()

    def _draw(self) -> None:
        if self._view is None:
            return
        if not self._console.is_terminal:
            lines = [one_line(self._view), *_lines(self._picked)]
            for line in lines:
                if line not in self._last:
                    self._console.print(line, markup=False, soft_wrap=True)
            self._last = lines
            return
        if self._live is None:
            self._live = Live(console=self._console, auto_refresh=False)
            self._live.start()
        parts = [screen(self._view, hint=HINT), *map(Text, _lines(self._picked, cursor=True))]
        self._live.update(Group(*parts), refresh=True)


def _lines(picked: Picked, *, cursor: bool = False) -> list[str]:
    lines = []
    if picked.faces and (cursor or picked.picks):
        lines.append(dice_line(picked.faces, picked.picks, picked.cursor if cursor else 0, picked.worth))
    lines += picked.advice
    if picked.note:
        lines.append(picked.note)
    return lines


def dice_line(faces: Sequence[int], picks: frozenset[int], cursor: int, worth: str) -> str:
    """Return the dice of a throw in one line: those picked in brackets, the one at the cursor marked.

    >>> dice_line((5, 2, 1), frozenset({3}), 1, "1 100")
    'pick: >5< 2 [1]   1 100'
    """
    words = []
    for place, face in enumerate(faces, start=1):
        word = f"[{face}]" if place in picks else str(face)
        words.append(f">{word}<" if place == cursor else word)
    return "pick: " + " ".join(words) + (f"   {worth}" if worth else "")
