"""Whether a long evening needs more and more memory: `python -m benchmarks.long_evening [--minutes 60]`.

A short session of tests/sessions is played again and again, game after game, as `croupier play` does it, but
without the network: camera, motion gate, tracking, drift guard, referee, store with its evidence pictures,
all of it, for so many minutes of table time. The memory in use is told every ten minutes; 1 when the second
half of the evening needed more than 3 % more than the first. The first minutes do not count: caches fill up.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2

from benchmarks.session_score import SessionReader
from benchmarks.watch_speed import resident_mib, say
from device.alignment import Alignment, reference_of
from device.cameras.source import Source
from device.displays.several import open_displays
from device.lanes import load_lanes
from device.playing import Wanted, make_watcher, new_session, run
from device.store import open_writer
from scorer.rules import preset
from tests.sessions.clips import clip
from vision.frame import Frame

GAME_MIN = 10.0
"""Minutes of table time of one game; more would reach the target."""
TELL_MIN = 10.0
"""Minutes of table time between two lines."""
MOST_GROWTH = 1.03
"""The second half of the evening may need so much of what the first did."""


class Again(Source):
    """The frames of one clip, over and over, with times that go on."""

    def __init__(self, video: Path, fps: float, minutes: float, reader: SessionReader) -> None:
        """Play `video` for so many minutes of table time; `reader` is told which frame is looked at."""
        self.name, self.fps = "clip", fps
        self._video, self._frames, self._reader = video, round(minutes * 60 * fps), reader
        self._index = 0
        self.memory_mib: list[float] = []
        """Memory in use, once a minute of table time."""

    @property
    def left(self) -> bool:
        """Whether the evening is not over yet."""
        return self._index < self._frames

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames of one game: ten minutes."""
        end = min(self._frames, self._index + round(GAME_MIN * 60 * self.fps))
        while self._index < end:
            capture = cv2.VideoCapture(str(self._video))
            place = 0
            while self._index < end:
                done, image = capture.read()
                if not done:
                    break
                self._reader.frame = place
                t_ns = round(self._index / self.fps * 1e9)
                yield Frame(image.astype("uint8", copy=False), t_ns=t_ns, index=self._index)
                self._index, place = self._index + 1, place + 1
                self._measure(self._index)
            capture.release()

    def _measure(self, index: int) -> None:
        if index % round(60 * self.fps):
            return
        self.memory_mib.append(resident_mib())
        if len(self.memory_mib) % TELL_MIN == 0:
            say(f"{len(self.memory_mib):4d} minutes  {self.memory_mib[-1]:.1f} MiB")

    def close(self) -> None:
        """Nothing is open between frames."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0, help="of table time")
    parser.add_argument("--clip", default="shared", help="folder of tests/sessions")
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    played = clip(given.clip)
    path = played.folder / "profile.json"
    reader = SessionReader(played.truth)
    source = Again(played.video, float(played.truth["fps"]), given.minutes, reader)
    lanes = load_lanes(path, "")
    rules = preset("farkle").replace(target=20_000)
    began, events = time.process_time(), 0
    with tempfile.TemporaryDirectory() as folder, open_writer(Path(folder)) as store:
        wanted = Wanted(game="farkle", source="clip", players=("Anna", "Ben"), profile=path)
        watcher = make_watcher(reader=reader, profile=path)
        guard = Alignment(lanes, reference_of(path, lanes.profile))
        while source.left:
            display = open_displays(("none",), hint="")
            session = new_session(wanted, rules, source, store, display, None, lanes, keys=False)
            run(source, watcher, session, guard=guard)
            events += len(session.referee.events)
    spent = time.process_time() - began
    half = len(source.memory_mib) // 2
    first = statistics.median(source.memory_mib[min(2, half) : half] or [float("nan")])
    second = statistics.median(source.memory_mib[half:] or [float("nan")])
    say(
        f"memory  {first:.1f} MiB in the first half, {second:.1f} MiB in the second; "
        f"{events} events, {spent:.0f} s of processor time for {given.minutes:g} minutes"
    )
    return int(second > MOST_GROWTH * first)


if __name__ == "__main__":
    sys.exit(main())
