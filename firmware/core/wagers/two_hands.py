"""What a round of any baccarat game shows: the Player hand and the Banker hand, and the check that they can be.

Rules:
* Up to the third cards a round shows two cards in each hand; INITIAL asks for no more than that.
* No face may have been dealt more often than the decks hold it.
"""

from __future__ import annotations

from msgspec import Struct

from firmware.core.baccarat import Cards, Hand, check_hands, check_size, points
from firmware.core.cards import check_copies
from firmware.core.wagers.wager import Play, Stage


class TwoHands(Struct, frozen=True):
    """Both hands, each in the order dealt."""

    player: Cards
    banker: Cards

    def initial(self, hand: Hand) -> Cards:
        """The initial two cards of a hand."""
        return (self.player if hand is Hand.PLAYER else self.banker)[:2]


def is_three_card(hand: Cards, total: int) -> bool:
    """Whether a hand counts `total` with three cards."""
    return len(hand) == 3 and points(hand) == total


def check_two_hands(play: Play[TwoHands]) -> None:
    """Refuse hands that the tableau or the decks can't have given by the stage asked for.

    Raises `SettlementError`: `bad_outcome`, `impossible_cards`.
    """
    dealt = play.dealt
    check_size(Hand.PLAYER, dealt.player)
    check_size(Hand.BANKER, dealt.banker)
    if play.stage is not Stage.INITIAL or len(dealt.player) + len(dealt.banker) > 4:
        check_hands(dealt.player, dealt.banker)
    check_copies(dealt.player + dealt.banker, play.table.decks)
