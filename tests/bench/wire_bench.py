"""The whole table as processes: simulated devices on ptys and sockets (`hil.bench`), and a daemon that may die.

Answers for: `tests.dealer.Bench` over `hil`'s hands. The bench's event loop runs in a thread of its own, since people
here do one thing after the other. Devices live on when the daemon dies; `restart` starts another one.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from drivers.line_spec import KEY_STABLE_NS
from firmware.core.baccarat import Hand
from firmware.core.events import Key
from hil.bench import Bench
from hil.children import Child, PartDied
from hil.layout import Spot, layout_of
from hil.simclient import SimError
from tests.app.remote_bench import DaemonDied

Result = TypeVar("Result")
LIMIT_S = 60.0
LOOK_EVERY_S = 0.004
HAND_WAITS_S = 3.0
"""How long people wait for an answer before they look again: a key that was lost has none."""

TABLE = Path(__file__).parents[2] / "config" / "tables" / "minibaccarat.toml"
SHORT_TIMES = {"present_ms": 10, "absent_ms": 20, "lateness_ms": 20, "stable_ms": 10}


def short_times(folder: Path) -> Path:
    """The example table with short debounce times, for benches only: as many rounds as can be had in a minute."""
    text = TABLE.read_text("utf-8")
    for key, value in SHORT_TIMES.items():
        text, count = re.subn(rf"^{key} = \d+$", f"{key} = {value}", text, flags=re.MULTILINE)
        assert count == 1, key
    config = folder / "table.toml"
    config.write_text(text, "utf-8")
    return config


class WireBench:
    """Use as a context manager: everything is started, and everything is gone afterwards."""

    def __init__(self, folder: Path, *daemon: str, seed: int = 1) -> None:
        self.layout = layout_of(short_times(folder), folder)
        self._bench = Bench(self.layout, seed)
        if daemon:
            self._bench.daemon_command = daemon
        self._first_command = self._bench.daemon_command
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="bench")
        self._floor_turned = False
        self._filled = False

    @property
    def _daemon(self) -> Child:
        assert self._bench.daemon is not None, "no daemon was started"
        return self._bench.daemon

    def __enter__(self) -> WireBench:
        self._thread.start()
        try:
            self._call(self._bench.__aenter__())
            self._call(self._bench.shoe.call("set", copies=3, spacing_ms=1))
        except BaseException:
            self._end_thread()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._call(self._bench.__aexit__(None, None, None))
        finally:
            self._end_thread()

    def restart(self, *command: str) -> float:
        """Start a daemon after one has died or was stopped; seconds to its READY. Raises DaemonDied."""
        began = time.monotonic()
        self._bench.daemon_command = command or self._first_command
        try:
            self._call(self._bench.start_daemon())
        except PartDied as error:
            raise DaemonDied(str(error)) from error
        return time.monotonic() - began

    def stop_daemon(self) -> None:
        self._call(self._daemon.end())

    @property
    def daemon_pid(self) -> int:
        return self._daemon.pid

    def status(self) -> dict[str, Any]:
        """What `hil status` sees."""
        return self._call(self._ask())

    # --- hands and eyes ---------------------------------------------------------------------------------------------

    def display(self) -> tuple[str, ...]:
        return self._call(self._look())

    def chip(self, position: int, wager: str, covered: bool) -> None:
        spot = Spot(position, wager)
        if covered:
            self._call(self._bench.panel.place(spot))
            self._call(asyncio.sleep(0.02))
        else:
            self._call(self._bench.panel.take(spot))
        self._alive()

    def chips(self) -> set[tuple[int, str]]:
        return set(self._bench.panel.chips)

    def lock_out(self) -> None:
        async def press() -> None:
            await self._bench.panel.lock_out()

        self._do(press, lambda shown: shown[0] not in ("BETTING OPEN", "BETTING CLOSED"))

    def key(self, key: Key) -> None:
        panel = self._bench.panel
        if key is Key.CLEAR:  # the last chip's leaving must be known before the round's end
            self._call(asyncio.sleep(SHORT_TIMES["absent_ms"] / 1000 + 0.03))
        before = self.display()
        self._do({Key.CONFIRM: panel.confirm, Key.CALL: panel.call, Key.CLEAR: panel.clear}[key], before.__ne__)

    def floor_key(self, turned: bool) -> None:
        self._floor_turned = turned

        async def turn() -> None:
            await self._bench.panel.turn_floor_key(turned)
            await asyncio.sleep(KEY_STABLE_NS / 1e9)  # nobody turns a key there and back faster

        self._do(turn, lambda shown: shown[0].startswith("FLOOR ") == turned)

    def floor_key_turned(self) -> bool:
        return self._floor_turned

    def reset_key(self) -> None:
        self._do(self._bench.panel.hold_reset_key, self.display().__ne__)

    def card(self, hand: Hand, index: int, card: str) -> None:
        shoe = self._bench.shoe
        if not self._filled:
            self._call(shoe.call("fill", seed=1, cut_after=416))  # the scripts have the cutting card
            self._filled = True

        async def draw() -> None:
            try:
                await shoe.call("deal", target=hand.value, index=index, card=card)
            except SimError:  # the script's shoe is a new one, the simulated one must follow
                await shoe.call("fill", seed=1, cut_after=416)
                await shoe.call("deal", target=hand.value, index=index, card=card)

        self._do(draw, self.display().__ne__)

    def result(self, winner: str, player_pair: bool, banker_pair: bool) -> None:
        async def say() -> None:
            await self._bench.shoe.call("result", winner=winner, player_pair=player_pair, banker_pair=banker_pair)

        self._do(say, self.display().__ne__)

    def wait(self) -> None:
        self._call(asyncio.sleep(0.1))

    # --- how --------------------------------------------------------------------------------------------------------

    def _do(self, hands: Callable[[], Awaitable[object]], seen: Callable[[tuple[str, ...]], bool]) -> None:
        async def act() -> None:
            await hands()
            deadline = time.monotonic() + HAND_WAITS_S
            while not seen(await self._look()) and time.monotonic() < deadline:
                self._alive()
                await asyncio.sleep(LOOK_EVERY_S)

        self._call(act())

    async def _look(self) -> tuple[str, ...]:
        self._alive()
        lines = (await self._bench.display.call("screen"))["lines"]
        assert isinstance(lines, list)
        return tuple(line.strip() for line in lines)

    async def _ask(self) -> dict[str, Any]:
        self._alive()
        try:
            reader, writer = await asyncio.open_unix_connection(
                self.layout.run_dir / self.layout.settings.storage.control, limit=1 << 20
            )
            writer.write(b'{"op": "status"}\n')
            answer = await reader.readline()
            writer.close()
        except OSError:
            await asyncio.sleep(0.05)
            self._alive()
            raise
        if not answer:
            await asyncio.sleep(0.05)
            self._alive()
        return dict(json.loads(answer))

    def _alive(self) -> None:
        if not self._daemon.running:
            raise DaemonDied

    def _call(self, what: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result(LIMIT_S)

    def _end_thread(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
