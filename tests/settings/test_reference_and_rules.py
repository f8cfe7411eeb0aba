"""The generated reference, the core's rules, and the command."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from firmware.core.rules import Combination, MeterRule, SpotRule
from firmware.settings import reference
from firmware.settings.check_command import EX_CONFIG, EX_OK, run_check
from firmware.settings.devices import Device
from firmware.settings.load import strip
from firmware.settings.rules import to_rules
from firmware.settings.section import Section
from tests.settings.tables import CATALOGUE, FILLED_IN, IN_FORCE, LAPSED, TABLES, production, simulated, text


def test_the_reference_is_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert reference.main(["--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("struct", [*Section.__subclasses__(), *get_args(Device)], ids=lambda item: item.__name__)
def test_every_key_is_described_and_in_the_reference(struct: type[msgspec.Struct]) -> None:
    content = reference.FILE.read_text(encoding="utf-8")
    for field in msgspec.structs.fields(struct):
        _, meta = strip(field.type)
        assert meta is not None, field.name
        assert meta.description, field.name
        assert f"{field.encode_name}" in content


def test_every_kind_is_in_the_reference() -> None:
    content = reference.FILE.read_text(encoding="utf-8")
    for option in get_args(Device):
        assert f'kind = "{option.__struct_config__.tag}"' in content


def test_the_core_s_rules_of_the_simulated_table() -> None:
    rules = to_rules(simulated(), CATALOGUE)
    assert (rules.table_id, rules.game, rules.decks, rules.positions) == ("MB-SIM", "minibaccarat", 8, 7)
    assert len(rules.spots) == 63
    assert rules.spots[0] == SpotRule(1, "player", 2500, "lines")
    assert rules.spots[-1] == SpotRule(7, "royal_9_progressive", 500, "lines")
    seed = 50_000_000_000
    assert rules.meters[0] == MeterRule("royal_9.mega", "royal_9_progressive", seed, 15_000, 5_000, seed)
    assert rules.combinations[1] == Combination(2, "KD", "9C")
    assert [offer.wager for offer in rules.offers if offer.progressive] == ["royal_9_progressive"]
    assert all(offer.sensed for offer in rules.offers)
    assert {"lines", "shoe"} <= set(rules.devices) <= set(simulated().devices)
    assert rules.catalogue.paytable("minibaccarat", "tie", "-") == CATALOGUE.paytable("minibaccarat", "tie", "-")


def test_called_wagers_are_offered_and_not_sensed() -> None:
    rules = to_rules(production(), CATALOGUE)
    assert {offer.wager for offer in rules.offers if offer.sensed} == {"royal_9_progressive"}
    assert next(offer for offer in rules.offers if offer.wager == "tie").minimum_cents == 500
    assert {spot.position for spot in rules.spots} == set(range(1, 8))


def test_a_combination_may_be_written_nine_first() -> None:
    rules = to_rules(simulated(('2 = ["KD", "9C"]', '2 = ["9C", "KD"]')), CATALOGUE)
    assert rules.combinations[1] == Combination(2, "KD", "9C")


def test_the_bench_may_be_played_on_any_day() -> None:
    for today in (IN_FORCE, LAPSED):
        out = io.StringIO()
        assert run_check(TABLES / "minibaccarat.toml", today, out) == EX_OK
        assert "63 sensed spots" in out.getvalue()


def test_the_pi_example_is_refused_until_it_is_filled_in(tmp_path: Path) -> None:
    out = io.StringIO()
    assert run_check(TABLES / "minibaccarat-pi.toml", LAPSED, out) == EX_CONFIG
    assert out.getvalue().count("still the example's") == len(FILLED_IN)
    assert out.getvalue().endswith("refused, 5 problems\n")
    filled_in = tmp_path / "table.toml"
    filled_in.write_text(text("minibaccarat-pi", *FILLED_IN), encoding="utf-8")
    out = io.StringIO()
    assert run_check(filled_in, LAPSED, out) == EX_OK
    assert "J. Doe answers for it (waiver)" in out.getvalue()


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ((str(TABLES / "minibaccarat.toml"),), 0, "may be played"),
        ((str(TABLES / "minibaccarat-pi.toml"),), 78, "[601a.2]"),
        ((str(TABLES / "none.toml"),), 78, "can't be read (No such file or directory)"),
        ((), 2, "required: config"),
        ((str(TABLES / "minibaccarat.toml"), "--date", "2026-02-30"), 2, "is no day"),
    ],
)
def test_the_command_as_a_process(arguments: tuple[str, ...], status: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "firmware.cli", "check", *arguments],
        capture_output=True,
        text=True,
        cwd=TABLES.parents[1],
    )
    assert done.returncode == status, done.stderr
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
