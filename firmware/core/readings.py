"""Readings: where the regulation leaves a point open, the reading that is taken, by its id.

Rules:
* A reading is one field, its type lists every value that is accepted, its default is the reading that is recommended.
  There is no second list: what `Readings.choose` accepts is read from the fields.
* Every id of the public interface is a field, also those whose game is not built yet, so that a submission written
  for a whole casino is accepted by each of its tables. Which wager keeps to a reading stands in that wager's
  docstring.
* A reading is the casino's choice, approved with its Rules Submission; it is never inferred from cards or amounts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar, get_args, get_type_hints

from msgspec import Struct
from msgspec.structs import fields, replace

from firmware.core.errors import ErrorCode, SettlementError


class Readings(Struct, frozen=True):
    """One value for every reading; the defaults are the recommended readings."""

    C1: Literal["lose", "push"] = "lose"  # Lucky Six when both hands are six
    C2: Literal["up", "down"] = "up"  # an award by odds that is no whole number of cents
    C3: Literal["push", "lose"] = "push"  # Player and Banker wagers on a tie
    J1: Literal["b", "a", "c"] = "b"  # Lucky Shooter's 7 or 11 on the come-out roll
    R7: Literal["highest", "table"] = "highest"  # Royal 9: a meter worth less than a tie row below it
    H2: Literal["six", "each"] = "six"  # Heavenly 9: cards of one suit among six or within each hand
    T2: Literal["lose", "two_card"] = "lose"  # Blazing 7's with a two-card and a three-card seven
    T3: Literal["lose", "push"] = "lose"  # Blazing 7's table A, two-card sevens
    T4: Literal["lose", "win"] = "lose"  # Cover All when the only hit has no pay
    U1: Literal["counts", "not"] = "counts"  # Roulette Up: the 36 that ends a streak
    K3: Literal["count", "lose"] = "count"  # Hot Roller: a 7 on a later come-out roll
    Y1: Literal["both", "low", "high", "none"] = "both"  # Royal Match: the ace in a two-card straight flush
    Y3: Literal["any", "same"] = "any"  # Crown Treasure: patron's and dealer's suit
    Q2: Literal["in", "out"] = "in"  # King's Bounty: A-9 among the 20s
    G6: Literal["times", "dollars"] = "times"  # 21+3: the seed printed as "$2000"
    X4: Literal["equal", "each"] = "equal"  # several winners of one meter in one round
    X17: Literal["seed", "max"] = "seed"  # reseed of a meter whose reserve is larger than its seed
    D5: Literal["base", "displayed"] = "base"  # Crazy Time: thresholds of the rescues
    D6: Literal["plain", "top_slot"] = "plain"  # Crazy Time: the 50 that replaces Double
    W1: Literal["either", "player"] = "either"  # Bad Beat: which side's hand is beaten

    @staticmethod
    def choose(chosen: Mapping[str, object]) -> Readings:
        """The recommended readings with those of `chosen` in their place, by id.

        Raises `SettlementError` (`unknown_reading`) for an id that does not exist or a value that it does not have.
        """
        return _chosen(RECOMMENDED, ALLOWED, chosen) if chosen else RECOMMENDED


class TableReadings(Struct, frozen=True):
    """Readings that only a live table takes: they decide what becomes of meters, not who won what. `settle` does not
    know them."""

    X14: Literal["same", "single"] = "same"  # a chip above the denomination: wins the same and adds more, or none is
    X15: Literal["reseed", "second_meter"] = "reseed"  # the reserve: pays the reseed, or waits for a transfer
    X16: Literal["pool", "submission"] = "pool"  # reseed where the seed is N/A: the reserve, or the key `reseed`
    X22: Literal["reverse", "refund_only"] = "reverse"  # a void: increments go back, or the house bears them

    @staticmethod
    def choose(chosen: Mapping[str, object]) -> TableReadings:
        """As `Readings.choose`."""
        return _chosen(RECOMMENDED_AT_TABLE, ALLOWED_AT_TABLE, chosen) if chosen else RECOMMENDED_AT_TABLE


_Chosen = TypeVar("_Chosen", Readings, TableReadings)


def _chosen(recommended: _Chosen, known: Mapping[str, tuple[str, ...]], chosen: Mapping[str, object]) -> _Chosen:
    for name, value in chosen.items():
        allowed = known.get(name)
        if allowed is None:
            raise SettlementError(
                ErrorCode.UNKNOWN_READING, f"readings: there is no reading {name!r}; known are {', '.join(known)}"
            )
        if not isinstance(value, str) or value not in allowed:
            raise SettlementError(
                ErrorCode.UNKNOWN_READING,
                f"readings.{name}: got {value!r:.60}, expected one of {', '.join(allowed)}",
            )
    return replace(recommended, **chosen)  # each value was checked against its own field


def _allowed(of: type[Readings] | type[TableReadings]) -> dict[str, tuple[str, ...]]:
    hints = get_type_hints(of)
    return {field.name: get_args(hints[field.name]) for field in fields(of)}


ALLOWED = _allowed(Readings)
"""Every reading of settlement by its id, with the values that it may have, the recommended one first."""
ALLOWED_AT_TABLE = _allowed(TableReadings)
"""The same of the readings that only a live table takes."""

RECOMMENDED = Readings()
RECOMMENDED_AT_TABLE = TableReadings()
