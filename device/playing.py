"""A whole game from the camera to the score: everything is opened, every frame is followed, all is closed.

    source -> watcher -> session (referee, store, displays); keys and the drift guard beside

`croupier play` and whatever else wants a game to be played fill in a `Wanted` and call `play_game`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from device.inputs.wanted import InputsWanted

if TYPE_CHECKING:
    from device.alignment import Alignment
    from device.annotated_video import AnnotatedVideo
    from device.cameras import Source
    from device.displays.view import Display
    from device.keys import KeySource
    from device.lanes import Lanes
    from device.recording import Recording
    from device.session import Session, Watcher
    from device.store import GameStore, StoredGame
    from device.web.desk import Desk
    from scorer.lane import Seating
    from scorer.rules import Rules
    from vision.detection import DiceReader
    from vision.frame import Frame, Image
    from vision.tracking import Track
    from vision.watch import Observation

BANK_BY = ("passing", "lane", "zone")
"""What can bank a turn besides a key."""
PHONE_WAIT_S = 0.05
"""While a phone is waited for, the keyboard is looked at so often."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user asked for."""

    game: str
    """Name of the game."""
    source: str
    """Where frames come from, as typed."""
    players: tuple[str, ...]
    """Names in seat order; empty with `resume`."""
    preset: str | None = None
    """Rule preset, or None for the usual."""
    settings: tuple[str, ...] = ()
    """`name=value` changes of the rules."""
    displays: tuple[str, ...] = ("terminal",)
    """Displays by name."""
    keys: bool = False
    """Whether the keyboard takes presses."""
    store: Path | None = None
    """Folder of the store, or None for the usual."""
    resume: bool = False
    """Whether to go on with the latest unfinished game."""
    record_video: Path | None = None
    """Where to write the annotated video."""
    record: Path | None = None
    """Where to keep the session, or None."""
    fps: float | None = None
    """Frames a second of a source without times."""
    profile: Path | None = None
    """The table's calibration profile, or None: the whole picture is one shared roll zone."""
    bank_by: tuple[str, ...] = ("passing", "lane", "zone")
    """What banks a turn besides a key."""
    ask_hot: bool = False
    """Whether it is asked if dice that all score and are thrown again are hot dice."""
    dice: str | None = None
    """Without a camera: `typed`, the players say what they threw."""
    inputs: InputsWanted = field(default_factory=InputsWanted)
    """Buttons, lights and keypads."""
    language: str = "en"
    """What displays and the caller speak: `en` or `sv`."""
    speak: str = "off"
    """How much the caller says: `off`, `few`, `some`, `all`."""
    evidence_mb: float = 500.0
    """Room for the pictures of the throws, in megabytes."""
    levels: tuple[tuple[str, str], ...] = ()
    """Players that the computer plays, by name, with their levels."""
    chances: bool = False
    """Whether everybody's chance to win is on the board."""
    patient: bool = False
    """Whether a camera, display or button that is missing at the start is waited for (the appliance)."""


def names_of(text: str) -> tuple[str, ...]:
    """Return the names in a list with commas.

    >>> names_of("Anna, Ben")
    ('Anna', 'Ben')
    """
    return tuple(name.strip() for name in text.split(",")) if text.strip() else ()


def with_computers(wanted: Wanted) -> Wanted:
    """Return the same with names and levels apart, where a name says its level (`Robo:hard`).

    Raises:
        UnknownLevel: there is no such computer player.
    """
    from scorer.players import seated

    if not any(":" in word for word in wanted.players):
        return wanted
    seats = [seated(word) for word in wanted.players]
    levels = tuple((name, level) for name, level in seats if level is not None)
    return replace(wanted, players=tuple(name for name, _ in seats), levels=levels)


