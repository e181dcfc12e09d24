"""Writes a file wholly or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from device.errors import BadInput


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path`, replacing what was there; whoever looks sees the old file or the new one.

    The bytes go to a hidden file beside it, onto the disk, and then take the name. After a failure the old
    file is as it was and nothing is left beside it.

    Raises:
        BadInput: when the folder cannot be written to or the disk is full.
    """
    part = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise BadInput(f"cannot write {path}: {error.strerror or error}; choose another folder") from error
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def check_folder(folder: Path) -> Path:
    """Make `folder` if it is not there and prove that a file can be written in it; returns it.

    The proof is a file written and removed: permission bits alone do not show a read-only disk.

    Raises:
        BadInput: when it cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".croupier.{os.getpid()}.part"
        probe.write_bytes(b"")
        probe.unlink()
    except FileExistsError as error:
        raise BadInput(f"{folder} is a file; wanted a folder to write to") from error
    except OSError as error:
        raise BadInput(
            f"cannot write to the folder {folder}: {error.strerror or error}; choose another folder"
        ) from error
    return folder
