"""What happens in which round of a played session: chips, cards, and what goes wrong. By seed, the same every time.

Rules:
* In every `BLOCK` rounds each of `HAPPENINGS` comes once, in an order drawn by seed; the other rounds are ordinary.
* The meter that is won changes from block to block, so that each comes in turn.
* A plan only asks; what the table has no wager for (a Royal 9 without that wager) becomes an ordinary round.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from hil.layout import Layout, Spot

BLOCK = 16
ROYAL_9 = "royal_9_progressive"

SITS_DOWN = 0.75
CHIP_ON: dict[str, float] = {"player": 0.55, "banker": 0.4, "tie": 0.15, ROYAL_9: 0.5}
CHIP_ON_OTHER = 0.25
CHIPS_MOST = 24
"""Fewer than half of a table's lines at once: more would be noise to it, not patrons."""


class Happening(StrEnum):
    """What is out of the ordinary in a round."""

    NOTHING = "nothing"
    METER_WON = "a meter is won"
    ROYAL_9 = "a suited Royal 9"
    LATE_CHIP = "a chip comes after lock-out"
    CHIP_REMOVED = "a patron takes a progressive chip back before the count"
    STUCK_SENSOR = "a sensor reports a chip that is not there"
    MISCOUNT = "the dealer counts wrong and calls"
    MISDEAL = "the dealer stops the deal; the floorperson voids the round"


HAPPENINGS = tuple(happening for happening in Happening if happening is not Happening.NOTHING)


class Meter(StrEnum):
    """Which hands win which meter at a position (627b.3(e))."""

    MINOR = "minor"  # the Player hand is the position's combination
    MAJOR = "major"  # the Banker hand is
    MEGA = "mega"  # both are


class RoundPlan(Struct, frozen=True):
    """One round. `cards` are put on top of the shoe first: Player, Banker, Player, Banker."""

    happening: Happening
    chips: tuple[Spot, ...]
    odd_one: Spot | None = None
    """The spot that the happening is about."""
    cards: tuple[str, ...] = ()


def plans(layout: Layout, seed: int) -> Iterator[RoundPlan]:
    """The rounds of a session, without end."""
    chance = random.Random(seed)
    meters = list(Meter)
    for block in range(1 << 30):
        rounds = [*HAPPENINGS, *[Happening.NOTHING] * (BLOCK - len(HAPPENINGS))]
        chance.shuffle(rounds)
        for happening in rounds:
            yield _plan(layout, chance, happening, meters[block % len(meters)])


def _plan(layout: Layout, chance: random.Random, happening: Happening, meter: Meter) -> RoundPlan:
    chips = _chips(layout, chance)
    royal = [spot for spot in layout.spots if spot.wager == ROYAL_9]
    match happening:
        case Happening.NOTHING | Happening.MISDEAL:
            return RoundPlan(happening, tuple(chips))
        case Happening.METER_WON if royal:
            spot = chance.choice(royal)
            chips = [*(chip for chip in chips if chip != spot), spot]
            return RoundPlan(happening, tuple(chips), spot, _meter_cards(layout, chance, spot, meter))
        case Happening.ROYAL_9 if royal:
            spot = chance.choice(royal)
            chips = [*(chip for chip in chips if chip != spot), spot]
            suit = chance.choice("SHDC")
            return RoundPlan(happening, tuple(chips), spot, (f"Q{suit}", "2C", f"9{suit}", "4D"))
        case Happening.LATE_CHIP | Happening.STUCK_SENSOR:
            wanted = layout.progressive if happening is Happening.STUCK_SENSOR else frozenset(layout.wagers)
            free = [spot for spot in layout.spots if spot not in chips and spot.wager in wanted]
            if free:
                return RoundPlan(happening, tuple(chips), chance.choice(free))
        case Happening.CHIP_REMOVED | Happening.MISCOUNT:
            counted = [spot for spot in chips if spot.wager in layout.progressive]
            if not counted and royal:
                counted = [chance.choice(royal)]
                chips = [*chips, *counted]
            if counted:
                return RoundPlan(happening, tuple(chips), chance.choice(counted))
        case _:
            pass  # the table does not offer what it takes
    return RoundPlan(Happening.NOTHING, tuple(chips))


def _chips(layout: Layout, chance: random.Random) -> list[Spot]:
    """At least one chip, in the order in which patrons put them down."""
    seated = {p for p in range(1, layout.settings.table.positions + 1) if chance.random() < SITS_DOWN}
    chips = [
        spot
        for spot in layout.spots
        if spot.position in seated and chance.random() < CHIP_ON.get(spot.wager, CHIP_ON_OTHER)
    ] or [chance.choice(list(layout.spots))]
    chance.shuffle(chips)
    return chips[:CHIPS_MOST]


def _meter_cards(layout: Layout, chance: random.Random, spot: Spot, meter: Meter) -> tuple[str, ...]:
    own = list(layout.settings.combinations[str(spot.position)])
    chance.shuffle(own)
    player = own if meter in (Meter.MINOR, Meter.MEGA) else ["2C", "5D"]
    banker = own if meter in (Meter.MAJOR, Meter.MEGA) else ["2C", "4D"]
    return (player[0], banker[0], player[1], banker[1])
