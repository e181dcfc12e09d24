"""Every rule of the Farkle family and every fine point, one test each."""

from __future__ import annotations

from typing import Any

import pytest

from scorer.errors import IllegalEvent, IllegalSelection
from scorer.events import Entered
from scorer.farkle import fold
from scorer.rules import preset
from tests.scorer.playing import (
    BANKED,
    BUST_6,
    TOOK_OVER,
    Event,
    Events,
    aside,
    bank_ones,
    bank_straight,
    entered,
    ones,
    play,
    rolled,
)

THREE = ("Anna", "Ben", "Cara")


# The turn


def test_a_turn_banks_what_was_set_aside() -> None:
    state = play(rolled(1, 1, 1, 2, 3, 5), aside(1, 1, 1), rolled(5, 2, 2), aside(5), BANKED)
    assert state["totals"] == {"Anna": 1050, "Ben": 0}
    assert state["turns"] == {"Anna": [1050], "Ben": []}
    assert state["to_act"] == "Ben"


def test_a_bust_loses_the_turn_and_is_written_as_nothing() -> None:
    state = play(rolled(1, 1, 1, 2, 3, 5), aside(1, 1, 1), rolled(2, 2, 3))
    assert state["totals"] == {"Anna": 0, "Ben": 0}
    assert state["turns"] == {"Anna": [0], "Ben": []}
    assert state["to_act"] == "Ben"


def test_combinations_count_only_within_one_roll() -> None:
    state = play(rolled(5, 2, 2, 3, 4, 6), aside(5), rolled(5, 5, 2, 3, 4), aside(5, 5))
    assert state["turn"]["points"] == 150


def test_dice_left_is_what_the_next_throw_takes() -> None:
    throw = rolled(1, 1, 5, 2, 3, 4)
    assert play()["turn"] == {"points": 0, "dice_left": 6, "must_roll": False, "offer": None}
    assert play(throw)["turn"]["dice_left"] == 6
    assert play(throw, aside(1, 1))["turn"]["dice_left"] == 4
    assert play(throw, aside(1, 1), rolled(5, 2, 2, 3))["turn"]["dice_left"] == 4
    assert play(throw, aside(1, 1), rolled(5, 2, 2, 3))["turn"]["points"] == 200


@pytest.mark.parametrize(
    "events",
    [
        [rolled(1, 2, 3)],
        [rolled(1, 1, 2, 2, 3)],
        [aside(1)],
        [BANKED],
        [TOOK_OVER],
        [rolled(1, 2, 2, 3, 3, 4), rolled(1, 2, 2, 3, 3, 4)],
        [rolled(1, 2, 2, 3, 3, 4), BANKED],
        [rolled(1, 2, 2, 3, 3, 4), entered("Anna", 100)],
        [rolled(1, 1, 2, 3, 3, 4), aside(1), aside(1)],
        [rolled(1, 2, 2, 3, 3, 4), aside(1), rolled(1, 2, 2, 3, 3, 4)],
        [rolled(1, 2, 2, 3, 3, 4), aside(1), entered("Anna", 100)],
        [rolled(1, 2, 2, 3, 3, 4), aside(1), TOOK_OVER],
        [entered("Ben", 500)],
        [entered("Zoe", 500)],
    ],
)
def test_events_where_they_do_not_belong(events: Events) -> None:
    with pytest.raises(IllegalEvent) as caught:
        play(events, opening=0)
    assert caught.value.index == len(events) - 1
    assert "legal here: " in str(caught.value)


@pytest.mark.parametrize("dice", [(2,), (1, 2), (1, 1), (5, 5), (6,), (1, 5, 5)])
def test_dice_set_aside_must_all_score_and_lie_there(dice: tuple[int, ...]) -> None:
    with pytest.raises(IllegalSelection, match="no legal selection of the throw 1 2 2 3 3 5"):
        play(rolled(1, 2, 2, 3, 3, 5), aside(*dice))


def test_no_turn_of_zero_points_can_be_banked() -> None:
    with pytest.raises(IllegalEvent, match="nothing was set aside yet"):
        play(BANKED, opening=0)


# Hot dice


def test_hot_dice_may_be_rolled_again_in_the_same_turn_without_limit() -> None:
    straight = [rolled(1, 2, 3, 4, 5, 6), aside(1, 2, 3, 4, 5, 6)]
    state = play(straight, straight, straight)
    assert state["turn"] == {"points": 4500, "dice_left": 6, "must_roll": False, "offer": None}
    assert play(straight, straight, straight, BANKED)["totals"]["Anna"] == 4500


def test_hot_dice_come_of_several_throws_too() -> None:
    state = play(rolled(1, 1, 1, 2, 3, 4), aside(1, 1, 1), rolled(5, 5, 1), aside(5, 5, 1))
    assert state["turn"] == {"points": 1200, "dice_left": 6, "must_roll": False, "offer": None}


