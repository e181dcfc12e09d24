"""The games that were played: list, turns, pictures, statistics, export, verify."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import APIRouter, Path
from fastapi.responses import Response

from device.errors import BadInput
from device.gamelog import KeptRace, document_of, standing_game
from device.store import FILE_NAME, GameStore, StoredGame, open_reader
from device.web.corrections import ledger_json
from scorer.errors import RulesError
from scorer.race_repair import recount_race
from scorer.replay import replay
from scorer.statistics import PlayerStatistics, game_statistics, statistics_board, together
from scorer.tenzi_statistics import RacerStatistics, match_statistics, raced_together, racer_board

if TYPE_CHECKING:
    from device.gamelog import Kept
    from device.web.evening import Evening

T = TypeVar("T")
_PICTURE = re.compile(r"[0-9]{1,9}\.jpg")
MOST_GAMES = 500
"""The list has the latest ones."""
Game = Annotated[int, Path(ge=1, le=1_000_000_000, description="Number of the game.")]


def game_routes(evening: Evening) -> APIRouter:
    """Return the routes; everybody may read."""
    routes = APIRouter(tags=["games"])
    verifying = Lock()

    def read(work: Callable[[GameStore], T]) -> T | None:
        """Open the store for reading; None where there are no games yet."""
        if not (evening.store / FILE_NAME).is_file():
            return None
        with open_reader(evening.store) as games:
            return work(games)

    def of_game(number: int, work: Callable[[GameStore, StoredGame], T]) -> T:
        def found(games: GameStore) -> T:
            return work(games, games.game(number))

        answer = read(found)
        if answer is None:
            raise BadInput(f"there is no game {number}")
        return answer

    @routes.get("/api/games")
    def games_list() -> list[dict[str, Any]]:
        """The games, the latest first."""
        return read(lambda games: [_line(games, each) for each in games.games()[-MOST_GAMES:][::-1]]) or []

    @routes.get("/api/games/{number}")
    def game(number: Game) -> dict[str, Any]:
        """One game: its score, and its turns throw by throw."""
        return of_game(number, _whole)

    @routes.get("/api/games/{number}/document")
    def document(number: Game) -> Response:
        """The game as `croupier replay` reads it."""
        data = of_game(number, lambda games, stored: document_of(stored, games.records(number)))
        return _download(json.dumps(data), f"game-{number}.json", "application/json")

    @routes.get("/api/games/{number}/text")
    def text(number: Game) -> Response:
        """The game as a text that people read."""
        from scorer.notation import from_document, to_text

        data = of_game(number, lambda games, stored: document_of(stored, games.records(number)))
        return _download(to_text(from_document(data)), f"game-{number}.game", "text/plain; charset=utf-8")

    @routes.get("/api/games/{number}/csv")
    def csv(number: Game) -> Response:
        """The game as a table for spreadsheets."""
        from device.game_csv import as_csv

        kept = of_game(number, lambda games, stored: standing_game(stored, games.records(number)))
        return _download(as_csv(kept), f"game-{number}.csv", "text/csv; charset=utf-8")

    @routes.get("/api/games/{number}/pictures/{name}", responses={200: {"content": {"image/jpeg": {}}}})
    def picture(number: Game, name: Annotated[str, Path(max_length=40)]) -> Response:
        """The evidence picture of a throw."""
        if not _PICTURE.fullmatch(name):
            raise BadInput("a picture is called by the number of its step, such as 00012.jpg")

        def bytes_of(games: GameStore, stored: StoredGame) -> bytes:
            # Only what a row of the game names is ever opened: no path is made from the request.
            for record in games.records(number):
                if record.evidence is not None and record.evidence.rsplit("/", 1)[-1] == name:
                    try:
                        data = (games.folder / record.evidence).read_bytes()
                    except OSError:
                        break
                    same = hashlib.sha256(data).hexdigest() == record.evidence_sha256
                    return data if same else b""
            return b""

        data = of_game(number, bytes_of)
        return Response(data, media_type="image/jpeg") if data else Response(status_code=404)

    @routes.get("/api/statistics")
    def statistics() -> dict[str, Any]:
        """Every player over all games."""
        return read(_statistics) or {"farkle": {}, "tenzi": {}}

    @routes.get("/api/games/{number}/statistics")
    def statistics_of_game(number: Game) -> dict[str, Any]:
        """The players of one game."""
        return of_game(number, lambda games, stored: _boards([standing_game(stored, games.records(number))]))

    @routes.get("/api/verify")
    def verify() -> dict[str, Any]:
        """Check that nothing in the store was changed."""
        if not verifying.acquire(blocking=False):
            raise BadInput("the games are being checked already; wait for that")
        try:
            faults = read(lambda games: games.verify()) or ()
        finally:
            verifying.release()
        found = [{"game": each.game, "event": each.seq, "reason": each.reason} for each in faults]
        return {"ok": not found, "faults": found}

    return routes


def _download(content: str, name: str, kind: str) -> Response:
    return Response(
        content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'}
    )


def _line(games: GameStore, stored: StoredGame) -> dict[str, Any]:
    """Return one line of the list; a game that cannot be read says so."""
    header = stored.header
    line: dict[str, Any] = {
        "number": stored.id,
        "game": header.game,
        "preset": header.preset,
        "players": list(header.players),
        "started": header.started,
        "source": header.source,
    }
    try:
        kept = standing_game(stored, games.records(stored.id))
        return line | _score(kept) | {"players": list(kept.players)}
    except (BadInput, RulesError) as error:
        return line | {"error": str(error)}


def _score(kept: Kept) -> dict[str, Any]:
    board: dict[str, Any] = replay(kept.document())
    return {
        "totals": board.get("totals", board.get("wins", {})),
        "finished": board["finished"],
        "winners": board["winners"],
        "to_act": board.get("to_act"),
    }


def _whole(games: GameStore, stored: StoredGame) -> dict[str, Any]:
    records = games.records(stored.id)
    kept = standing_game(stored, records)
    answer = _line(games, stored)
    if isinstance(kept, KeptRace):
        board = replay(kept.document())
        return answer | {"rounds": board["rounds"], "open": list(kept.open_points)}
    turns = ledger_json(kept.ledger, records, stored.id)
    changes = [
        {"what": str(record.event[0]), "by": record.by, "did": _did(record.event), "t_s": record.t_ns / 1e9}
        for record in records
        if record.event[0] in ("undone", "redone", "repaired")
    ]
    return answer | {
        "turns": turns,
        "changes": changes,
        "target": kept.rules.target,
        "open": list(kept.open_points),
    }


def _did(event: Any) -> str:
    whole = event[1] if len(event) > 1 else None
    return str(whole.get("did", "")) if isinstance(whole, dict) else ""


def _statistics(games: GameStore) -> dict[str, Any]:
    every: list[Kept] = []
    for stored in games.games():
        try:
            every.append(standing_game(stored, games.records(stored.id)))
        except (BadInput, RulesError):
            continue  # the list of games says which cannot be read
    return _boards(every)


def _boards(every: list[Kept]) -> dict[str, Any]:
    found: list[PlayerStatistics] = []
    raced: list[RacerStatistics] = []
    for kept in every:
        if isinstance(kept, KeptRace):
            raced += match_statistics(recount_race(kept.race).match)
        else:
            found += game_statistics(kept.rules, kept.players, kept.events)
    boards = {
        each.player: statistics_board(each) | {"written": list(each.written[-200:])}
        for each in together(found)
    }
    return {"farkle": boards, "tenzi": {each.player: racer_board(each) for each in raced_together(raced)}}
