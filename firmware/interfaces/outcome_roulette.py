"""The outcome of a Roulette round: `spins`, and what the side wagers need beside them.

Rules:
* `previous` is a result, or null for a session without a valid spin so far; left out, it is not known.
* `drawn_odds`, `bonus_balls` and `multipliers` may be left out, not null. The keys of `multipliers` are the numbers as
  the wheel shows them: "17", "0", "00".
"""

from __future__ import annotations

from collections.abc import Mapping

from firmware.core.errors import ErrorCode
from firmware.core.roulette_wheel import POCKETS, Pocket
from firmware.core.wagers.spun import NoSpin, Spun
from firmware.interfaces.fields import check_keys, take_integer, take_list, take_object, take_pocket, wrong
from firmware.interfaces.strict_json import Fields

_BAD = ErrorCode.BAD_OUTCOME


def read_spun(outcome: Fields) -> Spun:
    """Raises `SettlementError`: `unknown_field`, `missing_field`, `bad_outcome`."""
    check_keys(outcome, "outcome.", ("spins",), ("previous", "drawn_odds", "bonus_balls", "multipliers"))
    return Spun(
        spins=_results(outcome["spins"], "outcome.spins"),
        previous=_previous(outcome["previous"]) if "previous" in outcome else None,
        drawn_odds=(
            take_integer(outcome["drawn_odds"], "outcome.drawn_odds", _BAD) if "drawn_odds" in outcome else None
        ),
        bonus_balls=_results(outcome["bonus_balls"], "outcome.bonus_balls") if "bonus_balls" in outcome else None,
        multipliers=_multipliers(outcome["multipliers"]) if "multipliers" in outcome else None,
    )


def _results(value: object, where: str) -> tuple[Pocket, ...]:
    results = take_list(value, where, "a list of results", _BAD)
    return tuple(take_pocket(one, f"{where}[{index}]", _BAD) for index, one in enumerate(results))


def _previous(value: object) -> Pocket | NoSpin:
    return NoSpin.YET if value is None else take_pocket(value, "outcome.previous", _BAD)


def _multipliers(value: object) -> Mapping[Pocket, int]:
    where = "outcome.multipliers"
    multipliers: dict[Pocket, int] = {}
    for name, odds in take_object(value, where, _BAD).items():
        if name not in POCKETS:
            raise wrong(name, where, 'numbers of the wheel as keys, "0" to "36" or "00"', _BAD)
        multipliers[POCKETS[name]] = take_integer(odds, f"{where}.{name}", _BAD)
    return multipliers
