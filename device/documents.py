"""Reading JSON documents and settings that people hand over, with errors that say what to do."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from device.errors import BadInput

STANDARD_INPUT = "-"
"""The file name that means standard input."""


def parse_json(text: bytes, what: str) -> object:
    """Return the JSON value in `text`; `what` names it in a message ("the line", "game.json").

    Raises:
        BadInput: not UTF-8, not JSON, or nested beyond reason.
    """
    words = decode(text, what)
    try:
        return json.loads(words)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadInput(f"{what} is not valid JSON: {error.msg} at {where}; correct it") from error
    except (RecursionError, ValueError) as error:  # nested too deep; a number of thousands of digits
        raise BadInput(f"{what} holds JSON that nobody wrote by hand ({error}); correct it") from error


def line_of_event(words: str, index: int) -> int | None:
    """Return the line, counted from 1, of an event in a JSON text; None where it is not found.

    JSON as it is read does not remember where a value stood, so the text is walked once more.

    >>> line_of_event('{"players": ["A"],\\n "events": [["banked"],\\n["rolled", [1]]]}', 1)
    3
    """
    read = json.JSONDecoder().raw_decode
    try:
        at = _after(words, 0, "{")
        while True:
            key, at = read(words, at)
            at = _after(words, at, ":")
            if key == "events":
                break
            _, at = read(words, at)
            at = _after(words, at, ",")
        at = _after(words, at, "[")
        for _ in range(index):
            _, at = read(words, at)
            at = _after(words, at, ",")
        read(words, at)
    except ValueError:
        return None
    return words.count("\n", 0, at) + 1


def _after(words: str, at: int, mark: str) -> int:
    """Return where the next value begins, behind a mark.

    Raises:
        ValueError: something else stands there.
    """
    found = re.compile(rf"\s*{re.escape(mark)}\s*").match(words, at)
    if found is None:
        raise ValueError(f"no {mark} at {at}")
    return found.end()


def read_json(path: Path) -> object:
    """Return the JSON value in a file, or on standard input for `-`.

    Raises:
        BadInput: the file is missing, unreadable, or not JSON.
    """
    return parse_json(read_bytes(path), name_of(path))


def name_of(path: Path) -> str:
    """Return what a message calls the file."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def is_json(path: Path, data: bytes) -> bool:
    """Whether a game file is a JSON document rather than a text: by its name, else by how it begins."""
    return path.suffix.lower() == ".json" or data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")


def decode(data: bytes, what: str) -> str:
    """Return the text in `data`.

    Raises:
        BadInput: not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{what} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file, or of standard input for `-`.

    Raises:
        BadInput: the file is missing or unreadable.
    """
    if str(path) == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise BadInput(f"there is no file {path}; give the path of a game document") from error
    except IsADirectoryError as error:
        raise BadInput(f"{path} is a folder; give the path of a game document") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check its permissions") from error


def parse_settings(assignments: Sequence[str]) -> dict[str, object]:
    """Return the settings of `--set name=value` options; values are JSON, anything else is text.

    Raises:
        BadInput: an option without a name or without `=`.

    >>> parse_settings(["opening=0", "hot_dice=off", "piggyback=true"])
    {'opening': 0, 'hot_dice': 'off', 'piggyback': True}
    """
    settings: dict[str, object] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        name = name.strip()
        if not equals or not name:
            raise BadInput(f"--set wants name=value, got '{assignment}'; write for example --set opening=0")
        try:
            settings[name] = json.loads(value)
        except (RecursionError, ValueError):
            settings[name] = value.strip()
    return settings
