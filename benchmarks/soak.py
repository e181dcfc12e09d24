"""Eight hours at the table on a simulated clock: `python -m benchmarks.soak [--hours 8] [--every 15]`.

Games are played one after the other as the appliance plays them, but for the camera: the referee, the store
with its evidence pictures and their budget, and the display picture in full size, a step every few seconds of
table time. Told every hour of table time: memory in use, open files, and the megabytes that the process has
handed to the disk (set TMPDIR to a folder on a disk where /tmp is memory). 1 when the last hours needed more
memory or files than the first ones.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import cv2
import numpy as np

from benchmarks.scripted_evening import Evening, session_of
from benchmarks.watch_speed import resident_mib, say
from device.displays.several import open_displays
from device.store import open_writer
from vision.frame import Image

MOST_GROWTH = 1.03
"""The second half may need so much of what the first did; its first hour does not count: caches fill up."""


@dataclass(frozen=True, slots=True)
class Hour:
    """What was in use at the end of an hour."""

    memory_mib: float
    files: int
    written_mb: float
    """Handed to the disk since the beginning."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hours", type=float, default=8.0, help="of table time")
    parser.add_argument("--every", type=float, default=15.0, help="seconds of table time between two steps")
    parser.add_argument("--evidence-mb", type=float, default=20.0, help="budget of the evidence pictures")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    random, hours = Random(given.seed), [_now()]
    steps_an_hour = max(1, round(3600 / given.every))
    done, wanted, games = 0, round(given.hours * steps_an_hour), 0
    with (
        tempfile.TemporaryDirectory(prefix="croupier-soak-") as name,
        open_writer(Path(name), budget_mb=given.evidence_mb) as store,
    ):
        display = open_displays([f"picture:{Path(name) / 'board.png'}@1280x720"])
        picture = _table()
        while done < wanted:
            session, _ = session_of(store, display, target=10_000)
            evening = Evening(session, random, picture)
            games += 1
            while done < wanted and evening.step():
                done += 1
                if done % steps_an_hour == 0:
                    hours.append(_now())
                    _tell(len(hours) - 1, hours)
        display.close()
        kept_mb = sum(each.stat().st_size for each in Path(name).rglob("*.jpg")) / 1e6
        faults = store.verify()
    written = (hours[-1].written_mb - hours[0].written_mb) / max(given.hours, 1e-9)
    print(f"{games} games, {done} throws and presses; {written:.1f} MB written an hour of table time")
    print(f"evidence pictures: {kept_mb:.1f} MB kept of at most {given.evidence_mb:g}; {len(faults)} faults")
    flat = _flat(hours)
    print("memory and open files stay flat" if flat else "memory or open files have grown")
    return 0 if flat and not faults and kept_mb <= given.evidence_mb else 1


def _table() -> Image:
    """Return a picture as a camera of 1280x720 gives it, noise and all."""
    noise = np.random.default_rng(1).normal(0, 6, (720, 1280, 3))
    cloth = np.full((720, 1280, 3), (60, 110, 40)) + noise
    picture = np.clip(cloth, 0, 255).astype(np.uint8)
    for place in range(6):
        cv2.rectangle(picture, (200 + 140 * place, 320), (260 + 140 * place, 380), (235, 235, 235), -1)
        cv2.circle(picture, (230 + 140 * place, 350), 7, (20, 20, 20), -1)
    return picture


def _now() -> Hour:
    counted = dict(
        line.split(": ") for line in Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    )
    return Hour(resident_mib(), len(os.listdir("/proc/self/fd")), int(counted["write_bytes"]) / 1e6)


def _tell(number: int, hours: Sequence[Hour]) -> None:
    hour = hours[-1]
    grown = hour.written_mb - hours[-2].written_mb
    say(f"{number:3d} h  {hour.memory_mib:6.1f} MiB  {hour.files:3d} open files  {grown:6.1f} MB written")


def _flat(hours: Sequence[Hour]) -> bool:
    """Whether the second half needed no more than the first, after its first hour."""
    if len(hours) < 5:
        return True
    middle = (len(hours) + 1) // 2
    early, late = hours[2:middle] or hours[1:middle], hours[middle:]
    memory = max(hour.memory_mib for hour in late) <= MOST_GROWTH * max(hour.memory_mib for hour in early)
    return memory and max(hour.files for hour in late) <= max(hour.files for hour in early)


if __name__ == "__main__":
    sys.exit(main())
