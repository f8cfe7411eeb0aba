"""What happens in which round of a played session: chips, cards, and what goes wrong. By seed, the same every time.

Rules:
* In every `BLOCK` rounds each of the table's `happenings` comes once, in an order drawn by seed; the other rounds are
  ordinary.
* The meter that is won changes from block to block, so that each comes in turn.
* A plan only asks; what the table has no wager for (a Royal 9 without that wager) becomes an ordinary round.
* Where hands belong to positions, who sits down has the game's own wager, and the others beside it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from hil import rare_hands
from hil.layout import Layout, Spot
from hil.rare_hands import ROYAL_9

BLOCK = 16

SITS_DOWN = 0.75
CHIP_ON: dict[str, float] = {"player": 0.55, "banker": 0.4, "tie": 0.15, ROYAL_9: 0.5}
CHIP_ON_OTHER = 0.25
CHIPS_MOST = 24
"""Fewer than half of a table's lines at once: more would be noise to it, not patrons."""


class Happening(StrEnum):
    """What is out of the ordinary in a round."""

    NOTHING = "nothing"
    METER_WON = "a meter is won"
    RARE_HAND = "a hand that seldom comes"
    LATE_CHIP = "a chip comes after lock-out"
    CHIP_REMOVED = "a patron takes a progressive chip back before the count"
    STUCK_SENSOR = "a sensor reports a chip that is not there"
    MISCOUNT = "the dealer counts wrong and calls"
    MISDEAL = "the dealer stops the deal; the floorperson voids the round"
    SAME_NUMBER = "the ball rests where it rested before"
    NO_SPIN = "the ball runs the wrong way; it is spun again"
    NUMBERS_DIFFER = "the wheel tells two numbers; the dealer looks"
    WHEEL_CLOSES = "the dealer forgets the button; the wheel closes betting"
    EXPOSED_CARD = "a card is exposed; the floorperson has it set aside"


BY_POSITION = frozenset({Happening.EXPOSED_CARD})
"""What only happens where hands belong to positions."""


AT_A_WHEEL = frozenset({Happening.SAME_NUMBER, Happening.NO_SPIN, Happening.NUMBERS_DIFFER, Happening.WHEEL_CLOSES})
"""What only happens there."""

WITH_CARDS = frozenset({Happening.METER_WON, Happening.RARE_HAND})


def happenings(layout: Layout) -> tuple[Happening, ...]:
    """What happens at this table."""
    left_out = {Happening.NOTHING, *(WITH_CARDS if layout.wheel else AT_A_WHEEL)}
    if not layout.dealt_in_by:
        left_out |= BY_POSITION
    return tuple(happening for happening in Happening if happening not in left_out)


class RoundPlan(Struct, frozen=True):
    """One round. `cards` are put on top of the shoe first, in the order of the deal."""

    happening: Happening
    chips: tuple[Spot, ...]
    odd_one: Spot | None = None
    """The spot that the happening is about."""
    cards: tuple[str, ...] = ()


def plans(layout: Layout, seed: int) -> Iterator[RoundPlan]:
    """The rounds of a session, without end."""
    chance = random.Random(seed)
    here = happenings(layout)
    for block in range(1 << 30):
        rounds = [*here, *[Happening.NOTHING] * (BLOCK - len(here))]
        chance.shuffle(rounds)
        for happening in rounds:
            yield _plan(layout, chance, happening, block)


def _plan(layout: Layout, chance: random.Random, happening: Happening, turn: int) -> RoundPlan:
    chips = _chips(layout, chance)
    seats = [spot.position for spot in chips if spot.wager == layout.dealt_in_by]
    at_seats = [spot for spot in layout.spots if _may_bet(layout, spot, seats)]
    match happening:
        case (
            Happening.NOTHING
            | Happening.MISDEAL
            | Happening.EXPOSED_CARD
            | Happening.SAME_NUMBER
            | Happening.NO_SPIN
            | Happening.NUMBERS_DIFFER
            | Happening.WHEEL_CLOSES
        ):
            return RoundPlan(happening, tuple(chips))
        case Happening.METER_WON | Happening.RARE_HAND:
            find = rare_hands.meter_won if happening is Happening.METER_WON else rare_hands.rare
            found = find(layout, chance, seats, turn)
            if found is not None:
                chips = [*(chip for chip in chips if chip != found.spot), found.spot]
                return RoundPlan(happening, tuple(chips), found.spot, found.cards)
        case Happening.LATE_CHIP | Happening.STUCK_SENSOR:
            wanted = layout.progressive if happening is Happening.STUCK_SENSOR else frozenset(layout.wagers)
            free = [spot for spot in at_seats if spot not in chips and spot.wager in wanted]
            if free:
                return RoundPlan(happening, tuple(chips), chance.choice(free))
        case Happening.CHIP_REMOVED | Happening.MISCOUNT:
            counted = [spot for spot in chips if spot.wager in layout.progressive]
            if not counted and (free := [spot for spot in at_seats if spot.wager in layout.progressive]):
                counted = [chance.choice(free)]
                chips = [*chips, *counted]
            if counted:
                return RoundPlan(happening, tuple(chips), chance.choice(counted))
    return RoundPlan(Happening.NOTHING, tuple(chips))


def _may_bet(layout: Layout, spot: Spot, seats: list[int]) -> bool:
    """Whether a chip there can be a wager: beside the game's own, where hands belong to positions."""
    return not layout.dealt_in_by or (spot.position in seats and spot.wager != layout.dealt_in_by)


def _chips(layout: Layout, chance: random.Random) -> list[Spot]:
    """At least one chip, in the order in which patrons put them down."""
    seated = {p for p in range(1, layout.settings.table.positions + 1) if chance.random() < SITS_DOWN}
    if layout.dealt_in_by:
        seated = seated or {chance.randint(1, layout.settings.table.positions)}
    own = [spot for spot in layout.spots if spot.position in seated and spot.wager == layout.dealt_in_by]
    chips = [
        spot
        for spot in layout.spots
        if spot.position in seated and spot not in own and chance.random() < CHIP_ON.get(spot.wager, CHIP_ON_OTHER)
    ]
    if not own and not chips:
        chips = [chance.choice(list(layout.spots))]
    chance.shuffle(chips)
    return [*own, *chips][:CHIPS_MOST]
