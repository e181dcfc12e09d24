"""What a phone may do to the game being played, as work for the game's thread (`Desk.ask`).

Each carries the version of the state that its user saw. When something has happened since, it is refused and
told what: nobody corrects what somebody else has corrected already, or a throw that has been thrown on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from device.errors import BadInput
from device.gamelog import KeptGame, history_of
from device.repairing import Change, accepted, of_farkle, recount_of, with_ledger
from scorer.errors import IllegalEvent
from scorer.events import Entered, Rolled, SetAside
from scorer.farkle import apply
from scorer.notation import event_text
from scorer.referee import Bank, Choose, FixDie, Leans, Next, Played, Press, RollAgain, TakeOver, Undo
from scorer.repair import Ledger, with_faces, with_turn, with_turn_inserted, without_turn

if TYPE_CHECKING:
    from device.gamelog import Kept
    from device.session import Session
    from device.store import Record
    from device.web.desk import Work

CORRECTIONS = ("undo", "redo", "fix", "edit")
"""What the tournament lock keeps for the organiser."""
SIMPLE: Mapping[str, Press] = {
    "bank": Bank(),
    "undo": Undo(),
    "roll_again": RollAgain(),
    "next": Next(),
    "take_over": TakeOver(),
}
"""Presses by their name in a request."""

Answer = dict[str, object]


class NoGame(BadInput):
    """Nothing is being played."""


class Conflict(BadInput):
    """Something has happened since the user looked."""

    def __init__(self, message: str, happened: Sequence[Mapping[str, object]]) -> None:
        """Say what happened meanwhile."""
        super().__init__(message)
        self.happened = [dict(each) for each in happened]


class NotNow(BadInput):
    """The game refuses it as it stands; nothing was changed."""


def _playing(session: Session | None) -> Session:
    if session is None:
        raise NoGame("no game is being played; start one")
    return session


def _checked(session: Session | None, version: str) -> Session:
    """Return the session, which must be as the user saw it."""
    playing = _playing(session)
    if playing.version != version:
        who = next((str(each.get("by", "")) for each in playing.happened), "")
        by = f" by {who.removeprefix('phone ')}" if who.startswith("phone ") else ""
        raise Conflict(f"the game was changed meanwhile{by}; look at it again", playing.happened)
    return playing


def _done(session: Session) -> Answer:
    return {"ok": True, "version": session.version}


def pressed(press: Press, version: str, *, by: str) -> Work[Answer]:
    """Press something."""

    def work(session: Session | None, t_ns: int) -> Answer:
        playing = _checked(session, version)
        refused = playing.pressed(press, t_ns, by=by)
        if refused:
            raise NotNow(refused)
        return _done(playing)

    return work


def chosen(option: int, version: str, *, by: str) -> Work[Answer]:
    """Pick an answer to the question that is open."""
    return pressed(Choose(option), version, by=by)


def fixed(die: int | None, face: int | None, version: str, *, by: str) -> Work[Answer]:
    """Say what a die shows; without a face, that it is none; without a die, what a hidden one shows."""
    return pressed(FixDie(die, face), version, by=by)


def leaning(die: int, version: str, *, by: str) -> Work[Answer]:
    """Say that a die leans."""
    return pressed(Leans(die), version, by=by)


def thrown(faces: Sequence[int], version: str, *, by: str, aside: Sequence[int] = ()) -> Work[Answer]:
    """Tell a throw, and what was set aside before it."""
    events = (*((SetAside(tuple(aside)),) if aside else ()), *((Rolled(tuple(faces)),) if faces else ()))
    return pressed(Played(events), version, by=by)


def entered(points: int, version: str, *, by: str) -> Work[Answer]:
    """Write a turn that nobody saw into the sheet of the player to act."""

    def work(session: Session | None, t_ns: int) -> Answer:
        playing = _checked(session, version)
        player = playing.referee.game.to_act
        if player is None:
            raise NotNow("the game is finished; undo to go back")
        return pressed(Played((Entered(player, points),)), version, by=by)(playing, t_ns)

    return work


def redone(version: str, *, by: str) -> Work[Answer]:
    """Bring back what was taken back last."""

    def work(session: Session | None, t_ns: int) -> Answer:
        playing = _checked(session, version)
        playing.redone(t_ns, by=by)
        return _done(playing)

    return work


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of an old turn."""

    what: str
    """`faces`, `aside`, `remove`, `points` or `insert`."""
    turn: int
    """Index of the turn in the ledger, counted from 0."""
    event: int | None = None
    """Index of the event in the turn, for `faces` and `aside`."""
    was: str = ""
    """The turn as the user saw it, its events in words; the edit is refused when it is another one now."""
    faces: tuple[int, ...] = ()
    """The right faces."""
    aside: tuple[int, ...] | None = None
    """With `faces`: what was set aside of them, where that was wrong too."""
    points: int = 0
    """For `points` and `insert`: what was written."""
    player: str | None = None
    """For `insert`: whose turn it was."""


