"""How fast the scorer is: `python -m benchmarks.scorer_speed`.

Rolls a second from a warm table, for three presets, and the replay of a game of a thousand events; both
beside a named baseline in the same run: looking the roll up in a plain dictionary, and reading the JSON of
the same game. Processor time, the best of several runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from time import process_time

from scorer.replay import replay
from scorer.rulebook import preset
from scorer.scoring import score_table

ROLLS = 1_000_000
PRESETS = ("farkle", "tiotusen", "zilch")


def best_of(runs: int, job: Callable[[], object]) -> float:
    """Return the least processor time of a job, in seconds."""
    times = []
    for _ in range(runs):
        began = process_time()
        job()
        times.append(process_time() - began)
    return min(times)


def thousand_events() -> dict[str, object]:
    """Return a game of 1,000 events as a document."""
    turn: list[list[object]] = [["rolled", [1, 2, 2, 3, 4, 6]], ["set_aside", [1]], ["banked"]]
    events = [*turn * 333, ["rolled", [1, 2, 2, 3, 4, 6]]]
    players = ["Anna", "Ben", "Cara"]
    settings = {"opening": 0, "target": 20_000}
    return {"game": "farkle", "preset": "farkle", "settings": settings, "players": players, "events": events}


def main() -> None:
    """Measure and print."""
    random = Random(20260301)
    rolls = [tuple(random.randint(1, 6) for _ in range(6)) for _ in range(ROLLS)]
    plain = dict.fromkeys(rolls, 0)

    def looked_up() -> None:
        for roll in rolls:
            plain[roll]

    base = best_of(3, looked_up)
    print(f"{'dictionary':>12s} {ROLLS / base / 1e6:6.2f} million rolls a second")
    for name in PRESETS:
        table = score_table(preset(name))

        def scored(of: Callable[..., object] = table.of) -> None:
            for roll in rolls:
                of(roll)

        scored()
        took = best_of(3, scored)
        rate = ROLLS / took / 1e6
        print(
            f"{name:>12s} {rate:6.2f} million rolls a second, {took / base:.1f} times the dictionary's time"
        )
    game = thousand_events()
    text = json.dumps(game)
    read, played = best_of(15, lambda: json.loads(text)), best_of(15, lambda: replay(game))
    print(f"replay of 1,000 events: {1000 * played:.1f} ms, {played / read:.0f} times reading its JSON")


if __name__ == "__main__":
    main()
