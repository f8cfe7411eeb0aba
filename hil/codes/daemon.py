"""F4xx: what concerns the daemon as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from hil.codes.row import Row

JOURNAL = Row(
    "F401", "journal", "CLOSED: JOURNAL", "The journal can't be written: nothing is shown, and the table is closed.",
    ("disk full", "disk or card failing, remounted read-only", "a folder's rights were changed"),
    "df -h; hil check --facts; then tabled journal verify JOURNAL",
)  # fmt: skip
SOFTWARE = Row(
    "F402", "software", "SOFTWARE DIFFERS", "What runs is not what the signed manifest approves.",
    ("an update without its manifest", "a changed configuration or package"), "tabled manifest check --config FILE",
)  # fmt: skip
MYSTERY = Row(
    "F403", "mystery", "MYSTERY STOPPED", "The sealed trigger can't be read; it is never drawn again.",
    ("the key file is missing, unreadable or another table's",), "tabled journal draws JOURNAL",
)  # fmt: skip
NOT_WAGERING = Row(
    "F404", "no_wagers", "NO WAGERS", "Something keeps betting closed; the reasons stand beside it.",
    ("a device is down", "the lock-out button is held or its wire is cut", "the table waits for an act"), "hil status",
)  # fmt: skip
NO_DAEMON = Row(
    "F405", "no_daemon", "NO DAEMON", "Nobody answers at the control socket.",
    ("the daemon is stopped or refused its configuration", "another run directory", "no permission"),
    "systemctl status tabled; journalctl -u tabled -e; tabled check FILE",
)  # fmt: skip
SPOT = Row(
    "F406", "spot", "SPOT OUT OF ORDER", "A spot takes no wagers because its line is out of order.",
    ("see F301 to F304",), "hil watch",
)  # fmt: skip


def rows() -> Iterator[Row]:
    yield from (JOURNAL, SOFTWARE, MYSTERY, NOT_WAGERING, NO_DAEMON, SPOT)
