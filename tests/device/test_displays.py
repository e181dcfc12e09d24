"""Displays: legible at every size, never overlapping, plain on a pipe, whole files only."""

from __future__ import annotations

import io
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from device.displays import palette
from device.displays.choose import open_display
from device.displays.dice_art import die_picture
from device.displays.layout import arrange
from device.displays.picture import PictureDisplay
from device.displays.recording import NullDisplay, RecordingDisplay
from device.displays.scoreboard import render, total_size
from device.displays.several import SeveralDisplays, open_displays
from device.displays.terminal import TerminalDisplay, one_line
from device.displays.text import cap_height, fitting_size, shortened, text_width
from device.displays.view import DieSeen, Display, PlayerLine, ScoreView, gain_text, points_text
from device.errors import BadInput, DeviceFailed

SIZES = ((320, 240), (480, 320), (800, 480), (480, 800), (1024, 600), (1280, 720), (1920, 1080))
NAMES = ("Anna", "Ben", "Cara Lindström", "Daniel", "Eve", "Maximiliane-Theodora", "Gus", "Åke")


def view_of(players: int = 2, **changes: object) -> ScoreView:
    lines = tuple(PlayerLine(name, 10250 - 700 * seat, 450) for seat, name in enumerate(NAMES[:players]))
    fields: dict[str, object] = {
        "title": "Farkle",
        "players": lines,
        "active": 0,
        "target": 10000,
        "turn_points": 350,
        "roll_points": 600,
        "dice": (DieSeen(1, kept=True), *(DieSeen(face) for face in (2, 3, 4, 5, 6))),
        "message": "Anna: keep what scores and throw on, or pass the dice.",
    }
    return ScoreView(**(fields | changes))  # type: ignore[arg-type]  # a test names fields by text


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("players", [1, 2, 3, 5, 8])
def test_nothing_overlaps_and_all_lies_inside(size: tuple[int, int], players: int) -> None:
    layout = arrange(size, players)
    boxes = [layout.header, *layout.tiles, layout.turn, layout.dice, layout.message]
    assert len(layout.tiles) == players
    for box in boxes:
        assert box.x >= 0
        assert box.y >= 0
        assert box.right <= size[0]
        assert box.bottom <= size[1]
        assert box.w > 8
        assert box.h > 8
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("players", "share"), [(2, 0.09), (4, 0.06), (8, 0.05)])
def test_totals_are_large_enough(size: tuple[int, int], players: int, share: float) -> None:
    # Read from 3 m a digit wants 14 mm (16 minutes of arc): 5 % of a screen that is 280 mm high, 9 % of one
    # that is 155 mm high.
    digits = cap_height(total_size(view_of(players), arrange(size, players)))
    assert digits >= share * min(size)


@pytest.mark.parametrize("size", SIZES)
def test_pictures_have_the_size_asked_for(size: tuple[int, int]) -> None:
    for players in (2, 8):
        assert render(view_of(players), size).size == size


@pytest.mark.parametrize("size", [(0, 100), (63, 480), (800, 9000)])
def test_sizes_that_make_no_sense_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(BadInput, match="pixels wide and high"):
        render(view_of(), size)


def test_every_fact_changes_the_picture() -> None:
    """What a display is told can be seen: no two different views look the same."""
    views = [
        view_of(),
        view_of(active=1),
        view_of(active=None, phase="finished"),
        view_of(turn_points=400),
        view_of(roll_points=0),
        view_of(roll_points=None),
        view_of(message="Ben: throw 6 dice."),
        view_of(question="Die 4 cannot be read."),
        view_of(phase="final_round"),
        view_of(target=5000),
        view_of(dice=()),
        view_of(players=3),
    ]
    pictures = [render(view, (480, 320)).tobytes() for view in views]
    assert len(set(pictures)) == len(views)


def test_every_die_looks_different_in_grey_too() -> None:
    """Colour is never the only mark."""
    dice = [DieSeen(face) for face in range(1, 7)]
    dice += [DieSeen(None, sure=False), DieSeen(None, cocked=True)]
    pictures = [np.asarray(die_picture(die, 40).convert("L"), float) for die in dice]
    for one, other in combinations(pictures, 2):
        assert np.abs(one - other).mean() > 2.0


def test_a_face_that_is_not_sure_is_never_drawn_as_pips() -> None:
    unsure = die_picture(DieSeen(5, sure=False), 40).tobytes()
    assert unsure == die_picture(DieSeen(None, sure=False), 40).tobytes()
    assert unsure != die_picture(DieSeen(5), 40).tobytes()


@pytest.mark.parametrize(
    ("ink", "paper"),
    [
        (palette.TEXT, palette.TILE),
        (palette.TEXT, palette.PANEL),
        (palette.TEXT, palette.BACKGROUND),
        (palette.QUIET, palette.TILE),
        (palette.ON_ACTIVE, palette.ACTIVE),
        (palette.QUIET_ON_ACTIVE, palette.ACTIVE),
        (palette.ON_ASK, palette.ASK),
        (palette.KEPT, palette.PANEL),
        (palette.PIP, palette.DIE),
    ],
)
def test_text_stands_out(ink: palette.Colour, paper: palette.Colour) -> None:
    assert palette.contrast(ink, paper) >= 4.5  # WCAG 2.1, level AA


def test_contrast_is_that_of_the_standard() -> None:
    assert palette.contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21.0)
    assert palette.contrast((255, 255, 255), (119, 119, 119)) == pytest.approx(4.48, abs=0.01)