def test_hot_dice_may_be_banked() -> None:
    assert play(bank_straight())["totals"]["Anna"] == 1500


def test_a_bust_after_hot_dice_loses_all() -> None:
    assert play(rolled(1, 2, 3, 4, 5, 6), aside(1, 2, 3, 4, 5, 6), BUST_6)["turns"]["Anna"] == [0]


def test_hot_dice_must_be_rolled_even_at_the_target() -> None:
    with pytest.raises(IllegalEvent, match="hot dice must be rolled") as caught:
        play(bank_straight(), hot_dice="must", target=1000)
    assert caught.value.index == 2
    hot = [rolled(1, 2, 3, 4, 5, 6), aside(1, 2, 3, 4, 5, 6)]
    assert play(hot, hot_dice="must", target=1000)["turn"] == {
        "points": 1500,
        "dice_left": 6,
        "must_roll": True,
        "offer": None,
    }
    after = play(hot, ones(1), hot_dice="must", target=1000)
    assert after["turn"]["must_roll"] is False
    assert play(hot, ones(1), BANKED, hot_dice="must", target=1000)["totals"]["Anna"] == 1600


def test_hot_dice_off_means_the_turn_must_be_banked() -> None:
    hot = [rolled(1, 2, 3, 4, 5, 6), aside(1, 2, 3, 4, 5, 6)]
    assert play(hot, hot_dice="off")["turn"]["dice_left"] == 0
    with pytest.raises(IllegalEvent, match="cannot roll"):
        play(hot, rolled(1, 2, 3, 4, 5, 6), hot_dice="off")
    assert play(hot, BANKED, hot_dice="off")["totals"]["Anna"] == 1500


def test_where_neither_rolling_nor_banking_would_be_legal_the_bank_writes_zero() -> None:
    hot = [rolled(5, 5, 5, 1, 1, 1), aside(5, 5, 5, 1, 1, 1), BANKED]  # 1500
    refused = play(hot, hot_dice="off", opening=2000)
    assert refused["turns"]["Anna"] == [0]
    assert refused["to_act"] == "Ben"
    short = play(hot, hot_dice="off", opening=0, min_bank=2000)
    assert short["turns"]["Anna"] == [0]


# Opening and minimum bank


def test_exactly_the_minimum_opens() -> None:
    assert play(rolled(5, 5, 5, 2, 3, 4), aside(5, 5, 5), BANKED)["totals"]["Anna"] == 500


def test_a_bank_below_the_opening_is_refused_and_rolling_goes_on() -> None:
    with pytest.raises(IllegalEvent, match="400 points are below the opening of 500"):
        play(rolled(4, 4, 4, 2, 3, 6), aside(4, 4, 4), BANKED)
    state = play(rolled(4, 4, 4, 2, 3, 6), aside(4, 4, 4), rolled(1, 2, 2), aside(1), BANKED)
    assert state["totals"]["Anna"] == 500


def test_a_bank_below_the_opening_writes_zero_where_the_table_says_so() -> None:
    state = play(rolled(1, 1, 2, 3, 4, 4), aside(1, 1), BANKED, preset="10000")
    assert state["turns"] == {"Anna": [0], "Ben": []}
    assert state["to_act"] == "Ben"


def test_an_opened_player_banks_any_points() -> None:
    state = play(entered("Anna", 500), entered("Ben", 0), bank_ones(1))
    assert state["totals"]["Anna"] == 600


def test_the_opening_is_one_turn_with_hot_dice_included_not_a_sum_of_turns() -> None:
    low = [rolled(5, 5, 5, 2, 3, 4), aside(5, 5, 5), BANKED]  # 500
    assert play(low, entered("Ben", 0), low, preset="tiotusen")["turns"]["Anna"] == [0, 0]
    hot = [
        rolled(5, 5, 5, 2, 2, 2),
        aside(5, 5, 5, 2, 2, 2),
        rolled(3, 3, 3, 2, 4, 6),
        aside(3, 3, 3),
        BANKED,
    ]
    assert play(hot, preset="tiotusen")["turns"]["Anna"] == [1000]


def test_a_total_at_or_below_zero_does_not_close_a_player() -> None:
    state = play(
        entered("Anna", 500), entered("Ben", 0), entered("Anna", -700), entered("Ben", 0), bank_ones(1)
    )
    assert state["totals"]["Anna"] == -100
    assert state["turns"]["Anna"] == [500, -700, 100]


