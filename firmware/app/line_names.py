"""Names of the table's lines, as `registry` gives them to the line devices and `inputs` knows them again.

The contacts of a key switch are "NAME.rest" and "NAME.turned"; a spot's line and its lamp share one name.
"""

from __future__ import annotations

from firmware.core.events import LOCKOUT, Key

__all__ = ["DOOR", "FLOOR_KEY", "KEY_LINES", "LOCKOUT", "RESET_KEY", "fold_line", "spot_line"]

DOOR = "door"
FLOOR_KEY = "floor_key"
RESET_KEY = "reset_key"
KEY_LINES = {"confirm": Key.CONFIRM, "call": Key.CALL, "clear": Key.CLEAR}


def spot_line(position: int, wager: str) -> str:
    """ "3/player" """
    return f"{position}/{wager}"


def fold_line(position: int) -> str:
    """The fold button of a position: "fold.3"."""
    return f"fold.{position}"
