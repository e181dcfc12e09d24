"""Small panels on the pins of a Pi, through luma: OLEDs on I2C, colour LCDs on SPI.

panel:ssd1306                          128x64, black and white, I2C; its address is looked for
panel:sh1106,address=0x3d,rotate=2     turned by 180 degrees
panel:st7789,dc=25,rst=27,light=24     240x240 in colour, SPI; numbers of GPIO pins
panel:ili9341,size=320x240
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from PIL import Image

from device.displays.bus import probe
from device.displays.pattern import pattern
from device.displays.scoreboard import render
from device.displays.view import ScoreView
from device.errors import BadInput, DeviceFailed

_INSTALL = (
    "install it with: sudo apt install python3-luma.lcd python3-luma.oled, or pip install 'croupier[pi]'"
)


@dataclass(frozen=True, slots=True)
class PanelKind:
    """What is known of one controller chip."""

    bus: str
    """`i2c` or `spi`."""
    module: str
    """The module of luma that drives it."""
    size: tuple[int, int]
    """Usual width and height in pixels."""
    one_bit: bool
    """Whether its pixels are black or white."""


KINDS: Mapping[str, PanelKind] = {
    "ssd1306": PanelKind("i2c", "luma.oled.device", (128, 64), one_bit=True),
    "sh1106": PanelKind("i2c", "luma.oled.device", (128, 64), one_bit=True),
    "ssd1309": PanelKind("i2c", "luma.oled.device", (128, 64), one_bit=True),
    "st7789": PanelKind("spi", "luma.lcd.device", (240, 240), one_bit=False),
    "ili9341": PanelKind("spi", "luma.lcd.device", (320, 240), one_bit=False),
    "st7735": PanelKind("spi", "luma.lcd.device", (160, 128), one_bit=False),
}
"""Panels by the name of their controller chip, which is printed on the board or in the shop."""
OLED_ADDRESSES = (0x3C, 0x3D)
_NUMBERS = {"address": 0x77, "bus": 20, "device": 2, "rotate": 3, "dc": 27, "rst": 27, "light": 27}
"""Options that are numbers, and the largest that makes sense."""
_OPTIONS = (*_NUMBERS, "size")


@dataclass(frozen=True, slots=True)
class PanelPlace:
    """Which panel, and how it is connected."""

    chip: str
    """Name of the controller chip."""
    size: tuple[int, int]
    """Width and height in pixels, before turning."""
    rotate: int = 0
    """Quarter turns, 0..3."""
    address: int | None = None
    """I2C address, or None: looked for."""
    bus: int | None = None
    """Number of the bus; None: 1 for I2C, 0 for SPI."""
    device: int = 0
    """SPI chip select."""
    dc: int = 25
    """GPIO pin of the data/command line (SPI)."""
    rst: int = 27
    """GPIO pin of the reset line (SPI)."""
    light: int = 24
    """GPIO pin of the back light (SPI)."""

    @property
    def kind(self) -> PanelKind:
        """What is known of the chip."""
        return KINDS[self.chip]


def panel_place(text: str) -> PanelPlace:
    """Return what `CHIP,name=value,...` means.

    >>> panel_place("ssd1306,address=0x3d").address
    61

    Raises:
        BadInput: for a panel or option that does not exist.
    """
    chip, *options = (part.strip().lower() for part in text.split(","))
    if chip not in KINDS:
        near = get_close_matches(chip, KINDS, 1)
        raise BadInput(
            f"there is no panel {chip!r}; "
            + (f"do you mean {near[0]}?" if near else f"use one of {', '.join(KINDS)}")
        )
    found: dict[str, Any] = {"size": KINDS[chip].size}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals or name not in _OPTIONS:
            raise BadInput(
                f"panel {chip}: {option!r} is no option; use {', '.join(_OPTIONS)}, as in rotate=2"
            )
        found[name] = _size(chip, value) if name == "size" else _number(chip, name, value)
    return PanelPlace(chip, **found)


def _number(chip: str, name: str, value: str) -> int:
    try:
        number = int(value, 0)
    except ValueError:
        number = -1
    if not 0 <= number <= _NUMBERS[name]:
        raise BadInput(f"panel {chip}: {name}={value} should be a number from 0 to {_NUMBERS[name]}")
    return number


def _size(chip: str, value: str) -> tuple[int, int]:
    width, _, height = value.partition("x")
    if not (width.isdigit() and height.isdigit() and 64 <= int(width) <= 1024 and 32 <= int(height) <= 1024):
        raise BadInput(f"panel {chip}: size={value} should be the width and height in pixels, as in 240x240")
    return int(width), int(height)


OpenSerial = Callable[[PanelPlace], Any]
"""Opens the wires to a panel: an object of `luma.core.interface.serial`."""


class PanelDisplay:
    """Shows the score on a panel."""

    def __init__(
        self, place: PanelPlace, *, language: str = "en", open_serial: OpenSerial | None = None
    ) -> None:
        """Open the panel; `open_serial` takes the place of the real wires (fakes).

        Raises:
            DeviceFailed: luma or the panel is missing, or the user may not use the bus.
        """
        self._place = place
        self._language = language
        self._device: Any = None
        try:
            chip = getattr(import_module(place.kind.module), place.chip)
        except ImportError as error:
            raise DeviceFailed(
                f"the panel {place.chip} needs luma, which cannot be loaded ({error}); {_INSTALL}"
            ) from error
        with _PlainErrors(place):
            serial = (open_serial or _open_serial)(place)
            width, height = place.size
            extra = {} if place.kind.bus == "i2c" else {"gpio_LIGHT": place.light, "active_low": False}
            if open_serial is not None and extra:
                extra["gpio"] = serial.gpio  # a fake brings its own pins
            self._device = chip(serial, width=width, height=height, rotate=place.rotate, **extra)
            # What it shows stays when the program ends: the last score, not a dark panel.
            self._device.persist = True

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels as people see it, after turning."""
        return int(self._device.width), int(self._device.height)

    def show(self, view: ScoreView) -> None:
        """Show `view`.

        Raises:
            DeviceFailed: when the panel does not answer.
        """
        if self._device is None:
            raise DeviceFailed(f"the panel {self._place.chip} was closed; open it again")
        self.show_picture(render(view, self.size, language=self._language, one_bit=self._place.kind.one_bit))

    def show_pattern(self) -> None:
        """Show the test pattern."""
        self.show_picture(pattern(self.size, one_bit=self._place.kind.one_bit))

    def show_picture(self, picture: Image.Image) -> None:
        """Show an RGB picture of the panel's size."""
        with _PlainErrors(self._place):
            self._device.display(picture.convert(self._device.mode))

    def close(self) -> None:
        """Let go of the bus; the last score stays on the panel. Again does nothing."""
        device, self._device = self._device, None
        if device is not None:
            try:
                device.cleanup()
            except Exception as error:  # a panel that was pulled off cannot be said goodbye to
                del error


