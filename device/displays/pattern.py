"""A picture that shows whether a display is connected, turned and sized right."""

from __future__ import annotations

from PIL import Image, ImageDraw

from device.displays import palette
from device.displays.text import draw_text, fitting_size


def pattern(size: tuple[int, int], *, one_bit: bool = False) -> Image.Image:
    """Return the pattern as an RGB picture of `size` (width, height).

    A frame of one pixel on the very edge (a missing side: wrong size or offset), an arrow up (wrong turn),
    the size in numbers, and the colours by their initials (R and B exchanged: wrong order of colours).
    """
    width, height = size
    picture = Image.new("RGB", size, (0, 0, 0))
    pen = ImageDraw.Draw(picture)
    if one_bit:
        pen.fontmode = "1"
    white = (255, 255, 255)
    pen.rectangle((0, 0, width - 1, height - 1), outline=white)
    _draw_arrow(pen, (width // 2, max(3, height // 16)), max(4, height // 8), white)
    text = f"{width}x{height}"
    row = (4, round(height * 0.3), width - 8, round(height * 0.26))
    draw_text(pen, text, row, fill=white, size=fitting_size(text, row[2], row[3]))
    names = "" if one_bit else "RGBW"
    if names:
        colours = ((255, 0, 0), (0, 255, 0), (0, 0, 255), white)
        for number, (name, colour) in enumerate(zip(names, colours, strict=True)):
            left = 4 + (width - 8) * number // 4
            right = 4 + (width - 8) * (number + 1) // 4 - 2
            box = (left, round(height * 0.66), right, height - 5)
            pen.rectangle(box, fill=colour)
            inner = (box[0], box[1], box[2] - box[0], box[3] - box[1])
            draw_text(pen, name, inner, fill=palette.ON_ACTIVE, size=max(8, round(inner[3] * 0.6)))
    else:
        for left in range(4, width - 4, 8):
            pen.rectangle((left, round(height * 0.7), left + 3, height - 5), fill=white)
    return picture


def _draw_arrow(pen: ImageDraw.ImageDraw, tip: tuple[int, int], side: int, colour: palette.Colour) -> None:
    x, y = tip
    pen.polygon(((x, y), (x - side, y + side), (x + side, y + side)), fill=colour)
