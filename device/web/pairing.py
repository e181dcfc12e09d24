"""Who may change the game: phones that have typed the PIN which the display at the table shows.

Reading the board needs nothing. A phone that was paired has a secret in a cookie, of which only the hash is
kept, with the name that its owner gave it. The organiser of a tournament can lock corrections with a PIN of
their own.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from device.atomic import write_bytes
from device.errors import BadInput

FILE_NAME = "phones.json"
"""Where the paired phones of a store are kept, beside its games."""
PIN_DIGITS = 6
MOST_PHONES = 32
"""So many phones can be paired; the one that was not seen for longest makes room."""
MOST_NAME = 40
SHOWN_S = 90.0
"""The PIN stays on the display for so long after somebody has asked for it."""
WINDOW_S = 60.0
MOST_WRONG = 5
"""Wrong PINs that one address may send in a minute."""
MOST_WRONG_TOGETHER = 15
"""Wrong PINs that all addresses together may send in a minute; then the PIN is changed."""
_ROUNDS = {"n": 2**14, "r": 8, "p": 1}


class Refused(BadInput):
    """A phone was not let in."""


class TooMany(Refused):
    """Too many wrong PINs; the message says when to try again."""


@dataclass(frozen=True, slots=True)
class Phone:
    """A paired phone."""

    ident: str
    """Names it in the list; no secret."""
    name: str
    """What its owner calls it."""
    paired: str
    """ISO date of the pairing."""
    digest: str
    """SHA-256 of its secret, hexadecimal."""
    organiser: bool = False
    """Whether it has given the organiser's PIN; forgotten when the program ends."""


