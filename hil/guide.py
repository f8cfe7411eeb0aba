"""hil/GUIDE.md, made from the rows of `hil/codes`: `python -m hil.guide`. A test fails when it is not fresh."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from hil import codes
from hil.codes.row import Row

FILE = Path(__file__).with_name("GUIDE.md")
GROUPS = {
    "F1": ("What the table says", "Irregularities, as they stand on the dealer's display and in the journal."),
    "F2": ("Devices", "A device's link, while it can't be used."),
    "F3": ("Lines", "Sensors, buttons and keys whose line is out of order."),
    "F4": ("The daemon", "Journal, software, and what keeps the table closed."),
    "F5": ("The computer in the table", "Supply, heat, clocks, ports, disk. `hil check --facts` reads them."),
    "F6": ("What hil check measured", "Each failed measurement has its code behind it."),
    "F7": ("Wheels and dice", "What a wheel or a dice reader says is wrong; `hil wheel trace` prints it."),
}
COLUMNS = ("code", "shown as", "what it means, what to do", "likely causes", "next")
HEAD = """\
# Guide for technicians

Every fault has a code; `hil status`, `hil list` and `hil check` print it, `hil explain F205` says what stands here.
In the commands FILE is the table's configuration (`/etc/tabled/table.toml`), JOURNAL its journal
(`/var/lib/tabled/journal.sqlite`), DEVICE a name under `[devices]`, N a round. Begin with `hil status`, then `hil
check`.
To practise without a table: `hil panel --table minibaccarat --run-dir DIR`; while that table is closed, in a second
terminal, any command with the same `--run-dir DIR`.
This page is generated: `python -m hil.guide`.
"""


def explained(row: Row) -> Iterator[str]:
    """A row for a terminal."""
    yield f"{row.code}  {row.title}  ({row.name})"
    yield f"    {row.meaning}"
    yield f"    likely: {'; '.join(row.causes)}"
    yield f"    next:   {row.next}"


def text() -> str:
    parts = [HEAD]
    rows = list(codes.rows())
    for group, (title, what) in GROUPS.items():
        parts += [f"\n## {title}\n\n{what}\n"]
        parts += [f"\n| {' | '.join(COLUMNS)} |\n", "| --- " * len(COLUMNS) + "|\n"]
        for row in rows:
            if row.code.startswith(group):
                cells = (row.code, row.title, row.meaning, "; ".join(row.causes), f"`{row.next}`")
                parts.append(f"| {' | '.join(cells)} |\n")
    return "".join(parts)


def main() -> int:
    FILE.write_text(text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
