"""What a Rules Submission states of Crazy Time's generators, by distribution, and how its values are written.

    [weights."crazy_time.top_slot"]           # the option that is multiplied: all eight, and "not_aligned" for none
    number_1 = "1/20"
    [weights."crazy_time.top_slot.pachinko"]  # for each option: by what, all nine of 690.3(b)(2)
    7 = "1/9"
    [weights."crazy_time.coin_flip"]          # both multipliers, the smaller first; 690.5(c)
    "3 25" = "1/2"
    [weights."crazy_time.cash_hunt"]          # boards of 108 multipliers; 690.6(b)
    "5*60 7*30 10*17 500" = "1/1"
    [weights."crazy_time.pachinko"]           # boards of 16 multipliers, one may be Double; 690.7(c)
    "2*4 3*4 4*4 10 25 100 double" = "1/1"
    [weights."crazy_time.pachinko.landing"]   # where the puck comes to rest, spots 1 to 16; 690.7(d)
    7 = "1/10"
    [weights."crazy_time.crazy_time_world"]   # wheels of 64 multipliers, one may be Double; 690.8(b)
    "15*60 25*2 400 double" = "1/1"
    [weights."crazy_time.rescue_flip"]        # where 690.5(f) allows one: "activated", "not_activated"
    [weights."crazy_time.rescue_drop"]        # where 690.7(g) allows one: the same

Rules:
* A board is what it holds, in any order: "15*60" is sixty times 15. Where on the board a value stands is drawn with
  every arrangement as likely (decision 0105).
* What a section gives as a range may have a weight, each of its values or boards by itself; what it lists must.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations_with_replacement

from msgspec import Struct

from firmware.core.errors import SettlementError
from firmware.core.wagers.cash_hunt import BOARD
from firmware.core.wagers.coin_flip import LEAST, MOST
from firmware.core.wagers.crazy_time_wheel import MULTIPLIERS, Segment, TopSlot
from firmware.core.wagers.crazy_time_world import SECTIONS
from firmware.core.wagers.multiplier_board import DOUBLE, BoardRule, Shown, check_board
from firmware.core.wagers.pachinko import SLOTS
from firmware.odds.verdicts import Distribution, Weights

Board = tuple[Shown, ...]

NOT_ALIGNED = "not_aligned"
ACTIVATED, NOT_ACTIVATED = "activated", "not_activated"

_PLACE = re.compile(r"([1-9][0-9]{0,2}|double)(?:\*([1-9][0-9]{0,2}))?", re.ASCII)


def read_board(text: str, rule: BoardRule) -> Board | None:
    """The places that a text such as "15*60 25*2 400 double" names, None where the section allows no such board."""
    board: list[Shown] = []
    for part in text.split(" "):
        found = _PLACE.fullmatch(part)
        if found is None or len(board) > rule.size:
            return None
        board.extend([DOUBLE if found[1] == DOUBLE else int(found[1])] * int(found[2] or "1"))
    try:
        check_board(tuple(board), rule, "")
    except SettlementError:
        return None
    return tuple(board)


class BoardTexts(Struct, frozen=True):
    """Every text that names a board which a section allows."""

    rule: BoardRule

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and read_board(text, self.rule) is not None


def _boards(name: str, rule: BoardRule, example: str) -> Distribution:
    double = ', one of them may be "double"' if rule.double else ""
    expected = f"{rule.size} multipliers from {rule.least} to {rule.most}{double}, such as {example!r} ({rule.section})"
    return Distribution(name, optional=BoardTexts(rule), expected=expected)


def _rescue(name: str) -> Distribution:
    """A rescue "may" be activated: always and never are within the text (D11)."""
    return Distribution(name, optional=frozenset((ACTIVATED, NOT_ACTIVATED)), expected=f"{ACTIVATED}, {NOT_ACTIVATED}")


TOP_SLOT = Distribution(
    "crazy_time.top_slot",
    tuple(Segment),
    frozenset((NOT_ALIGNED,)),
    expected=f"{', '.join(Segment)} or {NOT_ALIGNED} (690.3)",
)

COIN_FLIP = Distribution(
    "crazy_time.coin_flip",
    optional=frozenset(f"{small} {big}" for small, big in combinations_with_replacement(range(LEAST, MOST + 1), 2)),
    expected=f"both multipliers, the smaller first, from {LEAST} to {MOST}, such as '3 25' (690.5(c))",
)
RESCUE_FLIP = _rescue("crazy_time.rescue_flip")
CASH_HUNT = _boards("crazy_time.cash_hunt", BOARD, "5*60 7*30 10*17 500")
PACHINKO = _boards("crazy_time.pachinko", SLOTS, "2*4 3*4 4*4 10 25 100 double")
LANDING = Distribution(
    "crazy_time.pachinko.landing",
    optional=frozenset(map(str, range(1, SLOTS.size + 1))),
    expected=f"landing spots from 1 to {SLOTS.size} (690.7(b))",
)
RESCUE_DROP = _rescue("crazy_time.rescue_drop")
CRAZY_TIME_WORLD = _boards("crazy_time.crazy_time_world", SECTIONS, "15*60 25*2 400 double")


def multipliers_of(segment: Segment) -> Distribution:
    """By what the Top Slot multiplies an option that it is aligned on."""
    values = tuple(map(str, MULTIPLIERS))
    return Distribution(f"{TOP_SLOT.name}.{segment}", values, expected=f"{', '.join(values)} (690.3(b)(2))")


_OF_BONUS = {
    Segment.COIN_FLIP: (COIN_FLIP, RESCUE_FLIP),
    Segment.CASH_HUNT: (CASH_HUNT,),
    Segment.PACHINKO: (PACHINKO, LANDING, RESCUE_DROP),
    Segment.CRAZY_TIME_WORLD: (CRAZY_TIME_WORLD,),
}


def distributions_of(segment: Segment) -> tuple[Distribution, ...]:
    """Everything that the odds of the wager on a segment hang on."""
    return (TOP_SLOT, multipliers_of(segment), *_OF_BONUS.get(segment, ()))


# --- what the file states, as values ----------------------------------------------------------------------------------


def top_slots(weights: Weights, segment: Segment) -> list[tuple[Fraction, TopSlot]]:
    """What the Top Slot may show, as far as the wager on a segment can see it: aligned on the segment, or not."""
    aligned = weights[TOP_SLOT.name][segment]
    shown = [
        (aligned * part, TopSlot(segment, int(multiplier), aligned=True))
        for multiplier, part in weights[multipliers_of(segment).name].items()
    ]
    return [*shown, (1 - aligned, TopSlot(segment, MULTIPLIERS[0], aligned=False))]


def coin_multipliers(weights: Weights) -> list[tuple[Fraction, tuple[int, int]]]:
    """The pairs of multipliers that Coin Flip may assign, with their probabilities."""
    pairs = ((part, text.split(" ")) for text, part in weights[COIN_FLIP.name].items())
    return [(part, (int(small), int(big))) for part, (small, big) in pairs]


def boards(weights: Weights, distribution: Distribution, rule: BoardRule) -> list[tuple[Fraction, Board]]:
    """The boards that may be shown, with their probabilities."""
    found = ((part, read_board(text, rule)) for text, part in weights[distribution.name].items())
    return [(part, board) for part, board in found if board is not None]


def landing(weights: Weights) -> tuple[Fraction, ...]:
    """How likely the puck comes to rest in each landing spot, from the first on."""
    given = weights[LANDING.name]
    return tuple(given.get(str(spot), Fraction()) for spot in range(1, SLOTS.size + 1))


def activated(weights: Mapping[str, Mapping[str, Fraction]], distribution: Distribution) -> Fraction:
    """How often a rescue is activated where it may be."""
    return weights[distribution.name].get(ACTIVATED, Fraction())
