"""The rules of a table in sentences, for people: what scores, and how a turn and the game go.

The words come from `rulebook.toml`; every sentence knows the settings on which it rests, so that a printed
sheet can mark those that this table plays otherwise than its preset.

>>> [row.label for row in scoring_rows(preset("hot-dice-five"), "en")][:3]
['a single 1', 'a single 5', 'three 1s']
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Literal, cast

from scorer.rules import Rules, preset, setting_names
from scorer.scoring import Faces

__all__ = [
    "Language",
    "Row",
    "Section",
    "Sentence",
    "phrase",
    "preset",
    "scoring_rows",
    "sections",
    "settings_that_differ",
]

Language = Literal["en", "sv"]
"""A language of the sheet."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table of what scores."""

    label: str
    """What it is called."""
    dice: Faces
    """An example."""
    points: str
    """What it is worth."""
    settings: tuple[str, ...]
    """The settings on which it rests."""
    note: str = ""
    """What else counts as such; may be empty."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One rule in words."""

    text: str
    """The whole sentence."""
    settings: tuple[str, ...] = ()
    """The settings on which it rests."""


@dataclass(frozen=True, slots=True)
class Section:
    """Rules about one subject."""

    head: str
    """The subject."""
    sentences: tuple[Sentence, ...]
    """The rules; never none."""


def settings_that_differ(rules: Rules, usual: Rules) -> frozenset[str]:
    """Return the names of the settings with another value than usual.

    >>> sorted(settings_that_differ(preset("pocket-farkel"), preset("tiotusen-zilch")))
    ['triple_1']
    """
    return frozenset(name for name in setting_names() if getattr(rules, name) != getattr(usual, name))


def phrase(key: str, language: Language, **values: object) -> str:
    """Return a phrase of the sheet with its values filled in.

    >>> phrase("target_once", "en", points=5000)
    'The first to reach 5000 wins at once.'
    """
    return _phrases()[key][language].format(**values)


@lru_cache(maxsize=1)
def _phrases() -> Mapping[str, Mapping[str, str]]:
    text = (resources.files("scorer") / "rulebook.toml").read_text(encoding="utf-8")
    return cast(Mapping[str, Mapping[str, str]], tomllib.loads(text))


def scoring_rows(rules: Rules, language: Language, usual: Rules | None = None) -> tuple[Row, ...]:
    """Return what scores under the rules, singles first.

    Combinations that do not exist are left out, but for those that score under the `usual` rules of the
    preset: people must see that they are worth 0 here.

    >>> rules = preset("farkle").replace(straight=0)
    >>> [(row.label, row.points) for row in scoring_rows(rules, "en", preset("farkle"))][-3:]
    [('straight 1 to 6', '0'), ('three pairs', '1500'), ('two times three alike', '2500')]
    """
    return tuple(_Rows(rules, language, usual or rules).all())


class _Rows:
    """Makes the lines of the table."""

    def __init__(self, rules: Rules, language: Language, usual: Rules) -> None:
        self.rules, self.usual = rules, usual
        self.language: Language = language

    def all(self) -> Iterator[Row]:
        rules = self.rules
        yield from self._row("single_1", (1,), rules.single_1)
        yield from self._row("single_5", (5,), rules.single_5)
        yield from self._row("triple_1", (1, 1, 1), rules.triple_1)
        if rules.triple_mult or self.usual.triple_mult:
            points = self._say("triple_points", points=rules.triple_mult)
            yield Row(self._say("triple"), (4, 4, 4), points, ("triple_mult",))
        yield from self._sets()
        for (face, count), own in rules.kind_points:
            if own and count <= rules.dice:
                label = self._say("own_set", count=count, face=face)
                yield Row(label, (face,) * count, str(own), ("kind_points",))
        yield from self._row("straight", (1, 2, 3, 4, 5, 6), rules.straight)
        yield from self._row("straight_low", (1, 2, 3, 4, 5), rules.straight_low)
        yield from self._row("straight_high", (2, 3, 4, 5, 6), rules.straight_high)
        yield from self._row(
            "three_pairs", (2, 2, 3, 3, 6, 6), rules.three_pairs, also=("three_pairs_4_2", "three_pairs_6")
        )
        yield from self._row("two_triplets", (3, 3, 3, 5, 5, 5), rules.two_triplets, also=("two_triplets_6",))
        yield from self._row("four_pair", (2, 2, 2, 2, 6, 6), rules.four_pair or 0)
        yield from self._row("nothing", (2, 3, 3, 4, 6, 6), rules.nothing)

    def _row(self, name: str, dice: Faces, worth: int, also: tuple[str, ...] = ()) -> Iterator[Row]:
        if worth or (getattr(self.usual, name) and len(dice) <= self.rules.dice):
            notes = [self._say(_NOTES[flag]) for flag in also if getattr(self.rules, flag)]
            yield Row(self._say(name), dice, str(worth), (name, *also), "; ".join(notes))

    def _sets(self) -> Iterator[Row]:
        rules = self.rules
        if rules.n_kind == "none":
            return
        for count in range(4, rules.dice + 1):
            if text := self._set_points(count):
                yield Row(self._say(f"kind_{count}"), (4,) * count, text, ("n_kind", "n_flat"))

    def _set_points(self, count: int) -> str:
        rules = self.rules
        if rules.n_kind == "flat":
            return str(dict(rules.n_flat).get(count, 0) or "")
        return self._say("kind_times", times=2 ** (count - 3) if rules.n_kind == "double" else count - 2)

    def _say(self, key: str, **values: object) -> str:
        return phrase(key, self.language, **values)


