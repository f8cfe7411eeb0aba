"""Ultimate Pairs: §§ 653b.5 (Ultimate Texas Hold 'Em) and 674b.1 (Criss-Cross Poker).

Readings that this function keeps to:
W4 the wager stays on the table after a fold. W5 the classes exclude each other; the order of the rows is not that of
their prices. W6 where the table has no row for the two red aces, they are paid as ace/ace. W7 four aces are paid once;
they are looked for in the dealer's cards also when every position folded, and only paytable F has the row. W8 "player
ace/jack" is ace/jack suited. W9 the "initial" and the "individual" two cards are the two that were dealt to the
position: community cards don't help.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.cards import Colour, Rank
from firmware.core.wagers.poker_round import Cards, PokerRound
from firmware.core.wagers.wager import LOST, Seat, Stage, Verdict, Wager, Won


class PairsLine(StrEnum):
    """In the order of the paytable."""

    FOUR_ACES = "four_aces"
    RED_ACES = "red_aces"
    ACES = "aces"
    ACE_KING_SUITED = "ace_king_suited"
    ACE_QUEEN_OR_JACK_SUITED = "ace_queen_or_jack_suited"
    ACE_KING = "ace_king"
    KINGS_QUEENS_OR_JACKS = "kings_queens_or_jacks"
    ACE_QUEEN_OR_JACK = "ace_queen_or_jack"
    PAIR_10S_OR_LESS = "pair_10s_or_less"


_HIGH_PAIRS = frozenset({Rank.KING, Rank.QUEEN, Rank.JACK})
_WITH_ACE = {
    Rank.KING: (PairsLine.ACE_KING_SUITED, PairsLine.ACE_KING),
    Rank.QUEEN: (PairsLine.ACE_QUEEN_OR_JACK_SUITED, PairsLine.ACE_QUEEN_OR_JACK),
    Rank.JACK: (PairsLine.ACE_QUEEN_OR_JACK_SUITED, PairsLine.ACE_QUEEN_OR_JACK),
}
"""The lines of an ace beside another rank: suited, and not."""


def ultimate_pairs(dealt: PokerRound, seat: Seat) -> Verdict:
    """653b.5(e)-(f), 674b.1(e)-(f): the combination that the position's own two cards form, with the dealer's two where
    the paytable has the row for them.
    """
    own = dealt.positions[seat.position]
    first, second = own
    if first.rank is second.rank:
        if first.rank is Rank.ACE:
            return _aces(own, dealt.dealer)
        return _WON[PairsLine.KINGS_QUEENS_OR_JACKS if first.rank in _HIGH_PAIRS else PairsLine.PAIR_10S_OR_LESS]
    if Rank.ACE not in (first.rank, second.rank):
        return LOST
    lines = _WITH_ACE.get(second.rank if first.rank is Rank.ACE else first.rank)
    if lines is None:
        return LOST
    suited, mixed = lines
    return _WON[suited if first.suit is second.suit else mixed]


def _aces(own: Cards, dealer: Cards) -> Verdict:
    """A pair of aces, on every line that it hits: it is paid by the first that the paytable has (W6, W7)."""
    four = len(dealer) == 2 and all(card.rank is Rank.ACE for card in dealer)
    red = all(card.suit.colour is Colour.RED for card in own)
    return _WON_ACES[four, red]


_WON = {line: Won((line,)) for line in PairsLine}
_WON_ACES = {
    (four, red): Won((PairsLine.FOUR_ACES,) * four + (PairsLine.RED_ACES,) * red + (PairsLine.ACES,))
    for four in (False, True)
    for red in (False, True)
}

HOLDEM_ULTIMATE_PAIRS = Wager("ultimate_pairs", Stage.FINAL, tuple(PairsLine), ultimate_pairs, per_position=True)
CRISS_CROSS_ULTIMATE_PAIRS = Wager(
    "ultimate_pairs",
    Stage.FINAL,
    tuple(line for line in PairsLine if line is not PairsLine.FOUR_ACES),  # 674b.1(f) has no such row, nor a dealer
    ultimate_pairs,
    per_position=True,
)
