"""`hil board pattern`: test patterns on the sign, or on a display by its name."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hil.commands import leased

if TYPE_CHECKING:
    from hil.commands import Commands
    from hil.lease import Access


def register(commands: Commands) -> None:
    parser = commands.add_parser("board", help="try the sign, the dealer's display or the meters' displays")
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    pattern = acts.add_parser("pattern", help="test patterns, each told before it is shown")
    pattern.add_argument("device", nargs="?", default="board", help="name in the configuration: board, display, ...")
    pattern.add_argument("--hold", type=int, default=1500, metavar="MS", help="how long each stands")
    leased.add_options(pattern)
    pattern.set_defaults(command=_pattern)


def _pattern(arguments: argparse.Namespace) -> int:
    async def work(access: Access) -> int:
        from hil import board_pattern

        return await board_pattern.pattern(access, arguments.device, max(0, arguments.hold) / 1000)

    return leased.run(arguments, work)
