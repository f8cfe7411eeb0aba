"""Power cuts and kills without number: `python -m tests.journal.torture --cuts 2000 --kills 200`.

After each: every entry that was acknowledged is there, nothing is there by half, the chain and the replay hold, and
the table plays on. The negative controls (`synchronous=OFF`; a card that says it has synced and has not) must lose
acknowledged entries, else the check has no teeth.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import apsw

from firmware.journal import database
from firmware.journal.errors import JournalError
from firmware.journal.reader import Reader
from firmware.journal.replay import replay, restart
from firmware.journal.writer import Committed, Outcome
from tests.journal.sample import Contributed, RoundEnded, Sensed, Table, committed, programs, start_state
from tests.journal.torture_vfs import Acknowledged, Action, Op, Plan, PowerCut, Record, TortureVfs

NAME = "table.journal"
PADDING = 6_000  # bytes that make a state span pages


class Lost(Exception):
    """What was acknowledged is not there, or something is there by half."""


@dataclass(frozen=True)
class Session:
    """A recorded session: the file before it, and all that happened to the disk, acknowledgements in their place."""

    before: bytes
    records: list[Record]


def play_session(table: Table, rng: random.Random, rounds: int) -> None:
    """Rounds of one to four entries a transaction."""
    committed(table.begin())
    for number in range(1, rounds + 1):
        for _ in range(rng.randrange(2, 9)):
            sensed = Sensed(rng.randrange(7), rng.random() < 0.5, rng.randrange(1 << 40))
            notes = [rng.choice((None, "x" * rng.randrange(900))) for _ in range(rng.randrange(4))]
            contributed = [Contributed(rng.randrange(7), rng.randrange(50_000), note) for note in notes]
            committed(table.play(sensed, *contributed))
        committed(table.play(RoundEnded(number)))


def record_session(rng: random.Random, rounds: int, ignore_syncs: bool = False) -> Session:
    vfs = TortureVfs(recording=True, ignore_syncs=ignore_syncs)

    def note(outcome: Outcome) -> None:
        if isinstance(outcome, Committed):
            vfs.note(Acknowledged(outcome.last_seq, outcome.head))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        database.create(path)
        before = path.read_bytes()
        table = Table(path, create=False, vfs=vfs.name, state=start_state(PADDING), watch=note)
        play_session(table, rng, rounds)
        table.close()
    vfs.unregister()
    assert vfs.records is not None
    last = max(index for index, record in enumerate(vfs.records) if isinstance(record, Acknowledged))
    return Session(before, vfs.records[: last + 1])  # a cut with no acknowledgement after it would show less


@contextmanager
def synchronous_off() -> Iterator[None]:
    """The setting that the product refuses, put under it: for the negative control alone."""
    real = database.insist

    def off(connection: apsw.Connection, path: Path, name: str, value: object, expected: object) -> None:
        if name == "synchronous":
            connection.pragma("synchronous", "off")
        else:
            real(connection, path, name, value, expected)

    with patch.object(database, "insist", off):
        yield


def check(folder: Path, acknowledged: Acknowledged | None, heads: dict[bytes, int]) -> None:
    """Open what is left, as the daemon would; raises Lost."""
    path = folder / NAME
    try:
        table = Table(path, create=False)
        try:
            position = table.opened_at
            if acknowledged is not None and (position is None or position.last_seq < acknowledged.last_seq):
                raise Lost(f"acknowledged {acknowledged}, found {position}")
            if position is not None and position.head not in heads:
                raise Lost(f"found {position}, which is the end of no transaction")
            with Reader(path) as reader:
                reader.verify(acknowledged.head if acknowledged else None)
                stands = restart(reader, programs)
            if stands is not None:
                table.state = stands.state
                committed(table.play(Contributed(0, 1), RoundEnded(1_000_000)))
        finally:
            table.close()
        with Reader(path) as reader:
            reader.verify()
            replay(reader, programs)
    except JournalError as error:
        raise Lost(f"{type(error).__name__}: {error}") from error


def cut_power(session: Session, cuts: int, rng: random.Random) -> tuple[int, int]:
    """(cuts made, cuts after which `check` found a loss)."""
    heads = {record.head: record.last_seq for record in session.records if isinstance(record, Acknowledged)}
    if len(heads) < 10:
        raise AssertionError(f"only {len(heads)} acknowledgements: this shows nothing")
    moments = sorted(rng.choices(range(len(session.records)), k=cuts))
    disk = PowerCut({NAME: bytearray(session.before)})
    played = lost = 0
    for moment in moments:
        while played <= moment:
            disk.play(session.records[played])
            played += 1
        with tempfile.TemporaryDirectory() as folder:
            disk.build(Path(folder), rng)
            try:
                check(Path(folder), disk.acknowledged, heads)
            except Lost as loss:
                lost += 1
                if lost == 1:
                    print(f"after {played} of {len(session.records)} operations: {loss}", file=sys.stderr)
    return cuts, lost


def kill_once(plan: Plan, seed: int, rounds: int = 3) -> bool:
    """A process of its own is killed at the planned operation; raises Lost. False: it ended before it came to that."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.journal.torture", "--child", folder, str(seed), str(rounds),
                   *(op.name for op in plan.ops), str(plan.nth), plan.action.name]  # fmt: skip
        child = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        if child.returncode not in (0, -signal.SIGKILL):
            raise AssertionError(f"the child failed with {child.returncode}")
        told = [line.split() for line in child.stdout.decode().splitlines() if line.endswith(".")]
        acknowledged = [Acknowledged(int(seq), bytes.fromhex(head)) for seq, head, _ in told]
        path = Path(folder) / NAME
        with Reader(path) as reader:
            ends = {row.hash: row.seq for row in reader.entries() if row.state_hash is not None}
            ends.update((row.hash, row.first_seq - 1) for row in reader.segments())
        check(Path(folder), acknowledged[-1] if acknowledged else None, ends)
        return child.returncode != 0


