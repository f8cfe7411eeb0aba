"""Simulated chain of 74HC165 shift registers on SPI: `python -m hil.sim.hc165 --port SOCKET --control SOCKET
--chips N`. Ops: `bus_device.py` and the model's faults."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from hil.sim import process
from hil.sim.bus_device import BusDevice
from hil.sim.hc165_model import Hc165Chain
from hil.sim.plug import Plug
from hil.sim.socket_port import SocketPort


def main(argv: list[str] | None = None) -> int:
    options = process.parser("simulated chain of 74HC165 shift registers on SPI")
    options.add_argument("--chips", type=int, required=True, help="how many chips")

    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> BusDevice:
        return BusDevice(Hc165Chain(parsed.chips), send)

    return process.main(options, make, argv, _plug)


def _plug(parsed: argparse.Namespace, link: Path, on_bytes: Callable[[bytes], None]) -> Plug:
    return SocketPort(link, on_bytes)


if __name__ == "__main__":
    sys.exit(main())
