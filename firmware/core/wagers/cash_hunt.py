"""Cash Hunt, a bonus game of Crazy Time: § 690.6. Each patron is paid by the symbol picked, no other pick matters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.wagers.multiplier_board import BoardRule, check_board

BOARD = BoardRule(size=108, least=5, most=500, double=False, section="690.6(b)")


class CashHunt(Struct, frozen=True):
    """The shuffled board, before the Top Slot, and by position the symbol picked, an index from 0."""

    board: tuple[int, ...]
    picks: Mapping[int, int]


def cash_hunt_odds(shown: CashHunt, position: int, multiplier: int) -> int:
    """690.6(e)-(g): the multiplier under the position's own symbol, by that of the Top Slot."""
    return shown.board[shown.picks[position]] * multiplier


def check_cash_hunt(shown: CashHunt, positions: Iterable[int]) -> None:
    """Refuse a board that is none and, for `positions`, a missing pick or one beside the board; other picks are
    ignored. Raises `SettlementError`: `bad_outcome`, `missing_field`.
    """
    check_board(shown.board, BOARD, "outcome.bonus.board")
    for position in positions:
        where = f"outcome.bonus.picks.{position}"
        if position not in shown.picks:
            raise SettlementError(
                ErrorCode.MISSING_FIELD,
                f"{where}: not given; the position has a cash_hunt wager, and where its patron chose no symbol one is "
                "drawn (690.6(d))",
            )
        pick = shown.picks[position]
        if not 0 <= pick < BOARD.size:
            raise SettlementError(
                ErrorCode.BAD_OUTCOME, f"{where}: got {pick}, expected an index from 0 to {BOARD.size - 1} (690.6(d))"
            )
