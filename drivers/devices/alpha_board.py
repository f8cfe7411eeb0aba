"""An Alpha sign as the table's `ReaderBoard`.

Rules:
* The sign's memory: one TEXT (title, and per field its name and the call of its STRING) and `FIELDS_MOST` STRINGs, so
  that a meter changes in place without blanking the sign. The configuration of the memory erases everything; it is
  written at each connection, unless the sign was set up once at commissioning (`MemorySetup.COMMISSIONED`).
* A message is the priority file: it takes the whole sign until it is released.
* What the sign should hold is computed anew from the newest content before each write; old content is never queued.
  Message first, then text, then the fields in turn, at most one field each `FIELD_GAP_S` (two writes a second).
* All is written again after a reconnection and each `REPEAT_S`: a sign answers nothing, so nothing else heals it. For
  the same reason READY says that the port takes data, not that somebody can read it.
* Content that doesn't fit is not shown at all and `ShowFailed` says why: half an amount is a wrong amount.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from enum import StrEnum

from drivers.codecs import alpha
from drivers.devices.serial_device import SerialDevice
from drivers.events import Shown
from drivers.links.port import Opener, Parity, PortError, PortSettings, open_serial
from drivers.ports import BoardContent, Emit, NowNs

TEXT_LABEL = "A"
FIELD_LABELS = "123456789BCDEFGH"
FIELDS_MOST = len(FIELD_LABELS)
TEXT_BYTES = 600
FIELD_BYTES = 40
FIELD_GAP_S = 0.5
PACKET_GAP_S = 0.1
"""Quiet time before each packet, for the sign to take the one before (our choice). It is spent on the wire, as NULs,
which a sign ignores between packets: a pause in this program would end before the port has sent what it holds."""

REPEAT_S = 600.0


class MemorySetup(StrEnum):
    """When the sign's memory is configured."""

    AT_CONNECTION = "at_connection"
    COMMISSIONED = "commissioned"  # by hand, once; never by the daemon


def create(
    *,
    name: str,
    url: str,
    baud: int = 9600,
    data_bits: int = 7,
    parity: Parity = Parity.EVEN,
    now_ns: NowNs,
    simulated: bool = False,
    memory: MemorySetup = MemorySetup.AT_CONNECTION,
    mode: alpha.Mode = alpha.Mode.ROTATE,
    opener: Opener = open_serial,
) -> AlphaBoard:
    """The sign at `url`, 7E1 as its document says (8N1 works on some). `mode`: how title and fields move."""
    settings = PortSettings(url, baud, data_bits=data_bits, parity=parity)
    return AlphaBoard(name, settings, now_ns, simulated, memory, mode, opener)


def memory_configuration() -> alpha.ConfigureMemory:
    """The files that this driver uses; also what a commissioned sign has to hold."""
    fields = (alpha.StringFile(label, FIELD_BYTES) for label in FIELD_LABELS)
    return alpha.ConfigureMemory((alpha.TextFile(TEXT_LABEL, TEXT_BYTES), *fields))


