"""`croupier demo`: a recorded game through the whole program, with nothing but this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from contextlib import ExitStack

    from device.playing import Wanted

RECORDING = "video.mp4"
TRUTH = "truth.json"
_NAMES = {"rolled": "throws", "set_aside": "set-asides", "banked": "banks"}


def demo(
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the pictures of the demonstration go.")
    ] = Path("demo-out"),
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object an event, one a line.")] = False,
) -> None:
    """Play a bundled recording: two players throw dice, and the score keeps itself.

    The recording is computed (physics and a renderer of this project), so what really lay on the table is
    known, and the end says how much of it was seen right. Leaves game.mp4 (dice marked, score beside),
    scoreboard.png and the event store in the folder. Ends with exit code 1 if anything was seen wrong.

    Example: croupier demo --out demo-out
    """
    from contextlib import ExitStack

    from device.atomic import check_folder
    from device.errors import EXIT_NO
    from device.playing import play_game

    folder = check_folder(out)
    with ExitStack() as stack:
        video, truth = _recording(stack)
        events: list[Mapping[str, object]] = []

        def write(data: Mapping[str, object]) -> None:
            events.append(data)
            if as_json:
                _json_line(data)

        final = play_game(_wanted(video, truth, folder, quiet=as_json), write=write)
    verdict = compared(truth, events, final)
    if as_json:
        _json_line({"event": "compared", "right": verdict.right, "lines": list(verdict.lines)})
    else:
        for line in verdict.lines:
            typer.echo(line)
        typer.echo(f"Look at {folder / 'game.mp4'} and {folder / 'scoreboard.png'}.")
    if not verdict.right:
        raise typer.Exit(EXIT_NO)


@dataclass(frozen=True, slots=True)
class Compared:
    """What was seen against what happened."""

    right: bool
    """Whether all of it is the same."""
    lines: tuple[str, ...]
    """The comparison in sentences."""


def compared(
    truth: Mapping[str, object], events: list[Mapping[str, object]], final: Mapping[str, object]
) -> Compared:
    """Compare the events that were seen, and the totals, with the truth of a recording.

    `truth` is a `truth.json` as `croupier simulate` writes it; dice are compared as multisets, for their
    order on the table means nothing.
    """
    wanted = [_plain(event) for event in _list(truth["events"])]
    seen = [
        _plain([data["event"], data["values"]] if data["values"] else [data["event"]])
        for data in events
        if data.get("event") in _NAMES and "values" in data
    ]
    same = 0
    for one, other in zip(wanted, seen, strict=False):
        if one != other:
            break
        same += 1
    lines = []
    for name, word in _NAMES.items():
        right = sum(event[0] == name for event in wanted[:same])
        lines.append(f"{word}: {right} of {sum(event[0] == name for event in wanted)} right")
    if same < max(len(wanted), len(seen)):
        happened = _said(wanted[same]) if same < len(wanted) else "nothing more"
        taken = _said(seen[same]) if same < len(seen) else "nothing more"
        lines.append(f"first difference at event {same}: it was {happened}, and was taken for {taken}")
    totals = final["totals"] == truth["totals"]
    shown = ", ".join(f"{name} {points}" for name, points in _dict(final["totals"]).items())
    lines.append(f"totals: {shown}" + (", right" if totals else f"; right would be {truth['totals']}"))
    asked = sum(data.get("event") in ("unsure", "paused") for data in events)
    if asked:
        lines.append(f"questions: {asked} (what could not be seen for certain is asked, never guessed)")
    all_right = totals and same == len(wanted) == len(seen)
    lines.append("Everything was seen as it was." if all_right else "NOT everything was seen as it was.")
    return Compared(all_right, tuple(lines))


def _recording(stack: ExitStack) -> tuple[Path, Mapping[str, object]]:
    """Return the bundled recording as a file, and what happened in it."""
    import json
    from importlib import resources

    from device.errors import BadInput

    folder = resources.files("models.synth") / "demo"
    if not (folder / RECORDING).is_file() or not (folder / TRUTH).is_file():
        raise BadInput("the recording of the demonstration is not installed; install Croupier again")
    video = stack.enter_context(resources.as_file(folder / RECORDING))
    return video, json.loads((folder / TRUTH).read_text(encoding="utf-8"))


def _wanted(video: Path, truth: Mapping[str, object], folder: Path, *, quiet: bool) -> Wanted:
    """Return what `croupier play` is to do with the recording."""
    import json

    from device.playing import Wanted

    settings = _dict(truth.get("settings") or {})
    return Wanted(
        game=str(truth["game"]),
        source=str(video),
        players=tuple(str(name) for name in _list(truth["players"])),
        preset=str(truth["preset"]),
        settings=tuple(f"{name}={json.dumps(value)}" for name, value in settings.items()),
        displays=(*(() if quiet else ("terminal",)), f"picture:{folder / 'scoreboard.png'}"),
        store=folder / "store",
        record_video=folder / "game.mp4",
    )


def _plain(event: object) -> tuple[str, tuple[int, ...]]:
    """Return an event with its dice in rising order."""
    parts = _list(event)
    faces = _list(parts[1]) if len(parts) > 1 else []
    return str(parts[0]), tuple(sorted(int(str(face)) for face in faces))


def _said(event: tuple[str, tuple[int, ...]]) -> str:
    name, faces = event
    return f"{name} {' '.join(map(str, faces))}".strip()


def _list(value: object) -> list[object]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"a list was wanted, got {type(value).__name__}")
    return list(value)


def _dict(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError(f"an object was wanted, got {type(value).__name__}")
    return value


def _json_line(data: Mapping[str, object]) -> None:
    import json

    typer.echo(json.dumps(data, allow_nan=False))
