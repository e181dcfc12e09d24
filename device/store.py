"""The event store: every game event is on disk before anybody sees it.

One SQLite file in one folder, write-ahead log with `synchronous=FULL`, one writer at a time (a lock beside
the file). Rows are only ever added. Each row carries a hash over the row before and its own content, each
game carries the hash of the game before it, and the heads of the chains are kept too, so that a changed,
removed, added or reordered row is found by `verify`. The chain has no secret: it finds faults and clumsy
hands, not somebody who recomputes all of it.

Evidence pictures lie in `evidence/` beside the file; a row names its picture and the hash of its bytes. They
have a budget (`device/evidence.py`); those that were let go are listed in the file.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import IO, Any, TypeVar

from device.atomic import check_folder
from device.errors import BadInput, DeviceFailed
from device.evidence import DEFAULT_BUDGET_MB, Evidence
from device.store_schema import START, check_version, prepare

FILE_NAME = "games.sqlite3"
ENVIRONMENT = "CROUPIER_STORE"
"""Environment variable that names the folder of the store."""
LOCK_NAME = "writer.lock"

_T = TypeVar("_T")
EventJson = Sequence[object]
"""An event as `croupier replay` reads it, such as `["rolled", [1, 5, 2, 2, 3, 4]]`."""


@dataclass(frozen=True, slots=True)
class GameHeader:
    """What is known when a game starts."""

    game: str
    """`farkle` or `tenzi`."""
    preset: str
    """Name of the rule preset that the table chose."""
    settings: Mapping[str, object]
    """Every setting in force, so that a later change of the preset does not change an old game."""
    players: tuple[str, ...]
    """Names in seat order."""
    source: str
    """Where the frames come from, as the user typed it."""
    started: str
    """Time of day when the game started, ISO 8601 with its offset."""


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a game: an event, when it happened, who said so, and what proves it."""

    event: EventJson
    """The event as `croupier replay` reads it, or `["undone", n]`, which takes back the last n events."""
    t_ns: int
    """Time of the frame or press, nanoseconds on the clock of the source."""
    by: str = "camera"
    """`camera` or `key`."""
    step: int = 0
    """Events of one throw or one press share a step; undo takes back a whole step."""
    evidence: str | None = None
    """Path of the evidence picture relative to the folder of the store."""
    evidence_sha256: str | None = None
    """SHA-256 of that picture's bytes."""
    colours: tuple[str | None, ...] = ()
    """Of a throw: the colour of each die, in the order of its faces, where it is known."""


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One game of the store."""

    id: int
    """Number of the game, counted from 1."""
    header: GameHeader
    """What was known when it started."""
    events: int
    """How many rows it has."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that `verify` found."""

    game: int | None
    """Number of the game, or None where the list of games itself is at fault."""
    seq: int | None
    """Row of the game, counted from 0, or None."""
    reason: str
    """One sentence."""


def store_folder(given: Path | None) -> Path:
    """Return the folder of the store: the one given, else `CROUPIER_STORE`, else the user's data folder."""
    if given is not None:
        return given
    named = os.environ.get(ENVIRONMENT)
    if named:
        return Path(named)
    from platformdirs import user_data_path

    return Path(user_data_path("croupier", appauthor=False))


class DamagedStore(BadInput):
    """The file of the store cannot be read any more, or is not what this program writes."""


