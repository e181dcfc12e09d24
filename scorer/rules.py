"""The rules of a table of the Farkle family: every house setting, validated, and the presets.

A `Rules` is one value for each canonical setting. Presets are data: TOML files in `scorer/presets`, each of
which may name a parent and then only says what differs. The names and meanings of the settings are those of
the project's restatement of the public rule pages.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from importlib import resources
from typing import Any, Literal, cast

from scorer.errors import BadSetting, UnknownPreset, UnknownSetting, shown, suggestion

DEFAULT_PRESET = "farkle"
"""The preset of a table that names none: retail Farkle."""

NKind = Literal["double", "flat", "linear", "none"]
HotDice = Literal["may", "must", "off"]
OpeningBelow = Literal["write_zero", "refuse"]
Overshoot = Literal["allow", "void", "welfare"]
Ties = Literal["share", "extra_turn"]
InstantWin = Literal["none", "six_of_a_kind", "five_first"]
Steal = Literal["off", "roll", "transfer"]

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "n_kind": ("double", "flat", "linear", "none"),
    "hot_dice": ("may", "must", "off"),
    "opening_below": ("write_zero", "refuse"),
    "overshoot": ("allow", "void", "welfare"),
    "ties": ("share", "extra_turn"),
    "instant_win": ("none", "six_of_a_kind", "five_first"),
    "steal": ("off", "roll", "transfer"),
}
_FLAGS = (
    "kind_exclusive",
    "three_pairs_4_2",
    "three_pairs_6",
    "two_triplets_6",
    "keep_all",
    "count_unopened_zero",
    "final_round",
    "piggyback",
)
_POINTS = ("single_1", "single_5", "triple_1", "triple_mult", "opening", "min_bank", "bust_penalty")
_COMBINATIONS = ("straight", "three_pairs", "two_triplets", "straight_low", "straight_high", "nothing")
_SIX_DICE_ONLY = ("straight", "three_pairs", "two_triplets", "four_pair", "nothing")
_MOST_POINTS = 1_000_000

Kind = tuple[int, int]
"""(face, number of dice) of a set of equal dice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One value for every setting. The defaults are the preset `farkle` (retail Farkle).

    Points settings are whole numbers; 0 means that the combination does not exist: its dice do not score.

    Raises:
        BadSetting: when a value has the wrong type, is out of range, or contradicts another one.
    """

    dice: int = 6
    """Dice a player throws: 6 or 5."""
    single_1: int = 100
    """Points of a single 1."""
    single_5: int = 50
    """Points of a single 5."""
    triple_1: int = 300
    """Points of three 1s."""
    triple_mult: int = 100
    """Three equal dice of face f (2..6) score this times f."""
    n_kind: NKind = "flat"
    """Four and more of a kind: `double` (x2 a die), `flat` (`n_flat`), `linear` (x2, x3, x4), `none`."""
    n_flat: tuple[tuple[int, int], ...] = ((4, 1000), (5, 2000), (6, 3000))
    """Points of four, five and six of a kind under `flat`: pairs (number of dice, points)."""
    kind_exclusive: bool = False
    """Whether equal dice set aside together score as one set only, never as a set plus single dice."""
    straight: int = 1500
    """Points of 1-2-3-4-5-6."""
    three_pairs: int = 1500
    """Points of three pairs."""
    two_triplets: int = 2500
    """Points of two triplets (0: they score as two single triplets)."""
    straight_low: int = 0
    """Points of 1-2-3-4-5."""
    straight_high: int = 0
    """Points of 2-3-4-5-6."""
    nothing: int = 0
    """Points of a throw of six dice in which nothing else scores."""
    three_pairs_4_2: bool = True
    """Whether four of a kind and a pair count as three pairs."""
    three_pairs_6: bool = False
    """Whether six of a kind count as three pairs."""
    two_triplets_6: bool = False
    """Whether six of a kind count as two triplets."""
    four_pair: int | None = None
    """Separate points for four of a kind and a pair; None: no such combination."""
    kind_points: tuple[tuple[Kind, int], ...] = ()
    """Overrides for single sets: pairs ((face, number of dice), points)."""
    keep_all: bool = False
    """Whether the largest possible number of scoring dice must be set aside."""
    hot_dice: HotDice = "may"
    """All dice scored: the player `may` roll all again, `must`, or the turn must be banked (`off`)."""
    opening: int = 500
    """Points that one turn needs to open (0: everybody is open)."""
    opening_below: OpeningBelow = "refuse"
    """A bank below the opening: it writes 0, or it is refused."""
    min_bank: int = 0
    """Points that every later bank needs."""
    bust_penalty: int = 0
    """Points lost for `bust_streak` busts in a row (0: none)."""
    bust_streak: int = 3
    """How many busts in a row bring the penalty; 1: every bust."""
    count_unopened_zero: bool = False
    """Whether a 0 written for a bank below the opening counts as a bust of the row."""
    target: int = 10000
    """Points that end the game: 1000 to 20000 in steps of 500."""
    overshoot: Overshoot = "allow"
    """A turn past the target: `allow`, `void` (scores nothing), `welfare` (goes to the last player)."""
    final_round: bool = True
    """Whether every other player gets one more turn after the crossing."""
    ties: Ties = "share"
    """Several with most points: they `share` the win, or take an `extra_turn` each until one leads."""
    instant_win: InstantWin = "none"
    """A throw that wins at once: `six_of_a_kind`, or `five_first` (five dice, first throw of a turn)."""
    steal: Steal = "off"
    """After a bust the next player may `roll` for the lost points, or is given them (`transfer`)."""
    piggyback: bool = False
    """Whether the next player may roll the dice that a bank left over, for its points too."""

    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        """Bring mappings into their canonical form and check every value."""
        set_field = object.__setattr__
        for name in _COMBINATIONS:
            if getattr(self, name) is None:
                set_field(self, name, 0)
        if self.four_pair == 0 and not isinstance(self.four_pair, bool):
            set_field(self, "four_pair", None)
        set_field(self, "n_flat", _canonical_n_flat(self.n_flat))
        set_field(self, "kind_points", _canonical_kind_points(self.kind_points))
        if isinstance(self.piggyback, str) and self.piggyback in ("off", "on"):
            set_field(self, "piggyback", self.piggyback == "on")
        self._check()
        # Rules are the key of every score table: hashing thirty fields at each look-up would cost more
        # than the look-up itself, so the hash is worked out once.
        set_field(self, "_hash", hash(tuple(getattr(self, name) for name in setting_names())))

    def __hash__(self) -> int:
        """Return the hash worked out at construction."""
        return self._hash

    def _check(self) -> None:
        for name in _FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise _bad(name, getattr(self, name), "true or false")
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in choices:
                raise _bad(name, value, "one of " + ", ".join(choices))
        for name in (*_POINTS, *_COMBINATIONS):
            _check_points(name, getattr(self, name))
        if self.four_pair is not None:
            _check_points("four_pair", self.four_pair)
        if not _is_int(self.dice) or self.dice not in (5, 6):
            raise _bad("dice", self.dice, "5 or 6")
        if not _is_int(self.bust_streak) or not 1 <= self.bust_streak <= 100:
            raise _bad("bust_streak", self.bust_streak, "a whole number from 1 to 100")
        if not _is_int(self.target) or not 1000 <= self.target <= 20000 or self.target % 500:
            raise _bad("target", self.target, "1000 to 20000 in steps of 500")
        self._check_together()

    def _check_together(self) -> None:
        if self.dice == 5:
            impossible = [name for name in _SIX_DICE_ONLY if getattr(self, name)]
            if impossible:
                named = ", ".join(f"{name} = {getattr(self, name)}" for name in impossible)
                raise BadSetting(
                    f"dice = 5 contradicts {named}: five dice cannot make it; "
                    f"set {', '.join(impossible)} to 0 or dice to 6"
                )
            if self.instant_win == "six_of_a_kind":
                raise BadSetting(
                    "dice = 5 contradicts instant_win = six_of_a_kind: five dice cannot show six; "
                    "set instant_win to five_first or none, or dice to 6"
                )
        elif self.instant_win == "five_first":
            raise BadSetting(
                "instant_win = five_first contradicts dice = 6: it is a throw of all five dice; "
                "set dice to 5 or instant_win to six_of_a_kind or none"
            )

    def replace(self, /, **settings: object) -> Rules:
        """Return these rules with some settings changed; values as in JSON or as in the fields.

        A mapping for `n_flat` changes the numbers of dice that it names and leaves the others.

        Raises:
            UnknownSetting: a name that is no setting.
            BadSetting: a value that the setting cannot have.

        >>> preset("tiotusen").replace(opening=0, n_flat={"4": 1200}).n_flat
        ((4, 1200), (5, 2000), (6, 3000))
        """
        known = setting_names()
        for name in settings:
            if name not in known:
                raise UnknownSetting(f"'{name}' is not a setting of the rules; {suggestion(name, known)}")
        flat = settings.get("n_flat")
        if isinstance(flat, Mapping):
            settings = {**settings, "n_flat": _merged_n_flat(self.n_flat, flat)}
        return replace(self, **cast(dict[str, Any], settings))

    def settings(self) -> dict[str, object]:
        """Return every setting by name, as JSON has it (`n_flat` and `kind_points` with text keys)."""
        values: dict[str, object] = {name: getattr(self, name) for name in setting_names()}
        values["n_flat"] = {str(count): points for count, points in self.n_flat}
        values["kind_points"] = {f"{face},{count}": points for (face, count), points in self.kind_points}
        return values


@lru_cache(maxsize=1)
def setting_names() -> tuple[str, ...]:
    """Return the names of all settings, in the order of the rule pages."""
    return tuple(each.name for each in fields(Rules) if each.init)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _bad(name: str, value: object, wanted: str) -> BadSetting:
    return BadSetting(f"setting '{name}' must be {wanted}, got {shown(value)}; change it")


def _check_points(name: str, value: object) -> None:
    if not _is_int(value) or not 0 <= cast(int, value) <= _MOST_POINTS:
        raise _bad(name, value, f"a whole number of points from 0 to {_MOST_POINTS}")


def _merged_n_flat(old: tuple[tuple[int, int], ...], changes: Mapping[object, object]) -> object:
    return tuple({**dict(old), **dict(_canonical_n_flat(changes))}.items())


def _canonical_n_flat(value: object) -> tuple[tuple[int, int], ...]:
    """Return pairs (number of dice, points) in order, from a mapping (keys may be text) or pairs."""
    found: dict[int, int] = {}
    for key, points in _pairs("n_flat", value, 'like {"4": 1000, "5": 2000, "6": 3000}'):
        count = _as_int(key)
        if count not in (4, 5, 6):
            raise BadSetting(
                f"setting 'n_flat' is for 4, 5 and 6 of a kind, got {shown(key)}; change the key"
            )
        _check_points(f"n_flat.{count}", points)
        found[count] = cast(int, points)
    return tuple(sorted(found.items()))


def _canonical_kind_points(value: object) -> tuple[tuple[Kind, int], ...]:
    """Return pairs ((face, number of dice), points) in order, from a mapping ("1,4") or pairs."""
    found: dict[Kind, int] = {}
    for key, points in _pairs("kind_points", value, 'like {"1,4": 1100} (face, number of dice)'):
        kind = _as_kind(key)
        if kind is None:
            raise BadSetting(
                "a key of setting 'kind_points' is face,number of dice, each from 1 to 6, like \"1,4\", "
                f"got {shown(key)}; change the key"
            )
        _check_points(f"kind_points.{kind[0]},{kind[1]}", points)
        found[kind] = cast(int, points)
    return tuple(sorted(found.items()))


def _pairs(name: str, value: object, wanted: str) -> list[tuple[object, object]]:
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (list, tuple)) and all(isinstance(each, tuple) and len(each) == 2 for each in value):
        return list(value)
    raise _bad(name, value, f"a table {wanted}")


def _as_int(key: object) -> int | None:
    if isinstance(key, str):
        text = key.strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 3 else None
    return cast(int, key) if _is_int(key) else None


def _as_kind(key: object) -> Kind | None:
    parts = key.split(",") if isinstance(key, str) else key
    if not isinstance(parts, (list, tuple)) or len(parts) != 2:
        return None
    face, count = _as_int(parts[0]), _as_int(parts[1])
    if face is None or count is None or not (1 <= face <= 6 and 1 <= count <= 6):
        return None
    return face, count


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of rules, as its file has it, with its parent worked in."""

    name: str
    """The name by which documents and commands call it."""
    title: str
    """The name that people read."""
    about: str
    """One sentence: what it is."""
    about_sv: str
    """The same in Swedish; empty where the file does not say it."""
    parent: str | None
    """The preset from which it differs, or None."""
    changes: Mapping[str, object]
    """What the file itself says, as in JSON."""
    rules: Rules
    """A value for every setting."""
    shipped: str
    """The preset of the program on which it rests: itself, or the last of its parents."""
    usual: Rules
    """The rules of its parent, from which it differs; those of the default where it has none."""

    def about_in(self, language: str) -> str:
        """Return what it is, in Swedish (`sv`) where the file has it, else in English."""
        return self.about_sv or self.about if language == "sv" else self.about


