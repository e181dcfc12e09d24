"""The reader on labelled clips: every still frame by itself, the vote of several, and frames without dice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from models.training.data import Label, Photo
from models.training.folders import BadFolder, Clip, Rest
from models.training.tally import Tally
from vision.detection import DiceReader, Reading
from vision.frame import Image
from vision.voting import vote

WINDOW_S = 0.3
"""The time over which the watch of a table lets readings vote."""
VOTES = 3
"""How many readings vote in such a window."""


@dataclass(slots=True)
class ClipTallies:
    """What was counted on the clips of one folder."""

    frames: Tally = field(default_factory=Tally)
    """Every frame inside a rest, by itself."""
    windows: Tally = field(default_factory=Tally)
    """The vote of `VOTES` frames spread over `WINDOW_S`, for every frame at which such a window may begin."""
    rests: Tally = field(default_factory=Tally)
    """The vote of all frames of a rest: one answer a throw."""
    without_dice: Tally = field(default_factory=Tally)
    """Frames in which no die lies on the table."""


def measure_clip(
    reader: DiceReader, clip: Clip, tallies: ClipTallies, step: Callable[[], None], *, every: int = 1
) -> None:
    """Read every `every`-th frame that a label speaks of and count; `step` is called after each frame.

    Raises:
        BadFolder: if the clip cannot be opened or ends before its labels do.
    """
    numbers = frames_of(clip, every=every)
    readings: dict[int, Reading] = {}
    for number, image in _frames(clip.path, numbers):
        started = time.perf_counter()
        readings[number] = reader.read(image)
        tallies.frames.times_s.append(time.perf_counter() - started)
        step()
    missing = [number for number in numbers if number not in readings]
    if missing:
        raise BadFolder(f"{clip.path} has no frame {missing[0]}, of which labels.json speaks")
    for rest in clip.rests:
        _count_rest(rest, readings, clip.fps, tallies)
    empty = clip_without_dice(clip)
    for first, last in clip.without_dice:
        for number in range(first, last + 1):
            if number in readings:
                tallies.without_dice.add(empty, readings[number], note=f"frame {number}", frame=number)


def clip_without_dice(clip: Clip) -> Photo:
    """Return the label of a frame without dice."""
    label = Label(np.zeros((0, 4), np.float32), np.zeros(0, np.int64), complete=True)
    return Photo(clip.path, clip.rig, clip.path.name, label, (), 0, measurable=True)


def frames_of(clip: Clip, *, every: int = 1) -> list[int]:
    """Numbers of the frames to read, ascending: those inside rests and those without dice."""
    intervals = [(rest.start_frame, rest.end_frame) for rest in clip.rests]
    wanted: set[int] = set()
    for first, last in [*intervals, *clip.without_dice]:
        wanted.update(range(first, last + 1, every))
    return sorted(wanted)


def _count_rest(rest: Rest, readings: dict[int, Reading], fps: float, tallies: ClipTallies) -> None:
    numbers = [n for n in range(rest.start_frame, rest.end_frame + 1) if n in readings]
    for number in numbers:
        tallies.frames.add(rest.photo, readings[number], note=f"frame {number}", frame=number)
    if not numbers:
        return
    for window in windows(numbers, round(WINDOW_S * fps)):
        tallies.windows.add(
            rest.photo, vote([readings[n] for n in window]), note=f"frames {window[0]} to {window[-1]}"
        )
    tallies.rests.add(
        rest.photo, vote([readings[n] for n in numbers]), note=f"rest from frame {rest.start_frame}"
    )


def windows(numbers: Sequence[int], length: int, votes: int = VOTES) -> list[list[int]]:
    """Choose the frames of every window of `length` frames: `votes` of those read, evenly spread.

    A rest shorter than a window is one window.
    """
    out = []
    for i, first in enumerate(numbers):
        inside = [n for n in numbers[i:] if n <= first + length]
        if i and inside[-1] == numbers[-1] and inside[-1] - first < length:
            break
        picks = np.linspace(0, len(inside) - 1, min(votes, len(inside))).round().astype(int)
        out.append([inside[k] for k in picks])
    return out


def frame_at(path: Path, number: int) -> Image:
    """Return one frame of a clip, (H, W, 3) uint8 BGR.

    Raises:
        BadFolder: if there is no such frame.
    """
    for _, image in _frames(path, [number]):
        return image
    raise BadFolder(f"{path} has no frame {number}, of which labels.json speaks")


def _frames(path: Path, numbers: Sequence[int]) -> Iterator[tuple[int, Image]]:
    """Decode a clip from its start and yield the frames with these (ascending) numbers.

    Seeking is not exact in every container, so the frames between are decoded too.
    """
    video = cv2.VideoCapture(str(path))
    try:
        if not video.isOpened():
            raise BadFolder(f"cannot open the clip {path}; wanted a video file such as MP4")
        wanted = set(numbers)
        for number in range(max(wanted, default=-1) + 1):
            if not video.grab():
                return
            if number in wanted:
                done, image = video.retrieve()
                if not done:
                    return
                yield number, np.asarray(image, np.uint8)
    finally:
        video.release()
