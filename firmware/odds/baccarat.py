"""How the wagers of the baccarat games are counted: what each of them can see of a deal.

Rules:
* A view is a claim about a wager function: that it can't tell the deals apart which the view counts together. The
  claim is tested against the plain enumeration, for every wager, on short shoes.
* The verdicts come from the wager functions that settle; here they are only counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import Enum, auto
from functools import cache

from firmware.core.baccarat import POINTS, points
from firmware.core.cards import DECK, Card, Rank
from firmware.core.paytables import Paytable
from firmware.core.wagers.baccarat import BACCARAT
from firmware.core.wagers.midibaccarat import MIDIBACCARAT
from firmware.core.wagers.minibaccarat import MINIBACCARAT
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import Combination, Seat, Table, Verdict, Wager
from firmware.odds.deals import decks_of, finished_deals, initial_deals, make_shoe, single_hands
from firmware.odds.three_card_nines import nine_nine_deals
from firmware.odds.verdicts import Chances, Counting, Setup, Weights


class View(Enum):
    """What a wager can see."""

    PLAYER_PAIR = auto()  # the Player hand's initial two cards
    BANKER_PAIR = auto()  # the Banker hand's initial two cards
    ROYALS = auto()  # of the initial four cards, the kings, queens, jacks and nines
    SCORES = auto()  # points and number of cards of both finished hands
    NINES = auto()  # of the initial four cards, the nines
    SCORES_AND_SUITS = auto()  # as SCORES, and of two three-card nines the suits as well


VIEWS: dict[str, View] = {
    "perfect_pairs_player": View.PLAYER_PAIR,
    "perfect_pairs_banker": View.BANKER_PAIR,
    "player": View.SCORES,
    "banker": View.SCORES,
    "tie": View.SCORES,
    "player_pair": View.PLAYER_PAIR,
    "banker_pair": View.BANKER_PAIR,
    "lucky_six": View.SCORES,
    "royal_9_progressive": View.ROYALS,
    "heavenly_9_progressive": View.SCORES_AND_SUITS,
    "fortune_7": View.SCORES,
    "golden_8": View.SCORES,
    "heavenly_9": View.SCORES,
    "blazing_7s_baccarat": View.SCORES,
    "cover_all": View.SCORES,
    "lucky_nines": View.NINES,
}
"""Every wager that is built, by name."""

_UNSEEN = DECK[:2]
"""Stands for the hand at which a wager on the other hand does not look."""

LAYOUT: dict[int, Combination] = {
    position: frozenset(map(Card.parse, pair))
    for position, pair in enumerate(
        (("KS", "9H"), ("KH", "9S"), ("KD", "9C"), ("KC", "9D"), ("KS", "9D"), ("KH", "9C")), start=1
    )
}
"""The layout on which Royal 9 odds are stated (decision 0012): six positions, all combinations off-suit, seen from
position 1.
"""

POSITION = 1


def count(wager: Wager[TwoHands], paytable: Paytable, setup: Setup, _weights: Weights) -> Chances:
    """The chances of one wager at `POSITION` of `LAYOUT`, over every deal of a full shoe, by recommended readings."""
    decks = setup.decks or 0
    seat = Seat(POSITION, Table(decks, LAYOUT), paytable)
    return count_over(wager, seat, _outcomes(VIEWS[wager.name], decks))


def count_over(wager: Wager[TwoHands], seat: Seat, outcomes: Iterable[tuple[int, TwoHands]]) -> Chances:
    """The chances of one wager over weighted deals."""
    counts: Counter[Verdict] = Counter()
    for ways, dealt in outcomes:
        counts[wager.judge(dealt, seat)] += ways
    return Chances.counted(counts)


@cache
def _outcomes(view: View, decks: int) -> tuple[tuple[int, TwoHands], ...]:
    return tuple(outcomes(view, decks_of(decks)))


def outcomes(view: View, cards: tuple[Card, ...]) -> Iterator[tuple[int, TwoHands]]:
    """The deals from these cards that a view tells apart, with their weights."""
    match view:
        case View.PLAYER_PAIR:
            for ways, pair in single_hands(make_shoe(cards, _face)):
                yield ways, TwoHands(pair, _UNSEEN)
        case View.BANKER_PAIR:  # any two cards of a shoe have the law of any other two
            for ways, pair in single_hands(make_shoe(cards, _face)):
                yield ways, TwoHands(_UNSEEN, pair)
        case View.ROYALS:
            yield from initial_deals(make_shoe(cards, _royal_face))
        case View.SCORES:
            yield from _merged(finished_deals(make_shoe(cards, _points)), _scores)
        case View.NINES:
            yield from initial_deals(make_shoe(cards, _nine))
        case View.SCORES_AND_SUITS:
            for ways, dealt in outcomes(View.SCORES, cards):
                if _scores(dealt) != _NINE_NINE:
                    yield ways, dealt
            yield from nine_nine_deals(cards)


def _merged(
    deals: Iterable[tuple[int, TwoHands]], key_of: Callable[[TwoHands], Hashable]
) -> Iterator[tuple[int, TwoHands]]:
    """Deals with one key as one deal: the first of them, with all their weights."""
    first: dict[Hashable, TwoHands] = {}
    weights: Counter[Hashable] = Counter()
    for ways, dealt in deals:
        key = key_of(dealt)
        first.setdefault(key, dealt)
        weights[key] += ways
    for key, dealt in first.items():
        yield weights[key], dealt


def _face(card: Card) -> Hashable:
    return card


_ROYAL_RANKS = frozenset({Rank.NINE, Rank.JACK, Rank.QUEEN, Rank.KING})


def _royal_face(card: Card) -> Hashable:
    return card if card.rank in _ROYAL_RANKS else None


def _nine(card: Card) -> Hashable:
    return card if card.rank is Rank.NINE else None


def _points(card: Card) -> Hashable:
    return POINTS[card.rank]


_NINE_NINE = (9, 3, 9, 3)


def _scores(dealt: TwoHands) -> Hashable:
    return points(dealt.player), len(dealt.player), points(dealt.banker), len(dealt.banker)


USUAL_SETUPS = (Setup(decks=6), Setup(decks=8))
"""The usual shoes: how many decks a table uses stands in sections that are not in hand (decision 0011)."""

_ASSUMES = {
    "royal_9_progressive": {
        "position": POSITION,
        "personal_combinations": {str(seat): sorted(map(str, held)) for seat, held in LAYOUT.items()},
    }
}

COUNTINGS_OF_BACCARAT = tuple(
    Counting(game, USUAL_SETUPS, count, any_decks=True, assumes=_ASSUMES)
    for game in (MINIBACCARAT, MIDIBACCARAT, BACCARAT)
)
