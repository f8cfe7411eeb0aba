"""Power cuts and kills without number, of the journal alone: `python -m tests.journal.torture --cuts 2000 --kills 200`.

After each: every entry that was acknowledged is there, nothing is there by half, the chain and the replay hold, and
the table plays on. A part of the recoveries is cut as well. The negative controls (`synchronous=OFF`; a card that says
it has synced and has not; SQLite told that sectors are never lost, on a card that loses them) must lose acknowledged
entries, else the check has no teeth. The same for the whole daemon: `tests.app.power_cuts`.
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
from pathlib import Path
from unittest.mock import patch

import apsw

from firmware.journal import database
from firmware.journal.errors import JournalError
from firmware.journal.reader import Reader
from firmware.journal.replay import replay, restart
from firmware.journal.writer import Committed, Outcome
from tests.journal.disk import Acknowledged, Damage, Disk, Record
from tests.journal.recording import Recorder, Recording, before, scratch, watching
from tests.journal.sample import Contributed, RoundEnded, Sensed, Table, committed, programs, start_state
from tests.journal.torture_vfs import Action, Op, Plan, TortureVfs

NAME = "table.journal"
PADDING = 6_000  # bytes that make a state span pages
MADE = Acknowledged(-1, b"")
"""The file is there, with nothing in it yet."""


class Lost(Exception):
    """What was acknowledged is not there, or something is there by half."""


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


def record_session(rng: random.Random, rounds: int, ignore_syncs: bool = False) -> Recording:
    """From an empty folder: the journal is made, played, closed in order, and opened and played once more."""
    records: list[Record] = []
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder), records.append, ignore_syncs)
        vfs = TortureVfs(recorder)

        def note(outcome: Outcome) -> None:
            if isinstance(outcome, Committed):
                recorder.note(Acknowledged(outcome.last_seq, outcome.head))

        path = Path(folder) / NAME
        state = start_state(PADDING)
        with watching(recorder):
            database.create(path, vfs.name)
            recorder.note(MADE)
            for _ in range(2):
                table = Table(path, create=False, vfs=vfs.name, state=state, watch=note)
                play_session(table, rng, rounds // 2)
                table.close()
                state = table.state
        vfs.unregister()
    last = max(index for index, record in enumerate(records) if isinstance(record, Acknowledged))
    return Recording({}, records[: last + 1])  # a cut with no acknowledgement after it would show less


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


@contextmanager
def sectors_never_lost() -> Iterator[None]:
    """SQLite's own assumption of a card (`psow`), which the product does not make: for the negative control alone."""
    with patch.object(database, "ASSUMED_OF_THE_CARD", "psow=1"):
        yield


def check(folder: Path, acknowledged: Acknowledged | None, heads: set[bytes], vfs: TortureVfs | None = None) -> None:
    """Open what is left, as the daemon would; raises Lost. `vfs` sees what the opening writes."""
    path = folder / NAME
    try:
        table = Table(path, create=acknowledged is None, vfs=vfs.name if vfs else None)
        try:
            position = table.opened_at
            if acknowledged is not None and acknowledged.last_seq > (position.last_seq if position else -1):
                raise Lost(f"acknowledged {acknowledged}, found {position}")
            if position is not None and position.head not in heads:
                raise Lost(f"found {position}, which is the end of no transaction")
            with Reader(path) as reader:
                reader.verify(acknowledged.head if acknowledged and acknowledged.head else None)
                stands = restart(reader, programs)
            table.state = stands.state if stands is not None else start_state(PADDING)
            committed(table.begin())
            committed(table.play(Contributed(0, 1), RoundEnded(1_000_000)))
        finally:
            table.close()
        with Reader(path) as reader:
            reader.verify()
            replay(reader, programs)
    except JournalError as error:
        raise Lost(f"{type(error).__name__}: {error}") from error


def litter(folder: Path, rng: random.Random, name: str = NAME) -> None:
    """What else a cut leaves: the lock file of a dead process, and a -shm that is anything."""
    if rng.random() < 0.5:
        (folder / f"{name}.lock").write_text("1\n")
    match rng.randrange(4):
        case 0:
            (folder / f"{name}-shm").write_bytes(rng.randbytes(32_768))
        case 1:
            (folder / f"{name}-shm").write_bytes(b"")


def cut_once(disk: Disk, rng: random.Random, heads: set[bytes]) -> None:
    """Cut, recover, and one time in three cut the recovery as well. Raises Lost."""
    with tempfile.TemporaryDirectory(dir=scratch()) as name:
        folder = Path(name)
        disk.cut(folder, rng, Damage.any(rng))
        if rng.randrange(3):
            litter(folder, rng)
            check(folder, disk.acknowledged, heads)
            return
        files, records = before(folder), list[Record]()
        recorder = Recorder(folder, records.append)
        vfs = TortureVfs(recorder)
        try:
            with watching(recorder):
                check(folder, disk.acknowledged, heads, vfs)
        finally:
            vfs.unregister()
        with Reader(folder / NAME) as reader:  # what the recovery wrote ends somewhere else
            ends = heads | transaction_ends(reader)
    with tempfile.TemporaryDirectory(dir=scratch()) as name:
        moment = rng.randrange(len(records) + 1)
        for _, again in Recording(files, records).disks([moment]):
            again.cut(Path(name), rng, Damage.any(rng))
        litter(Path(name), rng)
        check(Path(name), disk.acknowledged, ends)


def transaction_ends(reader: Reader) -> set[bytes]:
    """The head after each transaction of a journal."""
    ends = {row.hash for row in reader.entries() if row.state_hash is not None}
    return ends | {row.hash for row in reader.segments()}


def cut_power(recording: Recording, cuts: int, rng: random.Random) -> tuple[int, int]:
    """(cuts made, cuts after which `check` found a loss)."""
    heads = {record.head for record in recording.records if isinstance(record, Acknowledged)}
    if len(heads) < 10:
        raise AssertionError(f"only {len(heads)} acknowledgements: this shows nothing")
    moments = sorted(rng.choices(range(1, len(recording.records) + 1), k=cuts))
    lost = 0
    for moment, disk in recording.disks(moments):
        try:
            cut_once(disk, rng, heads)
        except Lost as loss:
            lost += 1
            if lost == 1:
                print(f"after {moment} of {len(recording.records)} operations: {loss}", file=sys.stderr)
    return cuts, lost


def negative_controls(rng: random.Random, cuts: int) -> dict[str, int]:
    """Cuts with a loss, by what was wrong on purpose; `cuts` at a time, at most ten times, until there is one."""
    with synchronous_off():
        unsynced = record_session(rng, rounds=6)
    ignored = record_session(rng, rounds=6, ignore_syncs=True)
    with sectors_never_lost():
        trusting = record_session(rng, rounds=6)
    recordings = {
        "synchronous=OFF": unsynced,
        "a card that ignores flushes": ignored,
        "a card that loses the sector it rewrites, SQLite told that none does": trusting,
    }
    return {
        name: next((lost for _ in range(10) if (lost := cut_power(recording, cuts, rng)[1])), 0)
        for name, recording in recordings.items()
    }


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
            ends = transaction_ends(reader)
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
    controls = negative_controls(rng, 60)
    for name, losses in controls.items():
        print(f"negative control, {name}: {losses} cuts lost something (must be above 0)")
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
