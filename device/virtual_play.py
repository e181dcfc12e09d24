"""A game with virtual dice in the terminal: people pick at the keyboard, computer players play themselves.

The same engine, store and displays as in front of a camera. The dice are sealed before the game and shown
after it (`device.virtual_dice`). A throw that was seen is never taken back: undo goes back to it, no further.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from device.advising import COMPUTER, advice_lines
from device.errors import BadInput, DeviceFailed
from device.virtual_dice import BY, SOURCE, VirtualDice, resumed_dice, reveal_finished, sealed_dice
from device.virtual_keys import NamedKeys, PipedKeys, TerminalNamedKeys
from device.virtual_table import Picked, VirtualTable
from scorer.events import Banked, Event, Rolled, SetAside, TookOver
from scorer.farkle import State, apply, fold, legal
from scorer.players import Throw, decide
from scorer.referee import Played, Undo

if TYPE_CHECKING:
    from device.displays.view import Display
    from device.playing import Wanted
    from device.session import Session
    from device.store import GameStore

PACE_S = 0.8
"""So long a move of a computer player can be read before the next one; any key goes on at once."""

Write = Callable[[Mapping[str, object]], None]


def play_virtual(
    wanted: Wanted,
    *,
    text: str = "",
    write: Write | None = None,
    keys: NamedKeys | None = None,
    seed: bytes | None = None,
    attached: Callable[[Display], Display] | None = None,
) -> dict[str, object]:
    """Play a game with virtual dice until it is over or somebody quits; return its final state.

    `text` is what the players add to the seed. `keys` takes the place of the keyboard and `seed` that of
    chance (for tests); `attached` wraps the displays.

    Raises:
        BadInput, RulesError: for what the user gave, before anything is written; or when the keys end while a
            person is to act (the game can be resumed).
        DeviceFailed: when a display fails; the game can be resumed.
    """
    from device.displays.several import SeveralDisplays, open_displays
    from device.playing import checked_rules, with_computers
    from device.store import open_writer, store_folder

    for given, option in ((wanted.profile, "--profile"), (wanted.record, "--record")):
        if given is not None:
            raise BadInput(f"--dice virtual has no camera; leave out {option}")
    if wanted.record_video is not None:
        raise BadInput("--dice virtual has no camera; leave out --record-video")
    wanted = replace(with_computers(wanted), source=SOURCE, keys=False)
    with ExitStack() as stack:
        rules = None if wanted.resume else checked_rules(wanted)
        if wanted.resume and text:
            raise BadInput("--seed-text is chosen before the first throw; leave it out with --resume")
        table = VirtualTable()
        others = [name for name in wanted.displays if name not in ("terminal", "none")]
        shown: Display = open_displays(others)
        if "terminal" in wanted.displays:
            shown = SeveralDisplays((table, shown))
        stack.callback(shown.close)
        if attached is not None:
            shown = attached(shown)
        store = stack.enter_context(open_writer(store_folder(wanted.store)))
        reveal_finished(store)
        if keys is None:
            keys = TerminalNamedKeys() if sys.stdin.isatty() else PipedKeys()
        stack.callback(keys.close)
        session, dice, levels = _begun(wanted, rules, store, shown, write, text=text, seed=seed)
        game = _Game(session, dice, levels, keys, table)
        announce(write, session.game, dice)
        game.play()
        final = session.final() | {"game": session.game, "seed_sha256": dice.seal}
        if session.referee.game.finished:
            final["seed"] = dice.reveal(game.now(), session.steps)
        if write is not None:
            write(final)
    # The displays are closed by now: the last words stay below them.
    say_goodbye(write, final)
    if session.display_fault:
        raise DeviceFailed(session.display_fault)
    return final


def announce(write: Write | None, game: int, dice: VirtualDice) -> None:
    """Publish the hash of the seed, before the first throw."""
    import typer

    if write is not None:
        write({"event": "sealed", "game": game, "sha256": dice.seal, "text": dice.text, "t_s": 0.0})
    else:
        added = f" The players added: {dice.text!r}." if dice.text else ""
        typer.echo(f"Game {game}. The dice are sealed; SHA-256 of their seed: {dice.seal}.{added}", err=True)


def say_goodbye(write: Write | None, final: Mapping[str, object]) -> None:
    """Show the seed of a game that is over, or say how to go on."""
    import typer

    if write is not None:
        return
    if "seed" in final:
        typer.echo(
            f"The seed was {final['seed']}.\n"
            f"Every throw can be checked: croupier games verify {final['game']}",
            err=True,
        )
    else:
        typer.echo(
            f"Game {final['game']} is not over; go on with: croupier play farkle --dice virtual --resume",
            err=True,
        )


def _begun(
    wanted: Wanted,
    rules: object,
    store: GameStore,
    shown: Display,
    write: Write | None,
    *,
    text: str,
    seed: bytes | None,
) -> tuple[Session, VirtualDice, dict[str, str]]:
    """Begin a game, or take up the latest unfinished one with these dice."""
    from device.gamelog import levels_of
    from device.playing import new_session
    from device.typed_play import NoCamera

    session = new_session(
        wanted,
        rules,  # type: ignore[arg-type]  # the rules that `checked_rules` found
        NoCamera(),
        store,
        shown,
        write,
        None,
        keys=False,
        by_hand=True,
    )
    levels = levels_of(store.records(session.game))
    if wanted.resume:
        return session, resumed_dice(store, session.game), levels
    return session, sealed_dice(store, session.game, text=text, seed=seed), levels


class _Quit(Exception):
    """Somebody wants to stop."""


class _Game:
    """The players, their keys and the dice."""

    def __init__(
        self,
        session: Session,
        dice: VirtualDice,
        levels: Mapping[str, str],
        keys: NamedKeys,
        table: VirtualTable,
    ) -> None:
        self._session = session
        self._dice = dice
        self._levels = levels
        self._keys = keys
        self._table = table
        # The whims of Easy follow from what is public: a game comes out the same again with the same keys.
        self._random = Random(dice.seal + dice.text)
        self._began = time.monotonic_ns()
        self._advising = False

    def now(self) -> int:
        """Nanoseconds since the program has begun to play."""
        return time.monotonic_ns() - self._began

    @property
    def _state(self) -> State:
        return self._session.referee.game

    def play(self) -> None:
        """Play until the game is over or somebody quits."""
        try:
            while (player := self._state.to_act) is not None:
                level = self._levels.get(player)
                if level is None:
                    self._ask(player)
                else:
                    self._let(player, level)
        except _Quit:
            pass
        self._table.pick(Picked())

    def _do(self, *events: Event, by: str = "key") -> None:
        self._session.pressed(Played(events), self.now(), by=by)

    def _throw(self, dice: int) -> None:
        self._do(Rolled(self._dice.throw(dice)), by=BY)

    def _let(self, player: str, level: str) -> None:
        """Let a computer player make one move."""
        choice = decide(level, self._state, self._random, self._session.advisor.wins)
        if isinstance(choice, Throw):
            self._throw(choice.dice)
        else:
            self._do(choice, by=COMPUTER)
        self._table.pick(Picked(note=f"{player} ({level}) {move_words(choice)}."))
        try:
            if self._keys.next(PACE_S) == "q":
                raise _Quit
        except EOFError:
            return  # computers need nobody at the keyboard

    def _ask(self, player: str) -> None:
        """Take keys until the player to act has done something."""
        hand = _Hand(self._state)
        while True:
            advice = tuple(advice_lines(self._state, self._session.advisor.wins)) if self._advising else ()
            self._table.pick(replace(hand.picked, advice=advice))
            try:
                key = self._keys.next()
            except EOFError:
                raise BadInput(
                    f"the keys have ended and {player} is to act; start it in a terminal, pipe more keys, or "
                    f"let a computer play ({player}:hard). Game {self._session.game} goes on with --resume"
                ) from None
            if key == "q":
                raise _Quit
            if key == "h":
                self._advising = not self._advising
            elif key == "w":
                self._session.showing("chances")
            elif key in ("u", "undo"):
                hand.note(self._undone())
                if not hand.picked.note:
                    return
            else:
                events = hand.feed(key)
                if events is not None:
                    self._carry_out(events)
                    return

    def _carry_out(self, events: tuple[Event | Throw, ...]) -> None:
        done = tuple(event for event in events if not isinstance(event, Throw))
        if done:
            self._do(*done)
        for event in events:
            if isinstance(event, Throw):
                self._throw(event.dice)

    def _undone(self) -> str:
        """Take back what was decided since the last throw; return why not, or nothing."""
        events = self._session.referee.events
        if not events or isinstance(events[-1], Rolled):
            return "A throw that was seen stays; only what was set aside or banked after it is taken back."
        referee = self._session.referee
        if fold(referee.rules, referee.players, events[:-1]).to_act in self._levels:
            return "What a computer player decided stays."
        self._session.pressed(Undo(), self.now())
        return ""


class _Hand:
    """The dice that the player to act has picked so far."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.picked = Picked(faces=state.turn.roll)

    def note(self, sentence: str) -> None:
        """Say what was wrong with a key."""
        self.picked = replace(self.picked, note=sentence)

    def feed(self, key: str) -> tuple[Event | Throw, ...] | None:
        """Take a key; return what is to be done, or None for nothing yet."""
        self.note("")
        faces = self.picked.faces
        if key == "r":
            return self._on(banks=False)
        if key == "b":
            return self._on(banks=True)
        if key == "t":
            return self._over()
        if key == "a":
            self._best()
        elif not faces:
            self.note("Press R to roll" + (", B to bank." if legal(self._state).bank else "."))
        elif key == "left":
            self.picked = replace(self.picked, cursor=(self.picked.cursor - 2) % len(faces) + 1)
        elif key == "right":
            self.picked = replace(self.picked, cursor=self.picked.cursor % len(faces) + 1)
        elif key == "pick":
            self._toggle(self.picked.cursor)
        elif key.isascii() and key.isdigit() and 1 <= int(key) <= len(faces):
            self._toggle(int(key))
        else:
            self.note(f"That key means nothing here; pick dice with Enter or 1 to {len(faces)}.")
        return None

    def _toggle(self, place: int) -> None:
        self._pick(self.picked.picks ^ {place}, place)

    def _pick(self, picks: frozenset[int], cursor: int) -> None:
        faces = self.picked.faces
        chosen = tuple(faces[place - 1] for place in sorted(picks))
        throw = self._state.throw
        found = throw.selection(chosen) if throw is not None and chosen else None
        worth = found.why if found is not None else "does not score like this" if chosen else ""
        self.picked = replace(self.picked, picks=picks, cursor=cursor, worth=worth)

    def _best(self) -> None:
        """Pick the dearest selection."""
        throw = self._state.throw
        if throw is None:
            self.note("There are no dice to pick; press R to roll.")
            return
        left, picks = list(throw.selections[0].dice), set()
        for place, face in enumerate(self.picked.faces, start=1):
            if face in left:
                left.remove(face)
                picks.add(place)
        self._pick(frozenset(picks), self.picked.cursor)

    def _on(self, *, banks: bool) -> tuple[Event | Throw, ...] | None:
        """Set the picked dice aside where there are any, then roll or bank."""
        state = self._state
        done: tuple[SetAside, ...] = ()
        throw = state.throw
        if throw is not None:
            chosen = tuple(self.picked.faces[place - 1] for place in sorted(self.picked.picks))
            if not chosen:
                self.note("Pick the dice to set aside first; A picks the best.")
                return None
            if throw.selection(chosen) is None:
                self.note(f"{' '.join(map(str, chosen))} may not be set aside; every die must score.")
                return None
            aside = SetAside(chosen)
            done, state = (aside,), apply(state, aside)
        may = legal(state)
        if banks:
            if may.bank:
                return (*done, Banked())
            self.note(f"{state.to_act} cannot bank: {may.why_no_bank}.")
        elif may.roll is not None:
            return (*done, Throw(may.roll))
        else:
            self.note("No dice may be rolled now; press B to bank.")
        return None

    def _over(self) -> tuple[Event | Throw, ...] | None:
        offer = legal(self._state).take_over
        if offer is None:
            self.note("There is nothing to take over.")
            return None
        return (TookOver(), Throw(offer.dice))


def move_words(choice: Event | Throw) -> str:
    """Return what a player does, in the words of the table.

    >>> move_words(SetAside((1, 5)))
    'keeps 1 5'
    """
    match choice:
        case Throw(dice):
            return f"throws {dice}"
        case SetAside(faces):
            return f"keeps {' '.join(map(str, faces))}"
        case TookOver():
            return "takes over"
        case _:
            return "banks"
