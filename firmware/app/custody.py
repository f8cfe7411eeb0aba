"""What a technician does with a table's journal while the daemon is stopped: rotate it, clear it, bring it back.

Rules:
* Run by the daemon's own user, with the journal's lock: the files stay its own, and the daemon can't run meanwhile.
* Nothing is given up that has not been exported, verified, first. Everything that was done is in the new file's first
  entry (`JournalBegun`), with the old one's head.
* Bringing back and clearing are acts of two persons. For a clearing they have stood at the table with both keys
  (`tabled order clear-journal`), and it is confirmed in typing.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw
from msgspec import Struct
from msgspec.structs import replace

from firmware.app import clock
from firmware.app.continuity import reasons_against_profile
from firmware.app.program import VERSION, code_hash, codec, filed, paytables_hash, programs, text_hash
from firmware.core import custody as core
from firmware.core import meters
from firmware.core.effects import Effect
from firmware.core.events import Event
from firmware.core.machine_events import JournalBegun, MeterLeft, Succession
from firmware.core.money import format_meter
from firmware.core.order_data import Account, Approval
from firmware.core.orders import reasons_against_persons
from firmware.core.rules import TableRules
from firmware.core.state import RULES_VERSION, STATE_SCHEMA, State
from firmware.core.step import step
from firmware.journal.backup import copy_journal
from firmware.journal.commands import counted
from firmware.journal.errors import (
    JournalDamaged,
    JournalError,
    JournalMissing,
    JournalReplaced,
    KeyUnusable,
    NotAJournal,
    NotThisTable,
    RecordError,
)
from firmware.journal.heads import Custody, Head, signed, write_head
from firmware.journal.lock import WriterLock
from firmware.journal.reader import Position, Reader
from firmware.journal.records import HEADER_CODEC, NO_HASH, Batch, Entry, SegmentHeader, SegmentStart
from firmware.journal.replay import Restart, restart
from firmware.journal.session import Session
from firmware.journal.signing import Signer
from firmware.journal.succession import Opening, aside_path, keep_aside, prepare, take_place
from firmware.settings.check import CheckedTable
from firmware.settings.model import Settings
from firmware.settings.rules import to_rules

Stands = Restart[TableRules, State]


class Files(Struct, frozen=True):
    """Where a table keeps what it must not lose."""

    journal: Path
    key: Path
    noted: Path


def files_of(settings: Settings, folder: Path) -> Files:
    """`folder`: the run directory, under which relative paths lie."""
    storage = settings.storage
    return Files(folder / storage.journal, folder / storage.signing_key, folder / storage.noted_head)


@contextmanager
def held(files: Files) -> Iterator[Custody]:
    """The journal's lock and the table's key. Raises JournalLocked while the daemon runs, KeyMissing, KeyUnusable."""
    signer = Signer.load(files.key)
    owner = files.key.stat().st_uid
    if owner != os.geteuid():
        raise KeyUnusable(
            f"{files.key}: belongs to user {owner}, and the journal must stay that user's; run this as that user "
            "(sudo -u tabled tabled ...)"
        )
    lock = WriterLock(files.journal)
    try:
        yield Custody(signer, files.noted)
    finally:
        lock.release()


def rotate(files: Files, archive: Path) -> Iterator[str]:
    """Export the journal to `archive` and go on in a new file. Says what it does. Raises JournalError."""
    with held(files) as custody:
        stands = _stands(files, custody)
        yield _export(files, custody, stands, archive)
        header = _by_us(stands.header, custody, stands.header.generation + 1)
        begun = _begun(Succession.ROTATED, header.generation, stands, None, custody)
        opening = _opening(header, stands.rules, stands.state, begun, stands.position)
        prepare(files.journal, codec(), custody, opening, stands.position, None)
        take_place(files.journal, custody)
        yield f"{files.journal}: goes on as generation {header.generation}, from entry {stands.position.last_seq + 1}"


def clear(files: Files, table: CheckedTable, export: Path, confirmed: bool) -> Iterator[str]:
    """Export the journal to `export` and begin a new one under the configuration `table`, every meter at its seed.

    Refused unless it was ordered at the table. Without `confirmed` it only says what is to be done. Raises
    JournalError.
    """
    with held(files) as custody:
        stands = _stands(files, custody)
        rules = to_rules(table.settings, table.catalogue)
        _expect_ours(files.journal, stands, table.settings)
        approval = stands.state.clearing
        if approval is None:
            raise JournalError(
                f"{files.journal}: nobody has ordered that it be cleared. With the daemon running, the table closed "
                "and both keys turned: tabled order clear-journal --step begin --first NAME --second NAME --reason TEXT"
            )
        yield f"ordered by {approval.first} and {approval.second}: {approval.reason}"
        for meter in stands.state.meters:
            accounts = {account: meters.held(meter, account) for account in Account}
            rarer = (Account.HIDDEN, Account.OVERFLOW)
            parts = [f"{a} {format_meter(micro)}" for a, micro in accounts.items() if micro or a not in rarer]
            yield f"meter {meter.name}: {', '.join(parts).removeprefix('shown ')}"
        if not confirmed:
            return
        yield _export(files, custody, stands, export)
        configuration = filed(table.text)
        header = replace(
            _by_us(stands.header, custody, stands.header.generation + 1),
            configuration=configuration,
            configuration_hash=text_hash(configuration),
            paytables_hash=paytables_hash(),
            profile=table.settings.table.profile.value,
        )
        begun = _begun(Succession.CLEARED, header.generation, stands, approval, custody)
        opening = _opening(header, rules, core.cleared(rules, stands.state), begun, stands.position)
        prepare(files.journal, codec(), custody, opening, stands.position, None)
        take_place(files.journal, custody)
        first = stands.position.last_seq + 1
        yield f"{files.journal}: cleared; generation {header.generation} begins with entry {first}"


def restore(
    files: Files, settings: Settings, copy: Path, approval: Approval, earlier_keys: Collection[bytes] = ()
) -> Iterator[str]:
    """Go on from `copy`, where the table's journal is lost, damaged or not the newest. `earlier_keys`: public halves of
    the keys that this table had before. Raises JournalError."""
    why = next(reasons_against_persons(approval), None)
    if why is not None:
        raise JournalError(f"not restored: {why}")
    with held(files) as custody:
        unsound = _unsound(files, custody)
        if not unsound:
            raise JournalError(
                f"{files.journal}: is in order and holds everything that was acknowledged; nothing is to be restored"
            )
        yield unsound
        noted = custody.noted()
        keys = {custody.signer.public, *earlier_keys}
        with Reader(copy) as reader:
            report = reader.verify(public_keys=keys)
            stands = restart(reader, programs)
            complete = noted is not None and (reader.holds(noted.head) or report.anchor == noted.head != NO_HASH)
        if stands is None:
            raise JournalError(f"{copy}: has no segment; there is nothing to go on from")
        _expect_ours(copy, stands, settings)
        yield f"{copy}: in order, {counted(report.segments, 'segment')}, up to entry {stands.position.last_seq}"
        if noted is not None and noted.seq > stands.position.last_seq:
            yield (
                f"LOST: the table had acknowledged entry {noted.seq}; entries {stands.position.last_seq + 1} to "
                f"{noted.seq} are not in the copy"
            )
        elif noted is not None and not complete:
            yield f"LOST: the table had acknowledged {noted}, which is not in the copy: they went different ways before"
        if not complete and stands.state.mystery is not None:
            yield "the mystery bonus stops: what is lost may have revealed its trigger; a clearing draws another"
        following = max(stands.header.generation, noted.generation if noted else 0) + 1
        generation = _unused(files.journal, keys, following)
        header = _by_us(stands.header, custody, generation)
        begun = replace(_begun(Succession.RESTORED, generation, stands, approval, custody), lost=not complete)
        opening = _opening(header, stands.rules, stands.state, begun, stands.position)
        prepare(files.journal, codec(), custody, opening, None, copy)
        aside = keep_aside(files.journal, generation)
        take_place(files.journal, custody, aside)
        if aside is not None:
            yield f"what lay there is kept as {aside}"
        yield f"{files.journal}: goes on as generation {generation}, from entry {stands.position.last_seq + 1}"


def _expect_ours(path: Path, stands: Stands, settings: Settings) -> None:
    """Raises NotThisTable for another table's journal, or one of play where money is taken, or the other way round."""
    of, ours = stands.rules.table_id, settings.table.id
    if of != ours:
        raise NotThisTable(f"{path}: is of table {of}, the configuration is of {ours}")
    for why in reasons_against_profile(stands.header.profile, settings.table.profile.value):
        raise NotThisTable(f"{path}: {why}")


