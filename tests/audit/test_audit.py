"""The audit: clean on what was really played; every forged amount found, and at the entry where it was forged.

The forgeries have their hashes made anew: the chain is in order, only the money is wrong.
"""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from firmware.audit.auditor import Auditor
from firmware.audit.items import Checked, Compared, Finding, Page, PaidOut, When
from firmware.audit.orders import Orders
from firmware.audit.walk import Found, walk
from firmware.core import events as ev
from firmware.core.order_data import Approval, Clearing, ClearJournal
from firmware.core.order_effects import ClearingOrdered, OrderTaken
from firmware.journal.codec import sha256
from firmware.journal.reader import Reader
from tests.audit import forgery
from tests.audit.evening import evening
from tests.audit.forgery import Change, add, drop, insert, put, twice
from tests.core.table import rules

METER = "royal_9.minor"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evening, its file whole without a WAL."""
    return evening(tmp_path_factory.mktemp("audit") / "journal.sqlite", rounds=20)


def audited(path: Path) -> tuple[Auditor, list[Found]]:
    auditor = Auditor()
    with Reader(path) as reader:
        reader.verify()
        return auditor, list(walk(reader, auditor))


def findings(path: Path) -> list[tuple[int, Finding]]:
    return [(found.when.seq, found.item) for found in audited(path)[1] if isinstance(found.item, Finding)]


def first_finding(path: Path) -> tuple[int, Finding]:
    """Reads no further."""
    with Reader(path) as reader:
        reader.verify()
        return next((when.seq, item) for when, item in walk(reader, Auditor()) if isinstance(item, Finding))


def test_what_was_played_is_clean_and_everything_was_compared(played: Path) -> None:
    auditor, found = audited(played)
    assert [item for _, item in found if isinstance(item, Finding)] == []
    compared = dict.fromkeys(set(Checked) - {Checked.MYSTERY}, 0)  # that is another table's: test_mystery.py
    for _, item in found:
        if isinstance(item, Compared):
            compared[item.what] += item.count
    assert min(compared.values()) > 0, compared
    assert all(ledger.hits > 0 and ledger.missing_micro == 0 for ledger in auditor.ledgers.values())
    assert any(isinstance(item, PaidOut) and item.award for _, item in found)


FORGERIES: list[tuple[str, Change, str, str]] = [
    ("a contribution off by a micro-dollar", add("Contributed", "shown_micro", 1), "meter", "contribution"),
    ("a reserve's share off by a micro-dollar", add("Contributed", "reserve_micro", -1), "meter", "contribution"),
    ("a contribution missing", drop("Contributed", meter=METER), f"meter {METER}", "contribution"),
    ("a contribution twice", twice("Contributed"), "meter", "contributed already"),
    (
        "a contribution of nobody",
        insert({"type": "Contributed", "position": 7, "meter": METER, "shown_micro": 50000, "reserve_micro": 12500},
               beside="RoundOpened"),
        f"meter {METER}", "no accepted wager",
    ),
    ("a wager's amount", add("WagerAccepted", "cents", 500), "position", "wager accepted"),
    ("a reversal missing", drop("ContributionReversed"), "meter", "reversal"),
    ("a reversal of less", add("ContributionReversed", "shown_micro", -1), "meter", "reversal"),
    ("a reversal twice", twice("ContributionReversed"), "meter", "reversal"),
    (
        "a meter lowered by a reversal of nothing",
        insert({"type": "ContributionReversed", "position": 1, "meter": METER, "shown_micro": 5, "reserve_micro": 0},
               beside="RoundOpened"),
        f"meter {METER}", "neither cancelled nor of a void round",
    ),
    ("an award doubled", lambda e: _double(e, "AwardLocked", "cents"), "award", "award"),
    ("an award for another", put("AwardLocked", "position", 7), "award", "award"),
    ("an award left out", drop("AwardLocked"), "position", "award"),
    ("an award validated twice", twice("AwardValidated"), "award", "validated"),
    ("a payout raised", add("SettlementShown", "award_cents", 100, result="win"), "position", "settled"),
    ("a loser paid", put("SettlementShown", "result", "push", result="lose"), "position", "settled"),
    ("an outcome left out", drop("SettlementShown"), "position", "settled"),
    ("other cards", forgery.exchange_hands, "round", "hand settled"),
    ("a reseed too high", add("MeterReset", "value_micro", 1), "meter", "reset: value"),
    ("a payment from the meter doubled", lambda e: _double(e, "MeterReset", "paid_cents"), "meter", "reset: paid"),
    ("the reserve spared", add("MeterReset", "from_reserve_micro", -1), "meter", "reset: from the reserve"),
    ("the house charged", add("MeterReset", "from_house_micro", 1), "meter", "reset: from the house"),
    ("a reset left out", drop("MeterReset"), "award", "ended"),
    (
        "a meter reset without an award",
        insert({"type": "MeterReset", "meter": METER, "paid_cents": 0, "from_reserve_micro": 0,
                "from_house_micro": 0, "value_micro": 450_000_000}, beside="RoundOpened"),
        f"meter {METER}", "reset",
    ),
    ("a meter recorded lower", add("MeterRecorded", "shown_micro", -10_000), "meter", "value recorded"),
    ("a correction of more than was ordered", add("MeterCorrected", "becomes_micro", -1), "meter", "correction"),
    ("a correction without an order", drop("OrderTaken"), "order", "order"),
    (
        "a correction that nobody ordered",
        insert({"type": "MeterCorrected", "meter": METER, "account": "shown", "was_micro": 450_000_000,
                "becomes_micro": 449_000_000}, beside="RoundOpened"),
        f"meter {METER}", "correction",
    ),
    ("a slip for more", add("SlipIssued", "cents", 1), "slip", "cents on the slip"),
    ("a slip's number", add("SlipIssued", "slip", 1), "slip", "slip's number"),
    ("a slip with another meter's amount", add("SlipIssued", "before_micro", 10_000), "slip", "before_micro"),
    ("a slip left out", drop("SlipIssued"), "award", "slip issued"),
    ("an award paid twice", twice("AwardPaid"), "award", "paid"),
    ("an award paid from the tray", put("AwardLocked", "paid_by", "table_inventory"), "award", "award"),
    ("an award nobody verified", drop("AwardVerified"), "award", "award validated"),
    ("a round's number", add("RoundOpened", "round", 1), "round", "round opened"),
]  # fmt: skip


FOUND_LATER = ("ended", "award validated")
"""What is left out is missed when the next act of that award, or the round's end, comes without it."""


