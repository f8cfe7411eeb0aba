"""`hil play`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hil.commands import tables

if TYPE_CHECKING:
    from hil.commands import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("play", help="play a simulated table with simulated people")
    parser.add_argument(
        "--table", type=tables.table, metavar="NAME|FILE", default=tables.table("minibaccarat"), help=tables.HELP
    )
    parser.add_argument("--rounds", type=_count, help="end after so many rounds; without it play until stopped")
    parser.add_argument("--seed", type=int, default=1, help="of chips, cards and mishaps; the same seed plays the same")
    parser.add_argument("--run-dir", type=Path, help="keep journal and sockets there; without it a temporary folder")
    parser.add_argument("--plain", action="store_true", help="a line a round instead of the live picture")
    parser.add_argument("--think", type=_milliseconds, metavar="MS", help="how long people think before they act")
    parser.add_argument("--reader", metavar="NAME", help="play with another card reader, such as beetek or barcode-hid")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    from hil.other_reader import READERS
    from hil.play import PlayOptions, play

    if arguments.reader is not None and arguments.reader not in READERS:
        print(f"hil play: --reader {arguments.reader!r}; expected one of {', '.join(READERS)}", file=sys.stderr)
        return 2
    options = PlayOptions(
        arguments.table, arguments.rounds, arguments.seed, arguments.run_dir, arguments.think, arguments.reader
    )
    return play(options, arguments.plain)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1")
    return int(text)


def _milliseconds(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 60_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of milliseconds from 0 to 60000")
    return int(text)
