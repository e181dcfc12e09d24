"""How well games that nobody has seen are followed: `python -m benchmarks.fresh_sessions DIR --seeds N-M`.

For every seed one Farkle session is simulated into DIR, of ten throws or more, and scored as
`benchmarks.session_score` does, by the network and with a reader that knows the truth. What is done
already is not done again: results are added to DIR/results.jsonl one by one, so that it may be stopped at any
time. The seed says everything: two to four players, a shared zone, a tray, lanes or lanes with trays, mishaps
and light by chance (`--difficulty mixed`). One session in seven has 25 frames a second, the others 15; lanes
are filmed at 1280x720, what has one zone mostly at 960x540. All of that only to save time: forty sessions
take an hour of one core.

`--small` makes pictures of 512x288 at ten frames a second, on which no die can be read: a twentieth of the
cost, for tracking and referee alone. A change of the watch makes old results worthless: `--again` scores
anew what is in DIR.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.session_score import Score, score_session, summary
from models.synth.conditions import random_conditions
from models.synth.recording import record
from models.synth.script import Script, write_script
from scorer.rules import preset

TABLES = ("shared", "tray", "lanes", "lanes-tray")
"""Kinds of tables, in turn."""
NAMES = ("Anna", "Ben", "Cara", "Dan")
"""As many as play."""
LEAST_THROWS = 10
"""Throws of a session."""
SMALL_PX = (512, 288)
"""About the size at which the motion gate looks at any picture."""
READERS = ("perfect", "network")
"""Who reads the dice."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seed stands for."""

    seed: int
    """The seed."""
    table: str
    """Kind of table."""
    players: tuple[str, ...]
    """Names in seat order."""
    size_px: tuple[int, int]
    """Width and height of the video."""
    fps: float
    """Its frames a second."""

    @property
    def name(self) -> str:
        """Name of the folder."""
        return f"{self.seed}-{self.table}"

    def script(self) -> tuple[Script, int]:
        """Return the game, and how many turns a player it takes to have enough throws."""
        for turns in range(1, 20):
            rng = np.random.default_rng([self.seed, 3])
            script = write_script(rng, preset("farkle"), self.players, turns=turns)
            if len(script.throws) >= LEAST_THROWS:
                break
        return script, turns

    def command(self) -> str:
        """Return the command that makes the same session."""
        wide, high = self.size_px
        return (
            f"croupier simulate farkle --seed {self.seed} --table {self.table} --players {len(self.players)}"
            f" --turns {self.script()[1]} --size {wide}x{high} --fps {self.fps:g}"
        )


def plan(seed: int, *, small: bool = False) -> Plan:
    """Return the session of a seed; `small`: too small to be read, but not to be followed."""
    table, fast = TABLES[seed % 4], seed % 7 == 0
    size = (1280, 720) if fast or table.startswith("lanes") else (960, 540)
    return Plan(
        seed=seed,
        table=table,
        players=NAMES[: 2 + seed // 4 % 3],
        size_px=SMALL_PX if small else size,
        fps=10.0 if small else 25.0 if fast else 15.0,
    )


def simulate(one: Plan, folder: Path) -> None:
    """Make the session of a plan, where it is not there yet."""
    if (folder / "video.mp4").is_file():
        return
    conditions = random_conditions(
        np.random.default_rng([one.seed, 2]),
        len(one.players),
        table=one.table,
        width_px=one.size_px[0],
        height_px=one.size_px[1],
        fps=one.fps,
    )
    record(folder, one.script()[0], conditions, seed=one.seed, preset="farkle", settings={})


def seeds_of(text: str) -> list[int]:
    """Read `900-939` or `900,905`.

    >>> seeds_of("3-5,9")
    [3, 4, 5, 9]
    """
    out: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out


def load(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Read the results so far, by folder and reader; the last of each counts."""
    if not path.is_file():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {(row["name"], row["reader"]): row for row in rows}


def score_of(row: dict[str, Any]) -> Score:
    """Return a result as `benchmarks.session_score` knows it."""
    return Score(**{key: value for key, value in row.items() if key != "reader"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate and score; 1 when a wrong total was shown as certain."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--seeds", type=seeds_of, required=True, metavar="N-M,...")
    parser.add_argument("--reader", choices=(*READERS, "none"), action="append", help="default: both")
    parser.add_argument(
        "--small", action="store_true", help="512x288 at 10 frames a second, for tracking alone"
    )
    parser.add_argument("--again", action="store_true", help="score again what has a result already")
    given = parser.parse_args(arguments)
    usual = READERS[:1] if given.small else READERS
    readers = [name for name in given.reader or usual if name != "none"]
    given.folder.mkdir(parents=True, exist_ok=True)
    results = given.folder / "results.jsonl"
    done = {} if given.again else load(results)
    for seed in given.seeds:
        one = plan(seed, small=given.small)
        folder = given.folder / one.name
        simulate(one, folder)
        for reader in readers:
            if (one.name, reader) in done:
                continue
            score = score_session(folder, perfect=reader == "perfect")
            done[one.name, reader] = row = {"reader": reader, **asdict(score)}
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            said = [f"{reader:<8} {score.line()}", *(f"    asked at {reason}" for reason in score.reasons)]
            sys.stdout.write("\n".join(said) + "\n")
            sys.stdout.flush()
    wrong = False
    for reader in readers:
        scores = [score_of(done[plan(seed).name, reader]) for seed in given.seeds]
        wrong |= any(score.outcome == "WRONG" for score in scores)
        sys.stdout.write(f"{reader}: {summary(scores)}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
