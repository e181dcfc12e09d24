"""Random rules, throws and games for the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from scorer.rules import Rules, preset, preset_names

POINTS = st.sampled_from([0, 50, 100, 150, 300, 500, 1000])
COMBINATION = st.sampled_from([0, 700, 1000, 1500, 2500])


def faces(least: int = 1, most: int = 6) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.integers(1, 6), min_size=least, max_size=most).map(tuple)


@st.composite
def scoring_rules(draw: st.DrawFn) -> Rules:
    """Any table of points, for six dice or five."""
    dice = draw(st.sampled_from([6, 6, 6, 5]))
    six = COMBINATION if dice == 6 else st.just(0)
    kinds = st.tuples(st.integers(1, 6), st.integers(1, 6))
    return Rules(
        dice=dice,
        single_1=draw(POINTS),
        single_5=draw(POINTS),
        triple_1=draw(POINTS),
        triple_mult=draw(st.sampled_from([0, 10, 100])),
        n_kind=draw(st.sampled_from(["double", "flat", "linear", "none"])),
        n_flat=tuple((count, draw(POINTS)) for count in (4, 5, 6)),
        kind_exclusive=draw(st.booleans()),
        straight=draw(six),
        three_pairs=draw(six),
        two_triplets=draw(six),
        straight_low=draw(COMBINATION),
        straight_high=draw(COMBINATION),
        nothing=draw(six),
        three_pairs_4_2=draw(st.booleans()),
        three_pairs_6=draw(st.booleans()),
        two_triplets_6=draw(st.booleans()),
        four_pair=draw(six),
        kind_points=tuple(draw(st.dictionaries(kinds, POINTS, max_size=3)).items()),
        keep_all=draw(st.booleans()),
    )


@st.composite
def table_rules(draw: st.DrawFn) -> Rules:
    """Any way to play, on the points of any preset; a short game."""
    base = preset(draw(st.sampled_from(preset_names())))
    instant = ["none", "six_of_a_kind" if base.dice == 6 else "five_first"]
    return base.replace(
        keep_all=draw(st.booleans()),
        hot_dice=draw(st.sampled_from(["may", "must", "off"])),
        opening=draw(st.sampled_from([0, 300, 500, 1000])),
        opening_below=draw(st.sampled_from(["write_zero", "refuse"])),
        min_bank=draw(st.sampled_from([0, 300, 450])),
        bust_penalty=draw(st.sampled_from([0, 500, 1000])),
        bust_streak=draw(st.sampled_from([1, 2, 3])),
        count_unopened_zero=draw(st.booleans()),
        target=draw(st.sampled_from([1000, 2000, 3000])),
        overshoot=draw(st.sampled_from(["allow", "allow", "void", "welfare"])),
        final_round=draw(st.booleans()),
        ties=draw(st.sampled_from(["share", "extra_turn"])),
        instant_win=draw(st.sampled_from(instant)),
        steal=draw(st.sampled_from(["off", "roll", "transfer"])),
        piggyback=draw(st.booleans()),
    )
