"""`tabled manifest show|make|check`: what a table runs, for its approver.

Exit status 0: done, or as approved; 1: something differs, each part is named; 2: the call was wrong; 78: the
configuration is refused. Run it with the very `tabled` that the daemon is: what it finds is what it runs on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from firmware.app import installation, manifest
from firmware.core import identity
from firmware.core.identity import Identity, ManifestState
from firmware.journal.errors import JournalError
from firmware.journal.signing import Signer
from firmware.settings.check_command import EX_CONFIG
from firmware.settings.load import decode, read
from firmware.settings.problems import ConfigurationError

DIFFERS, WRONG_CALL = 1, 2


class NotShown(Exception):
    """The file is not what `show` prints; the message is for the user."""


def main(arguments: Sequence[str]) -> int:
    """Run one of the three."""
    parser = argparse.ArgumentParser(prog="tabled manifest", description=main.__doc__)
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    show = actions.add_parser("show", help="print what this machine runs, as JSON, for the approver")
    show.add_argument("--config", type=Path, required=True, help="the table's file")
    show.set_defaults(act=_show)
    make = actions.add_parser("make", help="sign what this machine runs, or what a table has shown")
    source = make.add_mutually_exclusive_group(required=True)
    source.add_argument("--config", type=Path, help="the table's file: approve it, with what this machine runs")
    source.add_argument("--found", type=Path, metavar="JSON", help="what `tabled manifest show` printed at the table")
    make.add_argument("--key", type=Path, required=True, help="the approver's secret key (`tabled key make`)")
    make.add_argument("--output", type=Path, required=True, help="the manifest to write")
    make.set_defaults(act=_make)
    check = actions.add_parser("check", help="compare what this machine runs with the manifest of the configuration")
    check.add_argument("--config", type=Path, required=True, help="the table's file")
    check.add_argument("--run-dir", type=Path, help="folder that a relative manifest lies in; default: the file's")
    check.set_defaults(act=_check)
    options = parser.parse_args(arguments)
    try:
        status: int = options.act(options)
    except ConfigurationError as error:
        print(error.report(), file=sys.stderr)
        return EX_CONFIG
    except (JournalError, OSError, NotShown) as error:
        print(f"tabled manifest: {error}", file=sys.stderr)
        return WRONG_CALL
    return status


def _found(config: Path) -> Identity:
    text = read(config)
    decode(text, str(config))  # what is no configuration is not approved by mistake
    return installation.find(text, whole=True)


def _show(options: argparse.Namespace) -> int:
    print(msgspec.json.format(msgspec.json.encode(_found(options.config)), indent=2).decode())
    return 0


def _shown(file: Path) -> Identity:
    """Raises OSError, NotShown."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Identity)
    except msgspec.DecodeError as error:
        raise NotShown(f"{file}: {error}; expected what `tabled manifest show` printed") from error


def _make(options: argparse.Namespace) -> int:
    approved = _shown(options.found) if options.config is None else _found(options.config)
    signed = manifest.sign(approved, Signer.load(options.key))
    manifest.write(signed, options.output)
    print(f"{options.output}: approves {approved.version}, code {approved.code}")
    print(f"approver, as [identity] of the table's configuration must name it: {signed.approver}")
    return 0


def _check(options: argparse.Namespace) -> int:
    check = decode(read(options.config), str(options.config)).identity
    found = manifest.look(check, options.run_dir or options.config.parent)
    if found.state is ManifestState.NOT_CONFIGURED:
        print(f"{options.config}: no manifest is configured; what runs here is not checked")
        return 0
    standing = identity.judge(identity.Standing(), _found(options.config), found)
    for difference in standing.open:
        print(f"DIFFERS: {identity.text(difference)}")
    if standing.open:
        return DIFFERS
    print(f"as approved by {check.approver}")
    return 0
