"""Line expanders with every fault of their buses: what is lost is told, what comes back has every level, and nothing
that was not there is ever seen. The drivers' own code, up to the transaction, against the simulators as processes."""

from __future__ import annotations

import pytest

from drivers.events import CommonModeBurst, LineChanged, LinesReady, LinesSettled, LinkChanged
from drivers.ports import LineInputs
from tests.contract.polled import CHAIN, MCP, MCP_INTERRUPT, Expander, ExpanderEnd
from tests.drivers.recorder import Recorder

LOST = {
    "MCP23017": (MCP, (("refuse", 9, "Remote I/O"), ("held", 9, "timed out"), ("reset", 1, "reset"))),
    "MCP23017 with its interrupt": (
        MCP_INTERRUPT,
        (("int_stuck", 1, "stays low"), ("reset", 1, "reset")),
    ),
    "74HC165": (
        CHAIN,
        (("cut_low", 0, "all zeros"), ("cut_low", 2, "the chain is cut"), ("cut_high", 1, "the chain is cut"),
         ("cut_high", 0, "plugged in"), ("shift", 1 << 20, "disturbed"), ("refuse", 9, "Remote I/O")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOST)
def test_a_fault_is_told_and_over_it_every_level_is_there_again(name: str) -> None:
    expander, faults = LOST[name]

    async def script(device: LineInputs, end: ExpanderEnd, recorder: Recorder) -> None:
        await recorder.wait(LinesReady)
        await end.set(3, True)
        await recorder.wait(LineChanged)
        for count, (kind, times, why) in enumerate(faults, start=1):
            await end.client.call("fault", kind=kind, times=times)
            down = await recorder.wait(LinkChanged, lambda event: not event.up, count)
            assert why in down.reason, (kind, down.reason)
            await end.client.call("calm")
            ready = await recorder.wait(LinesReady, count=count + 1)
            assert [level.line for level in ready.levels if level.active] == ["spot3"], kind
            await recorder.wait(LinkChanged, lambda event: event.up, count + 1)
        assert len(recorder.all(LineChanged)) == 1 and not recorder.all(CommonModeBurst)

    expander.play(script)


@pytest.mark.parametrize("expander", [MCP, CHAIN], ids=["MCP23017", "74HC165"])
def test_two_bad_reads_in_a_row_cost_nothing(expander: Expander) -> None:
    async def script(device: LineInputs, end: ExpanderEnd, recorder: Recorder) -> None:
        await recorder.wait(LinesReady)
        await end.client.call("fault", kind="refuse", times=2)
        await end.set(5, True)
        changed = await recorder.wait(LineChanged)
        assert (changed.line, changed.active) == ("spot5", True)
        assert not [event for event in recorder.all(LinkChanged) if not event.up]
        assert device.counters["missed_reads"] == 2 == device.counters["failed_level_reads"]

    expander.play(script)


def test_a_flipped_bit_is_no_chip() -> None:
    """A level is not protected on I2C: one that is wrong once does not last, wherever it strikes."""

    async def script(device: LineInputs, end: ExpanderEnd, recorder: Recorder) -> None:
        await recorder.wait(LinesReady)
        for line in range(4):
            await end.client.call("fault", kind="flip", times=1)
            await end.set(line, True)
            changed = await recorder.wait(LineChanged, count=line + 1)
            assert (changed.line, changed.active) == (f"spot{line}", True)

    MCP.play(script)


def test_the_interrupt_s_time_is_the_change_s() -> None:
    """But for a change that falls into a read: then it is between that read and the next."""

    async def script(device: LineInputs, end: ExpanderEnd, recorder: Recorder) -> None:
        await recorder.wait(LinesReady)
        seen = 0
        for line in (0, 6, 7):  # on two chips
            exact, on = False, False
            while not exact or not on:
                on = not on
                at_ns = await end.set(line, on)
                seen += 1
                changed = await recorder.wait(LineChanged, count=seen)
                assert (changed.line, changed.active) == (f"spot{line}", on)
                assert changed.not_before_ns <= at_ns <= changed.not_after_ns
                exact = changed.not_before_ns == changed.not_after_ns
                assert seen < 30, "never exact"
        device.settle(at_ns)
        settled = await recorder.wait(LinesSettled)
        verdicts = {verdict.line: verdict for verdict in settled.verdicts}
        assert verdicts["spot0"].active and not verdicts["spot0"].straddles
        assert not verdicts["spot7"].active and not verdicts["spot7"].straddles, "a tie is known to be one"
        assert device.counters["interrupts"] >= 3

    MCP_INTERRUPT.play(script)


def test_a_dead_interrupt_line_is_never_a_silent_return_to_polling() -> None:
    async def script(device: LineInputs, end: ExpanderEnd, recorder: Recorder) -> None:
        await recorder.wait(LinkChanged, lambda event: event.up)
        await end.client.call("fault", kind="int_dead", times=1)
        for count, on in enumerate((True, False), start=1):
            await end.set(2, on)
            changed = await recorder.wait(LineChanged, count=count)
            assert changed.not_before_ns < changed.not_after_ns, "an interval, since nobody told"
        await end.set(2, True)
        down = await recorder.wait(LinkChanged, lambda event: not event.up)
        assert "did not tell" in down.reason
        # It does not come back before the line works: each opening tries it.
        await end.client.call("calm")
        ready = await recorder.wait(LinesReady, count=2)
        assert [level.line for level in ready.levels if level.active] == ["spot2"]

    MCP_INTERRUPT.play(script)
