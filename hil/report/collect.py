"""From a running daemon, this machine and its devices to an acceptance record.

Rules:
* Attached read-only, as `hil check`; with a lease the devices are opened and measured too, as `hil check --open`.
* The record is of this machine: run where the daemon runs. What could not be measured stands in it as not known.
* A file that was changed since the daemon started is told as a measurement that failed: it is not what was measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import structs

from firmware.app.hardware import needs_of
from firmware.app.program import text_hash
from firmware.app.status import SoftwareStatus, TableStatus
from firmware.journal.errors import KeyMissing, KeyUnusable
from firmware.journal.signing import load_public, public_path
from firmware.settings.model import Settings
from hil import daemon, distribution, found, lease, machine_identity
from hil.check import attached, facts
from hil.check.opened import Opened
from hil.codes.measured import measured_code
from hil.measure import Measurement, Outcome
from hil.report.record import FORM, DeviceFound, Journal, Port, Record, Software
from hil.wiring.findings import findings, refused
from hil.wiring.plan import plan_of

SOFTWARE_LIMIT_S = 30.0
"""The daemon reads all that is installed before it can say what runs."""


class Asked(Exception):
    """The record can't be made; the message says why."""


async def collect(
    socket: Path, by: str, over_s: float, accepted: Collection[str], access: lease.Access | None
) -> tuple[Record, Path]:
    """The record, and where the table's signing key lies. `access`: a lease for opening the devices. Raises `Asked`,
    `NoDaemon`, `NoLease`, `LeaseOver`."""
    before = await _known(socket)
    await asyncio.sleep(over_s)
    after = daemon.decode(await daemon.status_line(socket))
    table = lease.table(Path(after.config))
    settings = table.settings
    measured = [*attached.measured(before, after, over_s)]
    how = f"at the running daemon, over {over_s:g} s"
    if access is not None:
        measured += await _opened(access)
        how += "; then the devices, leased and opened one by one"
    if after.profile != "simulated":
        measured += facts.measured(facts.read_here(needs_of(settings, Path(after.run_dir))))
    software = after.software
    assert software is not None, "`_known` has waited for it"
    measured += _of_table(table, software, after, settings)
    key = Path(after.run_dir) / settings.storage.signing_key
    record = Record(
        form=FORM,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        wall_trusted=after.wall_trusted,
        by=by,
        table=after.table,
        game=after.game,
        profile=after.profile,
        phase=after.phase,
        machine=machine_identity.read(),
        ports=tuple(Port(port.tty, port.names[1:]) for port in found.serial_ports()),
        gpio_chips=tuple(f"{chip.path} {chip.label} {chip.lines} lines" for chip in found.gpio_chips()),
        software=Software(
            software.found, software.manifest, software.approver, software.differences, software.accepted
        ),
        configuration_path=after.config,
        configuration=table.text,
        journal=Journal(
            after.journal.path, after.journal.generation, after.journal.commits, after.journal.head, _public(key)
        ),
        devices=tuple(
            DeviceFound(d.name, settings.devices[d.name].kind, d.identity, d.address, d.link, d.counters)
            for d in after.devices
        ),
        how=how,
        measurements=tuple(measured),
        accepted=tuple(sorted(accepted)),
        debounce_ms=settings.timing.present_ms,
        lamp_times_ns=after.lamp_times_ns,
    )
    return record, key


async def _known(socket: Path) -> TableStatus:
    """A status of a daemon that knows what it runs."""
    try:
        async with asyncio.timeout(SOFTWARE_LIMIT_S):
            while (status := daemon.decode(await daemon.status_line(socket))).software is None:
                await asyncio.sleep(0.2)
    except TimeoutError:
        raise Asked(f"the daemon does not know what software it runs after {SOFTWARE_LIMIT_S:.0f} s") from None
    return status


async def _opened(access: lease.Access) -> Sequence[Measurement]:
    async with lease.devices(access, []) as held:
        check = Opened(held)
        measured = await check.all()
        if check.left:
            raise Asked(f"could not be closed after they were opened: {', '.join(check.left)}; restart the machine")
    return [structs.replace(one, of=f"{one.of}, opened") for one in measured]


def _of_table(
    table: lease.Configuration, software: SoftwareStatus, status: TableStatus, settings: Settings
) -> Iterator[Measurement]:
    same = text_hash(table.text) == software.found.configuration
    yield _judged("configuration", "as the daemon runs it" if same else "changed since the daemon started", same)
    problems = findings(table, plan_of(settings))
    wrong = refused(problems)
    yield _judged("wiring", f"{wrong} to mend, {len(problems) - wrong} warnings", not wrong)
    if software.manifest == "not configured":
        outcome = Outcome.NOT_KNOWN if status.profile == "simulated" else Outcome.FAIL
        code = "" if outcome is Outcome.NOT_KNOWN else measured_code("manifest")
        yield Measurement("table", "manifest", "none is configured", "", "signed, no difference", outcome, code)
    else:
        good = software.manifest == "signed" and not software.differences
        told = "; ".join((software.manifest, *software.differences))
        yield _judged("manifest", told, good)
    yield _lamps(status, settings)


def _lamps(status: TableStatus, settings: Settings) -> Measurement:
    """A lamp that is lit after its chip was decided on would say too late what counts."""
    most_ms = settings.timing.present_ms + settings.timing.lateness_ms
    limits = f"99 % within the decision window, {most_ms} ms"
    if not status.lamp_times_ns:
        return Measurement("table", "edge to lamp", "no chip was placed", "", limits, Outcome.NOT_KNOWN)
    times = distribution.figures(status.lamp_times_ns)
    good = times.p99_ms <= most_ms
    outcome, code = (Outcome.PASS, "") if good else (Outcome.FAIL, measured_code("edge to lamp"))
    value = f"{times.n} chips: median {times.median_ms:.1f}, 99 % {times.p99_ms:.1f}, longest {times.longest_ms:.1f}"
    return Measurement("table", "edge to lamp", value, "ms", limits, outcome, code)


def _judged(name: str, value: str, good: bool) -> Measurement:
    limits = {"configuration": "unchanged", "wiring": "none to mend", "manifest": "signed, no difference"}[name]
    outcome, code = (Outcome.PASS, "") if good else (Outcome.FAIL, measured_code(name))
    return Measurement("table", name, value, "", limits, outcome, code)


def _public(key: Path) -> str:
    """The public half, which everybody may read."""
    try:
        return load_public(public_path(key)).hex()
    except (KeyMissing, KeyUnusable):
        return ""
