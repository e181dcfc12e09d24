"""What a display shows: one frozen picture of the game, plain data without arrays or game logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

MAX_PLAYERS_SHOWN = 8
"""Displays are laid out for this many players; more are shown smaller, never cut off."""


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """One player as the scoreboard shows them."""

    name: str
    """Name as typed by the players."""
    total: int
    """Points written so far; may be negative."""
    last: int | None = None
    """What the player's latest written turn brought, or None before the first."""
    rank: int = 1
    """Place in the standings, 1 is best; equals share a rank."""
    winner: bool = False
    """Whether the game is over and this player has won (or shares the win)."""


@dataclass(frozen=True, slots=True)
class DieSeen:
    """One die as it lies on the table."""

    face: int | None
    """The face on top, 1..6, or None when it could not be read."""
    sure: bool = True
    """Whether the face is certain enough to be scored without asking."""
    kept: bool = False
    """Whether the die is set aside in the turn being played."""
    cocked: bool = False
    """Whether the die leans on something and must be thrown again."""


@dataclass(frozen=True, slots=True)
class ScoreView:
    """Everything a display needs to know at one moment."""

    title: str
    """Name of the game and its rules, such as "Farkle"."""
    players: tuple[PlayerLine, ...]
    """All players in seat order."""
    active: int | None = None
    """Index of the player to act, or None when nobody is."""
    target: int | None = None
    """Points that end the game, for the header."""
    turn_points: int = 0
    """Points of this turn that are set aside already; lost at a bust, written at a bank."""
    roll_points: int | None = None
    """What the best selection of the dice just thrown would add; 0 is a bust; None before a throw."""
    dice: tuple[DieSeen, ...] = ()
    """The dice on the table, in reading order; their places on the keyboard are 1, 2, 3, ..."""
    message: str = ""
    """One short sentence for the players: what happened, what to do next."""
    question: str = ""
    """What the table is being asked; not empty exactly while the game waits for an answer."""
    moment: str = ""
    """What has just happened, for a second look: `bust`, `hot_dice`, `banked`, `won`, or empty."""
    moment_points: int = 0
    """Points of that moment: what was lost, or written."""
    die_picture: bytes = b""
    """JPEG of the die that could not be read, while the game asks what it shows; else empty."""
    chances: tuple[float, ...] = ()
    """Everybody's chance to win, in seat order; empty while nobody wants to see them."""
    chances_exact: bool = True
    """Whether they hold under best play of all; else they are an estimate."""
    phase: str = "turn"
    """`turn`, `final_round`, `tie_break` or `finished`."""

    @property
    def chances_text(self) -> str:
        """The chances to win as people write them, "63 % : 37 %"; an estimate begins with ≈."""
        each = " : ".join(f"{100 * chance:.0f} %" for chance in self.chances)
        return each if self.chances_exact or not each else f"≈ {each}"

    @property
    def waiting(self) -> bool:
        """Whether the game waits for the players to answer a question."""
        return bool(self.question)


class Display(Protocol):
    """Anything that can show the score."""

    def show(self, view: ScoreView) -> None:
        """Show `view` in place of what was shown before.

        Raises:
            DeviceError: when the display has failed; the message is one sentence.
        """
        ...

    def close(self) -> None:
        """Give the display back to the system; calling it again does nothing."""
        ...


PHASE_WORDS = {
    "turn": "",
    "final_round": "last round",
    "tie_break": "tie break",
    "finished": "game over",
}
"""The phase of a game in the words of the table."""


def points_text(points: int) -> str:
    """Return points as people write them: a gap between thousands, a real minus sign.

    >>> points_text(10250), points_text(-1000), points_text(0)
    ('10 250', '−1 000', '0')
    """
    sign = "−" if points < 0 else ""
    return sign + f"{abs(points):,}".replace(",", " ")


def gain_text(points: int) -> str:
    """Return points as a gain or a loss, with its sign.

    >>> gain_text(450), gain_text(0), gain_text(-1000)
    ('+450', '0', '−1 000')
    """
    return f"+{points_text(points)}" if points > 0 else points_text(points)