class AlphaBoard(SerialDevice):
    """A `ReaderBoard`."""

    def __init__(
        self,
        name: str,
        settings: PortSettings,
        now_ns: NowNs,
        simulated: bool,
        memory: MemorySetup,
        mode: alpha.Mode,
        opener: Opener,
    ) -> None:
        super().__init__(name, "alpha sign", settings, now_ns, simulated)
        self._memory = memory
        self._mode = mode
        self._wanted: dict[str, alpha.Command] = {}  # by file label; what the sign should hold
        self._written: dict[str, alpha.Command] = {}  # what this connection has written
        self._refused = ""  # why the newest content can't be shown
        self._changed = asyncio.Event()
        self._last_field = ""
        self._packets = 0
        bits = 1 + settings.data_bits + (settings.parity is not Parity.NONE) + settings.stop_bits
        self._gap = bytes(round(PACKET_GAP_S * settings.baud / bits))
        self._connect(self, opener)

    @property
    def counters(self) -> Mapping[str, int]:
        return self._link.counters | {"packets": self._packets}

    async def run(self, emit: Emit) -> None:
        self._emit = emit
        self._report_refused()
        await super().run(emit)

    def show(self, content: BoardContent) -> None:
        try:
            wanted = _files(content, self._mode)
            for command in wanted.values():
                alpha.encode(command)
        except alpha.AlphaError as error:
            self._refused = str(error)
            self._report_refused()
            return
        self._refused = ""
        self._wanted = wanted
        self._changed.set()

    # What the link asks of its client.

    def connected(self) -> None:
        self._written.clear()

    def received(self, data: bytes, arrived_ns: int) -> None:
        """Nothing: the sign is never asked, and answers of others on the line say nothing about it."""

    async def identify(self) -> None:
        if self._memory is MemorySetup.AT_CONNECTION:
            await self._write(memory_configuration())
        await self._write(alpha.RunSequence(TEXT_LABEL))
        while (label := self._next()) is not None:
            await self._write_file(label)

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        repeat_s = loop.time() + REPEAT_S
        field_s = loop.time()  # when the next field may be written
        while True:
            if loop.time() >= repeat_s:
                repeat_s = loop.time() + REPEAT_S
                self._written.clear()
            self._changed.clear()
            label = self._next()
            if label is None and self._emit is not None:
                self._emit(Shown(self._name, self._now_ns()))
            if label is not None and (label not in FIELD_LABELS or loop.time() >= field_s):
                await self._write_file(label)
                if label in FIELD_LABELS:
                    field_s = loop.time() + FIELD_GAP_S
                continue
            until_s = repeat_s if label is None else min(repeat_s, field_s)
            # Not wait_for: in Python 3.11 it can swallow a cancellation that comes together with the change.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(until_s):
                    await self._changed.wait()

    def _next(self) -> str | None:
        """The file to write next, or None if the sign holds all it should."""
        turn = FIELD_LABELS.index(self._last_field) + 1 if self._last_field else 0
        order = alpha.PRIORITY_LABEL + TEXT_LABEL + FIELD_LABELS[turn:] + FIELD_LABELS[:turn]
        for label in order:
            if label in self._wanted and self._written.get(label) != self._wanted[label]:
                return label
        return None

    async def _write_file(self, label: str) -> None:
        command = self._wanted[label]
        await self._write(command)
        self._written[label] = command
        if label in FIELD_LABELS:
            self._last_field = label

    async def _write(self, command: alpha.Command) -> None:
        try:
            await self._link.write(self._gap + alpha.encode(command))
        except PortError as error:
            self._fail(str(error))
            raise
        self._packets += 1

    def _report_refused(self) -> None:
        if self._refused:
            self._fail(self._refused)


def _files(content: BoardContent, mode: alpha.Mode) -> dict[str, alpha.Command]:
    """What each file of the sign should hold. `AlphaError` for content that doesn't fit."""
    if len(content.fields) > FIELDS_MOST:
        raise alpha.AlphaError(f"the board has {FIELDS_MOST} fields, got {len(content.fields)}")
    parts: list[alpha.TextPart] = [content.title]
    files: dict[str, alpha.Command] = {}
    for label, (field, text) in zip(FIELD_LABELS, content.fields, strict=False):
        parts += [f"  {field} ", alpha.StringCall(label)]
        size = alpha.text_size((text,))
        if size > FIELD_BYTES:
            raise alpha.AlphaError(f"field {field!r} holds {FIELD_BYTES} characters, got {size}: {text!r}")
        files[label] = alpha.WriteString(label, text)
    size = alpha.text_size(tuple(parts))
    if size > TEXT_BYTES:
        raise alpha.AlphaError(f"title and field names take {size} bytes of {TEXT_BYTES}; shorten them")
    message: alpha.Command = alpha.ReleasePriority()
    if content.message:
        message = alpha.WriteText(alpha.PRIORITY_LABEL, (content.message,), alpha.Mode.HOLD)
    return {alpha.PRIORITY_LABEL: message, TEXT_LABEL: alpha.WriteText(TEXT_LABEL, tuple(parts), mode)} | files