def test_a_later_bank_below_the_minimum_is_refused_whatever_opening_below_says() -> None:
    for below in ("refuse", "write_zero"):
        with pytest.raises(IllegalEvent, match="200 points are below the 300 that a bank needs"):
            play(entered("Anna", 500), entered("Ben", 0), bank_ones(2), min_bank=300, opening_below=below)


def test_the_minimum_bank_does_not_hold_for_the_opening_bank() -> None:
    state = play(rolled(5, 5, 5, 2, 3, 4), aside(5, 5, 5), BANKED, min_bank=800)
    assert state["totals"]["Anna"] == 500


def test_with_opening_0_the_minimum_bank_holds_from_the_first_bank_on() -> None:
    with pytest.raises(IllegalEvent, match="below the 300"):
        play(rolled(1, 1, 2, 3, 4, 4), aside(1, 1), BANKED, preset="zilch")
    assert play(rolled(3, 3, 3, 2, 4, 6), aside(3, 3, 3), BANKED, preset="zilch")["totals"]["Anna"] == 300


# Penalties


def test_three_busts_in_a_row_cost_the_penalty_and_the_streak_restarts() -> None:
    busts = [BUST_6, entered("Ben", 0)] * 7
    assert play(busts, preset="tiotusen")["turns"]["Anna"] == [0, 0, -1000, 0, 0, -1000, 0]
    assert play(busts, preset="tiotusen")["totals"]["Anna"] == -2000


def test_every_bust_costs_with_a_streak_of_one() -> None:
    assert play(BUST_6, BUST_6, BUST_6, bust_penalty=50, bust_streak=1)["turns"] == {
        "Anna": [-50, -50],
        "Ben": [-50],
    }


def test_a_bank_ends_the_row() -> None:
    def turns(middle: Events) -> list[int]:
        other = entered("Ben", 0)
        state = play(
            BUST_6, other, BUST_6, other, middle, other, BUST_6, preset="tiotusen-short", target=10000
        )
        found: list[int] = state["turns"]["Anna"]
        return found

    assert turns(bank_ones(1)) == [0, 0, 100, 0]
    assert turns([BUST_6]) == [0, 0, -1000, 0]


def test_a_positive_entry_ends_the_row_and_zero_or_less_leaves_it() -> None:
    def third_bust(entry: int) -> int:
        other = entered("Ben", 0)
        state = play(BUST_6, other, BUST_6, other, entered("Anna", entry), other, BUST_6, preset="tiotusen")
        return int(state["turns"]["Anna"][3])

    assert third_bust(50) == 0
    assert third_bust(0) == -1000
    assert third_bust(-300) == -1000


def test_a_zero_below_the_opening_counts_as_a_bust_where_the_table_says_so() -> None:
    turns = [BUST_6, entered("Ben", 0), bank_ones(1), entered("Ben", 0)]
    counted = play(turns, BUST_6, preset="tiotusen")
    assert counted["turns"]["Anna"] == [0, 0, -1000]
    brought = play(BUST_6, entered("Ben", 0), BUST_6, entered("Ben", 0), bank_ones(1), preset="tiotusen")
    assert brought["turns"]["Anna"] == [0, 0, -1000]


def test_a_zero_below_the_opening_ends_the_row_where_it_is_not_counted() -> None:
    turns = [BUST_6, entered("Ben", 0), BUST_6, entered("Ben", 0), bank_ones(1), entered("Ben", 0), BUST_6]
    state = play(turns, preset="tiotusen", count_unopened_zero=False)
    assert state["turns"]["Anna"] == [0, 0, 0, 0]


def test_zilch_costs_five_hundred_after_three_in_a_row() -> None:
    bust = [rolled(1, 2, 3, 3, 4, 6), aside(1), rolled(2, 2, 3, 4, 6)]
    state = play([*bust, entered("Ben", 0)] * 3, preset="zilch")
    assert state["turns"]["Anna"] == [0, 0, -500]


# Six dice that score nothing


def test_nothing_is_set_aside_whole_and_is_hot_dice() -> None:
    state = play(BUST_6, aside(2, 2, 3, 3, 4, 6), preset="zilch")
    assert state["turn"] == {"points": 500, "dice_left": 6, "must_roll": False, "offer": None}
    with pytest.raises(IllegalSelection):
        play(BUST_6, aside(2, 2), preset="zilch")


def test_the_free_roll_follows_the_hot_dice_setting() -> None:
    nothing = [BUST_6, aside(2, 2, 3, 3, 4, 6)]
    assert play(nothing, BANKED, preset="zilch")["totals"]["Anna"] == 500
    assert play(nothing, preset="zilch", hot_dice="must")["turn"]["must_roll"] is True
    assert play(nothing, preset="zilch", hot_dice="off")["turn"]["dice_left"] == 0


# The end


