"""One process that has everything imported and forks the parts of many benches: starting them costs next to nothing.

    with Nursery() as nursery:
        child = await nursery.start("sign", "hil.sim.sign", ["--port", ...])

Rules:
* What is forked is a process like any other: its own session, arguments, environment, output and exit status, and the
  module's own `main()`. Only the imports are not its own.
* The nursery has one thread and no event loop, so that a fork takes nothing half-done along. When whoever started it is
  gone it ends, and the kernel ends its children.
* Requests may come from any thread: each is one message, with the ends of the pipes that the child and its end are told
  by.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import TracebackType

import msgspec
from msgspec import Struct

from hil.children import Child, PartDied, die_with_parent

PRELOADED = (
    "firmware.cli", "firmware.app.main", "firmware.interfaces.settle_lines", "hil.scenario.failing_machine",
    "hil.sim.chip", "hil.sim.display", "hil.sim.shoe", "hil.sim.sign", "hil.sim.tgline_bus",
    "drivers.devices.alpha_board", "drivers.devices.angeleye_shoe", "drivers.devices.char_display",
    "drivers.devices.line_inputs", "drivers.devices.pixel_lamps", "drivers.devices.pixel_strings",
    "drivers.devices.pixel_gpio", "drivers.gpio.backends", "drivers.gpio.gpiozero_pins", "drivers.gpio.simulated",
    "nacl.bindings", "neopixel_spi", "serial.serialposix", "statistics",
)  # fmt: skip
"""What a table of simulated devices takes, and what its libraries take late. Another module is imported by the child
that wants it, and so it is where one can't be."""
MESSAGE_BYTES = 1 << 16


class Request(Struct, frozen=True):
    module: str
    words: tuple[str, ...]
    environment: dict[str, str]


class Nursery:
    """A context manager; started from the thread that lives longest, since the kernel ends it with that thread."""

    def __enter__(self) -> Nursery:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(  # this very module
                [sys.executable, "-m", "hil.nursery", str(theirs.fileno())],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True, preexec_fn=die_with_parent,  # before any thread is started
            )  # fmt: skip
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._requests.close()
        self._process.wait()

    async def start(
        self, name: str, module: str, words: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> Child:
        """As `children.start`."""
        out, to = os.pipe()
        ended = self._ask(Request(module, tuple(words), dict(environment or {})), to, to)
        os.close(to)
        return Child(name, await ForkedProcess.of(out, ended))

    def answered(self, module: str, words: Sequence[str]) -> tuple[int, bytes]:
        """Run it to its end, in which it may block; its exit status and what it printed. Its errors go to ours."""
        out, to = os.pipe()
        ended = self._ask(Request(module, tuple(words), {}), to, sys.stderr.fileno())
        os.close(to)
        with os.fdopen(out, "rb") as answer, os.fdopen(ended, "rb") as told:
            said = answer.read()
            *_, status = told.read().split()
        return int(status), said

    def _ask(self, request: Request, out: int, errors: int) -> int:
        """Where its process number is told, and its exit status after it."""
        ended, to = os.pipe()
        socket.send_fds(self._requests, [msgspec.json.encode(request)], [out, errors, to])
        os.close(to)
        return ended


class ForkedProcess:
    """What `Child` uses of an `asyncio.subprocess.Process`."""

    def __init__(self, pid: int, stdout: asyncio.StreamReader, told: asyncio.StreamReader) -> None:
        self.pid = pid
        self.stdout = stdout
        self.returncode: int | None = None
        self._waiting = asyncio.create_task(self._wait(told), name=f"process {pid}")

    @classmethod
    async def of(cls, out: int, ended: int) -> ForkedProcess:
        stdout, told = await _reader(out), await _reader(ended)
        return cls(_number(await told.readline()), stdout, told)

    async def wait(self) -> int:
        return await asyncio.shield(self._waiting)

    async def _wait(self, told: asyncio.StreamReader) -> int:
        self.returncode = _number(await told.readline())
        await told.read()  # to its end, which closes it
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _number(line: bytes) -> int:
    if not line:
        raise PartDied("the nursery, which starts all parts, has ended")
    return int(line)


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(descriptor, "rb", buffering=0))
    return reader


# --- in the nursery's own process -------------------------------------------------------------------------------------


def serve(requests: socket.socket) -> Request | None:
    """In the nursery: until nobody is left to ask, None. In each child: what it is to run."""
    told: dict[int, int] = {}
    child_ended, wake = socket.socketpair()
    wake.setblocking(False)
    child_ended.setblocking(False)
    requests.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    poll = select.poll()
    for one in (requests, child_ended):
        poll.register(one, select.POLLIN)
    while True:
        poll.poll()
        with contextlib.suppress(BlockingIOError):
            child_ended.recv(4096)
        _reap(told)
        try:
            message, descriptors, _, _ = socket.recv_fds(requests, MESSAGE_BYTES, 3)
        except BlockingIOError:
            continue
        if not message:
            return None
        out, errors, to = descriptors
        pid = os.fork()
        if pid:
            told[pid] = to
            os.write(to, b"%d\n" % pid)
            os.close(out)
            os.close(errors)
            continue
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for one in (requests, child_ended, wake):
            one.close()
        for descriptor in (*told.values(), to):
            os.close(descriptor)
        os.setsid()
        die_with_parent()
        os.dup2(out, 1)
        os.dup2(errors, 2)
        os.close(out)
        os.close(errors)
        return msgspec.json.decode(message, type=Request)


def _reap(told: dict[int, int]) -> None:
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            to = told.pop(pid)
            with contextlib.suppress(BrokenPipeError):  # nobody waits for it any more
                os.write(to, b"%d\n" % os.waitstatus_to_exitcode(status))
            os.close(to)


def main(argv: Sequence[str]) -> int:
    for module in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    gc.freeze()  # what all share is not looked through, and so not copied, in each
    request = serve(socket.socket(fileno=int(argv[0])))
    if request is None:
        return 0
    os.environ.update(request.environment)
    sys.argv = [request.module, *request.words]
    status: int = importlib.import_module(request.module).main()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
