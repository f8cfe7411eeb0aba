"""What a round of a poker game shows: community cards, the dealer's where the dealer has any, each position's two, and
the check that they can be.

Rules:
* A round is dealt from one deck; the hand ranks of § 653a.6 know no five of a kind.
* Which positions folded is part of what a round shows. Optional wagers stay on the table after a fold and are settled
  with the others: 653b.4(c), 653b.5(c), 674b.1(c), readings W4 and W12.
* Each hand is ranked once a round, however many wagers look at it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from firmware.core.cards import Card, check_copies, show_cards
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.poker import Strength, best_hand
from firmware.core.wagers.wager import Play

Cards = tuple[Card, ...]

COMMUNITY_CARDS = 5
OWN_CARDS = 2
DECKS = 1


@dataclass(frozen=True)
class PokerRound:
    """The five community cards, the two of each position, who folded, and the dealer's two (none at Criss-Cross)."""

    community: Cards
    positions: Mapping[int, Cards]
    folded: frozenset[int] = frozenset()
    dealer: Cards = ()

    @cached_property
    def strengths(self) -> dict[int, Strength]:
        """The best hand of each position's two cards and the community cards."""
        return {position: best_hand(self.community + own) for position, own in self.positions.items()}

    @cached_property
    def dealer_strength(self) -> Strength:
        """The best hand of the dealer's two cards and the community cards."""
        return best_hand(self.community + self.dealer)

    @cached_property
    def board_strength(self) -> Strength:
        """The hand that the five community cards form."""
        return best_hand(self.community)


def check_poker_round(play: Play[PokerRound], dealer_cards: int) -> None:
    """Refuse what one deck can't have shown, and wagers at positions without cards.

    Raises `SettlementError`: `bad_table`, `bad_outcome`, `impossible_cards`, `bad_wager`.
    """
    dealt = play.dealt
    if play.table.decks != DECKS:
        raise SettlementError(
            ErrorCode.BAD_TABLE,
            f"table.decks: got {play.table.decks}, expected {DECKS}: a round of poker is dealt from one deck, and its "
            "hands are ranked for one; leave the key out",
        )
    _check_size("community", dealt.community, COMMUNITY_CARDS)
    _check_size("dealer", dealt.dealer, dealer_cards)
    for position, own in dealt.positions.items():
        _check_size(f"positions.{position}", own, OWN_CARDS)
    for position in sorted(dealt.folded - dealt.positions.keys()):
        raise SettlementError(
            ErrorCode.BAD_OUTCOME, f"outcome.folded: position {position} has no cards in outcome.positions"
        )
    check_copies((*dealt.community, *dealt.dealer, *(card for own in dealt.positions.values() for card in own)), DECKS)
    for placed in play.wagers:
        if placed.position not in dealt.positions:
            raise SettlementError(
                ErrorCode.BAD_WAGER,
                f"wagers: {placed.wager} at position {placed.position}: the position has no cards in outcome.positions",
            )


def _check_size(where: str, cards: Cards, expected: int) -> None:
    if len(cards) != expected:
        raise SettlementError(
            ErrorCode.BAD_OUTCOME,
            f"outcome.{where}: got {len(cards)} cards ({show_cards(cards) or 'none'}), expected {expected}",
        )
