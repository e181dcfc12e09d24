"""`croupier replay`: a whole game from its document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A game document (JSON); - for standard input.", show_default=False
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="The final state as one JSON object.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Change a rule; may be repeated.", show_default=False
        ),
    ] = None,
) -> None:
    """Play a recorded game again and show the score that it comes to.

    An event that the rules do not allow stops the replay and is named by its place, counted from 0.
    With --set the same throws are scored under other rules.

    Example: croupier replay game.json --set opening=0 --set three_pairs=1000
    """
    import json

    from device.documents import parse_settings, read_json
    from device.errors import BadInput
    from scorer.errors import IllegalEvent, RulesError
    from scorer.replay import replay as play_again

    try:
        outcome = play_again(read_json(file), parse_settings(settings or ()))
    except (RulesError, BadInput) as error:
        answer: dict[str, object] = {"error": str(error)}
        place = error.index if isinstance(error, IllegalEvent) else None
        if place is not None:
            answer["event"] = place
        if as_json:
            typer.echo(json.dumps(answer, ensure_ascii=False))
        raise BadInput(str(error) if place is None else f"event {place}: {error}") from error
    if as_json:
        typer.echo(json.dumps(outcome, ensure_ascii=False))
    elif "rounds" in outcome:
        _show_match(outcome)
    else:
        _show_game(outcome)


def state_sentence(outcome: Mapping[str, Any]) -> str:
    """Return in one sentence where the game of a replay stands."""
    if outcome["finished"]:
        names = " and ".join(outcome["winners"])
        return f"Finished: {names} {'share the win' if len(outcome['winners']) > 1 else 'wins'}."
    turn = outcome["turn"]
    phase = {"final_round": "Last round: ", "tie_break": "Tie break: "}.get(outcome["phase"], "")
    left = f"{turn['points']} points in this turn, {turn['dice_left']} dice to throw"
    must = ", which must be thrown (hot dice)" if turn["must_roll"] else ""
    offer = turn["offer"]
    take = f"; {offer['points']} points with {offer['dice']} dice may be taken over" if offer else ""
    return f"{phase}{outcome['to_act']} is to act: {left}{must}{take}."


def match_sentence(outcome: Mapping[str, Any]) -> str:
    """Return in one sentence where the match of a Tenzi replay stands."""
    wins = ", ".join(f"{name} {won}" for name, won in outcome["wins"].items())
    if outcome["finished"]:
        return f"Finished: {outcome['winners'][0]} wins the match ({wins})."
    return f"The match goes on: {wins}."


def _show_game(outcome: Mapping[str, Any]) -> None:
    """Write the scoreboard of a Farkle game for people to standard output."""
    rows = [
        (str(rank), name, str(total), " ".join(map(str, outcome["turns"][name])))
        for name, total, rank in outcome["standings"]
    ]
    _print_table(("", "Player", "Total", "Turns"), rows, state_sentence(outcome))


def _show_match(outcome: Mapping[str, Any]) -> None:
    """Write the rounds of a Tenzi match for people to standard output."""
    rows = []
    for number, each in enumerate(outcome["rounds"], start=1):
        winner = each["winner"] or ("too close: play again" if each["replay"] else "no winner")
        rolls = ", ".join(f"{name} {n}" for name, n in each["rolls"].items())
        rows.append((str(number), winner, rolls))
    _print_table(("", "Winner", "Rolls"), rows, match_sentence(outcome))


def _print_table(titles: Sequence[str], rows: Sequence[Sequence[str]], sentence: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for title in titles:
        table.add_column(title, justify="right" if title in ("", "Total") else "left")
    for row in rows:
        table.add_row(*map(Text, row))  # as plain text: a name may hold [brackets]
    console = Console(highlight=False)
    if rows:
        console.print(table)
    console.print(Text(sentence))
