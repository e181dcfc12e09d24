"""`croupier games`: the games that were played: list, show, export, statistics, repair, back up, verify."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from device.backup_app import backup, restore
from device.repair_app import app as repair_app

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from device.gamelog import Kept
    from device.store import Fault, GameStore, StoredGame

app = typer.Typer(
    no_args_is_help=True,
    help="The games that were played: list, show, export, statistics, repair, back up, verify.",
    epilog="Example: croupier games list",
)

app.add_typer(repair_app, name="repair")
app.command("backup")(backup)
app.command("restore")(restore)

_Store = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Where games are kept (default: CROUPIER_STORE, or the user's data folder).",
        show_default=False,
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
_Number = Annotated[int, typer.Argument(metavar="NUMBER", help="The number of the game, as in the list.")]


@app.command("list")
def list_games(store: _Store = None, as_json: _Json = False) -> None:
    """List all games, the oldest first. One that cannot be read is named, and the rest are listed.

    Example: croupier games list
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from device.errors import BadInput
    from scorer.errors import RulesError

    with _opened(store) as games:
        rows = []
        faults: dict[int, str] = {}
        for stored in games.games():
            try:
                kept = _standing(games, stored)
                rows.append((stored, kept, _board(kept)))
            except (BadInput, RulesError) as error:
                faults[stored.id] = str(error)
    if as_json:
        for stored, kept, _ in rows:
            typer.echo(json.dumps(_as_dict(stored, kept)))
        for number, fault in faults.items():
            typer.echo(json.dumps({"game": number, "error": fault}))
        _complain(faults)
        return
    table = Table("number", "started", "rules", "totals", "state", box=None)
    for stored, kept, board in rows:
        started = stored.header.started[:16].replace("T", " ")  # to the minute; `--json` has all of it
        cells = (str(stored.id), started, _rules(kept), _totals_word(board), _state_word(board))
        table.add_row(*(Text(cell) for cell in cells))
    Console(highlight=False, soft_wrap=True).print(table)
    _complain(faults)


@app.command()
def show(number: _Number, store: _Store = None, as_json: _Json = False) -> None:
    """Show one game: its totals and every event, what was taken back and repaired included.

    Example: croupier games show 3
    """
    with _opened(store) as games:
        stored = games.game(number)
        records = games.records(number)
        kept = _standing(games, stored)
    board = _board(kept)
    if as_json:
        events = [
            {"event": list(record.event), "t_s": round(record.t_ns / 1e9, 4), "by": record.by}
            | ({"evidence": record.evidence} if record.evidence else {})
            for record in records
        ]
        typer.echo(json.dumps({**_as_dict(stored, kept), "state": board, "events": events}))
        return
    typer.echo(f"Game {number}: {_rules(kept)}, started {stored.header.started}, {_state_word(board)}")
    for record in records:
        words = " ".join(_word(part) for part in record.event)
        typer.echo(
            f"{record.t_ns / 1e9:9.2f} s  {words}{'' if record.by == 'camera' else f'  ({record.by})'}"
        )
    typer.echo(_totals_word(board))
    for sentence in kept.open_points:
        typer.echo(f"Does not count: {sentence}")


@app.command()
def export(
    number: _Number,
    store: _Store = None,
    as_text: Annotated[
        bool, typer.Option("--text", help="Write a text that people read, instead of JSON.")
    ] = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Write a table for spreadsheets, one row an event.")
    ] = False,
) -> None:
    """Write one game as the document that `croupier replay` reads.

    Example: croupier games export 3 > game.json
    """
    from device.gamelog import document_of

    with _opened(store) as games:
        stored = games.game(number)
        document = document_of(stored, games.records(number))
        kept = _standing(games, stored) if csv else None
    if kept is not None:
        from device.game_csv import as_csv

        typer.echo(as_csv(kept), nl=False)
        return
    if as_text:
        from scorer.notation import from_document, to_text

        typer.echo(to_text(from_document(document)), nl=False)
        return
    typer.echo(json.dumps(document))


