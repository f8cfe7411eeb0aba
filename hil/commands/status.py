"""`hil status`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hil.commands import attached

if TYPE_CHECKING:
    from hil.commands import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("status", help="how a running table is, and what is wrong with it")
    attached.add_options(parser)
    parser.add_argument("--json", action="store_true", help="the daemon's own line")
    parser.add_argument("--packages", action="store_true", help="also the version of every installed package")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    from hil import status

    return status.run(attached.socket_of(arguments), arguments.json, arguments.packages)