class Pairing:
    """The paired phones of one table. Any thread may call."""

    def __init__(
        self,
        folder: Path | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        today: Callable[[], str] = lambda: time.strftime("%Y-%m-%d"),
        pin: str | None = None,
    ) -> None:
        """Take the phones that were paired before from `folder` (None: keep them in memory only).

        Raises:
            BadInput: the list there cannot be read.
        """
        self._file = None if folder is None else folder / FILE_NAME
        self._clock, self._today = clock, today
        self._lock = Lock()
        self._phones: dict[str, Phone] = {}
        self._organiser: tuple[str, str] | None = None
        self._wrong: deque[tuple[float, str]] = deque()
        self._shown_until = -1.0
        self._pin = pin or _new_pin()
        self.changed: Callable[[], None] = lambda: None
        """Called when the display may have to show another PIN, or none."""
        self._load()

    @property
    def pin(self) -> str:
        """The PIN that pairs a phone now."""
        return self._pin

    @property
    def pin_wanted(self) -> bool:
        """Whether the display is to show the PIN."""
        return self._clock() < self._shown_until

    @property
    def locked(self) -> bool:
        """Whether corrections need the organiser's PIN."""
        return self._organiser is not None

    @property
    def phones(self) -> tuple[Phone, ...]:
        """The paired phones, the oldest first."""
        with self._lock:
            return tuple(self._phones.values())

    def ask(self, address: str) -> None:
        """Show the PIN on the display for a while.

        Raises:
            TooMany: after too many wrong PINs from there.
        """
        with self._lock:
            self._check_rate(address)
            self._shown_until = self._clock() + SHOWN_S
        self.changed()

    def pair(self, pin: str, name: str, address: str) -> tuple[Phone, str]:
        """Let a phone in that has the PIN; return it with its secret.

        Raises:
            TooMany: after too many wrong PINs.
            Refused: for a wrong PIN.
            BadInput: for a name that is empty or too long.
        """
        called = " ".join(name.split())
        if not 1 <= len(called) <= MOST_NAME:
            raise BadInput(f"a phone needs a name of 1 to {MOST_NAME} letters, got {len(called)}; give one")
        with self._lock:
            self._check_pin(pin, self._pin, address)
            secret = secrets.token_urlsafe(32)
            phone = Phone(secrets.token_hex(4), self._free_name(called), self._today(), _digest(secret))
            while len(self._phones) >= MOST_PHONES:
                del self._phones[next(iter(self._phones))]
            self._phones[phone.ident] = phone
            self._shown_until = -1.0
            self._save()
        self.changed()
        return phone, secret

    def who(self, secret: str | None) -> Phone | None:
        """Return the phone with this secret, or None."""
        if not secret or len(secret) > 200:
            return None
        digest = _digest(secret)
        with self._lock:
            found = None
            for phone in self._phones.values():
                if hmac.compare_digest(phone.digest, digest):
                    found = phone
            return found

    def revoke(self, ident: str) -> None:
        """Forget a phone.

        Raises:
            BadInput: there is none.
        """
        with self._lock:
            if self._phones.pop(ident, None) is None:
                raise BadInput("there is no such phone; reload the list")
            self._save()

    def lock(self, pin: str) -> None:
        """Let only the organiser correct from now on.

        Raises:
            BadInput: the PIN is no PIN, or corrections are locked already.
        """
        if not (pin.isascii() and pin.isdigit() and 4 <= len(pin) <= 12):
            raise BadInput("the organiser's PIN has 4 to 12 digits; choose one")
        with self._lock:
            if self._organiser is not None:
                raise BadInput("corrections are locked already; unlock them with the organiser's PIN first")
            salt = secrets.token_hex(16)
            self._organiser = (salt, _stretched(pin, salt))
            self._save()

    def unlock(self, pin: str, address: str) -> None:
        """Let every paired phone correct again.

        Raises:
            Refused: for a wrong PIN.
        """
        with self._lock:
            self._check_organiser(pin, address)
            self._organiser = None
            self._phones = {ident: replace(phone, organiser=False) for ident, phone in self._phones.items()}
            self._save()

    def organise(self, ident: str, pin: str, address: str) -> None:
        """Let this phone correct in a tournament.

        Raises:
            Refused: for a wrong PIN, or a phone that is not paired.
        """
        with self._lock:
            self._check_organiser(pin, address)
            if ident not in self._phones:
                raise Refused("this phone is not paired any more; pair it again")
            self._phones[ident] = replace(self._phones[ident], organiser=True)

    def may_correct(self, phone: Phone) -> bool:
        """Whether this phone may correct what was played."""
        return not self.locked or phone.organiser

    def _check_organiser(self, pin: str, address: str) -> None:
        if self._organiser is None:
            raise Refused("corrections are not locked")
        salt, wanted = self._organiser
        self._check_rate(address)
        if not hmac.compare_digest(_stretched(pin[:64], salt), wanted):
            self._wrong.append((self._clock(), address))
            raise Refused("that is not the organiser's PIN")

    def _check_pin(self, pin: str, wanted: str, address: str) -> None:
        self._check_rate(address)
        if hmac.compare_digest(pin.strip().encode(), wanted.encode()):
            return
        self._wrong.append((self._clock(), address))
        if len(self._wrong) >= MOST_WRONG_TOGETHER:
            self._pin = _new_pin()
        raise Refused("that is not the PIN on the display; look again")

    def _check_rate(self, address: str) -> None:
        """Refuse whoever has guessed too often in the last minute."""
        now = self._clock()
        while self._wrong and self._wrong[0][0] <= now - WINDOW_S:
            self._wrong.popleft()
        own = sum(each == address for _, each in self._wrong)
        if own >= MOST_WRONG or len(self._wrong) >= MOST_WRONG_TOGETHER:
            raise TooMany(f"too many wrong PINs; try again in {WINDOW_S:.0f} seconds")

    def _free_name(self, name: str) -> str:
        """Return the name, with a number where another phone has it."""
        taken = {phone.name for phone in self._phones.values()}
        number, free = 2, name
        while free in taken:
            free, number = f"{name} {number}", number + 1
        return free

    def _load(self) -> None:
        if self._file is None or not self._file.exists():
            return
        try:
            data = json.loads(self._file.read_text(encoding="utf-8"))
            for each in data["phones"]:
                ident, name, paired, digest = (str(each[key]) for key in ("id", "name", "paired", "digest"))
                self._phones[ident] = Phone(ident, name, paired, digest)
            lock = data.get("organiser")
            self._organiser = None if lock is None else (str(lock["salt"]), str(lock["hash"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInput(
                f"the list of paired phones {self._file} cannot be read ({error}); "
                "remove it, and pair the phones again"
            ) from error

    def _save(self) -> None:
        if self._file is None:
            return
        data: Mapping[str, object] = {
            "phones": [
                {"id": each.ident, "name": each.name, "paired": each.paired, "digest": each.digest}
                for each in self._phones.values()
            ],
            "organiser": None
            if self._organiser is None
            else {"salt": self._organiser[0], "hash": self._organiser[1]},
        }
        write_bytes(self._file, json.dumps(data, indent=1).encode())
        self._file.chmod(0o600)


def _new_pin() -> str:
    return f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _stretched(pin: str, salt: str) -> str:
    """Return the hash of a short PIN: slow to guess (scrypt)."""
    return hashlib.scrypt(pin.encode(), salt=bytes.fromhex(salt), **_ROUNDS).hex()
