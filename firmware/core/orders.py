"""Orders: what two persons may have done at a table that no key and no menu can do.

Rules:
* Heard only while the floorperson's key and the reset key are both turned, their wiring is sound, and two different
  persons and a reason are named. One order, one entry: `OrderTaken` or `OrderRefused` with why.
* An order is carried out whole or not at all.
* The keys prove that holders of both were at the table; the names are on record, as on a slip, and are not proved here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import assert_never

from msgspec.structs import replace

from firmware.core import custody, floor, meter_orders, software
from firmware.core.events import OrderGiven
from firmware.core.order_data import (
    AcceptDifference,
    Approval,
    ChangeParameters,
    ClearJournal,
    CorrectMeter,
    Order,
    Transfer,
    TransferIn,
    TransferOut,
    name_of,
)
from firmware.core.order_effects import OrderRefused, OrderTaken
from firmware.core.state import Panel
from firmware.core.turn import Turn

RESET_KEY = "reset_key"
KEYS = (floor.KEY, RESET_KEY)
"""The two key switches, as their wiring faults name them ("floor_key", "reset_key.rest")."""


def give(turn: Turn, event: OrderGiven) -> None:
    """Take the order or refuse it; either is on record."""
    name = name_of(event.order)
    why = next(reasons_against(turn.state.panel, event.approval), None)
    if why is None:
        before, effects = turn.state, len(turn.effects)
        why = _carry_out(turn, event.order, event.approval)
        if why is not None:
            turn.state = before
            del turn.effects[effects:]
    turn.emit(OrderTaken(name) if why is None else OrderRefused(name, why))


def reset_key_lost(turn: Turn) -> None:
    """The reset key can't be read any more: it counts as at rest, and must be turned anew once it can be."""
    turn.set(panel=replace(turn.state.panel, reset_turned=False))


def reasons_against(panel: Panel, approval: Approval) -> Iterator[str]:
    """Why no order may be heard now, or not from these persons."""
    for key in KEYS:
        if any(line.split(".")[0] == key for line in panel.wiring):
            yield f"the wiring of the {key.replace('_', ' ')} is faulty"
    if not panel.floor_turned:
        yield "the floorperson's key is not turned"
    if not panel.reset_turned:
        yield "the reset key is not turned"
    yield from reasons_against_persons(approval)


def reasons_against_persons(approval: Approval) -> Iterator[str]:
    """Why nobody may act on these names."""
    if not (approval.first + approval.second + approval.reason).isprintable():
        yield "a name or the reason has characters that can't be printed"
    if not _plain(approval.first) or not _plain(approval.second):
        yield "two persons must be named"
    if _plain(approval.first) == _plain(approval.second):
        yield "the two persons named are one"
    if len(_alphabets(approval.first + approval.second)) > 1:
        yield "the two names are written in letters of different alphabets, which look alike"
    if not _plain(approval.reason):
        yield "no reason is given"


def _plain(text: str) -> str:
    """A name's letters and digits, its words in one order: what is left when nobody means another person by it. Case,
    spacing, points, accents, widths, what can't be seen, and first and last name exchanged make no other person."""
    letters = unicodedata.normalize("NFKD", text.casefold().replace("\u0131", "i")).casefold()
    return "".join(sorted("".join(map(_seen, letters)).split()))


def _seen(character: str) -> str:
    """A letter or digit itself, a space for what separates them, nothing for what stands upon them or is not seen."""
    if character in _FILLERS or unicodedata.category(character) in ("Mn", "Me"):
        return ""
    return character if character.isalnum() or unicodedata.category(character) == "Mc" else " "


_FILLERS = "\u115f\u1160"
"""Letters by category, and nothing on a display."""


def _alphabets(text: str) -> set[str]:
    """Which of the alphabets that share the shapes of letters a text is written in."""
    return {unicodedata.name(c, "").split(" ")[0] for c in text if c.isalpha()} & _LOOK_ALIKE


_LOOK_ALIKE = {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"}


def _carry_out(turn: Turn, order: Order, approval: Approval) -> str | None:
    """Do it; None, or why it can't be done, and what it has begun is undone. Every order has a row here."""
    match order:
        case CorrectMeter():
            return meter_orders.correct(turn, order)
        case Transfer():
            return meter_orders.transfer(turn, order)
        case TransferOut():
            return meter_orders.transfer_out(turn, order)
        case TransferIn():
            return meter_orders.transfer_in(turn, order)
        case ChangeParameters():
            return meter_orders.change_parameters(turn, order)
        case ClearJournal():
            return custody.clear(turn, order, approval)
        case AcceptDifference():
            return software.accept(turn, order.mark)
        case _:
            assert_never(order)
