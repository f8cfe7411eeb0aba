"""Six-card deals in which both hands count nine, by the suits of each: what Heavenly 9 Progressive sees.

Rules:
* A hand's suits are of one pattern: all of one suit, else all of one colour, else mixed. Any such pattern is a
  difference of sets of suits of which no two overlap without one holding the other, so hands "within" a set can be
  counted by points alone and the patterns follow by subtraction.
* Counts are whole numbers of ordered deals of six cards; a test compares them with the plain enumeration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from firmware.core.baccarat import POINTS, Hand, next_card
from firmware.core.cards import DECK, Card, Suit
from firmware.core.wagers.two_hands import TwoHands

NINE = 9

_Three = tuple[int, int, int]
"""The points of a hand's three cards, in the order dealt."""


class Pattern(Struct, frozen=True):
    """A hand's suits: all within `within`, and not within any pattern that is `inside` it. `example` shows it."""

    within: frozenset[Suit]
    inside: tuple[Pattern, ...]
    example: tuple[Suit, Suit, Suit]


_SPADES, _HEARTS, _DIAMONDS, _CLUBS = (
    Pattern(frozenset({suit}), (), (suit, suit, suit)) for suit in (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
)
_RED = Pattern(_HEARTS.within | _DIAMONDS.within, (_HEARTS, _DIAMONDS), (Suit.HEARTS, Suit.DIAMONDS, Suit.HEARTS))
_BLACK = Pattern(_SPADES.within | _CLUBS.within, (_SPADES, _CLUBS), (Suit.SPADES, Suit.CLUBS, Suit.SPADES))
_MIXED = Pattern(
    _RED.within | _BLACK.within,
    (_RED, _BLACK, _HEARTS, _DIAMONDS, _SPADES, _CLUBS),
    (Suit.HEARTS, Suit.SPADES, Suit.DIAMONDS),
)
PATTERNS = (_SPADES, _HEARTS, _DIAMONDS, _CLUBS, _RED, _BLACK, _MIXED)
"""From the inside out: every pattern stands after those inside it."""

_CARD = {(POINTS[card.rank], card.suit): card for card in DECK}
"""One card for each number of points and suit."""


def nine_nine_deals(cards: tuple[Card, ...]) -> Iterator[tuple[int, TwoHands]]:
    """Every pattern of both hands with its number of ordered six-card deals from these cards and a deal that has it."""
    held = Counter((POINTS[card.rank], card.suit) for card in cards)
    threes = tuple(_threes())
    exact: dict[tuple[int, int], int] = {}
    for p, player in enumerate(PATTERNS):
        for b, banker in enumerate(PATTERNS):
            ways = sum(_ways(held, one, player.within, two, banker.within) for one, two in threes)
            for i in _at_or_inside(p):
                for j in _at_or_inside(b):
                    ways -= exact.get((i, j), 0)
            exact[p, b] = ways
            if ways:
                yield ways, TwoHands(_example(player), _example(banker))


def _at_or_inside(index: int) -> Iterator[int]:
    yield index
    yield from (i for i, pattern in enumerate(PATTERNS) if pattern in PATTERNS[index].inside)


def _threes() -> Iterator[tuple[_Three, _Three]]:
    """The points of both hands in all orders in which the tableau deals three cards to nine in each."""
    hands = [(first, second, (NINE - first - second) % 10) for first in range(10) for second in range(10)]
    for player in hands:
        for banker in hands:
            if _is_dealt(_cards(player), _cards(banker)):
                yield player, banker


def _is_dealt(player: tuple[Card, ...], banker: tuple[Card, ...]) -> bool:
    return (
        next_card(player[:2], banker[:2]) is Hand.PLAYER
        and next_card(player, banker[:2]) is Hand.BANKER
        and next_card(player, banker) is None
    )


def _cards(points: _Three) -> tuple[Card, ...]:
    return tuple(_CARD[number, Suit.SPADES] for number in points)


def _example(pattern: Pattern) -> tuple[Card, ...]:
    """Three cards that count nine after two on which either hand draws, whatever the other's third is."""
    return tuple(_CARD[number, suit] for number, suit in zip((1, 1, 7), pattern.example, strict=True))


def _ways(
    held: Counter[tuple[int, Suit]],
    player: _Three,
    player_suits: frozenset[Suit],
    banker: _Three,
    banker_suits: frozenset[Suit],
) -> int:
    """Ordered deals of these points with each hand within its suits: the hand with the narrower set takes its cards
    first, so that what it leaves of the other's set is known."""
    if banker_suits < player_suits:
        return _ways(held, banker, banker_suits, player, player_suits)
    ways = 1
    taken: Counter[int] = Counter()
    for number in player:
        ways *= sum(held[number, suit] for suit in player_suits) - taken[number]
        taken[number] += 1
    if not player_suits <= banker_suits:  # then they have no suit in common
        taken.clear()
    for number in banker:
        ways *= sum(held[number, suit] for suit in banker_suits) - taken[number]
        taken[number] += 1
    return ways
