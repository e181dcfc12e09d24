"""The error tree of the scorer.

A message is one plain sentence: what is wrong, what was given, what was wanted, what to do. A document or
an event that cannot be understood is not the same as one that breaks a rule of the game: the first is a
`MalformedDocument` or `MalformedEvent`, the second an `IllegalEvent` or `IllegalSelection`.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class RulesError(Exception):
    """Base of every error that `scorer` raises on purpose; the message is one plain sentence."""


class UnknownPreset(RulesError, LookupError):
    """No rule preset has this name."""


class UnknownSetting(RulesError, LookupError):
    """No setting of the rules has this name."""


class BadSetting(RulesError, ValueError):
    """A setting has a value that it cannot have, alone or together with the others."""


class BadDice(RulesError, ValueError):
    """Faces that no throw can show: not 1..6, none at all, or more dice than the game has."""


class BadPlayers(RulesError, ValueError):
    """A list of players with which no game can be played."""


class NothingThere(RulesError, LookupError):
    """A place in a game that does not exist, or where nothing is that could be changed."""


class MalformedDocument(RulesError, ValueError):
    """A game document that cannot be understood as a whole."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        """Remember the sentence and, in a text, the line that is at fault."""
        super().__init__(message)
        self.message = message
        """The sentence."""
        self.line = line
        """Line of the text, counted from 1; None where the document is no text."""


class IllegalEvent(RulesError, ValueError):
    """An event that the rules do not allow where it stands; the state before it stays as it was."""

    def __init__(self, message: str, *, index: int | None = None, line: int | None = None) -> None:
        """Remember the sentence and, where it is known, the place of the event."""
        super().__init__(message)
        self.message = message
        """The sentence."""
        self.index = index
        """Position of the event in the list of events, counted from 0; None outside a list."""
        self.line = line
        """Line of the event in a text, counted from 1; None outside a text."""

    def at(self, index: int, line: int | None = None) -> IllegalEvent:
        """Return the same error, of the same kind, with the place of the event in its list and its text."""
        return type(self)(self.message, index=index, line=line)


class IllegalSelection(IllegalEvent):
    """Dice set aside that are not a scoring selection of the roll."""


class MalformedEvent(IllegalEvent):
    """Something that is not an event at all (wrong shape, wrong type, unknown name)."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a hint to the nearest known name, or the list of all of them.

    >>> suggestion("oppening", ["opening", "target"])
    "did you mean 'opening'?"
    >>> suggestion("xyz", ["opening", "target"])
    'known are: opening, target'
    """
    names = list(known)
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean '{near[0]}'?"
    return "known are: " + ", ".join(names)


def shown(value: object) -> str:
    """Return a value as a message quotes it: short, and in the words of JSON.

    >>> shown(True), shown([1, 2]), shown("a" * 100)[-6:]
    ('true', '[1, 2]', 'aaa...')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
