"""`hil report`: made, shown, written, and verified."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from msgspec import Struct

from firmware.journal.commands import public_key
from firmware.journal.errors import KeyMissing, KeyUnusable
from firmware.journal.signing import Signer
from hil import daemon, lease
from hil.report import junit, page, text
from hil.report.collect import Asked, collect
from hil.report.record import BadRecord, Signed, from_json, signed, to_json

GOOD, NOT_GOOD, NOT_POSSIBLE = 0, 1, 2


class Wanted(Struct, frozen=True):
    """What is to be made of the record. `access`: a lease, for opening the devices."""

    by: str
    over_s: float
    accepted: frozenset[str]
    access: lease.Access | None
    as_json: bool
    html: Path | None
    junit: Path | None


def make(socket: Path, wanted: Wanted) -> int:
    """Make, print and write a record. Exit status 0: all passed and signed; 1: not; 2: none could be made."""
    try:
        record, key = asyncio.run(collect(socket, wanted.by, wanted.over_s, wanted.accepted, wanted.access))
    except (daemon.NoDaemon, lease.NoLease, lease.LeaseOver, Asked) as error:
        print(f"hil report: {error}", file=sys.stderr)
        return NOT_POSSIBLE
    try:
        done = signed(record, Signer.load(key))
    except (KeyMissing, KeyUnusable) as error:
        done = signed(record, None, str(error))
        print(f"hil report: NOT SIGNED: {error}. As the daemon's user: sudo -u tabled hil report", file=sys.stderr)
    try:
        if wanted.html is not None:
            wanted.html.write_text(page.page(done), "utf-8")
        if wanted.junit is not None:
            wanted.junit.write_bytes(junit.xml(done))
    except OSError as error:
        print(f"hil report: {error}", file=sys.stderr)
        return NOT_POSSIBLE
    print(to_json(done).decode().rstrip("\n") if wanted.as_json else "\n".join(text.lines(done)), flush=True)
    return GOOD if done.signature and not record.wrong else NOT_GOOD


def verify(file: Path, public: str | None) -> int:
    """Whether a record, JSON or HTML, is what was signed. Exit status 0: it is; 1: it is not; 2: it can't be read."""
    try:
        raw = file.read_bytes()
        is_page = raw.lstrip()[:1] == b"<"
        found = page.carried(raw.decode("utf-8", errors="replace")) if is_page else from_json(raw)
        record = found.read()
        expected = public_key(public) if public is not None else None
    except (OSError, BadRecord, KeyMissing, KeyUnusable) as error:
        print(f"hil report: {file}: {error}", file=sys.stderr)
        return NOT_POSSIBLE
    wrong = _wrong(found, expected, raw, is_page)
    if wrong:
        print(f"NOT VERIFIED: {_plain(wrong)}")
    print(f"record of table {_plain(record.table)}, {_plain(text.made(record))}")
    print(text.verdict(record))
    if wrong:
        return NOT_GOOD
    print(f"verified: signed by {found.public_key}")
    if expected is None:
        print("compare this key with the one that was noted at the installation, or name that: --public-key KEY")
    return GOOD


def _plain(told: str) -> str:
    """What a file says, which anybody may have written: on its line, and without orders to the terminal."""
    return "".join(character if character.isprintable() else "?" for character in told)


def _wrong(found: Signed, expected: bytes | None, shown: bytes, is_page: bool) -> str:
    """Why a record is not to be relied on; empty if it is. `shown`: the file's bytes."""
    if not found.signature:
        return f"it was never signed ({found.not_signed})"
    if not found.verified():
        return "it was changed after it was signed"
    if expected is not None and found.public_key != expected.hex():
        return f"signed by another key: {found.public_key}"
    if not is_page and to_json(found).strip() != shown.strip():
        return "the file says more than was signed: other fields, or one twice"
    if is_page and page.page(found).encode() != shown:
        return (
            "the page is not the one that this hil draws of its record: changed by hand, or drawn by another version. "
            "The record in it is as it was signed"
        )
    return ""
