"""An order from the command line over the real socket into the real journal, and what is answered when."""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from firmware.app import control, order_command
from firmware.app.order_desk import OrderDesk
from firmware.cli import ORDER_KINDS
from firmware.core import events as ev
from firmware.core import order_effects as ofx
from firmware.core.order_data import ORDERS, Account, Approval, CorrectMeter
from tests.app.rig import CONFIG, Rig, rig
from tests.app.test_control import NoLeases
from tests.app.test_journal_faults import AilingVfs, mend, turn_read_only

SEED = 450_000_000
UP_A_CENT = CorrectMeter("royal_9.minor", Account.SHOWN, SEED, SEED + 10_000)
TWO = Approval("Ann Lee", "Bob Roe", "sign and slip differ by a cent")
OPTIONS = [
    "--meter", "royal_9.minor", "--account", "shown", "--was", "450", "--becomes", "450.01",
    "--first", "Ann Lee", "--second", "Bob Roe", "--reason", "a cent", "--config", str(CONFIG),
]  # fmt: skip


@contextlib.asynccontextmanager
async def desk(vfs: AilingVfs | None = None, limit_s: float = 20.0) -> AsyncIterator[tuple[Rig, OrderDesk, Path]]:
    """A closed table with both keys turned, its order desk, and the folder of its socket."""
    with tempfile.TemporaryDirectory(prefix="ord") as name:  # not tmp_path: a socket's path is short
        folder = Path(name)
        async with rig(folder, vfs) as table:
            table.post(ev.Started(table.at(), 0, False, "boot-1"), ev.InputsReady(table.at(), (), False, True, True))
            await table.engine.drained()
            orders = OrderDesk(table.engine.post, lambda: table.engine.fault, limit_s=limit_s)
            table.listeners.append(orders.committed)
            serving = asyncio.create_task(control.serve(folder / "control.sock", dict, orders.give, NoLeases()))
            async with asyncio.timeout(20):
                while not (folder / "control.sock").is_socket():
                    await asyncio.sleep(0)
            yield table, orders, folder
            serving.cancel()


async def tabled_order(folder: Path, kind: str, *options: str) -> int:
    return await asyncio.to_thread(order_command.main, kind, [*options, "--run-dir", str(folder)])


def test_the_command_s_order_is_answered_with_its_entry(capsys: pytest.CaptureFixture[str]) -> None:
    async def play() -> None:
        async with desk() as (table, _, folder):
            assert await tabled_order(folder, "correct-meter", *OPTIONS) == 0
            seq = table.shown[-1][0]
            assert capsys.readouterr().out == f"taken: entry {seq}\n"
            assert table.meter() == SEED + 10_000
            assert await tabled_order(folder, "correct-meter", *OPTIONS) == 1
            assert f"refused, entry {seq + 1}: royal_9.minor: shown holds" in capsys.readouterr().err
            assert [type(e) for e in table.entries()].count(ev.OrderGiven) == 2, "refusals are on record"

    asyncio.run(play())


