"""`croupier replay`: a whole game from its document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from scorer.notation import Game
    from scorer.rules import Rules


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A game document (JSON) or a game as a text; - for standard input.",
            show_default=False,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="The final state as one JSON object.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Change a rule; may be repeated.", show_default=False
        ),
    ] = None,
    as_text: Annotated[
        bool, typer.Option("--text", help="Write the game as a text that people read, and stop.")
    ] = False,
    with_statistics: Annotated[
        bool,
        typer.Option(
            "--statistics", help="Also points a turn, busts, luck, faces; of Tenzi, times and bests."
        ),
    ] = False,
) -> None:
    """Play a recorded game again and show the score that it comes to.

    An event that the rules do not allow stops the replay and is named by its place, counted from 0, and its
    line. With --set the same throws are scored under other rules. A text may say itself what
    the score is ("check" lines); where one does not hold, the command says so and ends with exit code 1.

    Example: croupier replay game.json --set opening=0 --set three_pairs=1000
    """
    import json

    from device.documents import parse_settings, read_bytes
    from device.errors import EXIT_NO, BadInput
    from scorer.errors import IllegalEvent, MalformedDocument, RulesError

    try:
        overrides = parse_settings(settings or ())
        data = read_bytes(file)
        if as_text:
            typer.echo(_text_of(file, data, overrides), nl=False)
            return
        outcome, failed = _play(file, data, overrides)
        if with_statistics:
            outcome["statistics"] = _statistics(file, data, overrides)
    except (RulesError, BadInput) as error:
        answer: dict[str, object] = {"error": str(error)}
        place = error.index if isinstance(error, IllegalEvent) else None
        if place is not None:
            answer["event"] = place
        line = error.line if isinstance(error, (IllegalEvent, MalformedDocument)) else None
        if line is None and place is not None:
            line = _line_of(file, data, place)
        if line is not None:
            answer["line"] = line
        if as_json:
            typer.echo(json.dumps(answer, ensure_ascii=False))
        raise BadInput(f"{_place(place, line)}{error}") from error
    if as_json:
        typer.echo(json.dumps(outcome, ensure_ascii=False))
    elif "rounds" in outcome:
        _show_match(outcome)
        if with_statistics:
            from device.tables import show_races

            show_races(outcome["statistics"])
    else:
        _show_game(outcome)
        if with_statistics:
            from device.tables import show_statistics

            show_statistics(outcome["statistics"])
    for sentence in failed:
        typer.echo(f"croupier: {sentence}", err=True)
    if failed:
        raise typer.Exit(EXIT_NO)


def _place(event: int | None, line: int | None) -> str:
    """Return where in a document something is wrong, as the beginning of a sentence."""
    if line is None:
        return "" if event is None else f"event {event}: "
    return f"line {line}: " if event is None else f"line {line} (event {event}): "


def _line_of(file: Path, data: bytes, event: int) -> int | None:
    """Return the line of an event of a JSON document that has lines."""
    from device.documents import decode, is_json, line_of_event, name_of

    several = b"\n" in data.strip() and is_json(file, data)
    return line_of_event(decode(data, name_of(file)), event) if several else None


def _play(file: Path, data: bytes, overrides: Mapping[str, object]) -> tuple[dict[str, Any], list[str]]:
    """Return the scoreboard of a game file, and a sentence for each of its checks that does not hold."""
    from device.documents import decode, is_json, name_of, parse_json
    from scorer.notation import BadLine, parse
    from scorer.playthrough import explained, played
    from scorer.replay import replay as play_again

    if not data.strip() or is_json(file, data):
        return play_again(_spelled_out(parse_json(data, name_of(file)), file), overrides), []
    try:
        game = parse(decode(data, name_of(file)))
    except BadLine as error:
        raise explained(error, overrides, rules_of=_rules_beside(file)) from error
    outcome = played(game, overrides, rules_of=_rules_beside(file))
    return outcome.board, [str(each) for each in outcome.failed]


def _read(file: Path, data: bytes, overrides: Mapping[str, object]) -> Game:
    """Return the game in a file, its settings changed."""
    from dataclasses import replace

    from device.documents import decode, is_json, name_of, parse_json
    from device.errors import BadInput
    from scorer.notation import from_document, parse

    if data.strip() and not is_json(file, data):
        game = parse(decode(data, name_of(file)))
    else:
        document = parse_json(data, name_of(file))
        if not isinstance(document, dict):
            raise BadInput(f"{name_of(file)} holds no game document; give a JSON object or a game as a text")
        game = from_document(document)
    return replace(game, settings={**game.settings, **overrides})


def _text_of(file: Path, data: bytes, overrides: Mapping[str, object]) -> str:
    """Return a game file as a text."""
    from scorer.notation import to_text

    return to_text(_read(file, data, overrides), rules_of=_rules_beside(file))


def _statistics(file: Path, data: bytes, overrides: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Return the statistics of a game that was just played, by player."""
    from scorer.race_repair import Race, recount_race
    from scorer.statistics import game_statistics, statistics_board
    from scorer.tenzi import tenzi_rules
    from scorer.tenzi_statistics import match_statistics, racer_board

    game = _read(file, data, overrides)
    if game.game == "tenzi":
        race = Race(tenzi_rules(game.settings), game.players, game.events)  # type: ignore[arg-type]  # Tenzi
        return {each.player: racer_board(each) for each in match_statistics(recount_race(race).match)}
    rules = _rules_beside(file)(game.preset, game.settings)
    found = game_statistics(rules, game.players, game.events)  # type: ignore[arg-type]  # a Farkle game
    return {each.player: statistics_board(each) for each in found}


def _rules_beside(file: Path) -> Callable[[object, object], Rules]:
    """Return what finds the rules of a preset; a house preset may lie beside the game file."""
    from device.presets import rules_of

    def find(preset: object, settings: object) -> Rules:
        return rules_of(preset, settings, file.parent)

    return find


def _spelled_out(document: object, file: Path) -> object:
    """Return a document with its house preset, where it names one, spelled out as settings."""
    from device.presets import is_house_preset, plain

    if not isinstance(document, dict) or not is_house_preset(document.get("preset")):
        return document
    preset, settings = plain(document["preset"], document.get("settings"), file.parent)
    return {**document, "preset": preset, "settings": settings}


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
    from device.tables import print_table

    rows = [
        (str(rank), name, str(total), " ".join(map(str, outcome["turns"][name])))
        for name, total, rank in outcome["standings"]
    ]
    print_table(("", "Player", "Total", "Turns"), rows, state_sentence(outcome))


def _show_match(outcome: Mapping[str, Any]) -> None:
    """Write the rounds of a Tenzi match for people to standard output."""
    from device.tables import print_table

    rows = []
    for number, each in enumerate(outcome["rounds"], start=1):
        winner = each["winner"] or ("too close: play again" if each["replay"] else "no winner")
        rolls = ", ".join(f"{name} {n}" for name, n in each["rolls"].items())
        rows.append((str(number), winner, rolls))
    print_table(("", "Winner", "Rolls"), rows, match_sentence(outcome))