def test_the_worked_score_sheet() -> None:
    sheet = [
        (0, 1050, 0),
        (1200, 350, 1500),
        (2500, 0, 800),
        (1000, 1200, -1000),
        (3000, 2000, 2200),
        (2400, 1500, 1000),
    ]
    running = [
        (0, 1050, 0),
        (1200, 1400, 1500),
        (3700, 1400, 2300),
        (4700, 2600, 1300),
        (7700, 4600, 3500),
        (10100, 6100, 4500),
    ]
    events = [entered(name, points) for line in sheet for name, points in zip(THREE, line, strict=True)]
    for turn, totals in enumerate(running, start=1):
        state = play(events[: 3 * turn], preset="tiotusen", players=THREE)
        assert tuple(state["totals"].values()) == totals
    assert state["finished"]
    assert state["winners"] == ["Anna"]
    crossed = play(events[:16], preset="tiotusen", players=THREE)
    assert crossed["totals"]["Anna"] == 10100
    assert (crossed["finished"], crossed["phase"], crossed["to_act"]) == (False, "final_round", "Ben")
    assert not play(events[:17], preset="tiotusen", players=THREE)["finished"]


def test_the_last_round_is_one_turn_for_every_other_player_in_seat_order() -> None:
    setup = [entered("Anna", 500), bank_straight()]
    state = play(setup, players=THREE, target=1500)
    assert (state["phase"], state["to_act"]) == ("final_round", "Cara")
    state = play(setup, entered("Cara", 0), players=THREE, target=1500)
    assert (state["phase"], state["to_act"]) == ("final_round", "Anna")
    state = play(setup, entered("Cara", 0), entered("Anna", 0), players=THREE, target=1500)
    assert (state["phase"], state["to_act"], state["winners"]) == ("finished", None, ["Ben"])


def test_most_points_after_the_last_round_win_whoever_crossed_first() -> None:
    state = play(
        entered("Anna", 1000), entered("Ben", 1500), entered("Cara", 600), players=THREE, target=1000
    )
    assert state["winners"] == ["Ben"]
    assert state["standings"] == [["Ben", 1500, 1], ["Anna", 1000, 2], ["Cara", 600, 3]]


def test_a_second_crossing_in_the_last_round_gives_nobody_another_turn() -> None:
    state = play(entered("Anna", 1000), entered("Ben", 1500), target=1000)
    assert state["finished"]


def test_exactly_the_target_crosses() -> None:
    assert play(entered("Anna", 1000), target=1000)["phase"] == "final_round"
    assert play(entered("Anna", 999), target=1000)["phase"] == "turn"


def test_without_a_last_round_the_first_at_the_target_wins_at_once() -> None:
    state = play(entered("Anna", 500), bank_straight(), target=1500, final_round=False)
    assert state["finished"]
    assert state["winners"] == ["Ben"]
    assert state["turns"] == {"Anna": [500], "Ben": [1500]}


def test_a_finished_game_takes_no_more_events() -> None:
    with pytest.raises(IllegalEvent, match="finished") as caught:
        play(entered("Anna", 1000), entered("Ben", 0), entered("Anna", 5), target=1000)
    assert caught.value.index == 2


def test_a_tie_is_shared() -> None:
    state = play(
        entered("Anna", 1000), entered("Ben", 1000), entered("Cara", 400), players=THREE, target=1000
    )
    assert state["winners"] == ["Anna", "Ben"]
    assert state["standings"] == [["Anna", 1000, 1], ["Ben", 1000, 1], ["Cara", 400, 3]]


def test_a_tie_is_broken_by_extra_turns_of_the_tied_players_repeated() -> None:
    tie = [entered("Anna", 1000), entered("Ben", 1000), entered("Cara", 400)]
    rules: dict[str, Any] = {"players": THREE, "target": 1000, "ties": "extra_turn"}

    def after(*events: Event) -> dict[str, Any]:
        return play(tie, *events, **rules)

    assert (after()["phase"], after()["to_act"], after()["winners"]) == ("tie_break", "Anna", [])
    assert after(entered("Anna", 200))["to_act"] == "Ben"
    again = after(entered("Anna", 200), entered("Ben", 200))
    assert (again["phase"], again["to_act"]) == ("tie_break", "Anna")
    done = after(entered("Anna", 200), entered("Ben", 200), entered("Anna", 0), entered("Ben", 50))
    assert (done["phase"], done["winners"]) == ("finished", ["Ben"])
    assert done["turns"] == {"Anna": [1000, 200, 0], "Ben": [1000, 200, 50], "Cara": [400]}


def test_tie_break_turns_begin_after_the_player_who_acted_last() -> None:
    # Ben crosses, Cara and Anna have their last turns: Anna acted last, so Ben begins, then Cara.
    state = play(
        entered("Anna", 100),
        entered("Ben", 1000),
        entered("Cara", 1000),
        entered("Anna", 900),
        players=THREE,
        target=1000,
        ties="extra_turn",
    )
    assert (state["phase"], state["to_act"]) == ("tie_break", "Ben")


