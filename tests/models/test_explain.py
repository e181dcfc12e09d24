"""The drawings of docs/how-it-reads.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from models.training.explain import draw_decisions, draw_heat, draw_search, draw_still


def test_the_drawings_show_what_the_reader_sees() -> None:
    image = draw_still(3, width_px=480, dice=3, cocked=0.0)
    search, heat, decisions = draw_search(image), draw_heat(image), draw_decisions(image)
    for drawing in (search, heat, decisions):
        assert drawing.ndim == 3
        assert drawing.dtype == np.uint8
        assert (drawing != 255).any()
    assert decisions.shape[0] % 152 == 0


def test_the_page_has_its_pictures() -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    text = (docs / "how-it-reads.md").read_text(encoding="utf-8")
    for name in ("search", "heat", "decisions", "unsure"):
        assert f"pictures/reads-{name}.jpg" in text
        assert (docs / "pictures" / f"reads-{name}.jpg").stat().st_size > 10_000
