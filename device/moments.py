"""What deserves a second look on a display: a bust, hot dice, a win, and the die that nobody can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from device.session import Look
    from scorer.farkle import State

_MARGIN = 0.4
"""What is shown around a die, as a share of its size."""
_SIDE_PX = 240
"""The picture of a die is made no larger than this."""


def moment_of(
    before: State, data: Mapping[str, object], after: State, so_far: tuple[str, int]
) -> tuple[str, int]:
    """Return the moment of an event, as `ScoreView.moment` and its points.

    `data` is the event as JSON; `so_far` the moment of the events before it that came in the same breath: hot
    dice are seen when they are thrown again, and are still worth a look then.
    """
    match data["event"]:
        case "rolled" if data.get("bust"):
            return "bust", before.turn.points
        case "rolled" if so_far[0] == "hot_dice":
            return so_far
        case "set_aside" if data.get("hot_dice"):
            return "hot_dice", after.turn.points
        case "banked" | "entered":
            points = data.get("points")
            return "won" if after.finished else "banked", points if isinstance(points, int) else 0
    return "", 0


def die_picture(look: Look | None, dice: Sequence[int]) -> bytes:
    """Return the first of the dice with these ids as the camera saw it, as a JPEG; empty where it did not."""
    if look is None or look.picture is None:
        return b""
    boxes = [die.detection.box_px for die in look.dice if die.id in dice]
    if not boxes:
        return b""
    import cv2

    x, y, width, height = boxes[0]
    margin = _MARGIN * max(width, height)
    tall, wide = look.picture.shape[:2]
    left, right = max(0, round(x - margin)), min(wide, round(x + width + margin))
    top, bottom = max(0, round(y - margin)), min(tall, round(y + height + margin))
    if right - left < 2 or bottom - top < 2:
        return b""
    crop: Any = look.picture[top:bottom, left:right]
    scale = _SIDE_PX / max(crop.shape[:2])
    if scale < 1:
        crop = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", crop, [cv2.IMWRITE_JPEG_QUALITY, 85])
    return bytes(data) if done else b""
