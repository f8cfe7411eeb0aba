"""The serial link on virtual time: back-off, flapping, silence, reports. The port is scripted."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from drivers.events import DeviceEvent, LinkChanged, LinkState
from drivers.links.port import PortDied, PortError, PortSettings
from drivers.links.serial import SerialLink
from tests.scripted_port import ScriptedOpener, absent
from tests.virtual_time import VirtualLoop, run_virtual

SECOND_NS = 1_000_000_000


class Client:
    """A device that records what its link does with it."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.data = b""
        self.identify_error: Exception | None = None
        self.receive_error: Exception | None = None

    def connected(self) -> None:
        self.calls.append("connected")

    def received(self, data: bytes, arrived_ns: int) -> None:
        if self.receive_error is not None:
            raise self.receive_error
        self.data += data

    async def identify(self) -> None:
        self.calls.append("identify")
        if self.identify_error is not None:
            raise self.identify_error

    async def serve(self) -> None:
        self.calls.append("serve")
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.calls.append("served")


class Bench:
    """A link on a scripted port, running."""

    def __init__(self, loop: VirtualLoop, silent_limit_s: float | None = None, url: str = "scripted://port") -> None:
        self.opener = ScriptedOpener()
        self.client = Client()
        self.events: list[DeviceEvent] = []
        self.link = SerialLink(
            device="shoe",
            settings=PortSettings(url, 4800),
            now_ns=loop.now_ns,
            client=self.client,
            silent_limit_s=silent_limit_s,
            opener=self.opener,
        )
        self.task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self.task = asyncio.ensure_future(self.link.run(self.events.append))

    async def stop(self) -> None:
        assert self.task is not None
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task
        assert self.link.state is LinkState.ABSENT
        assert all(port.closed for port in self.opener.ports)

    @property
    def changes(self) -> list[tuple[LinkState, bool]]:
        return [(event.state, event.up) for event in self.events if isinstance(event, LinkChanged)]

    def gaps_s(self) -> list[int]:
        times = self.opener.attempts_ns
        return [round((after - before) / SECOND_NS) for before, after in itertools.pairwise(times)]


def on_bench(
    script: Callable[[Bench], object], *, silent_limit_s: float | None = None, url: str = "scripted://port"
) -> None:
    """Run the async function `script` with a bench."""

    async def main(loop: VirtualLoop) -> None:
        bench = Bench(loop, silent_limit_s, url)
        running = script(bench)
        assert asyncio.iscoroutine(running)
        await running
        if bench.task is not None and not bench.task.done():
            await bench.stop()

    run_virtual(main)


def test_backoff_doubles_to_a_minute_and_goes_on_for_a_day(caplog: pytest.LogCaptureFixture) -> None:
    async def script(bench: Bench) -> None:
        bench.opener.error = absent()
        bench.start()
        await asyncio.sleep(24 * 3600)
        assert bench.gaps_s()[:8] == [1, 2, 4, 8, 16, 32, 60, 60]
        assert set(bench.gaps_s()[6:]) == {60}
        assert len(bench.opener.attempts_ns) == 7 + (24 * 3600 - 63) // 60
        assert bench.changes == [(LinkState.ABSENT, False)]
        bench.opener.error = None
        await asyncio.sleep(61)
        assert bench.changes[1:] == [(LinkState.READY, True)]
        assert bench.client.calls == ["connected", "identify", "serve"]

    with caplog.at_level(logging.INFO):
        on_bench(script)
    assert len(caplog.records) == 2, "one line on loss, one on return"


def test_a_path_that_appears_is_opened_at_once_whatever_the_wait(tmp_path: Path) -> None:
    path = tmp_path / "shoe"

    async def script(bench: Bench) -> None:
        bench.opener.error = absent()
        bench.start()
        await asyncio.sleep(3600)
        attempts = len(bench.opener.attempts_ns)
        assert attempts < 70
        bench.opener.error = None
        path.touch()
        await asyncio.sleep(1.1)
        assert bench.link.state is LinkState.READY
        assert len(bench.opener.attempts_ns) == attempts + 1

    on_bench(script, url=str(path))


def test_a_path_that_is_there_but_does_not_open_keeps_to_the_backoff(tmp_path: Path) -> None:
    path = tmp_path / "shoe"
    path.touch()

    async def script(bench: Bench) -> None:
        bench.opener.error = absent()
        bench.start()
        await asyncio.sleep(130)
        assert bench.gaps_s() == [1, 2, 4, 8, 16, 32, 60]

    on_bench(script, url=str(path))


def test_a_close_that_hangs_is_counted_and_the_link_goes_on() -> None:
    async def script(bench: Bench) -> None:
        bench.start()
        await asyncio.sleep(0.1)
        bench.opener.ports[-1].closes = False
        bench.opener.ports[-1].lose(PortError("pulled"))
        await asyncio.sleep(2)
        assert bench.link.counters["close_stuck"] == 1
        assert bench.link.state is LinkState.READY

    on_bench(script)


