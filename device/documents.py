"""Reading JSON documents and settings that people hand over, with errors that say what to do."""

from __future__ import annotations

import json
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
    try:
        return json.loads(text.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput(f"{what} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadInput(f"{what} is not valid JSON: {error.msg} at {where}; correct it") from error
    except (RecursionError, ValueError) as error:  # nested too deep; a number of thousands of digits
        raise BadInput(f"{what} holds JSON that nobody wrote by hand ({error}); correct it") from error


def read_json(path: Path) -> object:
    """Return the JSON value in a file, or on standard input for `-`.

    Raises:
        BadInput: the file is missing, unreadable, or not JSON.
    """
    if str(path) == STANDARD_INPUT:
        return parse_json(sys.stdin.buffer.read(), "standard input")
    try:
        text = path.read_bytes()
    except FileNotFoundError as error:
        raise BadInput(f"there is no file {path}; give the path of a JSON document") from error
    except IsADirectoryError as error:
        raise BadInput(f"{path} is a folder; give the path of a JSON document") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check its permissions") from error
    return parse_json(text, str(path))


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
