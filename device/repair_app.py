"""`croupier games repair`: mistakes in a game that was played, or is being played, put right afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from device.gamelog import Kept, KeptGame
    from device.repairing import Change, Repaired
    from scorer.repair import Ledger

app = typer.Typer(
    no_args_is_help=True,
    help="Put a game right: undo, misread dice, missed turns, players, rules. All that follows is worked out "
    "anew; what has become illegal is listed, never dropped. The record in the store is only added to, so "
    "that every repair can be taken back. GAME is a number of 'games list', or a game file (text or JSON), "
    "of which the repaired copy goes to --out or standard output. TURN is a number of 'games repair show' or "
    "Anna:2.",
    epilog="Example: croupier games repair show 3; croupier games repair faces 3 Anna:2 115234 --aside 11",
)

Game = Annotated[
    str,
    typer.Argument(metavar="GAME", help="Number of a game in the store, or a game file.", show_default=False),
]
Turn = Annotated[
    str,
    typer.Argument(
        metavar="TURN", help="Number of the turn as 'show' lists it, or Anna:2.", show_default=False
    ),
]
Throw = Annotated[
    int | None,
    typer.Option("--throw", metavar="N", help="Which throw of the turn (default: its only one).", min=1),
]
Store = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Where games are kept (default: CROUPIER_STORE, or the user's data folder).",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="For a game file: where the repaired copy goes (.json: a document, else a text).",
        show_default=False,
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what it would come to; write nothing.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object: before, after, what does not count.")]


@app.command("show")
def show_game(game: Game, store: Store = None, as_json: Json = False) -> None:
    """Show the turns of a game with their numbers, and what of it does not count.

    Example: croupier games repair show 3
    """
    from device.gamelog import KeptGame
    from device.repairing import recount_of, stored_place

    number = _number(game)
    past = future = 0
    if number is None:
        kept, name = _from_file(game), game
    else:
        with stored_place(_folder(store), number, write=False) as place:
            kept, name = place.history.now, place.name
            past, future = len(place.history.past), len(place.history.future)
    board, problems, waiting = recount_of(kept)
    listed = _turns(kept) if isinstance(kept, KeptGame) else _looks(kept)
    if as_json:
        every: dict[str, object] = {"game": name, "turns" if isinstance(kept, KeptGame) else "events": listed}
        every |= {"does_not_count": list(problems), "waiting": list(waiting), "state": board}
        typer.echo(json.dumps({**every, "undo": past, "redo": future}, ensure_ascii=False))
        return
    for line in listed:
        words = "; ".join(line["events"]) if "events" in line else line["event"]
        whose = f"  {line['player']}:{line['of_player']}" if "player" in line else ""
        typer.echo(f"{line['number']:4}{whose}  {words}")
    typer.echo(_sentence(board))
    _list_points(problems, waiting, err=False)
    if number is not None:
        typer.echo(f"{_steps(past)} can be taken back (undo), {_steps(future)} brought back (redo).")


@app.command()
def undo(
    game: Game,
    times: Annotated[int, typer.Option("--times", metavar="N", help="How many steps.", min=1)] = 1,
    store: Store = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Take back the last step, be it a throw, a press or a repair, also over the end of a turn or the game.

    Example: croupier games repair undo 3
    """
    _step("undone", game, times, store, dry_run=dry_run, as_json=as_json)


