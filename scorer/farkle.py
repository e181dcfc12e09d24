"""A game of the Farkle family as a fold of events.

`start` gives the first state, `apply` the state after an event, `legal` what may come next; all are pure and
a `State` never changes. Busts, hot dice, the last round, tie breaks and the end are derived here and never
sent in. What a turn writes follows the rules of the table (`scorer.rules.Rules`).

>>> state = start(preset("farkle"), ("Anna", "Ben"))
>>> state = apply(state, Rolled((1, 1, 1, 5, 2, 3)))
>>> state = apply(state, SetAside((1, 1, 1, 5)))
>>> state.turn.points, state.turn.dice_left, legal(state).bank
(350, 2, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal, TypeVar

from scorer.errors import BadPlayers, IllegalEvent, IllegalSelection, MalformedEvent, suggestion
from scorer.events import Banked, Entered, Event, Rolled, SetAside, TookOver
from scorer.rules import Rules, preset
from scorer.scoring import Faces, RollScore, Selection, score_table

__all__ = [
    "Banked",
    "Entered",
    "Event",
    "Legal",
    "Offer",
    "Phase",
    "Rolled",
    "SetAside",
    "Stage",
    "State",
    "TookOver",
    "Turn",
    "apply",
    "fold",
    "legal",
    "preset",
    "standings",
    "start",
]


T = TypeVar("T")


class Phase(Enum):
    """Where the game stands."""

    TURN = "turn"
    FINAL_ROUND = "final_round"
    TIE_BREAK = "tie_break"
    FINISHED = "finished"


class Stage(Enum):
    """Where the turn stands."""

    START = "start"
    """Nothing was thrown yet."""
    TAKEN = "taken"
    """The offer was taken; its dice are to be thrown."""
    ROLLED = "rolled"
    """Dice were thrown and score; a selection is to be set aside."""
    ASIDE = "aside"
    """A selection was set aside; throw on or bank."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Points that the player to act may roll for."""

    points: int
    """Added to the turn from the first throw that is no bust."""
    dice: int
    """How many dice that throw takes."""
    kind: Literal["steal", "piggyback"]
    """Whether they were lost by a bust or banked by the player before."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn of the player to act."""

    dice_left: int
    """How many dice the next throw takes; after a throw, before the set-aside, the dice thrown. 0: none."""
    made: int = 0
    """Points set aside in this turn."""
    taken: int = 0
    """Points taken over from another player, once a throw was no bust."""
    stake: int = 0
    """Points taken over that the next throw decides on."""
    stage: Stage = Stage.START
    """What was done last."""
    roll: Faces = ()
    """The throw that waits for its set-aside, as it was thrown; empty otherwise."""
    aside: Faces = ()
    """The dice put aside since the turn began or hot dice were last thrown, in that order."""
    hot: bool = False
    """Whether every die lies aside and scores (hot dice)."""

    @property
    def points(self) -> int:
        """The turn total: what a bank would write if every bank were legal."""
        return self.made + self.taken


@dataclass(frozen=True, slots=True)
class State:
    """A game at one moment. Players are known by their seat, counted from 0."""

    rules: Rules
    """The rules of the table."""
    players: tuple[str, ...]
    """Names in seat order."""
    totals: tuple[int, ...]
    """Points a seat, with what came from others."""
    turns: tuple[tuple[int, ...], ...]
    """Written points a seat, one a turn."""
    opened: tuple[bool, ...]
    """Whether the seat has reached the opening minimum (see `is_open`)."""
    streaks: tuple[int, ...]
    """Busts in a row, a seat."""
    seat: int | None
    """Who is to act; None when the game is finished."""
    turn: Turn
    """The turn of the player to act."""
    phase: Phase = Phase.TURN
    """Where the game stands."""
    offer: Offer | None = None
    """What the player to act may take over before the first throw."""
    waiting: tuple[int, ...] = ()
    """Seats that still have their turn of the last round or tie break, after the one to act."""
    tied: tuple[int, ...] = ()
    """Seats that can win the tie break, in seat order."""
    winners: tuple[int, ...] = field(default=())
    """Seats that have won, in seat order; empty while the game goes on."""

    @property
    def to_act(self) -> str | None:
        """The name of the player to act."""
        return None if self.seat is None else self.players[self.seat]

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self.phase is Phase.FINISHED

    @property
    def must_roll(self) -> bool:
        """Whether hot dice forbid banking."""
        return self.turn.hot and self.rules.hot_dice == "must"

    @property
    def throw(self) -> RollScore | None:
        """What the throw that waits for its set-aside offers; None when there is none."""
        return score_table(self.rules).of(self.turn.roll) if self.turn.stage is Stage.ROLLED else None

    def is_open(self, seat: int) -> bool:
        """Whether the seat may bank less than the opening minimum (always so in a tie break)."""
        return self.opened[seat] or self.rules.opening == 0 or self.phase is Phase.TIE_BREAK


