"""How the simulated line chip's edges reach the daemon: at once, or late, out of order, twice, or not at all.

Answers for: the faults of delivery. Times of edges are never touched, only when and whether they are handed over.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from msgspec import Struct

from drivers.codecs.simchip import Edge


class DeliveryFaults(Struct, frozen=True):
    """Delays are uniform between 0 and `delay_ms`; a `late_share` of edges instead between `late_from_ms` and
    `late_to_ms`. With `reorder` each edge has a delay of its own; without, none overtakes another. Shares are 0..1."""

    delay_ms: float = 0.0
    reorder: bool = False
    late_share: float = 0.0
    late_from_ms: float = 0.0
    late_to_ms: float = 0.0
    double_share: float = 0.0
    drop_share: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("late_share", "double_share", "drop_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}; expected 0 to 1")
        if min(self.delay_ms, self.late_from_ms) < 0 or self.late_to_ms < self.late_from_ms:
            raise ValueError("delays must be 0 or more, and late_to_ms no less than late_from_ms")


class Delivery:
    """One daemon connection's edges. `send` gets them when they are due."""

    def __init__(self, send: Callable[[Edge], None]) -> None:
        self._send = send
        self._sequence = 0
        self._last_due_s = 0.0
        self._pending: set[asyncio.TimerHandle] = set()
        self.use(DeliveryFaults())

    def use(self, faults: DeliveryFaults) -> None:
        self._faults = faults
        self._random = random.Random(faults.seed)

    def edge(self, line: int, high: bool, at_ns: int) -> None:
        self._sequence += 1
        edge = Edge(self._sequence, line, high, at_ns)
        if self._random.random() < self._faults.drop_share:
            return
        self._deliver(edge)
        if self._random.random() < self._faults.double_share:
            self._deliver(edge)

    def close(self) -> None:
        for handle in self._pending:
            handle.cancel()
        self._pending.clear()

    def _deliver(self, edge: Edge) -> None:
        faults = self._faults
        if self._random.random() < faults.late_share:
            delay_ms = self._random.uniform(faults.late_from_ms, faults.late_to_ms)
        else:
            delay_ms = self._random.uniform(0, faults.delay_ms)
        if delay_ms == 0 and not self._pending:
            self._send(edge)
            return
        loop = asyncio.get_running_loop()
        due_s = loop.time() + delay_ms / 1000
        if not faults.reorder:
            due_s = self._last_due_s = max(due_s, self._last_due_s)
        handle = loop.call_at(due_s, self._due, edge)
        self._pending.add(handle)

    def _due(self, edge: Edge) -> None:
        now_s = asyncio.get_running_loop().time()
        self._pending = {handle for handle in self._pending if handle.when() > now_s and not handle.cancelled()}
        self._send(edge)
