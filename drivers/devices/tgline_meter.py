"""Jackpot meters on an RS-485 bus that hear `tgline` (`TGJPM`), as the table's `MeterDisplay`.

Rules:
* Everything is told to everyone each `PUSH_S`, and a change at once but for `GAP_S`; so whoever was switched off, or
  missed a line, is right again after the next push. Nothing answers: READY says that the port takes data.
* A meter without an amount is not told: the display shows dashes by itself five seconds later, as it does when this
  program or its wire is dead.
* The oldest open hit of a level is told each second. After it CLR is told `CLEARS` times, and for every level that has
  no hit after a (re)connection.
* If one amount has no legal form (twelve digits), none is told: all levels show dashes, and `ShowFailed` says why.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping

from drivers.codecs import tgline, tgline_meter
from drivers.codecs.tgline_meter import Clear, Hit, Value
from drivers.devices.tgline_board import TglineBus
from drivers.events import LinkChanged, LinkState, ShowFailed, Shown
from drivers.links.bus import Sent
from drivers.ports import Emit, MeterContent, NowNs

PUSH_S = 0.5
GAP_S = 0.2
HIT_S = 1.0
CLEARS = 5


class TglineMeter:
    """A `MeterDisplay`."""

    def __init__(
        self, name: str, bus: TglineBus, levels: Mapping[str, int], now_ns: NowNs, simulated: bool = False
    ) -> None:
        """`levels`: which meter of the table is which level, 1..9. ValueError for a level that there isn't, or two
        meters on one."""
        if (
            not levels
            or len(set(levels.values())) != len(levels)
            or not set(levels.values()) <= set(tgline_meter.LEVELS)
        ):
            raise ValueError(f"{name}: each meter needs a level of its own from 1 to 9, got {dict(levels)}")
        self._name = name
        self._bus = bus
        self._identity = f"{'sim+' if simulated else ''}tgline jackpot meters on {bus.url}"
        self._levels = dict(levels)
        self._now_ns = now_ns
        self._link = LinkState.ABSENT
        self._told: str | None = None
        self._emit: Emit | None = None
        self._values: dict[int, int] = {}
        self._hits: dict[int, Hit] = {}
        self._clears: dict[int, int] = {}
        self._refused = ""
        self._news = asyncio.Event()
        self._shown_due = False
        self._counters = {"lines": 0, "pushes": 0}

    @property
    def name(self) -> str:
        return self._name

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def link(self) -> LinkState:
        return self._link

    @property
    def counters(self) -> Mapping[str, int]:
        return {**{f"bus_{name}": value for name, value in self._bus.counters.items()}, **self._counters}

    def show(self, content: MeterContent) -> None:
        amounts = {r.meter: r.cents for r in content.readings}
        values = {level: cents for meter, level in self._levels.items() if (cents := amounts.get(meter)) is not None}
        hits: dict[int, Hit] = {}
        for hit in content.hits:
            if (level := self._levels.get(hit.meter)) is not None:
                hits.setdefault(level, Hit(level, hit.cents, hit.position))
        try:
            for level, cents in values.items():
                tgline_meter.line_of(1, Value(level, cents))
            for hit_told in hits.values():
                tgline_meter.line_of(1, hit_told)
        except ValueError as error:
            self._refused = f"{error}; all levels show dashes"
            values, hits = {}, {}
        else:
            self._refused = ""
        for level in self._hits.keys() - hits.keys():
            self._clears[level] = CLEARS
        self._values, self._hits = values, hits
        self._shown_due = not self._refused
        self._report_refused()
        self._news.set()

    async def run(self, emit: Emit) -> None:
        self._emit, self._told = emit, None
        self._report_refused()
        pushing = asyncio.create_task(self._push_for_ever(), name=f"{self._name} push")
        serving = asyncio.create_task(self._bus.run(self), name=f"{self._name} bus")
        try:
            done, _ = await asyncio.wait({pushing, serving}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            pushing.cancel()
            serving.cancel()
            await asyncio.gather(pushing, serving, return_exceptions=True)
            self._link = LinkState.ABSENT
            self._emit = None

    # What the bus asks of a member.

    def port_changed(self, event: LinkChanged | None) -> None:
        if event is None:
            return
        self._link = event.state
        if event.up:
            self._clears = {level: CLEARS for level in self._levels.values() if level not in self._hits}
            self._shown_due = not self._refused
            self._news.set()
        reason = "" if event.up else event.reason
        if reason != self._told and self._emit is not None:
            self._told = reason
            self._emit(LinkChanged(self._name, event.state, event.up, reason, self._now_ns()))

    async def _push_for_ever(self) -> None:
        loop = asyncio.get_running_loop()
        hit_s = loop.time()
        while True:
            if self._link is LinkState.READY:
                self._news.clear()
                hit_now = loop.time() >= hit_s
                if hit_now:
                    hit_s = loop.time() + HIT_S
                await self._push(hit_now)
            await asyncio.sleep(GAP_S)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), PUSH_S - GAP_S)

    async def _push(self, hit_now: bool) -> None:
        messages: list[tgline_meter.Message] = [Value(level, cents) for level, cents in self._values.items()]
        if hit_now or self._shown_due:
            messages += self._hits.values()
            messages += [Clear(level) for level in self._clears]
            self._clears = {level: left - 1 for level, left in self._clears.items() if left > 1}
        shown, self._shown_due = self._shown_due, False
        last: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def all_sent(sent: Sent) -> None:
            self._counters["pushes"] += 1
            if not last.done():
                last.set_result(None)

        self._bus.broadcast(lambda: b"".join(map(self._encode, messages)), all_sent)
        await asyncio.wait({last}, timeout=PUSH_S)
        if shown and last.done() and self._emit is not None:
            self._emit(Shown(self._name, self._now_ns()))
        self._shown_due |= shown and not last.done()

    def _encode(self, message: tgline_meter.Message) -> bytes:
        self._counters["lines"] += 1
        return tgline.encode(tgline_meter.line_of(self._bus.next_seq(), message))

    def _report_refused(self) -> None:
        if self._refused and self._emit is not None:
            self._emit(ShowFailed(self._name, self._refused, self._now_ns()))
