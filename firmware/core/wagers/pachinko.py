"""Pachinko, a bonus game of Crazy Time, with Double and the Rescue Drop: § 690.7.

Readings that this module keeps to: D5 the Rescue Drop asks for the multiplier before the Top Slot (a setting: as
displayed, after it). D6 the 50 that replaces Double is plain, the Top Slot does not touch it (a setting: it does). D7
the puck is dropped above landing spots 4 to 13, the numbers prevailing over "the center half"; it may land in any of
the 16. D10 a Rescue Drop that lands on Double doubles as usual; after a Double, or after one Rescue Drop, no other
follows. D11 whether a Rescue Drop was activated is told by the round; how often is the Rules Submission's.
"""

from __future__ import annotations

from msgspec import Struct

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.readings import Readings
from firmware.core.wagers.multiplier_board import BoardRule, Double, Shown, check_board, in_place_of_double

SLOTS = BoardRule(size=16, least=2, most=400, double=True, section="690.7(b), (c)")

RESCUED = frozenset({2, 3, 4})
"""690.7(g): the multipliers that a Rescue Drop may follow."""


class Pachinko(Struct, frozen=True):
    """The landing spots from left to right, before the Top Slot; where the puck came to rest, drop by drop, counted
    from 1; which drop, from 0, a Rescue Drop followed, None without.
    """

    slots: tuple[Shown, ...]
    drops: tuple[int, ...]
    rescue_after: int | None = None


def pachinko_odds(shown: Pachinko, multiplier: int, readings: Readings) -> int | None:
    """690.7(d)-(g): the multiplier in which the puck came to rest at last, that of the Top Slot in it; None where
    another drop is due.

    Raises `SettlementError` (`bad_outcome`) for a drop after the last one and a Rescue Drop without its conditions.
    """
    board: list[Shown] = [value if isinstance(value, Double) else value * multiplier for value in shown.slots]
    doubled = False
    for number, slot in enumerate(shown.drops):
        value = board[slot - 1]
        rescued = shown.rescue_after == number
        if rescued and (doubled or not may_rescue(shown, number, multiplier, readings)):
            raise SettlementError(
                ErrorCode.BAD_OUTCOME,
                f"outcome.bonus.rescue_after: got {number}, but that drop came to rest on {shown.slots[slot - 1]}"
                f"{' after a Double' if doubled else ''} with a Top Slot multiplier of {multiplier}; a Rescue Drop "
                f"follows only 2, 3 or 4, {readings.D5} values, and never a Double (690.7(g), D5, D10)",
            )
        if isinstance(value, Double):
            board = _doubled(board, in_place_of_double(multiplier, readings))
            doubled = True
        elif rescued:
            board = [one if isinstance(one, Double) else max(one, value) for one in board]
        else:
            if number + 1 < len(shown.drops):
                raise SettlementError(
                    ErrorCode.BAD_OUTCOME,
                    f"outcome.bonus.drops: got {len(shown.drops)}, but drop {number + 1} was the last: it came to rest "
                    "on a multiplier and no Rescue Drop follows it (690.7(d), (e), (g))",
                )
            return value
    return None


def _doubled(board: list[Shown], fifty: int) -> list[Shown]:
    """690.7(e)(1), (2): every other multiplier doubled, Double replaced."""
    return [fifty if isinstance(one, Double) else 2 * one for one in board]


def may_rescue(shown: Pachinko, number: int, multiplier: int, readings: Readings) -> bool:
    """690.7(g): whether a first Rescue Drop may follow this drop, on a board not doubled yet: the puck rests on 2, 3 or
    4, by base or displayed values (D5)."""
    value = shown.slots[shown.drops[number] - 1]
    return isinstance(value, int) and value * (multiplier if readings.D5 == "displayed" else 1) in RESCUED


def check_pachinko(shown: Pachinko, multiplier: int, readings: Readings) -> None:
    """Refuse a board that is none, drops beside it, too few or too many, a rescue without its conditions. Raises
    `SettlementError` (`bad_outcome`).
    """
    check_board(shown.slots, SLOTS, "outcome.bonus.slots")
    for index, slot in enumerate(shown.drops):
        if not 1 <= slot <= SLOTS.size:
            raise SettlementError(
                ErrorCode.BAD_OUTCOME,
                f"outcome.bonus.drops[{index}]: got {slot}, expected a landing spot from 1 to {SLOTS.size} (690.7(b))",
            )
    if shown.rescue_after is not None and not 0 <= shown.rescue_after < len(shown.drops):
        raise SettlementError(
            ErrorCode.BAD_OUTCOME,
            f"outcome.bonus.rescue_after: got {shown.rescue_after}, expected the index of one of the "
            f"{len(shown.drops)} drops, from 0, or null",
        )
    if pachinko_odds(shown, multiplier, readings) is None:
        raise SettlementError(
            ErrorCode.BAD_OUTCOME,
            f"outcome.bonus.drops: got {len(shown.drops)}, expected one more: the puck is dropped first, after Double "
            "and for a Rescue Drop (690.7(d), (e)(3), (g)(3))",
        )
