"""`tabled`: the command line. One small function for each subcommand.

Rules:
* A subcommand imports what it needs when it runs, so that `tabled settle` starts without the daemon's libraries.
* Exit status 0: all well. 1: done, but something was found wrong (a line in error). 2: the call itself was wrong. 78: a
  configuration is refused.
* No traceback for what a user can cause: the message says what, where and what to do.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from firmware.odds.report import Report

WRONG_CALL = 2

ORDER_KINDS = (
    "correct-meter, transfer, transfer-out, transfer-in, change-parameters, accept-difference or clear-journal"
)
"""Named here, since importing what an order is would delay every other command."""

SETTLE_FORMAT = """\
a round is one object on one line:
  id        any text; the answer carries it
  game      and wagers and paytables as `tabled rules` names them
  table     what the game needs, {} if nothing: {"decks": 8, "personal_combinations": {"1": ["KS", "9H"]}}
  offered   {"player": {"paytable": "-"}, "royal_9_progressive": {"paytable": "5"}}
  wagers    [{"position": 1, "wager": "player", "cents": 2500}]
  outcome   what was dealt, in order: {"player": ["2C", "3D", "KS"], "banker": ["KH", "6S"]}
            those are the baccarat games' keys; for {} the answer names those of another game
  meters    what each meter of an offered progressive showed at lock-out: {"royal_9.mega": "50000.000000"}
optional: seeds, reserves (as meters), date (which text was in force), readings
a line that can't be settled is answered by an error that names what is missing or wrong
exit status: 0 every line settled, 1 a line was in error, 2 wrong call"""


class CallError(Exception):
    """The call was wrong; the message is for the user."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; the exit status is returned."""
    arguments = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int] = arguments.command
    try:
        return command(arguments)
    except CallError as error:
        print(f"tabled {arguments.name}: {error}", file=sys.stderr)
        return WRONG_CALL
    except BrokenPipeError:
        _give_up_output()  # the reader went away, which is its right
        return 1
    except KeyboardInterrupt:
        return 130


