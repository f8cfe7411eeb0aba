"""Commands to a Slingshot 2, one at a time: sent, answered, asked again while it is busy. Rules: `cammegh_wheel.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from msgspec import Struct

from drivers.result_events import WheelCommand, WheelPhase

ANSWER_S = 2.0
BUSY_S = 1.0
BUSY_TRIES = 10
"""The rotor takes about 4 s to run down; the wheel says BUSY meanwhile."""

BUSY, NO = "BUSY", "NO"
LOST = "the link was lost before the wheel had answered"


class Order(Struct, frozen=True):
    """One command. `letter`, `text`: the reply that means yes. `leads_to`: the phase that means it as well."""

    command: WheelCommand
    raw: bytes
    letter: str
    text: str
    leads_to: WheelPhase | None


Done = Callable[[WheelCommand, str], None]
"""A command and why it was refused; empty: it was obeyed."""


class Orders:
    """One wheel's. `counters`: orders, busy, unasked (replies that nobody waits for)."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[Order] = asyncio.Queue()
        self._now: Order | None = None
        self._answer: asyncio.Future[str] | None = None
        self._phase: WheelPhase | None = None
        self.counters: dict[str, int] = {"orders": 0, "busy": 0, "unasked": 0}

    def put(self, order: Order) -> None:
        """Carry this out after what waits already."""
        self._waiting.put_nowait(order)

    def replied(self, letter: str, text: str) -> None:
        """The wheel has answered something."""
        if self._now is None or self._answer is None or self._answer.done() or letter != self._now.letter:
            self.counters["unasked"] += 1
        else:
            self._answer.set_result(text)

    def in_phase(self, phase: WheelPhase) -> None:
        """The wheel is in this phase; what was so before an order is no answer to it."""
        entered, self._phase = phase is not self._phase, phase
        order, answer = self._now, self._answer
        if entered and order is not None and answer is not None and not answer.done() and phase is order.leads_to:
            answer.set_result(order.text)

    async def run(self, write: Callable[[bytes], Awaitable[None]], done: Done) -> None:
        """Carry out orders until cancelled; what is not done by then is refused."""
        try:
            while True:
                self._now = await self._waiting.get()
                refusal = await self._carry_out(self._now, write)
                command, self._now = self._now.command, None
                done(command, refusal)
        finally:
            left = [] if self._now is None else [self._now]
            left += [self._waiting.get_nowait() for _ in range(self._waiting.qsize())]
            self._now = self._answer = None
            for order in left:
                done(order.command, LOST)

    async def _carry_out(self, order: Order, write: Callable[[bytes], Awaitable[None]]) -> str:
        self.counters["orders"] += 1
        for _ in range(BUSY_TRIES):
            self._answer = asyncio.get_running_loop().create_future()
            await write(order.raw)
            try:
                async with asyncio.timeout(ANSWER_S):
                    text = await self._answer
            except TimeoutError:
                return f"no answer within {ANSWER_S:g} s"
            if text == order.text:
                return ""
            if text != BUSY:
                return f"the wheel answered {text!r}, expected {order.text!r}"
            self.counters["busy"] += 1
            await asyncio.sleep(BUSY_S)
        return f"the wheel was busy {BUSY_TRIES} times"
