"""The scoreboard as a picture: a `ScoreView` drawn with Pillow at any size from 128x64 up."""

from __future__ import annotations

import io
from math import cos, pi, sin

from PIL import Image, ImageDraw, ImageOps

from device.displays import palette
from device.displays.dice_art import die_picture
from device.displays.layout import BoardLayout, Box, arrange
from device.displays.small import SMALL_BELOW_PX, render_small
from device.displays.text import SMALLEST_PT, cap_height, draw_text, fitting_size, wrapped
from device.displays.view import PHASE_WORDS, DieSeen, PlayerLine, ScoreView, gain_text, points_text
from device.wording import told, word

DEFAULT_SIZE = (1280, 720)
"""Width and height in pixels when nobody asks for another size."""
_LEAST_SHARE = 0.024
"""Font size below which a quiet line is left out, as a share of the height of the picture."""
_FINE_BELOW_PX = 1400
"""Pictures narrower than this are drawn at twice the size and reduced, for smooth edges."""


def render(
    view: ScoreView,
    size: tuple[int, int] = DEFAULT_SIZE,
    *,
    language: str = "en",
    one_bit: bool = False,
) -> Image.Image:
    """Return the scoreboard of `view` as an RGB picture of `size` (width, height) pixels.

    `one_bit`: for a panel whose pixels are black or white. `language` as in `device.wording.LANGUAGES`.

    Raises:
        BadInput: for a size that cannot hold a scoreboard.
    """
    arrange(size, len(view.players))  # complain about the size that was asked for, not the doubled one
    if one_bit or min(size) < SMALL_BELOW_PX:
        return render_small(view, size, language=language, one_bit=one_bit)
    finer = 2 if max(size) < _FINE_BELOW_PX else 1
    layout = arrange((size[0] * finer, size[1] * finer), len(view.players))
    picture = Image.new("RGB", layout.size, palette.BACKGROUND)
    pen = ImageDraw.Draw(picture)
    _draw_header(pen, view, layout, language)
    _draw_players(pen, view, layout, language)
    if view.moment in ("bust", "hot_dice") and not view.waiting:
        _draw_moment(pen, view, layout, language)
    else:
        _draw_turn(pen, view, layout, language, beside=bool(view.waiting and view.die_picture))
    if view.waiting and view.die_picture:
        _draw_die_picture(picture, pen, view.die_picture, layout)
    _draw_dice(picture, pen, view.dice, layout, language)
    _draw_message(pen, view, layout, language)
    return picture if finer == 1 else picture.resize(size, Image.Resampling.LANCZOS)


def total_size(view: ScoreView, layout: BoardLayout) -> int:
    """Return the font size of the totals: the largest at which every total fits its tile."""
    return min(
        (
            fitting_size(points_text(line.total), *_total_box(tile, layout)[2:], bold=True)
            for line, tile in zip(view.players, layout.tiles, strict=True)
        ),
        default=SMALLEST_PT,
    )


def _total_box(tile: Box, layout: BoardLayout) -> tuple[int, int, int, int]:
    """Return the part of a tile that holds the total."""
    left = tile.x + round(layout.margin * 1.45)  # right of the bar with the player's colour
    width = tile.right - round(layout.margin * 0.6) - left
    return left, tile.y + round(tile.h * 0.36), width, round(tile.h * 0.42)


def _draw_header(pen: ImageDraw.ImageDraw, view: ScoreView, layout: BoardLayout, language: str) -> None:
    """Write the game on the left and its phase or target on the right."""
    box = layout.header
    words = word(PHASE_WORDS.get(view.phase, view.phase), language)
    height = round(box.h * 0.5)
    draw_text(
        pen,
        view.title,
        (box.x, box.y, round(box.w * 0.55), box.h),
        fill=palette.TEXT,
        align="left",
        bold=True,
        size=fitting_size(view.title, round(box.w * 0.55), height, bold=True),
    )
    goal = word("first to {0}", language, points_text(view.target)) if view.target else ""
    right = "   ".join(part for part in (words.upper() if words else goal, view.chances_text) if part)
    if right:
        draw_text(
            pen,
            right,
            (box.x + round(box.w * 0.57), box.y, round(box.w * 0.43), box.h),
            fill=palette.ASK if words else palette.QUIET,
            align="right",
            bold=bool(words),
            size=fitting_size(right, round(box.w * 0.43), height, bold=bool(words)),
        )


