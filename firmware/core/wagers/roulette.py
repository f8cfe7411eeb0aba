"""Roulette, Chapter 617b: its wagers in the order in which those at one position are settled, and the check of a round.

Rules:
* A round is one spin. Only a Roulette Up streak has more, from its starting number to the spin that ends the last such
  wager; no wager on a single spin stands in a round of several.
* Nothing rests on 00 of a single zero wheel: a double zero wheel that is used as one spins again (U4).
"""

from __future__ import annotations

from collections.abc import Iterator

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.roulette_wheel import Pocket, Wheel
from firmware.core.wagers.b2b_roulette import B2B_ROULETTE, check_b2b
from firmware.core.wagers.blazing_7s_roulette import BLAZING_7S_ROULETTE, check_blazing_7s
from firmware.core.wagers.open_wagers import any_open
from firmware.core.wagers.roulette_up import ROULETTE_UP, ROULETTE_UP_PROGRESSIVE
from firmware.core.wagers.roulette_x import ROULETTE_X_STRAIGHT, check_roulette_x
from firmware.core.wagers.spun import Spun
from firmware.core.wagers.wager import Game, Play, TableKey

_STREAKS = frozenset({ROULETTE_UP.name, ROULETTE_UP_PROGRESSIVE.name})


def check(play: Play[Spun]) -> None:
    """Refuse a round that the wheel or the sections can't have given. Raises `SettlementError`."""
    if play.table.wheel is Wheel.SINGLE_ZERO:
        _check_single_zero(play)
    _check_spins(play)
    check_b2b(play)
    check_blazing_7s(play)
    check_roulette_x(play)


def _check_single_zero(play: Play[Spun]) -> None:
    for where, pocket in _results(play.dealt):
        if pocket.name == "00":
            raise SettlementError(ErrorCode.BAD_OUTCOME, f"outcome.{where}: a single zero wheel has no 00")
    for placed in play.wagers:
        if placed.number is not None and placed.number.name == "00":
            raise SettlementError(
                ErrorCode.BAD_WAGER,
                f"wagers: {placed.wager} at position {placed.position}: number: a single zero wheel has no 00",
            )


def _results(dealt: Spun) -> Iterator[tuple[str, Pocket]]:
    """Every compartment that the round names, with its place."""
    yield from ((f"spins[{index}]", spin) for index, spin in enumerate(dealt.spins))
    if isinstance(dealt.previous, Pocket):
        yield "previous", dealt.previous
    yield from ((f"bonus_balls[{index}]", ball) for index, ball in enumerate(dealt.bonus_balls or ()))
    yield from (("multipliers", number) for number in dealt.multipliers or ())


def _check_spins(play: Play[Spun]) -> None:
    spins = play.dealt.spins
    if not spins:
        raise SettlementError(ErrorCode.BAD_OUTCOME, "outcome.spins: got none, expected at least one result")
    if len(spins) == 1:
        return
    for placed in play.wagers:
        if placed.wager not in _STREAKS:
            raise SettlementError(
                ErrorCode.BAD_OUTCOME,
                f"outcome.spins: got {len(spins)} results, but {placed.wager} at position {placed.position} is on one "
                "spin; only Roulette Up has a streak, in a line of its own",
            )
    if play.wagers and not any_open(play, ROULETTE, Spun(spins[:-1])):
        raise SettlementError(
            ErrorCode.BAD_OUTCOME,
            f"outcome.spins: {spins[-1].name} was spun after the last streak had ended (617b.4(g)(2)); leave out what "
            "came after",
        )


ROULETTE: Game[Spun] = Game(
    "roulette",
    (
        B2B_ROULETTE,
        BLAZING_7S_ROULETTE,
        ROULETTE_UP,
        ROULETTE_UP_PROGRESSIVE,
        ROULETTE_X_STRAIGHT,
    ),
    check,
    needs=frozenset({TableKey.WHEEL}),
)
