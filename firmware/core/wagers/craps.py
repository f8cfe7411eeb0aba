"""Craps, Chapter 623b: its wagers in the order in which those at one position are settled, and the check of a round."""

from __future__ import annotations

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.wagers.bonus_craps import ALL_SMALL, ALL_TALL, MAKE_EM_ALL
from firmware.core.wagers.hot_roller import HOT_ROLLER
from firmware.core.wagers.lucky_shooter import LUCKY_SHOOTER
from firmware.core.wagers.open_wagers import any_open
from firmware.core.wagers.rolled import Rolled
from firmware.core.wagers.wager import Game, Play


def check(play: Play[Rolled]) -> None:
    """Refuse what two dice can't show, no roll at all, and rolls after the last open wager was decided. Raises
    `SettlementError` (`bad_outcome`).
    """
    rolls = play.dealt.rolls
    if not rolls:
        raise SettlementError(ErrorCode.BAD_OUTCOME, "outcome.rolls: got none, expected at least the come-out roll")
    for index, roll in enumerate(rolls):
        if not all(1 <= die <= 6 for die in roll):
            raise SettlementError(
                ErrorCode.BAD_OUTCOME, f"outcome.rolls[{index}]: got {list(roll)}, expected two dice from 1 to 6"
            )
    if play.wagers and not any_open(play, CRAPS, Rolled(rolls[:-1])):
        raise SettlementError(
            ErrorCode.BAD_OUTCOME,
            f"outcome.rolls[{len(rolls) - 1}]: {list(rolls[-1])} was rolled after the last wager had been decided; "
            "leave out what came after",
        )


CRAPS: Game[Rolled] = Game("craps", (HOT_ROLLER, LUCKY_SHOOTER, ALL_SMALL, ALL_TALL, MAKE_EM_ALL), check)