def play_game(
    wanted: Wanted,
    *,
    write: Callable[[Mapping[str, object]], None] | None = None,
    watcher: Watcher | None = None,
    key_source: KeySource | None = None,
    desk: Desk | None = None,
    attached: Callable[[Display], Display] | None = None,
) -> dict[str, object]:
    """Play the game that is wanted and return its final state.

    `write` takes every JSON object; `watcher` and `key_source` take the place of the real ones (fakes).
    `desk` is where phones ask for things and look at the score; `attached` wraps the displays at the table.

    Raises:
        BadInput, RulesError: before anything is written, for what the user gave; or at the end, when
            something was wrong with a file (all events are kept).
        DeviceFailed: when the camera or a display fails; the game can be resumed.
    """
    from contextlib import ExitStack

    from device.alignment import Alignment, reference_of
    from device.caller import Caller
    from device.cameras import open_source
    from device.cameras.peek import Peeked
    from device.displays.several import SeveralDisplays, open_displays
    from device.errors import BadInput, DeviceFailed
    from device.inputs.opening import open_inputs, open_lights
    from device.keys import HINT
    from device.lanes import lanes_for
    from device.store import open_writer, store_folder

    wanted = with_computers(wanted)
    with ExitStack() as stack:
        # Everything that can be refused is refused before the first file is made.
        rules = None if wanted.resume else checked_rules(wanted)
        source = stack.enter_context(open_source(wanted.source, fps=wanted.fps, patient=wanted.patient))
        video = _video(wanted, source)
        if video is not None:
            stack.callback(video.close)
        at_table = open_displays(
            wanted.displays,
            hint=HINT if wanted.keys else "",
            language=wanted.language,
            patient=wanted.patient,
        )
        stack.callback(at_table.close)
        lights = open_lights(wanted.inputs)
        shown = at_table
        if lights is not None:
            stack.callback(lights.close)
            shown = SeveralDisplays((at_table, lights))
        if attached is not None:
            shown = attached(shown)
        if desk is not None:
            shown = SeveralDisplays((shown, desk.display))
        lanes = guard = None
        if wanted.profile is not None:
            peeked = Peeked(source)
            lanes = lanes_for(wanted.profile, peeked)
            guard = Alignment(lanes, reference_of(wanted.profile, lanes.profile))
            source = peeked
            if rules is not None:
                lanes.seats(wanted.players)
        if watcher is None:
            watcher = make_watcher(live=source.live, profile=wanted.profile)
        if key_source is None:
            inputs = replace(
                wanted.inputs,
                terminal=wanted.keys or wanted.inputs.terminal,
                patient=wanted.patient or wanted.inputs.patient,
            )
            key_source = open_inputs(inputs, at_table)
        if key_source is not None:
            stack.callback(key_source.close)
        store = stack.enter_context(open_writer(store_folder(wanted.store), budget_mb=wanted.evidence_mb))
        if wanted.speak != "off":
            caller = stack.enter_context(Caller(wanted.speak, language=wanted.language))
            write = _both(write, caller.event)
        recording = None
        if wanted.record is not None:
            recording = _recording(wanted, rules, source)
            stack.callback(recording.close)
            write = _both(write, recording.event)
        session = new_session(wanted, rules, source, store, shown, write, lanes, keys=key_source is not None)
        if desk is not None:
            desk.begun(session)
        run(
            source,
            watcher,
            session,
            keys=key_source,
            video=video,
            recording=recording,
            guard=guard,
            desk=desk,
        )
        final = session.final()
        if write is not None:
            write(final)
        faults = source.faults
        display_fault = session.display_fault
    if display_fault:
        raise DeviceFailed(display_fault)
    if faults:
        more = len(faults) - 1
        raise BadInput(faults[0] + (f" (and {more} more)" if more else ""))
    return final


def run(
    source: Source,
    watcher: Watcher,
    session: Session,
    *,
    keys: KeySource | None = None,
    video: AnnotatedVideo | None = None,
    recording: Recording | None = None,
    guard: Alignment | None = None,
    desk: Desk | None = None,
) -> None:
    """Push every frame through the watcher and what it observes through the session."""
    evidence = _Evidence()
    first_ns: int | None = None
    marked = _Marked()
    t_ns = 0
    # A camera that is lost and found tells it to the players; by the clock of its last frame.
    source.tell = lambda sentence: session.told(sentence, t_ns)
    try:
        for frame in source:
            if first_ns is None:
                first_ns = frame.t_ns if source.live else 0
            t_ns = frame.t_ns - first_ns
            if recording is not None:
                recording.frame(frame)
            reads = watcher.reads
            observations = watcher.push(frame) if guard is None else guard.follow(frame, watcher)
            for note in () if guard is None else guard.notes():
                session.noted(note[:1].upper() + note[1:] + ".", t_ns)
            for observation in observations:
                session.observed(_since(observation, first_ns), evidence.picture(observation, frame))
            if watcher.reads != reads:
                evidence.read(frame)
            marked.after(observations)
            if desk is not None:
                desk.frame(frame)
            _take_presses(session, keys, desk, t_ns, live=source.live)
            if video is not None:
                video.add(frame, marked.dice, session.view)
            answered = keys is not None or desk is not None
            if session.stopped or (session.referee.game.finished and source.live and not answered):
                return
    finally:
        for observation in watcher.finish():
            session.observed(_since(observation, first_ns or 0), evidence.picture(observation, None))
    lost = guard is not None and guard.lost
    session.ended(t_ns, unclear_s=math.inf if lost else watcher.unclear_s)
    # The recording is over, but somebody sits at the keyboard: the last turn may still be banked.
    while not source.live and not session.stopped and _waited(session, keys, desk, t_ns):
        pass


