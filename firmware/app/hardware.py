"""The machine under the table, looked at while it serves: at the start and every few minutes, beside the loop.

Rules:
* Read on a thread: a dying disk may hold it for long, and then the facts are old, never the table.
* A change of a verdict becomes an event; what can't be read becomes one only where it could be read before.
* `latest` is what was last read, for `hil status`; facts that stay as they are cost the journal nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from drivers import facts
from drivers.facts.fact import Fact, Needs
from firmware.app import clock
from firmware.core.events import Event
from firmware.core.service_data import HardwareFact, HardwareFound, Verdict
from firmware.settings.devices.lamps import LampsNeopixelSpi
from firmware.settings.model import Settings

PERIOD_S = 300.0


def needs_of(settings: Settings, run_dir: Path) -> Needs:
    """What this table asks of its machine."""
    from drivers.devices.pixel_strings import frame_bytes

    frame = max(
        (
            frame_bytes(o.pixels + bool(o.return_line))
            for o in settings.devices.values()
            if isinstance(o, LampsNeopixelSpi)
        ),
        default=0,
    )
    urls = [str(getattr(options, "url", "")) for options in settings.devices.values()]
    ports = tuple(dict.fromkeys(url for url in urls if not urlsplit(url).scheme and url.startswith("/dev/")))
    return Needs(PurePosixPath(run_dir.resolve()), frame, ports)


class HardwareWatch:
    """On the loop's thread, but for the reading."""

    def __init__(
        self,
        needs: Needs,
        post: Callable[[Event], None],
        known: Sequence[HardwareFact],
        *,
        root: Path = Path("/"),
        period_s: float = PERIOD_S,
    ) -> None:
        """`known`: what the table's state holds of an earlier start; all else counts as good."""
        self.latest: tuple[Fact, ...] = ()
        self._needs = needs
        self._post = post
        self._verdicts = {fact.fact: fact.verdict for fact in known}
        self._root = root
        self._period_s = period_s

    async def run(self) -> None:
        """For ever."""
        while True:
            self._take(await self._read())
            await asyncio.sleep(self._period_s)

    async def _read(self) -> tuple[Fact, ...]:
        """On a thread that nobody waits for at the end: one that hangs in a disk must not hold up a stop."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[tuple[Fact, ...]] = loop.create_future()

        def tell(found: tuple[Fact, ...]) -> None:
            if not answer.done():
                answer.set_result(found)

        def read() -> None:
            found = facts.read(self._root, self._needs)
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(tell, found)

        threading.Thread(target=read, name="hardware", daemon=True).start()
        return await answer

    def _take(self, found: tuple[Fact, ...]) -> None:
        self.latest = found
        for fact in found:
            verdict = Verdict(fact.verdict.value)
            before = self._verdicts.get(fact.name)
            if verdict is (before or Verdict.GOOD) or (before is None and verdict is Verdict.NOT_KNOWN):
                self._verdicts.setdefault(fact.name, verdict)
                continue
            self._verdicts[fact.name] = verdict
            self._post(HardwareFound(fact.name, fact.value, verdict, clock.monotonic_ns()))
