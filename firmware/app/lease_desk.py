"""Leases on their way: asked for over the control socket, decided by the core, and only then are devices let go of.

Rules:
* Who asks types the table's name. The decision is durable before anything is closed, and the devices are closed before
  the answer goes out: what is lent is free.
* A lease that is given when nobody waits for it any more is ended at once.
* Taking back never waits for the journal: the devices run again, and the entry follows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Struct

from firmware.app import clock
from firmware.app.supervisor import Keeper
from firmware.core.effects import Effect
from firmware.core.events import Event
from firmware.core.service_data import LeaseAsked, LeaseEnd, LeaseEnded, LeaseGiven, LeaseRefused
from firmware.journal.records import Entry

ANSWER_LIMIT_S = 15.0
LONGEST_S = 3600


class LeaseRequest(Struct, tag_field="op", tag="lease", forbid_unknown_fields=True, frozen=True):
    """`confirm`: the table's name, typed by a person. `limit_s`: when the daemon takes the devices back by itself."""

    devices: tuple[str, ...]
    who: str
    why: str
    confirm: str
    limit_s: int = 900


class LeaseAnswer(Struct, frozen=True):
    """`lease`: its number, None where it was not given and `why` says why not. `configuration`: hash of the text that
    the daemon was started with, and where it and its run directory are."""

    lease: int | None
    why: str = ""
    config: str = ""
    run_dir: str = ""
    configuration: str = ""


class Place(Struct, frozen=True):
    """What a tool needs to open the same devices."""

    table: str
    config: str
    run_dir: str
    configuration: str


class LeaseDesk:
    """On the loop's thread only."""

    def __init__(
        self,
        place: Place,
        post: Callable[[Event], None],
        fault: Callable[[], str],
        keeper: Keeper,
        gone: Callable[[str], None],
        *,
        limit_s: float = ANSWER_LIMIT_S,
    ) -> None:
        """`fault` says why the journal can't be written now, or nothing; `gone` hears of each device let go of."""
        self._place = place
        self._post = post
        self._fault = fault
        self._keeper = keeper
        self._gone = gone
        self._limit_s = limit_s
        self._asked: dict[int, asyncio.Future[int | str]] = {}
        self._lent: dict[int, tuple[str, ...]] = {}

    async def lend(self, request: LeaseRequest) -> LeaseAnswer:
        """Have a lease decided and, if it is given, its devices closed."""
        if (why := self._wrong(request)) is not None:
            return LeaseAnswer(None, why)
        devices = tuple(dict.fromkeys(request.devices))
        event = LeaseAsked(devices, request.who, request.why, clock.monotonic_ns())
        answer: asyncio.Future[int | str] = asyncio.get_running_loop().create_future()
        self._asked[id(event)] = answer
        self._post(event)
        try:
            async with asyncio.timeout(self._limit_s):
                decided = await answer
        except TimeoutError:
            return LeaseAnswer(None, f"the journal does not answer ({self._fault() or 'its commit has not ended'})")
        finally:
            del self._asked[id(event)]
        if isinstance(decided, str):
            return LeaseAnswer(None, decided)
        self._lent[decided] = devices
        for name in devices:
            await self._keeper.let_go(name)
            self._gone(name)
        place = self._place
        return LeaseAnswer(decided, "", place.config, place.run_dir, place.configuration)

    def take_back(self, lease: int, how: LeaseEnd) -> None:
        """The daemon opens the devices of a lease again."""
        self._post(LeaseEnded(lease, how, clock.monotonic_ns()))
        for name in self._lent.pop(lease, ()):
            self._keeper.take_back(name)

    def committed(self, entry: Entry[Event, Effect]) -> None:
        """An entry is durable."""
        if not isinstance(entry.event, LeaseAsked):
            return
        answer = self._asked.get(id(entry.event))
        waiting = None if answer is None or answer.done() else answer
        for effect in entry.effects:
            if isinstance(effect, LeaseGiven):
                if waiting is None:
                    self._post(LeaseEnded(effect.lease, LeaseEnd.LOST, clock.monotonic_ns()))
                else:
                    waiting.set_result(effect.lease)
            elif isinstance(effect, LeaseRefused) and waiting is not None:
                waiting.set_result(effect.why)

    def _wrong(self, request: LeaseRequest) -> str | None:
        if request.confirm != self._place.table:
            return f"this table is {self._place.table}; {request.confirm!r:.40} was confirmed"
        for name in request.devices:
            if name not in self._keeper.names:
                return f"the table has no device {name!r:.40}; it has {', '.join(self._keeper.names)}"
        if not 1 <= request.limit_s <= LONGEST_S:
            return f"a lease lasts 1 to {LONGEST_S} s, not {request.limit_s}"
        if fault := self._fault():
            return f"the journal can't be written ({fault}), and no lease goes without a record"
        return None
