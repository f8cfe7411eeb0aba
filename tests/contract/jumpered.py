"""The line contract on jumpered pins: outputs of the chip, wired to the inputs under test.

`TABLED_RIG` says where: `simulated` (the default: the simulated chip with jumpers), `header` (the Pi's header, found by
its label), or the number of a gpiochip. The pins stand in hil/RIG.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest

from drivers.gpio.backends import GpioBackend, factory_maker, gpio_pins
from drivers.gpio.gpiozero_pins import OutputPins
from drivers.gpio.pins import InputPin, InputPins, PinLevels, PinSink
from drivers.ports import Timestamps
from hil.check.rig import VARIABLE
from hil.chip_control import simulated_chip

HEADER = {0: (5, 17), 1: (6, 27), 2: (13, 22)}
"""Line of the suite -> (GPIO of the input, GPIO of the output that drives it), as in hil/RIG.md."""
SIMULATED = {0: (0, 3), 1: (1, 4), 2: (2, 5)}


class Renumbered:
    """Input pins whose numbers are the suite's."""

    def __init__(self, pins: InputPins, wiring: Mapping[int, tuple[int, int]]) -> None:
        self._pins = pins
        self._gpio = {line: gpio for line, (gpio, _) in wiring.items()}
        self._line = {gpio: line for line, gpio in self._gpio.items()}

    @property
    def identity(self) -> str:
        return self._pins.identity

    @property
    def timestamps(self) -> Timestamps:
        return self._pins.timestamps

    def open(self, pins: Sequence[InputPin], sink: PinSink) -> None:
        wanted = [InputPin(self._gpio[pin.number], pin.pull) for pin in pins]
        self._pins.open(wanted, _Sink(sink, self._line))

    def read_levels(self) -> PinLevels:
        read = self._pins.read_levels()
        high = {self._line[gpio]: level for gpio, level in read.high.items()}
        return PinLevels(read.started_ns, read.ended_ns, high)

    def close(self) -> None:
        self._pins.close()


class _Sink:
    def __init__(self, sink: PinSink, line: Mapping[int, int]) -> None:
        self._sink = sink
        self._line = line

    def edge(self, number: int, high: bool, at_ns: int) -> None:
        self._sink.edge(self._line[number], high, at_ns)

    def lost(self, reason: str) -> None:
        self._sink.lost(reason)


class JumperedBench:
    """Moves the lines by the outputs that they are wired to."""

    def __init__(self, pins: InputPins, outputs: OutputPins, wiring: Mapping[int, tuple[int, int]]) -> None:
        self.pins = Renumbered(pins, wiring)
        self._outputs = outputs
        self._wiring = wiring

    async def set(self, line: int, high: bool) -> int:
        at_ns = time.monotonic_ns()
        await asyncio.to_thread(self._outputs.write, self._wiring[line][1], high)
        return at_ns

    async def lose(self) -> None:
        pytest.skip("jumpered pins can't be unplugged")

    async def restore(self) -> None: ...


@contextlib.asynccontextmanager
async def jumpered_bench(folder: Path) -> AsyncIterator[JumperedBench]:
    """The first line's contact is closed at rest (low), the others open."""
    rig = os.environ.get(VARIABLE, "simulated")
    if rig == "simulated":
        jumpers = [(out, line) for line, out in SIMULATED.values()]
        async with simulated_chip(folder, lines=6, pixels=0, jumpers=jumpers) as chip:
            maker = factory_maker(GpioBackend.SIMULATED, socket=chip.socket)
            with _outputs(OutputPins(maker), SIMULATED) as outputs:
                yield JumperedBench(gpio_pins(GpioBackend.SIMULATED, socket=chip.socket), outputs, SIMULATED)
        return
    number = None if rig == "header" else int(rig)
    with _outputs(OutputPins(factory_maker(GpioBackend.LGPIO, number)), HEADER) as outputs:
        yield JumperedBench(gpio_pins(GpioBackend.LGPIO, chip=number), outputs, HEADER)


@contextlib.contextmanager
def _outputs(outputs: OutputPins, wiring: Mapping[int, tuple[int, int]]):  # type: ignore[no-untyped-def]
    lost: list[str] = []
    outputs.open([(out, line != 0) for line, (_, out) in wiring.items()], lost.append)
    try:
        yield outputs
    finally:
        outputs.close()
    assert lost == [], lost
