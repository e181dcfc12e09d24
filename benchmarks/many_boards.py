"""How long the game's thread is held up while many boards look on, and how soon a change reaches them.

    python -m benchmarks.many_boards [--boards 200] [--events 100]

A game is played in one process at 30 frames a second: the desk is served at each frame, and an event is
stored and shown every third one. The boards are WebSocket connections in another process, over loopback, so
that they do not share the game's interpreter. Reported are the time for which the game's thread is busy with
an event, without a board and with all of them, and the time from the event until a board has it (one clock).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from device.playing import Wanted
from device.session import Session
from device.store import GameHeader, open_writer
from device.web.evening import Evening
from device.web.pairing import Pairing
from device.web.server import Place, Server
from scorer.events import Entered
from scorer.referee import Played, new_referee
from scorer.rules import preset

FRAME_S = 1 / 30


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=200)
    parser.add_argument("--events", type=int, default=100)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder), wanted.boards, wanted.events)


def _measure(folder: Path, boards: int, events: int) -> None:
    players = ("Anna", "Ben", "Cara", "Dan")
    rules = preset("ten-thousand").replace(target=20000)
    evening = Evening(
        Wanted("farkle", "typed", players, displays=("none",), store=folder, dice="typed"),
        folder,
        Pairing(None),
    )
    with open_writer(folder) as store, Server(evening, Place("127.0.0.1", 0)) as server:
        header = GameHeader(
            "farkle", "ten-thousand", rules.settings(), players, "typed", "2026-12-01T12:00:00"
        )
        session = Session(
            new_referee(rules, players),
            store=store,
            game=store.begin(header),
            display=evening.desk.display,
            title="Benchmark",
            by_hand=True,
        )
        evening.desk.begun(session)
        alone = _play(evening, session, events)
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_look_on, args=(server.address, boards, theirs))
        process.start()
        connected = int(ours.recv())
        watched = _play(evening, session, events)
        ours.send("stop")
        delays: list[float] = ours.recv()
        process.join()
    print(f"{connected} boards connected")
    for name, times in (("no board", alone), (f"{connected} boards", watched)):
        print(f"game's thread, an event stored and shown, {name}: {_told(times)}")
    print(f"from the event to a board ({len(delays)} messages): {_told(delays)}")


def _play(evening: Evening, session: Session, events: int) -> list[float]:
    """Play so many events, three frames apart; return how long the game's thread was busy with each."""
    times = []
    for _ in range(events):
        start = time.perf_counter()
        player = session.referee.game.to_act
        assert player is not None
        session.pressed(Played((Entered(player, 50),)), 0)
        evening.desk.serve(session, 0)
        times.append(time.perf_counter() - start)
        for _ in range(3):
            evening.desk.wait(FRAME_S)
            evening.desk.serve(session, 0)
    return times


def _told(seconds: list[float]) -> str:
    return (
        f"median {statistics.median(seconds) * 1e3:.1f} ms, 95 % {_share(seconds, 0.95) * 1e3:.1f} ms, "
        f"longest {max(seconds) * 1e3:.1f} ms"
    )


def _share(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, round(share * len(values)))]


def _look_on(address: str, boards: int, pipe: Connection) -> None:
    """Connect the boards, and note how old each message is when it is there."""
    asyncio.run(_boards(address, boards, pipe))


async def _boards(address: str, boards: int, pipe: Connection) -> None:
    from websockets.asyncio.client import connect
    from websockets.typing import Origin

    live = address.replace("http", "ws") + "/api/live"
    delays: list[float] = []
    counting = False

    async def one() -> None:
        nonlocal counting
        async with connect(live, origin=Origin(address), compression=None) as socket:
            await socket.recv()
            ready.release()
            async for message in socket:
                if counting:
                    data = json.loads(message)
                    if "at_ms" in data:
                        delays.append(time.time() - data["at_ms"] / 1000)

    ready = asyncio.Semaphore(0)
    tasks = [asyncio.create_task(one()) for _ in range(boards)]
    for _ in range(boards):
        await ready.acquire()
    counting = True
    pipe.send(boards)
    await asyncio.to_thread(pipe.recv)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    pipe.send(delays)


if __name__ == "__main__":
    main()
