"""The Tenzi race, through its documents: one test for every sentence of the rules and the contract."""

from __future__ import annotations

from typing import Any

import pytest

from scorer.errors import BadPlayers, BadSetting, IllegalEvent, MalformedEvent, UnknownSetting
from scorer.replay import replay
from scorer.tenzi import (
    Match,
    Progress,
    TenziRules,
    apply,
    progress,
    start,
    tenzi_event,
    tenzi_event_to_json,
    tenzi_rules,
)

SIXES = [6, 6, 6]
MIXED = [6, 6, 2]
MS = 1_000_000


def race(*events: list[Any], players: tuple[str, ...] = ("Anna", "Ben"), **settings: Any) -> dict[str, Any]:
    """Replay a race of three dice; pictures come every 30 ms and claims are exact to 10 ms."""
    rules = {"dice": 3, "goal": "3", "frame_ns": 30 * MS, "claim_ns": 10 * MS, **settings}
    return replay({"game": "tenzi", "settings": rules, "players": list(players), "events": list(events)})


def go(ms: int) -> list[Any]:
    return ["go", ms * MS]


def seen(ms: int, player: str, *faces: int) -> list[Any]:
    return ["seen", ms * MS, player, list(faces)]


def claimed(ms: int, player: str) -> list[Any]:
    return ["claimed", ms * MS, player]


def declared(ms: int, player: str, *faces: int) -> list[Any]:
    return ["declared", ms * MS, player, list(faces)]


