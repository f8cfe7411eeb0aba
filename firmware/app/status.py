"""The table as `hil` sees it: one message with everything that is durable now, and how the devices are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from drivers.facts.fact import Fact
from drivers.ports import Device
from firmware.app.engine import Engine
from firmware.app.lease_desk import Place
from firmware.app.line_levels import LineLevels, LineStatus
from firmware.app.outputs import look_of
from firmware.app.program import VERSION
from firmware.core import identity, screen
from firmware.core.awards import open_awards
from firmware.core.effects import LampShow
from firmware.core.machine_events import IdentityFound
from firmware.core.rounds.machine import machine
from firmware.core.rules import MeterRule, TableRules
from firmware.core.shown import Rows
from firmware.core.state import Meter, Phase, State, Tally
from firmware.core.table import reasons_against_wagering
from firmware.settings.model import Settings


class DeviceStatus(msgspec.Struct, frozen=True):
    """`address`: port or socket as configured, empty where the kind has none. `trouble`: why the table can't use it."""

    name: str
    identity: str
    address: str
    link: str
    trouble: str
    counters: dict[str, int]


class SpotStatus(msgspec.Struct, frozen=True):
    position: int
    wager: str
    covered: bool
    service: str
    lamp: str


class LookStatus(msgspec.Struct, frozen=True):
    """How a lamp that shows `lamp` looks: "#rrggbb", and the name of its movement."""

    lamp: str
    colour: str
    pattern: str


class IrregularityStatus(msgspec.Struct, frozen=True):
    """One that waits for the floorperson; `kind` is a row of `firmware/core/faults.py`."""

    kind: str
    position: int | None
    detail: str


class MeterStatus(msgspec.Struct, frozen=True):
    """A meter with every account and counter, the parameters under which it lives, and those that two persons have
    allowed for the next start."""

    meter: Meter
    parameters: MeterRule
    ordered: MeterRule | None


class MysteryStatus(msgspec.Struct, frozen=True):
    """The must-hit-by bonus as anybody may know it. `commitment`: of the trigger in force. `stopped`: why it is, empty
    while it runs."""

    draw: int
    commitment: str
    must_hit_by_micro: int
    stopped: str


class AwardStatus(msgspec.Struct, frozen=True):
    """One that is not done: `waits_for` says who has to do what. `slip`: its number, once it has one."""

    award: int
    position: int
    wager: str
    line: str
    cents: int
    meter: str | None
    slip: int | None
    waits_for: str


class JournalStatus(msgspec.Struct, frozen=True):
    path: str
    fault: str
    head: str
    commits: int
    slowest_commit_ns: int
    generation: int = 0  # which file in turn is the table's journal
    wal_bytes: int = 0  # beside the file, not yet written back into it; a reader makes it grow


class SoftwareStatus(msgspec.Struct, frozen=True):
    """What runs, and how it stands to the signed manifest. `mark` stands for exactly the differences that are open."""

    found: identity.Identity
    manifest: str
    approver: str
    detail: str
    differences: tuple[str, ...]
    mark: str
    accepted: tuple[str, ...]


class LeaseStatus(msgspec.Struct, frozen=True):
    """Devices that a technician has."""

    lease: int
    devices: tuple[str, ...]
    who: str
    why: str


class TableStatus(msgspec.Struct, frozen=True):
    version: str
    table: str
    game: str
    profile: str
    expired_rules_accepted_by: str
    expired_rules_reason: str
    phase: str
    round: int
    not_wagering_because: tuple[str, ...]
    shown: Rows
    spots: tuple[SpotStatus, ...]
    looks: tuple[LookStatus, ...]
    meters: tuple[MeterStatus, ...]
    tallies: tuple[Tally, ...]
    progressive_payout_micro: int
    awards: tuple[AwardStatus, ...]
    board_title: str
    board_fields: tuple[tuple[str, str], ...]
    board_message: str
    display: tuple[str, ...]
    irregularities: tuple[IrregularityStatus, ...]
    shoe: int
    cards_seen: int
    devices: tuple[DeviceStatus, ...]
    journal: JournalStatus
    queue: int
    software: SoftwareStatus | None = None  # None: still being looked at
    wall_trusted: bool = False
    mystery: MysteryStatus | None = None
    leases: tuple[LeaseStatus, ...] = ()
    hardware: tuple[Fact, ...] = ()  # what the machine under the table last said of itself
    config: str = ""  # the table's file, and where the daemon keeps journal and sockets
    run_dir: str = ""
    lines: tuple[LineStatus, ...] = ()  # how each stands, of every line device
    lamp_times_ns: tuple[int, ...] = ()  # from a chip's edge to its lamp's frame, the newest last


