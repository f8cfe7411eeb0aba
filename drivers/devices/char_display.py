"""A 4x20 serial character display as the `DealerDisplay`.

Rules:
* Only what changed is written; everything after a reconnection and each `REPAINT_S`, since the display can't be read.
* A newer screen replaces one that waits.
* Lines that are too long are cut, because a stale prompt would mislead the dealer more, and `ShowFailed` says what was
  cut.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence

from drivers.codecs import chardisplay
from drivers.devices.serial_device import SerialDevice
from drivers.events import Shown
from drivers.links.port import Opener, PortError, PortSettings, open_serial
from drivers.ports import Emit, NowNs

REPAINT_S = 60.0


def create(
    *,
    name: str,
    url: str,
    baud: int = 19200,
    now_ns: NowNs,
    simulated: bool = False,
    opener: Opener = open_serial,
) -> CharDisplay:
    """The display at `url`, 8N1; 19200 baud is the factory setting."""
    return CharDisplay(name, PortSettings(url, baud), now_ns, simulated, opener)


class CharDisplay(SerialDevice):
    """A `DealerDisplay`."""

    def __init__(self, name: str, settings: PortSettings, now_ns: NowNs, simulated: bool, opener: Opener) -> None:
        super().__init__(name, "lk204-25 display", settings, now_ns, simulated)
        self._wanted = chardisplay.BLANK
        self._written = chardisplay.BLANK
        self._cut = ""
        self._changed = asyncio.Event()
        self._screens = 0
        self._connect(self, opener)

    @property
    def counters(self) -> Mapping[str, int]:
        return self._link.counters | {"screens": self._screens}

    async def run(self, emit: Emit) -> None:
        self._emit = emit
        self._report_cut()
        await super().run(emit)

    def show(self, lines: Sequence[str]) -> None:
        self._wanted, self._cut = chardisplay.screen(lines)
        self._report_cut()
        self._changed.set()

    # What the link asks of its client.

    def connected(self) -> None:
        self._written = chardisplay.BLANK

    def received(self, data: bytes, arrived_ns: int) -> None:
        """Nothing: the display sends nothing that is asked for."""

    async def identify(self) -> None:
        wanted = self._wanted
        await self._write(chardisplay.initialise() + chardisplay.paint(wanted))
        self._written = wanted

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        repaint_s = loop.time() + REPAINT_S
        while True:
            self._changed.clear()
            wanted = self._wanted
            if loop.time() >= repaint_s:
                repaint_s = loop.time() + REPAINT_S
                await self._write(chardisplay.paint(wanted))
            elif wanted != self._written:
                await self._write(chardisplay.difference(self._written, wanted))
            self._written = wanted
            if self._emit is not None and wanted == self._wanted:
                self._emit(Shown(self._name, self._now_ns()))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(repaint_s):  # not wait_for: see alpha_board.py
                    await self._changed.wait()

    async def _write(self, data: bytes) -> None:
        try:
            await self._link.write(data)
        except PortError as error:
            self._fail(str(error))
            raise
        self._screens += 1

    def _report_cut(self) -> None:
        if self._cut:
            self._fail(f"the display has {chardisplay.ROWS} lines of {chardisplay.COLUMNS}; cut: {self._cut}")
