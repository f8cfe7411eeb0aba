"""Which wagers of a round are still open: for games in which a wager lives through several spins or rolls."""

from __future__ import annotations

from firmware.core.wagers.wager import Dealt, Game, Pending, Play, Seat


def any_open(play: Play[Dealt], game: Game[Dealt], dealt: Dealt) -> bool:
    """Whether any wager of the round was undecided when no more than `dealt` had been shown.

    A wager function decides on the first spin or roll that decides, so that a wager once decided stays so.
    """
    kinds = {placed.wager: placed for placed in play.wagers}
    return any(
        isinstance(
            game.by_name[name][1].judge(
                dealt, Seat(placed.position, play.table, play.offered[name], play.readings, placed.number)
            ),
            Pending,
        )
        for name, placed in kinds.items()
    )