def table_status(
    settings: Settings,
    engine: Engine,
    devices: Iterable[Device],
    journal_path: str,
    found: IdentityFound | None,
    generation: int,
    place: Place,
    lines: LineLevels,
    lamp_times_ns: tuple[int, ...],
    hardware: tuple[Fact, ...] = (),
) -> TableStatus:
    """What is durable and shown; a journal failure is told beside it."""
    state, rules = engine.durable, engine.rules
    board = screen.board(rules, state)
    lamps = screen.lamps(state)
    down = {d.device: d.reason for d in state.down}
    devices = tuple(devices)
    return TableStatus(
        version=VERSION,
        table=settings.table.id,
        game=settings.table.game,
        profile=settings.table.profile.value,
        expired_rules_accepted_by=settings.rules_submission.expired_rules_accepted_by,
        expired_rules_reason=settings.rules_submission.expired_rules_reason,
        phase=state.phase.value,
        round=state.round,
        not_wagering_because=reasons_against_wagering(rules, state),
        shown=machine(rules).shown(state).rows(),
        spots=tuple(
            SpotStatus(s.position, s.wager, s.chip is not None, s.service.value, lamp.show.value)
            for s, lamp in zip(state.spots, lamps, strict=True)
        ),
        looks=tuple(
            LookStatus(show.value, look.colour, look.pattern.value)
            for show, look in ((show, look_of(settings.looks, show)) for show in LampShow)
        ),
        meters=tuple(_meter(rules, state, m) for m in state.meters),
        tallies=state.tallies,
        progressive_payout_micro=sum(m.paid_micro for m in state.meters),
        mystery=_mystery(rules, state),
        awards=tuple(
            AwardStatus(a.id, a.position, a.wager, a.line, a.cents, a.meter, a.slip, waits_for.value)
            for a, waits_for in open_awards(state)
        ),
        board_title=board.title,
        board_fields=board.fields,
        board_message=board.message,
        display=screen.display(rules, state).lines,
        irregularities=tuple(IrregularityStatus(n.kind.value, n.position, n.detail) for n in state.noted),
        shoe=state.shoe.number,
        cards_seen=sum(state.shoe.seen),
        devices=tuple(
            DeviceStatus(
                d.name, d.identity, _address(settings, d.name), d.link.value, down.get(d.name, ""), dict(d.counters)
            )
            for d in devices
        ),
        journal=JournalStatus(
            journal_path,
            engine.fault,
            engine.head,
            engine.commits,
            engine.slowest_commit_ns,
            generation,
            _size(Path(f"{journal_path}-wal")),
        ),
        queue=engine.queue_length,
        software=_software(found, state) if found is not None and state.software.known else None,
        wall_trusted=state.wall_trusted,
        leases=tuple(LeaseStatus(lease.number, lease.devices, lease.who, lease.why) for lease in state.leases),
        hardware=hardware,
        config=place.config,
        run_dir=place.run_dir,
        lines=tuple(lines.rows({d.name: d.link for d in devices})),
        lamp_times_ns=lamp_times_ns,
    )


def _software(event: IdentityFound, state: State) -> SoftwareStatus:
    standing = state.software
    return SoftwareStatus(
        found=event.found,
        manifest=event.manifest.state.value,
        approver=event.manifest.approver,
        detail=event.manifest.detail,
        differences=tuple(identity.text(difference) for difference in standing.open),
        mark=identity.mark(standing.open),
        accepted=tuple(identity.text(difference) for difference in standing.accepted),
    )


def _meter(rules: TableRules, state: State, meter: Meter) -> MeterStatus:
    ordered = next((rule for rule in state.parameters if rule.name == meter.name), None)
    return MeterStatus(meter, rules.meter_rule(meter.name), ordered)


def _mystery(rules: TableRules, state: State) -> MysteryStatus | None:
    bonus, rule = state.mystery, rules.mystery
    if bonus is None or rule is None:
        return None
    return MysteryStatus(bonus.draw, bonus.commitment, rule.must_hit_by_micro, bonus.reason)


def _size(file: Path) -> int:
    """Bytes; 0 where there is none."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _address(settings: Settings, device: str) -> str:
    options = settings.devices[device]
    return str(getattr(options, "url", "") or getattr(options, "socket", ""))


def status_line(settings: Settings, engine: Engine) -> str:
    """One line for systemd."""
    if engine.fault:
        return f"CLOSED: JOURNAL ({engine.fault})"
    state = engine.durable
    reasons = ", ".join(reasons_against_wagering(engine.rules, state))
    wagers = "takes wagers" if state.phase is Phase.BETTING else f"no wagers{f' ({reasons})' if reasons else ''}"
    return f"{settings.table.id} {state.phase.value}, round {state.round}: {wagers}"
