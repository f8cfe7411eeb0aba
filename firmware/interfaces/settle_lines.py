"""`tabled settle`: JSON Lines in, one JSON line out for each, in order, whatever the line holds.

Rules:
* Pure but for the two streams: no devices, no journal, no clock.
* A line that can't be settled is answered by its error, and the next line is read. Every answer is flushed, so that a
  program may talk to it line by line.
* A line longer than `MAX_LINE_BYTES` is refused without being held in memory.
"""

from __future__ import annotations

from typing import BinaryIO

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.paytables import Catalogue
from firmware.core.settlement import settle
from firmware.interfaces.round_json import read_id, read_round, write_error, write_round
from firmware.interfaces.strict_json import parse_object

MAX_LINE_BYTES = 4 * 1024 * 1024


def settle_lines(source: BinaryIO, target: BinaryIO, catalogue: Catalogue) -> bool:
    """Answer every line of `source` on `target`; True when every line settled. Raises `OSError` of the streams."""
    clean = True
    while line := source.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES:
            _skip_line(source, line)
            error = SettlementError(ErrorCode.BAD_JSON, f"the line is longer than {MAX_LINE_BYTES} bytes")
            answer, settled = write_error(None, error), False
        else:
            answer, settled = settle_line(line, catalogue)
        clean = clean and settled
        target.write(answer + b"\n")
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


def _skip_line(source: BinaryIO, line: bytes) -> None:
    """Read on to the end of a line whose beginning is `line`."""
    while line and not line.endswith(b"\n"):
        line = source.readline(MAX_LINE_BYTES)