@app.command("statistics")
def show_statistics_of_games(
    numbers: Annotated[
        list[int] | None,
        typer.Argument(metavar="[NUMBER]...", help="Numbers of games (default: all).", show_default=False),
    ] = None,
    store: _Store = None,
    as_json: _Json = False,
) -> None:
    """Show points a turn, busts, hot dice, luck and faces of every player, over games of Farkle.

    Of Tenzi: wins, throws, times and personal bests.

    Example: croupier games statistics
    """
    from device.gamelog import KeptRace
    from device.tables import show_races, show_statistics
    from scorer.race_repair import recount_race
    from scorer.statistics import PlayerStatistics, game_statistics, statistics_board, together
    from scorer.tenzi_statistics import RacerStatistics, match_statistics, raced_together, racer_board

    found: list[PlayerStatistics] = []
    raced: list[RacerStatistics] = []
    with _opened(store) as games:
        for stored in games.games() if not numbers else map(games.game, dict.fromkeys(numbers)):
            kept = _standing(games, stored)
            if isinstance(kept, KeptRace):
                raced += match_statistics(recount_race(kept.race).match)
            else:
                found += game_statistics(kept.rules, kept.players, kept.events)
    boards = {each.player: statistics_board(each) for each in together(found)}
    races = {each.player: racer_board(each) for each in raced_together(raced)}
    if as_json:
        for name, board in boards.items():
            typer.echo(json.dumps({"player": name, **board}, ensure_ascii=False))
        for name, board in races.items():
            typer.echo(json.dumps({"player": name, "kind": "tenzi", **board}, ensure_ascii=False))
        return
    if boards or not races:
        show_statistics(boards)
    if races:
        show_races(races)


@app.command()
def verify(
    number: Annotated[
        int | None,
        typer.Argument(metavar="[NUMBER]", help="Only this game (default: all).", show_default=False),
    ] = None,
    read: Annotated[
        bool,
        typer.Option("--read", help="Also read every evidence picture again: the throw must be in it."),
    ] = False,
    store: _Store = None,
    as_json: _Json = False,
) -> None:
    """Check that nothing in the store was changed: every event, every game, every evidence picture.

    Every game is also played again: its events must be legal, one by one, and come to a score. Virtual dice
    are thrown again from the seed that was sealed before the game. With --read the pictures of a camera game
    are read again, which takes a while. Ends with exit code 1 when something does not fit.

    Example: croupier games verify 12 --read
    """
    from device.errors import EXIT_NO

    with _opened(store) as games:
        wanted = [games.game(number)] if number is not None else None
        found = [*games.verify(), *_played_again(games, wanted)]
        # Where the chain is broken everywhere is affected: faults of the list as a whole are always told.
        faults = [each for each in found if number is None or each.game in (number, None)]
        pictures = None
        if read and not faults:
            from device.evidence_again import read_again

            pictures = read_again(games, games.games() if wanted is None else wanted)
            faults += pictures.faults
        count = (len(games.games()) if number is None else 1) if not faults else 0
    if as_json:
        data = [{"game": fault.game, "event": fault.seq, "reason": fault.reason} for fault in faults]
        answer: dict[str, object] = {"ok": not faults, "faults": data}
        if pictures is not None:
            answer |= {
                "pictures": {"read": pictures.read, "unclear": pictures.unclear, "gone": pictures.gone}
            }
        typer.echo(json.dumps(answer))
    for fault in () if as_json else faults:
        where = "" if fault.game is None else f"game {fault.game}: "
        where += "" if fault.seq is None else f"event {fault.seq}: "
        typer.echo(f"{where}{fault.reason}")
    if faults:
        raise typer.Exit(EXIT_NO)
    if not as_json:
        typer.echo(
            f"{count} game{'' if count == 1 else 's'}: nothing was changed, every score comes out again."
        )
        if pictures is not None:
            typer.echo(pictures.sentence)