@lru_cache(maxsize=1)
def preset_names() -> tuple[str, ...]:
    """Return the names of the presets that ship with the program, in alphabetical order."""
    folder = resources.files("scorer") / "presets"
    return tuple(
        sorted(each.name.removesuffix(".toml") for each in folder.iterdir() if each.name.endswith(".toml"))
    )


@lru_cache(maxsize=64)
def load_preset(name: str) -> Preset:
    """Read the preset of this name, parents first.

    Raises:
        UnknownPreset: no such preset, with the nearest name.
    """
    if name not in preset_names():
        raise UnknownPreset(f"there is no preset '{name}'; {suggestion(name, preset_names())}")
    text = (resources.files("scorer") / "presets" / f"{name}.toml").read_text(encoding="utf-8")
    return replace(parse_preset(name, text), shipped=name)


def parse_preset(name: str, text: str, *, parent_of: Callable[[str], Preset] | None = None) -> Preset:
    """Read a preset file: `title`, `about`, optionally `about_sv` and `parent`, and the table `settings`.

    `parent_of` finds the parent by its name; without, only the presets that ship are known.

    Raises:
        BadSetting: the text is not such a file, or a value is wrong.
        UnknownPreset, UnknownSetting: a name in it is not known.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"preset '{name}' is not valid TOML: {error}; correct the file") from error
    unknown = sorted(set(data) - {"title", "about", "about_sv", "parent", "settings"})
    if unknown:
        raise BadSetting(
            f"preset '{name}' has an unknown key '{unknown[0]}'; "
            "write title, about, about_sv, parent and [settings]"
        )
    parent, settings = data.get("parent"), data.get("settings", {})
    if not isinstance(settings, dict) or not (parent is None or isinstance(parent, str)):
        raise BadSetting(
            f"preset '{name}' needs a table [settings] and, as parent, the name of another preset"
        )
    above = None if parent is None else (parent_of or load_preset)(parent)
    usual = Rules() if above is None else above.rules
    return Preset(
        name=name,
        title=str(data.get("title", name)),
        about=str(data.get("about", "")),
        about_sv=str(data.get("about_sv", "")),
        parent=parent,
        changes=settings,
        rules=usual.replace(**settings),
        shipped=DEFAULT_PRESET if above is None else above.shipped,
        usual=usual,
    )


def preset(name: str = DEFAULT_PRESET) -> Rules:
    """Return the rules of a preset.

    >>> preset("farkle").triple_1, preset("ten-thousand").triple_1
    (300, 1000)
    """
    return load_preset(name).rules


def make_rules(preset_name: object = DEFAULT_PRESET, settings: object = None) -> Rules:
    """Return the rules that a document names: a preset and overrides, both straight from JSON.

    Raises:
        UnknownPreset, UnknownSetting, BadSetting: with what to do.
    """
    if not isinstance(preset_name, str):
        raise UnknownPreset(
            f"a preset is named by a text, got {shown(preset_name)}; known are: {', '.join(preset_names())}"
        )
    if settings is None:
        settings = {}
    if not isinstance(settings, Mapping):
        raise BadSetting(f"the settings must be an object of names and values, got {shown(settings)}")
    return preset(preset_name).replace(**{str(name): value for name, value in settings.items()})


@lru_cache(maxsize=1)
def setting_descriptions() -> Mapping[str, Mapping[str, str]]:
    """Return one line about every setting by name and language (`en`, `sv`)."""
    text = (resources.files("scorer") / "settings.toml").read_text(encoding="utf-8")
    return cast(Mapping[str, Mapping[str, str]], tomllib.loads(text))
