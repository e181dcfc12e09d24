"""Repairs: whatever is changed, everything after it is right, and nothing recorded is ever lost."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.errors import BadDice, BadPlayers, IllegalEvent, NothingThere, UnknownSetting
from scorer.events import Banked, Entered, Event, Rolled, SetAside, TookOver
from scorer.farkle import Phase, fold, start
from scorer.history import History
from scorer.repair import (
    Ledger,
    RecordedTurn,
    Recount,
    play,
    record,
    recount,
    renamed,
    with_faces,
    with_player,
    with_players_in_order,
    with_rules,
    with_settings,
    with_turn,
    with_turn_inserted,
    without_turn,
)
from scorer.rules import Rules, preset, preset_names
from tests.scorer.strategies import faces, table_rules
from tests.scorer.test_farkle_properties import PLAYERS, game

BUST = Rolled((2, 2, 3, 3, 4, 6))
TWO = ("Anna", "Ben")
THREE = ("Anna", "Ben", "Cara")


def bank(*ones: int) -> list[Event]:
    """A turn of 100 or 200 points."""
    rest = {1: (2, 3, 4, 4, 6), 2: (2, 3, 4, 6)}[len(ones)]
    return [Rolled((*ones, *rest)), SetAside(ones), Banked()]


def ledger_of(*turns: list[Event], players: tuple[str, ...] = TWO, name: str = "tiotusen-zilch") -> Ledger:
    return record(preset(name), players, [event for turn in turns for event in turn])


def why(stands: Recount) -> list[str]:
    return [str(problem) for problem in stands.problems]


def shares(ledger: Ledger, stands: Recount) -> None:
    """Every recorded event counts, is listed, waits, or belongs to a turn that is listed and written as 0."""
    counted = Counter(stands.events)
    for index, turn in enumerate(ledger.turns):
        listed = {problem.event for problem in stands.problems if problem.turn == index}
        if index in stands.voided:
            assert listed, "a turn is written as 0 and nobody is told"
            counted[Entered(turn.player, 0)] -= 1
        elif index not in stands.waiting and None not in listed:
            for place, event in enumerate(turn.events):
                if place not in listed:
                    counted[event] -= 1
    assert not any(counted.values())


def random_game(rules: Rules, seed: int, most: int = 80) -> list[Event]:
    return [event for _, event in game(rules, Random(seed), most)]


# What always holds


@settings(max_examples=30, deadline=None)
@given(table_rules(), st.integers(0, 2**32))
def test_a_recount_under_the_same_rules_changes_nothing(rules: Rules, seed: int) -> None:
    events = random_game(rules, seed)
    ledger = record(rules, PLAYERS, events)
    stands = recount(ledger)
    assert stands.state == fold(rules, PLAYERS, events)
    assert stands.events == tuple(events)
    assert (stands.problems, stands.voided, stands.waiting) == ((), (), ())
    assert [event for turn in ledger.turns for event in turn.events] == events


@settings(max_examples=30, deadline=None)
@given(table_rules(), table_rules(), st.integers(0, 2**32))
def test_other_rules_and_back_are_the_old_game(rules: Rules, other: Rules, seed: int) -> None:
    ledger = record(rules, PLAYERS, random_game(rules, seed))
    changed = with_rules(ledger, other)
    stands = recount(changed)
    assert fold(other, PLAYERS, stands.events) == stands.state
    shares(changed, stands)
    assert recount(with_rules(changed, rules)) == recount(ledger)


@settings(max_examples=30, deadline=None)
@given(table_rules(), st.integers(0, 2**32), st.data())
def test_any_throw_may_be_changed_and_changed_back(rules: Rules, seed: int, data: st.DataObject) -> None:
    ledger = record(rules, PLAYERS, random_game(rules, seed))
    throws = [
        (index, place, event)
        for index, turn in enumerate(ledger.turns)
        for place, event in enumerate(turn.events)
        if isinstance(event, Rolled)
    ]
    if not throws:
        return
    index, place, event = data.draw(st.sampled_from(throws))
    size = len(event.faces)
    changed = with_faces(ledger, index, place, data.draw(faces(size, size)))
    stands = recount(changed)
    assert fold(rules, PLAYERS, stands.events) == stands.state
    shares(changed, stands)
    assert recount(with_faces(changed, index, place, event.faces)) == recount(ledger)


@settings(max_examples=30, deadline=None)
@given(table_rules(), st.integers(0, 2**32), st.permutations(PLAYERS), st.data())
def test_players_may_be_moved_added_and_turns_removed(
    rules: Rules, seed: int, order: list[str], data: st.DataObject
) -> None:
    ledger = record(rules, PLAYERS, random_game(rules, seed))
    moved = with_players_in_order(ledger, order)
    late = with_player(ledger, "Dan", seat=data.draw(st.integers(0, 3)))
    changes = [moved, late]
    if ledger.turns:
        index = data.draw(st.integers(0, len(ledger.turns) - 1))
        changes += [without_turn(ledger, index), without_turn(ledger, index, shift=True)]
        changes += [with_turn_inserted(ledger, index, [BUST])]
        changes += [with_turn_inserted(ledger, index, [Entered("Ben", 5)], player="Ben")]
    for changed in changes:
        stands = recount(changed)
        assert fold(changed.rules, changed.players, stands.events) == stands.state
        shares(changed, stands)
    assert recount(with_players_in_order(moved, PLAYERS)) == recount(ledger)


@settings(max_examples=20, deadline=None)
@given(table_rules(), st.integers(0, 2**32), st.integers(1, 30))
def test_a_fold_with_undone_events_is_the_fold_without_them(rules: Rules, seed: int, undone: int) -> None:
    events = random_game(rules, seed, 50)
    history = History(Ledger(rules, PLAYERS))
    for event in events:
        history = history.done(play(history.now, event))
    full = history
    undone = min(undone, len(events))
    for _ in range(undone):
        history = history.undo()
    assert recount(history.now).state == fold(rules, PLAYERS, events[: len(events) - undone])
    for _ in range(undone):
        history = history.redo()
    assert history == full
    assert recount(history.now).state == fold(rules, PLAYERS, events)


# Undo and redo


def test_undo_goes_over_the_end_of_the_game() -> None:
    history = History(ledger_of())
    rules = preset("tiotusen-zilch").replace(target=1000)
    history = History(with_rules(history.now, rules))
    events: list[Event] = [Entered("Anna", 1000), *bank(1)]
    for event in events:
        history = history.done(play(history.now, event))
    assert recount(history.now).state.finished
    back = history.undo()
    assert recount(back.now).state.phase is Phase.FINAL_ROUND
    assert recount(back.now).state.turn.points == 100
    assert back.undo().undo().undo().now.turns == ()
    assert back.redo() == history
    other = back.done(play(back.now, Rolled((1, 2, 3, 3, 4))))
    with pytest.raises(NothingThere, match="nothing to redo"):
        other.redo()
    with pytest.raises(NothingThere, match="nothing to undo"):
        History(ledger_of()).undo()


def test_an_illegal_event_is_not_played() -> None:
    with pytest.raises(IllegalEvent, match="legal here: roll 6 dice"):
        play(ledger_of(bank(1)), Banked())
    with pytest.raises(IllegalEvent) as caught:
        record(preset(), TWO, [Entered("Anna", 5), Entered("Anna", 5)])
    assert caught.value.index == 1


# Other faces


def test_a_misread_throw_is_worth_what_it_was() -> None:
    ledger = ledger_of([Rolled((1, 1, 1, 2, 3, 4)), SetAside((1, 1, 1)), Banked()], bank(1))
    changed = with_faces(ledger, 0, 0, (4, 4, 4, 2, 3, 1), aside=(4, 4, 4))
    assert recount(changed).state.totals == (400, 100)
    assert recount(changed).problems == ()


def test_a_set_aside_may_be_changed_alone() -> None:
    ledger = ledger_of([Rolled((1, 1, 1, 2, 3, 4)), SetAside((1, 1, 1)), Banked()])
    assert recount(with_faces(ledger, 0, 1, (1, 1))).state.totals == (200, 0)


def test_a_throw_that_was_a_bust_after_all_ends_the_turn() -> None:
    changed = with_faces(ledger_of(bank(1), bank(1, 1), bank(1)), 0, 0, (2, 2, 3, 3, 4, 6))
    stands = recount(changed)
    assert stands.state.totals == (100, 200)
    assert stands.state.turns == ((0, 100), (200,))
    assert why(stands) == [
        "turn 1 of Anna: 'set_aside 1' does not count: the turn was over before it",
        "turn 1 of Anna: 'banked' does not count: the turn was over before it",
    ]
    assert [(problem.turn, problem.event) for problem in stands.problems] == [(0, 1), (0, 2)]


def test_a_bust_that_was_none_leaves_a_turn_without_end_written_as_0_until_it_is_completed() -> None:
    changed = with_faces(ledger_of([BUST], bank(1, 1), bank(1)), 0, 0, (1, 2, 3, 3, 4, 6))
    stands = recount(changed)
    assert stands.state.turns == ((0, 100), (200,))
    assert stands.voided == (0,)
    assert why(stands) == ["turn 1 of Anna has no end any more; legal after it: set aside 1"]
    whole = with_turn(changed, 0, [*changed.turns[0].events, SetAside((1,)), Banked()])
    assert recount(whole).state.turns == ((100, 100), (200,))
    assert recount(whole).problems == ()


def test_of_the_turn_in_progress_what_is_legal_stays() -> None:
    ledger = ledger_of(
        bank(1), [Rolled((1, 1, 2, 3, 4, 6)), SetAside((1, 1)), Rolled((5, 2, 3, 4)), SetAside((5,))]
    )
    changed = with_faces(ledger, 1, 2, (1, 2, 3, 4))
    stands = recount(changed)
    assert stands.open == (1, 3)
    assert stands.state.turn.points == 200
    assert stands.state.turn.roll == (1, 2, 3, 4)
    assert why(stands) == [
        "turn 1 of Ben: 'set_aside 5' is not legal any more, 5 is no legal selection of the throw 1 2 3 4, "
        "dice that all score are wanted; legal here: set aside 1"
    ]
    # The game goes on where it stands, and what does not count stays in the record.
    on = play(play(changed, SetAside((1,))), Banked())
    assert recount(on).state.totals == (100, 300)
    assert recount(on).problems[0].why.endswith("the turn was over before it")
    assert SetAside((5,)) in on.turns[1].events


def test_an_illegal_event_takes_the_rest_of_its_turn_with_it() -> None:
    three: list[Event] = [
        Rolled((5, 5, 2, 3, 4, 6)),
        SetAside((5, 5)),
        Rolled((1, 2, 3, 4)),
        SetAside((1,)),
        Banked(),
    ]
    stands = recount(with_faces(ledger_of(three, bank(1)), 0, 0, (5, 1, 2, 3, 4, 6)))
    assert stands.state.turns == ((0,), (100,))
    assert [problem.event for problem in stands.problems] == [1, 2, 3, 4]
    assert why(stands)[1] == (
        "turn 1 of Anna: 'rolled 1 2 3 4' does not count: what came before it in the turn does not count"
    )


@pytest.mark.parametrize(
    ("turn", "event", "aside"),
    [(5, 0, None), (-1, 0, None), (0, 2, None), (0, 7, None), (0, -1, None), (0, 1, (1,))],
)
def test_dice_that_are_not_there(turn: int, event: int, aside: tuple[int, ...] | None) -> None:
    with pytest.raises(NothingThere):
        with_faces(ledger_of(bank(1)), turn, event, (1,), aside=aside)
    with pytest.raises(BadDice):
        with_faces(ledger_of(bank(1)), 0, 0, (1, 7))
    with pytest.raises(NothingThere, match="nothing was set aside after event 0"):
        with_faces(ledger_of([BUST]), 0, 0, (1, 2, 3, 3, 4, 6), aside=(1,))


# Turns


def test_a_turn_that_was_never_played_is_taken_out() -> None:
    ledger = ledger_of(bank(1), bank(1), bank(1, 1), bank(1), bank(1), bank(1, 1))
    changed = without_turn(ledger, 2)
    stands = recount(changed)
    # Anna's third turn is her second now; she is one turn behind, and Ben's last one waits for her.
    assert stands.state.turns == ((100, 100), (100, 100))
    assert (stands.state.to_act, stands.waiting) == ("Anna", (4,))
    for event in bank(1):
        changed = play(changed, event)
    assert recount(changed).state.turns == ((100, 100, 100), (100, 100, 200))
    assert recount(changed).waiting == ()


def test_a_turn_too_many_credits_the_ones_after_it_to_the_player_before() -> None:
    # A throw of a spectator was taken for Ben's turn: since then everybody had the turns of the next.
    ledger = ledger_of(bank(1), [BUST], bank(1, 1), [BUST], bank(1), players=THREE)
    stands = recount(without_turn(ledger, 1, shift=True))
    assert stands.state.turns == ((100, 100), (200,), (0,))
    assert stands.state.to_act == "Ben"
    assert stands.problems == ()


def test_a_turn_that_was_missed_goes_in_and_the_ones_after_it_pass_to_the_next_player() -> None:
    ledger = ledger_of(bank(1), bank(1, 1), bank(1), players=THREE)
    changed = with_turn_inserted(ledger, 1, [BUST])
    stands = recount(changed)
    assert stands.state.turns == ((100, 100), (0,), (200,))
    assert stands.problems == ()
    assert without_turn(changed, 1, shift=True) == ledger


def test_shifted_entries_get_the_name_of_their_new_player() -> None:
    ledger = ledger_of([Entered("Anna", 5)], [Entered("Ben", 7)])
    stands = recount(with_turn_inserted(ledger, 0, [BUST]))
    assert stands.state.turns == ((0, 7), (5,))


def test_a_turn_may_be_put_in_for_a_player_and_into_an_empty_game() -> None:
    ledger = ledger_of(bank(1), bank(1), bank(1))
    stands = recount(with_turn_inserted(ledger, 1, [Entered("Ben", 700)], player="Ben"))
    assert stands.state.turns == ((100, 100), (700, 100))
    assert recount(with_turn_inserted(ledger_of(), 0, [BUST])).state.turns == ((0,), ())


def test_turns_that_are_not_there() -> None:
    ledger = ledger_of(bank(1))
    with pytest.raises(NothingThere, match="there is no turn 1, the game has 1"):
        without_turn(ledger, 1)
    with pytest.raises(NothingThere, match="take the turn out instead"):
        with_turn(ledger, 0, [])
    with pytest.raises(NothingThere, match="turns 0 to 1 can be inserted, got 2"):
        with_turn_inserted(ledger, 2, [BUST])
    with pytest.raises(NothingThere, match="give what was played"):
        with_turn_inserted(ledger, 0, [])
    with pytest.raises(BadPlayers, match="'Zoe' does not play"):
        with_turn_inserted(ledger, 0, [BUST], player="Zoe")


# Players


def test_a_player_gets_another_name_in_his_entries_too() -> None:
    ledger = renamed(ledger_of(bank(1), [Entered("Ben", 50)]), "Ben", "Benny")
    assert recount(ledger).state.players == ("Anna", "Benny")
    assert recount(ledger).events[-1] == Entered("Benny", 50)
    for old, new in (("Zoe", "Z"), ("Anna", "Benny"), ("Anna", " ")):
        with pytest.raises(BadPlayers):
            renamed(ledger, old, new)


def test_other_seats_and_everybody_keeps_his_turns() -> None:
    ledger = ledger_of(bank(1), bank(1, 1), [BUST], bank(1), players=THREE)
    changed = with_players_in_order(ledger, ("Cara", "Anna", "Ben"))
    stands = recount(changed)
    assert stands.state.players == ("Cara", "Anna", "Ben")
    assert stands.state.turns == ((0,), (100,), (200,))
    # Cara sits first now and has the next turn; the second one of Anna follows it.
    assert (stands.state.to_act, stands.waiting) == ("Cara", (3,))
    after = recount(play(changed, Entered("Cara", 5)))
    assert after.state.turns == ((0, 5), (100, 100), (200,))
    with pytest.raises(BadPlayers, match="name each of them once"):
        with_players_in_order(ledger, ("Cara", "Anna"))


@pytest.mark.parametrize(
    ("seat", "turns"),
    [
        (None, ((100, 100), (200,), (0,))),
        (2, ((100, 100), (200,), (0,))),
        (1, ((100, 100), (0,), (200,))),
        (0, ((0, 0), (100, 100), (200,))),
    ],
)
def test_a_player_who_joins_late_has_turns_of_0_behind_him(
    seat: int | None, turns: tuple[tuple[int, ...], ...]
) -> None:
    changed = with_player(ledger_of(bank(1), bank(1, 1), bank(1)), "Dan", seat=seat)
    stands = recount(changed)
    assert stands.state.turns == turns
    assert (stands.problems, stands.waiting) == ((), ())


def test_a_late_player_in_the_turn_of_another() -> None:
    ledger = ledger_of(bank(1), bank(1), bank(1), [Rolled((1, 1, 2, 3, 4, 6)), SetAside((1, 1))])
    stands = recount(with_player(ledger, "Dan"))
    assert (stands.state.to_act, stands.state.turn.points) == ("Ben", 200)
    assert stands.state.turns == ((100, 100), (100,), (0,))
    assert recount(with_player(ledger_of(), "Dan")).state == start(
        preset("tiotusen-zilch"), ("Anna", "Ben", "Dan")
    )


def test_players_who_cannot_join() -> None:
    for name, seat in (("Anna", None), ("", None), ("Dan", 3), ("Dan", -1)):
        with pytest.raises(BadPlayers):
            with_player(ledger_of(), name, seat=seat)


# Rules


def test_another_preset_scores_the_recorded_throws() -> None:
    triple: list[Event] = [Rolled((1, 1, 1, 2, 3, 4)), SetAside((1, 1, 1)), Banked()]
    ledger = ledger_of(triple, triple)
    assert recount(with_rules(ledger, preset("pocket-farkel"))).state.totals == (300, 300)


def test_what_is_illegal_under_the_new_rules_is_listed_and_the_game_goes_on() -> None:
    ledger = ledger_of(bank(1), bank(1, 1), bank(1, 1), bank(1))
    stands = recount(with_settings(ledger, min_bank=200))
    assert stands.state.turns == ((0, 200), (200,))
    assert stands.open == (3, 2)  # Ben's bank of 100 is refused, and his turn is the last one: he may roll on
    assert stands.voided == (0,)
    assert why(stands) == [
        f"turn {turn} of {name}: 'banked' is not legal any more, {name} cannot bank: 100 points are below "
        "the 200 that a bank needs; legal here: roll 5 dice"
        for turn, name in ((1, "Anna"), (2, "Ben"))
    ]


def test_turns_after_a_game_that_is_over_sooner_are_listed() -> None:
    ledger = ledger_of([Entered("Anna", 1500)], bank(1), bank(1), bank(1, 1))
    stands = recount(with_settings(ledger, target=1500))
    assert stands.state.finished
    assert stands.state.turns == ((1500,), (100,))
    assert why(stands) == [
        "turn 2 of Anna does not count: the game was over before it",
        "turn 2 of Ben does not count: the game was over before it",
    ]
    assert recount(with_settings(ledger, target=2000)).state.turns == ((1500, 100), (100, 200))


def test_an_offer_that_is_none_any_more() -> None:
    rules = preset("tiotusen-zilch").replace(piggyback=True)
    took: list[Event] = [TookOver(), Rolled((1, 1, 2, 3, 4)), SetAside((1, 1)), Banked()]
    ledger = record(rules, TWO, [*bank(1), *took])
    assert recount(ledger).state.totals == (100, 300)
    stands = recount(with_settings(ledger, piggyback=False))
    assert stands.state.totals == (100, 0)
    assert stands.open == (1, 0)
    assert len(stands.problems) == 4
    assert recount(play(with_settings(ledger, piggyback=False), BUST)).state.turns == ((100,), (0,))


def test_a_win_at_once_ends_what_is_counted() -> None:
    sixes: list[Event] = [Rolled((6,) * 6), SetAside((6,) * 6), Banked()]
    stands = recount(with_settings(ledger_of(bank(1), sixes, bank(1)), instant_win="six_of_a_kind"))
    assert stands.state.winners == (1,)
    assert len(stands.problems) == 3


def test_an_unknown_setting_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownSetting, match="did you mean 'opening'"):
        with_settings(ledger_of(), oppening=5)


@pytest.mark.parametrize("name", preset_names())
def test_every_game_can_be_counted_under_every_preset(name: str) -> None:
    rules = preset("ten-thousand")
    ledger = record(rules, PLAYERS, random_game(rules, 7, 120))
    stands = recount(with_rules(ledger, preset(name)))
    shares(with_rules(ledger, preset(name)), stands)
    assert RecordedTurn not in map(type, stands.events)
