"""A game as a text: what people write is read, what is written comes back, faults are named by their line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.errors import IllegalEvent, IllegalSelection, MalformedDocument, MalformedEvent, RulesError
from scorer.events import Banked, Entered, Rolled, SetAside, TookOver
from scorer.notation import BadLine, Check, Game, event_text, from_document, parse, to_text
from scorer.playthrough import explained, played
from scorer.replay import replay
from scorer.rules import parse_preset, preset
from scorer.statements import statements
from scorer.tenzi import Claimed, Go, Seen
from tests.scorer.playing import BANKED, aside, entered, rolled

TEXT = """\
# A game of our club
game farkle
title Tuesday, third game   # of five
preset tiotusen
set opening 0
set hot_dice off
set n_flat {"4": 1200}
players Anna Lisa, "Player 2"

rolled 1 1 1 5 2 3          # Anna
  set_aside 1115
banked
check totals Anna Lisa 1050, "Player 2" 0
entered "Player 2" -50
"""

NAMES = st.text(min_size=1, max_size=8) | st.sampled_from(
    [
        "Anna",
        "Player 1",
        "Ann, a",
        'Ben "the" 2nd',
        "#1",
        "nobody",
        "Ö",
        " x ",
        "a\nb",
        "a\u2028b",
        "A:B",
        "a  b",
    ]
)
POINTS = st.integers(-(10**12), 10**12)
FACES = st.lists(st.integers(1, 6), min_size=1, max_size=6).map(tuple)
TIMES = st.integers(-(10**15), 10**18)
FARKLE = st.one_of(
    FACES.map(Rolled),
    FACES.map(SetAside),
    st.just(Banked()),
    st.just(TookOver()),
    st.builds(Entered, NAMES, POINTS),
)
TENZI = st.one_of(
    TIMES.map(Go),
    st.builds(Seen, TIMES, NAMES, st.lists(st.integers(1, 6), max_size=12).map(tuple)),
    st.builds(Claimed, TIMES, NAMES),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
SETTINGS = st.dictionaries(st.text(min_size=1, max_size=6) | st.just("opening"), VALUES, max_size=3)

BEFORE = {
    game: [
        " ".join(each)
        for each in statements(replay({"game": game, "players": ["Anna", "Ben 2"], "events": []}))
    ]
    for game in ("farkle", "tenzi")
}
"""What can be said before the first event."""


@st.composite
def games(draw: st.DrawFn) -> Game:
    game = draw(st.sampled_from(["farkle", "tenzi"]))
    events = draw(st.lists(FARKLE if game == "farkle" else TENZI, max_size=8).map(tuple))
    places = sorted(draw(st.lists(st.integers(0, len(events)), max_size=3)))
    says = list(BEFORE[game])
    says += [f"refused {event_text(event)}" for event in events[:2]]
    return Game(
        game=game,
        title=draw(st.just("") | st.text(max_size=8)),
        preset=draw(NAMES) if game == "farkle" else "farkle",
        settings=draw(SETTINGS),
        players=draw(st.lists(NAMES, max_size=4).map(tuple)),
        events=events,
        checks=tuple(Check(place, draw(st.sampled_from(says))) for place in places),
    )


@given(games(), st.booleans())
def test_a_game_comes_back_exactly(game: Game, comments: bool) -> None:
    assert parse(to_text(game, comments=comments)) == game


@given(games())
def test_a_text_and_a_document_say_the_same(game: Game) -> None:
    back = from_document(game.document())
    assert (back.players, back.events, back.settings) == (game.players, game.events, game.settings)
    assert (back.game, back.title, back.preset) == (game.game, game.title, game.preset)


def test_what_people_write() -> None:
    game = parse(TEXT)
    assert game == Game(
        title="Tuesday, third game",
        preset="tiotusen",
        settings={"opening": 0, "hot_dice": "off", "n_flat": {"4": 1200}},
        players=("Anna Lisa", "Player 2"),
        events=(Rolled((1, 1, 1, 5, 2, 3)), SetAside((1, 1, 1, 5)), Banked(), Entered("Player 2", -50)),
        checks=(Check(3, 'totals Anna Lisa 1050, "Player 2" 0'),),
    )
    assert game.lines == (10, 11, 12, 14)
    outcome = played(game)
    assert outcome.failed == ()
    assert outcome.board == replay(game.document())
    assert outcome.board["totals"] == {"Anna Lisa": 1050, "Player 2": -50}


def test_lines_may_end_as_on_other_systems() -> None:
    assert parse(TEXT.replace("\n", "\r\n")) == parse(TEXT)


def test_a_text_has_whose_turn_it_is_in_comments() -> None:
    document = {
        "game": "farkle",
        "preset": "tiotusen-zilch",
        "players": ["Anna", "Ben"],
        "events": [rolled(1, 2, 3, 3, 4, 6), aside(1), BANKED, rolled(2, 2, 3, 3, 4, 6), entered("Anna", 50)],
    }
    assert to_text(from_document(document)) == (
        "game farkle\npreset tiotusen-zilch\nplayers Anna, Ben\n"
        "\n# Anna, turn 1\nrolled 1 2 3 3 4 6\nset_aside 1\nbanked\n"
        "\n# Ben, turn 1\nrolled 2 2 3 3 4 6\n"
        "\n# Anna, turn 2\nentered Anna 50\n"
    )


def test_a_game_that_cannot_be_played_is_written_without_comments() -> None:
    game = Game(players=("Anna",), events=(Banked(),))
    assert to_text(game) == "game farkle\npreset farkle\nplayers Anna\n\nbanked\n"
    stops = Game(players=("Anna", "Ben"), events=(Entered("Anna", 5), Banked(), Entered("Ben", 5)))
    assert to_text(stops).count("turn") == 2


def test_tenzi_has_times_in_seconds() -> None:
    text = (
        "game tenzi\nset dice 3\nset rounds_to_win 1\nplayers Anna, Ben\n\n"
        "go 0\nseen 1.5 Anna: 6 6 6\nseen 1.75 Ben:\nclaimed 1.500000001 Anna\n"
        "check wins Anna 1, Ben 0\ncheck round 1 Anna\ncheck rolls 1 Anna 1, Ben 0\n"
        "check finish 1 Anna 1.5\ncheck claims 1 Anna 1.500000001 valid\ncheck flags 1 none\n"
        "check winners Anna\nrefused go 2\n"
    )
    game = parse(text)
    assert game.events[1:] == (
        Seen(1_500_000_000, "Anna", (6, 6, 6)),
        Seen(1_750_000_000, "Ben", ()),
        Claimed(1_500_000_001, "Anna"),
    )
    assert to_text(game) == text
    assert played(game).failed == ()


@pytest.mark.parametrize(
    ("says", "found"),
    [
        ("check totals Anna 500, Ben 0", "totals Anna 550, Ben 0"),
        ("check turns Anna 500", "turns Anna 550"),
        ("check turns Zoe 500", "no such thing"),
        ("check turns", "no such thing"),
        ("check to_act Anna", "to_act Ben"),
        ("check turn 0 points, 5 dice", "turn 0 points, 6 dice"),
        ("check must_roll yes", "must_roll no"),
        ("check offer steal 50 points, 1 die", "offer none"),
        ("check phase finished", "phase turn"),
        ("check winners Anna", "winners nobody"),
        ("check standings 1 Ben 550, 2 Anna 0", "standings 1 Anna 550, 2 Ben 0"),
        ("refused entered Ben 5", "entered Ben 5 is legal"),
    ],
)
def test_a_check_that_does_not_hold_says_what_is_true(says: str, found: str) -> None:
    outcome = played(parse(f"game farkle\nplayers Anna, Ben\nentered Anna 550\n{says}\n"))
    assert [each.found for each in outcome.failed] == [found]
    assert str(outcome.failed[0]).startswith("line 4: the text says '")


def test_a_check_made_by_a_program_has_no_line() -> None:
    game = Game(players=("A", "B"), checks=(Check(0, "phase finished"),))
    assert str(played(game).failed[0]) == "the text says 'phase finished', it comes to 'phase turn'"


def test_checks_hold_at_their_place_and_refusals_play_nothing() -> None:
    text = (
        "game farkle\npreset farkle\nplayers Anna, Ben\nrefused banked\nrefused set_aside 1\n"
        "rolled 4 4 4 5 2 3\ncheck turn 0 points, 6 dice\nset_aside 4 4 4\ncheck turn 400 points, 3 dice\n"
        "refused banked\nrefused rolled 1 1\nrolled 1 1 2\n"
    )
    assert played(parse(text)).failed == ()


def test_settings_may_be_changed_from_outside() -> None:
    game = parse("game farkle\nset opening 0\nplayers A, B\nrolled 111234\nset_aside 111\nbanked\n")
    assert played(game, {"triple_1": 700}).board["totals"] == {"A": 700, "B": 0}


HEAD = "game farkle\nplayers Anna, Ben\n"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "does not say which game"),
        ("\n\nplayers Anna\n", 3, "does not say which game"),
        ("game chess", 1, "'chess' is no game"),
        ("game", 1, "'game' says nothing; write for example 'game farkle'"),
        ("game farkle\ngame farkle", 2, "two lines 'game'"),
        ("game tenzi\npreset farkle", 2, "Tenzi has no presets"),
        ("game farkle\npreset a, b", 2, "one name is wanted"),
        ("game farkle\nset opening", 2, "a name and a value are wanted"),
        ("game farkle\nset opening 0\nset opening 1", 3, "set twice"),
        ("game farkle\nplayers Anna,, Ben", 2, "a name is missing"),
        ('game farkle\nplayers "Anna" Lisa', 2, "stands alone between commas"),
        ('game farkle\nplayers "An\\qna"', 2, "as JSON has it"),
        ('game farkle\nplayers "Anna', 2, "not closed"),
        (HEAD + "banked\nplayers Cara", 4, "stands after the first event"),
        (HEAD + "check wether fine", 3, "nothing is known of 'wether fine'"),
        (HEAD + "check total Anna 5", 3, "did you mean 'totals'"),
    ],
)
def test_a_text_that_is_none(text: str, line: int, says: str) -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse(text)
    assert caught.value.line == line
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("bank", "did you mean 'banked'"),
        ("rolled", "1 to 6 dice"),
        ("rolled 1 2 7", "faces are digits from 1 to 6, got '7'"),
        ("rolled 1111111", "1 to 6 dice"),
        ("set_aside one", "'set_aside' is written 'set_aside 1 1'"),
        ("banked 50", "nothing is wanted after it"),
        ("took_over Anna", "nothing is wanted after it"),
        ("entered Anna", "one name is wanted"),
        ("entered Anna many", "a whole number is wanted"),
        ("entered Anna " + "1" * 5000, "too long"),
        ("refused dance", "'dance' is no event"),
        ("go 0", "'go' is no event of this game"),
    ],
)
def test_a_line_that_is_no_event_is_named_with_what_was_legal_there(line: str, says: str) -> None:
    with pytest.raises(BadLine) as caught:
        parse(f"{HEAD}entered Anna 100\n\n{line}\n")
    assert (caught.value.line, caught.value.index) == (5, 1)
    told = explained(caught.value)
    assert says in told.message
    assert told.message.endswith("legal here: roll 6 dice, enter a turn of Ben")
    assert (told.line, told.index) == (5, 1)
    assert isinstance(told, MalformedEvent)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("seen 1 Anna 6 6", "a colon is wanted"),
        ("seen soon Anna: 6", "a time in seconds"),
        ("seen 1.0000000001 Anna: 6", "a time in seconds"),
        ("seen 1 Anna, Ben: 6", "one name is wanted"),
        ("seen 1 Anna: 8", "got '8'"),
        ("claimed 1", "one name is wanted"),
        ("go", "a time in seconds"),
        ("rolled 1 1 1", "'rolled' is no event of this game"),
    ],
)
def test_a_line_of_tenzi_that_is_no_event(line: str, says: str) -> None:
    with pytest.raises(BadLine) as caught:
        parse(f"game tenzi\nplayers Anna, Ben\n{line}\n")
    told = explained(caught.value)
    assert says in told.message
    assert told.message.endswith("legal here: go, seen, claimed, declared, stray, hand")


def test_the_first_fault_is_the_one_that_is_named() -> None:
    with pytest.raises(BadLine) as caught:
        parse(HEAD + "banked\ndance\n")
    with pytest.raises(IllegalEvent) as first:
        explained(caught.value)
    assert (first.value.line, first.value.index) == (3, 0)


def test_an_illegal_event_is_named_by_its_line_and_its_place() -> None:
    with pytest.raises(IllegalSelection) as caught:
        played(parse(HEAD + "# look:\nrolled 1 2 3 4 6 6\nset_aside 2\nbanked"))
    assert (caught.value.line, caught.value.index) == (5, 1)
    assert "legal here: set aside 1" in str(caught.value)
    with pytest.raises(IllegalEvent) as unplaced:
        played(Game(players=("Anna", "Ben"), events=(Banked(),)))
    assert (unplaced.value.line, unplaced.value.index) == (None, 0)


@pytest.mark.parametrize(
    "document",
    [
        {"game": "farkle", "players": ["A"], "events": [], "preset": 3},
        {"game": "farkle", "players": [3], "events": []},
        {"game": "farkle", "players": ["A"], "events": [["dance"]]},
        {"game": "tenzi", "players": ["A"], "events": [["dance"]]},
    ],
)
def test_a_document_that_is_no_game(document: dict[str, Any]) -> None:
    with pytest.raises(RulesError):
        from_document(document)


def test_whatever_a_title_is_if_not_a_text_it_is_left_out() -> None:
    assert from_document({"game": "farkle", "title": 3, "players": [], "events": []}).title == ""


def test_the_examples_of_the_document_are_true() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "notation.md").read_text(encoding="utf-8")
    game, house = re.findall(r"```(?:toml)?\n(.*?)```", text, re.DOTALL)
    outcome = played(parse(game))
    assert outcome.failed == ()
    assert outcome.board["totals"] == {"Anna": 1400, "Ben": 0}
    assert parse_preset("friday", house).rules == preset("tiotusen").replace(opening=350, n_flat={"4": 1200})
