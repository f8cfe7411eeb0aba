"""Line devices that are only polled, with their other end, for the contract suite: in memory on virtual time, or the
simulators as processes over a pty. One row a device in `POLLED`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from time import monotonic_ns
from typing import Protocol

from msgspec import Struct

from drivers.devices.bus_lines import BusLines, BusLinesSettings
from drivers.devices.line_inputs import GpioLineInputs, LineInputsSettings
from drivers.devices.modbus_inputs import ModbusInputs
from drivers.devices.tgline_board import SIZE, TglineBoard, TglineBus
from drivers.gpio.hc165_pins import Hc165Pins
from drivers.gpio.mcp23017_pins import Mcp23017Pins
from drivers.gpio.pins import InputPins
from drivers.gpio.simulated_bus import SimulatedBus
from drivers.line_spec import DecisionWindow, LineRole, LineSpec
from drivers.links.bus import Bus, BusTiming
from drivers.links.port import Opener, PortSettings, open_serial
from drivers.ports import LineInputs, NowNs
from hil.sim.modbus_model import ModbusModel, Unit
from hil.sim.tgline_bus_model import BusModel
from hil.simclient import AsyncSimClient
from tests.bus_bench import ScriptedBus
from tests.contract.benches import on_process
from tests.drivers.recorder import Recorder
from tests.virtual_time import VirtualLoop, run_virtual

LINES = tuple(LineSpec(f"spot{number}", number, LineRole.SPOT) for number in range(8))
WINDOW = DecisionWindow()
TIMING = BusTiming(answer_s=0.3)
"""A busy machine may let a simulator wait; how long the product waits is tested on virtual time."""


class End(Protocol):
    """What moves the lines."""

    async def set(self, line: int, on: bool) -> int:
        """Returns when, on the device's clock, at the latest."""

    async def power(self, on: bool) -> None: ...

    async def plug(self, there: bool) -> None: ...


Script = Callable[[LineInputs, End, Recorder], Awaitable[None]]


def _board(url: str, now_ns: NowNs, opener: Opener) -> BusLines:
    bus = TglineBus(PortSettings(url, 38400), now_ns, TIMING, opener)
    return TglineBoard(BusLinesSettings("board", LINES, SIZE, window=WINDOW), bus, 3, now_ns, simulated=True)


def _unit(url: str, now_ns: NowNs, opener: Opener) -> BusLines:
    bus = Bus(PortSettings(url, 9600), now_ns, TIMING, opener)
    return ModbusInputs(BusLinesSettings("board", LINES, 8, window=WINDOW), bus, 3, 0, now_ns, simulated=True)


class ScriptedBoard:
    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._model = BusModel([3])
        self.bus = ScriptedBus(loop, lambda data: self._model.received(data, loop.now_ns()))

    async def set(self, line: int, on: bool) -> int:
        self._model.boards[3].inputs[line] = on
        return self._loop.now_ns()

    async def power(self, on: bool) -> None:
        self._model.boards[3].powered = on

    async def plug(self, there: bool) -> None:
        self.bus.plug() if there else self.bus.unplug()


class ScriptedUnit(ScriptedBoard):
    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._units = ModbusModel([Unit(3, 0, 8)])
        self.bus = ScriptedBus(loop, self._units.received)

    async def set(self, line: int, on: bool) -> int:
        self._units.units[3].inputs[line] = on
        return self._loop.now_ns()

    async def power(self, on: bool) -> None:
        self._units.units[3].powered = on


class ProcessEnd:
    def __init__(self, client: AsyncSimClient, station: str) -> None:
        self._client = client
        self._station = {station: 3}

    async def set(self, line: int, on: bool) -> int:
        reply = await self._client.call("set", input=line, on=on, **self._station)
        at_ns = reply["at_ns"]
        assert isinstance(at_ns, int)
        return at_ns

    async def power(self, on: bool) -> None:
        await self._client.call("power", on=on, **self._station)

    async def plug(self, there: bool) -> None:
        await self._client.call("plug" if there else "unplug")


Make = Callable[[str, NowNs, Opener], BusLines]


