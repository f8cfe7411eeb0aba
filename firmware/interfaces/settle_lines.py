"""`tabled settle`: JSON Lines in, one JSON line out for each, in order, whatever the line holds.

Rules:
* Pure but for the two streams: no devices, no journal, no clock.
* A line that can't be settled is answered by its error, and the next line is read.
* Input is taken in blocks of what is there, and every answer is flushed before more is waited for: a program may talk
  to it line by line, and a file costs no system call a line (decision 0110).
* A line longer than `MAX_LINE_BYTES` is refused without being held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedIOBase, BytesIO
from typing import BinaryIO

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.paytables import Catalogue
from firmware.core.settlement import settle
from firmware.interfaces.round_json import read_id, read_round, write_error, write_round
from firmware.interfaces.strict_json import parse_object

MAX_LINE_BYTES = 4 * 1024 * 1024

_BLOCK_BYTES = 64 * 1024


def settle_lines(source: BufferedIOBase, target: BinaryIO, catalogue: Catalogue) -> bool:
    """Answer every line of `source` on `target`; True when every line settled. Raises `OSError` of the streams."""
    clean = True
    for lines in _blocks(source):
        answers = []
        for line in lines:
            if len(line) > MAX_LINE_BYTES:
                error = SettlementError(ErrorCode.BAD_JSON, f"the line is longer than {MAX_LINE_BYTES} bytes")
                answer, settled = write_error(None, error), False
            else:
                answer, settled = settle_line(line, catalogue)
            clean = clean and settled
            answers.append(answer + b"\n")
        target.write(b"".join(answers))
        target.flush()
    return clean


def settle_line(line: bytes, catalogue: Catalogue) -> tuple[bytes, bool]:
    """The answer to one line, without a line end, and whether the line settled."""
    line_id: str | None = None
    try:
        fields = parse_object(line)
        line_id = read_id(fields)
        settled = settle(read_round(fields), catalogue)
    except SettlementError as error:
        return write_error(line_id, error), False
    return write_round(line_id, settled), True


def _blocks(source: BufferedIOBase) -> Iterator[list[bytes]]:
    """The lines of `source` with their ends, as many at a time as are there. Of a line that is too long only the
    beginning is kept, itself too long."""
    rest = b""
    while block := source.read1(_BLOCK_BYTES):
        lines = BytesIO(rest + block).readlines()
        rest = b"" if lines[-1].endswith(b"\n") else lines.pop()[: MAX_LINE_BYTES + 1]
        yield lines
    yield [rest] if rest else []
