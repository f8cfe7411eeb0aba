"""The table's devices in a technician's hands: leased from the running daemon, or opened directly where none runs.

    async with devices(access, ["shoe"]) as held:
        async with held.running("shoe", heard.append):
            ...

Rules:
* The very driver that the daemon uses, made by the registry from the table's own file. A file that was changed since
  the daemon started is refused: it would open something else.
* A lease is asked for with the table's name, typed by a person, a name and a reason. The daemon decides; it gives one
  only while the table is closed.
* The devices are closed before they are given back, and closed at once when the daemon takes them back: the block is
  then cancelled and `LeaseOver` raised.
* Without a daemon they are opened directly from `--config`, and `how` says so. Not while any daemon serves that table.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from drivers.events import DeviceEvent
from drivers.ports import BackendUnavailable, Device
from firmware.app import registry
from firmware.app.lease_desk import LeaseAnswer, LeaseRequest
from firmware.app.program import filed, text_hash
from firmware.journal.lock import WriterLock
from firmware.settings.load import decode, read
from firmware.settings.model import Settings
from firmware.settings.problems import ConfigurationError
from hil import daemon

GIVE_BACK = b'{"op": "return"}\n'
ANSWER_LIMIT_S = 60.0
"""The daemon closes every device before it answers; a port that hangs takes its time."""


class NoLease(Exception):
    """The devices can't be had. The message says why, and what to do."""


class LeaseOver(Exception):
    """The daemon took the devices back before they were given back."""


class Access(Struct, frozen=True):
    """Where the devices are, and who wants them. `config`: open directly, without a daemon."""

    socket: Path
    config: Path | None = None
    run_dir: Path | None = None
    who: str = ""
    why: str = ""
    confirm: str = ""
    limit_s: int = 900


class Held(Struct, frozen=True):
    """Devices that are ours for now. `how`: one line for people, for the head of what a command prints."""

    settings: Settings
    run_dir: Path
    devices: registry.Devices
    how: str

    def device(self, name: str) -> Device:
        return next(device for device in self.devices.all() if device.name == name)

    @contextlib.asynccontextmanager
    async def running(self, name: str, emit: Callable[[DeviceEvent], None]) -> AsyncIterator[Device]:
        """A device while it runs; closed at the end. An exception of its task is raised, as a fault of the program."""
        device = self.device(name)
        with _one_reason():
            async with asyncio.TaskGroup() as group:
                task = group.create_task(device.run(emit), name=name)
                try:
                    yield device
                finally:
                    task.cancel()


@contextlib.asynccontextmanager
async def devices(access: Access, names: Sequence[str]) -> AsyncIterator[Held]:
    """The devices of these names; every one of the table for no name. Raises `NoLease`, `LeaseOver`, `NoDaemon`."""
    if access.config is not None:
        yield await _directly(access, access.config, names)
        return
    async with lent(access, names) as answer:
        checked = table(Path(answer.config))
        if text_hash(filed(checked.text)) != answer.configuration:
            raise NoLease(f"{answer.config} was changed since the daemon started: restart the daemon, or undo that")
        run_dir = Path(answer.run_dir)
        how = f"leased from the daemon for {access.limit_s} s at most (lease {answer.lease})"
        yield Held(checked.settings, run_dir, _made(checked.settings, run_dir, names), how)


@contextlib.asynccontextmanager
async def lent(access: Access, names: Sequence[str]) -> AsyncIterator[LeaseAnswer]:
    """The daemon lets go of these devices, or of all for no name; nothing is opened here. Raises as `devices`."""
    if not names:
        names = [device.name for device in daemon.decode(await daemon.status_line(access.socket)).devices]
    async with daemon.connected(access.socket) as (reader, writer):
        request = LeaseRequest(tuple(names), access.who, access.why, access.confirm, access.limit_s)
        writer.write(msgspec.json.encode(request) + b"\n")
        answer = await _answer(reader)
        if answer.lease is None:
            raise NoLease(f"no lease: {answer.why}")
        try:
            async with _while_lent(reader):
                yield answer
        except LeaseOver:
            raise
        except BaseException:
            writer.write(GIVE_BACK)  # whatever ended the block, it has closed what it opened
            raise
        writer.write(GIVE_BACK)
        async with asyncio.timeout(ANSWER_LIMIT_S):
            await reader.readline()


