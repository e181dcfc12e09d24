"""The Tenzi race as a fold of events: go, looks, declared faces, claims, fouls; all else is derived.

A round is judged from all its events at once, in the order of their times: what a lane shows "at that
moment" is the last look at it that is not later. So the judgement does not depend on whether the camera or
the claim button was quicker to report.

>>> match = start(TenziRules(dice=3, goal=(3,)), ("Anna", "Ben"))
>>> for event in (Go(0), Seen(50, "Anna", (6, 6, 6)), Claimed(60, "Anna")):
...     match = apply(match, event)
>>> rounds(match)[-1].winner
'Anna'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, cast

from scorer.errors import (
    BadPlayers,
    BadSetting,
    IllegalEvent,
    MalformedEvent,
    UnknownSetting,
    shown,
    suggestion,
)

Verdict = Literal["valid", "false", "late"]
FlagKind = Literal["target_change", "stray", "hand"]

_MOST_DICE = 40
"""The most dice a lane may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TenziRules:
    """The rules of a match.

    Raises:
        BadSetting: when a value has the wrong type or is out of range.
    """

    dice: int = 10
    """Dice a player has, 1 to 40."""
    goal: tuple[int, ...] = (10,)
    """How many dice of each of so many different faces must show, most first; `10`, `5+5` in JSON."""
    claim: Literal["required", "auto"] = "required"
    """Whether the first valid claim wins, or the first lane that shows the goal."""
    frame_ns: int = 33_333_333
    """Time between two pictures, in nanoseconds."""
    claim_ns: int = 0
    """How exactly the claim device knows its times, in nanoseconds."""
    rounds_to_win: int = 3
    """Round wins that win the match."""
    target_change: Literal["flag", "allow"] = "flag"
    """Whether a player who gives up his face is flagged."""

    def __post_init__(self) -> None:
        """Check every value."""
        _check_range("dice", self.dice, 1, _MOST_DICE)
        _check_range("frame_ns", self.frame_ns, 0, 10**12)
        _check_range("claim_ns", self.claim_ns, 0, 10**12)
        _check_range("rounds_to_win", self.rounds_to_win, 1, 1000)
        _check_choice("claim", self.claim, ("required", "auto"))
        _check_choice("target_change", self.target_change, ("flag", "allow"))
        if not 1 <= len(self.goal) <= 6 or min(self.goal) < 1 or sum(self.goal) > self.dice:
            text = "+".join(map(str, self.goal))
            raise BadSetting(
                f"setting 'goal' must be counts of different faces that {self.dice} dice can show, like "
                f"\"{self.dice}\", got '{text}'; change goal or dice"
            )
        object.__setattr__(self, "goal", tuple(sorted(self.goal, reverse=True)))

    @property
    def window_ns(self) -> int:
        """Two deciding moments closer than this cannot be told apart."""
        return self.frame_ns if self.claim == "auto" else max(self.frame_ns, self.claim_ns)

    def shows_goal(self, faces: Sequence[int]) -> bool:
        """Whether a lane with these flat dice shows the goal; never with more dice than the player has.

        >>> TenziRules(dice=4, goal=(2, 2)).shows_goal((3, 5, 3, 5)), TenziRules().shows_goal((6,) * 11)
        (True, False)
        """
        if len(faces) > self.dice:
            return False
        counts = sorted(Counter(faces).values(), reverse=True)
        return len(counts) >= len(self.goal) and all(
            have >= want for have, want in zip(counts, self.goal, strict=False)
        )


@dataclass(frozen=True, slots=True)
class Go:
    """A round starts."""

    t_ns: int
    """When."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A lane at rest after a throw."""

    t_ns: int
    """When."""
    player: str
    """Whose lane."""
    faces: tuple[int, ...]
    """The faces of the flat dice in it; none is possible."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A player says that his lane shows the goal."""

    t_ns: int
    """When."""
    player: str
    """Who."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A player names the faces that he collects; without, they are inferred from what he leaves lying."""

    t_ns: int
    """When."""
    player: str
    """Who."""
    faces: tuple[int, ...]
    """As many different faces as the goal has: one, for ten of a face."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Something that the table should look at, seen by whoever watches it."""

    t_ns: int
    """When."""
    kind: Literal["stray", "hand"]
    """A die of the player lies outside his lane; a hand of somebody else is in his lane."""
    player: str
    """Whose lane."""


