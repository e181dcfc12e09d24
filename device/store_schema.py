"""The tables of the event store, and how a file of an earlier program becomes one of this.

Every version has a function that brings a file from the version before; all of them run in one transaction,
after a copy of the old file was put beside it, so that a plug pulled in the middle leaves the old file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

from device.errors import BadInput

SCHEMA_VERSION = 2
"""Version of the tables; a file with a later one was made by a later program."""
APPLICATION_ID = 0x43524F55  # "CROU": tells our files from other SQLite files
START = "0" * 64
"""What the first link of a chain has as the hash before it."""

_LET_GO = """
CREATE TABLE let_go (
  evidence TEXT PRIMARY KEY,
  reason TEXT NOT NULL
) WITHOUT ROWID;
"""

_TABLES = (
    f"""
CREATE TABLE chain (id INTEGER PRIMARY KEY CHECK (id = 1), games INTEGER NOT NULL, head TEXT NOT NULL);
INSERT INTO chain VALUES (1, 0, '{START}');
CREATE TABLE games (
  id INTEGER PRIMARY KEY,
  header TEXT NOT NULL,
  hash TEXT NOT NULL,
  events INTEGER NOT NULL DEFAULT 0,
  head TEXT NOT NULL
);
CREATE TABLE events (
  game INTEGER NOT NULL REFERENCES games (id),
  seq INTEGER NOT NULL,
  body TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (game, seq)
) WITHOUT ROWID;
"""
    + _LET_GO
)


def _to_version_2(connection: sqlite3.Connection) -> None:
    """Pictures may be let go when the disk gets full: which ones is written down."""
    connection.execute(_LET_GO)


_STEPS: Mapping[int, Callable[[sqlite3.Connection], None]] = {2: _to_version_2}
"""By version: what brings a file of the version before to it."""


def prepare(connection: sqlite3.Connection, file: Path) -> None:
    """Bring a new or old file into the working state of this program.

    Raises:
        BadInput: the file is another program's, or a later Croupier's; nothing was changed.
    """
    empty = not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    version = SCHEMA_VERSION if empty else check_version(connection, file)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    # The log is cut back to this after it grew: a card wears by what is written, and fills by what stays.
    connection.execute("PRAGMA journal_size_limit=1000000")
    if empty:
        # One transaction: a plug pulled here leaves either no tables or all of them.
        marks = f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION}; "
        connection.executescript("BEGIN IMMEDIATE; " + marks + _TABLES + "COMMIT;")
    elif version < SCHEMA_VERSION:
        _migrate(connection, file, version)


def check_version(connection: sqlite3.Connection, file: Path) -> int:
    """Return the version of a file of ours.

    Raises:
        BadInput: the file is another program's, or a later Croupier's.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise BadInput(f"{file} is not a game store of Croupier; choose another folder with --store DIR")
    if not 1 <= version <= SCHEMA_VERSION:
        raise BadInput(
            f"the game store {file} has version {version}, this program knows version "
            f"{SCHEMA_VERSION}; update Croupier, or choose another folder with --store DIR"
        )
    return int(version)


def copy_before(file: Path, version: int) -> Path:
    """Return where the copy of a file of an earlier version is kept."""
    return file.with_name(f"{file.stem}.version{version}{file.suffix}")


def _migrate(connection: sqlite3.Connection, file: Path, version: int) -> None:
    """Bring a file of an earlier program to this version; the old file stays as a copy beside it."""
    copy = copy_before(file, version)
    part = copy.with_name(f".{copy.name}.part")
    part.unlink(missing_ok=True)
    beside = sqlite3.connect(part)
    try:
        connection.backup(beside)
    finally:
        beside.close()
    part.replace(copy)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in range(version + 1, SCHEMA_VERSION + 1):
            _STEPS[step](connection)
        connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
