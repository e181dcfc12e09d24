"""What one view of the table means for the game: a throw, nothing, or something to ask about.

Pure and without memory: `judge` is given the game so far, the dice that still lie as they lay at the last
committed throw, and the view. First version of the table: one shared roll zone, no tray needed. Dice that
stay where they were while the others are thrown are the set-aside of the throw before; all dice thrown again
are hot dice where all of them score, and else the turn of the next player.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from scorer.errors import IllegalEvent
from scorer.farkle import Banked, Event, Rolled, SetAside, Stage, State, TookOver, apply, legal
from scorer.lane import LaneDie, LaneView, Seating

Faces = Mapping[int, int]
"""id of a die -> its face."""


@dataclass(frozen=True, slots=True)
class Table:
    """The dice that still show the last committed throw, where they lie now."""

    faces: Faces = field(default_factory=dict)
    """Their faces."""
    kept: frozenset[int] = frozenset()
    """Those that were not thrown in it: they are set aside."""
    idle: frozenset[int] = frozenset()
    """Those that have no part in the turn, because it took over fewer than all dice."""
    slid: Faces = field(default_factory=dict)
    """Dice found elsewhere with the same faces while others were in the hand: pushed aside, or thrown."""

    places: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    """Where dice lie, in sizes of a die, as far as it is known."""

    def lying_in(self, view: LaneView) -> Table:
        """Return what is left of the table in `view`: the dice that have not moved."""
        still = {die.id for die in view.dice if not die.moved}
        return Table(
            {ident: face for ident, face in self.faces.items() if ident in still},
            self.kept & still,
            self.idle & still,
            {ident: face for ident, face in self.slid.items() if ident in still},
            {ident: place for ident, place in self.places.items() if ident in still},
        )


_PUSHED_ONE = 1.5
"""A single die that shows the same face so few sizes from where it lay may only have been pushed."""
_PUT_BACK = 0.5
"""A die that was seen to be gone was thrown, unless it lies again so near to where it lay."""
_PUSHED_MORE = 3.0
"""The same for several dice at once, which are thrown to the same faces more rarely."""
_MOST_PLAYS = 9
"""So many versions can be told apart by one digit key."""


class Doubt(Enum):
    """Why the table must be asked. `unsure`: a die has no certain face. `paused`: something contradicts."""

    UNREAD = "a die cannot be read"
    COCKED = "a die leans"
    TOO_FEW = "dice are missing"
    TOO_MANY = "there are more dice than the game has"
    CHANGED_FACE = "a die that was not thrown shows another face"
    KEPT_MOVED = "dice that were set aside have been thrown again"
    NOTHING_KEPT = "no scoring die was set aside"
    NOT_SCORING = "dice were set aside that do not score"
    NOT_ALL_THROWN = "a new turn was begun without all dice"
    BELOW_MINIMUM = "the dice were passed on, but the turn may not be banked yet"
    SLID_OR_THROWN = "dice were pushed aside or thrown"
    TAKE_OVER = "the offer is taken over or declined"
    PUSHED_OR_THROWN = "dice were pushed or thrown"
    OUT_OF_TURN = "dice were thrown in the lane of somebody who is not to act"
    NOT_BANKED = "the dice were passed on without a bank"
    HOT_OR_PASSED = "hot dice were thrown again or passed on"
    LOST_TRACK = "the table was out of sight and has changed"

    @property
    def unsure(self) -> bool:
        """Whether a die has no certain face (else: the versions of table and game contradict)."""
        return self in (Doubt.UNREAD, Doubt.COCKED)


@dataclass(frozen=True, slots=True)
class Quiet:
    """Nothing that counts happened: dice were picked up, nudged or straightened."""

    table: Table
    """The dice that show the last committed throw, where they lie now."""
    remark: str = ""
    """What is wrong with the dice in the tray so far: one sentence; nobody needs to answer it."""


@dataclass(frozen=True, slots=True)
class Play:
    """Something that counts happened."""

    events: tuple[Event, ...]
    """The events, in order; empty only in an answer that says that nothing was thrown."""
    table: Table
    """All dice of the view."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Table and game do not fit, or a die has no certain face."""

    doubt: Doubt
    """What is wrong."""
    seen: str
    """The version of the table."""
    expected: str
    """The version of the game."""
    dice: tuple[int, ...] = ()
    """Ids of the dice in question."""
    plays: tuple[tuple[str, Play], ...] = ()
    """The versions to choose from, each with its name, where there are several complete ones."""


