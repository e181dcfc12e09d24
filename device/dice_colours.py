"""What colour each die on the table has, and whose it is where players have dice of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from calibration.dice_colours import colour_name, die_colour, owner
from calibration.profile import Lane
from vision.frame import Image
from vision.tracking import Track


@dataclass(frozen=True, slots=True)
class DieColour:
    """The colour of one die."""

    name: str
    """A word for it, such as `red`."""
    lane: str | None = None
    """The lane whose dice have this colour, where the profile knows them."""


def colours_of(
    tracks: Sequence[Track], image: Image | None, lanes: Sequence[Lane] = ()
) -> Mapping[int, DieColour]:
    """Return the colours of dice by id, as far as the picture shows them.

    Args:
        tracks: dice at rest.
        image: the picture in which they lie so, (H, W, 3) uint8 BGR; None: nothing is known.
        lanes: of the profile. A die of one of their colours has the name of that colour, in any light.
    """
    if image is None:
        return {}
    out: dict[int, DieColour] = {}
    for track in tracks:
        seen = die_colour(image, track.detection.box_px)
        if seen is None:
            continue
        lane = owner(seen, lanes)
        known = seen if lane is None or lane.colour is None else lane.colour
        out[track.id] = DieColour(colour_name(known), None if lane is None else lane.name)
    return out


def stray(lane: str | None, dice: Sequence[int], colours: Mapping[int, DieColour]) -> str:
    """Return a sentence when dice of somebody else lie in a lane, else nothing.

    Args:
        lane: name of the lane.
        dice: ids of the dice that lie in it.
        colours: of all dice.
    """
    others = [colours[die] for die in dice if die in colours and colours[die].lane not in (None, lane)]
    if lane is None or not others:
        return ""
    whose = sorted({each.lane for each in others if each.lane is not None})
    what = f"a {others[0].name} die" if len(others) == 1 else f"{len(others)} dice"
    return f"In lane {lane}: {what} of lane {' and '.join(whose)}."