@app.command()
def redo(
    game: Game,
    times: Annotated[int, typer.Option("--times", metavar="N", help="How many steps.", min=1)] = 1,
    store: Store = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Bring back what was taken back last.

    Example: croupier games repair redo 3 --times 2
    """
    _step("redone", game, times, store, dry_run=dry_run, as_json=as_json)


@app.command()
def faces(
    game: Game,
    turn: Turn,
    new: Annotated[
        str, typer.Argument(metavar="FACES", help="What the dice showed, like 115234.", show_default=False)
    ],
    throw: Throw = None,
    aside: Annotated[
        str | None,
        typer.Option("--aside", metavar="FACES", help="What was set aside of it, where that is wrong too."),
    ] = None,
    store: Store = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say what the dice of an old throw really showed.

    Example: croupier games repair faces 3 Anna:2 115234 --throw 1 --aside 115
    """

    def change(kept: Kept) -> tuple[Kept, str]:
        from device.repairing import faces_given, of_farkle, throw_index, with_ledger
        from scorer.repair import with_faces

        old, ledger, index = _turn_of(kept, turn)
        event = throw_index(ledger, index, throw)
        given = faces_given(new)
        other = None if aside is None else faces_given(aside)
        after = with_faces(ledger, index, event, given, aside=other)
        did = f"{_named(ledger, index)}: {_words(ledger, index, event)} becomes {_words(after, index, event)}"
        if other is not None:
            did += f", {_words(after, index, event + 1)}"
        return with_ledger(of_farkle(old), after), did

    _repair(game, change, store, out, dry_run=dry_run, as_json=as_json)


@app.command()
def aside(
    game: Game,
    turn: Turn,
    new: Annotated[
        str, typer.Argument(metavar="FACES", help="What was set aside, like 115.", show_default=False)
    ],
    throw: Throw = None,
    store: Store = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say what was really set aside of an old throw.

    Example: croupier games repair aside 3 Anna:2 11 --throw 1
    """

    def change(kept: Kept) -> tuple[Kept, str]:
        from device.repairing import aside_index, faces_given, with_ledger
        from scorer.repair import with_faces

        old, ledger, index = _turn_of(kept, turn)
        event = aside_index(ledger, index, throw)
        after = with_faces(ledger, index, event, faces_given(new))
        did = f"{_named(ledger, index)}: {_words(ledger, index, event)} becomes {_words(after, index, event)}"
        return with_ledger(old, after), did

    _repair(game, change, store, out, dry_run=dry_run, as_json=as_json)


@app.command("turn")
def replace_turn(
    game: Game,
    turn: Turn,
    events: Annotated[
        list[str],
        typer.Argument(
            metavar="EVENT...", help='Lines of a game text, like "rolled 115234".', show_default=False
        ),
    ],
    store: Store = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Replace all that happened in a turn; its player stays.

    Example: croupier games repair turn 3 Anna:2 "rolled 115234" "set_aside 11" banked
    """

    def change(kept: Kept) -> tuple[Kept, str]:
        from device.repairing import events_given, with_ledger
        from scorer.repair import with_turn

        old, ledger, index = _turn_of(kept, turn)
        after = with_turn(ledger, index, events_given(events, ledger.turns[index].player))
        return with_ledger(old, after), f"{_named(ledger, index)} becomes: {_all_words(after, index)}"

    _repair(game, change, store, out, dry_run=dry_run, as_json=as_json)


@app.command()
def remove(
    game: Game,
    turn: Turn,
    shift: Annotated[
        bool,
        typer.Option("--shift", help="Every later turn was credited one player too late: it goes one back."),
    ] = False,
    store: Store = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Take a turn out that never was one. Without --shift all other turns stay with their players.

    Example: croupier games repair remove 3 Ben:4
    """

    def change(kept: Kept) -> tuple[Kept, str]:
        from device.repairing import with_ledger
        from scorer.repair import without_turn

        old, ledger, index = _turn_of(kept, turn)
        how = ", the turns after it go to the player before" if shift else ""
        did = f"{_named(ledger, index)} is taken out ({_all_words(ledger, index)}){how}"
        return with_ledger(old, without_turn(ledger, index, shift=shift)), did

    _repair(game, change, store, out, dry_run=dry_run, as_json=as_json)


@app.command()
def insert(
    game: Game,
    turn: Turn,
    events: Annotated[
        list[str],
        typer.Argument(
            metavar="EVENT...", help='Lines of a game text, like "entered 350".', show_default=False
        ),
    ],
    player: Annotated[
        str | None,
        typer.Option(
            "--player", metavar="NAME", help="Whose turn it was; all other turns stay with their players."
        ),
    ] = None,
    store: Store = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Put in a turn that was missed, before TURN (the number after the last one: at the end).

    Without --player it is the turn of whoever TURN was credited to, and every turn from there on goes to the
    next player.

    Example: croupier games repair insert 3 4 "rolled 223346" --player Ben
    """

    def change(kept: Kept) -> tuple[Kept, str]:
        from device.repairing import events_given, of_farkle, turn_index, with_ledger
        from scorer.repair import with_turn_inserted

        old = of_farkle(kept)
        ledger = old.ledger
        index = turn_index(ledger, turn, end=True)
        whose = player if player is not None else _owner(ledger, index)
        after = with_turn_inserted(ledger, index, events_given(events, whose), player=player)
        how = "" if player is not None else ", the turns after it go to the next player"
        return with_ledger(old, after), f"{_named(after, index)} is put in: {_all_words(after, index)}{how}"

    _repair(game, change, store, out, dry_run=dry_run, as_json=as_json)


@app.command()
def rename(
    game: Game,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The name.", show_default=False)],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The right name.", show_default=False)],
    store: Store = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Give a player another name.

    Example: croupier games repair rename 3 Ben Benny
    """

    def change(kept: Kept) -> tuple[Kept, str]:
        from device.gamelog import KeptRace
        from device.repairing import with_ledger, with_race
        from scorer.race_repair import renamed_in_race
        from scorer.repair import renamed

        did = f"{old} is called {new}"
        if isinstance(kept, KeptRace):
            return with_race(kept, renamed_in_race(kept.race, old, new)), did
        return with_ledger(kept, renamed(kept.ledger, old, new)), did

    _repair(game, change, store, out, dry_run=dry_run, as_json=as_json)


@app.command()
def order(
    game: Game,
    players: Annotated[
        str, typer.Argument(metavar="A,B,...", help="All names in seat order.", show_default=False)
    ],
    store: Store = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Put the players in other seats; everybody keeps his turns.

    Example: croupier games repair order 3 Cara,Anna,Ben
    """

    def change(kept: Kept) -> tuple[Kept, str]:
        from device.repairing import of_farkle, with_ledger
        from scorer.repair import with_players_in_order

        game_ = of_farkle(kept)
        names = tuple(name.strip() for name in players.split(","))
        return with_ledger(
            game_, with_players_in_order(game_.ledger, names)
        ), f"the seats are {', '.join(names)}"

    _repair(game, change, store, out, dry_run=dry_run, as_json=as_json)


@app.command("add-player")
def add_player(
    game: Game,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who joins.", show_default=False)],
    seat: Annotated[
        int | None,
        typer.Option("--seat", metavar="N", help="Seat counted from 1 (default: the last).", min=1),
    ] = None,
    store: Store = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Let a player join late; the rounds that he missed are written as 0.

    Example: croupier games repair add-player 3 Dan --seat 2
    """

    def change(kept: Kept) -> tuple[Kept, str]:
        from device.repairing import of_farkle, with_ledger
        from scorer.repair import with_player

        game_ = of_farkle(kept)
        after = with_player(game_.ledger, name, seat=None if seat is None else seat - 1)
        place = after.players.index(name) + 1
        return with_ledger(game_, after), f"{name} joins in seat {place}"

    _repair(game, change, store, out, dry_run=dry_run, as_json=as_json)


@app.command()
def rules(
    game: Game,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a rule; repeatable.", show_default=False),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", metavar="NAME", help="Another preset, or a TOML file.", show_default=False),
    ] = None,
    store: Store = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Change rules in mid-game, or after it: all recorded throws are scored again.

    Example: croupier games repair rules 3 --preset tiotusen --set opening=500
    """
    from device.documents import parse_settings
    from device.errors import BadInput

    if not settings and preset is None:
        raise BadInput("no rule was named; give --set name=value, --preset NAME or both")
    values = parse_settings(settings or ())

    def change(kept: Kept) -> tuple[Kept, str]:
        from device.gamelog import KeptRace, kept_game
        from device.presets import rules_of, shipped_name
        from device.repairing import with_race_settings
        from scorer.repair import with_rules

        said = [f"the preset is {preset}"] if preset is not None else []
        said += [f"{name} is {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
        did = ", ".join(said)
        if isinstance(kept, KeptRace):
            if preset is not None:
                raise BadInput("Tenzi has no presets; leave out --preset")
            return with_race_settings(kept, values), did
        if preset is None:
            after, name = kept.rules.replace(**values), kept.preset
        else:
            after, name = rules_of(preset, values), shipped_name(preset)
        if after == kept.rules and name == kept.preset:
            return kept, did
        return kept_game(name, with_rules(kept.ledger, after)), did

    _repair(game, change, store, out, dry_run=dry_run, as_json=as_json)


@app.command()
def look(
    game: Game,
    event: Annotated[
        int,
        typer.Argument(metavar="EVENT", help="Number of the event as 'show' lists it.", show_default=False),
    ],
    new: Annotated[
        str, typer.Argument(metavar="FACES", help="What the dice showed; '-': none.", show_default=False)
    ],
    store: Store = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Tenzi: say what the dice of a lane really showed at one look.

    Example: croupier games repair look 5 12 6666666662
    """

    def change(kept: Kept) -> tuple[Kept, str]:
        from device.repairing import faces_given, of_tenzi, with_race
        from scorer.notation import event_text
        from scorer.race_repair import with_look

        race = of_tenzi(kept).race
        after = with_look(race, event - 1, () if new.strip() == "-" else faces_given(new))
        words = event_text(race.events[event - 1]), event_text(after.events[event - 1])
        return with_race(of_tenzi(kept), after), f"event {event}: '{words[0]}' becomes '{words[1]}'"

    _repair(game, change, store, out, dry_run=dry_run, as_json=as_json)


@app.command()
def accept(
    game: Game, store: Store = None, out: Out = None, dry_run: DryRun = False, as_json: Json = False
) -> None:
    """Leave out what a repair has made illegal, so that the game can go on without it.

    It stays in the record, and 'undo' brings it back.

    Example: croupier games repair accept 3
    """
    from device.repairing import accepted

    _repair(game, accepted, store, out, dry_run=dry_run, as_json=as_json)


def _number(game: str) -> int | None:
    """Return the number of a game in the store, or None where a file is meant."""
    return int(game) if game.isascii() and game.isdigit() and len(game) < 10 else None


def _folder(store: Path | None) -> Path:
    from device.store import store_folder

    return store_folder(store)


def _from_file(game: str) -> Kept:
    from device.documents import read_bytes
    from device.repairing import game_in_file

    return game_in_file(Path(game), read_bytes(Path(game)))


def _step(way: str, game: str, times: int, store: Path | None, *, dry_run: bool, as_json: bool) -> None:
    from device.errors import BadInput
    from device.repairing import stored_place

    number = _number(game)
    if number is None:
        raise BadInput(
            f"{game} is a file, and only games in the store know what was before; give their number"
        )
    with stored_place(_folder(store), number, write=not dry_run) as place:
        outcome = place.stepped(way, times, write=not dry_run)
    _tell(outcome, written=not dry_run, as_json=as_json)


def _repair(
    game: str, change: Change, store: Path | None, out: Path | None, *, dry_run: bool, as_json: bool
) -> None:
    """Repair a game in the store or a file, and say what it comes to."""
    from device.errors import BadInput
    from device.repairing import repaired, stored_place

    number = _number(game)
    if number is None:
        outcome = repaired(game, _from_file(game), change)
        _write_copy(outcome, Path(game), out, dry_run=dry_run, as_json=as_json)
        return
    if out is not None:
        raise BadInput("--out is for game files: a game in the store is repaired there; leave it out")
    with stored_place(_folder(store), number, write=not dry_run) as place:
        outcome = place.repaired(change, write=not dry_run)
    _tell(outcome, written=not dry_run and outcome.changed, as_json=as_json)


def _write_copy(outcome: Repaired, source: Path, out: Path | None, *, dry_run: bool, as_json: bool) -> None:
    """Write the repaired copy of a game file."""
    from device.atomic import write_bytes
    from device.repairing import short_document, text_of

    document = (out or source).suffix.lower() == ".json"
    text = json.dumps(short_document(outcome.after)) + "\n" if document else text_of(outcome.after)
    if out is not None and not dry_run:
        write_bytes(out, text.encode())
    if as_json:
        more = {"document": short_document(outcome.after)} if out is None else {"file": str(out)}
        _tell(outcome, written=out is not None and not dry_run, as_json=True, more=more)
        return
    # Standard output is for the copy where no file was named for it.
    _tell(outcome, written=not dry_run, as_json=False, err=out is None)
    if out is None and not dry_run:
        typer.echo(text, nl=False)


def _tell(
    outcome: Repaired,
    *,
    written: bool,
    as_json: bool,
    err: bool = False,
    more: Mapping[str, object] | None = None,
) -> None:
    """Say what a repair did: before, after, and what does not count."""
    from device.repairing import recount_of

    before, _, _ = recount_of(outcome.before)
    after, problems, waiting = recount_of(outcome.after)
    if as_json:
        answer: dict[str, object] = {
            "game": outcome.name,
            "did": outcome.did,
            "before": before,
            "after": after,
        }
        answer |= {"does_not_count": list(problems), "waiting": list(waiting), "written": written}
        typer.echo(json.dumps({**answer, **(more or {})}, ensure_ascii=False))
        return
    if not outcome.changed:
        typer.echo(f"{outcome.name}: it is like that already; nothing was changed.", err=err)
        return
    typer.echo(f"{outcome.name}: {outcome.did}.", err=err)
    for line in _side_by_side(before, after):
        typer.echo(line, err=err)
    typer.echo(f"Before: {_sentence(before)}", err=err)
    typer.echo(f"Now:    {_sentence(after)}", err=err)
    _list_points(problems, waiting, err=err)
    if not written:
        typer.echo("Nothing was written (--dry-run).", err=err)


def _side_by_side(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the totals (Tenzi: round wins) before and after, a line a player."""
    key = "totals" if "totals" in after else "wins"
    names = list(dict.fromkeys((*after[key], *before[key])))
    wide = max(len(name) for name in names)
    lines = [f"  {'':{wide}}  {'before':>7}  {'now':>7}"]
    for name in names:
        old, new = before[key].get(name, "-"), after[key].get(name, "-")
        lines.append(f"  {name:{wide}}  {old:>7}  {new:>7}{'' if old == new else '  *'}")
    return lines


def _list_points(problems: Sequence[str], waiting: Sequence[str], *, err: bool) -> None:
    if problems or waiting:
        typer.echo(
            "What does not count now (repair it, or leave it out with 'games repair accept'):", err=err
        )
    for sentence in (*problems, *waiting):
        typer.echo(f"  {sentence}", err=err)


def _sentence(board: Mapping[str, Any]) -> str:
    from device.commands.replay import match_sentence, state_sentence

    return match_sentence(board) if "rounds" in board else state_sentence(board)


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def _turns(kept: KeptGame) -> list[dict[str, Any]]:
    """Return the turns of a game, numbered as people count."""
    from scorer.notation import event_text

    counted: dict[str, int] = {}
    lines = []
    for index, turn in enumerate(kept.ledger.turns, start=1):
        counted[turn.player] = counted.get(turn.player, 0) + 1
        events = [event_text(event) for event in turn.events]
        whose = {"player": turn.player, "of_player": counted[turn.player]}
        lines.append({"number": index, **whose, "events": events})
    return lines


def _looks(kept: Any) -> list[dict[str, Any]]:
    """Return the events of a match, numbered."""
    from scorer.notation import event_text

    events = enumerate(kept.race.events, start=1)
    return [{"number": index, "event": event_text(event)} for index, event in events]


def _turn_of(kept: Kept, turn: str) -> tuple[KeptGame, Ledger, int]:
    """Return the game, its ledger and the index of a turn in it."""
    from device.repairing import of_farkle, turn_index

    game = of_farkle(kept)
    ledger = game.ledger
    return game, ledger, turn_index(ledger, turn)


def _named(ledger: Ledger, index: int) -> str:
    player = ledger.turns[index].player
    number = sum(turn.player == player for turn in ledger.turns[: index + 1])
    return f"turn {index + 1} ({player}:{number})"


def _words(ledger: Ledger, index: int, event: int) -> str:
    from scorer.notation import event_text

    return f"'{event_text(ledger.turns[index].events[event])}'"


def _all_words(ledger: Ledger, index: int) -> str:
    return ", ".join(_words(ledger, index, event) for event in range(len(ledger.turns[index].events)))


def _owner(ledger: Ledger, index: int) -> str:
    """Return whose turn one is that is put in at this place and shifts those after it."""
    if index < len(ledger.turns):
        return ledger.turns[index].player
    if not ledger.turns:
        return ledger.players[0]
    last = ledger.players.index(ledger.turns[-1].player)
    return ledger.players[(last + 1) % len(ledger.players)]
