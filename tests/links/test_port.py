"""Real ports: ptys, sockets, locks. What pyserial and the kernel do when things are pulled, held or stopped."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serial
from serial.urlhandler import protocol_socket

from drivers.links.port import Parity, PortAbsent, PortDied, PortError, PortSettings, PortStalled, open_serial


class Pty:
    """Both ends of a raw pty."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.master)
        tty.setraw(self.slave)
        self.name = os.ttyname(self.slave)
        self.open = True

    def pull(self) -> None:
        if self.open:
            os.close(self.master)
            os.close(self.slave)
        self.open = False


@pytest.fixture
def pty() -> Iterator[Pty]:
    made = Pty()
    yield made
    made.pull()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (PortSettings("x", 4800), (4800, serial.EIGHTBITS, serial.PARITY_NONE, serial.STOPBITS_ONE)),
        (
            PortSettings("x", 9600, data_bits=7, parity=Parity.EVEN),
            (9600, serial.SEVENBITS, serial.PARITY_EVEN, serial.STOPBITS_ONE),
        ),
    ],
)
def test_line_settings_reach_pyserial(settings: PortSettings, expected: tuple[int, int, str, int]) -> None:
    port = serial.serial_for_url("loop://", **(settings.for_pyserial() | {"exclusive": None}))
    assert (port.baudrate, port.bytesize, port.parity, port.stopbits) == expected
    assert (port.xonxoff, port.rtscts, port.dsrdtr) == (False, False, False)
    assert settings.for_pyserial()["exclusive"] is True
    port.close()


@pytest.mark.parametrize(
    ("settings", "speed"),
    [(PortSettings("", 4800), termios.B4800), (PortSettings("", 9600, 7, Parity.EVEN), termios.B9600)],
)
def test_baud_rate_reaches_the_kernel(pty: Pty, settings: PortSettings, speed: int) -> None:
    port = serial.serial_for_url(pty.name, **settings.for_pyserial())
    assert termios.tcgetattr(pty.slave)[4:6] == [speed, speed]
    port.close()


def test_bytes_both_ways_stamped_on_arrival(pty: Pty) -> None:
    async def main() -> None:
        port = await open_serial(PortSettings(pty.name, 4800), time.monotonic_ns)
        got: asyncio.Queue[tuple[bytes, int]] = asyncio.Queue()
        port.start(lambda data, at_ns: got.put_nowait((data, at_ns)), lambda error: None)
        before_ns = time.monotonic_ns()
        os.write(pty.master, b"\x05abc")
        data, at_ns = await got.get()
        while len(data) < 4:
            data += (await got.get())[0]
        assert data == b"\x05abc"
        assert before_ns <= at_ns <= time.monotonic_ns()
        await port.write(b"hello")
        assert os.read(pty.master, 100) == b"hello"
        assert await port.close()

    asyncio.run(main())


def test_pulling_the_plug_is_told_once_and_writing_after_it_fails(pty: Pty) -> None:
    async def main() -> None:
        port = await open_serial(PortSettings(pty.name, 4800), time.monotonic_ns)
        lost: asyncio.Queue[Exception] = asyncio.Queue()
        port.start(lambda data, at_ns: None, lost.put_nowait)
        pty.pull()
        error = await lost.get()
        assert isinstance(error, PortError)
        assert pty.name in str(error)
        with pytest.raises(PortError):
            await port.write(b"x")
        assert await port.close()
        assert lost.empty()

    asyncio.run(main())


def test_what_is_not_there_not_a_port_or_not_a_setting(tmp_path: Path, pty: Pty) -> None:
    plain = tmp_path / "file"
    plain.write_text("")
    dangling = tmp_path / "shoe"
    dangling.symlink_to(tmp_path / "nothing")

    async def attempt(settings: PortSettings) -> str:
        with pytest.raises(PortError) as raised:
            await open_serial(settings, time.monotonic_ns)
        return f"{type(raised.value).__name__}: {raised.value}"

    async def main() -> None:
        assert "PortAbsent" in await attempt(PortSettings(str(tmp_path / "nothing"), 4800))
        assert "PortAbsent" in await attempt(PortSettings(str(dangling), 4800))
        assert "can't be opened as a serial port" in await attempt(PortSettings(str(plain), 4800))
        assert "can't be reached" in await attempt(PortSettings("socket://127.0.0.1:1", 4800))
        assert "isn't a valid URL" in await attempt(PortSettings("carrier-pigeon://x", 4800))
        assert "line settings" in await attempt(PortSettings(pty.name, -5))

    asyncio.run(main())


def test_a_port_in_use_names_its_holder(pty: Pty) -> None:
    code = "import serial,sys;p=serial.Serial(sys.argv[1],exclusive=True);print('held',flush=True);sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, pty.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"

        async def main() -> None:
            with pytest.raises(PortError) as raised:
                await open_serial(PortSettings(pty.name, 4800), time.monotonic_ns)
            text = str(raised.value)
            assert "is in use by" in text
            assert not isinstance(raised.value, PortAbsent)
            assert f"process {holder.pid} (" in text or "another process" in text
            assert holder.stdin is not None
            holder.stdin.close()
            holder.wait()
            port = await open_serial(PortSettings(pty.name, 4800), time.monotonic_ns)
            with pytest.raises(PortError, match=r"is in use by (this|another) process"):
                await open_serial(PortSettings(pty.name, 4800), time.monotonic_ns)
            assert await port.close()

        asyncio.run(main())


