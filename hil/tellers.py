"""How `hil play` tells what happens: a line a round, or the live picture."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import NoReturn, Protocol

from firmware.app.status import TableStatus
from firmware.core.meters import cents_text
from hil import daemon
from hil.bench import Bench
from hil.picture import NEWS_ROWS, draw
from hil.round_records import RoundRecord
from hil.terminal import Terminal
from hil.views import LampColours, bench_view

FRAME_S = 0.08


class Teller(Protocol):
    """Told of rounds as they end; `show` runs beside the play until it is cancelled."""

    def round_ended(self, record: RoundRecord) -> None: ...

    async def show(self, bench: Bench) -> NoReturn: ...


class PlainTeller:
    """One line a round on standard output."""

    def round_ended(self, record: RoundRecord) -> None:
        print(round_line(record), flush=True)

    async def show(self, bench: Bench) -> NoReturn:
        while True:
            await asyncio.get_running_loop().create_future()


class PictureTeller:
    """The live picture."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._news: deque[str] = deque(maxlen=NEWS_ROWS)
        self._status: TableStatus | None = None

    def round_ended(self, record: RoundRecord) -> None:
        self._news.append(round_line(record))

    async def show(self, bench: Bench) -> NoReturn:
        layout = bench.layout
        colours = LampColours(layout)
        footer = f"Ctrl-C ends with the summary.  Elsewhere: hil status --run-dir {layout.run_dir}"
        listening = asyncio.ensure_future(self._listen(bench))
        try:
            with self._terminal:
                while True:
                    self._terminal.show(draw(await bench_view(bench, colours, self._status, tuple(self._news), footer)))
                    await asyncio.sleep(FRAME_S)
        finally:
            listening.cancel()
            await asyncio.wait([listening])

    async def _listen(self, bench: Bench) -> None:
        async for line in daemon.watch_lines(bench.layout.run_dir / bench.layout.settings.storage.control):
            self._status = daemon.decode(line)


def round_line(record: RoundRecord) -> str:
    """One round for people."""
    parts = [f"round {record.number:>3}: {record.wagers:>2} wager{'' if record.wagers == 1 else 's'}"]
    if record.dealt_in:
        parts.append(f"{record.dealt_in} dealt in")
    if record.shown is not None:
        parts.append(", ".join(f"{name.lower()} {' '.join(what)}" for name, what in record.shown.rows()))
    if record.voided:
        parts.append(f"VOID ({record.voided})")
    else:
        won = [shown for shown in record.settlements if shown.result == "win"]
        parts.append(f"{len(won)} won {cents_text(sum(shown.award_cents for shown in won))}")
        parts += [f"AWARD P{a.position} {a.line} {cents_text(a.cents)}" for a in record.locked]
    parts += _once([noted.kind.replace("_", " ") for noted in record.irregularities])
    parts += [f"{w.position}/{w.wager} cancelled ({w.why})" for w in record.cancelled]
    parts += [f"{w.position}/{w.wager} not accepted" for w in record.refused]
    return "; ".join(parts)


def _once(kinds: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(kinds))
