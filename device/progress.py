"""A progress bar on standard error that shows itself only when the work takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

SHOW_AFTER_S = 2.0


class LateProgress(Progress):
    """Rich's progress bar, invisible during its first two seconds."""

    def get_renderables(self) -> Iterable[RenderableType]:
        """Nothing at first, then the bar."""
        if self._late():
            yield from super().get_renderables()

    def _late(self) -> bool:
        began = min((task.start_time for task in self.tasks if task.start_time is not None), default=None)
        return began is not None and self.get_time() - began >= SHOW_AFTER_S


@contextmanager
def progress_bar(
    title: str, total: int | None, *, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[], None]]:
    """Show how far the work is; the function that it gives is to be called after each of the `total` steps.

    Nothing is drawn when standard error is no terminal, nor when standard output is one: there the lines
    that the command writes show the progress, and a bar would be torn apart by them.
    """
    console = Console(stderr=True)
    bar = LateProgress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal or sys.stdout.isatty(),
        get_time=clock,
    )
    with bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)