def _take_presses(
    session: Session, keys: KeySource | None, desk: Desk | None, t_ns: int, *, live: bool
) -> None:
    """Hand on keys and phones; a recording waits while a question is open, a camera waits for nobody."""
    if desk is not None:
        desk.serve(session, t_ns)
    if keys is not None:
        for key in keys.poll(t_ns):
            session.key(key, t_ns)
    while not live and session.asking is not None and not session.stopped:
        if not _waited(session, keys, desk, t_ns):
            return


def _waited(session: Session, keys: KeySource | None, desk: Desk | None, t_ns: int) -> bool:
    """Wait for somebody to press something, and hand it on; whether anybody can still come."""
    if desk is None:
        pressed = "" if keys is None else keys.wait()
        for key in pressed:
            session.key(key, t_ns)
        return bool(pressed)
    if keys is not None:
        for key in keys.poll(t_ns):
            session.key(key, t_ns)
    desk.wait(PHONE_WAIT_S)
    desk.serve(session, t_ns)
    return True


class _Evidence:
    """The frames that were read last: one of them shows the throw that is announced."""

    def __init__(self) -> None:
        self._frames: list[Frame] = []

    def read(self, frame: Frame) -> None:
        """Remember a frame that was read; two are enough, the watcher announces its last one."""
        self._frames = [*self._frames[-1:], frame]

    def picture(self, observation: Observation, now: Frame | None) -> Image | None:
        """Return the picture in which a rest was established."""
        frames = self._frames if now is None else [*self._frames, now]
        for frame in reversed(frames):
            if frame.index == observation.frame:
                return frame.image
        return frames[-1].image if frames else None


class _Marked:
    """The dice to mark in the video: those of the last rest, until something moves."""

    def __init__(self) -> None:
        self.dice: tuple[Track, ...] = ()

    def after(self, observations: Sequence[Observation]) -> None:
        for observation in observations:
            self.dice = observation.dice if observation.kind == "rest" else ()


def _since(observation: Observation, first_ns: int) -> Observation:
    from dataclasses import replace

    return replace(observation, t_ns=observation.t_ns - first_ns) if first_ns else observation


def checked_rules(wanted: Wanted) -> Rules:
    """Return the rules, after checking the players too."""
    from device.documents import parse_settings
    from device.errors import BadInput
    from device.presets import rules_of
    from scorer.farkle import start
    from scorer.rules import DEFAULT_PRESET

    if not wanted.players:
        raise BadInput("who plays? Give at least two names: --players Anna,Ben")
    rules = rules_of(wanted.preset or DEFAULT_PRESET, parse_settings(wanted.settings))
    start(rules, wanted.players)
    _seating(wanted, wanted.players, None)
    return rules


def make_watcher(
    *, live: bool = False, reader: DiceReader | None = None, profile: Path | None = None
) -> Watcher:
    """Return the watcher of a table; `reader` takes the place of the network.

    Raises:
        BadInput: for a profile that cannot be read.
    """
    from device.lanes import load_lanes
    from vision.watch import TableWatcher, WatchSettings

    if reader is None:
        from vision.reader import Reader

        reader = Reader()
    area = None if profile is None else load_lanes(profile, "").area()
    return TableWatcher(reader, settings=WatchSettings(frozen_s=5.0 if live else None), area=area)


def _video(wanted: Wanted, source: Source) -> AnnotatedVideo | None:
    if wanted.record_video is None:
        return None
    from device.annotated_video import AnnotatedVideo

    return AnnotatedVideo(wanted.record_video, float(getattr(source, "fps", 0.0)) or 30.0)


