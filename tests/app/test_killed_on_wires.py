"""Everything as processes over ptys and sockets: three rounds are played while one daemon after the other is killed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.app.audit import audit
from tests.app.evening import three_rounds
from tests.app.kill_sweep import JOURNAL
from tests.app.killed_daemon import TOLD, When, told
from tests.bench.wire_bench import DaemonDied, WireBench
from tests.dealer import Dealer

LIVES = ((4, When.BEFORE), (9, When.AFTER), (12, When.INSIDE), (14, When.AFTER), (17, When.BEFORE), (21, When.INSIDE))
"""How many commits each daemon makes, and how it dies at the last."""


@pytest.mark.timeout(120)
def test_rounds_are_finished_although_daemons_die() -> None:
    with tempfile.TemporaryDirectory(prefix="wires") as name:  # not tmp_path: a socket's path is short
        folder = Path(name)
        with WireBench(folder) as bench:
            bench.stop_daemon()
            dealer, scripts, lives, kills = Dealer(bench), three_rounds(), list(LIVES), -1
            while scripts:
                try:
                    kills += 1
                    start_another(bench, folder, *(lives.pop(0) if lives else (0, When.AFTER)))
                    while scripts:
                        dealer.play(scripts[0])
                        scripts.pop(0)
                except DaemonDied:
                    pass  # its successor goes on at the same script
            bench.stop_daemon()
        assert kills == len(LIVES)
        found = audit(folder / JOURNAL)
        assert len(found.rounds) == 3, found.rounds
        assert (found.settled, found.voided) == (2, 1)


def start_another(bench: WireBench, folder: Path, kill_at: int, when: When) -> None:
    """A daemon that will die at its `kill_at`-th commit; it must stand on what its predecessor had made durable."""
    before = list(told(folder)) if (folder / TOLD).exists() else []
    try:
        bench.restart("tests.app.killed_daemon", "--kill-at", str(kill_at), "--when", when.value)
    finally:
        opening = list(told(folder))[len(before)].state
        if before:
            durable = [line.state for line in before if line.durable][-1]
            assert opening in (durable, before[-1].state), "it stands on what was never durable"
            assert opening == durable or not before[-1].durable
