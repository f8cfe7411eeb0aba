"""A simulated barcode scanner: `python -m hil.sim.barcode --port LINK --control SOCKET [--hid] [--codes JSON] ...`.

A person passes each dealt card over it. Without `--hid` it sends text lines through a pty; with it, it types: `LINK` is
a FIFO of `input_event` records, as a kernel would hand them out. `--codes`: card by code; default: the map "letter".

Ops: those of `line_reader.py`; `scan` (`card`): a card that is not drawn passes the window, as when the layout is
cleared; `half`: the next scan lacks its end. Cards that are burned face down are not scanned. Of the faults in
`line_faults.py` a typing scanner has `missing` only: a kernel hands out whole records.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from drivers.codecs.angeleye_messages import CardInGame, Target
from drivers.codecs.barcodes import MapName, named_map, typed
from drivers.codecs.input_records import EVENT
from hil.sim import card_device, process
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.fifo_port import FifoPort
from hil.sim.line_faults import FaultKind
from hil.sim.line_reader import LineReader
from hil.sim.plug import Plug
from hil.sim.pty_port import PtyPort
from hil.sim.shoe_model import ShoeModel

SAME_GAP_MS = 1050


class SimulatedScanner(LineReader):
    def __init__(
        self, model: ShoeModel, seed: int, send: Callable[[bytes], None], codes: Mapping[str, str], hid: bool
    ) -> None:
        super().__init__(model, seed, send, SAME_GAP_MS)
        self._code_of = {card: code for code, card in codes.items()}
        self._hid = hid
        self._half = False

    def said_of(self, card: str) -> bytes:
        code, half, self._half = self._code_of[card], self._half, False
        if self._hid:
            records = typed(code, time.monotonic_ns(), between_ns=0)  # all within one report of the bus
            return records[: -4 * EVENT.size] if half else records  # ENTER: down and up, each with its report's end
        return code.encode("ascii") + (b"" if half else b"\r")

    def handlers(self) -> Mapping[str, Handler]:
        return {**super().handlers(), "scan": self._scan, "half": self._half_next}

    async def _scan(self, arguments: Arguments) -> Reply:
        card = arguments.text("card")
        arguments.end()
        if card not in self._code_of:
            raise ControlError(f"{card!r} has no code")
        return await self._say([CardInGame(Target.PLAYER, 1, card)])

    async def _half_next(self, arguments: Arguments) -> Reply:
        arguments.end()
        self._half = True
        return {}

    async def _fault(self, arguments: Arguments) -> Reply:
        reply = await super()._fault(arguments)
        if self._hid and self._faults[-1].kind is not FaultKind.MISSING:
            kind = self._faults.pop().kind
            raise ControlError(f"a kernel hands out whole records: no {kind}; use missing, or the op half")
        return reply


def main(argv: list[str] | None = None) -> int:
    options = card_device.parser("simulated barcode scanner")
    options.add_argument("--hid", action="store_true", help="type like a keyboard, into a FIFO")
    options.add_argument("--codes", type=json.loads, default=dict(named_map(MapName.LETTER)), help="JSON: code to card")

    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> SimulatedScanner:
        return SimulatedScanner(card_device.model_of(parsed), parsed.seed, send, parsed.codes, parsed.hid)

    def port(parsed: argparse.Namespace, link: Path, on_bytes: Callable[[bytes], None]) -> Plug:
        return FifoPort(link) if parsed.hid else PtyPort(link, on_bytes)

    return process.main(options, make, argv, port)


if __name__ == "__main__":
    sys.exit(main())
