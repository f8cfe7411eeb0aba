"""A jackpot slip from the journal alone: found by its number or its award's, and laid out for text and paper.

Rules:
* Everything on a slip stands in the one entry in which it got its number, and in the header of that entry's segment;
  so the same journal gives the same slip at any later time, whatever has happened since.
* The entry's hash is worked out anew and must be the stored one: no slip is made from an altered entry. That the entry
  is in its place in the chain, `tabled journal verify` shows.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from datetime import UTC, datetime

from msgspec import Struct

from firmware.app.amount_words import amount_in_words
from firmware.app.program import programs
from firmware.core.effects import AwardLocked, Effect, SlipIssued
from firmware.core.events import Event
from firmware.core.meters import cents_text
from firmware.core.money import exact_text
from firmware.core.settlement_data import PaidBy
from firmware.core.slips import number_text
from firmware.journal.errors import JournalDamaged, JournalError
from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC, Entry, EntryRow, SegmentHeader, entry_hash
from firmware.journal.wall_trust import trusted_at

COLUMNS = 78
LABEL_COLUMNS = 22
NS_PER_S = 1_000_000_000

SIGNATURES = (
    "Dealer: the hand wins, its lamp was lit",
    "Floorperson or above: validated",
    "Paid by",
    "Received by the patron",
)
"""Who signs, and for what."""


class Slip(Struct, frozen=True):
    """One slip: its record, and where that stands."""

    issued: SlipIssued
    seq: int
    entry_hash: bytes
    wall_ns: int
    wall_trusted: bool  # whether the table's wall clock was known to be set
    simulated: bool


class Page(Struct, frozen=True):
    """A slip as people read it, whatever it is written on."""

    title: str
    notice: str  # empty on a table that takes money
    rows: tuple[tuple[str, str], ...]
    amount: str
    in_words: str
    signatures: tuple[str, ...]
    proof: tuple[str, ...]


class NoSlip(JournalError):
    """The journal has no such slip; the text says why."""


# --- found ------------------------------------------------------------------------------------------------------------


def slip_of_award(reader: Reader, award: int) -> Slip:
    """The slip of an award. Raises NoSlip, JournalDamaged, RecordError, UnknownRules."""
    why = f"no award {award} is in this journal; an earlier file of the table may have it"

    def is_it(effect: Effect) -> bool:
        nonlocal why
        match effect:
            case AwardLocked(award=number) if number == award:
                tray = effect.paid_by is PaidBy.TABLE_INVENTORY
                why = (
                    f"award {award} is paid from the table inventory and has no slip; `tabled journal show` tells it"
                    if tray
                    else f"award {award} has no slip yet: the floorperson has not validated it"
                )
            case SlipIssued(award=number):
                return number == award
            case _:
                pass
        return False

    found = _find(reader, is_it, (AwardLocked, SlipIssued))
    if found is None:
        raise NoSlip(why)
    return found


def slip_of_number(reader: Reader, number: int) -> Slip:
    """The slip with this number. Raises as `slip_of_award` does."""
    found = _find(reader, lambda effect: isinstance(effect, SlipIssued) and effect.slip == number, (SlipIssued,))
    if found is None:
        raise NoSlip(f"no slip {number_text(number)} is in this journal; an earlier file of the table may have it")
    return found


def _find(reader: Reader, is_it: Callable[[Effect], bool], kinds: tuple[type, ...]) -> Slip | None:
    """Only entries whose text names one of `kinds` are decoded: they are few among many."""
    marks = tuple(f'"type":"{kind.__name__}"' for kind in kinds)
    segments = {row.number: row for row in reader.segments()}
    for row in reader.entries():
        if not any(mark in row.body for mark in marks):
            continue
        if row.segment not in segments:
            raise JournalDamaged(f"entry {row.seq}: its segment {row.segment} is missing")
        header = HEADER_CODEC.decode(segments[row.segment].header)
        entry: Entry[Event, Effect] = programs(header).codec.decode_entry(row)
        for effect in entry.effects:
            if is_it(effect) and isinstance(effect, SlipIssued):
                return _slip(row, header, effect, trusted_at(reader, row))
    return None


def _slip(row: EntryRow, header: SegmentHeader, issued: SlipIssued, trusted: bool) -> Slip:
    if entry_hash(row) != row.hash:
        raise JournalDamaged(f"entry {row.seq}, slip {number_text(issued.slip)}: is not what was hashed")
    return Slip(issued, row.seq, row.hash, row.wall_ns, trusted, header.profile != "production")


# --- laid out ---------------------------------------------------------------------------------------------------------


def page(slip: Slip) -> Page:
    """The slip for people. Amounts are exact: a meter with the millionths of a dollar that it holds."""
    issued = slip.issued
    return Page(
        title=f"JACKPOT SLIP {number_text(issued.slip)}",
        notice="SIMULATED TABLE: NO VALUE" if slip.simulated else "",
        rows=(
            ("Table", issued.table),
            ("Date", date_text(slip)),
            ("Round", f"{issued.round}"),
            ("Award", f"{issued.award}"),
            ("Position", f"{issued.position}"),
            ("Wager", f"{_words(issued.wager)}, {cents_text(issued.stake_cents)}"),
            ("Paytable", f"{issued.paytable} ({issued.section})"),
            ("Line", f"{_words(issued.line)}{f': {issued.printed}' if issued.printed else ''}"),
            *_cause(issued),
            *(("Cards" if not place else "", hand) for place, hand in enumerate(issued.cards)),
            *_meter(issued),
            ("Paid", "by this slip, not from the table inventory container"),
        ),
        amount=cents_text(issued.cents),
        in_words=amount_in_words(issued.cents),
        signatures=SIGNATURES,
        proof=(f"Journal entry {slip.seq}", f"SHA-256 {slip.entry_hash.hex()}"),
    )


def _cause(issued: SlipIssued) -> tuple[tuple[str, str], ...]:
    return () if issued.because_of is None else (("Owed for the hand of", f"position {issued.because_of}"),)


def _meter(issued: SlipIssued) -> tuple[tuple[str, str], ...]:
    if issued.meter is None or issued.before_micro is None or issued.after_micro is None:
        return (("Meter", "none: an award of a fixed amount"),)
    shares = "one winner" if issued.winners == 1 else f"shared by {issued.winners} winners, of which this is one"
    return (
        ("Meter", f"{issued.meter}, {shares}"),
        ("Meter before", f"{exact_text(issued.before_micro)} at lock-out"),
        ("Meter after", f"{exact_text(issued.after_micro)} once it is reset, later wagers not counted"),
    )


def date_text(slip: Slip) -> str:
    """When the slip got its number, by the table's clock, in UTC to the second."""
    text = made_at(slip).strftime("%Y-%m-%d %H:%M:%S UTC")
    return text if slip.wall_trusted else f"{text} (the table's clock was not known to be set)"


def made_at(slip: Slip) -> datetime:
    return datetime.fromtimestamp(slip.wall_ns // NS_PER_S, UTC)


def _words(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def slip_text(slip: Slip) -> str:
    """The slip as plain text, 78 columns, with a line end after every line."""
    laid_out = page(slip)
    rule = "=" * COLUMNS
    lines = [rule, laid_out.title.center(COLUMNS).rstrip()]
    if laid_out.notice:
        lines.append(laid_out.notice.center(COLUMNS).rstrip())
    lines += [rule, ""]
    for label, value in (*laid_out.rows, ("AMOUNT", laid_out.amount), ("In words", laid_out.in_words)):
        wrapped = textwrap.wrap(value, COLUMNS - LABEL_COLUMNS) or [""]
        lines += [f"{label if not n else '':<{LABEL_COLUMNS}}{part}".rstrip() for n, part in enumerate(wrapped)]
    for signature in laid_out.signatures:
        lines += ["", "", "_" * 44 + "  " + "_" * 32, f"{signature:<46}Date and time"]
    return "\n".join([*lines, "", *laid_out.proof, rule]) + "\n"
