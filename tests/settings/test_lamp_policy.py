"""What a house may choose of its lamps, and what `tabled check` says to it."""

from __future__ import annotations

import pytest

from firmware.settings.check import check
from firmware.settings.problems import Severity
from firmware.settings.rules import to_rules
from tests.settings.tables import CATALOGUE, IN_FORCE, production, refused, simulated

TESTED = "opening_test = true"


def warned(*changes: tuple[str, str]) -> list[str]:
    found = check(production(*changes), CATALOGUE, IN_FORCE)
    return [problem.key for problem in found if problem.severity is Severity.WARNING]


def test_the_example_tests_its_lamps_and_a_table_without_a_policy_is_as_before() -> None:
    rules = to_rules(production(), CATALOGUE)
    assert (rules.lamps.opening_test, rules.lamps.dark_keeps_closed, "lamps" in rules.devices) == (True, True, True)
    assert "lamps.opening_test" not in warned()
    rules = to_rules(simulated(), CATALOGUE)
    assert (rules.lamps.opening_test, rules.lamps.dark_keeps_closed, "lamps" in rules.devices) == (False, True, True)


def test_a_house_that_plays_on_is_warned_and_needs_no_lamps() -> None:
    changes = (TESTED, f'{TESTED}\nfault = "plays_on"')
    assert warned(changes) == ["lamps.fault"]
    rules = to_rules(production(changes), CATALOGUE)
    assert (rules.lamps.dark_keeps_closed, "lamps" in rules.devices) == (False, False)


@pytest.mark.parametrize("wire", ["return_line", "current_line"])
def test_a_string_that_nothing_tells_of_is_warned_of(wire: str) -> None:
    untested = (TESTED, "opening_test = false")
    assert warned(untested) == ["lamps.opening_test"]
    wired = ("brightness_percent = 40", f'brightness_percent = 40\n{wire} = "lines:27"')
    assert warned(untested, wired) == []
    assert refused(production(wired)) == []


def test_a_wire_back_is_a_line_like_any_other() -> None:
    wired = ("brightness_percent = 40", 'brightness_percent = 40\nreturn_line = "lines:19"\ncurrent_line = "lines:10"')
    found = {problem.key: problem.text("f") for problem in refused(production(wired))}
    assert found.keys() == {"devices.lamps.return_line", "devices.lamps.current_line"}
    assert "line 19 is already keys.lockout" in found["devices.lamps.return_line"]
    assert "taken by devices.lamps" in found["devices.lamps.current_line"]