def _give_up_output() -> None:
    """Standard output can't be written: Python flushes it once more at exit, and that must have a place to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tabled", description="Side wagers and progressives of a live casino table.")
    commands = parser.add_subparsers(dest="name", required=True, metavar="COMMAND")

    settle = commands.add_parser(
        "settle",
        help="settle recorded rounds: JSON Lines in, one JSON line out for each",
        epilog=SETTLE_FORMAT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    settle.add_argument("file", nargs="?", default="-", help="file of rounds; standard input without one or for '-'")
    settle.set_defaults(command=_settle)

    odds = commands.add_parser("odds", help="exact odds of every wager, by enumeration")
    odds.add_argument("--json", action="store_true", help="a JSON array instead of text")
    odds.add_argument("--wager", help="this wager only")
    odds.add_argument("--paytable", help="this paytable only")
    odds.add_argument("--decks", type=_positive, help="this number of decks (without it: the usual ones of each game)")
    odds.add_argument("--wheel", choices=("single_zero", "double_zero"), help="this wheel only")
    odds.add_argument("--game", help="this game only")
    odds.add_argument("--config", type=Path, help="the Rules Submission's weights (TOML), for odds that need them")
    odds.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw one progressive wager's edge by its meter")
    odds.set_defaults(command=_odds)

    rules = commands.add_parser("rules", help="which wagers are implemented, and under which text")
    rules.add_argument("--json", action="store_true", help="a JSON array instead of text")
    rules.set_defaults(command=_rules)

    run = commands.add_parser("run", help="serve a table: the daemon")
    run.add_argument("--config", type=Path, required=True, help="the table's TOML file")
    run.add_argument("--run-dir", type=Path, help="folder of journal, sockets and relative ports; default: the file's")
    run.add_argument("--create-journal", action="store_true", help="a new table's first start: make the journal")
    run.set_defaults(command=_run)

    check = commands.add_parser("check", help="say whether a table's configuration may be played, and why not")
    check.add_argument("config", type=Path, help="the table's TOML file")
    check.add_argument("--date", type=_date, help="judge as on this day (YYYY-MM-DD); without it today")
    check.set_defaults(command=_check)
    key = commands.add_parser("key", help="the keys of a table: one signs its journal, one seals its secret draws")
    key.add_argument(
        "action",
        choices=("make", "show", "draws"),
        help="make: the signing key, once, at the installation; show: its public half; draws: make the key of secret "
        "draws, once, where the table has a mystery bonus",
    )
    key.add_argument("file", type=Path, help="the key's file, as storage.signing_key or mystery.key_file names it")
    key.set_defaults(command=_key)
    clear = commands.add_parser(
        "clear", help="RAM clear: export the journal, begin a new one with meters at their seeds"
    )
    clear.add_argument("--config", type=Path, required=True, help="the table's TOML file")
    clear.add_argument("--run-dir", type=Path, help="the daemon's --run-dir; default: the file's folder")
    clear.add_argument("--export", type=Path, required=True, metavar="FOLDER", help="best on another medium")
    clear.set_defaults(command=_clear)
    manifest = commands.add_parser("manifest", help="what software and configuration a table may run")
    manifest.add_argument("rest", nargs=argparse.REMAINDER, help="show, make or check; each has a --help of its own")
    manifest.set_defaults(command=_manifest)
    journal = commands.add_parser("journal", help="verify, show, replay, audit, sign, copy a journal, check its draws")
    journal.add_argument(
        "action",
        choices=("verify", "show", "replay", "audit", "accounts", "head", "backup", "draws", "rotate", "restore"),
        help="each has a --help of its own",
    )
    journal.add_argument("rest", nargs=argparse.REMAINDER, help="FILE and options").required = False
    journal.set_defaults(command=_journal)
    slip = commands.add_parser("slip", help="a jackpot slip, from the journal alone")
    slip.add_argument("target", type=Path, help="the journal, or the table's TOML file, which names it")
    which = slip.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--award", type=_number, metavar="N", help="of this award, as `tabled journal show` numbers them"
    )
    which.add_argument(
        "--slip", type=_number, metavar="N", dest="number", help="with this number, as the display has it"
    )
    slip.add_argument("--pdf", type=Path, metavar="FILE", help="draw it into this file; without it, text")
    slip.add_argument("--run-dir", type=Path, help="folder of a configuration's journal; default: the configuration's")
    slip.set_defaults(command=_slip)
    order = commands.add_parser("order", help="two persons, both keys turned, order what no key can do")
    order.add_argument("kind", metavar="KIND", help=f"{ORDER_KINDS}; each has a --help of its own")
    order.add_argument("rest", nargs=argparse.REMAINDER, help="its options").required = False
    order.set_defaults(command=_order)
    return parser


def _key(arguments: argparse.Namespace) -> int:
    from firmware.journal.errors import JournalError
    from firmware.journal.signing import Signer, make_key

    file: Path = arguments.file
    if arguments.action == "draws":
        return _draws_key(file)
    try:
        public = make_key(file) if arguments.action == "make" else Signer.load(file).public
    except JournalError as error:
        raise CallError(str(error)) from error
    print(f"public key: {public.hex()}")
    if arguments.action == "make":
        print("note it where the table's papers are: a journal that this key did not sign is not this table's")
    return 0


def _draws_key(file: Path) -> int:
    from firmware.app.key_file import make_key

    try:
        make_key(file)
    except FileExistsError as error:
        raise CallError(f"{file}: exists already; what was sealed opens with the key that is there only") from error
    except OSError as error:
        raise CallError(f"{file}: {error.strerror}; the folder must be there and be yours to write") from error
    print(f"made: {file}. It must belong to the daemon's user. Keep a copy where the journal's copies are not")
    return 0


def _clear(arguments: argparse.Namespace) -> int:
    from firmware.app.custody_commands import clear

    return clear(arguments.config, arguments.run_dir, arguments.export)


def _manifest(arguments: argparse.Namespace) -> int:
    from firmware.app.manifest_command import main

    return main(arguments.rest)


def _journal(arguments: argparse.Namespace) -> int:
    from firmware.journal import commands, export_commands

    match arguments.action:
        case "verify":
            return commands.main_verify(arguments.rest)
        case "head":
            return export_commands.main_head(arguments.rest)
        case "backup":
            return export_commands.main_backup(arguments.rest)
        case "rotate":
            from firmware.app.custody_commands import main_rotate

            return main_rotate(arguments.rest)
        case "restore":
            from firmware.app.custody_commands import main_restore

            return main_restore(arguments.rest)
        case "show":
            from firmware.app.tell import tell

            return commands.main_show(arguments.rest, tell)
        case "draws":
            from firmware.audit.draws import audit

            return commands.main_draws(arguments.rest, audit)
        case "audit":
            from firmware.audit.commands import main_audit

            return main_audit(arguments.rest)
        case "accounts":
            from firmware.audit.commands import main_accounts

            return main_accounts(arguments.rest)
        case _:
            from firmware.app.program import programs

            return commands.main_replay(arguments.rest, programs)


def _slip(arguments: argparse.Namespace) -> int:
    from firmware.app import slip_command

    return slip_command.run(arguments.target, arguments.run_dir, arguments.award, arguments.number, arguments.pdf)


def _order(arguments: argparse.Namespace) -> int:
    from firmware.app import order_command

    return order_command.main(arguments.kind, arguments.rest)


def _date(text: str) -> str:
    from firmware.settings.paytables import is_date

    if not is_date(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no day; expected YYYY-MM-DD")
    return text


def _positive(text: str) -> int:
    if re.fullmatch(r"[1-9][0-9]{0,2}", text, re.ASCII) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 to 999")
    return int(text)


def _number(text: str) -> int:
    if re.fullmatch(r"0*[1-9][0-9]{0,11}", text, re.ASCII) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def _run(arguments: argparse.Namespace) -> int:
    import gc

    gc.disable()  # nothing that a start makes is garbage; the daemon turns it on again when it is READY
    from firmware.app.main import run

    return run(arguments.config, arguments.run_dir, arguments.create_journal)


def _check(arguments: argparse.Namespace) -> int:
    from firmware.app import clock
    from firmware.settings.check_command import run_check

    return run_check(arguments.config, arguments.date or clock.today(), sys.stdout)


def _settle(arguments: argparse.Namespace) -> int:
    from firmware.interfaces.settle_lines import settle_lines
    from firmware.settings.paytables import load_catalogue

    catalogue = load_catalogue()
    target = _standard_output()
    try:
        with _source(arguments.file) as source:
            return 0 if settle_lines(source, target, catalogue) else 1
    except BrokenPipeError:
        raise
    except OSError as error:
        _give_up_output()
        raise CallError(f"{error.filename or 'reading or writing'}: {error.strerror}") from error


def _source(file: str) -> BufferedReader:
    if file != "-":
        return Path(file).open("rb")
    if sys.stdin is None:
        raise CallError("standard input is closed; give a file")
    return open(sys.stdin.fileno(), "rb", closefd=False)


def _odds(arguments: argparse.Namespace) -> int:
    from firmware.core.roulette_wheel import Wheel
    from firmware.odds.report import NothingToReportError, distributions, odds_reports, report_json, report_text
    from firmware.odds.verdicts import NO_WEIGHTS
    from firmware.odds.weights import WeightsError, read_weights
    from firmware.settings.paytables import load_catalogue

    catalogue = load_catalogue()
    try:
        weights = NO_WEIGHTS if arguments.config is None else read_weights(arguments.config, distributions(catalogue))
        reports = odds_reports(
            catalogue,
            game=arguments.game,
            wager=arguments.wager,
            paytable=arguments.paytable,
            decks=arguments.decks,
            wheel=None if arguments.wheel is None else Wheel(arguments.wheel),
            weights=weights,
        )
    except (NothingToReportError, WeightsError) as error:
        raise CallError(str(error)) from error
    if arguments.plot is not None:
        _plot(arguments.plot, reports)
    _write(report_json(reports) if arguments.json else report_text(reports).encode())
    return 0


def _plot(file: Path, reports: Sequence[Report]) -> None:
    from firmware.odds.plot import NoPlotError, edge_svg
    from firmware.odds.wager_odds import WagerOdds

    if len(reports) != 1 or not isinstance(one := reports[0], WagerOdds):
        raise CallError(
            f"--plot draws one wager, paytable and deck count or wheel, {len(reports)} pass the filters; add --game, "
            "--wager, --paytable, --decks and --wheel"
        )
    try:
        file.write_text(edge_svg(one), encoding="utf-8")
    except NoPlotError as error:
        raise CallError(str(error)) from error
    except OSError as error:
        raise CallError(f"{file}: {error.strerror}") from error


def _rules(arguments: argparse.Namespace) -> int:
    import msgspec

    from firmware.interfaces.rules_list import list_rules, rules_text
    from firmware.settings.paytables import load_catalogue

    rules = list_rules(load_catalogue())
    _write(msgspec.json.encode(rules) if arguments.json else rules_text(rules).encode())
    return 0


def _standard_output() -> BinaryIO:
    if sys.stdout is None:
        raise CallError("standard output is closed")
    return sys.stdout.buffer


def _write(content: bytes) -> None:
    target = _standard_output()
    target.write(content + b"\n")
    target.flush()


if __name__ == "__main__":
    sys.exit(main())