@dataclass(frozen=True, slots=True)
class Legal:
    """What `apply` accepts in a state; nothing else."""

    roll: int | None = None
    """How many dice may be thrown, or None."""
    selections: tuple[Selection, ...] = ()
    """What may be set aside."""
    bank: bool = False
    """Whether the turn may be banked."""
    bank_writes: int = 0
    """What a bank would write (0 below the opening, past an exact target, ...)."""
    why_no_bank: str = ""
    """Why the turn may not be banked: half a sentence; empty when it may."""
    take_over: Offer | None = None
    """The offer that may be taken."""
    enter: str | None = None
    """The player for whom a turn may be typed in, or None."""

    def allows(self, event: Event) -> bool:
        """Whether `apply` accepts the event."""
        match event:
            case Rolled(faces):
                return self.roll is not None and len(faces) == self.roll and _are_faces(faces)
            case SetAside(faces):
                return tuple(sorted(faces)) in {each.dice for each in self.selections}
            case Banked():
                return self.bank
            case TookOver():
                return self.take_over is not None
            case Entered(player, _):  # pragma: no branch - there is no other event
                return self.enter == player

    def __str__(self) -> str:
        """Say what may be done, for a message."""
        ways = []
        if self.roll is not None:
            ways.append(f"roll {_dice(self.roll)}")
        if self.selections:
            few = " or ".join(" ".join(map(str, each.dice)) for each in self.selections[:4])
            more = len(self.selections) - 4
            ways.append(f"set aside {few}" + (f" or {more} more" if more > 0 else ""))
        if self.bank:
            ways.append("bank")
        if self.take_over is not None:
            ways.append(f"take over {self.take_over.points} with {_dice(self.take_over.dice)}")
        if self.enter is not None:
            ways.append(f"enter a turn of {self.enter}")
        return ", ".join(ways) if ways else "nothing, the game is finished"


def start(rules: Rules, players: Sequence[str]) -> State:
    """Return the state before the first throw.

    Raises:
        BadPlayers: fewer than two players, or a name that is empty or given twice.
    """
    for index, name in enumerate(players):
        if not isinstance(name, str) or not name.strip():
            raise BadPlayers(f"a player's name must be a text that is not empty, got {name!r}; give a name")
        if name in players[:index]:
            raise BadPlayers(f"two players are called '{name}'; give each player another name")
    if len(players) < 2:
        raise BadPlayers(f"a game needs at least two players, got {len(players)}; name them in seat order")
    each = len(players)
    return State(
        # The very object by which the table is kept: finding it again then compares no settings.
        rules=score_table(rules).rules,
        players=tuple(players),
        totals=(0,) * each,
        turns=((),) * each,
        opened=(False,) * each,
        streaks=(0,) * each,
        seat=0,
        turn=Turn(dice_left=rules.dice),
    )


def fold(rules: Rules, players: Sequence[str], events: Iterable[Event]) -> State:
    """Return the state after all events.

    Raises:
        BadPlayers: see `start`.
        IllegalEvent: with the index of the first event that is not legal.
    """
    state = start(rules, players)
    for index, event in enumerate(events):
        try:
            state = apply(state, event)
        except IllegalEvent as error:
            raise error.at(index) from error
    return state


