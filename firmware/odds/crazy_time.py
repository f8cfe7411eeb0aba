"""How the wagers of Crazy Time are counted: the 54 sections, the Top Slot, and every way in which a bonus game can go.

Rules:
* Sections of the wheel are equally likely and independent of the Top Slot. What else is drawn has the weights of the
  Rules Submission: `crazy_time_weights.py` says which and how they are written.
* A board is shown in every arrangement alike (690.6(c), 690.8(b)(3); decision 0105), so a patron's pick, a first drop
  and a first spin meet each of its places alike. Of Pachinko's later drops it counts only whether they meet a spot
  again: how often follows from the landing weights. Tests hold this against the plain enumeration on small boards.
* A wager can't see the bonus game of a segment that it is not on.
* The verdicts come from the wager functions that settle, and what is due next from the functions that check a round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import perm, prod

from firmware.core.paytables import Paytable
from firmware.core.readings import Readings
from firmware.core.wagers.cash_hunt import BOARD, CashHunt
from firmware.core.wagers.coin_flip import CoinFlip, Side
from firmware.core.wagers.coin_flip import may_rescue as may_flip_again
from firmware.core.wagers.crazy_time import CRAZY_TIME, Bonus, WheelSpin
from firmware.core.wagers.crazy_time_wheel import WHEEL, Segment, TopSlot
from firmware.core.wagers.crazy_time_world import SECTIONS, Clapper, CrazyTimeWorld, crazy_time_world_odds
from firmware.core.wagers.pachinko import SLOTS, Pachinko, may_rescue, pachinko_odds
from firmware.core.wagers.wager import Seat, Table, Wager
from firmware.odds import crazy_time_weights as given
from firmware.odds.crazy_time_weights import Board
from firmware.odds.verdicts import Chances, Counting, Distribution, Setup, Weights

POSITION = 1

_HALF = Fraction(1, 2)

CoinFlips = Iterator[tuple[Fraction, CoinFlip]]
CashHunts = Iterator[tuple[Fraction, CashHunt]]
Pachinkos = Iterator[tuple[Fraction, Pachinko]]
Worlds = Iterator[tuple[Fraction, CrazyTimeWorld]]

Landing = tuple[Fraction, ...]


# --- every way in which a bonus game can go, with its probability -----------------------------------------------------


def coin_flips(pair: tuple[int, int], rescue: Fraction, multiplier: int, readings: Readings) -> CoinFlips:
    """Both sides alike, the first flip and the Rescue Flip; which colour has which multiplier changes nothing."""
    for landed in Side:
        shown = CoinFlip(*pair, landed)
        again = rescue if may_flip_again(shown, multiplier, readings) else Fraction()
        yield _HALF * (1 - again), shown
        if again:
            yield from ((_HALF * again * _HALF, CoinFlip(*pair, landed, side)) for side in Side)


def cash_hunts(board: Sequence[int]) -> CashHunts:
    """Every symbol alike, seen from `POSITION`; the rest of the board is left out: no pick looks at it."""
    for value, places in Counter(board).items():
        yield Fraction(places, len(board)), CashHunt((value,), {POSITION: 0})


def pachinkos(board: Board, landing: Landing, rescue: Fraction, multiplier: int, readings: Readings) -> Pachinkos:
    """Every run of drops. With the arrangement drawn, a spot is known only by what it shows: `drops` names the places
    of `board` as it stands, and only whether two drops meet the same place hangs on `landing`. Places that show
    the same and were not met yet are counted together."""

    def from_here(drops: tuple[int, ...], chance: Fraction, rescue_after: int | None) -> Pachinkos:
        for spot, alike in _next_places(board, drops):
            run = (*drops, spot)
            shown = Pachinko(board, run, rescue_after)
            if pachinko_odds(shown, multiplier, readings) is None:
                yield from from_here(run, chance * alike, rescue_after)
                continue
            may = len(run) == 1 and may_rescue(shown, 0, multiplier, readings)
            again = rescue if may else Fraction()
            yield chance * alike * (1 - again) * run_chance(run, landing), shown
            if again:
                yield from from_here(run, chance * alike * again, 0)

    return from_here((), Fraction(1), None)


def _next_places(board: Board, met: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The places that the next drop may meet, those that were met by themselves, of the others one for each value, with
    how many it stands for."""
    yield from ((place, 1) for place in dict.fromkeys(met))
    others = [place for place in range(1, len(board) + 1) if place not in met]
    alike = Counter(board[place - 1] for place in others)
    first = {board[place - 1]: place for place in reversed(others)}
    yield from ((place, alike[value]) for value, place in first.items())


def run_chance(run: tuple[int, ...], landing: Landing) -> Fraction:
    """The probability that drops meet these places of a board whose arrangement is drawn: that of their pattern, shared
    among all places that could have made it."""
    pattern = _pattern(run)
    return _patterns(landing, len(run))[pattern] / perm(len(landing), len(set(run)))