def test_a_flapping_plug_slows_down_and_a_steady_one_starts_anew() -> None:
    async def script(bench: Bench) -> None:
        bench.start()
        for _ in range(5):
            while not bench.opener.ports or bench.opener.ports[-1].closed:
                await asyncio.sleep(0.1)
            await asyncio.sleep(0.5)
            bench.opener.ports[-1].lose(PortError("pulled"))
            await asyncio.sleep(0.1)
        assert bench.gaps_s() == [2, 3, 5, 9], "waits of 1, 2, 4 and 8 s after half a second each"
        while bench.opener.ports[-1].closed:
            await asyncio.sleep(0.1)
        await asyncio.sleep(11)
        bench.opener.ports[-1].lose(PortError("pulled"))
        await asyncio.sleep(1.2)
        assert not bench.opener.ports[-1].closed, "a second after it was steady it is back"

    on_bench(script)


def test_refusals_and_losses_have_their_states_and_reasons() -> None:
    async def script(bench: Bench) -> None:
        bench.opener.error = PortError("in use by process 7 (minicom)")
        bench.start()
        await asyncio.sleep(5)
        assert bench.link.state is LinkState.BACKOFF
        bench.opener.error = absent()
        await asyncio.sleep(10)
        assert bench.link.state is LinkState.ABSENT
        bench.opener.error = None
        await asyncio.sleep(60)
        bench.opener.ports[-1].lose(PortError("lost: hung up"))
        await asyncio.sleep(0.1)
        reasons = [event.reason for event in bench.events if isinstance(event, LinkChanged)]
        assert reasons[0] == "in use by process 7 (minicom)"
        assert "is not there" in reasons[1]
        assert reasons[2:] == ["", "lost: hung up"]
        assert bench.client.calls[-1] == "served"

    on_bench(script)


def test_a_device_that_is_not_identified_is_tried_again() -> None:
    async def script(bench: Bench) -> None:
        bench.client.identify_error = PortError("took no data")
        bench.start()
        await asyncio.sleep(4)
        assert bench.changes == [(LinkState.BACKOFF, False)]
        assert len(bench.opener.ports) == 3
        bench.client.identify_error = None
        await asyncio.sleep(10)
        assert bench.link.state is LinkState.READY

    on_bench(script)


def test_silence_is_stale_then_reopened() -> None:
    async def script(bench: Bench) -> None:
        bench.start()
        await asyncio.sleep(0.1)
        for _ in range(3):
            await asyncio.sleep(4)
            bench.opener.ports[-1].send(b"x")
        assert bench.link.state is LinkState.READY
        await asyncio.sleep(6)
        assert bench.link.state is LinkState.STALE
        bench.opener.ports[-1].send(b"y")
        await asyncio.sleep(1)
        assert bench.link.state is LinkState.READY
        assert len(bench.opener.ports) == 1
        await asyncio.sleep(12)
        assert len(bench.opener.ports) == 2, "closed and opened anew after the second limit"
        assert bench.client.data == b"xxxy"
        ups = [up for _, up in bench.changes]
        assert ups == [True, False, True, False, False]
        assert bench.link.state is LinkState.IDENTIFYING, "who was silent has to be heard first"
        bench.opener.ports[-1].send(b"z")
        await asyncio.sleep(0.1)
        assert [up for _, up in bench.changes][5:] == [True]
        assert bench.client.data == b"xxxyz"

    on_bench(script, silent_limit_s=5)


def test_without_a_limit_silence_is_legal_for_a_day() -> None:
    async def script(bench: Bench) -> None:
        bench.start()
        await asyncio.sleep(24 * 3600)
        assert bench.changes == [(LinkState.READY, True)]

    on_bench(script)


@pytest.mark.parametrize("limit_s", [0.0, -1.0])
def test_a_silent_limit_must_be_above_zero(limit_s: float) -> None:
    async def main(loop: VirtualLoop) -> None:
        with pytest.raises(ValueError, match="silent_limit_s must be above 0"):
            Bench(loop, limit_s)

    run_virtual(main)


def test_a_bug_in_the_client_leaves_run() -> None:
    async def script(bench: Bench) -> None:
        bench.start()
        await asyncio.sleep(0.1)
        bench.client.receive_error = KeyError("bug")
        bench.opener.ports[-1].send(b"x")
        assert bench.task is not None
        with pytest.raises(KeyError, match="bug"):
            await bench.task
        assert bench.opener.ports[-1].closed

    on_bench(script)


def test_a_dead_reader_thread_leaves_run() -> None:
    async def script(bench: Bench) -> None:
        bench.start()
        await asyncio.sleep(0.1)
        bench.opener.ports[-1].lose(PortDied("a thread ended"))
        assert bench.task is not None
        with pytest.raises(PortDied):
            await bench.task

    on_bench(script)


def test_writing_to_a_closed_link_is_a_port_error() -> None:
    async def script(bench: Bench) -> None:
        with pytest.raises(PortError, match="is not open"):
            await bench.link.write(b"x")

    on_bench(script)
