"""What a round of Blackjack shows to the side wagers of Chapter 633b: the initial two cards of every hand.

Rules:
* The dealer's first card is the upcard, the second the hole card. A wager that looks at the upcard alone is settled
  before the hole card is known (633b.20(d), 633b.21(d)): INITIAL asks for no more than the upcard.
* What a patron draws, splits or surrenders later changes nothing here (Y5).
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from firmware.core.cards import Card, check_copies, show_cards
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.wagers.wager import Play, Stage

Cards = tuple[Card, ...]


class InitialCards(Struct, frozen=True):
    """The dealer's upcard and hole card, and the two cards of every position that was dealt in."""

    dealer: Cards
    positions: Mapping[int, Cards]

    @property
    def upcard(self) -> Card:
        return self.dealer[0]


def check_initial_cards(play: Play[InitialCards]) -> None:
    """Refuse hands that no deal can have given by the stage asked for, and a wager at a position without cards.

    Raises `SettlementError`: `bad_outcome`, `impossible_cards`, `bad_wager`.
    """
    dealt = play.dealt
    if len(dealt.dealer) != 2 and not (play.stage is Stage.INITIAL and len(dealt.dealer) == 1):
        raise _wrong_size("dealer", dealt.dealer, "the upcard and the hole card")
    for position, hand in dealt.positions.items():
        if len(hand) != 2:
            raise _wrong_size(f"positions.{position}", hand, "the initial two cards")
    check_copies((*dealt.dealer, *(card for hand in dealt.positions.values() for card in hand)), play.table.decks)
    for placed in play.wagers:
        if placed.position not in dealt.positions:
            raise SettlementError(
                ErrorCode.BAD_WAGER,
                f"wagers: {placed.wager} at position {placed.position}: the position has no cards; add its hand to "
                "outcome.positions",
            )


def _wrong_size(where: str, cards: Cards, expected: str) -> SettlementError:
    return SettlementError(
        ErrorCode.BAD_OUTCOME, f"outcome.{where}: got {show_cards(cards) or 'no card'}, expected {expected}"
    )
