"""Power cuts: what a journal holds after one, against what the table had acknowledged before it.

Rules:
* Acknowledged is what the daemon tells: the journal's head in its status, asked for all the time, and noted with how
  many writes the disk had been given by then. A cut after that many writes must leave a journal with that head in it.
* A state of the disk is looked at as the next start would: the file system's own journal is replayed (e2fsck), the
  files are read out, and the journal has to pass `tabled journal verify` and `tabled journal audit`.
* The controls must lose something: with a card that ignores flushes, and with a journal that never syncs, some
  acknowledged head has to be gone. A cut before the first acknowledgement says nothing and is not counted.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from firmware.audit.commands import main_audit
from firmware.journal.commands import main_verify
from tests.virtual_pi import people, system, write_log
from tests.virtual_pi.figures import Rig, ready, wait_for
from tests.virtual_pi.machine import GuestError, VirtualPi

WITHOUT_SYNCS = """set -e
unit=/run/systemd/system/tabled.service.d
mkdir -p $unit
start=$(grep ^ExecStart= /etc/systemd/system/tabled.service)
program="/opt/tabled/bin/python /usr/local/lib/virtual-pi/unsynced.py"
{ echo [Service]; echo ExecStart=
  echo "$start" | sed "s,=/opt/tabled/bin/tabled,=$program,"
} >$unit/unsynced.conf
systemctl daemon-reload
systemctl restart tabled
"""


class Acknowledged(Struct, frozen=True):
    """After `writes` writes the daemon said that the journal's head is `head`."""

    writes: int
    head: str


class Lost(Exception):
    """Something acknowledged is not there, or what is there is damaged."""


def heads_in(image: Path, folder: Path) -> set[str]:
    """The hash of every entry and segment in the journal on a disk as it is. Raises Lost where it is damaged."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    checked = subprocess.run(["e2fsck", "-fy", image], capture_output=True, check=False)
    if checked.returncode > 2:
        raise Lost(f"the file system can't be mended: {checked.stdout.decode()[-500:]}")
    subprocess.run(["debugfs", "-R", f"rdump / {folder}", image], capture_output=True, check=True)
    journal = folder / "journal.sqlite"
    if not journal.exists():
        return set()
    for judge in (main_verify, main_audit):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = judge([str(journal)])
        if status != 0:
            raise Lost(f"the journal is damaged: {said.getvalue()[-800:]}")
    connection = sqlite3.connect(f"file:{journal}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT hash FROM entry UNION ALL SELECT hash FROM segment").fetchall()
    finally:
        connection.close()
    return {bytes(value).hex() for (value,) in rows}


async def played(rig: Rig, pi: VirtualPi, seconds: float, log: Path | None) -> list[Acknowledged]:
    """Rounds by the simulated dealer for some seconds; everything that was acknowledged meanwhile."""
    config = rig.folder / "table.toml"
    config.write_text(system.table(), "utf-8")
    layout = people.layout_of(config, rig.folder)
    heard: list[Acknowledged] = []
    stop = threading.Event()

    def listen() -> None:
        while not stop.is_set():
            try:
                head = str(pi.status()["journal"]["head"])
            except GuestError:
                continue  # a daemon that is just starting has nothing to say
            if head and (not heard or heard[-1].head != head):
                heard.append(Acknowledged(write_log.count(log) if log is not None else 0, head))

    wait_for("READY", lambda: ready(pi))
    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    dealer = await people.dealer_at(pi, layout, rig.folder, 1)

    async def deal() -> None:
        while True:
            await dealer.play(people.plain_round(1, 4, 7))

    try:
        async with asyncio.timeout(seconds):
            await deal()
    except TimeoutError:
        pass
    finally:
        stop.set()
        await asyncio.to_thread(listener.join)
    return heard


async def states(rig: Rig, number: int, seconds: float, say: Callable[[str, str], None], seed: int = 1) -> None:
    """One evening with the writes of the disk logged, then `number` power cuts at random moments of it."""
    chance = random.Random(seed)
    evening = await _evening(rig, seconds)
    say("evening for the cuts", f"{len(evening.writes)} writes to the disk, {len(evening.heard)} acknowledged heads")
    began = time.monotonic()
    for index in range(number):
        try:
            _cut(rig, evening, chance)
        except Lost as error:
            raise Lost(f"cut {index}, seed {seed}: {error}") from error
    took = (time.monotonic() - began) / number
    say(f"{number} power cuts at random writes, half of the unflushed lost, one torn", f"0 lost; {took:.2f} s a cut")
    controls = max(20, number // 10)
    _control(rig, evening, chance, controls, say, "a card that ignores flushes", flushes=False)
    _control(rig, await _evening(rig, seconds, syncs=False), chance, controls, say, "a journal that never syncs")


class _Evening(Struct, frozen=True):
    """What a table's disk was given, from an empty one on, and what the table had acknowledged meanwhile."""

    before: Path
    log: Path
    writes: list[write_log.Write]
    heard: list[Acknowledged]


