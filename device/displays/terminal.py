"""The score on a terminal, redrawn in place with Rich."""

from __future__ import annotations

import sys

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from device.displays.view import PHASE_WORDS, DieSeen, PlayerLine, ScoreView, gain_text, points_text
from device.wording import told, word


class TerminalDisplay:
    """Shows the score in place on a terminal; on a pipe or in a log, one line for every change."""

    def __init__(self, console: Console | None = None, *, hint: str = "", language: str = "en") -> None:
        """Show on `console` (default: standard error, so that standard output stays free for JSON).

        `hint` is a line that stays below the score, such as the keys that may be pressed.
        """
        self._console = console or Console(stderr=True, highlight=False)
        self._hint = hint
        self._language = language
        self._live: Live | None = None
        self._last_line = ""
        self._closed = False

    def show(self, view: ScoreView) -> None:
        """Show `view`."""
        if not self._console.is_terminal:
            line = one_line(view, language=self._language)
            if line != self._last_line:
                self._console.print(line, markup=False, soft_wrap=True)
                self._last_line = line
            return
        if self._live is None:
            self._live = Live(console=self._console, auto_refresh=False)
            self._live.start()
        self._live.update(screen(view, hint=self._hint, language=self._language), refresh=True)

    def close(self) -> None:
        """Leave the last state on the screen and give the terminal back; again does nothing."""
        if self._closed:
            return
        self._closed = True
        if self._live is not None:
            self._live.stop()
            self._live = None
        sys.stderr.flush()


def one_line(view: ScoreView, *, language: str = "en") -> str:
    """Return the score as one line of text."""
    totals = "  ".join(
        f"{'>' if seat == view.active else ''}{line.name} {points_text(line.total)}"
        for seat, line in enumerate(view.players)
    )
    words = word(PHASE_WORDS.get(view.phase, view.phase), language)
    parts = (
        totals,
        f"{word('turn', language)} {points_text(view.turn_points)}" if view.active is not None else "",
        " ".join(_die_word(die, language) for die in view.dice),
        words,
        view.chances_text,
        f"? {told(view.question, language)}" if view.waiting else told(view.message, language),
    )
    return "  |  ".join(part for part in parts if part)


def screen(view: ScoreView, *, hint: str = "", language: str = "en") -> RenderableType:
    """Return what the terminal shows for `view`."""
    table = Table(expand=True, box=None, pad_edge=False, show_header=True, header_style="dim")
    table.add_column("", width=1)
    table.add_column(word("player", language), ratio=3, overflow="ellipsis", no_wrap=True)
    table.add_column(word("total", language), ratio=2, justify="right")
    table.add_column(word("last", language), ratio=1, justify="right")
    for seat, line in enumerate(view.players):
        table.add_row(*_player_row(line, active=seat == view.active))
    parts: list[RenderableType] = [table, Text("")]
    turn = Text()
    turn.append(f"{word('this turn', language)} {points_text(view.turn_points)}", style="bold")
    if view.roll_points:
        there = word("on the table {0}", language, gain_text(view.roll_points))
        turn.append(f"   {there}", style="cyan")
    elif view.roll_points == 0:
        turn.append(f"   {word('no points on the table', language)}", style="yellow")
    parts.append(turn)
    dice = Text()
    for die in view.dice:
        dice.append(f" {_die_word(die, language)} ", style=_die_style(die))
        dice.append(" ")
    parts.append(dice)
    if view.waiting:
        parts.append(Text(f" ? {told(view.question, language)} ", style="bold black on yellow"))
    elif view.message:
        parts.append(Text(told(view.message, language)))
    if hint:
        parts.append(Text(hint, style="dim"))
    words = word(PHASE_WORDS.get(view.phase, view.phase), language)
    goal = word("first to {0}", language, points_text(view.target)) if view.target else ""
    title = Text(view.title, style="bold")
    below = " · ".join(part for part in (words or goal, view.chances_text) if part)
    return Panel(Group(*parts), title=title, subtitle=below, width=72)


def _player_row(line: PlayerLine, *, active: bool) -> tuple[Text, ...]:
    """Return the cells of one player: the mark, the name, the total and the last turn."""
    mark = "*" if line.winner else ">" if active else ""
    style = "bold reverse" if active else "bold" if line.winner else ""
    last = "" if line.last is None else gain_text(line.last)
    cells = (mark, line.name, points_text(line.total), last)
    return tuple(Text(cell, style=style) for cell in cells)


def _die_word(die: DieSeen, language: str = "en") -> str:
    """Return a die in a few letters: the number, in brackets when it is kept, `?` when it is not read."""
    if die.cocked:
        return word("leaning", language)
    face = str(die.face) if die.sure and die.face is not None else "?"
    return f"[{face}]" if die.kept else face


def _die_style(die: DieSeen) -> str:
    """Return the style of a die; the letters alone already say everything."""
    if die.cocked or not die.sure or die.face is None:
        return "bold black on yellow"
    return "bold black on cyan" if die.kept else "bold black on white"
