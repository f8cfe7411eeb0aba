"""When sign and display are written to: rates, repeats, failures. On virtual time."""

from __future__ import annotations

import asyncio
import io
import itertools
from collections.abc import Awaitable, Callable

import pytest

from drivers.codecs import alpha
from drivers.devices import alpha_board, char_display, terminal_display
from drivers.events import DeviceEvent, LinkChanged, LinkState, ShowFailed, Shown
from drivers.links.port import PortStalled
from drivers.ports import BoardContent
from tests.contract.benches import Events, ScriptedDisplay, ScriptedSign, running
from tests.scripted_port import ScriptedOpener
from tests.virtual_time import VirtualLoop, run_virtual

SECOND_NS = 1_000_000_000
MEMORY = alpha_board.MemorySetup


class SignBench:
    def __init__(self, loop: VirtualLoop, memory: MEMORY = MEMORY.AT_CONNECTION) -> None:
        self.loop = loop
        self.opener = ScriptedOpener()
        self.end = ScriptedSign(self.opener, loop)
        self.board = alpha_board.create(
            name="board", url="scripted://port", now_ns=loop.now_ns, opener=self.opener, memory=memory
        )
        self.events: Events

    def strings_ns(self) -> list[int]:
        """Times of the STRING writes of the present connection."""
        return [at_ns for at_ns, data in self.opener.ports[-1].writes if packet(data)[5:6] == b"G"]


def packet(data: bytes) -> bytes:
    """A write without the NULs that come before it."""
    return data.lstrip(b"\0")


def on_sign(script: Callable[[SignBench], Awaitable[None]], memory: MEMORY = MEMORY.AT_CONNECTION) -> None:
    async def main(loop: VirtualLoop) -> None:
        bench = SignBench(loop, memory)
        bench.board.show(content(0, 0, 0))
        async with running(bench.board) as bench.events:
            assert (await bench.events.next(LinkChanged)).up
            await script(bench)

    run_virtual(main)


def content(mega: int, major: int, minor: int, message: str = "") -> BoardContent:
    return BoardContent("T", (("MEGA", str(mega)), ("MAJOR", str(major)), ("MINOR", str(minor))), message)


