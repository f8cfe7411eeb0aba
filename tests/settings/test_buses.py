"""Devices that share a serial bus in the configuration, and the names of ports."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.app import registry
from firmware.settings.model import Settings
from firmware.settings.problems import Problem
from hil.simulators import simulators_of
from tests.settings.tables import production, refused, simulated

LINES = "[devices.lines]"
LOCKOUT = 'lockout = "lines:19"'


REAL_SPOTS = ["lines:5", "lines:6", "lines:12", "lines:13"]
BENCH_SPOTS = ["lines:0", "lines:1", "lines:2", "lines:3"]


def with_devices(*devices: str, on: tuple[str, ...] = (), real: bool = True) -> Settings:
    """The example with devices more, each of `on` with the spot of a position."""
    spots = REAL_SPOTS if real else BENCH_SPOTS
    changes = [(LINES, "\n".join(devices) + "\n" + LINES)]
    changes += [(f'"{spot}"', f'"{name}:{number}"') for number, (spot, name) in enumerate(zip(spots, on, strict=False))]
    return production(*changes) if real else simulated(*changes)


def board(name: str, address: int, more: str = "", url: str = "/dev/tabled/bus") -> str:
    return f'[devices.{name}]\nkind = "lines.tgline"\nurl = "{url}"\naddress = {address}\n{more}'


def unit(name: str, number: int, more: str = "", url: str = "/dev/tabled/modbus") -> str:
    return f'[devices.{name}]\nkind = "lines.modbus"\nurl = "{url}"\nunit = {number}\n{more}'


def meter(more: str, url: str = "/dev/tabled/bus") -> str:
    return f'[devices.jackpots]\nkind = "meter.tgline"\nurl = "{url}"\n{more}'


LEVELS = 'levels = { "royal_9.mega" = 1, "royal_9.major" = 2 }'


def only(settings: Settings) -> Problem:
    (problem,) = refused(settings)
    return problem


def test_boards_units_and_meters_of_three_buses_are_accepted() -> None:
    devices = (board("b3", 3), board("b4", 4), meter(LEVELS), unit("u1", 1), unit("u2", 2))
    assert refused(with_devices(*devices, on=("b3", "b4", "u1", "u2"))) == []


def test_a_line_device_without_a_line_is_refused() -> None:
    problem = only(with_devices(board("b3", 3)))
    assert problem.path == ("devices", "b3") and problem.got == "none of its lines is used"


@pytest.mark.parametrize(
    ("devices", "path", "got"),
    [
        ((board("b3", 3), board("b4", 3)), ("devices", "b4", "address"), "3 is already devices.b3"),
        ((unit("u1", 9), unit("u2", 9)), ("devices", "u2", "unit"), "9 is already devices.u1"),
        ((board("b3", 3), board("b4", 4, "baud = 9600")), ("devices", "b4", "baud"), "got 9600"),
        ((board("b3", 3), meter(LEVELS + "\nbaud = 9600")), ("devices", "jackpots", "baud"), "got 9600"),
        ((unit("u1", 1), unit("u2", 2, 'parity = "even"')), ("devices", "u2", "parity"), "got even"),
        ((unit("u1", 1), unit("u2", 2, "poll_ms = 90")), ("devices", "u2", "poll_ms"), "got 90"),
        ((meter('levels = { "royal_9.grand" = 1 }'),), ("devices", "jackpots", "levels", "royal_9.grand"), "no meter"),
        ((meter('levels = { "royal_9.mega" = 10 }'),), ("devices", "jackpots", "levels", "royal_9.mega"), "level 10"),
        ((meter("levels = {}"),), ("devices", "jackpots", "levels"), "no meter"),
        ((board("b3", 3, url="/dev/tabled/shoe"),), ("devices", "b3", "url"), "'/dev/tabled/shoe' is already"),
        ((board("b3", 3), unit("u1", 3, url="/dev/tabled/bus")), ("devices", "u1", "url"), "is already devices.b3.url"),
    ],
)
def test_what_can_not_share_a_bus_is_refused(devices: tuple[str, ...], path: tuple[str, ...], got: str) -> None:
    problems = refused(with_devices(*devices))
    assert any(problem.path == path and got in problem.got for problem in problems), problems


def test_two_meters_on_one_level_are_refused() -> None:
    problem = only(with_devices(meter('levels = { "royal_9.mega" = 1, "royal_9.major" = 1 }')))
    assert "level 1 is already royal_9.mega" in problem.got


def test_a_lock_out_button_on_a_bus_and_a_line_beyond_the_board_are_refused() -> None:
    lock = production((LINES, board("b3", 3) + LINES), (LOCKOUT, 'lockout = "b3:4"'))
    problem = only(lock)
    assert problem.path == ("keys", "lockout") and "is polled" in problem.got and "lines.lgpio" in problem.remedy
    confirm = only(production((LINES, board("b3", 3) + LINES), ('confirm = "lines:20"', 'confirm = "b3:17"')))
    assert "b3 has no line 17" in confirm.got


@pytest.mark.parametrize("name", ["ttyUSB0", "ttyACM13", "./ttyUSB1"])
def test_a_port_by_its_number_is_refused_in_production_with_the_name_to_use(name: str) -> None:
    url = f"/dev/{name}"
    problem = only(production(('url = "/dev/tabled/shoe"', f'url = "{url}"')))
    assert problem.path == ("devices", "shoe", "url") and url in problem.got
    assert "/dev/serial/by-id" in problem.remedy and "80-tabled.rules" in problem.remedy


def test_an_input_device_by_its_number_is_refused_too() -> None:
    here = 'kind = "shoe.angeleye"\nurl = "/dev/tabled/shoe"'
    scanner = 'kind = "shoe.barcode_hid"\nmap = "letter"\nurl = "/dev/input/event3"'
    assert "/dev/input/by-id" in only(production((here, scanner))).remedy


@pytest.mark.parametrize(
    "name",
    ["/dev/serial/by-id/usb-FTDI_x-if00-port0", "/dev/serial/by-path/x", "/dev/ttyAMA0", "socket://10.0.0.9:4001"],
)
def test_names_that_stay_are_accepted(name: str) -> None:
    assert refused(production(('url = "/dev/tabled/shoe"', f'url = "{name}"'))) == []


def test_devices_of_one_url_are_built_on_one_bus_and_simulated_ones_say_so(tmp_path: Path) -> None:
    real = "\n".join((board("b3", 3), board("b4", 4), meter(LEVELS), unit("u1", 1)))
    bench = real.replace('tgline"', 'tgline_simulated"').replace('lines.modbus"', 'lines.modbus_simulated"')
    settings = with_devices(bench.replace("/dev/tabled/", ""), on=("b3", "b4", "u1"), real=False)
    assert refused(settings) == []
    built = registry.build(settings, tmp_path)
    boards = {device.name: device for device in built.lines}
    assert boards["b3"].identity == f"sim+tgline bet board 03 on {tmp_path}/bus"
    assert boards["u1"].identity == f"sim+Modbus unit 1 on {tmp_path}/modbus"
    assert [device.identity for device in built.meters] == [f"sim+tgline jackpot meters on {tmp_path}/bus"]
    assert boards["b3"]._bus is boards["b4"]._bus  # type: ignore[attr-defined]
    assert [s.module for s in simulators_of(settings, tmp_path, 1) if s.port.name in ("bus", "modbus")] == [
        "hil.sim.tgline_bus",
        "hil.sim.modbus_units",
    ]
