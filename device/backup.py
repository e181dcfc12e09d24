"""All games in one file to carry away, and back again.

    croupier.zip
        about.json          what it is, how many games, when it was made
        games.sqlite3       a consistent copy, also of a game that is being played
        evidence/...        the pictures of the throws, as far as they are kept

A copy is checked before it replaces anything: its chain of hashes must hold, and every picture must be the
one that its row names. What it replaces stays beside it, in `replaced-1`, `replaced-2`, ...
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import zipfile
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from device.atomic import check_folder
from device.errors import BadInput, DeviceFailed
from device.evidence import FOLDER
from device.store import FILE_NAME, LOCK_NAME, open_reader

_ABOUT = "about.json"
_VERSION = 1
_PICTURE = re.compile(rf"{FOLDER}/\d{{6}}/[\w.-]{{1,80}}")
_LARGEST_FILE = 4_000_000_000
"""Bytes of one file in an archive, unpacked: more is no copy of games."""


def back_up(folder: Path, file: Path) -> int:
    """Write all games in `folder` to the archive `file`; return how many they are.

    Raises:
        BadInput: there are no games, or the archive cannot be written; nothing is left of it then.
        DeviceFailed: the store cannot be read.
    """
    if file.is_dir():
        raise BadInput(f"{file} is a folder; name a file to write, such as {file / 'croupier.zip'}")
    part = file.with_name(f".{file.name[:200]}.{os.getpid()}.part")
    try:
        with open_reader(folder) as store, TemporaryDirectory(prefix="croupier-") as aside:
            copy = Path(aside) / FILE_NAME
            store.copy_to(copy)
            games = len(store.games())
            about = {"croupier_games": _VERSION, "games": games, "made": _now()}
            with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(_ABOUT, json.dumps(about))
                archive.write(copy, FILE_NAME)
                for picture in sorted((folder / FOLDER).glob("*/*")):
                    name = picture.relative_to(folder).as_posix()
                    if _PICTURE.fullmatch(name):
                        # JPEG does not shrink any more.
                        archive.write(picture, name, compress_type=zipfile.ZIP_STORED)
        with part.open("rb+") as whole:
            os.fsync(whole.fileno())
        part.replace(file)
    except OSError as error:
        if isinstance(error, DeviceFailed):
            raise
        raise BadInput(f"cannot write {file}: {error.strerror or error}; choose another folder") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return games


def restore(file: Path, folder: Path, *, replace: bool = False) -> tuple[int, Path | None]:
    """Put the games of the archive `file` into `folder`.

    Returns how many games there are now, and the folder in which the games lie that they have replaced.

    Raises:
        BadInput: no archive of ours, one that is damaged, games in `folder` already without `replace`, or a
            game that is being written there. Nothing has been changed then.
    """
    check_folder(folder)
    with (folder / LOCK_NAME).open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BadInput(f"a game is being written to {folder}; end it first") from error
        if not replace and (folder / FILE_NAME).exists() and (there := _games_in(folder)):
            raise BadInput(
                f"there are {there} games in {folder} already; put them aside with --replace, "
                "or choose another folder with --store DIR"
            )
        part = folder / ".restoring"
        shutil.rmtree(part, ignore_errors=True)  # one that was broken off
        try:
            _unpack(file, part)
            games = _checked(part, file)
            before = _put_aside(folder)
            for name in (FOLDER, FILE_NAME):
                if (part / name).exists():
                    (part / name).replace(folder / name)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return games, before


def _unpack(file: Path, part: Path) -> None:
    """Unpack what belongs to a copy of games, and nothing else."""
    try:
        with zipfile.ZipFile(file) as archive:
            about = json.loads(archive.read(_ABOUT))
            if about.get("croupier_games") != _VERSION:
                raise BadInput(f"{file} was made by a later Croupier; update this one")
            for entry in archive.infolist():
                if entry.filename == _ABOUT:
                    continue
                if entry.filename != FILE_NAME and not _PICTURE.fullmatch(entry.filename):
                    raise BadInput(f"{file} is no copy of games: it holds {entry.filename[:80]!r}")
                if entry.file_size > _LARGEST_FILE:
                    raise BadInput(f"{file} is no copy of games: {entry.filename} is too large")
                target = part / entry.filename
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as packed, target.open("wb") as out:
                    shutil.copyfileobj(packed, out, 1 << 20)
                    out.flush()
                    os.fsync(out.fileno())
    except FileNotFoundError as error:
        raise BadInput(f"there is no file {file}; give one that `croupier games backup` has made") from error
    except (KeyError, ValueError, AttributeError, zipfile.BadZipFile, EOFError) as error:
        raise BadInput(
            f"{file} is no copy of games, or is damaged; give one that `croupier games backup` has made"
        ) from error
    except OSError as error:
        raise BadInput(f"cannot unpack {file}: {error.strerror or error}; nothing was changed") from error


def _checked(part: Path, file: Path) -> int:
    """Return the number of games of an unpacked copy whose every row and picture fits."""
    with open_reader(part) as store:
        faults = store.verify()
        if faults:
            raise BadInput(f"{file} is damaged: {faults[0].reason}; use another copy, nothing was changed")
        return len(store.games())


def _games_in(folder: Path) -> int:
    """Return how many games a store holds; one that cannot be read counts as some."""
    try:
        with open_reader(folder) as store:
            return len(store.games())
    except (BadInput, DeviceFailed):
        return 1


def _put_aside(folder: Path) -> Path | None:
    """Move what is there into a folder of its own; return that folder, or None where nothing was."""
    names = [FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm", FOLDER]
    there = [name for name in names if (folder / name).exists()]
    if not there:
        return None
    number = 1
    while (folder / f"replaced-{number}").exists():
        number += 1
    aside = folder / f"replaced-{number}"
    aside.mkdir()
    for name in there:
        (folder / name).replace(aside / name)
    return aside


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
