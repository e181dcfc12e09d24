"""The referee: views of the table and presses of the players in, events of the game and questions out.

Pure: `advance(referee, input)` returns a `Ruling` with the referee after it. Nothing is guessed. A view that
does not fit the game, or shows a die without a certain face, becomes a `Question`; the game waits, views that
come meanwhile are kept in order, and it goes on when a press answers or the table itself makes things clear
(the leaning die is thrown again, the hidden one comes out). A committed throw is frozen: what the table
shows later never changes it, only a press does.

>>> from scorer.lane import LaneDie, LaneView, Seating
>>> from scorer.rules import preset
>>> def view(t, *dice): return LaneView(t, tuple(LaneDie(i, v, moved=m) for i, v, m in dice))
>>> referee = new_referee(preset("farkle"), ("Anna", "Ben"))
>>> first = view(1, (1, 5, True), (2, 5, True), (3, 2, True), (4, 3, True), (5, 4, True), (6, 4, True))
>>> ruling = advance(referee, first)
>>> ruling.events
(Rolled(faces=(5, 5, 2, 3, 4, 4)),)
>>> again = view(2, (1, 5, False), (2, 5, False), (7, 1, True), (8, 1, True), (9, 1, True), (10, 6, True))
>>> advance(ruling.referee, again).events
(SetAside(faces=(5, 5)), Rolled(faces=(1, 1, 1, 6)))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from scorer.errors import RulesError
from scorer.farkle import Entered, Event, Rolled, Stage, State, TookOver, apply, fold, legal, start
from scorer.judge import Ask, Doubt, Play, Quiet, Table, Verdict, bank_best, judge, judge_anew
from scorer.lane import LaneDie, LaneView, Seating
from scorer.rules import Rules

__all__ = [
    "Bank",
    "Choose",
    "Doubt",
    "FixDie",
    "Input",
    "LaneDie",
    "LaneView",
    "Leans",
    "Lost",
    "Next",
    "Played",
    "Question",
    "Referee",
    "RollAgain",
    "Ruling",
    "Seating",
    "TakeOver",
    "TakenUp",
    "Undo",
    "advance",
    "new_referee",
    "resumed",
]


@dataclass(frozen=True, slots=True)
class Bank:
    """The player banks. Of a throw that still waits, the dearest selection that can be banked is taken."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back what the last throw or press brought about; with an open question, the throw in question."""


@dataclass(frozen=True, slots=True)
class FixDie:
    """Say what a die shows: in the throw in question, or in the last committed throw."""

    die: int | None
    """Id of the die; None: a die that belongs to the throw and that the camera does not see."""
    value: int | None
    """The face 1..6; None: that thing is no die of the game."""


@dataclass(frozen=True, slots=True)
class RollAgain:
    """The throw in question does not count; the same dice are thrown again."""


@dataclass(frozen=True, slots=True)
class Next:
    """The player to act gives the turn up: it is written as 0, and the next player has the dice."""


@dataclass(frozen=True, slots=True)
class TakeOver:
    """The player to act takes the standing offer (steal or piggyback) before throwing."""


@dataclass(frozen=True, slots=True)
class Choose:
    """Answer a question by the number of one of its options, counted from 1."""

    option: int
    """Which option."""


@dataclass(frozen=True, slots=True)
class Leans:
    """Say that a die leans: in the throw in question, or in the last committed throw; it is thrown again."""

    die: int
    """Id of the die."""


@dataclass(frozen=True, slots=True)
class Played:
    """Events told by the players: of a game without a camera, or of a throw that the camera missed."""

    events: tuple[Event, ...]
    """The events, in order; one step for undo."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The camera lost the table (it was moved, or restarted): dice of the next view have new ids."""


@dataclass(frozen=True, slots=True)
class TakenUp:
    """All dice were taken up and nothing more will be seen: the recording has ended on an empty table.

    As with dice that are thrown again, that passes them on, unless all of the last throw score: those may be
    hot dice that somebody was about to throw.
    """


Press = Bank | Undo | FixDie | Leans | RollAgain | Next | TakeOver | Choose | Played
Input = LaneView | Press | Lost | TakenUp

_Kind = Literal["unsure", "paused"]


