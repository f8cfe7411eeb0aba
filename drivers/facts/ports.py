"""The table's serial ports on the header: which UART is behind each, and whether a console sits on it.

The mini-UART (ttyS0 on a Pi 3 or 4) has no parity and takes its rate from the core clock. A console on a port writes
into the device's line and reads from it: the kernel's (`console=`) or a login (serial-getty).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from drivers.facts.clocks import boot_file
from drivers.facts.fact import Fact, Needs, Verdict
from drivers.facts.files import text_of

GETTYS = (
    "etc/systemd/system/getty.target.wants",
    "run/systemd/generator/getty.target.wants",
    "run/systemd/system/getty.target.wants",
)


def consoles(cmdline: str) -> tuple[str, ...]:
    """Names of the ttys that a kernel command line puts a console on: "serial0", "ttyAMA0"."""
    return tuple(re.findall(r"(?:^|\s)console=([A-Za-z]+[0-9]+)", cmdline))


def read(root: Path, needs: Needs) -> tuple[Fact, ...]:
    """Two facts for each port that is a UART of the header; USB adapters have neither trouble."""
    return tuple(fact for port in needs.ports for fact in _port(root, port))


def _port(root: Path, port: str) -> tuple[Fact, ...]:
    tty = tty_of(root, port)
    if tty is None:
        return (Fact(f"UART of {port}", "not there, or its link can't be read", Verdict.NOT_KNOWN, "a full UART"),)
    if not re.fullmatch(r"tty(AMA|S)\d+", tty):
        return ()
    return _uart(port, tty), _console(root, port, tty)


def tty_of(root: Path, port: str) -> str | None:
    """The tty's own name behind a path under /dev, links followed inside `root`; None where it is not there."""
    at = Path(port)
    for _ in range(8):
        file = root / str(at).lstrip("/")
        try:
            target = file.readlink()
        except OSError:
            return at.name if file.exists() else None
        at = Path(os.path.normpath(at.parent / target))
    return None


def _uart(port: str, tty: str) -> Fact:
    name, limits = f"UART of {port}", "a full UART"
    if tty.startswith("ttyS"):
        remedy = "Write dtoverlay=disable-bt into config.txt so that serial0 is the full UART, or use a USB adapter."
        return Fact(
            name, f"{tty}, the mini-UART: no parity, its rate moves with the core clock", Verdict.BAD, limits, remedy
        )
    return Fact(name, tty, Verdict.GOOD, limits)


def _console(root: Path, port: str, tty: str) -> Fact:
    name, limits = f"console on {port}", "none"
    running = text_of(root / "proc/cmdline")
    asked = boot_file(root, "cmdline.txt")
    gettys = _gettys(root)
    if not running and not asked:
        return Fact(name, "no kernel command line can be read", Verdict.NOT_KNOWN, limits)

    def same(console: str) -> bool:
        return console == tty or tty_of(root, f"/dev/{console}") == tty

    on = [f"console={c} ({where})" for text, where in ((running, "running"), (asked, "cmdline.txt"))
          for c in consoles(text) if same(c)]  # fmt: skip
    on += [f"serial-getty@{c}" for c in gettys if same(c)]
    remedy = "raspi-config, Interface Options, Serial Port: no login shell, hardware enabled; then start the Pi again."
    return Fact(name, ", ".join(on) or "none", Verdict.BAD if on else Verdict.GOOD, limits, remedy)


def _gettys(root: Path) -> tuple[str, ...]:
    found: list[str] = []
    for folder in GETTYS:
        found += [
            f.name[len("serial-getty@") : -len(".service")] for f in (root / folder).glob("serial-getty@*.service")
        ]
    return tuple(dict.fromkeys(found))
