"""A table played with each card reader: the real daemon, the reader's own bytes, the journal proved afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from firmware.settings.check import load_checked
from firmware.settings.problems import ConfigurationError
from hil.layout import layout_of
from hil.other_reader import READERS, with_reader
from hil.simulators import simulators_of
from tests.hil.played import PROJECT, TABLE, run_hil

ROUNDS = 5
NAMES_HANDS = ("angeleye", "tgline")
BY_POSITION = ("blackjack", "ultimate_texas_holdem", "criss_cross_poker")


def tabled(*arguments: object) -> str:
    command = [sys.executable, "-m", "firmware.cli", *map(str, arguments)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", [name for name in READERS if name != "angeleye"])  # that one plays everywhere else
def test_five_rounds_are_in_order(name: str, run_dir: Path) -> None:
    done = run_hil("play", "--reader", name, "--run-dir", run_dir, "--rounds", ROUNDS, "--seed", 3, "--plain")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len([line for line in lines if line.startswith("round  ")]) == ROUNDS, done.stdout
    journal = run_dir / "journal.sqlite"
    assert "in order" in tabled("journal", "verify", journal)
    assert "the same again" in tabled("journal", "replay", journal)
    assert "everything compared agrees" in tabled("journal", "audit", journal)
    assert "result_not_read" not in done.stdout, "nobody waits for a result that never comes"
    told = "".join(tabled("journal", "show", journal, "--round", number) for number in range(1, ROUNDS + 1))
    assert ("reader's own result" in told) == (name in NAMES_HANDS)
    assert (" scanned (bytes " in told) == (name not in NAMES_HANDS)


def test_a_reader_that_is_none_and_a_table_without_a_shoe_are_refused(run_dir: Path) -> None:
    done = run_hil("play", "--reader", "oracle", "--run-dir", run_dir)
    assert done.returncode == 2
    assert "beetek" in done.stderr
    table = run_dir / "no-shoe.toml"
    table.write_text(TABLE.read_text("utf-8").replace("[devices.shoe]", "[devices.boot]"), "utf-8")
    done = run_hil("play", "--reader", "beetek", "--table", table, "--run-dir", run_dir)
    assert done.returncode == 2
    assert "0 sections [devices.shoe]" in done.stderr


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("table", sorted(TABLE.parent.glob("*.toml")), ids=lambda path: path.stem)
def test_every_table_of_the_bench_takes_every_reader(table: Path, name: str, run_dir: Path) -> None:
    if "simulated" in table.read_text("utf-8").partition("[devices.shoe]")[2][:60]:
        changed = with_reader(table, name, run_dir)
        if table.stem in BY_POSITION and name in NAMES_HANDS:
            with pytest.raises(ConfigurationError, match="names the Player and the Banker hand"):
                load_checked(changed, "2022-06-01")
            return
        load_checked(changed, "2022-06-01")
        layout = layout_of(changed, run_dir)
        assert [s.device for s in simulators_of(layout.settings, run_dir, 1) if s.what == "card reader"] == ["shoe"]
