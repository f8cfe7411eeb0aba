"""The bench's hands on spots that are not on the line chip: on simulated expanders, bet boards and Modbus units.

Rules: `Sensors` is one device of the table. Lines have the numbers of the configuration; what a contact is on the wire
is the simulator's affair. A simulator that refuses or is gone raises `SimError`.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Protocol

from firmware.settings.devices.bus_lines import LinesModbusSimulated, LinesTglineSimulated
from firmware.settings.devices.expanders import LinesMcp23017Simulated, LinesShiftRegisterSimulated
from firmware.settings.devices.options import DeviceOptions
from hil.chip_control import ChipControl
from hil.layout import Layout
from hil.simclient import AsyncSimClient, SimError
from hil.simulators import simulators_of

CLOSED, OPEN = False, True
"""Levels of a line with its contact closed to ground, and open."""


class Sensors(Protocol):
    """Lines of one device, by number."""

    async def cover(self, line: int, on: bool) -> int:
        """A chip comes or goes; when (monotonic ns)."""

    async def stick(self, line: int, stuck: bool) -> None:
        """The sensor says "chip" whatever lies there; or no more."""

    async def covered(self) -> frozenset[int]:
        """Lines that a chip covers, whoever placed it."""


class ChipSensors:
    """Lines of the line chip."""

    def __init__(self, chip: ChipControl) -> None:
        self._chip = chip

    async def cover(self, line: int, on: bool) -> int:
        return await self._chip.set(line, CLOSED if on else OPEN)

    async def stick(self, line: int, stuck: bool) -> None:
        await (self._chip.stick(line, CLOSED) if stuck else self._chip.unstick(line))

    async def covered(self) -> frozenset[int]:
        return frozenset(line for line, high in enumerate(await self._chip.levels()) if high is CLOSED)


class ExpanderSensors:
    """Lines of a simulated bus of expanders."""

    def __init__(self, client: AsyncSimClient) -> None:
        self._client = client

    async def cover(self, line: int, on: bool) -> int:
        return _at(await self._client.call("set", line=line, high=CLOSED if on else OPEN))

    async def stick(self, line: int, stuck: bool) -> None:
        if stuck:
            await self._client.call("stick", line=line, high=CLOSED)
        else:
            await self._client.call("unstick", line=line)

    async def covered(self) -> frozenset[int]:
        return _lines((await self._client.call("status"))["closed"])


class StationSensors:
    """Inputs of one station of a simulated bus: `station` is how its ops name it."""

    def __init__(self, client: AsyncSimClient, station: Mapping[str, int]) -> None:
        self._client = client
        self._station = station

    async def cover(self, line: int, on: bool) -> int:
        return _at(await self._client.call("set", input=line, on=on, **self._station))

    async def stick(self, line: int, stuck: bool) -> None:
        await self.cover(line, stuck)

    async def covered(self) -> frozenset[int]:
        (number,) = self._station.values()
        closed = (await self._client.call("status"))["closed"]
        return _lines(closed[str(number)] if isinstance(closed, dict) else None)


def sensors_of(layout: Layout, clients: Mapping[str, AsyncSimClient]) -> dict[str, Sensors]:
    """Of every device that has spots and is not the line chip, by its name."""
    names = dict.fromkeys(layout.elsewhere.values())
    return {name: _sensors(layout.settings.devices[name], clients[name]) for name in names}


@contextlib.asynccontextmanager
async def connected(layout: Layout) -> AsyncIterator[dict[str, Sensors]]:
    """The same of a bench that another process runs."""
    wanted = set(layout.elsewhere.values())
    async with contextlib.AsyncExitStack() as stack:
        clients: dict[str, AsyncSimClient] = {}
        for simulator in simulators_of(layout.settings, layout.run_dir, 0):
            if wanted & set(simulator.names):
                client = await stack.enter_async_context(await AsyncSimClient.connect(simulator.control))
                clients |= dict.fromkeys(simulator.names, client)
        yield sensors_of(layout, clients)


def _sensors(options: DeviceOptions, client: AsyncSimClient) -> Sensors:
    match options:
        case LinesMcp23017Simulated() | LinesShiftRegisterSimulated():
            return ExpanderSensors(client)
        case LinesTglineSimulated():
            return StationSensors(client, {"board": options.address})
        case LinesModbusSimulated():
            return StationSensors(client, {"unit": options.unit})
        case _:
            raise ValueError(f"{options.kind} has no simulator with lines")


def _at(reply: Mapping[str, object]) -> int:
    at_ns = reply["at_ns"]
    assert isinstance(at_ns, int)
    return at_ns


def _lines(told: object) -> frozenset[int]:
    if not isinstance(told, list):
        raise SimError(f"status of the simulator: closed is {told!r}; expected lines")
    return frozenset(told)
