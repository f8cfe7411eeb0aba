"""One open serial port on threads of its own, so that nothing it does can block the event loop.

Rules:
* One thread owns the handle: it opens, reads and closes. pyserial's handle isn't safe to close under a reader
  (pyserial #712, #713), so closing means asking the owner and waiting for it, not longer than `CLOSE_LIMIT_S`.
* A second thread writes, one piece of data at a time, and waits for room in the kernel's buffer before it gives data to
  pyserial, which otherwise spins on a full buffer until its time-out.
* Every way in which a port can die becomes one `PortError`: an empty read after a readiness (pyserial #341), EIO from
  read, write or ioctl (#401), a socket's end, `termios.error`, which is no OSError (#417), a write that times out.
* Anything else that escapes a thread is a bug: it is handed to the loop as `PortDied`, never swallowed.
* pyserial is imported when the first port is opened.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import queue
import select
import threading
from collections.abc import Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from drivers.links.holder import holder_of
from drivers.ports import NowNs

READ_LIMIT = 4096
POLL_S = 0.2  # a socket's read can't be cancelled: it looks this often whether it should end
CLOSE_LIMIT_S = 3.0


class PortError(Exception):
    """The port can't be opened or used any more. The message says what happened and, for opening, what to do."""


class PortAbsent(PortError):
    """There is no such path."""


class PortStalled(PortError):
    """The device or its adapter takes no more data."""


class PortDied(Exception):
    """A thread of the port ended by an unexpected exception (its cause): a bug."""


class Parity(StrEnum):
    NONE = "N"
    EVEN = "E"
    ODD = "O"


class PortSettings(Struct, frozen=True):
    """Where the port is and how the line is set. `url`: a device path (best one of /dev/serial/by-id) or
    `socket://host:port`, where the line settings are those of the server."""

    url: str
    baud: int
    data_bits: int = 8
    parity: Parity = Parity.NONE
    stop_bits: int = 1
    write_timeout_s: float = 2.0

    @property
    def path(self) -> Path | None:
        """The device path, or None for a URL."""
        return None if "://" in self.url else Path(self.url)

    def for_pyserial(self) -> dict[str, object]:
        """The keyword arguments of `serial.serial_for_url`."""
        return {
            "baudrate": self.baud,
            "bytesize": self.data_bits,
            "parity": self.parity.value,
            "stopbits": self.stop_bits,
            "timeout": POLL_S,
            "write_timeout": self.write_timeout_s,
            "exclusive": True,
            "xonxoff": False,
            "rtscts": False,
            "dsrdtr": False,
        }


OnBytes = Callable[[bytes, int], None]
OnLost = Callable[[Exception], None]


