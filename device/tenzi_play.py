"""`croupier play tenzi`: a match judged from a camera or a recording.

source -> race watcher -> session (rules, store, displays); keys and recorded claims beside
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from device.errors import BadInput, DeviceFailed

if TYPE_CHECKING:
    from device.displays.view import Display
    from device.keys import KeySource
    from device.lanes import Lanes
    from device.playing import Wanted
    from device.store import GameStore
    from device.tenzi_session import TenziSession
    from scorer.tenzi import Match, TenziRules
    from vision.detection import Detection, DiceReader
    from vision.race_watch import RaceWatcher

HINT = "1-8 claim · g go · a/d answer · q stop"
"""One line for the bottom of a display."""
_CLIP_NS = 500_000_000


@dataclass(frozen=True, slots=True)
class RaceWanted:
    """What only a race needs."""

    claims: Path | None = None
    """A file with the claims (and Gos) of a recording: a document of the game, such as truth.json."""
    go: str = "auto"
    """`key`, seconds of a countdown, or `auto`: as recorded, by key where there are keys, else at once."""
    rounds: int | None = None
    """Most rounds, or None: until the match is won."""


@dataclass(frozen=True, slots=True)
class _Told:
    """Something that a file says happened."""

    t_ns: int
    player: str | None
    """Who claimed; None: Go."""


def play_tenzi(
    wanted: Wanted,
    race: RaceWanted,
    *,
    write: Callable[[Mapping[str, object]], None] | None = None,
    reader: DiceReader | None = None,
    key_source: KeySource | None = None,
) -> dict[str, object]:
    """Judge a match and return its final state.

    `reader` and `key_source` take the place of the real ones (fakes).

    Raises:
        BadInput, RulesError: for what the user gave, before anything is written.
        DeviceFailed: the camera or a display failed; the match can be resumed.
    """
    from device.cameras import open_source
    from device.cameras.peek import Peeked
    from device.displays.several import open_displays
    from device.inputs.opening import open_inputs
    from device.lanes import lanes_for
    from device.store import open_writer, store_folder

    if wanted.profile is None:
        raise BadInput("a race needs to know the lanes; give --profile FILE (see: croupier calibrate)")
    with ExitStack() as stack:
        source = stack.enter_context(open_source(wanted.source, fps=wanted.fps, patient=wanted.patient))
        peeked = Peeked(source)
        lanes = lanes_for(wanted.profile, peeked)
        if not wanted.resume and not wanted.players:
            raise BadInput("who plays? Give names: --players Anna,Ben")
        fps = float(getattr(source, "fps", 0.0)) or 30.0
        rules = None if wanted.resume else race_rules(wanted, fps, live=source.live)
        told = _told(race.claims)
        countdown_s = _countdown(
            race.go, keys=wanted.keys or wanted.inputs.any or key_source is not None, told=told
        )
        shown = open_displays(
            wanted.displays,
            hint=HINT if wanted.keys else "",
            language=wanted.language,
            patient=wanted.patient,
        )
        stack.callback(shown.close)
        if key_source is None:
            inputs = replace(wanted.inputs, terminal=wanted.keys or wanted.inputs.terminal)
            key_source = open_inputs(inputs, shown)
        if key_source is not None:
            stack.callback(key_source.close)
        store = stack.enter_context(open_writer(store_folder(wanted.store), budget_mb=wanted.evidence_mb))
        session, after_ns = _session(wanted, race, rules, store, shown, write)
        seats = lanes.seats(session.players)
        unknown = {each.player for each in told if each.player} - set(session.players)
        if unknown:
            raise BadInput(
                f"{race.claims} has claims of {sorted(unknown)[0]}, who does not play; "
                f"players are {', '.join(session.players)}"
            )
        watcher = race_watcher(lanes, seats, session.match.rules.dice, reader)
        _Loop(peeked, watcher, session, key_source, told, countdown_s, after_ns).run()
        final = session.final()
        if write is not None:
            write(final)
        if session.display_fault:
            raise DeviceFailed(session.display_fault)
        faults = source.faults
    if faults:
        raise BadInput(faults[0])
    return final


def race_rules(wanted: Wanted, fps: float, *, live: bool) -> TenziRules:
    """Return the rules; what a camera and a key can tell apart is filled in where it is not given."""
    from device.documents import parse_settings
    from scorer.tenzi import start, tenzi_rules

    asked = parse_settings(wanted.settings)
    frame_ns = round(1e9 / fps)
    asked.setdefault("frame_ns", frame_ns)
    # A key is looked at once a frame: two presses are told apart when they are two frames apart.
    if wanted.keys or wanted.inputs.any:
        asked.setdefault("claim_ns", 2 * frame_ns)
    rules = tenzi_rules(asked)
    start(rules, wanted.players)
    return rules


def race_watcher(
    lanes: Lanes, seats: tuple[str, ...], dice: int, reader: DiceReader | None = None
) -> RaceWatcher:
    """Return the watcher of the lanes of these players, in seat order.

    Raises:
        BadInput: the profile has no lanes.
    """
    from vision.race_watch import RaceSettings, RaceWatcher
    from vision.tracking import Track

    names = seats or ("",)
    outlines = [
        [
            [(float(x), float(y)) for x, y in outline]
            for zone_lane, outline in lanes.outlines_px()
            if zone_lane == name or not seats
        ]
        for name in names
    ]
    area = lanes.area()
    if area.die_px is None:
        raise BadInput("the profile does not say how large a die is; calibrate again")
    if reader is None:
        from vision.reader import Reader

        reader = Reader()

    def place(die: Detection) -> tuple[int, bool] | None:
        found = lanes.place(Track(0, die, moved=False))
        if found is None:
            return None
        if not seats:
            return 0, found.zone == "tray"
        return (names.index(found.lane), found.zone == "tray") if found.lane in names else None

    return RaceWatcher(reader, outlines, place, die_px=area.die_px, settings=RaceSettings(dice=dice))


class _Loop:
    """Frames, presses and what a file says, in the order of their times."""

    def __init__(
        self,
        source: object,
        watcher: RaceWatcher,
        session: TenziSession,
        keys: KeySource | None,
        told: tuple[_Told, ...],
        countdown_s: float | None,
        after_ns: int,
    ) -> None:
        self._source, self._watcher, self._session, self._keys = source, watcher, session, keys
        self._told = [each for each in told if each.t_ns > after_ns]
        self._countdown_s = countdown_s
        self._after_ns = after_ns
        self._go_at_ns: int | None = None
        self._counted: int | None = None
        self._stopped = False

    def run(self) -> None:
        """Judge until the source ends, the match is over or somebody stops."""
        session, watcher = self._session, self._watcher
        first_ns: int | None = None
        t_ns = 0
        try:
            for frame in self._source:  # type: ignore[attr-defined]  # any source of frames
                if first_ns is None:
                    first_ns = frame.t_ns if self._source.live else 0  # type: ignore[attr-defined]
                t_ns = frame.t_ns - first_ns
                self._due(t_ns)
                looks = watcher.push(replace(frame, t_ns=t_ns))
                for look in looks:
                    self._looked(look)
                session.tick(
                    t_ns, {name: watcher.clear_until_ns(i, t_ns) for i, name in enumerate(session.players)}
                )
                if self._stopped or session.finished:
                    return
        finally:
            session.ended(t_ns)

    def _looked(self, look: object) -> None:
        from vision.race_watch import LaneLook

        assert isinstance(look, LaneLook)
        if look.t_ns <= self._after_ns or look.lane >= len(self._session.players):
            return
        ring = self._watcher.ring
        frame = ring.frame(look.frame)
        clip = ring.frames(look.t_ns - _CLIP_NS, look.t_ns + _CLIP_NS)
        name = self._session.players[look.lane]
        self._session.looked(name, look, None if frame is None else frame.image, clip)

    def _due(self, t_ns: int) -> None:
        """Take what happened up to now: Go, claims of a file, keys."""
        session = self._session
        while self._told and self._told[0].t_ns <= t_ns:
            each = self._told.pop(0)
            if each.player is None:
                self._go(each.t_ns)
            else:
                session.claimed(each.player, each.t_ns)
        if self._countdown_s is not None and not session.running and not session.finished:
            self._count_down(t_ns)
        for key in "" if self._keys is None else self._keys.poll(t_ns):
            self._press(key, t_ns)

    def _go(self, t_ns: int) -> None:
        self._session.go(t_ns)
        self._watcher.new_round()

    def _count_down(self, t_ns: int) -> None:
        assert self._countdown_s is not None
        if self._go_at_ns is None:
            self._go_at_ns = t_ns + round(self._countdown_s * 1e9)
            self._counted = None
        left_s = (self._go_at_ns - t_ns) / 1e9
        if left_s <= 0:
            self._go_at_ns = None
            self._go(t_ns)
            return
        number = int(left_s) + 1
        if number != self._counted and number <= 3:
            self._counted = number
            self._session.countdown(number)

    def _press(self, key: str, t_ns: int) -> None:
        session = self._session
        if key == "q":
            self._stopped = True
        elif key in ("g", " "):
            self._go(t_ns)
        elif key in ("a", "d"):
            session.answered(yes=key == "a", t_ns=t_ns)
        elif key.isdigit() and 1 <= int(key) <= len(session.players):
            session.claimed(session.players[int(key) - 1], t_ns)


def _countdown(text: str, *, keys: bool, told: tuple[_Told, ...]) -> float | None:
    """Return the seconds of the countdown; None: Go comes by key or from the file."""
    recorded = any(each.player is None for each in told)
    if text == "auto":
        return None if recorded or keys else 0.0
    if text == "key":
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 60:
        raise BadInput(f"--go wants key, auto or 0 to 60 seconds of countdown, got {text!r}")
    return seconds


def _told(path: Path | None) -> tuple[_Told, ...]:
    """Read the claims and Gos of a recording.

    Raises:
        BadInput: for a file that is no document of a Tenzi match.
    """
    if path is None:
        return ()
    from device.documents import read_json
    from scorer.errors import RulesError
    from scorer.tenzi import Claimed, Go, tenzi_event

    data = read_json(path)
    events = data.get("events") if isinstance(data, dict) else None
    if not isinstance(events, list):
        raise BadInput(
            f'{path} has no "events"; wanted a document of a Tenzi match, as croupier replay reads it'
        )
    out = []
    for index, each in enumerate(events):
        try:
            event = tenzi_event(each)
        except RulesError as error:
            raise BadInput(f"{path}: event {index}: {error}") from error
        if isinstance(event, Go):
            out.append(_Told(event.t_ns, None))
        elif isinstance(event, Claimed):
            out.append(_Told(event.t_ns, event.player))
    return tuple(sorted(out, key=lambda each: each.t_ns))


def _session(
    wanted: Wanted,
    race: RaceWanted,
    rules: TenziRules | None,
    store: GameStore,
    shown: Display,
    write: Callable[[Mapping[str, object]], None] | None,
) -> tuple[TenziSession, int]:
    """Begin a match, or take up the latest unfinished one; also up to when it is known already."""
    from datetime import datetime

    from device.gamelog import KeptRace, standing_game
    from device.store import GameHeader
    from device.tenzi_session import TenziSession
    from scorer.tenzi import apply, rounds, start, tenzi_rules, winners

    if rules is not None:
        goal = "+".join(map(str, rules.goal))
        settings: dict[str, object] = {
            "dice": rules.dice,
            "goal": goal,
            "claim": rules.claim,
            "frame_ns": rules.frame_ns,
            "claim_ns": rules.claim_ns,
            "rounds_to_win": rules.rounds_to_win,
            "target_change": rules.target_change,
        }
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        header = GameHeader("tenzi", "tenzi", settings, wanted.players, wanted.source, now)
        game = store.begin(header)
        match = start(rules, wanted.players)
        session = TenziSession(
            match,
            store=store,
            game=game,
            display=shown,
            emit=write,
            most_rounds=race.rounds,
        )
        return session, -1
    for stored in reversed(store.games()):
        if stored.header.game != "tenzi":
            continue
        records = store.records(stored.id)
        kept = standing_game(stored, records)
        assert isinstance(kept, KeptRace)
        again: Match = start(tenzi_rules(kept.settings), kept.players)
        for event in kept.race.events:
            again = apply(again, event)
        if winners(again):
            continue
        known_ns = max((record.t_ns for record in records), default=-1)
        done = [each for each in rounds(again) if each.winner or each.replay]
        session = TenziSession(
            again,
            store=store,
            game=stored.id,
            display=shown,
            emit=write,
            steps=max((record.step for record in records), default=0),
            most_rounds=race.rounds,
            rounds_done=len(done),
        )
        return session, known_ns if stored.header.source == wanted.source else -1
    raise BadInput(f"there is no unfinished match of tenzi in {store.folder}; start one without --resume")
