"""The bridge from pixels to lanes, zones and millimetres, and a game played on a calibrated table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from calibration.geometry import TableGeometry
from calibration.profile import CameraId, Lane, Profile, Zone, save_profile
from device.cameras import open_source
from device.commands.watch import by_lane, event_as_dict
from device.errors import BadInput
from device.lanes import Lanes, lane_views, load_lanes
from device.playing import Wanted, play_game
from device.sim import ScriptedWatcher, scripted_die
from vision.tracking import Track
from vision.watch import Observation

PX_PER_MM = 2.0
TWO_LANES = (
    Zone("roll", "1", ((0, 0), (150, 0), (150, 150), (0, 150))),
    Zone("tray", "1", ((0, 160), (150, 160), (150, 200), (0, 200))),
    Zone("roll", "2", ((160, 0), (310, 0), (310, 150), (160, 150))),
    Zone("tray", "2", ((160, 160), (310, 160), (310, 200), (160, 200))),
    Zone("bank", "2", ((290, 0), (310, 0), (310, 20), (290, 20))),
)


def profile(zones: tuple[Zone, ...] = TWO_LANES, lanes: tuple[str, ...] = ("1", "2")) -> Profile:
    """A camera that looks straight down, two pixels a millimetre."""
    return Profile(
        name="two lanes",
        camera=CameraId("file", 640, 480),
        table_from_image=((1 / PX_PER_MM, 0, 0), (0, 1 / PX_PER_MM, 0), (0, 0, 1)),
        zones=zones,
        lanes=tuple(Lane(name) for name in lanes),
        die_mm=16.0,
        still_mm=1.5,
        made="2026-01-01",
    )


def lanes_of(**changes: object) -> Lanes:
    return Lanes(TableGeometry(profile(**changes)))  # type: ignore[arg-type]


def die(ident: int, x_mm: float, y_mm: float, value: int, *, moved: bool = True) -> Track:
    side = 16 * PX_PER_MM
    box = (x_mm * PX_PER_MM - side / 2, y_mm * PX_PER_MM - side / 2, side, side)
    return Track(ident, scripted_die(value, box), moved)


def rest(frame: int, *dice: Track) -> Observation:
    return Observation("rest", frame * 100_000_000, frame, dice)


def test_each_die_is_in_the_lane_and_zone_where_it_lies() -> None:
    lanes = lanes_of()
    places = [lanes.place(die(1, *at, 3)) for at in ((20, 20), (20, 180), (200, 20), (300, 180), (300, 10))]
    assert [(place.lane, place.zone) for place in places if place is not None] == [
        ("1", "roll"),
        ("1", "tray"),
        ("2", "roll"),
        ("2", "tray"),
        ("2", "roll"),  # a bank zone is for hands
    ]


def test_a_die_over_the_line_counts_and_one_far_off_does_not() -> None:
    lanes = lanes_of()
    just_over, far_off = lanes.place(die(1, 315, 75, 3)), lanes.place(die(1, 318 + 24, 75, 3))
    assert just_over is not None
    assert just_over.lane == "2"
    assert far_off is None


def test_a_rest_becomes_one_view_for_each_lane_in_which_something_moved() -> None:
    seen = rest(1, die(1, 20, 20, 3, moved=False), die(2, 200, 20, 5), die(3, 300, 180, 1, moved=False))
    (view,) = lane_views(seen, lanes_of())
    assert view.lane == "2"
    assert [(each.id, each.value, each.zone) for each in view.dice] == [(2, 5, "roll"), (3, 1, "tray")]
    assert view.dice[0].at == pytest.approx((200 / 16, 20 / 16), abs=0.6)


def test_one_roll_zone_is_everybodys_whatever_it_is_called() -> None:
    lanes = lanes_of(zones=(TWO_LANES[0], TWO_LANES[1]), lanes=("1",))
    assert lanes.names == ()
    (view,) = lane_views(rest(1, die(1, 20, 20, 3), die(2, 20, 180, 1)), lanes)
    assert (view.lane, [each.zone for each in view.dice]) == (None, ["roll", "tray"])


def test_players_have_the_lanes_of_their_names_or_in_order() -> None:
    assert lanes_of().seats(("Anna", "Ben")) == ("1", "2")
    assert lanes_of().seats(("2", "1")) == ("2", "1")
    with pytest.raises(BadInput, match="3 play, but the profile 'two lanes' has lanes for 2"):
        lanes_of().seats(("Anna", "Ben", "Cara"))


def test_the_watcher_is_told_sizes_and_bank_zones() -> None:
    area = lanes_of().area()
    assert area.die_px == pytest.approx(32, rel=0.5)
    assert area.shift_sizes == pytest.approx(1.5 / 16)
    assert [tuple(round(side) for side in box) for box in area.signs_px] == [(580, 0, 40, 40)]
    assert lanes_of().sign_lane(0) == "2"


def test_watch_tells_the_lane_of_a_throw_and_nothing_of_the_tray() -> None:
    lanes = lanes_of()
    thrown = rest(1, die(1, 200, 20, 5), die(2, 220, 60, 2), die(3, 20, 180, 1))
    ((lane, one),) = by_lane(thrown, lanes)
    event = event_as_dict(one, lane, lanes)
    assert (event["lane"], event["values"]) == ("2", [2, 5])
    assert event["dice"][0]["zone"] == "roll"
    assert event["dice"][0]["place_mm"] == pytest.approx([200, 20], abs=6)
    assert by_lane(rest(2, die(4, 20, 180, 1)), lanes) == []


def test_a_profile_of_another_camera_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    save_profile(profile(), path)
    with pytest.raises(BadInput, match="is for pictures of 640x480 pixels, clip gives 1280x720"):
        load_lanes(path, "clip", (1280, 720))
    path.write_text("{}")
    with pytest.raises(BadInput, match=r"p\.json"):
        load_lanes(path, "clip")


# A whole game on two lanes


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    """Pictures of an empty table: what happens on it is scripted."""
    import cv2

    folder = tmp_path / "frames"
    folder.mkdir()
    for index in range(40):
        cv2.imwrite(str(folder / f"{index:03d}.png"), np.full((480, 640, 3), 90, np.uint8))
    return folder


def played(
    tmp_path: Path, frames: Path, observations: Sequence[Observation], **changes: object
) -> tuple[list[dict[str, object]], dict[str, object]]:
    tmp_path.mkdir(exist_ok=True)
    path = tmp_path / "p.json"
    save_profile(profile(), path)
    events: list[dict[str, object]] = []
    wanted = Wanted(
        game="farkle",
        source=str(frames),
        players=("Anna", "Ben"),
        settings=("opening=0",),
        displays=("none",),
        store=tmp_path / "store",
        profile=path,
        fps=10.0,
        **changes,  # type: ignore[arg-type]
    )
    final = play_game(
        wanted, write=lambda data: events.append(dict(data)), watcher=ScriptedWatcher(observations)
    )
    return events[:-1], final


def throw(first_id: int, lane: int, *faces: int) -> tuple[Track, ...]:
    return tuple(die(first_id + i, 160 * lane + 20 + 22 * i, 40, face) for i, face in enumerate(faces))


def test_a_game_on_two_lanes_from_rests_to_totals(tmp_path: Path, frames: Path) -> None:
    tray = (die(11, 20, 180, 1), die(12, 45, 180, 5))
    left = tuple(die(ident, 20 + 22 * ident, 40, face, moved=False) for ident, face in ((3, 3), (4, 4)))
    observations = [
        rest(2, *throw(1, 0, 1, 5, 3, 4, 6, 6)),
        rest(6, *tray, *left),
        rest(10, *(Track(each.id, each.detection, False) for each in tray), *throw(20, 0, 2, 2, 2, 3)),
        rest(20, *throw(30, 1, 2, 2, 3, 4, 6, 6)),
    ]
    events, final = played(tmp_path, frames, observations)
    assert [event["event"] for event in events] == [
        "rolled",
        "set_aside",
        "rolled",
        "set_aside",
        "banked",
        "rolled",
    ]
    assert final["totals"] == {"Anna": 350, "Ben": 0}
    assert final["certain"] is True


def test_a_hand_over_the_bank_zone_banks_where_that_is_not_switched_off(tmp_path: Path, frames: Path) -> None:
    sign = Observation("sign", 1_500_000_000, 15, sign=0)
    observations = [
        rest(2, *throw(1, 0, 1, 5, 3, 4, 6, 6)),
        rest(8, *throw(10, 1, 1, 1, 3, 4, 6, 6)),
        sign,
    ]
    events, final = played(tmp_path, frames, observations)
    assert [event["event"] for event in events][-1] == "banked"
    assert final["totals"] == {"Anna": 150, "Ben": 200}
    _, off = played(tmp_path / "off", frames, observations, bank_by=("lane",))
    assert off["totals"] == {"Anna": 150, "Ben": 0}


def test_a_way_to_bank_that_does_not_exist_is_one_sentence(tmp_path: Path, frames: Path) -> None:
    with pytest.raises(BadInput, match="--bank-by 'nod' is not known; use passing, lane, zone or none"):
        played(tmp_path, frames, [], bank_by=("nod",))
    assert not (tmp_path / "store").exists()


def test_a_recorded_session_holds_what_a_test_needs(tmp_path: Path, frames: Path) -> None:
    folder = tmp_path / "kept"
    observations = [rest(2, *throw(1, 0, 1, 5, 3, 4, 6, 6)), rest(8, *throw(10, 1, 1, 1, 3, 4, 6, 6))]
    events, final = played(tmp_path, frames, observations, record=folder)
    lines = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert lines == [*events, final]
    game = json.loads((folder / "game.json").read_text())
    assert (game["players"], game["preset"]) == (["Anna", "Ben"], "farkle")
    assert (folder / "profile.json").read_bytes() == (tmp_path / "p.json").read_bytes()
    with open_source(str(folder / "video.mkv")) as video:
        assert sum(1 for _ in video) == 40
    with pytest.raises(BadInput, match="is not an empty folder"):
        played(tmp_path, frames, observations, record=folder)