def test_the_tie_break_goes_on_among_those_still_tied_and_only_they_can_win() -> None:
    tie = [entered("Anna", 1000), entered("Ben", 1000), entered("Cara", 1000)]
    rules: dict[str, Any] = {"target": 1000, "ties": "extra_turn"}
    less = [entered("Anna", 50), entered("Ben", 0), entered("Cara", 50)]
    state = play(tie, less, players=THREE, **rules)
    assert (state["phase"], state["to_act"]) == ("tie_break", "Anna")
    state = play(tie, less, entered("Anna", -500), entered("Cara", -600), players=THREE, **rules)
    assert state["winners"] == ["Anna"]
    assert state["standings"] == [["Ben", 1000, 1], ["Anna", 550, 2], ["Cara", 450, 3]]


def test_in_a_tie_break_penalties_opening_and_overshoot_are_off() -> None:
    tie = [entered("Anna", 1000), entered("Ben", 1000)]
    rules: dict[str, Any] = {"target": 1000, "ties": "extra_turn", "opening": 5000}
    state = play(tie, BUST_6, bank_ones(1), bust_penalty=500, bust_streak=1, **rules)
    assert state["turns"] == {"Anna": [1000, 0], "Ben": [1000, 100]}
    assert state["winners"] == ["Ben"]
    state = play(tie, bank_ones(2), BUST_6, overshoot="void", **rules)
    assert state["totals"] == {"Anna": 1200, "Ben": 1000}
    assert state["winners"] == ["Anna"]


def test_standings_put_equals_in_seat_order_and_skip_the_next_rank() -> None:
    state = play(entered("Anna", 100), entered("Ben", 300), entered("Cara", 300), players=(*THREE, "Dan"))
    assert state["standings"] == [["Ben", 300, 1], ["Cara", 300, 1], ["Anna", 100, 3], ["Dan", 0, 4]]


# Instant wins


def test_any_throw_of_six_of_a_kind_wins_at_once_and_writes_nothing() -> None:
    state = play(
        entered("Anna", 700), entered("Ben", 800), rolled(2, 2, 2, 2, 2, 2), instant_win="six_of_a_kind"
    )
    assert (state["finished"], state["winners"], state["to_act"]) == (True, ["Anna"], None)
    assert state["totals"] == {"Anna": 700, "Ben": 800}
    assert state["turns"] == {"Anna": [700], "Ben": [800]}
    assert state["turn"]["points"] == 0


def test_six_of_a_kind_after_hot_dice_wins_too() -> None:
    hot = [rolled(1, 2, 3, 4, 5, 6), aside(1, 2, 3, 4, 5, 6)]
    state = play(hot, rolled(3, 3, 3, 3, 3, 3), instant_win="six_of_a_kind")
    assert (state["winners"], state["totals"]["Anna"]) == (["Anna"], 0)


def test_five_of_a_kind_on_the_first_throw_of_a_turn_wins() -> None:
    assert play(rolled(4, 4, 4, 4, 4), preset="hot-dice-five")["winners"] == ["Anna"]


def test_five_of_a_kind_later_in_a_turn_is_worth_its_points() -> None:
    hot = [rolled(1, 1, 1, 5, 5), aside(1, 1, 1, 5, 5)]
    state = play(hot, rolled(4, 4, 4, 4, 4), aside(4, 4, 4, 4, 4), preset="hot-dice-five")
    assert not state["finished"]
    assert state["turn"]["points"] == 3100


def test_five_first_needs_an_own_first_throw_with_all_dice() -> None:
    banked = [rolled(1, 1, 1, 5, 5), aside(1, 1, 1, 5, 5), BANKED]
    taken = play(banked, TOOK_OVER, rolled(4, 4, 4, 4, 4), preset="hot-dice-five", piggyback=True)
    assert not taken["finished"]
    declined = play(banked, rolled(4, 4, 4, 4, 4), preset="hot-dice-five", piggyback=True)
    assert declined["winners"] == ["Ben"]


def test_five_dice_are_thrown_where_the_game_has_five() -> None:
    state = play(rolled(1, 1, 2, 3, 4), aside(1), preset="hot-dice-five")
    assert state["turn"]["dice_left"] == 4
    with pytest.raises(IllegalEvent, match="5 dice must be rolled"):
        play(rolled(1, 1, 2, 3, 4, 6), preset="hot-dice-five")


# Overshoot


