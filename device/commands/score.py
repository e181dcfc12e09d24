"""`croupier score`: what dice are worth, line by line."""

from __future__ import annotations

from typing import Annotated

import typer


def score(
    as_json: Annotated[
        bool, typer.Option("--json", help="Taken for granted: this command knows no other output.")
    ] = False,
) -> None:
    """Score throws: JSON lines on standard input, one answer a line on standard output.

    A line names a preset, optionally settings that differ from it, and the dice of one throw. The answer
    lists every legal selection with its points and the reason.

    Example: echo '{"preset": "farkle", "dice": [1, 5, 2, 2, 3, 4]}' | croupier score
    """
    import json
    import sys

    from device.errors import BadInput
    from scorer.errors import RulesError

    failed: list[int] = []
    for number, line in enumerate(sys.stdin.buffer, start=1):
        if not line.strip():
            continue
        try:
            answer = score_line(line)
        except (RulesError, BadInput) as error:
            answer = {"error": str(error)}
            failed.append(number)
        typer.echo(json.dumps(answer, ensure_ascii=False))
    if failed:
        places = ", ".join(map(str, failed[:10])) + (", ..." if len(failed) > 10 else "")
        raise BadInput(
            f"{len(failed)} of the lines on standard input could not be scored (line {places}); "
            "the answer to each says why"
        )


def score_line(line: bytes) -> dict[str, object]:
    """Return the answer to one line of input.

    Raises:
        BadInput: the line is not a JSON object of preset, settings and dice.
        RulesError: a name or a value in it is wrong.
    """
    from device.documents import parse_json
    from device.errors import BadInput
    from device.presets import rules_of
    from scorer.errors import BadDice, shown, suggestion
    from scorer.rules import DEFAULT_PRESET
    from scorer.scoring import check_faces, score_table

    known = ("preset", "settings", "dice")
    request = parse_json(line, "the line")
    if not isinstance(request, dict):
        raise BadInput(
            f'a line must be an object like {{"preset": ..., "dice": [...]}}, got {shown(request)}'
        )
    for name in request:
        if name not in known:
            raise BadInput(f"'{name}' is no part of a line; {suggestion(name, known)}")
    rules = rules_of(request.get("preset", DEFAULT_PRESET), request.get("settings"))
    dice = request.get("dice")
    if not isinstance(dice, list):
        raise BadDice(f"'dice' must be a list of 1 to {rules.dice} faces, got {shown(dice)}; give one throw")
    roll = score_table(rules).of(check_faces(dice, most=rules.dice))
    return {
        "best": roll.best,
        "used": roll.used,
        "bust": roll.bust,
        "selections": [
            {"dice": list(each.dice), "points": each.points, "why": each.why} for each in roll.selections
        ],
    }
