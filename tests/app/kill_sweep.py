"""Kills the daemon at every commit of a round, starts it again, and lets people finish the round.

    python -m tests.app.kill_sweep              three rounds: jackpots, the mystery bonus, a void, a new shoe
    python -m tests.app.kill_sweep --evening    an evening: those, the Mega, several amounts at once, voids of awards
    python -m tests.app.kill_sweep --blackjack  a Crown Treasure, meters of the first cards, a void, nothing that waits
    python -m tests.app.kill_sweep --shoe       every round of a whole shoe (about half an hour on two cores)

For each commit of a round, two daemons die: one right after it is durable; one, in turn, before it has reached the
file or halfway through one of its writes. In a whole shoe one of the three dies at each commit, in turn. The next
daemon must stand on exactly the state that was durable (all of it: wagers, meters, awards, cards, keys), as the killed
one itself wrote it down. Then the round is finished by people who only read the display, the journal is verified and
replayed, what was paid is compared with `tabled settle`, and every secret draw that was won with its commitment.

The physical table lives in this process and stays; daemons are processes, forked to be fast enough for hundreds.
"""

from __future__ import annotations

import argparse
import copy
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from firmware.app.program import programs
from firmware.audit.draws import audit as audit_draws
from firmware.core.state import Phase, State
from firmware.journal.reader import Reader
from firmware.journal.replay import restart
from tests.app.audit import audit
from tests.app.evening import blackjack_rounds, blackjack_table, evening, mystery_table, shoe_rounds, three_rounds
from tests.app.killed_daemon import TOLD, KillPlan, When, told
from tests.app.remote_bench import DaemonDied, RemoteBench
from tests.blackjack_dealer import BlackjackDealer, BlackjackScript
from tests.dealer import Dealer, Script

JOURNAL = "journal.sqlite"


@dataclass
class Tally:
    """What a sweep did."""

    rounds: int = 0
    commits: int = 0
    kills: dict[When, int] = field(default_factory=lambda: dict.fromkeys(When, 0))
    found_written: int = 0  # killed inside a commit that turned out to be in the file whole
    not_reached: int = 0

    def text(self) -> str:
        kills = ", ".join(f"{count} {when.value}" for when, count in self.kills.items())
        return (
            f"{self.rounds} rounds, {self.commits} commits; killed {kills} (of those inside, {self.found_written} "
            f"were written); plan not reached {self.not_reached}"
        )


