"""Which running daemon a command attaches to: the options that say so, and the socket that they name."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_options(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """--socket or --run-dir; a command may add to the group what stands in their place."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--socket", type=Path, help="the daemon's control socket; without it the installed table's")
    where.add_argument("--run-dir", type=Path, help="the folder with the daemon's control socket")
    return where


def socket_of(arguments: argparse.Namespace) -> Path:
    """The control socket that the options of `add_options` name."""
    from hil.daemon import CONTROL_NAME, USUAL_SOCKET

    if arguments.run_dir is not None:
        return Path(arguments.run_dir) / CONTROL_NAME
    return arguments.socket or USUAL_SOCKET