def _double(effects: list[forgery.Effect], kind: str, name: str) -> bool:
    found = forgery.first(effects, kind)
    if found is not None:
        found[name] *= 2
    return found is not None


@pytest.mark.parametrize(("change", "subject", "what"), [f[1:] for f in FORGERIES], ids=[f[0] for f in FORGERIES])
def test_a_forgery_is_found_where_it_is(played: Path, tmp_path: Path, change: Change, subject: str, what: str) -> None:
    copy = tmp_path / "forged.sqlite"
    seq = forgery.forge(played, copy, change)
    first_seq, finding = first_finding(copy)
    assert finding.subject.startswith(subject), finding
    assert what in finding.what, finding
    assert finding.expected != finding.found
    assert first_seq >= seq if what in FOUND_LATER else first_seq == seq


def test_a_meter_lowered_with_no_reason_is_found_in_the_snapshot(played: Path, tmp_path: Path) -> None:
    """The state itself was changed, and its hash with it: no entry says why."""
    copy = tmp_path / "forged.sqlite"
    copy.write_bytes(played.read_bytes())
    connection = apsw.Connection(str(copy))
    query = "SELECT segment, seq, state FROM snapshot WHERE seq > 500 ORDER BY seq LIMIT 1"
    ((segment, seq, text),) = list(connection.execute(query))
    state = json.loads(text)
    state["meters"][1]["shown_micro"] -= 2_000_000
    forged = json.dumps(state, separators=(",", ":"), ensure_ascii=False)
    connection.execute("UPDATE snapshot SET state = ? WHERE segment = ? AND seq = ?", (forged, segment, seq))
    connection.execute("UPDATE entry SET state_hash = ? WHERE seq = ?", (sha256(forged.encode()), seq))
    forgery.rehash(connection)
    connection.close()
    found_at = findings(copy)
    assert found_at[0][0] == seq
    assert {one.what for at, one in found_at if at == seq} >= {"shown in the snapshot", "accounts in the snapshot"}


def test_a_disagreement_is_found_once_and_not_again_at_every_entry(played: Path, tmp_path: Path) -> None:
    copy = tmp_path / "forged.sqlite"
    seq = forgery.forge(played, copy, add("Contributed", "shown_micro", 1))
    found = findings(copy)
    assert found[0][0] == seq
    assert len({at for at, _ in found}) <= 2  # where it is, and the next snapshot, which has the true value


@pytest.mark.parametrize(
    "between",
    [
        [ev.KeyWiringFailed("reset_key", False, 3), ev.KeyWiringFailed("reset_key", True, 4)],
        [ev.KeyWiringFailed("floor_key.rest", False, 3)],
        [ev.DeviceDown("lines", "gone", 3)],
        [ev.Started(3, 0, False, "boot-2")],
    ],
)
def test_an_order_needs_both_keys_as_they_can_be_read(between: list[ev.Event]) -> None:
    orders, table = Orders(), rules()
    given = ev.OrderGiven(ClearJournal(Clearing.BEGIN), Approval("Ann", "Bob", "x"), 5)
    for event in (ev.FloorKeyTurned(True, 1), ev.ResetKeyTurned(True, 2), *between, given):
        orders.evidence(table, event)
    orders.done(page := Page(When(1, 0, False)), table, {}, ClearingOrdered(withdrawn=False))
    orders.taken(page, OrderTaken("clear-journal"))
    assert any(isinstance(item, Finding) for item in page.items)
