"""A table in a test: a game played in its own thread, as in the program, and phones that talk to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import numpy as np
from starlette.testclient import TestClient

from device.displays.recording import RecordingDisplay
from device.displays.several import SeveralDisplays
from device.playing import Wanted
from device.session import Session
from device.sim import Face, ScriptedTable
from device.store import GameHeader, open_writer
from device.web.app import make_app
from device.web.evening import Evening
from device.web.pairing import Pairing
from device.web.pin_display import PinDisplay
from scorer.referee import new_referee
from scorer.rules import preset
from vision.frame import Image
from vision.watch import Observation

PIN = "123456"
HOST = "testserver"
ORIGIN = f"http://{HOST}"
Json = dict[str, Any]


class Rig:
    """A game at a table with phones."""

    def __init__(self, folder: Path, clock: Callable[[], float] | None = None) -> None:
        self.clock_s = 0.0
        pairing = Pairing(folder, clock=clock or (lambda: self.clock_s), pin=PIN)
        self.evening = Evening(wanted(folder), folder, pairing)
        self.pairing = pairing
        self.app = make_app(self.evening, names=[HOST])
        self.display = RecordingDisplay()
        self.table = ScriptedTable()

    def see(self, observation: Observation, picture: Image | None = None) -> None:
        """Let the camera see something."""

        def work(session: Session | None, t_ns: int) -> None:
            assert session is not None
            session.observed(observation, picture)

        self.evening.desk.ask(work).result(timeout=30)

    def throw(self, *faces: Face, keep: Sequence[int] = ()) -> None:
        """Let the camera see a throw, with its picture."""
        self.see(self.table.throw(*faces, keep=keep), np.full((120, 160, 3), 90, np.uint8))

    @property
    def state(self) -> Json:
        """What the boards show."""
        return dict(self.evening.feed.state)


class Phone:
    """A browser."""

    def __init__(self, app: Any) -> None:
        self.client = TestClient(
            app, base_url=ORIGIN, headers={"origin": ORIGIN}, raise_server_exceptions=False
        )

    def pair(self, name: str = "phone") -> Phone:
        answer = self.client.post("/api/pair", json={"pin": PIN, "name": name})
        assert answer.status_code == 200, answer.text
        return self

    def get(self, path: str) -> httpx.Response:
        return self.client.get(path)

    def post(self, path: str, **body: object) -> httpx.Response:
        return self.client.post(path, json=body)

    def state(self) -> Json:
        return dict(self.client.get("/api/state").json())

    def does(self, path: str, **body: object) -> Json:
        """Change what is shown now; it must be accepted."""
        answer = self.post(f"/api/table/{path}", version=self.state()["version"], **body)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def press(self, name: str, **more: object) -> Json:
        return self.does("press", press=name, **more)


def wanted(folder: Path) -> Wanted:
    return Wanted(game="farkle", source="typed", players=(), displays=("none",), store=folder, dice="typed")


@contextmanager
def played(
    folder: Path,
    *,
    by_hand: bool = True,
    rules: str = "ten-thousand",
    players: tuple[str, ...] = ("Anna", "Ben"),
    title: str = "Test",
) -> Iterator[Rig]:
    """A game that is being played in a thread of its own."""
    rig = Rig(folder)
    ready, stop = threading.Event(), threading.Event()
    failed: list[BaseException] = []

    def play() -> None:
        try:
            with open_writer(folder) as store:
                made = preset(rules)
                header = GameHeader(
                    "farkle", rules, made.settings(), players, "typed", "2026-12-01T12:00:00+01:00"
                )
                attached = PinDisplay(rig.display, rig.pairing, rig.evening.desk)
                session = Session(
                    new_referee(made, players),
                    store=store,
                    game=store.begin(header),
                    display=SeveralDisplays((attached, rig.evening.desk.display)),
                    title=title,
                    by_hand=by_hand,
                )
                rig.evening.desk.begun(session)
                ready.set()
                while not stop.is_set():
                    rig.evening.desk.wait(0.02)
                    rig.evening.desk.serve(session, rig.table.t_ns)
        except BaseException as error:
            failed.append(error)
            ready.set()

    thread = threading.Thread(target=play, name="game")
    thread.start()
    try:
        assert ready.wait(60)
        assert not failed, failed
        yield rig
    finally:
        stop.set()
        thread.join(60)
    assert not failed, failed


@contextmanager
def evening(folder: Path) -> Iterator[Rig]:
    """An evening that waits for a phone to begin a game."""
    rig = Rig(folder)
    stop = threading.Event()
    failed: list[BaseException] = []

    def play() -> None:
        try:
            rig.evening.play(until=stop.is_set)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=play, name="evening")
    thread.start()
    try:
        yield rig
    finally:
        stop.set()

        def end(session: Session | None, t_ns: int) -> None:
            if session is not None:
                session.stopped = True

        rig.evening.desk.ask(end)
        thread.join(60)
    assert not failed, failed