def test_overshoot_void_scores_nothing_and_exactly_the_target_crosses() -> None:
    setup = [entered("Anna", 900), entered("Ben", 500)]
    over = play(setup, bank_ones(2), target=1000, overshoot="void")
    assert over["turns"]["Anna"] == [900, 0]
    assert (over["phase"], over["totals"]["Anna"]) == ("turn", 900)
    exact = play(setup, bank_ones(1), target=1000, overshoot="void")
    assert (exact["phase"], exact["totals"]["Anna"]) == ("final_round", 1000)


def test_overshoot_void_is_no_bust_and_no_bank() -> None:
    # Streak: bust, void, bust brings the penalty of two in a row.
    other = entered("Ben", 0)
    rules: dict[str, Any] = {"target": 1000, "overshoot": "void", "bust_penalty": 300, "bust_streak": 2}
    state = play(entered("Anna", 900), other, BUST_6, other, bank_ones(2), other, BUST_6, **rules)
    assert state["turns"]["Anna"] == [900, 0, 0, -300]
    # Opening: a void opening turn leaves the player closed.
    with pytest.raises(IllegalEvent, match="below the opening"):
        play(bank_straight(), other, bank_ones(1), target=1000, overshoot="void")


def test_overshoot_welfare_goes_to_the_lowest_of_the_others() -> None:
    setup = [entered("Anna", 900), entered("Ben", 500), entered("Cara", 300)]
    state = play(setup, bank_ones(2), players=THREE, target=1000, overshoot="welfare")
    assert state["totals"] == {"Anna": 900, "Ben": 500, "Cara": 500}
    assert state["turns"] == {"Anna": [900, 0], "Ben": [500], "Cara": [300]}


def test_overshoot_welfare_to_the_first_in_seat_order_after_the_overshooter() -> None:
    setup = [entered("Anna", 300), entered("Ben", 900), entered("Cara", 300), entered("Anna", 0)]
    state = play(setup, bank_ones(2), players=THREE, target=1000, overshoot="welfare")
    assert state["totals"] == {"Anna": 300, "Ben": 900, "Cara": 500}


def test_the_overshooter_himself_is_never_in_last_place() -> None:
    state = play(entered("Anna", 0), entered("Ben", 900), bank_straight(), target=1000, overshoot="welfare")
    assert state["totals"] == {"Anna": 0, "Ben": 2400}


def test_a_gift_neither_opens_nor_crosses_and_the_receiver_crosses_at_his_own_next_bank() -> None:
    gift = [entered("Anna", 900), entered("Ben", 600), rolled(5, 5, 5, 2, 3, 4), aside(5, 5, 5), BANKED]
    state = play(gift, target=1000, overshoot="welfare")
    assert state["totals"] == {"Anna": 900, "Ben": 1100}
    assert (state["phase"], state["to_act"]) == ("turn", "Ben")
    crossed = play(gift, bank_ones(1), target=1000, overshoot="welfare")
    assert (crossed["phase"], crossed["totals"]["Ben"], crossed["to_act"]) == ("final_round", 1200, "Anna")
    with pytest.raises(IllegalEvent, match="below the opening"):  # Ben's gift did not open him
        play(
            entered("Anna", 900), entered("Ben", 0), gift[2:], bank_ones(1), target=1000, overshoot="welfare"
        )


def test_a_bust_does_not_cross_on_a_gift() -> None:
    gift = [entered("Anna", 900), entered("Ben", 600), rolled(5, 5, 5, 2, 3, 4), aside(5, 5, 5), BANKED]
    state = play(gift, BUST_6, target=1000, overshoot="welfare")
    assert (state["phase"], state["to_act"]) == ("turn", "Anna")


def test_entries_know_no_overshoot_rule() -> None:
    state = play(entered("Anna", 1300), target=1000, overshoot="void")
    assert (state["totals"]["Anna"], state["phase"]) == (1300, "final_round")


# Steal

LOST_500 = [rolled(5, 5, 5, 2, 3, 4), aside(5, 5, 5), rolled(2, 3, 4)]


def test_steal_roll_offers_the_lost_points_with_as_many_dice() -> None:
    state = play(LOST_500, steal="roll")
    assert state["turn"] == {
        "points": 0,
        "dice_left": 6,
        "must_roll": False,
        "offer": {"points": 500, "dice": 3, "kind": "steal"},
    }


def test_stolen_points_are_in_the_turn_from_the_first_roll_that_is_no_bust() -> None:
    taken = play(LOST_500, TOOK_OVER, steal="roll")
    assert taken["turn"] == {"points": 0, "dice_left": 3, "must_roll": False, "offer": None}
    rolled_well = play(LOST_500, TOOK_OVER, rolled(1, 2, 3), steal="roll")
    assert rolled_well["turn"]["points"] == 500
    banked = play(LOST_500, TOOK_OVER, rolled(1, 2, 3), aside(1), BANKED, steal="roll")
    assert banked["totals"] == {"Anna": 0, "Ben": 600}


