"""What is plugged into this machine: serial ports with their lasting names, and gpiochips.

Rules: read from `root` (a test gives a folder). What a name is linked to is told, since only /dev/serial/by-id and
by-path name the same adapter tomorrow.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from drivers.facts.files import text_of
from drivers.facts.ports import tty_of

USB_AND_HEADER = ("ttyUSB*", "ttyACM*", "ttyAMA*", "ttyS*")
CHIP_INFO = 0x8044B401
"""GPIO_GET_CHIPINFO_IOCTL of linux/gpio.h: name[32], label[32], number of lines."""


class SerialPort(Struct, frozen=True):
    """`tty`: its number of today; `by_id`, `by_path`, `others`: names under /dev that lead to it."""

    tty: str
    by_id: tuple[str, ...]
    by_path: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return (f"/dev/{self.tty}", *self.by_id, *self.by_path, *self.others)


class GpioChip(Struct, frozen=True):
    """`label`: as the kernel's driver names it ("pinctrl-rp1"); empty where this user may not ask."""

    path: str
    label: str
    lines: int


def serial_ports(root: Path = Path("/")) -> tuple[SerialPort, ...]:
    """Every serial port that is really there; the four ttyS that a PC's kernel makes without hardware are not."""
    ttys = sorted(
        file.name for pattern in USB_AND_HEADER for file in (root / "dev").glob(pattern) if _real(root, file.name)
    )
    return tuple(
        SerialPort(
            tty,
            tuple(_leading_to(root, "dev/serial/by-id", tty)),
            tuple(_leading_to(root, "dev/serial/by-path", tty)),
            tuple(_leading_to(root, "dev", tty)),
        )
        for tty in ttys
    )


def _real(root: Path, tty: str) -> bool:
    return not tty.startswith("ttyS") or text_of(root / "sys/class/tty" / tty / "type") not in ("", "0")


def _leading_to(root: Path, folder: str, tty: str) -> Iterator[str]:
    for file in sorted((root / folder).glob("*")):
        if file.is_symlink() and tty_of(root, f"/{folder}/{file.name}") == tty:
            yield f"/{folder}/{file.name}"


def gpio_chips(root: Path = Path("/")) -> tuple[GpioChip, ...]:
    return tuple(_chip(file, f"/dev/{file.name}") for file in sorted((root / "dev").glob("gpiochip*")))


def _chip(file: Path, path: str) -> GpioChip:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return GpioChip(path, "", 0)
    try:
        answer = fcntl.ioctl(descriptor, CHIP_INFO, bytes(68))
    except OSError:
        return GpioChip(path, "", 0)
    finally:
        os.close(descriptor)
    _, label, count = struct.unpack("32s32sI", answer)
    return GpioChip(path, label.split(b"\0")[0].decode("utf-8", "replace"), count)
