"""`tabled` on a machine whose wall clock is set by hand: it reads as much more as the file $WALL_OFFSET holds, in ns.

For a test that may not set the clock of the machine it runs on. Everything else is the daemon's own.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from firmware.app import clock
from firmware.cli import main

OFFSET = "WALL_OFFSET"


def _set_by_hand() -> None:
    file = Path(os.environ[OFFSET])
    read = clock.reading

    def reading() -> clock.Reading:
        true = read()
        return true._replace(wall_ns=true.wall_ns + int(file.read_text("ascii")))

    clock.reading = reading


if __name__ == "__main__":
    _set_by_hand()
    sys.exit(main())
