"""The score on a small panel, in colour or with nothing but black and white: 128x64 is the smallest.

    +--------------------------+      +--------------------------+
    | > Anna             +350  |      |######   Die 4 cannot be  |
    |  Anna     |      Ben     |      |# 5? #   read; every die  |
    |  1 250    |      9 550   |      |######   needs a certain  |
    |  [1][2][3][4][5][6]      |      |         face.            |
    +--------------------------+      +--------------------------+

Three bands: whose turn and what it holds, everybody's total, the dice. A question takes the whole panel, with
the picture of the die beside it. Nothing is told by colour alone: on a black and white panel the player to
act is shown inverted, as is every band that wants to be seen.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image, ImageDraw

from device.displays import palette
from device.displays.dice_art import PIPS
from device.displays.layout import Box
from device.displays.text import draw_text, fitting_size, shortened, text_width, wrapped
from device.displays.view import DieSeen, PlayerLine, ScoreView, gain_text, points_text
from device.wording import told, word

SMALL_BELOW_PX = 200
"""A panel with a side shorter than this is a small one."""
_ROW_PX = 9
"""The lowest row whose text can still be read."""


@dataclass(frozen=True, slots=True)
class _Inks:
    """What is drawn in which colour."""

    paper: palette.Colour
    ink: palette.Colour
    quiet: palette.Colour
    bar: palette.Colour
    on_bar: palette.Colour
    ask: palette.Colour
    on_ask: palette.Colour


_COLOURS = _Inks(
    palette.BACKGROUND,
    palette.TEXT,
    palette.QUIET,
    palette.ACTIVE,
    palette.ON_ACTIVE,
    palette.ASK,
    palette.ON_ASK,
)
_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)
_ONE_BIT = _Inks(_BLACK, _WHITE, _WHITE, _WHITE, _BLACK, _BLACK, _WHITE)


def render_small(
    view: ScoreView, size: tuple[int, int], *, language: str = "en", one_bit: bool = False
) -> Image.Image:
    """Return the score for a panel of `size` (width, height) pixels, as an RGB picture.

    With `one_bit` every pixel is black or white and no edge is smoothed.
    """
    picture = Image.new("RGB", size, (_ONE_BIT if one_bit else _COLOURS).paper)
    pen = ImageDraw.Draw(picture)
    if one_bit:
        pen.fontmode = "1"
    board = _Board(picture, pen, _ONE_BIT if one_bit else _COLOURS, language, one_bit)
    if view.waiting:
        board.question(view)
    else:
        board.score(view)
    # Pillow smooths the edge of a stroke even where fonts are not smoothed.
    return picture.convert("L").point(_black_or_white).convert("RGB") if one_bit else picture


_black_or_white = [255 * (level > 127) for level in range(256)]


@dataclass(frozen=True, slots=True)
class _Board:
    picture: Image.Image
    pen: ImageDraw.ImageDraw
    inks: _Inks
    language: str
    one_bit: bool

    def score(self, view: ScoreView) -> None:
        """Draw the three bands; the dice give way where many players need the room."""
        width, height = self.picture.size
        top = max(_ROW_PX + 3, round(height * 0.19))
        bottom = max(_ROW_PX + 4, round(height * 0.22))
        rows = self._rows(len(view.players), width, height - top - bottom)
        if (height - top - bottom) / max(1, rows) < _ROW_PX + 2:
            bottom = 0
        self._headline(view, Box(0, 0, width, top))
        self._totals(view, Box(0, top + 1, width, height - top - bottom - 1))
        if bottom:
            self._dice(view, Box(0, height - bottom, width, bottom))

    def question(self, view: ScoreView) -> None:
        """Draw the question over everything, the die in question on its left."""
        width, height = self.picture.size
        self.pen.rectangle((0, 0, width - 1, height - 1), fill=self.inks.ask, outline=self.inks.on_ask)
        left = 3
        side = min(height - 6, width // 3)
        if view.die_picture and (die := _opened(view.die_picture, side, one_bit=self.one_bit)) is not None:
            self.picture.paste(die, (3, (height - die.height) // 2))
            left += die.width + 4
        text = told(view.question, self.language)
        # Letters without smooth edges are rounded up to whole pixels, each of them.
        size, lines = _broken(text, width - left - (9 if self.one_bit else 3), height - 4)
        step = min(size * 1.25, (height - 4) / len(lines))
        top = (height - step * len(lines)) / 2
        for number, line in enumerate(lines):
            row = (left, round(top + number * step), width - left - 3, round(step))
            draw_text(self.pen, line, row, fill=self.inks.on_ask, align="left", size=size)

    def _headline(self, view: ScoreView, box: Box) -> None:
        """Whose turn it is and what it holds; or what has just happened, or who has won."""
        left, right = self._headline_words(view)
        self.pen.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), fill=self.inks.bar)
        room = box.w - 4
        size = max(8, round(box.h * 0.72))
        points = text_width(right, size, bold=True) + 4 if right else 0
        name = _cut(left, size, room - points)
        row = (box.x + 2, box.y, room, box.h)
        draw_text(self.pen, name, row, fill=self.inks.on_bar, align="left", size=size)
        if right:
            draw_text(
                self.pen, right, row, fill=self.inks.on_bar, align="right", bold=not self.one_bit, size=size
            )

    def _headline_words(self, view: ScoreView) -> tuple[str, str]:
        if view.phase == "finished":
            names = " + ".join(line.name for line in view.players if line.winner)
            return f"{names} {word('wins!', self.language)}" if names else word(
                "game over", self.language
            ), ""
        if view.moment == "bust":
            lost = points_text(-view.moment_points) if view.moment_points else ""
            return word("Farkle!", self.language), lost
        if view.moment == "hot_dice":
            return word("Hot dice!", self.language), gain_text(view.turn_points)
        if view.active is None:
            return view.title, ""
        turn = gain_text(view.turn_points) if view.turn_points else ""
        if view.roll_points:
            turn = f"{turn} {gain_text(view.roll_points)}?".strip()
        return view.players[view.active].name, turn

    def _rows(self, players: int, width: int, height: int) -> int:
        """Return into how many rows the totals go: as many columns as leave room for a name and a total."""
        columns = max(1, min(players, width // 60, 4))
        if height / -(-players // columns) < _ROW_PX and columns < players:
            columns = min(players, columns + 1)
        return -(-players // columns)

    def _totals(self, view: ScoreView, box: Box) -> None:
        players = view.players
        if not players:
            return
        rows = self._rows(len(players), box.w, box.h)
        columns = -(-len(players) // rows)
        cell_w, cell_h = box.w // columns, box.h // rows
        stacked = cell_h >= 26
        for seat, line in enumerate(players):
            column, row = divmod(seat, rows)  # down the first column, then the next
            cell = Box(box.x + column * cell_w, box.y + row * cell_h, cell_w, cell_h)
            active = seat == view.active and view.phase != "finished"
            marked = active or line.winner
            if marked and (not stacked or not self.one_bit):
                right, bottom = cell.right - 2, cell.bottom - 1
                self.pen.rectangle((cell.x, cell.y, right, bottom), fill=self.inks.bar)
            ink = self.inks.on_bar if marked and (not stacked or not self.one_bit) else self.inks.ink
            (self._stacked if stacked else self._in_line)(line, cell, ink, marked=marked)

    def _stacked(self, line: PlayerLine, cell: Box, ink: palette.Colour, *, marked: bool) -> None:
        """Draw the name above its total."""
        name_h = max(_ROW_PX, round(cell.h * 0.34))
        size = max(8, round(name_h * 0.9))
        name = _cut(line.name, size, cell.w - 6)
        draw_text(self.pen, name, (cell.x + 2, cell.y, cell.w - 4, name_h), fill=ink, size=size)
        if marked and self.one_bit:
            under = cell.y + name_h
            self.pen.line((cell.x + 4, under, cell.right - 6, under), fill=ink)
        total = (cell.x + 2, cell.y + name_h + 1, cell.w - 4, cell.h - name_h - 2)
        size = fitting_size("10 000", total[2], round(total[3] * 0.85), bold=True)
        size = min(size, fitting_size(points_text(line.total), total[2], total[3], bold=True))
        draw_text(self.pen, points_text(line.total), total, fill=ink, bold=True, size=size)

    def _in_line(self, line: PlayerLine, cell: Box, ink: palette.Colour, *, marked: bool) -> None:
        """Draw the name on the left, the total on the right of one row."""
        # Without the gap between the thousands: on a row of 60 pixels every pixel counts.
        total = points_text(line.total).replace(" ", "" if cell.w < 90 else " ")
        size = max(8, min(round(cell.h * 0.86), fitting_size("10000", round(cell.w * 0.5), cell.h)))
        row = (cell.x + 2, cell.y, cell.w - 5, cell.h)
        draw_text(self.pen, total, row, fill=ink, align="right", size=size)
        room = row[2] - text_width(total, size) - 3
        draw_text(self.pen, _cut(line.name, size, room), row, fill=ink, align="left", size=size)

    def _dice(self, view: ScoreView, box: Box) -> None:
        """Draw the dice; where there are none, what to do next."""
        if not view.dice:
            text = told(view.message, self.language)
            size = max(8, min(round(box.h * 0.8), fitting_size(text, box.w - 4, box.h)))
            row = (box.x + 2, box.y, box.w - 4, box.h)
            draw_text(
                self.pen, shortened(text, size, row[2]), row, fill=self.inks.ink, align="left", size=size
            )
            return
        step = min(box.h + 3, box.w // max(6, len(view.dice)))
        side = min(step - 2, box.h - 3)
        left = box.x + (box.w - step * len(view.dice)) // 2
        for number, die in enumerate(view.dice):
            self._die(die, left + number * step + 1, box.y, side, kept=die.kept)

    def _die(self, die: DieSeen, x: int, y: int, side: int, *, kept: bool) -> None:
        """Draw one die: dark pips on a bright face; one that is not read as a frame with a question mark."""
        unread = die.cocked or not die.sure or die.face is None
        frame = (x, y, x + side - 1, y + side - 1)
        if unread:
            self.pen.rectangle(frame, outline=self.inks.ask if not self.one_bit else _WHITE)
            ink = self.inks.ask if not self.one_bit else _WHITE
            draw_text(self.pen, "?", (x, y, side, side), fill=ink, size=max(8, side - 2))
        else:
            self.pen.rectangle(frame, fill=palette.DIE if not self.one_bit else _WHITE)
            pip = 1 if side < 13 else round(side * 0.17)
            for across, down in PIPS[die.face or 1]:
                left = x + round((side - 1) * across - pip / 2 + 0.5)
                top = y + round((side - 1) * down - pip / 2 + 0.5)
                left, top = left - (side < 13 and across > 0.5), top - (side < 13 and down > 0.5)
                extra = 1 if side >= 9 else 0
                self.pen.rectangle(
                    (left, top, left + pip - 1 + extra * (pip == 1), top + pip - 1 + extra * (pip == 1)),
                    fill=_BLACK,
                )
        if kept:
            self.pen.line((x, y + side + 1, x + side - 1, y + side + 1), fill=self.inks.ink)


def _cut(text: str, size: int, width: int) -> str:
    """Return as many letters of `text` as fit; without an ellipsis, which would take the room of one."""
    while len(text) > 1 and text_width(text, size) > width:
        text = text[:-1]
    return text.rstrip()


def _broken(text: str, width: int, height: int) -> tuple[int, tuple[str, ...]]:
    """Return the largest font size and the lines at which `text` fits into width x height pixels."""
    for size in range(max(8, height // 3), 8, -1):
        lines = wrapped(text, size, width)
        fits = all(text_width(line, size) <= width for line in lines)
        if fits and len(lines) * size * 1.2 <= height:
            return size, lines
    lines = wrapped(text, 8, width)
    most = max(1, int(height / (8 * 1.2)))
    if len(lines) > most:
        lines = (*lines[: most - 1], shortened(" ".join(lines[most - 1 :]) + " …", 8, width))
    return 8, lines


def _opened(jpeg: bytes, side: int, *, one_bit: bool) -> Image.Image | None:
    """Return the picture of a die, `side` pixels at most; in black and white its greys are dots."""
    try:
        with Image.open(io.BytesIO(jpeg)) as opened:
            opened.thumbnail((side, side))
            die = opened.convert("RGB")
    except (OSError, ValueError):
        return None
    return die.convert("L").convert("1").convert("RGB") if one_bit else die
