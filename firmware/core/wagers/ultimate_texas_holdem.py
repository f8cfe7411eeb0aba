"""Ultimate Texas Hold 'Em, Chapter 653b: Trips, Bad Beat, Play the Board and Ultimate Pairs.

Readings that these functions keep to:
W1 Bad Beat pays by the rank of the hand that is beaten, whether that is the position's or the dealer's (a setting: only
the position's); hands that tie beat neither. W2 a folded position's Bad Beat is refused until § 653a.11 is in hand. W10
Play the Board looks at the five community cards alone: one result for every position. W11 the payout limit of
§ 653a.12(h) is not applied: its amount is not in hand. W12 Trips and Play the Board stay on the table after a fold.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.cards import Rank
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.poker import HEIGHT, HandRank, deciding_height, hand_rank
from firmware.core.readings import Readings
from firmware.core.wagers.poker_round import DECKS, OWN_CARDS, PokerRound, check_poker_round
from firmware.core.wagers.ultimate_pairs import HOLDEM_ULTIMATE_PAIRS
from firmware.core.wagers.wager import LOST, Game, Play, Seat, Stage, TableKey, Verdict, Wager, Won


class HandLine(StrEnum):
    """In the order of every paytable of the chapter; a wager has those that its own text prints."""

    ROYAL_FLUSH = "royal_flush"
    STRAIGHT_FLUSH = "straight_flush"
    FOUR_OF_A_KIND = "four_of_a_kind"
    FULL_HOUSE = "full_house"
    FLUSH = "flush"
    STRAIGHT = "straight"
    THREE_OF_A_KIND = "three_of_a_kind"
    TWO_PAIR = "two_pair"
    PAIR_OF_10S_OR_BETTER = "pair_of_10s_or_better"


_WON_PAIR = Won((HandLine.PAIR_OF_10S_OR_BETTER,))
_WON = {rank: Won((HandLine[rank.name],)) for rank in HandRank if rank >= HandRank.TWO_PAIR}


def trips(dealt: PokerRound, seat: Seat) -> Verdict:
    """653b.2, 653a.12(c): three of a kind or better, made of the position's two cards and the community cards."""
    rank = hand_rank(dealt.strengths[seat.position])
    return _WON[rank] if rank >= HandRank.THREE_OF_A_KIND else LOST


def bad_beat(dealt: PokerRound, seat: Seat) -> Verdict:
    """653b.3: three of a kind or better is beaten, the position's hand by the dealer's or the other way round (W1)."""
    own, dealer = dealt.strengths[seat.position], dealt.dealer_strength
    if own == dealer:
        return LOST
    return beaten_hand(hand_rank(min(own, dealer)), own < dealer, seat.readings)


def beaten_hand(rank: HandRank, is_own: bool, readings: Readings) -> Verdict:
    """What Bad Beat comes to when a hand of this rank is beaten; `is_own`: it is the position's, not the dealer's."""
    if rank < HandRank.THREE_OF_A_KIND or (readings.W1 == "player" and not is_own):
        return LOST
    return _WON[rank]


def play_the_board(dealt: PokerRound, _seat: Seat) -> Verdict:
    """653b.4(e): the five community cards form a pair of tens or better."""
    strength = dealt.board_strength
    rank = hand_rank(strength)
    if rank is HandRank.PAIR:
        return _WON_PAIR if deciding_height(strength) >= HEIGHT[Rank.TEN] else LOST
    return LOST if rank is HandRank.HIGH_CARD else _WON[rank]


def check(play: Play[PokerRound]) -> None:
    """Refuse a round that can't have been, and the Bad Beat of a folded position. Raises `SettlementError`."""
    check_poker_round(play, dealer_cards=OWN_CARDS)
    for placed in play.wagers:
        if placed.wager == BAD_BEAT.name and placed.position in play.dealt.folded:
            raise SettlementError(
                ErrorCode.BAD_WAGER,
                f"wagers: bad_beat at position {placed.position}: the position folded, and what becomes of its Bad "
                "Beat stands in § 653a.11, which is not in hand (reading W2); settle it by hand",
            )


_TO_THREE_OF_A_KIND = tuple(HandLine)[:7]

TRIPS = Wager("trips", Stage.FINAL, _TO_THREE_OF_A_KIND, trips, per_position=True)
BAD_BEAT = Wager(
    "bad_beat",
    Stage.FINAL,
    _TO_THREE_OF_A_KIND[1:],  # a royal flush is never beaten
    bad_beat,
    per_position=True,
)
PLAY_THE_BOARD = Wager("play_the_board", Stage.FINAL, tuple(HandLine), play_the_board)

ULTIMATE_TEXAS_HOLDEM: Game[PokerRound] = Game(
    "ultimate_texas_holdem",
    (TRIPS, BAD_BEAT, PLAY_THE_BOARD, HOLDEM_ULTIMATE_PAIRS),
    check,
    takes=frozenset({TableKey.DECKS}),
    usual_decks=DECKS,
)