class Sweep:
    """Goes through rounds; each begins on the journal with which the one before it ended."""

    def __init__(self, config: Path, folder: Path, part: int, parts: int, in_turn: bool, seed: int) -> None:
        """`part` of `parts`: only every `parts`-th commit is killed, so that processes may share the work. `in_turn`:
        one death at each commit, not two."""
        self.tally = Tally()
        self._config = config
        self._folder = folder
        self._part = part
        self._parts = parts
        self._in_turn = in_turn
        self._rng = random.Random(seed)
        self._base: Path | None = None

    def round(self, script: Script) -> None:
        """Play it once whole, then once for every kill."""
        script.check()
        played = self._new_folder()
        bench = RemoteBench(self._config, played)
        bench.start(KillPlan())
        _dealer(bench, script).play(copy.deepcopy(script))
        bench.stop()
        commits = sum(1 for line in told(played) if line.durable)
        for at in range(1 + self._part, commits + 1, self._parts):
            turn = at // self._parts + self.tally.rounds
            if self._in_turn:
                deaths = [list(When)[turn % len(When)]]
            else:
                deaths = [When.AFTER, (When.BEFORE, When.INSIDE)[turn % 2]]
            for when in deaths:
                self._kill(script, KillPlan(at, when, self._rng.randint(1, 3)))
        (played / TOLD).unlink()
        if self._base is not None:
            shutil.rmtree(self._base)
        self._base = played
        self.tally.rounds += 1
        self.tally.commits += commits

    def meters_won(self) -> str:
        """How often each was, in the rounds as they were played whole."""
        assert self._base is not None
        with Reader(self._base / JOURNAL) as reader:
            stands = restart(reader, programs)
        assert stands is not None
        return ", ".join(f"{meter.name} {meter.hits}" for meter in stands.state.meters)

    def _new_folder(self) -> Path:
        """With everything that the last round left: the journal, and the keys and the head beside it."""
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        if self._base is not None:
            left_out = shutil.ignore_patterns(TOLD, "*.log", "*.sock")
            shutil.copytree(self._base, folder, ignore=left_out, dirs_exist_ok=True)
        return folder

    def _kill(self, script: Script, plan: KillPlan) -> None:
        script = copy.deepcopy(script)
        folder = self._new_folder()
        bench = RemoteBench(self._config, folder)
        dealer = _dealer(bench, script)
        before = self._ended()
        try:
            bench.start(plan)
            dealer.play(script)
        except DaemonDied:
            bench.end_after_kill()
            self.tally.kills[plan.when] += 1
        else:  # the commits were grouped otherwise this time
            bench.stop()
            self.tally.not_reached += 1
            return
        allowed = self._durable(folder, plan)
        lines = sum(1 for _ in told(folder))
        bench.start(KillPlan())
        opening = list(told(folder))[lines].state
        assert opening in allowed, f"{plan}: stands on {opening}, durable was {allowed}"
        self.tally.found_written += len(allowed) == 2 and opening == allowed[1]
        dealer.play(script)
        bench.stop()
        found = audit(folder / JOURNAL, 1 if self._base is None else self._segments() + 1)
        with Reader(folder / JOURNAL) as reader:
            list(audit_draws(reader))
        assert len(found.rounds) == 1, f"{plan}: rounds {found.rounds} ended, expected one after {before}"
        assert found.state.phase in (Phase.BETTING, Phase.NEW_SHOE), found.state.phase
        shutil.rmtree(folder)

    def _durable(self, folder: Path, plan: KillPlan) -> list[State]:
        """What the next daemon may stand on: one state, or two where the kill came inside a commit."""
        lines = list(told(folder))
        durable = [line.state for line in lines if line.durable]
        allowed = durable[-1:] or [self._before_everything(lines[0].state)]
        if plan.when is When.INSIDE and not lines[-1].durable:
            allowed.append(lines[-1].state)
        return allowed

    def _before_everything(self, opening: State) -> State:
        """Killed at its first commit, the segment's opening: the next daemon begins where this one would have."""
        return opening

    def _segments(self) -> int:
        assert self._base is not None
        with Reader(self._base / JOURNAL) as reader:
            return len(reader.segments())

    def _ended(self) -> int:
        if self._base is None:
            return 0
        with Reader(self._base / JOURNAL) as reader:
            return sum(1 for _ in reader.rounds())


def _dealer(bench: RemoteBench, script: Script) -> Dealer:
    return BlackjackDealer(bench) if isinstance(script, BlackjackScript) else Dealer(bench)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.app.kill_sweep", description=__doc__)
    parser.add_argument("--shoe", action="store_true", help="every round of a whole shoe")
    parser.add_argument("--evening", action="store_true", help="every kind of round that moves a meter")
    parser.add_argument("--blackjack", action="store_true", help="every kind of round of a Blackjack table")
    parser.add_argument("--in-turn", action="store_true", help="one death at each commit, not two")
    parser.add_argument("--rounds", type=int, default=0, help="only the first so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part is None:
        return _in_parallel(options.jobs)
    if options.blackjack:
        scripts, table = blackjack_rounds(), blackjack_table
    else:
        table = mystery_table
        scripts = list(shoe_rounds(options.seed)) if options.shoe else evening() if options.evening else three_rounds()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sweep") as folder:
        sweep = Sweep(
            table(Path(folder)),
            Path(folder),
            options.part,
            options.jobs,
            options.shoe or options.in_turn,
            options.seed + options.part,
        )
        for number, script in enumerate(scripts[: options.rounds or None], start=1):
            sweep.round(script)
            if options.shoe:
                print(f"part {options.part}: round {number} of {len(scripts)}: {sweep.tally.text()}", flush=True)
        won = sweep.meters_won()
    seconds = time.monotonic() - began
    print(f"part {options.part} of {options.jobs}, {seconds:.0f} s: {sweep.tally.text()}; won: {won}", flush=True)
    return 0


def _in_parallel(jobs: int) -> int:
    """Share the commits among processes; each plays all rounds."""
    command = [sys.executable, "-m", "tests.app.kill_sweep", *sys.argv[1:]]
    parts = [subprocess.Popen([*command, "--part", str(part)]) for part in range(jobs)]
    statuses = [part.wait() for part in parts]
    print("every daemon that was killed came back to what was durable" if not any(statuses) else f"FAILED: {statuses}")
    return int(any(statuses))


if __name__ == "__main__":
    sys.exit(main())
