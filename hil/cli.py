"""`hil`: the technician's command line. Every subcommand is one module of `hil/commands`, which adds its own parser.

Exit status: 0 all well, 1 something is wrong, 2 the call was wrong or there is nothing to attach to, 130 interrupted
while the summary was made.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence

from hil.commands import COMMANDS

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; the exit status is returned."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # whoever reads along in a pipe sees each line when it is written
    arguments = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int] = arguments.command
    try:
        return command(arguments)
    except BrokenPipeError:
        # The reader went away, which is its right. Python flushes standard output once more at exit: give it a place.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hil", description="For technicians: a bench to play on, and eyes on a table."
    )
    commands = parser.add_subparsers(dest="name", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.register(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
