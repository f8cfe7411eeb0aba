"""Orders: who is heard, what is refused and leaves everything as it was, and what is on record."""

from __future__ import annotations

from typing import get_args

import pytest
from msgspec.structs import replace

from firmware.core import events as ev
from firmware.core import meters, orders
from firmware.core import order_effects as ofx
from firmware.core.order_data import (
    ORDERS,
    Account,
    Approval,
    ChangeParameters,
    CorrectMeter,
    Order,
    Transfer,
    TransferIn,
    TransferOut,
)
from firmware.core.rules import TableRules
from firmware.core.state import BonusPhase, Meter
from tests.core.mystery_table import MysteryTable
from tests.core.table import Table, rules

SEED = 450_000_000
UP_A_CENT = CorrectMeter("royal_9.minor", Account.SHOWN, SEED, SEED + 10_000)
TWO = Approval("Ann Lee", "Bob Roe", "sign and slip differ by a cent")


def closed_table(floor: bool = True, reset: bool = True, table_rules: TableRules | None = None) -> Table:
    table = Table(table_rules)
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


ANN_LEE_AGAIN = (
    "Ann Lee\u034f",  # a grapheme joiner, which is not seen
    "Ann Lee\ufe0f",
    "\u2800Ann Lee",  # a blank of Braille
    "Ann\u3164Lee",
    "\uff21nn Lee",  # a wide A
    "Ann-Lee",
    "Lee, Ann",
    "AnnLee",
    "\u00c1nn L\u00e9e",
)


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
        (Approval("Ann\u200bLee", "Bob", "why"), "can't be printed"),
        *((Approval("Ann Lee", other, "why"), "are one") for other in ANN_LEE_AGAIN),
        (Approval("Jos\u00e9 D\u00edaz", "Jose\u0301 Diaz", "why"), "are one"),
        (Approval("ANNI", "ann\u0131", "why"), "are one"),
        (Approval("Ann Lee", "\u0410nn Lee", "why"), "different alphabets"),  # a Cyrillic A
        (Approval("ABE", "\u0410\u0412\u0415", "why"), "different alphabets"),
        (Approval(".", "-", "why"), "two persons"),
        (Approval("\u3164", "\u2800", "why"), "two persons"),
        (Approval("Ann", "Bob", "\u3164"), "no reason"),
        (Approval("Ann", "Bob", "..."), "no reason"),
    ],
)
def test_two_different_persons_and_a_reason_are_named(approval: Approval, why: str) -> None:
    table = closed_table()
    before = table.state
    assert why in give(table, UP_A_CENT, approval)
    assert table.state == before


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ann Lee", "Anna Lee"),
        ("A. Lee", "B. Lee"),
        ("Ann Lee 2", "Ann Lee 3"),
        ("\u9648\u5a1c", "\u674e\u660e"),
        ("\u30bf\u30ca\u30ab", "Bob"),
        ("\u0410\u043d\u043d\u0430", "\u0411\u043e\u0440\u0438\u0441"),
        ("\u0930\u093e\u092e", "\u0930\u094b\u092e"),  # only a vowel sign differs
    ],
)
def test_different_persons_are_heard_in_whatever_letters(first: str, second: str) -> None:
    assert list(orders.reasons_against_persons(Approval(first, second, "why"))) == []


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


@pytest.mark.parametrize("line", ["reset_key", "reset_key.rest", "floor_key", "floor_key.turned"])
def test_a_key_whose_wiring_failed_is_turned_anew(line: str) -> None:
    """What it did meanwhile nobody saw: it may be back at rest, and no edge tells of it."""
    table = closed_table()
    for restored in (False, True):
        table.do(ev.KeyWiringFailed(line, restored, table.tick()))
    assert "not turned" in give(table, UP_A_CENT)
    turned = ev.FloorKeyTurned if line.startswith("floor") else ev.ResetKeyTurned
    table.do(turned(True, table.tick()))
    assert give(table, UP_A_CENT) == ""


def test_keys_of_inputs_that_are_lost_do_not_count() -> None:
    table = closed_table()
    table.do(ev.DeviceDown("lines", "gone", table.tick()))
    assert (table.state.panel.floor_turned, table.state.panel.reset_turned) == (False, False)


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


def test_a_mystery_meter_is_not_lifted_to_where_it_could_pass_its_maximum() -> None:
    """M3: the paid meter is never more than the maximum, whatever contribution crosses the trigger."""
    table = MysteryTable([1_000_000])
    table.start()
    table.do(ev.FloorKeyTurned(True, table.tick()))
    table.do(ev.ResetKeyTurned(True, table.tick()))
    bonus = table.rules.mystery
    assert bonus is not None
    shown = table.mystery.shown_micro
    most = bonus.must_hit_by_micro - bonus.largest_micro
    assert "over its limit" in give(table, CorrectMeter(bonus.meter, Account.SHOWN, shown, most + 1))
    assert "trigger" in give(table, ChangeParameters(bonus.meter, shown, 10_000))
    assert give(table, CorrectMeter(bonus.meter, Account.SHOWN, shown, most)) == ""