def flags(outcome: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(each["kind"], each["player"], each["t_ns"] // MS) for each in outcome["rounds"][-1]["flags"]]


def match_of(*events: list[Any], players: tuple[str, ...] = ("Anna", "Ben"), **settings: Any) -> Match:
    """Return a match of four dice after these events."""
    match = start(tenzi_rules({"dice": 4, **settings}), players)
    for event in events:
        match = apply(match, tenzi_event(event))
    return match


def claims(outcome: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["player"], each["verdict"]) for each in outcome["rounds"][-1]["claims"]]


def test_nothing_happened_yet() -> None:
    assert race() == {"rounds": [], "wins": {"Anna": 0, "Ben": 0}, "finished": False, "winners": []}


def test_the_first_valid_claim_wins_the_round() -> None:
    outcome = race(
        go(0),
        seen(500, "Anna", *MIXED),
        seen(600, "Ben", *SIXES),
        seen(900, "Anna", *SIXES),
        claimed(1000, "Anna"),
        claimed(1200, "Ben"),
    )
    assert outcome == {
        "rounds": [
            {
                "winner": "Anna",
                "replay": False,
                "finish_ns": {"Anna": 900 * MS, "Ben": 600 * MS},
                "rolls": {"Anna": 2, "Ben": 1},
                "claims": [
                    {"player": "Anna", "t_ns": 1000 * MS, "verdict": "valid"},
                    {"player": "Ben", "t_ns": 1200 * MS, "verdict": "late"},
                ],
                "flags": [],
            }
        ],
        "wins": {"Anna": 1, "Ben": 0},
        "finished": False,
        "winners": [],
    }


def test_who_stays_silent_has_not_claimed() -> None:
    outcome = race(go(0), seen(500, "Anna", *SIXES), seen(700, "Ben", *MIXED))
    assert outcome["rounds"][0]["winner"] is None
    assert outcome["rounds"][0]["finish_ns"] == {"Anna": 500 * MS}
    assert outcome["rounds"][0]["replay"] is False


def test_a_claim_without_the_goal_is_false_and_play_goes_on() -> None:
    outcome = race(
        go(0),
        seen(500, "Anna", *MIXED),
        claimed(600, "Anna"),
        seen(900, "Anna", *SIXES),
        claimed(950, "Anna"),
    )
    assert claims(outcome) == [("Anna", "false"), ("Anna", "valid")]
    assert outcome["rounds"][0]["winner"] == "Anna"


def test_a_claim_is_judged_by_the_lane_at_that_moment() -> None:
    outcome = race(go(0), seen(500, "Anna", *SIXES), seen(600, "Anna", *MIXED), claimed(700, "Anna"))
    assert claims(outcome) == [("Anna", "false")]
    # The look may be reported after the claim; its time counts.
    outcome = race(go(0), claimed(700, "Anna"), seen(700, "Anna", *SIXES))
    assert claims(outcome) == [("Anna", "valid")]


@pytest.mark.parametrize(("apart_ms", "replayed"), [(0, True), (29, True), (30, False), (31, False)])
def test_two_valid_claims_closer_than_the_timing_replay_the_round(apart_ms: int, replayed: bool) -> None:
    outcome = race(
        go(0),
        seen(500, "Anna", *SIXES),
        seen(500, "Ben", *SIXES),
        claimed(600, "Anna"),
        claimed(600 + apart_ms, "Ben"),
    )
    (only,) = outcome["rounds"]
    assert only["replay"] is replayed
    assert only["winner"] == (None if replayed else "Anna")
    assert claims(outcome) == [("Anna", "valid"), ("Ben", "valid" if replayed else "late")]
    assert outcome["wins"]["Anna"] == (0 if replayed else 1)


def test_the_window_is_the_coarser_of_camera_and_claim_device() -> None:
    events = [go(0), seen(500, "Anna", *SIXES), seen(500, "Ben", *SIXES), claimed(600, "Anna")]
    assert race(*events, claimed(650, "Ben"), claim_ns=60 * MS)["rounds"][0]["replay"] is True
    assert race(*events, claimed(650, "Ben"), claim_ns=50 * MS)["rounds"][0]["replay"] is False


def test_a_false_claim_within_the_window_makes_no_tie() -> None:
    outcome = race(
        go(0), seen(500, "Anna", *SIXES), seen(500, "Ben", *MIXED), claimed(600, "Anna"), claimed(610, "Ben")
    )
    assert claims(outcome) == [("Anna", "valid"), ("Ben", "false")]
    assert outcome["rounds"][0]["winner"] == "Anna"


def test_a_finish_within_the_window_still_makes_a_valid_claim() -> None:
    outcome = race(
        go(0), seen(500, "Anna", *SIXES), claimed(600, "Anna"), seen(610, "Ben", *SIXES), claimed(620, "Ben")
    )
    assert outcome["rounds"][0]["replay"] is True
    assert outcome["rounds"][0]["finish_ns"] == {"Anna": 500 * MS, "Ben": 610 * MS}


def test_a_second_claim_of_the_same_player_changes_nothing() -> None:
    outcome = race(go(0), seen(500, "Anna", *SIXES), claimed(600, "Anna"), claimed(605, "Anna"))
    assert outcome["rounds"][0]["winner"] == "Anna"
    assert outcome["rounds"][0]["replay"] is False


def test_rolls_and_finishes_count_up_to_the_deciding_moment() -> None:
    outcome = race(
        go(0),
        seen(500, "Anna", *SIXES),
        seen(550, "Ben", *MIXED),
        claimed(600, "Anna"),
        seen(610, "Ben", *SIXES),
        seen(900, "Anna", *MIXED),
    )
    assert outcome["rounds"][0]["rolls"] == {"Anna": 1, "Ben": 1}
    assert outcome["rounds"][0]["finish_ns"] == {"Anna": 500 * MS}


def test_auto_the_earliest_finish_wins_and_a_claim_decides_nothing() -> None:
    outcome = race(
        go(0),
        claimed(100, "Ben"),
        seen(500, "Anna", *SIXES),
        seen(540, "Ben", *SIXES),
        claimed(510, "Anna"),
        claimed(800, "Ben"),
        claim="auto",
    )
    assert outcome["rounds"][0]["winner"] == "Anna"
    assert claims(outcome) == [("Ben", "false"), ("Anna", "valid"), ("Ben", "late")]
    assert outcome["rounds"][0]["finish_ns"] == {"Anna": 500 * MS}


@pytest.mark.parametrize(("apart_ms", "replayed"), [(0, True), (29, True), (30, False)])
def test_auto_finishes_closer_than_a_frame_replay(apart_ms: int, replayed: bool) -> None:
    outcome = race(
        go(0),
        seen(500, "Anna", *SIXES),
        seen(500 + apart_ms, "Ben", *SIXES),
        claim="auto",
        claim_ns=500 * MS,  # of no account here
    )
    assert outcome["rounds"][0]["replay"] is replayed


def test_a_match_is_first_to_so_many_wins() -> None:
    def won(ms: int, player: str) -> list[list[Any]]:
        return [go(ms), seen(ms + 500, player, *SIXES), claimed(ms + 600, player)]

    two = [*won(0, "Anna"), *won(1000, "Ben"), *won(2000, "Anna")]
    outcome = race(*two, rounds_to_win=2)
    assert (outcome["finished"], outcome["winners"], outcome["wins"]) == (
        True,
        ["Anna"],
        {"Anna": 2, "Ben": 1},
    )
    assert [each["winner"] for each in outcome["rounds"]] == ["Anna", "Ben", "Anna"]
    assert race(*two)["finished"] is False
    late = race(*two, seen(2700, "Ben", *SIXES), claimed(2800, "Ben"), rounds_to_win=2)
    assert claims(late)[-1] == ("Ben", "late")
    with pytest.raises(IllegalEvent, match="the match is over, Anna has won it") as caught:
        race(*two, go(3000), rounds_to_win=2)
    assert caught.value.index == 9


def test_go_in_an_open_round_abandons_it() -> None:
    outcome = race(go(0), seen(500, "Anna", *SIXES), go(1000), claimed(1100, "Anna"))
    first, second = outcome["rounds"]
    assert (first["winner"], first["replay"]) == (None, False)
    assert first["finish_ns"] == {"Anna": 500 * MS}
    assert claims(outcome) == [("Anna", "false")]  # the lane of the round before shows nothing now
    assert second["rolls"] == {"Anna": 0, "Ben": 0}


def test_seen_before_go_is_ignored() -> None:
    outcome = race(seen(100, "Anna", *SIXES), go(200), seen(150, "Ben", *SIXES), claimed(300, "Anna"))
    assert claims(outcome) == [("Anna", "false")]
    assert outcome["rounds"][0]["rolls"] == {"Anna": 0, "Ben": 0}


def test_claimed_before_the_first_go_is_illegal() -> None:
    with pytest.raises(IllegalEvent, match="before the first go") as caught:
        race(seen(50, "Anna", *SIXES), claimed(100, "Anna"))
    assert caught.value.index == 1


def test_more_dice_than_the_player_has_never_show_the_goal_and_are_flagged() -> None:
    outcome = race(go(0), seen(500, "Anna", 6, 6, 6, 6), claimed(600, "Anna"))
    assert claims(outcome) == [("Anna", "false")]
    assert outcome["rounds"][0]["flags"] == [{"kind": "stray", "player": "Anna", "t_ns": 500 * MS}]


def test_a_cocked_die_does_not_count() -> None:
    outcome = race(go(0), seen(500, "Anna", 6, 6), claimed(600, "Anna"))
    assert claims(outcome) == [("Anna", "false")]


@pytest.mark.parametrize(
    ("goal", "faces", "shown"),
    [
        ("6", (4, 4, 4, 4, 4, 4), True),
        ("6", (4, 4, 4, 4, 4, 5), False),
        ("3+3", (4, 4, 4, 5, 5, 5), True),
        ("3+3", (4, 4, 4, 4, 4, 4), False),
        ("3+3", (4, 4, 4, 4, 5, 5), False),
        ("2+4", (5, 5, 4, 4, 4, 4), True),
        ("1+1+1+1+1+1", (1, 2, 3, 4, 5, 6), True),
        ("4", (4, 4, 4, 4, 4, 5), True),
        ("6", (), False),
    ],
)
def test_goals_are_counts_of_different_faces(goal: str, faces: tuple[int, ...], shown: bool) -> None:
    assert tenzi_rules({"dice": 6, "goal": goal}).shows_goal(faces) is shown


def test_a_change_of_target_is_flagged_unless_it_is_allowed() -> None:
    events = [
        go(0),
        seen(100, "Anna", 6, 2, 3, 4),
        seen(200, "Anna", 6, 6, 2, 3),  # 6 leads after the second look
        seen(300, "Anna", 6, 6, 2, 2),
        seen(400, "Anna", 6, 2, 2, 2),  # and loses a die
        seen(500, "Anna", 2, 2, 2, 2),
    ]
    flags = race(*events, dice=4, goal="4")["rounds"][0]["flags"]
    assert flags == [{"kind": "target_change", "player": "Anna", "t_ns": 400 * MS}]
    assert race(*events, dice=4, goal="4", target_change="allow")["rounds"][0]["flags"] == []


def test_leaving_one_of_two_faces_that_tied_is_no_change_of_target() -> None:
    events = [seen(100, "Anna", 6, 2, 3, 4), seen(200, "Anna", 6, 6, 2, 2), seen(300, "Anna", 6, 6, 6, 5)]
    assert race(go(0), *events, dice=4, goal="4")["rounds"][0]["flags"] == []


def test_one_player_races_alone() -> None:
    outcome = race(go(0), seen(500, "Anna", *SIXES), players=("Anna",), claim="auto", rounds_to_win=1)
    assert outcome["winners"] == ["Anna"]


def test_the_defaults_are_the_base_race() -> None:
    rules = tenzi_rules({})
    assert (rules.dice, rules.goal, rules.claim, rules.rounds_to_win) == (10, (10,), "required", 3)
    assert rules.target_change == "flag"
    assert tenzi_rules({"dice": 20}).goal == (20,)
    assert rules == TenziRules()


@pytest.mark.parametrize(
    "settings",
    [
        {"dice": 0},
        {"dice": True},
        {"dice": "10"},
        {"goal": "11"},
        {"goal": "0"},
        {"goal": "5+"},
        {"goal": "-5"},
        {"goal": "9" * 5000},
        {"goal": "1+1+1+1+1+1+1"},
        {"goal": 7.5},
        {"goal": None},
        {"claim": "shout"},
        {"claim": ["auto"]},
        {"frame_ns": -1},
        {"claim_ns": 1.5},
        {"rounds_to_win": 0},
        {"target_change": True},
    ],
)
def test_bad_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(BadSetting):
        tenzi_rules(settings)


def test_an_unknown_setting_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownSetting, match="did you mean 'frame_ns'"):
        race(frames_ns=3)