TenziEvent = Go | Seen | Claimed | Declared | Noted


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and what became of it."""

    player: str
    """Who."""
    t_ns: int
    """When."""
    verdict: Verdict
    """`valid`, `false` (the lane did not show the goal), or `late` (after the decision)."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Something that the table should look at."""

    kind: FlagKind
    """A change of target, a die in the wrong lane, a hand in another's lane."""
    player: str
    """Whose lane."""
    t_ns: int
    """When."""


@dataclass(frozen=True, slots=True)
class Round:
    """What a round came to so far."""

    go_ns: int
    """When it started."""
    winner: str | None
    """Who won it, or None."""
    replay: bool
    """Whether it must be played again, being too close to call."""
    finish_ns: tuple[tuple[str, int], ...]
    """(player, time) of everybody who showed the goal before the decision, in seat order."""
    rolls: tuple[tuple[str, int], ...]
    """(player, looks up to the deciding moment), in seat order."""
    claims: tuple[Claim, ...]
    """All claims, in the order of their times."""
    flags: tuple[Flag, ...]
    """All flags up to the deciding moment, in the order of their times."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match at one moment."""

    rules: TenziRules
    """The rules."""
    players: tuple[str, ...]
    """Names in seat order."""
    closed: tuple[Round, ...] = ()
    """Rounds that another `Go` has ended."""
    current: tuple[TenziEvent, ...] = ()
    """The events of the round since its `Go`; empty before the first one."""


def start(rules: TenziRules, players: Sequence[str]) -> Match:
    """Return the match before the first round. One player is enough: a solo run.

    Raises:
        BadPlayers: nobody, or a name that is empty or given twice.
    """
    if not players:
        raise BadPlayers("a race needs at least one player, got none; name them in seat order")
    for index, name in enumerate(players):
        if not isinstance(name, str) or not name.strip():
            raise BadPlayers(
                f"a player's name must be a text that is not empty, got {shown(name)}; give a name"
            )
        if name in players[:index]:
            raise BadPlayers(f"two players are called '{name}'; give each player another name")
    return Match(rules, tuple(players))


def apply(match: Match, event: TenziEvent) -> Match:
    """Return the match after the event.

    Raises:
        IllegalEvent: `Go` after the match, `Claimed` or `Declared` before the first `Go`, a player who does
            not play, or a declaration of other than so many different faces as the goal has.
    """
    if isinstance(event, Go):
        if winners(match):
            raise IllegalEvent(f"the match is over, {winners(match)[0]} has won it; start a new one")
        return replace(match, closed=rounds(match), current=(event,))
    if event.player not in match.players:
        known = ", ".join(match.players)
        raise IllegalEvent(f"'{event.player}' does not play; players are {known}")
    if isinstance(event, Declared):
        _check_declared(match.rules, event)
    if match.current:
        return replace(match, current=(*match.current, event))
    if isinstance(event, (Claimed, Declared)):
        verb = "claimed" if isinstance(event, Claimed) else "declared a face"
        raise IllegalEvent(f"{event.player} {verb} before the first go; legal here: go, seen")
    return match


def _check_declared(rules: TenziRules, event: Declared) -> None:
    wanted = len(rules.goal)
    if len(event.faces) != wanted or len(set(event.faces)) != wanted:
        goal = "+".join(map(str, rules.goal))
        faces = "one face is" if wanted == 1 else f"{wanted} different faces are"
        got = " ".join(map(str, event.faces)) or "none"
        raise IllegalEvent(f"{faces} declared for the goal {goal}, got {got}; name them again")


def rounds(match: Match) -> tuple[Round, ...]:
    """Return all rounds; one without a decision is the last."""
    if not match.current:
        return match.closed
    return (*match.closed, _Judge(match).round())


def wins(match: Match) -> dict[str, int]:
    """Return the round wins of every player, in seat order."""
    counted = Counter(each.winner for each in rounds(match))
    return {name: counted[name] for name in match.players}


