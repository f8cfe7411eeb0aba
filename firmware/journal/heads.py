"""Signed heads: how far a journal had come, vouched for by the table's key.

A head is the hash of the journal's last row; it stands for everything before it. Signed is

    "tabled journal head 1" + NUL + generation, segment, seq (8 bytes each, big-endian, signed) + head

by Ed25519. `seq` is the last entry's (that before the segment's first while it has none). One form serves three places:

* with each snapshot in the journal (each start, each round's end, each thousandth entry), in the same transaction;
* the exported head, a file that people keep where the table can't reach it;
* the noted head, a file outside the journal in which the daemon notes how far it has come. A journal in which the noted
  head is missing is an old copy, or another journal: it is not written.

The generation is counted up whenever a file takes another's place as the table's journal (rotation, clearing,
restoring): a file of an earlier generation is no longer the journal, however long it is.

Rules: the noted head may be behind the journal, never before it, since it is written after the commit it tells of. It
is replaced as a whole; a power cut leaves the old one or the new one.
"""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path

import apsw
import msgspec
from msgspec import Struct

from firmware.journal.database import named_errors, sync_folder
from firmware.journal.drafts import draft_of
from firmware.journal.errors import JournalError, JournalReplaced
from firmware.journal.new_file import write_all
from firmware.journal.records import HASH_BYTES, NO_HASH
from firmware.journal.signing import Signer, verify

_LABEL = b"tabled journal head 1\0"
_NUMBERS = struct.Struct(">3q")
_FORMAT = "tabled journal head 1"
FIRST_GENERATION = 1


class Head(Struct, frozen=True):
    """How far a journal had come."""

    generation: int
    segment: int
    seq: int
    head: bytes

    def message(self) -> bytes:
        """What is signed."""
        return _LABEL + _NUMBERS.pack(self.generation, self.segment, self.seq) + self.head

    def __str__(self) -> str:
        return f"generation {self.generation}, segment {self.segment}, entry {self.seq}, head {self.head.hex()}"


BEFORE_ANYTHING = Head(FIRST_GENERATION, 0, 0, NO_HASH)


class SignedHead(Struct, frozen=True):
    head: Head
    public_key: bytes
    signature: bytes

    def in_order(self) -> bool:
        return verify(self.public_key, self.head.message(), self.signature)


def signed(head: Head, signer: Signer) -> SignedHead:
    return SignedHead(head, signer.public, signer.sign(head.message()))


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """A signed head as its file says it; bytes in hex."""

    format: str
    generation: int
    segment: int
    seq: int
    head: str
    public_key: str
    signature: str


def to_text(of: SignedHead) -> str:
    """One JSON object, a line."""
    head = of.head
    values = _File(
        _FORMAT, head.generation, head.segment, head.seq, head.head.hex(), of.public_key.hex(), of.signature.hex()
    )
    return msgspec.json.format(msgspec.json.encode(values)).decode() + "\n"


