"""Every deal of the baccarat games, counted exactly: from a shoe, without replacement, by the tableau that the table
plays.

Rules:
* Counts are whole numbers of ordered deals; a probability is one count over another. Nothing is drawn at random.
* A shoe may be dealt by classes of cards that a wager can't tell apart (`class_of`): one card stands for its class,
  and the deals through each class are counted by the number of its cards that are left. With every card a class of
  its own this is the plain enumeration; a test shows that both agree.
* The two cards of an initial hand are counted in both orders at once: no wager asks which of them came first.
* Deals of four and five cards are weighted by the ways to go on to six, so that all counts of one shoe have one total.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

from msgspec import Struct

from firmware.core.baccarat import Hand, next_card
from firmware.core.cards import DECK, Card
from firmware.core.wagers.two_hands import TwoHands


class CardClass(Struct, frozen=True):
    """Cards that are counted together: the one that stands for them, and how many they are."""

    card: Card
    count: int


Shoe = tuple[CardClass, ...]


def make_shoe(cards: Iterable[Card], class_of: Callable[[Card], Hashable]) -> Shoe:
    """The cards, in classes; the first card of each class stands for it."""
    counted: dict[Hashable, CardClass] = {}
    for card in cards:
        key = class_of(card)
        held = counted.get(key, CardClass(card, 0))
        counted[key] = CardClass(held.card, held.count + 1)
    return tuple(counted.values())


def decks_of(decks: int) -> tuple[Card, ...]:
    """All cards of a number of decks."""
    return DECK * decks


def single_hands(shoe: Shoe) -> Iterator[tuple[int, tuple[Card, Card]]]:
    """Every initial hand of two cards, with its number of ordered deals."""
    counts = [card_class.count for card_class in shoe]
    for ways, pair in _pairs(counts):
        yield ways, (shoe[pair[0]].card, shoe[pair[1]].card)


def initial_deals(shoe: Shoe) -> Iterator[tuple[int, TwoHands]]:
    """Every deal of the first four cards, with its number of ordered deals."""
    for ways, player, banker, _ in _initial(shoe):
        yield ways, TwoHands(_cards(shoe, player), _cards(shoe, banker))


def finished_deals(shoe: Shoe) -> Iterator[tuple[int, TwoHands]]:
    """Every deal up to the last card that the tableau gives, weighted as if six had been dealt."""
    size = sum(card_class.count for card_class in shoe)
    for ways, player, banker, counts in _initial(shoe):
        yield from _finish(shoe, counts, ways, _cards(shoe, player), _cards(shoe, banker), size - 4, 2)


def _finish(
    shoe: Shoe,
    counts: list[int],
    ways: int,
    player: tuple[Card, ...],
    banker: tuple[Card, ...],
    left: int,
    to_come: int,
) -> Iterator[tuple[int, TwoHands]]:
    due = next_card(player, banker)
    if due is None:
        for step in range(to_come):
            ways *= left - step
        yield ways, TwoHands(player, banker)
        return
    for index, card_class in enumerate(shoe):
        count = counts[index]
        if count == 0:
            continue
        counts[index] -= 1
        more = (card_class.card,)
        if due is Hand.PLAYER:
            yield from _finish(shoe, counts, ways * count, player + more, banker, left - 1, to_come - 1)
        else:
            yield from _finish(shoe, counts, ways * count, player, banker + more, left - 1, to_come - 1)
        counts[index] += 1


_Pair = tuple[int, int]


def _initial(shoe: Shoe) -> Iterator[tuple[int, _Pair, _Pair, list[int]]]:
    """Both initial hands as class numbers, their ordered deals, and the counts that are left (valid until the next
    one).
    """
    counts = [card_class.count for card_class in shoe]
    for player_ways, player in _pairs(counts):
        counts[player[0]] -= 1
        counts[player[1]] -= 1
        for banker_ways, banker in _pairs(counts):
            counts[banker[0]] -= 1
            counts[banker[1]] -= 1
            yield player_ways * banker_ways, player, banker, counts
            counts[banker[0]] += 1
            counts[banker[1]] += 1
        counts[player[0]] += 1
        counts[player[1]] += 1


def _pairs(counts: list[int]) -> Iterator[tuple[int, _Pair]]:
    """Two cards of one hand, as class numbers in rising order, with their ordered deals from these counts."""
    for first, held in enumerate(counts):
        if held > 1:
            yield held * (held - 1), (first, first)
        for second in range(first + 1, len(counts)):
            if held and counts[second]:
                yield 2 * held * counts[second], (first, second)


def _cards(shoe: Shoe, pair: _Pair) -> tuple[Card, Card]:
    return shoe[pair[0]].card, shoe[pair[1]].card