Verdict = Quiet | Play | Ask
_SHARED = Seating()


def judge(game: State, table: Table, view: LaneView, seating: Seating = _SHARED) -> Verdict:
    """Say what `view` means, after the game so far and with the dice that have lain still since."""
    seat = seating.seat_of(view.lane)
    if seating.lanes and view.lane is not None and seat != game.seat and game.seat is not None:
        return _in_other_lane(game, table, view, seating)
    slid = table.lying_in(view).slid
    thrown = _judge(game, table, view, seating)
    if not slid:
        return thrown
    pushed = _judge(game, replace(table, faces={**table.faces, **slid}), view, seating)
    if isinstance(pushed, Play) and isinstance(thrown, Play) and pushed.events != thrown.events:
        return Ask(
            Doubt.SLID_OR_THROWN,
            seen=f"{_count(len(slid))} lay elsewhere before the others were thrown",
            expected="dice that are set aside stay where they lie",
            dice=tuple(slid),
            plays=(("they were set aside", pushed), ("they were thrown with the others", thrown)),
        )
    return thrown if isinstance(thrown, Play) else pushed


def _in_other_lane(game: State, table: Table, view: LaneView, seating: Seating) -> Verdict:
    """Judge a view of a lane that is not that of the player to act."""
    here = {die.id: die.face for die in view.dice if die.face is not None}
    still = all(not die.moved for die in view.dice)
    known = bool(here) and Counter(here.values()) == _multiset(table.faces)
    if still or (known and len(here) == len(view.dice)):
        # The dice of the last throw, of a turn that is over: they may be pushed about.
        return Quiet(replace(table, faces=dict(here), places=_places(view)) if known else table)
    seat = seating.seat_of(view.lane)
    player = None if seat is None else game.players[seat]
    fresh = view.with_dice(replace(die, moved=True, zone="roll") for die in view.dice)
    plays: list[tuple[str, Play]] = []
    if game.turn.stage in (Stage.ROLLED, Stage.ASIDE):
        odd = _odd_dice(game, fresh, list(fresh.dice), wanted=game.rules.dice)
        if odd is not None:
            return odd
        passed = _passed_to(game, seat, fresh)
        if isinstance(passed, Play) and seating.by_lane:
            return passed
        if isinstance(passed, Ask) and passed.doubt is Doubt.BELOW_MINIMUM:
            return passed
        if isinstance(passed, Play):
            plays.append((f"{game.to_act} has banked", passed))
    mine = _judge(game, table, view, seating)
    if isinstance(mine, Play):
        plays.append((f"it is {game.to_act}'s throw", mine))
    plays.append(("it does not count", Play((), table)))
    whose = f"in {player}'s lane" if player else f"in lane {view.lane}, where nobody plays"
    return Ask(
        Doubt.OUT_OF_TURN,
        seen=f"dice were thrown {whose}: {_spaced(here.values())}",
        expected=f"{game.to_act} is to act",
        dice=tuple(die.id for die in view.dice if die.moved),
        plays=tuple(plays),
    )


def _passed_to(game: State, seat: int | None, view: LaneView) -> Verdict | None:
    """Bank the turn and judge the view as the next player's first throw; None when it is somebody else's."""
    banked = bank_best(game)
    if banked is None:
        return _below_minimum(game, tuple(die.face or 0 for die in view.dice))
    after = game
    for event in banked:
        after = apply(after, event)
    if after.seat != seat or after.finished:
        return None
    first = _judge(after, Table(), view, _SHARED)
    return replace(first, events=(*banked, *first.events)) if isinstance(first, Play) else None


