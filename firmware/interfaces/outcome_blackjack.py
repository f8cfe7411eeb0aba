"""The outcome of a Blackjack round: `dealer`, the upcard and the hole card, and `positions`, each with its initial two
cards."""

from __future__ import annotations

from firmware.core.errors import ErrorCode
from firmware.core.wagers.initial_cards import InitialCards
from firmware.interfaces.fields import check_keys, take_by_position, take_cards
from firmware.interfaces.strict_json import Fields


def read_initial_cards(outcome: Fields) -> InitialCards:
    """Raises `SettlementError`: `unknown_field`, `missing_field`, `bad_outcome`, `bad_card`."""
    check_keys(outcome, "outcome.", ("dealer", "positions"), ())
    return InitialCards(
        dealer=take_cards(outcome["dealer"], "outcome.dealer"),
        positions=take_by_position(outcome["positions"], "outcome.positions", ErrorCode.BAD_OUTCOME, take_cards),
    )
