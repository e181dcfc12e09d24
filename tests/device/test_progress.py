"""The progress bar: invisible for two seconds, and never on a terminal that also shows the answers."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.progress import TextColumn

from device.progress import LateProgress, progress_bar


class Clock:
    """Time that the test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_bar_shows_itself_after_two_seconds() -> None:
    clock, screen = Clock(), io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    bar = LateProgress(
        TextColumn("{task.description}"), console=console, get_time=clock, auto_refresh=False, transient=True
    )
    with bar:
        bar.add_task("Reading pictures", total=9)
        clock.now += 1.9
        bar.refresh()
        assert "Reading" not in screen.getvalue()
        clock.now += 0.2
        bar.refresh()
        assert "Reading pictures" in screen.getvalue()


def test_nothing_is_written_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with progress_bar("Reading", 3, clock=clock) as step:
        for _ in range(3):
            clock.now += 5
            step()
    assert capsys.readouterr() == ("", "")
