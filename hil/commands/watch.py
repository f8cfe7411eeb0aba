"""`hil watch`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hil.commands import attached

if TYPE_CHECKING:
    from hil.commands import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("watch", help="a running table, live")
    attached.add_options(parser)
    parser.add_argument("--plain", action="store_true", help="a line a change instead of the picture")
    parser.add_argument("--json", action="store_true", help="the daemon's own lines")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    from hil import watch

    return watch.run(attached.socket_of(arguments), arguments.plain, arguments.json)
