"""The subcommands of `hil`: a module each, in the order in which `hil --help` lists them.

Rules:
* A module has `register(commands)`: it adds its parser and sets `command`, a function from the parsed arguments to the
  exit status.
* What a command needs is imported inside that function, so that no other command waits for it.
* A new command is a new module and its name in `COMMANDS`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from hil.commands import (
    board,
    check,
    explain,
    lamp,
    latency,
    lend,
    list,
    panel,
    play,
    report,
    scenario,
    sensor,
    status,
    watch,
    wire,
    wiring,
)

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
    """What `ArgumentParser.add_subparsers` returns."""


class Command(Protocol):
    """What a command's module offers."""

    def register(self, commands: Commands) -> None:
        """Add the command's parser."""


COMMANDS: Sequence[Command] = (
    play,
    status,
    watch,
    panel,
    list,
    check,
    explain,
    lend,
    lamp,
    board,
    wire,
    sensor,
    latency,
    report,
    wiring,
    scenario,
)
