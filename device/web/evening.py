"""An evening at one table: games one after the other, begun and ended from a phone, and the time between.

croupier play farkle --source usb:0 --web            the phone says who plays
croupier play farkle --dice typed --players A,B --web
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from device.errors import BadInput, DeviceError
from device.web.desk import Desk
from device.web.feed import Feed
from device.web.pairing import Pairing
from scorer.errors import RulesError

if TYPE_CHECKING:
    from device.displays.view import Display
    from device.playing import Wanted
    from device.session import Session

PAUSE_S = 0.25
"""How long the time between games waits for a request before it looks at the camera again."""
_Writer = Callable[[Mapping[str, object]], None]


@dataclass(eq=False)
class Evening:
    """What the phones and the game share."""

    wanted: Wanted
    """The table: source, profile, displays; with the players of the game that is wanted now."""
    store: Path
    """The folder of the games."""
    pairing: Pairing
    """Who may change anything."""
    feed: Feed = field(default_factory=Feed)
    """What boards are told."""
    order: Wanted | None = None
    """The next game, as a phone has asked for it."""
    fault: str = ""
    """Why the last order could not be carried out."""

    def __post_init__(self) -> None:
        """Set up the desk."""
        self.desk = Desk(self.feed)
        self.feed.note(
            source=self.wanted.source, how=self.wanted.dice or "camera", profile=self._profile_name()
        )

    def _profile_name(self) -> str | None:
        return None if self.wanted.profile is None else self.wanted.profile.stem

    def use_profile(self, path: Path) -> None:
        """Take this calibration for the games that begin from now on."""
        self.wanted = replace(self.wanted, profile=path)
        self.feed.note(profile=self._profile_name())

    def begin(self, session: Session | None, order: Wanted) -> None:
        """Begin another game as soon as the game's thread is free; the one being played is left."""
        self.order, self.fault = order, ""
        if session is not None:
            session.stopped = True

    def leave(self, session: Session | None) -> None:
        """Leave the game being played; it can be resumed."""
        if session is None:
            raise BadInput("no game is being played")
        self.order = None
        session.stopped = True
        self._left = True

    _left: bool = False

    def play(
        self,
        *,
        write: _Writer | None = None,
        attached: Callable[[Display], Display] | None = None,
        until: Callable[[], bool] = lambda: False,
    ) -> dict[str, object] | None:
        """Play games until nobody wants another; return the final state of the last one.

        `attached` wraps the displays at the table, so that they can show the PIN. `until` ends the time
        between games (for tests).

        Raises:
            BadInput, RulesError, DeviceFailed: what the command line asked for cannot be done.
        """
        final: dict[str, object] | None = None
        order = self.wanted if self.wanted.players or self.wanted.resume else None
        asked_here = order is not None
        while True:
            if order is None:
                order = self._between(until)
                if order is None:
                    return final
            self.order, self._left = None, False
            try:
                final = self._play(order, write, attached)
            except (DeviceError, RulesError) as error:
                if asked_here:
                    raise
                self.fault = str(error)
            finally:
                self.desk.ended()
                self.feed.note(fault=self.fault)
            if self.order is None and not self._left and not self.fault:
                return final  # stopped at the keyboard, or the camera has ended
            order, asked_here = self.order, False

    def _play(
        self,
        order: Wanted,
        write: _Writer | None,
        attached: Callable[[Display], Display] | None,
    ) -> dict[str, object]:
        from device.playing import play_game

        if order.dice is not None:
            from device.typed_play import play_typed

            return play_typed(order, write=write, desk=self.desk, attached=attached)
        return play_game(order, write=write, desk=self.desk, attached=attached)

    def _between(self, until: Callable[[], bool]) -> Wanted | None:
        """Wait for the next game; the camera is looked through meanwhile, for the set-up."""
        if self.wanted.dice is None:
            from device.cameras import open_source

            with open_source(self.wanted.source, fps=self.wanted.fps) as source:
                for frame in source:
                    self.desk.frame(frame)
                    self.desk.serve(None, frame.t_ns)
                    if self.order is not None or until():
                        return self.order
                    if not source.live:
                        break  # a recording has one picture to set up with: its first
        while self.order is None and not until():
            self.desk.wait(PAUSE_S)
            self.desk.serve(None, 0)
        return self.order
