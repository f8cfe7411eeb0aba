"""How the wagers of the poker games are counted: what each of them can see of a deal.

Rules:
* A view is a claim about a wager function: that it can't tell the deals apart which the view counts together. The claim
  is tested against the plain enumeration of a short deck, for every wager.
* The verdicts come from the wager functions that settle; here they are only counted. Bad Beat alone has too many deals:
  how often a hand of each rank is beaten is checked in (`bad_beat.py`), what comes of it is asked of its function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from firmware.core.paytables import Paytable
from firmware.core.poker import HandRank
from firmware.core.readings import Readings
from firmware.core.wagers.criss_cross_poker import CRISS_CROSS_POKER
from firmware.core.wagers.poker_round import DECKS, PokerRound
from firmware.core.wagers.ultimate_pairs import CRISS_CROSS_ULTIMATE_PAIRS, HOLDEM_ULTIMATE_PAIRS
from firmware.core.wagers.ultimate_texas_holdem import (
    BAD_BEAT,
    PLAY_THE_BOARD,
    TRIPS,
    ULTIMATE_TEXAS_HOLDEM,
    beaten_hand,
)
from firmware.core.wagers.wager import LOST, Seat, Table, Verdict, Wager
from firmware.odds.bad_beat_counts import BEATEN, TIED
from firmware.odds.poker_deals import (
    ALL_RANKS,
    POSITION,
    Ranks,
    board_deals,
    own_and_dealer_deals,
    own_cards_deals,
    own_hand_deals,
)
from firmware.odds.verdicts import Chances, Counting, Setup, Weights

View = Callable[[Ranks], Iterator[tuple[int, PokerRound]]]
"""The deals that a wager can tell apart, with their weights, from a deck of these ranks."""

VIEWS: dict[Wager[PokerRound], View] = {
    TRIPS: own_hand_deals,
    PLAY_THE_BOARD: board_deals,
    HOLDEM_ULTIMATE_PAIRS: own_and_dealer_deals,
    CRISS_CROSS_ULTIMATE_PAIRS: own_cards_deals,
}
"""Every wager but Bad Beat."""


def count(wager: Wager[PokerRound], paytable: Paytable, _setup: Setup, _weights: Weights) -> Chances:
    """The chances of one wager over every deal of a deck, by recommended readings."""
    seat = Seat(POSITION, Table(DECKS), paytable)
    if wager is BAD_BEAT:
        return Chances.counted(count_beaten_hands(BEATEN, TIED, seat.readings))
    return Chances.counted(count_over(wager, seat, _deals(VIEWS[wager])))


def count_over(wager: Wager[PokerRound], seat: Seat, deals: Iterable[tuple[int, PokerRound]]) -> Counter[Verdict]:
    """The verdicts of one wager over weighted deals."""
    counts: Counter[Verdict] = Counter()
    for ways, dealt in deals:
        counts[wager.judge(dealt, seat)] += ways
    return counts


def count_beaten_hands(beaten: Mapping[HandRank, int], tied: int, readings: Readings) -> Counter[Verdict]:
    """The verdicts of Bad Beat when the hand of each rank is beaten so often, the position's and the dealer's alike."""
    counts: Counter[Verdict] = Counter({LOST: tied})
    for rank, ways in beaten.items():
        if ways:
            for is_own in (True, False):
                counts[beaten_hand(rank, is_own, readings)] += ways
    return counts


@cache
def _deals(view: View) -> tuple[tuple[int, PokerRound], ...]:
    return tuple(view(ALL_RANKS))


_SETUPS = (Setup(decks=DECKS),)

COUNTINGS_OF_POKER = (
    Counting(ULTIMATE_TEXAS_HOLDEM, _SETUPS, count),
    Counting(CRISS_CROSS_POKER, _SETUPS, count),
)
