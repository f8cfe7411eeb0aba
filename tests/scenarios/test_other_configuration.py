"""A daemon that finds a journal which its configuration does not fit: refused with status 78, and the journal kept."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from firmware.app.continuity import reasons_against, reasons_against_profile
from firmware.app.supervisor import end_at_callback_fault
from firmware.core.rules import TableRules
from tests.core.mystery_table import MysteryTable, midi_rules
from tests.core.table import Table, rules

EXAMPLE = Path(__file__).parents[2] / "config" / "tables" / "minibaccarat.toml"
ROYAL = "royal_9_progressive"


def at_one_dollar(old: TableRules) -> TableRules:
    return replace(old, offers=tuple(replace(o, paytable="1") if o.wager == ROYAL else o for o in old.offers))


def with_other_chips(old: TableRules) -> TableRules:
    return replace(old, spots=tuple(replace(s, cents=s.cents * 2) for s in old.spots))


def test_the_same_rules_go_on_anywhere() -> None:
    t = Table().opened()
    t.lock()
    assert reasons_against(t.rules, rules(), t.state) == ()


def test_the_journal_of_another_table() -> None:
    t = Table()
    assert "journal of table T" in reasons_against(t.rules, replace(t.rules, table_id="U"), t.state)[0]


def test_a_simulated_journal_under_a_production_table() -> None:
    assert reasons_against_profile("simulated", "simulated") == ()
    assert "journal of a simulated table" in reasons_against_profile("simulated", "production")[0]


def test_a_meter_of_another_denomination_between_rounds_too() -> None:
    """$50,000 filled at $5 must not be won at $1."""
    t = Table()
    assert "one denomination" in reasons_against(t.rules, at_one_dollar(t.rules), t.state)[0]


def test_fewer_spots_and_other_meters() -> None:
    t = Table()
    assert "betting spots" in reasons_against(t.rules, replace(t.rules, spots=t.rules.spots[1:]), t.state)[0]
    assert "meters" in reasons_against(t.rules, replace(t.rules, meters=t.rules.meters[1:]), t.state)[0]


def test_a_mystery_bonus_keeps_the_figures_that_its_trigger_was_drawn_for() -> None:
    """The range, the share and the way of payment, between rounds too."""
    old = midi_rules()
    bonus = old.mystery
    assert bonus is not None
    t = MysteryTable([0])
    t.opened()
    assert reasons_against(old, old, t.state) == ()
    faster = tuple(replace(m, increment_ppm=60_000) if m.name == "mystery" else m for m in old.meters)
    for new in (
        replace(old, mystery=replace(bonus, must_hit_by_micro=500_000_000)),
        replace(old, mystery=replace(bonus, largest_micro=1)),
        replace(old, meters=faster),
    ):
        assert "mystery bonus's trigger was drawn for other figures" in reasons_against(old, new, t.state)[0]
    without = replace(old, mystery=None, meters=old.paytable_meters())
    assert "its meters are not those" in reasons_against(old, without, t.state)[0]


def test_what_decides_awards_changes_only_between_rounds() -> None:
    t = Table().opened()
    for new in (with_other_chips(t.rules), replace(t.rules, decks=6), replace(t.rules, combinations=())):
        assert reasons_against(t.rules, new, t.state) == ()
        busy = Table().opened()
        busy.lock()
        assert "is in play" in reasons_against(t.rules, new, busy.state)[0]


def test_the_daemon_refuses_and_says_why(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    text = EXAMPLE.read_text("utf-8")
    config.write_text(text, "utf-8")
    started = _daemon(config)
    assert started.stderr is not None
    while "READY" not in (line := started.stderr.readline()):
        assert line, "the daemon ended before it was ready"
    started.send_signal(signal.SIGTERM)
    started.communicate(timeout=30)
    assert started.returncode == 0
    config.write_text(text.replace('"MB-SIM"', '"MB-OTHER"'), "utf-8")
    again = _daemon(config)
    _, said = again.communicate(timeout=30)
    assert again.returncode == 78
    assert "it is the journal of table MB-SIM" in said


def _daemon(config: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "firmware.cli", "run", "--config", str(config)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(EXAMPLE.parents[2])},
    )


def test_a_fault_in_a_callback_ends_the_daemon() -> None:
    """The loop's own way is to log it and to go on: a timer that died would never be set again."""

    def timer() -> None:
        raise LookupError("no such line")

    async def serve() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(end_at_callback_fault())
            asyncio.get_running_loop().call_later(0, timer)

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(serve())
    assert isinstance(caught.value.exceptions[0], LookupError)
