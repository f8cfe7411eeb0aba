"""Options of a command that needs the hardware: whose lease, or which table without a daemon. See `hil/lease.py`."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING

from hil.commands import attached

if TYPE_CHECKING:
    from hil.lease import Access

NOT_HAD = 2
"""Exit status where the devices could not be had."""


def add_options(parser: argparse.ArgumentParser, *, direct: bool = True) -> None:
    """--socket, --run-dir, --who, --why, --confirm, --limit; --config where the command may open devices itself."""
    attached.add_options(parser)
    if direct:
        parser.add_argument("--config", type=Path, metavar="FILE", help="open directly, where no daemon runs")
    else:
        parser.set_defaults(config=None)
    parser.add_argument("--who", default="", help="your name, for the journal")
    parser.add_argument("--why", default="", help="what it is for, for the journal")
    parser.add_argument("--confirm", default="", metavar="TABLE", help="the table's name, else it is asked for")
    parser.add_argument("--limit", type=int, default=900, metavar="S", help="the daemon takes the devices back then")


def access_of(arguments: argparse.Namespace) -> Access:
    """What `hil.lease.devices` needs, with the table's name asked for where it was not given."""
    from hil import daemon, lease

    socket = attached.socket_of(arguments)
    access = lease.Access(
        socket, arguments.config, arguments.run_dir, arguments.who, arguments.why, arguments.confirm, arguments.limit
    )
    if access.config is not None or access.confirm:
        return access
    status = daemon.decode(asyncio.run(daemon.status_line(socket)))
    return lease.confirmed(access, status.table)


def run(arguments: argparse.Namespace, work: Callable[[Access], Coroutine[None, None, int]]) -> int:
    """Run `work` with the access that the options give; what can't be had is said, with status 2."""
    from hil import daemon, lease

    try:
        return asyncio.run(work(access_of(arguments)))
    except (daemon.NoDaemon, lease.NoLease) as error:
        print(f"hil {arguments.name}: {error}", file=sys.stderr)
        return NOT_HAD
    except lease.LeaseOver as error:
        print(f"hil {arguments.name}: {error}; what was under way is not done", file=sys.stderr)
        return 1
