"""Names, numbers and times as a text of a game has them, and back again, exactly.

A name stands as it is where that cannot be misread; any other stands in double quotes, as in JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_PLAIN_NAME = re.compile(r"[^\W\d_][^\s\",#:]*(?: [^\s\",#:]+)*")
"""A letter first; words with single spaces between; none of the signs that mean something."""
_NUMBER = re.compile(r"[+-]?[0-9]+")
_TIME = re.compile(r"(-?)([0-9]+)(?:\.([0-9]{1,9}))?")
_PIECE = re.compile(r'("(?:[^"\\]|\\.)*")|(,)|([^\s",]+)')
_RESERVED = frozenset({"nobody", "none", "replay"})


class Unreadable(ValueError):
    """Words that do not say what was wanted; the message says what is wrong, without a place."""


def quoted(name: str) -> str:
    """Return a name as a text has it.

    >>> quoted("Anna Lisa"), quoted("Player 1"), quoted(" #")
    ('Anna Lisa', '"Player 1"', '" #"')
    """
    plain = _PLAIN_NAME.fullmatch(name) and name.isprintable()
    if plain and not _NUMBER.fullmatch(name.rpartition(" ")[2]) and name.lower() not in _RESERVED:
        return name
    return json.dumps(name, ensure_ascii=False)


def listed(names: Sequence[str]) -> str:
    """Return names with commas between; `nobody` for none."""
    return ", ".join(map(quoted, names)) or "nobody"


def unquoted(text: str) -> str:
    """Return the one name that the text says.

    Raises:
        Unreadable: no name, more than one, or a quote that is not closed.

    >>> unquoted('"Player 1"'), unquoted("Anna  Lisa")
    ('Player 1', 'Anna Lisa')
    """
    names = names_of(text) if text.strip() else ()
    if len(names) != 1:
        raise Unreadable(f"one name is wanted, got {text!r}")
    return names[0]


def names_of(text: str) -> tuple[str, ...]:
    """Return the names between the commas of a text.

    Raises:
        Unreadable: an empty name between commas, or a quote within a name.

    >>> names_of('Anna, "Ben, the 2nd"')
    ('Anna', 'Ben, the 2nd')
    """
    groups: list[list[re.Match[str]]] = [[]]
    for piece in _PIECE.finditer(text):
        if piece[2]:
            groups.append([])
        else:
            groups[-1].append(piece)
    return tuple(_name_of(group, text) for group in groups)


def _name_of(pieces: Sequence[re.Match[str]], text: str) -> str:
    if not pieces:
        raise Unreadable(f"a name is missing in {text!r}")
    if not any(piece[1] for piece in pieces):
        return " ".join(piece[0] for piece in pieces)
    if len(pieces) > 1:
        raise Unreadable(f"a name in quotes stands alone between commas, got {text!r}")
    return _string(pieces[0][1])


def _string(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError as error:
        raise Unreadable(f"{text} is no text in quotes as JSON has it ({error})") from error


def canonical(text: str) -> str:
    """Return a statement with names quoted only where they must be and single spaces between words.

    >>> canonical('totals  "Anna" 5 ,"Player 1" 0')
    'totals Anna 5, "Player 1" 0'
    """
    words: list[str] = []
    for piece in _PIECE.finditer(text):
        if piece[2] and words:
            words[-1] += ","
        else:
            words.append(quoted(_string(piece[1])) if piece[1] else piece[0])
    return " ".join(words)


def number(text: str) -> int:
    """Return the whole number that the text is.

    Raises:
        Unreadable: it is none.

    >>> number("-1000"), number("+50")
    (-1000, 50)
    """
    if not _NUMBER.fullmatch(text):
        raise Unreadable(f"a whole number is wanted, got {text!r}")
    try:
        return int(text)
    except ValueError as error:  # thousands of digits
        raise Unreadable(f"a number of {len(text)} digits is too long") from error


def faces_of(text: str) -> tuple[int, ...]:
    """Return faces, written apart or together.

    Raises:
        Unreadable: something else than digits 1 to 6, in words that name it.

    >>> faces_of("1 1 5"), faces_of("115"), faces_of("")
    ((1, 1, 5), (1, 1, 5), ())
    """
    for letter in text:
        if letter not in "123456 \t":
            raise Unreadable(f"faces are digits from 1 to 6, got {letter!r}")
    return tuple(int(letter) for letter in text if not letter.isspace())


def spaced(values: Sequence[int]) -> str:
    """Return numbers with spaces between."""
    return " ".join(map(str, values))


def seconds(t_ns: int) -> str:
    """Return a time in seconds, exactly, with as few digits as that takes.

    >>> seconds(1_250_000_000), seconds(-1), seconds(0)
    ('1.25', '-0.000000001', '0')
    """
    whole, part = divmod(abs(t_ns), 10**9)
    text = f"{whole}.{part:09d}".rstrip("0").rstrip(".")
    return f"-{text}" if t_ns < 0 else text


def nanoseconds(text: str) -> int:
    """Return the nanoseconds of a time in seconds.

    Raises:
        Unreadable: no decimal number, or more than nine digits after the point.

    >>> nanoseconds("1.25"), nanoseconds("-0.000000001")
    (1250000000, -1)
    """
    found = _TIME.fullmatch(text)
    if not found:
        raise Unreadable(f"a time in seconds is wanted, like 12.25, got {text!r}")
    sign, whole, part = found.groups()
    size = number(whole) * 10**9 + int((part or "").ljust(9, "0"))
    return -size if sign else size
