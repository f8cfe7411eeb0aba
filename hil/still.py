"""`python -m hil.still hil/table.svg`: the README's picture of a running table, taken from a running table.

Plays by the seed until an award is held (at a wheel: until drawn odds are shown), looks for as long as every lamp's
movement takes, and draws each lamp as it is while lit: a still picture can't blink.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from msgspec.structs import replace

from firmware.core.effects import LampShow
from hil import daemon
from hil.bench import Bench
from hil.dealer_screen import DealerScreen, Title
from hil.picture import TableView, draw
from hil.play import PlayOptions, play_told
from hil.round_records import RoundRecord
from hil.script import BLOCK
from hil.tellers import round_line
from hil.views import LampColours, bench_view

SEED, ROUNDS = 1, 3
"""With this seed the third round wins a meter."""
THINK_MS = 900
LOOKS = 24
LOOK_EVERY_S = 0.05


class StillTeller:
    """Takes one picture, of the first award that is held."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._news: list[str] = []
        self.taken = False

    def round_ended(self, record: RoundRecord) -> None:
        self._news.append(round_line(record))

    async def show(self, bench: Bench) -> NoReturn:
        while not await self._worth_it(bench):
            await asyncio.sleep(LOOK_EVERY_S)
        view = await self._look(bench)
        canvas = draw(view)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(canvas.to_svg(f"Table {view.name}: {view.state}"), encoding="utf-8")
        self.taken = True
        while True:
            await asyncio.get_running_loop().create_future()

    async def _worth_it(self, bench: Bench) -> bool:
        """An award is held; at a wheel: drawn odds are shown."""
        if not bench.layout.wheel:
            return (await DealerScreen(bench.display).read()).kind == Title.AWARD
        socket = bench.layout.run_dir / bench.layout.settings.storage.control
        return "PAYS" in daemon.decode(await daemon.status_line(socket)).board_title

    async def _look(self, bench: Bench) -> TableView:
        """The table over a second and more, every lamp as it was when last lit."""
        colours = LampColours(bench.layout)
        socket = bench.layout.run_dir / bench.layout.settings.storage.control
        status = daemon.decode(await daemon.status_line(socket))
        footer = "hil play: simulated people at simulated devices; the daemon is the real one"
        lit: dict[object, LampShow] = {}
        first: TableView | None = None
        for _ in range(LOOKS):
            view = await bench_view(bench, colours, status, self._news, footer)
            first = first or view
            lit |= {spot: show for spot, show in view.lamps.items() if show is not LampShow.OFF}
            await asyncio.sleep(LOOK_EVERY_S)
        assert first is not None, "at least one look"
        return replace(first, lamps={spot: lit.get(spot, LampShow.OFF) for spot in first.lamps})


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m hil.still", description="draw hil/table.svg anew")
    parser.add_argument("file", type=Path)
    parser.add_argument("--table", type=Path, default=Path("config/tables/minibaccarat.toml"))
    arguments = parser.parse_args(argv)
    teller = StillTeller(arguments.file)
    rounds, think_ms = (BLOCK, 3 * THINK_MS) if arguments.table.stem == "roulette" else (ROUNDS, THINK_MS)
    status = play_told(PlayOptions(arguments.table, rounds, SEED, None, think_ms), teller)
    if not teller.taken:
        print(f"no award was held in {rounds} rounds of seed {SEED}: no picture was taken", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
