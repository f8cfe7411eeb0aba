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
from firmware.core import events as ev
from firmware.core.order_data import Approval, ChangeParameters, Overflow
from firmware.core.order_effects import ParametersInForce
from firmware.core.rules import ReadingRule, TableRules
from tests.core.mystery_table import MysteryTable, midi_rules
from tests.core.table import Table, rules

EXAMPLE = Path(__file__).parents[2] / "config" / "tables" / "minibaccarat.toml"
ROYAL = "royal_9_progressive"


def at_one_dollar(old: TableRules) -> TableRules:
    return replace(old, offers=tuple(replace(o, paytable="1") if o.wager == ROYAL else o for o in old.offers))


def with_other_chips(old: TableRules) -> TableRules:
    return replace(old, spots=tuple(replace(s, cents=s.cents * (1 if s.wager == ROYAL else 2)) for s in old.spots))


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


def test_a_chip_of_another_value_on_a_living_meter() -> None:
    t = Table()
    new = replace(t.rules, spots=tuple(replace(s, cents=s.cents * 2) for s in t.rules.spots))
    assert [why.split(";")[0] for why in reasons_against(t.rules, new, t.state)] == [f"the chip of {ROYAL} has changed"]


@pytest.mark.parametrize(
    ("id", "value"),
    [("X4", "each"), ("X15", "second_meter"), ("X16", "submission"), ("X17", "max"), ("X22", "refund_only")],
)
def test_a_reading_of_living_meters(id: str, value: str) -> None:
    t = Table()
    new = replace(t.rules, readings=(ReadingRule(id, value),))
    assert f"reading {id} was" in reasons_against(t.rules, new, t.state)[0]
    assert reasons_against(new, new, t.state) == ()


PARAMETERS = {
    "seed_micro": 51_000_000_000, "reseed_micro": 51_000_000_000, "increment_ppm": 10_000, "reserve_ppm": 0,
    "hidden_ppm": 10_000, "limit_micro": 90_000_000_000, "overflow": Overflow.KEEP,
}  # fmt: skip


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_parameter_of_a_living_meter_changes_by_order_only(name: str) -> None:
    t = Table()
    mega = replace(t.rules.meters[0], **{name: PARAMETERS[name]})
    new = replace(t.rules, meters=(mega, *t.rules.meters[1:]))
    (why,) = reasons_against(t.rules, new, t.state)
    assert "royal_9.mega lives" in why
    assert f"({name} was" in why, "nothing else has changed"
    t.start()
    t.do(ev.FloorKeyTurned(True, t.tick()))
    t.do(ev.ResetKeyTurned(True, t.tick()))
    given = {field: getattr(mega, field) for field in PARAMETERS}
    t.do(ev.OrderGiven(ChangeParameters("royal_9.mega", **given), Approval("A", "B", "refiled"), t.tick()))
    assert t.state.parameters == (mega,)
    assert reasons_against(t.rules, new, t.state) == ()
    assert reasons_against(t.rules, t.rules, t.state) == (), "an order not yet carried out keeps no table from starting"
    other = replace(mega, increment_ppm=mega.increment_ppm + 10_000)
    assert reasons_against(t.rules, replace(new, meters=(other, *t.rules.meters[1:])), t.state), "nor anything else"
    t.do(ev.Started(t.tick(), 0, True, "boot-2"))
    assert t.state.parameters == (mega,), "the old configuration: the order waits"
    t.rules = new
    assert ParametersInForce(mega) in t.do(ev.Started(t.tick(), 0, True, "boot-3"))
    assert t.state.parameters == ()
    assert reasons_against(new, rules(), t.state), "the way back needs an order too"


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
