"""Expanders on the libraries of a Pi, whose modules are stood in for: what is called, in which order, and what is said
when something is missing."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.gpio.buses import GpioInterrupt, Smbus2Bus, SpidevChain
from drivers.gpio.hc165_pins import Hc165Pins
from drivers.gpio.mcp23017_pins import Mcp23017Pins
from drivers.gpio.pins import InputPin, PinsLostError, PinsMissedError, Pull
from drivers.ports import BackendUnavailable
from hil.sim.hc165_model import Hc165Chain
from hil.sim.mcp23017_model import Mcp23017Bus
from tests.drivers.fake_buses import FakeSmbus2, FakeSpidev
from tests.drivers.fake_lgpio import FakeLgpio

INT, LOAD = 27, 22
POLL_NS = 10_000_000


class Sink:
    def __init__(self) -> None:
        self.called = 0
        self.reasons: list[str] = []

    def edge(self, number: int, high: bool, at_ns: int) -> None:
        raise AssertionError("a polled pin has no edges")

    def attention(self) -> None:
        self.called += 1

    def lost(self, reason: str) -> None:
        self.reasons.append(reason)


class Pi(FakeLgpio):
    """A header whose INT follows the I2C chips and whose load line is the chain's."""

    def __init__(self) -> None:
        super().__init__({0: "pinctrl-bcm2711"})
        self.i2c = Mcp23017Bus([0x20, 0x21])
        self.chain = Hc165Chain(2)
        self.wired = True

    def gpio_read(self, handle: int, gpio: int) -> int:
        return int(self.i2c.interrupt_high() or not self.wired) if gpio == INT else super().gpio_read(handle, gpio)

    def gpio_write(self, handle: int, gpio: int, level: int) -> None:
        super().gpio_write(handle, gpio, level)
        if gpio == LOAD:
            self.chain.load(bool(level))

    def close_contact(self, line: int) -> int:
        at_ns = time.monotonic_ns()
        self.i2c.set(line, False)
        self.callbacks[INT](0, INT, 0, at_ns)
        return at_ns


@pytest.fixture
def pi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Pi]:
    fake = Pi()
    monkeypatch.setenv("LG_WD", str(tmp_path))
    monkeypatch.setitem(sys.modules, "lgpio", fake)
    monkeypatch.setitem(sys.modules, "smbus2", FakeSmbus2({1: fake.i2c}))
    monkeypatch.setitem(sys.modules, "spidev", FakeSpidev({(0, 0): fake.chain}))
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    yield fake
    sys.modules.pop("gpiozero.pins.lgpio", None)
    assert not fake.open_handles, "a chip was left open"


def inputs(*numbers: int) -> list[InputPin]:
    return [InputPin(number, Pull.UP) for number in numbers]


def test_chips_on_a_real_bus_are_configured_read_and_closed(pi: Pi) -> None:
    pins = Mcp23017Pins(Smbus2Bus(1), (0x20, 0x21), POLL_NS)
    assert pins.identity == "MCP23017 0x20, 0x21 on /dev/i2c-1"
    pins.open(inputs(0, 30), Sink())
    assert pins.read_levels().high == {0: True, 30: True}
    pi.i2c.set(30, False)
    read = pins.read_levels()
    assert read.high == {0: True, 30: False} and read.started_ns < read.ended_ns and read.captured is None
    pi.i2c.faults()["off"](1)
    for _ in range(2):
        with pytest.raises(PinsMissedError, match=r"no answer from chip 0x20.*Remote I/O"):
            pins.read_levels()
    with pytest.raises(PinsLostError, match="3 times in a row"):
        pins.read_levels()
    pins.close()
    pins.close()
    assert sys.modules["smbus2"].open == 0


def test_the_interrupt_line_is_tried_and_its_stamp_taken(pi: Pi) -> None:
    sink = Sink()
    pins = Mcp23017Pins(Smbus2Bus(1), (0x20, 0x21), POLL_NS, GpioInterrupt(INT, chip=0))
    pins.open(inputs(0, 17), sink)
    at_ns = pi.close_contact(17)
    read = pins.read_levels()
    assert sink.called == 1
    assert read.captured is not None and (read.captured.at_ns, read.captured.high) == (at_ns, {17: False})
    pins.close()


