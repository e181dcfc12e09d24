"""How well races that nobody has seen are judged: `python -m benchmarks.race_score DIR --seeds N-M`.

For every seed a Tenzi match of one round is simulated into DIR (two to six lanes in turn, near ties, false
shouts and dice that lean by chance) and judged by `croupier play tenzi` from the pictures, with the claims of
its truth. Told for each: whether the winner, or the replay, is the true one; how far each finish that was
seen is from the true one, in frames; and finishes that never were.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.fresh_sessions import seeds_of

PLAYERS = ("Anna", "Ben", "Cara", "Dan", "Eva", "Finn")
FPS = 30.0


def simulate(folder: Path, seed: int, dice: int, fps: float) -> None:
    """Write the session of a seed, unless it is there."""
    if (folder / "truth.json").exists():
        return
    from device.cli import main as croupier

    players = ",".join(PLAYERS[: 2 + seed % 5])
    words = ["simulate", "tenzi", "--seed", str(seed), "--out", str(folder), "--players", players]
    code = croupier([*words, "--fps", f"{fps:g}", "--set", f"dice={dice}"])
    if code:
        raise SystemExit(f"seed {seed} could not be simulated (exit code {code})")


def judge(folder: Path) -> tuple[list[Mapping[str, object]], Mapping[str, object]]:
    """Judge the session; return everything that was told, and the final state."""
    from device.playing import Wanted
    from device.tenzi_play import RaceWanted, play_tenzi

    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    told: list[Mapping[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="croupier-race-") as store:
        wanted = Wanted(
            game="tenzi",
            source=str(folder / "video.mp4"),
            players=tuple(truth["players"]),
            settings=tuple(f"{name}={value}" for name, value in truth["settings"].items()),
            profile=folder / "profile.json",
            displays=("none",),
            store=Path(store),
        )
        final = play_tenzi(wanted, RaceWanted(claims=folder / "truth.json"), write=told.append)
    return told, final


def compared(folder: Path) -> dict[str, Any]:
    """Judge a session and compare it with its truth."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    told, final = judge(folder)
    (true_round,) = truth["rounds"]
    finishes = {name: t_ns / 1e9 for name, t_ns in true_round["finish_ns"].items()}
    seen: dict[str, float] = {}
    for each in told:
        values: Any = each.get("values", ())
        if each.get("event") == "seen" and len(values) == truth["settings"]["dice"] and len({*values}) == 1:
            seen.setdefault(str(each["player"]), float(str(each["t_s"])))
    verdict = next((each for each in told if each.get("event") in ("won", "replay")), None)
    said = None if verdict is None else verdict["player"] or "replay"
    true = "replay" if true_round["replay"] else true_round["winner"]
    return {
        "name": folder.name,
        "lanes": len(truth["players"]),
        "true": true,
        "said": said,
        "certain": final["certain"],
        "off_frames": [
            round((seen[name] - finishes[name]) * truth["fps"], 2) for name in finishes if name in seen
        ],
        "missed": sorted(set(finishes) - set(seen)),
        "false": sorted(set(seen) - set(finishes)),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate, judge and tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--seeds", type=seeds_of, required=True, metavar="N-M,...")
    parser.add_argument("--dice", type=int, default=10)
    parser.add_argument("--fps", type=float, default=FPS)
    given = parser.parse_args(arguments)
    rows = []
    for seed in given.seeds:
        folder = given.folder / f"race-{seed}"
        simulate(folder, seed, given.dice, given.fps)
        row = compared(folder)
        rows.append(row)
        print(json.dumps(row), flush=True)
    off = [abs(each) for row in rows for each in row["off_frames"]]
    right = sum(row["said"] == row["true"] for row in rows)
    wrong = sum(row["said"] is not None and row["said"] != row["true"] for row in rows)
    print(f"{len(rows)} rounds: {right} right, {len(rows) - right - wrong} left open, {wrong} wrong")
    if off:
        near = sum(each <= 1.0 + 1e-6 for each in off)
        print(f"{len(off)} finishes: median {median(off):.2f} frames off, {near} within one frame")
    missed, false = sum(len(row["missed"]) for row in rows), sum(len(row["false"]) for row in rows)
    print(f"{missed} finishes missed, {false} finishes that never were")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