_NOTES = {
    "three_pairs_4_2": "three_pairs_4_2",
    "three_pairs_6": "three_pairs_6",
    "two_triplets_6": "three_pairs_6",
}
"""What is said where other dice count as the combination too."""


def sections(rules: Rules, language: Language, changed: frozenset[str] = frozenset()) -> tuple[Section, ...]:
    """Return the rules of the game in sentences, by subject; a subject without rules is left out.

    What does not hold is said only where its setting is among the `changed` ones.

    >>> [section.head for section in sections(preset("tiotusen"), "sv")]
    ['Din omgång', 'Alla gav poäng', 'Att skriva', 'Missar i rad', 'Slutet']
    """
    made = _Sentences(rules, language, changed)
    found = (
        ("turn_head", made.turn()),
        ("hot_head", made.hot_dice()),
        ("write_head", made.writing()),
        ("penalty_head", made.penalty()),
        ("end_head", made.end()),
        ("more_head", made.next_player()),
    )
    every = (Section(phrase(head, language), tuple(sentences)) for head, sentences in found)
    return tuple(section for section in every if section.sentences)


class _Sentences:
    """Makes the sentences, subject by subject."""

    def __init__(self, rules: Rules, language: Language, changed: frozenset[str]) -> None:
        self.rules, self.changed = rules, changed
        self.language: Language = language

    def turn(self) -> Iterator[Sentence]:
        yield self._say("turn", "dice", dice=self.rules.dice)
        yield self._say("one_roll")
        if self.rules.keep_all:
            yield self._say("keep_all", "keep_all")
        if self.rules.kind_exclusive:
            yield self._say("kind_exclusive", "kind_exclusive")
        yield self._say("bust")

    def hot_dice(self) -> Iterator[Sentence]:
        yield self._say(f"hot_{self.rules.hot_dice}", "hot_dice")
        if self.rules.nothing:
            yield self._say("nothing_hot", "nothing")

    def writing(self) -> Iterator[Sentence]:
        rules = self.rules
        if rules.opening:
            yield self._say("opening", "opening", points=rules.opening)
            yield self._say(f"below_{rules.opening_below}", "opening_below")
        else:
            yield self._say("opening_none", "opening")
        if rules.min_bank:
            key = "min_bank" if rules.opening else "min_bank_first"
            yield self._say(key, "min_bank", points=rules.min_bank)
        elif "min_bank" in self.changed:
            yield self._say("min_bank_none", "min_bank")

    def penalty(self) -> Iterator[Sentence]:
        rules = self.rules
        if not rules.bust_penalty:
            if "bust_penalty" in self.changed:
                yield self._say("penalty_none", "bust_penalty")
            return
        settings = ("bust_penalty", "bust_streak")
        if rules.bust_streak == 1:
            yield self._say("penalty_every", *settings, points=rules.bust_penalty)
        else:
            yield self._say("penalty", *settings, count=rules.bust_streak, points=rules.bust_penalty)
        if rules.count_unopened_zero and rules.opening:
            yield self._say("penalty_zero", "count_unopened_zero")

    def end(self) -> Iterator[Sentence]:
        rules = self.rules
        if rules.final_round:
            yield self._say("target_round", "target", "final_round", points=rules.target)
            yield self._say(f"ties_{rules.ties}", "ties")
        else:
            yield self._say("target_once", "target", "final_round", points=rules.target)
        if rules.overshoot != "allow":
            yield self._say(f"overshoot_{rules.overshoot}", "overshoot", points=rules.target)
        if rules.instant_win != "none" or "instant_win" in self.changed:
            yield self._say(f"instant_win_{rules.instant_win}", "instant_win")

    def next_player(self) -> Iterator[Sentence]:
        if self.rules.steal != "off":
            yield self._say(f"steal_{self.rules.steal}", "steal")
        if self.rules.piggyback:
            yield self._say("piggyback", "piggyback")

    def _say(self, key: str, *settings: str, **values: object) -> Sentence:
        return Sentence(phrase(key, self.language, **values), settings)
