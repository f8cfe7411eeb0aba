"""`hil explain`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hil.commands import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("explain", help="what a fault's code means, likely causes, what to do next")
    parser.add_argument("code", nargs="*", help="F205, or words of its title; without one, all of them")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    from hil import codes
    from hil.guide import explained

    if not arguments.code:
        for row in codes.rows():
            print(f"{row.code}  {row.title}")
        return 0
    wanted = " ".join(arguments.code)
    found = codes.find(wanted)
    if not found:
        print(f"hil explain: no fault {wanted!r}; `hil explain` lists all", file=sys.stderr)
        return 2
    for row in found:
        print("\n".join(explained(row)))
    return 0