@pytest.mark.parametrize(
    "event",
    [
        None,
        [],
        ["go"],
        ["go", "0"],
        ["go", True],
        ["go", 1, 2],
        ["stop", 3],
        ["seen", 5, "Anna"],
        ["seen", 5, "Anna", [7]],
        ["seen", 5, "Anna", [True]],
        ["seen", "Anna", [6]],
        ["claimed", 5],
        ["claimed", 5, 3],
        ["claimed", 5.0, "Anna"],
        ["banked"],
        ["declared", 5, "Anna"],
        ["declared", 5, "Anna", [0]],
        ["declared", 5, 3, [6]],
        ["hand", 5],
        ["stray", 5, 3],
        ["hand", 5, "Anna", 1],
    ],
)
def test_malformed_events(event: Any) -> None:
    with pytest.raises(MalformedEvent) as caught:
        race(go(0), event)
    assert caught.value.index == 1


def test_a_player_who_does_not_play() -> None:
    for event in (seen(5, "Zoe", 6), claimed(5, "Zoe"), declared(5, "Zoe", 6), ["hand", 5, "Zoe"]):
        with pytest.raises(IllegalEvent, match="'Zoe' does not play; players are Anna, Ben"):
            race(go(0), event)


def test_players() -> None:
    for players in ((), ("Anna", "Anna"), ("",)):
        with pytest.raises(BadPlayers):
            race(players=players)