def judge_anew(
    game: State, view: LaneView, *, shown: Sequence[Counter[int]] = (), seating: Seating = _SHARED
) -> Verdict:
    """Say what the first view means after the table was out of sight, with all ids new.

    `shown` are the faces that lay there when it was last in sight (several ways to know them may differ). A
    table that shows them again is recognised: nothing was thrown. At the start of a turn any dice that are
    thrown are its first throw. In the middle of a turn nobody can know which dice stayed where they lay, so
    the table is asked which of the possible set-asides it was.
    """
    faces = {die.id: die.face for die in view.dice if die.face is not None}
    on_table = Counter(game.turn.aside) + Counter(game.turn.roll)
    if faces and Counter(faces.values()) in (on_table, *shown):
        return Quiet(Table(faces, _with_faces(faces, game.turn.aside), places=_places(view)))
    seat = seating.seat_of(view.lane)
    if (
        view.thrown
        and seating.lanes
        and view.lane is not None
        and seat != game.seat
        and game.seat is not None
    ):
        return _in_other_lane(game, Table(), view, seating)
    if game.turn.stage in (Stage.START, Stage.TAKEN):
        if view.thrown:
            return _judge(game, Table(), view)
        return _thrown_unseen(game, view, faces, shown)
    odd = _odd_dice(game, view, list(view.dice))
    if odd is not None:
        return odd
    plays = list(_possible(game, view))
    before = _spaced(sorted(on_table.elements()))
    return Ask(
        Doubt.LOST_TRACK,
        seen=f"the table shows {_spaced(faces.values())}",
        expected=f"it showed {before} when it was last in sight",
        plays=tuple(plays[:_MOST_PLAYS]),
    )


def _thrown_unseen(game: State, view: LaneView, faces: Faces, shown: Sequence[Counter[int]]) -> Verdict:
    """Judge dice at the start of a turn that came to lie there unseen: perhaps somebody has thrown them.

    Before the first throw of a game they are what the players have laid on the table.
    """
    lying = Table(faces, places=_places(view))
    if not shown or not view.dice:
        return Quiet(lying)
    odd = _odd_dice(game, view, list(view.dice))
    if odd is not None:
        return odd
    thrown = _judge(game, Table(), view.with_dice(replace(die, moved=True) for die in view.dice))
    if not isinstance(thrown, Play):
        return thrown
    return Ask(
        Doubt.LOST_TRACK,
        seen=f"the table shows {_spaced(faces.values())}",
        expected=f"{game.to_act} has not thrown as far as was seen",
        plays=((f"{game.to_act} has thrown them", thrown), ("nobody has thrown them", Play((), lying))),
    )


def _with_faces(dice: Faces, wanted: Iterable[int]) -> frozenset[int]:
    """Return the ids of dice with the wanted faces; of equal dice the first."""
    left = Counter(wanted)
    found = set()
    for ident, face in dice.items():
        if left[face]:
            left[face] -= 1
            found.add(ident)
    return frozenset(found)


def _possible(game: State, view: LaneView) -> Iterator[tuple[str, Play]]:
    """Return every legal way in which the game can have come to a table whose dice have new ids."""
    seen: set[tuple[int, ...]] = set()
    for selection in legal(game).selections:
        wanted = (*game.turn.aside, *selection.dice)
        faces = {die.id: die.face for die in view.dice if die.face is not None}
        stayed = _with_faces(faces, wanted)
        if len(stayed) < len(wanted) or selection.dice in seen:
            continue
        seen.add(selection.dice)
        lying = Table({ident: face for ident, face in faces.items() if ident in stayed})
        known = view.with_dice(replace(die, moved=die.id not in stayed) for die in view.dice)
        verdict = _judge(game, lying, known)
        if isinstance(verdict, Play):
            yield f"{_spaced(selection.dice)} set aside, the others thrown", verdict
    verdict = _judge(game, Table(), view.with_dice(replace(die, moved=True) for die in view.dice))
    if isinstance(verdict, Play):
        yield "all dice were thrown", verdict


