"""The contract of a `DealerDisplay`, on every back end."""

from __future__ import annotations

import pytest

from drivers.devices.char_display import CharDisplay
from drivers.events import LinkChanged, ShowFailed
from tests.contract.benches import Backend, Events, ScreenEnd, on_display

pytestmark = pytest.mark.parametrize("backend", list(Backend))


def padded(*lines: str) -> str:
    return "\n".join(line.ljust(20) for line in (*lines, "", "", "", "")[:4])


def test_prompts_replace_each_other_whole(backend: Backend) -> None:
    async def script(display: CharDisplay, end: ScreenEnd, events: Events) -> None:
        display.show(["BETTING OPEN", "", "", "LOCK"])
        assert (await events.next(LinkChanged)).up
        await end.until(padded("BETTING OPEN", "", "", "LOCK"))
        display.show(["a newer one", "replaces it"])
        display.show(["CHIPS: 3", "1 2 5", "", "CONFIRM   CALL"])
        await end.until(padded("CHIPS: 3", "1 2 5", "", "CONFIRM   CALL"))
        display.show([])
        display.show(["x"])
        await end.until(padded("x"))

    on_display(backend, script)


def test_what_is_too_long_is_cut_and_said(backend: Backend) -> None:
    async def script(display: CharDisplay, end: ScreenEnd, events: Events) -> None:
        assert (await events.next(LinkChanged)).up
        display.show(["x" * 21, "", "", "", "five"])
        failed = await events.next(ShowFailed)
        assert "line 1 has 21 characters, 5 lines" in failed.reason
        await end.until("x" * 20)

    on_display(backend, script)


def test_all_is_written_again_after_a_reconnection(backend: Backend) -> None:
    async def script(display: CharDisplay, end: ScreenEnd, events: Events) -> None:
        display.show(["one"])
        assert (await events.next(LinkChanged)).up
        await end.unplug()
        assert not (await events.next(LinkChanged)).up
        await end.power_cycle()
        await end.plug()
        await end.until(padded("one"))

    on_display(backend, script)
