"""A table of the bench with another card reader: the same file, its `[devices.shoe]` exchanged for a simulated one.

Rule: the changed file is written into the run directory, so that daemon and bench read the same one and it is kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from hil.layout import NotForTheBench

NAME = "table.toml"
READERS: Mapping[str, str] = {
    "angeleye": 'kind = "shoe.angeleye_simulated"',
    "beetek": 'kind = "shoe.beetek_simulated"',
    "barcode-serial": 'kind = "shoe.barcode_serial_simulated"\nmap = "srr0"',
    "barcode-hid": 'kind = "shoe.barcode_hid_simulated"\nmap = "letter"',
    "tgline": 'kind = "shoe.tgline_simulated"',
    "tgline-unassigned": 'kind = "shoe.tgline_simulated"\nresult = false',
}
"""By the name that `hil play --reader` takes."""

_SECTION = re.compile(r"^\[devices\.shoe\][^\n]*\n(?:(?!\[)[^\n]*\n)*", re.MULTILINE)


def with_reader(table: Path, reader: str, run_dir: Path) -> Path:
    """Write `table` with that reader into `run_dir`. `NotForTheBench` where the file has no one `[devices.shoe]`."""
    try:
        text = table.read_text("utf-8")
    except OSError as error:
        raise NotForTheBench(f"{table}: {error.strerror}") from None
    try:
        changed = exchanged(text, reader)
    except ValueError as error:
        raise NotForTheBench(f"{table}: {error}") from None
    run_dir.mkdir(parents=True, exist_ok=True)
    written = run_dir / NAME
    written.write_text(changed, "utf-8")
    return written


def exchanged(text: str, reader: str) -> str:
    """A table's text with that reader. ValueError where it has no one `[devices.shoe]`."""
    changed, found = _SECTION.subn(f'[devices.shoe]\n{READERS[reader]}\nurl = "shoe.tty"\n\n', text)
    if found != 1:
        raise ValueError(f"{found} sections [devices.shoe]; expected one, to exchange it for {reader!r}")
    return changed