def _judge(game: State, table: Table, view: LaneView, seating: Seating = _SHARED) -> Verdict:
    """Judge a view of the lane of the player to act."""
    found = _judged(game, table, view, seating)
    rolled_in = [die for die in view.dice if die.zone == "tray" and die.moved]
    if not isinstance(found, Ask) or not rolled_in:
        return found
    # Dice in the tray that cannot have been set aside may have been thrown there.
    thrown = view.with_dice(replace(die, zone="roll") if die in rolled_in else die for die in view.dice)
    other = _judged(game, table, thrown, seating)
    return other if isinstance(other, Play) and other.events else found


def _judged(game: State, table: Table, view: LaneView, seating: Seating) -> Verdict:
    # Before the first throw nothing can be set aside: a die that comes to lie in the tray was thrown there.
    tray = game.turn.stage in (Stage.ROLLED, Stage.ASIDE) and not (game.turn.hot and not game.turn.aside)
    resting = [
        die for die in view.dice if (tray and die.zone == "tray") or (not die.moved and die.id in table.faces)
    ]
    resting_ids = frozenset(die.id for die in resting)
    thrown = [die for die in view.dice if die.id not in resting_ids]
    changed = [die for die in resting if _contradicts(die, table.faces)]
    if changed:
        return _changed_face(view, changed[0], table.faces)
    lying = {die.id: face for die in resting if (face := table.faces.get(die.id, die.face)) is not None}
    idle = table.idle & resting_ids
    if game.finished or not thrown:
        remark = "" if game.finished else _tray_remark(game, table, view, lying)
        return Quiet(Table(lying, table.kept & resting_ids, idle, places=_places(view)), remark)
    odd = _odd_dice(game, view, [*thrown, *(die for die in resting if die.id not in lying)])
    if odd is not None:
        return odd
    faces = {die.id: die.face or 0 for die in thrown}
    everything = lying | faces
    kept = {ident: face for ident, face in lying.items() if ident not in idle}
    full = Table(everything, frozenset(kept), idle, places=_places(view))
    found = _throw(game, kept, faces, full, seating)
    if isinstance(found, Ask) and _multiset(everything) == _shown(game, table):
        # The same faces as before and no throw that the game could have: the dice were straightened.
        return Quiet(_straightened(game, everything, idle, view))
    if not isinstance(found, Play):
        return found
    if any(isinstance(event, TookOver) for event in found.events):
        found = replace(found, table=replace(found.table, kept=frozenset(), idle=frozenset(kept)))
    gone = replace(table, places={i: p for i, p in table.places.items() if i not in resting_ids})
    if _may_be_pushed(gone, thrown, view.lifted):
        pushed = Play((), _straightened(game, everything, idle, view))
        return Ask(
            Doubt.PUSHED_OR_THROWN,
            seen=f"{_where(view, thrown)} {_shows(len(thrown))} the same again beside the old place",
            expected="dice that are pushed are no throw",
            dice=tuple(die.id for die in thrown),
            plays=(("thrown", found), ("only pushed", pushed)),
        )
    return found


def _straightened(game: State, dice: Faces, idle: frozenset[int], view: LaneView) -> Table:
    """Return the table after dice were pushed: the same faces, and as many of them set aside as before."""
    in_turn = {ident: face for ident, face in dice.items() if ident not in idle}
    return Table(dice, _with_faces(in_turn, game.turn.aside), idle, places=_places(view))


def _tray_remark(game: State, table: Table, view: LaneView, lying: Faces) -> str:
    """Say which dice in the tray can be part of no selection of the throw, or nothing."""
    tray = [die for die in view.dice if die.zone == "tray" and die.id in lying]
    if game.turn.stage is not Stage.ROLLED or not tray:
        return ""
    left = Counter(lying[die.id] for die in tray) - Counter(game.turn.aside)
    if not left or any(not left - Counter(each.dice) for each in legal(game).selections):
        return ""
    selections = [Counter(each.dice) for each in legal(game).selections]
    scoring = max(selections, key=Counter.total, default=Counter())
    odd = sorted((left - scoring).elements()) or sorted(left.elements())
    named = f"this {odd[0]} does" if len(odd) == 1 else f"{_spaced(odd)} do"
    return f"In the tray: {named} not score in {_spaced(game.turn.roll)}."


