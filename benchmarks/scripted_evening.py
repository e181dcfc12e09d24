"""Whole games without a camera, for benchmarks: dice of a seed, players who hesitate and undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

import numpy as np

from device.displays.view import Display
from device.gamelog import farkle_game
from device.session import Session
from device.sim import ScriptedTable
from device.store import GameHeader, GameStore
from scorer.farkle import Stage, State, fold, legal
from scorer.referee import Bank, Choose, Next, RollAgain, Undo, new_referee, resumed
from scorer.rules import preset
from scorer.scoring import score_table
from vision.frame import Image

PLAYERS = ("Anna", "Ben", "Åke")


def latest_unfinished(store: GameStore) -> int | None:
    """Return the number of the latest game that can go on."""
    for stored in reversed(store.games()):
        kept = farkle_game(stored, store.records(stored.id))
        if not fold(kept.rules, kept.players, kept.events).finished:
            return stored.id
    return None


def session_of(
    store: GameStore,
    display: Display,
    *,
    emit: Callable[[Mapping[str, object]], None] | None = None,
    target: int = 3000,
) -> tuple[Session, int]:
    """Take up the latest unfinished game of `store`, or begin one; return it and its number."""
    number = latest_unfinished(store)
    if number is None:
        rules = preset("farkle").replace(target=target)
        header = GameHeader(
            "farkle", "farkle", rules.settings(), PLAYERS, "script", "2026-01-01T20:00:00+01:00"
        )
        number, steps, referee = store.begin(header), 0, new_referee(rules, PLAYERS)
    else:
        records = store.records(number)
        kept = farkle_game(store.game(number), records)
        steps = max((record.step for record in records), default=0)
        referee = resumed(kept.rules, kept.players, kept.steps)
    session = Session(
        referee, store=store, game=number, display=display, title="Farkle", emit=emit, keys=True, steps=steps
    )
    return session, number


class Evening:
    """Plays a session to its end, step by step."""

    def __init__(self, session: Session, random: Random, picture: Image | None = None) -> None:
        """Play with dice of `random`; `picture` is kept as the evidence of every throw."""
        self._session = session
        self._random = random
        self._table = ScriptedTable()
        self._on_table: tuple[int, ...] = ()  # faces as they lie, in reading order
        self._picture = np.zeros((48, 64, 3), np.uint8) if picture is None else picture

    @property
    def t_ns(self) -> int:
        """Time of the script."""
        return self._table.t_ns

    def step(self) -> bool:
        """Throw once or press once; False when the game is over."""
        session, random = self._session, self._random
        game = session.referee.game
        if game.finished:
            return False
        question = session.asking
        if question is not None:
            session.pressed(Choose(1) if question.options else RollAgain(), self.t_ns)
        elif random.random() < 0.08:
            session.pressed(Undo(), self.t_ns)
        elif game.turn.stage is Stage.ROLLED and random.random() < 0.35:
            session.pressed(Bank(), self.t_ns)
        elif game.turn.stage is Stage.ASIDE and random.random() < 0.5:
            session.pressed(Bank() if legal(game).bank else Next(), self.t_ns)
        else:
            self._throw(game)
        return True

    def _throw(self, game: State) -> None:
        """Keep what scores best, if that is possible, and throw the rest."""
        keep = self._places_to_keep(game)
        count = game.rules.dice - len(keep)
        faces = tuple(self._random.randint(1, 6) for _ in range(count))
        observation = self._table.throw(*faces, keep=keep)
        self._on_table = (*(self._on_table[place - 1] for place in keep), *faces)
        self._session.observed(observation, self._picture)

    def _places_to_keep(self, game: State) -> tuple[int, ...]:
        if game.turn.stage is not Stage.ROLLED or game.throw is None:
            return ()
        kept = len(self._on_table) - len(game.turn.roll)
        if kept < 0:  # the table was cleared by a restart
            return ()
        table = score_table(game.rules).of(tuple(self._on_table[kept:]))
        if not table.selections:
            return ()
        wanted = list(self._random.choice(table.selections).dice)
        places = list(range(1, kept + 1))
        for place, face in enumerate(self._on_table[kept:], start=kept + 1):
            if face in wanted:
                wanted.remove(face)
                places.append(place)
        return () if len(places) >= game.rules.dice else tuple(places)
