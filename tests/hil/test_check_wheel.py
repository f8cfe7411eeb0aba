"""`hil check --open` of a wheel: its phase and its warnings, beside what every device is measured by."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hil import lease
from hil.check.opened import Opened
from hil.measure import Measurement, Outcome
from hil.simclient import SimClient
from tests.settings.tables import text
from tests.simulators import simulator

SHOE = "[devices.shoe]"
WHEEL = '[devices.wheel]\nkind = "wheel.cammegh_simulated"\nurl = "port"\n\n'


def test_a_wheel_at_rest_is_measured_by_its_phase_and_warnings() -> None:
    with simulator("hil.sim.cammegh") as started, SimClient(started.control) as client:
        folder = started.port.parent
        table = folder / "table.toml"
        table.write_text(text("minibaccarat", (SHOE, WHEEL + SHOE)), encoding="utf-8")
        well = {m.name: m for m in asyncio.run(measured(table, folder))}
        assert {name: m.outcome for name, m in well.items()} == dict.fromkeys(
            ("link", "identity", "wheel", "errors"), Outcome.PASS
        )
        assert well["wheel"].value == "in phase before_game, warnings none"
        client.call("be", state=6, warnings=5)
        ailing = {m.name: m for m in asyncio.run(measured(table, folder))}
        assert ailing["wheel"].code == "F612"
        assert ailing["wheel"].value == "in phase closed, warnings ball_removed, fault"
        client.call("unplug")
        [gone] = asyncio.run(measured(table, folder, limit_s=0.5))
        assert (gone.name, gone.code) == ("link", "F601")


async def measured(table: Path, run_dir: Path, limit_s: float = 10.0) -> list[Measurement]:
    access = lease.Access(run_dir / "control.sock", table, run_dir)
    async with lease.devices(access, ["wheel"]) as held:
        return await Opened(held, limit_s=limit_s, quiet_s=0.1).all()
