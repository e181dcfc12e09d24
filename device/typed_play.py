"""A game without a camera: the players throw their own dice and tell a phone what they show.

The same session, store, displays and phones as in front of a camera; only nobody looks at the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from device.cameras.source import Source
from device.errors import BadInput, DeviceFailed

if TYPE_CHECKING:
    from device.displays.view import Display
    from device.keys import KeySource
    from device.playing import Wanted
    from device.web.desk import Desk
    from vision.frame import Frame

NAME = "typed"
"""What stands where a camera would be named."""


class NoCamera(Source):
    """A source without frames: nobody looks at the table."""

    name = NAME
    live = True

    def __iter__(self) -> Iterator[Frame]:
        """Yield nothing."""
        return iter(())

    def close(self) -> None:
        """There is nothing to close."""


def play_typed(
    wanted: Wanted,
    *,
    desk: Desk,
    write: Callable[[Mapping[str, object]], None] | None = None,
    key_source: KeySource | None = None,
    attached: Callable[[Display], Display] | None = None,
) -> dict[str, object]:
    """Play a game of which phones tell the throws, until somebody ends it; return its final state.

    Raises:
        BadInput, RulesError: for what the user gave, before anything is written.
        DeviceFailed: when a display fails; the game can be resumed.
    """
    from device.displays.several import SeveralDisplays, open_displays
    from device.keys import HINT, TerminalKeys
    from device.playing import PHONE_WAIT_S, checked_rules, new_session, with_computers
    from device.store import open_writer, store_folder

    if wanted.profile is not None or wanted.record is not None or wanted.record_video is not None:
        raise BadInput("--dice typed has no camera; leave out --profile, --record and --record-video")
    wanted = with_computers(wanted)
    with ExitStack() as stack:
        rules = None if wanted.resume else checked_rules(wanted)
        shown = open_displays(wanted.displays, hint=HINT if wanted.keys else "")
        stack.callback(shown.close)
        if attached is not None:
            shown = attached(shown)
        if wanted.keys and key_source is None:
            key_source = TerminalKeys()
        if key_source is not None:
            stack.callback(key_source.close)
        store = stack.enter_context(open_writer(store_folder(wanted.store)))
        session = new_session(
            wanted,
            rules,
            NoCamera(),
            store,
            SeveralDisplays((shown, desk.display)),
            write,
            None,
            keys=key_source is not None,
            by_hand=True,
        )
        desk.begun(session)
        clock = desk.clock()
        while not session.stopped:
            if key_source is not None:
                for key in key_source.poll(clock()):
                    session.key(key, clock())
            desk.wait(PHONE_WAIT_S)
            desk.serve(session, clock())
        final = session.final()
        if write is not None:
            write(final)
        if session.display_fault:
            raise DeviceFailed(session.display_fault)
    return final
