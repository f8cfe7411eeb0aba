"""`tabled journal head|backup FILE`: what is taken out of a journal while it is in use, so that people can keep it.

Rules: the journal is only read. Exit status as `commands` has it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from firmware.journal.backup import copy_journal
from firmware.journal.commands import counted, reporting
from firmware.journal.errors import JournalDamaged, JournalError
from firmware.journal.heads import write_head
from firmware.journal.reader import Reader


def main_head(arguments: Sequence[str]) -> int:
    """`head FILE [--export TO]`: how far the journal has come, and the newest head that is signed."""
    parser = argparse.ArgumentParser(prog="tabled journal head", description=main_head.__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--export", type=Path, metavar="TO", help="write the signed head there, to be kept elsewhere")
    options = parser.parse_args(arguments)
    return reporting(lambda: _head(options.file, options.export))


def main_backup(arguments: Sequence[str]) -> int:
    """`backup FILE TO`: a verified copy, made while the daemon may write; TO.head is its signed head."""
    parser = argparse.ArgumentParser(prog="tabled journal backup", description=main_backup.__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("to", type=Path, help="a new file, best on another medium")
    options = parser.parse_args(arguments)
    return reporting(lambda: _backup(options.file, options.to))


def _head(path: Path, export: Path | None) -> Iterator[str]:
    with Reader(path) as reader:
        position = reader.position()
        signed = reader.newest_signed()
    if position is None:
        raise JournalError(f"{path}: has no segment yet, so it has no head")
    yield f"journal ends at  segment {position.segment}, entry {position.last_seq}, head {position.head.hex()}"
    if signed is None:
        raise JournalError(f"{path}: no head of it is signed; nothing can be exported")
    if not signed.in_order():
        raise JournalDamaged(f"{path}: the newest signature is not that of {signed.head}: it was changed, or forged")
    yield f"signed           {signed.head}"
    yield f"by public key    {signed.public_key.hex()}"
    if export is not None:
        if export.exists():
            raise JournalError(f"{export}: exists already; give a new file, so that no noted head is lost")
        write_head(export, signed)
        yield f"exported to      {export}"


def _backup(path: Path, to: Path) -> Iterator[str]:
    copied = copy_journal(path, to)
    yield (
        f"copied and verified: {counted(copied.report.segments, 'segment')}, {copied.report.entries} entries, to {to}; "
        f"head {copied.report.head.hex()}"
    )
    if copied.signed is not None:
        yield f"signed head in {to}.head: {copied.signed.head}"
    yield "a copy is not written by the daemon; to go on from it: tabled journal restore"
