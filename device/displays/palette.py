"""The colours of the scoreboard: high contrast, and told apart by colour-blind eyes.

The player colours are Okabe and Ito's set ("Color Universal Design", 2008), ordered so that neighbours in
seat order differ in lightness too. Colour is never the only mark: the active player also has a filled
tile and an arrow, a kept die a bar under it, an unread die a question mark.
"""

from __future__ import annotations

Colour = tuple[int, int, int]
"""Red, green, blue, each 0..255."""

BACKGROUND: Colour = (13, 17, 23)
PANEL: Colour = (27, 33, 43)
TILE: Colour = (22, 28, 37)
EDGE: Colour = (70, 80, 96)
TEXT: Colour = (246, 244, 236)
QUIET: Colour = (164, 174, 190)
ACTIVE: Colour = (247, 226, 160)
ON_ACTIVE: Colour = (18, 20, 24)
QUIET_ON_ACTIVE: Colour = (92, 74, 28)
ASK: Colour = (240, 228, 66)
ON_ASK: Colour = (18, 20, 24)
DIE: Colour = (250, 248, 242)
DIE_EDGE: Colour = (150, 150, 150)
PIP: Colour = (24, 26, 30)
KEPT: Colour = (86, 180, 233)
BUST: Colour = (168, 58, 0)

PLAYERS: tuple[Colour, ...] = (
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (0, 114, 178),
    (213, 94, 0),
    (204, 121, 167),
    (220, 220, 220),
)


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, 1..21 (WCAG 2.1, "contrast ratio")."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Colour) -> float:
    """Return relative luminance, 0..1 (WCAG 2.1)."""
    linear = [
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (value / 255 for value in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
