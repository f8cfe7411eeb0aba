"""The outcome of a poker round: `community`, `positions`, `folded`, and at Ultimate Texas Hold 'Em the `dealer`.

`folded` must be stated, if only as an empty list: whether a position folded decides whether its Bad Beat may be settled
(W2), and nobody folding is nothing to be guessed.
"""

from __future__ import annotations

from firmware.core.errors import ErrorCode
from firmware.core.wagers.poker_round import PokerRound
from firmware.interfaces.fields import check_keys, take_by_position, take_cards, take_integer, take_list, wrong
from firmware.interfaces.strict_json import Fields


def read_holdem_round(outcome: Fields) -> PokerRound:
    """Raises `SettlementError`: `unknown_field`, `missing_field`, `bad_outcome`, `bad_card`."""
    check_keys(outcome, "outcome.", ("community", "dealer", "positions", "folded"), ())
    return _read(outcome)


def read_criss_cross_round(outcome: Fields) -> PokerRound:
    """Raises `SettlementError`: `unknown_field`, `missing_field`, `bad_outcome`, `bad_card`."""
    check_keys(outcome, "outcome.", ("community", "positions", "folded"), ())
    return _read(outcome)


def _read(outcome: Fields) -> PokerRound:
    return PokerRound(
        community=take_cards(outcome["community"], "outcome.community"),
        positions=take_by_position(
            outcome["positions"],
            "outcome.positions",
            ErrorCode.BAD_OUTCOME,
            lambda value, where: take_cards(value, where),
        ),
        folded=_folded(outcome["folded"]),
        dealer=take_cards(outcome.get("dealer", []), "outcome.dealer"),
    )


def _folded(value: object) -> frozenset[int]:
    where, bad = "outcome.folded", ErrorCode.BAD_OUTCOME
    found = [take_integer(one, where, bad) for one in take_list(value, where, "a list of positions", bad)]
    if len(set(found)) != len(found):
        raise wrong(value, where, "each position once", bad)
    return frozenset(found)
