"""`hil lend`: devices out of the daemon's hands, for a tool that is not ours (a terminal program, a vendor's)."""

from __future__ import annotations

import argparse
import asyncio
import signal
from typing import TYPE_CHECKING

from hil.commands import leased

if TYPE_CHECKING:
    from hil.commands import Commands
    from hil.lease import Access


def register(commands: Commands) -> None:
    parser = commands.add_parser("lend", help="have the daemon let go of devices until Ctrl-C, for another tool")
    parser.add_argument("device", nargs="+", help="names of the configuration, such as shoe")
    leased.add_options(parser, direct=False)
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    async def work(access: Access) -> int:
        from hil import lease

        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        async with lease.lent(access, arguments.device) as given:
            print(f"lease {given.lease}: {', '.join(arguments.device)} free for {access.limit_s} s; Ctrl-C gives back")
            await stop.wait()
        print("given back")
        return 0

    return leased.run(arguments, work)
