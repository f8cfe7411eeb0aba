"""`hil shoe`, `hil wheel`, `hil dice`: the device's wire, live, recorded, and again from a recording."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hil.commands import leased

if TYPE_CHECKING:
    from hil.commands import Commands
    from hil.lease import Access

ROLES = {"shoe": "the card reader", "wheel": "the wheel", "dice": "the dice reader"}
LIVE_STATUS = "exit status: 0 bytes came, 1 none came or the daemon took the device back, 2 not possible"
REPLAY_STATUS = "exit status: 0 the same, 1 not the same, 2 not possible: no recording, or no byte in it"


def register(commands: Commands) -> None:
    for role, what in ROLES.items():
        parser = commands.add_parser(role, help=f"{what}'s wire: trace, record, replay")
        acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
        trace = acts.add_parser(
            "trace", help="every byte with its time, and what the driver makes of it", epilog=LIVE_STATUS
        )
        record = acts.add_parser("record", help="the same, into a file too", epilog=LIVE_STATUS)
        record.add_argument("file", type=Path, metavar="FILE", help="a new text file")
        for live in (trace, record):
            live.add_argument("device", nargs="?", default=role, help="its name in the configuration")
            live.add_argument("--seconds", type=float, metavar="S", help="end by itself after this time")
            leased.add_options(live)
            live.set_defaults(command=_trace, role=role)
        replay = acts.add_parser(
            "replay", help="does today's driver tell what was recorded? or, to a port, again", epilog=REPLAY_STATUS
        )
        replay.add_argument("file", type=Path, metavar="FILE")
        replay.add_argument("--port", type=Path, metavar="LINK", help="play it to a port of this name, made here")
        replay.add_argument("--speed", type=float, default=1.0, help="times as fast, with --port")
        replay.set_defaults(command=_replay, role=role)


def _trace(arguments: argparse.Namespace) -> int:
    async def work(access: Access) -> int:
        from hil.wire import trace

        file = getattr(arguments, "file", None)
        return await trace.trace(access, arguments.role, arguments.device, file, arguments.seconds)

    return leased.run(arguments, work)


def _replay(arguments: argparse.Namespace) -> int:
    from hil.wire import player, recording, replay

    try:
        recorded = recording.read(arguments.file)
        if recorded.head.options.role != arguments.role:
            raise recording.BadRecording(f"{arguments.file} is of {recorded.head.options.kind}, no {arguments.role}")
        if arguments.port is None:
            return replay.replay(recorded)
        if not 0 < arguments.speed <= 1000:
            raise recording.BadRecording("--speed is above 0 and at most 1000")
        return asyncio.run(player.play(recorded, arguments.port, arguments.speed))
    except (recording.BadRecording, OSError) as error:
        print(f"hil {arguments.name}: {error}", file=sys.stderr)
        return 2
