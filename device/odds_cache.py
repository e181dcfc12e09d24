"""The odds of a table's rules, kept on disk once they are worked out."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from device.atomic import write_bytes
from device.errors import BadInput
from scorer.odds import Odds, odds
from scorer.rules import Rules

FORMAT = 1
"""Raised when figures change, so that old files count no more."""


def odds_of(rules: Rules) -> Odds:
    """Return the odds of these rules, from disk where they are there; a cache that fails costs time alone."""
    path = _path(rules)
    try:
        return _read(path, rules)
    except (OSError, ValueError, KeyError, TypeError):
        found = odds(rules)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, json.dumps({"rules": _text(rules), "odds": asdict(found)}).encode())
    except (OSError, BadInput):
        pass
    return found


def _path(rules: Rules) -> Path:
    from device.win_tables import cache_folder

    digest = hashlib.sha256(_text(rules).encode()).hexdigest()[:16]
    return cache_folder().parent / "odds" / f"{digest}.json"


def _text(rules: Rules) -> str:
    return json.dumps([FORMAT, rules.settings()], sort_keys=True, default=list)


def _read(path: Path, rules: Rules) -> Odds:
    data = json.loads(path.read_text(encoding="utf-8"))
    if data["rules"] != _text(rules):
        raise ValueError("the file is of other rules")
    found: Any = {
        name: tuple(value) if isinstance(value, list) else value for name, value in data["odds"].items()
    }
    odds_there: Odds = Odds(**found)
    return odds_there