def read_head(path: Path) -> SignedHead | None:
    """The signed head in a file, its signature checked; None where no file is. Raises JournalError."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for
            raise JournalReplaced(f"{path}: is no regular file; expected a signed head. Check the path")
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}; the signed head must be readable by who runs this") from error
    try:
        file = msgspec.json.decode(content, type=_File)
        head = Head(file.generation, file.segment, file.seq, bytes.fromhex(file.head))
        found = SignedHead(head, bytes.fromhex(file.public_key), bytes.fromhex(file.signature))
        sound = file.format == _FORMAT and len(head.head) == HASH_BYTES and found.in_order()
    except (msgspec.MsgspecError, ValueError, struct.error) as error:
        raise JournalReplaced(
            f"{path}: is no signed head of a journal ({error}); it was damaged or exchanged"
        ) from error
    if not sound:
        raise JournalReplaced(f"{path}: says {head}, which its signature does not; it was changed or exchanged")
    return found


def write_head(path: Path, of: SignedHead) -> None:
    """Durably, in place of what is there. Raises JournalError."""
    draft = draft_of(path)
    with named_errors(path):
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o640)
        try:
            write_all(descriptor, to_text(of).encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        draft.replace(path)  # the name may become durable later: an older noted head is behind, never wrong


class Custody:
    """What vouches for a journal from outside: the table's key, and the noted head."""

    def __init__(self, signer: Signer, noted: Path) -> None:
        self.signer = signer
        self._noted = noted
        self._last: Head | None = None

    def next(self) -> Custody:
        """The same key, and a note of its own for the file that is to take the journal's place (`succession`)."""
        return Custody(self.signer, self._noted.with_name(f"{self._noted.name}.next"))

    def forget(self) -> None:
        """Raises JournalError."""
        with named_errors(self._noted):
            self._noted.unlink(missing_ok=True)

    def adopt_next(self) -> None:
        """What was noted of the next file is what is noted: it has taken the journal's place. Raises JournalError."""
        with named_errors(self._noted):
            self.next()._noted.replace(self._noted)
            sync_folder(self._noted.parent)
        self._last = None

    def begin(self, journal: Path) -> None:
        """Note that a first journal is about to be made. Raises JournalReplaced where the table has had one."""
        noted = self.noted()
        if noted is None:
            self.note(BEFORE_ANYTHING)
        elif noted.segment:
            raise JournalReplaced(
                f"{journal}: is missing, and {self._noted} has noted {noted}: the journal was removed. Find it, or "
                "bring back the newest copy: tabled journal restore COPY"
            )

    def note(self, head: Head) -> None:
        """Raises JournalError."""
        if head != self._last:
            write_head(self._noted, signed(head, self.signer))
            self._last = head

    def check(self, connection: apsw.Connection, journal: Path, generation: int) -> None:
        """Whether the noted head is in the journal. `generation`: of its last segment, 0 without one.

        Raises JournalReplaced, saying what to do.
        """
        following = self.next().noted()
        noted = self.noted()
        replaced = 0 if noted is None else noted.generation
        if following is not None and generation >= following.generation > replaced and _holds(connection, following):
            self.adopt_next()  # it has taken the journal's place, and the power went before that was noted
            noted = following
        if noted is None:
            raise JournalReplaced(
                f"{self._noted}: is missing, so nobody can tell whether {journal} is the newest; find the file, or "
                f"have the journal accepted as it is: tabled journal restore {journal}"
            )
        if generation < noted.generation and noted.segment:
            raise JournalReplaced(
                f"{journal}: is of generation {generation}, noted in {self._noted} is {noted}: a file that was "
                f"replaced has come back. {_REMEDY}"
            )
        if not _holds(connection, noted):
            raise JournalReplaced(
                f"{journal}: ends without what was acknowledged, {noted} (noted in {self._noted}): it is an old copy, "
                f"was cut, or is another table's. {_REMEDY}"
            )
        if following is not None and noted != following:
            self.next().forget()  # of an attempt that was cut off: the table has gone on without it

    def noted(self) -> Head | None:
        """What is noted, None for nothing. Raises JournalReplaced for a note that this key did not sign."""
        found = read_head(self._noted)
        if found is None:
            return None
        if found.public_key != self.signer.public:
            raise JournalReplaced(
                f"{self._noted}: is signed by the key {found.public_key.hex()}, this table's is "
                f"{self.signer.public.hex()}; bring back the key, or, if it was lost, move the noted head away and "
                f"have the journal accepted: tabled journal restore JOURNAL --public-key {found.public_key.hex()}"
            )
        return found.head


_REMEDY = "Find the newest journal; if it is lost, bring back the newest copy: tabled journal restore COPY"


def _holds(connection: apsw.Connection, noted: Head) -> bool:
    """Whether the noted head is a row of the journal, or the end of the file that it continues."""
    if not noted.segment:
        return True
    queries = (
        ("SELECT 1 FROM entry WHERE seq = ? AND hash = ?", (noted.seq, noted.head)),
        ("SELECT 1 FROM segment WHERE number = ? AND hash = ?", (noted.segment, noted.head)),
        (
            "SELECT 1 FROM segment WHERE number = (SELECT min(number) FROM segment) AND number = ? AND prev_hash = ?",
            (noted.segment + 1, noted.head),
        ),
    )
    return any(next(iter(connection.execute(query, values)), None) is not None for query, values in queries)