def test_rolling_all_dice_declines_the_offer() -> None:
    state = play(LOST_500, rolled(1, 2, 2, 3, 4, 6), steal="roll")
    assert state["turn"] == {"points": 0, "dice_left": 6, "must_roll": False, "offer": None}
    with pytest.raises(IllegalEvent, match="6 dice must be rolled"):
        play(LOST_500, rolled(1, 2, 3), steal="roll")


def test_after_taking_over_exactly_those_dice_are_rolled() -> None:
    with pytest.raises(IllegalEvent, match="3 dice must be rolled"):
        play(LOST_500, TOOK_OVER, rolled(1, 2, 2, 3, 4, 6), steal="roll")
    with pytest.raises(IllegalEvent):
        play(LOST_500, TOOK_OVER, TOOK_OVER, steal="roll")
    with pytest.raises(IllegalEvent, match="before its first throw"):
        play(LOST_500, TOOK_OVER, entered("Ben", 100), steal="roll")


def test_an_offer_stands_only_after_a_bust_that_lost_points() -> None:
    assert play(BUST_6, steal="roll")["turn"]["offer"] is None


def test_points_taken_over_and_lost_again_are_gone() -> None:
    assert play(LOST_500, TOOK_OVER, rolled(2, 3, 4), steal="roll")["turn"]["offer"] is None
    state = play(LOST_500, TOOK_OVER, rolled(1, 2, 3), aside(1), rolled(2, 3), steal="roll")
    assert state["turn"]["offer"] == {"points": 100, "dice": 2, "kind": "steal"}


def test_offers_stand_in_the_last_round() -> None:
    state = play(entered("Anna", 1000), LOST_500, players=THREE, target=1000, steal="roll")
    assert (state["phase"], state["to_act"]) == ("final_round", "Cara")
    assert state["turn"]["offer"] == {"points": 500, "dice": 3, "kind": "steal"}


def test_no_offers_in_a_tie_break() -> None:
    tie = [entered("Anna", 1000), entered("Ben", 1000)]
    rules: dict[str, Any] = {"target": 1000, "ties": "extra_turn", "piggyback": True}
    assert play(tie, LOST_500, steal="roll", **rules)["turn"]["offer"] is None
    assert play(tie, bank_ones(1), **rules)["turn"]["offer"] is None
    assert play(tie, LOST_500, steal="transfer", **rules)["totals"] == {"Anna": 1000, "Ben": 1000}
    last = [entered("Anna", 0), entered("Ben", 1000), entered("Cara", 1000), LOST_500]
    state = play(*last, players=THREE, steal="roll", **rules)
    assert (state["phase"], state["turn"]["offer"]) == ("tie_break", None)


def test_steal_transfer_adds_the_lost_points_to_the_next_player_at_once() -> None:
    state = play(LOST_500, steal="transfer")
    assert state["totals"] == {"Anna": 0, "Ben": 500}
    assert state["turns"] == {"Anna": [0], "Ben": []}
    assert state["turn"]["offer"] is None


def test_a_transfer_by_the_last_player_of_the_last_round_goes_to_the_next_seat() -> None:
    state = play(entered("Anna", 1000), LOST_500, target=1000, steal="transfer")
    assert (state["totals"], state["winners"]) == ({"Anna": 1500, "Ben": 0}, ["Anna"])


def test_a_transfer_neither_opens_nor_crosses() -> None:
    with pytest.raises(IllegalEvent, match="below the opening"):
        play(LOST_500, bank_ones(1), steal="transfer")
    setup = [entered("Anna", 500), entered("Ben", 600)]
    state = play(setup, LOST_500, steal="transfer", target=1000)
    assert (state["totals"]["Ben"], state["phase"]) == (1100, "turn")
    state = play(setup, LOST_500, bank_ones(1), steal="transfer", target=1000)
    assert (state["totals"]["Ben"], state["phase"]) == (1200, "final_round")


# Piggyback

BANK_600_LEAVING_3 = [rolled(6, 6, 6, 2, 3, 4), aside(6, 6, 6), BANKED]


def test_piggyback_offers_the_banked_points_with_the_dice_left() -> None:
    state = play(BANK_600_LEAVING_3, piggyback=True)
    assert state["turn"]["offer"] == {"points": 600, "dice": 3, "kind": "piggyback"}
    assert state["totals"]["Anna"] == 600
    state = play(BANK_600_LEAVING_3, TOOK_OVER, rolled(1, 2, 3), aside(1), BANKED, piggyback=True)
    assert state["totals"] == {"Anna": 600, "Ben": 700}


