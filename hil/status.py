"""`hil status`: how a running table is, for a technician; and whether something is wrong.

Rules: what is wrong is said with what to do and what to look at next (`firmware/core/faults.py`). Exit status 0: in
order, where the last line names what is not as it should be and keeps nobody from play; 1: something is wrong, each
such line begins with "!"; 2: no daemon answers. A table that is closed, or that waits for its next shoe, is in order.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from drivers.events import LinkState
from drivers.facts.fact import Verdict
from firmware.app.status import DeviceStatus, MeterStatus, SoftwareStatus, TableStatus
from firmware.core.faults import IRREGULARITIES, Irregularity
from firmware.core.meters import WAYS_IN, WAYS_OUT, cents_text, text
from firmware.core.money import format_meter
from firmware.core.order_data import Account
from firmware.core.rules import MeterRule
from firmware.core.slips import number_text
from firmware.core.state import Meter, Phase, Tally
from firmware.journal.commands import counted
from hil import daemon
from hil.codes import daemon as codes
from hil.codes import devices as device_codes
from hil.codes import irregularities
from hil.codes.machine import code_of, fact_code

IN_ORDER, SOMETHING_WRONG, NO_DAEMON = 0, 1, 2
BETWEEN_ROUNDS = (Phase.CLOSED, Phase.LAMP_TEST, Phase.PAUSED, Phase.NEW_SHOE, Phase.BETTING)
"""Where a reason against wagering matters: inside a round the lock-out button is down because it was pressed."""
NETWORK_DROP_IN = "tabled-network.conf"


def run(socket: Path, as_json: bool, packages: bool = False) -> int:
    """Print the status. Returns the exit status."""
    try:
        line = asyncio.run(daemon.status_line(socket))
        status = daemon.decode(line)
    except daemon.NoDaemon as error:
        print(f"hil status: {error}", file=sys.stderr)
        return NO_DAEMON
    print(line.decode() if as_json else "\n".join(report(status, packages)), flush=True)
    return SOMETHING_WRONG if list(wrong(status)) else IN_ORDER


def wrong(status: TableStatus) -> Iterator[str]:
    """Everything that is not in order: its code, what, and what to do."""
    return (f"{code} {what}" for code, what in _wrong(status))


def _wrong(status: TableStatus) -> Iterator[tuple[str, str]]:
    if status.journal.fault:
        what = f"journal: {status.journal.fault}; the table is closed. Check the disk; then: tabled journal verify"
        yield codes.JOURNAL.code, what
    if status.software is not None:
        for difference in status.software.differences:
            act = f"tabled order accept-difference --mark {status.software.mark}"
            what = f"software differs: {difference}. Install what is approved; or turn both keys and accept it: {act}"
            yield codes.SOFTWARE.code, what
    for device in status.devices:
        if device.link != LinkState.READY and not any(device.name in lease.devices for lease in status.leases):
            why = f" ({device.trouble})" if device.trouble else ""
            act = f"Check cable, power and address ({device.address or '-'})"
            yield device_codes.link_code(device.link), f"{device.name}: link is {device.link}{why}. {act}"
            if (host := _tcp_host(device)) is not None:
                act = f"put {NETWORK_DROP_IN} into /etc/systemd/system/tabled.service.d/ with IPAddressAllow={host}"
                what = f"{device.name}: is reached over TCP, which the unit does not allow by itself: {act}"
                yield device_codes.TCP.code, what
    for noted in status.irregularities:
        kind = Irregularity(noted.kind)
        row = IRREGULARITIES[kind]
        where = f" at position {noted.position}" if noted.position is not None else ""
        detail = f" ({noted.detail})" if noted.detail else ""
        what = f"{row.title}{where}{detail}: {row.meaning} {row.remedy} Next: {row.check}"
        yield irregularities.code(kind), what
    for lease in status.leases:
        what = f"{', '.join(lease.devices)}: leased to {lease.who} ({lease.why}); the table stays closed meanwhile"
        yield device_codes.LEASED.code, what
    devices = {device.name for device in status.devices}
    for reason in status.not_wagering_because if status.phase in BETWEEN_ROUNDS else ():
        if reason.removesuffix(" OFFLINE").lower() not in devices:
            yield codes.NOT_WAGERING.code, f"no wagers are taken: {reason.lower()}"
    for fact in status.hardware:
        if fact.verdict is Verdict.BAD:
            yield fact_code(fact.name), f"{fact.name}: {fact.value}. {fact.remedy}"
    if status.mystery is not None and status.mystery.stopped:
        act = "Bring the key file back and start the daemon again; the trigger is never redrawn"
        yield codes.MYSTERY.code, f"mystery bonus stopped: {status.mystery.stopped}. {act}. Next: tabled journal draws"
    for spot in status.spots:
        if spot.service == "trouble":
            what = f"spot {spot.position}/{spot.wager}: its sensor's line is out of order. Next: hil watch: the spot"
            yield codes.SPOT.code, what


def report(status: TableStatus, packages: bool = False) -> Iterator[str]:
    """The whole status for people: first how the table is, last what runs on it; `packages` with every version."""
    yield f"table {status.table}, {status.game}, tabled {status.version}"
    if status.profile == "simulated":
        yield "SIMULATED: no money is taken at this table"
    if status.expired_rules_accepted_by:
        yield f"lapsed rules accepted by {status.expired_rules_accepted_by}: {status.expired_rules_reason}"
    yield f"wall clock: {'synchronized' if status.wall_trusted else 'NOT synchronized; do not rely on times of day'}"
    yield f"state: {status.phase}, round {status.round}; {_wagering(status)}"
    yield f"shoe {status.shoe}, {status.cards_seen} cards seen; {status.queue} events waiting"
    out = [spot for spot in status.spots if spot.service != "in"]
    covered = sum(spot.covered for spot in status.spots)
    yield f"spots: {len(status.spots)}, {covered} covered, {len(out)} out of service"
    yield from (f"    {spot.position}/{spot.wager}: {spot.service.replace('_', ' ')}" for spot in out)
    yield "devices:"
    for device in status.devices:
        counters = ", ".join(f"{name} {value}" for name, value in device.counters.items() if value)
        yield f"    {device.name}: {device.link}; {device.identity}; {device.address or '-'}"
        yield f"        {counters or 'all counters at zero'}"
        if _tcp_host(device) is not None:
            yield f"        over TCP: needs {NETWORK_DROP_IN} (see below if it does not answer)"
    if (bonus := status.mystery) is not None:
        must = f"must be hit by {text(bonus.must_hit_by_micro)}, trigger {bonus.draw}"
        promised = f"committed to as {bonus.commitment or 'not drawn yet'}"
        yield f"mystery bonus: {must}, {f'STOPPED: {bonus.stopped}' if bonus.stopped else promised}"
    yield "meters:"
    for meter in status.meters:
        yield from _meter(meter)
    yield f"cumulative progressive payout, all by attendant: ${format_meter(status.progressive_payout_micro)}"
    yield "wagers since the journal began:"
    for tally in status.tallies:
        yield from _tally(tally)
    if status.awards:
        yield "awards that are not done:"
    for award in status.awards:
        slip = f", slip {number_text(award.slip)}" if award.slip is not None else ""
        yield (
            f"    {award.award}: position {award.position} {award.line}, {cents_text(award.cents)} from "
            f"{award.meter or award.wager}{slip}; waits: {award.waits_for}"
        )
    journal = status.journal
    yield (
        f"journal: {journal.path}; generation {journal.generation}; {journal.commits} commits, slowest "
        f"{journal.slowest_commit_ns / 1e6:.1f} ms; WAL {journal.wal_bytes / 2**20:.1f} MiB; "
        f"head {journal.head or 'none yet'}"
    )
    yield "machine:"
    for fact in status.hardware:
        code = code_of(fact)
        yield f"    {fact.name}: {fact.value}; {fact.verdict.replace('_', ' ')}{f' [{code}]' if code else ''}"
    yield from _software(status.software, packages)
    problems = [f"! {what}" for what in wrong(status)]
    but = list(_doubtful(status))
    yield from problems or [f"in order, but for: {'; '.join(but)}" if but else "in order"]


def _doubtful(status: TableStatus) -> Iterator[str]:
    """What keeps nobody from play, and is not as it should be."""
    if not status.wall_trusted:
        yield "the wall clock is not synchronized"
    for fact in status.hardware:
        if fact.verdict is Verdict.WARN:
            yield f"{fact.name}: {fact.value} [{fact_code(fact.name)}]"


def _meter(status: MeterStatus) -> Iterator[str]:
    """Every account, to the millionth of a dollar; first what the sign shows."""
    meter = status.meter
    hits, wagers = counted(meter.hits, "hit"), counted(meter.wagers, "wager")
    yield f"    {meter.name}: shows {text(meter.shown_micro)}; {hits}, {wagers}"
    yield f"        holds: {_amounts(meter, [f'{account}_micro' for account in Account])}"
    yield f"        put in: {_amounts(meter, WAYS_IN)}"
    yield f"        went out: {_amounts(meter, WAYS_OUT)}"
    into, out = format_meter(meter.reserve_in_micro), format_meter(meter.reserve_out_micro)
    yield f"        reserve: {into} in by wagers, {out} out to reseeds"
    yield f"        parameters: {_parameters(status.parameters)}"
    if status.ordered is not None:
        yield f"        ordered for the next start: {_parameters(status.ordered)}"


def _amounts(meter: Meter, names: Iterable[str]) -> str:
    return ", ".join(f"{name[:-6].replace('_', ' ')} {format_meter(getattr(meter, name))}" for name in names)


def _parameters(of: MeterRule) -> str:
    reseed = "from the reserve" if of.reseed_micro is None else format_meter(of.reseed_micro)
    limit = "none" if of.limit_micro is None else f"{format_meter(of.limit_micro)} (overflow: {of.overflow})"
    return (
        f"seed {format_meter(of.seed_micro)}, reseed {reseed}, increment {of.increment_ppm} ppm, reserve "
        f"{of.reserve_ppm} ppm, hidden {of.hidden_ppm} ppm, limit {limit}"
    )


def _tally(tally: Tally) -> Iterator[str]:
    yield (
        f"    {tally.wager}: {counted(tally.wagers, 'wager')}, coin-in {cents_text(tally.coin_in_cents)}; voided "
        f"{tally.voided_wagers}, {cents_text(tally.voided_cents)}; paid by attendant "
        f"{cents_text(tally.attendant_paid_cents)}"
    )
    for line in tally.lines:
        yield f"        {line.line}: {counted(line.hits, 'time')}, {cents_text(line.award_cents)}"


def _software(software: SoftwareStatus | None, packages: bool) -> Iterator[str]:
    if software is None:
        yield "software: being compared with the signed manifest"
        return
    found = software.found
    yield f"software: code {found.code}"
    yield f"    paytables {found.paytables}"
    yield f"    configuration {found.configuration}"
    if found.environment:
        yield f"    environment {found.environment}"
    versions = counted(len(found.dependencies), "package")
    yield f"    with {', '.join(found.dependencies) if packages else f'{versions}; --packages lists them'}"
    by = f" (approver {software.approver})" if software.approver else ""
    detail = f": {software.detail}" if software.detail else ""
    yield f"    manifest: {software.manifest}{detail}{by}"
    yield from (f"    accepted by two persons: {difference}" for difference in software.accepted)


def _wagering(status: TableStatus) -> str:
    if status.journal.fault:
        return "CLOSED: JOURNAL"
    if status.phase == "betting":
        return "takes wagers"
    reasons = ", ".join(reason.lower() for reason in status.not_wagering_because)
    return f"takes no wagers{f': {reasons}' if reasons else ''}"


def _tcp_host(device: DeviceStatus) -> str | None:
    """The host of a device that is reached over TCP."""
    return urlsplit(device.address).hostname if device.address.startswith("socket://") else None
