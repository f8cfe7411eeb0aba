"""A link to one serial device: opens it, serves it, and opens it again for ever, in the states of `states.py`.

Rules:
* The wait before the next attempt doubles from `BACKOFF_FIRST_S` to `BACKOFF_MOST_S` and never ends; only a link that
  was READY for `STEADY_S` starts again from the first, so a flapping plug slows down.
* A device path that was gone and appears again is opened within `APPEAR_POLL_S`, whatever the wait.
* A link that was closed because nothing was heard is READY again only once something is: else a dead device that can't
  be asked would be up for its limit again and again.
* One log line on loss and one on return. `LinkChanged` is emitted when the device becomes usable or stops being so, and
  while it is not, when the reason is another one; repeated attempts say nothing.
* What goes wrong with the port is a state; what goes wrong in this program (`PortDied`, an exception of the client that
  is no `PortError`) leaves `run` for the supervisor.
* Time is the event loop's, stamps come from `now_ns`; a test may run both on a virtual clock.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Protocol

from drivers.events import LinkChanged, LinkState
from drivers.links.port import Opener, OpenPort, PortAbsent, PortError, PortSettings, PortStalled, open_serial
from drivers.links.states import LinkEvent, following
from drivers.ports import Emit, NowNs

BACKOFF_FIRST_S = 1.0
BACKOFF_MOST_S = 60.0
STEADY_S = 10.0
APPEAR_POLL_S = 1.0

_log = logging.getLogger(__name__)


class LinkClient(Protocol):
    """What a device does on its link."""

    def connected(self) -> None:
        """A new connection: forget what belongs to the old one. Called before its first byte."""

    def received(self, data: bytes, arrived_ns: int) -> None:
        """Bytes that arrived at `arrived_ns`."""

    async def identify(self) -> None:
        """The first exchange, or the first full content; the link is READY after it. `PortError` rejects the device."""

    async def serve(self) -> None:
        """Runs while the link is READY and is cancelled when it is lost. `PortError` loses it."""


class SerialLink:
    """The link of one device. `silent_limit_s`: how long a device that has to speak may be silent; None: for ever."""

    def __init__(
        self,
        *,
        device: str,
        settings: PortSettings,
        now_ns: NowNs,
        client: LinkClient,
        silent_limit_s: float | None = None,
        opener: Opener = open_serial,
    ) -> None:
        if silent_limit_s is not None and silent_limit_s <= 0:
            raise ValueError(f"{device}: silent_limit_s must be above 0 or absent, got {silent_limit_s}")
        self._device = device
        self._settings = settings
        self._now_ns = now_ns
        self._client = client
        self._silent_limit_s = silent_limit_s
        self._opener = opener
        self._state = LinkState.ABSENT
        self._port: OpenPort | None = None
        self._failures = 0  # in a row, for the back-off
        self._heard_s = 0.0
        self._was_silent = False  # the last connection ended by silence, and nothing was heard since
        self._heard = asyncio.Event()
        self._told: str | None = None  # reason last reported, "" for up, None before the first report
        self.counters: dict[str, int] = dict.fromkeys(
            ("bytes_in", "bytes_out", "opened", "refused", "lost", "silences", "write_timeouts", "close_stuck"), 0
        )

    @property
    def state(self) -> LinkState:
        return self._state

    def open_through(self, wrap: Callable[[Opener], Opener]) -> None:
        """From the next opening on use what `wrap` makes of the opener."""
        self._opener = wrap(self._opener)

    async def run(self, emit: Emit) -> None:
        """Serve the device until cancelled. Closes the port on the way out."""
        self._told = None  # run again, what stands in the way is news again
        try:
            while True:
                await self._once(emit)
                await self._wait_to_try()
        finally:
            self._advance(LinkEvent.STOP)

    async def write(self, data: bytes) -> None:
        """Write all of `data`; only from the client's `identify` and `serve`. `PortError` when it couldn't be."""
        if self._port is None:
            raise PortError(f"{self._settings.url} is not open")
        try:
            await self._port.write(data)
        except PortStalled:
            self.counters["write_timeouts"] += 1
            raise
        self.counters["bytes_out"] += len(data)

    async def _once(self, emit: Emit) -> None:
        """One attempt: open, identify, serve, until something ends it."""
        self._advance(LinkEvent.TRY)
        try:
            port = await self._opener(self._settings, self._now_ns)
        except PortError as error:
            self.counters["refused"] += 1
            self._advance(LinkEvent.NOT_THERE if isinstance(error, PortAbsent) else LinkEvent.REFUSED)
            self._report_down(str(error), emit)
            self._failures += 1
            return
        self.counters["opened"] += 1
        self._advance(LinkEvent.OPENED)
        self._port = port
        try:
            await self._use(port, emit)
        finally:
            self._port = None
            if not await port.close():
                self.counters["close_stuck"] += 1
                _log.error("%s: %s doesn't finish closing; its thread is left behind", self._device, self._settings.url)

    async def _use(self, port: OpenPort, emit: Emit) -> None:
        loop = asyncio.get_running_loop()
        lost: asyncio.Future[None] = loop.create_future()
        self._client.connected()
        self._heard.clear()
        self._heard_s = loop.time()

        def on_lost(error: Exception) -> None:
            if not lost.done():
                lost.set_exception(error)

        def on_bytes(data: bytes, arrived_ns: int) -> None:
            try:
                self._received(data, arrived_ns)
            except Exception as error:  # noqa: BLE001 - else it ends in the log of the loop; run() raises it
                on_lost(error)

        port.start(on_bytes, on_lost)
        try:
            try:
                await self._until_first(self._identify(), lost)
            except PortError as error:
                self._lose(LinkEvent.REJECTED, error, emit)
                return
            self._advance(LinkEvent.IDENTIFIED)
            self._report_up(emit)
            ready_s = loop.time()
            try:
                await self._until_first(self._serve(emit), lost)
            except PortError as error:
                if loop.time() - ready_s >= STEADY_S:
                    self._failures = 0
                self._lose(LinkEvent.LOST, error, emit)
        finally:
            if lost.done():
                lost.exception()  # seen, also where something else ended the use
            else:
                lost.cancel()

    async def _identify(self) -> None:
        await self._client.identify()
        if self._was_silent and self._silent_limit_s is not None:
            limit_s = 2 * self._silent_limit_s
            try:
                async with asyncio.timeout(limit_s):
                    await self._heard.wait()
            except TimeoutError:
                raise PortError(f"nothing heard for {limit_s:g} s") from None

    async def _serve(self, emit: Emit) -> None:
        if self._silent_limit_s is None:
            await self._client.serve()
            return
        serving: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        await self._until_first(self._client.serve(), serving, self._watch_silence(self._silent_limit_s, emit))

    async def _watch_silence(self, limit_s: float, emit: Emit) -> None:
        loop = asyncio.get_running_loop()
        while True:
            quiet_s = loop.time() - self._heard_s
            if self._state is LinkState.READY and quiet_s >= limit_s:
                self.counters["silences"] += 1
                self._advance(LinkEvent.SILENT)
                self._report_down(f"nothing heard for {limit_s:g} s", emit)
            elif self._state is LinkState.STALE and quiet_s < limit_s:
                self._advance(LinkEvent.HEARD)
                self._report_up(emit)
            elif self._state is LinkState.STALE and quiet_s >= 2 * limit_s:
                self._was_silent = True
                raise PortError(f"nothing heard for {2 * limit_s:g} s")
            await asyncio.sleep(limit_s / 10)

    async def _until_first(
        self, work: Coroutine[None, None, None], lost: asyncio.Future[None], *more: Coroutine[None, None, None]
    ) -> None:
        """Until `work` ends or the port is lost, whichever is first; raises what ended it."""
        tasks = [asyncio.ensure_future(each) for each in (work, *more)]
        try:
            await asyncio.wait({lost, *tasks}, return_when=asyncio.FIRST_COMPLETED)
            for done in (lost, *tasks):
                if done.done():
                    done.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)  # the first failure is raised, the others are seen

    async def _wait_to_try(self) -> None:
        loop = asyncio.get_running_loop()
        until_s = loop.time() + min(BACKOFF_FIRST_S * 2 ** min(max(self._failures - 1, 0), 30), BACKOFF_MOST_S)
        path = self._settings.path
        was_gone = self._state is LinkState.ABSENT and path is not None and not path.exists()
        while (left_s := until_s - loop.time()) > 0:
            if was_gone and path is not None and path.exists():
                return
            await asyncio.sleep(min(left_s, APPEAR_POLL_S) if was_gone else left_s)

    def _received(self, data: bytes, arrived_ns: int) -> None:
        self.counters["bytes_in"] += len(data)
        self._heard_s = asyncio.get_running_loop().time()
        self._was_silent = False
        self._heard.set()
        self._client.received(data, arrived_ns)

    def _lose(self, event: LinkEvent, error: PortError, emit: Emit) -> None:
        self.counters["lost"] += 1
        self._failures += 1
        self._advance(event)
        self._report_down(str(error), emit)

    def _advance(self, event: LinkEvent) -> None:
        self._state = following(self._state, event)

    def _report_up(self, emit: Emit) -> None:
        _log.info("%s: ready on %s", self._device, self._settings.url)
        self._told = ""
        emit(LinkChanged(self._device, self._state, True, "", self._now_ns()))

    def _report_down(self, reason: str, emit: Emit) -> None:
        if reason == self._told:
            return
        if not self._told:  # the first report, or it was up until now
            _log.warning("%s: %s; trying again for ever", self._device, reason)
        self._told = reason
        emit(LinkChanged(self._device, self._state, False, reason, self._now_ns()))