def legal(state: State) -> Legal:
    """Return what may come next: exactly what `apply` accepts."""
    if state.seat is None:
        return Legal(why_no_bank="the game is finished")
    turn = state.turn
    if turn.stage is Stage.START:
        return Legal(
            roll=turn.dice_left,
            why_no_bank="nothing was set aside yet",
            take_over=state.offer,
            enter=state.to_act,
        )
    if turn.stage is Stage.TAKEN:
        return Legal(roll=turn.dice_left, why_no_bank="nothing was set aside yet")
    throw = state.throw
    if throw is not None:
        return Legal(selections=throw.selections, why_no_bank="the throw waits for its set-aside")
    bank = _bank_of(state, state.seat)
    return Legal(
        roll=turn.dice_left or None,
        bank=not bank.refusal,
        bank_writes=bank.writes,
        why_no_bank=bank.refusal,
    )


def apply(state: State, event: Event) -> State:
    """Return the state after the event.

    Raises:
        IllegalSelection: dice set aside that are not a legal selection of the throw.
        IllegalEvent: anything else that the rules do not allow here; the message says what they do allow.
    """
    may = legal(state)
    if state.seat is None:
        raise IllegalEvent("the game is finished and takes no more events; undo the last one or start anew")
    match event:
        case Rolled(faces):
            return _rolled(state, state.seat, faces, may)
        case SetAside(faces):
            return _set_aside(state, faces, may)
        case Banked():
            if not may.bank:
                raise IllegalEvent(f"{state.to_act} cannot bank: {may.why_no_bank}; legal here: {may}")
            return _banked(state, state.seat)
        case TookOver():
            if may.take_over is None:
                raise IllegalEvent(f"there is no offer that {state.to_act} could take; legal here: {may}")
            offer = may.take_over
            turn = Turn(dice_left=offer.dice, stake=offer.points, stage=Stage.TAKEN)
            return replace(state, turn=turn, offer=None)
        case Entered(player, points):  # pragma: no branch - there is no other event
            if may.enter is None:
                raise IllegalEvent(f"a turn can be typed in only before its first throw; legal here: {may}")
            if player not in state.players:
                hint = suggestion(player, state.players)
                raise IllegalEvent(f"there is no player '{player}'; {hint}; legal here: {may}")
            if player != may.enter:
                raise IllegalEvent(f"it is the turn of {may.enter}, not of {player}; legal here: {may}")
            return _entered(state, state.seat, points)


def standings(state: State) -> tuple[tuple[str, int, int], ...]:
    """Return (name, total, rank), most points first; equals in seat order share a rank (1, 1, 3)."""
    order = sorted(range(len(state.players)), key=lambda seat: (-state.totals[seat], seat))
    return tuple(
        (state.players[seat], state.totals[seat], 1 + sum(t > state.totals[seat] for t in state.totals))
        for seat in order
    )


def _rolled(state: State, seat: int, faces: Faces, may: Legal) -> State:
    if may.roll is None:
        raise IllegalEvent(f"{state.to_act} cannot roll now; legal here: {may}")
    if not _are_faces(faces):
        raise MalformedEvent(f"a die shows a whole number from 1 to 6, got {list(faces)}; correct the dice")
    if len(faces) != may.roll:
        raise IllegalEvent(f"{_dice(may.roll)} must be rolled here, got {len(faces)}; legal here: {may}")
    turn = state.turn
    if _wins_at_once(state.rules, turn, faces):
        return _finished(state, (seat,))
    if score_table(state.rules).of(faces).bust:
        return _busted(state, seat, len(faces))
    turn = replace(
        turn,
        dice_left=len(faces),
        taken=turn.taken + turn.stake,
        stake=0,
        stage=Stage.ROLLED,
        roll=tuple(faces),
        aside=() if turn.hot else turn.aside,
        hot=False,
    )
    return replace(state, turn=turn, offer=None)


def _wins_at_once(rules: Rules, turn: Turn, faces: Faces) -> bool:
    if len(set(faces)) != 1 or len(faces) != rules.dice:
        return False
    if rules.instant_win == "five_first":
        return turn.stage is Stage.START
    return rules.instant_win == "six_of_a_kind"


