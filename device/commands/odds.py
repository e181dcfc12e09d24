"""`croupier odds`: what a turn is worth under a table's rules, when to bank, and what to do with a throw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from scorer.odds import Choice, Odds
    from scorer.rules import Rules


def odds(
    preset: Annotated[
        str,
        typer.Argument(
            metavar="PRESET", help="A name from `rules list`, or a TOML file.", show_default=False
        ),
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Change a rule; may be repeated.", show_default=False
        ),
    ] = None,
    roll: Annotated[
        str | None,
        typer.Option(
            "--roll",
            metavar="FACES",
            help="A throw, like 152234: rank what to set aside.",
            show_default=False,
        ),
    ] = None,
    dice: Annotated[
        int | None,
        typer.Option("--dice", metavar="N", help="How many dice are thrown next.", show_default=False),
    ] = None,
    turn: Annotated[
        int, typer.Option("--turn", metavar="POINTS", help="Points of the turn so far.", show_default=False)
    ] = 0,
    unopened: Annotated[
        bool, typer.Option("--unopened", help="The player has not opened yet (matters for --roll, --dice).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="All of it as one JSON object.")] = False,
) -> None:
    """Show the odds of any rules: what a turn is worth, how often a throw busts, from when to bank.

    The figures are exact: best play for points, looking at this turn alone. With --roll the legal
    selections are ranked by what the turn is worth after them; with --dice and --turn banking is weighed
    against a throw.

    Example: croupier odds tiotusen --set opening=500 --turn 300 --roll 1523
    """
    import json

    from device.documents import parse_settings
    from device.presets import rules_of
    from scorer.odds import odds as odds_of

    rules = rules_of(preset, parse_settings(settings or ()))
    found = odds_of(rules)
    answer = _answer(preset, found)
    ranked = None if roll is None else _ranked(rules, roll, dice, turn, opened=not unopened)
    weighed = None if dice is None or roll is not None else _weighed(rules, dice, turn, opened=not unopened)
    if as_json:
        if weighed is not None:
            answer["throw"] = weighed
        if ranked is not None:
            answer["selections"] = [_as_dict(each) for each in ranked]
        typer.echo(json.dumps(answer, ensure_ascii=False))
    elif ranked is not None:
        _show_ranked(ranked)
    elif weighed is not None:
        _show_weighed(weighed, turn)
    else:
        _show(found)


def _answer(preset: str, found: Odds) -> dict[str, Any]:
    """Return the odds as plain JSON values; dice are counted in the keys."""
    answer: dict[str, Any] = {
        "preset": preset,
        "turn_value": round(found.turn_value, 4),
        "bust": {str(n): round(each, 8) for n, each in enumerate(found.bust, start=1)},
        "bank_from": {str(n): each for n, each in enumerate(found.bank_from, start=1)},
        "without_penalty": round(found.without_penalty, 4),
        "with_penalty": round(found.with_penalty, 4),
    }
    if found.unopened is not None:
        limits = {str(n): each for n, each in enumerate(found.unopened_bank_from, start=1)}
        answer["unopened"] = {"turn_value": round(found.unopened, 4), "bank_from": limits}
    return answer


def _ranked(rules: Rules, roll: str, dice: int | None, turn: int, *, opened: bool) -> tuple[Choice, ...]:
    """Return what may be set aside of a throw, best first."""
    from device.errors import BadInput
    from scorer.odds import choices
    from scorer.words import Unreadable, faces_of

    try:
        faces = faces_of(roll.replace(",", " "))
    except Unreadable as error:
        raise BadInput(f"--roll: {error}; write the throw like 152234") from error
    if dice is not None and dice != len(faces):
        raise BadInput(
            f"--roll shows {len(faces)} dice and --dice says {dice}; give as many faces, or leave out --dice"
        )
    return choices(rules, faces, total=turn, opened=opened)


def _weighed(rules: Rules, dice: int, turn: int, *, opened: bool) -> dict[str, Any]:
    """Return banking against throwing so many dice."""
    from scorer.odds import turn_odds

    table = turn_odds(rules, opened=opened)
    roll = table.roll_value(turn, dice)
    bank = table.bank_value(turn) if turn else None
    then, expected = table.best(turn, dice)
    return {"bank": bank, "roll": round(roll, 4), "best": then, "expected": round(expected, 4)}


def _as_dict(choice: Choice) -> dict[str, Any]:
    return {
        "dice": list(choice.dice),
        "points": choice.points,
        "why": choice.why,
        "dice_left": choice.dice_left,
        "expected": round(choice.expected, 4),
        "then": choice.then,
        "bank": choice.then == "bank",
    }


def _show(found: Odds) -> None:
    from device.tables import print_table

    rows = []
    for index, (bust, limit) in enumerate(zip(found.bust, found.bank_from, strict=True)):
        closed = _limit(found.unopened_bank_from[index]) if found.unopened_bank_from else ""
        rows.append((str(index + 1), f"{100 * bust:.1f} %", _limit(limit), closed))
    titles: Sequence[str] = ("Dice", "Bust", "Bank from", "not opened yet" if found.unopened else "")
    sentence = f"A turn is worth {found.turn_value:.1f} points on average"
    if found.without_penalty != found.with_penalty:
        sentence += (
            f" ({found.with_penalty:.1f} with the penalty for busts in a row, "
            f"{found.without_penalty:.1f} without)"
        )
    if found.unopened is not None:
        sentence += f", before opening {found.unopened:.1f}"
    print_table(titles, rows, sentence + ".")


def _limit(points: int | None) -> str:
    return "always throw" if points is None else str(points)


def _show_ranked(ranked: Sequence[Choice]) -> None:
    from device.tables import print_table

    rows = [(" ".join(map(str, each.dice)), each.why, f"{each.expected:.1f}", _next(each)) for each in ranked]
    sentence = "The turn is worth so much on average after it." if ranked else "Nothing scores: a bust."
    print_table(("Set aside", "Points", "Worth", "Then"), rows, sentence)


def _next(choice: Choice) -> str:
    return "bank" if choice.then == "bank" else f"throw {choice.dice_left}"


def _show_weighed(weighed: dict[str, Any], turn: int) -> None:
    bank = "Banking is not allowed" if weighed["bank"] is None else f"Banking writes {weighed['bank']:.0f}"
    what = "bank" if weighed["best"] == "bank" else "throw"
    typer.echo(f"{bank}; throwing makes it {weighed['roll']:.1f} on average (now {turn}): {what}.")