# Declared targets, fouls, progress


def test_a_declared_face_is_the_target_whatever_leads() -> None:
    opened = [go(0), seen(100, "Anna", 6, 6, 6, 2), declared(150, "Anna", 2)]
    on = [*opened, seen(200, "Anna", 2, 2, 6, 5), seen(300, "Anna", 2, 2, 6, 6)]
    assert flags(race(*on, dice=4, goal="4")) == []
    left = [*on, seen(400, "Anna", 2, 6, 6, 6), seen(500, "Anna", 6, 6, 6, 6), claimed(600, "Anna")]
    outcome = race(*left, dice=4, goal="4")
    assert flags(outcome) == [("target_change", "Anna", 400), ("target_change", "Anna", 500)]
    # A change is flagged; it takes nothing from the claim.
    assert claims(outcome) == [("Anna", "valid")]
    assert flags(race(*left, dice=4, goal="4", target_change="allow")) == []


def test_a_declaration_against_what_led_or_was_declared_before_is_a_change_of_target() -> None:
    led = [go(0), seen(100, "Anna", 6, 6, 2, 3), seen(200, "Anna", 6, 6, 6, 2)]
    assert flags(race(*led, declared(250, "Anna", 6), dice=4, goal="4")) == []
    assert flags(race(*led, declared(250, "Anna", 2), dice=4, goal="4")) == [("target_change", "Anna", 250)]
    twice = [go(0), declared(50, "Anna", 6), seen(100, "Anna", 6, 2, 3, 4), declared(150, "Anna", 6)]
    assert flags(race(*twice, dice=4, goal="4")) == []
    other = [*twice, declared(160, "Anna", 5)]
    assert flags(race(*other, dice=4, goal="4")) == [("target_change", "Anna", 160)]


