"""Test patterns on the sign, the dealer's display and the displays of meters, through the table's own drivers: every
place of it, every character that the table uses, and what a full row looks like."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from drivers.ports import BoardContent, MeterContent, MeterHit, MeterReading
from firmware.app.registry import Devices
from firmware.settings.model import Settings
from hil.lease import Access, NoLease, devices
from hil.stepped import NotShown, stepped

COLUMNS, ROWS = 20, 4
"""Of the dealer's display."""
CHARACTERS = string.ascii_uppercase + string.digits + "$.,/-:()"


def board_patterns() -> Iterator[tuple[str, BoardContent]]:
    """What is shown, for people, and the content."""
    yield "title and three fields", BoardContent("TEST", (("ONE", "$1,111.11"), ("TWO", "$22.22"), ("TEN", "$0.10")))
    yield "the fields change in place", BoardContent("TEST", (("ONE", "$9,999.99"), ("TWO", "$88.88"), ("TEN", "$7")))
    yield "a message takes the whole sign", BoardContent("TEST", (), "MESSAGE 12345")
    yield "every character", BoardContent(CHARACTERS, ())
    yield "nothing", BoardContent("", ())


def display_patterns() -> Iterator[tuple[str, tuple[str, ...]]]:
    for row in range(ROWS):
        yield f"line {row + 1} full", tuple("#" * COLUMNS if other == row else "" for other in range(ROWS))
    yield "every character", tuple(CHARACTERS[at : at + COLUMNS] for at in range(0, ROWS * COLUMNS, COLUMNS))
    yield "corners", ("1" + " " * (COLUMNS - 2) + "2", "", "", "3" + " " * (COLUMNS - 2) + "4")
    yield "nothing", ("",) * ROWS


def meters_of(settings: Settings) -> tuple[str, ...]:
    """Every meter that a display may show."""
    return (*settings.meters, *(() if settings.mystery is None else ("mystery",)))


def meter_patterns(meters: Sequence[str]) -> Iterator[tuple[str, MeterContent]]:
    """Every figure in turn on all meters, each meter's own number, a hit, and what stands while nothing is known."""
    for figure in range(1, 10):
        cents = int(str(figure) * 8)
        yield f"every figure {figure}", MeterContent(tuple(MeterReading(meter, cents) for meter in meters))
    own = tuple(MeterReading(meter, number * 100) for number, meter in enumerate(meters, start=1))
    numbers = ", ".join(f"{number}.00 on {meter}" for number, meter in enumerate(meters, start=1))
    yield f"each meter's number: {numbers}", MeterContent(own)
    yield "a hit of position 7 on each", MeterContent(own, tuple(MeterHit(meter, 50_000, 7) for meter in meters))
    yield "dashes", MeterContent()


async def pattern(access: Access, name: str, hold_s: float) -> int:
    """Exit status 0 when every pattern has left for the device, 1 if it failed. Raises as `devices`."""
    async with devices(access, [name]) as held:
        patterns = _patterns(name, held.devices, held.settings)
        if not patterns:
            raise NoLease(f"{name} is no sign, no dealer's display and no meters' display")
        print(held.how)
        try:
            async with stepped(held, name, hold_s) as shown:
                for what, show in patterns:
                    await shown.step(what, show)
        except NotShown as error:
            print(f"NOT IN ORDER: {error}")
            return 1
    print("every pattern has left for the device, which can't say what it shows: compare it with what was told")
    return 0


def _patterns(name: str, held: Devices, settings: Settings) -> list[tuple[str, Callable[[], None]]]:
    """What is shown, for people, and how; nothing for a device that shows no text."""
    steps: list[tuple[str, Callable[[], None]]] = []
    for board in held.boards:
        if board.name == name:
            steps += [(what, partial(board.show, content)) for what, content in board_patterns()]
    for display in held.displays:
        if display.name == name:
            steps += [(what, partial(display.show, lines)) for what, lines in display_patterns()]
    for meter in held.meters:
        if meter.name == name:
            steps += [(what, partial(meter.show, content)) for what, content in meter_patterns(meters_of(settings))]
    return steps
