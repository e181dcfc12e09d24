"""How well whole sessions are followed: `python -m benchmarks.session_score SESSION...`.

A SESSION is a folder as `croupier simulate` writes it (video.mp4, truth.json, perhaps profile.json), or one
that `croupier play --record` wrote, with the game as it really was beside it as truth.json. Each is played as
`croupier play` plays it, and what was committed is compared with what is true. One line a session, then the
sums. Nothing is judged by eye: the truth comes from the simulator's timeline.

    missed, doubled   throws of the truth that no `rolled` event stands for, and `rolled` events too many
    early             `rolled` events before the last die lay still
    set-asides        those of the truth that were committed, in order
    outcome           right: totals right and certain; asked: the final state says "certain": false;
                      WRONG: wrong totals shown as certain, the worst there is
    latency           from the true end of motion to the rest that was announced, seconds

With `--perfect` a reader that knows the truth takes the place of the network: what goes wrong then is the
fault of tracking or referee, not of reading. Needs the development install.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from device.playing import Wanted, make_watcher, play_game
from device.session import Watcher
from device.sim import scripted_die
from vision.detection import DiceReader, Reading
from vision.frame import Frame, Image
from vision.tracking import Track
from vision.watch import Observation, TableArea

_Plain = tuple[str, tuple[int, ...]]
GAME_EVENTS = ("rolled", "set_aside", "banked")


class SessionReader:
    """A `vision.detection.DiceReader` that knows the truth of a session; set `frame` before each picture."""

    def __init__(self, truth: Mapping[str, Any]) -> None:
        """Read the dice that lie still by `truth`, the content of a truth.json."""
        self._width = int(truth.get("width_px", 0))
        self._rests = truth.get("rests", ())
        self._lying = truth.get("lying")
        self.frame = 0
        """Index of the frame that is read."""

    def read(
        self,
        image: Image,
        *,
        size_px: float | None = None,
        region_px: tuple[int, int, int, int] | None = None,
    ) -> Reading:
        """Return the dice that lie on the table; see `vision.detection.DiceReader.read`."""
        scale = image.shape[1] / self._width
        dice = [
            scripted_die(
                None if die.get("cocked") else die["value"],
                tuple(v * scale for v in die["box_px"]),
                cocked=bool(die.get("cocked")),
            )
            for die in self._there()
        ]
        if region_px is not None:
            x, y, width, height = region_px
            dice = [
                die
                for die in dice
                if x <= die.centre_px[0] < x + width and y <= die.centre_px[1] < y + height
            ]
        return Reading(tuple(sorted(dice, key=lambda die: (die.centre_px[1], die.centre_px[0]))))

    def _there(self) -> list[Mapping[str, Any]]:
        if self._lying is not None:
            return [each for each in self._lying if each["from_frame"] <= self.frame <= each["to_frame"]]
        # Older files know the rests only: before one, the dice that are kept for it lie there already.
        coming = next((rest for rest in self._rests if self.frame <= rest["end_frame"]), None)
        if coming is None:
            return []
        return [die for die in coming["dice"] if self.frame >= coming["start_frame"] - 2 or die["kept"]]


class _Recorded:
    """A watcher that remembers what it said, and what each frame cost."""

    def __init__(self, watcher: Watcher, before: Callable[[Frame], None]) -> None:
        self._watcher, self._before = watcher, before
        self.seen: list[Observation] = []
        self.busy_s: list[float] = []
        self.reads = 0

    @property
    def unclear_s(self) -> float:
        return self._watcher.unclear_s

    def push(self, frame: Frame) -> tuple[Observation, ...]:
        self._before(frame)
        began = time.process_time()
        out = self._watcher.push(frame)
        self.busy_s.append(time.process_time() - began)
        self.reads = self._watcher.reads
        self.seen += out
        return out

    @property
    def dice(self) -> tuple[Track, ...]:
        return self._watcher.dice

    def moved_to(self, area: TableArea, centres_px: Mapping[int, tuple[float, float]]) -> None:
        self._watcher.moved_to(area, centres_px)

    def finish(self) -> tuple[Observation, ...]:
        out = self._watcher.finish()
        self.seen += out
        return out


@dataclass(slots=True)
class Score:
    """One session against its truth."""

    name: str
    throws: int
    missed: int
    doubled: int
    early: int
    set_asides: int
    set_asides_right: int
    outcome: str
    questions: int
    latencies_s: list[float]
    frame_s: float
    reads: int
    totals: dict[str, int]
    true_totals: dict[str, int]
    first_difference: str = ""
    reasons: list[str] = field(default_factory=list)

    def line(self) -> str:
        """The session as one line."""
        late = f"{statistics.median(self.latencies_s):.2f}" if self.latencies_s else "-"
        return (
            f"{self.name:<14} {self.outcome:<6} throws {self.throws - self.missed}/{self.throws}"
            f" doubled {self.doubled} early {self.early} set-asides {self.set_asides_right}/{self.set_asides}"
            f" questions {self.questions} latency {late} s, {1e3 * self.frame_s:.1f} ms a frame,"
            f" {self.reads} reads" + (f" | {self.first_difference}" if self.first_difference else "")
        )


def score_session(
    folder: Path, *, perfect: bool = False, profile: bool = True, reader: DiceReader | None = None
) -> Score:
    """Play one session and compare.

    Args:
        folder: holds video.mp4 and truth.json.
        perfect: whether a reader that knows the truth is used.
        profile: whether the profile.json of the session is used, where there is one.
        reader: takes the place of the network.
    """
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    knows = SessionReader(truth)
    path = folder / "profile.json"
    chosen = path if profile and path.is_file() else None

    def before(frame: Frame) -> None:
        knows.frame = frame.index

    watcher = _Recorded(make_watcher(reader=knows if perfect else reader, profile=chosen), before)
    events: list[Mapping[str, Any]] = []
    with tempfile.TemporaryDirectory() as store:
        wanted = Wanted(
            game=truth["game"],
            source=str(next(folder.glob("video.*"))),
            players=tuple(truth["players"]),
            preset=truth["preset"],
            settings=tuple(f"{name}={json.dumps(value)}" for name, value in truth["settings"].items()),
            displays=("none",),
            store=Path(store),
            profile=chosen,
        )
        final = play_game(wanted, watcher=watcher, write=events.append)
    return _scored(folder.name, truth, events, final, watcher)


def _scored(
    name: str,
    truth: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    final: Mapping[str, Any],
    watcher: _Recorded,
) -> Score:
    wanted = [_plain(event[0], event[1] if len(event) > 1 else ()) for event in truth["events"]]
    seen = _committed(events)
    same = SequenceMatcher(None, wanted, seen, autojunk=False).get_matching_blocks()
    matched = [wanted[block.a + k] for block in same for k in range(block.size)]
    count = {kind: sum(event[0] == kind for event in wanted) for kind in GAME_EVENTS}
    hit = {kind: sum(event[0] == kind for event in matched) for kind in GAME_EVENTS}
    rolled = sum(event[0] == "rolled" for event in seen)
    right = final["totals"] == truth["totals"]
    certain = bool(final["certain"])
    early, latencies = _early(truth, events, seen, wanted), _latencies(truth, watcher.seen)
    return Score(
        name=name,
        throws=count["rolled"],
        missed=count["rolled"] - hit["rolled"],
        doubled=max(0, rolled - hit["rolled"]),
        early=early,
        set_asides=count["set_aside"],
        set_asides_right=hit["set_aside"],
        outcome=("right" if right else "WRONG") if certain else "asked",
        questions=sum(event.get("event") in ("unsure", "paused") for event in events),
        latencies_s=latencies,
        frame_s=statistics.mean(watcher.busy_s) if watcher.busy_s else 0.0,
        reads=watcher.reads,
        totals=final["totals"],
        true_totals=truth["totals"],
        first_difference=_first_difference(wanted, seen),
        reasons=[
            f"{e['t_s']:.2f} s: {e['reason']}" for e in events if e.get("event") in ("unsure", "paused")
        ],
    )


def _plain(kind: str, faces: Sequence[int]) -> tuple[str, tuple[int, ...]]:
    return str(kind), tuple(sorted(faces))


def _committed(events: Sequence[Mapping[str, Any]]) -> list[tuple[str, tuple[int, ...]]]:
    """Return the events that stand at the end: those taken back are left out."""
    out: list[tuple[str, tuple[int, ...]]] = []
    for event in events:
        if event.get("event") == "undone":
            del out[len(out) - int(event["count"]) :]
        elif event.get("event") in GAME_EVENTS and "values" in event:
            out.append(_plain(event["event"], event["values"]))
    return out


def _first_difference(wanted: Sequence[object], seen: Sequence[object]) -> str:
    for index, (one, other) in enumerate(zip(wanted, seen, strict=False)):
        if one != other:
            return f"event {index}: true {_said(one)}, taken for {_said(other)}"
    if len(wanted) > len(seen):
        return f"event {len(seen)}: true {_said(wanted[len(seen)])}, nothing committed"
    return (
        f"event {len(wanted)}: committed {_said(seen[len(wanted)])}, true nothing"
        if len(seen) > len(wanted)
        else ""
    )


def _said(event: Any) -> str:
    return f"{event[0]} {' '.join(map(str, event[1]))}".strip()


def _latencies(truth: Mapping[str, Any], seen: Sequence[Observation]) -> list[float]:
    """Return how late each true rest was announced, in seconds."""
    fps, latencies, before = float(truth.get("fps", 30.0)), [], -1
    announced = [one for one in seen if one.kind == "rest"]
    for rest in truth.get("rests", ()):
        still = _still_frame(rest)
        for one in announced:
            faces = sorted(track.detection.value or 0 for track in one.dice)
            # With several sets of dice on the table those of other lanes are there too.
            all_there = not Counter(rest["values"]) - Counter(faces)
            if max(before + 1, still - 2) <= one.frame <= rest["end_frame"] + fps and all_there:
                latencies.append(max(0, one.frame - still) / fps)
                break
        before = rest["end_frame"]
    return latencies


def _still_frame(rest: Mapping[str, Any]) -> int:
    """The frame in which the last die came to lie; older files know the hand-free rest only."""
    return int(rest.get("still_frame", rest["start_frame"]))


def _early(
    truth: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    seen: Sequence[_Plain],
    wanted: Sequence[_Plain],
) -> int:
    """Count the throws that were committed before the last die lay still."""
    times = [event["t_s"] for event in events if event.get("event") == "rolled" and "values" in event]
    if any(event.get("event") == "undone" for event in events) or "rests" not in truth:
        return 0
    true_rolls = [event for event in wanted if event[0] == "rolled"]
    rolls = [event for event in seen if event[0] == "rolled"]
    early = 0
    for block in SequenceMatcher(None, true_rolls, rolls, autojunk=False).get_matching_blocks():
        for k in range(block.size):
            still = _still_frame(truth["rests"][block.a + k])
            early += times[block.b + k] * float(truth["fps"]) < still - 2
    return early


def main(arguments: Sequence[str] | None = None) -> int:
    """Score the sessions named on the command line; 1 when a wrong total was shown as certain."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sessions", nargs="+", type=Path, metavar="SESSION")
    parser.add_argument("--perfect", action="store_true", help="read by the truth, not by the network")
    parser.add_argument("--no-profile", action="store_true", help="do without the session's profile.json")
    parser.add_argument("--verbose", action="store_true", help="print what was asked, too")
    given = parser.parse_args(arguments)
    scores = []
    for folder in given.sessions:
        one = score_session(folder, perfect=given.perfect, profile=not given.no_profile)
        scores.append(one)
        lines = [one.line(), *(f"    asked at {reason}" for reason in one.reasons if given.verbose)]
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
    sys.stdout.write(summary(scores) + "\n")
    return 1 if any(one.outcome == "WRONG" for one in scores) else 0


def summary(scores: Sequence[Score]) -> str:
    """Return the sums of all sessions as one line."""
    late = sorted(value for one in scores for value in one.latencies_s)
    times = ""
    if late:
        most = late[int(0.95 * (len(late) - 1))]
        times = f", latency median {statistics.median(late):.2f} s, 95 % {most:.2f} s"
    kinds = ", ".join(
        f"{sum(one.outcome == kind for one in scores)} {kind}" for kind in ("right", "asked", "WRONG")
    )
    throws = sum(one.throws for one in scores)
    return (
        f"{len(scores)} sessions: {kinds}; {throws} throws, {sum(one.missed for one in scores)} missed,"
        f" {sum(one.doubled for one in scores)} doubled, {sum(one.early for one in scores)} early; set-asides"
        f" {sum(one.set_asides_right for one in scores)}/{sum(one.set_asides for one in scores)}{times}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
