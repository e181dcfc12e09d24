"""The golden table of all 923 multisets, written by the slow oracle, against the fast code."""

from __future__ import annotations

import pytest

from scorer.rules import preset, preset_names
from scorer.scoring import score_table
from tests.scorer import golden

TABLE = golden.read()


def test_the_table_has_every_preset_and_every_multiset() -> None:
    assert sorted(TABLE) == list(preset_names())
    for name, rows in TABLE.items():
        assert len(rows) == (923 if preset(name).dice == 6 else 461)


@pytest.mark.parametrize("name", preset_names())
def test_every_multiset_is_worth_what_the_table_says(name: str) -> None:
    scores = score_table(preset(name))
    for roll, worth in TABLE[name].items():
        score = scores.of(roll)
        points = [each.points for each in score.selections]
        assert (score.best, score.used, len(points), sum(points)) == worth, roll
        assert score.bust == (worth[0] == 0)


@pytest.mark.parametrize(
    ("roll", "expected"),
    [
        ((1, 1, 1), {"farkle": 300, "tiotusen": 1000, "pocket-farkel": 300, "zilch": 1000}),
        ((1, 2, 3, 4, 5, 6), {"farkle": 1500, "tiotusen": 1500, "tiotusen-zilch": 2500, "zilch": 1500}),
        ((2, 2, 3, 3, 4, 4), {"farkle": 1500, "tiotusen": 1000, "10000": 1500, "tiotusen-zilch": 1500}),
        ((2, 2, 2, 2, 3, 3), {"farkle": 1500, "tiotusen": 400, "tiotusen-zilch": 1000, "ten-thousand": 1500}),
        ((2, 2, 2, 3, 3, 3), {"farkle": 2500, "ten-thousand": 500, "tiotusen": 500}),
        ((2, 2, 3, 3, 4, 6), {"farkle": 0, "zilch": 500, "tiotusen": 0}),
        ((6, 6, 6, 6, 6, 6), {"farkle": 3000, "tiotusen": 4800, "10000": 4800, "tiotusen-zilch": 3000}),
    ],
)
def test_rows_worked_out_by_hand(roll: tuple[int, ...], expected: dict[str, int]) -> None:
    assert {name: TABLE[name][roll][0] for name in expected} == expected
