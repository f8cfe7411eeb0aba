"""`hil`: the technician's command line. One small function for each subcommand; each imports what it needs.

Exit status: 0 all well, 1 something is wrong, 2 the call was wrong or there is nothing to attach to, 130 interrupted
while the summary was made.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

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

    play = commands.add_parser("play", help="play a simulated table with simulated people")
    play.add_argument(
        "--table", type=Path, default=Path("config/tables/minibaccarat.toml"), help="the table's TOML file"
    )
    play.add_argument("--rounds", type=_count, help="end after so many rounds; without it play until stopped")
    play.add_argument("--seed", type=int, default=1, help="of chips, cards and mishaps; the same seed plays the same")
    play.add_argument("--run-dir", type=Path, help="keep journal and sockets there; without it a temporary folder")
    play.add_argument("--plain", action="store_true", help="a line a round instead of the live picture")
    play.add_argument("--think", type=_milliseconds, metavar="MS", help="how long people think before they act")
    play.add_argument("--reader", metavar="NAME", help="play with another card reader, such as beetek or barcode-hid")
    play.set_defaults(command=_play)

    status = commands.add_parser("status", help="how a running table is, and what is wrong with it")
    _attached(status)
    status.add_argument("--json", action="store_true", help="the daemon's own line")
    status.set_defaults(command=_status)

    watch = commands.add_parser("watch", help="a running table, live")
    _attached(watch)
    watch.add_argument("--plain", action="store_true", help="a line a change instead of the picture")
    watch.add_argument("--json", action="store_true", help="the daemon's own lines")
    watch.set_defaults(command=_watch)
    return parser


def _attached(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--socket", type=Path, help="the daemon's control socket; without it the installed table's")
    where.add_argument("--run-dir", type=Path, help="the folder with the daemon's control socket")


def _socket(arguments: argparse.Namespace) -> Path:
    from hil.daemon import CONTROL_NAME, USUAL_SOCKET

    if arguments.run_dir is not None:
        return Path(arguments.run_dir) / CONTROL_NAME
    return arguments.socket or USUAL_SOCKET


def _status(arguments: argparse.Namespace) -> int:
    from hil import status

    return status.run(_socket(arguments), arguments.json)


def _watch(arguments: argparse.Namespace) -> int:
    from hil import watch

    return watch.run(_socket(arguments), arguments.plain, arguments.json)


def _play(arguments: argparse.Namespace) -> int:
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


if __name__ == "__main__":
    sys.exit(main())
