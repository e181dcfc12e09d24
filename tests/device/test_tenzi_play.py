"""`croupier play tenzi` on a recording with the real network; what the session makes of looks and claims."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from device.cli import app, main
from device.displays.recording import RecordingDisplay
from device.sim import scripted_die
from device.store import GameHeader, GameStore, open_writer
from device.tenzi_session import GRACE_NS, VERDICT_NS, TenziSession
from scorer.tenzi import TenziRules, rounds, start
from tests.sessions.clips import clip
from vision.race_watch import LaneLook, RaceDie

S = 1_000_000_000
MS = 1_000_000
FAR = {"Anna": 10**15, "Ben": 10**15}


class Told(list[Mapping[str, object]]):
    """What was told as JSON."""

    def of(self, kind: str) -> list[Mapping[str, object]]:
        return [each for each in self if each["event"] == kind]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GameStore]:
    with open_writer(tmp_path) as opened:
        yield opened


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def match(store: GameStore, told: Told) -> TenziSession:
    rules = TenziRules(dice=3, goal=(3,), frame_ns=40 * MS, rounds_to_win=1)
    game = store.begin(GameHeader("tenzi", "tenzi", {"dice": 3, "goal": "3"}, ("Anna", "Ben"), "x", "now"))
    return TenziSession(
        start(rules, ("Anna", "Ben")), store=store, game=game, display=RecordingDisplay(), emit=told.append
    )


def look(lane: int, t_ns: int, *faces: int | None) -> LaneLook:
    dice = tuple(
        RaceDie(i, scripted_die(face, (40.0 * i, 40.0, 30.0, 30.0), sure=face is not None), False, None)
        for i, face in enumerate(faces)
    )
    return LaneLook(lane, t_ns, t_ns - 40 * MS, 7, dice, t_ns + 200 * MS)


def finish(match: TenziSession, t_ns: int) -> None:
    match.tick(t_ns, dict.fromkeys(match.players, t_ns))


PICTURE = np.full((120, 160, 3), 90, np.uint8)


def test_the_first_valid_claim_wins_and_the_photo_finish_is_kept(match: TenziSession, told: Told) -> None:
    match.go(0)
    match.looked("Anna", look(0, 5 * S, 4, 4, 4), PICTURE)
    match.claimed("Anna", 6 * S)
    finish(match, 6 * S + 100 * MS)
    assert match.running  # a rival's claim may still be under way
    finish(match, 6 * S + GRACE_NS + 50 * MS)
    (won,) = told.of("won")
    assert won["player"] == "Anna"
    assert str(won["photo_finish"]).endswith("round-1-photo-finish.jpg")
    assert match.finished
    assert match.final()["certain"]


def test_a_claim_within_the_resolution_after_a_winning_one_is_a_replay(
    match: TenziSession, told: Told
) -> None:
    match.go(0)
    match.looked("Anna", look(0, 5 * S, 4, 4, 4), PICTURE)
    match.looked("Ben", look(1, 5 * S + MS, 2, 2, 2), PICTURE)
    match.claimed("Anna", 6 * S)
    finish(match, 6 * S + 20 * MS)
    match.claimed("Ben", 6 * S + 39 * MS)
    finish(match, 6 * S + 2 * GRACE_NS)
    assert not told.of("won")
    (replay,) = told.of("replay")
    assert "Too close to call: Anna and Ben" in str(replay["rule"])
    assert not match.finished


def test_a_silent_finisher_has_not_won(match: TenziSession, told: Told) -> None:
    match.go(0)
    match.looked("Anna", look(0, 4 * S, 4, 4, 4), PICTURE)
    match.looked("Ben", look(1, 5 * S, 2, 2, 2), PICTURE)
    match.claimed("Ben", 6 * S)
    finish(match, 8 * S)
    (won,) = told.of("won")
    assert won["player"] == "Ben"
    assert "Anna had finished, but did not claim" in str(won["rule"])


def test_a_false_claim_is_shown_and_play_goes_on(match: TenziSession, told: Told) -> None:
    match.go(0)
    match.looked("Anna", look(0, 4 * S, 4, 4, 1), PICTURE)
    match.claimed("Anna", 5 * S)
    finish(match, 5 * S + 50 * MS)
    assert [each["verdict"] for each in told.of("verdict")] == ["false"]
    assert match.running


def test_a_claim_waits_until_the_lane_was_looked_at(match: TenziSession, told: Told) -> None:
    match.go(0)
    match.claimed("Anna", 5 * S)
    match.tick(5 * S + 100 * MS, {"Anna": 4 * S, "Ben": 6 * S})
    assert not told.of("verdict")
    match.looked("Anna", look(0, 4 * S + 900 * MS, 4, 4, 4), PICTURE)
    finish(match, 5 * S + 300 * MS)
    assert [each["verdict"] for each in told.of("verdict")] == ["valid"]


def test_what_was_said_of_a_claim_is_not_taken_back_by_a_look_found_later(
    match: TenziSession, told: Told
) -> None:
    match.go(0)
    match.claimed("Anna", 5 * S)
    match.tick(5 * S + VERDICT_NS, {"Anna": 4 * S, "Ben": 6 * S})
    assert [each["verdict"] for each in told.of("verdict")] == ["false"]
    assert told.of("unsure")
    match.looked("Anna", look(0, 4 * S + 900 * MS, 4, 4, 4), PICTURE)
    match.ended(9 * S)
    assert [claim.verdict for claim in rounds(match.match)[-1].claims] == ["false"]
    assert not told.of("won")


def test_a_die_that_cannot_be_read_leaves_the_round_open_until_the_table_answers(
    match: TenziSession, told: Told
) -> None:
    match.go(0)
    match.looked("Anna", look(0, 4 * S, 4, 4, None), PICTURE)
    match.looked("Ben", look(1, 4 * S, 2, 2, 2), PICTURE)
    match.claimed("Anna", 5 * S)
    match.claimed("Ben", 6 * S)
    finish(match, 9 * S)
    assert not told.of("won")
    match.answered(yes=True, t_ns=9 * S)
    finish(match, 9 * S + 1)
    assert [each["player"] for each in told.of("won")] == ["Anna"]


def test_without_an_answer_the_final_state_says_that_it_is_not_certain(
    match: TenziSession, told: Told
) -> None:
    match.go(0)
    match.looked("Anna", look(0, 4 * S, 4, 4, None), PICTURE)
    match.claimed("Anna", 5 * S)
    match.ended(9 * S)
    assert match.final()["certain"] is False
    assert not told.of("won")


def test_a_shout_is_a_claim_where_just_one_lane_qualifies(match: TenziSession, told: Told) -> None:
    match.go(0)
    match.shouted(2 * S)
    assert not told.of("claimed")
    match.looked("Ben", look(1, 4 * S, 2, 2, 2), PICTURE)
    match.shouted(5 * S)
    assert [each["player"] for each in told.of("claimed")] == ["Ben"]
    match.looked("Anna", look(0, 5 * S + MS, 4, 4, 4), PICTURE)
    match.shouted(6 * S)
    assert len(told.of("claimed")) == 1


def test_the_clip_is_judged_from_the_video_kept_and_verified(tmp_path: Path) -> None:
    session = clip("tenzi")
    result = CliRunner().invoke(
        app,
        [
            "play",
            "tenzi",
            "--source",
            str(session.video),
            "--players",
            "Anna,Ben",
            "--profile",
            str(session.folder / "profile.json"),
            "--claims",
            str(session.folder / "truth.json"),
            "--set",
            "dice=3",
            "--set",
            "rounds_to_win=1",
            "--store",
            str(tmp_path),
            "--json",
        ],
    )
    assert result.exit_code == 0, result.output
    lines: list[dict[str, Any]] = [json.loads(line) for line in result.stdout.splitlines()]
    final = lines[-1]
    assert final["winners"] == session.truth["winners"]
    assert final["certain"] is True
    seen = {
        each["player"]: each for each in lines if each.get("event") == "seen" and len({*each["values"]}) == 1
    }
    true_s = session.truth["conditions"]["finish_s"][0]["Ben"]
    assert abs(seen["Ben"]["t_s"] - true_s) <= 1 / session.truth["fps"] + 0.002
    verified = CliRunner().invoke(app, ["games", "verify", "--store", str(tmp_path)])
    assert verified.exit_code == 0, verified.output


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ([], "--profile"),
        (["--web"], "leave out --web"),
        (["--go", "soon"], "--go wants"),
        (["--claims", "nowhere.json"], "nowhere.json"),
    ],
)
def test_wrong_input_is_told_in_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], extra: list[str], words: str
) -> None:
    session = clip("tenzi")
    profile = [] if not extra else ["--profile", str(session.folder / "profile.json")]
    common = [
        "play",
        "tenzi",
        "--source",
        str(session.video),
        "--players",
        "Anna,Ben",
        "--store",
        str(tmp_path),
    ]
    assert main([*common, *profile, *extra]) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err
    assert not list(tmp_path.iterdir())
