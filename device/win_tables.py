"""Solved games on disk: chances to win and fewest turns of a table's rules, found again by their rules.

Those of the presets ship with the program (`device/wins`); any other is solved on demand into the cache of
the user, with a progress bar. A run that was broken off goes on where it was.

A file is a NumPy archive: `rules` (the settings that matter, as JSON), `win` (chances in steps of 1/65535, as
differences along the other player's total, which pack better), `turns` (fewest turns alone), and in an
unfinished one `top`, the sum of totals from which `win` is filled.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from device.atomic import write_bytes
from device.errors import BadInput
from scorer.rules import Rules

if TYPE_CHECKING:
    from scorer.turn_solver import Table
    from scorer.win_odds import WinOdds

SHIPPED = Path(__file__).parent / "wins"
_STEPS = 65535
_KEEP_EVERY = 25
"""An unfinished table is kept after so many sums of totals."""
_NO_MATTER = ("bust_penalty", "bust_streak", "count_unopened_zero")
"""Settings that the solver leaves out: tables that differ in them alone share a file."""
_PROBLEMS = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)


def cache_folder() -> Path:
    """Return where tables of house rules are kept."""
    from platformdirs import user_cache_path

    given = os.environ.get("CROUPIER_CACHE")
    return (Path(given) if given else user_cache_path("croupier", appauthor=False)) / "wins"


def rules_text(rules: Rules) -> str:
    """Return the settings that matter for a race, in one fixed form."""
    settings = {name: value for name, value in rules.settings().items() if name not in _NO_MATTER}
    return json.dumps(settings, sort_keys=True, default=list)


def file_name(rules: Rules) -> str:
    """Return the name of the file of a table's rules."""
    return hashlib.sha256(rules_text(rules).encode()).hexdigest()[:16] + ".npz"


@lru_cache(maxsize=4)
def win_odds_of(rules: Rules) -> WinOdds | None:
    """Return the chances to win of a table's rules where they are on disk, else None."""
    from scorer.win_odds import WinOdds

    found = stored_tables(rules)
    return None if found is None else WinOdds(rules, found[0])


def solved(rules: Rules, *, step: Callable[[], None] | None = None) -> tuple[Table, Table]:
    """Return chances to win (`scorer.win_odds`) and fewest turns (`scorer.alone_odds`), solved if missing.

    `step` is called after every sum of totals, 2 x the size of the race - 1 in all.

    Raises:
        BadSetting: rules that cannot be solved.
        BadInput: the cache cannot be written to.
    """
    found = stored_tables(rules)
    return found if found is not None else solve_into(rules, cache_folder(), step=step)


def solve_into(rules: Rules, folder: Path, *, step: Callable[[], None] | None = None) -> tuple[Table, Table]:
    """Solve a game into a folder, going on with what is there; see `solved`."""
    from scorer.alone_odds import fewest_turns
    from scorer.win_odds import check_solvable, race_size, solve_race

    check_solvable(rules)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"cannot make {folder}: {error.strerror or error}; set CROUPIER_CACHE to another"
        ) from error
    part = folder / f"{file_name(rules)}.part"
    begun = _unfinished(part, rules)

    def keep(win: Table, top: int) -> None:
        if step is not None:
            step()
        if top and top % _KEEP_EVERY == 0:
            write_bytes(part, _exact(win, top))

    if begun is not None and step is not None:
        for _ in range(2 * race_size(rules) - 1 - begun[1]):
            step()
    win = solve_race(rules, begun=begun, progress=keep)
    turns = fewest_turns(rules)
    write_bytes(folder / file_name(rules), _packed(rules, win, turns))
    part.unlink(missing_ok=True)
    return win, turns


def stored_tables(rules: Rules) -> tuple[Table, Table] | None:
    """Return the table of these rules; a file that is damaged counts as none."""
    import numpy as np

    for folder in (SHIPPED, cache_folder()):
        try:
            with np.load(io.BytesIO((folder / file_name(rules)).read_bytes())) as data:
                if str(data["rules"]) != rules_text(rules):
                    continue
                steps = np.cumsum(data["win"].astype(np.uint16), axis=1, dtype=np.uint16)
                return steps.astype(np.float64) / _STEPS, data["turns"].astype(np.float64)
        except _PROBLEMS:
            continue
    return None


def _packed(rules: Rules, win: Table, turns: Table) -> bytes:
    import numpy as np

    steps = np.rint(win * _STEPS).astype(np.uint16)
    differences = np.diff(steps, axis=1, prepend=np.uint16(0))
    out = io.BytesIO()
    np.savez_compressed(
        out, rules=np.array(rules_text(rules)), win=differences, turns=turns.astype(np.float32)
    )
    return out.getvalue()


def _exact(win: Table, top: int) -> bytes:
    import numpy as np

    out = io.BytesIO()
    np.savez(out, win=win, top=np.array(top))
    return out.getvalue()


def _unfinished(part: Path, rules: Rules) -> tuple[Table, int] | None:
    """Return a table that was begun; one that is damaged counts as none."""
    import numpy as np

    from scorer.win_odds import race_size

    size = race_size(rules)
    try:
        with np.load(io.BytesIO(part.read_bytes())) as data:
            win, top = data["win"], int(data["top"])
    except _PROBLEMS:
        return None
    return (win, top) if win.shape == (size, size) and 0 < top < 2 * size else None