def _set_aside(state: State, faces: Faces, may: Legal) -> State:
    turn, throw = state.turn, state.throw
    if throw is None:
        raise IllegalEvent(f"there is no throw from which to set dice aside; legal here: {may}")
    selection = throw.selection(faces) if _are_faces(faces) else None
    if selection is None:
        wanted = "all scoring dice" if state.rules.keep_all else "dice that all score"
        raise IllegalSelection(
            f"{_spaced(faces)} is no legal selection of the throw {_spaced(turn.roll)}, {wanted} are wanted; "
            f"legal here: {may}"
        )
    left = turn.dice_left - len(selection.dice)
    hot = left == 0
    turn = replace(
        turn,
        dice_left=state.rules.dice if hot and state.rules.hot_dice != "off" else left,
        made=turn.made + selection.points,
        stage=Stage.ASIDE,
        roll=(),
        aside=turn.aside + tuple(faces),
        hot=hot,
    )
    return replace(state, turn=turn)


class _BankKind(Enum):
    SCORES = "scores"
    UNOPENED = "below the opening"
    SHORT = "below the minimum of a bank"
    OVER = "past the target"


@dataclass(frozen=True, slots=True)
class _Bank:
    """What banking would do."""

    kind: _BankKind
    writes: int
    refusal: str
    """Why it is refused: half a sentence; empty when it is not."""


def _bank_of(state: State, seat: int) -> _Bank:
    rules, points = state.rules, state.turn.points
    kind, refusal = _BankKind.SCORES, ""
    if not state.is_open(seat):
        if points < rules.opening:
            kind = _BankKind.UNOPENED
            if rules.opening_below == "refuse":
                refusal = f"{points} points are below the opening of {rules.opening}"
    elif points < rules.min_bank:
        kind = _BankKind.SHORT
        refusal = f"{points} points are below the {rules.min_bank} that a bank needs"
    if state.turn.dice_left == 0:
        # Hot dice are off: the turn must be banked, so a bank that would be refused writes 0 instead.
        refusal = ""
    if state.must_roll:
        refusal = "hot dice must be rolled"
    if kind is _BankKind.SCORES and _overshoots(state, seat, points):
        kind = _BankKind.OVER
    writes = points if kind is _BankKind.SCORES and not refusal else 0
    return _Bank(kind, writes, refusal)


def _overshoots(state: State, seat: int, points: int) -> bool:
    """Whether this bank goes past an exact target.

    A player whom a gift has already brought to the target or past it cannot go past it any more: his own
    next bank crosses (fine point of `welfare`), so it counts.
    """
    if state.rules.overshoot == "allow" or state.phase is Phase.TIE_BREAK:
        return False
    return state.totals[seat] < state.rules.target < state.totals[seat] + points


def _banked(state: State, seat: int) -> State:
    bank = _bank_of(state, seat)
    turn = state.turn
    match bank.kind:
        case _BankKind.SCORES:
            left = turn.dice_left or state.rules.dice
            offer = Offer(turn.points, left, "piggyback") if state.rules.piggyback else None
            return _end_turn(state, seat, bank.writes, streak=0, opened=True, offer=offer, crosses=True)
        case _BankKind.OVER:
            if state.rules.overshoot == "welfare":
                state = _given(state, _last_of_the_others(state, seat), turn.points)
            return _end_turn(state, seat, 0, streak=state.streaks[seat])
        case _BankKind.UNOPENED if state.rules.count_unopened_zero:
            streak, written = _missed(state, seat)
            return _end_turn(state, seat, written, streak=streak, crosses=True)
        case _:
            return _end_turn(state, seat, 0, streak=0, crosses=True)


def _busted(state: State, seat: int, dice: int) -> State:
    # Only points made in this turn can go to the next player: what was taken over and lost again is gone.
    lost = state.turn.made
    offer = None
    if lost and state.phase is not Phase.TIE_BREAK:
        if state.rules.steal == "transfer":
            state = _given(state, (seat + 1) % len(state.players), lost)
        elif state.rules.steal == "roll":
            offer = Offer(lost, dice, "steal")
    streak, written = _missed(state, seat)
    return _end_turn(state, seat, written, streak=streak, offer=offer)


