"""Writes and reads the golden table: what each of the 923 multisets is worth under every preset.

`python -m tests.scorer.golden` writes it anew, from the slow oracle and not from the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path

from scorer.rules import Rules, preset, preset_names
from tests.scorer import oracle

PATH = Path(__file__).resolve().parents[1] / "golden" / "scores.txt"
Worth = tuple[int, int, int, int]
"""(best, dice that it uses, number of legal selections, sum of the points of all selections)."""


def multisets(most: int = 6) -> Iterator[tuple[int, ...]]:
    for size in range(1, most + 1):
        yield from combinations_with_replacement(range(1, 7), size)


def slow_worth(rules: Rules, roll: tuple[int, ...]) -> Worth:
    found = oracle.selections(rules, roll)
    best = max(found.values(), default=0)
    used = min((len(dice) for dice, points in found.items() if points == best), default=0)
    return best, used, len(found), sum(found.values())


def read() -> dict[str, dict[tuple[int, ...], Worth]]:
    """Return the table by preset and multiset; a preset of five dice lacks those of six."""
    head, *lines = PATH.read_text(encoding="utf-8").splitlines()
    groups = [column.split("+") for column in head.removeprefix("# ").split()]
    found: dict[str, dict[tuple[int, ...], Worth]] = {name: {} for group in groups for name in group}
    for line in lines:
        dice, *cells = line.split()
        for group, cell in zip(groups, cells, strict=True):
            if cell != "x":
                best, used, count, total = (
                    int(part) for part in ("0/0/0/0" if cell == "-" else cell).split("/")
                )
                for name in group:
                    found[name][tuple(map(int, dice))] = best, used, count, total
    return found


def write() -> None:
    """Write the table from the oracle; presets of the same points share a column."""
    columns: dict[tuple[Worth | None, ...], list[str]] = {}
    rolls = list(multisets())
    for name in preset_names():
        rules = preset(name)
        column = tuple(slow_worth(rules, roll) if len(roll) <= rules.dice else None for roll in rolls)
        columns.setdefault(column, []).append(name)
    lines = ["# " + " ".join("+".join(names) for names in columns.values())]
    for index, roll in enumerate(rolls):
        cells = (_cell(column[index]) for column in columns)
        lines.append(" ".join(("".join(map(str, roll)), *cells)))
    PATH.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _cell(worth: Worth | None) -> str:
    if worth is None:
        return "x"
    return "/".join(map(str, worth)) if worth[0] else "-"


if __name__ == "__main__":
    write()