def test_dice_beyond_the_goal_may_be_thrown_again() -> None:
    events = [
        go(0),
        seen(1, "Anna", 6, 6, 6, 2),
        declared(2, "Anna", 6, 2),
        seen(3, "Anna", 6, 6, 5, 2),
        seen(4, "Anna", 6, 6, 2, 2),
        claimed(5, "Anna"),
    ]
    outcome = race(*events, dice=4, goal="2+2")
    assert (flags(outcome), outcome["rounds"][0]["winner"]) == ([], "Anna")


@pytest.mark.parametrize("faces", [(), (6, 6), (6, 5)])
def test_as_many_different_faces_are_declared_as_the_goal_has(faces: tuple[int, ...]) -> None:
    with pytest.raises(IllegalEvent, match="one face is declared for the goal 3"):
        race(go(0), declared(1, "Anna", *faces))
    with pytest.raises(IllegalEvent, match=r"2 different faces are declared for the goal 2\+1, got 6 6"):
        race(go(0), declared(1, "Anna", 6, 6), goal="1+2")


def test_nobody_declares_before_the_first_go() -> None:
    with pytest.raises(IllegalEvent, match="Anna declared a face before the first go"):
        race(declared(1, "Anna", 6))
    # Within a round an earlier time is not of this round.
    outcome = race(go(10), declared(1, "Anna", 2), seen(11, "Anna", 6, 6, 1), seen(12, "Anna", 6, 6, 6))
    assert flags(outcome) == []


def test_fouls_are_shown_up_to_the_deciding_moment() -> None:
    outcome = race(
        ["hand", 0, "Ben"],
        go(1),
        ["stray", 2 * MS, "Anna"],
        seen(3, "Anna", *SIXES),
        claimed(4, "Anna"),
        ["hand", 4 * MS, "Ben"],
        ["hand", 5 * MS, "Ben"],
    )
    assert flags(outcome) == [("stray", "Anna", 2), ("hand", "Ben", 4)]


def test_progress_of_every_player_with_the_target_inferred_or_declared() -> None:
    assert progress(match_of()) == (
        Progress("Anna", (), False, 0, 4, 0),
        Progress("Ben", (), False, 0, 4, 0),
    )
    match = match_of(
        go(0),
        ["hand", 1, "Anna"],
        seen(1, "Anna", 6, 6, 2, 3),
        seen(2, "Anna", 6, 6, 6, 2),
        seen(3, "Ben", 5, 5, 5, 1),
        declared(4, "Ben", 1),
    )
    assert progress(match) == (
        Progress("Anna", (6,), False, 3, 1, 2),
        Progress("Ben", (1,), True, 1, 3, 1),
    )


def test_the_inferred_target_stays_with_the_face_that_led_after_the_second_look() -> None:
    match = match_of(
        go(0), seen(1, "Anna", 6, 6, 2, 3), seen(2, "Anna", 6, 6, 2, 3), seen(3, "Anna", 6, 6, 2, 2)
    )
    assert progress(match)[0].target == (6,)
    given_up = apply(match, tenzi_event(seen(4, "Anna", 6, 2, 2, 2)))
    assert progress(given_up)[0].target == (2,)


def test_progress_towards_a_goal_of_two_faces() -> None:
    match = match_of(go(0), seen(1, "Anna", 6, 6, 6, 2), goal="2+2")
    assert progress(match)[0] == Progress("Anna", (6, 2), False, 3, 1, 1)
    named = apply(match, tenzi_event(declared(2, "Anna", 3, 6)))
    assert progress(named)[0] == Progress("Anna", (3, 6), True, 2, 2, 1)


def test_events_go_through_json_and_back() -> None:
    for event in (go(1), seen(2, "Anna", 6), claimed(3, "Ben"), declared(4, "Anna", 6), ["stray", 5, "Ben"]):
        assert tenzi_event_to_json(tenzi_event(event)) == event
