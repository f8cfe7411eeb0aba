"""What a Roulette table is refused for, by key, and what a table of cards is because of a wheel."""

from __future__ import annotations

from fractions import Fraction

import pytest

from firmware.settings.load import decode
from firmware.settings.rules import to_rules
from tests.settings.tables import CATALOGUE, IN_FORCE, form_problems, refused, simulated, text

WHEEL = '[devices.wheel]\nkind = "wheel.cammegh_simulated"\nurl = "wheel.tty"\n'


def another(name: str) -> str:
    return WHEEL.replace("[devices.wheel]", f"[devices.{name}]").replace("wheel.tty", f"{name}.tty")


REFUSED = [
    ([('wheel = "double_zero"', "decks = 6")], {"table.decks", "table.wheel"}),
    ([(WHEEL, "")], {"devices"}),
    ([(WHEEL, WHEEL + another("rim") + another("third"))], {"devices"}),
    ([(WHEEL, WHEEL + '[devices.shoe]\nkind = "shoe.angeleye_simulated"\nurl = "shoe.tty"\n')], {"devices.shoe.kind"}),
    ([('1000 = "1/1000"\n', "")], {"weights.b2b_roulette"}),
    ([('1000 = "1/1000"', '1000 = "2/1000"')], {"weights.b2b_roulette"}),
    ([('1000 = "1/1000"', '1000 = "0.001"')], {"weights.b2b_roulette"}),
    ([('1000 = "1/1000"', '999 = "1/1000"')], {"weights.b2b_roulette"}),
    ([("[weights.b2b_roulette]", "[weights.roulette_x]")], {"weights.b2b_roulette", "weights.roulette_x"}),
    (
        [("[wagers.b2b_roulette]", "[wagers.blazing_7s_roulette]"), ('paytable = "-"', 'paytable = "1"')],
        {"wagers.blazing_7s_roulette", "weights.b2b_roulette"},
    ),
]


def test_the_example_passes_and_its_weights_are_exact() -> None:
    settings = decode(text("roulette"), "table.toml")
    assert refused(settings, IN_FORCE) == []
    rules = to_rules(settings, CATALOGUE)
    assert (rules.wheel, rules.wheels, rules.has_shoe, rules.decks) == ("double_zero", ("wheel",), False, 0)
    assert "wheel" in rules.devices
    (pick,) = rules.picks
    shares = {share.value: Fraction(share.parts, pick.parts) for share in pick.shares}
    assert (shares["1000"], shares["10"]) == (Fraction(1, 1000), Fraction(473, 1000))


def test_two_readers_are_taken() -> None:
    assert refused(decode(text("roulette", (WHEEL, WHEEL + another("rim"))), "table.toml"), IN_FORCE) == []


@pytest.mark.parametrize(
    ("changes", "keys"), REFUSED, ids=lambda value: None if isinstance(value, list) else str(value)
)
def test_what_is_refused(changes: list[tuple[str, str]], keys: set[str]) -> None:
    found = refused(decode(text("roulette", *changes), "table.toml"), IN_FORCE)
    assert {problem.key for problem in found} == keys, [problem.text("f") for problem in found]
    assert all(len(problem.remedy) > 5 for problem in found)


def test_a_table_of_cards_has_decks_and_no_wheel() -> None:
    found = refused(simulated(("decks = 8\n", 'wheel = "single_zero"\n')))
    assert {"table.decks", "table.wheel"} <= {problem.key for problem in found}


def test_a_wheel_of_another_kind_is_no_wheel() -> None:
    (problem,) = form_problems(text("roulette", ("double_zero", "triple_zero")))
    assert problem.key == "table.wheel"
