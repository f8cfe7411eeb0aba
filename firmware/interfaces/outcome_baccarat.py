"""The outcome of a baccarat round: `player` and `banker`, two or three cards each, in the order dealt."""

from __future__ import annotations

from firmware.core.wagers.two_hands import TwoHands
from firmware.interfaces.fields import check_keys, take_cards
from firmware.interfaces.strict_json import Fields


def read_two_hands(outcome: Fields) -> TwoHands:
    """Raises `SettlementError`: `unknown_field`, `missing_field`, `bad_outcome`, `bad_card`."""
    check_keys(outcome, "outcome.", ("player", "banker"), ())
    return TwoHands(
        player=take_cards(outcome["player"], "outcome.player"), banker=take_cards(outcome["banker"], "outcome.banker")
    )