def edited(edit: Edit, *, by: str, write: bool, leave_out: bool) -> Work[Answer]:
    """Change an old turn; `leave_out` drops what would not count any more. Tells what it comes to."""

    def work(session: Session | None, t_ns: int) -> Answer:
        playing = _playing(session)
        change = _change(edit, playing)
        preview = playing.edited(change, t_ns, by=by, write=False)
        before, _, _ = recount_of(preview.before)
        after, problems, waiting = recount_of(preview.after)
        answer: Answer = {
            "did": preview.did,
            "before": before["totals"],
            "after": after["totals"],
            "to_act": after["to_act"],
            "finished": after["finished"],
            "problems": [*problems, *waiting],
            "changed": preview.changed,
            "written": False,
        }
        if write and preview.changed and (leave_out or not answer["problems"]):
            playing.edited(_leaving_out(change) if leave_out else change, t_ns, by=by)
            answer |= {"written": True, "version": playing.version}
        return answer

    return work


def _leaving_out(change: Change) -> Change:
    def both(kept: Kept) -> tuple[Kept, str]:
        after, did = change(kept)
        cleaned, more = accepted(after)
        return cleaned, did if cleaned == after else f"{did}; {more}"

    return both


def _change(edit: Edit, session: Session) -> Change:
    def change(kept: Kept) -> tuple[Kept, str]:
        game = of_farkle(kept)
        ledger = game.ledger
        if edit.what == "insert":
            whose = edit.player or ledger.players[0]
            index = min(edit.turn, len(ledger.turns))
            after = with_turn_inserted(ledger, index, (Entered(whose, edit.points),), player=whose)
            return with_ledger(game, after), f"a turn of {whose} with {edit.points} is put in"
        if not 0 <= edit.turn < len(ledger.turns):
            raise Conflict("that turn is not there any more; look at it again", session.happened)
        if turn_words(ledger, edit.turn) != edit.was:
            raise Conflict("that turn was changed meanwhile; look at it again", session.happened)
        after, did = _edited_ledger(edit, ledger)
        return with_ledger(game, after), f"{turn_name(ledger, edit.turn)}: {did}"

    return change


def _edited_ledger(edit: Edit, ledger: Ledger) -> tuple[Ledger, str]:
    """Return the ledger with an old turn changed, and what was done."""
    turn = ledger.turns[edit.turn]
    if edit.what == "remove":
        return without_turn(ledger, edit.turn), "taken out"
    if edit.what == "points":
        entry = Entered(turn.player, edit.points)
        return with_turn(ledger, edit.turn, (entry,)), f"{edit.points} written by hand"
    place = edit.event
    if place is None or not 0 <= place < len(turn.events):
        raise BadInput("say which throw of the turn is meant")
    old = turn.events[place]
    wanted: type[Rolled] | type[SetAside] = Rolled if edit.what == "faces" else SetAside
    if not isinstance(old, wanted):
        raise BadInput("that is no throw, or nothing was set aside there; choose another")
    aside = edit.aside
    if edit.what == "faces" and aside is None and isinstance(old, Rolled):
        aside = _moved_along(old.faces, edit.faces, turn.events[place + 1 : place + 2])
    after = with_faces(ledger, edit.turn, place, edit.faces, aside=aside)
    new = after.turns[edit.turn].events[place]
    return after, f"{event_text(old)} becomes {event_text(new)}"