class _PlainErrors:
    """Turns what luma and the system say into one sentence."""

    def __init__(self, place: PanelPlace) -> None:
        self._place = place

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise `DeviceFailed` in place of any error of the bus."""
        if error is None or not isinstance(error, Exception) or isinstance(error, BadInput | DeviceFailed):
            return
        chip, bus = self._place.chip, self._place.kind.bus
        if isinstance(error, PermissionError) or type(error).__name__ == "DevicePermissionError":
            advice = f"put the user in the group {bus}: sudo usermod -aG {bus},gpio $USER, and log in again"
        elif isinstance(error, ImportError):
            advice = "install its library: sudo apt install python3-rpi-lgpio python3-spidev"
        elif bus == "i2c":
            advice = "switch I2C on (sudo raspi-config nonint do_i2c 0), and see: croupier display scan"
        else:
            advice = "switch SPI on (sudo raspi-config nonint do_spi 0) and check the wires"
        raise DeviceFailed(f"the panel {chip} does not answer ({error}); {advice}") from error


def _open_serial(place: PanelPlace) -> Any:
    """Open the real wires; the address of an I2C panel is looked for where none was given."""
    serial = import_module("luma.core.interface.serial")
    if place.kind.bus == "spi":
        return serial.spi(port=place.bus or 0, device=place.device, gpio_DC=place.dc, gpio_RST=place.rst)
    bus = 1 if place.bus is None else place.bus
    address = place.address
    if address is None:
        found = [each for each in probe(bus) if each in OLED_ADDRESSES]
        address = found[0] if found else OLED_ADDRESSES[0]
    return serial.i2c(port=bus, address=address)