class OpenPort(Protocol):
    """A port that has been opened. All calls and call-backs on the loop's thread."""

    def start(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Begin to hand over bytes, each piece with its time of arrival, and at the end, once, why the port is lost."""

    async def write(self, data: bytes) -> None:
        """Write all of `data`. `PortError` when it couldn't be; a part may have gone out."""

    async def close(self) -> bool:
        """Close; no call-back comes after it. False if the port was still not closed after `CLOSE_LIMIT_S`."""


Opener = Callable[[PortSettings, NowNs], Awaitable[OpenPort]]


async def open_serial(settings: PortSettings, now_ns: NowNs) -> OpenPort:
    """Open a real port. `PortAbsent` or `PortError` if it can't be opened."""
    port = SerialPort(settings, now_ns)
    await port.opened()
    return port


class SerialPort:
    """A port of pyserial on an owner thread and a writer thread."""

    def __init__(self, settings: PortSettings, now_ns: NowNs) -> None:
        self._settings = settings
        self._now_ns = now_ns
        self._loop = asyncio.get_running_loop()
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._started = threading.Event()
        self._stop = threading.Event()
        self._jobs: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]] | None] = queue.SimpleQueue()
        self._on_bytes: OnBytes | None = None
        self._on_lost: OnLost | None = None
        self._handle: Any = None  # pyserial has no types; only the two threads below touch it
        self._owner = threading.Thread(target=self._own, name=f"port {settings.url}", daemon=True)
        self._writer = threading.Thread(target=self._write_jobs, name=f"writer {settings.url}", daemon=True)
        self._owner.start()

    async def opened(self) -> None:
        """Wait for the opening. Cancelled, it lets the owner close what it may still open."""
        try:
            await asyncio.shield(self._opened)
        except asyncio.CancelledError:
            self._ask_to_stop()
            raise

    def start(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        self._on_bytes, self._on_lost = on_bytes, on_lost
        self._started.set()

    async def write(self, data: bytes) -> None:
        if self._closed.done():
            raise PortError(f"{self._settings.url} is closed")
        done: asyncio.Future[None] = self._loop.create_future()
        self._jobs.put((data, done))
        await done

    async def close(self) -> bool:
        self._on_bytes = self._on_lost = None
        self._ask_to_stop()
        finished, _ = await asyncio.wait([self._closed], timeout=CLOSE_LIMIT_S)
        return bool(finished)

    def _ask_to_stop(self) -> None:
        self._stop.set()
        self._started.set()
        self._jobs.put(None)

    # On the owner's thread.

    def _own(self) -> None:
        try:
            self._handle = _open_handle(self._settings)
        except PortError as error:
            self._tell(self._settle, self._opened, error)
            self._tell(self._finish)
            return
        except BaseException as error:  # noqa: BLE001 - handed to the loop, where it is raised
            self._tell(self._settle, self._opened, _died(error))
            self._tell(self._finish)
            return
        self._writer.start()
        self._tell(self._settle, self._opened, None)
        lost: Exception
        try:
            lost = self._read_until_lost()
        except BaseException as error:  # noqa: BLE001 - handed to the loop, where it is raised
            lost = _died(error)
        self._tell(self._report_lost, lost)
        self._ask_to_stop()
        self._writer.join()  # bounded: each write has a time-out
        self._close_handle()
        self._tell(self._finish)

    def _read_until_lost(self) -> Exception:
        self._started.wait()
        handle = self._handle
        while not self._stop.is_set():
            try:
                data = handle.read(1)  # returns with the first byte, whose arrival is what counts
                arrived_ns = self._now_ns()
                if data:
                    data += handle.read(min(handle.in_waiting, READ_LIMIT))
            except (OSError, _termios_error()) as error:
                return PortError(f"lost {self._settings.url}: {error}")
            if data:
                self._tell(self._hand_over, data, arrived_ns)
        return PortError("closed")

    def _close_handle(self) -> None:
        # What is still unsent would keep close() waiting for a device that takes nothing any more.
        with contextlib.suppress(OSError, _termios_error()):
            self._handle.reset_output_buffer()
        connection = getattr(self._handle, "_socket", None)
        with contextlib.suppress(OSError, _termios_error()):
            self._handle.close()
        if connection is not None:
            connection.close()  # pyserial leaves its socket open where the peer closed first

    # On the writer's thread.

    def _write_jobs(self) -> None:
        while (job := self._jobs.get()) is not None:
            data, done = job
            result: Exception | None = None
            try:
                self._write_whole(data)
            except PortError as error:
                result = error
            except (OSError, _termios_error()) as error:
                result = PortError(f"lost {self._settings.url} while writing: {error}")
            except BaseException as error:  # noqa: BLE001 - handed to the loop, where it is raised
                result = _died(error)
            self._tell(self._settle, done, result)

    def _write_whole(self, data: bytes) -> None:
        import serial

        limit_s = self._settings.write_timeout_s
        stalled = PortStalled(f"{self._settings.url} took no data for {limit_s} s; is the device stopped?")
        room = select.poll()
        room.register(self._handle.fileno(), select.POLLOUT)
        for _ in range(max(1, round(limit_s / POLL_S))):
            if self._stop.is_set():
                raise PortError(f"{self._settings.url} is being closed")
            if room.poll(POLL_S * 1000):
                break
        else:
            raise stalled
        try:
            self._handle.write(data)
        except serial.SerialTimeoutException as error:
            raise stalled from error

    # To and on the loop's thread.

    def _tell(self, call: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to be told
            self._loop.call_soon_threadsafe(call, *arguments)

    def _finish(self) -> None:
        """The handle is closed: nothing that still waits will be written."""
        with contextlib.suppress(queue.Empty):
            while True:
                if (job := self._jobs.get_nowait()) is not None:
                    self._settle(job[1], PortError(f"{self._settings.url} is closed"))
        self._settle(self._closed, None)

    def _settle(self, future: asyncio.Future[None], error: Exception | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
            future.exception()  # marked as seen: a caller that was cancelled meanwhile won't ask

    def _hand_over(self, data: bytes, arrived_ns: int) -> None:
        if self._on_bytes is not None:
            self._on_bytes(data, arrived_ns)

    def _report_lost(self, error: Exception) -> None:
        if self._on_lost is not None:
            self._on_lost(error)


def _open_handle(settings: PortSettings) -> Any:
    import serial  # here, so that a table without serial devices never loads it

    path = settings.path
    if path is not None and not path.exists():
        raise PortAbsent(f"{settings.url} is not there; is the device plugged in and switched on?")
    try:
        return serial.serial_for_url(settings.url, **settings.for_pyserial())
    except (OSError, _termios_error()) as error:
        code = error.errno if isinstance(error, OSError) else None
        if path is None:
            raise PortError(f"{settings.url} can't be reached: {error}") from error
        if code in (errno.ENOENT, errno.ENXIO, errno.ENODEV):
            raise PortAbsent(f"{settings.url} is not there; is the device plugged in and switched on?") from error
        if code in (errno.EAGAIN, errno.EBUSY):
            raise PortError(
                f"{settings.url} is in use by {holder_of(path)}; end that use, or configure another port"
            ) from error
        if code in (errno.EACCES, errno.EPERM):
            raise PortError(
                f"{settings.url} may not be opened by user {os.geteuid()}; add it to the port's group (dialout)"
            ) from error
        raise PortError(f"{settings.url} can't be opened as a serial port: {error}") from error
    except ValueError as error:
        raise PortError(f"{settings.url} doesn't take these line settings or isn't a valid URL: {error}") from error


def _termios_error() -> type[Exception]:
    import termios

    return termios.error


def _died(cause: BaseException) -> PortDied:
    died = PortDied(f"a thread of a serial port ended by {type(cause).__name__}: {cause}")
    died.__cause__ = cause
    return died