def test_the_piggyback_chain_carries_on() -> None:
    chain = [*BANK_600_LEAVING_3, TOOK_OVER, rolled(1, 2, 3), aside(1), BANKED]
    state = play(chain, players=THREE, piggyback=True)
    assert state["turn"]["offer"] == {"points": 700, "dice": 2, "kind": "piggyback"}
    state = play(chain, TOOK_OVER, rolled(5, 2), aside(5), BANKED, players=THREE, piggyback=True)
    assert state["totals"] == {"Anna": 600, "Ben": 700, "Cara": 750}


def test_no_piggyback_after_a_bust() -> None:
    assert play(LOST_500, piggyback=True)["turn"]["offer"] is None


def test_with_no_dice_left_all_are_offered() -> None:
    assert play(bank_straight(), piggyback=True)["turn"]["offer"]["dice"] == 6
    assert play(bank_straight(), piggyback=True, hot_dice="off")["turn"]["offer"]["dice"] == 6


def test_points_taken_over_are_part_of_the_turn_total_in_every_respect() -> None:
    taken = [*BANK_600_LEAVING_3, TOOK_OVER, rolled(1, 2, 3), aside(1), BANKED]
    assert play(taken, piggyback=True, opening=600)["totals"]["Ben"] == 700  # opening
    assert play(taken, piggyback=True, opening=0, min_bank=600)["totals"]["Ben"] == 700  # minimum bank
    over = play(entered("Anna", 0), entered("Ben", 400), taken, piggyback=True, target=1000, overshoot="void")
    assert over["turns"]["Ben"] == [400, 0]  # overshoot


def test_a_bank_that_writes_zero_leaves_no_offer() -> None:
    assert play(bank_ones(1), preset="10000", piggyback=True)["turn"]["offer"] is None
    over = play(
        entered("Anna", 900), entered("Ben", 0), bank_ones(2), piggyback=True, target=1000, overshoot="void"
    )
    assert over["turn"]["offer"] is None


def test_the_crossing_bank_leaves_an_offer_in_the_last_round() -> None:
    state = play(bank_straight(), piggyback=True, target=1000)
    assert state["phase"] == "final_round"
    assert state["turn"]["offer"] == {"points": 1500, "dice": 6, "kind": "piggyback"}


def test_piggyback_hot_dice_of_the_dice_taken_over() -> None:
    state = play(BANK_600_LEAVING_3, TOOK_OVER, rolled(1, 1, 5), aside(1, 1, 5), piggyback=True)
    assert state["turn"] == {"points": 850, "dice_left": 6, "must_roll": False, "offer": None}


def test_lost_piggyback_points_are_not_offered_as_a_steal() -> None:
    taken = [*BANK_600_LEAVING_3, TOOK_OVER, rolled(1, 2, 3), aside(1), rolled(2, 3)]
    state = play(taken, players=THREE, piggyback=True, steal="roll")
    assert state["turn"]["offer"] == {"points": 100, "dice": 2, "kind": "steal"}


# Entries


def test_an_entry_of_at_least_the_opening_opens() -> None:
    assert play(entered("Anna", 500), entered("Ben", 0), bank_ones(1))["totals"]["Anna"] == 600
    with pytest.raises(IllegalEvent, match="below the opening"):
        play(entered("Anna", 450), entered("Ben", 0), bank_ones(1))


def test_an_entry_brings_no_penalty() -> None:
    state = play([entered("Anna", 0), entered("Ben", 0)] * 4, preset="tiotusen")
    assert state["turns"]["Anna"] == [0, 0, 0, 0]


def test_an_entry_leaves_no_offer_and_lets_one_lapse() -> None:
    assert play(entered("Anna", 600), piggyback=True, steal="roll")["turn"]["offer"] is None
    state = play(LOST_500, entered("Ben", 500), players=THREE, steal="roll")
    assert state["turn"]["offer"] is None
    assert state["to_act"] == "Cara"


def test_entries_and_rolled_turns_mix() -> None:
    state = play(entered("Anna", 550), bank_straight(), bank_ones(2), entered("Ben", -50))
    assert state["turns"] == {"Anna": [550, 200], "Ben": [1500, -50]}


def test_keep_all_holds_in_the_game() -> None:
    with pytest.raises(IllegalSelection, match="all scoring dice are wanted"):
        play(rolled(1, 5, 2, 3, 4, 4), aside(1), keep_all=True)
    assert play(rolled(1, 5, 2, 3, 4, 4), aside(5, 1), keep_all=True)["turn"]["points"] == 150


def test_a_fold_names_the_event_that_is_not_legal() -> None:
    with pytest.raises(IllegalEvent) as caught:
        fold(preset("farkle"), ("Anna", "Ben"), [Entered("Anna", 5), Entered("Anna", 5)])
    assert caught.value.index == 1
