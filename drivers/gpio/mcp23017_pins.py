"""Input pins of MCP23017 port expanders on an I2C bus, polled, with their interrupt line where one is wired.

Answers for: configuring the chips and noticing that one was reset, reading them, taking the interrupt's time, and
refusing an interrupt line that does not work. Line n is line n % 16 of the n // 16th chip.

Rules:
* Every read has IOCON and GPPU in it, which a chip that was reset (a brown-out) has at zero: its levels are not taken,
  and the device is lost and configured anew. All registers are compared once a second.
* Nothing protects a level on its way: one that differs from the read before is read twice more, and two of three hold.
* With an interrupt line: the first change since the read before has the kernel's time of the falling edge, and the
  levels which the port kept then. Further changes lie between it and the read. Each port of 8 keeps its own: where two
  asked at once nobody knows which was first, and both have intervals.
* The interrupt is tried at each opening (a comparison that fails at once must pull the line low, and a read must let it
  go), and watched: a change found by the poll alone three times in a row, or a line that stays low with nothing asked,
  is a lost device, never a silent return to polling.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from drivers.codecs import mcp23017
from drivers.gpio.buses import I2cBus, InterruptLine
from drivers.gpio.pins import Captured, InputPin, PinLevels, PinSink, PinsLostError
from drivers.gpio.polling import PolledChips, majority

CHECK_PERIOD_NS = 1_000_000_000
TRIAL_S = 0.2
"""How long the interrupt line may take to follow in its trial; a busy machine hears late."""
STUCK_READS = 3
UNANNOUNCED = 3
"""One may be under way, and one may have fallen while the line was still low for another chip."""
PORT = 8


class Mcp23017Pins(PolledChips):
    def __init__(
        self, bus: I2cBus, addresses: Sequence[int], poll_ns: int, interrupt: InterruptLine | None = None
    ) -> None:
        super().__init__(bus.identity, f"MCP23017 {', '.join(f'{address:#04x}' for address in addresses)}", poll_ns)
        self._bus = bus
        self._addresses = tuple(addresses)
        self._interrupt = interrupt
        self._wanted = mcp23017.configuration(interrupt is not None)
        self._numbers: tuple[int, ...] = ()
        self._levels: list[int] = []
        self._falls: deque[int] = deque()
        self._read_to_ns = 0
        self._check_ns = 0
        self._low_reads = self._unannounced = self._interrupts = self._resets = 0

    @property
    def counters(self) -> Mapping[str, int]:
        return {**self._polling.counters, "interrupts": self._interrupts, "chip_resets": self._resets}

    def open(self, pins: Sequence[InputPin], sink: PinSink) -> None:
        self.close()
        self._numbers = tuple(pin.number for pin in pins)
        beyond = [number for number in self._numbers if number >= mcp23017.LINES * len(self._addresses)]
        if beyond:
            raise ValueError(
                f"{self._identity} has {mcp23017.LINES * len(self._addresses)} lines; got line {beyond[0]}"
            )
        self._falls.clear()
        self._low_reads = self._unannounced = 0
        try:
            self._bus.open(sink.lost)
            for address in self._addresses:
                self._write(address, mcp23017.IODIR, self._wanted)
                mcp23017.check(self._read(address, mcp23017.IODIR, mcp23017.CONFIGURED_LENGTH), self._wanted)
            if self._interrupt is not None:
                self._interrupt.open(self._fell(sink), sink.lost)
                self._try_interrupt(self._interrupt)
        except (OSError, mcp23017.Mcp23017Error) as error:
            raise PinsLostError(f"{self._identity}: {error}") from error
        self._falls.clear()
        self._polling.begin()
        self._levels = []
        self._read_to_ns = time.monotonic_ns()
        self._check_ns = self._read_to_ns + CHECK_PERIOD_NS

    def read_levels(self) -> PinLevels:
        started_ns = time.monotonic_ns()
        try:
            statuses = [
                mcp23017.status(self._read(address, mcp23017.STATUS_FIRST, mcp23017.STATUS_LENGTH))
                for address in self._addresses
            ]
            if started_ns >= self._check_ns:
                self._check_ns = started_ns + CHECK_PERIOD_NS
                for address in self._addresses:
                    mcp23017.check(self._read(address, mcp23017.IODIR, mcp23017.CONFIGURED_LENGTH), self._wanted)
            levels = [status.levels for status in statuses]
            if levels != self._levels:
                levels = [majority(words) for words in zip(levels, self._again(), self._again(), strict=True)]
        except OSError as error:
            raise self._polling.missed(str(error)) from error
        except mcp23017.Mcp23017Error as error:
            if error.reset:
                self._resets += 1
                raise PinsLostError(f"{self._identity}: {error}. Look at its supply") from error
            raise self._polling.missed(str(error)) from error
        ended_ns = time.monotonic_ns()
        captured = self._captured(statuses) if self._interrupt is not None else None
        if self._interrupt is not None:
            self._watch(self._interrupt, statuses)
        self._read_to_ns = ended_ns
        self._polling.read(started_ns)
        self._levels = levels
        return PinLevels(started_ns, ended_ns, self._high(levels), captured)

    def close(self) -> None:
        if self._interrupt is not None:
            self._interrupt.close()
        self._bus.close()

    # -- the interrupt line ---------------------------------------------------------------------------------------

    def _fell(self, sink: PinSink) -> Callable[[int], None]:
        def fell(at_ns: int) -> None:
            self._falls.append(at_ns)
            sink.attention()

        return fell

    def _captured(self, statuses: Sequence[mcp23017.Status]) -> Captured | None:
        """What a port kept, if the edge that told of it is known and no other port asked too."""
        heard = sorted(self._falls.popleft() for _ in range(len(self._falls)))
        fresh = [at_ns for at_ns in heard if at_ns > self._read_to_ns]
        self._falls.extendleft(fresh[1:])  # fell after this read had let the line go
        asking = [
            (number, port)
            for number, status in enumerate(statuses)
            for port in range(0, mcp23017.LINES, PORT)
            if status.caused >> port & 0xFF
        ]
        if heard:
            self._unannounced = 0
        if not asking:
            return None
        if heard:
            self._interrupts += 1
        else:
            self._unannounced += 1
        if not fresh or len(asking) > 1:
            return None
        number, port = asking[0]
        first = number * mcp23017.LINES + port
        kept = self._high([status.captured for status in statuses])
        return Captured(fresh[0], {line: high for line, high in kept.items() if first <= line < first + PORT})

    def _watch(self, line: InterruptLine, statuses: Sequence[mcp23017.Status]) -> None:
        if self._unannounced >= UNANNOUNCED:
            raise PinsLostError(
                f"{self._identity}: inputs changed and {line.identity} did not tell: is the chip's INT wired to it?"
            )
        quiet = not any(status.caused for status in statuses)
        self._low_reads = self._low_reads + 1 if quiet and line.is_low() else 0
        if self._low_reads >= STUCK_READS:
            raise PinsLostError(f"{self._identity}: {line.identity} stays low though no chip asks: short to ground?")

    def _try_interrupt(self, line: InterruptLine) -> None:
        self._let_go()  # what moved since
        self._until(line, low=False, why="is low before any chip asks: short to ground, or another chip on it?")
        for address in self._addresses:
            levels = mcp23017.status(self._read(address, mcp23017.STATUS_FIRST, mcp23017.STATUS_LENGTH)).levels
            self._write(address, mcp23017.DEFVAL, (levels ^ 0xFFFF).to_bytes(2, "little"))
            self._write(address, mcp23017.INTCON, b"\xff\xff")
            self._until(line, low=True, why=f"does not follow chip {address:#04x}: is its INT wired to it?")
            self._write(address, mcp23017.IODIR, self._wanted)
            self._let_go()
            self._until(line, low=False, why=f"is not let go by chip {address:#04x}")

    def _let_go(self) -> None:
        for address in self._addresses:
            self._read(address, mcp23017.STATUS_FIRST, mcp23017.STATUS_LENGTH)

    def _until(self, line: InterruptLine, *, low: bool, why: str) -> None:
        limit_ns = time.monotonic_ns() + int(TRIAL_S * 1e9)
        while line.is_low() is not low:
            if time.monotonic_ns() > limit_ns:
                raise PinsLostError(f"{self._identity}: interrupt line {line.identity} {why}")
            time.sleep(0.001)

    def _again(self) -> list[int]:
        return [
            mcp23017.status(self._read(address, mcp23017.STATUS_FIRST, mcp23017.STATUS_LENGTH)).levels
            for address in self._addresses
        ]

    # -- registers ------------------------------------------------------------------------------------------------

    def _read(self, address: int, register: int, length: int) -> bytes:
        return self._transfer(address, bytes([register]), length)

    def _write(self, address: int, register: int, data: bytes) -> None:
        self._transfer(address, bytes([register]) + data, 0)

    def _transfer(self, address: int, write: bytes, read: int) -> bytes:
        try:
            return self._bus.transfer(address, write, read)
        except OSError as error:
            raise OSError(f"no answer from chip {address:#04x} ({error})") from error

    def _high(self, words: Sequence[int]) -> dict[int, bool]:
        return {
            number: bool(words[number // mcp23017.LINES] >> number % mcp23017.LINES & 1) for number in self._numbers
        }
