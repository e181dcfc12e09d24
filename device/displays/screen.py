"""The score full screen on a monitor or television (HDMI) or a touch display (DSI), through SDL.

On a desktop it is a window without a frame; on a Pi without a desktop SDL draws on the screen itself
(KMSDRM). pygame runs in a thread of its own: SDL wants all its calls from one thread, and the game does not
wait for the screen. The pointer is hidden. A television that is switched off and on, or another one, is
noticed and drawn on again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from device.displays.layout import check_size
from device.displays.scoreboard import render
from device.displays.view import ScoreView
from device.errors import DeviceFailed

LOOK_AGAIN_S = 2.0
"""How often it is looked whether the screen is still the one that was drawn on."""
_STEP_S = 0.05
"""How long a key may wait."""
_OPEN_WITHIN_S = 15.0
_JOIN_S = 3.0
_INSTALL = "install it with: sudo apt install python3-pygame, or pip install 'croupier[pi]'"


class Screen:
    """A full screen, used from one thread: open, draw, ask for keys, close."""

    def __init__(self, size: tuple[int, int] | None = None, *, language: str = "en") -> None:
        """Open the whole screen, or a window of `size` (width, height).

        Raises:
            DeviceFailed: pygame is missing, or there is no screen.
        """
        # The screen alone is wanted; sound belongs to another part, and a greeting does not belong on stdout.
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        try:
            self._pygame: Any = import_module("pygame")
        except ImportError as error:
            raise DeviceFailed(
                f"the screen needs pygame, which cannot be loaded ({error}); {_INSTALL}"
            ) from error
        self._wanted = size
        self._language = language
        self._surface: Any = None
        self._view: ScoreView | None = None
        self.drawn = 0
        """How many times the score was drawn."""
        self._open()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        width, height = self._surface.get_size()
        return int(width), int(height)

    def draw(self, view: ScoreView) -> None:
        """Draw `view`.

        Raises:
            DeviceFailed: the screen has gone.
        """
        self._view = view
        picture = render(view, self.size, language=self._language)
        try:
            image = self._pygame.image.frombytes(picture.tobytes(), picture.size, "RGB")
            self._surface.blit(image, (0, 0))
            self._pygame.display.flip()
        except self._pygame.error as error:
            raise DeviceFailed(f"the screen is gone ({error}); is it switched on?") from error
        self.drawn += 1

    def look_again(self) -> None:
        """Draw again what should be seen, and open the screen anew where it has changed its size."""
        if self._wanted is None and self._desktop_size() not in (None, self.size):
            self._open()
        if self._view is not None:
            self.draw(self._view)

    def keys(self) -> str:
        """Return the letters and digits typed since the last call; Escape and a closed window are `q`."""
        typed = ""
        for event in self._pygame.event.get():
            if event.type == self._pygame.KEYDOWN:
                name = "q" if event.key == self._pygame.K_ESCAPE else str(getattr(event, "unicode", ""))
                typed += name if name.isprintable() else ""
            elif event.type == self._pygame.QUIT:
                typed += "q"
            elif event.type in (self._pygame.WINDOWEXPOSED, self._pygame.WINDOWRESTORED) and self._view:
                self.draw(self._view)
        return typed

    def close(self) -> None:
        """Give the screen back; again does nothing."""
        if self._surface is not None:
            self._surface = None
            self._pygame.display.quit()

    def _open(self) -> None:
        pygame = self._pygame
        try:
            pygame.display.init()
            size = self._wanted or self._desktop_size() or (0, 0)
            if self._wanted is None:
                self._surface = pygame.display.set_mode(size, pygame.FULLSCREEN | pygame.NOFRAME)
            else:
                self._surface = pygame.display.set_mode(check_size(self._wanted))
            pygame.display.set_caption("Croupier")
            pygame.mouse.set_visible(False)
        except pygame.error as error:
            self._surface = None
            pygame.display.quit()
            raise DeviceFailed(
                f"there is no screen to draw on ({error}); connect one and switch it on, and see that the "
                "user is in the groups video and render"
            ) from error

    def _desktop_size(self) -> tuple[int, int] | None:
        try:
            sizes = self._pygame.display.get_desktop_sizes()
        except self._pygame.error:
            return None
        return tuple(sizes[0]) if sizes and min(sizes[0]) > 0 else None


class ScreenDisplay:
    """A `Screen` in a thread of its own, as a display and as a keyboard."""

    def __init__(
        self,
        size: tuple[int, int] | None = None,
        *,
        language: str = "en",
        open_screen: Callable[..., Screen] = Screen,
    ) -> None:
        """Open the screen.

        Raises:
            DeviceFailed: there is none.
        """
        self._open = partial(open_screen, size, language=language)
        self._change = threading.Condition()
        self._view: ScoreView | None = None
        self._typed = ""
        self._fault: DeviceFailed | None = None
        self._ready = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="screen", daemon=True)
        self._thread.start()
        if not self._ready.wait(_OPEN_WITHIN_S):
            raise DeviceFailed(f"the screen did not open within {_OPEN_WITHIN_S:.0f} s; is it switched on?")
        if self._fault is not None:
            raise self._fault

    def show(self, view: ScoreView) -> None:
        """Have `view` drawn soon; the newest one wins.

        Raises:
            DeviceFailed: the screen has failed, or was closed.
        """
        with self._change:
            if self._fault is not None:
                raise self._fault
            if self._closed:
                raise DeviceFailed("the screen was closed and cannot show the score; open it again")
            self._view = view
            self._change.notify_all()

    def take_keys(self) -> str:
        """Return the keys typed on a keyboard at this screen since the last call."""
        with self._change:
            typed, self._typed = self._typed, ""
            return typed

    def close(self) -> None:
        """Give the screen back; again does nothing."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        self._thread.join(_JOIN_S)

    def _run(self) -> None:
        screen: Screen | None = None
        try:
            screen = self._open()
            self._ready.set()
            self._follow(screen)
        except DeviceFailed as error:
            self._fault = error
        finally:
            if screen is not None:
                screen.close()
            self._ready.set()

    def _follow(self, screen: Screen) -> None:
        waited_s = 0.0
        while True:
            with self._change:
                if self._view is None and not self._closed:
                    self._change.wait(_STEP_S)
                view, self._view = self._view, None
                closed = self._closed
            if view is not None:
                screen.draw(view)
                waited_s = 0.0
            elif closed:
                return
            typed = screen.keys()
            if typed:
                with self._change:
                    self._typed += typed
            waited_s += _STEP_S
            if waited_s >= LOOK_AGAIN_S:
                screen.look_again()
                waited_s = 0.0
