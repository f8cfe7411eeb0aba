"""A lease on the control socket: it lasts as long as the connection over which it was asked for.

{"op": "lease", "devices": ["shoe"], "who": "A. Lee", "why": "cable changed", "confirm": "MB-07", "limit_s": 900}
    one answer (`LeaseAnswer`): its number, or why not. From then on the connection serves this lease alone
{"op": "return"}  gives it back. So does the connection's end, however it ends, and the limit.
    The last answer is {"over": "given_back" | "lost" | "timed_out"}, and the daemon closes the connection
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from firmware.app.lease_desk import LeaseAnswer, LeaseRequest
from firmware.core.service_data import LeaseEnd


class Lender(Protocol):
    """Who decides and carries out: `LeaseDesk`."""

    async def lend(self, request: LeaseRequest) -> LeaseAnswer: ...

    def take_back(self, lease: int, how: LeaseEnd) -> None: ...


async def serve_lease(
    request: LeaseRequest,
    lender: Lender,
    reader: asyncio.StreamReader,
    answer: Callable[[object], None],
) -> bool:
    """One lease from its request to its end. False: it was not given, and the connection may ask for something else."""
    given = await lender.lend(request)
    answer(given)
    if given.lease is None:
        return False
    how = LeaseEnd.LOST
    try:
        async with asyncio.timeout(request.limit_s):
            how = await _until_returned(reader)
    except TimeoutError:
        how = LeaseEnd.TIMED_OUT
    except ConnectionError:
        pass  # lost
    finally:
        lender.take_back(given.lease, how)
    answer({"over": how.value})
    return True


async def _until_returned(reader: asyncio.StreamReader) -> LeaseEnd:
    """Anything that is said gives it back: there is nothing else to say. Silence at the end is a crash."""
    return LeaseEnd.GIVEN_BACK if await reader.read(4096) else LeaseEnd.LOST
