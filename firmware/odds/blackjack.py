"""How the side wagers of Blackjack are counted: the position's two cards, then those of the dealer that a wager sees.

Rules:
* A view is a claim about a wager function: that it can't tell the deals apart which the view counts together. The
  claim is tested against the plain enumeration, for every wager, on short shoes.
* The position's cards are dealt first, by the view's classes; what the wager still sees of the dealer's may depend on
  them. A class of the dealer's holds whole classes of the position's, so what is left of it is always known.
* The verdicts come from the wager functions that settle; here they are only counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator

from msgspec import Struct

from firmware.core.cards import Card, Rank, Suit
from firmware.core.paytables import Paytable
from firmware.core.wagers.blackjack import BLACKJACK
from firmware.core.wagers.initial_cards import InitialCards
from firmware.core.wagers.wager import Seat, Table, Verdict, Wager
from firmware.odds.deals import CardClass, Shoe, decks_of, make_shoe, single_hands
from firmware.odds.verdicts import Chances, Counting, Setup, Weights

POSITION = 1
DECLARED_SUIT = Suit.SPADES
"""Any suit gives the same odds."""

_ClassOf = Callable[[Card], Hashable]
_Pair = tuple[Card, Card]


class View(Struct, frozen=True):
    """What a wager can see. `position`: which cards of the position's it can't tell apart. `dealer`: the same of the
    dealer's, beside the position's two. `upcard_only`: it is settled before the hole card."""

    position: _ClassOf
    dealer: Callable[[_Pair], _ClassOf]
    upcard_only: bool


def _face(card: Card) -> Hashable:
    return card


def _alike(_card: Card) -> Hashable:
    return None


def _beside_two(pair: _Pair) -> _ClassOf:
    """21+3: the upcard's rank; its suit only beside two cards of one suit, and then whether it is theirs."""
    first, second = pair
    if first.suit is not second.suit:
        return lambda card: card.rank
    return lambda card: (card.rank, card.suit is first.suit)


def _king_or_queen(card: Card) -> Hashable:
    return card if card.rank in (Rank.KING, Rank.QUEEN) else None


def _beside_royal_match(pair: _Pair) -> _ClassOf:
    """Royal Match: the dealer's kings and queens, beside a king and a queen of one suit."""
    held = {card.rank for card in pair}
    return _king_or_queen if held == {Rank.KING, Rank.QUEEN} and pair[0].suit is pair[1].suit else _alike


_TEN_VALUES = (Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING)


def _of_twenty(card: Card) -> Hashable:
    return card if card.rank in (Rank.ACE, Rank.NINE, *_TEN_VALUES) else None


def _of_blackjack(card: Card) -> Hashable:
    if card.rank is Rank.ACE:
        return Rank.ACE
    return Rank.TEN if card.rank in _TEN_VALUES else None


def _beside_kings_of_spades(pair: _Pair) -> _ClassOf:
    """King's Bounty: the dealer's aces and ten-values, beside two kings of spades."""
    return _of_blackjack if pair[0] == pair[1] == Card(Rank.KING, Suit.SPADES) else _alike


def _seven(card: Card) -> Hashable:
    return card if card.rank is Rank.SEVEN else None


_SEVENS = View(_seven, lambda _pair: _seven, upcard_only=True)

VIEWS: dict[str, View] = {
    "21_plus_3_progressive": View(_face, _beside_two, upcard_only=True),
    "royal_match_progressive": View(_face, _beside_royal_match, upcard_only=False),
    "kings_bounty": View(_of_twenty, _beside_kings_of_spades, upcard_only=False),
    "blazing_7s": _SEVENS,
    "blazing_7s_multi_progressive": _SEVENS,
}
"""Every wager, by name."""

_counted: dict[tuple[object, ...], Chances] = {}
"""What was counted already, by all that a count depends on: of a paytable, these wagers see the ranks that its lines
name, and nothing else."""


def count(wager: Wager[InitialCards], paytable: Paytable, setup: Setup, _weights: Weights) -> Chances:
    """The chances of one wager over every deal of a full shoe, by recommended readings."""
    key = (wager.name, tuple(line.ranks for line in paytable.lines), setup.decks)
    chances = _counted.get(key)
    if chances is None:
        seat = Seat(POSITION, Table(setup.decks, declared_suit=DECLARED_SUIT), paytable)
        deals = outcomes(VIEWS[wager.name], decks_of(setup.decks or 0))
        chances = _counted[key] = count_over(wager, seat, deals)
    return chances


def count_over(wager: Wager[InitialCards], seat: Seat, deals: Iterable[tuple[int, InitialCards]]) -> Chances:
    """The chances of one wager over weighted deals."""
    counts: Counter[Verdict] = Counter()
    for ways, dealt in deals:
        counts[wager.judge(dealt, seat)] += ways
    return Chances.counted(counts)


def outcomes(view: View, cards: tuple[Card, ...]) -> Iterator[tuple[int, InitialCards]]:
    """The deals from these cards that a view tells apart, with their weights."""
    shoe = make_shoe(cards, view.position)
    for ways, pair in single_hands(shoe):
        left = _left_of(shoe, pair, view)
        dealer_hands: Iterable[tuple[int, tuple[Card, ...]]] = (
            ((one.count, (one.card,)) for one in left if one.count) if view.upcard_only else single_hands(left)
        )
        for dealer_ways, dealer in dealer_hands:
            yield ways * dealer_ways, InitialCards(dealer, {POSITION: pair})


def _left_of(shoe: Shoe, pair: _Pair, view: View) -> Shoe:
    """What the position's two cards leave of the shoe, in the dealer's classes."""
    class_of = view.dealer(pair)
    left: dict[Hashable, CardClass] = {}
    for one in shoe:
        key = class_of(one.card)
        held = left.get(key)
        count = one.count - pair.count(one.card)
        left[key] = CardClass(one.card, count) if held is None else CardClass(held.card, held.count + count)
    return tuple(left.values())


SETUPS = tuple(Setup(decks=decks) for decks in range(3, 9))
"""Three to eight decks: those of 633b.17(b), for every wager (decision 0096)."""

_ASSUMES: dict[str, dict[str, object]] = {
    "21_plus_3_progressive": {"declared_suit": DECLARED_SUIT.value},
    "royal_match_progressive": {"other_positions_with_the_wager": 0},
}

BLACKJACK_COUNTING = Counting(BLACKJACK, SETUPS, count, any_decks=True, assumes=_ASSUMES)
