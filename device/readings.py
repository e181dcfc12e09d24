"""What the commands say about dice: the objects of `--json`, and one line for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vision.detection import Detection, DieState, Reading


def die_as_dict(die: Detection) -> dict[str, Any]:
    """What `--json` says about one die; boxes and centres in pixels of its picture."""
    return {
        "value": die.value,
        "confidence": round(float(die.confidence), 4),
        "sure": bool(die.sure),
        "state": die.state.value,
        "box_px": [round(float(number), 1) for number in die.box_px],
        "centre_px": [round(float(number), 1) for number in die.centre_px],
    }


def reading_as_dict(
    path: Path, shape: tuple[int, ...], reading: Reading, elapsed_ms: float
) -> dict[str, Any]:
    """What `croupier read --json` says about one picture of `shape` (height, width, 3)."""
    return {
        "file": str(path),
        "width_px": shape[1],
        "height_px": shape[0],
        "dice": [die_as_dict(die) for die in reading.dice],
        "values": list(reading.values),
        "sure": reading.sure,
        "elapsed_ms": round(elapsed_ms, 1),
    }


def reading_as_line(path: Path, reading: Reading, *, name_width: int = 0) -> str:
    """One picture for people: its name, the values in order, `?` and `cocked` for the rest, and why.

    `name_width` characters are kept for the name, so that the values of several lines stand in a column.
    """
    cocked = sum(die.state is DieState.COCKED for die in reading.dice)
    unsure = len(reading.dice) - len(reading.values) - cocked
    parts = [str(value) for value in reading.values] + ["?"] * unsure + ["cocked"] * cocked
    notes = list(reading.reasons)
    if unsure:
        notes.append(f"not sure of {unsure} of {len(reading.dice)} dice")
    line = f"{path!s:<{name_width}}  {' '.join(parts) if parts else 'no dice found'}"
    return f"{line}  ({'; '.join(notes)})" if notes else line