@dataclass(frozen=True, slots=True)
class Question:
    """What the table is asked. The game waits until it is answered, or the table has made it clear."""

    doubt: Doubt
    """What is wrong."""
    seen: str
    """The version of the table."""
    expected: str
    """The version of the game."""
    t_ns: int
    """Time of the view that is in question."""
    dice: tuple[int, ...] = ()
    """Ids of the dice in question."""
    options: tuple[str, ...] = ()
    """Answers that `Choose` can pick."""
    thrown_since: bool = False
    """Whether the table has been thrown on since; only a press can answer then."""

    @property
    def kind(self) -> _Kind:
        """`unsure`: a die has no certain face; `paused`: the versions contradict each other."""
        return "unsure" if self.doubt.unsure else "paused"

    @property
    def reason(self) -> str:
        """The question as one sentence, without the answers."""
        sentence = f"{self.seen[:1].upper()}{self.seen[1:]}; {self.expected}."
        return f"{sentence} Dice have been thrown since." if self.thrown_since else sentence


@dataclass(frozen=True, slots=True)
class _Step:
    """What an undo goes back to."""

    events: int
    """How many events there were."""
    table: Table
    """The dice that showed the committed throw."""
    replaced: tuple[Event, ...] | None = None
    """All events before the step, where the step did more than add some."""
    view: LaneView | None = None
    """The view that brought the step about, or None for a press."""


