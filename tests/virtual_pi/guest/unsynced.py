"""Runs in the guest: the daemon with a journal that never syncs, as a control for the power cuts: it must lose.

Nothing else is changed; the arguments are those of `tabled`.
"""

import sys

import firmware.journal.database as database
from firmware.cli import main

insist = database.insist


def without_syncs(connection, path, setting, wanted, read_back):
    if setting == "synchronous":
        wanted, read_back = "off", 0
    insist(connection, path, setting, wanted, read_back)


database.insist = without_syncs
sys.exit(main())