def test_a_device_that_takes_nothing_times_out_without_burning_the_processor(pty: Pty) -> None:
    async def main() -> None:
        port = await open_serial(PortSettings(pty.name, 9600, write_timeout_s=0.6), time.monotonic_ns)
        port.start(lambda data, at_ns: None, lambda error: None)
        os.set_blocking(pty.slave, False)
        with pytest.raises(BlockingIOError):  # full to the last byte: there pyserial alone would spin
            while True:
                os.write(pty.slave, b"x")
        used_s = time.process_time()
        with pytest.raises(PortStalled, match="took no data"):
            await port.write(b"x")
        used_s = time.process_time() - used_s
        assert used_s < 0.1, f"{used_s} s of processor time for a wait of 0.6 s"
        waiting = asyncio.ensure_future(port.write(b"y"))
        assert await port.close()
        with pytest.raises(PortError):
            await waiting
        with pytest.raises(PortError, match="is closed"):
            async with asyncio.timeout(5):
                await port.write(b"z")

    asyncio.run(main())


def test_nothing_of_a_port_runs_on_the_loops_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyserial's socket:// waits for the peer when opening and writing, and sleeps 0.3 s in close()."""
    threads: dict[str, set[int]] = {"open": set(), "read": set(), "write": set(), "close": set()}
    ours: list[object] = []  # a port that another test forgot may be closed by the collector, on any thread
    for name, seen in threads.items():
        original = getattr(protocol_socket.Serial, name)

        def recorded(
            port: object, *arguments: object, original: Callable[..., object] = original, seen: set[int] = seen
        ) -> object:
            if seen is threads["open"]:
                ours.append(port)
            if any(port is one for one in ours):
                seen.add(threading.get_ident())
            return original(port, *arguments)

        monkeypatch.setattr(protocol_socket.Serial, name, recorded)
    server = socket.create_server(("127.0.0.1", 0))

    async def main() -> None:
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        port = await open_serial(PortSettings(url, 4800, write_timeout_s=0.5), time.monotonic_ns)
        peer, _ = server.accept()
        got: asyncio.Queue[bytes] = asyncio.Queue()
        lost: asyncio.Queue[Exception] = asyncio.Queue()
        port.start(lambda data, at_ns: got.put_nowait(data), lost.put_nowait)
        peer.sendall(b"\x05abc")
        data = b""
        while len(data) < 4:
            data += await got.get()
        assert data == b"\x05abc"
        with pytest.raises(PortStalled):
            for _ in range(1000):
                await port.write(b"x" * 65536)
        peer.close()
        assert isinstance(await lost.get(), PortError)
        assert await port.close()

    asyncio.run(main())
    server.close()
    assert all(threads.values()), threads
    assert all(threading.get_ident() not in seen for seen in threads.values())
    assert threads["open"] == threads["read"] == threads["close"], "one thread owns the handle"


def test_a_close_that_hangs_is_told_and_holds_nobody_up(pty: Pty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drivers.links.port.CLOSE_LIMIT_S", 0.05)
    release = threading.Event()
    original = serial.Serial.close

    def hanging(port: serial.Serial) -> None:
        if port.is_open:  # not those of other tests that the garbage collector closes meanwhile
            assert release.wait(10)
        original(port)

    monkeypatch.setattr(serial.Serial, "close", hanging)

    async def main() -> None:
        port = await open_serial(PortSettings(pty.name, 4800), time.monotonic_ns)
        port.start(lambda data, at_ns: None, lambda error: None)
        assert not await port.close()
        release.set()

    asyncio.run(main())


def test_an_opening_that_is_given_up_is_closed_again(pty: Pty, monkeypatch: pytest.MonkeyPatch) -> None:
    opening, go_on, closed = threading.Event(), threading.Event(), threading.Event()
    original_open, original_close = serial.Serial.open, serial.Serial.close

    def slow_open(port: serial.Serial) -> None:
        opening.set()
        assert go_on.wait(10)
        original_open(port)

    def noted_close(port: serial.Serial) -> None:
        was_open = port.is_open
        original_close(port)
        if was_open:
            closed.set()

    monkeypatch.setattr(serial.Serial, "open", slow_open)
    monkeypatch.setattr(serial.Serial, "close", noted_close)

    async def main() -> None:
        attempt = asyncio.ensure_future(open_serial(PortSettings(pty.name, 4800), time.monotonic_ns))
        await asyncio.get_running_loop().run_in_executor(None, opening.wait)
        attempt.cancel()
        with pytest.raises(asyncio.CancelledError):
            await attempt
        go_on.set()
        assert await asyncio.get_running_loop().run_in_executor(None, closed.wait, 10)

    asyncio.run(main())


def test_a_bug_in_the_reader_thread_is_handed_to_the_loop(pty: Pty) -> None:
    def broken_clock() -> int:
        raise ZeroDivisionError("bug")

    async def main() -> None:
        port = await open_serial(PortSettings(pty.name, 4800), broken_clock)
        lost: asyncio.Queue[Exception] = asyncio.Queue()
        port.start(lambda data, at_ns: None, lost.put_nowait)
        os.write(pty.master, b"x")
        error = await lost.get()
        assert isinstance(error, PortDied)
        assert isinstance(error.__cause__, ZeroDivisionError)
        assert await port.close()

    asyncio.run(main())


def test_importing_the_drivers_does_not_load_pyserial() -> None:
    code = (
        "import sys, drivers.devices.angeleye_shoe, drivers.devices.alpha_board, drivers.devices.char_display;"
        "sys.exit('serial' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
