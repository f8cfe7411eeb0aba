"""What `hil status` calls wrong, and what it says to do about it."""

from __future__ import annotations

import pytest
from msgspec import structs

from drivers.facts.fact import Fact, Verdict
from firmware.app.status import (
    AwardStatus,
    DeviceStatus,
    IrregularityStatus,
    JournalStatus,
    MeterStatus,
    MysteryStatus,
    SoftwareStatus,
    SpotStatus,
    TableStatus,
)
from firmware.core.awards import Due
from firmware.core.faults import IRREGULARITIES, Irregularity
from firmware.core.identity import Identity
from firmware.core.rules import MeterRule
from firmware.core.state import LineTally, Meter, Tally
from hil.status import report, wrong

SHOE = DeviceStatus("shoe", "angeleye2ex", "socket://192.0.2.17:4001", "ready", "", {"telegrams": 12})
PARAMETERS = MeterRule("royal_9.mega", "royal_9_progressive", 50_000_000_000, 15_000, 5_000, 50_000_000_000)
MEGA = Meter(
    "royal_9.mega", shown_micro=50_000_123_456, reserve_micro=7, hidden_micro=8, overflow_micro=9,
    seeded_micro=50_000_000_000, contributed_micro=1_123_480, paid_micro=1_000_000, wagers=15, hits=1,
)  # fmt: skip
ROYAL = Tally("royal_9_progressive", 15, 7500, 1, 500, 100, (LineTally("any_royal_9", 1, 2500),))
GOOD = TableStatus(
    version="0.1.0", table="MB-07", game="minibaccarat", profile="production", expired_rules_accepted_by="",
    expired_rules_reason="", phase="betting", round=3, wall_trusted=True, not_wagering_because=(), shown=(),
    spots=(SpotStatus(1, "tie", False, "in", "off"),), looks=(),
    meters=(MeterStatus(MEGA, PARAMETERS, None),), tallies=(ROYAL,), progressive_payout_micro=1_000_000,
    awards=(), board_title="PLACE YOUR BETS", board_fields=(), board_message="", display=("", "", "", ""),
    irregularities=(),
    shoe=1, cards_seen=20, devices=(SHOE,), journal=JournalStatus("/j.sqlite", "", "ab" * 32, 5, 1_500_000), queue=0,
)  # fmt: skip


def test_a_table_in_order() -> None:
    lines = list(report(GOOD))
    assert list(wrong(GOOD)) == []
    assert lines[-1] == "in order"
    assert "state: betting, round 3; takes wagers" in lines
    at = lines.index("    royal_9.mega: shows $50,000.12; 1 hit, 15 wagers")
    assert lines[at + 1] == ("        holds: shown 50000.123456, reserve 0.000007, hidden 0.000008, overflow 0.000009")
    assert "seeded 50000.000000, contributed 1.123480" in lines[at + 2]
    assert "paid 1.000000" in lines[at + 3]
    assert "increment 15000 ppm, reserve 5000 ppm, hidden 0 ppm, limit none" in lines[at + 5]
    assert "cumulative progressive payout, all by attendant: $1.000000" in lines
    at = lines.index("    royal_9_progressive: 15 wagers, coin-in $75.00; voided 1, $5.00; paid by attendant $1.00")
    assert lines[at + 1] == "        any_royal_9: 1 time, $25.00"
    assert "        telegrams 12" in lines
    assert not any("SIMULATED" in line for line in lines)


def test_ordered_parameters_are_told() -> None:
    ordered = structs.replace(PARAMETERS, limit_micro=90_000_000_000, reseed_micro=None)
    lines = list(report(structs.replace(GOOD, meters=(MeterStatus(MEGA, PARAMETERS, ordered),))))
    (line,) = [line for line in lines if "ordered for the next start" in line]
    assert "reseed from the reserve" in line
    assert "limit 90000.000000 (overflow: reseed)" in line


def test_an_open_award_says_whom_it_waits_for() -> None:
    award = AwardStatus(3, 2, "royal_9_progressive", "major_jackpot", 45_005, "royal_9.major", 12, Due.DOCUMENT.value)
    lines = list(report(structs.replace(GOOD, phase="award", awards=(award,))))
    assert (
        "    3: position 2 major_jackpot, $450.05 from royal_9.major, slip 000012; "
        "waits: the floorperson completes the slip's documentation"
    ) in lines


