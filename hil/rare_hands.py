"""Hands that chance would not bring in a session: which cards win which meter, and what is worth seeing besides.

Rules:
* `meter_won` and `rare` name a spot, which then gets a chip, and the cards that are put on top of the shoe, in the
  order in which the table deals them. None: the table has nothing of the kind.
* The meter that is won changes with `turn`, so that each comes in its turn.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from enum import StrEnum
from itertools import cycle
from typing import NamedTuple

from hil.layout import Layout, Spot

ROYAL_9 = "royal_9_progressive"
CROWN = "royal_match_progressive"
TWENTY_ONE = "21_plus_3_progressive"
SEVENS = "blazing_7s_multi_progressive"

FILLERS = ("2C", "4D", "6H", "9S", "5C", "8D", "3H")
"""What the other hands get: nothing that wins a meter."""


class Meter(StrEnum):
    """Which hands win which meter at a position (627b.3(e))."""

    MINOR = "minor"  # the Player hand is the position's combination
    MAJOR = "major"  # the Banker hand is
    MEGA = "mega"  # both are


class Rare(NamedTuple):
    """A spot, and the cards that make it win."""

    spot: Spot
    cards: tuple[str, ...]


class Hand(NamedTuple):
    """Two cards of a position and the dealer's two; None where any will do."""

    wager: str
    own: tuple[str, str]
    upcard: str
    hole: str | None = None


def meter_won(layout: Layout, chance: random.Random, seats: Sequence[int], turn: int) -> Rare | None:
    """`seats`: the positions that are dealt in, where hands belong to positions."""
    if layout.dealt_in_by:
        return _at_a_seat(layout, chance, seats, turn, METER_HANDS)
    royal = [spot for spot in layout.spots if spot.wager == ROYAL_9]
    if not royal:
        return None
    spot = chance.choice(royal)
    return Rare(spot, _meter_cards(layout, chance, spot, list(Meter)[turn % len(Meter)]))


def rare(layout: Layout, chance: random.Random, seats: Sequence[int], turn: int) -> Rare | None:
    """A suited Royal 9 that is not the position's; at a Blackjack table what waits for the hole card."""
    if layout.dealt_in_by:
        return _at_a_seat(layout, chance, seats, turn, WAITING_HANDS)
    royal = [spot for spot in layout.spots if spot.wager == ROYAL_9]
    if not royal:
        return None
    spot = chance.choice(royal)
    suit = chance.choice("SHDC")
    return Rare(spot, (f"Q{suit}", "2C", f"9{suit}", "4D"))


def _meter_cards(layout: Layout, chance: random.Random, spot: Spot, meter: Meter) -> tuple[str, ...]:
    own = list(layout.settings.combinations[str(spot.position)])
    chance.shuffle(own)
    player = own if meter in (Meter.MINOR, Meter.MEGA) else ["2C", "5D"]
    banker = own if meter in (Meter.MAJOR, Meter.MEGA) else ["2C", "4D"]
    return (player[0], banker[0], player[1], banker[1])


# --- hands of positions -----------------------------------------------------------------------------------------------

METER_HANDS = (
    Hand(SEVENS, ("7H", "7D"), "7H"),  # one colour: minor
    Hand(CROWN, ("KS", "QS"), "KH", "QH"),
    Hand(SEVENS, ("7C", "7C"), "7C"),  # one suit: major
    Hand(TWENTY_ONE, ("AS", "AS"), "AS"),
    Hand(SEVENS, ("7D", "7D"), "7D"),  # mega
    Hand(TWENTY_ONE, ("KH", "KH"), "KH"),
)
WAITING_HANDS = (
    Hand(CROWN, ("KD", "QD"), "QC", "9S"),
    Hand("kings_bounty", ("KS", "KS"), "AH", "KD"),
    Hand("kings_bounty", ("KS", "KS"), "TH", "5D"),
)


def _at_a_seat(
    layout: Layout, chance: random.Random, seats: Sequence[int], turn: int, hands: Sequence[Hand]
) -> Rare | None:
    offered = [hand for hand in hands if hand.wager in layout.wagers]
    if not offered or not seats:
        return None
    hand = offered[turn % len(offered)]
    position = chance.choice(list(seats))
    fillers = cycle(FILLERS)
    cards = []
    for own, dealer in zip(hand.own, (hand.upcard, hand.hole or "3D"), strict=True):
        cards += [own if seat == position else next(fillers) for seat in sorted(seats)]
        cards.append(dealer)
    return Rare(Spot(position, hand.wager), tuple(cards))
