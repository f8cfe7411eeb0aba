"""What the steps of a scenario do: hands on the lines, words to the simulators, signals to the daemon."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import assert_never

from hil.bench import Bench
from hil.children import Child, PartDied, Start
from hil.dealer import Dealer
from hil.dealer_screen import DealerScreen, Title
from hil.floorperson import Floorperson
from hil.layout import Spot, spot_of
from hil.scenario import schema
from hil.scenario.look import Look
from hil.scenario.machine import Machine
from hil.script import Happening, RoundPlan


class StepFailed(Exception):
    """A step did not come to its end; the message says what was seen instead."""


class People:
    """Everybody at a scenario's table."""

    def __init__(self, bench: Bench, machine: Machine, seed: int, watchdog_ms: int = 0) -> None:
        self._bench = bench
        self._machine = machine
        self._screen = DealerScreen(bench.display)
        self._floor = Floorperson(bench.panel, self._screen, _at_once)
        self._dealer = Dealer(bench.layout, bench.panel, self._screen, bench.shoe, seed, 0)
        self._look = Look(bench, watchdog_ms)

    async def do(self, step: schema.AnyStep) -> None:
        """Raises StepFailed, NotSeen, CanNotBeDone, Stuck, PartDied."""
        bench = self._bench
        match step:
            case schema.Open():
                await self._open()
            case schema.Place():
                for spot in map(spot_of, step.spots):
                    await bench.panel.place(spot)
                if step.let_be_sensed:
                    for spot in map(spot_of, step.spots):
                        await bench.panel.let_it_be_sensed(spot)
            case schema.Take():
                for spot in map(spot_of, step.spots):
                    await bench.panel.take(spot)
            case schema.Lock():
                await bench.panel.lock_out()
            case schema.Press():
                await {"confirm": bench.panel.confirm, "call": bench.panel.call, "clear": bench.panel.clear}[step.key]()
            case schema.Choose():
                await self._floor.choose(step.line)
            case schema.Play():
                await self._dealer.play(RoundPlan(Happening.NOTHING, tuple(map(spot_of, step.spots)), cards=step.cards))
            case schema.Finish():
                await self._dealer.finish()
                self._dealer.begin_round()
            case schema.Deal():
                await self._deal(step.cards)
            case schema.Chip():
                await self._chip(step)
            case schema.Device():
                options = dict(step.options)
                if "link" in options:
                    options["link"] = str(bench.layout.run_dir / options["link"])
                await bench.clients[step.device].call(step.op, **options)
            case schema.Race():
                await self._race(step)
            case schema.Daemon():
                await self._daemon(step)
            case schema.Disk():
                self._machine.disk(step)
            case schema.Clock():
                self._machine.clock(step)
            case schema.Busy():
                self._machine.busy(step)
            case schema.File():
                self._machine.file(step)
            case schema.Port():
                await self._machine.port(step)
            case schema.Second():
                await self._second(step)
            case schema.See():
                await self._look.until(step)
            case schema.Hold():
                await self._look.never(step.never, step.ms)
            case _:
                assert_never(step)

    async def _open(self) -> None:
        await self._dealer.open_table()
        await self._screen.until("betting to open", lambda screen: screen.title == Title.BETTING)
        self._dealer.begin_round()

    async def _deal(self, cards: int) -> None:
        for _ in range(cards):
            if not await self._dealer.deal_one():
                return

    async def _chip(self, step: schema.Chip) -> None:
        options: dict[str, object] = dict(step.options)
        if step.line is not None:
            options["line"] = self._line(step.line)
        if step.closed is not None:
            options["high"] = not step.closed
        await self._bench.chip.request(step.op, options)

    def _line(self, name: str) -> int:
        layout = self._bench.layout
        keys = {"lockout": layout.lockout, "confirm": layout.confirm, "call": layout.call, "clear": layout.clear}
        for key, contacts in (("floor_key", layout.floor_key), ("reset_key", layout.reset_key)):
            keys[f"{key}.rest"], keys[f"{key}.turned"] = contacts.normally_closed, contacts.normally_open
        return keys[name] if name in keys else self._on_chip(spot_of(name))

    def _on_chip(self, spot: Spot) -> int:
        layout = self._bench.layout
        if spot in layout.elsewhere:
            raise StepFailed(
                f"{spot.position}/{spot.wager} is on {layout.elsewhere[spot]!r}: use a step `device` for it"
            )
        return layout.spots[spot]

    async def _race(self, step: schema.Race) -> None:
        """Both edges by one script of the chip's: the distance is the chip's own clock's."""
        layout, before_us = self._bench.layout, step.chip_before_press_us
        chip, press = max(0, -before_us), max(0, before_us)
        steps = sorted([(chip, self._on_chip(spot_of(step.spot)), False), (press, layout.lockout, True)])
        await self._bench.chip.script([(1000 + at, line, high) for at, line, high in steps])
        await asyncio.sleep((layout.settings.timing.stable_ms + 15) / 1000)  # a hand on the button
        await self._bench.chip.set(layout.lockout, False)

    async def _daemon(self, step: schema.Daemon) -> None:
        bench = self._bench
        if step.act == "start":
            await self._start(step)
            return
        child = bench.daemon
        if child is None or not child.running:
            raise StepFailed("no daemon runs")
        numbers = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "go on": signal.SIGCONT, "end": signal.SIGTERM}
        if step.act in numbers:
            child.signal(numbers[step.act])
        if step.act in ("kill", "end", "ended"):
            await self._ended(child, step)

    async def _start(self, step: schema.Daemon) -> None:
        bench = self._bench
        if step.status is None:
            await bench.start_daemon()
            return
        try:
            await bench.start_daemon()
        except PartDied:
            child = bench.daemon
            if child is None or child.running:
                raise
        else:
            raise StepFailed(f"the daemon started; expected that it refuses with {step.status}")
        status = await child.ended()
        bench.children.remove(child)
        if status != step.status or step.says not in child.said:
            raise StepFailed(
                f"the daemon ended with {status}, expected {step.status} and {step.says!r}; it said:\n{child.said}"
            )

    async def _ended(self, child: Child, step: schema.Daemon) -> None:
        expected = step.status if step.status is not None else {"kill": -signal.SIGKILL, "end": 0}.get(step.act, 0)
        try:
            async with asyncio.timeout(30):
                status = await child.ended()
        except TimeoutError:
            raise StepFailed("the daemon did not end within 30 s") from None
        if status != expected:
            raise StepFailed(f"the daemon ended with {status}, expected {expected}; it said:\n{child.said}")
        self._bench.children.remove(child)

    async def _second(self, step: schema.Second) -> None:
        layout = self._bench.layout
        status, said = await refused(self._bench.start, layout.config, layout.run_dir)
        if status != step.status or step.says not in said:
            raise StepFailed(
                f"a second daemon ended with {status}, expected {step.status} and {step.says!r}; it said:\n{said}"
            )


async def refused(start: Start, config: Path, run_dir: Path) -> tuple[int, str]:
    """Status and last words of a daemon that is expected not to start."""
    words = ["run", "--config", str(config), "--run-dir", str(run_dir)]
    child = await start("second daemon", "firmware.cli", words)
    try:
        async with asyncio.timeout(30):
            return await child.ended(), child.said
    except TimeoutError:
        await child.end()
        raise StepFailed(f"it did not refuse within 30 s; it said:\n{child.said}") from None


async def _at_once() -> None:
    """Nobody thinks in a scenario."""
