"""A table played with each card reader: the real daemon, the reader's own bytes, the journal proved afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.hil.played import PROJECT, TABLE, run_hil

ROUNDS = 5
SHOE = '[devices.shoe]\nkind = "shoe.angeleye_simulated"\n'
OWN = ", ".join(
    f'"{n:04x}" = "{rank}{suit}"' for n, (rank, suit) in enumerate((r, s) for r in "A23456789TJQK" for s in "SHDC")
)
READERS = {
    "beetek": 'kind = "shoe.beetek_simulated"\n',
    "barcode-serial": f'kind = "shoe.barcode_serial_simulated"\nmap = "own"\ncodes = {{ {OWN} }}\n',
    "barcode-hid": 'kind = "shoe.barcode_hid_simulated"\nmap = "letter"\n',
    "tgline": 'kind = "shoe.tgline_simulated"\naddress = 7\n',
    "tgline-unassigned": 'kind = "shoe.tgline_simulated"\nresult = false\n',
}


def tabled(*arguments: object) -> str:
    command = [sys.executable, "-m", "firmware.cli", *map(str, arguments)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", READERS)
def test_five_rounds_are_in_order(name: str, run_dir: Path) -> None:
    text = TABLE.read_text("utf-8")
    assert SHOE in text
    table = run_dir / "table.toml"
    table.write_text(text.replace(SHOE, f"[devices.shoe]\n{READERS[name]}"), "utf-8")
    done = run_hil("play", "--table", table, "--run-dir", run_dir, "--rounds", ROUNDS, "--seed", 3, "--plain")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len([line for line in lines if line.startswith("round  ")]) == ROUNDS, done.stdout
    journal = run_dir / "journal.sqlite"
    assert "in order" in tabled("journal", "verify", journal)
    assert "the same again" in tabled("journal", "replay", journal)
    assert "everything compared agrees" in tabled("journal", "audit", journal)
    wanted = "reader's own result" if name == "tgline" else "scanned"
    if name != "tgline":
        assert "NO READER RESULT" not in done.stdout
    told = [tabled("journal", "show", journal, "--round", number) for number in range(1, ROUNDS + 1)]
    assert any(wanted in one for one in told), told[0]
