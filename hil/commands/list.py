"""`hil list`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hil.commands import attached

if TYPE_CHECKING:
    from hil.commands import Commands
    from hil.listing import Everything


def register(commands: Commands) -> None:
    parser = commands.add_parser("list", help="devices configured and found, and what else is plugged in")
    attached.add_options(parser)
    parser.add_argument("--config", type=Path, metavar="FILE", help="a table's file, where no daemon runs")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    from hil import daemon, lease, listing

    try:
        whole = _everything(arguments)
    except (daemon.NoDaemon, lease.NoLease) as error:
        print(f"hil list: {error}", file=sys.stderr)
        return 2
    if arguments.json:
        import msgspec

        print(msgspec.json.encode(whole).decode())
    else:
        print("\n".join(listing.lines(whole)))
    return 1 if any(device.code for device in whole.devices) else 0


def _everything(arguments: argparse.Namespace) -> Everything:
    import asyncio

    from hil import daemon, found, lease, listing

    ports, chips = found.serial_ports(), found.gpio_chips()
    if arguments.config is not None:
        settings = lease.table(arguments.config).settings
        return listing.of_settings(settings, arguments.run_dir or arguments.config.parent, ports, chips)
    status = daemon.decode(asyncio.run(daemon.status_line(attached.socket_of(arguments))))
    return listing.of_daemon(status, ports, chips)
