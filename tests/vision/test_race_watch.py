"""The race watch on a drawn table: throws, finish times, hands, and how much is read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vision.detection import Detection, DieState, Reading
from vision.frame import Image
from vision.race_watch import LaneLook, RaceSettings, RaceWatcher
from vision.sim import DiePath, HandPath, SimTable, TruthReader

FPS = 30.0
LEFT = [(20.0, 20.0), (310.0, 20.0), (310.0, 340.0), (20.0, 340.0)]
RIGHT = [(330.0, 20.0), (620.0, 20.0), (620.0, 340.0), (330.0, 340.0)]


def place(die: Detection) -> tuple[int, bool] | None:
    return (0 if die.centre_px[0] < 320 else 1), False


class Leaning:
    """A reader to whom the die at a place leans."""

    def __init__(self, inner: TruthReader, at: tuple[float, float]) -> None:
        self.inner, self.at = inner, at

    def read(
        self,
        image: Image,
        *,
        size_px: float | None = None,
        region_px: tuple[int, int, int, int] | None = None,
    ) -> Reading:
        reading = self.inner.read(image, size_px=size_px, region_px=region_px)
        return Reading(
            tuple(
                replace(die, value=None, state=DieState.COCKED)
                if abs(die.centre_px[0] - self.at[0]) + abs(die.centre_px[1] - self.at[1]) < 20
                else die
                for die in reading.dice
            )
        )


def watch(
    table: SimTable,
    seconds: float,
    *,
    dice: int,
    fps: float = FPS,
    leaning: tuple[float, float] | None = None,
) -> tuple[list[LaneLook], RaceWatcher]:
    reader = TruthReader(table)
    seen = reader if leaning is None else Leaning(reader, leaning)
    watcher = RaceWatcher(
        seen, [[LEFT], [RIGHT]], place, die_px=table.die_px, settings=RaceSettings(dice=dice)
    )
    looks: list[LaneLook] = []
    for frame in table.frames(seconds, fps=fps):
        reader.t_s = frame.t_ns / 1e9
        looks += watcher.push(frame)
    return looks, watcher


def thrown(n: int, *, x: float, t_s: float, face: int = 4) -> tuple[DiePath, ...]:
    """So many dice thrown into a lane; each takes a little longer than the one before."""
    return tuple(
        DiePath().thrown(
            t_s,
            (x + 70 * (i % 3), 80 + 80 * (i // 3)),
            face,
            start=(x + 60, 300),
            takes_s=0.5 + 0.05 * i,
            angle_rad=0.4 * i,
        )
        for i in range(n)
    )


def table(*dice: DiePath, hands: tuple[HandPath, ...] = ()) -> SimTable:
    return SimTable(dice, hands, width_px=640, height_px=360, die_px=28.0, noise=1.5)


def test_a_throw_is_seen_once_with_the_frame_in_which_its_last_die_came_to_lie() -> None:
    looks, _ = watch(table(*thrown(4, x=60, t_s=0.6)), 2.2, dice=4)
    (look,) = looks
    assert (look.lane, look.faces) == (0, (4, 4, 4, 4))
    came_s = 0.6 + 0.65
    assert abs(look.t_ns / 1e9 - came_s) <= 1.5 / FPS
    assert 0 < look.uncertainty_ns <= 2.01e9 / FPS


@pytest.mark.parametrize("fps", [60.0, 120.0])
def test_a_faster_camera_is_more_exact(fps: float) -> None:
    looks, _ = watch(table(*thrown(2, x=60, t_s=0.3)), 1.4, dice=2, fps=fps)
    assert abs(looks[0].t_ns / 1e9 - 0.85) <= 0.034


def test_lanes_are_followed_each_by_itself_while_the_other_moves() -> None:
    busy = DiePath()
    for i in range(6):
        busy = busy.thrown(0.3 + 0.5 * i, (380 + 30 * i, 200), 2, start=(580, 60), takes_s=0.5)
    looks, _ = watch(table(*thrown(3, x=60, t_s=0.4), busy), 1.9, dice=3)
    assert [(look.lane, look.faces) for look in looks] == [(0, (4, 4, 4))]


def test_nothing_is_read_while_nothing_changes() -> None:
    scene = table(*thrown(4, x=60, t_s=0.4))
    _, early = watch(scene, 1.8, dice=4)
    _, late = watch(scene, 3.0, dice=4)
    assert 0 < early.reads == late.reads


def test_a_die_that_leans_keeps_the_lane_from_finishing() -> None:
    looks, _ = watch(table(*thrown(4, x=60, t_s=0.4)), 2.0, dice=4, leaning=(130.0, 80.0))
    assert [look.faces for look in looks] == [(4, 4, 4)]


def test_dice_under_a_hand_are_remembered_and_a_finish_waits_until_all_are_in_view() -> None:
    hand = HandPath(((0.9, (100.0, 100.0)), (2.4, (100.0, 100.0))), shoulder=(-60.0, 100.0), width_px=90.0)
    first = thrown(2, x=60, t_s=0.2)
    last = DiePath().thrown(1.2, (220, 240), 4, start=(250, 300), takes_s=0.4)
    looks, watcher = watch(table(*first, last, hands=(hand,)), 3.0, dice=3)
    whole = [look for look in looks if look.faces == (4, 4, 4)]
    assert len(whole) == 1
    assert whole[0].found_ns >= 2.4e9
    assert len(watcher.dice(0)) == 3
    assert not watcher.hand_over(0)


def test_a_throw_that_shows_the_same_again_is_another_throw() -> None:
    again = DiePath().thrown(0.3, (100, 120), 5, start=(200, 300)).lifted(1.8)
    again = again.thrown(2.5, (210, 160), 5, start=(200, 300))
    lying = DiePath().thrown(0.3, (60, 60), 2, start=(200, 300))
    looks, _ = watch(table(again, lying), 3.8, dice=2)
    assert [look.faces for look in looks] == [(2, 5), (2, 5)]
