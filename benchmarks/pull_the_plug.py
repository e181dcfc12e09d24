"""Pull the plug on games at random moments, and see that nothing that had been shown is missing.

    python -m benchmarks.pull_the_plug [--kills 300] [--seed 1] [--faults]

Each round starts a process that takes up the running game (or begins one), plays it at full speed, and tells
over a pipe what it shows, after it has shown it. It is killed with SIGKILL at a random moment. Then:

* the chain of hashes of the whole store must hold, with every evidence picture;
* every row that was behind something shown must be there, and the totals from them must be those shown;
* the process that comes next must have taken the game up within 10 s.

With `--faults` half a transaction is also left at the end of the write-ahead log in every second round, as an
SD card leaves it that lost its power while writing.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from random import Random

from benchmarks.scripted_evening import Evening, session_of
from device.displays.view import ScoreView
from device.gamelog import farkle_game
from device.store import FILE_NAME, open_reader, open_writer
from scorer.farkle import fold

RESUME_WITHIN_S = 10.0
_LONGEST_S = 0.8
"""A process is killed after at most so long, most of them much earlier."""


class _PipeDisplay:
    """Tells what it shows, a line a view, after the fact."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self.rows = 0
        self.game = 0  # while it is not known nothing is told

    def show(self, view: ScoreView) -> None:
        """Write one whole line; a pipe takes lines of this length wholly or not at all."""
        if not self.game:
            return
        totals = {line.name: line.total for line in view.players}
        line = json.dumps({"game": self.game, "rows": self.rows, "totals": totals})
        os.write(self._pipe, line.encode() + b"\n")

    def close(self) -> None:
        """Nothing to close: the pipe ends with the process."""


def _play(folder: Path, pipe: int, seed: int) -> None:
    """Play on until killed, one game after the other."""
    random = Random(seed)
    display = _PipeDisplay(pipe)
    with open_writer(folder) as store:

        def count(data: Mapping[str, object]) -> None:
            display.rows = store.game(display.game).events

        while True:
            display.game = 0
            session, number = session_of(store, display, emit=count)
            display.game, display.rows = number, store.game(number).events
            display.show(session.view)
            evening = Evening(session, random)
            while evening.step():
                pass


def _round(folder: Path, seed: int, after_s: float) -> tuple[list[dict[str, object]], float]:
    """Let a process play and kill it; return what it has shown, and when the first thing was shown."""
    reader, writer = os.pipe()
    began = time.monotonic()
    with warnings.catch_warnings():
        # Python 3.12 warns of threads; those of the numeric libraries sleep, and the child uses none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            _play(folder, writer, seed)
        finally:
            os._exit(70)  # only reached by a fault: the parent sees it
    os.close(writer)
    text = b""
    first_s = 0.0
    deadline = None
    os.set_blocking(reader, False)
    while deadline is None or time.monotonic() < deadline:
        try:
            chunk = os.read(reader, 1 << 16)
            if not chunk:
                break
        except BlockingIOError:
            time.sleep(0.0005)
            if time.monotonic() - began > RESUME_WITHIN_S:
                break
            continue
        text += chunk
        if deadline is None:
            first_s = time.monotonic() - began
            deadline = time.monotonic() + after_s
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise SystemExit(f"the game of round {seed} ended by itself: a fault of the program (seen above)")
    os.set_blocking(reader, True)
    while chunk := os.read(reader, 1 << 16):
        text += chunk
    os.close(reader)
    lines = text.split(b"\n")[:-1]
    if not lines:
        raise SystemExit(f"round {seed}: the game was not taken up within {RESUME_WITHIN_S:g} s")
    return [json.loads(line) for line in lines], first_s


def _check(folder: Path, shown: list[dict[str, object]]) -> list[str]:
    """Return what does not fit, a sentence each."""
    wrong: list[str] = []
    with open_reader(folder) as store:
        wrong += [fault.reason for fault in store.verify()]
        for line in shown[-40:]:  # the ones before were checked by the rounds before, or are their prefixes
            number, rows = int(str(line["game"])), int(str(line["rows"]))
            stored = store.game(number)
            records = store.records(number)[:rows]
            if len(records) < rows:
                wrong.append(f"game {number}: {rows} rows were shown, {len(records)} are there")
                continue
            kept = farkle_game(stored, records)
            totals = dict(zip(kept.players, fold(kept.rules, kept.players, kept.events).totals, strict=True))
            if totals != line["totals"]:
                wrong.append(f"game {number}: {line['totals']} was shown, {totals} comes out")
    return wrong


def _tear(folder: Path, random: Random) -> bool:
    """Append half a transaction to the log, as a disk leaves it that lost power while writing."""
    log = folder / f"{FILE_NAME}-wal"
    if not log.exists() or log.stat().st_size < 64:
        return False
    whole = log.read_bytes()
    page = whole[32 : 32 + 4096 + 24]
    torn = bytearray(page[: random.randint(1, len(page))])
    torn[random.randrange(len(torn))] ^= 0xFF
    with log.open("ab") as file:
        file.write(torn)
    return True


def main() -> None:
    """Run the rounds and print what came of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", action="store_true", help="tear the end of the log too")
    options = parser.parse_args()
    random = Random(options.seed)
    shown = events = torn = 0
    slowest_s = 0.0
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="croupier-plug-") as name:
        folder = Path(name)
        for number in range(options.kills):
            lines, first_s = _round(
                folder, options.seed * 100_003 + number, random.random() ** 2 * _LONGEST_S
            )
            slowest_s = max(slowest_s, first_s)
            shown += len(lines)
            if options.faults and number % 2:
                torn += _tear(folder, random)
            wrong += [f"kill {number + 1}: {reason}" for reason in _check(folder, lines)]
        with open_reader(folder) as store:
            games = store.games()
            events = sum(game.events for game in games)
    print(f"{options.kills} kills, {len(games)} games, {events} events on disk, {shown} views shown")
    if options.faults:
        print(f"the log was torn {torn} times")
    print(f"a game was taken up again within {slowest_s:.2f} s at most")
    print(f"{len(wrong)} events or totals missing or changed" + ("" if wrong else ": nothing was lost"))
    for sentence in wrong[:20]:
        print(f"  {sentence}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
