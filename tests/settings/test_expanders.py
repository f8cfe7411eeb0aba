"""Line expanders in the configuration: lines, chips, buses and pins of the header."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.codecs.hc165 import reserved
from firmware.app import registry
from firmware.settings.check_expanders import tied
from firmware.settings.devices.expanders import LinesShiftRegister
from firmware.settings.model import Settings
from firmware.settings.problems import Problem
from hil.simulators import simulators_of
from tests.settings.tables import form_problems, production, refused, simulated, text

LINES = "[devices.lines]"
SPOTS = '"lines:5", "lines:6", "lines:12", "lines:13", "lines:16", "lines:17", "lines:18"'
FIRST = '"lines:5", "lines:6"'
CHIPS = '[devices.seats]\nkind = "lines.mcp23017"\naddresses = [0x20, 0x21]\n'
CHAIN = '[devices.seats]\nkind = "lines.shift_register"\nchips = 2\nload_gpio = 27\n'
LAMPS = 'kind = "lamps.neopixel_spi"\nbus = 0\ndevice = 0'


def seated(device: str, *numbers: int, lamps: str = LAMPS) -> Settings:
    """The first two spots on these lines of an expander."""
    spots = ", ".join(f'"seats:{number}"' for number in numbers)
    return production((LINES, f"{device}\n{LINES}"), (FIRST, spots), (LAMPS, lamps))


def told(settings: Settings) -> list[tuple[str, str]]:
    return [(problem.key, problem.got) for problem in refused(settings)]


def only(settings: Settings) -> Problem:
    (problem,) = refused(settings)
    return problem


def test_spots_on_expanders_are_accepted_at_a_real_table() -> None:
    assert told(seated(CHIPS, 0, 30)) == []
    assert told(seated(f"{CHIPS}interrupt_gpio = 27\n", 0, 17)) == []
    pwm = 'kind = "lamps.neopixel_pwm"\ngpio = 12'
    assert told(seated(CHAIN, 0, 15, lamps=pwm)) == [
        ("wagers.royal_9_progressive.spots[2]", "GPIO 12 is taken by devices.lamps"),
    ]


@pytest.mark.parametrize(
    ("device", "number", "got"),
    [
        (CHIPS, 32, "seats has no line 32"),
        (CHIPS, 7, "line 7 of seats is an output only on newer chips"),
        (CHIPS, 31, "line 31 of seats is an output only on newer chips"),
        (f"{CHAIN}bus = 3\n", 16, "seats has no line 16"),
        (f"{CHAIN}bus = 3\n", 7, "line 7 of seats is tied high: it proves that the chain is whole"),
        (f"{CHAIN}bus = 3\n", 8, "line 8 of seats is tied low: it proves that the chain is whole"),
    ],
)
def test_a_line_that_can_not_carry_a_sensor_is_refused(device: str, number: int, got: str) -> None:
    assert told(seated(device, number, 1)) == [("wagers.royal_9_progressive.spots[0]", got)]


def test_the_tied_lines_are_those_of_the_codec() -> None:
    for chips in range(1, 17):
        assert tied(LinesShiftRegister(chips=chips, load_gpio=4)) == reserved(chips)


def test_one_line_is_one_spot_s() -> None:
    assert only(seated(CHIPS, 3, 3)).got == "line 3 is already wagers.royal_9_progressive.spots[0]"


def test_the_lock_out_button_needs_edges() -> None:
    settings = production((LINES, f"{CHIPS}\n{LINES}"), ('lockout = "lines:19"', 'lockout = "seats:0"'))
    problem = only(settings)
    assert problem.key == "keys.lockout" and problem.got == "on lines.mcp23017, which is polled"


@pytest.mark.parametrize(
    ("device", "problem"),
    [
        (f"{CHIPS}interrupt_gpio = 19\n", ("keys.lockout", "GPIO 19 is taken by devices.seats (INT)")),
        (CHAIN.replace("27", "19") + "bus = 3\n", ("keys.lockout", "GPIO 19 is taken by devices.seats (SH/LD)")),
        (
            f"{CHIPS}interrupt_gpio = 10\n",
            ("devices.lamps.bus", "takes GPIO 10, as does devices.seats (INT)"),
        ),
        (CHAIN, ("devices.seats.bus", "SPI bus 0 is already devices.lamps")),
        (
            CHIPS + CHIPS.replace("seats", "others").replace("0x20", "0x22"),
            ("devices.others.addresses[1]", "0x21 is already devices.seats.addresses.1"),
        ),
        (
            CHIPS.replace("0x21", "0x20"),
            ("devices.seats.addresses[1]", "0x20 is already devices.seats.addresses.0"),
        ),
    ],
)
def test_what_two_would_take_is_refused(device: str, problem: tuple[str, str]) -> None:
    assert problem in told(seated(device, 0, 1))


def test_chips_of_two_devices_share_the_bus() -> None:
    other = '[devices.others]\nkind = "lines.mcp23017"\naddresses = [0x22]\n'
    spots = ('"lines:5", "lines:6"', '"seats:0", "others:0"')
    assert told(production((LINES, f"{CHIPS}{other}\n{LINES}"), spots)) == []


def test_an_address_that_no_chip_has_is_no_form() -> None:
    wrong = CHIPS.replace("0x21", "0x28")
    (problem,) = form_problems(text("minibaccarat-pi", (LINES, f"{wrong}\n{LINES}")))
    assert problem.key == "devices.seats.addresses[1]"


SIMULATED = """\
[devices.seats]
kind = "lines.mcp23017_simulated"
socket = "seats.sock"
addresses = [0x20]
interrupt = true
[devices.others]
kind = "lines.shift_register_simulated"
socket = "others.sock"
chips = 3
"""


def bench(device: str = SIMULATED) -> Settings:
    return simulated((LINES, f"{device}\n{LINES}"), ('"lines:0", "lines:1"', '"seats:0", "others:0"'))


def test_simulated_ones_are_made_and_have_their_simulators(tmp_path: Path) -> None:
    settings = bench()
    assert told(settings) == []
    made = {device.name: device.identity for device in registry.build(settings, tmp_path).lines}
    assert made["seats"] == f"sim+MCP23017 0x20 on {tmp_path}/seats.sock"
    assert made["others"] == f"sim+3 74HC165 on {tmp_path}/others.sock"
    rows = {s.device: (s.module, s.port.name, s.options) for s in simulators_of(settings, tmp_path, 1)}
    assert rows["seats"] == ("hil.sim.mcp23017", "seats.sock", ("--chips", "0x20"))
    assert rows["others"] == ("hil.sim.hc165", "others.sock", ("--chips", "3"))


def test_a_simulated_bus_is_one_device_s() -> None:
    problem = only(bench(SIMULATED.replace("others.sock", "seats.sock")))
    assert (problem.key, problem.got) == ("devices.others.socket", "'seats.sock' is already devices.seats.socket")


def test_a_level_read_once_is_no_chip() -> None:
    device = f"{CHIPS}poll_ms = 40\n"
    assert told(seated(device, 0, 1)) == []
    slow = production(
        (LINES, f"{device}\n{LINES}"),
        (FIRST, '"seats:0", "seats:1"'),
        ("[keys]", "[timing]\npresent_ms = 40\nabsent_ms = 100\n\n[keys]"),
    )
    assert told(slow) == [("devices.seats.poll_ms", "40, and a chip counts after timing.present_ms = 40")]