@contextlib.asynccontextmanager
async def _while_lent(reader: asyncio.StreamReader) -> AsyncIterator[None]:
    """The block, unless the daemon ends the lease first: then it is cancelled, and `LeaseOver` raised."""

    async def ended() -> None:
        line = await reader.readline()
        raise LeaseOver("the daemon has taken the devices back" if line else "the daemon has ended")

    with _one_reason():
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(ended(), name="lease")
            yield
            watching.cancel()


@contextlib.contextmanager
def _one_reason() -> Iterator[None]:
    """Of a group of exceptions the one that matters: the block's own, not that the lease was lost by it."""
    try:
        yield
    except BaseExceptionGroup as errors:
        others = [error for error in errors.exceptions if not isinstance(error, LeaseOver)]
        raise (others or list(errors.exceptions))[0] from None


async def _answer(reader: asyncio.StreamReader) -> LeaseAnswer:
    try:
        async with asyncio.timeout(ANSWER_LIMIT_S):
            line = await reader.readline()
        return msgspec.json.decode(line, type=LeaseAnswer)
    except TimeoutError:
        raise NoLease(f"the daemon has not let go of the devices within {ANSWER_LIMIT_S:.0f} s") from None
    except msgspec.MsgspecError:
        raise NoLease("the daemon gives no leases, or it has ended; use the hil of its own version") from None


async def _directly(access: Access, config: Path, names: Sequence[str]) -> Held:
    settings = table(config).settings
    run_dir = access.run_dir or config.parent
    try:
        async with daemon.connected(run_dir / settings.storage.control):
            raise NoLease(f"a daemon serves this table in {run_dir}: attach to it, without --config")
    except daemon.NoDaemon:
        pass
    if (holder := WriterLock.held_by(run_dir / settings.storage.journal)) is not None:
        raise NoLease(f"process {holder} writes this table's journal in {run_dir}: its daemon runs; attach to it")
    for name in names:
        if name not in settings.devices:
            raise NoLease(f"{config}: no device {name!r}; it has {', '.join(settings.devices)}")
    made = _made(settings, run_dir, names)
    return Held(settings, run_dir, made, f"opened directly from {config}: no daemon runs, and nothing is journalled")


class Configuration(Struct, frozen=True):
    """A table's file as it stands: a technician wires a table before everything is filed."""

    settings: Settings
    text: str


def table(config: Path) -> Configuration:
    """Read a table's file: its form must be right; what `tabled check` says of it is not asked. Raises `NoLease`."""
    try:
        text = read(config)
        return Configuration(decode(text, str(config)), text)
    except ConfigurationError as error:
        raise NoLease(error.report()) from error
    except OSError as error:
        raise NoLease(f"{config}: {error.strerror}") from error


def _made(settings: Settings, run_dir: Path, names: Sequence[str]) -> registry.Devices:
    try:
        return registry.build(settings, run_dir, names or None)
    except (BackendUnavailable, ValueError) as error:
        raise NoLease(f"devices: {error}") from error


def confirmed(access: Access, name: str) -> Access:
    """With the table's name typed by a person, where it was not given as an option."""
    if access.confirm or access.config is not None:
        return access
    if not sys.stdin.isatty():
        raise NoLease(f"taking devices from the table needs its name: --confirm {name}")
    typed = input(f"The daemon will let go of them and the table stays closed. Type the table's name ({name}): ")
    return msgspec.structs.replace(access, confirm=typed.strip())
