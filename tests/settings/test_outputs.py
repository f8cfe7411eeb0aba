"""Output lines of the header: plain lamps, and the boards of NeoPixels without SPI."""

from __future__ import annotations

import pytest

from tests.settings.tables import production, refused

SPI = 'kind = "lamps.neopixel_spi"\nbus = 0\ndevice = 0\npixels = 7\nbrightness_percent = 40\n'
LINES = 'kind = "lamps.gpio"\nlines = [4, 7, 8, 9, 10, 11, 27]\n'


def lamps(options: str) -> tuple[str, str]:
    return (SPI, options)


def test_plain_lamps_take_the_lines_that_spi_leaves_free() -> None:
    assert refused(production(lamps(LINES))) == []
    assert refused(production(lamps('kind = "lamps.neopixel_pio"\ngpio = 27\npixels = 7\n'))) == []


WRONG: list[tuple[str, str, str]] = [
    (LINES.replace("[4,", "[5,"), "devices.lamps.lines[0]", "line 5 is already wagers.royal_9_progressive.spots[0]"),
    (LINES.replace("[4, 7", "[7, 7"), "devices.lamps.lines[1]", "line 7 is already devices.lamps.lines[0]"),
    (LINES.replace("[4,", "[1,"), "devices.lamps.lines[0]", "EEPROM"),
    (LINES.replace("[4,", "[40,"), "devices.lamps.lines[0]", "no GPIO 40"),
    (LINES.replace(", 27]", "]"), "wagers.royal_9_progressive.lamps[6]", "no lamp 6"),
    (f'{LINES}chip = 0\nlibrary = "rpigpio"\n', "devices.lamps.chip", "RPi.GPIO finds the header by itself"),
    ('kind = "lamps.neopixel_pwm"\ngpio = 27\npixels = 7\n', "devices.lamps.gpio", "one of 10, 12, 18, 21"),
    ('kind = "lamps.neopixel_pio"\ngpio = 19\npixels = 7\n', "keys.lockout", "taken by devices.lamps"),
]


@pytest.mark.parametrize(("options", "key", "said"), WRONG)
def test_a_line_that_can_not_be_meant_is_refused(options: str, key: str, said: str) -> None:
    found = refused(production(lamps(options)))
    assert [problem.key for problem in found] == [key], [problem.text("f") for problem in found]
    assert said in found[0].text("f")


MOVED = ((16, 4), (17, 11), (18, 27), (19, 7), (20, 8), (21, 9))
"""Lines that SPI bus 1 takes, and where there is room for them."""


def figures(options: str, moved: bool = True) -> list[tuple[str, str]]:
    """What is refused of the Pi's table with figures of these options."""
    pio = 'kind = "lamps.neopixel_pio"\ngpio = 10\npixels = 7\n'
    device = f'\n[devices.figures]\nkind = "meter.max7219"\n{options}\n'
    moves = [(f'"lines:{there}"', f'"lines:{here}"') for there, here in MOVED]
    found = refused(production(lamps((pio if moved else SPI) + device), *(moves if moved else ())))
    return [(problem.key, problem.text("f")) for problem in found]


def test_figures_have_a_bus_of_their_own() -> None:
    assert figures('meters = ["royal_9.mega", "royal_9.major"]') == []
    keys = [key for key, _ in figures('meters = ["royal_9.mega"]', moved=False)]
    assert keys.count("keys.lockout") == 1, "SPI bus 1 takes line 19"
    shared = figures('bus = 0\nmeters = ["royal_9.mega"]', moved=False)
    assert [key for key, _ in shared] == ["devices.figures.bus"]
    assert "already devices.lamps" in shared[0][1]


def test_a_chip_shows_a_meter_that_there_is_and_once() -> None:
    found = figures('meters = ["royal_9.mega", "royal_9.mga", "royal_9.mega"]')
    assert [key for key, _ in found] == ["devices.figures.meters[1]", "devices.figures.meters[2]"]
    assert "no meter 'royal_9.mga'" in found[0][1]


RELEASE = '[devices.release]\nkind = "release.gpio"\nline = 27\nbutton = 4\nball = {ball}\n\n[devices.lines]'


@pytest.mark.parametrize(("ball", "wrong"), [(2, None), (10, "taken by devices.lamps"), (5, "already wagers.royal_9")])
def test_a_release_device_has_lines_of_its_own_and_no_game_yet(ball: int, wrong: str | None) -> None:
    found = {p.key: p.text("f") for p in refused(production(("[devices.lines]", RELEASE.format(ball=ball))))}
    assert "no release device: the game's results are cards" in found.pop("devices.release.kind")
    assert list(found) == (["devices.release.ball"] if wrong else [])
    assert wrong is None or wrong in found["devices.release.ball"]
