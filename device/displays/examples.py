"""Moments of an invented game, to try a display with."""

from __future__ import annotations

import io
from collections.abc import Mapping

from PIL import Image, ImageDraw, ImageFilter

from device.displays.view import DieSeen, PlayerLine, ScoreView
from device.errors import BadInput

_NAMES = ("Anna", "Ben", "Cecilia", "Åke", "Ella", "Farid", "Greta", "Hugo")
_TOTALS = (4350, 6100, 2900, 5550, 10250, 850, 7400, 3200)


def example(moment: str, *, players: int = 4) -> ScoreView:
    """Return a view of a Farkle evening at `moment`, one of `EXAMPLES`.

    Raises:
        BadInput: there is no such moment, or nobody plays.
    """
    if moment not in EXAMPLES or not 1 <= players <= len(_NAMES):
        raise BadInput(
            f"there is no example {moment!r} with {players} players; use {', '.join(EXAMPLES)} "
            f"with 1 to {len(_NAMES)} players"
        )
    lines = tuple(
        PlayerLine(name, total, last=350 + 50 * seat, winner=moment == "won" and seat == 0)
        for seat, (name, total) in enumerate(zip(_NAMES[:players], _TOTALS[:players], strict=True))
    )
    if moment == "won":
        lines = (PlayerLine(_NAMES[0], 10150, last=1200, winner=True), *lines[1:])
    return ScoreView("Farkle", lines, target=10000, **EXAMPLES[moment])  # type: ignore[arg-type]  # by name


def _dice(*faces: int, kept: int = 0) -> tuple[DieSeen, ...]:
    return tuple(DieSeen(face, kept=place < kept) for place, face in enumerate(faces))


def _blurred_die() -> bytes:
    """Return a JPEG of a die that nobody can read, as the camera would see it."""
    picture = Image.new("RGB", (64, 64), (24, 92, 56))
    pen = ImageDraw.Draw(picture)
    pen.rounded_rectangle((12, 10, 54, 52), radius=8, fill=(236, 232, 222))
    for x, y in ((24, 22), (42, 22), (33, 31), (24, 40)):
        pen.ellipse((x - 4, y - 4, x + 4, y + 4), fill=(28, 28, 30))
    pen.polygon(((34, 52), (54, 30), (60, 60)), fill=(250, 250, 246))  # glare
    out = io.BytesIO()
    picture.filter(ImageFilter.GaussianBlur(2.2)).save(out, "JPEG", quality=85)
    return out.getvalue()


EXAMPLES: Mapping[str, Mapping[str, object]] = {
    "turn": {
        "active": 1,
        "turn_points": 350,
        "roll_points": 150,
        "dice": _dice(1, 5, 5, 2, 3, 6, kept=2),
        "message": "Ben: keep what scores and throw on, or pass the dice.",
    },
    "bust": {
        "active": 2,
        "dice": _dice(1, 1, 2, 3, 4, 6, kept=2),
        "moment": "bust",
        "moment_points": 650,
        "message": "Farkle! Ben loses 650. Cecilia: throw 6 dice.",
    },
    "hot": {
        "active": 1,
        "turn_points": 1500,
        "dice": _dice(1, 1, 1, 5, 5, 5, kept=6),
        "moment": "hot_dice",
        "message": "Hot dice for Ben! Ben: throw 6 dice, or bank.",
    },
    "unsure": {
        "active": 1,
        "turn_points": 350,
        "dice": (*_dice(1, 5, 2, kept=2), DieSeen(None, sure=False), DieSeen(6), DieSeen(3)),
        "question": "Die 4 cannot be read; every die needs a certain face. f: say what it shows",
        "die_picture": _blurred_die(),
    },
    "won": {
        "phase": "finished",
        "moment": "won",
        "dice": _dice(1, 1, 1, 1, 2, 3),
        "message": "Anna banks 1200. Anna wins with 10 150 points.",
    },
}
"""Moments by name: fields of the view."""
