"""7-segment figures behind MAX7219 chips, as the table's `MeterDisplay`.

Rules:
* One chip, eight figures, for each meter of the configuration; the first stands nearest to the Pi.
* Every register of every chip is written at each change and each 0.9 s: a glitch of the supply that scrambles a chip,
  or its own start in the dark, is mended by the next writing. A chip can't be asked; READY says that the bus takes
  data.
* Amounts as "12345.67". From a million dollars on there is no room for the cents: they are left out, which shows less
  than is there, never more. What has no room at all is dashes, and `ShowFailed` says why.
* A hit alternates: two seconds its amount, two seconds "HIT P" and the position. Of several the oldest is shown.
* Dark at the end.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from drivers.codecs import max7219
from drivers.devices.painted import Painted
from drivers.events import ShowFailed
from drivers.ports import Emit, MeterContent, MeterHit, NowNs

DASHES = "-" * max7219.WIDTH
HALF_NS = 2_000_000_000
"""How long a hit's amount, and its position, stand."""

Latches = tuple[bytes, ...]


class LatchBus(Protocol):
    """An SPI bus that raises its chip select after each of the latches. All calls block and are made on one thread.

    Raises `CanvasLostError`.
    """

    @property
    def identity(self) -> str: ...

    def open(self) -> None: ...

    def write(self, latches: Latches, /) -> None: ...

    def close(self) -> None: ...


class Max7219Meter(Painted[Latches]):
    """A `MeterDisplay`."""

    ANSWERS_LOSS = False

    def __init__(
        self,
        name: str,
        bus: LatchBus,
        meters: Sequence[str],
        intensity: int = 7,
        now_ns: NowNs = time.monotonic_ns,
    ) -> None:
        """`meters`: which meter each chip shows, the nearest first. ValueError for none, two chips for one, or an
        intensity beyond 0..15."""
        if not meters or len(set(meters)) != len(meters):
            raise ValueError(f"{name}: each chip needs a meter of its own, got {list(meters)}")
        super().__init__(name, bus, max7219.off(len(meters)), now_ns)
        self._setting = max7219.setting(len(meters), intensity)
        self._meters = tuple(meters)
        self._told: Emit | None = None
        self._refused = ""
        self._amounts = dict.fromkeys(meters, DASHES)
        self._hits: dict[str, MeterHit] = {}

    def show(self, content: MeterContent) -> None:
        hits: dict[str, MeterHit] = {}
        for hit in content.hits:
            hits.setdefault(hit.meter, hit)
        cents: dict[str, int | None] = {reading.meter: reading.cents for reading in content.readings}
        cents |= {meter: hit.cents for meter, hit in hits.items()}
        refused = []
        for meter in self._meters:
            try:
                self._amounts[meter] = amount_text(cents.get(meter))
            except ValueError as error:
                refused.append(f"{meter}: {error}")
                self._amounts[meter] = DASHES
        self._hits = hits
        self._refused = f"{'; '.join(refused)}; dashes instead" if refused else ""
        self._report_refused()
        self.newest()

    def painting(self) -> Latches:
        second = self._now_ns() // HALF_NS % 2 == 1
        shown = [
            f"HIT P{self._hits[meter].position}" if second and meter in self._hits else self._amounts[meter]
            for meter in self._meters
        ]
        return self._setting + max7219.figures([max7219.segments(text) for text in shown])

    def holds_newest(self) -> bool:
        return not self._refused

    async def run(self, emit: Emit) -> None:
        self._told = emit
        self._report_refused()
        try:
            await super().run(emit)
        finally:
            self._told = None

    def _report_refused(self) -> None:
        if self._refused and self._told is not None:
            self._told(ShowFailed(self._name, self._refused, self._now_ns()))


def amount_text(cents: int | None) -> str:
    """What stands on one chip. ValueError for an amount of more than eight figures of dollars."""
    if cents is None:
        return DASHES
    whole = cents // 100
    text = f"{whole}.{cents % 100:02d}"
    try:
        max7219.segments(text)
    except ValueError:
        text = str(whole)
        max7219.segments(text)
    return text
