"""The virtual Pi: `python -m tests.virtual_pi COMMAND [--arch amd64|arm64]`. As root, on Debian.

    build          the kernel and the root, or takes them from the cache; the others build what is missing first
    measure        runs the guest and prints a table for the README
    contract       the contract suite of line inputs in the guest, on its gpiochip
    cuts           logs what the data disk is given during an evening and looks at the disk as a power cut could have
                   left it, --number times; then the controls, which must lose something
    boots          really cuts the power, --number times
    dependencies   installs every package that a table can need, on a fresh system of that architecture

Needs qemu-system-x86, mmdebstrap, kmod, cpio, make and gcc-12 from Debian; for arm64 `dpkg --add-architecture arm64`,
qemu-system-arm, qemu-user-static (with binfmt_misc mounted), arch-test and gcc-12-aarch64-linux-gnu. What is missing is
named. Mounts are made in a name space of this process: they are gone with it, however it ends.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

from hil.dealer_screen import Stuck
from tests.virtual_pi import contract, cuts, figures, system
from tests.virtual_pi.kernel import ARCHITECTURES, MissingError
from tests.virtual_pi.machine import GuestError

EVENING_S = 90.0
COMMANDS = ("build", "measure", "contract", "cuts", "boots", "dependencies")
APART = "TABLED_VIRTUAL_PI_APART"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.virtual_pi", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=COMMANDS)
    parser.add_argument("--arch", choices=ARCHITECTURES, default="amd64")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tabled",
        help="folder for what is built once, about 2 GB an architecture; %(default)s if not given",
    )
    parser.add_argument("--number", type=int, default=100, help="power cuts; 100 if not given")
    options = parser.parse_args()
    if options.number < 1:
        parser.error(f"--number wants a number from 1, got {options.number}")
    if os.geteuid() != 0:
        print("virtual Pi: building a root file system needs root", file=sys.stderr)
        return 2
    if APART not in os.environ:
        again = [sys.executable, "-m", "tests.virtual_pi", *sys.argv[1:]]
        os.environ[APART] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", *again])
    try:
        with tempfile.TemporaryDirectory(prefix="virtual-pi-") as folder:
            run(options, Path(folder))
    except (MissingError, GuestError, Stuck, cuts.Lost) as error:
        print(f"virtual Pi: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("virtual Pi: stopped; what was told above is what was done", file=sys.stderr)
        return 130
    return 0


def run(options: argparse.Namespace, folder: Path) -> None:
    began = time.monotonic()
    architecture = ARCHITECTURES[options.arch]
    if options.what == "dependencies":
        options.cache.mkdir(parents=True, exist_ok=True)
        system.dependencies(architecture, options.cache, tell)
        return
    rig = figures.Rig(architecture, options.cache, folder)
    print(f"built or found in {time.monotonic() - began:.0f} s: kernel {rig.kernel.version}", flush=True)
    if options.what == "build":
        return
    print(f"| on the virtual Pi ({options.arch}, emulated on {machine_words()}) | |", flush=True)
    print("| --- | --- |", flush=True)
    match options.what:
        case "measure":
            asyncio.run(figures.measure(rig, tell))
        case "contract":
            asyncio.run(contract.contract(rig, tell))
        case "cuts":
            asyncio.run(cuts.states(rig, options.number, EVENING_S, tell))
        case "boots":
            asyncio.run(cuts.boots(rig, options.number, tell))


def tell(what: str, how_much: str) -> None:
    """A row for the README."""
    print(f"| {what} | {how_much} |", flush=True)


def machine_words() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, load {os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    sys.exit(main())
