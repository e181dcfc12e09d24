"""`python -m device` is the command `croupier`."""

from __future__ import annotations

import sys

from device.cli import main

if __name__ == "__main__":
    sys.exit(main())