def be_killed(folder: str, seed: str, rounds: str, op: str, nth: str, action: str) -> None:
    """The child: plays, tells each acknowledgement on its standard output at once, and is killed on the way."""
    vfs = TortureVfs()

    def tell(outcome: Outcome) -> None:
        if isinstance(outcome, Committed):
            os.write(1, f"{outcome.last_seq} {outcome.head.hex()} .\n".encode())

    path = Path(folder) / NAME
    database.create(path)
    table = Table(path, create=False, vfs=vfs.name, state=start_state(PADDING), watch=tell)
    vfs.arm(Plan(frozenset({Op[op]}), int(nth), Action[action]))
    play_session(table, random.Random(int(seed)), int(rounds))
    table.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.journal.torture", description=__doc__)
    parser.add_argument("--cuts", type=int, default=2_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    print(f"seed {options.seed}")
    total, lost = cut_power(record_session(rng, rounds=20), options.cuts, rng)
    print(f"power cuts: {total}, with a loss: {lost}")
    controls = {"synchronous=OFF": 0, "a card that ignores flushes": 0}
    with synchronous_off():
        session = record_session(rng, rounds=6)
    controls["synchronous=OFF"] = cut_power(session, 60, rng)[1]
    session = record_session(rng, rounds=6, ignore_syncs=True)
    controls["a card that ignores flushes"] = cut_power(session, 60, rng)[1]
    for name, losses in controls.items():
        print(f"negative control, {name}: {losses} of 60 cuts lost something (must be above 0)")
    kills = 0
    for _ in range(options.kills):
        op = rng.choice(list(Op))
        nth = rng.randrange(1, {Op.WRITE: 150, Op.SYNC: 40, Op.TRUNCATE: 4}[op])
        plan = Plan(frozenset({op}), nth, rng.choice((Action.KILL, Action.KILL_HALFWAY)))
        kills += kill_once(plan, rng.randrange(1 << 32))
    print(f"kills: {kills} of {options.kills} processes reached theirs; nothing was lost")
    return 0 if lost == 0 and all(controls.values()) and (kills or not options.kills) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        be_killed(*sys.argv[2:])
    else:
        sys.exit(main())
