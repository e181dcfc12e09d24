"""The configuration: one TOML file that people write, or none at all.

What it says are the defaults of the options of `croupier play`, and what `croupier appliance` plays:
everything in it can be said on the command line too, and the command line wins. It is looked for where
`--config` or CROUPIER_CONFIG say, else in the user's configuration folder, else in /etc/croupier.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from device.errors import BadInput

ENVIRONMENT = "CROUPIER_CONFIG"
"""Environment variable that names the file."""
SYSTEM_FILE = Path("/etc/croupier/croupier.toml")
"""Where the installer puts it."""
_MOST_BYTES = 1_000_000

Pin = Annotated[int, Field(ge=0, le=27)]
"""GPIO number (BCM) of a Raspberry Pi."""
Pins = Annotated[tuple[Pin, ...], Field(max_length=8)]


class _Part(BaseModel):
    """A table of the file: nothing unknown, nothing converted behind the writer's back."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Buttons(_Part):
    """GPIO pins of buttons, each between its pin and ground."""

    bank: Pin | None = None
    undo: Pin | None = None
    next: Pin | None = None
    again: Pin | None = None
    take: Pin | None = None
    stop: Pin | None = None
    claim: Pins = Field(default=(), strict=False)
    """A button for each player in seat order."""


class Lights(_Part):
    """GPIO pins of lights."""

    ask: Pin | None = None
    bank: Pin | None = None
    players: Pins = Field(default=(), strict=False)
    """A light for each player in seat order."""


class Input(_Part):
    """What can be pressed."""

    keys: bool = False
    """The keyboard of the terminal."""
    keypad: bool = False
    """USB keypads and keyboards."""
    buttons: Buttons = Buttons()
    lights: Lights = Lights()


class Table(_Part):
    """The game and who plays it."""

    game: str = "farkle"
    source: str | None = None
    players: tuple[str, ...] = Field(default=(), strict=False)
    preset: str | None = None
    settings: dict[str, str | int | bool] = {}
    profile: str | None = None
    bank_by: tuple[str, ...] = Field(default=(), strict=False)
    ask_hot: bool = False


class Shown(_Part):
    """Displays."""

    show: tuple[str, ...] = Field(default=(), strict=False)
    """As behind `--display`."""


class Spoken(_Part):
    """The caller."""

    level: Literal["off", "few", "some", "all"] = "off"


class Stored(_Part):
    """Where games are kept."""

    folder: str | None = None
    evidence_mb: float = Field(default=500.0, ge=1.0, strict=False)
    """Room for the pictures of the throws."""


class Web(_Part):
    """The pages for phones."""

    on: bool = False
    at: str | None = None
    """HOST:PORT."""
    cert: str | None = None
    key: str | None = None


class Config(_Part):
    """The whole file."""

    language: Literal["en", "sv"] = "en"
    table: Table = Table()
    display: Shown = Shown()
    input: Input = Input()
    caller: Spoken = Spoken()
    store: Stored = Stored()
    web: Web = Web()


def config_file(named: Path | None = None) -> Path | None:
    """Return the file to read, or None where there is none and none was named."""
    if named is not None:
        return named
    variable = os.environ.get(ENVIRONMENT)
    if variable:
        return Path(variable)
    from platformdirs import user_config_path

    for path in (Path(user_config_path("croupier", appauthor=False)) / "croupier.toml", SYSTEM_FILE):
        if path.is_file():
            return path
    return None


