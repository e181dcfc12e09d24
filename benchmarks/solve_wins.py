"""Solve the games of all presets into the folder that ships; say how long it took and how large they are.

python -m benchmarks.solve_wins [PRESET ...]
"""

from __future__ import annotations

import sys
import time

from device.win_tables import SHIPPED, file_name, solve_into
from scorer.errors import RulesError
from scorer.rules import preset, preset_names


def main() -> None:
    """Solve what is not there yet."""
    for name in sys.argv[1:] or preset_names():
        path = SHIPPED / file_name(preset(name))
        began = time.perf_counter()
        if not path.exists():
            try:
                solve_into(preset(name), SHIPPED)
            except RulesError as error:
                print(f"{name}: {error}")
                continue
        took = time.perf_counter() - began
        print(f"{name}: {path.name}, {path.stat().st_size / 1000:.0f} kB, {took:.0f} s", flush=True)


if __name__ == "__main__":
    main()
