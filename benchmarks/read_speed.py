"""How fast the reader reads, beside a YOLO11n of six classes: `python -m benchmarks.read_speed`.

Both run in this process, on one thread, on the same drawn picture, in turns (so that a busy machine slows
both); printed are the medians in milliseconds of processor time and the ratio to the baseline. The baseline
file has input (1, 3, 640, 640) float32; its weights may be random: only its clock matters.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort

from models.synth.stills import make_still
from vision.frame import Image
from vision.reader import Reader

SIZES = ((640, 480, 6), (1280, 960, 6), (1920, 1080, 40))
"""Width, height, number of dice."""
MOST_WHOLE = 12
"""Of more dice than this some always lie at the picture's edge."""


def drawn(width_px: int, height_px: int, dice: int) -> tuple[Image, float]:
    """Draw a table with dice; returns the picture and the median size of a die's box in pixels.

    Seeds from 7 on are tried until all the dice lie wholly in the picture: half a die is a question that
    takes every look there is.
    """
    for seed in count(7):
        still = make_still(
            np.random.default_rng(seed),
            width_px=width_px,
            height_px=height_px,
            dice=dice,
            size_px=(36.0, 48.0),
            max_tilt_deg=10,
            cocked_share=0.0,
        )
        boxes = np.array([die.box_px for die in still.dice], np.float64)
        inside = (boxes[:, :2] > 0) & (boxes[:, :2] + boxes[:, 2:] < (width_px, height_px))
        if inside.all() or dice > MOST_WHOLE:
            break
    return still.image, float(np.median(np.sqrt(boxes[:, 2] * boxes[:, 3])))


def yolo(path: Path) -> Callable[[Image], object]:
    """Return a function that letterboxes a picture to 640x640 and runs the baseline on it."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name

    def run(image: Image) -> object:
        scale = 640 / max(image.shape[:2])
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        square = np.full((640, 640, 3), 114, np.uint8)
        square[: small.shape[0], : small.shape[1]] = small
        return session.run(None, {name: square.transpose(2, 0, 1)[None].astype(np.float32) / 255.0})

    return run


def clocked(jobs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Run the jobs in turns and return the median processor time of each in milliseconds."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for number in range(rounds + 1):
        for name, job in jobs.items():
            started = time.process_time()
            job()
            if number:  # the first round warms up
                times[name].append(1000 * (time.process_time() - started))
    return {name: statistics.median(values) for name, values in times.items()}


def photographs(reader: Reader, folders: Sequence[Path], most: int) -> None:
    """Print how long photographs take that are brought to 1280x960: `most` of each folder, evenly chosen."""
    times: list[float] = []
    for folder in folders:
        files = sorted(folder.glob("*.jpg"))
        for file in files[:: max(1, len(files) // most)][:most]:
            picture = cv2.imread(str(file), cv2.IMREAD_COLOR)
            if picture is None:
                continue
            image = np.asarray(cv2.resize(picture, (1280, 960)), np.uint8)
            started = time.process_time()
            reader.read(image)
            times.append(1000 * (time.process_time() - started))
    times.sort()
    print(
        f"{len(times)} photographs at 1280x960: median {statistics.median(times):.0f} ms, "
        f"{sum(t < 150 for t in times)} under 150 ms, slowest {times[-1]:.0f} ms"
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description="Time the reader beside a YOLO11n.")
    parser.add_argument("--baseline", type=Path, default=Path("../shared/baselines/yolo11n_640.onnx"))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--photos", type=Path, nargs="*", default=[], help="folders of JPEGs to time as well")
    args = parser.parse_args(argv)
    cv2.setNumThreads(1)
    reader = Reader(threads=1)
    baseline = yolo(args.baseline) if args.baseline.exists() else None
    print(f"{'picture':>22s} {'job':>16s} {'ms':>8s}  times as fast as YOLO11n at 640")
    for width, height, dice in SIZES:
        image, size = drawn(width, height, dice)
        jobs: dict[str, Callable[[], object]] = {
            "scale unknown": lambda image=image: reader.read(image),  # type: ignore[misc]
            "scale known": lambda image=image, size=size: reader.read(image, size_px=size),  # type: ignore[misc]
        }
        if baseline is not None:
            jobs["YOLO11n"] = lambda image=image: baseline(image)  # type: ignore[misc]
        result = clocked(jobs, args.rounds)
        for name, milliseconds in result.items():
            ratio = f"{result['YOLO11n'] / milliseconds:.2f}" if "YOLO11n" in result else "no baseline file"
            print(f"{f'{width}x{height}, {dice} dice':>22s} {name:>16s} {milliseconds:8.1f}  {ratio}")
    if args.photos:
        photographs(reader, args.photos, 8)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory: {peak_mb:.0f} MB at most, the baseline included")


if __name__ == "__main__":
    main()
