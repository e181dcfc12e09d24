"""Dice that nobody at the table has to trust: thrown from a secret seed that was sealed before the game.

Before the game the SHA-256 of a secret seed is published (`seal`). Every die of every throw then follows from
the seed by HMAC-SHA-256 (RFC 2104) over the game, the number of the throw and of the die, and a text that the
players may have chosen after they had seen the seal. After the game the seed is shown: whoever has it finds
every throw again. The seed cannot be another one afterwards (its hash was published), nor can it have been
chosen to suit the players' text (it was sealed before).

>>> throw(bytes(32), game=1, number=1, dice=6)
(4, 6, 2, 6, 4, 4)
"""

from __future__ import annotations

import hashlib
import hmac

SEED_BYTES = 32
"""A seed has so many bytes: as many as the hash, so that guessing it is hopeless."""
_FAIR = 252
"""The greatest multiple of 6 that a byte can reach: bytes from here on are drawn again, or 1 to 4 would come
more often (rejection sampling)."""


def seal(seed: bytes) -> str:
    """Return what is published of a seed before the game: its SHA-256, in hexadecimal digits.

    >>> seal(bytes(32))[:16]
    '66687aadf862bd77'
    """
    return hashlib.sha256(seed).hexdigest()


def throw(seed: bytes, *, game: int, number: int, dice: int, text: str = "") -> tuple[int, ...]:
    """Return the faces of a throw.

    `game` is the number of the game in its store, `number` counts its throws from 1, `text` is what the
    players added. The faces of one throw do not depend on how many dice it takes: its first die is the same
    whether one is thrown or six.
    """
    return tuple(_face(seed, game, number, die, text) for die in range(1, dice + 1))


def _face(seed: bytes, game: int, number: int, die: int, text: str) -> int:
    again = 0
    while True:
        message = f"{game}\n{number}\n{die}\n{again}\n{text}".encode()
        for byte in hmac.new(seed, message, hashlib.sha256).digest():
            if byte < _FAIR:
                return byte % 6 + 1
        again += 1  # pragma: no cover - all 32 bytes of a digest are 252 or more once in 10^57 dice
