"""Simulated Tenzi: what the lanes show, who shouts when, and what `croupier replay` makes of it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from models.synth.conditions import Conditions, random_conditions
from models.synth.dice import top_face
from models.synth.race import Race, act_race
from scorer.replay import replay
from scorer.tenzi import Claimed, Seen, tenzi_event_to_json, tenzi_rules

PLAYERS = ("Anna", "Ben", "Cara")
SETTINGS: dict[str, object] = {"dice": 4, "rounds_to_win": 1, "frame_ns": 100_000_000}


def act(seed: int, *wanted: str, rounds: int = 1) -> tuple[Race, Conditions]:
    if find_spec("mujoco") is None:
        pytest.skip("throws need the package mujoco (extras train and dev)")
    conditions = random_conditions(
        np.random.default_rng([seed, 2]),
        len(PLAYERS),
        table="lanes-tray",
        difficulty="easy",
        wanted=wanted,
        width_px=480,
        height_px=270,
        fps=10.0,
        dice=4,
        race=True,
    )
    rules = tenzi_rules(SETTINGS)
    return act_race(np.random.default_rng([seed, 1]), PLAYERS, rules, conditions, rounds=rounds), conditions


def replayed(race: Race) -> dict[str, Any]:
    """The only round, as `croupier replay` sees it."""
    events = [tenzi_event_to_json(event) for event in race.events]
    answer: Any = replay({"game": "tenzi", "settings": SETTINGS, "players": list(PLAYERS), "events": events})
    (only,) = answer["rounds"]
    assert isinstance(only, dict)
    return only


@pytest.fixture(scope="module")
def plain() -> tuple[Race, Conditions]:
    return act(7)


def test_the_first_right_shout_wins_and_finish_times_are_those_of_the_rests(
    plain: tuple[Race, Conditions],
) -> None:
    race, conditions = plain
    only = replayed(race)
    assert only["winner"] in PLAYERS
    for name, when in only["finish_ns"].items():
        assert race.finish_s[0][name] == pytest.approx(when / 1e9, abs=1e-3)
        seat = PLAYERS.index(name)
        starts = [rest.start_frame / conditions.fps for rest in race.timeline.rests if rest.seat == seat]
        assert any(start == pytest.approx(when / 1e9, abs=1e-3) for start in starts)


def test_every_rest_is_a_look_at_its_lane(plain: tuple[Race, Conditions]) -> None:
    race, conditions = plain
    seen = [event for event in race.events if isinstance(event, Seen)]
    assert len(seen) == len(race.timeline.rests)
    for rest in race.timeline.rests:
        faces = tuple(sorted(face for _, face in rest.dice))
        assert len(faces) == 4
        time = round(rest.start_frame / conditions.fps * 1e9)
        assert any(e.faces == faces and e.player == PLAYERS[rest.seat] and e.t_ns == time for e in seen)
        poses = race.timeline.moments[rest.start_frame].dice
        lane = conditions.layout.lane_of(rest.seat)
        for die, face in rest.dice:
            place, turn = poses[die]
            assert top_face(turn, conditions.looks[die].left_handed)[0] == face
            assert conditions.layout.lane_at(place[:2]) is lane
            assert race.timeline.moments[rest.end_frame].dice[die][0] is place


def test_a_near_tie_is_near() -> None:
    race, _ = act(5, "near-tie")
    (each,) = [each for each in race.timeline.happenings if each.kind == "near-tie"]
    gap = dict(each.notes)["gap_s"]
    assert isinstance(gap, float)
    assert 0 < abs(gap) < 0.3
    last = sorted(event.t_ns for event in race.events if isinstance(event, Claimed))[-2:]
    assert last[1] - last[0] == pytest.approx(abs(gap) * 1e9, abs=1e5)
    only = replayed(race)
    assert only["replay"] == (abs(gap) < 0.1)


def test_shouts_that_are_too_early_are_false() -> None:
    race, _ = act(6, "false-shout", "nine-cocked")
    kinds = {each.kind for each in race.timeline.happenings}
    assert kinds & {"false-shout", "nine-cocked"}
    only = replayed(race)
    verdicts = [claim["verdict"] for claim in only["claims"]]
    assert "false" in verdicts
    assert "valid" in verdicts
