"""A game in a process of its own that waits after its Nth event, so that a test can kill it there."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from device.playing import play_game
from tests.device.test_session import evening, timed, wanted


def main(frames: str, store: str, wait_at: str) -> None:
    """Play the scripted evening; print every event, and hang in the one with the given number."""
    shown = 0

    def write(data: Mapping[str, object]) -> None:
        nonlocal shown
        shown += 1
        sys.stdout.write(json.dumps(data) + "\n")
        sys.stdout.flush()
        if shown == int(wait_at):
            sys.stdin.read()  # until the end of the world, or of the process

    play_game(wanted(Path(frames), Path(store)), write=write, watcher=timed(evening()))


if __name__ == "__main__":
    main(*sys.argv[1:])
