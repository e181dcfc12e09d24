"""What is connected to the I2C buses of this computer, and which of it can be a display."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from device.errors import DeviceFailed

_FIRST, _LAST = 0x08, 0x77
"""Addresses that devices may have (I2C-bus specification, UM10204, 3.1.12)."""
_KNOWN = {
    0x3C: "an OLED panel (SSD1306, SH1106, SSD1309)",
    0x3D: "an OLED panel (SSD1306, SH1106, SSD1309) with its second address",
    0x27: "a character LCD behind a PCF8574: not supported, use an OLED or SPI panel",
    0x3E: "a character LCD (AQM, ST7032): not supported, use an OLED or SPI panel",
    0x3F: "a character LCD behind a PCF8574A: not supported, use an OLED or SPI panel",
    0x68: "a clock (DS3231, DS1307) or a motion sensor",
    0x14: "a touch controller (GT911)",
    0x38: "a touch controller (FT5406)",
    0x45: "the Raspberry Pi touch display",
}
_DEVICES = Path("/dev")
OpenBus = Callable[[int], Any]
"""Opens a bus by its number: an object like `smbus2.SMBus`."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that answers on a bus."""

    bus: int
    """Number of the bus."""
    address: int
    """Its address."""
    meaning: str
    """What it probably is."""
    display: str
    """What to write behind `--display` for it, or empty."""


def buses(folder: Path = _DEVICES) -> tuple[int, ...]:
    """Return the numbers of the I2C buses that are switched on."""
    names = (re.fullmatch(r"i2c-(\d+)", path.name) for path in folder.glob("i2c-*"))
    return tuple(sorted(int(name.group(1)) for name in names if name))


def probe(bus: int, open_bus: OpenBus | None = None) -> tuple[int, ...]:
    """Return the addresses on `bus` that answer when one byte is read from them.

    Raises:
        DeviceFailed: the bus does not exist, or the user may not use it.
    """
    try:
        wires = (open_bus or _smbus)(bus)
    except ImportError as error:
        raise DeviceFailed(
            f"the I2C bus needs smbus2 ({error}); install it: sudo apt install python3-smbus2"
        ) from error
    except PermissionError as error:
        raise DeviceFailed(
            f"no permission to use the I2C bus {bus}; "
            "put the user in the group i2c: sudo usermod -aG i2c $USER, and log in again"
        ) from error
    except OSError as error:
        raise DeviceFailed(
            f"there is no I2C bus {bus} ({error.strerror or error}); switch it on: "
            "sudo raspi-config nonint do_i2c 0"
        ) from error
    found = []
    try:
        for address in range(_FIRST, _LAST + 1):
            try:
                wires.read_byte(address)
            except OSError:
                continue
            found.append(address)
    finally:
        wires.close()
    return tuple(found)


def scan(numbers: Iterable[int], open_bus: OpenBus | None = None) -> tuple[Found, ...]:
    """Return everything that answers on these buses, with what it probably is.

    Raises:
        DeviceFailed: as `probe`.
    """
    return tuple(_meant(number, address) for number in numbers for address in probe(number, open_bus))


def _meant(bus: int, address: int) -> Found:
    meaning = _KNOWN.get(address, "not known")
    oled = address in (0x3C, 0x3D)
    options = f",address=0x{address:02x}" + (f",bus={bus}" if bus != 1 else "")
    return Found(bus, address, meaning, f"panel:ssd1306{options}" if oled else "")


def _smbus(number: int) -> Any:
    return import_module("smbus2").SMBus(number)
