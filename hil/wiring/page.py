"""hil/WIRING.md and the pictures in it: `python -m hil.wiring.page`. A test fails when they are not fresh."""

from __future__ import annotations

import sys
from pathlib import Path

from hil import lease
from hil.wiring import drivers
from hil.wiring.listing import HOW
from hil.wiring.picture import picture
from hil.wiring.plan import LETTERS, plan_of

PROJECT = Path(__file__).parents[2]
FILE = PROJECT / "hil" / "WIRING.md"
PICTURE = PROJECT / "hil" / "wiring" / "minibaccarat-pi.svg"
PICTURES = PROJECT / "hil" / "wiring" / "pictures"
HEAD = """\
# Wiring

    hil wiring --config /etc/tabled/table.toml --svg wiring.svg     # this table's own: pins, cables, bus, terminals
    hil wiring --config /etc/tabled/table.toml --check              # what is crossed or used twice; status 1 if any

The picture prints on A4; it needs no daemon and no hardware. On the Pi itself `--check` also finds two names that lead
to one adapter. This page is generated: `python -m hil.wiring.page`.

![config/tables/minibaccarat-pi.toml](wiring/minibaccarat-pi.svg)

## Lines of the header

All inputs are 3.3 V. The Pi pulls its own lines up, an MCP23017 its own; a 74HC165 needs a resistor at each.
The letter stands at the pin, in the picture and in the table.

"""
DRIVERS_HEAD = """
## A page a driver

Numbers at a plug are those of the 9-pin plug of a USB adapter, which is wired as a PC is: 2 receives, 3 sends, 5 is
ground. The left end is the Pi's, the arrow shows where the bytes go.

"""


def text() -> str:
    """The page."""
    rows = ["| | line | how |", "| --- | --- | --- |"]
    rows += [f"| {LETTERS[circuit]} | {circuit} | {how} |" for circuit, how in HOW.items()]
    parts = [line for kind in drivers.real_kinds() for line in drivers.section(kind)]
    index = " · ".join(f"[{kind}](#{drivers.anchor(kind)})" for kind in drivers.real_kinds())
    return HEAD + "\n".join(rows) + "\n" + DRIVERS_HEAD + "\n".join((index, "", *parts))


def pictures() -> dict[Path, str]:
    """Every picture that the page shows, by its file."""
    drawings = {PICTURES / f"{kind}.svg": drivers.drawing(kind) for kind in drivers.real_kinds()}
    return {PICTURE: drawn()} | {file: svg for file, svg in drawings.items() if svg is not None}


def drawn() -> str:
    """The picture of the example table."""
    return picture(plan_of(lease.table(drivers.EXAMPLE).settings))


def main() -> int:
    FILE.write_text(text(), "utf-8")
    PICTURES.mkdir(exist_ok=True)
    for file in PICTURES.glob("*.svg"):
        file.unlink()
    for file, svg in pictures().items():
        file.write_text(svg, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