def _may_be_pushed(table: Table, thrown: list[LaneDie], lifted: frozenset[int] = frozenset()) -> bool:
    """Whether each of these dice lies near where a die of the same face lay that is gone from there.

    A die of `lifted` was seen to be taken up: it counts only when it lies again where it lay.
    """
    limit = _PUSHED_ONE if len(thrown) == 1 else _PUSHED_MORE
    here = {die.id for die in thrown}
    old = {ident: place for ident, place in table.places.items() if ident not in here}
    for die in thrown:
        near = [
            (math.dist(die.at, place), ident)
            for ident, place in old.items()
            if die.at is not None and table.faces.get(ident) == die.face
        ]
        near = [each for each in near if each[0] <= (_PUT_BACK if each[1] in lifted else limit)]
        if not near:
            return False
        del old[min(near)[1]]
    return True


def _places(view: LaneView) -> dict[int, tuple[float, float]]:
    return {die.id: die.at for die in view.dice if die.at is not None}


def _contradicts(die: LaneDie, untouched: Faces) -> bool:
    """Whether a die that was not thrown surely shows another face than before (an unsure look does not)."""
    before = untouched.get(die.id)
    return before is not None and die.face is not None and die.face != before


def _changed_face(view: LaneView, die: LaneDie, untouched: Faces) -> Ask:
    place = view.dice.index(die) + 1
    return Ask(
        Doubt.CHANGED_FACE,
        seen=f"die {place} shows {die.face}",
        expected=f"it showed {untouched[die.id]} and was not thrown",
        dice=(die.id,),
    )


def _odd_dice(game: State, view: LaneView, thrown: list[LaneDie], *, wanted: int | None = None) -> Ask | None:
    """Ask about a wrong number of dice (`wanted`: what must lie there) or a die without a certain face."""
    least = _dice_in_turn(game) if wanted is None else wanted
    wanted = game.rules.dice
    if len(view.dice) > wanted:
        return Ask(
            Doubt.TOO_MANY,
            seen=f"{len(view.dice)} dice lie on the table",
            expected=f"the game has {wanted}",
            dice=tuple(die.id for die in thrown),
        )
    blank = [die for die in thrown if die.face is None]
    cocked = [die for die in blank if die.cocked]
    if cocked:
        places = _where(view, cocked)
        return Ask(
            Doubt.COCKED,
            seen=f"{places} lean{'s' if len(cocked) == 1 else ''}",
            expected="a die counts only when it lies flat",
            dice=tuple(die.id for die in cocked),
        )
    if blank:
        return Ask(
            Doubt.UNREAD,
            seen=f"{_where(view, blank)} cannot be read",
            expected="every die needs a certain face",
            dice=tuple(die.id for die in blank),
        )
    if len(view.dice) < least:
        return Ask(
            Doubt.TOO_FEW,
            seen=f"only {_count(len(view.dice))} {'lies' if len(view.dice) == 1 else 'lie'} on the table",
            expected=f"the game has {wanted}",
        )
    return None


def _dice_in_turn(game: State) -> int:
    """Return how many dice must lie on the table: fewer than all only where a turn took over fewer."""
    turn = game.turn
    match turn.stage:
        case Stage.START:
            return game.rules.dice if game.offer is None else game.offer.dice
        case Stage.TAKEN:
            return turn.dice_left
        case _:
            return game.rules.dice if turn.hot else len(turn.aside) + len(turn.roll) or game.rules.dice


