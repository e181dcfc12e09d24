"""A display that remembers what it was shown: the fake that tests and rehearsals use."""

from __future__ import annotations

from device.displays.view import ScoreView
from device.errors import DeviceFailed


class RecordingDisplay:
    """Keeps every view in order; refuses to show anything after it was closed, as real hardware does."""

    def __init__(self) -> None:
        """Start with nothing shown."""
        self.views: list[ScoreView] = []
        self.closed = False

    def show(self, view: ScoreView) -> None:
        """Remember `view`."""
        if self.closed:
            raise DeviceFailed("the display was closed and cannot show the score; open it again")
        self.views.append(view)

    def close(self) -> None:
        """Close; again does nothing."""
        self.closed = True

    @property
    def last(self) -> ScoreView:
        """The view shown last."""
        if not self.views:
            raise DeviceFailed("the display has not been shown anything yet")
        return self.views[-1]


class NullDisplay:
    """Shows nothing: for `--display none`."""

    def show(self, view: ScoreView) -> None:
        """Do nothing with `view`."""

    def close(self) -> None:
        """Do nothing."""
