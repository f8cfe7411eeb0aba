"""What `tabled check` refuses: one change to a good table, the one problem that it makes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from firmware.core.rounds.machine import MACHINES
from firmware.settings.check import check
from firmware.settings.check_command import EX_CONFIG, EX_OK, run_check
from firmware.settings.check_facts import one_of
from firmware.settings.problems import Severity
from tests.settings.tables import CATALOGUE, IN_FORCE, LAPSED, production, refused, simulated

TABLES = Path(__file__).parents[2] / "config" / "tables"

Change = tuple[str, str]

ROYAL_SPOTS = "spots = [" + ", ".join(f'"lines:{number}"' for number in range(56, 63)) + "]\n"
ROYAL_LAMPS = "lamps = [" + ", ".join(str(number) for number in range(56, 63)) + "]\n"
REASON = 'expired_rules_reason = "Simulated table: no money is taken."\n'

MONEY: list[tuple[Change, str, str, str]] = [
    (('game = "minibaccarat"', 'game = "minibacarat"'), "table.game", "Did you mean minibaccarat?", "627b"),
    (("[wagers.lucky_six]", "[wagers.lucky_sixes]"), "wagers.lucky_sixes", "Did you mean lucky_six?", ""),
    (('[wagers.tie]\npaytable = "-"', '[wagers.tie]\npaytable = "A"'), "wagers.tie.paytable", "'A'", "627b.2"),
    (('"50000.00"', '"49999.99"'), 'meters."royal_9.mega".seed', "at least 50000.00", "627b.3(f)(2)"),
    (
        ('seed = "450.00"\nincrement = "1"', 'seed = "449.99"\nincrement = "1"'),
        'meters."royal_9.major".seed',
        "450",
        "f",
    ),
    (('increment = "1.5"', 'increment = "0"'), 'meters."royal_9.mega".increment', "rises", "605a.7(a)(1)"),
    (('[meters."royal_9.mega"]', '[meters."royal_9.maga"]'), 'meters."royal_9.mega"', "missing", "627b.3"),
    (('1 = ["KS", "9H"]', '1 = ["QS", "9H"]'), "combinations.1", "one king and one nine", "627b.3(e)(5)"),
    (('2 = ["KD", "9C"]', '2 = ["9H", "KS"]'), "combinations.2", "9H KS is position 1's", "R3"),
    (('7 = ["KD", "9S"]\n', ""), "combinations.7", "missing", "627b.3(e)(5)"),
    (('7 = ["KD", "9S"]', '8 = ["KD", "9S"]'), "combinations.8", "no such position", "627b.3(e)(5)"),
    (
        ('chip = "5.00"\nspots = ["lines:56"', 'chip = "1.00"\nspots = ["lines:56"'),
        "wagers.royal_9_progressive.chip",
        "its denomination, 5.00",
        "X13",
    ),
    ((ROYAL_SPOTS + ROYAL_LAMPS, ""), "wagers.royal_9_progressive.spots", "called", "627b.3(a)(1)"),
    ((ROYAL_LAMPS, ""), "wagers.royal_9_progressive.lamps", "acknowledges", "627b.3(a)(1)"),
    (
        ('[wagers.perfect_pairs_banker]\npaytable = "A"', '[wagers.perfect_pairs_banker]\npaytable = "B"'),
        "wagers.perfect_pairs_banker.paytable",
        "one paytable for both",
        "627b.1(e)",
    ),
    (('chip = "25.00"\nspots = ["lines:7"', 'spots = ["lines:7"'), "wagers.banker.chip", "missing", "X11"),
    (("decks = 8", "decks = 1"), "table.decks", "at least 2", "627b.1(e)"),
    (
        ('reference = "example, not filed"', 'reference = "x"\nreadings = { R7 = "lowest" }'),
        "rules_submission.readings.R7",
        "expected one of highest, table",
        "R7",
    ),
    (
        ('expired_rules_reason = "Simulated table: no money is taken."\n', ""),
        "rules_submission.expired_rules_reason",
        "both",
        "X26",
    ),
]

WIRING: list[tuple[Change, str, str]] = [
    (('confirm = "lines:65"', 'confirm = "lines:64"'), "keys.confirm", "line 64 is already keys.lockout"),
    (('confirm = "lines:65"', 'confirm = "lines:72"'), "keys.confirm", "no line 72"),
    (('confirm = "lines:65"', 'confirm = "liens:65"'), "keys.confirm", "Did you mean lines?"),
    (('confirm = "lines:65"', 'confirm = "shoe:65"'), "keys.confirm", "no line device 'shoe'"),
    (('"lines:5", "lines:6"]', '"lines:5"]'), "wagers.player.spots", "one for each of 7 positions"),
    (("5, 6]", "5]"), "wagers.player.lamps", "one for each of 7 spots"),
    (("lamps = [0,", "lamps = [7,"), "wagers.banker.lamps[0]", "lamp 7 is already wagers.player.lamps[0]"),
    (("pixels = 63", "pixels = 62"), "wagers.royal_9_progressive.lamps[6]", "a lamp from 0 to 61"),
    (('url = "board.tty"', 'url = "shoe.tty"'), "devices.board.url", "already devices.shoe.url"),
    (('control = "control.sock"', 'control = "journal.sqlite"'), "storage.control", "already storage.journal"),
    (("absent_ms = 150", "absent_ms = 161"), "timing.absent_ms", "decision window of 160"),
    (("[devices.shoe]", "[devices.Shoe]"), "devices.Shoe", "lower-case"),
    (
        ("[storage]", '[looks.won]\ncolour = "#00c000"\npattern = "short_gap"\n[storage]'),
        "looks.won.colour",
        "accepted",
    ),
    (("[storage]", '[looks.won]\ncolour = "#000000"\npattern = "steady"\n[storage]'), "looks.won", "only off is dark"),
    (('url = "board.tty"', 'url = "./shoe.tty"'), "devices.board.url", "already devices.shoe.url"),
]


@pytest.mark.parametrize(("change", "key", "said", "section"), MONEY)
def test_the_regulation_is_kept(change: Change, key: str, said: str, section: str) -> None:
    found = [problem for problem in refused(simulated(change)) if problem.key == key]
    assert len(found) == 1, [problem.text("f") for problem in refused(simulated(change))]
    assert said in found[0].text("f")
    assert section in found[0].section


@pytest.mark.parametrize(("change", "key", "said"), WIRING)
def test_the_wiring_is_judged(change: Change, key: str, said: str) -> None:
    found = [problem for problem in refused(simulated(change)) if problem.key == key]
    assert len(found) == 1, [problem.text("f") for problem in refused(simulated(change))]
    assert said in found[0].text("f")


def test_a_game_that_is_only_settled_from_records_is_not_played() -> None:
    table = simulated(('game = "minibaccarat"', 'game = "craps"'))
    problems = [problem for problem in check(table, CATALOGUE, IN_FORCE) if problem.key == "table.game"]
    assert [(problem.severity, problem.expected) for problem in problems] == [(Severity.REFUSED, one_of(MACHINES))]


def test_every_remedy_says_something() -> None:
    for change in [money[0] for money in MONEY] + [wiring[0] for wiring in WIRING]:
        for problem in refused(simulated(change)):
            assert len(problem.remedy) > 4
            assert problem.expected
            assert problem.got


def test_the_dollar_table_has_its_own_minimum() -> None:
    dollar = (
        ('paytable = "5"\nchip = "5.00"', 'paytable = "1"\nchip = "1.00"'),
        ('"50000.00"', '"10000.00"'),
        ('"450.00"', '"90.00"'),
    )
    assert refused(simulated(*dollar)) == []
    found = refused(simulated(*dollar[:1], ('"50000.00"', '"9999.99"'), ('"450.00"', '"89.99"')))
    assert {problem.section for problem in found} == {"627b.3(g)(2)"}
    assert len(found) == 3


def test_a_share_that_is_no_whole_micro_dollar() -> None:
    # No paytable of the regulation allows such a chip; the check must not depend on that.
    found = refused(
        simulated(('chip = "5.00"\nspots = ["lines:56"', 'chip = "0.25"\nspots = ["lines:56"'), ('"1.5"', '"1.5001"'))
    )
    assert [problem.key for problem in found if problem.section == "X18"] == ['meters."royal_9.mega".increment']


def test_rates_that_eat_the_wager() -> None:
    found = refused(simulated(('increment = "1.5"', 'increment = "97"')))
    assert [(problem.key, problem.section) for problem in found] == [("meters", "X15")]


def test_several_problems_are_all_reported() -> None:
    found = refused(simulated(MONEY[3][0], MONEY[7][0], WIRING[0][0], WIRING[10][0]))
    assert [problem.key for problem in found] == [
        'meters."royal_9.mega".seed',
        "combinations.1",
        "keys.confirm",
        "timing.absent_ms",
    ]


def test_lapsed_texts_are_refused_in_production_without_a_name_and_a_reason() -> None:
    nameless = (('expired_rules_accepted_by = "J. Doe"\nexpired_rules_reason = "waiver"\n', ""),)
    found = refused(production(*nameless), LAPSED)
    assert len(found) == 1
    assert "627b.2, X26" in found[0].section
    assert "royal_9_progressive" in found[0].got
    assert "perfect_pairs" not in found[0].got, "627c.1 is in force"
    assert refused(production(), LAPSED) == []
    assert refused(production(*nameless), IN_FORCE) == []


def test_the_simulated_profile_plays_lapsed_texts_and_says_so() -> None:
    change = (
        'expired_rules_accepted_by = "bench"\nexpired_rules_reason = "Simulated table: no money is taken."\n',
        "",
    )
    found = check(simulated(change), CATALOGUE, LAPSED)
    assert [problem.severity for problem in found] == [Severity.WARNING]


PRODUCTION: list[tuple[Change, str, str]] = [
    (('kind = "lines.lgpio"', 'kind = "lines.simulated"\nsocket = "x"'), "devices.lines.kind", "production profile"),
    (('kind = "board.alpha"', 'kind = "board.alpha_simulated"'), "devices.board.kind", "production profile"),
    (('journal = "/var/lib/tabled/', 'journal = "'), "storage.journal", "absolute"),
    (('journal = "/var/lib/tabled/', 'journal = "/run/tabled/'), "storage.journal", "power cut"),
    (('signing_key = "/etc/tabled/', 'signing_key = "'), "storage.signing_key", "absolute"),
    (('signing_key = "/etc/tabled/', 'signing_key = "/var/lib/tabled/'), "storage.signing_key", "beside the journal"),
    (('noted_head = "/var/lib/tabled/', 'noted_head = "/tmp/'), "storage.noted_head", "power cut"),
    (('lockout = "lines:19"', 'lockout = "lines:1"'), "keys.lockout", "EEPROM"),
    (('lockout = "lines:19"', 'lockout = "lines:28"'), "keys.lockout", "no GPIO 28"),
    (('lockout = "lines:19"', 'lockout = "lines:10"'), "keys.lockout", "taken by devices.lamps"),
    (('kind = "lines.lgpio"', 'kind = "lines.rpigpio"'), "keys.lockout", "no edge times"),
    (('kind = "lines.lgpio"', 'kind = "lines.rpigpio"'), "wagers.royal_9_progressive.spots[0]", "no edge times"),
]


@pytest.mark.parametrize(("change", "key", "said"), PRODUCTION)
def test_production_is_stricter(change: Change, key: str, said: str) -> None:
    found = [problem for problem in refused(production(change)) if problem.key == key]
    assert len(found) == 1, [problem.text("f") for problem in refused(production(change))]
    assert said in found[0].text("f")


def test_rpigpio_serves_keys() -> None:
    keys = (
        ('kind = "lines.lgpio"', 'kind = "lines.lgpio"\n[devices.panel]\nkind = "lines.rpigpio"'),
        ('confirm = "lines:20"', 'confirm = "panel:20"'),
    )
    assert refused(production(*keys)) == []
    both = (*keys, ('call = "lines:21"', 'call = "lines:20"'))
    assert [problem.key for problem in refused(production(*both))] == ["keys.call"], "two libraries, one header"


def test_both_contacts_of_a_key_are_on_one_device() -> None:
    found = refused(
        production(
            ('kind = "lines.lgpio"', 'kind = "lines.lgpio"\n[devices.panel]\nkind = "lines.rpigpio"'),
            ('normally_open = "lines:', 'normally_open = "panel:'),
        )
    )
    [problem] = [problem for problem in found if problem.key == "keys.floor_key.normally_open"]
    assert "both contacts on one device" in problem.expected


def test_more_lines_than_the_header_has() -> None:
    sensed = 'chip = "5.00"\nspots = ["lines:2", "lines:3", "lines:4", "lines:14", "lines:15", "lines:27", "lines:28"]'
    tie = ('[wagers.tie]\npaytable = "-"\nminimum = "5.00"', f'[wagers.tie]\npaytable = "-"\n{sensed}')
    found = [problem for problem in refused(production(tie)) if problem.key == "devices"]
    assert len(found) == 1
    assert "22 lines on the header" in found[0].got
    assert "at most 21" in found[0].expected


def test_doubtful_lines_are_a_warning() -> None:
    found = check(production(('lockout = "lines:19"', 'lockout = "lines:14"')), CATALOGUE, IN_FORCE)
    assert [(problem.key, problem.severity) for problem in found] == [("keys.lockout", Severity.WARNING)]
    assert "UART" in found[0].got


def test_a_zone_that_the_machine_does_not_know_is_a_warning_of_the_command(tmp_path: Path) -> None:
    text = (TABLES / "minibaccarat.toml").read_text("utf-8")
    file = tmp_path / "table.toml"
    file.write_text(text + '\n[reports]\ntime_zone = "America/Pittsburgh"\n', "utf-8")
    out = io.StringIO()
    assert run_check(file, IN_FORCE, out) == EX_OK
    assert "time_zone" in out.getvalue()
    assert "'America/Pittsburgh'" in out.getvalue()
    out = io.StringIO()
    assert run_check(TABLES / "minibaccarat.toml", IN_FORCE, out) == EX_OK
    assert "time_zone" not in out.getvalue()


def test_a_zone_or_an_hour_that_is_none_is_refused(tmp_path: Path) -> None:
    text = (TABLES / "minibaccarat.toml").read_text("utf-8")
    for line in ('time_zone = "New York"', 'time_zone = "../etc/passwd"', 'gaming_day_starts = "24:00"'):
        file = tmp_path / "table.toml"
        file.write_text(f"{text}\n[reports]\n{line}\n", "utf-8")
        out = io.StringIO()
        assert run_check(file, IN_FORCE, out) == EX_CONFIG
        assert line.split(" ")[0] in out.getvalue()