def _moved_along(
    old: Sequence[int], new: Sequence[int], following: Sequence[object]
) -> tuple[int, ...] | None:
    """Return what was set aside with the faces that were read wrongly replaced; None where nothing changes.

    A die that was set aside and was read wrongly was set aside as what it really showed.
    """
    if not following or not isinstance(following[0], SetAside) or len(old) != len(new):
        return None
    aside = list(following[0].faces)
    if all(aside.count(face) <= list(new).count(face) for face in set(aside)):
        return None
    for before, after in zip(old, new, strict=True):
        if before != after and before in aside:
            aside[aside.index(before)] = after
    return tuple(aside)


def turn_words(ledger: Ledger, turn: int) -> str:
    """Return a turn in words; an edit names it by them.

    The words are those of a game text, with commas between the events.
    """
    return ", ".join(event_text(event) for event in ledger.turns[turn].events)


def turn_name(ledger: Ledger, turn: int) -> str:
    """Return how people call a turn: its number among those of its player."""
    player = ledger.turns[turn].player
    return f"turn {1 + sum(each.player == player for each in ledger.turns[:turn])} of {player}"


def turns_of(session: Session | None, t_ns: int) -> Answer:
    """Work: the turns of the game being played, with their evidence."""
    playing = _playing(session)
    stored, records = playing.stored()
    kept = history_of(stored, records).now
    if not isinstance(kept, KeptGame):
        raise NoGame("only games of Farkle have turns")
    return {
        "game": stored.id,
        "version": playing.version,
        "turns": ledger_json(kept.ledger, records, stored.id),
    }


def ledger_json(ledger: Ledger, records: Sequence[Record], game: int) -> list[dict[str, Any]]:
    """Return the turns of a game, event by event, with what each was worth and its picture."""
    pictures = _pictures(ledger, records)
    counted: dict[str, int] = {}
    found: list[dict[str, Any]] = []
    worth = _worth(ledger)
    for index, turn in enumerate(ledger.turns):
        counted[turn.player] = counted.get(turn.player, 0) + 1
        events = []
        for place, event in enumerate(turn.events):
            each: dict[str, Any] = {"kind": type(event).__name__.lower(), "words": event_text(event)}
            if isinstance(event, (Rolled, SetAside)):
                each["faces"] = list(event.faces)
            if isinstance(event, Entered):
                each["points"] = event.points
            picture = pictures.get((index, place))
            if picture is not None:
                each["picture"] = f"/api/games/{game}/pictures/{picture.rsplit('/', 1)[-1]}"
            events.append(each)
        found.append(
            {
                "index": index,
                "player": turn.player,
                "number": counted[turn.player],
                "events": events,
                "was": turn_words(ledger, index),
                "written": worth.get(index),
            }
        )
    return found


def _worth(ledger: Ledger) -> dict[int, int]:
    """Return what each turn has written, by its index, as far as the ledger counts from its beginning."""
    from scorer.farkle import start

    state = start(ledger.rules, ledger.players)
    found: dict[int, int] = {}
    for index, turn in enumerate(ledger.turns):
        for event in turn.events:
            seat = state.seat
            try:
                after = apply(state, event)
            except IllegalEvent:
                return found
            if seat is not None and len(after.turns[seat]) > len(state.turns[seat]):
                found[index] = after.turns[seat][-1]
            state = after
    return found


def _pictures(ledger: Ledger, records: Sequence[Record]) -> dict[tuple[int, int], str]:
    """Return the evidence picture of each throw, by turn and event: throws and rows are laid side by side."""
    rows = [(tuple(_faces(record)), record.evidence) for record in records if record.event[0] == "rolled"]
    throws = [
        ((index, place), event.faces)
        for index, turn in enumerate(ledger.turns)
        for place, event in enumerate(turn.events)
        if isinstance(event, Rolled)
    ]
    matcher = SequenceMatcher(
        a=[faces for faces, _ in rows], b=[faces for _, faces in throws], autojunk=False
    )
    found: dict[tuple[int, int], str] = {}
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag == "equal" or (tag == "replace" and a1 - a0 == b1 - b0):
            for (_, evidence), (place, _) in zip(rows[a0:a1], throws[b0:b1], strict=True):
                if evidence is not None:
                    found[place] = evidence
    return found


def _faces(record: Record) -> Sequence[int]:
    faces = record.event[1] if len(record.event) > 1 else ()
    return [int(str(face)) for face in faces] if isinstance(faces, (list, tuple)) else ()