@app.command("review")
def review_game(
    number: _Number,
    store: _Store = None,
    all_decisions: Annotated[
        bool, typer.Option("--all", help="Also the decisions that cost nothing.")
    ] = False,
    as_json: _Json = False,
) -> None:
    """Go over a game again: what every decision has cost, and what was luck and what was skill.

    In points of the turn, by the exact odds of the table's rules. What a player wrote is what the turns were
    worth before their first throws, and the luck of the throws, less what the decisions have cost.

    Example: croupier games review 12
    """
    from device.gamelog import farkle_game
    from device.reviewing import review_json, show_review
    from scorer.advice import review

    with _opened(store) as games:
        kept = farkle_game(games.game(number), games.records(number))
    found = review(kept.rules, kept.players, kept.events)
    if as_json:
        typer.echo(json.dumps(review_json(found, every=True), ensure_ascii=False))
    else:
        show_review(found, every=all_decisions)


def _played_again(games: GameStore, wanted: Sequence[StoredGame] | None = None) -> Iterator[Fault]:
    """Play every game that can be read once more, and throw its virtual dice; return what is no game."""
    from device.errors import BadInput
    from device.gamelog import KeptRace
    from device.store import DamagedStore, Fault
    from device.virtual_dice import dice_faults
    from scorer.errors import RulesError

    try:
        every = games.games() if wanted is None else wanted
    except DamagedStore:  # what cannot be read was found before
        return
    for stored in every:
        try:
            kept = _standing(games, stored)
            if not isinstance(kept, KeptRace):
                _ = kept.ledger  # the events that count, and those of a repair that do not
            _board(kept)
            yield from dice_faults(stored, games.records(stored.id), kept)
        except DamagedStore:
            continue
        except (BadInput, RulesError) as error:
            yield Fault(stored.id, None, f"the game cannot be played again: {error}")


def _complain(faults: Mapping[int, str]) -> None:
    """Say which games cannot be read.

    Raises:
        BadInput: there are some.
    """
    from device.errors import BadInput

    if faults:
        number, fault = next(iter(faults.items()))
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise BadInput(f"game {number} cannot be read{more}: {fault}; see: croupier games verify")


def _opened(folder: Path | None) -> GameStore:
    from device.store import open_reader, store_folder

    return open_reader(store_folder(folder))


def _standing(games: GameStore, stored: StoredGame) -> Kept:
    """Return a game as it stands, worked out afresh from its rows."""
    from device.gamelog import standing_game

    return standing_game(stored, games.records(stored.id))


def _board(kept: Kept) -> Mapping[str, Any]:
    """Return the scoreboard of a game, as `croupier replay` answers it."""
    from scorer.replay import replay

    return replay(kept.document())


def _rules(kept: Kept) -> str:
    from device.gamelog import KeptRace

    return "tenzi" if isinstance(kept, KeptRace) else kept.preset


def _as_dict(stored: StoredGame, kept: Kept) -> dict[str, object]:
    """Return one line of the list for `--json`."""
    board = _board(kept)
    return {
        "game": stored.id,
        "kind": stored.header.game,
        "preset": _rules(kept),
        "started": stored.header.started,
        "players": list(kept.players),
        "totals": board["totals"] if "totals" in board else board["wins"],
        "finished": board["finished"],
        "winners": board["winners"],
        "events": stored.events,
    }


def _totals_word(board: Mapping[str, Any]) -> str:
    totals = board["totals"] if "totals" in board else board["wins"]
    return ", ".join(f"{name} {total}" for name, total in totals.items())


def _state_word(board: Mapping[str, Any]) -> str:
    return f"won by {' and '.join(board['winners'])}" if board["finished"] else "unfinished"


def _word(part: object) -> str:
    if isinstance(part, dict):  # a repair: what was done; `--json` has all of it
        return f"({part.get('did')})"
    return " ".join(map(str, part)) if isinstance(part, (list, tuple)) else str(part)
