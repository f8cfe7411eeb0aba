"""Which key does what in which phase: one table. The README's state x key table is generated from it.

A phase and key without a row has no effect, and the display says so. The lock-out button acts in BETTING only; pressing
it again or holding it changes nothing. While the floorperson's key is turned, CONFIRM and CALL belong to the menu.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from firmware.core import awards, lockout, shoe, table
from firmware.core.events import Key
from firmware.core.faults import Irregularity
from firmware.core.rounds.machine import machine
from firmware.core.state import Phase
from firmware.core.turn import Turn


class KeyRow(Struct, frozen=True):
    """What the key does, for people, and how."""

    effect: str
    act: Callable[[Turn, int], None]  # (turn, at_ns)


def _confirm_count(turn: Turn, at_ns: int) -> None:
    if any(w.doubt for w in turn.state.wagers):
        turn.refuse(Key.CONFIRM, "CALL FLOORPERSON")
    else:
        machine(turn.rules).confirm_count(turn, at_ns)


def _mismatch(turn: Turn, at_ns: int) -> None:
    """The count differs: every counted wager must be confirmed or cancelled (X12)."""
    counted = lockout.progressive(turn.rules, turn.state)
    turn.note(Irregularity.MISMATCH, detail=f"{len(counted)} wagers on the board")
    turn.set(wagers=tuple(replace(w, doubt=w.doubt or "mismatch") if w in counted else w for w in turn.state.wagers))


def _burned(turn: Turn, at_ns: int) -> None:
    """Betting opens, or says what else speaks against it."""
    if turn.state.shoe.burning:
        shoe.burn(turn, False)
    else:
        turn.refuse(Key.CONFIRM, "CONFIRM NOT NOW")


def _confirm_award(turn: Turn, at_ns: int) -> None:
    before = awards.open_awards(turn.state)
    if not before:
        turn.refuse(Key.CONFIRM, "CONFIRM NOT NOW")
    elif awards.dealer_confirms(turn):
        if awards.look_alike(before, awards.open_awards(turn.state)):
            turn.set(hint="DONE")
        machine(turn.rules).award_done(turn, at_ns)
    else:
        turn.refuse(Key.CONFIRM, "FLOORPERSON FIRST")


def _call(turn: Turn, at_ns: int) -> None:
    turn.note(Irregularity.MISDEAL)


def _clear(turn: Turn, at_ns: int) -> None:
    if awards.any_open(turn.state):  # of a void round only the mystery bonus's are left
        turn.refuse(Key.CLEAR, "AWARD IS STILL OPEN")
    elif turn.state.mystery is not None and turn.state.mystery.undecided:
        turn.refuse(Key.CLEAR, "WAIT: MYSTERY DRAW")
    else:
        machine(turn.rules).ended(turn)
        table.end_round(turn)


def _played(turn: Turn, at_ns: int) -> None:
    machine(turn.rules).played(turn, at_ns)


def _clear_played(turn: Turn, at_ns: int) -> None:
    """Where nothing waits for the end of the hands, nobody has to say that it came."""
    if machine(turn.rules).still_waits(turn.rules, turn.state):
        turn.refuse(Key.CLEAR, "CONFIRM FIRST")
    else:
        machine(turn.rules).played(turn, at_ns)
        _clear(turn, at_ns)


def _confirm_shown(turn: Turn, at_ns: int) -> None:
    machine(turn.rules).confirm_shown(turn, at_ns)


def _lamps_seen(turn: Turn, at_ns: int) -> None:
    table.lamps_tested(turn, True, at_ns)


def _lamp_dark(turn: Turn, at_ns: int) -> None:
    table.lamps_tested(turn, False, at_ns)


KEYS: dict[tuple[Phase, Key], KeyRow] = {
    (Phase.LAMP_TEST, Key.CONFIRM): KeyRow("every lamp is lit: the table opens", _lamps_seen),
    (Phase.LAMP_TEST, Key.CALL): KeyRow(
        "a lamp is dark: the table stays closed, or opens and the fault is noted, as the house has it", _lamp_dark
    ),
    (Phase.PAUSED, Key.CONFIRM): KeyRow("after BURN, THEN CONFIRM: the cards are burned", _burned),
    (Phase.COUNTING, Key.CONFIRM): KeyRow(
        "the chip count agrees: deal (not while a wager is in doubt)", _confirm_count
    ),
    (Phase.COUNTING, Key.CALL): KeyRow("the count differs: the floorperson decides each position", _mismatch),
    (Phase.DEALING, Key.CALL): KeyRow("stop the round", _call),
    (Phase.AWARD, Key.CONFIRM): KeyRow(
        "the award shown: its hand wins and its lamp is lit; later: it is paid from the table inventory", _confirm_award
    ),
    (Phase.AWARD, Key.CALL): KeyRow("stop the round", _call),
    (Phase.PLAYING, Key.CONFIRM): KeyRow("the dealer's hand lies open: settle what waits for it", _played),
    (Phase.PLAYING, Key.CALL): KeyRow("stop the round", _call),
    (Phase.PLAYING, Key.CLEAR): KeyRow("cards collected: next round (not while a wager waits)", _clear_played),
    (Phase.CHECKING, Key.CONFIRM): KeyRow("the ball rests in the number shown", _confirm_shown),
    (Phase.CHECKING, Key.CALL): KeyRow("stop the round", _call),
    (Phase.RESULT, Key.CALL): KeyRow("stop the round", _call),
    (Phase.RESULT, Key.CLEAR): KeyRow("cards collected: next round", _clear),
    (Phase.VOIDED, Key.CONFIRM): KeyRow("as in award, where a mystery bonus was won before the void", _confirm_award),
    (Phase.VOIDED, Key.CLEAR): KeyRow("cards and chips returned: next round", _clear),
}


def reset_key(turn: Turn, at_ns: int) -> None:
    """The jackpot reset key: returns won meters whose awards are paid to their reseed, and does nothing else."""
    if turn.state.phase not in (Phase.AWARD, Phase.VOIDED):
        turn.refuse("reset key", "NO METER TO RESET")
    elif not awards.reset_meters(turn):
        turn.refuse("reset key", "AWARD IS NOT PAID")
    else:
        machine(turn.rules).award_done(turn, at_ns)