async def _evening(rig: Rig, seconds: float, *, syncs: bool = True) -> _Evening:
    log, before = rig.folder / "writes.log", rig.folder / "before.img"
    log.write_bytes(b"")
    system.data_image(rig.data)
    shutil.copy(rig.data, before)
    simulators = await rig.simulators()
    try:
        with rig.power_on(write_log=log) as pi:
            if not syncs:
                wait_for("READY", lambda: ready(pi))
                pi.run("sh", "-c", WITHOUT_SYNCS)
            heard = await played(rig, pi, seconds, log)
    finally:
        for child in simulators:
            await child.end()
    if len(heard) < 10:
        raise Lost(f"only {len(heard)} acknowledgements in {seconds:.0f} s: nothing can be said")
    return _Evening(before, log, list(write_log.entries(log)), heard)


def _control(
    rig: Rig, evening: _Evening, chance: random.Random, number: int, say: Callable[[str, str], None], what: str,
    *, flushes: bool = True,
) -> None:  # fmt: skip
    lost = 0
    for _ in range(number):
        try:
            _cut(rig, evening, chance, flushes=flushes)
        except Lost:
            lost += 1
    if not lost:
        raise Lost(f"control, {what}: nothing was lost, so these cuts have no teeth")
    say(f"control: {what}", f"{lost} of {number} cuts lost something acknowledged, as they must")


def _cut(rig: Rig, evening: _Evening, chance: random.Random, *, flushes: bool = True) -> None:
    """One power cut at a random write. Raises Lost."""
    cut = chance.randrange(evening.heard[0].writes, len(evening.writes) + 1)
    kept = write_log.after_a_cut(evening.writes, cut, chance, flushes=flushes)
    image = rig.folder / "state.img"
    shutil.copy(evening.before, image)
    with image.open("r+b") as file:
        write_log.apply(evening.log, kept, file)
    found = heads_in(image, rig.folder / "state")
    missing = [one for one in evening.heard if one.writes <= cut and one.head not in found]
    if missing:
        raise Lost(
            f"after {cut} writes {len(missing)} acknowledged heads are not in the journal, first {missing[0].head[:16]}"
        )


async def boots(rig: Rig, number: int, say: Callable[[str, str], None], seed: int = 1) -> None:
    """The machine's power really cut, `number` times, at random moments of play; the disk is looked at after each."""
    chance = random.Random(seed)
    heard: list[Acknowledged] = []
    simulators = await rig.simulators()
    began = time.monotonic()
    try:
        for index in range(number):
            with rig.power_on() as pi:
                fresh = await played(rig, pi, chance.uniform(3, 12), None)
            if not fresh:
                raise Lost(f"power-on {index}: nothing was acknowledged")
            heard += fresh
            copy = rig.folder / "state.img"
            shutil.copy(rig.data, copy)
            found = heads_in(copy, rig.folder / "state")
            missing = [one for one in heard if one.head not in found]
            if missing:
                raise Lost(f"power cut {index}: {len(missing)} acknowledged heads are gone")
            print(f"cut {index + 1} of {number}: {len(fresh)} heads, none lost", file=sys.stderr, flush=True)
    finally:
        for child in simulators:
            await child.end()
    took = (time.monotonic() - began) / number
    say(
        f"{number} times the power really cut during play",
        f"{len(heard)} heads acknowledged, 0 lost; {took:.0f} s each",
    )
