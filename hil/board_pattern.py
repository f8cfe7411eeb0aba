"""Test patterns on the sign and on the dealer's display, through the table's own drivers: every place of it, every
character that the table uses, and what a full row looks like."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator
from functools import partial

from drivers.ports import BoardContent, DealerDisplay, ReaderBoard
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


async def pattern(access: Access, name: str, hold_s: float) -> int:
    """Exit status 0 when every pattern has left for the device, 1 if it failed. Raises as `devices`."""
    async with devices(access, [name]) as held:
        found = next((one for one in (*held.devices.boards, *held.devices.displays) if one.name == name), None)
        if found is None:
            raise NoLease(f"{name} is no sign and no dealer's display")
        print(held.how)
        try:
            async with stepped(held, name, hold_s) as shown:
                for what, show in _patterns(name, held.devices.boards, held.devices.displays):
                    await shown.step(what, show)
        except NotShown as error:
            print(f"NOT IN ORDER: {error}")
            return 1
    print("every pattern has left for the device, which can't say what it shows: compare it with what was told")
    return 0


def _patterns(
    name: str, boards: list[ReaderBoard], displays: list[DealerDisplay]
) -> Iterator[tuple[str, Callable[[], None]]]:
    for board in boards:
        if board.name == name:
            for what, content in board_patterns():
                yield what, partial(board.show, content)
    for display in displays:
        if display.name == name:
            for what, lines in display_patterns():
                yield what, partial(display.show, lines)
