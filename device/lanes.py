"""The bridge from vision to the scorer: an observation of the table as plain numbers."""

from __future__ import annotations

from statistics import median

from scorer.lane import LaneDie, LaneView
from vision.detection import DieState
from vision.watch import AT_START, Observation


def lane_view(observation: Observation) -> LaneView:
    """Return the dice of a `rest` as the referee wants them, in reading order."""
    sizes = [track.detection.size_px for track in observation.dice]
    die_px = max(median(sizes), 1.0) if sizes else 1.0
    return LaneView(
        t_ns=observation.t_ns,
        dice=tuple(
            LaneDie(
                id=track.id,
                value=track.detection.value,
                sure=track.detection.sure,
                moved=track.moved,
                cocked=track.detection.state is DieState.COCKED,
                at=(track.detection.centre_px[0] / die_px, track.detection.centre_px[1] / die_px),
            )
            for track in observation.dice
        ),
        thrown=observation.reason != AT_START,
    )
