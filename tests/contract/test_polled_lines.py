"""The contract of `LineInputs` where lines are only polled, on every back end: levels are true, times are intervals."""

from __future__ import annotations

import pytest

from drivers.events import LineChanged, LinesReady, LinesSettled, LinkChanged, LinkState
from drivers.ports import LineInputs, Timestamps
from tests.contract.polled import POLLED, End, Recorder


@pytest.mark.parametrize("backend", POLLED)
class TestPolledLines:
    def test_start_gives_levels_and_no_changes(self, backend: str) -> None:
        async def script(device: LineInputs, end: End, recorder: Recorder) -> None:
            assert device.timestamps is Timestamps.NONE
            assert device.identity.startswith("sim+")
            await recorder.wait(LinkChanged, lambda event: event.up)
            assert device.link is LinkState.READY
            ready, up = recorder.events
            assert isinstance(ready, LinesReady) and isinstance(up, LinkChanged)
            assert [level.active for level in ready.levels] == [False] * 8

        POLLED[backend](script)

    def test_a_chip_comes_and_goes_within_its_interval(self, backend: str) -> None:
        async def script(device: LineInputs, end: End, recorder: Recorder) -> None:
            await recorder.wait(LinesReady)
            came_ns = await end.set(2, True)
            came = await recorder.wait(LineChanged)
            assert (came.line, came.active) == ("spot2", True)
            assert came.not_before_ns <= came_ns and came.not_before_ns <= came.not_after_ns
            await end.set(2, False)
            left = await recorder.wait(LineChanged, count=2)
            assert (left.line, left.active) == ("spot2", False)
            assert left.not_before_ns >= came.not_after_ns

        POLLED[backend](script)

    def test_what_lies_there_at_the_press_counts_and_what_comes_after_does_not(self, backend: str) -> None:
        async def script(device: LineInputs, end: End, recorder: Recorder) -> None:
            await recorder.wait(LinesReady)
            await end.set(0, True)
            there = await recorder.wait(LineChanged)
            press_ns = there.decided_ns + 1
            device.settle(press_ns)
            settled = await recorder.wait(LinesSettled)
            assert settled.at_ns == press_ns
            verdicts = {v.line: v for v in settled.verdicts}
            assert len(verdicts) == 8
            first = verdicts["spot0"]
            assert (first.active, first.straddles, first.contradicted) == (True, False, False)
            assert not any(v.active or v.straddles or v.contradicted for n, v in verdicts.items() if n != "spot0")
            device.settle(there.not_before_ns)  # a press before it came: it is late, whoever asks when
            again = await recorder.wait(LinesSettled, count=2)
            assert not again.verdicts[0].active or again.verdicts[0].straddles

        POLLED[backend](script)

    def test_unsettle_takes_the_question_back(self, backend: str) -> None:
        async def script(device: LineInputs, end: End, recorder: Recorder) -> None:
            ready = await recorder.wait(LinesReady)
            device.settle(ready.at_ns)
            device.unsettle()
            device.settle(ready.at_ns + 1)
            assert (await recorder.wait(LinesSettled)).at_ns == ready.at_ns + 1
            assert len(recorder.all(LinesSettled)) == 1

        POLLED[backend](script)

    def test_a_dead_device_proves_nothing_and_comes_back_with_every_level(self, backend: str) -> None:
        async def script(device: LineInputs, end: End, recorder: Recorder) -> None:
            await recorder.wait(LinkChanged, lambda event: event.up)
            await end.power(False)
            down = await recorder.wait(LinkChanged, lambda event: not event.up)
            assert "no answer from" in down.reason and device.link is not LinkState.READY
            device.settle(down.at_ns)
            settled = await recorder.wait(LinesSettled)
            assert all(v.contradicted and not v.active for v in settled.verdicts)
            await end.set(4, True)
            await end.power(True)
            ready = await recorder.wait(LinesReady, count=2)
            assert [level.line for level in ready.levels if level.active] == ["spot4"]
            assert not recorder.all(LineChanged)

        POLLED[backend](script)

    def test_it_is_down_before_it_says_that_it_can_prove_nothing(self, backend: str) -> None:
        """The order tells the table that the device is away, and not that every spot's level contradicts its edges."""

        async def script(device: LineInputs, end: End, recorder: Recorder) -> None:
            ready = await recorder.wait(LinesReady)
            await end.power(False)
            device.settle(ready.at_ns)  # its window is over at once, and the read that it waits for never comes
            settled = await recorder.wait(LinesSettled)
            if settled.verdicts[0].contradicted:  # else a read was under way
                down = [n for n, event in enumerate(recorder.events) if isinstance(event, LinkChanged) and not event.up]
                assert down and down[0] < recorder.events.index(settled)

        POLLED[backend](script)

    def test_unplugged_it_is_down_and_plugged_in_again_it_is_up(self, backend: str) -> None:
        async def script(device: LineInputs, end: End, recorder: Recorder) -> None:
            await recorder.wait(LinkChanged, lambda event: event.up)
            await end.plug(False)
            await recorder.wait(LinkChanged, lambda event: not event.up)
            await end.plug(True)
            await recorder.wait(LinkChanged, lambda event: event.up, count=2)
            assert len(recorder.all(LinesReady)) == 2
            assert device.link is LinkState.READY

        POLLED[backend](script)