@dataclass(frozen=True, slots=True)
class Referee:
    """One game and the table it is played on. Make one with `new_referee` or `resumed`."""

    rules: Rules
    """The rules of the table."""
    players: tuple[str, ...]
    """Names in seat order."""
    events: tuple[Event, ...]
    """The events of the game so far."""
    game: State
    """Their fold."""
    question: Question | None = None
    """What the table is being asked."""
    view: LaneView | None = None
    """The latest view of the table."""
    table: Table = field(default_factory=Table)
    """The dice that lie as at the last committed throw."""
    waiting: tuple[LaneView, ...] = ()
    """The view in question and those that came after it."""
    withdrawn: LaneView | None = None
    """The view of a throw that was taken back and may still be the throw of somebody else."""
    anew: bool = False
    """Whether the view in question is the first after the table was out of sight: its ids say nothing."""
    ignored: frozenset[int] = frozenset()
    """Ids of things that are no dice of the game."""
    known: bool = False
    """Whether the ids of the dice on the table are known (not at the start, not after a restart)."""
    last_shown: tuple[int, ...] = ()
    """The faces that lay on the table when it went out of sight."""
    seating: Seating = field(default_factory=Seating)
    """Which lane is whose, and what banks a turn."""
    remark: str = ""
    """What is wrong with the dice in the tray so far; nobody needs to answer it."""
    history: tuple[_Step, ...] = field(default=(), repr=False)
    """What undo goes back to, oldest first."""

    @property
    def shown(self) -> LaneView | None:
        """The dice to show: those of the throw in question, else those on the table."""
        return self.waiting[0] if self.waiting else self.view

    @property
    def certain(self) -> bool:
        """Whether nothing is open: no question, and no view that waits behind one."""
        return self.question is None and not self.waiting


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the referee makes of one input."""

    referee: Referee
    """The referee after it."""
    undone: int = 0
    """How many of the last events are taken back, before `events` are added."""
    events: tuple[Event, ...] = ()
    """Events to add to the game."""
    asked: Question | None = None
    """A question that was not open before."""
    refused: str = ""
    """Why a press has done nothing: one sentence, else empty."""
    remark: str = ""
    """What is wrong with dice that were set aside just now; nothing waits for an answer."""


def new_referee(rules: Rules, players: Sequence[str], *, seating: Seating | None = None) -> Referee:
    """Return the referee of a new game.

    Raises:
        BadPlayers: for names with which no game can be played.
    """
    game = start(rules, players)
    return Referee(rules, game.players, (), game, seating=seating or Seating())


def resumed(
    rules: Rules,
    players: Sequence[str],
    steps: Iterable[Sequence[Event]],
    *,
    seating: Seating | None = None,
) -> Referee:
    """Return the referee of a game that goes on: `steps` are its events, grouped as they came about.

    The dice on the table have new ids; the first view that shows the faces of the last throw is recognised.

    Raises:
        BadPlayers, IllegalEvent: when the game cannot have been played under these rules.
    """
    referee = new_referee(rules, players, seating=seating)
    history: list[_Step] = []
    events: list[Event] = []
    for step in steps:
        history.append(_Step(len(events), Table()))
        events.extend(step)
    game = fold(rules, referee.players, events)
    return replace(referee, events=tuple(events), game=game, history=tuple(history))


def advance(referee: Referee, given: Input) -> Ruling:
    """Return what becomes of the game when `given` has happened."""
    match given:
        case LaneView():
            after = _seen(referee, _cleaned(referee, given))
            refused = ""
        case Lost():
            after = replace(
                referee,
                known=False,
                table=Table(),
                withdrawn=None,
                ignored=frozenset(),
                last_shown=_faces_in_sight(referee),
            )
            refused = ""
        case TakenUp():
            after, refused = _taken_up(referee), ""
        case _:
            after, refused = _pressed(referee, given)
    return _ruling(referee, after, refused)


def _ruling(before: Referee, after: Referee, refused: str) -> Ruling:
    """Compare the referee before and after: what is taken back, added, newly asked."""
    same = 0
    for old, new in zip(before.events, after.events, strict=False):
        if old != new:
            break
        same += 1
    asked = after.question if after.question != before.question else None
    remark = after.remark if after.remark != before.remark else ""
    return Ruling(after, len(before.events) - same, after.events[same:], asked, refused, remark)


# Views


def _cleaned(referee: Referee, view: LaneView) -> LaneView:
    """Leave out what the players have said is no die; forget such things once they are gone."""
    if not referee.ignored:
        return view
    return view.with_dice(die for die in view.dice if die.id not in referee.ignored)


def _seen(referee: Referee, view: LaneView) -> Referee:
    """Take in one more view of the table."""
    if not referee.known:
        return _first_look(referee, view)
    if referee.waiting:
        return _while_waiting(referee, view)
    return _judged(replace(referee, withdrawn=None), view)


def _first_look(referee: Referee, view: LaneView) -> Referee:
    """Recognise the table at the start, or after the camera lost it."""
    referee = replace(referee, known=True)
    if referee.waiting:
        question = None if referee.question is None else replace(referee.question, thrown_since=True)
        return replace(referee, view=view, waiting=(*referee.waiting, view), question=question)
    verdict = judge_anew(referee.game, view, shown=_shown_last(referee), seating=referee.seating)
    # Before the first event no die can have been kept, so the ids say all there is to know.
    return _ruled(replace(referee, anew=bool(referee.events)), view, verdict)


def _verdict(referee: Referee, view: LaneView) -> Verdict:
    """Judge a view by what is known of the dice on the table."""
    if referee.anew:
        return judge_anew(referee.game, view, shown=_shown_last(referee), seating=referee.seating)
    return judge(referee.game, referee.table, view, referee.seating)


def _shown_last(referee: Referee) -> tuple[Counter[int], ...]:
    """Return the faces that lay on the table last: as the events have it, and as it was seen."""
    known = (Counter(_faces_of_last_throw(referee)), Counter(referee.last_shown))
    return tuple(each for each in known if each)


def _faces_in_sight(referee: Referee) -> tuple[int, ...]:
    """Return the faces that are known to lie on the table now, or were when it went out of sight."""
    if not referee.known or referee.view is None or referee.waiting:
        return referee.last_shown
    return tuple(die.face for die in referee.view.dice if die.face is not None)


def _faces_of_last_throw(referee: Referee) -> tuple[int, ...]:
    """Return the dice of the last throw with those that lay aside then; none before the first throw."""
    game = start(referee.rules, referee.players)
    faces: tuple[int, ...] = ()
    for event in referee.events:
        if isinstance(event, Rolled):
            faces = (*(() if game.turn.hot else game.turn.aside), *event.faces)
        game = apply(game, event)
    return faces


def _judged(referee: Referee, view: LaneView) -> Referee:
    """Judge a view while nothing is in question."""
    slid = _maybe_slid(referee, view)
    if slid is not None:
        return replace(referee, view=view, table=replace(referee.table.lying_in(view), slid=slid))
    return _ruled(referee, view, _verdict(referee, view))


def _maybe_slid(referee: Referee, view: LaneView) -> dict[int, int] | None:
    """Return the dice that may just have been pushed aside while the others are in the hand.

    They lie elsewhere than before, all faces on the table were there before, and some dice are missing. They
    may also be a throw of which a die fell off the table, so nothing is decided until all dice lie there.
    None when the view is something else.
    """
    turn = referee.game.turn
    if len(view.dice) >= referee.rules.dice or turn.stage is not Stage.ROLLED:
        return None
    faces = {die.id: die.face for die in view.dice if die.face is not None}
    moved = [die for die in view.dice if die.moved and die.zone != "tray"]
    if not moved or len(faces) < len(view.dice):
        return None
    if Counter(faces.values()) - (Counter(turn.aside) + Counter(turn.roll)):
        return None
    return {**referee.table.lying_in(view).slid, **{die.id: faces[die.id] for die in moved}}


def _ruled(referee: Referee, view: LaneView, verdict: Verdict) -> Referee:
    """Act on a verdict about `view`; nothing else waits."""
    match verdict:
        case Quiet(table, remark):
            return replace(referee, view=view, table=table, anew=False, remark=remark)
        case Play():
            return _played(replace(referee, remark=""), view, verdict)
    return replace(referee, view=view, question=_question(view, verdict), waiting=(view,), remark="")


def _question(view: LaneView, ask: Ask, *, thrown_since: bool = False) -> Question:
    options = tuple(name for name, _ in ask.plays)
    return Question(ask.doubt, ask.seen, ask.expected, view.t_ns, ask.dice, options, thrown_since)


def _played(referee: Referee, view: LaneView, play: Play) -> Referee:
    """Commit what a view has brought about, as one step."""
    if not play.events:
        return replace(
            referee, question=None, view=view, table=play.table, waiting=(), withdrawn=None, anew=False
        )
    step = _Step(len(referee.events), referee.table, view=view)
    events = _coloured(play, view)
    return replace(
        referee,
        events=(*referee.events, *events),
        game=_after(referee.game, events),
        question=None,
        view=view,
        table=play.table,
        waiting=(),
        withdrawn=None,
        anew=False,
        history=(*referee.history, step),
    )


def _coloured(play: Play, view: LaneView) -> tuple[Event, ...]:
    """Return the events of a play; the throw that lies on the table with the colours of its dice."""
    last = play.events[-1]
    aside = play.table.kept | play.table.idle
    thrown = [die for die in view.dice if die.id not in aside]
    known = any(die.colour is not None for die in thrown)
    if not known or not isinstance(last, Rolled) or last.faces != tuple(die.face for die in thrown):
        return play.events
    return (*play.events[:-1], replace(last, colours=tuple(die.colour for die in thrown)))


def _after(game: State, events: Iterable[Event]) -> State:
    for event in events:
        game = apply(game, event)
    return game


def _while_waiting(referee: Referee, view: LaneView) -> Referee:
    """Take in a view while another is in question: perhaps it makes that one clear."""
    views = (*referee.waiting, view)
    if any(each.lane != view.lane for each in referee.waiting):
        # Ids of another lane say nothing about this one; it is judged when its turn comes.
        return _judged_again(referee, referee.waiting[0], views[1:])
    clearer = _completed(referee, views)
    if clearer is not None:
        return _judged_again(referee, clearer, ())
    return _judged_again(referee, _read_later(referee, views), views[1:])


def _judged_again(referee: Referee, view: LaneView, later: tuple[LaneView, ...]) -> Referee:
    """Judge the view in question once more; when it is clear now, the ones after it too, in their order."""
    referee = replace(referee, waiting=(), question=None)
    verdict = _verdict(referee, view)
    if isinstance(verdict, Ask):
        since = any(die.moved for each in later for die in each.dice)
        return replace(
            referee,
            question=_question(view, verdict, thrown_since=since),
            waiting=(view, *later),
            view=later[-1] if later else view,
        )
    return _caught_up(_ruled(referee, view, verdict), later)


def _caught_up(referee: Referee, later: tuple[LaneView, ...]) -> Referee:
    """Take in the views that had to wait."""
    for view in later:
        referee = _seen(referee, view)
    return referee


def _read_later(referee: Referee, views: tuple[LaneView, ...]) -> LaneView:
    """Return the first view with what the later ones have shown of it.

    An unread die that is read later where it lay gets its face. A die that turns up in the next view and has
    not moved was overlooked; it is added where every die was thrown (else it might be one that was kept).
    """
    first = views[0]
    faces: dict[int, int] = {}
    lying = frozenset(die.id for die in first.dice)
    for before, now in pairwise(views):
        lying &= now.lying_since(before)
        for die in now.dice:
            if die.id in lying and die.face is not None:
                faces.setdefault(die.id, die.face)
    known = {die.id for die in first.dice}
    all_thrown = not known & set(referee.table.lying_in(first).faces) and not referee.anew
    overlooked = [die for die in views[1].dice if not die.moved and die.id not in known]
    room = referee.rules.dice - len(first.dice)
    return first.with_dice(
        (
            *(
                replace(die, value=faces[die.id], sure=True, cocked=False)
                if die.face is None and not die.cocked and die.id in faces
                else die
                for die in first.dice
            ),
            *(replace(die, moved=True) for die in overlooked if all_thrown and len(overlooked) <= room),
        )
    )


def _completed(referee: Referee, views: tuple[LaneView, ...]) -> LaneView | None:
    """Return the throw in question as it lies now, when it has only been completed since; else None.

    That is so when every die of it that had a face still lies where it lay, and only dice that leaned, were
    missing or had been left lying came to it. It is also so when all dice of the throw and no others were
    thrown again: who plays on sets one of them aside at least. An unread die that was thrown again alone is
    no completion: it may have been the only one left for the next throw.
    """
    first, last = views[0], views[-1]
    doubt = None if referee.question is None else referee.question.doubt
    lying = _lying_through(views)
    thrown = {die.id for die in first.dice if die.moved or die.id not in referee.table.faces}
    kept = {die.id for die in first.dice} - thrown
    fresh = {die.id for die in last.dice} - lying
    gone = [die for die in first.dice if die.id not in lying]
    completed = all(_may_go(die, doubt, thrown=die.id in thrown, fresh=bool(fresh)) for die in gone)
    incomplete = doubt in (Doubt.COCKED, Doubt.UNREAD, Doubt.TOO_FEW, Doubt.TOO_MANY)
    full = len(last.dice) == referee.rules.dice
    again = incomplete and full and bool(kept) and kept <= lying and not thrown & lying
    if not completed and not again:
        return None
    return last.with_dice(
        replace(die, moved=die.id in thrown or die.id in fresh or die.moved) for die in last.dice
    )


def _may_go(die: LaneDie, doubt: Doubt | None, *, thrown: bool, fresh: bool) -> bool:
    """Whether a die of the throw in question may have left its place without making it another throw."""
    match doubt:
        case Doubt.COCKED:
            return die.cocked
        case Doubt.TOO_MANY:
            return not fresh
        case Doubt.NOT_ALL_THROWN:
            return not thrown
        case _:
            return False


def _lying_through(views: tuple[LaneView, ...]) -> frozenset[int]:
    """Return the ids of the dice that have lain still from the first view to the last."""
    lying = frozenset(die.id for die in views[0].dice)
    for before, now in pairwise(views):
        lying &= now.lying_since(before)
    return lying


def _taken_up(referee: Referee) -> Referee:
    """Bank a turn whose dice were all taken up at the end, where that can mean nothing else."""
    turn = referee.game.turn
    if referee.waiting or turn.stage is not Stage.ROLLED:
        return referee
    all_score = any(len(each.dice) == len(turn.roll) for each in legal(referee.game).selections)
    if all_score and referee.rules.hot_dice != "off":
        return referee
    banked = bank_best(referee.game)
    return referee if banked is None else replace(_added(referee, banked), table=Table(), withdrawn=None)


# Presses


def _pressed(referee: Referee, press: Press) -> tuple[Referee, str]:
    """Return the referee after a press, and why it was refused (empty when it was not)."""
    match press:
        case Choose(option):
            return _chosen(referee, option)
        case FixDie():
            return _fixed(referee, press)
        case Leans(die):
            return _leaning(referee, die)
        case Played(events):
            return _told(referee, events)
        case RollAgain():
            if not referee.waiting:
                return referee, "There is no throw in question; press undo to take back the last one."
            return _dropped(referee), ""
        case Undo():
            return _undone(referee)
        case Next():
            return _given_up(referee)
        case Bank():
            if referee.waiting:
                return referee, "Answer the question first, or say that the throw does not count."
            return _with_press(referee, bank_best(referee.game), _no_bank(referee.game))
    # TakeOver is what is left.
    if referee.waiting:
        return referee, "Answer the question first, or say that the throw does not count."
    offered = None if legal(referee.game).take_over is None else (TookOver(),)
    return _with_press(referee, offered, "There is nothing to take over now.")


def _with_press(referee: Referee, events: tuple[Event, ...] | None, refusal: str) -> tuple[Referee, str]:
    """Add the events of a press, then look again at a throw that had been taken back."""
    if events is None:
        return referee, refusal
    after = _added(referee, events)
    if referee.withdrawn is None:
        return after, ""
    return _judged(replace(after, withdrawn=None), referee.withdrawn), ""


def _added(referee: Referee, events: tuple[Event, ...]) -> Referee:
    step = _Step(len(referee.events), referee.table)
    return replace(
        referee,
        events=(*referee.events, *events),
        game=_after(referee.game, events),
        history=(*referee.history, step),
    )


def _no_bank(game: State) -> str:
    if game.finished:
        return "The game is finished; press undo to go back."
    if game.turn.stage in (Stage.START, Stage.TAKEN):
        return f"{game.to_act} has not thrown yet, so there is nothing to bank."
    return (
        f"{game.to_act} cannot bank yet: the turn is below what a bank needs; throw the dice that are left."
    )


def _dropped(referee: Referee) -> Referee:
    """The throw in question does not count: only the dice that were not thrown remain known."""
    table = referee.table
    for view in referee.waiting:
        table = table.lying_in(view)
    lost = referee.question is not None and referee.question.doubt is Doubt.LOST_TRACK
    return replace(referee, question=None, waiting=(), view=referee.waiting[-1], table=table, known=not lost)


def _undone(referee: Referee) -> tuple[Referee, str]:
    if referee.waiting:
        return _dropped(referee), ""
    if not referee.history:
        return referee, "There is nothing to take back."
    step = referee.history[-1]
    events = referee.events[: step.events] if step.replaced is None else step.replaced
    table = referee.table
    if step.view is not None:  # a throw: of the dice before it, those count that still lie there
        here = {die.id for die in referee.view.dice} if referee.view is not None else set()
        faces = {ident: face for ident, face in step.table.faces.items() if ident in here}
        table = Table(faces, step.table.kept & here, step.table.idle & here)
    return replace(
        referee,
        events=events,
        game=fold(referee.rules, referee.players, events),
        table=table,
        withdrawn=step.view,
        history=referee.history[:-1],
    ), ""


def _given_up(referee: Referee) -> tuple[Referee, str]:
    """Write the turn as 0: what was thrown in it is taken back and 0 entered."""
    game = referee.game
    if game.to_act is None:
        return referee, "The game is finished; press undo to go back."
    events = (*referee.events[: _turn_began(referee)], Entered(game.to_act, 0))
    step = _Step(len(referee.events), referee.table, replaced=referee.events)
    after = replace(
        referee,
        events=events,
        game=fold(referee.rules, referee.players, events),
        history=(*referee.history, step),
    )
    if not referee.waiting:
        return after, ""
    if referee.question is None or referee.question.doubt is not Doubt.BELOW_MINIMUM:
        return _dropped(after), ""
    # All dice were thrown by whoever is next: that throw counts.
    return _judged_again(after, referee.waiting[0], referee.waiting[1:]), ""


def _turn_began(referee: Referee) -> int:
    """Return the index of the first event of the turn being played."""
    if referee.game.turn.stage is Stage.START:
        return len(referee.events)
    game = start(referee.rules, referee.players)
    begun = 0
    for index, event in enumerate(referee.events):
        if game.turn.stage is Stage.START:
            begun = index
        game = apply(game, event)
    return begun


def _chosen(referee: Referee, option: int) -> tuple[Referee, str]:
    question = referee.question
    if question is None or not question.options:
        return referee, "There is no question with answers to choose from."
    view, later = referee.waiting[0], referee.waiting[1:]
    verdict = _verdict(referee, view)
    plays = verdict.plays if isinstance(verdict, Ask) else ()
    if not 1 <= option <= len(plays):
        return referee, f"Choose an answer from 1 to {len(plays)}."
    play = plays[option - 1][1]
    return _caught_up(_played(referee, view, play), later), ""


def _fixed(referee: Referee, fix: FixDie) -> tuple[Referee, str]:
    if fix.value is not None and not 1 <= fix.value <= 6:
        return referee, "A die shows 1 to 6."
    if not referee.waiting:
        return _corrected(referee, fix)
    first, later = referee.waiting[0], referee.waiting[1:]
    if fix.die is None:
        if fix.value is None:
            return referee, "Say which die, or what the hidden die shows."
        first = first.with_dice((*first.dice, LaneDie(_hidden_id(referee), fix.value)))
        return _judged_again(referee, first, later), ""
    die = first.die(fix.die)
    if die is None:
        return referee, "That die is not part of the throw in question."
    if fix.value is None:
        referee = replace(referee, ignored=referee.ignored | {fix.die})
        first, later = _cleaned(referee, first), tuple(_cleaned(referee, each) for each in later)
        return _judged_again(referee, first, later), ""
    before = referee.table.faces.get(fix.die)
    turned = before is not None and before != fix.value
    told = replace(die, value=fix.value, sure=True, cocked=False, moved=die.moved or turned)
    first = first.with_dice(told if each.id == fix.die else each for each in first.dice)
    return _judged_again(referee, first, later), ""


def _hidden_id(referee: Referee) -> int:
    """Return an id for a die that the camera does not see: negative, never used before."""
    used = [*referee.table.faces, *(die.id for die in referee.waiting[0].dice)]
    return min([0, *used]) - 1


def _corrected(referee: Referee, fix: FixDie) -> tuple[Referee, str]:
    """Correct one die of the last committed throw, as long as nothing came after it."""
    last = referee.events[-1] if referee.events else None
    if not isinstance(last, Rolled):
        return referee, "Only the last throw can be corrected; press undo to go back to it."
    faces = referee.table.faces
    if fix.die is not None and fix.die in faces and fix.value is None:
        without = replace(referee, ignored=referee.ignored | {fix.die})
        after, refused = _judged_otherwise(without, lambda view: _cleaned(without, view))
        return (referee, refused) if refused else (after, "")
    if fix.die is None or fix.value is None or fix.die not in faces or fix.die in referee.table.idle:
        return referee, "That die is not part of the last throw."
    old, rolled = faces[fix.die], list(last.faces)
    if fix.die in referee.table.kept or old not in rolled:
        return referee, "That die is set aside; press undo to go back to the throw that it belongs to."
    rolled[rolled.index(old)] = fix.value
    events = (*referee.events[:-1], Rolled(tuple(rolled)))
    step = _Step(len(referee.events), referee.table, replaced=referee.events)
    return replace(
        referee,
        events=events,
        game=fold(referee.rules, referee.players, events),
        table=replace(referee.table, faces={**faces, fix.die: fix.value}),
        history=(*referee.history, step),
    ), ""


def _leaning(referee: Referee, die: int) -> tuple[Referee, str]:
    """Take back the face of a die that leans; its throw is complete when it has been thrown again."""

    def leans(view: LaneView) -> LaneView:
        return view.with_dice(
            replace(each, value=None, cocked=True) if each.id == die else each for each in view.dice
        )

    if referee.waiting:
        first, later = referee.waiting[0], referee.waiting[1:]
        if first.die(die) is None:
            return referee, "That die is not part of the throw in question."
        return _judged_again(referee, leans(first), later), ""
    if die in referee.table.kept or die not in referee.table.faces:
        return referee, "That die is not part of the last throw."
    return _judged_otherwise(referee, leans)


def _judged_otherwise(referee: Referee, seen: Callable[[LaneView], LaneView]) -> tuple[Referee, str]:
    """Take back the last throw and judge its view once more, as it should have been seen."""
    view = referee.history[-1].view if referee.history else None
    if view is None or not isinstance(referee.events[-1], Rolled):
        return referee, "Only the last throw can be corrected; press undo to go back to it."
    before, _ = _undone(referee)
    return _judged(replace(before, withdrawn=None), seen(view)), ""


def _told(referee: Referee, events: tuple[Event, ...]) -> tuple[Referee, str]:
    """Add events that the players tell; where the dice lie is not known then."""
    if referee.waiting:
        return referee, "Answer the question first, or say that the throw does not count."
    try:
        after = _added(referee, events)
    except RulesError as error:
        return referee, str(error)
    return replace(after, table=Table(), known=False, withdrawn=None, last_shown=_faces_in_sight(referee)), ""
