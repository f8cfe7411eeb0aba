"""`hil check --open` of line expanders: how evenly they are read is measured, and what is not there is told in time."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from hil import lease
from hil.check.opened import Opened
from hil.layout import layout_of
from hil.measure import Measurement, Outcome
from hil.simclient import AsyncSimClient
from hil.simulators import simulators_of
from tests.hil.played import PROJECT

TABLE = PROJECT / "config" / "tables" / "baccarat-14.toml"


def test_polling_is_measured_and_a_dead_one_is_told(run_dir: Path) -> None:
    layout = layout_of(TABLE, run_dir)
    (chain,) = (s for s in simulators_of(layout.settings, run_dir, 1) if s.device == "right")

    async def play() -> list[Measurement]:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", chain.module, *chain.arguments, stdout=asyncio.subprocess.PIPE
        )
        try:
            assert child.stdout is not None and await child.stdout.readline() == b"ready\n"
            async with await AsyncSimClient.connect(chain.control) as client:
                await client.call("set", line=0, high=False)
            access = lease.Access(run_dir / "control.sock", layout.config, run_dir)
            async with lease.devices(access, ["left", "right"]) as held:
                return await Opened(held, limit_s=3.0, quiet_s=0.3).all()
        finally:
            child.terminate()
            await child.wait()

    found = {(m.of, m.name): m for m in asyncio.run(play())}
    assert found["left", "link"].outcome is Outcome.FAIL
    assert "Is the simulator running?" in found["left", "link"].value
    assert found["right", "link"].outcome is Outcome.PASS
    assert found["right", "spots"].value == "8/player", "one is covered, and named"
    polling = found["right", "polling"]
    assert polling.unit == "ms" and "worst" in polling.value and polling.limits == "under 60 (present_ms)"
    assert polling.code == ("" if polling.outcome is Outcome.PASS else "F611")
