"""Screens, panels and buses: right pixels on the wires, faults said once, the game goes on."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from PIL import Image

from benchmarks.scripted_evening import Evening, session_of
from device.cli import main
from device.commands import display as commands
from device.commands.display import SHOTS
from device.displays.bus import buses, probe, scan
from device.displays.choose import open_display
from device.displays.examples import EXAMPLES, example
from device.displays.panel import PanelDisplay, PanelPlace, panel_place
from device.displays.patient import RETRY_S, PatientDisplay
from device.displays.pattern import pattern
from device.displays.recording import RecordingDisplay
from device.displays.scoreboard import render
from device.displays.screen import Screen, ScreenDisplay
from device.displays.several import open_displays
from device.displays.small import render_small
from device.displays.terminal import one_line
from device.displays.view import Display, ScoreView
from device.errors import BadInput, DeviceFailed
from device.store import open_writer
from device.wording import LANGUAGES, check_language, told, untold, word

pytestmark = pytest.mark.filterwarnings("ignore:Image.Image.getdata is deprecated")  # luma.oled 3.16 uses it
GOLDEN = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "displays"


# Pictures


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("moment", ["turn", "unsure"])
@pytest.mark.parametrize(("size", "one_bit"), SHOTS)
def test_the_pictures_of_the_documentation_are_what_is_drawn(
    size: tuple[int, int], one_bit: bool, moment: str, language: str
) -> None:
    drawn = render(example(moment), size, language=language, one_bit=one_bit)
    with Image.open(GOLDEN / f"{moment}-{size[0]}x{size[1]}-{language}.png") as golden:
        assert golden.size == size
        apart = np.abs(np.asarray(drawn, float) - np.asarray(golden.convert("RGB"), float))
    # Another version of Pillow may smooth an edge differently; a word or a die elsewhere is more than that.
    assert apart.mean() < (6.0 if one_bit else 1.5)


@pytest.mark.parametrize("moment", EXAMPLES)
@pytest.mark.parametrize("players", [2, 8])
@pytest.mark.parametrize("size", [(128, 64), (160, 128), (240, 240)])
def test_every_moment_fits_every_size(size: tuple[int, int], players: int, moment: str) -> None:
    picture = render(example(moment, players=players), size, language="sv", one_bit=size == (128, 64))
    assert picture.size == size
    assert len(picture.getcolors(1 << 24) or ()) >= 2
    if size == (128, 64):
        assert set(picture.tobytes()) == {0, 255}


def test_the_largest_screen() -> None:
    assert render(example("unsure", players=8), (3840, 2160)).size == (3840, 2160)


def ink(picture: Image.Image, box: tuple[int, int, int, int]) -> float:
    """How much of a box is lit, 0..1."""
    return float((np.asarray(picture.crop(box).convert("L")) > 127).mean())


def test_eight_players_all_have_their_row_on_the_smallest_panel() -> None:
    view = example("turn", players=8)
    picture = render_small(view, (128, 64), one_bit=True)
    rows = [ink(picture, (x, y, x + 62, y + 12)) for x in (0, 64) for y in (13, 26, 39, 52)]
    assert min(rows) > 0.08  # letters in each
    assert rows[1] > 0.5  # the second player is to act: inverted
    others = [share for seat, share in enumerate(rows) if seat != 1]
    assert max(others) < 0.5


def test_every_fact_changes_the_smallest_picture() -> None:
    views = [example(moment, players=players) for moment in EXAMPLES for players in (2, 3, 8)]
    pictures = [render(view, (128, 64), one_bit=True).tobytes() for view in views]
    # The question takes the whole panel, whoever plays.
    assert len(set(pictures)) == len(views) - 2


@pytest.mark.parametrize("size", [(240, 240), (128, 64)])
def test_moments_and_the_die_in_question_are_seen(size: tuple[int, int]) -> None:
    one_bit = size == (128, 64)
    plain: Mapping[str, object]
    for moment, plain in (
        ("bust", {"moment": ""}),
        ("hot", {"moment": ""}),
        ("unsure", {"die_picture": b""}),
        ("unsure", {"die_picture": b"no picture"}),
    ):
        view = example(moment)
        without = replace(view, **plain)
        assert (
            render(view, size, one_bit=one_bit).tobytes() != render(without, size, one_bit=one_bit).tobytes()
        )


def test_examples_that_do_not_exist_are_one_sentence() -> None:
    for arguments in (("none", 2), ("turn", 0), ("turn", 99)):
        with pytest.raises(BadInput, match="no example"):
            example(arguments[0], players=arguments[1])


# Languages


def test_all_that_a_game_says_is_told_in_swedish(tmp_path: Path) -> None:
    said: set[str] = set()
    with open_writer(tmp_path) as store:
        for seed in range(2):
            display = RecordingDisplay()
            evening = Evening(session_of(store, display)[0], Random(seed))
            steps = 0
            while steps < 150 and evening.step():
                steps += 1
            said |= {text for view in display.views for text in (view.message, view.question)}
    assert len(said) > 50
    assert {phrase for text in said for phrase in untold(text)} == set()
    assert not any(" dice" in told(text, "sv") or "throw" in told(text, "sv") for text in said)


@pytest.mark.parametrize(
    ("english", "swedish"),
    [
        ("Farkle! Anna loses 650. Ben: throw 6 dice.", "Farkle! Anna förlorar 650. Ben: kasta 6 tärningar."),
        ("Ben: throw one die, or bank.", "Ben: kasta en tärning, eller spara."),
        ("Anna and Ben share the win with 10 000 points.", "Anna och Ben delar segern med 10 000 poäng."),
        (
            "Die 4 leans; a die counts only when it lies flat. throw it again (f: say what it shows)",
            "Tärning 4 lutar; en tärning räknas bara när den ligger plant. "
            "kasta om den (f: säg vad den visar)",
        ),
        ("f: say what it shows, u: undo", "f: säg vad den visar, u: ångra"),
        ("1: hot dice, 2: Anna has banked", "1: heta tärningar, 2: Anna har sparat"),
        ("Something nobody knows.", "Something nobody knows."),
        ("", ""),
    ],
)
def test_sentences(english: str, swedish: str) -> None:
    assert told(english, "sv") == swedish
    assert told(english, "en") == english


def test_words_and_languages() -> None:
    assert word("last {0}", "en", "+50") == "last +50"
    assert word("last {0}", "sv", "+50") == "senast +50"
    assert check_language("sv") == "sv"
    with pytest.raises(BadInput, match="no language 'de'"):
        check_language("de")
    assert "tur 350" in one_line(example("turn"), language="sv")
    assert "behåll" in one_line(example("turn"), language="sv")


# The screen


@pytest.fixture
def dummy_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.usefixtures("dummy_screen")
def test_a_screen_shows_the_scoreboard() -> None:
    import pygame

    screen = Screen((320, 240), language="sv")
    try:
        screen.draw(example("turn"))
        surface = pygame.display.get_surface()
        assert surface is not None
        shown = pygame.image.tobytes(surface, "RGB")
        assert shown == render(example("turn"), (320, 240), language="sv").tobytes()
        assert not pygame.mouse.get_visible()
        screen.look_again()
        assert screen.drawn == 2
    finally:
        screen.close()
        screen.close()


@pytest.mark.usefixtures("dummy_screen")
def test_a_keyboard_at_the_screen_is_heard() -> None:
    import pygame

    screen = Screen((320, 240))
    try:
        for event in (
            pygame.event.Event(pygame.KEYDOWN, key=pygame.K_b, unicode="b"),
            pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F1, unicode=""),
            pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE, unicode="\x1b"),
            pygame.event.Event(pygame.QUIT),
        ):
            pygame.event.post(event)
        assert screen.keys() == "bqq"
    finally:
        screen.close()


class FakeScreen:
    """Remembers what it was told, and fails when asked to."""

    def __init__(self, size: tuple[int, int] | None = None, *, language: str = "en") -> None:
        self.views: list[ScoreView] = []
        self.language = language
        self.closed = False
        self.broken = False
        self.typed = "b"

    def draw(self, view: ScoreView) -> None:
        if self.broken:
            raise DeviceFailed("the screen is gone")
        self.views.append(view)

    def keys(self) -> str:
        typed, self.typed = self.typed, ""
        return typed

    def look_again(self) -> None:
        """Nothing to see."""

    def close(self) -> None:
        self.closed = True


def test_the_screen_has_its_own_thread_and_the_last_view_wins() -> None:
    made: list[FakeScreen] = []

    def opened(size: tuple[int, int] | None, language: str) -> Screen:
        made.append(FakeScreen(size, language=language))
        return made[-1]  # type: ignore[return-value]  # it does what the thread asks of it

    display = ScreenDisplay((320, 240), language="sv", open_screen=opened)
    for moment in EXAMPLES:
        display.show(example(moment))
    display.close()
    display.close()
    assert made[0].views[-1] == example(list(EXAMPLES)[-1])
    assert made[0].language == "sv"
    assert made[0].closed
    with pytest.raises(DeviceFailed, match="closed"):
        display.show(example("turn"))


def test_a_screen_that_is_not_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "kmsdrm")
    with pytest.raises(DeviceFailed, match="no screen to draw on") as caught:
        ScreenDisplay()
    assert "\n" not in str(caught.value)
    with pytest.raises(BadInput, match="800x480"):
        open_display("screen:wide")


# Panels


class FakeBus:
    """An I2C bus with an OLED: keeps what was written into its picture memory."""

    def __init__(self, *addresses: int) -> None:
        self.addresses = addresses
        self.memory: list[int] = []
        self.closed = False
        self.broken = False

    def read_byte(self, address: int) -> int:
        if address not in self.addresses:
            raise OSError(121, "Remote I/O error")
        return 0

    def write_i2c_block_data(self, address: int, register: int, data: Sequence[int]) -> None:
        if self.broken or address not in self.addresses:
            raise OSError(121, "Remote I/O error")
        if register == 0x40:
            self.memory += data

    def close(self) -> None:
        self.closed = True


def shown_on(bus: FakeBus) -> np.ndarray:
    """The picture of an SSD1306: a byte is a column of eight pixels, the lowest bit on top."""
    pages = np.array(bus.memory[-1024:], np.uint8).reshape(8, 128)
    return np.unpackbits(pages[:, :, None], axis=2, bitorder="little").transpose(0, 2, 1).reshape(64, 128)


def oled(bus: FakeBus, **options: object) -> PanelDisplay:
    from luma.core.interface.serial import i2c

    place = PanelPlace("ssd1306", (128, 64), **options)  # type: ignore[arg-type]  # a test names them by text
    return PanelDisplay(place, open_serial=lambda each: i2c(bus=bus, address=each.address or 0x3C))


def test_the_right_pixels_reach_an_oled() -> None:
    bus = FakeBus(0x3C)
    display = oled(bus)
    display.show(example("turn"))
    wanted = np.asarray(render(example("turn"), (128, 64), one_bit=True).convert("1"), np.uint8)
    assert (shown_on(bus) == wanted).all()
    display.show_pattern()
    assert (shown_on(bus)[0] == 1).all()
    assert (shown_on(bus)[:, 127] == 1).all()
    display.close()
    display.close()
    assert shown_on(bus).any()  # the last picture stays
    with pytest.raises(DeviceFailed, match="closed"):
        display.show(example("turn"))


def test_a_panel_can_be_turned() -> None:
    bus = FakeBus(0x3C)
    display = oled(bus, rotate=1)
    assert display.size == (64, 128)
    display.show(example("turn"))
    assert shown_on(bus).any()


class FakePins:
    """GPIO as luma uses it."""

    def __getattr__(self, name: str) -> object:
        return 1 if name.isupper() else lambda *values, **named: None


class FakeSpi:
    """An SPI bus that keeps the bytes."""

    def __init__(self) -> None:
        self.sent = bytearray()
        self.gpio = FakePins()
        self.max_speed_hz = self.mode = self.cshigh = 0

    def command(self, *values: int) -> None:
        self.sent.clear()

    def data(self, values: Sequence[int]) -> None:
        self.sent += bytes(values)

    def cleanup(self) -> None:
        """Nothing to clean up."""


def test_the_right_pixels_reach_an_lcd() -> None:
    wires = FakeSpi()
    display = PanelDisplay(panel_place("st7789"), language="sv", open_serial=lambda place: wires)
    display.show(example("turn"))
    assert bytes(wires.sent) == render(example("turn"), (240, 240), language="sv").tobytes()
    display.close()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ssd1307", "do you mean"),
        ("projector", "use one of"),
        ("ssd1306,colour=red", "is no option"),
        ("ssd1306,rotate=5", "from 0 to 3"),
        ("ssd1306,address=here", "address=here"),
        ("st7789,size=big", "240x240"),
    ],
)
def test_panels_that_make_no_sense_are_one_sentence(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        panel_place(text)
    assert "\n" not in str(caught.value)


def test_where_a_panel_is() -> None:
    place = panel_place("ST7789, dc=9, light=19, size=240x320, rotate=3")
    assert (place.chip, place.dc, place.light, place.size, place.rotate) == ("st7789", 9, 19, (240, 320), 3)
    assert panel_place("ssd1306,address=0x3d").address == 0x3D


@pytest.mark.parametrize("name", ["panel:ssd1306", "panel:st7789"])
def test_a_panel_that_is_not_there_is_one_sentence(name: str) -> None:
    with pytest.raises(DeviceFailed) as caught:
        open_display(name)
    assert "\n" not in str(caught.value)
    assert "raspi-config" in str(caught.value) or "apt install" in str(caught.value)


def test_patterns_differ_by_size_and_touch_every_edge() -> None:
    for size, one_bit in SHOTS:
        picture = np.asarray(pattern(size, one_bit=one_bit).convert("L"))
        assert picture[0].min() == picture[-1].min() == 255
        assert picture[:, 0].min() == picture[:, -1].min() == 255


# The bus


def test_a_bus_is_scanned_and_an_address_proposed() -> None:
    bus = FakeBus(0x27, 0x3D)
    found = scan([1], lambda number: bus)
    assert [each.address for each in found] == [0x27, 0x3D]
    assert found[0].display == ""
    assert "not supported" in found[0].meaning
    assert found[1].display == "panel:ssd1306,address=0x3d"
    assert bus.closed
    assert scan([3], lambda number: FakeBus(0x3C))[0].display == "panel:ssd1306,address=0x3c,bus=3"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (FileNotFoundError(2, "No such file"), "switch it on"),
        (PermissionError(13, "denied"), "group i2c"),
        (ImportError("no smbus2"), "python3-smbus2"),
    ],
)
def test_a_bus_that_cannot_be_used_is_one_sentence(error: Exception, says: str) -> None:
    def refuse(number: int) -> object:
        raise error

    with pytest.raises(DeviceFailed, match=says) as caught:
        probe(1, refuse)
    assert "\n" not in str(caught.value)


def test_buses_are_found_by_their_names(tmp_path: Path) -> None:
    for name in ("i2c-1", "i2c-20", "i2c-x", "spidev0.0"):
        (tmp_path / name).write_text("")
    assert buses(tmp_path) == (1, 20)
    assert buses(tmp_path / "none") == ()


# Missing and back again


def test_a_display_that_goes_is_said_once_and_comes_back() -> None:
    bus = FakeBus(0x3C)
    said: list[str] = []
    now = [0.0]
    display = PatientDisplay("panel:ssd1306", lambda: oled(bus), clock_s=lambda: now[0], say=said.append)
    display.show(example("turn"))
    bus.broken = True
    for step in range(40):  # twenty seconds of a game
        now[0] = 0.5 * step
        display.show(example("turn"))
    assert len(said) == 1
    assert "the game goes on without it" in said[0]
    assert not display.there
    bus.broken = False
    now[0] += RETRY_S
    before = len(bus.memory)
    display.show(example("bust"))
    assert display.there
    assert len(bus.memory) > before
    assert said[1] == "the display panel:ssd1306 is back"
    display.close()


def test_a_display_that_is_missing_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Display] = []

    def missing() -> Display:
        if not opened:
            opened.append(RecordingDisplay())
            raise DeviceFailed("there is no screen")
        return opened[0]

    said: list[str] = []
    now = [0.0]
    display = PatientDisplay("screen", missing, strict=False, clock_s=lambda: now[0], say=said.append)
    display.show(example("turn"))
    now[0] = RETRY_S
    display.show(example("turn"))
    assert said == ["there is no screen; the game goes on without it", "the display screen is back"]
    opened.clear()
    with pytest.raises(DeviceFailed):
        PatientDisplay("screen", missing)


@pytest.mark.usefixtures("dummy_screen")
def test_several_displays_with_hardware_among_them(tmp_path: Path) -> None:
    display = open_displays(
        ["screen:320x240", "panel:ssd1306", f"picture:{tmp_path / 'board.png'}@240x240"],
        language="sv",
        patient=True,
    )
    display.show(example("turn"))
    display.close()
    with Image.open(tmp_path / "board.png") as board:
        assert board.convert("RGB").tobytes() == render(example("turn"), (240, 240), language="sv").tobytes()
    with pytest.raises(DeviceFailed):
        open_displays(["none", "panel:ssd1306"])


# The commands


def test_pictures_of_every_size_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "SHOTS", SHOTS[2:])
    assert main(["display", "shots", str(tmp_path), "--players", "8"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(list(tmp_path.iterdir())) == 2 * 2 * 2


@pytest.mark.usefixtures("dummy_screen")
def test_a_display_is_tried(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["display", "test", "screen:320x240", "--seconds", "0", "--score", "bust"]) == 0
    assert main(["display", "test", "screen:320x240", "--score", "nothing"]) == 2
    assert main(["display", "test", "beamer"]) == 2
    assert main(["display", "test", "panel:ssd1306"]) == 3
    assert "beamer" in capsys.readouterr().err


def test_a_scan_without_a_bus(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import device.displays.bus as bus

    monkeypatch.setattr(bus, "buses", lambda: ())
    assert main(["display", "scan"]) == 3
    monkeypatch.setattr(bus, "buses", lambda: (1,))
    monkeypatch.setattr(bus, "_smbus", lambda number: FakeBus(0x3C))
    assert main(["display", "scan", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["display"] == "panel:ssd1306,address=0x3c"
    monkeypatch.setattr(bus, "_smbus", lambda number: FakeBus())
    assert main(["display", "scan"]) == 1
    assert "check the wires" in capsys.readouterr().out


def test_the_die_in_question_is_a_picture() -> None:
    with Image.open(io.BytesIO(example("unsure").die_picture)) as die:
        assert die.size == (64, 64)