def test_simulated_and_lapsed_rules_stand_at_the_top() -> None:
    status = structs.replace(
        GOOD, profile="simulated", expired_rules_accepted_by="N. Name", expired_rules_reason="a test"
    )
    assert list(report(status))[1:3] == [
        "SIMULATED: no money is taken at this table",
        "lapsed rules accepted by N. Name: a test",
    ]


def test_a_device_over_tcp_that_does_not_answer_names_the_drop_in_and_the_address_to_allow() -> None:
    away = structs.replace(SHOE, link="backoff", trouble="Network is unreachable")
    found = list(wrong(structs.replace(GOOD, devices=(away,))))
    assert any("Network is unreachable" in what for what in found)
    assert any("tabled-network.conf" in what and "IPAddressAllow=192.0.2.17" in what for what in found)
    local = structs.replace(away, address="/dev/tabled/shoe")
    assert not any("tabled-network.conf" in what for what in wrong(structs.replace(GOOD, devices=(local,))))


@pytest.mark.parametrize("kind", list(Irregularity))
def test_every_irregularity_comes_with_its_remedy_and_the_next_check(kind: Irregularity) -> None:
    (what,) = wrong(structs.replace(GOOD, irregularities=(IrregularityStatus(kind.value, 4, "detail"),)))
    row = IRREGULARITIES[kind]
    assert row.title in what and "position 4" in what and row.remedy in what and row.check in what


def test_a_reason_against_wagering_counts_between_rounds_only() -> None:
    stuck = structs.replace(GOOD, phase="paused", not_wagering_because=("LOCK-OUT IS STUCK",))
    assert list(wrong(stuck)) == ["F404 no wagers are taken: lock-out is stuck"]
    pressed = structs.replace(GOOD, phase="locking", not_wagering_because=("RELEASE LOCK-OUT",))
    assert list(wrong(pressed)) == []


def test_a_journal_fault_comes_first() -> None:
    broken = structs.replace(GOOD, journal=structs.replace(GOOD.journal, fault="disk full"), devices=())
    assert next(wrong(broken)).startswith("F401 journal: disk full")
    assert "state: betting, round 3; CLOSED: JOURNAL" in list(report(broken))


def test_the_mystery_bonus_shows_its_commitment_and_why_it_is_stopped() -> None:
    runs = MysteryStatus(draw=3, commitment="ab" * 32, must_hit_by_micro=500_000_000, stopped="")
    assert f"mystery bonus: must be hit by $500.00, trigger 3, committed to as {'ab' * 32}" in list(
        report(structs.replace(GOOD, mystery=runs))
    )
    assert list(wrong(structs.replace(GOOD, mystery=runs))) == []
    (what,) = wrong(structs.replace(GOOD, mystery=structs.replace(runs, stopped="the key file is missing")))
    assert what.startswith("F403 mystery bonus stopped: the key file is missing")


def test_what_keeps_nobody_from_play_is_named_at_the_end() -> None:
    facts = (
        Fact("real-time clock", "none", Verdict.WARN),
        Fact("temperature", "no zone", Verdict.NOT_KNOWN),
    )
    doubtful = structs.replace(GOOD, wall_trusted=False, hardware=facts)
    assert list(wrong(doubtful)) == []
    lines = list(report(doubtful))
    assert lines[-1] == "in order, but for: the wall clock is not synchronized; real-time clock: none [F508]"
    assert "    temperature: no zone; not known" in lines


def test_a_spot_out_of_order_is_wrong() -> None:
    spot = SpotStatus(2, "tie", True, "trouble", "out_of_service")
    assert [what.split(":")[0] for what in wrong(structs.replace(GOOD, spots=(spot,)))] == ["F406 spot 2/tie"]


def test_state_and_devices_come_before_what_runs_and_packages_only_when_asked_for() -> None:
    found = Identity("1.0", "aa" * 32, "bb" * 32, "cc" * 32, ("apsw 3.50", "msgspec 0.19"), "dd" * 32)
    status = structs.replace(GOOD, software=SoftwareStatus(found, "signed", "", "", (), "", ()))
    lines = list(report(status))
    starts = [line.partition(":")[0] for line in lines]
    assert starts.index("state") < starts.index("devices") < starts.index("meters") < starts.index("software")
    assert "    with 2 packages; --packages lists them" in lines
    assert not any("apsw" in line for line in lines)
    assert "    with apsw 3.50, msgspec 0.19" in list(report(status, packages=True))