def test_text_fits_and_is_cut_where_it_cannot() -> None:
    size = fitting_size("10 250", 200, 60, bold=True)
    assert text_width("10 250", size, bold=True) <= 200
    assert text_width("10 250", size + 1, bold=True) > 200 or cap_height(size + 1) > 60
    assert shortened("Maximiliane-Theodora", 20, 100).endswith("…")
    assert text_width(shortened("Maximiliane-Theodora", 20, 100), 20) <= 100
    assert shortened("Ben", 20, 100) == "Ben"


@pytest.mark.parametrize("name", ["Åke", "Zoë", "Ñandú", "Łukasz", "Søren", "Ærø", "Çağrı", "Šárka", "Ōta"])
def test_letters_with_accents_are_drawn(name: str) -> None:
    """No empty box or question mark in place of a letter: the picture differs from that of "?"."""
    lines = [PlayerLine(name, 0), PlayerLine("Ben", 0)]
    asked = [PlayerLine("?" * len(name), 0), PlayerLine("Ben", 0)]
    assert render(_board(lines), (480, 320)).tobytes() != render(_board(asked), (480, 320)).tobytes()
    from device.displays.text import _glyphs

    assert "?" not in {base for base, _ in _glyphs(name)}


def _board(lines: list[PlayerLine]) -> ScoreView:
    return ScoreView("Farkle", tuple(lines))


def test_points_are_written_as_people_do() -> None:
    assert points_text(10250) == "10 250"
    assert points_text(-1000) == "−1 000"
    assert gain_text(0) == "0"
    assert gain_text(50) == "+50"


# The terminal


def test_a_pipe_gets_one_line_a_change() -> None:
    out = io.StringIO()
    display = TerminalDisplay(Console(file=out, width=400))
    display.show(view_of())
    display.show(view_of())
    display.show(view_of(question="Die 4 cannot be read."))
    display.close()
    display.close()
    lines = out.getvalue().splitlines()
    assert lines == [one_line(view_of()), one_line(view_of(question="Die 4 cannot be read."))]
    assert ">Anna 10 250  Ben 9 550" in lines[0]
    assert "[1] 2 3 4 5 6" in lines[0]
    assert "? Die 4 cannot be read." in lines[1]


def test_a_terminal_shows_everything_and_is_given_back() -> None:
    out = io.StringIO()
    display = TerminalDisplay(Console(file=out, force_terminal=True, width=80), hint="b bank")
    display.show(view_of(players=8, question="Die 4 cannot be read."))
    display.close()
    text = out.getvalue()
    for word in (*NAMES[:5], "10 250", "this turn 350", "Die 4 cannot be read.", "b bank", "[1]"):
        assert word in text
    assert text.rstrip().endswith("\x1b[?25h")  # the cursor is shown again


def test_markup_in_a_name_is_only_a_name() -> None:
    out = io.StringIO()
    display = TerminalDisplay(Console(file=out, force_terminal=True, width=80))
    display.show(_board([PlayerLine("[red]Eve[/red]", 0), PlayerLine("Ben", 0)]))
    display.close()
    assert "[red]Eve[/red]" in out.getvalue()


# The picture file


def test_the_picture_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "board.png"
    display = PictureDisplay(path, (320, 240))
    assert not path.exists()
    display.show(view_of())
    first = path.read_bytes()
    display.show(view_of(turn_points=400))
    assert path.read_bytes() != first
    assert [each.name for each in tmp_path.iterdir()] == ["board.png"]
    with Image.open(path) as picture:
        assert picture.size == (320, 240)
    display.close()
    display.close()
    with pytest.raises(DeviceFailed, match="closed"):
        display.show(view_of())


@pytest.mark.parametrize("name", ["board.png", "board.jpg", "board.webp"])
def test_picture_formats(tmp_path: Path, name: str) -> None:
    display = open_display(f"picture:{tmp_path / name}@400x300")
    display.show(view_of())
    with Image.open(tmp_path / name) as picture:
        assert picture.size == (400, 300)


def test_a_path_may_hold_an_at(tmp_path: Path) -> None:
    display = open_display(f"picture:{tmp_path / 'a@b.png'}")
    display.show(view_of())
    assert (tmp_path / "a@b.png").exists()


@pytest.mark.parametrize(
    "name", ["", "projector", "terminal:2", "picture:", "picture:board.xyz", "picture:/none/board.png"]
)
def test_displays_that_do_not_exist_are_one_sentence(name: str) -> None:
    with pytest.raises(BadInput) as caught:
        open_display(name)
    assert "\n" not in str(caught.value)


# Fakes and several at once


def test_the_recording_display_behaves_like_a_device() -> None:
    display = RecordingDisplay()
    with pytest.raises(DeviceFailed, match="not been shown"):
        _ = display.last
    display.show(view_of())
    assert display.last == view_of()
    display.close()
    display.close()
    with pytest.raises(DeviceFailed, match="closed"):
        display.show(view_of())


def test_one_that_fails_does_not_darken_the_others() -> None:
    broken, good = RecordingDisplay(), RecordingDisplay()
    broken.close()
    several: Display = SeveralDisplays([broken, good])
    with pytest.raises(DeviceFailed):
        several.show(view_of())
    several.show(view_of(turn_points=1))
    assert len(good.views) == 2
    several.close()
    assert good.closed


def test_displays_are_opened_by_name() -> None:
    display = open_displays(("none", "none"))
    display.show(view_of())
    display.close()
    assert isinstance(open_display("none"), NullDisplay)
