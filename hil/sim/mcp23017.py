"""Simulated MCP23017 port expanders on one I2C bus: `python -m hil.sim.mcp23017 --port SOCKET --control SOCKET
--chips ADDRESS[,...]`. Ops: `bus_device.py` and the model's faults."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from hil.sim import process
from hil.sim.bus_device import BusDevice
from hil.sim.mcp23017_model import Mcp23017Bus
from hil.sim.plug import Plug
from hil.sim.socket_port import SocketPort


def main(argv: list[str] | None = None) -> int:
    options = process.parser("simulated MCP23017 port expanders on one I2C bus")
    options.add_argument("--chips", required=True, help="addresses, separated by commas (0x20,0x21)")

    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> BusDevice:
        return BusDevice(Mcp23017Bus([int(each, 0) for each in parsed.chips.split(",")]), send)

    return process.main(options, make, argv, _plug)


def _plug(parsed: argparse.Namespace, link: Path, on_bytes: Callable[[bytes], None]) -> Plug:
    return SocketPort(link, on_bytes)


if __name__ == "__main__":
    sys.exit(main())
