"""Where things go on a scoreboard of any size: plain geometry in pixels, origin top left, y down."""

from __future__ import annotations

from dataclasses import dataclass

from device.errors import BadInput

SMALLEST_PX = 64
"""Below this side nothing can be read, so nothing is drawn."""
LARGEST_PX = 8192
"""Above this side a typing error is likelier than a screen."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels."""

    x: int
    """Left edge."""
    y: int
    """Top edge."""
    w: int
    """Width."""
    h: int
    """Height."""

    @property
    def right(self) -> int:
        """First column to the right of the box."""
        return self.x + self.w

    @property
    def bottom(self) -> int:
        """First row below the box."""
        return self.y + self.h

    def inset(self, dx: int, dy: int | None = None) -> Box:
        """Return the box made smaller by `dx` on the left and right, `dy` (default `dx`) above and below."""
        dy = dx if dy is None else dy
        return Box(self.x + dx, self.y + dy, max(1, self.w - 2 * dx), max(1, self.h - 2 * dy))

    def left_part(self, share: float) -> Box:
        """Return the left `share` (0..1) of the box."""
        return Box(self.x, self.y, round(self.w * share), self.h)

    def right_part(self, share: float) -> Box:
        """Return the right `share` (0..1) of the box."""
        w = round(self.w * share)
        return Box(self.right - w, self.y, w, self.h)

    def overlaps(self, other: Box) -> bool:
        """Whether the two boxes share a pixel."""
        return (
            self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom
        )


@dataclass(frozen=True, slots=True)
class BoardLayout:
    """The parts of a scoreboard; no two of them overlap and all lie inside the picture."""

    size: tuple[int, int]
    """Width and height of the picture."""
    margin: int
    """Distance between neighbouring parts."""
    header: Box
    """Title and phase."""
    tiles: tuple[Box, ...]
    """One tile a player, in seat order."""
    turn: Box
    """Points of the turn."""
    dice: Box
    """The dice on the table."""
    message: Box
    """One sentence for the players."""


def check_size(size: tuple[int, int]) -> tuple[int, int]:
    """Return `size` if a scoreboard can be drawn that big.

    Raises:
        BadInput: with the size wanted and got.
    """
    if not all(SMALLEST_PX <= side <= LARGEST_PX for side in size):
        raise BadInput(
            f"a scoreboard must be {SMALLEST_PX} to {LARGEST_PX} pixels wide and high, "
            f"got {size[0]}x{size[1]}; give a size such as 1280x720"
        )
    return size


def arrange(size: tuple[int, int], players: int) -> BoardLayout:
    """Lay out a scoreboard of `size` (width, height) for `players` players.

    Wide screens get the tiles above a band with the turn on the left and the dice on the right; tall
    screens get turn and dice one below the other.
    """
    width, height = check_size(size)
    margin = max(2, round(min(width, height) * 0.02))
    inner = Box(margin, margin, width - 2 * margin, height - 2 * margin)
    header = Box(inner.x, inner.y, inner.w, round(height * 0.075))
    message = Box(
        inner.x,
        inner.bottom - round(height * 0.105),
        inner.w,
        inner.bottom - inner.y - (inner.h - round(height * 0.105)),
    )
    tall = height > width * 1.1
    band_h = round(min(height * (0.30 if tall else 0.24), width * 0.30 if not tall else height))
    band = Box(inner.x, message.y - margin - band_h, inner.w, band_h)
    if tall:
        turn = Box(band.x, band.y, band.w, (band.h - margin) // 2)
        dice = Box(band.x, turn.bottom + margin, band.w, band.bottom - turn.bottom - margin)
    else:
        turn = Box(band.x, band.y, round((band.w - margin) * 0.34), band.h)
        dice = Box(turn.right + margin, band.y, band.right - turn.right - margin, band.h)
    grid = Box(inner.x, header.bottom + margin, inner.w, band.y - header.bottom - 2 * margin)
    return BoardLayout(size, margin, header, _tiles(grid, players, margin), turn, dice, message)


def _tiles(grid: Box, players: int, margin: int) -> tuple[Box, ...]:
    """Cut `grid` into one tile a player, as many columns as give the largest digits."""
    if players < 1:
        return ()
    columns = max(range(1, players + 1), key=lambda n: _digit_room(grid, players, n, margin))
    rows = -(-players // columns)
    tiles = []
    for seat in range(players):
        row, column = divmod(seat, columns)
        in_row = columns if row < rows - 1 else players - columns * (rows - 1)
        left, right = _cut(grid.x, grid.w, margin, in_row, column)
        top, bottom = _cut(grid.y, grid.h, margin, rows, row)
        tiles.append(Box(left, top, right - left, bottom - top))
    return tuple(tiles)


def _digit_room(grid: Box, players: int, columns: int, margin: int) -> float:
    """Return how high the digits of a total could be in pixels with that many columns."""
    rows = -(-players // columns)
    width = (grid.w - margin * (columns - 1)) / columns
    height = (grid.h - margin * (rows - 1)) / rows
    # A total of six characters is about 3.3 times as wide as high; a name and a last line share the height.
    holes = columns * rows - players
    return min(height * 0.5, width / 3.6) - holes * 1e-3


def _cut(start: int, length: int, gap: int, parts: int, index: int) -> tuple[int, int]:
    """Return the ends of part `index` when `length` is cut into equal `parts` with gaps between."""
    room = length - gap * (parts - 1)
    first = start + index * gap + room * index // parts
    return first, start + index * gap + room * (index + 1) // parts
