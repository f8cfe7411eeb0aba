"""A device's wire, live, recorded and again: nothing is lost, and a driver that says something else is found."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
from pathlib import Path

import pytest

from drivers.devices import cammegh_wheel
from drivers.links.port import PortError
from drivers.links.tap import tapped
from firmware.settings.devices.results import DiceKeypadSimulated, WheelCammeghSimulated
from hil import cli
from hil.simclient import SimClient
from hil.wire import player, recording, replay, trace
from hil.wire.recording import BadRecording, Head, Item, Recording, What
from tests.hil.played import PROJECT, hil
from tests.scripted_port import ScriptedOpener
from tests.settings.tables import text
from tests.simulators import simulator
from tests.virtual_time import VirtualLoop, run_virtual

HEAD = Head("wheel", WheelCammeghSimulated(url="wheel.tty"), 5_000, "2026-12-01T03:40:00Z")
SHOE = "[devices.shoe]"
WHEEL = '[devices.wheel]\nkind = "wheel.cammegh_simulated"\nurl = "port"\n\n'


def written(path: Path, recorded: Recording) -> Path:
    lines = [recording.item_text(item, recorded.head.base_ns) for item in recorded.items]
    path.write_text(recording.head_text(recorded.head) + "".join(lines), encoding="utf-8")
    return path


def a_night(*, unplugged: bool = True) -> Recording:
    """Two games of a wheel, on virtual time, with the plug pulled between them."""
    items: list[Item] = []

    async def main(loop: VirtualLoop) -> None:
        opener, wire = ScriptedOpener(), trace.Wire(items.append, loop.now_ns)
        device = cammegh_wheel.create(name="wheel", url="x", now_ns=loop.now_ns, opener=tapped(opener, wire))
        task = asyncio.ensure_future(device.run(wire.told))
        for spin, pocket in ((8, "24"), (9, " 0")):
            await asyncio.sleep(3)
            for state, number in ((2, "15"), (2, "15"), (3, "15"), (4, "15"), (5, pocket), (2, pocket), (2, pocket)):
                if state == 5:
                    opener.ports[-1].send(pocket.encode() + b"\r")
                    await asyncio.sleep(0.08)
                opener.ports[-1].send(f"\n*X;{state};{spin:03};{number};0;158;1\r\n".encode())
                await asyncio.sleep(0.5)
            if spin == 8 and unplugged:
                opener.ports[-1].lose(PortError("the plug\nis out"))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_virtual(main)
    return Recording(Head("wheel", HEAD.options, items[0].at_ns, HEAD.made), tuple(items))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    recorded = a_night()
    assert {item.what for item in recorded.items} == set(What)
    again = recording.read(written(tmp_path / "r", recorded))
    assert again.head == recorded.head
    bytes_of = [(item.what, item.at_ns, item.data) for item in recorded.items if item.data]
    assert [(item.what, item.at_ns, item.data) for item in again.items if item.data] == bytes_of
    lost = next(item for item in again.items if item.what is What.CLOSE)
    assert lost.text == "the plug is out"
    assert [item.what for item in again.items].count(What.CLOSE) == 2, "lost, and closed at the end"


def test_a_row_shows_bytes_and_text_and_what_was_told() -> None:
    [first, second] = trace.rows(Item(1_500_000_000, What.CAME, data=b"*X;4;008;15;0;158;1\r\n24\r\n\xff"), 0)
    assert first.startswith("     1.500 < 2A 58 3B 34") and first.endswith("  *X;4;008;15;0;158;1..24.")
    assert second.split() == ["1.500", "<", "0A", "FF", ".."]
    told = 'NoSpin {"reason":"wrong_way","spin":null,"at_ns":1400000000,"raw":"2a","rotor":{"clockwise":true}}'
    assert trace.rows(Item(0, What.TOLD, text=told, codes=("F701",)), 0) == [
        "     0.000 = NoSpin  reason wrong_way  at 1.400  rotor clockwise yes  F701"
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("hil recording 1", "hil recording 9"), "does not begin with"),
        (("base_ns: ", "base_ns: -"), "device, options, base_ns, made"),
        (("made: ", "maid: "), "device, options, base_ns, made"),
        (("wheel.cammegh_simulated", "wheel.mine"), "options: Invalid value 'wheel.mine'"),
        ((" open", " opened"), ":6: expected SECONDS"),
        ((" < ", " < 0"), "expected bytes in hexadecimal"),
        ((".", ","), ":6: expected SECONDS"),
    ],
)
def test_what_is_no_recording_is_refused_by_its_line(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    path = written(tmp_path / "r", a_night())
    old, new = change
    title, rest = path.read_text().split("\n", 1)
    content = f"{title}\n{rest}".replace(old, new) if old != "." else f"{title}\n{rest.replace('0.0', '0,0')}"
    path.write_text(content)
    with pytest.raises(BadRecording, match=said):
        recording.read(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadRecording, match="no text"):
        recording.read(path)


def test_the_same_driver_tells_the_same_again_with_every_connection(capsys: pytest.CaptureFixture[str]) -> None:
    recorded = a_night()
    assert len(list(replay.connections(recorded))) == 2
    assert replay.replay(recorded) == 0
    said = capsys.readouterr().out
    assert "the same: " in said and "opened 2" in said
    told, _ = replay.again(recorded)
    assert [line for line in told if line.startswith("WinningNumber")] == [
        item.text for item in recorded.items if item.text.startswith("WinningNumber")
    ]
    assert sum(line.startswith("WinningNumber") for line in told) == 2


def test_a_driver_that_tells_something_else_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "r", a_night(unplugged=False))
    path.write_text(path.read_text().replace('"pocket":"24"', '"pocket":"23"'))
    assert cli.main(["wheel", "replay", str(path)]) == 1
    said = capsys.readouterr().out
    assert '-WinningNumber {"pocket":"23"' in said and '+WinningNumber {"pocket":"24"' in said
    assert cli.main(["shoe", "replay", str(path)]) == 2
    assert "is of wheel.cammegh_simulated, no shoe" in capsys.readouterr().err
    assert cli.main(["wheel", "replay", str(tmp_path / "none")]) == 2


def test_where_no_byte_came_nothing_is_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded = a_night()
    silent = Recording(recorded.head, tuple(item for item in recorded.items if item.what in (What.OPEN, What.CLOSE)))
    assert cli.main(["wheel", "replay", str(written(tmp_path / "r", silent))]) == 2
    said = capsys.readouterr()
    assert "no byte came" in said.err and "the same" not in said.out


def test_a_device_that_says_nothing_is_told_with_the_reason(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with simulator("hil.sim.cammegh") as started:
        silent = tmp_path / "silent"
        config = text("minibaccarat", (SHOE, WHEEL.replace('"port"', f'"{silent}"') + SHOE))
        table = started.port.parent / "table.toml"
        table.write_text(config, encoding="utf-8")
        where = ["--config", str(table), "--run-dir", str(started.port.parent)]
        assert cli.main(["wheel", "record", str(tmp_path / "r"), *where, "--seconds", "0.3"]) == 1
    out, err = capfd.readouterr()
    assert "0 pieces, 0 events" in out
    assert "wheel: no byte came" in err and "hil check wheel" in err


def test_a_recording_played_to_a_port_is_heard_byte_by_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded = a_night()
    heard: list[bytes] = []

    async def listen(link: Path) -> None:
        async with asyncio.timeout(10):
            while len(heard) < 2:
                while not link.is_symlink():
                    await asyncio.sleep(0.001)
                fd = os.open(link, os.O_RDWR | os.O_NOCTTY)
                data = b""
                try:
                    while piece := await asyncio.to_thread(_read, fd):
                        data += piece
                finally:
                    os.close(fd)
                heard.append(data)

    async def main() -> None:
        listening = asyncio.create_task(listen(tmp_path / "port"))
        assert await player.play(recorded, tmp_path / "port", 20.0) == 0
        await listening

    asyncio.run(main())
    assert heard == [b"".join(item.data for item in each.came) for each in replay.connections(recorded)]
    assert "0 not taken" in capsys.readouterr().out
    keys = Recording(Head("dice", DiceKeypadSimulated(url="x"), 0, ""), ())
    with pytest.raises(BadRecording, match="kernel's times"):
        asyncio.run(player.play(keys, tmp_path / "port", 1.0))


def _read(fd: int) -> bytes:
    select.select([fd], [], [], 5)
    try:
        return os.read(fd, 4096)
    except OSError:  # EIO: unplugged
        return b""


def test_a_wheel_is_recorded_by_command_until_ctrl_c_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with simulator("hil.sim.cammegh") as started, SimClient(started.control) as client:
        table = started.port.parent / "table.toml"
        table.write_text(text("minibaccarat", (SHOE, WHEEL + SHOE)), encoding="utf-8")
        where = ["--config", str(table), "--run-dir", str(started.port.parent)]
        file = tmp_path / "wheel.txt"
        command = hil("wheel", "record", file, *where)
        with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            lines = iter(process.stdout.readline, "")
            assert any("= LinkChanged  state ready" in line for line in lines)
            client.call("play", pocket="24", place_ms=0, rim_ms=0, run_ms=0, show_ms=100)
            assert any("= WinningNumber  pocket 24  sources line+status  spin 1" in line for line in lines)
            process.send_signal(signal.SIGINT)
            assert f"recorded in {file}" in list(lines)[-1]
            assert process.wait() == 0
        came = b"".join(item.data for item in recording.read(file).items if item.what is What.CAME)
        assert came.count(b"\n24\r\n") == 1
        assert cli.main(["wheel", "replay", str(file)]) == 0
        assert cli.main(["wheel", "record", str(file), *where, "--seconds", "1"]) == 2, "nothing is overwritten"
        assert "there already" in capsys.readouterr().err
        assert cli.main(["wheel", "trace", "shoe", *where]) == 2
        assert "is shoe.angeleye_simulated, and no wheel" in capsys.readouterr().err
