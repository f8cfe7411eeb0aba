"""`hil sensor calibrate`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hil.commands import leased

if TYPE_CHECKING:
    from hil.commands import Commands
    from hil.lease import Access

MOST_S = 3600


def register(commands: Commands) -> None:
    parser = commands.add_parser("sensor", help="how sensors and contacts bounce, and the filter that they need")
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    calibrate = acts.add_parser(
        "calibrate",
        help="record a line device while hands move its lines",
        epilog="exit status: 0 filters are long enough, 1 one is too short, 2 not possible",
    )
    calibrate.add_argument("device", nargs="?", default="lines", help="a device with lines, by its name (lines)")
    calibrate.add_argument(
        "--seconds", type=_seconds, default=60.0, metavar="S", help="how long to record (60); Ctrl-C: not that long"
    )
    calibrate.add_argument(
        "--svg", type=Path, metavar="FILE", help="write the histogram as a picture, if any level bounced"
    )
    calibrate.add_argument("--json", action="store_true", help="every line with its figures as JSON")
    leased.add_options(calibrate)
    calibrate.set_defaults(command=_calibrate)


def _calibrate(arguments: argparse.Namespace) -> int:
    async def work(access: Access) -> int:
        from hil.sensor import calibrate

        return await calibrate.calibrate(access, arguments.device, arguments.seconds, arguments.svg, arguments.json)

    return leased.run(arguments, work)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= MOST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0, up to {MOST_S}")
    return value
