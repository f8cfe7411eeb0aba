"""Figures on MAX7219 chips: what fits, what is left out, and glitches that nobody hears of."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from drivers.devices.max7219_meter import Max7219Meter, amount_text
from drivers.devices.painted import CanvasLostError
from drivers.devices.spi_latches import SimulatedLatches, SpidevLatches
from drivers.events import LinkChanged, ShowFailed, Shown
from drivers.ports import BackendUnavailable, MeterContent, MeterHit, MeterReading
from hil.sim.max7219_model import Max7219Chain
from tests.drivers.recorder import WAIT_S, Recorder


class MemoryBus:
    """The chain without a wire. Strict: nothing is written while it is closed."""

    identity = "sim+memory"

    def __init__(self, chips: int) -> None:
        self.chain = Max7219Chain(chips)
        self.open_now = False

    def open(self) -> None:
        self.open_now = True

    def write(self, latches: tuple[bytes, ...]) -> None:
        if not self.open_now:
            raise CanvasLostError("it is not open")
        for latch in latches:
            self.chain.latch(latch)

    def close(self) -> None:
        self.open_now = False


@pytest.mark.parametrize(
    ("cents", "text"),
    [
        (None, "--------"),
        (0, "0.00"),
        (5, "0.05"),
        (99_999_999, "999999.99"),
        (100_000_099, "1000000"),
        (9_999_999_999, "99999999"),
    ],
)
def test_amounts_are_cut_never_rounded_up(cents: int | None, text: str) -> None:
    assert amount_text(cents) == text


def test_more_than_eight_figures_of_dollars_are_refused() -> None:
    with pytest.raises(ValueError, match="9 places"):
        amount_text(10_000_000_000)


async def until(bus: MemoryBus, shown: list[str]) -> None:
    async with asyncio.timeout(WAIT_S):
        while [text.strip() for text in bus.chain.shown()] != shown:
            await asyncio.sleep(0.001)


def test_an_amount_without_room_is_dashes_and_said() -> None:
    async def main() -> None:
        bus, recorder = MemoryBus(2), Recorder()
        meter = Max7219Meter("figures", bus, ("mega", "major"))
        meter.show(MeterContent((MeterReading("mega", 10**10), MeterReading("major", 500))))
        async with recorder.running(meter):
            failed = await recorder.wait(ShowFailed)
            assert "mega: '100000000' takes 9 places" in failed.reason
            await until(bus, ["--------", "5.00"])
            assert not recorder.all(Shown)
            meter.show(MeterContent((MeterReading("mega", 100),)))
            await recorder.wait(Shown)
            await until(bus, ["1.00", "--------"])
        assert bus.chain.shown() == ["(dark)", "(dark)"]

    asyncio.run(main())


def test_a_glitch_is_mended_within_a_second_though_nobody_heard_of_it() -> None:
    async def main() -> None:
        bus, recorder = MemoryBus(1), Recorder()
        meter = Max7219Meter("figures", bus, ("mega",))
        async with recorder.running(meter):
            await recorder.wait(LinkChanged)
            meter.show(MeterContent((MeterReading("mega", 4_205),)))
            await until(bus, ["42.05"])
            bus.chain.scramble(7)
            assert bus.chain.shown() != ["   42.05"]
            async with asyncio.timeout(1.5):
                await until(bus, ["42.05"])
            assert len(recorder.all(LinkChanged)) == 1

    asyncio.run(main())


def test_a_hit_shows_its_amount_and_its_position_in_turn() -> None:
    now = 0
    meter = Max7219Meter("figures", MemoryBus(1), ("mega",), now_ns=lambda: now)
    chain = Max7219Chain(1)
    hits = (MeterHit("mega", 50_000, 14), MeterHit("mega", 700, 2))
    meter.show(MeterContent((MeterReading("mega", 100),), hits))
    seen = []
    for now in (0, 2_000_000_000, 4_000_000_000):  # noqa: B007 the meter's clock
        for latch in meter.painting():
            chain.latch(latch)
        seen.append(chain.shown()[0].strip())
    assert seen == ["500.00", "HIT P14", "500.00"]


def test_a_chip_needs_a_meter_of_its_own() -> None:
    for meters in ((), ("mega", "mega")):
        with pytest.raises(ValueError, match="a meter of its own"):
            Max7219Meter("figures", MemoryBus(1), meters)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spidev", None)
    with pytest.raises(BackendUnavailable, match=r'spidev.*extra "pi"'):
        SpidevLatches(1, 0)


def test_a_chain_that_is_not_there_is_lost(tmp_path: Path) -> None:
    bus = SimulatedLatches(tmp_path / "none")
    with pytest.raises(CanvasLostError, match="Is the simulated chip running"):
        bus.open()
    with pytest.raises(CanvasLostError, match="not open"):
        bus.write((b"\x0c\x01",))
