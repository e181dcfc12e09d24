"""`croupier bench`: the arithmetic of its figures, with a clock that the test sets."""

from __future__ import annotations

import numpy as np
import pytest

from device.commands.bench import measure_reading, timed
from device.sim import ScriptedReader, scripted_die
from vision.detection import Reading


def test_the_median_and_the_slowest_of_all_rounds() -> None:
    ticks = iter([0, 5_000_000, 10_000_000, 11_000_000, 20_000_000, 50_000_000])
    done: list[int] = []
    assert timed(lambda: done.append(1), 3, clock_ns=lambda: next(ticks)) == {
        "median_ms": 5.0,
        "slowest_ms": 30.0,
        "rounds": 3,
    }
    assert len(done) == 3


@pytest.mark.parametrize("rounds", [1, 4])
def test_one_more_reading_warms_up(rounds: int) -> None:
    reader = ScriptedReader([Reading((scripted_die(1, (0, 0, 9, 9)),))] * (rounds + 1))
    row = measure_reading(reader, np.zeros((30, 40, 3), np.uint8), rounds)
    assert len(reader.shapes) == rounds + 1
    assert (row["width_px"], row["height_px"], row["dice"], row["rounds"]) == (40, 30, 1, rounds)