def _unused(journal: Path, keys: Collection[bytes], generation: int) -> int:
    """The first generation from this one on that no file lying there has had: that it counts up is no matter of what is
    noted alone, and what was kept aside is not replaced."""
    with suppress(JournalError), Reader(journal) as reader:
        reader.verify(public_keys=keys)
        generation = max(generation, 1 + HEADER_CODEC.decode(reader.segments()[-1].header).generation)
    while (aside := aside_path(journal, generation)).exists() and not (journal.exists() and aside.samefile(journal)):
        generation += 1
    return generation


def _stands(files: Files, custody: Custody) -> Stands:
    """Where the journal ends: written back, whole, holding what was noted, and noted anew to its very end."""
    session: Session[Event, Effect, State] = Session(files.journal, codec(), None, custody)
    try:
        session.check(None, whole=True)
        session.finish()
    finally:
        session.drop()
    with Reader(files.journal) as reader:
        stands = restart(reader, programs)
    if stands is None:
        raise JournalError(f"{files.journal}: has no segment yet; there is nothing to export")
    return stands


def _unsound(files: Files, custody: Custody) -> str:
    """Why the table can't go on from the journal that lies there; empty: it can. Raises JournalError where that can't
    be known now: a disk that does not answer is no reason to give a journal up."""
    try:
        _stands(files, custody)
    except (JournalMissing, JournalDamaged, JournalReplaced, NotAJournal, RecordError) as error:
        return str(error)
    return ""


