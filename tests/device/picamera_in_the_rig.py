"""What runs where the real Picamera2 is (a Pi, or the rig): prints one JSON object about what it has seen."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from device.cameras import open_source
from device.cameras.picamera import PiCamera
from device.errors import DeviceFailed


def frames() -> dict[str, Any]:
    """Ten frames, and what the camera was told."""
    with PiCamera() as camera:
        seen = [frame for frame, _ in zip(camera, range(10), strict=False)]
        locked = camera.locked
    record = json.loads(Path(os.environ["RIG_RECORD"]).read_text())
    times = [frame.t_ns for frame in seen]
    return {
        "indices": [frame.index for frame in seen],
        "gaps_ms": [(after - before) / 1e6 for before, after in pairwise(times)],
        "size": seen[0].image.shape[:2],
        "locked": None if locked is None else asdict(locked),
        "controls": record["last"],
    }


def follow(*, patient: bool, count: int) -> dict[str, Any]:
    """Frames over a stall or a late start."""
    said: list[str] = []
    source = open_source("picamera", patient=patient)
    source.tell = said.append
    times = []
    with source:
        for frame in source:
            times.append(frame.t_ns)
            if len(times) >= count and (patient or said):
                break
    gaps = [after - before for before, after in pairwise(times)]
    return {
        "frames": len(times),
        "gap_s": max(gaps, default=0) / 1e9,
        "said": said,
        "restarts": source.restarts,  # type: ignore[attr-defined]
    }


def missing() -> dict[str, Any]:
    """The sentence of a camera that is not there."""
    try:
        PiCamera().close()
    except DeviceFailed as error:
        return {"error": str(error)}
    return {"error": ""}


if __name__ == "__main__":
    scene = sys.argv[1]
    if scene == "frames":
        told = frames()
    elif scene == "missing":
        told = missing()
    else:
        told = follow(patient=scene == "late", count=3 if scene == "late" else 15)
    sys.stdout.write(json.dumps(told) + "\n")
