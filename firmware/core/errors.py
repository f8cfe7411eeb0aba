"""Why a round can't be settled: one closed list of codes and the exception that carries one.

Rules:
* The codes are the public ones of `tabled settle`; a program may branch on them, so they never change meaning.
* The message is for a person and says what, where, what was found, what was expected and, where it helps, what to do.
"""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """Every reason for which a round is refused."""

    BAD_JSON = "bad_json"
    UNKNOWN_FIELD = "unknown_field"
    MISSING_FIELD = "missing_field"
    UNKNOWN_GAME = "unknown_game"
    UNKNOWN_WAGER = "unknown_wager"
    UNKNOWN_PAYTABLE = "unknown_paytable"
    NOT_OFFERED = "not_offered"
    BAD_CARD = "bad_card"
    IMPOSSIBLE_CARDS = "impossible_cards"
    BAD_WAGER = "bad_wager"
    BAD_TABLE = "bad_table"
    BAD_OUTCOME = "bad_outcome"
    UNKNOWN_READING = "unknown_reading"
    MISSING_METER = "missing_meter"


class SettlementError(Exception):
    """The round can't be settled. `code` is the public code, `message` the sentence for a person."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
