"""The Royal 9 Progressive: §§ 627b.3(b)-(e), 629b.3(b)-(e).

Readings that this function keeps to:
R1 a Royal 9 is a king, queen or jack with a nine: other nines lose, and a ten is no face card. R2 in either order,
the initial two cards. R3 a personal combination is a king and a nine of stated suits. R4 it pays at its own position
only. R5 both hands the own combination: Mega alone, not Major and Minor as well. R6, R7 an own hand beside another
Royal 9: one award; the meter's line competes with the tie's, and settlement takes the larger amount (or the higher
row, by the setting R7). R8 the position that wins the Mega gets no Mega Envy. R9 every other position with a wager
does, whoever sits at the matching one. R10 Mega Envy goes before the ties, as a row of the table. R11 two positions
may win Major and Minor in one round. R12, R13 a Royal 9 in both hands is a tie, suited only when both are; a
single-hand line is never paid beside it. R16 settled on four cards.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.baccarat import Cards, Hand
from firmware.core.cards import Rank
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import LOST, Combination, Seat, Stage, Table, TableKey, Verdict, Wager, Won


class RoyalLine(StrEnum):
    """In the order of the paytable."""

    MEGA_JACKPOT = "mega_jackpot"
    MAJOR_JACKPOT = "major_jackpot"
    MINOR_JACKPOT = "minor_jackpot"
    MEGA_ENVY = "mega_envy"
    SUITED_ROYAL_9_TIE = "suited_royal_9_tie"
    ROYAL_9_TIE = "royal_9_tie"
    ANY_SUITED_ROYAL_9 = "any_suited_royal_9"
    ANY_ROYAL_9 = "any_royal_9"


_FACES = frozenset({Rank.JACK, Rank.QUEEN, Rank.KING})


def check_combinations(table: Table) -> None:
    """Refuse a layout that 627b.3(e)(5) does not allow: every combination is one king and one nine, and no two
    positions have the same (R3, R21). Raises `SettlementError` (`bad_table`)."""
    owners: dict[Combination, int] = {}
    for position, combination in table.personal_combinations.items():
        shown = " ".join(sorted(str(card) for card in combination))
        where = f"table.personal_combinations.{position}"
        if len(combination) != 2 or {card.rank for card in combination} != {Rank.KING, Rank.NINE}:
            raise SettlementError(
                ErrorCode.BAD_TABLE, f"{where}: got {shown}, expected one king and one nine (627b.3(e)(5))"
            )
        if combination in owners:
            raise SettlementError(
                ErrorCode.BAD_TABLE,
                f"{where}: {shown} is already position {owners[combination]}'s; each position's combination is unique "
                "(627b.3(e)(5))",
            )
        owners[combination] = position


def _is_royal_9(two: Cards) -> bool:
    first, second = two[0].rank, two[1].rank
    return (first in _FACES and second is Rank.NINE) or (second in _FACES and first is Rank.NINE)


def _is_suited(two: Cards) -> bool:
    return two[0].suit is two[1].suit


def royal_9(dealt: TwoHands, seat: Seat) -> Verdict:
    """627b.3(e): the line that the position's wager hit; with an own hand beside another Royal 9, the lines that
    compete.
    """
    player, banker = dealt.initial(Hand.PLAYER), dealt.initial(Hand.BANKER)
    royals = [hand for hand in (player, banker) if _is_royal_9(hand)]
    if not royals:
        return LOST
    own = seat.table.personal_combinations[seat.position]
    shown = frozenset(player)
    if shown == frozenset(banker) and shown in seat.table.personal_combinations.values():
        return Won((RoyalLine.MEGA_JACKPOT if shown == own else RoyalLine.MEGA_ENVY,))
    lines: list[str] = []
    if frozenset(banker) == own:
        lines.append(RoyalLine.MAJOR_JACKPOT)
    if shown == own:
        lines.append(RoyalLine.MINOR_JACKPOT)
    lines.append(_common_line(royals))
    return Won(tuple(lines), by_amount=True)


def _common_line(royals: list[Cards]) -> RoyalLine:
    """The line that every position hits: (e)(1)-(4)."""
    if len(royals) == 2:
        return RoyalLine.SUITED_ROYAL_9_TIE if all(map(_is_suited, royals)) else RoyalLine.ROYAL_9_TIE
    return RoyalLine.ANY_SUITED_ROYAL_9 if _is_suited(royals[0]) else RoyalLine.ANY_ROYAL_9


ROYAL_9_PROGRESSIVE = Wager(
    "royal_9_progressive",
    Stage.INITIAL,
    tuple(RoyalLine),
    royal_9,
    per_position=True,
    needs=frozenset({TableKey.PERSONAL_COMBINATIONS}),
)