def load_config(path: Path) -> Config:
    """Read a configuration.

    Raises:
        BadInput: it cannot be read, is no TOML, or says something that does not exist; one sentence with the
            line and the nearest name.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot read the configuration {path}: {error.strerror}; check its name") from error
    if len(data) > _MOST_BYTES:
        raise BadInput(f"{path} has {len(data)} bytes: that is no configuration; name a TOML file")
    try:
        return parse_config(data.decode("utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is no text in UTF-8 (byte {error.start}); save it as UTF-8") from error


def parse_config(text: str, name: str) -> Config:
    """Return what the text of a configuration says; `name` is for messages.

    Raises:
        BadInput: as `load_config`.
    """
    try:
        return Config.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{name}: {_plain(str(error))}; see: croupier config example") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        more = error.error_count() - 1
        others = f" (and {more} more)" if more else ""
        raise BadInput(f"{name}{_place(text, first)}: {_complaint(first)}{others}") from error


def play_options(config: Config) -> dict[str, Any]:
    """Return what a configuration means as options of `croupier play`, by the names of its parameters."""
    table, web, buttons, lights = config.table, config.web, config.input.buttons, config.input.lights
    options: dict[str, Any] = {
        "source": table.source,
        "players": ",".join(table.players) or None,
        "preset": table.preset,
        "settings": [f"{name}={_word(value)}" for name, value in table.settings.items()] or None,
        "profile": table.profile,
        "bank_by": list(table.bank_by) or None,
        "ask_hot": table.ask_hot or None,
        "display": list(config.display.show) or None,
        "keys": config.input.keys or None,
        "keypad": config.input.keypad or None,
        "button": [*_pins(buttons), *(f"{pin}=claim{seat}" for seat, pin in enumerate(buttons.claim, 1))],
        "light": [*_pins(lights), *(f"{pin}=player{seat}" for seat, pin in enumerate(lights.players, 1))],
        "speak": config.caller.level,
        "language": config.language,
        "evidence_mb": config.store.evidence_mb,
        "store": config.store.folder,
        "web": web.on or None,
        "web_at": web.at if web.on else None,
        "web_cert": web.cert if web.on else None,
        "web_key": web.key if web.on else None,
    }
    return {name: value for name, value in options.items() if value not in (None, [])}


def _pins(part: Buttons | Lights) -> Iterator[str]:
    """Return `PIN=NAME` of each single pin."""
    for name, pin in part:
        if isinstance(pin, int):
            yield f"{pin}={name}"


def _word(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(message: str) -> str:
    """Return what tomllib says with the line in front, as an editor counts."""
    found = re.fullmatch(r"(.*?) \(at (?:line (\d+), column \d+|end of document)\)", message)
    if found is None:
        return message
    where = f"line {found.group(2)}: " if found.group(2) else "the file ends too early: "
    return where + found.group(1)


def _complaint(error: ErrorDetails) -> str:
    path = [str(part) for part in error["loc"]]
    where = ".".join(path)
    if error["type"] == "extra_forbidden":
        known = _known(path[:-1])
        near = get_close_matches(path[-1], known, 1, 0.5)
        return f"there is no {where}; " + (
            f"do you mean {'.'.join([*path[:-1], near[0]])}?" if near else f"use one of {', '.join(known)}"
        )
    got = error["input"]
    shown = f", got {got!r}" if isinstance(got, str | int | float | bool) else ""
    message = error["msg"]
    return f"{where}: {message[:1].lower()}{message[1:]}{shown}"


def _known(path: list[str]) -> list[str]:
    """Return the names that may stand in the table at `path`."""
    model: type[BaseModel] = Config
    for part in path:
        inner = model.model_fields[part].annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        model = inner
    return list(model.model_fields)


def _place(text: str, error: ErrorDetails) -> str:
    """Return the line of what an error is about, as ", line 7", or nothing where it is not found."""
    wanted = [str(part) for part in error["loc"]]
    best, line_of_best = 0, 0
    table: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
        key = re.match(r"\s*([\w.\"'-]+)\s*=", line)
        if header:
            table = _names(header.group(1))
            path = table
        elif key:
            path = table + _names(key.group(1))
        else:
            continue
        common = 0
        while common < min(len(path), len(wanted)) and path[common] == wanted[common]:
            common += 1
        if common == len(path) and common > best:
            best, line_of_best = common, number
    return f", line {line_of_best}" if line_of_best else ""


def _names(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]


EXAMPLE = """\
# Croupier. Everything here is optional, and everything can be said on the command line too.

language = "sv"                     # displays and caller: en or sv

[table]
source = "picamera"                 # or usb:0, http://phone:8080/video, rtsp://...
game = "farkle"
players = ["Anna", "Ben"]           # left out: a phone says who plays
preset = "tiotusen"                 # see: croupier rules list
# settings = { opening = 500 }      # see: croupier rules show
# profile = "/var/lib/croupier/table.json"
# bank_by = ["passing", "lane", "zone"]

[display]
show = ["screen"]                   # screen, panel:ssd1306, panel:st7789, picture:/tmp/board.png

[input]
keypad = true                       # a USB keypad: Enter banks, Backspace takes back

[input.buttons]                     # GPIO numbers, each button between its pin and ground
bank = 17
undo = 27
next = 22
# claim = [5, 6, 13, 19]            # Tenzi: a button for each player

[input.lights]
ask = 16
# players = [20, 21]

[caller]
level = "off"                       # few, some, all: needs espeak-ng

[store]
evidence_mb = 500                   # room for the pictures of the throws

[web]
on = true                           # the board and the corrections on phones
"""
"""What `croupier config example` prints."""
