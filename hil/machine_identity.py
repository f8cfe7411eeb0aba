"""Which computer this is: model, serial, processor, memory card, system. For records of measurements.

Rules: read from the kernel's own files below `root`; what it does not tell is empty, never guessed.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path

from msgspec import Struct


class Card(Struct, frozen=True):
    """One memory card or eMMC as it names itself."""

    device: str
    name: str
    manufacturer: str
    serial: str
    made: str


class Machine(Struct, frozen=True):
    """`model`, `serial`: of the board, where the kernel has them. `load`: of the last minute."""

    model: str
    serial: str
    processor: str
    cores: int
    architecture: str
    kernel: str
    system: str
    python: str
    cards: tuple[Card, ...]
    load: float

    @property
    def told(self) -> str:
        """In one line."""
        what = self.model or f"{self.architecture}, {self.processor or 'unknown processor'}"
        return f"{what}; {self.cores} cores; {self.kernel}; {self.system}; Python {self.python}; load {self.load:.1f}"


def read(root: Path = Path("/")) -> Machine:
    """This computer, or the one whose files lie below `root`."""
    tree = root / "proc/device-tree"
    cpu = _cpuinfo(root)
    return Machine(
        model=_text(tree / "model") or cpu.get("Model", ""),
        serial=_text(tree / "serial-number") or cpu.get("Serial", ""),
        processor=cpu.get("model name", ""),
        cores=os.cpu_count() or 1,
        architecture=platform.machine(),
        kernel=f"{platform.system()} {platform.release()}",
        system=_release(root),
        python=platform.python_version(),
        cards=tuple(_card(folder) for folder in sorted((root / "sys/class/mmc_host").glob("*/mmc*:*"))),
        load=round(os.getloadavg()[0], 2),
    )


def _card(folder: Path) -> Card:
    """A card's own register, as the kernel has read it."""
    return Card(folder.name, *(_text(folder / name) for name in ("name", "manfid", "serial", "date")))


def _cpuinfo(root: Path) -> dict[str, str]:
    """The first value of each name."""
    found: dict[str, str] = {}
    for line in _text(root / "proc/cpuinfo").splitlines():
        name, colon, value = line.partition(":")
        if colon:
            found.setdefault(name.strip(), value.strip())
    return found


def _release(root: Path) -> str:
    for line in _text(root / "etc/os-release").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return ""


def _text(file: Path) -> str:
    """A file's text without the zero byte that a device tree ends with; empty where there is none."""
    try:
        return file.read_text("utf-8", errors="replace").strip("\0\n ")
    except OSError:
        return ""
