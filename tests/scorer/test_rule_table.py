"""The table of rules in `docs/rules.md` names tests and games that exist, and all games."""

from __future__ import annotations

import re
from pathlib import Path

from scorer.rules import preset_names, setting_names

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if re.match(r"\| [0-9PSFWT]\.\d+ \|", line)
]
GAMES = {path.name.partition("-")[0] for path in (ROOT / "tests" / "games").glob("*.game")}


def names_of_all_tests() -> set[str]:
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        found |= set(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    return found


def test_every_rule_has_its_number_and_a_test() -> None:
    numbers = [row[0] for row in ROWS]
    assert len(numbers) == len(set(numbers)) >= 60
    for number, rule, _, tests in ROWS:
        assert rule, number
        assert re.findall(r"`(test_\w+)`", tests), number


def test_the_tests_that_the_document_names_exist() -> None:
    named = set(re.findall(r"`(test_\w+)`", TEXT))
    assert named - names_of_all_tests() == set()


def test_the_games_are_all_named_and_exist() -> None:
    named = {game for row in ROWS for game in re.findall(r"\d{3}", row[2])}
    assert named == GAMES


def test_every_setting_and_every_preset_has_a_rule() -> None:
    said = set(re.findall(r"`([\w-]+)`", " ".join(row[1] for row in ROWS)))
    assert set(setting_names()) <= said
    assert set(preset_names()) <= said
