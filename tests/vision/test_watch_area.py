"""The watch on a table that a calibration knows, and dice that come out from under a hand."""

from __future__ import annotations

from dataclasses import replace

from tests.vision.test_watch import (
    FACES,
    OUT,
    PLACES,
    assert_one_right_throw,
    of_kind,
    one_throw,
    throwing_hand,
    thrown_dice,
    values,
)
from vision.motion import MotionSettings, hand_blocks, tinted_blocks, view_of
from vision.sim import DiePath, HandPath, SimTable, TruthReader
from vision.watch import Observation, TableArea, TableWatcher


def seen_with(table: SimTable, seconds: float, area: TableArea, *, fps: float = 20.0) -> list[Observation]:
    reader = TruthReader(table)
    watcher = TableWatcher(reader, area=area)
    seen: list[Observation] = []
    for frame in table.frames(seconds, fps=fps):
        reader.t_s = frame.t_ns / 1e9
        seen += watcher.push(frame)
    return [*seen, *watcher.finish()]


def test_a_hand_held_over_a_sign_says_so_once() -> None:
    held = HandPath(((1.0, (640, 470)), (1.4, (520, 380)), (3.0, (520, 380)), (3.4, (660, 480))), OUT)
    table = SimTable(hands=(held,))
    seen = seen_with(table, 4.0, TableArea(die_px=40, signs_px=((10, 10, 40, 40), (530, 390, 50, 50))))
    signs = of_kind(seen, "sign")
    assert [one.sign for one in signs] == [1]
    assert 1.4 + 0.6 <= signs[0].t_s <= 3.0


def test_a_hand_that_passes_over_a_sign_says_nothing() -> None:
    passing = HandPath(((1.0, (640, 470)), (1.5, (300, 200)), (2.0, (640, 470))), OUT)
    area = TableArea(die_px=40, signs_px=((530, 390, 50, 50),))
    assert of_kind(seen_with(SimTable(hands=(passing,)), 3.0, area), "sign") == []


def test_what_moves_beside_the_table_does_not_delay_a_rest() -> None:
    # A toy car goes to and fro above the mat all the time.
    car = DiePath().lying((60, 22), 3)
    for step in range(12):
        car = car.slid(0.2 + 0.3 * step, (60.0 + 80 * ((step + 1) % 2), 22.0), takes_s=0.3)
    table = one_throw(dice=(*thrown_dice(), car))
    inside = TableArea(die_px=40, region_px=(90, 65, 540, 400))
    assert_one_right_throw(seen_with(table, 3.0, inside))


def test_dice_that_come_out_from_under_a_hand_rest_in_full_view_only() -> None:
    # The hand lies over the place where the dice stop, and goes away half a second later.
    over = HandPath(
        ((0.2, (640, 470)), (0.8, (250, 200)), (2.0, (250, 200)), (2.4, (660, 480))), OUT, width_px=150
    )
    seen = seen_with(SimTable(thrown_dice(), (over,)), 4.0, TableArea(die_px=40))
    rests = of_kind(seen, "rest")
    assert [values(rest) for rest in rests] == [sorted(FACES)]
    assert rests[0].t_s > 2.2


def test_dice_taken_from_the_border_leave_no_hand_behind() -> None:
    paths = tuple(
        DiePath().lying((60.0 + 44 * i, 30.0), face, angle_rad=0.0).lifted(1.5)
        for i, face in enumerate(FACES)
    )
    later = tuple(
        path.thrown(2.5, (place[0], place[1] + 60), face, start=(560, 400))
        for path, place, face in zip(paths, PLACES, FACES, strict=True)
    )
    seen = seen_with(SimTable(later), 5.0, TableArea(die_px=40))
    assert [values(rest) for rest in of_kind(seen, "rest")][-1] == sorted(FACES)
    assert of_kind(seen, "rest")[-1].t_s > 2.5


def test_a_plain_hand_is_told_from_the_table_by_its_tint_and_a_shadow_is_not() -> None:
    settings = MotionSettings()
    empty = view_of(SimTable(cloth="white").image(0.0))
    hand = HandPath(((0.0, (300, 240)), (9.0, (300, 240))), OUT, width_px=160)
    with_hand = view_of(SimTable(cloth="white", hands=(hand,)).image(1.0))
    shadow = view_of(SimTable(cloth="white", shadow=hand).image(1.0))
    tinted = tinted_blocks(empty, with_hand, settings)
    found = hand_blocks(tinted, 20.0)
    assert 0.05 < found.mean() < 0.4
    row, column = 300 // empty.block_px, 420 // empty.block_px  # the middle of the arm
    assert found[row, column]
    assert not tinted_blocks(empty, shadow, settings).any()


def test_what_dice_leave_behind_at_the_border_is_no_hand() -> None:
    import numpy as np

    changed = np.zeros((40, 60), bool)
    changed[0:6, 10:30] = True
    places = np.zeros_like(changed)
    places[0:7, 9:31] = True
    assert hand_blocks(changed, 50.0).any()
    assert not hand_blocks(changed, 50.0, places).any()


def test_the_same_table_may_be_moved_in_the_picture() -> None:
    table = replace(one_throw(), hands=(throwing_hand(),), _drawn={})
    watcher = TableWatcher(TruthReader(table), area=TableArea(die_px=40))
    watcher.moved_to(TableArea(die_px=36, region_px=(0, 0, 600, 400)), {})
    assert watcher.die_px == 36
