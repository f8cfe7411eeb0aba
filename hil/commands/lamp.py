"""`hil lamp walk`: every lamp by itself, then the colours on all; for a technician with his eyes on the layout."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hil.commands import leased

if TYPE_CHECKING:
    from hil.commands import Commands
    from hil.lease import Access


def register(commands: Commands) -> None:
    parser = commands.add_parser("lamp", help="try the lamps")
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    walk = acts.add_parser("walk", help="each lamp by itself, then red, green, blue and white on all of them")
    walk.add_argument("device", nargs="?", default="lamps", help="name of the string in the configuration")
    walk.add_argument("--hold", type=int, default=400, metavar="MS", help="how long each is lit")
    leased.add_options(walk)
    walk.set_defaults(command=_walk)


def _walk(arguments: argparse.Namespace) -> int:
    async def work(access: Access) -> int:
        from hil import lamp_walk

        return await lamp_walk.walk(access, arguments.device, max(0, arguments.hold) / 1000)

    return leased.run(arguments, work)
