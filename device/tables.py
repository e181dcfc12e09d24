"""Tables for people on standard output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_STATISTICS_NOTE = (
    "A turn: written points; busts: in brackets what is usual; luck: points that the throws offered beyond "
    "the average; fair: chi-square of the faces; ±: one standard error."
)


def show_statistics(statistics: Mapping[str, Any]) -> None:
    """Write the statistics of a game for people to standard output."""
    titles = ("Player", "A turn", "Best", "Busts", "Hot", "Luck", "Faces 1-6", "Fair")
    rows: list[tuple[str, ...]] = []
    for name, each in statistics.items():
        error = "" if each["points_error"] is None else f"±{each['points_error']:.0f}"
        rows.append(
            (
                name,
                "-" if each["points_a_turn"] is None else f"{each['points_a_turn']:.0f}{error}",
                "-" if each["best_turn"] is None else str(each["best_turn"]),
                f"{each['busts']} ({each['busts_expected']:.1f})",
                str(each["hot_dice"]),
                f"{each['luck']['points']:+.0f}±{each['luck']['error']:.0f}",
                *_faces_cells(each["faces"]),
            )
        )
        for colour, each_colour in each["colours"].items():
            rows.append((f"  {colour}", *[""] * 5, *_faces_cells(each_colour)))
    print_table(titles, rows, _STATISTICS_NOTE)


def _faces_cells(faces: Mapping[str, Any]) -> tuple[str, str]:
    """Return counts of faces, and whether fair dice show such, as cells of the table."""
    fair = f"p={faces['p_value']:.2f}" if faces["p_value"] is not None else "too\u00a0few"
    return "\u00a0".join(map(str, faces["counts"])), f"{fair},\u00a0n={faces['n']}"


_RACES_NOTE = (
    "Rolls: throws of a round that was won, ± one standard error; of solo runs, in brackets what is usual; "
    "best: shortest time and fewest throws from Go to the goal."
)


def show_races(statistics: Mapping[str, Any]) -> None:
    """Write the statistics of Tenzi matches for people to standard output."""
    titles = ("Player", "Rounds", "Won", "Rolls", "Best", "False claims", "Flags")
    rows = []
    for name, each in statistics.items():
        error = "" if each["rolls_error"] is None else f"±{each['rolls_error']:.1f}"
        usual = "" if each["rolls_expected"] is None else f" ({each['rolls_expected']:.1f})"
        rolls = "-" if each["rolls_a_run"] is None else f"{each['rolls_a_run']:.1f}{error}{usual}"
        bests = "; ".join(
            f"{goal}: {best['time_s']:.2f}\u00a0s, {best['rolls']}" for goal, best in each["bests"].items()
        )
        counts = (str(each["false_claims"]), str(each["flags"]))
        rows.append((name, str(each["rounds"]), str(each["wins"]), rolls, bests or "-", *counts))
    print_table(titles, rows, _RACES_NOTE)


def print_table(titles: Sequence[str], rows: Sequence[Sequence[str]], sentence: str) -> None:
    """Write a table and a sentence under it for people to standard output."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for title in titles:
        table.add_column(title, justify="right" if title in ("", "Total") else "left")
    for row in rows:
        table.add_row(*map(Text, row))  # as plain text: a name may hold [brackets]
    console = Console(highlight=False)
    if rows:
        console.print(table)
    console.print(Text(sentence))
