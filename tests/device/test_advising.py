"""Computer players in front of a camera, advice at the table, and chances on the board."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from device.advising import COMPUTER, Advisor, advice_lines, advice_sentence
from device.displays.recording import RecordingDisplay
from device.displays.scoreboard import render
from device.displays.terminal import one_line
from device.playing import Wanted, with_computers
from device.session import Session
from device.sim import ScriptedTable
from device.store import GameHeader, GameStore, open_writer
from device.win_tables import win_odds_of
from scorer.errors import RulesError
from scorer.events import Banked, Entered, Event, Rolled, SetAside
from scorer.farkle import fold, start
from scorer.referee import Bank, Undo, new_referee
from scorer.rules import Rules, preset

PLAYERS = ("Robo", "Ben")
FARKLE = preset("farkle")
EASY_GOING = FARKLE.replace(opening=0)


class Table:
    """A session in front of a scripted camera, with Robo in the first seat."""

    def __init__(self, store: GameStore, rules: Rules = EASY_GOING, level: str = "medium") -> None:
        header = GameHeader("farkle", "farkle", rules.settings(), PLAYERS, "table", "2026-01-02T20:00:00")
        self.display, self.json = RecordingDisplay(), list[Mapping[str, object]]()
        self.dice = ScriptedTable()
        self.store = store
        self.session = Session(
            new_referee(rules, PLAYERS),
            store=store,
            game=store.begin(header),
            display=self.display,
            title="Farkle",
            emit=self.json.append,
            keys=True,
            advisor=Advisor({"Robo": level}, win_odds_of(rules)),
        )

    def throw(self, *faces: int, keep: tuple[int, ...] = ()) -> None:
        self.session.observed(self.dice.throw(*faces, keep=keep))

    @property
    def message(self) -> str:
        return self.session.view.message


def test_a_computer_player_asks_for_its_dice_says_what_it_keeps_and_banks_itself(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        table = Table(store)
        assert table.message == "Robo asks you to throw 6 dice."
        table.throw(1, 5, 2, 2, 3, 4)
        assert table.message == "Robo keeps 1 5: throw 4 dice."
        assert {
            "event": "remark",
            "player": "Robo",
            "reason": table.message,
            "t_s": table.json[-1]["t_s"],
        } == (table.json[-1])
        table.throw(5, 5, 5, 2, keep=(1, 2))  # 150 + 500: enough for one die left
        assert table.session.referee.game.totals == (650, 0)
        assert table.session.referee.game.to_act == "Ben"
        assert table.message.startswith("Robo banks 650. Ben: throw 6 dice")
        rows = [record for record in store.records(table.session.game) if record.by == COMPUTER]
        assert [row.event[0] for row in rows] == ["set_aside", "banked"]
        table.throw(1, 1, 1, 2, 3, 4)
        assert table.message.startswith("Ben: keep what scores")


def test_what_people_take_back_the_computer_does_not_do_again(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        table = Table(store)
        table.throw(1, 1, 1, 5, 5, 2)  # 1000 at once... with one die left: banked
        assert table.session.referee.game.to_act == "Ben"
        table.session.pressed(Undo(), 10**10)
        assert table.session.referee.game.to_act == "Robo"
        assert table.message == "Taken back. Robo keeps 1 1 1 5 5 and banks."
        table.session.pressed(Bank(), 10**10)
        assert table.session.referee.game.totals == (400, 0)


def test_a_question_is_asked_before_the_computer_moves(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        table = Table(store)
        table.throw(1, 1, 1, 5, 5)  # five dice: one is missing
        assert table.session.asking is not None
        assert table.session.referee.game.to_act == "Robo"
        assert not [record for record in store.records(table.session.game) if record.by == COMPUTER]


def test_an_offer_is_taken_by_itself(tmp_path: Path) -> None:
    rules = EASY_GOING.replace(piggyback=True)
    with open_writer(tmp_path) as store:
        table = Table(store, rules)
        table.throw(1, 1, 1, 5, 5, 2)
        assert table.session.referee.game.to_act == "Ben"
        table.throw(5, 5, 5, 1, 2, 3)
        table.session.pressed(Bank(), 10**10)
        assert table.session.referee.game.turn.stake == 600
        assert "Robo asks you to throw 2 dice" in table.message or "throw" in table.message
        assert [record.by for record in store.records(table.session.game)][-1] == COMPUTER


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
def test_every_level_says_what_it_does_at_every_moment(level: str) -> None:
    advisor = Advisor({"Robo": level}, win_odds_of(FARKLE))
    events: list[Event] = [Rolled((1, 5, 2, 2, 3, 4)), SetAside((1,)), Rolled((5, 5, 5, 2, 3))]
    for count in range(len(events) + 1):
        state = fold(FARKLE, PLAYERS, events[:count])
        sentence = advisor.sentence(state)
        assert sentence.startswith("Robo ")
        assert sentence == advisor.sentence(state)  # Easy too keeps to what it said
        assert not advisor.banks(fold(FARKLE, ("Anna", "Ben"), events[:count]))


def test_the_best_advice_is_one_key_away(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        table = Table(store, FARKLE)
        table.session.key("h", 0)
        assert "Advice" not in table.message  # it is Robo's turn, who needs none
        table.throw(2, 2, 3, 3, 4, 6)
        table.throw(1, 5, 2, 2, 3, 4)  # Ben
        assert "Advice: keep 1, throw 5 (3" in table.message
        assert "% to win" in table.message
        table.session.key("h", 0)
        assert "Advice" not in table.message
        assert not table.session.referee.events[2:]


def test_chances_come_and_go_with_a_key_and_are_an_estimate_for_three(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        table = Table(store, FARKLE)
        assert table.session.view.chances == ()
        table.session.key("w", 0)
        view = table.session.view
        assert view.chances_text == "53 % : 47 %"
        assert view.chances_text in one_line(view)
        table.session.key("w", 0)
        assert table.session.view.chances_text == ""
        unknown = Table(store, EASY_GOING)
        unknown.session.key("w", 0)
        assert "not worked out for these rules" in unknown.message
    three = start(FARKLE, ("Anna", "Ben", "Cleo"))
    shown = Advisor(wins=win_odds_of(FARKLE), chances=True).onto(view, three, "")
    assert shown.chances_text.startswith("≈ 3")


def test_the_board_shows_the_chances() -> None:
    state = fold(FARKLE, ("Anna", "Ben"), [Entered("Anna", 5000), Entered("Ben", 3000)])
    from device.scoreview import score_view

    referee = new_referee(FARKLE, ("Anna", "Ben"))
    plain = score_view(referee, title="Farkle", news="", on_table=False, keys=False)
    shown = Advisor(wins=win_odds_of(FARKLE), chances=True).onto(plain, state, "")
    anna, ben = shown.chances
    assert anna > 0.75
    assert anna + ben == pytest.approx(1.0)
    assert render(shown).tobytes() != render(plain).tobytes()


def test_advice_without_chances_is_in_points_alone() -> None:
    state = fold(EASY_GOING, ("Anna", "Ben"), [Rolled((1, 5, 2, 2, 3, 4))])
    assert advice_sentence(state, None) == (
        "Advice: keep 1, throw 5 (370 on average); keep 5, throw 5 costs 37."
    )
    assert all("wins" not in line for line in advice_lines(state))
    only = fold(EASY_GOING, ("Anna", "Ben"), [])
    assert advice_sentence(only, None) == "Advice: throw 6."
    over = fold(EASY_GOING.replace(final_round=False, target=1000), ("Anna", "Ben"), [Entered("Anna", 1000)])
    assert advice_sentence(over, None) == ""


def test_what_wins_may_differ_from_what_scores() -> None:
    # Ben needs 1000 points to tie in the last turn: banking 500 writes the most on average, and loses.
    wins = win_odds_of(FARKLE)
    assert wins is not None
    last = [Entered("Anna", 9000), Entered("Ben", 9000), Entered("Anna", 1100)]
    state = fold(FARKLE, ("Anna", "Ben"), [*last, Rolled((5, 5, 5, 2, 3, 4)), SetAside((5, 5, 5))])
    lines = advice_lines(state, wins)
    assert lines[0].startswith("throw 3")
    assert "wins 0.0 %" in lines[1]
    assert fold(
        FARKLE, ("Anna", "Ben"), [*last, Rolled((5, 5, 5, 2, 3, 4)), SetAside((5, 5, 5)), Banked()]
    ).finished


def test_names_with_levels_are_taken_apart() -> None:
    wanted = Wanted("farkle", "table", ("Anna", "Robo:expert", ":easy"))
    apart = with_computers(wanted)
    assert apart.players == ("Anna", "Robo", "Easy")
    assert dict(apart.levels) == {"Robo": "expert", "Easy": "easy"}
    plain = Wanted("farkle", "table", ("Anna", "Ben"))
    assert with_computers(plain) is plain
    with pytest.raises(RulesError, match="hard"):
        with_computers(Wanted("farkle", "table", ("Anna", "Robo:hrad")))


def test_boards_in_browsers_are_told_too(tmp_path: Path) -> None:
    from device.web.state import session_state

    with open_writer(tmp_path) as store:
        table = Table(store, FARKLE)
        table.session.key("w", 0)
        state = session_state(table.session, table.session.view)
        view = state["view"]
        assert isinstance(view, dict)
        assert view["chances_text"] == "53 % : 47 %"
        assert state["said"] == "Robo asks you to throw 6 dice."


def test_json_of_a_remark_is_plain(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        table = Table(store)
        table.throw(1, 5, 2, 2, 3, 4)
        assert json.loads(json.dumps(table.json[-1])) == table.json[-1]
