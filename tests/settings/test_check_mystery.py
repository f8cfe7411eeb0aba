"""What `tabled check` says of a mystery bonus (629b.3(h), 631b.6, M3-M5, M14)."""

from __future__ import annotations

import pytest

from firmware.core.mystery import range_micro
from firmware.core.settlement_data import PaidBy
from firmware.settings.check import check
from firmware.settings.load import decode
from firmware.settings.model import Settings
from firmware.settings.problems import Severity
from firmware.settings.rules import to_rules
from tests.settings.tables import CATALOGUE, IN_FORCE, LAPSED, production, refused, simulated, text

Change = tuple[str, str]
BONUS = """[mystery]
wager = "royal_9_progressive"
configuration = "2"
maximum_wager = "5.00"
paid_by = "slip"
key_file = "/etc/tabled/mystery.key"

[keys]
"""


def midi(*changes: Change) -> Settings:
    return decode(text("midibaccarat", *changes), "table.toml")


def baccarat(*changes: Change) -> Settings:
    return decode(text("baccarat", *changes), "table.toml")


@pytest.mark.parametrize("settings", [midi(), baccarat()], ids=["midibaccarat", "baccarat"])
def test_the_examples_may_be_played(settings: Settings) -> None:
    assert refused(settings) == []


CONFIGURATIONS = {
    ("midibaccarat", "1"): (250, 1000, 50_000),
    ("midibaccarat", "2"): (100, 500, 50_000),
    ("midibaccarat", "3"): (100, 200, 20_000),
    ("baccarat", "A5"): (100, 250, 10_000),
    ("baccarat", "B5"): (100, 500, 20_000),
    ("baccarat", "C5"): (250, 500, 5_000),
    ("baccarat", "D5"): (250, 1000, 20_000),
}
"""Least and largest dollars and parts per million, as printed."""


@pytest.mark.parametrize(("place", "figures"), CONFIGURATIONS.items(), ids=str)
def test_every_configuration_that_can_be_played(place: tuple[str, str], figures: tuple[int, int, int]) -> None:
    game, name = place
    old = "2" if game == "midibaccarat" else "B5"
    content = text(game, (f'configuration = "{old}"', f'configuration = "{name}"'))
    content = "".join(line for line in content.splitlines(True) if not line.startswith("bench_maximum"))
    settings = decode(content, "table.toml")
    assert refused(settings) == []
    rules = to_rules(settings, CATALOGUE)
    least, largest, ppm = figures
    step = 5 * ppm
    assert range_micro(rules) == (least * 1_000_000, largest * 1_000_000 - step), "M3"
    assert rules.mystery is not None
    assert (rules.mystery.must_hit_by_micro, rules.mystery.paid_by) == (largest * 1_000_000, PaidBy.SLIP)
    (meter,) = (m for m in rules.meters if m.name == "mystery")
    assert (meter.seed_micro, meter.increment_ppm, meter.reserve_ppm) == (least * 1_000_000, ppm, 0)


@pytest.mark.parametrize("name", [letter + wager for letter in "ABCD" for wager in "12"])
def test_rows_under_the_least_wager_of_heavenly_9_are_refused(name: str) -> None:
    """M4."""
    found = refused(baccarat(('configuration = "B5"', f'configuration = "{name}"')))
    (problem,) = (problem for problem in found if problem.key == "mystery.configuration")
    assert problem.section == "631b.6(c)(4), M4"
    assert problem.expected.startswith("a configuration for 5.00 or more")
    assert problem.remedy == "Take one of A5, B5, C5, D5."


HEAVENLY = '[wagers.heavenly_9_progressive]\npaytable = "-"\nchip = "5.00"'

