"""Repairing a game that was played: undo, corrections anywhere, other players, other rules.

A `Ledger` is what happened: the turns in the order in which they were played, each with its player and its
events. Repairs change the ledger and never throw anything away; `recount` works out from it where the game
stands. The engine says who is to act, and gets that player's next recorded turn. What has become illegal is
not counted but listed: an illegal event ends what is counted of its turn, and a turn that cannot be ended
any more as it was played is written as 0 until somebody repairs it. Changing back gives the old game again.

>>> ledger = record(preset("ten-thousand"), ("Anna", "Ben"), [
...     Rolled((5, 5, 5, 2, 3, 4)), SetAside((5, 5, 5)), Banked(), Entered("Ben", 600)])
>>> recount(ledger).state.totals, recount(with_settings(ledger, opening=700)).state.totals
((500, 600), (0, 600))
>>> print(recount(with_settings(ledger, opening=700)).problems[0])
turn 1 of Anna: 'banked' is not legal any more, Anna cannot bank: 500 points are below the opening of 700; \
legal here: roll 3 dice
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scorer.errors import BadPlayers, IllegalEvent, NothingThere, shown
from scorer.events import Entered, Event, Rolled, SetAside
from scorer.farkle import Banked, Stage, State, apply, legal, preset, start
from scorer.notation import event_text
from scorer.rules import Rules
from scorer.scoring import check_faces

__all__ = [
    "Banked",
    "Entered",
    "Ledger",
    "Problem",
    "RecordedTurn",
    "Recount",
    "Rolled",
    "SetAside",
    "play",
    "preset",
    "record",
    "recount",
    "renamed",
    "with_faces",
    "with_player",
    "with_players_in_order",
    "with_rules",
    "with_settings",
    "with_turn",
    "with_turn_inserted",
    "without_turn",
]


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn as it was played."""

    player: str
    """Whose turn it was."""
    events: tuple[Event, ...]
    """What happened in it; at least one event."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """A game as it was played."""

    rules: Rules
    """The rules under which it counts."""
    players: tuple[str, ...]
    """Names in seat order."""
    turns: tuple[RecordedTurn, ...] = ()
    """The turns in the order in which they were recorded; the one in progress may have no end."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something recorded that does not count."""

    turn: int
    """Index of the turn in the ledger, counted from 0."""
    event: int | None
    """Index of the event in its turn; None when it is about the turn as a whole."""
    why: str
    """The whole sentence."""

    def __str__(self) -> str:
        """Return the sentence."""
        return self.why


@dataclass(frozen=True, slots=True)
class Recount:
    """Where a ledger's game stands."""

    state: State
    """The state after everything that counts."""
    events: tuple[Event, ...]
    """What counts, in order: the fold of these events is `state`. A turn written as 0 is an entry of 0."""
    problems: tuple[Problem, ...]
    """What does not count, in the order of the recount."""
    voided: tuple[int, ...]
    """Turns that are written as 0 because they cannot be ended as they were played."""
    waiting: tuple[int, ...]
    """Turns that count as soon as the player to act, who comes before them, has had his."""
    open: tuple[int, int] | None
    """The turn in progress, and how many of its events count; None between turns."""


def record(rules: Rules, players: Sequence[str], events: Iterable[Event]) -> Ledger:
    """Return the ledger of a legal game.

    Raises:
        BadPlayers: see `scorer.farkle.start`.
        IllegalEvent: with the index of the first event that is not legal.
    """
    state = start(rules, players)
    turns: list[tuple[str, list[Event]]] = []
    for index, event in enumerate(events):
        player, begins = state.to_act, state.turn.stage is Stage.START
        try:
            state = apply(state, event)
        except IllegalEvent as error:
            raise error.at(index) from error
        if begins and player is not None:
            turns.append((player, []))
        turns[-1][1].append(event)
    return Ledger(rules, state.players, tuple(RecordedTurn(name, tuple(played)) for name, played in turns))


def recount(ledger: Ledger) -> Recount:
    """Return where the game stands, and what of the ledger does not count.

    Raises:
        BadPlayers: see `scorer.farkle.start`.
    """
    return _Count(ledger).recount()


