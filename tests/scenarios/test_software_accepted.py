"""A whole simulated table whose software nobody has signed: what people see, and how two of them let it play."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from pathlib import Path

from firmware.app import order_command
from firmware.app.program import programs
from firmware.core.effects import DifferencesAccepted
from firmware.core.events import OrderGiven
from firmware.core.identity import Part
from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC
from hil import daemon
from hil.bench import Bench
from hil.dealer_screen import DealerScreen, Title
from hil.floorperson import Floorperson
from hil.layout import layout_of
from tests.app.rig import CONFIG

APPROVER = "0123456789abcdef" * 4


async def no_pause() -> None:
    return


async def ordered(config: Path, mark: str) -> int:
    """Exit status of the order on the command line."""
    who = ["--first", "Ann Lee", "--second", "Bob Roe", "--reason", "manifest is on its way, ticket 12"]
    return await asyncio.to_thread(
        order_command.main, "accept-difference", ["--mark", mark, *who, "--config", str(config)]
    )


async def play(folder: Path, config: Path) -> None:
    async with Bench(layout_of(config, folder), seed=1) as bench:
        watching = asyncio.ensure_future(bench.watch())
        screen = DealerScreen(bench.display)
        floorperson = Floorperson(bench.panel, screen, no_pause)
        await screen.until("the fault on a closed table", lambda s: s.trouble == "SOFTWARE DIFFERS")
        await floorperson.open_table()
        await floorperson.new_shoe()
        seen = await screen.until("the mark", lambda s: s.title == Title.NO_WAGERS and "MARK" in s.trouble)
        assert seen.prompt == "SOFTWARE DIFFERS"
        mark = seen.trouble.removeprefix("2 KEYS MARK ")
        status = daemon.decode(await daemon.status_line(folder / "control.sock"))
        assert status.software is not None and status.software.mark == mark
        assert str((await bench.sign.call("screen"))["screen"]).startswith("NO WAGERS  SOFTWARE CHECK")

        assert await ordered(config, mark) == 1, "no key is turned"
        await bench.panel.turn_floor_key(True)
        assert await ordered(config, mark) == 1, "one key is not two"
        await bench.panel.turn_reset_key(True)
        await screen.until("the menu", lambda s: s.is_menu)
        async with asyncio.timeout(20):
            while (taken := await ordered(config, mark)) != 0:  # until both contacts of the key have been read
                await asyncio.sleep(0.02)
        assert taken == 0
        assert await ordered(config, mark) == 1, "there is nothing left to accept"
        await bench.panel.turn_reset_key(False)
        await bench.panel.turn_floor_key(False)
        await screen.until("betting", lambda s: s.title == Title.BETTING)
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching


def test_two_persons_let_a_table_play_on_software_that_nobody_signed() -> None:
    with tempfile.TemporaryDirectory(prefix="acc-") as name:
        folder = Path(name)
        config = folder / "table.toml"
        identity = f'\n[identity]\nmanifest = "manifest.json"\napprover = "{APPROVER}"\n'
        config.write_text(CONFIG.read_text("utf-8") + identity, "utf-8")
        asyncio.run(play(folder, config))
        with Reader(folder / "journal.sqlite") as reader:
            reader.verify()
            codec = programs(HEADER_CODEC.decode(reader.segments()[0].header)).codec
            entries = [codec.decode_entry(row) for row in reader.entries()]
    [accepted] = [e for entry in entries for e in entry.effects if isinstance(e, DifferencesAccepted)]
    parts = [difference.part for difference in accepted.differences]
    assert parts == [part for part in Part if part is not Part.APPROVER]
    assert [e.event.approval.first for e in entries if isinstance(e.event, OrderGiven)][-1] == "Ann Lee"
