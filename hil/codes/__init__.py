"""Every fault that a table can show has a code: what it means, what is likely behind it, which command to run next.

    F1xx  irregularities: what the dealer's display says          (irregularities.py)
    F2xx  a device's link: how it stands while it is not ready    (devices.py)
    F3xx  a line: why an input is out of order                    (devices.py)
    F4xx  the daemon: journal, software, mystery bonus, no daemon (daemon.py)
    F5xx  the machine under the table: facts outside their limits (machine.py)
    F6xx  what `hil check` measured                               (measured.py)
    F7xx  what a wheel or a dice reader says is wrong             (results.py)

Rules:
* A code is given once and never means anything else later: it stands on paper in somebody's hands.
* `hil explain CODE` and hil/GUIDE.md are made from these rows; a test holds that no fault is without one.
"""

from __future__ import annotations

from collections.abc import Iterator

from hil.codes import daemon, devices, irregularities, machine, measured, results
from hil.codes.row import Row


def rows() -> Iterator[Row]:
    """All rows, by code."""
    yield from irregularities.rows()
    yield from devices.rows()
    yield from daemon.rows()
    yield from machine.rows()
    yield from measured.rows()
    yield from results.rows()


def find(wanted: str) -> list[Row]:
    """The row of a code ("F104", "104"), or the rows whose title or name has these words."""
    bare = wanted.strip().upper()
    by_code = [row for row in rows() if row.code in (bare, f"F{bare}")]
    if by_code:
        return by_code
    words = wanted.casefold().replace("_", " ")
    return [row for row in rows() if words in row.title.casefold() or words in row.name.casefold().replace("_", " ")]
