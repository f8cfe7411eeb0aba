"""`tabled order KIND`: two persons at the table, both keys turned, have the running daemon do what no key can.

Rules:
* The options of a kind are the fields of its class (`core/order_data.py`), in dollars or percent where the field says
  `_micro` or `_ppm`: what is exact inside is written exactly outside.
* Exit status 0: taken, its entry's number is printed. 1: refused or undecided, and why. 2: wrong call, or no daemon.
  78: the configuration can't be read.
"""

from __future__ import annotations

import argparse
import socket
import string
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path

import msgspec

from firmware.app.order_desk import OrderAnswer
from firmware.core.money import parse_meter
from firmware.core.order_data import ORDERS, Order
from firmware.settings.amounts import parts_per_million
from firmware.settings.check_command import EX_CONFIG
from firmware.settings.load import load
from firmware.settings.problems import ConfigurationError

TAKEN, NOT_TAKEN, WRONG_CALL = 0, 1, 2
MARK_DIGITS = 8
WAIT_S = 30.0
"""Longer than the daemon takes to say that an order is undecided."""


def _dollars(text: str) -> int:
    """Micro-dollars of "12", "12.34" or "12.345678"."""
    whole, _, places = text.partition(".")
    try:
        return parse_meter(f"{whole}.{places.ljust(6, '0')}")
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no amount in dollars such as 450.00 or 12.345678") from None


def _percent(text: str) -> int:
    try:
        return parts_per_million(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _mark(text: str) -> str:
    if len(text) != MARK_DIGITS or set(text) - set(string.hexdigits):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no mark; expected the 8 hexadecimal digits that the display shows"
        )
    return text


WRITTEN: dict[str, tuple[Callable[[str], int | str], str | None]] = {
    "_micro": (_dollars, "DOLLARS"),
    "_ppm": (_percent, "PERCENT"),
    "mark": (_mark, None),
}
"""Ending of a field's name -> how it is written on the command line."""


def main(kind: str, arguments: Sequence[str]) -> int:
    """Give one order. Returns the exit status."""
    order = ORDERS.get(kind)
    if order is None:
        print(f"tabled order: no order {kind!r}; there is", *ORDERS, file=sys.stderr)
        return WRONG_CALL
    given = _parser(kind, order).parse_args(arguments)
    fields = {f.name: getattr(given, f.name) for f in msgspec.structs.fields(order) if hasattr(given, f.name)}
    try:
        path = (given.run_dir or given.config.parent) / load(given.config).storage.control
        msgspec.convert(fields, order)
    except ConfigurationError as error:
        print(error.report(), file=sys.stderr)
        return EX_CONFIG
    except msgspec.ValidationError as error:
        print(f"tabled order {kind}: {error}", file=sys.stderr)
        return WRONG_CALL
    names = {"first": given.first, "second": given.second, "reason": given.reason}
    return _ask(path, {"op": "order", "kind": kind, "order": fields, **names})


def _parser(kind: str, order: type[Order]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"tabled order {kind}", description=order.__doc__)
    for field in msgspec.structs.fields(order):
        ending = next((e for e in WRITTEN if field.name.endswith(e)), "")
        name = field.name if field.name == ending else field.name.removesuffix(ending)
        written, metavar = WRITTEN.get(ending, (str, None))
        choices: list[str] | None = None
        if isinstance(field.type, type) and issubclass(field.type, StrEnum):
            choices = [one.value for one in field.type]
            metavar = "|".join(choices)
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            dest=field.name, type=written, choices=choices, metavar=metavar, required=field.required,
            default=argparse.SUPPRESS,
        )  # fmt: skip
    parser.add_argument("--first", required=True, metavar="NAME", help="who holds the floorperson's key")
    parser.add_argument("--second", required=True, metavar="NAME", help="who holds the reset key; another person")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why; it is journalled")
    parser.add_argument("--config", type=Path, required=True, help="the table's TOML file")
    parser.add_argument("--run-dir", type=Path, help="the daemon's --run-dir; default: the file's folder")
    return parser


def _ask(path: Path, request: dict[str, object]) -> int:
    try:
        with socket.socket(socket.AF_UNIX) as daemon:
            daemon.settimeout(WAIT_S)
            daemon.connect(str(path))
            daemon.sendall(msgspec.json.encode(request) + b"\n")
            with daemon.makefile("rb") as answers:
                line = answers.readline()
    except OSError as error:
        print(
            f"tabled order: no daemon answers at {path} ({error.strerror or error}). Is it running (systemctl status "
            "tabled)? Name its run directory with --run-dir",
            file=sys.stderr,
        )
        return WRONG_CALL
    if not line:
        print("tabled order: undecided: the daemon went before it answered; look in the journal", file=sys.stderr)
        return NOT_TAKEN
    try:
        answer = msgspec.json.decode(line, type=OrderAnswer)
    except msgspec.ValidationError:
        print(f"tabled order: {line.decode().strip()}", file=sys.stderr)
        return WRONG_CALL
    if answer.taken:
        print(f"taken: entry {answer.entry}")
        return TAKEN
    place = "" if answer.entry is None else f"refused, entry {answer.entry}: "
    print(f"tabled order: {place}{answer.why}", file=sys.stderr)
    return NOT_TAKEN
