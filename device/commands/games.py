"""`croupier games`: the games that were played: list, show, export, statistics, verify."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from device.store import GameStore, StoredGame
    from scorer.farkle import State

app = typer.Typer(
    no_args_is_help=True,
    help="The games that were played: list, show, export, statistics, verify.",
    epilog="Example: croupier games list",
)

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
    """List all games, the oldest first.

    Example: croupier games list
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    with _opened(store) as games:
        rows = [(stored, _state(games, stored)) for stored in games.games()]
    if as_json:
        for stored, state in rows:
            typer.echo(json.dumps(_as_dict(stored, state)))
        return
    table = Table("number", "started", "rules", "totals", "state", box=None)
    for stored, state in rows:
        header = stored.header
        cells = (str(stored.id), header.started, header.preset, _totals_word(state), _state_word(state))
        table.add_row(*(Text(cell) for cell in cells))
    Console(highlight=False, soft_wrap=True).print(table)


@app.command()
def show(number: _Number, store: _Store = None, as_json: _Json = False) -> None:
    """Show one game: its totals and every event, what was taken back included.

    Example: croupier games show 3
    """
    from device.gamelog import document_of
    from scorer.replay import replay

    with _opened(store) as games:
        stored = games.game(number)
        records = games.records(number)
        state = _state(games, stored)
    if as_json:
        board = replay(document_of(stored, records))
        events = [
            {"event": list(record.event), "t_s": round(record.t_ns / 1e9, 4), "by": record.by}
            | ({"evidence": record.evidence} if record.evidence else {})
            for record in records
        ]
        typer.echo(json.dumps({**_as_dict(stored, state), "state": board, "events": events}))
        return
    header = stored.header
    typer.echo(f"Game {number}: {header.preset}, started {header.started}, {_state_word(state)}")
    for record in records:
        words = " ".join(_word(part) for part in record.event)
        typer.echo(f"{record.t_ns / 1e9:9.2f} s  {words}{'' if record.by == 'camera' else '  (key)'}")
    typer.echo(_totals_word(state))


@app.command()
def export(
    number: _Number,
    store: _Store = None,
    as_text: Annotated[
        bool, typer.Option("--text", help="Write a text that people read, instead of JSON.")
    ] = False,
) -> None:
    """Write one game as the document that `croupier replay` reads.

    Example: croupier games export 3 > game.json
    """
    from device.gamelog import document_of

    with _opened(store) as games:
        stored = games.game(number)
        document = document_of(stored, games.records(number))
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

    Example: croupier games statistics
    """
    from device.gamelog import document_of
    from device.tables import show_statistics
    from scorer.notation import from_document
    from scorer.rules import make_rules
    from scorer.statistics import PlayerStatistics, game_statistics, statistics_board, together

    found: list[PlayerStatistics] = []
    with _opened(store) as games:
        for stored in games.games() if not numbers else map(games.game, dict.fromkeys(numbers)):
            if stored.header.game == "farkle":
                game = from_document(document_of(stored, games.records(stored.id)))
                rules = make_rules(game.preset, game.settings)
                found += game_statistics(rules, game.players, game.events)  # type: ignore[arg-type]  # Farkle
    boards = {each.player: statistics_board(each) for each in together(found)}
    if as_json:
        for name, board in boards.items():
            typer.echo(json.dumps({"player": name, **board}, ensure_ascii=False))
        return
    show_statistics(boards)


@app.command()
def verify(store: _Store = None, as_json: _Json = False) -> None:
    """Check that nothing in the store was changed: every event, every game, every evidence picture.

    Ends with exit code 1 when something does not fit.

    Example: croupier games verify
    """
    from device.errors import EXIT_NO

    with _opened(store) as games:
        faults = games.verify()
        count = len(games.games()) if not faults else 0
    if as_json:
        data = [{"game": fault.game, "event": fault.seq, "reason": fault.reason} for fault in faults]
        typer.echo(json.dumps({"ok": not faults, "faults": data}))
    for fault in () if as_json else faults:
        where = "" if fault.game is None else f"game {fault.game}: "
        where += "" if fault.seq is None else f"event {fault.seq}: "
        typer.echo(f"{where}{fault.reason}")
    if faults:
        raise typer.Exit(EXIT_NO)
    if not as_json:
        typer.echo(f"{count} game{'' if count == 1 else 's'}: nothing was changed.")


def _opened(folder: Path | None) -> GameStore:
    from device.store import open_reader, store_folder

    return open_reader(store_folder(folder))


def _state(games: GameStore, stored: StoredGame) -> State:
    """Return how a game stands, worked out afresh from its events."""
    from device.gamelog import document_of
    from scorer.replay import farkle_state

    return farkle_state(document_of(stored, games.records(stored.id)))


def _as_dict(stored: StoredGame, state: State) -> dict[str, object]:
    """Return one line of the list for `--json`."""
    return {
        "game": stored.id,
        "kind": stored.header.game,
        "preset": stored.header.preset,
        "started": stored.header.started,
        "players": list(stored.header.players),
        "totals": dict(zip(state.players, state.totals, strict=True)),
        "finished": state.finished,
        "winners": [state.players[seat] for seat in state.winners],
        "events": stored.events,
    }


def _totals_word(state: State) -> str:
    return ", ".join(f"{name} {total}" for name, total in zip(state.players, state.totals, strict=True))


def _state_word(state: State) -> str:
    if not state.finished:
        return "unfinished"
    return f"won by {' and '.join(state.players[seat] for seat in state.winners)}"


def _word(part: object) -> str:
    return " ".join(map(str, part)) if isinstance(part, (list, tuple)) else str(part)
