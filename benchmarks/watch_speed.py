"""How fast the watch follows a table, and whether it stays small: `python -m benchmarks.watch_speed`.

A table is drawn at 1280x720 beforehand; then its frames are pushed on one thread, without the network: what
is measured is the motion gate and the tracking. The processor time of this process counts, so that a busy
machine disturbs little; still, only the ratios say something on another machine. The reference is what the
simplest frame difference costs on the same pictures (grey, blur, difference, threshold).

    still     nothing changes; wanted: 60 frames a second or more
    moving    hand and dice in every frame; wanted: 25 or more
    reads     pictures that the reader was given in the whole clip of a throw

`--minutes N` then repeats the clip for so many minutes of table time and tells the memory in use before and
after.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from vision.frame import Frame, Image
from vision.sim import DiePath, HandPath, SimTable, TruthReader
from vision.watch import TableWatcher

WIDTH_PX, HEIGHT_PX, FPS = 1280, 720, 25.0
WANTED = {"still": 60.0, "moving": 25.0}
_PLACES = ((360.0, 220.0), (500.0, 500.0), (660.0, 320.0), (820.0, 540.0), (940.0, 270.0), (600.0, 150.0))
_FACES = (2, 4, 1, 1, 3, 6)


def drawn_table() -> SimTable:
    """A hand throws six dice; they lie still from 2.2 s on, until a hand takes them at 6 s."""
    dice = tuple(
        DiePath().thrown(1.0 + 0.03 * i, place, face, start=(1100, 600), takes_s=0.9).lifted(6.6)
        for i, (place, face) in enumerate(zip(_PLACES, _FACES, strict=True))
    )
    out = (1420.0, 780.0)
    throws = HandPath(((0.2, out), (0.8, (1080, 600)), (1.2, (1090, 600)), (1.8, out)), out, width_px=120)
    takes = HandPath(((5.8, out), (6.4, (700, 350)), (6.8, (600, 300)), (7.4, out)), out, width_px=160)
    return SimTable(dice, (throws, takes), width_px=WIDTH_PX, height_px=HEIGHT_PX, die_px=44)


def reference_ms(images: Sequence[Image]) -> float:
    """Milliseconds of processor time of the simplest frame difference, a frame."""
    before = None
    began = time.process_time()
    for image in images:
        grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (5, 5), 0)
        if before is not None:
            cv2.countNonZero(cv2.threshold(cv2.absdiff(grey, before), 12, 255, cv2.THRESH_BINARY)[1])
        before = grey
    return 1e3 * (time.process_time() - began) / len(images)


class Clip:
    """The drawn clip, which can be pushed any number of times, one after the other."""

    def __init__(self) -> None:
        """Draw it."""
        self.table = drawn_table()
        self.images = [frame.image for frame in self.table.frames(8.0, fps=FPS)]
        self.reader = TruthReader(self.table)
        self.watcher = TableWatcher(self.reader)
        self._frame = 0

    def push(self) -> list[float]:
        """Push the whole clip once; returns the milliseconds of each frame."""
        spent = []
        for index, image in enumerate(self.images):
            self.reader.t_s = index / FPS
            frame = Frame(image, round(1e9 * self._frame / FPS), self._frame)
            self._frame += 1
            began = time.process_time()
            self.watcher.push(frame)
            spent.append(1e3 * (time.process_time() - began))
        self.reader.calls.clear()
        return spent


def resident_mib() -> float:
    """Memory that this process holds, in MiB; NaN where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return float("nan")
    return pages * 4096 / 2**20


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; 1 when a frame rate that is wanted is not reached."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=0.0, help="of table time, for the memory")
    minutes = parser.parse_args(arguments).minutes
    cv2.setNumThreads(1)
    clip = Clip()
    clip.push()  # warms up
    reads = clip.watcher.reads
    spent = np.array(clip.push())
    reads = clip.watcher.reads - reads
    at = np.arange(len(spent)) / FPS
    parts = {
        "still": (at > 2.8) & (at < 5.7),
        "moving": ((at > 0.3) & (at < 1.9)) | ((at > 6.0) & (at < 7.2)),
    }
    plain = reference_ms(clip.images)
    say(f"{WIDTH_PX}x{HEIGHT_PX}, one thread; the simplest frame difference: {plain:.2f} ms a frame")
    slow = False
    for name, chosen in parts.items():
        ms = float(spent[chosen].mean())
        slow |= 1e3 / ms < WANTED[name]
        say(
            f"{name:<7} {ms:6.2f} ms a frame = {1e3 / ms:5.0f} frames a second, "
            f"{1e3 / ms / WANTED[name]:.1f} times the {WANTED[name]:.0f} that are wanted, "
            f"{ms / plain:.1f} times the reference; slowest frame {spent[chosen].max():.1f} ms"
        )
    say(f"reads   {reads} of {len(spent)} frames")
    if minutes > 0:
        before, rounds = resident_mib(), max(1, round(60 * minutes * FPS / len(spent)))
        for _ in range(rounds):
            clip.push()
        after = resident_mib()
        say(f"memory  {before:.1f} MiB before, {after:.1f} MiB after {minutes:g} minutes of table time")
    return int(slow)


def say(text: str) -> None:
    """Write one line."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
