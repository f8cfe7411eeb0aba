"""Accounts: every day's figures against sums made here from the bare records; days, thresholds, formats, commands."""

from __future__ import annotations

import csv
import itertools
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.app.program import codec
from firmware.audit import w2g
from firmware.audit.accounts import Reading, readings
from firmware.audit.auditor import Auditor
from firmware.audit.days import GamingDays, UnknownZone
from firmware.audit.items import Cause
from firmware.audit.ledger import NOTHING
from firmware.audit.tables import decimal
from firmware.audit.walk import walk
from firmware.core import effects as fx
from firmware.journal.reader import Reader
from tests.audit import forgery
from tests.audit.evening import EVENING_NS, NS_PER_S, evening, script, table

PROJECT = Path(__file__).parents[2]
NEW_YORK = GamingDays("America/New_York", "06:00")
HOUR_NS = 3_600 * NS_PER_S


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evening(tmp_path_factory.mktemp("accounts") / "journal.sqlite", rounds=30)


def days_of(path: Path, days: GamingDays = NEW_YORK) -> tuple[Auditor, list[Reading]]:
    auditor = Auditor()
    with Reader(path) as reader:
        found = list(readings(walk(reader, auditor), days, w2g.thresholds()))
    assert all(isinstance(one, Reading) for one in found), found
    return auditor, [one for one in found if isinstance(one, Reading)]


def records(path: Path) -> Iterator[fx.Effect]:
    with Reader(path) as reader:
        for row in reader.entries():
            yield from codec().decode_entry(row).effects


def test_opening_and_movements_are_closing_and_the_next_days_opening(played: Path) -> None:
    auditor, days = days_of(played)
    assert len(days) > 3
    for day in days:
        for meter in day.meters.values():
            held = meter.opening
            for moved in meter.moved.values():
                held += moved
            assert held == meter.closing
    for before, after in itertools.pairwise(days):
        assert {n: m.closing for n, m in before.meters.items()} == {n: m.opening for n, m in after.meters.items()}
        assert before.last.seq < after.first.seq
    last = days[-1].meters
    assert {name: ledger.held for name, ledger in auditor.ledgers.items()} == {n: m.closing for n, m in last.items()}
    assert {name: ledger.paid_micro for name, ledger in auditor.ledgers.items()} == {
        name: meter.paid_micro for name, meter in last.items()
    }


def test_every_total_is_that_of_the_records(played: Path) -> None:
    _, days = days_of(played)
    coin_in: Counter[str] = Counter()
    awards: dict[int, int] = {}
    contributed = reversed_ = from_house = paid_cents = attendant_cents = 0
    for effect in records(played):
        match effect:
            case fx.WagerAccepted():
                coin_in[effect.wager] += effect.cents
            case fx.Contributed():
                contributed += effect.shown_micro + effect.reserve_micro
            case fx.ContributionReversed():
                reversed_ += effect.shown_micro + effect.reserve_micro
            case fx.MeterReset():
                from_house += effect.from_house_micro
                paid_cents += effect.paid_cents
            case fx.AwardLocked():
                awards[effect.award] = effect.cents
            case fx.AwardPaid():
                attendant_cents += awards[effect.award]
            case _:
                pass
    sums: Counter[str] = Counter()
    for day in days:
        sums.update({wager: count.coin_in_cents for wager, count in day.wagers.items()})
    assert sums == coin_in

    def moved(cause: Cause) -> int:
        return sum(m.moved.get(cause, NOTHING).total_micro for day in days for m in day.meters.values())

    assert (moved(Cause.CONTRIBUTION), -moved(Cause.REVERSAL)) == (contributed, reversed_)
    assert (moved(Cause.FROM_HOUSE), -moved(Cause.AWARD)) == (from_house, paid_cents * 10_000)
    assert sum(day.progressive_paid_cents for day in days) == paid_cents == days[-1].cumulative_progressive_cents
    assert sum(day.attendant_paid_cents for day in days) == attendant_cents


