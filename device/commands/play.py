"""`croupier play`: a whole game, from the camera to the score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from device.annotated_video import AnnotatedVideo
    from device.cameras import Source
    from device.displays.view import Display
    from device.keys import KeySource
    from device.session import Session, Watcher
    from device.store import GameStore, StoredGame
    from scorer.rules import Rules
    from vision.detection import DiceReader
    from vision.frame import Frame, Image
    from vision.tracking import Track
    from vision.watch import Observation

GAMES = ("farkle",)
"""Games that can be played from a camera."""


def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game: farkle.", show_default=False)],
    source: Annotated[
        str,
        typer.Option(
            metavar="SOURCE",
            help="picamera, usb:N, a video file, a folder of frames, or - (MJPEG).",
            show_default=False,
        ),
    ],
    players: Annotated[
        str,
        typer.Option(metavar="A,B,...", help="Names in seat order, with commas.", show_default=False),
    ] = "",
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Rule preset (see: croupier rules list), or a TOML file. Default: farkle.",
            show_default=False,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change one setting of the rules; repeatable."),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The table's calibration profile.", show_default=False),
    ] = None,
    display: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DISPLAY",
            help="terminal, picture:PATH (.png, .jpg, .webp; picture:PATH@800x480) or none; repeatable. "
            "Default: terminal, with --json none.",
            show_default=False,
        ),
    ] = None,
    keys: Annotated[
        bool, typer.Option("--keys", help="Bank, undo, fix a die and answer questions at the keyboard.")
    ] = False,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where games are kept (default: CROUPIER_STORE, or the user's data folder).",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the latest unfinished game.")] = False,
    record_video: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a video with the dice marked and the score beside.",
            show_default=False,
        ),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(metavar="N", help="Frames a second of a folder or of -.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object an event, one a line.")] = False,
) -> None:
    """Play a game: throw the dice, and the score keeps itself.

    Dice that stay where they lie while the others are thrown are set aside. All dice thrown again are hot
    dice where every die of the throw scores; else they are the next player's, and the turn before is banked
    with the best selection of its last throw. Every event is on disk before it is shown. What does not fit,
    or cannot be read for certain, is asked, never guessed.

    Example: croupier play farkle --source usb:0 --players Anna,Ben --keys
    """
    from device.errors import BadInput

    if game not in GAMES:
        raise BadInput(
            f"there is no game {game!r} that can be played from a camera; use {' or '.join(GAMES)}"
        )
    if profile is not None:
        raise BadInput(
            f"the profile {profile} cannot be used: this version has no calibration yet; leave out --profile"
        )
    table = Wanted(
        game=game,
        source=source,
        players=names_of(players),
        preset=preset,
        settings=tuple(settings or ()),
        displays=tuple(display or (("none",) if as_json else ("terminal",))),
        keys=keys,
        store=store,
        resume=resume,
        record_video=record_video,
        fps=fps,
    )
    with _ended_politely():
        play_game(table, write=_json_line if as_json else None)


@contextmanager
def _ended_politely() -> Iterator[None]:
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
    fps: float | None = None
    """Frames a second of a source without times."""
    profile: Path | None = None
    """The table's calibration profile, or None: the whole picture is one shared roll zone."""


def names_of(text: str) -> tuple[str, ...]:
    """Return the names in a list with commas.

    >>> names_of("Anna, Ben")
    ('Anna', 'Ben')
    """
    return tuple(name.strip() for name in text.split(",")) if text.strip() else ()


