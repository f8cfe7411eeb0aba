"""A kernel input device (`/dev/input/...`) as an open port that is only read; records of 24 bytes, as they come.

Rules:
* The device is taken exclusively (EVIOCGRAB): what a scanner types must not reach a console. A device that can't be
  taken is an error; it is never read beside somebody else.
* Its records are stamped by CLOCK_MONOTONIC (EVIOCSCLOCKID); the kernel's default is the wall clock.
* The descriptor is read on the loop: neither opening nor reading an input device waits for hardware.
* A FIFO takes the place of a device on the bench and knows neither request; it is opened as one only when it is meant.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import stat
import struct
from collections.abc import Callable

from drivers.links.port import OnBytes, OnLost, OpenPort, PortAbsent, PortError, PortSettings
from drivers.ports import NowNs

EVIOCGRAB = 0x40044590  # _IOW('E', 0x90, int): the argument itself says whether
EVIOCSCLOCKID = 0x400445A0  # _IOW('E', 0xa0, int): the argument points to the clock's number
CLOCK_MONOTONIC = 1
READ_LIMIT = 24 * 64
GONE = (errno.ENOENT, errno.ENODEV, errno.ENXIO)


async def open_event_file(settings: PortSettings, now_ns: NowNs) -> OpenPort:
    """Open an input device exclusively. `PortAbsent` or `PortError` if it can't be."""
    return EventPort(_open(settings.url, _take), settings.url, now_ns)


async def open_event_fifo(settings: PortSettings, now_ns: NowNs) -> OpenPort:
    """Open a simulated device's FIFO. `PortAbsent` or `PortError` if it can't be."""
    return EventPort(_open(settings.url, _must_be_fifo), settings.url, now_ns)


class EventPort:
    """An open input device."""

    def __init__(self, descriptor: int, url: str, now_ns: NowNs) -> None:
        self._descriptor = descriptor
        self._url = url
        self._now_ns = now_ns
        self._loop = asyncio.get_running_loop()
        self._reading = False

    def start(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        def read() -> None:
            try:
                data = os.read(self._descriptor, READ_LIMIT)
            except BlockingIOError:
                return
            except OSError as error:
                self._stop()
                on_lost(PortError(f"{self._url} was lost: {error.strerror}"))
                return
            if data:
                on_bytes(data, self._now_ns())
            else:  # a FIFO whose writer has gone; a device never ends so
                self._stop()
                on_lost(PortError(f"{self._url} was lost: its end was reached"))

        self._loop.add_reader(self._descriptor, read)
        self._reading = True

    async def write(self, data: bytes) -> None:
        raise PortError(f"{self._url} is only read")

    async def close(self) -> bool:
        self._stop()
        os.close(self._descriptor)  # gives the device back to whoever else listens
        return True

    def _stop(self) -> None:
        if self._reading:
            self._loop.remove_reader(self._descriptor)
            self._reading = False


def _open(url: str, claim: Callable[[int, str], None]) -> int:
    try:
        descriptor = os.open(url, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in GONE:
            raise PortAbsent(f"{url} is not there; is it plugged in?") from error
        if error.errno in (errno.EACCES, errno.EPERM):
            raise PortError(f"{url} may not be opened by user {os.geteuid()}; add it to the group input") from error
        raise PortError(f"{url} can't be opened as an input device: {error.strerror}") from error
    try:
        claim(descriptor, url)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _take(descriptor: int, url: str) -> None:
    try:
        fcntl.ioctl(descriptor, EVIOCSCLOCKID, struct.pack("i", CLOCK_MONOTONIC))
        fcntl.ioctl(descriptor, EVIOCGRAB, 1)
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise PortError(f"{url} is taken by another program; end it, or configure another device") from error
        if error.errno in GONE:
            raise PortAbsent(f"{url} is not there; is it plugged in?") from error
        raise PortError(f"{url} is no input device ({error.strerror}); name its file under /dev/input/by-id") from error


def _must_be_fifo(descriptor: int, url: str) -> None:
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        raise PortError(f"{url} is no FIFO; a simulated device makes one, a real one needs the kind without _simulated")