def winners(match: Match) -> tuple[str, ...]:
    """Return who has won the match: nobody yet, or one player."""
    return tuple(name for name, won in wins(match).items() if won >= match.rules.rounds_to_win)


class _Judge:
    """Judges one round from all its events."""

    def __init__(self, match: Match) -> None:
        self.rules, self.players = match.rules, match.players
        self.go = go = match.current[0].t_ns
        events = [each for each in match.current[1:] if isinstance(each, Claimed) or each.t_ns >= go]
        # A look at the very moment of a claim is what the lane shows at that moment.
        ordered = sorted(events, key=lambda each: (each.t_ns, isinstance(each, Claimed)))
        self.looks = [each for each in ordered if isinstance(each, Seen)]
        self.claimed = [each for each in ordered if isinstance(each, Claimed)]
        self.told = [each for each in ordered if isinstance(each, (Seen, Declared, Noted))]

    def round(self) -> Round:
        """Return what the round came to."""
        finishes = self._finishes()
        if self.rules.claim == "auto":
            deciding = sorted(finishes.items(), key=lambda each: each[1])
        else:
            deciding = [(each.player, each.t_ns) for each in self.claimed if self._shows(each)]
        winner, until, end = self._decision(deciding)
        looks = [each for each in self.looks if until is None or each.t_ns <= until]
        rolls = Counter(each.player for each in looks)
        return Round(
            go_ns=self.go,
            winner=winner,
            replay=until is not None and winner is None,
            finish_ns=tuple(
                (name, finishes[name])
                for name in self.players
                if name in finishes and (until is None or finishes[name] <= until)
            ),
            rolls=tuple((name, rolls[name]) for name in self.players),
            claims=tuple(self._verdicts(deciding, end)),
            flags=tuple(self._flags(until)),
        )

    def _decision(self, deciding: list[tuple[str, int]]) -> tuple[str | None, int | None, int | None]:
        """Return winner, deciding moment and the end of the window in which it could still be a tie."""
        if not deciding:
            return None, None, None
        first, began = deciding[0]
        end = began + self.rules.window_ns
        rival = next((t_ns for name, t_ns in deciding if name != first and t_ns < end), None)
        return (first, began, end) if rival is None else (None, rival, end)

    def _finishes(self) -> dict[str, int]:
        """Return when each lane first showed the goal."""
        found: dict[str, int] = {}
        for look in self.looks:
            if self.rules.shows_goal(look.faces):
                found.setdefault(look.player, look.t_ns)
        return found

    def _shows(self, claim: Claimed) -> bool:
        """Whether the lane of the claimer shows the goal at that moment."""
        last: tuple[int, ...] = ()
        for look in self.looks:
            if look.player == claim.player and look.t_ns <= claim.t_ns:
                last = look.faces
        return self.rules.shows_goal(last)

    def _verdicts(self, deciding: list[tuple[str, int]], end: int | None) -> list[Claim]:
        found = []
        for claim in self.claimed:
            decides = bool(deciding) and self.rules.claim == "required" and claim is self._first_valid()
            late = end is not None and claim.t_ns >= end and not decides
            verdict: Verdict = "late" if late else "valid" if self._shows(claim) else "false"
            found.append(Claim(claim.player, claim.t_ns, verdict))
        return found

    def _first_valid(self) -> Claimed | None:
        return next((each for each in self.claimed if self._shows(each)), None)

    def _flags(self, until: int | None) -> list[Flag]:
        found = []
        targets = {name: Target(self.rules.goal) for name in self.players}
        for event in self.told:
            if until is not None and event.t_ns > until:
                break
            if isinstance(event, Noted):
                found.append(Flag(event.kind, event.player, event.t_ns))
                continue
            if isinstance(event, Seen) and len(event.faces) > self.rules.dice:
                found.append(Flag("stray", event.player, event.t_ns))
            if targets[event.player].given_up_by(event) and self.rules.target_change == "flag":
                found.append(Flag("target_change", event.player, event.t_ns))
        return found

    def progress(self) -> tuple[Progress, ...]:
        """Return how far everybody is, by the last look at each lane."""
        looks: dict[str, list[Seen]] = {name: [] for name in self.players}
        targets = {name: Target(self.rules.goal) for name in self.players}
        for event in self.told:
            if isinstance(event, Noted):
                continue
            targets[event.player].given_up_by(event)
            if isinstance(event, Seen):
                looks[event.player].append(event)
        return tuple(self._progress_of(name, looks[name], targets[name]) for name in self.players)

    def _progress_of(self, player: str, looks: list[Seen], target: Target) -> Progress:
        counts = Counter(looks[-1].faces if looks else ())
        faces = target.faces(counts)
        wanted = self.rules.goal
        held = sorted((counts[face] for face in faces), reverse=True)
        have = sum(min(count, want) for count, want in zip(held, wanted, strict=False))
        return Progress(player, faces, target.declared, have, sum(wanted) - have, len(looks))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a player is in the round."""

    player: str
    """Who."""
    target: tuple[int, ...]
    """The faces that he collects, declared or inferred; empty before the first look."""
    declared: bool
    """Whether he has named them."""
    have: int
    """Dice of the last look that count for the goal."""
    missing: int
    """Dice that are still wanted."""
    rolls: int
    """Looks at his lane, which is throws."""


def progress(match: Match) -> tuple[Progress, ...]:
    """Return how far everybody is in the round that was begun last, in seat order.

    >>> match = start(TenziRules(), ("Anna", "Ben"))
    >>> for event in (Go(0), Seen(50, "Anna", (6, 6, 6, 4, 4, 1, 1, 2, 3, 5))):
    ...     match = apply(match, event)
    >>> [(each.player, each.target, each.have, each.missing) for each in progress(match)]
    [('Anna', (6,), 3, 7), ('Ben', (), 0, 10)]
    """
    if not match.current:
        wanted = sum(match.rules.goal)
        return tuple(Progress(name, (), False, 0, wanted, 0) for name in match.players)
    return _Judge(match).progress()


class Target:
    """The faces that a player collects: those he has declared, else those that led after the second look."""

    def __init__(self, goal: Sequence[int]) -> None:
        """Begin a round."""
        self.goal = tuple(goal)
        """How many dice of each face are wanted, most first."""
        self.declared = False
        """Whether the player has named the faces."""
        self._named: tuple[int, ...] = ()
        self._looks = 0
        self._last: Counter[int] = Counter()
        self._held: dict[int, int] = {}
        """The leading faces (several where they tied) and how many dice they have; empty once given up."""

    def given_up_by(self, event: Seen | Declared) -> bool:
        """Take one more look or declaration; whether it shows that the player gave up what he collected."""
        return self._look(event.faces) if isinstance(event, Seen) else self._declare(event.faces)

    def faces(self, counts: Counter[int]) -> tuple[int, ...]:
        """Return the faces of the target when the lane shows these counts, most dice first."""
        if self.declared:
            return self._named
        order = sorted(counts, key=lambda face: (face not in self._held, -counts[face], face))
        return tuple(order[: len(self.goal)])

    def _look(self, faces: Sequence[int]) -> bool:
        self._looks += 1
        # Dice of one face beyond the goal are of no use to it, so losing them is no change.
        most = self.goal[0]
        counts = Counter({face: min(count, most) for face, count in Counter(faces).items()})
        before, self._last = self._last, counts
        if self.declared:
            return any(counts[face] < before[face] for face in self._named)
        if self._looks < 2:
            return False
        if self._looks == 2:
            leading = max(counts.values(), default=0)
            self._held = {face: count for face, count in counts.items() if count == leading}
            return False
        had = self._held
        self._held = {face: counts[face] for face, count in had.items() if counts[face] >= count}
        return bool(had) and not self._held

    def _declare(self, faces: tuple[int, ...]) -> bool:
        if self.declared:
            changed = set(faces) != set(self._named)
        else:
            # What led after the second look was the target so far; the declaration may say otherwise.
            changed = bool(self._held) and self._held.keys().isdisjoint(faces)
        self.declared, self._named = True, faces
        return changed


def tenzi_rules(settings: Mapping[str, object]) -> TenziRules:
    """Return the rules that a document's settings name; the goal of a lane is all its dice on one face.

    Raises:
        UnknownSetting, BadSetting: with what to do.
    """
    known = [each.name for each in fields(TenziRules)]
    for name in settings:
        if name not in known:
            raise UnknownSetting(f"'{name}' is not a setting of Tenzi; {suggestion(name, known)}")
    values: dict[str, Any] = dict(settings)
    dice = values.get("dice", 10)
    _check_range("dice", dice, 1, _MOST_DICE)
    values["goal"] = _goal(values.get("goal", str(dice)))
    return TenziRules(**values)


def tenzi_event(value: object) -> TenziEvent:
    """Read an event from the list that documents have.

    Raises:
        MalformedEvent: with the shape that was wanted.

    >>> tenzi_event(["seen", 5, "Anna", [6, 6]])
    Seen(t_ns=5, player='Anna', faces=(6, 6))
    """
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        raise MalformedEvent(f"an event is a list that begins with its name, got {shown(value)}")
    shapes = {
        "go": '["go", t_ns]',
        "seen": '["seen", t_ns, player, [faces]]',
        "claimed": '["claimed", t_ns, player]',
        "declared": '["declared", t_ns, player, [faces]]',
        "stray": '["stray", t_ns, player]',
        "hand": '["hand", t_ns, player]',
    }
    name = value[0]
    if name not in shapes:
        raise MalformedEvent(f"'{name}' is no event of this game; {suggestion(name, shapes)}")
    if len(value) > 1 and isinstance(value[1], int) and not isinstance(value[1], bool):
        match value:
            case ["go", t_ns]:
                return Go(t_ns)
            case ["seen", t_ns, str() as player, list() as faces] if all(map(_is_face, faces)):
                return Seen(t_ns, player, tuple(faces))
            case ["claimed", t_ns, str() as player]:
                return Claimed(t_ns, player)
            case ["declared", t_ns, str() as player, list() as faces] if all(map(_is_face, faces)):
                return Declared(t_ns, player, tuple(faces))
            case [("stray" | "hand") as kind, t_ns, str() as player]:
                return Noted(t_ns, kind, player)
    raise MalformedEvent(f"the event '{name}' is written {shapes[name]}, got {shown(value)}")


def tenzi_event_to_json(event: TenziEvent) -> list[object]:
    """Return the event as the list that documents have.

    >>> tenzi_event_to_json(Claimed(60, "Anna"))
    ['claimed', 60, 'Anna']
    """
    match event:
        case Go(t_ns):
            return ["go", t_ns]
        case Seen(t_ns, player, faces):
            return ["seen", t_ns, player, list(faces)]
        case Claimed(t_ns, player):
            return ["claimed", t_ns, player]
        case Declared(t_ns, player, faces):
            return ["declared", t_ns, player, list(faces)]
        case Noted(t_ns, kind, player):  # pragma: no branch - there is no other event
            return [kind, t_ns, player]


def match_board(match: Match) -> dict[str, object]:
    """Return the answer of `replay` for a match."""
    won = winners(match)
    return {
        "rounds": [
            {
                "winner": each.winner,
                "replay": each.replay,
                "finish_ns": dict(each.finish_ns),
                "rolls": dict(each.rolls),
                "claims": [
                    {"player": claim.player, "t_ns": claim.t_ns, "verdict": claim.verdict}
                    for claim in each.claims
                ],
                "flags": [
                    {"kind": flag.kind, "player": flag.player, "t_ns": flag.t_ns} for flag in each.flags
                ],
            }
            for each in rounds(match)
        ],
        "wins": wins(match),
        "finished": bool(won),
        "winners": list(won),
    }


def _is_face(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 6


def _goal(value: object) -> tuple[int, ...]:
    # `--set goal=10` is a number to JSON.
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    parts = text.split("+") if isinstance(text, str) else []
    if not parts or not all(map(_is_count, parts)):
        raise BadSetting(f'setting \'goal\' must be counts like "10" or "5+5", got {shown(value)}; change it')
    return tuple(int(part) for part in parts)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 3


def _check_range(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadSetting(
            f"setting '{name}' must be a whole number from {least} to {most}, got {shown(value)}; change it"
        )


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in cast(tuple[object, ...], choices):
        raise BadSetting(
            f"setting '{name}' must be one of {', '.join(choices)}, got {shown(value)}; change it"
        )