def test_two_ports_that_asked_have_no_first(pi: Pi) -> None:
    pins = Mcp23017Pins(Smbus2Bus(1), (0x20,), POLL_NS, GpioInterrupt(INT, chip=0))
    pins.open(inputs(0, 8), Sink())
    pi.close_contact(0)
    pi.i2c.set(8, False)
    read = pins.read_levels()
    assert read.captured is None and read.high == {0: False, 8: False}
    pins.close()


def test_an_interrupt_line_that_is_not_wired_is_told_at_the_opening(pi: Pi) -> None:
    pi.wired = False
    pins = Mcp23017Pins(Smbus2Bus(1), (0x20,), POLL_NS, GpioInterrupt(INT, chip=0))
    with pytest.raises(PinsLostError, match="GPIO 27 does not follow chip 0x20"):
        pins.open(inputs(0), Sink())
    pins.close()


def test_a_chain_is_loaded_before_it_is_clocked(pi: Pi) -> None:
    pins = Hc165Pins(SpidevChain(0, 0, LOAD, 500_000, chip=0), 2, POLL_NS)
    assert pins.identity == "2 74HC165 on /dev/spidev0.0, load on GPIO 22"
    pins.open(inputs(0, 15), Sink())
    pi.history.clear()
    pi.chain.set(15, False)
    assert pins.read_levels().high == {0: True, 15: False}
    assert pi.history == [("write", LOAD, 0), ("write", LOAD, 1)] * 3, "what differs is read three times"
    pi.history.clear()
    pins.read_levels()
    assert pi.history == [("write", LOAD, 0), ("write", LOAD, 1)]
    (spi,) = sys.modules["spidev"].opened
    assert (spi.mode, spi.max_speed_hz) == (0, 500_000)
    pins.close()
    assert not spi.is_open


@pytest.mark.parametrize("number", [7, 8, 16])
def test_a_line_that_is_tied_or_not_there_is_refused(pi: Pi, number: int) -> None:
    pins = Hc165Pins(SpidevChain(0, 0, LOAD, 500_000, chip=0), 2, POLL_NS)
    with pytest.raises(ValueError, match=f"line {number}"):
        pins.open(inputs(number), Sink())


def test_a_bus_that_is_not_there_says_what_to_turn_on(pi: Pi) -> None:
    with pytest.raises(PinsLostError, match="i2c_arm=on"):
        Mcp23017Pins(Smbus2Bus(4), (0x20,), POLL_NS).open(inputs(0), Sink())
    with pytest.raises(PinsLostError, match="spi=on"):
        Hc165Pins(SpidevChain(1, 0, LOAD, 500_000, chip=0), 2, POLL_NS).open(inputs(0), Sink())


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "smbus2", None)
    monkeypatch.setitem(sys.modules, "spidev", None)
    with pytest.raises(BackendUnavailable, match="smbus2"):
        Smbus2Bus(1)
    with pytest.raises(BackendUnavailable, match="shift registers"):
        SpidevChain(0, 0, LOAD, 500_000, chip=0)


class FlippingBus:
    """An I2C bus on which one transfer has the bits of one byte wrong."""

    def __init__(self, pi: Pi) -> None:
        self._real = Smbus2Bus(1)
        self.identity = self._real.identity
        self.open, self.close = self._real.open, self._real.close
        self.flip_at: int | None = None
        self.transfers = 0

    def transfer(self, address: int, write: bytes, read: int) -> bytes:
        answer = bytearray(self._real.transfer(address, write, read))
        self.transfers += 1
        if answer and self.transfers == self.flip_at:
            answer[-2] ^= 0x01
        return bytes(answer)


@pytest.mark.parametrize("which", [1, 2, 3])
@pytest.mark.parametrize("covered", [False, True])
def test_one_wrong_read_of_three_is_outvoted(pi: Pi, which: int, covered: bool) -> None:
    bus = FlippingBus(pi)
    pins = Mcp23017Pins(bus, (0x20,), POLL_NS)
    pins.open(inputs(0, 1), Sink())
    assert pins.read_levels().high == {0: True, 1: True}
    pi.i2c.set(1, not covered)
    bus.flip_at = bus.transfers + which
    assert pins.read_levels().high == {0: True, 1: not covered}
    assert pins.read_levels().high == {0: True, 1: not covered}
    pins.close()