def test_every_reduction_has_its_entry_and_reason(played: Path) -> None:
    _, days = days_of(played)
    for day in days:
        lowered: Counter[tuple[str, str]] = Counter()
        for one in day.reductions:
            assert one.reason
            assert day.first.seq <= one.when.seq <= day.last.seq
            for account in ("shown", "reserve"):
                lowered[one.meter, account] += min(one.moved.on(account), 0)
        for name, meter in day.meters.items():
            for account in ("shown", "reserve"):
                down = sum(moved.on(account) for moved in meter.moved.values() if moved.on(account) < 0)
                assert lowered[name, account] <= down  # what goes up and down by one cause is listed where it goes down
    reasons = " ".join(one.reason for day in days for one in day.reductions)
    assert "count of 30 November (M. Ruiz, A. Novak)" in reasons
    assert "void: floorperson" in reasons
    assert "cancelled: mismatch" in reasons


# --- days -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("utc_s", "day"),
    [
        (1_796_122_799, "2026-11-30"),  # 2026-12-01 05:59:59 -0500
        (1_796_122_800, "2026-12-01"),
        (1_793_530_799, "2026-10-31"),  # 2026-11-01 05:59:59 -0500, after clocks went back
        (1_793_530_800, "2026-11-01"),
        (0, "1969-12-31"),  # a clock that was never set: 1969-12-31 19:00 -0500
        (2_240_524_800, "2040-12-30"),
    ],
)
def test_a_gaming_day_begins_at_its_hour(utc_s: int, day: str) -> None:
    for fresh in (GamingDays("America/New_York", "06:00"), NEW_YORK):  # whatever was asked before
        assert fresh.day(utc_s * NS_PER_S) == day


@pytest.mark.parametrize("starts", ["00:00", "01:30", "02:30", "06:00", "23:59"])
def test_days_are_whole_and_in_order_whatever_the_clocks_do(starts: str) -> None:
    """Two years in steps of 10 minutes: a day never comes again, none is left out, and the cache changes nothing."""
    days = GamingDays("America/New_York", starts)
    seen = ""
    lengths: Counter[str] = Counter()
    for step in range(2 * 366 * 144):
        wall_ns = (1_767_225_600 + 600 * step) * NS_PER_S
        day = days.day(wall_ns)
        assert day >= seen
        if step % 101 == 0:
            assert GamingDays("America/New_York", starts).day(wall_ns) == day
        seen = day
        lengths[day] += 1
    whole = list(lengths.values())[1:-1]
    assert set(whole) == {138, 144, 150}  # 23, 24 and 25 hours
    assert len(whole) > 720


def test_an_unknown_zone_says_what_to_do() -> None:
    with pytest.raises(UnknownZone, match="tzdata"):
        GamingDays("America/Pittsburgh", "06:00")


def test_a_clock_that_is_stepped_back_makes_a_second_reading_and_reorders_nothing(tmp_path: Path) -> None:
    chance = random.Random(5)
    with table(tmp_path / "journal.sqlite") as t:
        t.wall_ns = EVENING_NS + 9 * HOUR_NS - 15 * NS_PER_S  # a quarter of a minute before the gaming day begins
        t.begin()
        t.play(script(chance), script(chance), script(chance))
        t.wall_ns -= HOUR_NS
        t.begin(wall_trusted=False)
        t.play(script(chance))
    _, days = days_of(tmp_path / "journal.sqlite")
    assert [day.day for day in days] == ["2026-11-30", "2026-12-01", "2026-11-30"]
    assert [day.trusted for day in days] == [True, True, False]
    assert days[0].last.seq < days[1].first.seq <= days[1].last.seq < days[2].first.seq


# --- W-2G -------------------------------------------------------------------------------------------------------------


def test_thresholds_are_data_by_date() -> None:
    rows = w2g.thresholds()
    assert [row.from_ for row in rows] == sorted(row.from_ for row in rows)
    before, now = w2g.on("2025-12-31", rows), w2g.on("2026-01-01", rows)
    assert w2g.on("1970-01-01", rows) is rows[0]
    assert before.reports(150_000, 500)
    assert not now.reports(150_000, 500)
    assert not before.reports(59_999, 100)
    assert before.reports(60_000, 200)  # 300 times
    assert not before.reports(60_000, 201)
    assert not before.withholds(500_000)
    assert before.withholds(500_001)


def test_candidates_are_the_large_wins_with_award_and_slip(played: Path) -> None:
    _, days = days_of(played)
    candidates = [one for day in days for one in day.candidates]
    assert {one.line for one in candidates} == {"mega_jackpot", "mega_envy"}
    for one in candidates:
        assert one.net_cents == one.gross_cents - one.wager_cents >= 200_000
        assert one.award is not None
        assert (one.slip is not None) == (one.line == "mega_jackpot")
        assert one.withholding == (one.net_cents > 500_000)


