"""Roulette Up, the streak of rising numbers, with and without a progressive meter: § 617b.4.

Readings that these functions keep to: U1 (the 36 that ends a streak counts; a setting), U2 (a starting number 36 is a
streak of one and ends it), U3 (the ending spin starts no streak), U4 (0 < 00 < 1), U5 and U6 (each wager ends at the
longest streak of its own table; "n/a" at 9 ends it at 8), U7 (it stays in force until settled), U8 (void spins are
left out), U9 (Push and Loss as printed), U12 (the length is the number of boxes covered), X5 and U10 (one streak is
everybody's: the meter is shared).
"""

from __future__ import annotations

from firmware.core.pays import Unpaid
from firmware.core.paytables import Paytable
from firmware.core.readings import Readings
from firmware.core.roulette_wheel import POCKETS, Pocket
from firmware.core.wagers.spun import Spun
from firmware.core.wagers.wager import PENDING, Seat, Stage, Verdict, Wager, Won

LINES = {length: f"streak_{length}" for length in range(9, 0, -1)}
"""The line of each length, in the order of the paytables; those that are not progressive have none for 9."""

HIGHEST = POCKETS["36"]


def longest_streak(paytable: Paytable) -> int:
    """617b.4(g)(2)(iii): the greatest length for which the table has a row."""
    return next(
        length
        for length, name in LINES.items()
        if name in paytable.by_line and paytable.by_line[name].pay is not Unpaid.NOT_IN_TABLE
    )


def ended_streak(spins: tuple[Pocket, ...], longest: int, readings: Readings) -> int | None:
    """617b.4(f), (g): the length of the streak that these results began and ended, None while it goes on."""
    previous: Pocket | None = None
    for length, spin in enumerate(spins, start=1):
        if previous is not None and not previous < spin:
            return length - 1
        if previous is not None and spin == HIGHEST and readings.U1 == "not":
            return length - 1
        if spin == HIGHEST or length == longest:
            return length
        previous = spin
    return None


def roulette_up(dealt: Spun, seat: Seat) -> Verdict:
    """617b.4(g), (h): by the length of the streak, once it has ended."""
    length = ended_streak(dealt.spins, longest_streak(seat.paytable), seat.readings)
    return PENDING if length is None else _WON[length]


_WON = {length: Won((name,)) for length, name in LINES.items()}

ROULETTE_UP = Wager("roulette_up", Stage.FINAL, tuple(LINES.values())[1:], roulette_up, by_paytable=True)
ROULETTE_UP_PROGRESSIVE = Wager(
    "roulette_up_progressive", Stage.FINAL, tuple(LINES.values()), roulette_up, by_paytable=True
)
