"""Fair virtual dice of one stored game: sealed before it, shown after it, thrown again by `games verify`.

The rows of the store that say so, beside those of the game:

    ["sealed", sha256, text]      before the first throw: the hash of the seed, and what the players added
    ["revealed", seed]            after the last: the seed, in hexadecimal digits
    ["seats", name, level, ...]   which players are played by the computer

Until the game is over the seed lies in `seeds/` beside the store, readable by its owner only: a game can be
gone on with after the plug was pulled, and nobody sees it in the store. `scorer.fair_dice` is the arithmetic.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from device.errors import BadInput
from device.gamelog import REVEALED, SEALED, KeptGame, standing_game
from device.store import Fault, GameStore, Record, StoredGame
from scorer.errors import RulesError
from scorer.events import Rolled
from scorer.fair_dice import SEED_BYTES, seal, throw
from scorer.farkle import fold

if TYPE_CHECKING:
    from device.gamelog import Kept

BY = "dice"
"""Who throws: what stands in a row of the store beside a throw of these dice."""
SOURCE = "virtual"
"""What stands where a camera would be named."""
FOLDER = "seeds"


class VirtualDice:
    """The dice of one game."""

    def __init__(self, store: GameStore, game: int, seed: bytes, text: str, thrown: int) -> None:
        """Throw on: `thrown` throws were made before."""
        self._store = store
        self._game = game
        self._seed = seed
        self._thrown = thrown
        self.text = text
        """What the players added to the seed."""

    @property
    def seal(self) -> str:
        """The SHA-256 of the seed, published before the first throw."""
        return seal(self._seed)

    def throw(self, dice: int) -> tuple[int, ...]:
        """Return the faces of the next throw. No throw comes twice: one that was seen is never taken back."""
        self._thrown += 1
        return throw(self._seed, game=self._game, number=self._thrown, dice=dice, text=self.text)

    def reveal(self, t_ns: int, step: int) -> str:
        """Write the seed into the store, now that nothing depends on it any more; return its digits."""
        reveal(self._store, self._game, self._seed, t_ns, step)
        return self._seed.hex()


def sealed_dice(store: GameStore, game: int, *, text: str = "", seed: bytes | None = None) -> VirtualDice:
    """Choose a seed for a new game, keep it, and publish its hash; both are on disk when this returns.

    `seed` is for tests; any other is drawn from the system's own source of randomness.
    """
    chosen = secrets.token_bytes(SEED_BYTES) if seed is None else seed
    path = _seed_file(store, game)
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(handle, chosen.hex().encode())
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise BadInput(
            f"cannot keep the seed of the dice in {path.parent}: {error.strerror or error}; "
            "choose another folder with --store DIR"
        ) from error
    store.append(game, [Record((SEALED, seal(chosen), text), 0, BY)])
    return VirtualDice(store, game, chosen, text, 0)


def resumed_dice(store: GameStore, game: int) -> VirtualDice:
    """Return the dice of a game that goes on.

    Raises:
        BadInput: the game has no such dice, or their seed is lost.
    """
    records = store.records(game)
    row = next((record.event for record in records if record.event[0] == SEALED), None)
    if row is None:
        raise BadInput(f"game {game} was not played with virtual dice; go on without --dice virtual")
    try:
        seed = bytes.fromhex(_seed_file(store, game).read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        raise BadInput(
            f"the seed of the dice of game {game} is lost, so it cannot go on fairly; start a new one"
        ) from error
    if seal(seed) != row[1]:
        raise BadInput(
            f"the seed of the dice of game {game} was changed, so it cannot go on fairly; start a new one"
        )
    return VirtualDice(store, game, seed, str(row[2]), len(_thrown(records)))


def reveal(store: GameStore, game: int, seed: bytes, t_ns: int, step: int) -> None:
    """Write the seed of a game into its rows, and remove the file that kept it."""
    store.append(game, [Record((REVEALED, seed.hex()), t_ns, BY, step)])
    _seed_file(store, game).unlink(missing_ok=True)


def reveal_finished(store: GameStore) -> None:
    """Show the seeds of games that are over but had no time to show them: the plug was pulled just then."""
    for path in sorted((store.folder / FOLDER).glob("*.seed")):
        try:
            game = int(path.stem)
            stored, records = store.game(game), store.records(game)
            kept = standing_game(stored, records)
            seed = bytes.fromhex(path.read_text(encoding="ascii"))
        except (ValueError, OSError, BadInput, RulesError):
            continue  # `games verify` tells what is wrong with it
        if any(record.event[0] == REVEALED for record in records):
            path.unlink(missing_ok=True)
        elif isinstance(kept, KeptGame) and fold(kept.rules, kept.players, kept.events).finished:
            last = records[-1]
            reveal(store, game, seed, last.t_ns, last.step)


def dice_faults(stored: StoredGame, records: Sequence[Record], kept: Kept) -> Iterator[Fault]:
    """Throw every throw of a game again; return what does not come out as it was written down.

    A game of other dice has none. Before the seed is shown only what can be known without it is checked.
    """
    if stored.header.source != SOURCE or not isinstance(kept, KeptGame):
        return
    sealed = [(seq, record) for seq, record in enumerate(records) if record.event[0] == SEALED]
    rolled = _thrown(records)
    if len(sealed) != 1 or (rolled and rolled[0][0] < sealed[0][0]):
        yield Fault(stored.id, None, "the seed of the dice was not sealed once, before the first throw")
        return
    for seq, record in enumerate(records):
        if record.event[0] == "rolled" and record.by != BY:
            yield Fault(stored.id, seq, "this throw was not made by the dice of the program")
    thrown = [tuple(event.faces) for event in kept.events if isinstance(event, Rolled)]
    if thrown != [faces for _, faces in rolled]:
        yield Fault(stored.id, None, "the game that counts has other throws than the dice have made")
    _, published, text = sealed[0][1].event
    shown = [(seq, record) for seq, record in enumerate(records) if record.event[0] == REVEALED]
    if not shown:
        if fold(kept.rules, kept.players, kept.events).finished:
            yield Fault(stored.id, None, "the game is over and its seed was not shown; start another one")
        return
    seq, row = shown[0]
    seed = _bytes(row.event[1])
    if seed is None or seal(seed) != published:
        yield Fault(stored.id, seq, "the seed that was shown is not the one that was sealed")
        return
    for number, (place, faces) in enumerate(rolled, start=1):
        again = throw(seed, game=stored.id, number=number, dice=len(faces), text=str(text))
        if again != faces:
            was, gives = " ".join(map(str, faces)), " ".join(map(str, again))
            yield Fault(stored.id, place, f"throw {number} was written as {was}, but the seed gives {gives}")


def _bytes(digits: object) -> bytes | None:
    try:
        return bytes.fromhex(str(digits))
    except ValueError:
        return None


def _thrown(records: Sequence[Record]) -> list[tuple[int, tuple[int, ...]]]:
    """Return the throws of the dice: the place of the row, and the faces."""
    return [
        (seq, tuple(record.event[1]))  # type: ignore[arg-type]  # a throw has its faces there
        for seq, record in enumerate(records)
        if record.event[0] == "rolled" and record.by == BY
    ]


def _seed_file(store: GameStore, game: int) -> Path:
    return store.folder / FOLDER / f"{game:06d}.seed"