def test_a_mystery_meter_stays_while_the_generator_is_asked_about_it() -> None:
    table = MysteryTable([1_000_000])
    table.start()
    table.answering = False
    table.do(ev.Started(table.tick(), 0, True, "boot-2"))
    table.do(ev.InputsReady(table.tick(), (), False, True, True))
    shown, mega = table.mystery.shown_micro, table.meter("mega")
    out = TransferOut("mystery", Account.SHOWN, shown, 1_000_000, "MB-12")
    over = Transfer("royal_9.mega", Account.SHOWN, mega, 1, "mystery", Account.RESERVE)
    assert "the generator is asked" in give(table, out)
    assert "the generator is asked" in give(table, over)
    table.answer()
    assert table.bonus.phase is BonusPhase.READY
    assert give(table, out) == give(table, over) == ""


MOVE = Transfer("royal_9.minor", Account.SHOWN, SEED, 10_000_001, "royal_9.major", Account.OVERFLOW)


def holds(table: Table, name: str) -> dict[str, int]:
    meter = next(m for m in table.state.meters if m.name == f"royal_9.{name}")
    return {account: meters.held(meter, account) for account in Account}


def test_a_transfer_is_on_record_at_both_ends() -> None:
    table = closed_table()
    assert give(table, MOVE) == ""
    assert holds(table, "minor")["shown"] == SEED - 10_000_001
    assert holds(table, "major") == {"shown": SEED, "reserve": 0, "hidden": 0, "overflow": 10_000_001}
    assert table.saw(ofx.TransferredOut) == [
        ofx.TransferredOut("royal_9.minor", Account.SHOWN, 10_000_001, "royal_9.major overflow")
    ]
    assert table.saw(ofx.TransferredIn) == [
        ofx.TransferredIn("royal_9.major", Account.OVERFLOW, 10_000_001, "royal_9.minor shown")
    ]
    assert "holds" in give(table, MOVE), "given twice, done once"


def test_money_leaves_for_another_table_and_comes_from_one() -> None:
    table = closed_table()
    assert give(table, TransferOut("royal_9.minor", Account.SHOWN, SEED, SEED, "MB-02 royal_9.minor")) == ""
    assert holds(table, "minor")["shown"] == 0
    assert give(table, TransferIn("royal_9.minor", Account.SHOWN, 0, 5, "MB-02 royal_9.minor")) == ""
    assert holds(table, "minor")["shown"] == 5


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (replace(MOVE, to_meter="royal_9.mini"), "there is no meter royal_9.mini"),
        (replace(MOVE, meter="royal_9.mini"), "there is no meter royal_9.mini"),
        (replace(MOVE, to_meter="royal_9.minor", to_account=Account.SHOWN), "both accounts are one"),
        (replace(MOVE, amount_micro=SEED + 1), "can't be taken"),
        (replace(MOVE, amount_micro=0), "can't be taken"),
        (replace(MOVE, was_micro=SEED - 1), "holds"),
        (TransferIn("royal_9.minor", Account.SHOWN, SEED, 0, "x"), "nothing to transfer"),
        (TransferIn("royal_9.minor", Account.SHOWN, SEED, 5, "MB-02\nMB-03"), "must be named"),
        (TransferOut("royal_9.minor", Account.SHOWN, SEED, 5, "MB-02\x1b[2J"), "must be named"),
        (TransferOut("royal_9.minor", Account.SHOWN, SEED, 5, " "), "must be named"),
        (ChangeParameters("royal_9.mini", SEED, 10_000), "there is no meter"),
        (ChangeParameters("royal_9.minor", SEED, 10_000, limit_micro=SEED - 1, reseed_micro=1), "below what it shows"),
        (ChangeParameters("royal_9.minor", SEED, 10_000, 2_500, SEED), "has these parameters"),
    ],
)
def test_what_can_not_be_done_is_undone_whole(order: Order, why: str) -> None:
    table = closed_table()
    before, shown = table.state, len(table.effects)
    assert why in give(table, order)
    assert table.state == before
    assert [type(e) for e in table.effects[shown:]] == [ofx.OrderRefused], "no record of what was begun"


def test_no_transfer_lifts_a_meter_over_its_limit() -> None:
    limited = rules()
    limited = replace(limited, meters=tuple(replace(rule, limit_micro=rule.seed_micro + 10) for rule in limited.meters))
    table = closed_table(table_rules=limited)
    order = Transfer("royal_9.mega", Account.SHOWN, 50_000_000_000, 11, "royal_9.major", Account.SHOWN)
    assert "over its limit" in give(table, order)
    assert holds(table, "mega")["shown"] == 50_000_000_000, "nothing left the one when the other could not take it"
    assert give(table, replace(order, amount_micro=10)) == ""
    assert give(table, CorrectMeter("royal_9.major", Account.SHOWN, SEED + 10, SEED + 11)) != ""


def test_an_order_about_parameters_is_replaced_and_withdrawn() -> None:
    table = closed_table()
    now = ChangeParameters("royal_9.minor", SEED, 10_000, 2_500, SEED)
    assert give(table, replace(now, increment_ppm=12_000)) == ""
    assert give(table, replace(now, increment_ppm=13_000)) == ""
    assert [rule.increment_ppm for rule in table.state.parameters] == [13_000]
    assert give(table, now) == ""
    assert table.state.parameters == ()
