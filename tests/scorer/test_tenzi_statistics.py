"""Statistics of Tenzi: solo times, personal bests, throws against the theory."""

from __future__ import annotations

from typing import Any

import pytest

from scorer.errors import BadPlayers
from scorer.tenzi import Match, apply, start, tenzi_event, tenzi_rules
from scorer.tenzi_odds import done_within, mean_rolls
from scorer.tenzi_statistics import (
    Best,
    RacerStatistics,
    match_statistics,
    raced_together,
    racer_board,
    races_added,
)

S = 1_000_000_000


def played(*events: list[Any], players: tuple[str, ...] = ("Anna",), **settings: Any) -> Match:
    match = start(tenzi_rules({"dice": 2, **settings}), players)
    for event in events:
        match = apply(match, tenzi_event(event))
    return match


def solo(go_s: int, *looks: tuple[int, int], **settings: Any) -> Match:
    """A solo run whose looks come a second apart, claimed a second after the last."""
    events: list[list[Any]] = [["go", go_s * S]]
    events += [["seen", (go_s + place) * S, "Anna", list(faces)] for place, faces in enumerate(looks, 1)]
    return played(*events, ["claimed", (go_s + len(looks) + 1) * S, "Anna"], **settings)


def test_a_solo_run_is_timed_from_go_to_the_look_that_shows_the_goal() -> None:
    (anna,) = match_statistics(solo(100, (6, 2), (6, 6)))
    (run,) = anna.runs
    assert (run.time_ns, run.rolls, run.solo, run.goal) == (2 * S, 2, True, "2")
    assert run.luck == pytest.approx(1 - done_within(2, 2))
    assert anna.rolls_expected == pytest.approx(mean_rolls(2))


def test_personal_bests_are_kept_goal_by_goal_over_matches() -> None:
    slow, quick = solo(0, (6, 2), (6, 3), (6, 6)), solo(50, (6, 6))
    pair = solo(9, (1, 2), goal="1+1")
    (anna,) = raced_together(each for match in (slow, quick, pair) for each in match_statistics(match))
    assert anna.bests == (Best("2", S, 1), Best("1+1", S, 1))
    assert (anna.matches, anna.rounds, anna.wins, anna.matches_won) == (3, 3, 3, 0)
    assert anna.rolls_a_run == pytest.approx(5 / 3)
    assert anna.rolls_error == pytest.approx(2 / 3)
    assert anna.rolls_expected is None, "runs for different goals have no expectation together"
    assert anna.runs[2].luck is None


def test_races_against_others_have_no_expectation_and_count_what_went_wrong() -> None:
    match = played(
        ["go", 0],
        ["hand", 1, "Ben"],
        ["claimed", 2, "Ben"],
        ["seen", S, "Anna", [6, 6]],
        ["claimed", S + 5, "Anna"],
        ["go", 2 * S],
        ["go", 3 * S],
        ["seen", 4 * S, "Anna", [6, 6]],
        ["seen", 4 * S, "Ben", [6, 6]],
        ["claimed", 5 * S, "Anna"],
        ["claimed", 5 * S, "Ben"],
        players=("Anna", "Ben"),
    )
    anna, ben = match_statistics(match)
    assert (anna.rounds, anna.replays, anna.wins, anna.rolls_expected) == (1, 1, 1, None)
    assert (ben.false_claims, ben.flags, ben.wins, ben.bests, ben.rolls_a_run) == (1, 1, 0, (), None)
    assert (ben.rolls_error, ben.rolls_expected) == (None, None)


def test_who_wins_the_match() -> None:
    match = played(
        ["go", 0], ["seen", 1, "Ben", [6, 6]], ["claimed", 2, "Ben"], players=("Anna", "Ben"), rounds_to_win=1
    )
    assert [each.matches_won for each in match_statistics(match)] == [0, 1]


def test_statistics_of_two_players_are_not_added_up() -> None:
    with pytest.raises(BadPlayers, match="are two players"):
        races_added(RacerStatistics("Anna"), RacerStatistics("Ben"))


def test_the_board_is_plain_json() -> None:
    (anna,) = match_statistics(solo(0, (6, 2), (6, 6)))
    board = racer_board(anna)
    assert board["bests"] == {"2": {"time_s": 2.0, "rolls": 2}}
    assert board["runs"] == [
        {
            "goal": "2",
            "time_s": 2.0,
            "rolls": 2,
            "solo": True,
            "quicker_than": round(1 - done_within(2, 2), 4),
        }
    ]
    assert board["rolls_error"] is None
    (pair,) = match_statistics(solo(9, (1, 2), goal="1+1"))
    assert racer_board(pair)["runs"] == [{"goal": "1+1", "time_s": 1.0, "rolls": 1, "solo": True}]