class _Count:
    """One recount in progress."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.state = start(ledger.rules, ledger.players)
        self.queues: dict[str, deque[int]] = {name: deque() for name in ledger.players}
        for index, turn in enumerate(ledger.turns):
            self.queues[turn.player].append(index)
        self.events: list[Event] = []
        self.problems: list[Problem] = []
        self.voided: list[int] = []
        self.open: tuple[int, int] | None = None

    def recount(self) -> Recount:
        while self.state.to_act is not None and self.open is None and self.queues[self.state.to_act]:
            index = self.queues[self.state.to_act].popleft()
            newest = index == len(self.ledger.turns) - 1
            self._count(index, may_stay_open=newest or not any(self.queues.values()))
        left = sorted(index for queue in self.queues.values() for index in queue)
        if self.state.finished:
            for index in left:
                self._problem(index, None, "does not count: the game was over before it")
        return Recount(
            state=self.state,
            events=tuple(self.events),
            problems=tuple(self.problems),
            voided=tuple(self.voided),
            waiting=() if self.state.finished else tuple(left),
            open=self.open,
        )

    def _count(self, index: int, *, may_stay_open: bool) -> None:
        """Count one turn of the player to act.

        `may_stay_open`: it may be the one in progress, being the newest or followed by no other.
        """
        turn, before = self.ledger.turns[index], self.state
        counted = 0
        for event in turn.events:
            if _has_ended(before, self.state):
                break
            try:
                self.state = apply(self.state, event)
            except IllegalEvent as error:
                self._problem(index, counted, f"is not legal any more, {error.message}")
                break
            counted += 1
        ended = _has_ended(before, self.state)
        rest = counted if ended else counted + 1
        for place in range(rest, len(turn.events)):
            why = "the turn was over before it" if ended else "what came before it in the turn does not count"
            self._problem(index, place, f"does not count: {why}")
        if ended or may_stay_open:
            self.events += turn.events[:counted]
            self.open = None if ended else (index, counted)
        else:
            if counted == len(turn.events):
                self._problem(index, None, f"has no end any more; legal after it: {legal(self.state)}")
            void = Entered(turn.player, 0)
            self.state = apply(before, void)
            self.events.append(void)
            self.voided.append(index)

    def _problem(self, index: int, event: int | None, why: str) -> None:
        turn = self.ledger.turns[index]
        number = 1 + sum(each.player == turn.player for each in self.ledger.turns[:index])
        what = f"turn {number} of {turn.player}"
        words = "" if event is None else f": {_words(turn.events[event])}"
        self.problems.append(Problem(index, event, f"{what}{words} {why}"))


def _has_ended(before: State, after: State) -> bool:
    """Whether the turn that was to be played in `before` has ended."""
    return after.finished or after.turns != before.turns


def _words(event: Event) -> str:
    return f"'{event_text(event)}'"


def play(ledger: Ledger, event: Event) -> Ledger:
    """Return the ledger with one more event, where its game stands.

    Raises:
        IllegalEvent: the event is not legal there.
    """
    stands = recount(ledger)
    player = stands.state.to_act
    apply(stands.state, event)
    if stands.open is not None:
        # Before what is recorded there and does not count: it may count again after this event.
        index, counted = stands.open
        events = ledger.turns[index].events
        return with_turn(ledger, index, (*events[:counted], event, *events[counted:]))
    turn = RecordedTurn(str(player), (event,))
    return replace(ledger, turns=(*ledger.turns, turn))


def with_rules(ledger: Ledger, rules: Rules) -> Ledger:
    """Return the same turns under other rules, for example those of another preset."""
    return replace(ledger, rules=rules)


def with_settings(ledger: Ledger, **settings: object) -> Ledger:
    """Return the same turns with some settings changed.

    Raises:
        UnknownSetting: with the nearest name.
        BadSetting: a value that the setting cannot have.
    """
    return with_rules(ledger, ledger.rules.replace(**settings))


def with_turn(ledger: Ledger, turn: int, events: Sequence[Event]) -> Ledger:
    """Return the ledger with other events in one turn; its player stays.

    Raises:
        NothingThere: no such turn, or no events.
    """
    old = _turn(ledger, turn)
    if not events:
        raise NothingThere("a turn has at least one event, got none; take the turn out instead")
    return _put(ledger, turn, turn + 1, RecordedTurn(old.player, tuple(events)))


def with_faces(
    ledger: Ledger, turn: int, event: int, faces: Sequence[int], *, aside: Sequence[int] | None = None
) -> Ledger:
    """Return the ledger with other faces in one throw or set-aside.

    Args:
        ledger: the game.
        turn: index of the turn in the ledger, counted from 0.
        event: index of the event in the turn.
        faces: what the dice showed.
        aside: what was set aside of that throw, where that was read wrongly too.

    Raises:
        NothingThere: no such turn or event, or an event without dice.
        BadDice: faces that no throw can show.
    """
    events = list(_turn(ledger, turn).events)
    old = events[event] if 0 <= event < len(events) else None
    if not isinstance(old, (Rolled, SetAside)):
        raise NothingThere(f"there are no dice at event {event} of turn {turn}; name a throw or a set-aside")
    events[event] = type(old)(check_faces(faces))
    if aside is not None:
        following = events[event + 1] if event + 1 < len(events) else None
        if not isinstance(old, Rolled) or not isinstance(following, SetAside):
            raise NothingThere(f"nothing was set aside after event {event} of turn {turn}; leave it out")
        events[event + 1] = SetAside(check_faces(aside))
    return with_turn(ledger, turn, events)


def without_turn(ledger: Ledger, turn: int, *, shift: bool = False) -> Ledger:
    """Return the ledger without a turn.

    `shift` says what the turns after it were: False, they are turns of those for whom they were recorded;
    True, each was credited one player too late, and passes to the player before.

    Raises:
        NothingThere: no such turn.
    """
    _turn(ledger, turn)
    if not shift:
        return _put(ledger, turn, turn + 1)
    owners = [each.player for each in ledger.turns[turn:]]
    return _put(ledger, turn, len(ledger.turns), *map(_given_to, ledger.turns[turn + 1 :], owners))


def with_turn_inserted(
    ledger: Ledger, turn: int, events: Sequence[Event], *, player: str | None = None
) -> Ledger:
    """Return the ledger with a turn that was missed, before the turn of that index.

    With a `player` it is his, and the other turns stay with those for whom they were recorded. Without, it
    is that of whoever the turn of that index was recorded for, and every turn from there on was credited
    one player too early: each passes to the next player.

    Raises:
        NothingThere: no such place, or no events.
        BadPlayers: nobody has that name.
    """
    if not 0 <= turn <= len(ledger.turns):
        raise NothingThere(f"turns 0 to {len(ledger.turns)} can be inserted, got {turn}; name another place")
    if not events:
        raise NothingThere("a turn has at least one event, got none; give what was played")
    if player is not None:
        _seat(ledger, player)
        return _put(ledger, turn, turn, RecordedTurn(player, tuple(events)))
    owners = [each.player for each in ledger.turns]
    owners.append(_next(ledger, owners[-1]) if owners else ledger.players[0])
    turns = [RecordedTurn("", tuple(events)), *ledger.turns[turn:]]
    return _put(ledger, turn, len(ledger.turns), *map(_given_to, turns, owners[turn:]))


def with_player(ledger: Ledger, name: str, *, seat: int | None = None) -> Ledger:
    """Return the ledger with a player who joins late, in the last seat or before the player in `seat`.

    The rounds that he missed are entered for him as turns of 0.

    Raises:
        BadPlayers: the name is taken or empty, or there is no such seat.
    """
    place = len(ledger.players) if seat is None else seat
    if not 0 <= place <= len(ledger.players):
        raise BadPlayers(f"seats 0 to {len(ledger.players)} can be taken, got {shown(seat)}; name another")
    players = (*ledger.players[:place], name, *ledger.players[place:])
    start(ledger.rules, players)
    behind = ledger.players[place % len(ledger.players)]
    turns: list[RecordedTurn] = []
    begun = 0
    for turn in ledger.turns:
        if turn.player == behind:
            begun += 1
            # Whoever sits behind him had a turn: he has had his before it. In the last seat the one behind
            # him is the first of the next round.
            if place < len(ledger.players) or begun > 1:
                turns.append(RecordedTurn(name, (Entered(name, 0),)))
        turns.append(turn)
    return replace(ledger, players=players, turns=tuple(turns))


def with_players_in_order(ledger: Ledger, players: Sequence[str]) -> Ledger:
    """Return the ledger with the same players in other seats; everybody keeps his turns.

    Raises:
        BadPlayers: these are not the same players.
    """
    if sorted(players) != sorted(ledger.players):
        known = ", ".join(ledger.players)
        raise BadPlayers(
            f"the players are {known}, got {', '.join(map(str, players))}; name each of them once"
        )
    return replace(ledger, players=tuple(players))


def renamed(ledger: Ledger, old: str, new: str) -> Ledger:
    """Return the ledger with another name for a player.

    Raises:
        BadPlayers: nobody has the old name, or the new one is taken or empty.
    """
    seat = _seat(ledger, old)
    players = (*ledger.players[:seat], new, *ledger.players[seat + 1 :])
    start(ledger.rules, players)
    turns = (_given_to(turn, new) if turn.player == old else turn for turn in ledger.turns)
    return replace(ledger, players=players, turns=tuple(turns))


def _given_to(turn: RecordedTurn, player: str) -> RecordedTurn:
    events = (Entered(player, e.points) if isinstance(e, Entered) else e for e in turn.events)
    return RecordedTurn(player, tuple(events))


def _put(ledger: Ledger, first: int, after: int, *turns: RecordedTurn) -> Ledger:
    return replace(ledger, turns=(*ledger.turns[:first], *turns, *ledger.turns[after:]))


def _turn(ledger: Ledger, turn: int) -> RecordedTurn:
    if not 0 <= turn < len(ledger.turns):
        raise NothingThere(f"there is no turn {turn}, the game has {len(ledger.turns)}; count from 0")
    return ledger.turns[turn]


def _seat(ledger: Ledger, player: str) -> int:
    if player not in ledger.players:
        raise BadPlayers(f"{shown(player)} does not play; players are {', '.join(ledger.players)}")
    return ledger.players.index(player)


def _next(ledger: Ledger, player: str) -> str:
    return ledger.players[(_seat(ledger, player) + 1) % len(ledger.players)]
