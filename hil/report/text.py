"""An acceptance record for a terminal or a printer."""

from __future__ import annotations

from collections.abc import Iterator

from hil import distribution, measure
from hil.measure import Outcome
from hil.report.record import Record, Signed


def verdict(record: Record) -> str:
    """In one line; what is not known is never counted as passed."""
    wrong, all_of_them = len(record.wrong), record.measurements
    unknown = sum(one.outcome is Outcome.NOT_KNOWN for one in all_of_them)
    taken = sum(one.outcome in (Outcome.WARN, Outcome.FAIL) for one in all_of_them) - wrong
    told = [f"{sum(one.outcome is Outcome.PASS for one in all_of_them)} passed"]
    told += [f"{taken} taken as they are"] if taken else []
    told += [f"{unknown} not known"] if unknown else []
    if wrong:
        return f"NOT ACCEPTABLE: {wrong} of {len(all_of_them)} measurements did not pass; {', '.join(told)}"
    return f"in order: {', '.join(told)}"


def made(record: Record) -> str:
    """When and by whom, in one line."""
    clock = "" if record.wall_trusted else "; THE CLOCK IS NOT SYNCHRONIZED"
    return f"made {record.made} by {record.by or 'nobody who gave a name'}{clock}"


def signature(of: Signed) -> str:
    """One line."""
    if of.signature:
        return f"signed by the table's key {of.public_key}"
    return f"NOT SIGNED: {of.not_signed}"


def lines(of: Signed) -> Iterator[str]:
    """The whole record."""
    record = of.read()
    yield f"ACCEPTANCE RECORD of table {record.table}, {record.game}, {record.profile}"
    if record.profile == "simulated":
        yield "SIMULATED TABLE: proves nothing of a real one"
    yield made(record)
    yield verdict(record)
    yield signature(of)
    for title, rows in sections(record):
        yield ""
        yield title
        width = max((len(name) for name, _ in rows), default=0)
        yield from (f"  {name:<{width}}  {value}".rstrip() for name, value in rows)
    yield ""
    yield f"measured {record.how}"
    yield from (f"  {line}" for line in measure.lines(record.measurements, record.accepted))
    if record.lamp_times_ns:
        yield ""
        yield f"from a chip's edge to its lamp, {record.debounce_ms} ms of it debounce"
        yield from (f"  {line}" for line in distribution.lines(record.lamp_times_ns))
        yield f"  {distribution.told(distribution.figures(record.lamp_times_ns))}"


def sections(record: Record) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """What machine, software, configuration, journal and devices are, as names and values under titles."""
    machine = record.machine
    yield (
        "machine",
        [
            ("model", machine.model or "not told by the kernel"),
            ("serial number", machine.serial or "not told by the kernel"),
            ("processor", f"{machine.processor or machine.architecture}, {machine.cores} cores"),
            ("system", f"{machine.system}, {machine.kernel}, Python {machine.python}"),
            *(
                (f"card {c.device}", f"{c.name}, serial {c.serial}, maker {c.manufacturer}, {c.made}")
                for c in machine.cards
            ),
            *((f"port {port.tty}", ", ".join(port.names) or "no lasting name") for port in record.ports),
            *(("gpiochip", chip) for chip in record.gpio_chips),
        ],
    )
    software = record.software
    yield (
        "software",
        [
            ("version", software.found.version),
            ("code", software.found.code),
            ("paytables", software.found.paytables),
            ("environment", software.found.environment or "not asked for"),
            ("manifest", software.manifest),
            ("approver", software.approver or "none"),
            *(("differs", one) for one in software.differences),
            *(("accepted by two persons", one) for one in software.accepted),
        ],
    )
    yield "configuration", [("file", record.configuration_path), ("SHA-256", software.found.configuration)]
    journal = record.journal
    yield (
        "journal",
        [
            ("file", f"{journal.path}, generation {journal.generation}, {journal.commits} commits since the start"),
            ("head", journal.head or "none yet"),
            ("public key", journal.signing_key or "could not be read"),
        ],
    )
    yield (
        "devices",
        [
            (
                device.name,
                f"{device.kind}: {device.link}; {device.identity or 'not identified'}; {device.address or '-'}",
            )
            for device in record.devices
        ],
    )
