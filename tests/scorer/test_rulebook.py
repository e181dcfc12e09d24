"""The rules in sentences: every setting that matters is said, in both languages, and nothing untrue."""

from __future__ import annotations

import re
import tomllib
from importlib import resources

import pytest
from hypothesis import given, settings

from scorer.rulebook import Language, phrase, scoring_rows, sections, settings_that_differ
from scorer.rules import Rules, preset, preset_names, setting_names
from scorer.scoring import score_table
from tests.scorer.strategies import scoring_rules

PHRASES = tomllib.loads((resources.files("scorer") / "rulebook.toml").read_text(encoding="utf-8"))
LANGUAGES: tuple[Language, ...] = ("en", "sv")


def text_of(rules: Rules, language: Language = "en", usual: Rules | None = None) -> str:
    changed = settings_that_differ(rules, usual or rules)
    return "\n".join(
        sentence.text for section in sections(rules, language, changed) for sentence in section.sentences
    )


def points(rules: Rules, usual: Rules | None = None) -> dict[str, str]:
    return {row.label: row.points for row in scoring_rows(rules, "en", usual)}


def test_both_languages_have_the_same_gaps_to_fill() -> None:
    for key, words in PHRASES.items():
        assert set(words) == {"en", "sv"}, key
        assert sorted(re.findall(r"{\w+}", words["en"])) == sorted(re.findall(r"{\w+}", words["sv"])), key


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_preset_can_be_said(name: str, language: Language) -> None:
    rules = preset(name)
    said = text_of(rules, language)
    assert str(rules.target) in said
    assert str(rules.dice) in said
    assert "{" not in said
    assert all(row.label and row.points and row.points != "0" for row in scoring_rows(rules, language))


@pytest.mark.parametrize("name", preset_names())
def test_what_scores_of_a_preset_is_worth_what_the_table_says(name: str) -> None:
    table = score_table(preset(name))
    for row in scoring_rows(preset(name), "en"):
        if row.points.isdigit():
            assert table.of(row.dice).best == int(row.points), row


@settings(max_examples=40)
@given(scoring_rules())
def test_rows_are_of_dice_that_can_be_thrown(rules: Rules) -> None:
    for row in scoring_rows(rules, "sv", preset("farkle")):
        assert 1 <= len(row.dice) <= rules.dice
        assert set(row.settings) <= set(setting_names())


def test_the_points_of_tiotusen() -> None:
    assert points(preset("tiotusen")) == {
        "a single 1": "100",
        "a single 5": "50",
        "three 1s": "1000",
        "three alike, 2 to 6": "100 x face",
        "four alike": "2 x three",
        "five alike": "4 x three",
        "six alike": "8 x three",
        "straight 1 to 6": "1500",
        "three pairs": "1000",
    }


def test_sets_by_the_way_they_count() -> None:
    base = preset("farkle")
    assert points(base)["five alike"] == "2000"
    assert points(base.replace(n_kind="linear"))["six alike"] == "4 x three"
    assert "four alike" not in points(base.replace(n_kind="none"))
    assert "five alike" not in points(base.replace(n_flat={"5": 0}))
    assert "six alike" not in points(preset("hot-dice-five"))


def test_own_sets_and_what_else_counts() -> None:
    rules = preset("farkle").replace(
        kind_points={"1,4": 1300, "2,2": 0},
        three_pairs_6=True,
        two_triplets_6=True,
        four_pair=1200,
        nothing=500,
    )
    found = points(rules)
    assert found["4 of 1"] == "1300"
    assert "2 of 2" not in found
    assert (found["four alike and a pair"], found["six dice that score nothing"]) == ("1200", "500")
    notes = {row.label: row.note for row in scoring_rows(rules, "en")}
    assert notes["three pairs"] == "also four alike and a pair; also six alike"
    assert notes["two times three alike"] == "also six alike"
    five = preset("hot-dice-five").replace(kind_points={"1,6": 9000, "1,5": 5000})
    assert [label for label in points(five) if " of " in label] == ["5 of 1"]


def test_what_scores_no_more_is_said_to_be_worth_0() -> None:
    usual = preset("farkle")
    rules = usual.replace(straight=0, triple_mult=0, single_5=0)
    assert "straight 1 to 6" not in points(rules)
    found = points(rules, usual)
    assert (found["straight 1 to 6"], found["a single 5"], found["three alike, 2 to 6"]) == (
        "0",
        "0",
        "0 x face",
    )
    assert "three alike, 2 to 6" not in points(rules)
    assert "straight 1 to 6" not in points(preset("hot-dice-five"), usual)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"keep_all": True}, "Every die that scores must be set aside."),
        ({"kind_exclusive": True}, "count as one set"),
        ({"hot_dice": "may"}, "You may throw all dice again"),
        ({"hot_dice": "must"}, "You must throw all dice again"),
        ({"hot_dice": "off"}, "The turn is over"),
        ({"nothing": 500}, "count as set aside, all of them"),
        ({"opening": 0}, "No minimum to get in."),
        ({"opening": 350}, "you need 350 points in one turn"),
        ({"opening_below": "write_zero"}, "Less is written as 0."),
        ({"opening_below": "refuse"}, "With less you must throw on."),
        ({"min_bank": 300}, "After that no turn below 300 can be written."),
        ({"opening": 0, "min_bank": 300}, "No turn below 300 can be written."),
        ({"bust_penalty": 500}, "3 in a row cost 500 points"),
        ({"bust_penalty": 500, "bust_streak": 1}, "Each costs 500 points."),
        ({"bust_penalty": 500, "count_unopened_zero": True}, "A 0 written before you are in counts as one."),
        ({"target": 5000}, "Whoever reaches 5000 starts the last round"),
        ({"final_round": False}, "The first to reach 10000 wins at once."),
        ({"ties": "share"}, "Equal players share the win."),
        ({"ties": "extra_turn"}, "until one leads"),
        ({"overshoot": "void"}, "A turn that goes past 10000 scores nothing."),
        ({"overshoot": "welfare"}, "to the player in last place"),
        ({"instant_win": "six_of_a_kind"}, "Six alike in one throw win"),
        ({"steal": "roll"}, "the same number of dice for the lost points"),
        ({"steal": "transfer"}, "go to the next player"),
        ({"piggyback": True}, "the dice left over"),
    ],
)
def test_every_rule_is_said_where_it_holds(changes: dict[str, object], says: str) -> None:
    rules = preset("farkle").replace(**changes)
    assert says in text_of(rules)
    (name,) = list(changes)[-1:]
    marked = [
        sentence.settings
        for section in sections(rules, "en")
        for sentence in section.sentences
        if says in sentence.text
    ]
    assert name in marked[0]


def test_no_tie_breaks_where_there_are_no_ties() -> None:
    assert "share" not in text_of(preset("farkle").replace(final_round=False))


def test_a_penalty_of_the_preset_that_this_table_has_not_is_said() -> None:
    zilch = preset("zilch")
    rules = zilch.replace(bust_penalty=0, min_bank=0)
    assert "They cost nothing" not in text_of(rules)
    said = text_of(rules, usual=zilch)
    assert "They cost nothing" in said
    assert "any turn can be written" in said
    five = preset("hot-dice-five")
    assert "No throw wins" in text_of(five.replace(instant_win="none"), usual=five)


def test_a_phrase_that_is_none() -> None:
    with pytest.raises(KeyError):
        phrase("weather", "en")