def test_meters_are_written_at_most_twice_a_second_and_all_get_their_turn() -> None:
    async def script(bench: SignBench) -> None:
        before = len(bench.strings_ns())
        for step in range(1, 601):  # ten changes of every meter a second, for a minute
            bench.board.show(content(step, step, step))
            await asyncio.sleep(0.1)
        times = bench.strings_ns()[before:]
        assert all(later - earlier >= SECOND_NS // 2 for earlier, later in itertools.pairwise(times))
        assert 118 <= len(times) <= 121
        assert bench.end.model.counters["strings"] == len(bench.strings_ns())
        shown = bench.end.model.files
        assert all(600 - int(shown[label]) <= 15 for label in "123"), "none is older than its turn of 1.5 s"
        await asyncio.sleep(1.5)
        assert bench.end.model.screen == "T  MEGA 600  MAJOR 600  MINOR 600"

    on_sign(script)


def test_a_message_does_not_wait_for_meters() -> None:
    async def script(bench: SignBench) -> None:
        bench.board.show(content(1, 1, 1))
        await asyncio.sleep(0.01)
        bench.board.show(content(2, 2, 2, "WIN"))
        await asyncio.sleep(0.01)
        assert bench.end.model.screen == "WIN"
        bench.board.show(content(2, 2, 2))
        await asyncio.sleep(0.01)
        assert packet(bench.opener.ports[-1].writes[-1][1]) == packet(alpha.encode(alpha.ReleasePriority()))

    on_sign(script)


def test_before_each_packet_the_line_is_quiet_for_a_tenth_of_a_second() -> None:
    """As NULs: at 9600 baud 7E1, ten bits a character, 96 of them; they can't end before the packet before has left."""

    async def script(bench: SignBench) -> None:
        for _, data in bench.opener.ports[-1].writes:
            assert len(data) - len(packet(data)) == 96 + 5

    on_sign(script)


def test_everything_is_written_each_ten_minutes_without_erasing() -> None:
    async def script(bench: SignBench) -> None:
        written = len(bench.opener.ports[-1].writes)
        await asyncio.sleep(599)
        assert len(bench.opener.ports[-1].writes) == written, "nothing changed, nothing is written"
        bench.end.model.obey(alpha.WriteString("1", "damaged"))
        await asyncio.sleep(4)
        assert bench.end.model.screen == "T  MEGA 0  MAJOR 0  MINOR 0"
        assert len(bench.opener.ports[-1].writes) == written + 5
        assert bench.end.model.counters["configurations"] == 1

    on_sign(script)


def test_a_commissioned_sign_is_never_configured() -> None:
    async def script(bench: SignBench) -> None:
        assert bench.end.model.counters["configurations"] == 0
        assert bench.end.model.screen == "T  MEGA   MAJOR   MINOR ", "as new it has no place for strings"
        bench.end.model.obey(alpha_board.memory_configuration())
        bench.opener.ports[-1].lose(PortStalled("pulled"))
        await asyncio.sleep(2)
        assert bench.end.model.screen == "T  MEGA 0  MAJOR 0  MINOR 0"

    on_sign(script, MEMORY.COMMISSIONED)


@pytest.mark.parametrize("memory", list(MEMORY))
@pytest.mark.parametrize("packets", range(6))
def test_a_push_that_was_cut_off_is_made_whole_at_the_next_connection(
    memory: alpha_board.MemorySetup, packets: int
) -> None:
    """Cut after so many packets of it, with a win on the sign that has ended meanwhile."""

    async def script(bench: SignBench) -> None:
        if memory is MEMORY.COMMISSIONED:
            bench.end.model.obey(alpha_board.memory_configuration())
        bench.board.show(content(7, 7, 7, "WIN"))
        await asyncio.sleep(3)
        bench.opener.ports[-1].lose(PortStalled("pulled"))
        bench.board.show(content(8, 8, 8))
        while len(bench.opener.ports) < 2 or len(bench.opener.ports[-1].writes) < packets:
            await asyncio.sleep(0.001)
        bench.opener.ports[-1].lose(PortStalled("pulled again"))
        await asyncio.sleep(5)
        assert bench.end.model.screen == "T  MEGA 8  MAJOR 8  MINOR 8"
        assert len(bench.opener.ports) == 3

    on_sign(script, memory)


def test_a_sign_that_takes_nothing_is_a_failed_show_and_a_lost_link() -> None:
    async def script(bench: SignBench) -> None:
        bench.opener.ports[-1].write_error = PortStalled("took no data for 2 s")
        bench.board.show(content(0, 0, 0, "WIN"))
        assert (await bench.events.next(ShowFailed)).reason == "took no data for 2 s"
        down = await bench.events.next(LinkChanged)
        assert (down.state, down.up) == (LinkState.BACKOFF, False)
        assert bench.board.counters["write_timeouts"] == 1
        assert (await bench.events.next(LinkChanged)).up
        assert bench.end.model.screen == "WIN"

    on_sign(script)


def test_content_that_never_fitted_is_told_when_the_device_starts() -> None:
    async def main(loop: VirtualLoop) -> None:
        bench = SignBench(loop)
        bench.board.show(BoardContent("T", (), "x" * 200))
        async with running(bench.board) as events:
            assert "125 bytes, got 200" in (await events.next(ShowFailed)).reason
            assert (await events.next(LinkChanged)).up

    run_virtual(main)


def test_the_display_gets_differences_and_a_repaint_each_minute() -> None:
    async def main(loop: VirtualLoop) -> None:
        opener = ScriptedOpener()
        end = ScriptedDisplay(opener, loop)
        display = char_display.create(name="dealer", url="scripted://port", now_ns=loop.now_ns, opener=opener)
        display.show(["CHIPS: 3", "", "", "CONFIRM"])
        async with running(display) as events:
            assert (await events.next(LinkChanged)).up
            writes = opener.ports[-1].writes
            display.show(["CHIPS: 4", "", "", "CONFIRM"])
            await asyncio.sleep(0.01)
            assert [data for _, data in writes[1:]] == [bytes.fromhex("FE470801") + b"4"]
            display.show(["CHIPS: 4", "", "", "CONFIRM"])
            await asyncio.sleep(59)
            assert len(writes) == 2
            end.decoder.feed(b"\xfe\x58")  # something cleared it
            await asyncio.sleep(2)
            assert len(writes) == 3
            assert end.decoder.lines[0].rstrip() == "CHIPS: 4"

    run_virtual(main)


def test_the_terminal_display_writes_each_screen_whole_and_says_when_it_can_t() -> None:
    out = io.StringIO()
    got: list[DeviceEvent] = []

    async def main(loop: VirtualLoop) -> None:
        display = terminal_display.create(name="d", now_ns=loop.now_ns, out=out)
        display.show(["BEFORE IT RUNS"])
        task = asyncio.ensure_future(display.run(got.append))
        await asyncio.sleep(0)
        display.show(["DEAL", "PLAYER CARD 1"])
        display.show(["DEAL", "PLAYER CARD 1"])
        assert out.getvalue().count("|PLAYER CARD 1       |") == 1, "the same again is not written"
        out.close()
        display.show(["PAY AND COLLECT"])
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert display.link is LinkState.ABSENT

    run_virtual(main)
    assert [type(event) for event in got] == [LinkChanged, Shown, Shown, ShowFailed]


def test_a_device_that_is_stopped_as_something_new_comes_stops() -> None:
    """The daemon lends the sign and tells it so at once: the stop must not be lost in the news."""

    async def main(loop: VirtualLoop) -> None:
        sign, display = ScriptedOpener(), ScriptedOpener()
        ScriptedSign(sign, loop)
        ScriptedDisplay(display, loop)
        board = alpha_board.create(name="board", url="scripted://port", now_ns=loop.now_ns, opener=sign)
        screen = char_display.create(name="display", url="scripted://port", now_ns=loop.now_ns, opener=display)
        shows: list[tuple[alpha_board.AlphaBoard | char_display.CharDisplay, Callable[[], None]]] = [
            (board, lambda: board.show(content(1, 1, 1))),
            (screen, lambda: screen.show(["LEASED", "", "", ""])),
        ]
        for device, show in shows:
            for hops in range(4):  # the news may be some turns of the loop ahead of the stop
                task = asyncio.ensure_future(device.run(lambda _event: None))
                await asyncio.sleep(30)
                assert device.link is LinkState.READY
                show()
                for _ in range(hops):
                    await asyncio.sleep(0)
                task.cancel()
                done, _ = await asyncio.wait([task], timeout=5)
                assert done, f"{device.name} runs on, {hops} turns after the news"

    run_virtual(main)
