"""The Pi's header: parity on its serial port, and remedies that can be done where lines are taken."""

from __future__ import annotations

import pytest

from firmware.settings import check_header
from firmware.settings.check import check
from firmware.settings.check_wiring import line_claims
from firmware.settings.problems import Severity
from tests.settings.tables import CATALOGUE, IN_FORCE, production, refused

BOARD = 'kind = "board.alpha"\nurl = "/dev/tabled/board"'
FIGURES = '\n[devices.figures]\nkind = "meter.max7219"\nmeters = ["royal_9.mega"]\n\n[devices.lines]'
SEATS = '\n[devices.seats]\nkind = "lines.mcp23017"\naddresses = [0x20]\n\n[devices.lines]'


@pytest.mark.parametrize(
    ("port", "severity"),
    [
        ("/dev/ttyS0", Severity.REFUSED),
        ("/dev/../dev/ttyS0", Severity.REFUSED),
        ("/dev/serial0", Severity.WARNING),
        ("/dev/ttyAMA0", None),
        ("/dev/tabled/board", None),
    ],
)
def test_parity_on_the_mini_uart_is_told(port: str, severity: Severity | None) -> None:
    for more, expected in (("", severity), ('\nparity = "none"', None)):
        settings = production((BOARD, f'kind = "board.alpha"\nurl = "{port}"{more}'))
        found = [p for p in check(settings, CATALOGUE, IN_FORCE) if "mini-UART" in p.got]
        assert [p.severity for p in found] == ([expected] if expected else []), port
        assert all(p.key == "devices.board.url" and "ttyAMA0" in p.remedy for p in found)


def test_where_a_bus_takes_lines_the_remedy_can_be_done() -> None:
    found = refused(production(("[devices.lines]", FIGURES)))
    taken = [p for p in found if "SPI bus 1" in p.got]
    keys = [p.key.rpartition(".")[2] for p in taken]
    assert keys == [
        "spots[4]",
        "spots[5]",
        "spots[6]",
        "lockout",
        "confirm",
        "call",
    ]
    assert {p.remedy for p in taken} == {
        (
            "Move it (free: GPIO 4, 27); spots and keys, not the lock-out button, can go to "
            "an expander (lines.mcp23017, lines.shift_register)."
        )
    }
    moves = {16: "seats:0", 17: "seats:1", 18: "seats:2", 19: "lines:4", 20: "lines:27", 21: "seats:3"}
    moved = [(f'"lines:{line}"', f'"{to}"') for line, to in moves.items()]
    assert refused(production(*moved, ("[devices.lines]", FIGURES), ("[devices.lines]", SEATS))) == []


def test_a_line_that_is_used_twice_is_told_what_is_free_and_that_nothing_is() -> None:
    (twice,) = refused(production(('confirm = "lines:20"', 'confirm = "lines:5"')))
    assert "(free: GPIO 4, 20, 27)" in twice.remedy
    lamps = 'kind = "lamps.neopixel_spi"\nbus = 0\ndevice = 0\npixels = 7\nbrightness_percent = 40\n'
    plain = 'kind = "lamps.gpio"\nlines = [4, 7, 8, 9, 10, 11, 27]\n'
    settings = production((lamps, plain))
    assert "no line of the header is free" in check_header.remedy(settings, tuple(line_claims(settings)))
