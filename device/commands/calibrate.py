"""`croupier calibrate`: where the table is in the picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from calibration.profile import Lens
    from device.calibrating import Calibrated


def calibrate(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help="picamera, usb:N, a picture, a folder, a video, or -.", show_default=False
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The profile to write.")] = Path("table.json"),
    mat: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What croupier mat wrote beside the PDF.", show_default=False),
    ] = None,
    ruler_mm: Annotated[
        float, typer.Option(metavar="MM", help="What the mat's printed ruler of 100 mm measures.")
    ] = 100.0,
    players: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Names of the lanes.", show_default=False)
    ] = None,
    corners: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y X,Y X,Y X,Y",
            help="Without a mat: corners of the playing area in pixels, upper left first, clockwise.",
            show_default=False,
        ),
    ] = None,
    width_mm: Annotated[
        float | None,
        typer.Option(
            metavar="MM",
            help="Without a mat: length of its upper side; without it the dice give the scale.",
            show_default=False,
        ),
    ] = None,
    lanes: Annotated[int, typer.Option(metavar="N", help="Without a mat: so many lanes; 0: shared.")] = 0,
    tray: Annotated[
        bool, typer.Option("--tray/--no-tray", help="Without a mat: with zones for dice set aside.")
    ] = True,
    die_mm: Annotated[float, typer.Option(metavar="MM", help="Side of the dice.")] = 16.0,
    lens: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="camera-module-2, camera-module-3, ...", show_default=False),
    ] = None,
    charuco: Annotated[
        str | None,
        typer.Option(
            metavar="VIEWS",
            help="Measure the lens from a folder or video of the board (croupier mat --charuco).",
            show_default=False,
        ),
    ] = None,
    name: Annotated[str, typer.Option(metavar="NAME", help="Name of the profile.")] = "table",
    annotate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also write a picture with zones, markers and dice.", show_default=False
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object at the end.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,
) -> None:
    """Find the table: scale, zones, lanes, colours of the dice; say what to change about the view.

    With a mat its markers tell everything. Without one, give the corners of the playing area and its width,
    or let dice of known size lie there. Ends with a proof roll: throw some dice before you start. The profile
    goes to FILE, a reference picture beside it; exit code 1: you said that the dice were read wrongly.

    Example: croupier calibrate usb:0 --out table.json
    """
    from datetime import date

    from calibration.profile import profile_as_json
    from device.calibrating import Wishes, calibrate_table, look, save_calibrated
    from device.commands.mat import lane_names
    from device.errors import EXIT_NO, BadInput

    if not 4 <= die_mm <= 60:
        raise BadInput(f"--die-mm wants 4 to 60, got {die_mm:g}")
    if not 80 <= ruler_mm <= 120:
        raise BadInput(f"--ruler-mm wants what a real ruler says, 80 to 120 mm, got {ruler_mm:g}")
    if width_mm is not None and not 50 <= width_mm <= 3000:
        raise BadInput(f"--width-mm wants 50 to 3000, got {width_mm:g}")
    if not 0 <= lanes <= 8:
        raise BadInput(f"--lanes wants 0 to 8, got {lanes}")
    if corners is not None and mat is not None:
        raise BadInput("--corners is for a table without a mat; leave out --mat or --corners")
    if corners is None and width_mm is not None:
        raise BadInput("--width-mm belongs to --corners; a mat tells its own scale (--ruler-mm corrects it)")
    if lens is not None and charuco is not None:
        raise BadInput("--lens and --charuco both give the lens; leave one out")
    folder = out.absolute().parent
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder} for the profile; make it, or choose another --out")
    wishes = Wishes(
        name=name,
        made=date.today().isoformat(),
        die_mm=die_mm,
        mat=None if mat is None else _mat_of(mat),
        ruler_mm=ruler_mm,
        players=lane_names(players),
        corners_px=() if corners is None else corners_of(corners),
        width_mm=width_mm,
        lanes=lanes,
        tray=tray,
    )
    if annotate is not None and annotate.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise BadInput(f"--annotate wants a name that ends in .png or .jpg, got {annotate}")
    glance = look(source, wishes, told=lambda line: typer.echo(line, err=True))
    from dataclasses import replace

    from vision.reader import Reader

    found_lens, lens_note = _lens_of(lens, charuco, glance.camera.width_px, glance.camera.height_px)
    result = calibrate_table(glance, replace(wishes, lens=found_lens), Reader())
    proof: bool | None = None
    if not as_json:
        _report(result, lens_note)
    if not (as_json or yes) and result.dice and _asked():
        proof = typer.confirm(f"{_seen(result)}: right?", default=True, err=True)
        if not proof:
            typer.echo(
                "Nothing was written. Better light, focus or a nearer camera help; then again.", err=True
            )
            raise typer.Exit(EXIT_NO)
    if annotate is not None:
        _annotate(result, annotate)
    profile = save_calibrated(result, out)
    if as_json:
        import json

        from device.readings import die_as_dict

        answer: dict[str, Any] = {
            "profile": str(out),
            "error_mm": None if result.error_mm is None else round(result.error_mm, 3),
            "quality": [
                {"what": f.what, "value": _finite(f.value), "unit": f.unit, "ok": f.ok, "advice": f.advice}
                for f in result.findings
            ],
            "notes": [*([lens_note] if lens_note else []), *result.notes],
            "values": result.values,
            "dice": [die_as_dict(die) for die in result.dice],
            "calibration": profile_as_json(profile),
        }
        typer.echo(json.dumps(answer, ensure_ascii=False, allow_nan=False))
        return
    live = result.profile.camera.source != "file"
    typer.echo(f"Written: {out}." + (f" Try it: croupier watch {source} --profile {out}" if live else ""))


def corners_of(text: str) -> tuple[tuple[float, float], ...]:
    """Read `--corners`.

    Raises:
        BadInput: for anything but four points.
    """
    import math

    from device.errors import BadInput

    try:
        points = tuple((float(x), float(y)) for x, y in (part.split(",") for part in text.split()))
    except ValueError:
        points = ()
    if len(points) != 4 or not all(math.isfinite(value) for point in points for value in point):
        raise BadInput(f'--corners wants four points, such as "120,80 1160,80 1200,650 90,660", got {text!r}')
    return points


def _mat_of(path: Path) -> Any:
    from calibration.mat import mat_from_json
    from device.errors import BadInput

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise BadInput(f"cannot read the mat {path}: {reason}; give the JSON file of croupier mat") from error
    return mat_from_json(text, str(path))


def _lens_of(name: str | None, charuco: str | None, width: int, height: int) -> tuple[Lens | None, str]:
    from calibration.lens import known_lens, measure_lens
    from device.calibrating import pictures_of
    from device.errors import BadInput

    if name is not None:
        return known_lens(name, width, height), ""
    if charuco is None:
        return None, ""
    from itertools import islice

    with pictures_of(charuco) as (pictures, _):
        # A video has many frames of the same view: every tenth of the first 600 will do.
        folder = Path(charuco).is_dir()
        views = list(islice(pictures, 0, 60) if folder else islice(pictures, 0, 600, 10))
    if views and views[0].shape[:2] != (height, width):
        raise BadInput(
            f"{charuco} has pictures of {views[0].shape[1]}x{views[0].shape[0]} pixels, the table those of "
            f"{width}x{height}; measure the lens with the size that the game uses"
        )
    found = measure_lens(views)
    return found.lens, f"the lens was measured in {found.views} views, to {found.error_px:.2f} px"


def _asked() -> bool:
    """Whether there is somebody to ask."""
    import sys

    return sys.stdin is not None and sys.stdin.isatty()


def _finite(value: float) -> float | None:
    import math

    return round(value, 3) if math.isfinite(value) else None


def _seen(result: Calibrated) -> str:
    unsure = len(result.dice) - len(result.values)
    return "I see " + " ".join([*map(str, result.values), *["?"] * unsure])


def _report(result: Calibrated, lens_note: str) -> None:
    """Say how good the view is and what to change."""
    for finding in result.findings:
        mark = "ok   " if finding.ok else "BAD  "
        typer.echo(f"{mark} {finding.what:<6} {finding.text:<14} {finding.advice}".rstrip())
    if result.error_mm is not None:
        typer.echo(f"       The markers agree to {result.error_mm:.2f} mm.")
    for note in (*([lens_note] if lens_note else []), *result.notes):
        typer.echo(f"       {note[:1].upper()}{note[1:]}.")
    if result.dice:
        typer.echo(f"       {_seen(result)}.")
    else:
        typer.echo(
            "       No dice lie in the zones, so there is no proof roll; throw some and calibrate again."
        )
    learned = [lane.name for lane in result.profile.lanes if lane.colour is not None]
    if learned:
        typer.echo(f"       Colours of the dice learned for: {', '.join(learned)}.")


def _annotate(result: Calibrated, path: Path) -> None:
    """Write the picture with everything drawn in."""
    from calibration.geometry import TableGeometry
    from device.annotate import annotate, encode
    from device.annotate_table import draw_table
    from device.atomic import write_bytes
    from vision.detection import Reading

    picture = annotate(draw_table(result.image, TableGeometry(result.profile)), Reading(result.dice))
    write_bytes(path, encode(picture, path.suffix))