def _throw(game: State, kept: Faces, thrown: Faces, everything: Table, seating: Seating) -> Verdict:
    """Judge a complete, readable table on which at least one die was thrown."""
    faces = tuple(thrown.values())
    match game.turn.stage:
        case Stage.START | Stage.TAKEN:
            return _first_throw(game, kept, faces, everything)
        case Stage.ROLLED:
            if not kept:
                return _all_thrown(game, faces, everything, seating)
            return _rest_thrown(game, kept, faces, everything)
        case Stage.ASIDE:  # pragma: no branch - there is no other stage
            return _after_set_aside(game, kept, faces, everything, seating)


def _first_throw(game: State, kept: Faces, faces: tuple[int, ...], everything: Table) -> Play | Ask:
    offer = game.offer
    takes = () if offer is None else (TookOver(), Rolled(faces))
    declines = (Rolled(faces),)
    may_take = bool(takes) and _fits(game, takes)
    may_decline = _fits(game, declines)
    if may_take and may_decline and offer is not None:
        return Ask(
            Doubt.TAKE_OVER,
            seen="all dice were thrown",
            expected=f"{offer.points} points may be taken over with as many dice",
            plays=(
                ("the points are taken over", Play(takes, everything)),
                ("they are declined", Play(declines, everything)),
            ),
        )
    if may_take or may_decline:
        return Play(takes if may_take else declines, everything)
    wanted = legal(game).roll or game.rules.dice
    return Ask(
        Doubt.NOT_ALL_THROWN,
        seen=f"{_count(len(faces))} thrown, {_count(len(kept))} left lying",
        expected=f"{game.to_act} begins a turn by throwing {wanted}",
        dice=tuple(kept),
    )


def _all_thrown(game: State, faces: tuple[int, ...], everything: Table, seating: Seating) -> Verdict:
    """All dice were thrown again: hot dice where all of the last throw score, else the next turn."""
    hot = (SetAside(game.turn.roll), Rolled(faces))
    if not _fits(game, hot):
        return _passed_here(game, faces, everything, seating)
    play = Play(hot, everything)
    passed = _passed_on(game, faces, everything)
    if seating.lanes or seating.sure_hot or not isinstance(passed, Play):
        return play
    return Ask(
        Doubt.HOT_OR_PASSED,
        seen=f"all {len(faces)} dice were thrown",
        expected=f"all of {_spaced(game.turn.roll)} score: {game.to_act} may throw on or bank",
        plays=(("hot dice", play), (f"{game.to_act} has banked", passed)),
    )


def _passed_here(game: State, faces: tuple[int, ...], everything: Table, seating: Seating) -> Verdict:
    """All dice were thrown in the same zone: the next player's throw, where that banks a turn."""
    if seating.lanes:
        return Ask(
            Doubt.NOTHING_KEPT,
            seen=f"{_count(len(faces))} thrown again: {_spaced(faces)}",
            expected=f"{game.to_act} had {_spaced(game.turn.roll)} and must set a scoring die aside first",
        )
    passed = _passed_on(game, faces, everything)
    if seating.by_passing or not isinstance(passed, Play):
        return passed
    return Ask(
        Doubt.NOT_BANKED,
        seen=f"all {len(faces)} dice were thrown",
        expected=f"{game.to_act} has not banked",
        plays=((f"{game.to_act} has banked", passed),),
    )


def _after_set_aside(
    game: State, kept: Faces, faces: tuple[int, ...], everything: Table, seating: Seating
) -> Verdict:
    """The selection was given by hand: its dice stay, and the others are thrown or the dice passed on."""
    all_again = game.turn.hot and legal(game).roll == len(faces)
    if not kept and not all_again:
        return _passed_here(game, faces, everything, seating)
    on = (Rolled(faces),)
    if (all_again or _multiset(kept) == Counter(game.turn.aside)) and _fits(game, on):
        return Play(on, everything)
    return _wrong_dice_kept(game, kept)


