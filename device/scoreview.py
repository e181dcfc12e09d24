"""The game as a display shows it: a `ScoreView` made from the referee, with a sentence on what to do next."""

from __future__ import annotations

from device.displays.view import DieSeen, PlayerLine, ScoreView, points_text
from scorer.farkle import Stage, State, legal, standings
from scorer.judge import Doubt, bank_best
from scorer.referee import Question, Referee

_ANSWERS: dict[Doubt, str] = {
    Doubt.UNREAD: "f: say what it shows",
    Doubt.COCKED: "throw it again (f: say what it shows)",
    Doubt.TOO_FEW: "put it on the table (f 0: say what it shows)",
    Doubt.TOO_MANY: "take it away (f: say which is no die)",
    Doubt.CHANGED_FACE: "f: say what it shows, u: undo",
    Doubt.BELOW_MINIMUM: "r: the throw does not count, n: the turn is given up",
    Doubt.SLID_OR_THROWN: "",
    Doubt.TAKE_OVER: "",
}
"""Keys that answer a question; where none is named, the throw can be left out."""


def score_view(referee: Referee, *, title: str, news: str, on_table: bool, keys: bool) -> ScoreView:
    """Return what displays show of `referee`.

    `news` is what has just happened; `on_table` is False while no die lies on the table; `keys` tells whether
    the players have a keyboard.
    """
    game = referee.game
    ranks = {name: rank for name, _, rank in standings(game)}
    throw = game.throw
    return ScoreView(
        title=title,
        players=tuple(
            PlayerLine(
                name,
                game.totals[seat],
                game.turns[seat][-1] if game.turns[seat] else None,
                ranks[name],
                seat in game.winners,
            )
            for seat, name in enumerate(game.players)
        ),
        active=game.seat,
        target=game.rules.target,
        turn_points=game.turn.points,
        roll_points=None if throw is None else throw.best,
        dice=_dice(referee) if on_table or referee.waiting else (),
        message=" ".join(part for part in (news, what_next(game)) if part),
        question="" if referee.question is None else _asked(referee.question, keys=keys, news=news),
        phase=game.phase.value,
    )


def what_next(game: State) -> str:
    """Return what the players can do now, as one short sentence."""
    if game.finished:
        names = [game.players[seat] for seat in game.winners]
        if not names:
            return "The game is over."
        points = points_text(game.totals[game.winners[0]])
        verb = "wins" if len(names) == 1 else "share the win"
        return f"{' and '.join(names)} {verb} with {points} points."
    player = game.to_act
    match game.turn.stage:
        case Stage.START | Stage.TAKEN:
            return f"{player}: throw {_dice_word(legal(game).roll or game.rules.dice)}."
        case Stage.ROLLED:
            may_bank = bank_best(game) is not None
            return f"{player}: keep what scores and throw on" + (", or pass the dice." if may_bank else ".")
        case Stage.ASIDE:
            return f"{player}: throw {_dice_word(legal(game).roll or 0)}" + (
                ", or bank." if legal(game).bank else "."
            )


def _dice(referee: Referee) -> tuple[DieSeen, ...]:
    """Return the dice on the table; the face of a committed throw stands, whatever is read later."""
    view = referee.shown
    if view is None:
        return ()
    committed = referee.table.faces
    asked = set() if referee.question is None else set(referee.question.dice)
    seen = []
    for die in view.dice:
        face = die.face if die.id in asked else committed.get(die.id, die.face)
        seen.append(
            DieSeen(
                face,
                sure=face is not None,
                kept=die.id in referee.table.kept,
                cocked=die.cocked and die.id not in committed,
            )
        )
    return tuple(seen)


def _asked(question: Question, *, keys: bool, news: str) -> str:
    """Return the question with the ways to answer it."""
    if not keys:
        return question.reason
    if question.options:
        answers = ", ".join(f"{number}: {name}" for number, name in enumerate(question.options, start=1))
    else:
        answers = _ANSWERS.get(question.doubt, "r: the throw does not count")
    prompt = f"{news} " if news.endswith("?") else ""
    return prompt or f"{question.reason} {answers}"


def _dice_word(number: int) -> str:
    return "one die" if number == 1 else f"{number} dice"
