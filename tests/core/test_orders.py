"""Orders: who is heard, what is refused and leaves everything as it was, and what is on record."""

from __future__ import annotations

from typing import get_args

import pytest
from msgspec.structs import replace

from firmware.core import events as ev
from firmware.core import order_effects as ofx
from firmware.core.order_data import ORDERS, Account, Approval, CorrectMeter, Order
from firmware.core.state import Meter
from tests.core.table import Table

SEED = 450_000_000
UP_A_CENT = CorrectMeter("royal_9.minor", Account.SHOWN, SEED, SEED + 10_000)
TWO = Approval("Ann Lee", "Bob Roe", "sign and slip differ by a cent")


def closed_table(floor: bool = True, reset: bool = True) -> Table:
    table = Table()
    table.start()
    table.do(ev.FloorKeyTurned(floor, table.tick()))
    table.do(ev.ResetKeyTurned(reset, table.tick()))
    return table


def give(table: Table, order: Order, approval: Approval = TWO) -> str:
    """Why the order was refused; empty: taken."""
    effects = table.do(ev.OrderGiven(order, approval, table.tick()))
    answers = [e for e in effects if isinstance(e, ofx.OrderTaken | ofx.OrderRefused)]
    assert len(answers) == 1
    return answers[0].why if isinstance(answers[0], ofx.OrderRefused) else ""


def minor(table: Table) -> Meter:
    return next(m for m in table.state.meters if m.name == "royal_9.minor")


def test_an_order_of_two_with_both_keys_is_taken_and_accounted() -> None:
    table = closed_table()
    assert give(table, UP_A_CENT) == ""
    assert minor(table).shown_micro == SEED + 10_000
    assert minor(table).corrected_up_micro == 10_000
    assert table.saw(ofx.MeterCorrected) == [ofx.MeterCorrected("royal_9.minor", Account.SHOWN, SEED, SEED + 10_000)]
    assert give(table, replace(UP_A_CENT, was_micro=SEED + 10_000, becomes_micro=SEED - 5)) == ""
    assert minor(table).corrected_down_micro == 10_005


@pytest.mark.parametrize(
    ("approval", "why"),
    [
        (Approval("Ann", "Bob", ""), "no reason"),
        (Approval("Ann", "Bob", " \u00a0"), "can't be printed"),
        (Approval("Ann", "Bob", "  "), "no reason"),
        (Approval("Ann", "", "why"), "two persons"),
        (Approval(" ", "Bob", "why"), "two persons"),
        (Approval("Ann Lee", " ann   LEE ", "why"), "are one"),
        (Approval("Ann\x1b[2J", "Bob", "why"), "can't be printed"),
    ],
)
def test_two_different_persons_and_a_reason_are_named(approval: Approval, why: str) -> None:
    table = closed_table()
    before = table.state
    assert why in give(table, UP_A_CENT, approval)
    assert table.state == before


@pytest.mark.parametrize(("floor", "reset", "why"), [(False, True, "floorperson's key"), (True, False, "reset key")])
def test_both_keys_are_turned(floor: bool, reset: bool, why: str) -> None:
    table = closed_table(floor, reset)
    before = table.state
    assert why in give(table, UP_A_CENT)
    assert table.state == before


@pytest.mark.parametrize("line", ["floor_key", "floor_key.rest", "reset_key", "reset_key.turned"])
def test_a_key_that_cannot_be_read_orders_nothing(line: str) -> None:
    table = closed_table()
    table.do(ev.KeyWiringFailed(line, False, table.tick()))
    assert "faulty" in give(table, UP_A_CENT)


def test_keys_turned_before_a_restart_do_not_count() -> None:
    table = closed_table()
    table.do(ev.Started(table.tick(), 0, True, "boot-2"))
    assert "not turned" in give(table, UP_A_CENT)


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (replace(UP_A_CENT, meter="royal_9.mini"), "there is no meter"),
        (replace(UP_A_CENT, was_micro=SEED + 1), "holds"),
        (replace(UP_A_CENT, becomes_micro=SEED), "already"),
    ],
)
def test_a_correction_that_does_not_fit_changes_nothing(order: CorrectMeter, why: str) -> None:
    table = closed_table()
    before = table.state
    assert why in give(table, order)
    assert table.state == before


def test_the_same_correction_twice_is_made_once() -> None:
    table = closed_table()
    assert give(table, UP_A_CENT) == ""
    assert "holds" in give(table, UP_A_CENT)
    assert minor(table).shown_micro == SEED + 10_000


def test_a_meter_is_corrected_only_while_the_table_is_closed() -> None:
    table = closed_table(floor=False)
    table.floor("OPEN TABLE", "NEW SHOE")
    table.do(ev.FloorKeyTurned(True, table.tick()))
    assert "not closed" in give(table, UP_A_CENT)


def test_every_order_has_a_name() -> None:
    assert set(ORDERS.values()) == set(get_args(Order) or (Order,))
