"""hil/WIRING.md and the picture in it: `python -m hil.wiring.page`. A test fails when they are not fresh."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from hil import lease
from hil.wiring.cables import CABLES, Cable
from hil.wiring.listing import HOW
from hil.wiring.picture import picture
from hil.wiring.plan import LETTERS, plan_of

PROJECT = Path(__file__).parents[2]
FILE = PROJECT / "hil" / "WIRING.md"
EXAMPLE = PROJECT / "config" / "tables" / "minibaccarat-pi.toml"
PICTURE = PROJECT / "hil" / "wiring" / "minibaccarat-pi.svg"
HEAD = """\
# Wiring

    hil wiring --config /etc/tabled/table.toml --svg wiring.svg     # this table's own: pins, cables, bus, terminals
    hil wiring --config /etc/tabled/table.toml --check              # what is crossed or used twice; status 1 if any

The picture prints on A4; it needs no daemon and no hardware. On the Pi itself `--check` also finds two names that lead
to one adapter. This page is generated: `python -m hil.wiring.page`.

![config/tables/minibaccarat-pi.toml](wiring/minibaccarat-pi.svg)

## Lines of the header

All inputs are 3.3 V with the Pi's own pull-up. The letter stands at the pin, in the picture and in the table.

"""
CABLE_HEAD = """
## Cables

Numbers are those of the 9-pin plug of a USB adapter, which is wired as a PC is: 2 receives, 3 sends, 5 is ground.
`<` is from the device to the Pi, `>` to the device.
"""


def text() -> str:
    """The page."""
    rows = ["| | line | how |", "| --- | --- | --- |"]
    rows += [f"| {LETTERS[circuit]} | {circuit} | {how} |" for circuit, how in HOW.items()]
    return HEAD + "\n".join(rows) + "\n" + CABLE_HEAD + "".join(f"\n{line}" for line in _cables()) + "\n"


def _cables() -> Iterator[str]:
    yield "| kind | by | conductors | mind |"
    yield "| --- | --- | --- | --- |"
    for kind, cable in CABLES.items():
        own = " ".join(note for note in cable.notes if note not in _shared())
        yield f"| `{kind}` | {cable.by} | {_conductors(cable)} | {own} |"
    yield ""
    yield from (f"* {note}" for note in _shared())


def _shared() -> tuple[str, ...]:
    """Notes of more than one kind, each once."""
    notes = [note for cable in CABLES.values() for note in cable.notes]
    return tuple(dict.fromkeys(note for note in notes if notes.count(note) > 1))


def _conductors(cable: Cable) -> str:
    used = (one for one in cable.conductors if one.towards != "-")
    return ", ".join(f"{one.ours} {one.towards or '='} {one.theirs}" for one in used)


def drawn() -> str:
    """The picture of the example table."""
    return picture(plan_of(lease.table(EXAMPLE).settings))


def main() -> int:
    FILE.write_text(text(), "utf-8")
    PICTURE.write_text(drawn(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
