"""`hil wiring`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hil.commands import Commands

EPILOG = """\
FILE needs to be right in its form only: a table is wired before everything in it is filed.
exit status: 0 nothing is crossed or used twice, 1 something is, 2 FILE can't be read"""


def register(commands: Commands) -> None:
    parser = commands.add_parser(
        "wiring",
        help="what goes where, of a table's configuration, as a table and a picture",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--config", type=Path, metavar="FILE", required=True, help="the table's configuration")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the picture, for a browser or a printer")
    parser.add_argument("--check", action="store_true", help="only what is crossed or used twice")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    from hil import lease
    from hil.wiring import listing
    from hil.wiring.findings import findings, refused
    from hil.wiring.picture import picture
    from hil.wiring.plan import plan_of

    try:
        table = lease.table(arguments.config)
        plan = plan_of(table.settings)
        if arguments.svg is not None:
            arguments.svg.write_text(picture(plan), "utf-8")
    except (lease.NoLease, OSError) as error:
        print(f"hil wiring: {error}", file=sys.stderr)
        return 2
    if not arguments.check:
        print("\n".join(listing.lines(plan)), flush=True)
    found = findings(table, plan)
    for problem in found:
        print(problem.text(str(arguments.config)))
    wrong = refused(found)
    warned = f", {len(found) - wrong} warnings" if len(found) > wrong else ""
    print(f"wiring: {'in order' if not wrong else f'{wrong} to mend'}{warned}", flush=True)
    return 1 if wrong else 0
