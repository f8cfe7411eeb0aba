"""`hil panel`: at a real daemon on the bench, by its keys, as somebody at a terminal of 80x24 and at a large one."""

from __future__ import annotations

import asyncio
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs
from textual.pilot import Pilot
from textual.widgets import Static

from firmware.app.line_levels import LineStatus
from hil.bench import Bench
from hil.layout import layout_of
from hil.technician import rows, run
from hil.technician.app import Panel
from hil.technician.hands import Hands, NoHands
from hil.technician.picture import TablePicture
from hil.technician.rows import Mark, Row
from tests.hil.played import TABLE, run_hil
from tests.hil.test_status_report import GOOD

LIMIT_S = 60.0
SHOWN_S = 1.0
"""By so much the screen follows the table: a key pressed again before that would act on what is not seen yet."""
SMALL, LARGE = (80, 24), (160, 45)


class Technician:
    """Somebody at the panel: presses keys, reads what is on the screen."""

    def __init__(self, panel: Panel, pilot: Pilot[int]) -> None:
        self.panel = panel
        self.pilot = pilot

    def sees(self) -> str:
        """The whole screen as text."""
        picture = self.panel.query_one(TablePicture)
        text = [str(one.content) for one in self.panel.query(Static) if one.is_on_screen]
        if picture.is_on_screen:
            lines = (picture.render_line(y).text for y in range(picture.size.height))
            text += lines
        return "\n".join(text)

    async def waits_for(self, *wanted: str) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not all(one in self.sees() for one in wanted):
                await self.pilot.pause(0.02)

    async def presses(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            while self.panel.doing:
                await self.pilot.pause(0.01)

    async def until(self, fits: Callable[[], bool], key: str) -> None:
        """Press a key until the screen is as wanted."""
        async with asyncio.timeout(LIMIT_S):
            while not fits():
                await self.presses(key)
                shown_by = time.monotonic() + SHOWN_S
                while not fits() and time.monotonic() < shown_by:
                    await self.pilot.pause(0.02)


async def visit(folder: Path) -> None:
    """A small terminal, a large one, another person's, a real table's, a picture in a file, a daemon that goes away:
    six visits to one bench, which is why this test takes its seconds."""
    layout = layout_of(TABLE, folder)
    socket = folder / layout.settings.storage.control
    async with Bench(layout, 1) as bench:
        panel = Panel(socket, await run.first_status(socket), Hands.of(bench, think_ms=0))
        async with panel.run_test(size=SMALL) as pilot:
            await plays(Technician(panel, pilot), bench)
        panel = Panel(socket, await run.first_status(socket), Hands.of(bench, think_ms=0))
        async with panel.run_test(size=LARGE) as pilot:
            await sees_all(Technician(panel, pilot))
        hands = await Hands.attached(await run.first_status(socket))
        panel = Panel(socket, await run.first_status(socket), hands)
        async with panel.run_test(size=SMALL) as pilot:
            await takes_it_away(Technician(panel, pilot))
        await hands.close()
        real = Panel(socket, await run.first_status(socket), NoHands("a real table: the panel only shows"))
        async with real.run_test(size=SMALL) as pilot:
            await only_looks(Technician(real, pilot), bench)
        await saves(socket, folder / "panel.svg")
        panel = Panel(socket, await run.first_status(socket), Hands.of(bench, think_ms=0))
        async with panel.run_test(size=SMALL) as pilot:
            await outlives(Technician(panel, pilot), bench)


async def plays(person: Technician, bench: Bench) -> None:
    await person.waits_for("TABLE CLOSED", "[1 table]", "faults (0)")
    await person.until(lambda: "BETTING OPEN" in person.sees(), "d")
    assert "[   ]" in person.sees().replace("·", " "), "the spot that keys act on"
    await person.presses("down", "right", "space")
    await person.waits_for("[(○)]")
    await person.presses("4")
    await person.waits_for("● ACTIVE      1  lines:8   2/banker\n")
    await person.presses("1", "l")
    await person.waits_for("(●)", "DEAL")
    await bench.sign.call("unplug")
    await person.presses("2")
    await person.waits_for("! F20", "board: link is", "Check cable, power and address")
    await bench.sign.call("plug")
    await person.presses("3")
    await person.waits_for("board: READY", "sim+alpha sign")


async def sees_all(person: Technician) -> None:
    """Picture and lists side by side; the machine in the place of the lines."""
    await person.waits_for("(●)", "shoe: READY", "lines:8   2/banker", "in order", "mega")
    assert "journal: " not in person.sees()
    await person.presses("5")
    await person.waits_for("journal: ", "(●)", "shoe: READY")
    assert "2/banker" not in person.sees()


async def takes_it_away(person: Technician) -> None:
    """A second panel knows the chip that lies there, and has no dealer of its own."""
    await person.waits_for("(●)")
    await person.presses("down", "right", "space")
    await person.presses("4")
    await person.waits_for("rest        2  lines:8   2/banker")
    assert not person.panel.check_action("do", ("deal",)), "its people deal"


async def only_looks(person: Technician, bench: Bench) -> None:
    before = await bench.chip.levels()
    assert "[" not in person.sees().split("\n", 2)[2].replace("[1 table]", ""), "no spot to act on"
    await person.presses("space", "l", "c", "f")
    assert await bench.chip.levels() == before
    assert list(person.panel.news) == ["> a real table: the panel only shows"]
    assert "space" not in {binding.key for _, binding, enabled, _ in person.panel.active_bindings.values() if enabled}


async def saves(socket: Path, file: Path) -> None:
    assert await run.attached(socket, file, LARGE) == 0
    text = file.read_text("utf-8")
    root = ElementTree.fromstring(text)
    seen = "\n".join("".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text"))
    for wanted in ("MB-SIM", "reader", "2/banker", "shoe:"):
        assert wanted in seen.replace("\xa0", " ")
    assert "@font-face" not in text and "url(http" not in text, "nothing is fetched from elsewhere"


async def outlives(person: Technician, bench: Bench) -> None:
    """The daemon goes and comes back; the panel says so and stays."""
    await person.waits_for("MB-SIM")
    assert bench.daemon is not None
    await bench.daemon.end()
    await person.waits_for("what is shown is old")
    await bench.start_daemon()
    async with asyncio.timeout(LIMIT_S):
        while "what is shown is old" in person.sees():
            await person.pilot.pause(0.02)


def test_a_technicians_visit() -> None:
    with tempfile.TemporaryDirectory(prefix="hil-") as folder:
        asyncio.run(visit(Path(folder)))


def test_without_a_daemon_or_with_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    done = run_hil("panel", "--run-dir", tmp_path)
    assert done.returncode == 2 and str(tmp_path / "control.sock") in done.stderr
    assert run_hil("panel", "--table", TABLE, "--svg", tmp_path / "no" / "x.svg").returncode == 2


def test_a_real_table_has_no_hands_and_says_so() -> None:
    with pytest.raises(NoHands, match="a real table: the panel only shows"):
        asyncio.run(Hands.attached(GOOD))


# --- lists ------------------------------------------------------------------------------------------------------------


def test_no_line_is_told_by_colour_alone() -> None:
    status = structs.replace(
        GOOD,
        lines=(
            LineStatus("1/tie", "lines", 4, True, "", 3),
            LineStatus("2/tie", "lines", 5, False, "chatter", 99),
            LineStatus("lockout", "lines", 6),
        ),
    )
    assert list(rows.lines(status)) == [
        Row(Mark.ACTIVE, "ACTIVE      3  lines:4  1/tie"),
        Row(Mark.WRONG, "rest       99  lines:5  2/tie  CHATTER"),
        Row(Mark.UNKNOWN, "unknown     0  lines:6  lockout"),
    ]


@pytest.mark.parametrize(("seconds", "told"), [(2.0, {"shoe": "44 frames/s"}), (0.0, {})])
def test_a_link_that_moves_says_how_fast(seconds: float, told: dict[str, str]) -> None:
    def with_frames(count: int) -> object:
        (shoe,) = GOOD.devices
        return structs.replace(GOOD, devices=(structs.replace(shoe, counters={"frames": count}),))

    assert rows.rates_of(with_frames(12), with_frames(100), seconds) == told  # type: ignore[arg-type]
    assert rows.rates_of(with_frames(12), with_frames(12), 2.0) == {}  # type: ignore[arg-type]


def test_a_link_that_is_away_or_leased_says_so() -> None:
    (shoe,) = GOOD.devices
    away = structs.replace(GOOD, devices=(structs.replace(shoe, link="backoff", trouble="unplugged"),))
    assert next(rows.links(away, {})) == Row(Mark.WRONG, "shoe: BACKOFF (unplugged)")
    assert next(rows.faults(away)).mark is Mark.WRONG
    assert list(rows.faults(GOOD)) == [Row(Mark.GOOD, "in order")]
