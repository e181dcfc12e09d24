"""Pictures of dice for the scoreboard, drawn large and reduced so that the edges are smooth."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageDraw

from device.displays import palette
from device.displays.text import draw_text
from device.displays.view import DieSeen

_FINER = 4
"""Dice are drawn this many times larger than they are shown."""

PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0.5, 0.5),),
    2: ((0.27, 0.27), (0.73, 0.73)),
    3: ((0.25, 0.25), (0.5, 0.5), (0.75, 0.75)),
    4: ((0.27, 0.27), (0.73, 0.27), (0.27, 0.73), (0.73, 0.73)),
    5: ((0.26, 0.26), (0.74, 0.26), (0.5, 0.5), (0.26, 0.74), (0.74, 0.74)),
    6: ((0.28, 0.24), (0.72, 0.24), (0.28, 0.5), (0.72, 0.5), (0.28, 0.76), (0.72, 0.76)),
}
"""Centres of the pips as shares of the side."""


@lru_cache(maxsize=128)
def die_picture(die: DieSeen, side_px: int) -> Image.Image:
    """Return an RGBA picture of `die`, `side_px` wide and high, transparent around it.

    A face that is not sure is drawn as a question mark in a warning frame, never as pips; a cocked die
    stands on its corner.
    """
    big = side_px * _FINER
    picture = Image.new("RGBA", (big, big), (0, 0, 0, 0))
    pen = ImageDraw.Draw(picture)
    unread = die.cocked or not die.sure or die.face is None
    inset = big * (0.14 if die.cocked else 0.03)
    frame = (inset, inset, big - 1 - inset, big - 1 - inset)
    side = frame[2] - frame[0]
    pen.rounded_rectangle(
        frame,
        radius=side * 0.2,
        fill=palette.PANEL if unread else palette.DIE,
        outline=palette.ASK if unread else palette.DIE_EDGE,
        width=max(1, round(side * (0.07 if unread else 0.025))),
    )
    if not unread:
        for x, y in PIPS[die.face or 1]:
            radius = side * (0.13 if die.face == 1 else 0.098)
            centre_x, centre_y = inset + x * side, inset + y * side
            pen.ellipse(
                (centre_x - radius, centre_y - radius, centre_x + radius, centre_y + radius), fill=palette.PIP
            )
    if die.cocked:
        picture = picture.rotate(45, resample=Image.Resampling.BICUBIC)
        pen = ImageDraw.Draw(picture)
    if unread:
        draw_text(pen, "?", (big // 4, big // 5, big // 2, round(big * 0.6)), fill=palette.ASK, bold=True)
    return picture.resize((side_px, side_px), Image.Resampling.LANCZOS)
