"""The two hands of baccarat: points, naturals, and which hand is due the next card.

Source: 58 Pa. Code § 631a.11 (third card; the same table is played under 627a.10 and 629a.10), § 627a.1 (natural),
§ 627a.8 (the first four cards go Player, Banker, Player, Banker).

Rules:
* An ace counts one, 2 to 9 their number, 10 and face cards nothing; a hand counts the last digit of the sum.
* The tableau is a table, not a tree of branches, and `next_card` is the only place that reads it: settlement, the live
  round and the odds all deal by it.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.cards import Card, Rank, show_cards
from firmware.core.errors import ErrorCode, SettlementError

Cards = tuple[Card, ...]


class Hand(StrEnum):
    """The Player hand and the Banker hand of the game; neither is a person."""

    PLAYER = "player"
    BANKER = "banker"

    __hash__ = str.__hash__  # as of a rank


POINTS: dict[Rank, int] = {rank: min(number, 10) % 10 for number, rank in enumerate(Rank, start=1)}

PLAYER_DRAWS_ON = frozenset(range(6))
BANKER_DRAWS_WHEN_PLAYER_STOOD = frozenset(range(6))
BANKER_DRAWS_ON_THIRD: tuple[frozenset[int], ...] = (
    frozenset(range(10)),  # Banker 0
    frozenset(range(10)),  # 1
    frozenset(range(10)),  # 2
    frozenset({0, 1, 2, 3, 4, 5, 6, 7, 9}),  # 3
    frozenset({2, 3, 4, 5, 6, 7}),  # 4
    frozenset({4, 5, 6, 7}),  # 5
    frozenset({6, 7}),  # 6
    frozenset(),  # 7
)
"""By the Banker hand's two-card points: the points of the Player hand's third card on which it draws (631a.11)."""


def points(cards: Cards) -> int:
    """The Point Count of a hand, 0 to 9."""
    return sum([POINTS[card.rank] for card in cards]) % 10


def is_natural(two_cards: Cards) -> bool:
    """Whether the initial two cards count 8 or 9 (627a.1)."""
    return points(two_cards) >= 8


def next_card(player: Cards, banker: Cards) -> Hand | None:
    """The hand to which the next card goes, or None when the round's cards are complete.

    `player` and `banker` are the cards dealt so far, each in the order dealt, and must have been dealt by this
    function; what other cards give is without meaning (`check_hands` judges a finished deal).
    """
    if len(banker) < 2:
        return Hand.PLAYER if len(player) == len(banker) else Hand.BANKER
    if len(banker) == 3 or is_natural(player[:2]) or is_natural(banker):
        return None
    if len(player) == 2:
        if points(player) in PLAYER_DRAWS_ON:
            return Hand.PLAYER
        return Hand.BANKER if points(banker) in BANKER_DRAWS_WHEN_PLAYER_STOOD else None
    third = POINTS[player[2].rank]
    return Hand.BANKER if third in BANKER_DRAWS_ON_THIRD[points(banker)] else None


def check_hands(player: Cards, banker: Cards) -> None:
    """Refuse hands that the tableau can't have dealt.

    Raises `SettlementError`: `bad_outcome` for a hand of other than two or three cards, `impossible_cards` for a third
    card that is forbidden or missing.
    """
    given = {Hand.PLAYER: player, Hand.BANKER: banker}
    for hand, cards in given.items():
        check_size(hand, cards)
    dealt = {hand: cards[:2] for hand, cards in given.items()}
    while (due := next_card(dealt[Hand.PLAYER], dealt[Hand.BANKER])) is not None:
        if len(given[due]) == len(dealt[due]):
            raise SettlementError(
                ErrorCode.IMPOSSIBLE_CARDS,
                f"outcome.{due}: the third card is missing; by the tableau the {due} hand draws on {_both(dealt)}",
            )
        dealt[due] = given[due]
    for hand, cards in given.items():
        if cards != dealt[hand]:
            raise SettlementError(
                ErrorCode.IMPOSSIBLE_CARDS,
                f"outcome.{hand}: the third card {cards[2]} is one too many; by the tableau the {hand} hand takes none "
                f"on {_both(dealt)}",
            )


def check_size(hand: Hand, cards: Cards) -> None:
    """Refuse a hand of other than two or three cards (`bad_outcome`)."""
    if len(cards) not in (2, 3):
        raise SettlementError(
            ErrorCode.BAD_OUTCOME, f"outcome.{hand}: got {len(cards)} cards, expected two or three, in the order dealt"
        )


def _both(dealt: dict[Hand, Cards]) -> str:
    return f"player {show_cards(dealt[Hand.PLAYER])}, banker {show_cards(dealt[Hand.BANKER])}"
