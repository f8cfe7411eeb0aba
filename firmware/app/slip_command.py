"""`tabled slip TARGET`: a jackpot slip, as text on standard output or as a PDF file, from the journal alone.

Rules: TARGET is a journal, or a table's configuration, which names its journal. Nothing is written but the PDF; it
works while the daemon runs, and on a copy. Exit status 0: done; 1: the journal is damaged, the place is named; 2: there
is no such slip, or the call was wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path

from firmware.app.slip import Slip, slip_of_award, slip_of_number, slip_text
from firmware.journal.errors import JournalDamaged, JournalError
from firmware.journal.reader import Reader
from firmware.settings.load import load
from firmware.settings.problems import ConfigurationError

DONE, DAMAGED, WRONG = 0, 1, 2
SQLITE_FILE = b"SQLite format 3\0"


def run(target: Path, run_dir: Path | None, award: int | None, number: int | None, pdf: Path | None) -> int:
    """Make one slip, that of an award or that of a number. Returns the exit status."""
    try:
        with Reader(journal_of(target, run_dir)) as reader:
            slip = slip_of_award(reader, award) if award is not None else slip_of_number(reader, number or 0)
        _write(slip, pdf)
    except JournalDamaged as error:
        print(f"NOT IN ORDER: {error}", file=sys.stderr)
        return DAMAGED
    except JournalError as error:
        print(f"tabled slip: {error}", file=sys.stderr)
        return WRONG
    except ConfigurationError as error:
        print(f"tabled slip: {target} is no journal, and as a configuration it is refused:", file=sys.stderr)
        print(error.report(), file=sys.stderr)
        return WRONG
    except OSError as error:
        print(f"tabled slip: {error.filename or 'reading or writing'}: {error.strerror}", file=sys.stderr)
        return WRONG
    return DONE


def journal_of(target: Path, run_dir: Path | None) -> Path:
    """The journal that `target` is, or that it names under the run directory (without one: its own folder).

    Raises ConfigurationError for a file that is neither; JournalMissing and the like come from whoever opens it.
    """
    with target.open("rb") as stream:
        if stream.read(len(SQLITE_FILE)) == SQLITE_FILE:
            return target
    return (run_dir or target.parent) / load(target).storage.journal


def _write(slip: Slip, pdf: Path | None) -> None:
    if pdf is None:
        print(slip_text(slip), end="", flush=True)
        return
    from firmware.app.slip_pdf import slip_pdf

    content = slip_pdf(slip)
    try:
        with pdf.open("xb") as stream:
            stream.write(content)
    except FileExistsError as error:
        if pdf.read_bytes() != content:
            raise JournalError(f"{pdf}: exists already, and is not this slip; give a new file") from error
    print(f"{pdf}: {len(content)} bytes")
