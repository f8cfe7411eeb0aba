"""`hil list`: what the table has configured, what of it is there, by which identity and in which state; what else is
plugged in.

With a running daemon state and identity are the daemon's; with `--config` alone what can be seen from outside is told:
whether the path is there, and who holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from drivers.events import LinkState
from drivers.facts.ports import tty_of
from drivers.links.holder import holder_of
from firmware.app.status import TableStatus
from firmware.settings.model import Settings
from hil.codes import devices as codes
from hil.found import GpioChip, SerialPort


class Listed(Struct, frozen=True):
    """A configured device. `code`: of what keeps it from being used, empty while it is ready or nobody knows."""

    name: str
    kind: str
    address: str
    found: str
    identity: str
    state: str
    code: str


class Everything(Struct, frozen=True):
    """`other_ports`, `other_chips`: plugged in, and no device of the table."""

    devices: tuple[Listed, ...]
    other_ports: tuple[SerialPort, ...]
    other_chips: tuple[GpioChip, ...]


def of_daemon(status: TableStatus, ports: Sequence[SerialPort], chips: Sequence[GpioChip]) -> Everything:
    """As the running daemon has them."""
    lent = {name for lease in status.leases for name in lease.devices}
    listed = []
    for device in status.devices:
        code = codes.LEASED.code if device.name in lent else ""
        if not code and device.link != LinkState.READY:
            code = codes.link_code(device.link)
        state = "leased" if device.name in lent else device.link
        state += f" ({device.trouble})" if device.trouble and device.link != LinkState.READY else ""
        listed.append(
            Listed(device.name, "", device.address, _found(device.address, ports), device.identity, state, code)
        )
    return _whole(listed, ports, chips)


def of_settings(
    settings: Settings, run_dir: Path, ports: Sequence[SerialPort], chips: Sequence[GpioChip]
) -> Everything:
    """As they are configured, with no daemon."""
    listed = []
    for name, options in settings.devices.items():
        address = str(getattr(options, "url", "") or getattr(options, "socket", ""))
        if isinstance(chip := getattr(options, "chip", None), int):
            address = f"/dev/gpiochip{chip}"
        state, code = _outside(address, run_dir)
        identity = "simulated" if options.simulated else "not asked: no daemon runs"
        listed.append(Listed(name, str(options.kind), address, _found(address, ports), identity, state, code))
    return _whole(listed, ports, chips)


def _outside(address: str, run_dir: Path) -> tuple[str, str]:
    """State of a device that nobody runs, as far as its path tells."""
    if not address or "://" in address:
        return "not opened", ""
    path = run_dir / address
    if not path.exists():
        return "not there", codes.LINKS[LinkState.ABSENT].code
    return (f"there; held by {holder}", "") if (holder := _holder(path)) else ("there, free", "")


def _holder(path: Path) -> str:
    """Who has a lock on the port; empty where nobody has, as far as this user may know."""
    try:
        status = path.stat()
        locks = Path("/proc/locks").read_text(encoding="ascii")
    except OSError:
        return ""
    return holder_of(path) if f":{status.st_ino} " in locks else ""


def _found(address: str, ports: Sequence[SerialPort]) -> str:
    """Which plugged-in port an address leads to, and its lasting names."""
    port = _port_of(address, ports)
    if port is None:
        return ""
    lasting = [name for name in (*port.by_id, *port.by_path) if name != address]
    return f"{port.tty}{f' = {lasting[0]}' if lasting else ' (no by-id name)'}"


def _port_of(address: str, ports: Sequence[SerialPort]) -> SerialPort | None:
    if not address.startswith("/dev/"):
        return None
    tty = tty_of(Path("/"), address)
    return next((port for port in ports if address in port.names or port.tty == tty), None)


def _whole(listed: Sequence[Listed], ports: Sequence[SerialPort], chips: Sequence[GpioChip]) -> Everything:
    used = {port.tty for device in listed if (port := _port_of(device.address, ports)) is not None}
    addresses = " ".join(f"{device.address} {device.identity}" for device in listed)
    return Everything(
        tuple(listed),
        tuple(port for port in ports if port.tty not in used),
        tuple(chip for chip in chips if chip.path not in addresses and Path(chip.path).name not in addresses),
    )


def lines(whole: Everything) -> Iterator[str]:
    """For people."""
    widths: Mapping[str, int] = {
        column: max((len(getattr(device, column)) for device in whole.devices), default=0)
        for column in ("name", "kind", "address", "state")
    }
    for device in whole.devices:
        mark = f"  [{device.code}]" if device.code else ""
        columns = "  ".join(
            f"{getattr(device, column):<{width}}" for column, width in widths.items() if width and column != "state"
        )
        yield f"{columns}  {device.state}{mark}"
        yield f"{'':<{widths['name']}}  {device.identity}{f'; {device.found}' if device.found else ''}"
    for port in whole.other_ports:
        lasting = (*port.by_id, *port.by_path, *port.others)
        yield f"not configured: /dev/{port.tty}{f', {lasting[0]}' if lasting else ''}"
    for chip in whole.other_chips:
        told = f"{chip.label}, {chip.lines} lines" if chip.label else "may not be asked by this user"
        yield f"not configured: {chip.path} ({told})"