def _entered(state: State, seat: int, points: int) -> State:
    streak = 0 if points > 0 else state.streaks[seat]
    opens = points >= state.rules.opening
    return _end_turn(state, seat, points, streak=streak, opened=opens, crosses=points > 0)


def _missed(state: State, seat: int) -> tuple[int, int]:
    """Count one more turn of the row of busts; return the row's length and what is written for the turn."""
    rules, streak = state.rules, state.streaks[seat] + 1
    if not rules.bust_penalty or state.phase is Phase.TIE_BREAK or streak < rules.bust_streak:
        return streak, 0
    return 0, -rules.bust_penalty


def _end_turn(
    state: State,
    seat: int,
    written: int,
    *,
    streak: int,
    opened: bool = False,
    offer: Offer | None = None,
    crosses: bool = False,
) -> State:
    """Write the turn and pass on to whoever is next.

    `streak` is the new row of busts, `opened` whether the turn opens the player, `offer` what the next
    player may take over, `crosses` whether the turn may end the game.
    """
    each = len(state.players)
    total = state.totals[seat] + written
    changes: dict[str, Any] = {
        "totals": _with(state.totals, seat, total),
        "turns": _with(state.turns, seat, (*state.turns[seat], written)),
        "turn": Turn(dice_left=state.rules.dice),
        "streaks": _with(state.streaks, seat, streak),
        "opened": _with(state.opened, seat, opened or state.opened[seat]),
        "offer": None if state.phase is Phase.TIE_BREAK else offer,
    }
    if state.phase is Phase.TURN:
        if not (crosses and total >= state.rules.target):
            return replace(state, seat=(seat + 1) % each, **changes)
        if not state.rules.final_round:
            return _finished(replace(state, **changes), (seat,))
        changes["phase"] = Phase.FINAL_ROUND
        changes["waiting"] = _seats_after(seat, each)[:-1]
    waiting = changes.pop("waiting", state.waiting)
    if waiting:
        return replace(state, seat=waiting[0], waiting=waiting[1:], **changes)
    return _decided(replace(state, waiting=(), **{**changes, "offer": None}), seat)


def _decided(state: State, last: int) -> State:
    """End the last round or a round of the tie break: one leader wins, several share or go on."""
    contenders = state.tied or tuple(range(len(state.players)))
    most = max(state.totals[seat] for seat in contenders)
    leaders = tuple(seat for seat in contenders if state.totals[seat] == most)
    if len(leaders) == 1 or state.rules.ties == "share":
        return _finished(state, leaders)
    order = tuple(seat for seat in _seats_after(last, len(state.players)) if seat in leaders)
    return replace(state, phase=Phase.TIE_BREAK, tied=leaders, seat=order[0], waiting=order[1:])


def _finished(state: State, winners: tuple[int, ...]) -> State:
    return replace(
        state,
        seat=None,
        turn=Turn(dice_left=state.rules.dice),
        phase=Phase.FINISHED,
        offer=None,
        waiting=(),
        winners=winners,
    )


def _seats_after(seat: int, each: int) -> tuple[int, ...]:
    """Return all seats in seat order, the one after `seat` first and `seat` itself last."""
    return tuple((seat + step) % each for step in range(1, each + 1))


def _last_of_the_others(state: State, seat: int) -> int:
    others = _seats_after(seat, len(state.players))[:-1]
    return min(others, key=lambda other: state.totals[other])  # min keeps the first of equals


def _given(state: State, seat: int, points: int) -> State:
    return replace(state, totals=_with(state.totals, seat, state.totals[seat] + points))


def _with(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _are_faces(faces: Sequence[object]) -> bool:
    return all(isinstance(face, int) and not isinstance(face, bool) and 1 <= face <= 6 for face in faces)


def _spaced(faces: Sequence[int]) -> str:
    return " ".join(map(str, faces))


def _dice(number: int) -> str:
    return "one die" if number == 1 else f"{number} dice"