def _pattern(run: tuple[int, ...]) -> tuple[int, ...]:
    """Which drops met a place again: each place by the order in which it was first met."""
    seen = list(dict.fromkeys(run))
    return tuple(seen.index(place) for place in run)


@cache
def _patterns(landing: Landing, drops: int) -> dict[tuple[int, ...], Fraction]:
    sums: dict[tuple[int, ...], Fraction] = {}
    for run in product(range(len(landing)), repeat=drops):
        pattern = _pattern(run)
        sums[pattern] = sums.get(pattern, Fraction()) + prod((landing[spot] for spot in run), start=Fraction(1))
    return sums


def worlds(wheel: Board, multiplier: int, readings: Readings) -> Worlds:
    """Every section alike at each spin, for one clapper of `POSITION`; where the others rest it can't see."""
    places = {value: (wheel.index(value) + 1, Fraction(wheel.count(value), len(wheel))) for value in wheel}

    def from_here(spins: tuple[dict[Clapper, int], ...], chance: Fraction) -> Worlds:
        for section, part in places.values():
            run = (*spins, {Clapper.LEFT: section})
            shown = CrazyTimeWorld(wheel, {POSITION: Clapper.LEFT}, run)
            if crazy_time_world_odds(shown, Clapper.LEFT, multiplier, readings) is None:
                yield from from_here(run, chance * part)
            else:
                yield chance * part, shown

    return from_here((), Fraction(1))


# --- the wagers -------------------------------------------------------------------------------------------------------


def bonus_games(
    segment: Segment, weights: Weights, multiplier: int, readings: Readings
) -> Iterator[tuple[Fraction, Bonus | None]]:
    """Every way in which a segment's bonus game can go; None for a number."""
    match segment:
        case Segment.COIN_FLIP:
            rescue = given.activated(weights, given.RESCUE_FLIP)
            for part, pair in given.coin_multipliers(weights):
                yield from _shared(part, coin_flips(pair, rescue, multiplier, readings))
        case Segment.CASH_HUNT:
            for part, board in given.boards(weights, given.CASH_HUNT, BOARD):
                yield from _shared(part, cash_hunts([value for value in board if isinstance(value, int)]))
        case Segment.PACHINKO:
            landing, rescue = given.landing(weights), given.activated(weights, given.RESCUE_DROP)
            for part, board in given.boards(weights, given.PACHINKO, SLOTS):
                yield from _shared(part, pachinkos(board, landing, rescue, multiplier, readings))
        case Segment.CRAZY_TIME_WORLD:
            for part, wheel in given.boards(weights, given.CRAZY_TIME_WORLD, SECTIONS):
                yield from _shared(part, worlds(wheel, multiplier, readings))
        case _:
            yield Fraction(1), None


def _shared(part: Fraction, games: Iterable[tuple[Fraction, Bonus]]) -> Iterator[tuple[Fraction, Bonus]]:
    return ((part * chance, game) for chance, game in games)


def spins(segment: Segment, weights: Weights, readings: Readings) -> Iterator[tuple[Fraction, WheelSpin]]:
    """Every round, as far as the wager on a segment can see it."""
    each = Fraction(1, len(WHEEL))
    nothing = TopSlot(segment, 1, aligned=False)
    yield from ((each, WheelSpin(other, nothing)) for other in WHEEL if other is not segment)
    for part, top_slot in given.top_slots(weights, segment):
        hit = part * each * WHEEL.count(segment)
        for chance, bonus in bonus_games(segment, weights, top_slot.on(segment), readings):
            yield hit * chance, WheelSpin(segment, top_slot, bonus)


def count(wager: Wager[WheelSpin], paytable: Paytable, _setup: Setup, weights: Weights) -> Chances:
    """The chances of one wager at `POSITION`, by recommended readings."""
    seat = Seat(POSITION, Table(), paytable)
    rounds = spins(Segment(wager.name), weights, seat.readings)
    return Chances.weighted((part, wager.judge(spin, seat)) for part, spin in rounds)


def needs(wager: Wager[WheelSpin], _paytable: Paytable) -> tuple[Distribution, ...]:
    return given.distributions_of(Segment(wager.name))


_ASSUMES: dict[str, dict[str, object]] = {
    Segment.COIN_FLIP: {"coin": "either side as likely, in every flip"},
    Segment.CASH_HUNT: {"board": "every arrangement as likely"},
    Segment.PACHINKO: {"board": "every arrangement as likely", "drops": "independent, by the landing weights"},
    Segment.CRAZY_TIME_WORLD: {"spins": "every section as likely, in every spin"},
}

CRAZY_TIME_COUNTING = Counting(CRAZY_TIME, (Setup(),), count, needs=needs, assumes=_ASSUMES)