def _rest_thrown(game: State, kept: Faces, faces: tuple[int, ...], everything: Table) -> Verdict:
    """Some dice stayed where they lay and the others were thrown: the former are set aside."""
    aside = Counter(game.turn.aside)
    lying = _multiset(kept)
    if aside - lying:
        return _wrong_dice_kept(game, kept)
    new = tuple(sorted((lying - aside).elements()))
    if not new:
        return Ask(
            Doubt.NOTHING_KEPT,
            seen=f"{_count(len(faces))} thrown again: {_spaced(faces)}",
            expected=f"{game.to_act} had {_spaced(game.turn.roll)} and must set a scoring die aside first",
        )
    on = (SetAside(new), Rolled(faces))
    if _fits(game, on):
        return Play(on, everything)
    return Ask(
        Doubt.NOT_SCORING,
        seen=f"{_spaced(new)} stayed on the table",
        expected=f"{_spaced(new)} is no selection of {_spaced(game.turn.roll)} that scores",
        dice=tuple(kept),
    )


def _wrong_dice_kept(game: State, kept: Faces) -> Ask:
    return Ask(
        Doubt.KEPT_MOVED,
        seen=f"{_spaced(kept.values()) if kept else 'no die'} stayed on the table",
        expected=f"{_spaced(game.turn.aside)} {_is_are(len(game.turn.aside))} set aside and must stay",
        dice=tuple(kept),
    )


def _below_minimum(game: State, faces: tuple[int, ...]) -> Ask:
    selections = legal(game).selections
    total = game.turn.points + max((each.points for each in selections), default=0)
    reasons = [legal(apply(game, SetAside(each.dice))).why_no_bank for each in selections]
    return Ask(
        Doubt.BELOW_MINIMUM,
        seen=f"all {len(faces)} dice were thrown",
        expected=f"{game.to_act} has {total} and cannot bank: {(*reasons, legal(game).why_no_bank)[0]}",
    )


def bank_best(game: State) -> tuple[Event, ...] | None:
    """Return the events that bank the turn as it stands, the best bankable selection first.

    Players take the points they threw: of the throw that still waits, the dearest selection with which the
    rules let the turn be banked. None when no bank is legal.
    """
    if legal(game).bank:
        return (Banked(),)
    for selection in legal(game).selections:
        events = (SetAside(selection.dice), Banked())
        if _fits(game, events):
            return events
    return None


def _passed_on(game: State, faces: tuple[int, ...], everything: Table) -> Verdict:
    """The dice went on: the turn is banked and, unless that ends the game, the next player has thrown."""
    banked = bank_best(game)
    if banked is None:
        return _below_minimum(game, faces)
    after = game
    for event in banked:
        after = apply(after, event)
    if after.finished:
        return Play(banked, everything)
    first = _first_throw(after, {}, faces, everything)
    if isinstance(first, Play):
        return replace(first, events=(*banked, *first.events))
    plays = tuple((name, replace(play, events=(*banked, *play.events))) for name, play in first.plays)
    return replace(first, plays=plays)


def _fits(game: State, events: Iterable[Event]) -> bool:
    """Whether the rules allow these events one after the other."""
    try:
        for event in events:
            game = apply(game, event)
    except IllegalEvent:
        return False
    return True


def _shown(game: State, table: Table) -> Counter[int]:
    """Return the faces that lie on the table if nothing was thrown since the last event."""
    if game.turn.stage in (Stage.ROLLED, Stage.ASIDE) and not table.idle:
        return Counter(game.turn.aside) + Counter(game.turn.roll)
    return _multiset(table.faces)


def _multiset(dice: Faces) -> Counter[int]:
    return Counter(dice.values())


def _where(view: LaneView, dice: list[LaneDie]) -> str:
    numbers = [str(view.dice.index(die) + 1) for die in dice]
    return f"die {numbers[0]}" if len(numbers) == 1 else f"dice {', '.join(numbers)}"


def _spaced(faces: Iterable[int]) -> str:
    return " ".join(map(str, faces))


def _count(number: int) -> str:
    return "one die" if number == 1 else f"{number} dice"


def _shows(number: int) -> str:
    return "shows" if number == 1 else "show"


def _is_are(number: int) -> str:
    return "is" if number == 1 else "are"