# --- formats and commands ---------------------------------------------------------------------------------------------


def tabled(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "firmware.cli", "journal", *map(str, arguments)],
        cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_decimals_are_exact() -> None:
    assert [decimal(n, 2) for n in (0, 5, -5, 123, -12_345)] == ["0.00", "0.05", "-0.05", "1.23", "-123.45"]
    assert decimal(1_234_567_890, 6, commas=True) == "1,234.567890"
    assert decimal(-1_234, 0, commas=True) == "-1,234"


def test_text_csv_and_json_say_the_same(played: Path) -> None:
    text, lines, tree = (tabled("accounts", played, "--format", form) for form in ("text", "csv", "json"))
    assert (text.returncode, lines.returncode, tree.returncode) == (0, 0, 0), text.stderr + lines.stderr + tree.stderr
    assert max(map(len, text.stdout.splitlines())) <= 100
    rows = list(csv.DictReader(lines.stdout.splitlines()))
    days = json.loads(tree.stdout)["readings"]
    from_json = [
        (day["gaming_day"], row["meter"], row["movement"], row["shown"], row["reserve"])
        for day in days
        for row in day["meters"]
    ]
    assert [(r["gaming_day"], r["meter"], r["movement"], r["shown"], r["reserve"]) for r in rows] == from_json
    for _, _, _, shown, _ in from_json:
        whole, cents = shown.split(".")
        assert f"{int(whole):,}.{cents}" in text.stdout
    assert {row["day_clock"] for row in rows} == {"trusted", "not known to be set"}


def test_days_and_tables_can_be_chosen(played: Path) -> None:
    everything = list(csv.DictReader(tabled("accounts", played, "--format", "csv").stdout.splitlines()))
    day = everything[-1]["gaming_day"]
    chosen = tabled("accounts", played, "--format", "csv", "--from", day, "--to", day)
    assert list(csv.DictReader(chosen.stdout.splitlines())) == [r for r in everything if r["gaming_day"] == day]
    only = tabled("accounts", played, "--table", "wagers", "--from", day).stdout
    assert "Coin-in by wager" in only
    assert "Meters" not in only
    assert "usage" in tabled("accounts", played, "--from", "yesterday").stderr


def test_audit_says_in_order_and_ends_with_0(played: Path) -> None:
    done = tabled("audit", played)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("in order:")
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert done.stderr == ""


@pytest.mark.parametrize("command", ["audit", "accounts"])
def test_a_finding_ends_with_1_and_names_entry_meter_expected_and_found(
    played: Path, tmp_path: Path, command: str
) -> None:
    copy = tmp_path / "forged.sqlite"
    seq = forgery.forge(played, copy, forgery.add("Contributed", "shown_micro", 1))
    done = tabled(command, copy)
    assert done.returncode == 1
    line = done.stderr.splitlines()[0]
    assert line.startswith(f"NOT IN ORDER: entry {seq}: meter royal_9.mega: contribution of position ")
    assert "expected 75000 micro-dollars shown" in line
    assert "found 75001 micro-dollars shown" in line


def test_a_damaged_chain_is_not_audited(played: Path, tmp_path: Path) -> None:
    copy = tmp_path / "damaged.sqlite"
    content = played.read_bytes()
    place = content.index(b'"type":"WagerAccepted"')
    copy.write_bytes(content[:place] + content[place:].replace(b'"cents":500', b'"cents":900', 1))
    done = tabled("audit", copy)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("NOT IN ORDER: entry ")


@pytest.mark.parametrize("command", ["audit", "accounts"])
def test_what_can_t_be_read_ends_with_2(tmp_path: Path, command: str) -> None:
    done = tabled(command, tmp_path / "missing.sqlite")
    assert (done.returncode, done.stdout) == (2, "")
    assert "missing.sqlite" in done.stderr


def test_a_zone_that_the_machine_does_not_know_can_be_overruled(played: Path) -> None:
    wrong = tabled("accounts", played, "--time-zone", "America/Pittsburgh")
    assert wrong.returncode == 2
    assert "reports.time_zone" in wrong.stderr
    right = tabled("accounts", played, "--time-zone", "Europe/Berlin", "--day-starts", "00:00")
    assert right.returncode == 0