REFUSED: list[tuple[Settings, str, str, str]] = [
    (midi(('configuration = "2"', 'configuration = "4"')), "mystery.configuration", "one of 1, 2, 3", "629b.3(h)"),
    (midi(('configuration = "2"', 'configuration = "B5"')), "mystery.configuration", "one of 1, 2, 3", "629b.3(h)"),
    (midi(('wager = "royal_9_progressive"', 'wager = "tie"')), "mystery.wager", "royal_9_progressive", "629b.3(h)"),
    (midi(('bench_maximum = "103.00"', 'bench_maximum = "500.01"')), "mystery.bench_maximum", "at most", "629b.3(h)"),
    (midi(('bench_maximum = "103.00"', 'bench_maximum = "100.25"')), "mystery.bench_maximum", "a range", "M3"),
    (midi(('bench_maximum = "103.00"', 'bench_maximum = "0.00"')), "mystery.bench_maximum", "a range", "M3"),
    (midi(('maximum_wager = "5.00"', 'maximum_wager = "4.00"')), "mystery.maximum_wager", "largest wager", "M3"),
    (midi(('key_file = "mystery.key"', 'key_file = "shoe.tty"')), "mystery.key_file", "already devices.shoe", ""),
    (
        midi(('reference = "example, not filed"', 'reference = "x"\nreadings = { X22 = "refund_only" }')),
        "rules_submission.readings.X22",
        "reverse",
        "M3",
    ),
    (simulated(("[keys]\n", BONUS)), "mystery.wager", "none for this game", "R19"),
    (
        baccarat((HEAVENLY, HEAVENLY.replace("5.00", "10.00"))),
        "mystery.configuration",
        "the table's least wager, 10.00",
        "M5",
    ),
    (
        baccarat(("[wagers.cover_all]", "[wagers.lucky_nines]")),
        "wagers.lucky_nines",
        "not played at a table",
        "631b.4, N4",
    ),
]


@pytest.mark.parametrize(("settings", "key", "said", "section"), REFUSED, ids=[f"{c[1]} {c[2]}" for c in REFUSED])
def test_refused(settings: Settings, key: str, said: str, section: str) -> None:
    found = [problem for problem in refused(settings) if problem.key == key]
    assert len(found) == 1, [problem.text("f") for problem in refused(settings)]
    assert said in found[0].text("f")
    assert section in found[0].section
    assert len(found[0].remedy) > 4


def test_a_larger_wager_than_the_row_s_is_fed_by_its_own_share() -> None:
    """M5: the row goes by the table's least wager, the share by the wager."""
    settings = baccarat(
        (HEAVENLY, HEAVENLY.replace('chip = "5.00"', 'chip = "10.00"\nminimum = "5.00"')),
        ('maximum_wager = "5.00"', 'maximum_wager = "10.00"'),
    )
    assert refused(settings) == []
    rules = to_rules(settings, CATALOGUE)
    assert rules.mystery is not None
    assert rules.mystery.largest_micro == 200_000


def test_a_bench_s_range_is_refused_where_money_is_taken() -> None:
    settings = midi(('profile = "simulated"', 'profile = "production"'))
    keys = {problem.key for problem in refused(settings)}
    assert {"mystery.bench_maximum", "mystery.key_file"} <= keys


def test_the_key_lies_not_beside_the_journal_of_a_production_table() -> None:
    game = ('game = "minibaccarat"', 'game = "midibaccarat"')

    def with_key(path: str) -> list[str]:
        bonus = BONUS.replace("/etc/tabled/mystery.key", path)
        found = refused(production(game, ("[keys]\n", bonus)))
        return [problem.text("f") for problem in found if problem.key.startswith("mystery")]

    assert with_key("/etc/tabled/mystery.key") == []
    assert "beside the journal" in with_key("/var/lib/tabled/mystery.key")[0]
    assert "a power cut empties" in with_key("/run/mystery.key")[0]
    assert "absolute path" in with_key("mystery.key")[0]


def test_a_lapsed_bonus_needs_somebody_who_stands_for_it() -> None:
    """X26, as for a paytable."""
    game = ('game = "minibaccarat"', 'game = "midibaccarat"')
    answered = [
        problem
        for problem in check(production(game, ("[keys]\n", BONUS)), CATALOGUE, LAPSED)
        if problem.key == "mystery.configuration"
    ]
    assert [problem.severity for problem in answered] == [Severity.WARNING]
    nobody = production(
        game,
        ("[keys]\n", BONUS),
        ('expired_rules_accepted_by = "J. Doe"\n', ""),
        ('expired_rules_reason = "waiver"\n', ""),
    )
    found = [problem for problem in refused(nobody, LAPSED) if problem.key == "mystery.configuration"]
    assert [problem.section for problem in found] == ["629b.3(h), X26"]
    assert [problem for problem in refused(nobody, IN_FORCE) if problem.key == "mystery.configuration"] == []
