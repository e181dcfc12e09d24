"""Rule presets by name, and house presets: TOML files of a table's own rules, wherever a name may stand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from device.errors import BadInput

if TYPE_CHECKING:
    from scorer.rules import Preset, Rules

_SUFFIX = ".toml"
_MOST_BYTES = 1_000_000
"""No preset file is longer; somebody gave another file by mistake."""


def is_house_preset(name: object) -> bool:
    """Whether a preset name means a file of the table's own rules."""
    return isinstance(name, str) and name.lower().endswith(_SUFFIX)


def find_preset(name: str, beside: Path | None = None) -> Preset:
    """Return the preset of this name, or the one in the TOML file of this path.

    The parent of such a file may be another one, named from its own folder.

    Args:
        name: a name from `croupier rules list`, or a path that ends in .toml.
        beside: the folder from which a relative path counts; the current folder where none is given.

    Raises:
        UnknownPreset: no such preset, with the nearest name.
        BadInput: the file cannot be read.
        BadSetting, UnknownSetting: what the file says is wrong, or it is its own ancestor.
    """
    return _found(name, beside or Path(), ())


def _found(name: str, beside: Path, children: tuple[Path, ...]) -> Preset:
    """Return a preset; `children` are the files whose ancestor it is, as they were found."""
    from scorer.errors import BadSetting
    from scorer.rules import load_preset, parse_preset

    if not is_house_preset(name):
        return load_preset(name)
    path = beside / Path(name).expanduser()
    file = path.resolve()
    if file in children:
        line = " -> ".join(each.name for each in (*children[children.index(file) :], file))
        raise BadSetting(
            f"the house preset {path} is its own ancestor ({line}); "
            "name a preset of the program as the parent of one of them"
        )
    line_of = (*children, file)
    return parse_preset(path.stem, _text(path), parent_of=lambda parent: _found(parent, path.parent, line_of))


def _text(path: Path) -> str:
    """Return the text of a preset file. Raises as `find_preset`."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BadInput(f"{path} is too long for a preset; give the TOML file of a table's rules")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise BadInput(f"there is no preset file {path}; give the path of a TOML file") from error
    except IsADirectoryError as error:
        raise BadInput(f"{path} is a folder; give the path of a TOML file") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check its permissions") from error


def rules_of(preset: object, settings: object, beside: Path | None = None) -> Rules:
    """Return the rules of a preset, or of a house preset, with settings changed. Raises as `find_preset`."""
    from scorer.rules import make_rules

    return make_rules(*plain(preset, settings, beside))


def plain(preset: object, settings: object, beside: Path | None = None) -> tuple[object, object]:
    """Return a preset and its settings with a house preset spelled out, so that no file is needed any more.

    What is no house preset comes back as it is, be it right or wrong. Raises as `find_preset`.
    """
    if not isinstance(preset, str) or not is_house_preset(preset):
        return preset, settings
    changes = settings if isinstance(settings, Mapping) else {}
    return spelled_out(preset, {str(name): value for name, value in changes.items()}, beside)


def spelled_out(
    preset: str, settings: dict[str, object], beside: Path | None = None
) -> tuple[str, dict[str, object]]:
    """Return the same rules as a preset that ships with the program and settings. Raises as `find_preset`."""
    if not is_house_preset(preset):
        return preset, settings
    return shipped_name(preset, beside), find_preset(preset, beside).rules.replace(**settings).settings()


def shipped_name(preset: str, beside: Path | None = None) -> str:
    """Return the preset itself, or the one of the program on which a house preset rests. As `find_preset`."""
    return find_preset(preset, beside).shipped if is_house_preset(preset) else preset
