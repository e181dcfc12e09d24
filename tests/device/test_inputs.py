"""Buttons, lights, keypads: one press is one press, what is missing is one sentence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from device.displays.examples import example
from device.errors import BadInput, DeviceFailed
from device.inputs.actions import key_of, pin_actions
from device.inputs.buttons import Buttons, Lights
from device.inputs.debounce import BOUNCE_NS, Debouncer
from device.inputs.joined import JoinedKeys, ScreenKeys
from device.inputs.keypad import EVENT, LOOK_S, Keypad, keyboards
from device.inputs.opening import light_pins, open_inputs, open_lights
from device.inputs.wanted import InputsWanted
from device.sim import ScriptedKeys

MS = 1_000_000


@pytest.fixture
def pins() -> Iterator[MockFactory]:
    before = Device.pin_factory
    factory = MockFactory()
    Device.pin_factory = factory
    yield factory
    factory.close()
    Device.pin_factory = before


# Debouncing


def presses(*edges: tuple[int, bool]) -> list[int]:
    """The times in milliseconds of presses among edges (time, down)."""
    debouncer = Debouncer()
    return [ms for ms, down in edges if debouncer.edge(17, down=down, t_ns=ms * MS)]


def test_the_first_contact_counts_at_once_and_bouncing_does_not() -> None:
    assert presses((100, True), (101, False), (103, True), (104, False), (106, True), (300, False)) == [100]


def test_chatter_at_letting_go_is_no_press() -> None:
    assert presses((100, True), (400, False), (402, True), (405, False), (430, True), (440, False)) == [100]


def test_two_quick_presses_are_two() -> None:
    assert presses((100, True), (160, False), (220, True), (290, False)) == [100, 220]


def test_a_button_that_stayed_down_through_its_bounce_can_be_pressed_again() -> None:
    assert presses((100, True), (102, False), (104, True), (500, False), (600, True)) == [100, 600]


def test_buttons_do_not_silence_each_other() -> None:
    debouncer = Debouncer()
    assert debouncer.edge(5, down=True, t_ns=0)
    assert debouncer.edge(6, down=True, t_ns=1 * MS)
    assert BOUNCE_NS > 20 * MS


# GPIO


def test_buttons_deliver_their_keys_in_order(pins: MockFactory) -> None:
    now = [0]
    buttons = Buttons({17: "b", 27: "u"}, clock_ns=lambda: now[0])
    for t_ms, number, down in (
        (0, 17, True),
        (1, 17, False),
        (2, 17, True),  # bounces
        (90, 17, False),
        (200, 27, True),
        (300, 27, False),
        (400, 17, True),
    ):
        now[0] = t_ms * MS
        pin = pins.pin(number)
        pin.drive_low() if down else pin.drive_high()
    assert buttons.poll(0) == "bub"
    assert buttons.poll(0) == ""
    buttons.close()
    buttons.close()
    assert buttons.wait() == ""


def test_a_pin_can_have_one_use(pins: MockFactory) -> None:
    first = Buttons({17: "b"})
    with pytest.raises(DeviceFailed, match="a pin of its own"):
        Buttons({17: "u"})
    first.close()
    Buttons({17: "u"}).close()


def test_lights_show_whose_turn_it_is(pins: MockFactory) -> None:
    lights = Lights({"ask": 16, "bank": 20, "player1": 5, "player2": 6})
    lit = {}
    for moment in ("turn", "unsure", "won"):
        lights.show(example(moment))
        lit[moment] = [int(pins.pin(number).state) for number in (16, 20, 5, 6)]
    assert lit == {"turn": [0, 1, 0, 1], "unsure": [1, 0, 0, 1], "won": [0, 0, 1, 0]}
    lights.close()
    lights.close()
    assert all(
        pins.pin(number).state == 0 for number in (5, 6, 16, 20) if pins.pin(number).function == "output"
    )


def test_no_pins_on_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "pin_factory", None)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "native")
    with pytest.raises(DeviceFailed) as caught:
        Buttons({17: "b"})
    assert "\n" not in str(caught.value)


# Keypads


def pressed(*codes: int) -> bytes:
    """What the kernel sends for keys that are pressed, held and let go."""
    return b"".join(
        EVENT.pack(0, 0, kind, code, value)
        for code in codes
        for kind, value in ((4, code), (1, 1), (0, 0), (1, 2), (1, 0), (0, 0))
    )


class Plug:
    """A keypad as a named pipe, which can be pulled out."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self.writer = os.open(path, os.O_RDWR)

    def send(self, data: bytes) -> None:
        os.write(self.writer, data)


