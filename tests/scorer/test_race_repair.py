"""Repairs of a Tenzi match: nothing recorded is lost, what does not count is listed."""

from __future__ import annotations

import pytest

from scorer.errors import BadDice, BadPlayers, NothingThere
from scorer.race_repair import Race, recount_race, renamed_in_race, with_look
from scorer.tenzi import Claimed, Declared, Go, Noted, Seen, TenziRules, winners

RACE = Race(
    TenziRules(dice=2, goal=(2,), rounds_to_win=1),
    ("Anna", "Ben"),
    (Go(0), Declared(1, "Anna", (6,)), Seen(2, "Anna", (6, 6)), Noted(3, "hand", "Anna"), Claimed(4, "Anna")),
)


def test_a_recount_of_a_legal_match_changes_nothing() -> None:
    stands = recount_race(RACE)
    assert (stands.events, stands.problems, winners(stands.match)) == (RACE.events, (), ("Anna",))


def test_a_look_may_be_changed_and_changed_back() -> None:
    changed = with_look(RACE, 2, (6,))
    assert winners(recount_race(changed).match) == ()
    assert with_look(changed, 2, (6, 6)) == RACE
    for event in (0, 9, -1):
        with pytest.raises(NothingThere, match="is no look at a lane"):
            with_look(RACE, event, (6,))
    with pytest.raises(BadDice, match="from 1 to 6, got 7"):
        with_look(RACE, 2, (7,))


def test_a_player_gets_another_name_in_every_event() -> None:
    changed = renamed_in_race(RACE, "Anna", "Ann")
    assert winners(recount_race(changed).match) == ("Ann",)
    assert renamed_in_race(changed, "Ann", "Anna") == RACE
    assert all(getattr(event, "player", "Ann") == "Ann" for event in changed.events)
    for old, new in (("Zoe", "Z"), ("Anna", "Ben"), ("Anna", "")):
        with pytest.raises(BadPlayers):
            renamed_in_race(RACE, old, new)