def test_the_clearing_of_the_journal_is_ordered_and_withdrawn_like_any_order(
    capsys: pytest.CaptureFixture[str],
) -> None:
    persons = ["--first", "Ann Lee", "--second", "Bob Roe", "--reason", "new layout", "--config", str(CONFIG)]

    async def play() -> None:
        async with desk() as (table, _, folder):
            assert await tabled_order(folder, "clear-journal", "--step", "begin", *persons) == 0
            assert table.engine.durable.clearing == Approval("Ann Lee", "Bob Roe", "new layout")
            assert table.display()[1] == "WAITS FOR RAM CLEAR"
            assert await tabled_order(folder, "clear-journal", "--step", "begin", *persons) == 1
            assert "already" in capsys.readouterr().err
            assert await tabled_order(folder, "clear-journal", "--step", "withdraw", *persons) == 0
            assert table.engine.durable.clearing is None

    asyncio.run(play())


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        ("clear", {}, "correct-meter"),
        ("correct-meter", {"--becomes": "4.5e2"}, "no amount"),
        ("correct-meter", {"--becomes": "450.0000001"}, "no amount"),
        ("correct-meter", {"--becomes": "99999999999"}, "becomes_micro"),
        ("correct-meter", {"--account": "tray"}, "'tray' (choose from "),
        ("correct-meter", {"--reason": ""}, "reason"),
        ("correct-meter", {"--first": "x" * 61}, "first"),
    ],
)
def test_a_wrong_call_reaches_no_table(
    kind: str, change: dict[str, str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = list(OPTIONS)
    for name, value in change.items():
        options[options.index(name) + 1] = value

    async def play() -> None:
        async with desk() as (table, _, folder):
            before = len(table.shown)
            with contextlib.suppress(SystemExit):
                assert await tabled_order(folder, kind, *options) == 2
            assert words in capsys.readouterr().err
            assert len(table.shown) == before

    asyncio.run(play())


def test_the_help_names_every_kind() -> None:
    assert ORDER_KINDS.replace(" or ", ", ").split(", ") == list(ORDERS)


def test_without_a_daemon_and_with_a_bad_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert order_command.main("correct-meter", [*OPTIONS, "--run-dir", str(tmp_path)]) == 2
    assert "no daemon answers" in capsys.readouterr().err
    assert order_command.main("correct-meter", [*OPTIONS, "--config", str(tmp_path / "none.toml")]) == 78


@pytest.mark.parametrize(
    "request_",
    [
        {"kind": "correct-meter", "order": {}, "first": "A", "second": "B", "reason": "R"},
        {"kind": "correct-meter", "order": [], "first": "A", "second": "B", "reason": "R"},
        {"kind": "x", "order": {}, "first": "A", "second": "B", "reason": "R"},
        {"kind": "correct-meter", "first": "A", "second": "B", "reason": "R"},
        {
            "kind": "correct-meter", "first": "A", "second": "B", "reason": "R",
            "order": {"meter": "m", "account": "shown", "was_micro": 0, "becomes_micro": 2**63},
        },
        {
            "kind": "correct-meter", "first": "A", "second": "B", "reason": "R",
            "order": {"meter": "m", "account": "shown", "was_micro": 0, "becomes_micro": 1.5},
        },
    ],
)  # fmt: skip
def test_a_bad_request_is_answered_and_goes_no_further(request_: dict[str, object]) -> None:
    async def play() -> None:
        async with desk() as (table, _, folder):
            before = len(table.shown)
            reader, writer = await asyncio.open_unix_connection(folder / "control.sock")
            writer.write(json.dumps({"op": "order", **request_}).encode() + b"\n")
            assert list(json.loads(await reader.readline())) == ["error"]
            writer.close()
            assert len(table.shown) == before

    asyncio.run(play())


def test_with_the_journal_away_no_order_is_taken_in() -> None:
    async def play() -> None:
        vfs = AilingVfs()
        async with desk(vfs) as (table, orders, _):
            turn_read_only(vfs)
            table.post(ev.DoorMoved(True, table.at()))
            await table.until(lambda: bool(table.faults))
            answer = await orders.give(UP_A_CENT, TWO)
            assert (answer.entry, answer.taken) == (None, False)
            assert "journal" in answer.why
            mend(vfs)
            await table.until(lambda: not table.engine.fault)
            await table.engine.drained()
            assert ev.OrderGiven not in [type(e) for e in table.entries()]

    asyncio.run(play())


def test_an_order_whose_commit_fails_is_answered_once_the_disk_is_back() -> None:
    async def play() -> None:
        vfs = AilingVfs()
        async with desk(vfs) as (table, orders, _):
            turn_read_only(vfs)
            giving = asyncio.create_task(orders.give(UP_A_CENT, TWO))
            await table.until(lambda: bool(table.faults))
            assert not giving.done(), "nothing is answered before its commit"
            mend(vfs)
            answer = await giving
            assert answer.taken
            assert answer.entry is not None
            assert table.meter() == SEED + 10_000
            assert len(table.saw(ofx.OrderTaken)) == 1

    asyncio.run(play())


def test_an_order_that_waits_too_long_is_told_as_undecided() -> None:
    async def play() -> None:
        vfs = AilingVfs()
        async with desk(vfs, limit_s=0.05) as (table, orders, _):
            turn_read_only(vfs)
            answer = await orders.give(UP_A_CENT, TWO)
            assert (answer.entry, answer.taken) == (None, False)
            assert answer.why.startswith("undecided")
            mend(vfs)
            await table.until(lambda: bool(table.saw(ofx.OrderTaken)))

    asyncio.run(play())
