"""Card readers in the configuration: each kind, what it means for the table, and a scanner's own codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.ports import BackendUnavailable
from firmware.app import registry
from firmware.core.rules import ReaderRule
from firmware.settings.problems import Problem
from firmware.settings.rules import to_rules
from tests.settings.tables import CATALOGUE, form_problems, production, refused, simulated, text

PI = 'kind = "shoe.angeleye"\nurl = "/dev/tabled/shoe"'
SIMULATED = 'kind = "shoe.angeleye_simulated"\nurl = "shoe.tty"'
CARDS_ONLY = ReaderRule(burns=False, cut_card=False, result=False)
SCANNER = ReaderRule(burns=False, cut_card=False, result=False, scans_again=True)
DECK = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]
KINDS: list[tuple[str, str, ReaderRule, str]] = [
    ("shoe.angeleye", "", ReaderRule(), "angeleye2ex on "),
    ("shoe.beetek", "repeat_ms = 100", CARDS_ONLY, "beetek on "),
    ("shoe.barcode_serial", 'map = "srr0"', SCANNER, "barcode scanner on "),
    ("shoe.barcode_hid", 'map = "letter"', SCANNER, "hid barcode scanner on "),
    ("shoe.tgline", "address = 9", ReaderRule(), "tgline shoe 09 on "),
    ("shoe.tgline", "result = false", ReaderRule(result=False), "tgline shoe 01 on "),
]


def codes(cards: list[str]) -> str:
    return "codes = { " + ", ".join(f'"c{number}" = "{card}"' for number, card in enumerate(cards)) + " }"


def own(more: str, kind: str = "shoe.barcode_serial") -> list[Problem]:
    return refused(production((PI, f'kind = "{kind}"\nurl = "/dev/tabled/shoe"\nmap = "own"\n{more}')))


@pytest.mark.parametrize(("kind", "option", "rule", "identity"), KINDS)
def test_each_kind_is_played_and_built(kind: str, option: str, rule: ReaderRule, identity: str, tmp_path: Path) -> None:
    real = production((PI, f'kind = "{kind}"\nurl = "/dev/tabled/shoe"\n{option}'))
    assert refused(real) == []
    assert to_rules(real, CATALOGUE).reader == rule
    bench = simulated((SIMULATED, f'kind = "{kind}_simulated"\nurl = "shoe.tty"\n{option}'))
    try:
        [reader] = registry.build(bench, tmp_path).readers
    except BackendUnavailable as error:
        pytest.skip(str(error))
    assert reader.identity == f"sim+{identity}{tmp_path}/shoe.tty"
    assert reader.name == "shoe"


def test_codes_of_one_s_own() -> None:
    assert own(codes(DECK)) == []
    assert own(codes(DECK), "shoe.barcode_hid") == []
    [missing] = own(codes([card for card in DECK if card not in ("KS", "2H")]))
    assert missing.path == ("devices", "shoe", "codes")
    assert "no code for" in missing.got
    assert {"KS", "2H"} <= set(missing.got.split())
    [none] = own("")
    assert "and others" in none.got


@pytest.mark.parametrize(
    ("kind", "code", "good"),
    [
        ("shoe.barcode_serial", "04:A1/B2", True),
        ("shoe.barcode_serial", "04 A1", False),
        ("shoe.barcode_serial", "]C0SA", False),
        ("shoe.barcode_serial", "", False),
        ("shoe.barcode_serial", "x" * 65, False),
        ("shoe.barcode_hid", "04-a1", True),
        ("shoe.barcode_hid", "04:A1", False),
    ],
)
def test_a_code_that_the_scanner_could_never_send_is_refused(kind: str, code: str, good: bool) -> None:
    found = own(codes(DECK).replace("{", f'{{ "{code}" = "AS",'), kind)
    assert bool(found) != good
    if found:
        assert found[0].path == ("devices", "shoe", "codes", code)


def test_codes_beside_a_public_map_are_refused() -> None:
    [found] = refused(production((PI, f'kind = "shoe.barcode_hid"\nurl = "/dev/x"\nmap = "letter"\n{codes(DECK)}')))
    assert "map = 'letter'" in found.got


@pytest.mark.parametrize(
    "options",
    [
        'kind = "shoe.barcode_hid"\nurl = "x"',  # which map?
        'kind = "shoe.barcode_hid"\nurl = "x"\nmap = "braille"',
        'kind = "shoe.barcode_hid"\nurl = "x"\nmap = "own"\ncodes = { "1" = "11" }',
        'kind = "shoe.beetek"\nurl = "x"\nrepeat_ms = -1',
        'kind = "shoe.tgline"\nurl = "x"\naddress = 255',  # everybody's
        'kind = "shoe.tgline"\nurl = "x"\nmap = "letter"',
        'kind = "shoe.auto"\nurl = "x"',
    ],
)
def test_forms_that_are_none(options: str) -> None:
    assert form_problems(text("minibaccarat-pi", (PI, options)))


def test_a_simulated_reader_is_no_production_reader() -> None:
    [found] = refused(production((PI, 'kind = "shoe.tgline_simulated"\nurl = "/dev/x"')))
    assert "shoe.tgline_simulated" in found.got
