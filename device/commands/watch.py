"""`croupier watch`: what happens on the table, without a game."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from device.alignment import Alignment
    from device.cameras import Source
    from device.lanes import Lanes
    from vision.detection import DiceReader
    from vision.tracking import Track
    from vision.watch import Observation

LANE = 0
"""Without a calibration the whole picture is one lane."""


def watch(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="picamera, usb:N, a video file, a folder of frames, or - (MJPEG).",
            show_default=False,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object an event, one a line.")] = False,
    profile: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The table's calibration profile.", show_default=False),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(metavar="N", help="Frames a second of a folder or of -.", show_default=False),
    ] = None,
) -> None:
    """Watch the table: a line for every throw that has come to rest.

    A video is worked through as fast as possible, with its own timestamps; the events do not depend on the
    speed of the machine. Dice that cannot be read for certain are shown as ?, never guessed.

    Example: croupier watch evening.mp4 --json
    """
    from device.alignment import Alignment, reference_of
    from device.cameras import open_source
    from device.cameras.peek import Peeked
    from device.lanes import lanes_for

    with open_source(source, fps=fps) as frames:
        lanes = guard = None
        if profile is not None:
            frames = Peeked(frames)
            lanes = lanes_for(profile, frames)
            guard = Alignment(lanes, reference_of(profile, lanes.profile))
        write = _json_writer(lanes) if as_json else _line_writer(frames.live, lanes)
        from vision.reader import Reader

        watch_source(frames, reader=Reader(), write=write, lanes=lanes, guard=guard)


def watch_source(
    source: Source,
    *,
    reader: DiceReader,
    write: Callable[[Observation], None],
    lanes: Lanes | None = None,
    guard: Alignment | None = None,
) -> None:
    """Push every frame of `source` through a `TableWatcher` and write what it observes.

    With `lanes` only what happens in the zones of the profile is told; `guard` follows a table that moves.

    Raises:
        BadInput: at the end, when something was wrong with the file; all events are written before.
        DeviceFailed: when the camera stops; all events are written before.
    """
    from device.errors import BadInput
    from vision.watch import Observation, TableWatcher, WatchSettings

    # Only a sensor's noise makes two equal pictures suspicious; a file may well hold them.
    settings = WatchSettings(frozen_s=5.0 if source.live else None)
    watcher = TableWatcher(reader, settings=settings, area=None if lanes is None else lanes.area())
    t_ns = index = 0
    first_ns: int | None = None
    try:
        for frame in source:
            t_ns, index = frame.t_ns, frame.index
            if first_ns is None:
                # A camera counts from when the machine was started, which tells nobody anything.
                first_ns = t_ns if source.live else 0
            for observation in watcher.push(frame) if guard is None else guard.follow(frame, watcher):
                write(_since(observation, first_ns))
            for note in () if guard is None else guard.notes():
                write(_since(Observation("camera", t_ns, index, reason=note), first_ns))
    finally:
        for observation in watcher.finish():
            write(_since(observation, first_ns or 0))
    for fault in source.faults:
        write(_since(Observation("camera", t_ns, index, sure=False, reason=fault), first_ns or 0))
    if source.faults:
        more = len(source.faults) - 1
        raise BadInput(source.faults[0] + (f" (and {more} more)" if more else ""))


def _since(observation: Observation, first_ns: int) -> Observation:
    from dataclasses import replace

    return replace(observation, t_ns=observation.t_ns - first_ns) if first_ns else observation


def by_lane(observation: Observation, lanes: Lanes | None) -> list[tuple[str | int, Observation]]:
    """Split a rest: one for each lane in which dice were thrown, with the dice of that lane only.

    Dice that were laid into a tray are no throw, and dice off all zones do not count. Any other observation
    stays as it is.
    """
    from dataclasses import replace

    from vision.watch import AT_START

    if observation.kind == "found":
        return []  # that nothing has changed is no event
    if lanes is None or observation.kind != "rest":
        return [(LANE, observation)]
    dice: dict[str | None, list[Track]] = {}
    thrown: set[str | None] = set()
    for track in observation.dice:
        place = lanes.place(track)
        if place is None:
            continue
        dice.setdefault(place.lane, []).append(track)
        if track.moved and place.zone == "roll":
            thrown.add(place.lane)
    return [
        (
            LANE if lane is None else lane,
            replace(
                observation,
                dice=tuple(tracks),
                sure=all(track.detection.sure for track in tracks) and observation.reason in ("", AT_START),
            ),
        )
        for lane, tracks in dice.items()
        if lane in thrown
    ]


def event_as_dict(
    observation: Observation, lane: str | int = LANE, lanes: Lanes | None = None
) -> dict[str, Any]:
    """What `--json` says about one observation; `lanes` adds where each die lies."""
    from device.readings import die_as_dict

    event: dict[str, Any] = {
        "event": observation.kind,
        "t_s": round(observation.t_s, 4),
        "frame": observation.frame,
    }
    if observation.kind == "rest":
        event["lane"] = lane
        event["values"] = values_of(observation)
        event["dice"] = [die_as_dict(track.detection) for track in observation.dice]
        for die, track in zip(event["dice"], observation.dice, strict=True):
            place = None if lanes is None else lanes.place(track)
            if place is not None:
                die["zone"] = place.zone
                die["place_mm"] = [round(v, 1) for v in place.at_mm]
        event["sure"] = observation.sure
    elif observation.kind == "sign":
        event["event"], event["zone"] = "hand", "bank"
        if lanes is not None and (whose := lanes.sign_lane(observation.sign or 0)) is not None:
            event["lane"] = whose
    elif observation.reason:
        event["reason"] = observation.reason
    return event


def values_of(observation: Observation) -> list[int]:
    """The sorted values of the sure flat dice, as in `croupier read`."""
    from vision.detection import Reading

    return list(Reading(tuple(track.detection for track in observation.dice)).values)


def _json_writer(lanes: Lanes | None) -> Callable[[Observation], None]:
    import json

    def write(observation: Observation) -> None:
        for lane, one in by_lane(observation, lanes):
            typer.echo(json.dumps(event_as_dict(one, lane, lanes), allow_nan=False))

    return write


def _line_writer(live: bool, lanes: Lanes | None) -> Callable[[Observation], None]:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    styles = {"rest": "bold green", "camera": "yellow", "empty": "cyan"}
    if live and console.is_terminal:
        console.print("Watching; Ctrl-C ends it.", style="dim")

    def write(observation: Observation) -> None:
        for lane, one in by_lane(observation, lanes):
            style = styles.get(one.kind, "dim")
            line = Text.assemble((f"{one.t_s:9.2f} s  ", "dim"), (f"{one.kind:<7}", style))
            named = f"lane {lane}: " if one.kind == "rest" and lane != LANE else ""
            said = f" {named}{event_as_line(one)}".rstrip()
            line.append(said, style if one.kind == "rest" else "")
            console.print(line)

    return write


def event_as_line(observation: Observation) -> str:
    """The rest of a line for people: faces in rising order, then `?` for unsure dice and `cocked` ones."""
    from vision.detection import DieState

    if observation.kind == "sign":
        return "a hand over the bank zone"
    if observation.kind != "rest":
        return observation.reason
    values = values_of(observation)
    cocked = sum(track.detection.state is DieState.COCKED for track in observation.dice)
    unsure = len(observation.dice) - len(values) - cocked
    parts = [str(value) for value in values] + ["?"] * unsure + ["cocked"] * cocked
    notes = [observation.reason] if observation.reason else []
    if unsure:
        notes.append(f"not sure of {unsure} of {len(observation.dice)} dice")
    return " ".join(parts) + (f"  ({'; '.join(notes)})" if notes else "")
