"""Plays a game that was read from a text: its scoreboard, and which of its checks hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scorer import farkle, tenzi
from scorer.errors import IllegalEvent
from scorer.notation import EVENT_WORDS, AnyEvent, BadLine, Check, Game, RulesOf, read_event
from scorer.replay import scoreboard
from scorer.rules import make_rules
from scorer.statements import statements


@dataclass(frozen=True, slots=True)
class Failed:
    """A check that did not hold."""

    check: Check
    """What the text says."""
    found: str
    """What is true instead."""

    def __str__(self) -> str:
        """Say both in one sentence."""
        where = "" if self.check.line is None else f"line {self.check.line}: "
        return f"{where}the text says '{self.check.says}', it comes to '{self.found}'"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a game came to."""

    board: dict[str, object]
    """The scoreboard, as `scorer.replay.replay` answers it."""
    failed: tuple[Failed, ...]
    """Checks that did not hold."""


def played(
    game: Game, overrides: Mapping[str, object] | None = None, *, rules_of: RulesOf = make_rules
) -> Outcome:
    """Play a game and see which of its checks hold; `overrides` change its settings, `rules_of` finds
    the rules of a preset and settings.

    Raises:
        UnknownPreset, UnknownSetting, BadSetting, BadPlayers: nothing was played.
        IllegalEvent: with index and line of the event; nothing after it was played.

    >>> from scorer.notation import parse
    >>> played(parse("game farkle\\nplayers A, B\\nentered A 550\\ncheck totals A 500, B 0")).failed[0].found
    'totals A 550, B 0'
    """
    table = _Table(game, overrides or {}, rules_of)
    failed: list[Failed] = []
    checks = list(game.checks)
    for index in range(len(game.events) + 1):
        while checks and checks[0].at <= index:
            check = checks.pop(0)
            found = table.refuted(check.says)
            if found is not None:
                failed.append(Failed(check, found))
        if index < len(game.events):
            table.play_at(game, index, game.events[index])
    return Outcome(table.board(), tuple(failed))


def explained(
    error: BadLine, overrides: Mapping[str, object] | None = None, *, rules_of: RulesOf = make_rules
) -> BadLine:
    """Return the same error with what was legal at the line.

    Raises:
        RulesError: when the game before the line cannot be played.
    """
    table = _Table(error.before, overrides or {}, rules_of)
    for index, event in enumerate(error.before.events):
        table.play_at(error.before, index, event)
    return BadLine(f"{error.message}; legal here: {table.legal()}", index=error.index, line=error.line)


class _Table:
    """A game in progress, of either kind."""

    def __init__(self, game: Game, overrides: Mapping[str, object], rules_of: RulesOf) -> None:
        settings = {**game.settings, **overrides}
        self.state: farkle.State | tenzi.Match
        if game.game == "farkle":
            self.state = farkle.start(rules_of(game.preset, settings), game.players)
        else:
            self.state = tenzi.start(tenzi.tenzi_rules(settings), game.players)

    def play_at(self, game: Game, index: int, event: AnyEvent) -> None:
        try:
            self.state = self._after(event)
        except IllegalEvent as error:
            raise error.at(index, game.lines[index] if game.lines else None) from error

    def board(self) -> dict[str, object]:
        return (
            scoreboard(self.state) if isinstance(self.state, farkle.State) else tenzi.match_board(self.state)
        )

    def legal(self) -> str:
        if isinstance(self.state, farkle.State):
            return str(farkle.legal(self.state))
        return ", ".join(EVENT_WORDS["tenzi"])

    def refuted(self, says: str) -> str | None:
        """Return what is true instead of a statement, or None when it is true."""
        if says.startswith("refused "):
            words = says.removeprefix("refused ")
            try:
                self._after(read_event("farkle" if isinstance(self.state, farkle.State) else "tenzi", words))
            except IllegalEvent:
                return None
            return f"{words} is legal"
        every = [" ".join(each) for each in statements(self.board())]
        if says in every:
            return None
        subject = max(
            (each for each, _ in statements(self.board()) if says.startswith(f"{each} ")), key=len, default=""
        )
        return next((each for each in every if subject and each.startswith(f"{subject} ")), "no such thing")

    def _after(self, event: AnyEvent) -> farkle.State | tenzi.Match:
        if isinstance(self.state, farkle.State):
            return farkle.apply(self.state, event)  # type: ignore[arg-type]  # the reader knows the game
        return tenzi.apply(self.state, event)  # type: ignore[arg-type]