class GameStore:
    """The store, open. Use it as a context manager; `open_writer` and `open_reader` make one."""

    def __init__(
        self,
        folder: Path,
        connection: sqlite3.Connection,
        lock: IO[bytes] | None,
        *,
        budget_mb: float = DEFAULT_BUDGET_MB,
        aside: TemporaryDirectory[str] | None = None,
    ) -> None:
        """Wrap an open connection; `lock` is held and `aside` kept until the store is closed."""
        self.folder = folder
        """The folder of the store."""
        self._connection = connection
        self._lock = lock
        self._aside = aside
        self._closed = False
        self._evidence = Evidence(folder, self._let_go, budget_mb=budget_mb)
        self._gone: list[str] = []  # pictures removed from a full disk, not written down yet

    def __enter__(self) -> GameStore:
        """Return the store."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close the file and let the next writer in; again does nothing."""
        if self._closed:
            return
        self._closed = True
        self._connection.close()
        if self._lock is not None:
            self._lock.close()
        if self._aside is not None:
            self._aside.cleanup()

    def begin(self, header: GameHeader) -> int:
        """Write a new game and return its number; it is on disk when this returns."""

        def write() -> int:
            count, head = self._connection.execute("SELECT games, head FROM chain").fetchone()
            text = _canonical(_header_json(header))
            link = _link(head, text)
            game = int(count) + 1
            self._connection.execute(
                "INSERT INTO games (id, header, hash, events, head) VALUES (?, ?, ?, 0, ?)",
                (game, text, link, link),
            )
            self._connection.execute("UPDATE chain SET games = ?, head = ?", (game, link))
            return game

        return self._transaction(write)

    def append(self, game: int, records: Sequence[Record]) -> None:
        """Add `records` to `game`, all or none; they are on disk when this returns.

        Raises:
            BadInput: when there is no such game.
            DeviceFailed: when the disk refuses (full, gone); nothing of `records` was written then.
        """

        def write() -> None:
            row = self._connection.execute("SELECT events, head FROM games WHERE id = ?", (game,)).fetchone()
            if row is None:
                raise BadInput(
                    f"there is no game {game} in the store {self.folder}; see: croupier games list"
                )
            seq, head = int(row[0]), str(row[1])
            for record in records:
                text = _canonical(_record_json(record))
                head = _link(head, text)
                self._connection.execute(
                    "INSERT INTO events (game, seq, body, hash) VALUES (?, ?, ?, ?)", (game, seq, text, head)
                )
                seq += 1
            self._connection.execute("UPDATE games SET events = ?, head = ? WHERE id = ?", (seq, head, game))

        self._transaction(write)

    def keep_evidence(self, game: int, name: str, picture: bytes) -> tuple[str | None, str | None]:
        """Write an evidence picture; return its path relative to the folder, and its SHA-256.

        (None, None) when the disk refuses it: the throw counts without a picture too. The oldest pictures are
        let go when all together are over the budget.
        """
        return self._evidence.keep(game, name, picture)

    @property
    def evidence_fault(self) -> str:
        """Why the last evidence picture could not be kept, or empty."""
        return self._evidence.fault

    def copy_to(self, file: Path) -> None:
        """Write a consistent copy of all rows to `file`, while games may go on being written.

        Raises:
            DeviceFailed: when the disk refuses.
        """
        with _plain_errors(file.parent, file.name):
            copy = sqlite3.connect(file)
            try:
                self._connection.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
            finally:
                copy.close()

    def let_go(self) -> frozenset[str]:
        """Return the evidence pictures that were let go for room, as paths relative to the folder."""
        if self._read("PRAGMA user_version") == [(1,)]:  # a file that only its readers have opened since
            return frozenset()
        return frozenset(str(path) for (path,) in self._read("SELECT evidence FROM let_go"))

    def games(self) -> tuple[StoredGame, ...]:
        """Return all games in the order in which they were started."""
        rows = self._read("SELECT id, header, events FROM games ORDER BY id")
        return tuple(self._stored(row) for row in rows)

    def game(self, number: int) -> StoredGame:
        """Return one game.

        Raises:
            BadInput: when there is no such game.
        """
        rows = self._read("SELECT id, header, events FROM games WHERE id = ?", (number,))
        if not rows:
            raise BadInput(f"there is no game {number} in the store {self.folder}; see: croupier games list")
        return self._stored(rows[0])

    def records(self, game: int) -> tuple[Record, ...]:
        """Return the rows of a game in order, undone ones too."""
        rows = self._read("SELECT body FROM events WHERE game = ? ORDER BY seq", (game,))
        return tuple(self._parsed(str(body), _record_from) for (body,) in rows)

    def verify(self) -> tuple[Fault, ...]:
        """Return everything that does not fit: rows, games, heads of the chains, evidence pictures."""
        faults: list[Fault] = []
        try:
            for fault in self._faults():
                faults.append(fault)
        except DamagedStore as error:  # what was found before the damage is still worth telling
            faults.append(Fault(None, None, str(error)))
        return tuple(faults)

    def _faults(self) -> Iterator[Fault]:
        yield from self._file_faults()
        count, recorded_head = self._read("SELECT games, head FROM chain")[0]
        head = START
        numbers: list[int] = []
        for number, header, link, events, game_head in self._read(
            "SELECT id, header, hash, events, head FROM games ORDER BY id"
        ):
            numbers.append(number)
            if link != _link(head, str(header)):
                yield Fault(number, None, "the names, rules or order of the game were changed")
            head = str(link)
            yield from self._game_faults(number, head, int(events), str(game_head))
        if numbers != list(range(1, int(count) + 1)) or head != recorded_head:
            yield Fault(None, None, f"{count} games were started, but the list does not hold all of them")
        strays = self._read("SELECT DISTINCT game FROM events WHERE game NOT IN (SELECT id FROM games)")
        for (game,) in strays:
            yield Fault(int(game), None, "there are events of a game that is not listed")

    def _game_faults(self, game: int, start: str, events: int, recorded_head: str) -> Iterator[Fault]:
        """Check the chain of one game."""
        head, wanted = start, 0
        let_go = self.let_go()
        for seq, body, link in self._read(
            "SELECT seq, body, hash FROM events WHERE game = ? ORDER BY seq", (game,)
        ):
            if seq != wanted:
                yield Fault(game, wanted, f"an event is missing before the event {seq}")
                return
            if link != _link(head, str(body)):
                yield Fault(game, seq, "the event was changed, removed or put in afterwards")
                return
            yield from self._evidence_faults(game, int(seq), str(body), let_go)
            head, wanted = str(link), wanted + 1
        if wanted != events or head != recorded_head:
            yield Fault(game, wanted, f"{events} events were written, but the last ones do not fit")

    def _evidence_faults(self, game: int, seq: int, body: str, let_go: frozenset[str]) -> Iterator[Fault]:
        """Check the evidence picture of one row."""
        record = self._parsed(body, _record_from)
        if record.evidence is None or record.evidence in let_go:
            return
        try:
            data = (self.folder / record.evidence).read_bytes()
        except OSError:
            yield Fault(game, seq, f"the evidence picture {record.evidence} is missing")
            return
        if hashlib.sha256(data).hexdigest() != record.evidence_sha256:
            yield Fault(game, seq, f"the evidence picture {record.evidence} was changed")

    def _file_faults(self) -> Iterator[Fault]:
        """Let SQLite look for damage of the file itself."""
        for (line,) in self._read("PRAGMA integrity_check(10)"):
            if line != "ok":
                yield Fault(None, None, f"the file is damaged: {line}")

    def _stored(self, row: tuple[object, ...]) -> StoredGame:
        """Return a row of `games` as plain data."""
        number, header, events = row
        return StoredGame(int(str(number)), self._parsed(str(header), _header_from), int(str(events)))

    def _parsed(self, text: str, make: Callable[[Mapping[str, object]], _T]) -> _T:
        """Return `text` parsed by `make`.

        Raises:
            BadInput: when the row is not what this program writes.
        """
        try:
            data = json.loads(text)
            if not isinstance(data, dict):
                raise TypeError("not an object")
            return make(data)
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedStore(
                f"a row of the game store {self.folder / FILE_NAME} cannot be read ({error}); "
                "put back a copy with: croupier games restore FILE.zip"
            ) from error

    def _read(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Run a query; damage becomes one sentence."""
        with _plain_errors(self.folder):
            return self._connection.execute(statement, values).fetchall()

    def _let_go(self, pictures: Sequence[str], reason: str) -> None:
        """Write down that evidence pictures are let go."""
        self._transaction(lambda: self._note_gone(pictures, reason))

    def _note_gone(self, pictures: Sequence[str], reason: str) -> None:
        self._connection.executemany(
            "INSERT OR IGNORE INTO let_go (evidence, reason) VALUES (?, ?)",
            [(path, reason) for path in pictures],
        )

    def _transaction(self, write: Callable[[], _T]) -> _T:
        """Run `write` in one transaction, committed to the disk before this returns.

        When the disk is full, old evidence pictures make room, once.
        """
        with _plain_errors(self.folder):
            try:
                return self._committed(write)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
                    raise
                gone = self._evidence.make_room()
                if not gone:
                    raise
                self._gone += gone
                return self._committed(write)

    def _committed(self, write: Callable[[], _T]) -> _T:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            answer = write()
            if self._gone:
                self._note_gone(self._gone, "the disk was full")
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._gone = []
        return answer


def open_writer(folder: Path, *, budget_mb: float = DEFAULT_BUDGET_MB) -> GameStore:
    """Open the store in `folder` for writing; folder and file are made when they are not there.

    `budget_mb` is how much room evidence pictures may take, in megabytes.

    Raises:
        BadInput: when the folder cannot be written, another program is writing, or the file is damaged.
    """
    check_folder(folder)
    try:
        lock = (folder / LOCK_NAME).open("wb")
    except OSError as error:
        raise BadInput(
            f"cannot write to the game store {folder}: {error.strerror}; choose another with --store DIR"
        ) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BadInput(
                f"another game is being written to {folder}; end it, or use another --store DIR"
            ) from error
        connection = _connected(folder, f"file:{_quoted(folder / FILE_NAME)}?mode=rwc")
    except BaseException:
        lock.close()
        raise
    store = GameStore(folder, connection, lock, budget_mb=budget_mb)
    try:
        with _plain_errors(folder):
            prepare(connection, folder / FILE_NAME)
    except BaseException:
        store.close()
        raise
    return store


def open_reader(folder: Path) -> GameStore:
    """Open the store in `folder` for reading; a game may be written at the same time.

    Raises:
        BadInput: when there is no store, or the file is damaged.
    """
    if not (folder / FILE_NAME).is_file():
        raise BadInput(
            f"there are no games in {folder}; play one first, or name another folder with --store DIR"
        )
    connection = _connected(folder, f"file:{_quoted(folder / FILE_NAME)}?mode=ro")
    aside: TemporaryDirectory[str] | None = None
    try:
        check_version(connection, folder / FILE_NAME)
    except sqlite3.OperationalError:
        # SQLite wants to write an index of the log beside the file, which a read-only disk refuses.
        connection.close()
        aside, connection = _copied(folder)
    except (BadInput, sqlite3.DatabaseError):
        pass  # said again below, in one sentence
    store = GameStore(folder, connection, None, aside=aside)
    try:
        with _plain_errors(folder):
            check_version(connection, folder / FILE_NAME)
    except BaseException:
        store.close()
        raise
    return store


def _copied(folder: Path) -> tuple[TemporaryDirectory[str], sqlite3.Connection]:
    """Open a copy of the file and of its log, with all that was committed."""
    aside = TemporaryDirectory(prefix="croupier-")
    try:
        for name in (FILE_NAME, f"{FILE_NAME}-wal"):
            if (folder / name).exists():
                shutil.copyfile(folder / name, Path(aside.name) / name)
    except OSError as error:
        aside.cleanup()
        raise DeviceFailed(
            f"the game store {folder / FILE_NAME} cannot be read: {error.strerror}; check the disk"
        ) from error
    return aside, _connected(folder, f"file:{_quoted(Path(aside.name) / FILE_NAME)}?mode=rw")


def _connected(folder: Path, uri: str) -> sqlite3.Connection:
    """Open the file; transactions are begun and committed by hand."""
    with _plain_errors(folder):
        return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=5.0)


@contextmanager
def _plain_errors(folder: Path, name: str = FILE_NAME) -> Iterator[None]:
    """Turn errors of SQLite into one sentence of ours."""
    path = folder / name
    try:
        yield
    except sqlite3.OperationalError as error:
        raise DeviceFailed(
            f"the game store {path} cannot be used: {error}; check the disk, or use another --store DIR"
        ) from error
    except sqlite3.DatabaseError as error:
        raise DamagedStore(
            f"the game store {path} is damaged ({error}); "
            "put back a copy with: croupier games restore FILE.zip"
        ) from error


def _quoted(path: Path) -> str:
    """Return a path as it must stand in an SQLite URI."""
    from urllib.parse import quote

    return quote(str(path.absolute()))


def _canonical(data: Mapping[str, object]) -> str:
    """Return JSON that is the same for the same data: sorted keys, no spaces, plain ASCII."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _link(before: str, text: str) -> str:
    """Return the hash of a row: SHA-256 over the hash of the row before and the row's canonical JSON."""
    return hashlib.sha256(f"{before}{text}".encode("ascii", "backslashreplace")).hexdigest()


def _header_json(header: GameHeader) -> dict[str, object]:
    return {
        "game": header.game,
        "preset": header.preset,
        "settings": dict(header.settings),
        "players": list(header.players),
        "source": header.source,
        "started": header.started,
    }


def _header_from(data: Mapping[str, object]) -> GameHeader:
    settings, players = data["settings"], data["players"]
    if not isinstance(settings, dict) or not isinstance(players, list):
        raise TypeError("settings or players have the wrong type")
    return GameHeader(
        game=str(data["game"]),
        preset=str(data["preset"]),
        settings=settings,
        players=tuple(str(name) for name in players),
        source=str(data["source"]),
        started=str(data["started"]),
    )


def _record_json(record: Record) -> dict[str, object]:
    data: dict[str, object] = {
        "event": list(record.event),
        "t_ns": record.t_ns,
        "by": record.by,
        "step": record.step,
    }
    if record.evidence is not None:
        data |= {"evidence": record.evidence, "evidence_sha256": record.evidence_sha256}
    if record.colours:
        data["colours"] = list(record.colours)
    return data


def _record_from(data: Mapping[str, object]) -> Record:
    event, t_ns, step = data["event"], data["t_ns"], data["step"]
    if not isinstance(event, list) or not event or not isinstance(t_ns, int) or not isinstance(step, int):
        raise TypeError("event, t_ns or step have the wrong type")
    evidence, digest = data.get("evidence"), data.get("evidence_sha256")
    colours = data.get("colours", [])
    if not isinstance(colours, list):
        raise TypeError("colours have the wrong type")
    return Record(
        event=tuple(event),
        t_ns=t_ns,
        by=str(data["by"]),
        step=step,
        evidence=None if evidence is None else str(evidence),
        evidence_sha256=None if digest is None else str(digest),
        colours=tuple(None if colour is None else str(colour) for colour in colours),
    )