def _scripted(make: Make, end_of: Callable[[VirtualLoop], ScriptedBoard]) -> Callable[[Script], None]:
    def play(script: Script) -> None:
        async def main(loop: VirtualLoop) -> None:
            end, recorder = end_of(loop), Recorder()
            device = make("scripted://bus", loop.now_ns, end.bus.opener)
            async with recorder.running(device):
                await script(device, end, recorder)

        run_virtual(main)

    return play


def _process(make: Make, module: str, station: str, *options: str) -> Callable[[Script], None]:
    def play(script: Script) -> None:
        async def main(port: Path, client: AsyncSimClient) -> None:
            device, recorder = make(str(port), monotonic_ns, open_serial), Recorder()
            async with recorder.running(device):
                await script(device, ProcessEnd(client, station), recorder)

        on_process(module, main, *options)

    return play


class ExpanderEnd:
    """A simulated bus. Its line numbers are not the suite's where some are tied; `off` is the fault of no power."""

    def __init__(self, client: AsyncSimClient, numbers: Mapping[int, int], off: tuple[str, int]) -> None:
        self.client = client
        self._numbers = numbers
        self._off = off

    async def set(self, line: int, on: bool) -> int:
        at_ns = (await self.client.call("set", line=self._numbers[line], high=not on))["at_ns"]
        assert isinstance(at_ns, int)
        return at_ns

    async def power(self, on: bool) -> None:
        if on:
            await self.client.call("calm")
        else:
            kind, times = self._off
            await self.client.call("fault", kind=kind, times=times)

    async def plug(self, there: bool) -> None:
        await self.client.call("plug" if there else "unplug")


class Expander(Struct, frozen=True):
    """A device on a simulated bus: its pins, the simulator behind it, and which lines of it the suite uses."""

    pins: Callable[[SimulatedBus], InputPins]
    module: str
    chips: str
    off: tuple[str, int]
    numbers: Mapping[int, int]

    def device(self, port: Path) -> GpioLineInputs:
        lines = [LineSpec(f"spot{n}", number, LineRole.SPOT) for n, number in self.numbers.items()]
        settings = LineInputsSettings("board", lines, window=WINDOW, settle_ns=0)
        return GpioLineInputs(settings, self.pins(SimulatedBus(port)))

    def play(self, script: Callable[[LineInputs, ExpanderEnd, Recorder], Awaitable[None]]) -> None:
        async def main(port: Path, client: AsyncSimClient) -> None:
            device, recorder = self.device(port), Recorder()
            async with recorder.running(device):
                await script(device, ExpanderEnd(client, self.numbers, self.off), recorder)

        on_process(self.module, main, "--chips", self.chips)


POLL_NS = 5_000_000
PLAIN = dict(zip(range(8), (0, 1, 2, 3, 8, 9, 17, 30), strict=True))
MCP = Expander(lambda bus: Mcp23017Pins(bus, (0x20, 0x21), POLL_NS), "hil.sim.mcp23017", "0x20,0x21", ("off", 1), PLAIN)
MCP_INTERRUPT = Expander(
    lambda bus: Mcp23017Pins(bus, (0x20, 0x21), 50_000_000, bus.interrupt),
    "hil.sim.mcp23017",
    "0x20,0x21",
    ("off", 1),
    PLAIN,
)
CHAIN = Expander(
    lambda bus: Hc165Pins(bus, 3, POLL_NS),
    "hil.sim.hc165",
    "3",
    ("cut_high", 0),
    dict(zip(range(8), (0, 1, 2, 6, 8, 15, 17, 23), strict=True)),
)

POLLED = {
    "MCP23017 as a process": MCP.play,
    "MCP23017 with its interrupt as a process": MCP_INTERRUPT.play,
    "74HC165 as a process": CHAIN.play,
    "tgline board in memory": _scripted(_board, ScriptedBoard),
    "tgline board as a process": _process(_board, "hil.sim.tgline_bus", "board", "--boards", "3"),
    "Modbus unit in memory": _scripted(_unit, ScriptedUnit),
    "Modbus unit as a process": _process(_unit, "hil.sim.modbus_units", "unit", "--units", "3:0:8"),
}
