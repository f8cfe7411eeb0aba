"""Wheels and dice in the configuration: each kind is built, and refused where the game has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.app import registry
from firmware.settings.load import decode
from firmware.settings.problems import Problem
from hil.simulators import simulators_of
from tests.settings.tables import form_problems, refused, simulated, text

SHOE = 'kind = "shoe.angeleye_simulated"\nurl = "shoe.tty"'
KINDS: list[tuple[str, str, str, str]] = [
    ("wheel", "wheel.cammegh_simulated", "mode = 1159", "sim+cammegh ss2 on "),
    ("wheel", "wheel.winline_simulated", "repeat_ms = 3000", "sim+winning-number line on "),
    ("wheel", "wheel.tgline_simulated", "address = 9", "sim+tgline wheel 09 on "),
    ("dice", "dice.tgline_simulated", "baud = 38400", "sim+tgline dice reader 01 on "),
    ("dice", "dice.keypad_simulated", "roll_ms = 1500", "sim+dice keypad on "),
]


def beside_the_shoe(name: str, kind: str, option: str = "") -> tuple[str, str]:
    return SHOE, f'{SHOE}\n\n[devices.{name}]\nkind = "{kind}"\nurl = "{name}.tty"\n{option}'


@pytest.mark.parametrize(("name", "kind", "option", "identity"), KINDS)
def test_each_kind_is_built_with_its_simulator(
    name: str, kind: str, option: str, identity: str, tmp_path: Path
) -> None:
    settings = simulated(beside_the_shoe(name, kind, option))
    devices = registry.build(settings, tmp_path, only=[name])
    [device] = devices.all()
    assert [*devices.wheels, *devices.dice] == [device]
    assert device.identity == f"{identity}{tmp_path}/{name}.tty"
    [simulator] = [each for each in simulators_of(settings, tmp_path, seed=1) if each.device == name]
    assert simulator.port == tmp_path / f"{name}.tty"


@pytest.mark.parametrize(("name", "kind", "option", "identity"), KINDS)
def test_a_game_of_cards_has_no_use_for_it(name: str, kind: str, option: str, identity: str) -> None:
    [problem] = refused(simulated(beside_the_shoe(name, kind, option)))
    assert problem.path == ("devices", name, "kind")
    assert kind in problem.got and "minibaccarat" in problem.got
    assert problem.remedy == "Remove the device."


@pytest.mark.parametrize(
    ("name", "kind", "option", "key"),
    [
        ("wheel", "wheel.cammegh_simulated", "mode = 65536", "mode"),
        ("wheel", "wheel.tgline_simulated", "address = 255", "address"),
        ("wheel", "wheel.winline_simulated", "repeat_ms = 0", "repeat_ms"),
        ("dice", "dice.keypad_simulated", "hold_ms = 10", "hold_ms"),
        ("dice", "dice.keypad_simulated", "baud = 9600", "baud"),
    ],
)
def test_an_option_out_of_its_range_is_named(name: str, kind: str, option: str, key: str) -> None:
    problems: list[Problem] = form_problems(text("minibaccarat", beside_the_shoe(name, kind, option)))
    assert any(key in f"{problem.key} {problem.got}" for problem in problems), problems


def test_a_real_wheel_s_port_by_number_is_refused() -> None:
    content = text(
        "minibaccarat-pi",
        ("[devices.shoe]", '[devices.wheel]\nkind = "wheel.cammegh"\nurl = "/dev/ttyUSB0"\n\n[devices.shoe]'),
    )
    problems = refused(decode(content, "table.toml"))
    assert any(problem.path == ("devices", "wheel", "url") for problem in problems)
