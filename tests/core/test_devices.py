"""Leases and hardware facts in the core: when one is given, what it keeps shut, and what is noted."""

from __future__ import annotations

import pytest

from firmware.core import effects as fx
from firmware.core import events as ev
from firmware.core.faults import Irregularity
from firmware.core.service_data import (
    HardwareFact,
    HardwareFound,
    LeaseAsked,
    LeaseEnd,
    LeaseEnded,
    LeaseGiven,
    LeaseOver,
    LeaseRefused,
    Verdict,
)
from firmware.core.state import Down, Phase
from firmware.core.table import reasons_against_wagering
from tests.core.table import Table


def closed() -> Table:
    table = Table()
    table.start()
    return table


def ask(table: Table, *devices: str, who: str = "A. Lee", why: str = "new cable") -> tuple[fx.Effect, ...]:
    return table.do(LeaseAsked(devices, who, why, table.tick()))


def refusal(table: Table, *devices: str, who: str = "A. Lee", why: str = "new cable") -> str:
    before = table.state
    (effect,) = ask(table, *devices, who=who, why=why)
    assert isinstance(effect, LeaseRefused)
    assert table.state == before
    return effect.why


def test_a_lease_keeps_the_table_shut_until_the_device_reports_again() -> None:
    table = closed()
    assert LeaseGiven(1) in ask(table, "shoe")
    assert reasons_against_wagering(table.rules, table.state) == ("SHOE LEASED",)
    assert "OPEN TABLE" not in table.menu()
    table.do(ev.DeviceUp("shoe", table.tick()))  # said on its way out
    assert table.state.down == (Down("shoe", "leased to A. Lee"),)
    assert LeaseOver(1, LeaseEnd.LOST) in table.do(LeaseEnded(1, LeaseEnd.LOST, table.tick()))
    assert table.state.down == (Down("shoe", "starting"),)
    assert table.do(LeaseEnded(1, LeaseEnd.TIMED_OUT, table.tick())) == (), "it is over"
    table.do(ev.DeviceUp("shoe", table.tick()))
    assert reasons_against_wagering(table.rules, table.state) == ()
    assert "OPEN TABLE" in table.menu()
    assert LeaseGiven(2) in ask(table, "shoe"), "a number is given once"


def test_lent_lines_say_nothing_and_close_the_menu() -> None:
    table = closed()
    table.do(ev.FloorKeyTurned(True, table.tick()))
    ask(table, "lines")
    assert table.state.menu is None
    table.do(ev.InputsReady(table.tick(), (), False, False, False))
    assert not table.state.inputs_ready
    table.do(LeaseEnded(1, LeaseEnd.GIVEN_BACK, table.tick()))
    table.do(ev.InputsReady(table.tick(), (), False, False, False))
    assert table.state.inputs_ready


def test_no_lease_while_the_table_is_open_whatever_it_does() -> None:
    table = Table().opened()
    assert "the table is not closed (betting)" in refusal(table, "shoe")
    table.place(1, "royal_9_progressive")
    table.lock()
    assert table.state.phase is not Phase.BETTING
    assert "the table is not closed" in refusal(table, "board")


@pytest.mark.parametrize(
    ("names", "who", "why", "because"),
    [
        ((), "A. Lee", "cable", "no device"),
        (("shoe",), " ", "cable", "nobody is named"),
        (("shoe",), "A. Lee", "", "no reason"),
        (("shoe",), "A. Lee\x1b[2J", "cable", "can't be printed"),
    ],
)
def test_what_is_no_request_is_refused(names: tuple[str, ...], who: str, why: str, because: str) -> None:
    assert because in refusal(closed(), *names, who=who, why=why)


def test_two_leases_never_share_a_device_and_a_restart_ends_both() -> None:
    table = closed()
    ask(table, "shoe")
    assert "leased to A. Lee already" in refusal(table, "board", "shoe", who="B. Roe")
    assert LeaseGiven(2) in ask(table, "board", who="B. Roe")
    effects = table.do(ev.Started(table.tick(), 0, True, "boot-2"))
    assert [e for e in effects if isinstance(e, LeaseOver)] == [
        LeaseOver(1, LeaseEnd.RESTARTED), LeaseOver(2, LeaseEnd.RESTARTED)
    ]  # fmt: skip
    assert table.state.leases == ()


def test_a_fact_is_noted_when_it_gets_worse_and_kept_until_it_is_good() -> None:
    table = closed()

    def found(verdict: Verdict) -> list[str]:
        effects = table.do(HardwareFound("temperature", f"is {verdict}", verdict, table.tick()))
        return [
            e.detail for e in effects if isinstance(e, fx.IrregularityNoted) and e.kind is Irregularity.HARDWARE_POOR
        ]

    assert found(Verdict.NOT_KNOWN) == []
    assert table.state.hardware == (HardwareFact("temperature", "is not_known", Verdict.NOT_KNOWN),)
    assert found(Verdict.WARN) == ["temperature: is warn"]
    assert found(Verdict.BAD) == ["temperature: is bad"]
    assert found(Verdict.WARN) == [], "better than before"
    assert found(Verdict.GOOD) == []
    assert table.state.hardware == ()
    assert reasons_against_wagering(table.rules, table.state) == (), "a fact closes nothing"
