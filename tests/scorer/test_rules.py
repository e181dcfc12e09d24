"""Settings and presets: the values of the rule pages, and what is refused."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from scorer.errors import BadSetting, RulesError, UnknownPreset, UnknownSetting
from scorer.rules import (
    Rules,
    load_preset,
    make_rules,
    parse_preset,
    preset,
    preset_names,
    setting_descriptions,
    setting_names,
)

SETTINGS = [
    *("dice", "single_1", "single_5", "triple_1", "triple_mult", "n_kind", "n_flat", "kind_exclusive"),
    *("straight", "three_pairs", "two_triplets", "straight_low", "straight_high", "nothing"),
    *("three_pairs_4_2", "three_pairs_6", "two_triplets_6", "four_pair", "kind_points", "keep_all"),
    *("hot_dice", "opening", "opening_below", "min_bank", "bust_penalty", "bust_streak"),
    *("count_unopened_zero", "target", "overshoot", "final_round", "ties", "instant_win", "steal"),
    "piggyback",
]

UNNAMED: dict[str, object] = {
    "kind_exclusive": False,
    "straight_low": 0,
    "straight_high": 0,
    "nothing": 0,
    "three_pairs_6": False,
    "two_triplets_6": False,
    "four_pair": None,
    "kind_points": {},
    "keep_all": False,
    "hot_dice": "may",
    "opening_below": "refuse",
    "min_bank": 0,
    "bust_penalty": 0,
    "bust_streak": 3,
    "count_unopened_zero": False,
    "target": 10000,
    "overshoot": "allow",
    "final_round": True,
    "ties": "share",
    "instant_win": "none",
    "steal": "off",
    "piggyback": False,
    "dice": 6,
    "single_1": 100,
    "single_5": 50,
    "triple_mult": 100,
    "n_flat": {"4": 1000, "5": 2000, "6": 3000},
}
"""What holds where a preset says nothing else."""

TIOTUSEN: dict[str, object] = {
    "triple_1": 1000,
    "n_kind": "double",
    "straight": 1500,
    "three_pairs": 1000,
    "three_pairs_4_2": False,
    "two_triplets": 0,
    "opening": 1000,
    "opening_below": "write_zero",
    "bust_penalty": 1000,
    "count_unopened_zero": True,
    "ties": "extra_turn",
}
TIOTUSEN_ZILCH: dict[str, object] = {
    "triple_1": 1000,
    "n_kind": "flat",
    "straight": 2500,
    "three_pairs": 1500,
    "three_pairs_4_2": False,
    "two_triplets": 0,
    "opening": 0,
}
TEN_THOUSAND: dict[str, object] = {
    "triple_1": 1000,
    "n_kind": "double",
    "straight": 1500,
    "three_pairs": 1500,
    "three_pairs_4_2": True,
    "two_triplets": 0,
    "opening": 500,
}
PRESETS: dict[str, dict[str, object]] = {
    "tiotusen": TIOTUSEN,
    "tiotusen-short": {**TIOTUSEN, "target": 5000, "opening": 0},
    "tiotusen-zilch": TIOTUSEN_ZILCH,
    "pocket-farkel": {**TIOTUSEN_ZILCH, "triple_1": 300},
    "hot-dice-five": {
        **TIOTUSEN_ZILCH,
        "dice": 5,
        "straight": 0,
        "three_pairs": 0,
        "instant_win": "five_first",
    },
    "ten-thousand": TEN_THOUSAND,
    "ten-thousand-short": {**TEN_THOUSAND, "target": 5000},
    "10000": {**TEN_THOUSAND, "opening": 750, "opening_below": "write_zero"},
    "10000-short": {**TEN_THOUSAND, "opening": 750, "opening_below": "write_zero", "target": 5000},
    "farkle": {
        "triple_1": 300,
        "n_kind": "flat",
        "straight": 1500,
        "three_pairs": 1500,
        "three_pairs_4_2": True,
        "two_triplets": 2500,
        "opening": 500,
    },
    "zilch": {
        **TEN_THOUSAND,
        "nothing": 500,
        "opening": 0,
        "min_bank": 300,
        "bust_penalty": 500,
    },
}


def test_there_are_exactly_the_settings_of_the_rule_pages() -> None:
    assert list(setting_names()) == SETTINGS


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_has_the_values_of_the_rule_pages(name: str) -> None:
    assert preset(name).settings() == {**UNNAMED, **PRESETS[name]}


def test_there_are_exactly_these_presets() -> None:
    assert sorted(PRESETS) == list(preset_names())


def test_the_default_is_retail_farkle() -> None:
    assert preset() == preset("farkle") == Rules()
    assert hash(preset()) == hash(Rules())


def test_a_preset_names_its_parent_and_only_what_differs() -> None:
    short = load_preset("tiotusen-short")
    assert short.parent == "tiotusen"
    assert short.changes == {"target": 5000, "opening": 0}


def test_every_setting_is_described_in_english_and_swedish() -> None:
    described = setting_descriptions()
    assert list(described) == SETTINGS
    assert all(set(texts) == {"en", "sv"} and all(texts.values()) for texts in described.values())


@pytest.mark.parametrize("name", preset_names())
def test_settings_through_json_and_back_are_the_same_rules(name: str) -> None:
    rules = preset(name)
    assert Rules(**rules.settings()) == rules  # type: ignore[arg-type]  # as JSON has them


def test_rules_cannot_be_changed_in_place() -> None:
    with pytest.raises(FrozenInstanceError):
        preset().target = 500  # type: ignore[misc]  # the point of the test


def test_replace_changes_a_copy() -> None:
    rules = preset("tiotusen")
    assert rules.replace(opening=500, ties="share").opening == 500
    assert rules.opening == 1000


def test_n_flat_takes_text_keys_and_leaves_what_it_does_not_name() -> None:
    assert preset().replace(n_flat={"5": 2200}).n_flat == ((4, 1000), (5, 2200), (6, 3000))
    assert preset().replace(n_flat={5: 2200}).n_flat == ((4, 1000), (5, 2200), (6, 3000))


def test_kind_points_are_face_and_number() -> None:
    assert preset().replace(kind_points={"1,4": 1100, "6,3": 900}).kind_points == (
        ((1, 4), 1100),
        ((6, 3), 900),
    )


def test_a_combination_may_be_switched_off_with_none() -> None:
    rules = preset().replace(straight=None, four_pair=0)
    assert (rules.straight, rules.four_pair) == (0, None)


def test_piggyback_is_off_or_on() -> None:
    assert preset().replace(piggyback="on").piggyback is True
    assert preset().replace(piggyback="off").piggyback is False


BAD = [
    ({"dice": 7}, "'dice' must be 5 or 6, got 7"),
    ({"dice": "6"}, "'dice' must be 5 or 6, got '6'"),
    ({"dice": True}, "got true"),
    ({"single_1": -100}, "'single_1' must be a whole number of points from 0"),
    ({"single_1": 100.0}, "got 100.0"),
    ({"single_5": None}, "got null"),
    ({"single_5": True}, "got true"),
    ({"n_kind": "triple"}, "one of double, flat, linear, none, got 'triple'"),
    ({"n_kind": ["flat"]}, "'n_kind' must be one of"),
    ({"n_flat": 1000}, "'n_flat' must be a table"),
    ({"n_flat": {"7": 1000}}, "for 4, 5 and 6 of a kind, got '7'"),
    ({"n_flat": {"9" * 5000: 1000}}, "for 4, 5 and 6 of a kind"),
    ({"n_flat": {"4": "much"}}, "'n_flat.4' must be a whole number"),
    ({"n_flat": [1, 2, 3]}, "'n_flat' must be a table"),
    ({"kind_points": {"7,4": 100}}, "face,number of dice"),
    ({"kind_points": {"1": 100}}, "face,number of dice"),
    ({"kind_points": {"1,4,1": 100}}, "face,number of dice"),
    ({"kind_points": {"a,b": 100}}, "face,number of dice"),
    ({"kind_points": {"1,4": -1}}, "'kind_points.1,4' must be"),
    ({"straight": "1500"}, "'straight' must be a whole number"),
    ({"four_pair": True}, "'four_pair' must be a whole number"),
    ({"keep_all": 1}, "'keep_all' must be true or false, got 1"),
    ({"final_round": "yes"}, "true or false, got 'yes'"),
    ({"hot_dice": "always"}, "one of may, must, off"),
    ({"hot_dice": False}, "got false"),
    ({"opening_below": ""}, "one of write_zero, refuse"),
    ({"bust_streak": 0}, "from 1 to 100, got 0"),
    ({"target": 500}, "1000 to 20000 in steps of 500, got 500"),
    ({"target": 20500}, "got 20500"),
    ({"target": 1250}, "got 1250"),
    ({"target": 10000.0}, "got 10000.0"),
    ({"overshoot": "bounce"}, "one of allow, void, welfare"),
    ({"ties": "draw"}, "one of share, extra_turn"),
    ({"instant_win": "yahtzee"}, "one of none, six_of_a_kind, five_first"),
    ({"steal": True}, "one of off, roll, transfer"),
    ({"piggyback": "maybe"}, "true or false, got 'maybe'"),
    ({"dice": 5}, "dice = 5 contradicts straight = 1500, three_pairs = 1500, two_triplets = 2500"),
    ({"instant_win": "five_first"}, "contradicts dice = 6"),
]


@pytest.mark.parametrize(("settings", "says"), BAD)
def test_a_bad_value_is_refused_with_what_was_wanted_and_got(settings: dict[str, object], says: str) -> None:
    with pytest.raises(BadSetting, match=says):
        make_rules("farkle", settings)


@pytest.mark.parametrize(
    "settings",
    [{"three_pairs": 1500}, {"straight": 1}, {"nothing": 500}, {"four_pair": 10}, {"two_triplets": 9}],
)
def test_five_dice_contradict_combinations_of_six(settings: dict[str, object]) -> None:
    with pytest.raises(BadSetting, match=f"dice = 5 contradicts {next(iter(settings))}"):
        make_rules("hot-dice-five", settings)
    with pytest.raises(BadSetting, match="contradicts instant_win"):
        make_rules("hot-dice-five", {"instant_win": "six_of_a_kind"})


@pytest.mark.parametrize(
    ("name", "near"), [("oppening", "opening"), ("hotdice", "hot_dice"), ("three_pair", "three_pairs")]
)
def test_an_unknown_setting_is_named_with_the_nearest_known_one(name: str, near: str) -> None:
    with pytest.raises(UnknownSetting, match=f"did you mean '{near}'"):
        make_rules("farkle", {name: 1})


@pytest.mark.parametrize("name", ["_hash", "self", "", "rules"])
def test_what_is_no_setting_is_never_taken_for_one(name: str) -> None:
    with pytest.raises(UnknownSetting):
        make_rules("farkle", {name: 1})


def test_an_unknown_preset_is_named_with_the_nearest_known_one() -> None:
    with pytest.raises(UnknownPreset, match="no preset 'farkel'; did you mean 'farkle'"):
        make_rules("farkel")
    with pytest.raises(UnknownPreset, match="known are: 10000"):
        make_rules("chess")
    with pytest.raises(UnknownPreset, match="a preset is named by a text, got 10000"):
        make_rules(10000)
    with pytest.raises(UnknownPreset):
        make_rules("../presets/farkle")


def test_settings_must_be_an_object() -> None:
    with pytest.raises(BadSetting, match="must be an object of names and values, got"):
        make_rules("farkle", ["opening"])


def test_a_house_preset_is_a_parent_and_what_differs() -> None:
    house = parse_preset("home", 'title = "Home"\nparent = "tiotusen"\n[settings]\nopening = 500\n')
    assert house.rules == preset("tiotusen").replace(opening=500)


@pytest.mark.parametrize(
    "text",
    [
        "settings = 3",
        "[settings]\noppening = 5",
        "[settings]\ntarget = 5",
        'parent = "home"',
        'parent = "nowhere"',
        "parent = 3",
        "colour = 3",
        "[settings",
    ],
)
def test_a_broken_house_preset_is_refused(text: str) -> None:
    with pytest.raises(RulesError):
        parse_preset("home", text)


def test_every_field_of_the_rules_is_a_setting_but_the_hash() -> None:
    assert {each.name for each in fields(Rules)} - set(SETTINGS) == {"_hash"}
