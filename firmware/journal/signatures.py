"""The signatures in a journal: which are due, and whether each is the head's that it stands with.

A segment whose header names a public key is signed: with the snapshot of its opening state, and with each of an entry
that is marked to have one, stands the signature of the head at that row (`heads.Head`). The snapshot that closes a
state schema has none, since the next segment's stands right behind it. A segment without a key has no signatures; that
is for benches and tests, and `tabled journal verify` says it.
"""

from __future__ import annotations

from collections.abc import Collection

import apsw

from firmware.journal.errors import JournalDamaged
from firmware.journal.heads import Head
from firmware.journal.records import HEADER_CODEC
from firmware.journal.signing import verify

_ROWS = """
SELECT snapshot.segment, snapshot.seq, snapshot.signature, segment.first_seq, segment.hash, entry.hash, entry.snapshot
FROM snapshot JOIN segment ON segment.number = snapshot.segment LEFT JOIN entry ON entry.seq = snapshot.seq
ORDER BY snapshot.segment, snapshot.seq"""


def check_signatures(connection: apsw.Connection, public_keys: Collection[bytes] = ()) -> int:
    """How many heads are signed, all of them rightly. Raises JournalDamaged for the first that is not.

    `public_keys`: the only keys that may have signed; each segment must then be signed. To be called once the chain and
    the snapshots have been found in order.
    """
    signers: dict[int, tuple[bytes, int]] = {}
    before = 0
    for number, header in connection.execute("SELECT number, header FROM segment ORDER BY number"):
        read = HEADER_CODEC.decode(header)
        public = _public(read.public_key, number)
        if public_keys and public not in public_keys:
            who = f"signed by {public.hex()}" if public else "not signed"
            given = ", ".join(sorted(key.hex() for key in public_keys))
            raise JournalDamaged(
                f"segment {number}: is {who}, expected {given}: another key's journal, or a forged one"
            )
        if read.generation < before:
            raise JournalDamaged(f"segment {number}: is of generation {read.generation}, after generation {before}")
        before = read.generation
        signers[number] = (public, read.generation)
    count = 0
    for segment, seq, signature, first_seq, segment_hash, entry_hash, marked in connection.execute(_ROWS):
        public, generation = signers[segment]
        opening = seq == first_seq - 1
        place = f"signature of segment {segment} {'at its start' if opening else f'after entry {seq}'}"
        if not public or not (opening or marked):
            if signature is not None:
                raise JournalDamaged(f"{place}: none was due there: it was put in")
            continue
        head = Head(generation, segment, seq, segment_hash if opening else entry_hash)
        if signature is None:
            raise JournalDamaged(f"{place}: is missing")
        if not verify(public, head.message(), signature):
            raise JournalDamaged(f"{place}: is not that of {head} by {public.hex()}: it was changed, or forged")
        count += 1
    return count


def _public(text: str, number: int) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise JournalDamaged(f"segment {number}: public_key is {text[:80]!r}, expected hex digits") from None
