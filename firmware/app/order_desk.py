"""Orders on their way: from the control socket through the queue like any event, answered when they are committed.

Rules:
* Nothing is answered before its commit. While the journal can't be written no order is taken in.
* An order whose commit fails stays in the queue like every event; whoever gave it is told that it is undecided.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Struct

from firmware.app import clock
from firmware.core.effects import Effect
from firmware.core.events import Event, OrderGiven
from firmware.core.order_data import Approval, Order
from firmware.core.order_effects import OrderRefused
from firmware.journal.records import Entry

ANSWER_LIMIT_S = 15.0
"""How long a commit may take before the order is told as undecided: time for a failing disk to be tried again."""


class OrderAnswer(Struct, frozen=True):
    """What became of an order. `entry` is its number in the journal, None while it has none; `why` it was refused or
    is undecided, else empty."""

    entry: int | None
    taken: bool
    why: str = ""


class OrderDesk:
    """Posts orders and answers them. On the loop's thread only."""

    def __init__(
        self, post: Callable[[Event], None], fault: Callable[[], str], *, limit_s: float = ANSWER_LIMIT_S
    ) -> None:
        """`fault` says why the journal can't be written now, or nothing."""
        self._post = post
        self._fault = fault
        self._limit_s = limit_s
        self._given: dict[int, asyncio.Future[OrderAnswer]] = {}  # by identity: two orders may be equal

    async def give(self, order: Order, approval: Approval) -> OrderAnswer:
        """Have an order carried out and wait for its entry."""
        if fault := self._fault():
            return OrderAnswer(None, False, f"not taken in: the journal can't be written ({fault})")
        event = OrderGiven(order, approval, clock.monotonic_ns())
        answer: asyncio.Future[OrderAnswer] = asyncio.get_running_loop().create_future()
        self._given[id(event)] = answer
        self._post(event)
        try:
            async with asyncio.timeout(self._limit_s):
                return await answer
        except TimeoutError:
            fault = self._fault() or "its commit has not ended"
            return OrderAnswer(None, False, f"undecided: it waits for the journal ({fault}) and may yet be taken")
        finally:
            del self._given[id(event)]

    def committed(self, entry: Entry[Event, Effect]) -> None:
        """An entry is durable."""
        answer = self._given.get(id(entry.event))
        if answer is None or answer.done():
            return
        why = next((effect.why for effect in entry.effects if isinstance(effect, OrderRefused)), "")
        answer.set_result(OrderAnswer(entry.seq, not why, why))