def _export(files: Files, custody: Custody, stands: Stands, folder: Path) -> str:
    with Reader(files.journal) as reader:
        first_seq = reader.segments()[0].first_seq
    last = stands.position
    to = folder / f"{files.journal.stem}-{stands.header.generation:04}-{first_seq}-{last.last_seq}.sqlite"
    head = signed(_head(stands.header, last), custody.signer)
    if to.exists():
        _insist_exported(to, last)
        write_head(to.with_name(to.name + ".head"), head)
        return f"exported already, and in order: {to}"
    copied = copy_journal(files.journal, to, head)
    if copied.report.head != last.head:
        raise JournalError(f"{to}: ends with another head than {files.journal}; another program wrote to it meanwhile")
    return f"exported and verified: {copied.report.entries} entries, to {to}, head {last.head.hex()}"


def _insist_exported(to: Path, last: Position) -> None:
    """An attempt that was cut off has exported this already, and nothing has happened to it. Raises JournalError."""
    try:
        with Reader(to) as reader:
            found = reader.verify().head
    except JournalError as error:
        raise JournalError(f"{to}: exists already and is not in order ({error}); move it away") from error
    if found != last.head:
        raise JournalError(f"{to}: exists already and ends with another head, {found.hex()}; move it away")


def _head(header: SegmentHeader, position: Position) -> Head:
    return Head(header.generation, position.segment, position.last_seq, position.head)


def _by_us(header: SegmentHeader, custody: Custody, generation: int) -> SegmentHeader:
    """The header of a segment that this program writes under the configuration of `header`."""
    return replace(
        header,
        rules_version=RULES_VERSION,
        state_schema=STATE_SCHEMA,
        firmware_version=VERSION,
        code_hash=code_hash(),
        sqlite_version=apsw.sqlite_lib_version(),
        boot_id=clock.boot_id(),
        wall_trusted=clock.reading().trusted,
        public_key=custody.signer.public.hex(),
        generation=generation,
    )


def _begun(
    how: Succession, generation: int, stands: Stands, approval: Approval | None, custody: Custody
) -> JournalBegun:
    left = tuple(MeterLeft(m.name, *(meters.held(m, account) for account in Account)) for m in stands.state.meters)
    position = stands.position
    noted = custody.noted()
    at_ns = clock.monotonic_ns()
    return JournalBegun(
        how, generation, position.head.hex(), position.last_seq, approval, left, str(noted or ""), at_ns
    )


def _opening(
    header: SegmentHeader, rules: TableRules, state: State, begun: JournalBegun, after: Position
) -> Opening[Event, Effect, State]:
    at_ns, wall_ns, _ = clock.reading()
    then, effects = step(rules, state, begun)
    entry: Entry[Event, Effect] = Entry(after.last_seq + 1, at_ns, wall_ns, begun, effects)
    return Opening(SegmentStart(header, at_ns, wall_ns, state), Batch((entry,), then))
