"""How often a hand of each rank is beaten at Ultimate Texas Hold 'Em: 2,781,381,002,400 deals, counted exactly.

    python -m firmware.odds.bad_beat

prints `bad_beat_counts.py`, the checked-in figures from which the odds of Bad Beat are made; it takes half a minute
(decision 0102). A test runs it again and compares, another counts short decks one by one through the wager function.

How, for five community cards, two cards of a position and two of the dealer:
* A board is a rank multiset. If one suit holds three cards of it or more, which they are is part of its class, and a
  hole card is of that suit or is not; else no flush can come, and a hole card is its rank alone.
* All holdings of two cards are sorted by the strength that they make with the board. From the holdings that beat a
  given one, those that share a card with it are taken off: those with its one card and those with its other. The only
  holding with both is the given one, which does not beat itself, but is as strong as itself.
* That the position's hand is beaten by the dealer's is as likely as the other way round: both are dealt alike.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement

from firmware.core.cards import Suit
from firmware.core.poker import HEIGHT, HandRank, Strength, best_of_ranks, best_of_suit, hand_rank
from firmware.core.wagers.poker_round import COMMUNITY_CARDS
from firmware.odds.poker_deals import ALL_RANKS, Ranks, rank_multisets, suit_choices

_TO_A_FLUSH = 3
"""Cards of one suit on the board with which two hole cards can make a flush."""


@dataclass(slots=True)
class BeatenHands:
    """Deals of a board and two holdings. `beaten`: in which the position's hand is of that rank and beaten by the
    dealer's; the dealer's is beaten in as many. `tied`: in which both are equally strong."""

    beaten: Counter[HandRank] = field(default_factory=Counter)
    tied: int = 0

    @property
    def deals(self) -> int:
        return 2 * sum(self.beaten.values()) + self.tied


_HoleCard = tuple[int, int, int]
"""A class of hole cards: how many there are, their height, and its bit if they are of the board's suit, else zero."""

_OfRanks = Mapping[int, Mapping[int, Strength]]
"""By the heights of two hole cards, in either order: what they make with the board, suits aside."""


def count_beaten(ranks: Ranks = ALL_RANKS, suits: int = len(Suit)) -> BeatenHands:
    """Count every deal from the deck of these ranks in so many suits."""
    found = BeatenHands()
    heights = [HEIGHT[rank] for rank in ranks]
    flushes = {
        _bits(held): best_of_suit(held) for size in (5, 6, 7) for held in combinations(heights, size)
    }  # five of the suit may lie on the board, and one or two hole cards may be of it
    for board in rank_multisets(ranks, COMMUNITY_CARDS, suits):
        of_ranks = _of_ranks(heights, Counter(HEIGHT[rank] for rank in board), suits)
        ways = suit_choices(board, suits)
        for suited, rest in _with_suit(board):
            of_suit = suits * suit_choices(rest, suits - 1)
            if not of_suit:
                continue  # the rest holds a rank more often than the other suits do
            ways -= of_suit
            bits = _bits(HEIGHT[rank] for rank in suited)
            cards = [(1, HEIGHT[rank], 1 << HEIGHT[rank]) for rank in ranks if rank not in suited]
            cards += [(suits - 1 - rest.count(rank), HEIGHT[rank], 0) for rank in ranks if rest.count(rank) < suits - 1]
            _tally(found, of_suit, cards, of_ranks, bits, flushes)
        cards = [(suits - board.count(rank), HEIGHT[rank], 0) for rank in ranks if board.count(rank) < suits]
        _tally(found, ways, cards, of_ranks, 0, flushes)
    return found


def _with_suit(board: Ranks) -> Iterator[tuple[Ranks, Ranks]]:
    """Every way in which one suit can hold three cards of the board or more: the ranks of that suit, and the others."""
    for size in range(_TO_A_FLUSH, COMMUNITY_CARDS + 1):
        for suited in combinations(dict.fromkeys(board), size):
            rest = list(board)
            for rank in suited:
                rest.remove(rank)
            yield suited, tuple(rest)


def _of_ranks(heights: list[int], board: Counter[int], copies: int) -> _OfRanks:
    strengths: dict[int, dict[int, Strength]] = {height: {} for height in heights}
    for first, second in combinations_with_replacement(heights, 2):
        counts = board + Counter((first, second))
        if max(counts.values()) <= copies:
            strengths[first][second] = strengths[second][first] = best_of_ranks(counts)
    return strengths


def _bits(heights: Iterable[int]) -> int:
    return sum(1 << height for height in heights)


def _tally(
    found: BeatenHands,
    ways: int,
    cards: list[_HoleCard],
    of_ranks: _OfRanks,
    suited: int,
    flushes: Mapping[int, Strength],
) -> None:
    """Add the pairs of holdings on one class of boards, which stands for so many. `suited`: the bits of the board's
    suit."""
    holdings: dict[Strength, dict[int, int]] = {}  # by strength and class of card: holdings with one such card
    for first, (copies, height, bit) in enumerate(cards):
        row = of_ranks[height]
        for second in range(first, len(cards)):
            other_copies, other_height, other_bit = cards[second]
            if second == first and copies == 1:
                continue
            strength = max(row[other_height], flushes.get(suited | bit | other_bit, 0))
            with_card = holdings.get(strength)
            if with_card is None:
                with_card = holdings[strength] = {}
            if second == first:
                with_card[first] = with_card.get(first, 0) + copies - 1
            else:
                with_card[first] = with_card.get(first, 0) + other_copies
                with_card[second] = with_card.get(second, 0) + copies
    stronger = 0
    stronger_with = [0] * len(cards)
    for strength in sorted(holdings, reverse=True):
        ends = shared_stronger = shared_equal = 0
        for card, count in holdings[strength].items():
            of_class = cards[card][0] * count
            ends += of_class
            shared_stronger += of_class * stronger_with[card]
            shared_equal += of_class * count
            stronger_with[card] += count
        equal = ends // 2  # each holding was met at both of its cards
        found.beaten[hand_rank(strength)] += ways * (equal * stronger - shared_stronger)
        found.tied += ways * (equal * equal - shared_equal + equal)
        stronger += equal


def counts_module(found: BeatenHands) -> str:
    """The source of `bad_beat_counts.py`."""
    rows = "\n".join(f"    HandRank.{rank.name}: {found.beaten[rank]:_}," for rank in HandRank)
    return f'''"""Made by `python -m firmware.odds.bad_beat`: how often a hand of each rank is beaten."""

from __future__ import annotations

from firmware.core.poker import HandRank

BEATEN = {{
{rows}
}}
"""Deals in which the position's hand is of that rank and beaten by the dealer's; the dealer's is beaten in as many."""

TIED = {found.tied:_}
"""Deals in which both hands are equally strong."""
'''


if __name__ == "__main__":
    sys.stdout.write(counts_module(count_beaten()))
