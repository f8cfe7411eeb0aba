"""`tabled journal show --round`: what a person in a dispute asks is answered from the journal alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from firmware.app import program
from firmware.core import events as ev
from firmware.core.effects import RoundEnded, WagerAccepted
from firmware.core.state import initial_state
from firmware.core.step import step
from firmware.journal.records import Batch, Entry, SegmentStart
from firmware.journal.writer import open_journal
from tests.app.rig import header
from tests.core.table import MS, Table

ROYAL = "royal_9_progressive"


def disputed() -> Table:
    """A round with a chip in time, one too late, an award, and a restart in the middle."""
    table = Table(program.rules_of(header()))
    table.start()
    table.floor("OPEN TABLE", "NEW SHOE")
    table.place(2, ROYAL)
    table.tick(-99)
    press_ns = table.press()
    table.do(ev.ChipPlaced(3, "tie", press_ns + MS, press_ns + MS))
    table.settle(press_ns)
    table.confirm()
    table.start(covered=[(2, ROYAL)])
    table.deal("2C 3H", "KD 9C")
    table.see_to_awards()
    table.result("banker")
    table.clear()
    return table


def write(path: Path, events: list[ev.Event], accepted_cents: int | None = None) -> None:
    """The events through the real step into a real journal, one transaction each. `accepted_cents`: a lie to record."""
    rules = program.rules_of(header())
    journal, _ = open_journal(path, program.codec(), lambda outcome: None, create=True)
    state = initial_state(rules)
    journal.begin_segment(SegmentStart(header(), 0, 0, state))
    seq = 0
    for event in events:
        after, effects = step(rules, state, event)
        if after is state and not effects:
            continue
        if accepted_cents is not None:
            effects = tuple(replace(e, cents=accepted_cents) if isinstance(e, WagerAccepted) else e for e in effects)
        seq += 1
        ended = next((e.round for e in effects if isinstance(e, RoundEnded)), None)
        state = after
        journal.submit(Batch((Entry(seq, 0, 1_796_000_000_000_000_000 + seq * MS, event, effects, ended),), state))
    journal.close()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tell") / "journal.sqlite"
    write(path, disputed().events)
    command = [sys.executable, "-m", "firmware.cli", "journal", "show", str(path), "--round", "1"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    "answer",
    [
        "Round 1 at table MB-SIM: minibaccarat, 8 decks, simulated",
        "royal_9_progressive (5)",  # what was configured
        "meter royal_9.mega: seed $50,000.00, increment 15000 ppm, reserve 5000 ppm",
        "2 KD 9C",
        "as it opened:",  # meters, lamps, sign and faults as they stood
        "at lock-out:",
        "lamps lit: 2/royal_9_progressive sensed",
        "sign: PLACE YOUR BETS: MEGA $50,000.00; MAJOR $450.00; MINOR $450.00",
        "faults open: none",
        "accepted: position 2 royal_9_progressive $5.00, chip sensed 1.000 ms before lock-out",
        "NOT accepted: position 3 tie: placed after lock-out",
        "to royal_9.major from position 2: 50000 micro-dollars shown, 12500 reserve",
        "the daemon started",
        "AWARD 1: position 2 major_jackpot $450.05 from meter royal_9.major, to be paid by slip (627b.3(f))",
        "award 1: hand and lamp verified by the dealer",
        "award 1: SLIP 000001 issued, $450.05; the cards must stay",
        "award 1 paid by slip 000001, documentation complete",
        "sign: MAJOR JACKPOT $450.05 POS 2",
        "award 1 validated by the floorperson",
        "meter royal_9.major reset by key: paid $450.05, now $450.00",
        "reader's own result: banker",
        "table cleared; the round ends",
    ],
)
def test_the_round_is_told(told: str, answer: str) -> None:
    assert answer in told


def test_a_journal_that_does_not_replay_is_not_told(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    write(path, disputed().events, accepted_cents=50_000)
    command = [sys.executable, "-m", "firmware.cli", "journal", "show", str(path), "--round", "1"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "do not give the recorded effects" in done.stderr
