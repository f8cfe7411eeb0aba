"""A line of the floorperson's menu, as whoever offers one makes it; `floor.py` has the menu."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from firmware.core.turn import Turn


class Act(StrEnum):
    """What a line of the menu does; generated into the README."""

    OPEN_TABLE = "open the table"
    CLOSE_TABLE = "close the table"
    NEW_SHOE = "open a new shoe"
    VALIDATE = "validate an award"
    DOCUMENT = "say that a slip's documentation is complete"
    CONFIRM_POSITION = "confirm a doubted wager"
    CANCEL_POSITION = "cancel a wager"
    CUT_CARD = "say that the cut card came, where the reader does not"
    BURN_CARDS = "have cards burned, where the reader does not tell them from dealt ones"
    ENTER_CARD = "enter the card that is due"
    ENTER_NUMBER = "enter the number in which the ball rests"
    SET_ASIDE = "set the card dealt last aside: it was exposed, or drawn in error"
    DEAL_IN = "deal a position in whose chip was not sensed"
    DEAL_OUT = "deal a position out: its wagers go back"
    RESUME = "let the stopped round go on"
    VOID = "void the round"
    ACKNOWLEDGE = "acknowledge an irregularity"
    OUT_OF_SERVICE = "take a position out of service"
    IN_SERVICE = "return a position to service"


class Line(Struct, frozen=True):
    """One line: what it does, what it says (20 characters), and how."""

    act: Act
    label: str
    take: Callable[[Turn, int], None]  # (turn, at_ns)
