"""Which mat it is, told by the numbers of its four markers.

Marker `id`: `id % 4` is the corner (0 upper left, then clockwise), `id // 4` a digit 0..11. The four digits,
upper left first, are a number in base 12. 0: a mat of any size, whose layout is in the file that
`croupier mat` wrote beside it. Otherwise it is 55 times (1 + the place of the mat in the list of all standard
mats): no change of a single digit leads from one standard mat to another, since 55 divides no d * 12^k with
0 < d < 12.
"""

from __future__ import annotations

from dataclasses import dataclass

DICTIONARY = "DICT_4X4_50"
"""Markers of 4 x 4 cells, any two of which differ in at least 4 cells however they are turned."""

SIZES_MM: dict[str, tuple[float, float]] = {
    "a4": (297.0, 210.0),
    "a3": (420.0, 297.0),
    "a2": (594.0, 420.0),
    "a1": (841.0, 594.0),
    "a0": (1189.0, 841.0),
}
"""The standard sheets (ISO 216), lying; the mat's width first."""

MOST_LANES = 8
_BASE = 12
_STEP = 55


@dataclass(frozen=True, slots=True)
class MatKind:
    """What a standard mat is like."""

    width_mm: float
    """Width of the sheet."""
    height_mm: float
    """Height of the sheet."""
    lanes: int
    """Lanes, 1..8; 0: one roll zone for all."""
    tray: bool
    """Whether there are trays."""
    bank: bool
    """Whether there is a zone over which a hand says "bank"."""


def _standard_sizes() -> list[tuple[float, float]]:
    lying = list(SIZES_MM.values())
    return lying + [(height, width) for width, height in lying]


def marker_ids(kind: MatKind) -> tuple[int, int, int, int]:
    """The markers of a mat, upper left first, then clockwise; 0, 1, 2, 3 for one that is not standard."""
    sizes = _standard_sizes()
    code = 0
    if (kind.width_mm, kind.height_mm) in sizes:
        place = sizes.index((kind.width_mm, kind.height_mm)) * (MOST_LANES + 1) + kind.lanes
        code = _STEP * (1 + (place * 2 + kind.tray) * 2 + kind.bank)
    digits = [code // _BASE**power % _BASE for power in (3, 2, 1, 0)]
    first, second, third, fourth = (4 * digit + corner for corner, digit in enumerate(digits))
    return first, second, third, fourth


def kind_of(ids: tuple[int, int, int, int]) -> MatKind | None:
    """The standard mat with these markers, upper left first; None when none has (also for 0, 1, 2, 3)."""
    code = 0
    for corner, ident in enumerate(ids):
        if ident % 4 != corner:
            return None
        code = code * _BASE + ident // 4
    place, rest = divmod(code, _STEP)
    sizes = _standard_sizes()
    if rest or not 1 <= place <= len(sizes) * (MOST_LANES + 1) * 4:
        return None
    rest, bank = divmod(place - 1, 2)
    rest, tray = divmod(rest, 2)
    size, lanes = divmod(rest, MOST_LANES + 1)
    return MatKind(*sizes[size], lanes, bool(tray), bool(bank))
