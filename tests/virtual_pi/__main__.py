"""The virtual Pi: `python -m tests.virtual_pi build|measure|cuts|boots [--arch amd64|arm64]`. As root, on Debian.

`build` makes the kernel and the root, or takes them from the cache; `measure` runs the guest and prints a table for the
README. `cuts` logs what the data disk is given during an evening and looks at the disk as a power cut could have left
it, --number times; `boots` really cuts the power. All of them build what is missing first. Needs qemu-system-x86,
mmdebstrap, kmod, cpio, make and gcc-12 from Debian; for arm64 `dpkg --add-architecture arm64`, qemu-system-arm,
qemu-user-static (with binfmt_misc mounted), arch-test and gcc-12-aarch64-linux-gnu. What is missing is named.
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

from tests.virtual_pi import cuts, figures
from tests.virtual_pi.kernel import ARCHITECTURES, MissingError
from tests.virtual_pi.machine import GuestError

EVENING_S = 90.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.virtual_pi", description=__doc__)
    parser.add_argument("what", choices=("build", "measure", "cuts", "boots"))
    parser.add_argument("--arch", choices=ARCHITECTURES, default="amd64")
    parser.add_argument(
        "--cache", type=Path, default=Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tabled"
    )
    parser.add_argument("--number", type=int, default=100, help="power cuts")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("virtual Pi: building a root file system needs root", file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="virtual-pi-") as folder:
            began = time.monotonic()
            rig = figures.Rig(ARCHITECTURES[options.arch], options.cache, Path(folder))
            print(f"built or found in {time.monotonic() - began:.0f} s: kernel {rig.kernel.version}", flush=True)
            if options.what != "build":
                print(f"| on the virtual Pi ({options.arch}, emulated on {machine_words()}) | |", flush=True)
                print("| --- | --- |", flush=True)
            match options.what:
                case "measure":
                    asyncio.run(figures.measure(rig, tell))
                case "cuts":
                    asyncio.run(cuts.states(rig, options.number, EVENING_S, tell))
                case "boots":
                    asyncio.run(cuts.boots(rig, options.number, tell))
    except (MissingError, GuestError, cuts.Lost) as error:
        print(f"virtual Pi: {error}", file=sys.stderr)
        return 1
    return 0


def tell(what: str, how_much: str) -> None:
    """A row for the README."""
    print(f"| {what} | {how_much} |", flush=True)


def machine_words() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, load {os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    sys.exit(main())
