"""Crazy Time, Chapter 690: the eight wagers on what the wheel comes to rest on, and what a round of it shows.

Readings that this module keeps to: D3 the odds printed for a bonus game are the least that it may pay; each game's
lowest multiplier equals them. D4 N times is N to 1, the stake handed back beside it.
"""

from __future__ import annotations

from typing import assert_never

from msgspec import Struct

from firmware.core.pays import DrawnToOne
from firmware.core.wagers.cash_hunt import CashHunt, cash_hunt_odds, check_cash_hunt
from firmware.core.wagers.coin_flip import CoinFlip, check_coin_flip, coin_flip_odds
from firmware.core.wagers.crazy_time_wheel import Segment, TopSlot, check_top_slot
from firmware.core.wagers.crazy_time_world import CrazyTimeWorld, check_crazy_time_world, crazy_time_world_odds
from firmware.core.wagers.pachinko import Pachinko, check_pachinko, pachinko_odds
from firmware.core.wagers.wager import LOST, Game, Play, Seat, Stage, Verdict, Wager, Won

Bonus = CoinFlip | CashHunt | Pachinko | CrazyTimeWorld


class WheelSpin(Struct, frozen=True):
    """Where the wheel came to rest, what the Top Slot showed, and the bonus game of that segment, None for a number."""

    segment: Segment
    top_slot: TopSlot
    bonus: Bonus | None = None

    @property
    def multiplier(self) -> int:
        """What the Top Slot multiplies the segment's odds by (690.3(c))."""
        return self.top_slot.on(self.segment)


# --- the numbers ------------------------------------------------------------------------------------------------------


def number_1(spin: WheelSpin, seat: Seat) -> Verdict:
    """690.2(e): wins on a 1."""
    return _number(spin, seat, Segment.NUMBER_1)


def number_2(spin: WheelSpin, seat: Seat) -> Verdict:
    """690.2(e): wins on a 2."""
    return _number(spin, seat, Segment.NUMBER_2)


def number_5(spin: WheelSpin, seat: Seat) -> Verdict:
    """690.2(e): wins on a 5."""
    return _number(spin, seat, Segment.NUMBER_5)


def number_10(spin: WheelSpin, seat: Seat) -> Verdict:
    """690.2(e): wins on a 10."""
    return _number(spin, seat, Segment.NUMBER_10)


def _number(spin: WheelSpin, seat: Seat, segment: Segment) -> Verdict:
    """690.4(a), (c): the printed odds, by the multiplier of the Top Slot."""
    if spin.segment is not segment:
        return LOST
    return _won(segment, _printed_odds(seat, segment) * spin.multiplier)


def _printed_odds(seat: Seat, segment: Segment) -> int:
    pay = seat.paytable.by_line[segment].pay
    if not isinstance(pay, DrawnToOne):
        raise ValueError(f'{seat.paytable.section}, {segment}: pays {pay}, expected the least odds, "or more"')
    return min(pay.listed)


def _won(segment: Segment, odds: int) -> Verdict:
    return Won((segment,), odds=odds)


# --- the bonus games --------------------------------------------------------------------------------------------------


def coin_flip(spin: WheelSpin, _seat: Seat) -> Verdict:
    """690.2(f), 690.5: wins on Coin Flip, by the side that came up."""
    if not isinstance(spin.bonus, CoinFlip):
        return LOST
    return _won(Segment.COIN_FLIP, coin_flip_odds(spin.bonus, spin.multiplier))


def cash_hunt(spin: WheelSpin, seat: Seat) -> Verdict:
    """690.2(f), 690.6: wins on Cash Hunt, by the position's own pick."""
    if not isinstance(spin.bonus, CashHunt):
        return LOST
    return _won(Segment.CASH_HUNT, cash_hunt_odds(spin.bonus, seat.position, spin.multiplier))


def pachinko(spin: WheelSpin, seat: Seat) -> Verdict:
    """690.2(f), 690.7: wins on Pachinko, by where the puck came to rest."""
    if not isinstance(spin.bonus, Pachinko):
        return LOST
    return _decided(Segment.PACHINKO, pachinko_odds(spin.bonus, spin.multiplier, seat.readings))


def crazy_time_world(spin: WheelSpin, seat: Seat) -> Verdict:
    """690.2(f), 690.8: wins on Crazy Time World, by the position's own clapper."""
    if not isinstance(spin.bonus, CrazyTimeWorld):
        return LOST
    clapper = spin.bonus.picks[seat.position]
    odds = crazy_time_world_odds(spin.bonus, clapper, spin.multiplier, seat.readings)
    return _decided(Segment.CRAZY_TIME_WORLD, odds)


def _decided(segment: Segment, odds: int | None) -> Verdict:
    if odds is None:
        raise ValueError(f"{segment}: the bonus game is not at its end; `check` refuses such a round")
    return _won(segment, odds)


# --- the game ---------------------------------------------------------------------------------------------------------


def check(play: Play[WheelSpin]) -> None:
    """Refuse what 690.3 and 690.5-690.8 don't allow the Top Slot and the bonus game to show. Raises `SettlementError`:
    `bad_outcome`, `missing_field`.
    """
    spin = play.dealt
    check_top_slot(spin.top_slot)
    positions = sorted({placed.position for placed in play.wagers if placed.wager == spin.segment})
    match spin.bonus:
        case None:
            return
        case CoinFlip():
            check_coin_flip(spin.bonus, spin.multiplier, play.readings)
        case CashHunt():
            check_cash_hunt(spin.bonus, positions)
        case Pachinko():
            check_pachinko(spin.bonus, spin.multiplier, play.readings)
        case CrazyTimeWorld():
            check_crazy_time_world(spin.bonus, positions)
        case _:
            assert_never(spin.bonus)


CRAZY_TIME: Game[WheelSpin] = Game(
    "crazy_time",
    (
        Wager(Segment.NUMBER_1, Stage.FINAL, (Segment.NUMBER_1,), number_1, by_paytable=True),
        Wager(Segment.NUMBER_2, Stage.FINAL, (Segment.NUMBER_2,), number_2, by_paytable=True),
        Wager(Segment.NUMBER_5, Stage.FINAL, (Segment.NUMBER_5,), number_5, by_paytable=True),
        Wager(Segment.NUMBER_10, Stage.FINAL, (Segment.NUMBER_10,), number_10, by_paytable=True),
        Wager(Segment.COIN_FLIP, Stage.FINAL, (Segment.COIN_FLIP,), coin_flip),
        Wager(Segment.CASH_HUNT, Stage.FINAL, (Segment.CASH_HUNT,), cash_hunt, per_position=True),
        Wager(Segment.PACHINKO, Stage.FINAL, (Segment.PACHINKO,), pachinko),
        Wager(Segment.CRAZY_TIME_WORLD, Stage.FINAL, (Segment.CRAZY_TIME_WORLD,), crazy_time_world, per_position=True),
    ),
    check,
)
