"""MCP23017 port expanders on one I2C bus, as their registers behave (Microchip DS20001952). No I/O.

Rules:
* BANK = 0, sequential reads and writes; INTF and INTCAP can't be written; what is written to GPIO goes to OLAT.
* A port's interrupt is pending from the first change of an enabled input of it (against what was last read, or against
  DEFVAL where INTCON says so) until its INTCAP or GPIO is read; its INTCAP keeps its levels of that instant. Both ports
  pull one line (MIRROR).
* A line without its pull-up floats low: that is what a reset chip's inputs look like until somebody configures it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from drivers.codecs import mcp23017 as chip
from hil.sim.bus_device import NoAnswerError

REGISTERS = 0x16
READ_ONLY = range(chip.INTF, chip.INTCAP + 2)
OLAT = 0x14


class Mcp23017:
    """One chip."""

    def __init__(self) -> None:
        self.contacts = 0  # bit n: the contact of line n is closed to ground
        self.stuck: dict[int, bool] = {}
        self.powered = True
        self.resets = 0
        self.reset()

    def reset(self) -> None:
        """Power-up values."""
        self._registers = bytearray(chip.POWERED_UP + bytes(REGISTERS - len(chip.POWERED_UP)))
        self._seen = self.levels()
        self._pending = [False, False]

    @property
    def pending(self) -> bool:
        return any(self._pending)

    def levels(self) -> int:
        """Of the pins, pull-ups and stuck lines applied."""
        found = ~self.contacts & self._word(chip.GPPU)
        for line, high in self.stuck.items():
            found = found | 1 << line if high else found & ~(1 << line)
        return found & 0xFFFF

    def moved(self) -> None:
        """Something may have changed: does an interrupt begin?"""
        levels, control = self.levels(), self._word(chip.INTCON)
        against = (self._word(chip.DEFVAL) & control) | (self._seen & ~control)
        caused = ((levels ^ against) & self._word(chip.GPINTEN)).to_bytes(2, "little")
        for port in (0, 1):
            if caused[port] and not self._pending[port]:
                self._registers[chip.INTF + port] = caused[port]
                self._registers[chip.INTCAP + port] = levels >> 8 * port & 0xFF
                self._pending[port] = True

    def write(self, register: int, data: bytes) -> None:
        for offset, value in enumerate(data):
            at = (register + offset) % REGISTERS
            if at in READ_ONLY:
                continue
            if at in (chip.GPIO, chip.GPIO + 1):
                at += OLAT - chip.GPIO
            if at in (chip.IOCON, chip.IOCON + 1):  # one register at two addresses
                self._registers[chip.IOCON] = self._registers[chip.IOCON + 1] = value & 0xFE
                continue
            self._registers[at] = value
        self.moved()

    def read(self, register: int, length: int) -> bytes:
        out = bytearray()
        for offset in range(length):
            at = (register + offset) % REGISTERS
            if at in (chip.GPIO, chip.GPIO + 1):
                self._put(chip.GPIO, self.levels() ^ self._word(chip.IPOL))
            out.append(self._registers[at])
        touched = {(register + offset) % REGISTERS for offset in range(length)}
        levels = self.levels()
        for port in (0, 1):
            if touched & {chip.INTCAP + port, chip.GPIO + port}:
                self._pending[port] = False
                self._registers[chip.INTF + port] = 0
                of_port = 0xFF << 8 * port
                self._seen = self._seen & ~of_port | levels & of_port
        self.moved()  # a comparison with DEFVAL fails again at once
        return bytes(out)

    def _word(self, register: int) -> int:
        return int.from_bytes(self._registers[register : register + 2], "little")

    def _put(self, register: int, word: int) -> None:
        self._registers[register : register + 2] = word.to_bytes(2, "little")


class Mcp23017Bus:
    """A `BusModel`: line n is line n % 16 of the n // 16th chip. Faults of its own: `reset` (brown-out of every chip),
    `off` (no chip has power; 0: again), `int_dead` (the interrupt line never falls), `int_stuck` (it is held low);
    the last two last while `times` is not 0."""

    def __init__(self, addresses: Sequence[int]) -> None:
        self.chips = {address: Mcp23017() for address in addresses}
        self._int_dead = self._int_stuck = False

    @property
    def size(self) -> int:
        return chip.LINES * len(self.chips)

    def set(self, line: int, high: bool) -> None:
        one, bit = self._at(line)
        one.contacts = one.contacts & ~bit if high else one.contacts | bit
        one.moved()

    def stick(self, line: int, high: bool | None) -> None:
        one, _ = self._at(line)
        if high is None:
            one.stuck.pop(line % chip.LINES, None)
        else:
            one.stuck[line % chip.LINES] = high
        one.moved()

    def interrupt_high(self) -> bool:
        if self._int_stuck or self._int_dead:
            return not self._int_stuck
        return not any(one.pending and one.powered for one in self.chips.values())

    def transfer(self, address: int, write: bytes, read: int) -> bytes:
        one = self.chips.get(address)
        if one is None or not one.powered or not write:
            raise NoAnswerError(f"nobody at {address:#04x}")
        if len(write) > 1:
            one.write(write[0], write[1:])
        return one.read(write[0], read) if read else b""

    def exchange(self, mosi: bytes) -> bytes:
        raise NoAnswerError("an I2C bus")

    def load(self, high: bool) -> None:
        pass

    def status(self) -> Mapping[str, object]:
        chips = enumerate(self.chips.values())
        return {"closed": [16 * n + bit for n, one in chips for bit in range(16) if one.contacts >> bit & 1]}

    def faults(self) -> Mapping[str, Callable[[int], None]]:
        return {"reset": self._reset, "off": self._off, "int_dead": self._dead, "int_stuck": self._hold}

    def calm(self) -> None:
        self._int_dead = self._int_stuck = False
        self._off(0)

    def _at(self, line: int) -> tuple[Mcp23017, int]:
        return list(self.chips.values())[line // chip.LINES], 1 << line % chip.LINES

    def _reset(self, times: int) -> None:
        for one in self.chips.values():
            one.reset()

    def _off(self, times: int) -> None:
        for one in self.chips.values():
            if one.powered is bool(times):
                one.powered = not times
                one.reset()

    def _dead(self, times: int) -> None:
        self._int_dead = bool(times)

    def _hold(self, times: int) -> None:
        self._int_stuck = bool(times)