def test_a_keypad_delivers_its_keys(tmp_path: Path) -> None:
    plug = Plug(tmp_path / "usb-event-kbd")
    keypad = Keypad(find=lambda: (plug.path,))
    plug.send(pressed(96, 79, 14))  # Enter, 1, Backspace
    assert keypad.poll(0) == "b1u"
    assert keypad.poll(0) == ""
    half = pressed(98)  # an event comes in two pieces
    plug.send(half[:30])
    assert keypad.poll(0) == ""
    plug.send(half[30:])
    assert keypad.wait() == "r"
    plug.send(pressed(16, 30))  # q, and a letter without a meaning
    assert keypad.poll(0) == ""
    keypad.close()
    keypad.close()
    assert keypad.wait() == ""
    os.close(plug.writer)


def test_a_keypad_that_is_plugged_in_later_is_found(tmp_path: Path) -> None:
    now = [0.0]
    keypad = Keypad(find=lambda: keyboards(tmp_path), clock_s=lambda: now[0])
    assert keypad.poll(0) == ""
    plug = Plug(tmp_path / "platform-usb-event-kbd")
    now[0] = LOOK_S
    assert keypad.poll(0) == ""
    plug.send(pressed(80))
    assert keypad.poll(0) == "2"
    (tmp_path / "not-a-keyboard-event-mouse").write_text("")
    assert keyboards(tmp_path) == (plug.path,)
    assert keyboards(tmp_path / "none") == ()
    keypad.close()
    os.close(plug.writer)


def test_a_keypad_that_may_not_be_read_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, flags: int) -> int:
        raise PermissionError(13, "denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(DeviceFailed, match="group input"):
        Keypad(find=lambda: (tmp_path / "a-event-kbd",))


# Names, and all together


def test_actions_by_name() -> None:
    assert [key_of(name) for name in ("bank", "Undo", "claim8", "9", "x")] == ["b", "u", "8", "9", "x"]
    assert pin_actions(("17=bank", "gpio27=undo")) == {17: "b", 27: "u"}
    assert light_pins(("16=ask", "5=player1")) == {"ask": 16, "player1": 5}


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (("17=bnak",), "do you mean bank"),
        (("17",), "as in 17=bank"),
        (("28=bank",), "GPIO 0 to 27"),
        (("17=bank", "17=undo"), "two actions"),
        (("17=somersault",), "no action"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(texts: tuple[str, ...], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        pin_actions(texts)
    with pytest.raises(BadInput, match="--light"):
        light_pins(("16=disco",))


def test_several_sources_are_one() -> None:
    typed = ["", "7"]
    joined = JoinedKeys(
        [ScriptedKeys({10: "b"}), ScriptedKeys({20: "u"}), ScreenKeys(lambda: typed.pop() if typed else "")],
        pause=lambda seconds: None,
    )
    assert joined.poll(10) == "b7"
    assert joined.wait() == "u"
    joined.close()
    joined.close()
    assert joined.wait() == ""


def test_opening_what_is_wanted(pins: MockFactory) -> None:
    assert open_inputs(InputsWanted()) is None
    assert open_lights(InputsWanted()) is None
    keys = open_inputs(InputsWanted(buttons=("17=bank",)))
    assert isinstance(keys, Buttons)
    keys.close()
    lights = open_lights(InputsWanted(lights=("16=ask",)))
    assert lights is not None
    lights.show(example("unsure"))
    assert pins.pin(16).state
    lights.close()
    taken = Buttons({17: "b"})
    with pytest.raises(DeviceFailed):
        open_inputs(InputsWanted(buttons=("17=bank",)))
    assert open_inputs(InputsWanted(buttons=("17=bank",), patient=True)) is None
    taken.close()