def new_session(
    wanted: Wanted,
    rules: Rules | None,
    source: Source,
    store: GameStore,
    shown: Display,
    write: Callable[[Mapping[str, object]], None] | None,
    lanes: Lanes | None,
    *,
    keys: bool,
    by_hand: bool = False,
) -> Session:
    """Begin a game, or take up the latest unfinished one; `by_hand`: there is no camera.

    Raises:
        BadInput: there is nothing to take up.
    """
    from device.advising import Advisor
    from device.errors import BadInput
    from device.gamelog import SEATS, farkle_game, levels_of
    from device.presets import find_preset, shipped_name
    from device.session import Session
    from device.store import GameHeader, Record
    from device.win_tables import win_odds_of
    from scorer.referee import new_referee, resumed
    from scorer.rules import DEFAULT_PRESET, load_preset

    if rules is not None:
        preset = wanted.preset or DEFAULT_PRESET
        referee = new_referee(rules, wanted.players, seating=_seating(wanted, wanted.players, lanes))
        kept_as = shipped_name(preset)
        header = GameHeader(wanted.game, kept_as, rules.settings(), wanted.players, wanted.source, _now())
        game = store.begin(header)
        if wanted.levels:
            store.append(
                game, [Record((SEATS, *(word for pair in wanted.levels for word in pair)), 0, "key")]
            )
        levels = _levels(wanted, dict(wanted.levels))
        return Session(
            referee,
            store=store,
            game=game,
            display=shown,
            title=find_preset(preset).title,
            emit=write,
            keys=keys,
            lanes=lanes,
            by_hand=by_hand,
            advisor=Advisor(levels, win_odds_of(rules), chances=wanted.chances),
        )
    stored = _unfinished(wanted, store)
    records = store.records(stored.id)
    kept = farkle_game(stored, records)
    if kept.open_points:
        raise BadInput(
            f"game {stored.id} was repaired and not all of it counts now: {kept.open_points[0]}; repair that "
            f"too, or leave it out with: croupier games repair accept {stored.id}"
        )
    seating = _seating(wanted, kept.players, lanes)
    referee = resumed(kept.rules, kept.players, kept.steps, seating=seating)
    # A recording starts from its beginning again: what it has brought already must not count twice.
    camera = [record.t_ns for record in records if record.by == "camera"]
    again = not source.live and stored.header.source == wanted.source
    known_ns = max(camera) if camera and again else None
    return Session(
        referee,
        store=store,
        game=stored.id,
        display=shown,
        title=load_preset(kept.preset).title,
        emit=write,
        keys=keys,
        steps=max((record.step for record in records), default=0),
        after_ns=known_ns,
        lanes=lanes,
        by_hand=by_hand,
        advisor=Advisor(_levels(wanted, levels_of(records)), win_odds_of(kept.rules), chances=wanted.chances),
    )


def _levels(wanted: Wanted, levels: dict[str, str]) -> dict[str, str]:
    """Return the computer players that the session moves; virtual dice move theirs themselves."""
    return {} if wanted.dice == "virtual" else levels


def _recording(wanted: Wanted, rules: Rules | None, source: Source) -> Recording:
    """Begin to keep the session."""
    from device.presets import shipped_name
    from device.recording import MOST_FPS, Recording
    from scorer.rules import DEFAULT_PRESET

    game: dict[str, object] = {"game": wanted.game, "players": list(wanted.players), "source": source.name}
    if rules is not None:
        game |= {"preset": shipped_name(wanted.preset or DEFAULT_PRESET), "settings": rules.settings()}
    assert wanted.record is not None
    fps = float(getattr(source, "fps", 0.0)) or MOST_FPS
    return Recording(wanted.record, game, profile=wanted.profile, fps=fps)


def _both(
    one: Callable[[Mapping[str, object]], None] | None, other: Callable[[Mapping[str, object]], None]
) -> Callable[[Mapping[str, object]], None]:
    """Return a writer that hands every object to both."""

    def write(data: Mapping[str, object]) -> None:
        other(data)
        if one is not None:
            one(data)

    return write


def _seating(wanted: Wanted, players: Sequence[str], lanes: Lanes | None) -> Seating:
    """Return whose lane is which, and what banks a turn.

    Raises:
        BadInput: when there are more players than lanes, or for a way to bank that does not exist.
    """
    from device.errors import BadInput
    from scorer.lane import Seating

    ways = set(wanted.bank_by) - {"none"}
    if unknown := sorted(ways - set(BANK_BY)):
        raise BadInput(f"--bank-by {unknown[0]!r} is not known; use {', '.join(BANK_BY)} or none")
    return Seating(
        () if lanes is None else lanes.seats(players),
        by_passing="passing" in ways,
        by_lane="lane" in ways,
        by_sign="zone" in ways,
        sure_hot=not wanted.ask_hot,
    )


def _unfinished(wanted: Wanted, store: GameStore) -> StoredGame:
    """Return the latest game that can go on."""
    from device.errors import BadInput
    from device.gamelog import farkle_game
    from scorer.farkle import fold

    for stored in reversed(store.games()):
        if stored.header.game != wanted.game:
            continue
        kept = farkle_game(stored, store.records(stored.id))
        if wanted.players and kept.players != wanted.players:
            continue
        if not fold(kept.rules, kept.players, kept.events).finished:
            return stored
    whose = f" of {', '.join(wanted.players)}" if wanted.players else ""
    raise BadInput(
        f"there is no unfinished game of {wanted.game}{whose} in {store.folder}; start one without --resume"
    )


def _now() -> str:
    from datetime import datetime

    return datetime.now().astimezone().isoformat(timespec="seconds")


@contextmanager
def ended_politely() -> Iterator[None]:
    """Let `kill` end the game as Ctrl-C does: terminal and files are left as they should be."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():  # only the main thread may set handlers
        yield
        return

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
