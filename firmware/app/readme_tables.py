"""Tables for people, generated from the tables that the daemon runs on: `python -m firmware.app.readme_tables`.

State x key -> effect and the floorperson's menu stand in README.md, the irregularities in hil/IRREGULARITIES.md. A test
fails when a file differs from what stands here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from firmware.core.events import Key
from firmware.core.faults import IRREGULARITIES
from firmware.core.menu import Act
from firmware.core.rounds.keys import KEYS
from firmware.core.state import Phase


def state_by_key() -> str:
    """Every phase with what the lock-out button and each key do in it."""
    rows = ["| state | lock-out | CONFIRM | CALL | CLEAR |", "| --- | --- | --- | --- | --- |"]
    for phase in Phase:
        lockout = "closes betting at its first edge" if phase is Phase.BETTING else "-"
        cells = [KEYS[phase, key].effect if (phase, key) in KEYS else "-" for key in Key]
        rows.append(f"| {phase} | {lockout} | {' | '.join(cells)} |")
    rows += [
        "",
        "`-`: no effect; after a key the display says so. While the floorperson's key is turned, CALL steps through",
        "the menu, CONFIRM takes the line shown and CLEAR leaves the entry of a card. The reset key acts in `award`",
        "and `voided` only: it returns won meters whose awards are paid to their reseed.",
    ]
    return "\n".join(rows)


def floor_menu() -> str:
    """What the floorperson's menu can do."""
    return "\n".join(f"* {act}" for act in Act)


def irregularities() -> str:
    """Every irregularity, for people at the table and for technicians."""
    rows = ["| display | what it means | what to do | technician |", "| --- | --- | --- | --- |"]
    for row in IRREGULARITIES.values():
        stops = " **The round stops.**" if row.stops else ""
        rows.append(f"| {row.title} | {row.meaning}{stops} | {row.remedy} | {row.check} |")
    return "\n".join(rows)


TABLES: dict[str, Callable[[], str]] = {
    "state x key": state_by_key,
    "floorperson's menu": floor_menu,
    "irregularities": irregularities,
}


def filled(text: str) -> str:
    """`text` with every block `<!-- generated: NAME -->` to `<!-- end -->` made anew. KeyError for an unknown NAME."""

    def block(match: re.Match[str]) -> str:
        return f"<!-- generated: {match[1]} -->\n{TABLES[match[1]]()}\n<!-- end -->"

    return re.sub(r"<!-- generated: ([^>]*?) -->\n.*?<!-- end -->", block, text, flags=re.DOTALL)


ROOT = Path(__file__).resolve().parents[2]
FILES = (ROOT / "README.md", ROOT / "hil" / "IRREGULARITIES.md")


def main() -> int:
    for file in FILES:
        file.write_text(filled(file.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
