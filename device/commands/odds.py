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
    game: Annotated[
        bool,
        typer.Option(
            "--game",
            help="The whole game: fewest turns alone, and who wins of two.",
        ),
    ] = False,
    totals: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="With --game: totals of the player to act and of the other one.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All of it as one JSON object.")] = False,
) -> None:
    """Show the odds of any rules: what a turn is worth, how often a throw busts, from when to bank.

    The figures are exact: best play for points, looking at this turn alone. With --roll the legal
    selections are ranked by what the turn is worth after them; with --dice and --turn banking is weighed
    against a throw. With --game two players who both play best are set against each other; an unopened
    player has a total of 0.

    Example: croupier odds tiotusen --set opening=500 --turn 300 --roll 1523
    """
    import json

    from device.documents import parse_settings
    from device.errors import BadInput
    from device.odds_cache import odds_of
    from device.presets import rules_of

    rules = rules_of(preset, parse_settings(settings or ()))
    if totals is not None and not game:
        raise BadInput("--totals belongs to --game; add it")
    whole = _whole_game(rules, totals) if game else None
    found = odds_of(rules)
    answer = _answer(preset, found)
    ranked = None if roll is None else _ranked(rules, roll, dice, turn, opened=not unopened)
    weighed = None if dice is None or roll is not None else _weighed(rules, dice, turn, opened=not unopened)
    if as_json:
        if weighed is not None:
            answer["throw"] = weighed
        if ranked is not None:
            answer["selections"] = [_as_dict(each) for each in ranked]
        if whole is not None:
            answer["game"] = whole
        typer.echo(json.dumps(answer, ensure_ascii=False))
    elif ranked is not None:
        _show_ranked(ranked)
    elif weighed is not None:
        _show_weighed(weighed, turn)
    elif whole is not None:
        _show_whole(rules, whole)
    else:
        _show(found)


def _whole_game(rules: Rules, totals: str | None) -> dict[str, Any]:
    """Return what the whole game is worth from these totals (own, other); solve it if need be."""
    from device.progress import progress_bar
    from device.win_tables import cache_folder, solved
    from scorer.turn_solver import throws_of
    from scorer.win_odds import check_solvable, last_turns, race_size

    check_solvable(rules)
    mine, other = _totals(rules, totals)
    with progress_bar(f"Solving the game, into {cache_folder()}", 2 * race_size(rules) - 1) as step:
        win, turns = solved(rules, step=step)
    unit = throws_of(rules).unit
    chance = float(win[mine // unit, min(other // unit, len(win) - 1)])
    if other >= rules.target:
        chance = float(last_turns(rules).win[min((other - mine) // unit, len(win))])
    return {
        "totals": [mine, other],
        "win": round(chance, 4),
        "turns_alone": round(float(turns[mine // unit]), 3),
        "left_out": ["bust_penalty"] if rules.bust_penalty else [],
    }


def _totals(rules: Rules, totals: str | None) -> tuple[int, int]:
    """Return own and other total, as typed.

    Raises:
        BadInput: they are no totals of a game that goes on.
    """
    from device.errors import BadInput

    if totals is None:
        return 0, 0
    words = [word.strip() for word in totals.split(",")]
    if len(words) != 2 or not all(word.isascii() and word.isdigit() for word in words):
        raise BadInput(f"--totals {totals!r} should be two totals, own and other, as in 4500,5200")
    mine, other = (int(word) for word in words)
    if mine >= rules.target or other > rules.target + 4000:
        raise BadInput(
            f"--totals {totals!r}: the player to act has less than the target of {rules.target}, the other "
            "at most 4000 more; give such totals"
        )
    return mine, other


def _show_whole(rules: Rules, whole: dict[str, Any]) -> None:
    mine, other = whole["totals"]
    typer.echo(
        f"With {mine} against {other} the player to act wins {100 * whole['win']:.1f} % of the games if both "
        f"play best.\nAlone it takes at least {whole['turns_alone']:.2f} turns on average to {rules.target}."
    )
    if whole["left_out"]:
        typer.echo("The penalty for busts in a row is left out.")


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
