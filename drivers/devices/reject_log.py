"""What a reader could not take, in the log: as hex, and at most one line a second however noisy the wire is."""

from __future__ import annotations

import logging

LOG_EVERY_NS = 1_000_000_000

_log = logging.getLogger(__name__)


class RejectLog:
    """One device's. `what`: what the bytes are not ("a telegram")."""

    def __init__(self, device: str, what: str) -> None:
        self._device = device
        self._what = what
        self._logged_ns: int | None = None
        self._unlogged = 0

    def note(self, reason: str, raw: bytes, at_ns: int) -> None:
        if self._logged_ns is not None and at_ns - self._logged_ns < LOG_EVERY_NS:
            self._unlogged += 1
            return
        more = f" ({self._unlogged} more since the last line)" if self._unlogged else ""
        _log.warning("%s: not %s, %s: %s%s", self._device, self._what, reason, raw.hex(), more)
        self._logged_ns, self._unlogged = at_ns, 0