def _draw_players(pen: ImageDraw.ImageDraw, view: ScoreView, layout: BoardLayout, language: str) -> None:
    """Draw one tile a player; all totals and all names have one size each."""
    if not view.players:
        return
    size = total_size(view, layout)
    name_height = round(min(layout.tiles[0].h * 0.155, layout.size[1] * 0.05))
    longest = max((line.name for line in view.players), key=len)
    name_room = min(tile.w for tile in layout.tiles) - layout.margin * 4 - name_height
    # Names may be cut, so they do not shrink without end because one of them is long.
    name_size = max(
        fitting_size(longest, name_room, name_height), fitting_size("MMMMMM", name_room, name_height)
    )
    for seat, (line, tile) in enumerate(zip(view.players, layout.tiles, strict=True)):
        active = seat == view.active and view.phase != "finished"
        last = "" if line.last is None else word("last {0}", language, gain_text(line.last))
        _draw_tile(pen, line, seat, tile, layout, active=active, sizes=(size, name_size), last=last)


def _draw_tile(
    pen: ImageDraw.ImageDraw,
    line: PlayerLine,
    seat: int,
    tile: Box,
    layout: BoardLayout,
    *,
    active: bool,
    sizes: tuple[int, int],
    last: str,
) -> None:
    """Draw one player: name and colour, total, last turn; the active one is filled and has an arrow."""
    bright = active or line.winner
    ink = palette.ON_ACTIVE if bright else palette.TEXT
    quiet = palette.QUIET_ON_ACTIVE if bright else palette.QUIET
    colour = palette.PLAYERS[seat % len(palette.PLAYERS)]
    radius = round(layout.margin * 0.9)
    pen.rounded_rectangle(
        (tile.x, tile.y, tile.right - 1, tile.bottom - 1),
        radius=radius,
        fill=palette.ACTIVE if bright else palette.TILE,
        outline=palette.ACTIVE if bright else palette.EDGE,
        width=max(1, layout.margin // 6),
    )
    pad = layout.margin
    bar = max(2, round(layout.margin * 0.6))
    pen.rounded_rectangle(
        (tile.x + pad // 2, tile.y + pad, tile.x + pad // 2 + bar, tile.bottom - 1 - pad),
        radius=bar // 2,
        fill=colour,
    )
    left = tile.x + pad // 2 + bar + pad
    name_box = (left, tile.y + round(tile.h * 0.07), tile.right - pad - left, round(tile.h * 0.24))
    mark = round(cap_height(sizes[1]) * 1.1)
    if bright:
        centre = (name_box[0] + mark // 2, name_box[1] + name_box[3] // 2)
        (_draw_star if line.winner else _draw_arrow)(pen, centre, mark)
        name_box = (
            left + round(mark * 1.5),
            name_box[1],
            tile.right - pad - left - round(mark * 1.5),
            name_box[3],
        )
    draw_text(pen, line.name, name_box, fill=ink, align="left", bold=bright, size=sizes[1])
    draw_text(pen, points_text(line.total), _total_box(tile, layout), fill=ink, bold=True, size=sizes[0])
    if last:
        foot = (left, tile.y + round(tile.h * 0.81), tile.right - pad - left, round(tile.h * 0.15))
        small = min(round(sizes[1] * 0.8), fitting_size("senast −10 000", foot[2], round(foot[3] * 0.75)))
        if small < layout.size[1] * _LEAST_SHARE:
            return  # too small to be read: better nothing
        draw_text(pen, last, foot, fill=quiet, align="right", size=small)


def _draw_arrow(pen: ImageDraw.ImageDraw, centre: tuple[int, int], height: int) -> None:
    """Draw a triangle that points right."""
    x, y = centre
    half = height // 2
    pen.polygon(((x - half, y - half), (x + half, y), (x - half, y + half)), fill=palette.ON_ACTIVE)


def _draw_star(pen: ImageDraw.ImageDraw, centre: tuple[int, int], height: int) -> None:
    """Draw a five-pointed star."""
    outer, inner = height * 0.62, height * 0.26
    points = [
        (
            centre[0] + (outer if i % 2 == 0 else inner) * sin(i * pi / 5),
            centre[1] - (outer if i % 2 == 0 else inner) * cos(i * pi / 5),
        )
        for i in range(10)
    ]
    pen.polygon(points, fill=palette.ON_ACTIVE)


def _draw_turn(
    pen: ImageDraw.ImageDraw, view: ScoreView, layout: BoardLayout, language: str, *, beside: bool
) -> None:
    """Draw the points of the turn, and what the last throw could add; `beside`: on the left half only."""
    box = layout.turn
    pen.rounded_rectangle(
        (box.x, box.y, box.right - 1, box.bottom - 1), radius=round(layout.margin * 0.9), fill=palette.PANEL
    )
    inner = box.inset(layout.margin, 0)
    if beside:
        inner = Box(inner.x, inner.y, box.w - layout.margin * 2 - _die_side(layout), inner.h)
    caption = (inner.x, box.y + round(box.h * 0.08), inner.w, round(box.h * 0.18))
    draw_text(
        pen,
        word("this turn", language),
        caption,
        fill=palette.QUIET,
        align="left",
        size=fitting_size(word("this turn", language), inner.w, round(box.h * 0.12)),
    )
    draw_text(
        pen,
        points_text(view.turn_points),
        (inner.x, box.y + round(box.h * 0.31), inner.w, round(box.h * 0.36)),
        fill=palette.TEXT,
        align="left",
        bold=True,
    )
    if view.roll_points is not None:
        text = (
            word("on the table {0}", language, gain_text(view.roll_points))
            if view.roll_points
            else word("no points on the table", language)
        )
        foot = (inner.x, box.y + round(box.h * 0.76), inner.w, round(box.h * 0.18))
        draw_text(
            pen,
            text,
            foot,
            fill=palette.KEPT if view.roll_points else palette.ASK,
            align="left",
            size=fitting_size(text, inner.w, round(box.h * 0.115)),
        )


def _draw_moment(pen: ImageDraw.ImageDraw, view: ScoreView, layout: BoardLayout, language: str) -> None:
    """Draw a bust or hot dice in place of the points of the turn, in a colour and a shape of its own."""
    box = layout.turn
    bust = view.moment == "bust"
    ink = palette.TEXT if bust else palette.ON_ACTIVE
    edge = (box.x, box.y, box.right - 1, box.bottom - 1)
    radius = round(layout.margin * 0.9)
    pen.rounded_rectangle(edge, radius=radius, fill=palette.BUST if bust else palette.ACTIVE)
    head = word("Farkle!" if bust else "Hot dice!", language)
    inner = box.inset(layout.margin, 0)
    top = (inner.x, box.y + round(box.h * 0.16), inner.w, round(box.h * 0.36))
    draw_text(pen, head, top, fill=ink, bold=True, size=fitting_size(head, top[2], top[3], bold=True))
    if bust:
        foot = word("lost {0}", language, points_text(view.moment_points)) if view.moment_points else ""
    else:
        foot = f"{gain_text(view.turn_points)} · {word('throw all', language)}"
    if foot:
        row = (inner.x, box.y + round(box.h * 0.62), inner.w, round(box.h * 0.22))
        draw_text(pen, foot, row, fill=ink, size=fitting_size(foot, row[2], round(row[3] * 0.8)))


def _die_side(layout: BoardLayout) -> int:
    """Return the side of the picture of a die in question, in pixels."""
    return min(layout.turn.h - layout.margin, round(layout.turn.w * 0.46))


def _draw_die_picture(
    picture: Image.Image, pen: ImageDraw.ImageDraw, jpeg: bytes, layout: BoardLayout
) -> None:
    """Show the die in question as the camera sees it, on the right of the points of the turn."""
    box = layout.turn
    side = _die_side(layout)
    try:
        with Image.open(io.BytesIO(jpeg)) as opened:
            die = ImageOps.fit(opened.convert("RGB"), (side, side))
    except (OSError, ValueError):
        return
    x, y = box.right - side - layout.margin // 2, box.y + (box.h - side) // 2
    picture.paste(die, (x, y))
    width = max(2, layout.margin // 3)
    pen.rectangle((x - 1, y - 1, x + side, y + side), outline=palette.ASK, width=width)


def _draw_dice(
    picture: Image.Image,
    pen: ImageDraw.ImageDraw,
    dice: tuple[DieSeen, ...],
    layout: BoardLayout,
    language: str,
) -> None:
    """Draw the dice in a row (two rows when there are many); a kept die has a bar under it."""
    box = layout.dice
    pen.rounded_rectangle(
        (box.x, box.y, box.right - 1, box.bottom - 1), radius=round(layout.margin * 0.9), fill=palette.PANEL
    )
    if not dice:
        text = word("no dice on the table", language)
        size = fitting_size(text, round(box.w * 0.8), round(layout.size[1] * 0.028))
        draw_text(pen, text, (box.x, box.y, box.w, box.h), fill=palette.QUIET, size=size)
        return
    inner = box.inset(layout.margin, round(layout.margin * 0.6))
    slots = max(6, len(dice)) if len(dice) <= 8 else -(-len(dice) // 2)
    rows = 1 if len(dice) <= 8 else 2
    cell_w, cell_h = inner.w / slots, inner.h / rows
    side = max(4, round(min(cell_w * 0.86, cell_h * 0.76)))
    for index, die in enumerate(dice):
        row, column = divmod(index, slots)
        x = round(inner.x + cell_w * column + (cell_w - side) / 2)
        y = round(inner.y + cell_h * row + (cell_h - side * 1.22) / 2)
        art = die_picture(die, side)
        picture.paste(art, (x, y), art)
        if die.kept:
            bar = (x + side * 0.08, y + side * 1.08, x + side * 0.92, y + side * 1.2)
            pen.rounded_rectangle(bar, radius=side * 0.06, fill=palette.KEPT)


def _draw_message(pen: ImageDraw.ImageDraw, view: ScoreView, layout: BoardLayout, language: str) -> None:
    """Write the message, or the question in a band of its own that cannot be overlooked."""
    text = told(view.question or view.message, language)
    if not text:
        return
    box = layout.message
    ink = palette.TEXT
    left = box.x
    if view.waiting:
        pen.rounded_rectangle(
            (box.x, box.y, box.right - 1, box.bottom - 1), radius=round(layout.margin * 0.9), fill=palette.ASK
        )
        ink = palette.ON_ASK
        mark = (box.x, box.y, box.h, box.h)
        draw_text(pen, "?", mark, fill=ink, bold=True, size=fitting_size("?", box.h, round(box.h * 0.6)))
        left = box.x + box.h
    width = box.right - left - layout.margin
    size, lines = _broken(text, width, box.h)
    step = box.h / max(1, len(lines))
    for index, line in enumerate(lines):
        row = (left, round(box.y + step * index), width, round(step))
        draw_text(pen, line, row, fill=ink, align="left", bold=view.waiting and len(lines) == 1, size=size)


def _broken(text: str, width: int, height: int) -> tuple[int, tuple[str, ...]]:
    """Return the font size and the lines, one or two, at which `text` is largest in width x height pixels."""
    one = fitting_size(text, width, round(height * 0.38), bold=True)
    best = (one, (text,))
    two_limit = fitting_size("0", width, round(height * 0.27))
    for size in range(two_limit, one, -1):
        lines = wrapped(text, size, width)
        if len(lines) <= 2 and size > one * 1.15:
            return size, lines
    return best
