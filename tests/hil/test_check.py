"""`hil check` and `hil list` at a running table, on devices opened directly, and on what hangs."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import time
from pathlib import Path

from hil import lease
from hil.check import rig
from hil.check.opened import Opened
from hil.found import gpio_chips, serial_ports
from hil.layout import layout_of
from hil.measure import Measurement, Outcome, failed, lines
from hil.simulators import simulators_of
from tests.hil.played import PROJECT, TABLE, hil
from tests.hil.test_lease import NAMES, Place, at_a_table


async def run(*arguments: object) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *hil(*arguments), cwd=PROJECT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


def test_a_table_in_order_passes_and_an_unplugged_board_does_not(run_dir: Path) -> None:
    async def play(place: Place) -> None:
        await place.closed_and_up()
        at = ("--run-dir", place.run_dir)
        status, out, _ = await run("check", *at, "--over", "0.5")
        assert status == 0, out
        assert "NOT" not in out
        status, out, _ = await run("check", "shoe", *at, "--over", "0.1", "--json")
        assert status == 0
        assert {m["of"] for m in json.loads(out)["measurements"]} == {"shoe"}
        assert (await run("list", *at))[0] == 0
        assert (await run("check", "shoes", *at))[0] == 2

        await place.bench.sign.call("unplug")
        await place.until(lambda s: any(d.name == "board" and d.link != "ready" for d in s.devices))
        status, out, _ = await run("check", *at, "--over", "0.1")
        assert status == 1
        (line,) = (line for line in out.splitlines() if line.startswith("  ! fail") and "link" in line)
        code = line[line.rindex("[") + 1 : -1]
        assert re.fullmatch("F20[1-5]", code), "absent, or for a moment tried again"
        assert (await run("explain", code))[0] == 0
        status, out, _ = await run("list", *at)
        assert status == 1
        assert any(re.fullmatch(r"board .*\[F20[1-5]\]", line) for line in out.splitlines())
        status, out, _ = await run("status", *at)
        assert any(re.match("! F20[1-5] board: link is", line) for line in out.splitlines())

    at_a_table(run_dir, play)


def test_devices_leased_for_a_check_are_measured_each_by_its_port_and_go_back(run_dir: Path) -> None:
    async def play(place: Place) -> None:
        await place.closed_and_up()
        status, out, err = await run("check", "--open", "--run-dir", place.run_dir, *NAMES, "--json")
        assert "leased from the daemon" in err
        found = json.loads(out)
        assert (status, found["passed"]) == (0, True), out
        names = {(m["of"], m["name"]) for m in found["measurements"]}
        assert {
            ("lines", "lock-out button"),
            ("lines", "key contacts"),
            ("lines", "spots"),
            ("lines", "noise"),
        } <= names
        assert {(output, "shown") for output in ("lamps", "board", "display")} <= names
        assert {(device, what) for device in ("shoe", "lamps") for what in ("link", "identity", "errors")} <= names
        await place.until(lambda s: not s.leases and all(d.link == "ready" for d in s.devices))

        await place.bench.chip.set(place.bench.layout.lockout, True)  # the wire is cut
        await place.bench.chip.set(place.bench.layout.floor_key.normally_open, False)  # both contacts closed
        status, out, _ = await run("check", "lines", "--open", "--run-dir", place.run_dir, *NAMES)
        assert status == 1
        assert "open (pressed)" in out
        assert "[F604]" in out
        assert "rest closed, turned closed" in out
        assert "[F605]" in out
        status, _, err = await run("check", "shoe", "--open", "--run-dir", place.run_dir)
        assert status == 2
        assert "--confirm MB-SIM" in err

    at_a_table(run_dir, play)


def test_without_a_daemon_a_device_that_is_not_there_and_one_that_says_nothing_end_in_time(run_dir: Path) -> None:
    """The shoe's port is not there; of the display's nothing is read at the other end, until its buffer is full."""
    layout = layout_of(TABLE, run_dir)
    master, slave = pty.openpty()
    port = next(s.port for s in simulators_of(layout.settings, run_dir, 1) if s.device == "display")
    port.symlink_to(os.ttyname(slave))

    async def play() -> list[Measurement]:
        access = lease.Access(run_dir / "control.sock", layout.config, run_dir)
        async with lease.devices(access, ["shoe", "display", "lines"]) as held:
            return await Opened(held, limit_s=1.5, quiet_s=0.1).all()

    began_s = time.monotonic()
    try:
        found = asyncio.run(play())
    finally:
        os.close(master)
        os.close(slave)
    assert time.monotonic() - began_s < 20
    outcomes = {(m.of, m.name): m for m in found}
    assert outcomes["shoe", "link"].code == "F601"
    assert outcomes["lines", "link"].code == "F601"
    assert "is the device plugged in" in outcomes["shoe", "link"].value
    assert not any(m.outcome is Outcome.PASS and m.of == "shoe" for m in found)


def test_no_daemon_is_said_with_what_to_do(tmp_path: Path) -> None:
    status, _, err = asyncio.run(run("check", "--run-dir", tmp_path))
    assert status == 2
    assert "--config FILE" in err
    status, out, _ = asyncio.run(run("list", "--config", TABLE, "--run-dir", tmp_path))
    assert status == 1
    assert "[F201]" in out, "nothing is there"
    status, out, _ = asyncio.run(run("check", "--facts"))
    assert status in (0, 1)
    assert "disk space" in out


def test_codes_that_a_person_accepts_do_not_fail_a_check() -> None:
    good = Measurement("machine", "temperature", "50", "C", "below 75 C", Outcome.PASS)
    warn = Measurement("machine", "real-time clock", "none", "", "present", Outcome.WARN, "F508", "Fit one.")
    unknown = Measurement("machine", "card wear", "not told", "", "", Outcome.NOT_KNOWN, "F512")
    assert failed([good, unknown]) == []
    assert failed([good, warn]) == [warn]
    assert failed([good, warn], ["F508"]) == []
    text = list(lines([good, warn, unknown]))
    assert text[-1] == "1 passed, 1 NOT, 1 not known; hil explain CODE tells more"
    assert any("accepted" in line for line in lines([warn], ["F508"]))


def test_what_is_plugged_in_is_found_under_its_lasting_names(tmp_path: Path) -> None:
    for folder in ("dev/serial/by-id", "dev/serial/by-path", "sys/class/tty/ttyS0", "sys/class/tty/ttyS1"):
        (tmp_path / folder).mkdir(parents=True)
    for tty in ("ttyUSB0", "ttyAMA0", "ttyS0", "ttyS1"):
        (tmp_path / "dev" / tty).touch()
    (tmp_path / "sys/class/tty/ttyS0/type").write_text("4\n")
    (tmp_path / "sys/class/tty/ttyS1/type").write_text("0\n")
    (tmp_path / "dev/serial/by-id/usb-FTDI_A1-if00-port0").symlink_to("../../ttyUSB0")
    (tmp_path / "dev/serial0").symlink_to("ttyAMA0")
    (tmp_path / "dev/gpiochip0").touch()
    ports = {port.tty: port for port in serial_ports(tmp_path)}
    assert list(ports) == ["ttyAMA0", "ttyS0", "ttyUSB0"]
    assert ports["ttyUSB0"].by_id == ("/dev/serial/by-id/usb-FTDI_A1-if00-port0",)
    assert ports["ttyAMA0"].others == ("/dev/serial0",)
    assert [(chip.path, chip.label) for chip in gpio_chips(tmp_path)] == [("/dev/gpiochip0", "")]


def test_the_rig_runs_the_contract_on_the_simulated_chip_with_jumpers() -> None:
    status, out, err = asyncio.run(run("check", "--rig", "simulated"))
    assert status == 0, out + err
    assert "left out" not in out
    passed = [line for line in out.splitlines() if line.startswith("    pass")]
    assert len(passed) >= 5, out
    assert asyncio.run(run("check", "--rig", "desk"))[0] == 2


def test_a_report_with_a_failure_a_skip_and_a_pass() -> None:
    text = """<testsuites><testsuite>
      <testcase name="test_a_press[jumpered pins]" time="0.5"/>
      <testcase name="test_b" time="0.1"><failure message="late">trace</failure></testcase>
      <testcase name="test_c" time="0"><skipped message="can't be unplugged"/></testcase>
    </testsuite></testsuites>"""
    found = list(rig.of_report(text))
    assert [m.outcome for m in found] == [Outcome.PASS, Outcome.FAIL, Outcome.NOT_KNOWN]
    assert (found[1].code, found[1].remedy) == ("F610", "late")
    assert found[0].name == "a press"
