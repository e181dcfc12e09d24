"""One game at one table: observations and presses in, events on disk, then out to the displays.

    frame -> TableWatcher -> LaneView -> referee -> event -> store -> JSON and displays

What is shown has been committed to the disk before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from device.advising import COMPUTER, Advisor
from device.dice_colours import DieColour, colours_of, stray
from device.displays.view import Display, ScoreView, points_text
from device.errors import DeviceError
from device.gamelog import UNDONE
from device.keys import KeyMap, Prompt, Quit, Show
from device.lanes import Lanes, lane_views
from device.moments import die_picture, moment_of
from device.scoreview import score_view
from device.store import GameStore, Record, StoredGame
from scorer.by_hand import laid_out, revised
from scorer.events import Banked, Entered, Event, Rolled, SetAside, TookOver, event_to_json
from scorer.farkle import State, apply, fold
from scorer.lane import LaneView
from scorer.referee import Bank, Lost, Press, Question, Referee, Ruling, TakenUp, TakeOver, advance
from scorer.replay import scoreboard
from scorer.scoring import score_table
from vision.frame import Frame, Image
from vision.tracking import Track
from vision.watch import Observation, TableArea

if TYPE_CHECKING:
    from device.repairing import Change, Repaired

UNCLEAR_S = 6.0
"""A table that could not be read for so long until the end of a recording may have seen a throw."""
Emit = Callable[[Mapping[str, object]], None]
"""Takes one JSON object that is to be written."""


class Watcher(Protocol):
    """What turns frames into observations: `vision.watch.TableWatcher`, or a script."""

    reads: int
    """How many pictures were read so far."""

    @property
    def unclear_s(self) -> float:
        """Seconds for which the table has differed from what was last established of it."""
        ...

    def push(self, frame: Frame) -> tuple[Observation, ...]:
        """Look at the next frame."""
        ...

    def finish(self) -> tuple[Observation, ...]:
        """The stream has ended."""
        ...

    @property
    def dice(self) -> tuple[Track, ...]:
        """The dice on the table."""
        ...

    def moved_to(self, area: TableArea, centres_px: Mapping[int, tuple[float, float]]) -> None:
        """The same table is seen from elsewhere now."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """How the table was seen at one rest."""

    t_ns: int
    """Time of the rest."""
    dice: tuple[Track, ...]
    """The dice, with the place in the picture and the probability of each face."""
    picture: Image | None
    """The picture, or None where there is none."""


class Session:
    """A game being played."""

    def __init__(
        self,
        referee: Referee,
        *,
        store: GameStore,
        game: int,
        display: Display,
        title: str,
        emit: Emit | None = None,
        keys: bool = False,
        steps: int = 0,
        after_ns: int | None = None,
        lanes: Lanes | None = None,
        by_hand: bool = False,
        advisor: Advisor | None = None,
    ) -> None:
        """Play on from `referee`.

        `game` is its number in the store and `steps` the number of steps that are stored already. `keys`
        tells whether the players can answer at a keyboard. Observations up to `after_ns` are known from
        before a restart: the last of them shows how the table lies, none of them is played again. `lanes`
        is the calibrated table; without it all dice lie in one shared zone. `by_hand` tells that there is no
        camera: the dice on the table are those of the events. `advisor` has the odds and computer players.
        """
        self.advisor = advisor or Advisor()
        """What the odds have to say, and who is played by the computer."""
        self._lanes = lanes
        self._by_hand = by_hand
        self._referee = laid_out(referee) if by_hand else referee
        self._store = store
        self._game = game
        self._display = display
        self._title = title
        self._emit = emit or (lambda data: None)
        self._keymap = KeyMap() if keys else None
        self._steps = steps
        self._after_ns = after_ns
        self._prompt = ""
        self._news = ""
        self._moment = ("", 0)
        self._on_table = True
        self._missed = False
        self._stray = ""
        self._before_lost: Referee | None = None
        self._asked = 0
        self._looks: dict[int, Look] = {}
        self.happened: tuple[Mapping[str, object], ...] = ()
        """What the latest throw, press or correction brought about, as in the JSON, and who did it (`by`)."""
        self.stopped = False
        """Whether the players have asked to stop."""
        self.display_fault = ""
        """Why a display has failed, or empty; the game goes on without it."""
        self._show()

    @property
    def referee(self) -> Referee:
        """The referee as it stands."""
        return self._referee

    @property
    def game(self) -> int:
        """The number of the game in the store."""
        return self._game

    def stored(self) -> tuple[StoredGame, tuple[Record, ...]]:
        """Return the game as it is in the store, with all its rows."""
        return self._store.game(self._game), self._store.records(self._game)

    @property
    def by_hand(self) -> bool:
        """Whether the players tell what was thrown."""
        return self._by_hand

    @property
    def version(self) -> str:
        """What the players see now: another word whenever a press would mean something else than before."""
        return f"{self._game}-{self._steps}-{self._asked}"

    @property
    def look(self) -> Look | None:
        """How the dice that are shown were seen, or None for dice that no camera has seen."""
        shown = self._referee.shown
        return None if shown is None else self._looks.get(shown.t_ns)

    @property
    def asking(self) -> Question | None:
        """The question that is open."""
        return self._referee.question

    @property
    def view(self) -> ScoreView:
        """What the displays show."""
        shown = score_view(
            self._referee,
            title=self._title,
            news=self._prompt or self._news,
            on_table=self._on_table,
            keys=self._keymap is not None,
        )
        asked = self._referee.question
        shown = self.advisor.onto(shown, self._referee.game, self._prompt or self._news)
        return replace(
            shown,
            moment=self._moment[0],
            moment_points=self._moment[1],
            die_picture=b"" if asked is None else die_picture(self.look, asked.dice),
        )

    def observed(self, observation: Observation, picture: Image | None = None) -> None:
        """Take in what happened on the table; `picture` is the frame of a rest, kept as evidence."""
        t_ns = observation.t_ns
        if observation.kind == "camera":
            self._news = observation.reason[:1].upper() + observation.reason[1:]
            self._moved_camera(observation)
            if not observation.dice:
                self.told(self._news, t_ns)
        elif observation.kind == "empty":
            self._on_table = False
            self._show()
        elif observation.kind == "found":
            self._moved_camera(observation)
        elif observation.kind == "sign":
            self._signed(observation)
        elif observation.kind == "rest":
            self._looks = {**self._looks_shown(), t_ns: Look(t_ns, observation.dice, picture)}
            lanes = () if self._lanes is None else self._lanes.profile.lanes
            colours = colours_of(observation.dice, picture, lanes)
            for view in self._in_turn(lane_views(observation, self._lanes, colours)):
                self._saw(view, t_ns, picture)
                self._strays(view, colours, t_ns)

    def _moved_camera(self, observation: Observation) -> None:
        """The picture is not what it was: the dice are lost, unless all of them were found again."""
        if not observation.dice:
            before = self._referee
            known = self._before_lost or before
            self._ruled(advance(before, Lost()), observation.t_ns, by="camera")
            self._before_lost = known
        elif self._before_lost is not None:
            # Every die lies where it lay among the others, and nothing has been decided since.
            self._referee, self._before_lost = self._before_lost, None
            self._show()
        else:
            self._show()

    def told(self, reason: str, t_ns: int) -> None:
        """Tell everybody, and every program, that the table cannot be followed just now."""
        self._news = reason
        self._emit({"event": "paused", "reason": reason, "t_s": round(t_ns / 1e9, 4)})
        self._show()

    def noted(self, sentence: str, t_ns: int) -> None:
        """Say something that nobody has to answer."""
        self._news = f"{self._news} {sentence}".strip()
        player = self._referee.game.to_act
        self._emit({"event": "remark", "player": player, "reason": sentence, "t_s": round(t_ns / 1e9, 4)})
        self._show()

    def _strays(self, view: LaneView, colours: Mapping[int, DieColour], t_ns: int) -> None:
        """Say when dice of another player lie in a lane; once, as long as they are the same."""
        noted = stray(view.lane, [die.id for die in view.dice], colours)
        if noted and noted != self._stray:
            self.noted(noted, t_ns)
        self._stray = noted

    def _saw(self, view: LaneView, t_ns: int, picture: Image | None) -> None:
        """Take in the dice of one lane at rest."""
        if self._after_ns is not None and t_ns <= self._after_ns:
            if t_ns < self._after_ns:
                return
            view = replace(view, thrown=False)
        self._on_table = True
        self._prompt = ""
        self._ruled(advance(self._referee, view), t_ns, by="camera", picture=picture)

    def _in_turn(self, views: tuple[LaneView, ...]) -> tuple[LaneView, ...]:
        """Return views of several lanes with that of the player to act first, then in seat order."""
        seating, game = self._referee.seating, self._referee.game

        def place(view: LaneView) -> int:
            seat = seating.seat_of(view.lane)
            return len(game.players) if seat is None else (seat - (game.seat or 0)) % len(game.players)

        return tuple(sorted(views, key=place)) if len(views) > 1 else views

    def _signed(self, observation: Observation) -> None:
        """A hand was held over a bank zone: the player to act banks."""
        referee = self._referee
        lane = None if self._lanes is None else self._lanes.sign_lane(observation.sign or 0)
        seat = referee.seating.seat_of(lane)
        if not referee.seating.by_sign or (seat is not None and seat != referee.game.seat):
            return
        if self._after_ns is not None and observation.t_ns <= self._after_ns:
            return
        self.pressed(Bank(), observation.t_ns, by="camera")

    def key(self, key: str, t_ns: int) -> None:
        """Take in one key."""
        if self._keymap is None:
            return
        shown = self._referee.shown
        places = () if shown is None else tuple(die.id for die in shown.dice)
        question = self._referee.question
        meant = self._keymap.feed(
            key, places=places, choosing=question is not None and bool(question.options)
        )
        self._prompt = ""
        match meant:
            case None:
                return
            case Quit():
                self.stopped = True
            case Prompt(text):
                self._prompt = text
                self._show()
            case Show(what):
                self.showing(what)
            case _:
                self.pressed(meant, t_ns)

    def showing(self, what: str) -> None:
        """Show `advice` or `chances`, or no longer; neither changes the game."""
        if what == "advice":
            self.advisor.toggle_advice()
        else:
            self._prompt = self.advisor.toggle_chances()
        self._show()

    def pressed(self, press: Press, t_ns: int, *, by: str = "key") -> str:
        """Take in what a player pressed, or said by a sign; return why it was refused, else nothing."""
        ruling = advance(self._referee, press)
        dropped = bool(self._referee.waiting) and not ruling.referee.waiting and not ruling.events
        if ruling.refused:
            self._prompt = ruling.refused
        elif dropped:
            self._news = "The throw does not count."
        self._ruled(ruling, t_ns, by=by)
        return ruling.refused

    def edited(self, change: Change, t_ns: int, *, by: str, write: bool = True) -> Repaired:
        """Correct something anywhere in the game; without `write`, only tell what it would come to.

        Raises:
            BadInput, RulesError: it cannot be done; nothing was written.
        """
        from device.repairing import StoredPlace

        outcome = StoredPlace(self._store, self._game).repaired(change, write=False)
        if write and outcome.changed:
            self._rewritten(outcome, list(outcome.after.repaired_row(outcome.did)), t_ns, by=by)
        return outcome

    def redone(self, t_ns: int, *, by: str) -> Repaired:
        """Bring back what was taken back last.

        Raises:
            NothingThere: nothing was.
        """
        from device.gamelog import REDONE
        from device.repairing import StoredPlace

        outcome = StoredPlace(self._store, self._game).stepped(REDONE, 1, write=False)
        self._rewritten(outcome, [REDONE], t_ns, by=by)
        return outcome

    def _rewritten(self, outcome: Repaired, row: list[object], t_ns: int, *, by: str) -> None:
        """Write a row that changes the past, and play on from there.

        Raises:
            BadInput: not all of it would count; nothing was written.
        """
        from device.errors import BadInput
        from device.repairing import of_farkle

        kept = of_farkle(outcome.after)
        if kept.open_points:
            raise BadInput(f"not all of the game would count then: {kept.open_points[0]}")
        referee = revised(self._referee, kept.rules, kept.players, kept.steps)
        self._store.append(self._game, [Record(tuple(row), t_ns, by, self._steps + 1)])
        self._steps += 1
        self._before_lost = None
        self._referee = laid_out(referee, t_ns) if self._by_hand else referee
        data = {"event": "corrected", "player": self._referee.game.to_act, "did": outcome.did}
        self._emit({**data, "by": by, "t_s": round(t_ns / 1e9, 4)})
        self.happened = ({**data, "by": by},)
        self._prompt, self._news = "", f"Corrected: {outcome.did}."
        self._show()

    def ended(self, t_ns: int, *, unclear_s: float = 0.0) -> None:
        """The stream has ended at `t_ns`; on an empty table the dice have been passed on.

        When the table had not been clear for `unclear_s` seconds until then, a throw may have been missed:
        the final state is not certain.
        """
        self._missed = unclear_s > UNCLEAR_S
        if not self._on_table:
            self._ruled(advance(self._referee, TakenUp()), t_ns, by="camera")

    @property
    def steps(self) -> int:
        """How many steps the store has of this game: throws, presses and corrections."""
        return self._steps

    def final(self) -> dict[str, object]:
        """Return the final state as `croupier replay` gives it, and whether nothing stayed open."""
        return {**scoreboard(self._referee.game), "certain": self._referee.certain and not self._missed}

    def _ruled(self, ruling: Ruling, t_ns: int, *, by: str, picture: Image | None = None) -> None:
        """Write what was decided to the disk, then tell everybody."""
        before = self._referee
        self._before_lost = None
        if ruling.undone or ruling.events:
            self._commit(ruling, t_ns, by=by, picture=picture)
        self._referee = laid_out(ruling.referee, t_ns) if self._by_hand else ruling.referee
        self._asked += ruling.referee.question != before.question
        self._tell(before, ruling, t_ns, by=by)
        self._looks = self._looks_shown()
        self._show()
        if ruling.events and not ruling.undone:
            self._moved_for(t_ns)

    def _moved_for(self, t_ns: int) -> None:
        """Let a computer player do what needs no hands: bank, or take over what is offered.

        Only after something has happened on the table: what people took back stays taken back.
        """
        game = self._referee.game
        if self._referee.question is not None or not self.advisor.plays(game):
            return
        self._emit(
            {
                "event": "remark",
                "player": game.to_act,
                "reason": self.advisor.sentence(game),
                "t_s": round(t_ns / 1e9, 4),
            }
        )
        if self.advisor.banks(game):
            self.pressed(Bank(), t_ns, by=COMPUTER)
        elif self.advisor.takes_over(game):
            self.pressed(TakeOver(), t_ns, by=COMPUTER)

    def _looks_shown(self) -> dict[int, Look]:
        """Return the looks of views that are still shown or in question; the others are forgotten."""
        shown = {view.t_ns for view in (*self._referee.waiting, self._referee.view) if view is not None}
        return {time: look for time, look in self._looks.items() if time in shown}

    def _commit(self, ruling: Ruling, t_ns: int, *, by: str, picture: Image | None) -> None:
        """Put the events on disk, with the picture that proves the throw."""
        self._steps += 1
        records = []
        if ruling.undone:
            records.append(Record((UNDONE, ruling.undone), t_ns, by, self._steps))
        evidence: tuple[str | None, str | None] = (None, None)
        if picture is not None and any(isinstance(event, Rolled) for event in ruling.events):
            from device.annotate import encode

            evidence = self._store.keep_evidence(
                self._game, f"{self._steps:05d}.jpg", encode(picture, ".jpg")
            )
        for event in ruling.events:
            proof = evidence if isinstance(event, Rolled) else (None, None)
            colours = event.colours if isinstance(event, Rolled) else ()
            row = tuple(event_to_json(event))
            records.append(Record(row, t_ns, by, self._steps, *proof, colours=colours))
        self._store.append(self._game, records)

    def _tell(self, before: Referee, ruling: Ruling, t_ns: int, *, by: str) -> None:
        """Write the JSON objects of a ruling and remember the sentence for the players."""
        t_s = round(t_ns / 1e9, 4)
        game = before.game
        happened: list[Mapping[str, object]] = []
        if ruling.undone:
            kept = before.events[: len(before.events) - ruling.undone]
            game = fold(before.rules, before.players, kept)
            self._emit({"event": UNDONE, "player": game.to_act, "count": ruling.undone, "t_s": t_s})
            happened.append({"event": UNDONE, "player": game.to_act, "by": by})
            self._news = "Taken back."
        news = []
        moment = ("", 0)
        for event in ruling.events:
            after = apply(game, event)
            data, sentence = described(game, event, after)
            moment = moment_of(game, data, after, moment)
            self._emit({**data, "t_s": t_s})
            happened.append({**data, "by": by})
            news.append(sentence)
            game = after
        if happened:
            self.happened = tuple(happened)
            self._moment = moment
        if news:
            self._news = " ".join(sentence for sentence in news[-2:] if sentence)
        if ruling.remark:
            self._news = ruling.remark
            self._emit(
                {"event": "remark", "player": game.to_act, "reason": ruling.remark, "t_s": t_s},
            )
        if ruling.asked is not None:
            self._emit({**asked_json(ruling.asked, ruling.referee), "t_s": t_s})

    def _show(self) -> None:
        """Show the game; a display that fails does not end it."""
        try:
            self._display.show(self.view)
        except DeviceError as error:
            self.display_fault = self.display_fault or str(error)


def described(before: State, event: Event, after: State) -> tuple[dict[str, object], str]:
    """Return an event as JSON (`points`: what it is worth), and as a sentence for the players."""
    player = before.to_act or ""
    data: dict[str, object] = {"event": event_to_json(event)[0], "player": player}
    match event:
        case Rolled(faces):
            best = score_table(before.rules).of(faces).best
            bust = best == 0
            data |= {"values": list(faces), "points": best, "bust": bust}
            lost = before.turn.points
            sentence = f"Farkle! {player} {f'loses {points_text(lost)}' if lost else 'gets nothing'}."
            sentence = sentence if bust else ""
        case SetAside(faces):
            points = after.turn.points - before.turn.points
            data |= {"values": list(faces), "points": points, "hot_dice": after.turn.hot}
            sentence = f"Hot dice for {player}!" if after.turn.hot else ""
        case Banked():
            points = _written(before, after)
            data |= {"values": [], "points": points}
            sentence = f"{player} banks {points_text(points)}."
        case TookOver():
            offer = before.offer
            points = 0 if offer is None else offer.points
            data |= {"values": [], "points": points}
            sentence = f"{player} takes over {points_text(points)}."
        case Entered(_, points):
            data |= {"values": [], "points": points}
            sentence = f"{player}: {points_text(points)} written."
    return data, sentence


def _written(before: State, after: State) -> int:
    """Return what the turn of the player to act has written."""
    seat = before.seat
    if seat is None or len(after.turns[seat]) == len(before.turns[seat]):
        return 0
    return after.turns[seat][-1]


def asked_json(question: Question, referee: Referee) -> dict[str, object]:
    """Return a question as JSON; `dice` are places in reading order, counted from 1."""
    view = referee.shown
    order = [] if view is None else [die.id for die in view.dice]
    return {
        "event": question.kind,
        "reason": question.reason,
        "seen": question.seen,
        "expected": question.expected,
        "dice": [order.index(ident) + 1 for ident in question.dice if ident in order],
        "values": [] if view is None else [die.face for die in view.dice],
        "options": list(question.options),
        "player": referee.game.to_act,
    }
