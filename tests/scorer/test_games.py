"""Whole games from `tests/games`: worked out by hand, replayed and compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scorer.errors import IllegalEvent
from scorer.replay import replay

GAMES = sorted((Path(__file__).resolve().parents[1] / "games").glob("*.json"))


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_the_game_comes_out_as_worked_out_by_hand(path: Path) -> None:
    game: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if "error" in game:
        with pytest.raises(IllegalEvent) as caught:
            replay(game["document"])
        assert caught.value.index == game["error"]["event"]
        assert game["error"]["says"] in str(caught.value)
    else:
        assert replay(game["document"]) == game["expected"]


@pytest.mark.parametrize("preset", ["farkle", "ten-thousand"])
def test_the_main_presets_have_their_games(preset: str) -> None:
    assert len([path for path in GAMES if path.stem.startswith(preset)]) >= 4
