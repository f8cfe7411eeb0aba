"""`hil check`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from hil.commands import attached, leased

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hil.commands import Commands
    from hil.lease import Access
    from hil.measure import Measurement

EPILOG = """\
without an option: at the running daemon, read-only
--open             the daemon lends the devices (table closed), and each is opened and measured by itself
--config FILE      the same where no daemon runs
--facts            the computer in the table alone; --rig: the contract suite on jumpered pins (hil/RIG.md)
exit status: 0 all passed (what can't be known here is told and counted apart), 1 something did not, 2 not possible"""


def register(commands: Commands) -> None:
    parser = commands.add_parser(
        "check",
        help="measure the devices and the machine, judged by limits",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("device", nargs="?", help="this device alone; without it all, and the machine")
    leased.add_options(parser)
    parser.add_argument("--open", action="store_true", help="lease the devices and open them here")
    parser.add_argument("--facts", action="store_true", help="the machine alone")
    parser.add_argument(
        "--rig",
        nargs="?",
        const="header",
        metavar="CHIP",
        help="the contract suite on jumpered pins: of the header, of a gpiochip by number, or `simulated`",
    )
    parser.add_argument("--over", type=float, default=2.0, metavar="S", help="how long a running daemon is watched")
    parser.add_argument("--accept", action="append", default=[], metavar="CODE", help="this code does not fail it")
    parser.add_argument("--json", action="store_true", help="measurements as JSON")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.rig:
        return _rig(arguments)
    if arguments.facts:
        return _facts(arguments)
    if arguments.open or arguments.config is not None:
        return leased.run(arguments, lambda access: _opened(access, arguments))
    return _attached(arguments)


def _rig(arguments: argparse.Namespace) -> int:
    from hil.check import rig

    if arguments.rig not in ("header", "simulated") and not arguments.rig.isdecimal():
        print(f"hil check: --rig {arguments.rig!r}; expected header, simulated or a gpiochip's number", file=sys.stderr)
        return 2
    try:
        return _told(rig.measured(arguments.rig), arguments)
    except rig.NoRig as error:
        print(f"hil check: {error}", file=sys.stderr)
        return 2


def _facts(arguments: argparse.Namespace) -> int:
    from pathlib import PurePosixPath

    from drivers.facts.fact import Needs
    from firmware.app.hardware import needs_of
    from hil import lease
    from hil.check import facts

    needs = Needs(PurePosixPath("/"))
    if arguments.config is not None:
        try:
            settings = lease.table(arguments.config).settings
        except lease.NoLease as error:
            print(f"hil check: {error}", file=sys.stderr)
            return 2
        needs = needs_of(settings, arguments.run_dir or arguments.config.parent)
    return _told(list(facts.measured(facts.read_here(needs))), arguments)


async def _opened(access: Access, arguments: argparse.Namespace) -> int:
    from firmware.app.hardware import needs_of
    from hil import lease
    from hil.check import facts
    from hil.check.opened import Opened

    async with lease.devices(access, [arguments.device] if arguments.device else []) as held:
        print(f"devices: {held.how}", file=sys.stderr)
        check = Opened(held)
        found = await check.all()
        if not arguments.device and held.settings.table.profile != "simulated":
            found += facts.measured(facts.read_here(needs_of(held.settings, held.run_dir)))
        status = _told(found, arguments)
        if check.left:
            print(f"hil check: could not be closed: {', '.join(check.left)}", file=sys.stderr)
            sys.stdout.flush()
            os._exit(1)  # a thread hangs in the kernel; a usual exit would wait for it for ever
    return status


def _attached(arguments: argparse.Namespace) -> int:
    import asyncio

    from firmware.app.status import TableStatus
    from hil import daemon
    from hil.check import attached as at_daemon
    from hil.check import facts

    socket = attached.socket_of(arguments)

    async def look() -> tuple[TableStatus, TableStatus]:
        before = daemon.decode(await daemon.status_line(socket))
        await asyncio.sleep(arguments.over)
        return before, daemon.decode(await daemon.status_line(socket))

    try:
        before, after = asyncio.run(look())
    except daemon.NoDaemon as error:
        print(f"hil check: {error}. Where none runs: --config FILE", file=sys.stderr)
        return 2
    names = [device.name for device in after.devices]
    if arguments.device not in (None, *names):
        print(f"hil check: no device {arguments.device!r}; the table has {', '.join(names)}", file=sys.stderr)
        return 2
    found = list(at_daemon.measured(before, after, arguments.over, arguments.device))
    if not arguments.device and after.profile != "simulated":  # a bench's computer is not the table's
        found += facts.measured(after.hardware)
    return _told(found, arguments)


def _told(found: Sequence[Measurement], arguments: argparse.Namespace) -> int:
    """Print the measurements; the exit status."""
    from hil import measure

    accepted = frozenset(code.upper() for code in arguments.accept)
    bad = measure.failed(found, accepted)
    if arguments.json:
        import msgspec

        whole = {"passed": not bad, "accepted": sorted(accepted), "measurements": found}
        print(msgspec.json.encode(whole).decode(), flush=True)
    else:
        print("\n".join(measure.lines(found, accepted)), flush=True)
    return 1 if bad else 0
