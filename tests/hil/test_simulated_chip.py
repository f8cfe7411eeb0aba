"""The simulated line chip as a process: its control socket, and every fault it can be told, seen from the device."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from drivers.codecs.simchip import Hello, Refused, SetOutput, SimChipDecoder, encode
from drivers.devices.line_inputs import GpioLineInputs, LineInputsSettings
from drivers.events import (
    CommonModeBurst,
    LateLineEdge,
    LineChanged,
    LineEdge,
    LineGlitch,
    LineHealthy,
    LineReconciled,
    LinesReady,
    LinesSettled,
    LineTrouble,
    LineTroubled,
)
from drivers.gpio.backends import GpioBackend, gpio_pins
from drivers.line_spec import DecisionWindow, LineRole, LineSpec
from hil.chip_control import ChipControl, ChipControlError, SimulatedChip, simulated_chip
from tests.drivers.recorder import Recorder

MS = 1_000_000
LOCK = 0
SPOTS = range(1, 6)
LINES = (
    LineSpec("lock", LOCK, LineRole.LOCK_OUT, normally_closed=True),
    *(LineSpec(f"spot{n}", n, LineRole.SPOT) for n in SPOTS),
)
WINDOW = DecisionWindow(30 * MS, 60 * MS, 60 * MS)


def play(folder: Path, script: Callable[[SimulatedChip, GpioLineInputs, Recorder], Awaitable[None]]) -> None:
    async def main() -> None:
        async with simulated_chip(folder, lines=len(LINES), pixels=0, closed=[LOCK]) as chip:
            pins = gpio_pins(GpioBackend.SIMULATED, socket=chip.socket)
            device = GpioLineInputs(LineInputsSettings("table", LINES, window=WINDOW, settle_ns=0), pins)
            recorder = Recorder()
            async with recorder.running(device):
                await recorder.wait(LinesReady)
                await script(chip, device, recorder)

    asyncio.run(main())


class TestFaults:
    def test_bouncing_contact_is_one_press_at_the_run_that_lasted(self, tmp_path: Path) -> None:
        async def script(chip: SimulatedChip, device: GpioLineInputs, recorder: Recorder) -> None:
            first_ns = await chip.control.bounce(LOCK, True, times=4, gap_us=500)
            pressed = await recorder.wait(LineChanged)
            assert first_ns + 3 * MS < pressed.not_before_ns
            assert len(recorder.all(LineGlitch)) <= 1
            assert recorder.all(LineEdge)[-1].at_ns == pressed.not_before_ns

        play(tmp_path, script)

    def test_chatter_puts_a_spot_out_of_order_until_it_was_quiet(self, tmp_path: Path) -> None:
        async def script(chip: SimulatedChip, device: GpioLineInputs, recorder: Recorder) -> None:
            await chip.control.chatter(1, changes=31, gap_ms=5)
            troubled = await recorder.wait(LineTroubled)
            assert (troubled.line, troubled.trouble) == ("spot1", LineTrouble.CHATTER)
            healthy = await recorder.wait(LineHealthy)
            assert (healthy.line, healthy.active) == ("spot1", True)
            assert healthy.at_ns - troubled.at_ns >= 2_000 * MS

        play(tmp_path, script)

    def test_stuck_line_stays_where_it_is(self, tmp_path: Path) -> None:
        async def script(chip: SimulatedChip, device: GpioLineInputs, recorder: Recorder) -> None:
            await chip.control.stick(2, False)
            await recorder.wait(LineChanged)
            await chip.control.set(2, True)
            assert (await chip.control.levels())[2] is False
            await chip.control.unstick(2)
            assert not (await recorder.wait(LineChanged, count=2)).active

        play(tmp_path, script)

    def test_burst_on_all_lines_changes_nothing(self, tmp_path: Path) -> None:
        async def script(chip: SimulatedChip, device: GpioLineInputs, recorder: Recorder) -> None:
            await chip.control.burst(ms=2)
            burst = await recorder.wait(CommonModeBurst)
            assert burst.lines == len(LINES)
            assert not recorder.all(LineChanged)
            assert len(recorder.all(LineEdge)) == len(recorder.all(LineGlitch)) <= 1

        play(tmp_path, script)

    def test_doubled_reordered_and_delayed_edges_change_no_decision(self, tmp_path: Path) -> None:
        async def script(chip: SimulatedChip, device: GpioLineInputs, recorder: Recorder) -> None:
            await chip.control.faults(delay_ms=30, reorder=True, double_share=1.0, seed=7)
            steps = [(0, 1, False), (100, 2, False), (1_100, LOCK, True), (2_100, 3, False)]
            times = await chip.control.script(steps)
            pressed = await recorder.wait(LineEdge)
            assert pressed.at_ns == times[2]
            device.settle(pressed.at_ns)
            settled = await recorder.wait(LinesSettled)
            assert [verdict.active for verdict in settled.verdicts] == [True, True, False, False, False]
            assert not any(verdict.contradicted for verdict in settled.verdicts)
            assert device.counters["doubled_edges"] >= 3

        play(tmp_path, script)

    def test_dropped_edge_contradicts_and_is_mended(self, tmp_path: Path) -> None:
        async def script(chip: SimulatedChip, device: GpioLineInputs, recorder: Recorder) -> None:
            await chip.control.faults(drop_share=1.0)
            at_ns = await chip.control.set(1, False)
            device.settle(at_ns + 1)
            settled = await recorder.wait(LinesSettled)
            assert settled.verdicts[0].contradicted
            mended = await recorder.wait(LineReconciled)
            assert mended.active and mended.not_before_ns < at_ns < mended.not_after_ns

        play(tmp_path, script)

    def test_edge_beyond_the_window_is_told_as_late(self, tmp_path: Path) -> None:
        async def script(chip: SimulatedChip, device: GpioLineInputs, recorder: Recorder) -> None:
            await chip.control.faults(late_share=1.0, late_from_ms=250, late_to_ms=260)
            at_ns = await chip.control.set(1, False)
            device.settle(at_ns + 1)
            settled = await recorder.wait(LinesSettled)
            assert not settled.verdicts[0].active
            late = await recorder.wait(LateLineEdge)
            assert (late.line, late.at_ns, late.settled_ns) == ("spot1", at_ns, at_ns + 1)
            assert late.lateness_ns >= 250 * MS

        play(tmp_path, script)

    def test_killed_chip_that_comes_back_is_found_again(self, tmp_path: Path) -> None:
        async def main() -> None:
            pins = gpio_pins(GpioBackend.SIMULATED, socket=tmp_path / "chip.socket")
            device = GpioLineInputs(LineInputsSettings("table", LINES, window=WINDOW, settle_ns=0), pins)
            recorder = Recorder()
            async with recorder.running(device):
                for count in (1, 2):
                    async with simulated_chip(tmp_path, lines=len(LINES), pixels=0) as chip:
                        await recorder.wait(LinesReady, count=count)
                        chip.process.kill()
                        await chip.process.wait()
            assert device.counters["opens"] == 2

        asyncio.run(main())


class TestControl:
    def test_refusals_say_what_was_expected(self, tmp_path: Path) -> None:
        async def main() -> None:
            async with simulated_chip(tmp_path, lines=3, pixels=0) as chip:
                with pytest.raises(ChipControlError, match="line 3: this chip has lines 0 to 2"):
                    await chip.control.set(3, True)
                with pytest.raises(ChipControlError, match="no such fault dealy_ms; expected some of delay_ms"):
                    await chip.control.faults(dealy_ms=3)
                with pytest.raises(ChipControlError, match="drop_share is 2"):
                    await chip.control.faults(drop_share=2)
                reader, writer = await asyncio.open_unix_connection(chip.control_path)
                for request, says in (
                    (b"nonsense\n", "not JSON"),
                    (b"[]\n", "expected an object"),
                    (b'{"do": "fly"}\n', "expected one of set"),
                    (b'{"do": "set", "line": true, "high": 1}\n', "expected int"),
                    (b'{"do": "script", "steps": [[0, 1]]}\n', "step 0"),
                ):
                    writer.write(request)
                    answer = json.loads(await reader.readline())
                    assert not answer["ok"] and says in answer["error"]
                writer.close()
                assert (await chip.control.levels()) == [True] * 3

        asyncio.run(main())

    def test_daemon_that_speaks_nonsense_is_refused_and_others_go_on(self, tmp_path: Path) -> None:
        async def main() -> None:
            async with simulated_chip(tmp_path, lines=3, pixels=0) as chip:
                for wrong in (encode(SetOutput(1, True)), encode(Hello()) + encode(SetOutput(9, True)), b"\xff" * 9):
                    reader, writer = await asyncio.open_unix_connection(chip.socket)
                    writer.write(wrong)
                    frames = SimChipDecoder().feed(await reader.read())
                    assert [type(frame) for frame in frames] == [Hello, Refused]
                    writer.close()
                assert await chip.control.set(1, False) > 0

        asyncio.run(main())

    def test_sockets_are_private_and_gone_after_the_end(self, tmp_path: Path) -> None:
        async def main() -> None:
            async with simulated_chip(tmp_path, lines=3, pixels=0) as chip:
                for path in (chip.socket, chip.control_path):
                    assert path.stat().st_mode & 0o777 == 0o600
                chip.process.send_signal(signal.SIGINT)
                assert await chip.process.wait() == 0
            assert not list(tmp_path.iterdir())

        asyncio.run(main())

    def test_no_chip_is_an_error_with_the_path(self, tmp_path: Path) -> None:
        with pytest.raises(ChipControlError, match="Is the simulated line chip running"):
            asyncio.run(ChipControl.connect(tmp_path / "none"))


def test_stale_sockets_of_a_killed_chip_are_taken_over(tmp_path: Path) -> None:
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(tmp_path / "chip.socket"))
    stale.close()

    async def main() -> None:
        async with simulated_chip(tmp_path, lines=3, pixels=0) as chip:
            assert len(await chip.control.levels()) == 3

    asyncio.run(main())
