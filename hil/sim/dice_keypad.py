"""A simulated dice keypad: `python -m hil.sim.dice_keypad --port LINK --control SOCKET`. It types into a FIFO.

`LINK` is a FIFO of `input_event` records, as a kernel would hand them out. Ops: `press` (`key` 1..6, `block`: on the
number block, default true); `roll` (`faces`: two; `apart_ms` 0..); `hold` (`key`, `ms`, default 2100): answered when
the key is up again; `other` (`code`): a key that is none of the six; `drop`: the kernel says that it left records out.
Each replies with `sent` and `at_ns`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from drivers.codecs.craps_keypad import FACES, NUMBER_BLOCK, UPPER_ROW
from drivers.codecs.input_records import EV_SYN, EVENT, SYN_DROPPED, record
from hil.sim import process
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.fifo_port import FifoPort
from hil.sim.plug import Plug

HOLD_MS = 2100


class SimulatedKeypad:
    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._keys = 0

    def received(self, data: bytes) -> None:
        raise AssertionError("nothing comes back through a FIFO")

    def status(self) -> Reply:
        return {"keys": self._keys}

    async def run(self) -> None:
        await process.forever()

    def handlers(self) -> Mapping[str, Handler]:
        return {"press": self._press, "roll": self._roll, "hold": self._hold, "other": self._other, "drop": self._drop}

    def _type(self, code: int) -> tuple[bytes, int]:
        self._keys += 1
        at_ns = time.monotonic_ns()
        sent = record(code, True, at_ns) + record(code, False, at_ns + 1000)
        self._send(sent)
        return sent, at_ns

    async def _press(self, arguments: Arguments) -> Reply:
        code = _code(arguments.integer("key", least=1, most=6), arguments.flag("block", True))
        arguments.end()
        sent, at_ns = self._type(code)
        return {"sent": [sent.hex()], "at_ns": at_ns}

    async def _roll(self, arguments: Arguments) -> Reply:
        faces = arguments.integers("faces", [])
        apart_ms = arguments.integer("apart_ms", 10, most=60_000)
        arguments.end()
        if len(faces) != 2 or not all(1 <= face <= 6 for face in faces):
            raise ControlError(f"faces are two of 1..6, got {faces}")
        first, at_ns = self._type(_code(faces[0], True))
        await asyncio.sleep(apart_ms / 1000)
        second, _ = self._type(_code(faces[1], True))
        return {"sent": [first.hex(), second.hex()], "at_ns": at_ns}

    async def _hold(self, arguments: Arguments) -> Reply:
        code = _code(arguments.integer("key", least=1, most=6), True)
        held_ms = arguments.integer("ms", HOLD_MS, most=60_000)
        arguments.end()
        self._keys += 1
        at_ns = time.monotonic_ns()
        down = record(code, True, at_ns)
        self._send(down)
        await asyncio.sleep(held_ms / 1000)
        up = record(code, False, time.monotonic_ns())
        self._send(up)
        return {"sent": [down.hex(), up.hex()], "at_ns": at_ns}

    async def _other(self, arguments: Arguments) -> Reply:
        code = arguments.integer("code", least=1, most=0xFFFF)
        arguments.end()
        if code in FACES:
            raise ControlError(f"{code} is the key of a face; use press")
        sent, at_ns = self._type(code)
        return {"sent": [sent.hex()], "at_ns": at_ns}

    async def _drop(self, arguments: Arguments) -> Reply:
        arguments.end()
        at_ns = time.monotonic_ns()
        sent = EVENT.pack(at_ns // 1_000_000_000, at_ns % 1_000_000_000 // 1000, EV_SYN, SYN_DROPPED, 0)
        self._send(sent)
        return {"sent": [sent.hex()], "at_ns": at_ns}


def _code(face: int, block: bool) -> int:
    keys = NUMBER_BLOCK if block else UPPER_ROW
    return next(code for code, key in keys.items() if key == face)


def main(argv: list[str] | None = None) -> int:
    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> SimulatedKeypad:
        return SimulatedKeypad(send)

    def port(parsed: argparse.Namespace, link: Path, on_bytes: Callable[[bytes], None]) -> Plug:
        return FifoPort(link)

    return process.main(process.parser("simulated dice keypad"), make, argv, port)


if __name__ == "__main__":
    sys.exit(main())