def play_game(
    wanted: Wanted,
    *,
    write: Callable[[Mapping[str, object]], None] | None = None,
    watcher: Watcher | None = None,
    key_source: KeySource | None = None,
) -> dict[str, object]:
    """Play the game that is wanted and return its final state.

    `write` takes every JSON object; `watcher` and `key_source` take the place of the real ones (fakes).

    Raises:
        BadInput, RulesError: before anything is written, for what the user gave; or at the end, when
            something was wrong with a file (all events are kept).
        DeviceFailed: when the camera or a display fails; the game can be resumed.
    """
    from contextlib import ExitStack

    from device.cameras import open_source
    from device.displays.several import open_displays
    from device.errors import BadInput, DeviceFailed
    from device.keys import HINT, TerminalKeys
    from device.store import open_writer, store_folder

    with ExitStack() as stack:
        # Everything that can be refused is refused before the first file is made.
        rules = None if wanted.resume else _checked_rules(wanted)
        source = stack.enter_context(open_source(wanted.source, fps=wanted.fps))
        video = _video(wanted, source)
        if video is not None:
            stack.callback(video.close)
        shown = open_displays(wanted.displays, hint=HINT if wanted.keys else "")
        stack.callback(shown.close)
        if watcher is None:
            watcher = make_watcher(live=source.live, profile=wanted.profile)
        if wanted.keys and key_source is None:
            key_source = TerminalKeys()
        if key_source is not None:
            stack.callback(key_source.close)
        store = stack.enter_context(open_writer(store_folder(wanted.store)))
        session = _session(wanted, rules, source, store, shown, write, keys=key_source is not None)
        run(source, watcher, session, keys=key_source, video=video)
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
) -> None:
    """Push every frame through the watcher and what it observes through the session."""
    evidence = _Evidence()
    first_ns: int | None = None
    marked = _Marked()
    t_ns = 0
    try:
        for frame in source:
            if first_ns is None:
                first_ns = frame.t_ns if source.live else 0
            t_ns = frame.t_ns - first_ns
            reads = watcher.reads
            observations = watcher.push(frame)
            for observation in observations:
                session.observed(_since(observation, first_ns), evidence.picture(observation, frame))
            if watcher.reads != reads:
                evidence.read(frame)
            marked.after(observations)
            _take_keys(session, keys, t_ns, live=source.live)
            if video is not None:
                video.add(frame, marked.dice, session.view)
            if session.stopped or (session.referee.game.finished and source.live and keys is None):
                return
    finally:
        for observation in watcher.finish():
            session.observed(_since(observation, first_ns or 0), evidence.picture(observation, None))
    session.ended(t_ns)
    # The recording is over, but somebody sits at the keyboard: the last turn may still be banked.
    while keys is not None and not source.live and not session.stopped:
        pressed = keys.wait()
        if not pressed:
            return
        for key in pressed:
            session.key(key, t_ns)


def _take_keys(session: Session, keys: KeySource | None, t_ns: int, *, live: bool) -> None:
    """Hand on the keys; a recording waits while a question is open, a camera does not wait for anybody."""
    if keys is None:
        return
    for key in keys.poll(t_ns):
        session.key(key, t_ns)
    while not live and session.asking is not None and not session.stopped:
        pressed = keys.wait()
        if not pressed:
            return
        for key in pressed:
            session.key(key, t_ns)


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


def _checked_rules(wanted: Wanted) -> Rules:
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
    return rules


def make_watcher(
    *, live: bool = False, reader: DiceReader | None = None, profile: Path | None = None
) -> Watcher:
    """Return the watcher of a table; `reader` takes the place of the network."""
    from vision.watch import TableWatcher, WatchSettings

    if reader is None:
        from vision.reader import Reader

        reader = Reader()
    return TableWatcher(reader, settings=WatchSettings(frozen_s=5.0 if live else None))


def _video(wanted: Wanted, source: Source) -> AnnotatedVideo | None:
    if wanted.record_video is None:
        return None
    from device.annotated_video import AnnotatedVideo

    return AnnotatedVideo(wanted.record_video, float(getattr(source, "fps", 0.0)) or 30.0)


def _session(
    wanted: Wanted,
    rules: Rules | None,
    source: Source,
    store: GameStore,
    shown: Display,
    write: Callable[[Mapping[str, object]], None] | None,
    *,
    keys: bool,
) -> Session:
    """Begin a game, or take up the latest unfinished one."""
    from device.errors import BadInput
    from device.gamelog import farkle_game
    from device.presets import find_preset, shipped_name
    from device.session import Session
    from device.store import GameHeader
    from scorer.referee import new_referee, resumed
    from scorer.rules import DEFAULT_PRESET, load_preset

    if rules is not None:
        preset = wanted.preset or DEFAULT_PRESET
        referee = new_referee(rules, wanted.players)
        kept_as = shipped_name(preset)
        header = GameHeader(wanted.game, kept_as, rules.settings(), wanted.players, wanted.source, _now())
        return Session(
            referee,
            store=store,
            game=store.begin(header),
            display=shown,
            title=find_preset(preset).title,
            emit=write,
            keys=keys,
        )
    stored = _unfinished(wanted, store)
    records = store.records(stored.id)
    kept = farkle_game(stored, records)
    if kept.open_points:
        raise BadInput(
            f"game {stored.id} was repaired and not all of it counts now: {kept.open_points[0]}; repair that "
            f"too, or leave it out with: croupier games repair accept {stored.id}"
        )
    referee = resumed(kept.rules, kept.players, kept.steps)
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


def _json_line(data: Mapping[str, object]) -> None:
    import json

    typer.echo(json.dumps(data, allow_nan=False))
