"""What every card game keeps of a card."""

from __future__ import annotations

from firmware.core.baccarat import Hand
from firmware.core.stored import Stored


class Dealt(Stored, frozen=True):
    """A card of a hand, as it was read or as the floorperson entered it."""

    card: str
    entered: bool = False


class EarlyCard(Stored, frozen=True):
    """A card that came inside the decision window; dealt once the accepted set is final."""

    hand: Hand | None  # None: the reader does not say; it goes to the hand that is due then
    index: int  # 0 where it does not say
    card: str | None
